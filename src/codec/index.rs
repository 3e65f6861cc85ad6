//! Adding an index to a message: from its bytes alone, so that every encoder can have one.

use super::decode::decode;
use super::encode::encode_into;
use super::options::{DecodeOptions, EncodeOptions};
use super::scan::{Head, Scan, ViewBuffer};
use super::shapes::read_shapes;
use crate::error::{Error, ErrorKind, Fault};
use crate::graph::{ShapeKind, Shapes};
use crate::wire::header::DATA_ALIGN;
use crate::wire::index::{Index, Position, Tables};
use crate::wire::{Header, Sections};

/// Places of children are noted so far apart, in bytes of structure: what reading one value reads over at most, but for
/// the value's siblings that are themselves as long.
const SPACING: u64 = 1 << 12;

/// The message, which has another encoder than the graph's, as the options want it.
pub(crate) fn as_asked(mut message: Vec<u8>, options: &EncodeOptions) -> Result<Vec<u8>, Error> {
    if let Some((name, _)) = options.entries.first() {
        let detail = format!("entry {name:?} is a value of a graph; Lazy::with_index names parts of any message");
        return Err(Error::new(ErrorKind::UnknownValue, detail));
    }
    if options.intern_strings {
        let graph = decode(&message, &DecodeOptions::new())?;
        let mut again = Vec::new();
        encode_into(&graph, options, &mut again)?;
        return Ok(again);
    }
    if message.len() as u64 > options.max_bytes.unwrap_or(u64::MAX) {
        return Err(Error::new(ErrorKind::LimitExceeded, format!("the message takes {} bytes", message.len())));
    }
    if options.index {
        add_index(&mut message, 0, Vec::new())?;
    }
    Ok(message)
}

/// Gives the message from `start` on an index, in place of any that it has. `entries`: names and identities.
///
/// Costs one pass over the structure, two where there are references. The sections are moved where they are: a second
/// buffer of that size would cost more than all else.
pub(crate) fn add_index(out: &mut Vec<u8>, start: usize, entries: Vec<(String, u64)>) -> Result<(), Error> {
    let sections = Sections::read(&out[start..])?;
    let index = index_of(&sections, entries)?;
    let header = Header {
        refs: sections.refs,
        structure: sections.structure.remaining(),
        shapes: sections.shapes.remaining(),
        text: sections.text.len(),
        data: sections.data.len(),
    };
    let body_at = sections.structure.offset() - header.shapes;
    let body = body_at..body_at + header.shapes + header.structure + header.text;
    let data = sections.data_at..sections.data_at + header.data;

    let mut head = Vec::with_capacity(32);
    header.write_indexed(index.len(), &mut head);
    let body_end = head.len() + body.len();
    let data_at = if data.is_empty() { body_end } else { body_end.next_multiple_of(DATA_ALIGN) };
    let index_at = (data_at + data.len()).next_multiple_of(DATA_ALIGN);
    let len = out.len() - start;
    out.resize(start + len.max(index_at + index.len()), 0);
    let message = &mut out[start..];
    // Neither section over the other before that one has moved.
    if head.len() >= body.start {
        message.copy_within(data.clone(), data_at);
        message.copy_within(body, head.len());
    } else {
        message.copy_within(body, head.len());
        message.copy_within(data.clone(), data_at);
    }
    message[..head.len()].copy_from_slice(&head);
    message[body_end..data_at].fill(0);
    message[data_at + data.len()..index_at].fill(0);
    message[index_at..index_at + index.len()].copy_from_slice(&index);
    out.truncate(start + index_at + index.len());
    Ok(())
}

/// Whether the index of a message says what reading the structure says: whether it is the one that a writer would make, with
/// entries of the same names. The message has been checked otherwise.
pub(super) fn check_index(message: &[u8]) -> Result<(), Fault> {
    let sections = Sections::read(message)?;
    if sections.index.is_empty() {
        return Ok(());
    }
    let bad = || Fault::new(ErrorKind::BadIndex, sections.index_at);
    let index = Index::read(sections.index, sections.index_at)?;
    let entries =
        index.entries().map(|(name, position)| Some((String::from_utf8(name.to_vec()).ok()?, position.identity)));
    let entries = entries.collect::<Option<Vec<_>>>().ok_or_else(bad)?;
    match index_of(&sections, entries) {
        Ok(wanted) if wanted == sections.index => Ok(()),
        _ => Err(bad()),
    }
}

/// The index section of a message in which the objects with these identities are named.
fn index_of(sections: &Sections<'_>, mut entries: Vec<(String, u64)>) -> Result<Vec<u8>, Error> {
    let shapes = read_shapes(&sections.shapes)?;
    let structure = sections.structure.clone();
    let base = structure.offset();
    let scan = Scan::new(structure, base, sections.text.len(), sections.data.len(), sections.refs, &shapes);

    entries.sort();
    if let Some(twice) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(Error::new(ErrorKind::DuplicateKey, format!("two entries are named {:?}", twice[0].0)));
    }
    let mut referenced = if sections.refs { referenced(scan.clone())? } else { Vec::new() };
    referenced.extend(entries.iter().map(|&(_, identity)| identity));
    referenced.sort_unstable();
    referenced.dedup();
    let (mut tables, bases) = positions(scan, &shapes, &referenced)?;
    for (name, identity) in entries {
        let wrong = |kind| Error::new(kind, format!("entry {name:?} is no object of its own"));
        let found = tables.references.binary_search_by_key(&identity, |&(known, _)| known);
        let place = found.map_err(|_| wrong(ErrorKind::UnknownValue))?;
        if bases.binary_search(&identity).is_ok() {
            return Err(wrong(ErrorKind::SharedBase));
        }
        // The second object of a typed array has its place too, and is told by its identity.
        tables.entries.push((name, Position { identity, ..tables.references[place].1 }));
    }
    Ok(tables.to_bytes())
}

/// The identities that references stand for, in any order.
fn referenced(mut scan: Scan<'_>) -> Result<Vec<u64>, Fault> {
    let mut referenced = Vec::new();
    scan.walk(|_, _, head| {
        if let Head::Reference(identity) | Head::View { buffer: ViewBuffer::Reference(identity), .. } = *head {
            referenced.push(identity);
        }
        Ok(true)
    })?;
    Ok(referenced)
}

/// A container whose values are being read over.
struct Open {
    identity: u64,
    left: u64,
    child: u64,
    /// Where in the structure the last place was noted.
    noted: u64,
    /// Its children are noted: not those of an array with holes, whose indices depend on one another.
    notes: bool,
    /// Elements of an array with holes that are left, each behind its gap; the extra properties follow.
    sparse: Option<u64>,
}

/// The tables without entries; and which of the identities are those of base values.
fn positions(mut scan: Scan<'_>, shapes: &Shapes, referenced: &[u64]) -> Result<(Tables, Vec<u64>), Fault> {
    let mut tables = Tables::default();
    let mut bases = Vec::new();
    let mut wanted = referenced.iter().copied().peekable();
    let mut open = vec![Open { identity: 0, left: 1, child: 0, noted: 0, notes: false, sparse: None }];
    while let Some(container) = open.last_mut() {
        if container.left == 0 {
            match container.sparse {
                None => {
                    open.pop();
                    continue;
                }
                Some(0) => {
                    container.sparse = None;
                    container.left = scan.varint()?.saturating_mul(2);
                    continue;
                }
                Some(elements) => {
                    scan.varint()?;
                    container.sparse = Some(elements - 1);
                    container.left = 1;
                }
            }
        }
        if container.sparse.is_none() {
            let until = if container.notes { container.noted + SPACING } else { u64::MAX };
            let passed = scan.pass_leaves(container.left, until);
            container.left -= passed;
            container.child += passed;
            if container.left == 0 {
                continue;
            }
        }
        let position = scan.position();
        if container.notes && container.child > 0 && position.structure - container.noted >= SPACING {
            tables.children.push((container.identity, container.child, position));
            container.noted = position.structure;
        }
        container.left -= 1;
        container.child += 1;
        let head = scan.head()?;
        let after = scan.position();
        if after.strings > position.strings {
            tables.strings.push(position);
        }
        if matches!(head, Head::Object(shape) if is_derived(shapes, shape))
            && referenced.binary_search(&after.identity).is_ok()
        {
            bases.push(after.identity);
        }
        if matches!(head, Head::Records { .. }) {
            // Nothing may refer to what is in records.
            let first = referenced.partition_point(|&identity| identity <= position.identity);
            let end = referenced.partition_point(|&identity| identity < after.identity);
            bases.extend(&referenced[first.min(end)..end]);
        }
        while wanted.peek().is_some_and(|&identity| identity < after.identity) {
            tables.references.extend(wanted.next().map(|identity| (identity, position)));
        }
        let values = head.values(shapes);
        let sparse = match head {
            Head::Sparse { present, .. } => Some(present),
            _ => None,
        };
        if values > 0 || sparse.is_some() {
            open.push(Open {
                identity: position.identity,
                left: values,
                child: 0,
                noted: after.structure,
                notes: sparse.is_none(),
                sparse,
            });
        }
    }
    tables.children.sort_unstable_by_key(|&(container, child, _)| (container, child));
    Ok((tables, bases))
}

/// Whether an object of this shape has a base, which takes the identity behind its own.
pub(crate) fn is_derived(shapes: &Shapes, shape: u32) -> bool {
    matches!(shapes.kind(shape), ShapeKind::Derived(_))
}
