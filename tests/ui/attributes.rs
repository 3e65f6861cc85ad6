use marshal::Class;

#[derive(Class)]
#[class(nam = "User")]
struct UnknownAttribute;

#[derive(Class)]
#[class(name = "")]
struct EmptyName;

#[derive(Class)]
#[class(version = 1, version = 2)]
struct Twice;

#[derive(Class)]
#[class(migrate = From::from)]
struct MigrateFromNothing;

#[derive(Class)]
struct Fields {
    #[class(renamed = "b")]
    a: u8,
    #[class(flatten, rename = "x")]
    b: u8,
    #[class(rename = "7")]
    c: u8,
}

#[derive(Class)]
struct Keys {
    a: u8,
    #[class(rename = "a")]
    b: u8,
}

#[derive(Class)]
struct Bases {
    #[class(base)]
    a: Vec<u8>,
    #[class(base)]
    b: Vec<u8>,
}

fn main() {}
