//! Messages of other versions: fields added, removed, renamed and widened, migrations, and what is unknown.

use marshal::class::Data;
use marshal::{Class, Classes, ErrorKind, Marshal, Shared, js};

mod v1 {
    #[derive(marshal::Class)]
    pub(super) struct User {
        pub(super) name: String,
        pub(super) age: u8,
        pub(super) nick: String,
    }
}

mod v2 {
    use marshal::{Class, Shared};

    #[derive(Class, Debug, PartialEq)]
    pub(super) struct User {
        pub(super) email: Option<String>,
        #[class(alias = "nick")]
        pub(super) nickname: String,
        pub(super) age: u64,
        #[class(default = 7)]
        pub(super) level: u32,
        #[class(default)]
        pub(super) friends: Vec<Shared<User>>,
    }
}

fn old_user() -> Vec<u8> {
    let user = v1::User { name: "Ada".into(), age: 36, nick: "ada".into() };
    Marshal::encode_with_classes(&user).unwrap().0
}

#[test]
fn fields_may_be_added_removed_renamed_moved_and_widened() {
    let classes = Classes::new().with::<v2::User>();
    let user: v2::User = Marshal::decode_with_classes(&old_user(), &classes).unwrap();
    assert_eq!(user, v2::User { email: None, nickname: "ada".into(), age: 36, level: 7, friends: vec![] });
    let error = Marshal::decode_with_classes::<v2::User>(&old_user(), &classes.refuse_unknown_fields()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::UnknownField, Some("$")));
    assert!(error.to_string().contains("User has no field name"), "{error}");
}

#[test]
fn a_missing_field_is_named() {
    let message = Marshal::encode(&js!([[User { age: 3 }]])).unwrap();
    let classes = Classes::new().with::<v2::User>();
    let error = Marshal::decode_with_classes::<Vec<Vec<v2::User>>>(&message, &classes).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::MissingField, Some("$[0][0]")));
    assert!(error.to_string().contains("no value for the field nickname"), "{error}");
}

#[test]
fn a_field_under_both_its_names_is_doubled() {
    let message = Marshal::encode(&js!(User { nick: "a", nickname: "b", age: 3 })).unwrap();
    let classes = Classes::new().with::<v2::User>();
    let error = Marshal::decode_with_classes::<v2::User>(&message, &classes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DuplicateKey);
}

#[derive(Class)]
#[class(name = "Point", version = 0)]
struct Point0 {
    x: i32,
    y: i32,
    next: Option<Shared<Point2>>,
}

#[derive(Class)]
#[class(name = "Point", version = 1, previous = Point0)]
struct Point1 {
    x: f64,
    y: f64,
    next: Option<Shared<Point2>>,
}

#[derive(Class)]
#[class(name = "Point", version = 2, previous = Point1, migrate = Point2::polar)]
struct Point2 {
    angle: f64,
    radius: f64,
    next: Option<Shared<Point2>>,
}

impl From<Point0> for Point1 {
    fn from(old: Point0) -> Self {
        Point1 { x: old.x.into(), y: old.y.into(), next: old.next }
    }
}

impl Point2 {
    fn polar(old: Point1) -> Result<Self, String> {
        let radius = old.x.hypot(old.y);
        if radius == 0.0 {
            return Err("the origin has no angle".into());
        }
        Ok(Point2 { angle: old.y.atan2(old.x), radius, next: old.next })
    }
}

#[test]
fn migrations_are_chained_and_keep_identity() {
    let classes = Classes::new().with::<Point2>();
    let message = {
        let mut graph = marshal::Graph::new();
        let (zero, one) = (marshal::Value::from(0), marshal::Value::from(1));
        let null = marshal::Value::NULL;
        let tail = graph.instance("Point", 2, [("angle", zero), ("radius", one), ("next", null)]).unwrap();
        let (x, y) = (marshal::Value::from(3), marshal::Value::from(4));
        let first = graph.instance("Point", 0, [("x", x), ("y", y), ("next", tail)]).unwrap();
        let root = graph.array([first, tail]);
        graph.set_root(root);
        Marshal::encode(&graph).unwrap()
    };
    let (first, tail): (Point2, Shared<Point2>) = Marshal::decode_with_classes(&message, &classes).unwrap();
    assert_eq!((first.radius, first.next), (5.0, Some(tail)));
    let message = Marshal::encode_with_classes(&Point0 { x: 0, y: 0, next: None }).unwrap().0;
    let error = Marshal::decode_with_classes::<Point2>(&message, &classes).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("the origin has no angle"), "{error}");
}

#[test]
fn a_newer_version_is_refused() {
    let message = Marshal::encode_with_classes(&Point2 { angle: 0.0, radius: 1.0, next: None }).unwrap().0;
    let classes = Classes::new().with::<Point1>();
    let error = Marshal::decode_with_classes::<Point1>(&message, &classes).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::UnknownClass);
    assert!(error.to_string().contains("version 2; this is version 1"), "{error}");
}

#[derive(Class)]
struct Envelope {
    to: String,
    #[class(default)]
    body: Vec<Data>,
}

#[test]
fn unknown_classes_are_data() {
    let message = Marshal::encode(&js!(Envelope {
        to: "x",
        body: [Mystery { a: 1, b: [Other {}] }, 5, null],
        more: Mystery { a: 1 }
    }))
    .unwrap();
    let classes = Classes::new().with::<Envelope>();
    let envelope: Envelope = Marshal::decode_with_classes(&message, &classes).unwrap();
    assert_eq!(envelope.body[0].0, js!(Mystery { a: 1, b: [Other {}] }));
    assert_eq!((&envelope.body[1].0, envelope.to.as_str()), (&js!(5), "x"));
    let (again, _) = Marshal::encode_with_classes(&envelope).unwrap();
    let expected = js!(Envelope { to: "x", body: [Mystery { a: 1, b: [Other {}] }, 5, null] });
    assert_eq!(Marshal::decode(&again).unwrap(), expected);
    let error = Marshal::decode_with_classes::<Envelope>(&message, &classes.refuse_unknown_classes()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::UnknownClass);
}

#[derive(Class)]
#[class(restored = Range::check)]
struct Range {
    low: u32,
    high: u32,
    #[class(skip)]
    len: u32,
}

impl Range {
    fn check(&mut self) -> Result<(), &'static str> {
        self.len = self.high.checked_sub(self.low).ok_or("high is below low")?;
        Ok(())
    }
}

#[test]
fn a_hook_runs_after_restoring_and_may_refuse() {
    let classes = Classes::new().with::<Range>();
    let good = Marshal::encode_with_classes(&Range { low: 3, high: 10, len: 0 }).unwrap().0;
    let range: Range = Marshal::decode_with_classes(&good, &classes).unwrap();
    assert_eq!(range.len, 7);
    assert_eq!(Marshal::deep_clone(&range).unwrap().len, 7);
    let bad = Marshal::encode_with_classes(&Shared::new(Range { low: 3, high: 1, len: 0 })).unwrap().0;
    let error = Marshal::decode_with_classes::<Shared<Range>>(&bad, &classes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("Range can't be restored: high is below low"), "{error}");
}

#[derive(Class, Debug, PartialEq)]
struct Host {
    name: String,
    #[class(custom)]
    address: std::net::Ipv4Addr,
    #[class(custom, default = std::net::Ipv4Addr::LOCALHOST)]
    fallback: std::net::Ipv4Addr,
}

fn hosts() -> Classes {
    let mut classes = Classes::new().with::<Host>();
    let to = |ip: &std::net::Ipv4Addr| ip.octets();
    classes
        .register_custom("Ipv4Addr", to, |[a, b, c, d]: [u8; 4]| {
            if a == 0 { Err("no address") } else { Ok(std::net::Ipv4Addr::new(a, b, c, d)) }
        })
        .unwrap();
    classes
}

#[test]
fn foreign_types_go_through_their_transformer() {
    let host = Host { name: "a".into(), address: [10, 0, 0, 1].into(), fallback: [1, 2, 3, 4].into() };
    let classes = hosts();
    let message = Marshal::encode_using(&host, &classes).unwrap();
    assert_eq!(
        Marshal::decode(&message).unwrap().to_string(),
        r#"Host {name: "a", address: Ipv4Addr([10, 0, 0, 1]), fallback: Ipv4Addr([1, 2, 3, 4])}"#
    );
    assert_eq!(Marshal::decode_with_classes::<Host>(&message, &classes).unwrap(), host);
    assert_eq!(Marshal::deep_clone(&host).unwrap(), host);
    assert_eq!(Marshal::encode_with_classes(&host).unwrap_err().kind(), ErrorKind::UnknownClass);
    let classes = Classes::new().with::<Host>();
    assert_eq!(Marshal::decode_with_classes::<Host>(&message, &classes).unwrap_err().kind(), ErrorKind::UnknownClass);
    let zero = Host { address: [0, 0, 0, 1].into(), ..host };
    let message = Marshal::encode_using(&zero, &hosts()).unwrap();
    let error = Marshal::decode_with_classes::<Host>(&message, &hosts()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Refused, Some("$.address<payload>")));
    let mut twice = hosts();
    let again = twice.register_custom("Other", |ip: &std::net::Ipv4Addr| ip.to_string(), |text: String| text.parse());
    assert_eq!(again.unwrap_err().kind(), ErrorKind::DuplicateClass);
    assert_eq!(twice.register::<named::Ipv4Addr>().unwrap_err().kind(), ErrorKind::DuplicateClass);
}

mod named {
    #[derive(marshal::Class)]
    pub(super) struct Ipv4Addr;
}
