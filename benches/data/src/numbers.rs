//! `numbers`: one array of 500,000 integers that take all 32 bits.

use crate::random::Random;

/// 500,000 integers for each unit of `scale`.
pub fn generate(scale: usize) -> Vec<i32> {
    let mut random = Random::named("numbers");
    (0..500_000 * scale).map(|_| random.bits() as i32).collect()
}
