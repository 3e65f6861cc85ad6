//! `log`: lines of a web server's log. A nested address of four small integers, four short strings, a
//! 16 bit and a larger integer: 10,000 lines, some 1.83 MB of JSON.

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::words;

/// 10,000 lines for each unit of `scale`.
pub fn generate(scale: usize) -> Vec<Line> {
    let mut random = Random::named("log");
    (0..10_000 * scale).map(|_| Line::new(&mut random)).collect()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Line {
    pub address: Address,
    pub identity: String,
    pub user: String,
    pub date: String,
    pub request: String,
    pub code: u16,
    pub size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(wincode::SchemaWrite, wincode::SchemaRead, bitcode::Encode, bitcode::Decode))]
#[cfg_attr(feature = "schemas", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, fory::ForyStruct))]
#[cfg_attr(feature = "schemas", derive(zerompk::ToMessagePack, zerompk::FromMessagePack))]
pub struct Address {
    pub x0: u8,
    pub x1: u8,
    pub x2: u8,
    pub x3: u8,
}

impl Line {
    fn new(random: &mut Random) -> Line {
        Line {
            address: Address {
                x0: random.bits() as u8,
                x1: random.bits() as u8,
                x2: random.bits() as u8,
                x3: random.bits() as u8,
            },
            identity: "-".to_owned(),
            user: if random.chance(60) { "-".to_owned() } else { random.pick(&words::FIRST_NAMES).to_lowercase() },
            date: date(random),
            request: request(random),
            code: random.pick(&[200, 200, 200, 200, 201, 204, 301, 304, 400, 403, 404, 500, 503]),
            size: random.below(100_000_000) as u64,
        }
    }
}

fn date(random: &mut Random) -> String {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let [year, month, day, hour, minute, second] = words::moment(random);
    let month = months[month as usize - 1];
    format!("{day:02}/{month}/{year}:{hour:02}:{minute:02}:{second:02} +0000")
}

fn request(random: &mut Random) -> String {
    let method = random.pick(&["GET", "GET", "GET", "GET", "POST", "PUT", "DELETE", "HEAD"]);
    let mut path = String::new();
    for _ in 0..random.between(1, 4) {
        path.push('/');
        path += random.pick(&words::LATIN);
    }
    let kind = random.pick(&["", "", ".html", ".css", ".js", ".png", ".json"]);
    let version = random.pick(&["1.0", "1.1", "2.0"]);
    format!("{method} {path}{kind} HTTP/{version}")
}
