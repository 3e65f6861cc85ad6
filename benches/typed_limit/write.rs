//! A serializer that does nothing but write the bytes: a tag for each value, text gathered in one buffer, everything copied
//! into a message at the end; no shapes, no depth, no places of errors.

use std::fmt::Display;

use serde::ser::{self, Serialize};

#[derive(Default)]
pub struct Floor {
    structure: Vec<u8>,
    text: Vec<u8>,
    data: Vec<u8>,
}

type Done = Result<(), Refused>;

/// Nothing is; but it is as large as an error.
#[derive(Debug)]
pub struct Refused(#[allow(dead_code, reason = "it is never made")] Box<u8>);

impl Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

impl ser::Error for Refused {
    fn custom<T: Display>(_: T) -> Self {
        Refused(Box::new(0))
    }
}

/// The `len` lowest bytes of `item`.
#[inline(always)]
fn put(out: &mut Vec<u8>, item: u64, len: usize) {
    let at = out.len();
    out.extend_from_slice(&item.to_le_bytes());
    out.truncate(at + len);
}

/// As long a copy as it takes, in pieces of fixed lengths.
#[inline(always)]
fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    const SHORT: usize = 64;
    let (at, len) = (out.len(), bytes.len());
    if len > SHORT || out.capacity() - at < SHORT {
        return append_long(out, bytes);
    }
    out.extend_from_slice(&[0; SHORT]);
    let room = &mut out[at..];
    match len {
        0 => {}
        1..4 => {
            room[0] = bytes[0];
            room[len / 2] = bytes[len / 2];
            room[len - 1] = bytes[len - 1];
        }
        4..8 => ends::<4>(room, bytes),
        8..16 => ends::<8>(room, bytes),
        16..32 => ends::<16>(room, bytes),
        _ => ends::<32>(room, bytes),
    }
    out.truncate(at + len);
}

#[inline(always)]
fn ends<const N: usize>(room: &mut [u8], bytes: &[u8]) {
    room[..N].copy_from_slice(&bytes[..N]);
    room[bytes.len() - N..bytes.len()].copy_from_slice(&bytes[bytes.len() - N..]);
}

#[inline(never)]
fn append_long(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len() + 64);
    bytes.chunks(2048).for_each(|block| out.extend_from_slice(block));
}

impl Floor {
    pub fn begin(&mut self) {
        self.structure.clear();
        self.text.clear();
        self.data.clear();
    }

    pub fn finish(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[0; 16]);
        [&self.structure, &self.text, &self.data].into_iter().for_each(|section| append_long(out, section));
    }

    #[inline(always)]
    fn tag(&mut self, tag: u8) -> Done {
        self.structure.push(tag);
        Ok(())
    }

    #[inline(always)]
    fn sized(&mut self, n: u64) -> Done {
        let len = 1 + usize::from(n > 63) + usize::from(n > 255) + 2 * usize::from(n > 65535);
        put(&mut self.structure, (if len == 1 { n } else { 0xC4 }) | n << 8, len);
        Ok(())
    }

    #[inline(always)]
    fn many(&mut self, n: usize) -> Result<&mut Self, Refused> {
        put(&mut self.structure, (0x80 + n as u64) | (n as u64) << 8, if n < 32 { 1 } else { 3 });
        Ok(self)
    }
}

macro_rules! compounds {
    ($($compound:ident $method:ident $($key:ty)?;)*) => {
        $(impl ser::$compound for &mut Floor {
            type Ok = ();
            type Error = Refused;

            #[inline(always)]
            fn $method<T: ?Sized + Serialize>(&mut self, $(_: $key,)? value: &T) -> Done {
                value.serialize(&mut **self)
            }

            #[inline(always)]
            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

compounds! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
    SerializeStruct serialize_field &'static str;
    SerializeStructVariant serialize_field &'static str;
}

impl ser::SerializeMap for &mut Floor {
    type Ok = ();
    type Error = Refused;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Done {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Done {
        value.serialize(&mut **self)
    }

    fn end(self) -> Done {
        Ok(())
    }
}

macro_rules! written {
    ($($method:ident($($arg:ident: $ty:ty),*) $ok:ty, |$floor:ident| $write:expr;)*) => {
        $(#[inline(always)]
        fn $method(self $(, $arg: $ty)*) -> Result<$ok, Refused> {
            let $floor = self;
            $write
        })*
    };
}

impl ser::Serializer for &mut Floor {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    written! {
        serialize_bool(v: bool) (), |floor| floor.tag(0xC2 + u8::from(v));
        serialize_i8(v: i8) (), |floor| floor.sized(v as u8 as u64);
        serialize_i16(v: i16) (), |floor| floor.sized(v as u16 as u64);
        serialize_i32(v: i32) (), |floor| floor.sized(v as u32 as u64);
        serialize_i64(v: i64) (), |floor| floor.sized(v as u32 as u64);
        serialize_u8(v: u8) (), |floor| floor.sized(v as u64);
        serialize_u16(v: u16) (), |floor| floor.sized(v as u64);
        serialize_u32(v: u32) (), |floor| floor.sized(v as u64);
        serialize_u64(v: u64) (), |floor| floor.sized(v as u32 as u64);
        serialize_f32(v: f32) (), |floor| {
            put(&mut floor.structure, 0xCA | u64::from(v.to_bits()) << 8, 5);
            Ok(())
        };
        serialize_f64(v: f64) (), |floor| floor.serialize_f32(v as f32);
        serialize_char(v: char) (), |floor| floor.sized(u64::from(u32::from(v)));
        serialize_str(v: &str) (), |floor| {
            put(&mut floor.structure, 0x40 | (v.len() as u64) << 8, if v.len() < 64 { 1 } else { 3 });
            append(&mut floor.text, v.as_bytes());
            Ok(())
        };
        serialize_bytes(v: &[u8]) (), |floor| {
            put(&mut floor.structure, 0x01DE | (v.len() as u64) << 16, 3);
            append(&mut floor.data, v);
            Ok(())
        };
        serialize_none() (), |floor| floor.tag(0xC0);
        serialize_unit() (), |floor| floor.tag(0xC0);
        serialize_unit_struct(_name: &'static str) (), |floor| floor.tag(0xC0);
        serialize_unit_variant(_name: &'static str, _n: u32, variant: &'static str) (), |floor| {
            floor.serialize_str(variant)
        };
        serialize_seq(n: Option<usize>) Self, |floor| floor.many(n.unwrap_or(0));
        serialize_tuple(n: usize) Self, |floor| floor.many(n);
        serialize_tuple_struct(_name: &'static str, n: usize) Self, |floor| floor.many(n);
        serialize_tuple_variant(_name: &'static str, _n: u32, _variant: &'static str, n: usize) Self, |floor| {
            floor.tag(0xA1)?;
            floor.many(n)
        };
        serialize_map(n: Option<usize>) Self, |floor| floor.many(n.unwrap_or(0));
        serialize_struct(_name: &'static str, _n: usize) Self, |floor| {
            floor.tag(0xA0)?;
            Ok(floor)
        };
        serialize_struct_variant(_name: &'static str, _n: u32, _variant: &'static str, _len: usize) Self, |floor| {
            floor.tag(0xA1)?;
            floor.tag(0xA0)?;
            Ok(floor)
        };
    }

    #[inline(always)]
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Done {
        value.serialize(self)
    }

    #[inline(always)]
    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    #[inline(always)]
    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Done {
        self.tag(0xA1)?;
        value.serialize(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}
