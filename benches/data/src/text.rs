//! `text`: long strings, 1 to 32 KB each, every second one not ASCII: 200 strings, some 2.1 MB.

use crate::random::Random;
use crate::words;

/// 200 strings for each unit of `scale`.
pub fn generate(scale: usize) -> Vec<String> {
    let mut random = Random::named("text");
    (0..200 * scale)
        .map(|index| {
            let len = 1024 << random.below(5);
            let len = len + random.below(len);
            if index % 2 == 0 { plain(len, &mut random) } else { mixed(len, &mut random) }
        })
        .collect()
}

/// Sentences, with the quotes, line breaks and backslashes that JSON has to escape.
fn plain(len: usize, random: &mut Random) -> String {
    let mut text = String::new();
    while text.len() < len {
        text += &words::sentence(random);
        text += random.pick(&[" ", " ", " ", " ", " ", "\n", "\n", "\"", "\\"]);
    }
    text
}

/// Words of many scripts: about a third of the characters ASCII.
fn mixed(len: usize, random: &mut Random) -> String {
    let mut text = String::new();
    while text.len() < len {
        text += match random.below(10) {
            0..2 => random.pick(&words::LATIN),
            2..6 => random.pick(&words::TWO_BYTES),
            6..9 => random.pick(&words::THREE_BYTES),
            _ => random.pick(&words::FOUR_BYTES),
        };
        text.push(if random.chance(4) { '\n' } else { ' ' });
    }
    text
}
