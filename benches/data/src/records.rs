//! `records`: people as a mock-data service would make them. 20 fields, 603 of them, some 627 KB of
//! compact JSON, two thirds of it in strings of 3 to 600 bytes; few values occur twice, all keys do.

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::words;

/// 603 records for each unit of `scale`.
pub fn generate(scale: usize) -> Vec<Record> {
    let mut random = Random::named("records");
    (0..603 * scale).map(|index| Record::new(index as u32, &mut random)).collect()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
#[serde(rename_all = "camelCase")]
pub struct Record {
    #[serde(rename = "_id")]
    pub id: String,
    pub index: u32,
    pub guid: String,
    pub is_active: bool,
    pub balance: String,
    pub picture: String,
    pub age: u8,
    pub eye_color: String,
    pub name: String,
    pub gender: String,
    pub company: String,
    pub email: String,
    pub phone: String,
    pub address: String,
    pub about: String,
    pub registered: String,
    pub tags: Vec<String>,
    pub friends: Vec<Friend>,
    pub greeting: String,
    pub favorite_fruit: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Friend {
    pub id: u32,
    pub name: String,
}

impl Record {
    fn new(index: u32, random: &mut Random) -> Record {
        let name = words::name(random);
        let company = company(random);
        Record {
            id: random.hex(16) + &random.hex(8),
            index,
            guid: guid(random),
            is_active: random.chance(50),
            balance: format!("${},{:03}.{:02}", random.between(1, 3), random.below(1000), random.below(100)),
            picture: "https://images.example/32x32".to_owned(),
            age: random.between(20, 40) as u8,
            eye_color: random.pick(&["blue", "brown", "green"]).to_owned(),
            gender: random.pick(&["female", "male"]).to_owned(),
            email: format!("{}@{}.com", name.to_lowercase().replace(' ', ""), company.to_lowercase()),
            phone: format!(
                "+1 ({}) {}-{}",
                random.between(800, 999),
                random.between(400, 599),
                random.between(2000, 3999),
            ),
            address: address(random),
            about: about(random),
            registered: registered(random),
            tags: (0..7).map(|_| random.pick(&words::LATIN).to_owned()).collect(),
            friends: (0..3).map(|id| Friend { id, name: words::name(random) }).collect(),
            greeting: format!("Hello, {name}! You have {} unread messages.", random.between(1, 10)),
            favorite_fruit: random.pick(&["apple", "banana", "strawberry"]).to_owned(),
            name,
            company,
        }
    }
}

fn guid(random: &mut Random) -> String {
    [8, 4, 4, 4, 12].map(|digits| random.hex(digits)).join("-")
}

fn company(random: &mut Random) -> String {
    let syllables = ["ar", "bi", "co", "dex", "en", "fy", "gem", "ix", "kor", "lo", "ma", "nu", "or", "pla", "zen"];
    (0..random.between(2, 4)).map(|_| random.pick(&syllables).to_uppercase()).collect()
}

fn address(random: &mut Random) -> String {
    format!(
        "{} {} {}, {}, {}, {}",
        random.between(100, 999),
        random.pick(&words::LAST_NAMES),
        random.pick(&["Avenue", "Court", "Lane", "Place", "Road", "Street", "Terrace"]),
        random.pick(&words::PLACES),
        random.pick(&words::REGIONS),
        random.between(100, 9999),
    )
}

/// Sentences up to 340 bytes in the mean, seldom under 150 or over 550, and a line break.
fn about(random: &mut Random) -> String {
    let wanted = (0..3).map(|_| random.between(20, 184)).sum::<i64>() as usize;
    let mut text = words::sentence(random);
    while text.len() < wanted {
        text.push(' ');
        text += &words::sentence(random);
    }
    text + "\r\n"
}

fn registered(random: &mut Random) -> String {
    let [year, month, day, hour, minute, second] = words::moment(random);
    let zone = random.between(1, 3);
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02} -{zone:02}:00")
}
