//! Unsigned LEB128 in its shortest form (`spec/format.md`, section 1).

/// A `u64` takes at most this many bytes.
const MAX_LEN: usize = 10;

/// Appends `value` to `out`.
#[inline]
pub(crate) fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// How many bytes [`write`] appends.
#[inline]
pub(crate) fn len(value: u64) -> usize {
    if value < 0x80 {
        return 1;
    }
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

/// What is wrong with the bytes that should hold a varint.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    Truncated,
    NotShortest,
}

/// Reads a varint at the start of `bytes`: its value and how many bytes it takes.
#[inline]
pub(crate) fn read(bytes: &[u8]) -> Result<(u64, usize), Malformed> {
    match bytes.first() {
        Some(&byte) if byte < 0x80 => Ok((u64::from(byte), 1)),
        _ => read_long(bytes),
    }
}

/// Reads a varint of at most three bytes, if that is what stands at the start of `bytes`.
#[inline(always)]
pub(crate) fn read_short(bytes: &[u8]) -> Option<(u64, usize)> {
    let (&a, rest) = bytes.split_first()?;
    if a < 0x80 {
        return Some((u64::from(a), 1));
    }
    let (&b, rest) = rest.split_first()?;
    let low = u64::from(a & 0x7F) | u64::from(b & 0x7F) << 7;
    if b < 0x80 {
        return (b > 0).then_some((low, 2));
    }
    let &c = rest.first()?;
    (1..0x80).contains(&c).then_some((low | u64::from(c) << 14, 3))
}

fn read_long(bytes: &[u8]) -> Result<(u64, usize), Malformed> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(MAX_LEN).enumerate() {
        let low = u64::from(byte & 0x7F);
        // The tenth byte holds the one bit that is left of 64.
        if i == MAX_LEN - 1 && byte > 1 {
            return Err(Malformed::NotShortest);
        }
        value |= low << (7 * i);
        if byte < 0x80 {
            return if byte == 0 && i > 0 { Err(Malformed::NotShortest) } else { Ok((value, i + 1)) };
        }
    }
    Err(if bytes.len() >= MAX_LEN { Malformed::NotShortest } else { Malformed::Truncated })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_goes_both_ways() {
        for bits in 0..64 {
            for value in [1u64 << bits, (1u64 << bits) - 1, u64::MAX >> (63 - bits)] {
                let mut out = Vec::new();
                write(&mut out, value);
                assert_eq!(out.len(), len(value));
                assert_eq!(read(&out), Ok((value, out.len())));
            }
        }
    }

    #[test]
    fn short_ones_are_read_alike() {
        for value in (0..5000).chain([(1 << 14) - 1, 1 << 14, 99_999, (1 << 21) - 1, 1 << 21, u64::MAX]) {
            let mut out = Vec::new();
            write(&mut out, value);
            assert_eq!(read_short(&out), (out.len() <= 3).then_some((value, out.len())), "{value}");
            assert_eq!(read_short(&out[..out.len() - 1]), None);
        }
        assert_eq!(read_short(&[0x80, 0x00]), None);
        assert_eq!(read_short(&[0x80, 0x80, 0x00]), None);
    }

    #[test]
    fn only_the_shortest_form_is_read() {
        assert_eq!(read(&[0x80, 0x00]), Err(Malformed::NotShortest));
        assert_eq!(read(&[0xFF; 11]), Err(Malformed::NotShortest));
        assert_eq!(read(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]), Err(Malformed::NotShortest));
        assert_eq!(read(&[0xFF; 9]), Err(Malformed::Truncated));
        assert_eq!(read(&[]), Err(Malformed::Truncated));
    }
}
