//! Numbers: how they print, which are time values, and how arrays of them are packed.

use super::bytes::{Element, numbers};
use crate::wire::ElementKind;

/// Whether `ms` can be the time value of a Date: NaN, or what ECMA-262's TimeClip gives.
pub(crate) fn is_time_value(ms: f64) -> bool {
    ms.is_nan() || (ms.abs() <= 8.64e15 && ms.trunc() == ms && !(ms == 0.0 && ms.is_sign_negative()))
}

/// How many bytes an integer takes with a tag of its own (`spec/format.md`, section 9, rule 3).
#[inline]
fn tagged_integer_len(n: i64) -> usize {
    let outside = |low: i64, high: i64| usize::from(n < low || n > high);
    1 + outside(0, 63) + outside(-128, 255) + 2 * outside(-32768, 65535)
}

/// The number as an integer, if it has an integer form: in range and not −0.
#[inline]
pub(crate) fn as_integer(number: f64) -> Option<i64> {
    let n = number as i64;
    let exact = n as f64 == number && (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&n);
    (exact && (n != 0 || number.is_sign_positive())).then_some(n)
}

/// Whether a 32-bit float holds the number exactly. NaN counts: there is only one.
#[inline]
pub(crate) fn is_f32(number: f64) -> bool {
    f64::from(number as f32) == number || number.is_nan()
}

/// What has been seen of a run of numbers, as far as it decides how they are packed.
struct Survey {
    all_integer: bool,
    all_f32: bool,
    min: i64,
    max: i64,
    tagged: usize,
}

/// Numbers are looked at in blocks of this many; between blocks the survey may stop early.
const BLOCK: usize = 1024;

/// The kind that a canonical writer packs these `n` numbers as, if it packs them (`spec/format.md`, section 9, rule 6).
pub(crate) fn packed_kind(n: usize, mut numbers: impl Iterator<Item = f64>) -> Option<ElementKind> {
    if n < MIN_PACKED {
        return None;
    }
    let mut survey = Survey { all_integer: true, all_f32: true, min: i64::MAX, max: i64::MIN, tagged: 0 };
    for number in numbers.by_ref() {
        match as_integer(number) {
            Some(i) => {
                survey.min = survey.min.min(i);
                survey.max = survey.max.max(i);
                survey.tagged += tagged_integer_len(i);
                survey.all_f32 &= is_f32(number);
            }
            None => {
                survey.all_integer = false;
                let short = is_f32(number);
                survey.all_f32 &= short;
                survey.tagged += if short { 5 } else { 9 };
            }
        }
        // Doubles are the widest kind: once they are needed and pay off, nothing that follows changes it.
        if !survey.all_integer && !survey.all_f32 && survey.tagged >= n * 8 {
            return Some(ElementKind::Float64);
        }
    }
    survey.kind(n)
}

/// Arrays of fewer elements are not packed.
pub(crate) const MIN_PACKED: usize = 8;

impl Survey {
    fn kind(&self, n: usize) -> Option<ElementKind> {
        let integer = if self.all_integer { integer_kind(self.min, self.max) } else { None };
        let float = if self.all_f32 { ElementKind::Float32 } else { ElementKind::Float64 };
        let kind = integer.unwrap_or(float);
        (n * kind.size() <= self.tagged).then_some(kind)
    }
}

/// The first kind, in the order of rule 6, that holds all integers from `min` to `max`.
fn integer_kind(min: i64, max: i64) -> Option<ElementKind> {
    const KINDS: [(ElementKind, i64, i64); 6] = [
        (ElementKind::Int8, i8::MIN as i64, i8::MAX as i64),
        (ElementKind::Uint8, 0, u8::MAX as i64),
        (ElementKind::Int16, i16::MIN as i64, i16::MAX as i64),
        (ElementKind::Uint16, 0, u16::MAX as i64),
        (ElementKind::Int32, i32::MIN as i64, i32::MAX as i64),
        (ElementKind::Uint32, 0, u32::MAX as i64),
    ];
    KINDS.into_iter().find(|&(_, low, high)| low <= min && max <= high).map(|(kind, ..)| kind)
}

/// Whether `bytes`, already packed as `kind`, are what a canonical writer would write for these numbers.
pub(crate) fn is_canonical_packing(kind: ElementKind, bytes: &[u8]) -> bool {
    /// Integers of one width, of which `survey` gives the least, the greatest, and the sum of the tagged sizes.
    fn integers<T: Element>(kind: ElementKind, bytes: &[u8], survey: impl Fn(&[T]) -> (i64, i64, u32)) -> bool {
        let (mut min, mut max, mut tagged) = (i64::MAX, i64::MIN, 0);
        for block in numbers::<T>(bytes).chunks(BLOCK) {
            let (low, high, size) = survey(block);
            (min, max, tagged) = (min.min(low), max.max(high), tagged + size as usize);
            // No number of this width needs another kind, so what follows changes nothing.
            if tagged >= bytes.len() && integer_kind(min, max) == Some(kind) {
                return true;
            }
        }
        false
    }
    // In 32 bits and without branches, so that both become vector code.
    fn signed<T: Copy + Into<i32>>(block: &[T]) -> (i64, i64, u32) {
        let (mut min, mut max, mut tagged) = (i32::MAX, i32::MIN, 0u32);
        for &n in block {
            let n: i32 = n.into();
            // n lies outside low..=high.
            let outside = |low: i32, high: i32| u32::from(n.wrapping_sub(low) as u32 > (high - low) as u32);
            (min, max) = (min.min(n), max.max(n));
            tagged += 1 + outside(0, 63) + outside(-128, 255) + 2 * outside(-32768, 65535);
        }
        (i64::from(min), i64::from(max), tagged)
    }
    /// Whether the integers beyond 16 bits alone make the payload pay off; one of them shows that the kind is needed. Costs
    /// a fifth of the survey, which finds out what this leaves open.
    fn is_wide(bytes: &[u8]) -> bool {
        let mut tagged = 0;
        for block in numbers::<i32>(bytes).chunks(BLOCK) {
            let wide: u32 = block.iter().map(|&n| u32::from(n.wrapping_add(1 << 15) as u32 >= 3 << 15)).sum();
            tagged += block.len() + 4 * wide as usize;
            if wide == 0 || tagged >= bytes.len() {
                return wide > 0;
            }
        }
        false
    }
    fn unsigned(block: &[u32]) -> (i64, i64, u32) {
        let (mut min, mut max, mut tagged) = (u32::MAX, 0, 0);
        for &n in block {
            (min, max) = (min.min(n), max.max(n));
            tagged += 1 + u32::from(n > 63) + u32::from(n > 255) + 2 * u32::from(n > 65535);
        }
        (i64::from(min), i64::from(max), tagged)
    }
    if bytes.len() / kind.size() < MIN_PACKED {
        return false;
    }
    match kind {
        ElementKind::Int8 => integers(kind, bytes, signed::<i8>),
        ElementKind::Uint8 => integers(kind, bytes, signed::<u8>),
        ElementKind::Int16 => integers(kind, bytes, signed::<i16>),
        ElementKind::Uint16 => integers(kind, bytes, signed::<u16>),
        ElementKind::Int32 => is_wide(bytes) || integers(kind, bytes, signed::<i32>),
        ElementKind::Uint32 => integers(kind, bytes, unsigned),
        ElementKind::Float32 => {
            let numbers = numbers::<f32>(bytes);
            let one_nan = |n: &f32| !n.is_nan() || n.to_bits() == f32::NAN.to_bits();
            numbers.iter().all(one_nan)
                && packed_kind(numbers.len(), numbers.iter().map(|&n| f64::from(n))) == Some(kind)
        }
        ElementKind::Float64 => {
            let numbers = numbers::<f64>(bytes);
            let one_nan = |n: &f64| !n.is_nan() || n.to_bits() == f64::NAN.to_bits();
            numbers.iter().all(one_nan) && packed_kind(numbers.len(), numbers.iter().copied()) == Some(kind)
        }
        _ => false,
    }
}

/// Element `index` of `bytes` as a Number. `None` beyond the end and for the kinds that hold BigInts or nothing.
pub(crate) fn element(kind: ElementKind, bytes: &[u8], index: usize) -> Option<f64> {
    let size = kind.size();
    let bytes = bytes.get(index.checked_mul(size)?..)?.get(..size)?;
    use byteorder::{ByteOrder, LittleEndian as Le};
    Some(match kind {
        ElementKind::Int8 => f64::from(bytes[0] as i8),
        ElementKind::Uint8 | ElementKind::Uint8Clamped => f64::from(bytes[0]),
        ElementKind::Int16 => f64::from(Le::read_i16(bytes)),
        ElementKind::Uint16 => f64::from(Le::read_u16(bytes)),
        ElementKind::Int32 => f64::from(Le::read_i32(bytes)),
        ElementKind::Uint32 => f64::from(Le::read_u32(bytes)),
        ElementKind::Float16 => half::f16::from_le_bytes([bytes[0], bytes[1]]).to_f64(),
        ElementKind::Float32 => f64::from(Le::read_f32(bytes)),
        ElementKind::Float64 => Le::read_f64(bytes),
        ElementKind::BigInt64 | ElementKind::BigUint64 | ElementKind::DataView => return None,
    })
}

/// Appends `number` to `out` as `kind`, which holds it exactly.
pub(crate) fn push_element(out: &mut Vec<u8>, kind: ElementKind, number: f64) {
    match kind {
        ElementKind::Int8 => out.push(number as i8 as u8),
        ElementKind::Uint8 => out.push(number as u8),
        ElementKind::Int16 => out.extend_from_slice(&(number as i16).to_le_bytes()),
        ElementKind::Uint16 => out.extend_from_slice(&(number as u16).to_le_bytes()),
        ElementKind::Int32 => out.extend_from_slice(&(number as i32).to_le_bytes()),
        ElementKind::Uint32 => out.extend_from_slice(&(number as u32).to_le_bytes()),
        ElementKind::Float32 => {
            let number = if number.is_nan() { f32::NAN } else { number as f32 };
            out.extend_from_slice(&number.to_le_bytes());
        }
        _ => {
            let number = if number.is_nan() { f64::NAN } else { number };
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_kind_that_pays_off() {
        let kind = |numbers: &[f64]| packed_kind(numbers.len(), numbers.iter().copied());
        assert_eq!(kind(&[1.0; 7]), None);
        assert_eq!(kind(&[1.0; 8]), Some(ElementKind::Int8));
        assert_eq!(kind(&[128.0; 8]), Some(ElementKind::Uint8));
        assert_eq!(kind(&[0.5; 8]), Some(ElementKind::Float32));
        assert_eq!(kind(&[0.1; 8]), Some(ElementKind::Float64));
        assert_eq!(kind(&[-0.0; 8]), Some(ElementKind::Float32));
        assert_eq!(kind(&[f64::NAN; 8]), Some(ElementKind::Float32));
        // 99 numbers of one byte and one of five: four bytes each would not pay off.
        let mut mostly_small = [1.0; 100];
        mostly_small[99] = 1e6;
        assert_eq!(kind(&mostly_small), None);
    }

    #[test]
    fn the_shortcut_for_packed_bytes_agrees_with_the_rule() {
        for (kind, numbers) in [
            (ElementKind::Int32, vec![1.0; 9]),
            (ElementKind::Int32, vec![70_000.0; 9]),
            (ElementKind::Uint32, vec![70_000.0; 9]),
            (ElementKind::Uint32, vec![3e9; 9]),
            (ElementKind::Float32, vec![0.5; 9]),
            (ElementKind::Float64, vec![0.5; 9]),
            (ElementKind::Float64, vec![0.1; 9]),
            (ElementKind::Int16, vec![300.0; 5000]),
            (ElementKind::Uint16, vec![40_000.0; 5000]),
            (ElementKind::Uint8, vec![200.0; 5000]),
            // Four of five wide, half of them beside one byte, half beside three, which comes to four each; wide ones late.
            (ElementKind::Int32, (0..5000).map(|i| if i % 5 == 0 { 1.0 } else { -70_000.0 }).collect()),
            (ElementKind::Int32, (0..5000).map(|i| if i % 2 == 0 { 1.0 } else { 70_000.0 }).collect()),
            (ElementKind::Int32, (0..5000).map(|i| if i % 2 == 0 { 300.0 } else { 70_000.0 }).collect()),
            (ElementKind::Int32, (0..5000).map(|i| if i < 1100 { 1.0 } else { 65_536.0 }).collect()),
            (ElementKind::Int32, (0..5000).map(|i| if i < 1250 { 1.0 } else { -32_769.0 }).collect()),
            (ElementKind::Int32, (0..5000).map(|i| if i < 1251 { 1.0 } else { 65_536.0 }).collect()),
        ] {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&n| push_element(&mut bytes, kind, n));
            let rule = packed_kind(numbers.len(), numbers.iter().copied()) == Some(kind);
            assert_eq!(is_canonical_packing(kind, &bytes), rule, "{kind:?} {}", numbers[0]);
        }
    }
}
