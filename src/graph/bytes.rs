//! Raw payloads: buffers, packed numbers, code units, BigInt magnitudes.

use std::borrow::Cow;

use crate::wire::ElementKind;

/// Payloads in the graph's own memory start at a multiple of this.
const ALIGN: usize = 8;

/// Bytes that are borrowed from a message, followed by bytes of the graph's own. Positions count through both; the
/// own part begins at a multiple of 8, so a payload that is aligned in a message is aligned here.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByteStore<'a> {
    base: &'a [u8],
    /// Words rather than bytes, so that it is aligned.
    own: Vec<u64>,
    own_len: usize,
}

impl<'a> ByteStore<'a> {
    pub(crate) fn borrowing(base: &'a [u8]) -> Self {
        ByteStore { base, own: Vec::new(), own_len: 0 }
    }

    /// Where the graph's own bytes begin.
    fn border(&self) -> usize {
        self.base.len().next_multiple_of(ALIGN)
    }

    fn own_bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.own)[..self.own_len]
    }

    /// The bytes from `at`, `len` of them. Empty for a position that is not of this store.
    #[inline]
    pub(crate) fn get(&self, at: u64, len: u64) -> &[u8] {
        let (at, len) = (at as usize, len as usize);
        let Some(end) = at.checked_add(len) else { return &[] };
        match at.checked_sub(self.border()) {
            None => self.base.get(at..end).unwrap_or_default(),
            Some(own) => self.own_bytes().get(own..own + len).unwrap_or_default(),
        }
    }

    pub(crate) fn len(&self) -> u64 {
        (self.border() + self.own_len) as u64
    }

    /// Copies `bytes` into the store, aligned to 8 if `aligned`.
    pub(crate) fn push(&mut self, bytes: &[u8], aligned: bool) -> u64 {
        let start = if aligned { self.own_len.next_multiple_of(ALIGN) } else { self.own_len };
        self.own_len = start + bytes.len();
        self.own.resize(self.own_len.div_ceil(ALIGN), 0);
        bytemuck::cast_slice_mut::<u64, u8>(&mut self.own)[start..self.own_len].copy_from_slice(bytes);
        (self.border() + start) as u64
    }

    /// The bytes at `at` for writing; borrowed ones are copied first, so the position may change.
    pub(crate) fn make_mut(&mut self, at: &mut u64, len: u64) -> &mut [u8] {
        let border = self.border();
        if (*at as usize) < border {
            let copy = self.get(*at, len).to_vec();
            *at = self.push(&copy, true);
        }
        let start = *at as usize - border;
        &mut bytemuck::cast_slice_mut::<u64, u8>(&mut self.own)[start..start + len as usize]
    }

    pub(crate) fn into_owned(self) -> ByteStore<'static> {
        if self.base.is_empty() {
            return ByteStore { base: &[], own: self.own, own_len: self.own_len };
        }
        let border = self.border();
        let mut own = vec![0u64; border / ALIGN + self.own.len()];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut own);
        bytes[..self.base.len()].copy_from_slice(self.base);
        bytes[border..border + self.own_len].copy_from_slice(self.own_bytes());
        ByteStore { base: &[], own, own_len: border + self.own_len }
    }
}

/// A number as it stands in a payload: little-endian, no padding, any bits.
pub trait Element: sealed::Element {}

mod sealed {
    use crate::wire::ElementKind;

    pub trait Element: bytemuck::NoUninit + bytemuck::AnyBitPattern {
        const KIND: ElementKind;

        /// Turns what was read as native-endian memory into the number, if the machine is big-endian.
        fn swap_le(self) -> Self;
    }
}

macro_rules! elements {
    ($($number:ty, $kind:ident, $from_le:expr;)*) => {
        $(impl sealed::Element for $number {
            const KIND: ElementKind = ElementKind::$kind;

            #[inline(always)]
            fn swap_le(self) -> Self {
                let swap: fn(Self) -> Self = $from_le;
                swap(self)
            }
        }
        impl Element for $number {})*
    };
}

elements! {
    i8, Int8, i8::from_le;
    u8, Uint8, u8::from_le;
    i16, Int16, i16::from_le;
    u16, Uint16, u16::from_le;
    i32, Int32, i32::from_le;
    u32, Uint32, u32::from_le;
    i64, BigInt64, i64::from_le;
    u64, BigUint64, u64::from_le;
    f32, Float32, |n| f32::from_bits(u32::from_le(n.to_bits()));
    f64, Float64, |n| f64::from_bits(u64::from_le(n.to_bits()));
}

/// `bytes` as numbers: lent where they are aligned, copied where they are not. An incomplete last element is left out.
pub(crate) fn numbers<T: Element>(bytes: &[u8]) -> Cow<'_, [T]> {
    let whole = &bytes[..bytes.len() - bytes.len() % size_of::<T>()];
    match bytemuck::try_cast_slice::<u8, T>(whole) {
        Ok(lent) if cfg!(target_endian = "little") => Cow::Borrowed(lent),
        _ => whole.chunks_exact(size_of::<T>()).map(|n| bytemuck::pod_read_unaligned::<T>(n).swap_le()).collect(),
    }
}

/// The number that the first bytes are, of which there are enough.
#[inline(always)]
pub(crate) fn read<T: Element>(bytes: &[u8]) -> T {
    bytemuck::pod_read_unaligned::<T>(bytes).swap_le()
}

/// The little-endian bytes of `numbers`.
pub(crate) fn bytes_of<T: Element>(numbers: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(numbers));
    }
    let swapped: Vec<T> = numbers.iter().map(|n| n.swap_le()).collect();
    Cow::Owned(bytemuck::cast_slice(&swapped).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_lent_where_aligned_and_copied_where_not() {
        let words = [0x3FF0_0000_0000_0000u64, 0x4000_0000_0000_0000];
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        assert!(matches!(numbers::<f64>(bytes), Cow::Borrowed([1.0, 2.0])));
        let mut shifted = vec![0u64; 3];
        let shifted: &mut [u8] = bytemuck::cast_slice_mut(&mut shifted);
        shifted[1..17].copy_from_slice(bytes);
        assert!(matches!(&numbers::<f64>(&shifted[1..17]), Cow::Owned(n) if n[..] == [1.0, 2.0]));
    }

    #[test]
    fn positions_stay_when_the_borrowed_part_becomes_owned() {
        let mut store = ByteStore::borrowing(&[1, 2, 3]);
        let at = store.push(&[4, 5], true);
        assert_eq!(at, 8);
        let owned = store.clone().into_owned();
        for store in [&store, &owned] {
            assert_eq!((store.get(1, 2), store.get(at, 2), store.get(90, 1)), (&[2, 3][..], &[4, 5][..], &[][..]));
        }
    }

    #[test]
    fn writing_copies_what_is_borrowed() {
        let base = [1, 2, 3];
        let mut store = ByteStore::borrowing(&base);
        let mut at = 1;
        store.make_mut(&mut at, 2)[0] = 9;
        assert_eq!((store.get(at, 2), base), (&[9, 3][..], [1, 2, 3]));
    }
}
