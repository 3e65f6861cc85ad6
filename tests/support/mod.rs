//! What several tests share. Knows the library through its public API alone.
#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod archive;
pub(crate) mod js;

/// The bytes that hexadecimal digits stand for.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal digits"))
        .collect()
}
