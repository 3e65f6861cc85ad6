//! Arrays of records: what stands in the data as numbers alone becomes ordinary objects (`spec/format.md`, section 8).

use super::decode::{Read, Role};
use crate::error::{ErrorKind, Fault};
use crate::graph::{Extent, Node, NodeId, ShapeKind, Shapes, Slot, Span};
use crate::wire::layout::{self, Layout, Scalar, What};

/// The records that are being read. They hold no other values, so there is one array of them at a time.
#[derive(Default)]
pub(super) struct Records {
    steps: Vec<Step>,
    /// Where in the data the next record begins, and how long each is.
    at: usize,
    size: usize,
}

/// A value of a record: what it is, and where it goes.
struct Step {
    what: What,
    at: u32,
    /// Among the slots of the record; the record itself has its slot in the array.
    slot: u32,
    /// Where the values in it go.
    values: u32,
    count: u32,
}

/// How many keys a shape has, if it is that of a plain object.
pub(crate) fn plain_keys(shapes: &Shapes, shape: u64) -> Result<u64, ErrorKind> {
    match u32::try_from(shape) {
        Ok(shape) if (shape as usize) < shapes.len() => match shapes.kind(shape) {
            ShapeKind::Plain => Ok(shapes.keys_len(shape) as u64),
            _ => Err(ErrorKind::WrongType),
        },
        _ => Err(ErrorKind::UnknownShape),
    }
}

impl Read<'_> {
    /// Opens the array whose tag is at `at`. Its records are read one a step.
    pub(super) fn records(&mut self, at: usize) -> Result<(), Fault> {
        let shapes = &self.graph.shapes;
        let layout = Layout::read(&mut self.structure, at, |shape| plain_keys(shapes, shape))?;
        let n = self.structure.varint()?;
        layout.admit(n, at)?;
        let start = self.payload(n, layout.size, 1, at)?;
        let values = n * layout.values.len() as u64;
        self.values += values;
        let slots = self.graph.slots.len() as u64 + values;
        let nodes = self.graph.nodes.len() as u64 + n * layout.objects as u64 + 1;
        let depth = self.kept.stack.len() + layout.depth;
        let is_too_much = self.values > self.options.max_values || depth > self.options.max_depth;
        if is_too_much || slots.max(nodes) > u64::from(u32::MAX) {
            return Err(Fault::new(ErrorKind::LimitExceeded, at));
        }
        // All of it is in the message.
        make_room(&mut self.graph.slots, values as usize);
        make_room(&mut self.graph.nodes, n as usize * layout.objects + 1);
        if self.refs && nodes > self.graph.nodes.len() as u64 + 1 {
            self.in_records.push(self.graph.nodes.len() as u32 + 1..nodes as u32);
        }
        self.laid = Records { steps: steps(&layout), at: start as usize, size: layout.size };
        let span = self.room(n as u32);
        self.start(Node::Array(span), span, Role::Records, at)
    }

    /// Reads as many records as there are steps left, or records.
    pub(super) fn read_records(&mut self) {
        let frame = *self.frame();
        let n = self.left.min((frame.end - frame.next) as usize);
        self.left -= n;
        let Records { steps, mut at, size } = std::mem::take(&mut self.laid);
        let data = self.data;
        for slot in frame.next..frame.next + n as u32 {
            // The payload has been found to lie in the data.
            let record = data.get(at..at + size).unwrap_or_default();
            self.record(slot, record, &steps);
            at += size;
        }
        self.frame_mut().next += n as u32;
        self.laid = Records { steps, at, size };
    }

    fn record(&mut self, slot: u32, record: &[u8], steps: &[Step]) {
        let base = self.graph.slots.len();
        self.graph.slots.resize(base + steps.len() - 1, Slot::Undefined);
        for (index, step) in steps.iter().enumerate() {
            let (start, count) = (base as u32 + step.values, step.count);
            let value = match step.what {
                What::Object(shape) => self.object_of_record(Node::Object { shape, start, cap: count }),
                What::Array => self.object_of_record(Node::Array(Span { start, len: count, cap: count })),
                _ => match layout::scalar(step.what, record.get(step.at as usize..).unwrap_or_default()) {
                    Some(Scalar::Boolean(flag)) => Slot::Bool(flag),
                    Some(scalar) => match scalar.number() {
                        Ok(number) => Slot::number(number),
                        Err((negative, n)) => self.large_integer(negative, n),
                    },
                    None => Slot::Undefined,
                },
            };
            let place = if index == 0 { slot as usize } else { base + step.slot as usize };
            self.graph.slots[place] = value;
        }
    }

    #[inline]
    fn object_of_record(&mut self, node: Node) -> Slot {
        self.graph.nodes.push(node);
        Slot::Node(NodeId(self.graph.nodes.len() as u32 - 1))
    }

    #[cold]
    fn large_integer(&mut self, negative: bool, n: u64) -> Slot {
        let bytes = n.to_le_bytes();
        let magnitude = layout::magnitude(&bytes);
        let start = self.graph.bytes.push(magnitude, false);
        Slot::BigInt(Extent::new(negative, magnitude.len() as u32, start))
    }

    /// Whether the object with this identity is in records, where nothing may refer to it.
    pub(super) fn is_in_records(&self, id: u64) -> bool {
        let after = self.in_records.partition_point(|range| u64::from(range.start) <= id);
        after > 0 && u64::from(self.in_records[after - 1].end) > id
    }
}

/// Room for `n` items, and for not much more: but half as many again as there are at least, so that what is copied stays
/// linear.
fn make_room<T>(items: &mut Vec<T>, n: usize) {
    if items.capacity() - items.len() < n {
        items.reserve_exact(n.max(items.len() / 2));
    }
}

fn steps(layout: &Layout) -> Vec<Step> {
    let mut next = 0;
    let mut steps: Vec<Step> = Vec::with_capacity(layout.values.len());
    let mut slots = vec![0; layout.values.len()];
    for (place, value) in layout.values.iter().enumerate() {
        let values = next;
        let children = std::iter::successors(Some(place + 1), |&child| Some(layout.values[child].end as usize));
        for child in children.take(value.count as usize) {
            slots[child] = next;
            next += 1;
        }
        steps.push(Step { what: value.what, at: value.at, slot: slots[place], values, count: value.count });
    }
    steps
}
