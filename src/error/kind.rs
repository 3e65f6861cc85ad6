//! The kinds of error, with the names that `spec/format.md` gives them.

use std::fmt;

/// Makes the enum, the list of all kinds, their names and their explanations from one table.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal $explain:literal,)*) => {
        /// What was wrong. The names that [`as_str`](ErrorKind::as_str) gives are those of `spec/format.md`, section 11.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $(#[doc = $explain] $(#[$doc])* $variant,)*
        }

        impl ErrorKind {
            /// Every kind, in the order of the specification's table.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$variant,)*];

            /// The kind's name in the specification, as in `length-out-of-bounds`.
            pub fn as_str(self) -> &'static str {
                match self { $(ErrorKind::$variant => $name,)* }
            }

            /// What the kind means and, where there is something, what to do.
            pub(crate) fn explain(self) -> &'static str {
                match self { $(ErrorKind::$variant => $explain,)* }
            }
        }
    };
}

kinds! {
    BadMagic "bad-magic" "not a Marshal message: it does not begin with D7 4D",
    UnsupportedVersion "unsupported-version" "made by a newer version of the format; update the reader",
    UnsupportedFlags "unsupported-flags" "a flag is set that this version does not know; update the reader",
    Truncated "truncated" "the input ends inside an item",
    BadVarint "bad-varint" "a varint is not in its shortest form, or over 64 bits",
    EmptySection "empty-section" "a section is announced and has no bytes",
    TrailingBytes "trailing-bytes" "bytes follow the message; decode_prefix reads a message in front of others",
    UnusedBytes "unused-bytes" "a section holds more than the values use",
    BadPadding "bad-padding" "a padding byte is not zero",
    InvalidUtf8 "invalid-utf8" "the text is not UTF-8",
    SplitCharacter "split-character" "a string ends inside a character",
    BadTag "bad-tag" "no value has this tag",
    BadKind "bad-kind" "an unknown kind byte",
    LengthOutOfBounds "length-out-of-bounds" "a count or length goes beyond the bytes that remain",
    UnknownShape "unknown-shape" "no shape has this index",
    UnknownSymbol "unknown-symbol" "no symbol has this index or well-known name",
    UnknownString "unknown-string" "no interned string has this id",
    BadReference "bad-reference" "the identity is not taken yet, is that of a base value, or the message has no references",
    WrongType "wrong-type" "a value of a type that cannot stand here",
    BadKey "bad-key" "not a key of its own: length or an array index on an array, or -0 in a Map or Set",
    KeyOrder "key-order" "keys are not in the order array indices, strings, symbols",
    DuplicateKey "duplicate-key" "a key or entry stands twice",
    DuplicateShape "duplicate-shape" "two shapes are equal",
    DuplicateSymbol "duplicate-symbol" "a registered or well-known symbol stands twice",
    BadBigInt "bad-bigint" "the magnitude has a leading zero byte, or is a negative zero",
    BadDate "bad-date" "a time value is NaN or an integer of at most 8.64e15 milliseconds",
    BadRegExp "bad-regexp" "flags u and v together, a source that can't stand between slashes, or a lastIndex over 2^53-1",
    BadArray "bad-array" "an element at or beyond the array's length, or a length over 2^32-1",
    BadBuffer "bad-buffer" "a resizable buffer is longer than its maximum, or the maximum is over 2^53-1",
    BadView "bad-view" "a view is misaligned, goes beyond its buffer, or tracks the length of a fixed buffer",
    BadClass "bad-class" "a class name is empty or a version is over 2^32-1",
    BadIndex "bad-index" "the index section is malformed, or points at what cannot be there",
    LimitExceeded "limit-exceeded" "over a bound that the options set",
    /// Encoding and building: the base value of a derived instance is referred to from elsewhere.
    SharedBase "shared-base" "the base value of a derived instance is used elsewhere; with its instance it is one object",
    /// Building and changing: a handle from another graph.
    UnknownValue "unknown-value" "the value is not of this graph; import it with Graph::import",
    /// Classes: a message names one that is not registered, or a newer version of one that is.
    UnknownClass "unknown-class" "no class is registered under this name and version; register it with Classes::with",
    /// Classes: registering.
    DuplicateClass "duplicate-class" "two classes have one name",
    /// Classes: a field without a default is not in the message.
    MissingField "missing-field" "a field of the class is not in the message; give it a default, or a previous version",
    /// Classes: only where it is asked for.
    UnknownField "unknown-field" "the class does not have this field",
    /// Classes: an `Rc` or `Arc` can't point at what is being restored; a `Shared` can.
    CyclicValue "cyclic-value" "a cycle through a pointer that can't close one; hold it through Shared",
    /// Classes: a hook or a transformer says no.
    Refused "refused" "the class refuses to be restored like this",
    /// Classes: a value can't be read at the moment.
    Borrowed "borrowed" "a RefCell is borrowed mutably, or a lock is poisoned",
    /// Reading of another format (JSON, the original library's archives).
    BadSyntax "bad-syntax" "the input is not well-formed",
    /// Compressed bytes, or a compression that can't be done.
    BadCompression "bad-compression" "compressed bytes are damaged, cut off or of an unknown format",
    /// Reading a part: there is no such property, element or entry.
    NotFound "not-found" "there is no such property, element or entry",
    /// Snapshots: the container, not the message in it.
    BadSnapshot "bad-snapshot" "the snapshot's header says what cannot be",
    /// Snapshots: a checksum does not match, so some bytes are not those that were saved.
    Damaged "damaged" "a checksum does not match: the bytes are not those that were saved",
    /// The operating system refused a step; the error names it.
    Io "io" "the operating system refused a step",
    /// Snapshots: the file is in its place, but a power cut may still undo that.
    NotDurable "not-durable" "the snapshot is in place, but its directory could not be synced",
    /// Snapshots in an object store: what stands there is not the version that was named.
    Changed "changed" "somebody else saved in between; read it again",
    /// Writing of another format that can't hold the value.
    Unrepresentable "unrepresentable" "the target format can't hold this value; choose another form in the options",
    /// Reading into a Rust type, or writing from one.
    Rejected "rejected" "the Rust type does not take this value",
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
