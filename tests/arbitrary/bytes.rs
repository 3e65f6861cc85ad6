//! A recipe from raw bytes: what a fuzzer mutates, and what a property test draws.
//!
//! Every sequence of bytes is a recipe. Where the bytes are at an end, zeros follow.

use marshal::{ElementKind, ErrorConstructor};

use super::recipe::{Class, Key, Op, Pick, Properties, Recipe, Text};

/// More operations than this would only make a test slow.
const MAX_OPS: usize = 400;

/// Texts that a codec may stumble over.
const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "name",
    "__proto__",
    "constructor",
    "toJSON",
    "then",
    "length",
    "0",
    "1",
    "7",
    "10",
    "4294967294",
    "4294967295",
    "01",
    "-0",
    "1.5",
    "é",
    "\u{2028}",
    "\0",
    "\"\\",
    "[/",
    "a/b",
    "😀",
    "message",
    "cause",
];

const NUMBERS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    63.0,
    64.0,
    127.0,
    128.0,
    255.0,
    256.0,
    -128.0,
    -129.0,
    32767.0,
    32768.0,
    -32768.0,
    -32769.0,
    65535.0,
    65536.0,
    2147483647.0,
    2147483648.0,
    -2147483648.0,
    -2147483649.0,
    4294967295.0,
    4294967296.0,
    0.5,
    0.1,
    16777217.0,
    9007199254740991.0,
    9007199254740993.0,
    -9007199254740991.0,
    1e300,
    5e-324,
    3.4028234663852886e38,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    8.64e15,
    8.640000000000001e15,
];

impl Recipe {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Recipe {
        let mut source = Source { bytes };
        let all = source.byte() % 4 != 0;
        let mut ops = Vec::new();
        while !source.bytes.is_empty() && ops.len() < MAX_OPS {
            ops.push(source.op());
        }
        Recipe { ops, all }
    }
}

struct Source<'b> {
    bytes: &'b [u8],
}

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        self.bytes.split_off_first().copied().unwrap_or(0)
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn u32(&mut self) -> u32 {
        u32::from(self.u16()) | u32::from(self.u16()) << 16
    }

    fn u64(&mut self) -> u64 {
        u64::from(self.u32()) | u64::from(self.u32()) << 32
    }

    /// A small number mostly, around a boundary now and then.
    fn length(&mut self) -> u32 {
        match self.byte() {
            254 => u32::MAX,
            255 => self.u32(),
            n => u32::from(n),
        }
    }

    fn pick(&mut self) -> Pick {
        Pick::from(self.byte())
    }

    /// Few mostly, more than a boundary now and then.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let n = match self.byte() {
            n @ 0..128 => n % 6,
            n @ 128..250 => n % 12,
            n => 29 + n % 6,
        };
        (0..n).map(|_| item(self)).collect()
    }

    fn text(&mut self) -> Text {
        match self.byte() {
            n @ 0..180 => TEXTS[usize::from(n) % TEXTS.len()].encode_utf16().collect(),
            // Around the length that a short tag holds, of one and of two bytes a character.
            n @ 180..190 => vec![0x61; 60 + usize::from(n % 10)],
            n @ 190..200 => vec![0xE9; 28 + usize::from(n % 10)],
            200..210 => vec![0x78; 300],
            210..220 => vec![0xD800],
            220..230 => vec![0x61, 0xDC00, 0x62],
            _ => self.list(|source| if source.byte() % 2 == 0 { u16::from(source.byte()) } else { source.u16() }),
        }
    }

    fn number(&mut self) -> f64 {
        match self.byte() {
            n @ 0..160 => NUMBERS[usize::from(n) % NUMBERS.len()],
            160..190 => f64::from(self.byte()),
            190..210 => f64::from(self.u16() as i16),
            210..230 => f64::from(self.u32() as i32),
            230..240 => f64::from(f32::from_bits(self.u32())),
            _ => f64::from_bits(self.u64()),
        }
    }

    fn numbers(&mut self) -> Vec<f64> {
        let alike = self.byte();
        let n = 5 + alike % 8 + if alike > 250 { 100 } else { 0 };
        let first = self.number();
        (0..n).map(|i| if alike % 3 == 0 || i % 4 == 1 { self.number() } else { first }).collect()
    }

    fn raw(&mut self) -> Vec<u8> {
        let n = self.byte() % 40;
        (0..n).map(|_| self.byte()).collect()
    }

    fn key(&mut self) -> Key {
        match self.byte() {
            n @ 200.. => Key::Symbol(n),
            _ => Key::Text(self.text()),
        }
    }

    fn properties(&mut self) -> Properties {
        self.list(|source| (source.key(), source.pick()))
    }

    fn class(&mut self) -> Class {
        let name = self.text();
        let version = match self.byte() {
            255 => u32::MAX,
            n => u32::from(n % 3),
        };
        Class { name, version }
    }

    fn kind(&mut self) -> ElementKind {
        ElementKind::ALL[usize::from(self.byte()) % ElementKind::ALL.len()]
    }

    fn base(&mut self) -> Op {
        match self.byte() % 12 {
            0 => Op::Array(self.list(Self::pick)),
            1 => Op::Packed(self.kind(), self.numbers()),
            2 => Op::Sparse(self.length(), self.list(|s| (s.length(), s.pick()))),
            3 => Op::Map(self.list(|s| (s.pick(), s.pick()))),
            4 => Op::Set(self.list(Self::pick)),
            5 => Op::Date(self.number()),
            6 => Op::RegExp(self.text(), self.byte(), u64::from(self.byte())),
            7 => Op::Boxed(self.pick()),
            8 => Op::Buffer(self.raw(), None),
            9 => Op::TypedArray(self.kind(), self.raw()),
            10 => Op::View(self.kind(), self.pick(), self.u16(), Some(self.u16())),
            _ => Op::Error(ErrorConstructor::RangeError, Vec::new()),
        }
    }

    fn op(&mut self) -> Op {
        match self.byte() % 48 {
            0 => Op::Undefined,
            1 => Op::Null,
            2 => Op::Bool(self.byte() % 2 == 0),
            3 | 4 => Op::Number(self.number()),
            5 => Op::BigInt(self.byte() % 2 == 0, self.raw()),
            6 | 7 => Op::Text(self.text()),
            8 => Op::Symbol(self.byte()),
            9 | 10 => Op::Array(self.list(Self::pick)),
            11 | 12 => Op::Packed(self.kind(), self.numbers()),
            13 => Op::Sparse(self.length(), self.list(|s| (s.length(), s.pick()))),
            14..=16 => Op::Object(self.properties()),
            17 => Op::NullObject(self.properties()),
            18 => Op::Wide(if self.byte() < 200 { 3 } else { 250 + u16::from(self.byte() % 12) }, self.pick()),
            19 => Op::Instance(self.class(), self.properties()),
            20 => {
                let constructor = ErrorConstructor::ALL[usize::from(self.byte()) % ErrorConstructor::ALL.len()];
                Op::Error(constructor, self.properties())
            }
            21 | 22 => Op::Derived(Box::new(self.base()), self.class(), self.properties()),
            23 => Op::Custom(self.class(), self.pick()),
            24 => Op::Map(self.list(|s| (s.pick(), s.pick()))),
            25 => Op::Set(self.list(Self::pick)),
            26 => Op::Date(self.number()),
            27 => {
                let last_index = if self.byte() < 250 { 0 } else { (1 << 53) - 1 };
                Op::RegExp(self.text(), self.byte(), last_index)
            }
            28 => Op::Boxed(self.pick()),
            29 => Op::Buffer(self.raw(), None),
            30 => Op::Buffer(self.raw(), Some(if self.byte() < 250 { 40 } else { self.u64() })),
            31 => Op::TypedArray(self.kind(), self.raw()),
            32 | 33 => Op::View(self.kind(), self.pick(), self.u16(), (self.byte() < 128).then(|| self.u16())),
            34 => Op::Chain(if self.byte() < 240 { 3 } else { self.u16() % 3000 }, self.pick()),
            35 | 36 => Op::SetProperty(self.pick(), self.key(), self.pick()),
            37 => Op::Remove(self.pick(), self.key()),
            38 => Op::SetAt(self.pick(), self.length(), self.pick()),
            39 | 40 => Op::Push(self.pick(), self.pick()),
            41 => Op::SetLength(self.pick(), self.length()),
            42 => Op::MapSet(self.pick(), self.pick(), self.pick()),
            43 => Op::MapDelete(self.pick(), self.pick()),
            44 => Op::SetAdd(self.pick(), self.pick()),
            45 => Op::SetDelete(self.pick(), self.pick()),
            46 => Op::SetDate(self.pick(), self.number()),
            _ => Op::Write(self.pick(), self.u16(), self.byte()),
        }
    }
}
