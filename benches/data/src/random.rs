//! The one source of chance: splitmix64 from a seed that is a data set's name. Written out here, since
//! a crate may change its sequence between versions, and the data must not change with it.

/// A sequence that depends on the seed alone.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each name.
    pub fn named(name: &str) -> Random {
        // FNV-1a: any spreading hash would do, so long as it never changes.
        let seed = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer from 0 up to, not including, `end`.
    pub fn below(&mut self, end: usize) -> usize {
        // The high half of a product: as even as 64 bits allow, without a division.
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// An integer from `first` to `last`, both included.
    pub fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1) as usize) as i64
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// `Some` of what `make` gives, `percent` times in a hundred.
    pub fn option<T>(&mut self, percent: usize, make: impl FnOnce(&mut Random) -> T) -> Option<T> {
        self.chance(percent).then(|| make(self))
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A multiple of 2⁻ᵇⁱᵗˢ from `first` to `last`: exact in f32 while the whole needs 24 bits at most.
    pub fn fraction(&mut self, first: i64, last: i64, bits: u32) -> f64 {
        let unit = 1_i64 << bits;
        self.between(first * unit, last * unit) as f64 / unit as f64
    }

    /// The same as an f32.
    pub fn fraction32(&mut self, first: i64, last: i64, bits: u32) -> f32 {
        self.fraction(first, last, bits) as f32
    }

    /// `digits` hexadecimal digits, at most 16.
    pub fn hex(&mut self, digits: usize) -> String {
        let all = format!("{:016x}", self.bits());
        all[..digits].to_owned()
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.bits() as u8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_sequence_is_the_published_one() {
        // Reference values of splitmix64 for the seed 1234567.
        let mut random = Random(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn bounds_are_met_and_kept() {
        let mut random = Random::named("bounds");
        let drawn: Vec<i64> = (0..1000).map(|_| random.between(-2, 2)).collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&2));
    }
}
