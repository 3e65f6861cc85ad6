//! `save`: players as a game keeps them on disk. 28 fields, many of them options, with inventories,
//! nested creatures and a recipe book of long identifiers: 500 players, some 1.6 MB of JSON.

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::words;

/// 500 players for each unit of `scale`.
pub fn generate(scale: usize) -> Vec<Player> {
    let mut random = Random::named("save");
    (0..500 * scale).map(|_| Player::new(&mut random)).collect()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Player {
    pub name: String,
    pub mode: Mode,
    pub score: i64,
    pub world: String,
    pub selected_slot: u32,
    pub selected_item: Item,
    pub home_world: Option<String>,
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
    pub inventory: Vec<Item>,
    pub chest: Vec<Item>,
    pub abilities: Abilities,
    pub entered_portal: Option<(f64, f64, f64)>,
    pub vehicle: Option<Vehicle>,
    pub left_companion: Option<Creature>,
    pub right_companion: Option<Creature>,
    pub seen_credits: bool,
    pub recipes: RecipeBook,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyEnum))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub enum Mode {
    #[cfg_attr(feature = "schemas", fory(default))]
    Survival,
    Creative,
    Adventure,
    Spectator,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Item {
    pub count: i8,
    pub slot: u8,
    pub id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Abilities {
    pub walk_speed: f32,
    pub fly_speed: f32,
    pub may_fly: bool,
    pub flying: bool,
    pub invulnerable: bool,
    pub may_build: bool,
    pub instant_build: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Vehicle {
    pub owner: [u32; 4],
    pub creature: Creature,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Creature {
    pub id: String,
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
    pub custom_name: Option<String>,
    pub silent: bool,
    pub glowing: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct RecipeBook {
    pub known: Vec<String>,
    pub to_be_shown: Vec<String>,
    pub filtering: bool,
    pub gui_open: bool,
    pub furnace_filtering: bool,
    pub furnace_gui_open: bool,
}

impl Player {
    fn new(random: &mut Random) -> Player {
        let has_home = random.chance(50);
        let mut home = |first, last| has_home.then(|| random.between(first, last));
        let [home_x, home_y, home_z] = [home(-30_000, 30_000), home(0, 255), home(-30_000, 30_000)];
        Player {
            name: words::name(random),
            mode: random.pick(&[Mode::Survival, Mode::Creative, Mode::Adventure, Mode::Spectator]),
            score: random.between(0, 1 << 40),
            world: world(random),
            selected_slot: random.below(9) as u32,
            selected_item: Item::new(random),
            home_world: has_home.then(|| world(random)),
            home_x,
            home_y,
            home_z,
            home_forced: has_home.then(|| random.chance(50)),
            sleep_ticks: random.below(100) as u16,
            food_exhaustion: random.fraction32(0, 4, 6),
            food_saturation: random.fraction32(0, 20, 6),
            food_ticks: random.below(80) as u32,
            level: random.below(60) as u32,
            level_progress: random.fraction32(0, 1, 8),
            experience: random.below(1 << 20) as i32,
            seed: random.bits() as i32,
            inventory: Item::several(12, 26, random),
            chest: Item::several(7, 17, random),
            abilities: Abilities::new(random),
            entered_portal: random.option(50, place),
            vehicle: random.option(30, Vehicle::new),
            left_companion: random.option(30, Creature::new),
            right_companion: random.option(30, Creature::new),
            seen_credits: random.chance(50),
            recipes: RecipeBook::new(random),
        }
    }
}

impl Item {
    fn new(random: &mut Random) -> Item {
        Item { count: random.between(1, 64) as i8, slot: random.below(36) as u8, id: identifier(random) }
    }

    fn several(first: i64, last: i64, random: &mut Random) -> Vec<Item> {
        (0..random.between(first, last)).map(|_| Item::new(random)).collect()
    }
}

impl Abilities {
    fn new(random: &mut Random) -> Abilities {
        Abilities {
            walk_speed: random.fraction32(0, 1, 6),
            fly_speed: random.fraction32(0, 1, 6),
            may_fly: random.chance(50),
            flying: random.chance(50),
            invulnerable: random.chance(50),
            may_build: random.chance(50),
            instant_build: random.chance(50),
        }
    }
}

impl Vehicle {
    fn new(random: &mut Random) -> Vehicle {
        Vehicle { owner: identity(random), creature: Creature::new(random) }
    }
}

impl Creature {
    fn new(random: &mut Random) -> Creature {
        Creature {
            id: identifier(random),
            position: place(random),
            motion: place(random),
            rotation: (random.fraction32(-180, 180, 6), random.fraction32(-90, 90, 6)),
            fall_distance: random.fraction32(0, 100, 6),
            fire: random.below(300) as u16,
            air: random.below(300) as u16,
            on_ground: random.chance(50),
            weightless: random.chance(50),
            invulnerable: random.chance(50),
            portal_cooldown: random.below(1000) as i32,
            identity: identity(random),
            custom_name: random.option(30, words::name),
            silent: random.chance(50),
            glowing: random.chance(50),
        }
    }
}

impl RecipeBook {
    fn new(random: &mut Random) -> RecipeBook {
        RecipeBook {
            known: (0..random.between(6, 20)).map(|_| identifier(random)).collect(),
            to_be_shown: (0..random.between(2, 8)).map(|_| identifier(random)).collect(),
            filtering: random.chance(50),
            gui_open: random.chance(50),
            furnace_filtering: random.chance(50),
            furnace_gui_open: random.chance(50),
        }
    }
}

fn world(random: &mut Random) -> String {
    random.pick(&["game:overground", "game:caverns", "game:far_isles"]).to_owned()
}

/// The name of a thing in the game: one of a few hundred, so that many occur again.
fn identifier(random: &mut Random) -> String {
    let material = ["oak", "birch", "copper", "iron", "golden", "crystal", "leather", "polished_granite"];
    let thing = [
        "apple",
        "arrow",
        "axe",
        "boots",
        "bow",
        "bread",
        "bucket",
        "chestplate",
        "fence",
        "hammer",
        "helmet",
        "lantern",
        "pickaxe",
        "planks",
        "shield",
        "shovel",
        "slab",
        "stairs",
        "sword",
        "trapdoor",
    ];
    format!("game:{}_{}", random.pick(&material), random.pick(&thing))
}

fn identity(random: &mut Random) -> [u32; 4] {
    [0; 4].map(|_: u32| random.bits() as u32)
}

fn place(random: &mut Random) -> (f64, f64, f64) {
    let mut coordinate = || random.fraction(-30_000, 30_000, 10);
    (coordinate(), coordinate(), coordinate())
}
