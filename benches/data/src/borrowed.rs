//! The data sets' types as a reader has them that borrows text and bytes from a message.
//!
//! They are the types of the other modules with other strings. Where nothing is borrowed the types are those.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A string that is borrowed where the format allows it: JSON can't lend one with escapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

pub mod log {
    use super::*;
    use crate::log::Address;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Line<'a> {
        pub address: Address,
        #[serde(borrow)]
        pub identity: Text<'a>,
        #[serde(borrow)]
        pub user: Text<'a>,
        #[serde(borrow)]
        pub date: Text<'a>,
        #[serde(borrow)]
        pub request: Text<'a>,
        pub code: u16,
        pub size: u64,
    }
}

pub mod records {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Record<'a> {
        #[serde(rename = "_id")]
        #[serde(borrow)]
        pub id: Text<'a>,
        pub index: u32,
        #[serde(borrow)]
        pub guid: Text<'a>,
        pub is_active: bool,
        #[serde(borrow)]
        pub balance: Text<'a>,
        #[serde(borrow)]
        pub picture: Text<'a>,
        pub age: u8,
        #[serde(borrow)]
        pub eye_color: Text<'a>,
        #[serde(borrow)]
        pub name: Text<'a>,
        #[serde(borrow)]
        pub gender: Text<'a>,
        #[serde(borrow)]
        pub company: Text<'a>,
        #[serde(borrow)]
        pub email: Text<'a>,
        #[serde(borrow)]
        pub phone: Text<'a>,
        #[serde(borrow)]
        pub address: Text<'a>,
        #[serde(borrow)]
        pub about: Text<'a>,
        #[serde(borrow)]
        pub registered: Text<'a>,
        #[serde(borrow)]
        pub tags: Vec<Text<'a>>,
        #[serde(borrow)]
        pub friends: Vec<Friend<'a>>,
        #[serde(borrow)]
        pub greeting: Text<'a>,
        #[serde(borrow)]
        pub favorite_fruit: Text<'a>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Friend<'a> {
        pub id: u32,
        #[serde(borrow)]
        pub name: Text<'a>,
    }
}

pub mod save {
    use super::*;
    use crate::save::{Abilities, Mode};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Player<'a> {
        #[serde(borrow)]
        pub name: Text<'a>,
        pub mode: Mode,
        pub score: i64,
        #[serde(borrow)]
        pub world: Text<'a>,
        pub selected_slot: u32,
        #[serde(borrow)]
        pub selected_item: Item<'a>,
        #[serde(borrow)]
        pub home_world: Option<Text<'a>>,
        pub home_x: Option<i64>,
        pub home_y: Option<i64>,
        pub home_z: Option<i64>,
        pub home_forced: Option<bool>,
        pub sleep_ticks: u16,
        pub food_exhaustion: f32,
        pub food_saturation: f32,
        pub food_ticks: u32,
        pub level: u32,
        pub level_progress: f32,
        pub experience: i32,
        pub seed: i32,
        #[serde(borrow)]
        pub inventory: Vec<Item<'a>>,
        #[serde(borrow)]
        pub chest: Vec<Item<'a>>,
        pub abilities: Abilities,
        pub entered_portal: Option<(f64, f64, f64)>,
        #[serde(borrow)]
        pub vehicle: Option<Vehicle<'a>>,
        #[serde(borrow)]
        pub left_companion: Option<Creature<'a>>,
        #[serde(borrow)]
        pub right_companion: Option<Creature<'a>>,
        pub seen_credits: bool,
        #[serde(borrow)]
        pub recipes: RecipeBook<'a>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Item<'a> {
        pub count: i8,
        pub slot: u8,
        #[serde(borrow)]
        pub id: Text<'a>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Vehicle<'a> {
        pub owner: [u32; 4],
        #[serde(borrow)]
        pub creature: Creature<'a>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Creature<'a> {
        #[serde(borrow)]
        pub id: Text<'a>,
        pub position: (f64, f64, f64),
        pub motion: (f64, f64, f64),
        pub rotation: (f32, f32),
        pub fall_distance: f32,
        pub fire: u16,
        pub air: u16,
        pub on_ground: bool,
        pub weightless: bool,
        pub invulnerable: bool,
        pub portal_cooldown: i32,
        pub identity: [u32; 4],
        #[serde(borrow)]
        pub custom_name: Option<Text<'a>>,
        pub silent: bool,
        pub glowing: bool,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RecipeBook<'a> {
        #[serde(borrow)]
        pub known: Vec<Text<'a>>,
        #[serde(borrow)]
        pub to_be_shown: Vec<Text<'a>>,
        pub filtering: bool,
        pub gui_open: bool,
        pub furnace_filtering: bool,
        pub furnace_gui_open: bool,
    }
}

pub mod updates {
    use super::*;
    use crate::updates::{EntityKind, Guidance, Order, Transform};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Update<'a> {
        #[serde(borrow)]
        pub contacts: Vec<Contact<'a>>,
        pub score: u32,
        pub world_radius: f32,
        #[serde(borrow)]
        pub event: Option<Event<'a>>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Contact<'a> {
        pub entity_id: u32,
        pub entity_kind: Option<EntityKind>,
        pub player_id: Option<u16>,
        pub damage: u8,
        pub guidance: Guidance,
        pub order: Order,
        pub transform: Transform,
        pub turret_angles: Vec<u16>,
        #[serde(borrow, with = "serde_bytes")]
        pub reloads: &'a [u8],
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub enum Event<'a> {
        Joined {
            player_id: u16,
            #[serde(borrow)]
            name: Text<'a>,
        },
        Left(u16),
        Sunk {
            by: Option<u16>,
            kind: EntityKind,
        },
        Restart,
    }
}

pub mod small {
    use super::*;
    use crate::small::Role;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Account<'a> {
        pub id: u32,
        #[serde(borrow)]
        pub name: Text<'a>,
        #[serde(borrow)]
        pub email: Text<'a>,
        pub active: bool,
        pub role: Role,
        pub age: u8,
        pub balance: f64,
        #[serde(borrow)]
        pub joined: Text<'a>,
        #[serde(borrow)]
        pub note: Option<Text<'a>>,
        pub flags: u32,
    }
}

pub mod graph {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Graph<'a> {
        #[serde(borrow)]
        pub classes: Vec<Class<'a>>,
        #[serde(borrow)]
        pub objects: Vec<Object<'a>>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Class<'a> {
        #[serde(borrow)]
        pub name: Text<'a>,
        #[serde(borrow)]
        pub fields: Vec<Text<'a>>,
        #[serde(borrow)]
        pub edges: Vec<Text<'a>>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Object<'a> {
        pub class: usize,
        #[serde(borrow)]
        pub fields: Vec<Scalar<'a>>,
        pub edges: Vec<usize>,
        pub links: Vec<usize>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    pub enum Scalar<'a> {
        Bool(bool),
        Integer(i32),
        Float(f64),
        Text(#[serde(borrow)] Text<'a>),
    }
}
