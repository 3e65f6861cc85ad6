//! `log` and `updates` as derived classes: trees of structs and enums, no pointer among them.

use anyhow::{Result, ensure};
use fory::{Fory, ForyEnum, ForyStruct, ForyUnion};
use marshal::{Class, Classes, Marshal};
use marshal_bench_data::{log, updates};

use crate::peers::{CHECKED, Entrant, Operation, Peer};
use crate::stopwatch::{Sample, time};

#[derive(Class, ForyStruct, PartialEq)]
struct Address {
    x0: u8,
    x1: u8,
    x2: u8,
    x3: u8,
}

#[derive(Class, ForyStruct, PartialEq)]
struct Line {
    address: Address,
    identity: String,
    user: String,
    date: String,
    request: String,
    code: u16,
    size: u64,
}

#[derive(Class, ForyStruct, PartialEq)]
struct Update {
    contacts: Vec<Contact>,
    score: u32,
    world_radius: f32,
    event: Option<Event>,
}

#[derive(Class, ForyStruct, PartialEq)]
struct Contact {
    entity_id: u32,
    entity_kind: Option<EntityKind>,
    player_id: Option<u16>,
    damage: u8,
    guidance: Guidance,
    order: Order,
    transform: Transform,
    turret_angles: Vec<u16>,
    reloads: Vec<u8>,
}

macro_rules! kinds {
    ($first:ident $($kind:ident)*) => {
        #[derive(Class, ForyEnum, PartialEq)]
        enum EntityKind {
            #[fory(default)]
            $first,
            $($kind,)*
        }

        fn kind(kind: updates::EntityKind) -> EntityKind {
            match kind {
                updates::EntityKind::$first => EntityKind::$first,
                $(updates::EntityKind::$kind => EntityKind::$kind,)*
            }
        }
    };
}

kinds! {
    Barge Battleship Buoy Carrier Corvette Crate Cruiser Decoy Depot Destroyer Dredger Fighter Hovercraft Mine Missile
    Platform Shell Submarine Torpedo Tugboat
}

#[derive(Class, ForyStruct, PartialEq)]
struct Guidance {
    direction: Option<u16>,
    velocity: Option<i16>,
}

#[derive(Class, ForyUnion, PartialEq)]
enum Order {
    #[fory(default)]
    Hold,
    Surface,
    Follow {
        entity_id: u32,
        distance: f32,
    },
    MoveTo(Point),
    Fire(u8, Point),
}

#[derive(Class, ForyStruct, PartialEq)]
struct Transform {
    position: Point,
    direction: u16,
    velocity: i16,
    altitude: i8,
}

#[derive(Class, ForyStruct, PartialEq)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Class, ForyUnion, PartialEq)]
enum Event {
    #[fory(default)]
    Restart,
    Joined {
        player_id: u16,
        name: String,
    },
    Left(u16),
    Sunk {
        by: Option<u16>,
        kind: EntityKind,
    },
}

pub fn log(scale: usize) -> Result<Vec<Entrant>> {
    let lines = || -> Vec<Line> {
        let line = |line: log::Line| Line {
            address: Address { x0: line.address.x0, x1: line.address.x1, x2: line.address.x2, x3: line.address.x3 },
            identity: line.identity,
            user: line.user,
            date: line.date,
            request: line.request,
            code: line.code,
            size: line.size,
        };
        log::generate(scale).into_iter().map(line).collect()
    };
    both(lines)
}

pub fn updates(scale: usize) -> Result<Vec<Entrant>> {
    both(|| updates::generate(scale).into_iter().map(update).collect::<Vec<Update>>())
}

fn update(update: updates::Update) -> Update {
    let point = |point: updates::Point| Point { x: point.x, y: point.y };
    let contact = |contact: updates::Contact| Contact {
        entity_id: contact.entity_id,
        entity_kind: contact.entity_kind.map(kind),
        player_id: contact.player_id,
        damage: contact.damage,
        guidance: Guidance { direction: contact.guidance.direction, velocity: contact.guidance.velocity },
        order: match contact.order {
            updates::Order::Hold => Order::Hold,
            updates::Order::Surface => Order::Surface,
            updates::Order::Follow { entity_id, distance } => Order::Follow { entity_id, distance },
            updates::Order::MoveTo(to) => Order::MoveTo(point(to)),
            updates::Order::Fire(weapon, at) => Order::Fire(weapon, point(at)),
        },
        transform: Transform {
            position: point(contact.transform.position),
            direction: contact.transform.direction,
            velocity: contact.transform.velocity,
            altitude: contact.transform.altitude,
        },
        turret_angles: contact.turret_angles,
        reloads: contact.reloads.to_vec(),
    };
    Update {
        contacts: update.contacts.into_iter().map(contact).collect(),
        score: update.score,
        world_radius: update.world_radius,
        event: update.event.map(|event| match event {
            updates::Event::Joined { player_id, name } => Event::Joined { player_id, name },
            updates::Event::Left(player) => Event::Left(player),
            updates::Event::Sunk { by, kind: sunk } => Event::Sunk { by, kind: kind(sunk) },
            updates::Event::Restart => Event::Restart,
        }),
    }
}

/// Ours and fory in the mode in which its readers take other versions of a class, as ours do.
fn both<T>(make: impl Fn() -> Vec<T>) -> Result<Vec<Entrant>>
where
    T: marshal::class::Field + fory::Serializer + PartialEq,
    Vec<T>: fory::Serializer<Target = Vec<T>>,
{
    let value = make();
    let (message, classes) = Marshal::encode_with_classes(&value)?;
    ensure!(Marshal::decode_with_classes::<Vec<T>>(&message, &classes)? == value, "marshal gives back something else");
    let ours = Ours { value, message, classes };
    let mut fory = Fory::builder().xlang(false).compatible(true).build();
    fory.register::<Address>(1)?;
    fory.register::<Line>(2)?;
    fory.register::<Update>(3)?;
    fory.register::<Contact>(4)?;
    fory.register::<EntityKind>(5)?;
    fory.register::<Guidance>(6)?;
    fory.register::<Order>(7)?;
    fory.register::<Transform>(8)?;
    fory.register::<Point>(9)?;
    fory.register::<Event>(10)?;
    let value = make();
    let message = fory.serialize(&value)?;
    ensure!(fory.deserialize::<Vec<T>>(&message)? == value, "fory gives back something else");
    let theirs = Theirs { fory, value, message };
    Ok(vec![
        Entrant { name: super::NAMES[0], peer: Box::new(ours) },
        Entrant { name: super::NAMES[1], peer: Box::new(theirs) },
    ])
}

struct Ours<T> {
    value: Vec<T>,
    message: Vec<u8>,
    classes: Classes,
}

impl<T: marshal::class::Field> Peer for Ours<T> {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::ClassEncode => Some(time(times, || Marshal::encode_with_classes(&self.value).expect(CHECKED))),
            Operation::ClassDecode => Some(time(times, || {
                Marshal::decode_with_classes::<Vec<T>>(&self.message, &self.classes).expect(CHECKED)
            })),
            _ => None,
        }
    }
}

struct Theirs<T> {
    fory: Fory,
    value: Vec<T>,
    message: Vec<u8>,
}

impl<T> Peer for Theirs<T>
where
    Vec<T>: fory::Serializer<Target = Vec<T>>,
{
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::ClassEncode => Some(time(times, || self.fory.serialize(&self.value).expect(CHECKED))),
            Operation::ClassDecode => {
                Some(time(times, || self.fory.deserialize::<Vec<T>>(&self.message).expect(CHECKED)))
            }
            _ => None,
        }
    }
}
