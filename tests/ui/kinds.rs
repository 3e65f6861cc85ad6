use marshal::Class;

#[derive(Class)]
union Bits {
    a: u32,
    b: f32,
}

#[derive(Class)]
enum Never {}

#[derive(Class)]
struct Borrowed<'a> {
    text: &'a str,
}

#[derive(Class)]
enum Variants {
    #[class(rename = "B")]
    A,
    B,
    C(#[class(base)] Vec<u8>),
}

fn main() {}
