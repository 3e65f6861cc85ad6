//! `updates`: what a game server sends a player. Messages of 20–39 contacts that nest three deep, with
//! short byte strings, and an enum or an option in most places: 1,000 messages, some 9.4 MB of JSON.

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// 1,000 messages for each unit of `scale`.
pub fn generate(scale: usize) -> Vec<Update> {
    let mut random = Random::named("updates");
    (0..1000 * scale).map(|_| Update::new(&mut random)).collect()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Update {
    pub contacts: Vec<Contact>,
    pub score: u32,
    pub world_radius: f32,
    pub event: Option<Event>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Contact {
    pub entity_id: u32,
    pub entity_kind: Option<EntityKind>,
    pub player_id: Option<u16>,
    pub damage: u8,
    pub guidance: Guidance,
    pub order: Order,
    pub transform: Transform,
    pub turret_angles: Vec<u16>,
    #[serde(with = "serde_bytes")]
    pub reloads: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyEnum))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub enum EntityKind {
    #[cfg_attr(feature = "schemas", fory(default))]
    Barge,
    Battleship,
    Buoy,
    Carrier,
    Corvette,
    Crate,
    Cruiser,
    Decoy,
    Depot,
    Destroyer,
    Dredger,
    Fighter,
    Hovercraft,
    Mine,
    Missile,
    Platform,
    Shell,
    Submarine,
    Torpedo,
    Tugboat,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Guidance {
    pub direction: Option<u16>,
    pub velocity: Option<i16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyUnion))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub enum Order {
    #[cfg_attr(feature = "schemas", fory(default))]
    Hold,
    Surface,
    Follow {
        entity_id: u32,
        distance: f32,
    },
    MoveTo(Point),
    Fire(u8, Point),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Transform {
    pub position: Point,
    pub direction: u16,
    pub velocity: i16,
    pub altitude: i8,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyUnion))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub enum Event {
    #[cfg_attr(feature = "schemas", fory(default))]
    Joined {
        player_id: u16,
        name: String,
    },
    Left(u16),
    Sunk {
        by: Option<u16>,
        kind: EntityKind,
    },
    Restart,
}

const KINDS: [EntityKind; 20] = [
    EntityKind::Barge,
    EntityKind::Battleship,
    EntityKind::Buoy,
    EntityKind::Carrier,
    EntityKind::Corvette,
    EntityKind::Crate,
    EntityKind::Cruiser,
    EntityKind::Decoy,
    EntityKind::Depot,
    EntityKind::Destroyer,
    EntityKind::Dredger,
    EntityKind::Fighter,
    EntityKind::Hovercraft,
    EntityKind::Mine,
    EntityKind::Missile,
    EntityKind::Platform,
    EntityKind::Shell,
    EntityKind::Submarine,
    EntityKind::Torpedo,
    EntityKind::Tugboat,
];

impl Update {
    fn new(random: &mut Random) -> Update {
        Update {
            contacts: (0..random.between(20, 39)).map(|_| Contact::new(random)).collect(),
            score: random.below(100_000) as u32,
            world_radius: random.fraction32(500, 3000, 2),
            event: random.option(30, Event::new),
        }
    }
}

impl Contact {
    fn new(random: &mut Random) -> Contact {
        Contact {
            entity_id: random.below(1 << 30) as u32,
            entity_kind: random.option(90, |random| random.pick(&KINDS)),
            player_id: random.option(60, player),
            damage: random.bits() as u8,
            guidance: Guidance {
                direction: random.option(70, angle),
                velocity: random.option(70, |random| random.between(-1000, 1000) as i16),
            },
            order: Order::new(random),
            transform: Transform {
                position: Point::new(random),
                direction: angle(random),
                velocity: random.between(-1000, 1000) as i16,
                altitude: random.between(-100, 100) as i8,
            },
            turret_angles: (0..random.below(5)).map(|_| angle(random)).collect(),
            reloads: {
                let len = random.below(9);
                random.bytes(len)
            },
        }
    }
}

impl Order {
    fn new(random: &mut Random) -> Order {
        match random.below(6) {
            0 | 1 => Order::Hold,
            2 => Order::Surface,
            3 => Order::Follow { entity_id: random.below(1 << 30) as u32, distance: random.fraction32(0, 400, 4) },
            4 => Order::MoveTo(Point::new(random)),
            _ => Order::Fire(random.below(12) as u8, Point::new(random)),
        }
    }
}

impl Point {
    fn new(random: &mut Random) -> Point {
        let mut coordinate = || random.fraction32(-1500, 1500, 5);
        Point { x: coordinate(), y: coordinate() }
    }
}

impl Event {
    fn new(random: &mut Random) -> Event {
        match random.below(4) {
            0 => Event::Joined { player_id: player(random), name: crate::words::name(random) },
            1 => Event::Left(player(random)),
            2 => Event::Sunk { by: random.option(50, player), kind: random.pick(&KINDS) },
            _ => Event::Restart,
        }
    }
}

fn player(random: &mut Random) -> u16 {
    random.bits() as u16
}

fn angle(random: &mut Random) -> u16 {
    random.bits() as u16
}
