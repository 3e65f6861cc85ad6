//! Archives of the original library, forged byte by byte.

/// An archive around the bytes of a root.
pub(crate) fn forge(root: &[u8], dynamic_numbers: bool, entries: &[(&str, u32)]) -> Vec<u8> {
    let mut bytes = (100 + root.len() as u32).to_le_bytes().to_vec();
    bytes.extend([18, 7, 0, 0, 0]);
    bytes.extend(text("v"));
    bytes.extend(text("0.2.0"));
    for name in ["be", "re", "hs", "hn", "aa", "dn"] {
        bytes.extend(text(name));
        bytes.push(if name == "dn" && dynamic_numbers { 13 } else { 14 });
    }
    assert_eq!(bytes.len(), 73);
    // A writer that was given a buffer left what stood there.
    bytes.resize(100, 0xA5);
    bytes.extend(root);
    bytes.push(20);
    bytes.extend((entries.len() as u32).to_le_bytes());
    for (name, target) in entries {
        bytes.extend(text(name));
        bytes.push(5);
        bytes.extend(target.to_le_bytes());
    }
    bytes
}

pub(crate) fn text(text: &str) -> Vec<u8> {
    tagged(1, text.len() as u32, text.as_bytes())
}

/// A tag, a count, what follows.
pub(crate) fn tagged(tag: u8, count: u32, rest: &[u8]) -> Vec<u8> {
    [&[tag], &count.to_le_bytes()[..], rest].concat()
}
