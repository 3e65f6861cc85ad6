//! The kinds of object that have tags of their own: what stands before their values.

use super::{Entered, Frame, Role, Write};
use crate::error::ErrorKind;
use crate::graph::{Node, NodeId, ShapeForm, Slot, is_canonical_packing, packed_kind, push_element};
use crate::wire::{ElementKind, structure, tag, varint};

impl Write<'_> {
    /// Numbers as a packed array of another form than the graph has them in.
    pub(super) fn packed(&mut self, kind: ElementKind, len: usize, numbers: impl Iterator<Item = f64>) {
        self.packed_tag(kind, len);
        let mut bytes = Vec::with_capacity(len * kind.size());
        numbers.for_each(|number| push_element(&mut bytes, kind, number));
        self.kept.parts.copied_payload(kind.size(), &bytes);
    }

    fn packed_tag(&mut self, kind: ElementKind, len: usize) {
        structure::elements(&mut self.kept.parts.structure, tag::ARRAY_PACKED, kind, len);
    }

    /// All objects but shaped ones and plain arrays.
    #[inline(never)]
    pub(super) fn other(&mut self, id: NodeId, node: Node) -> Entered {
        let graph = self.graph;
        match node {
            Node::Object { .. } | Node::Array(_) => {}
            Node::Packed { kind, len, at } => {
                let bytes = graph.packed_bytes(kind, len, at);
                let len = len as usize;
                if is_canonical_packing(kind, bytes) {
                    self.packed_tag(kind, len);
                    self.kept.parts.payload(kind.size(), at, bytes.len() as u64);
                } else if let Some(canonical) = packed_kind(len, graph.packed_numbers(kind, len as u32, at)) {
                    self.packed(canonical, len, graph.packed_numbers(kind, len as u32, at));
                } else {
                    structure::array(&mut self.kept.parts.structure, len);
                    return Ok(Some(Frame::new(id, 0, len, Role::Numbers)));
                }
            }
            Node::Sparse(side) => {
                let sparse = graph.sparse[side as usize];
                let structure = &mut self.kept.parts.structure;
                structure.push(tag::ARRAY_SPARSE);
                varint::write(structure, u64::from(sparse.length));
                varint::write(structure, u64::from(sparse.present));
                return Ok(Some(Frame::new(id, sparse.span.start, 2 * sparse.present as usize, Role::Elements)));
            }
            Node::Dictionary(span) | Node::NullDictionary(span) => {
                if let Some(number) = self.kept.shapes.number_of_dictionary(self.graph, id) {
                    structure::object(&mut self.kept.parts.structure, number);
                    return Ok(Some(Frame::new(id, span.start, span.len as usize, Role::Values)));
                } else {
                    let is_null = matches!(node, Node::NullDictionary(_));
                    structure::tagged(
                        &mut self.kept.parts.structure,
                        if is_null { tag::DICTIONARY_NULL } else { tag::DICTIONARY },
                        u64::from(span.len / 2),
                    );
                    return Ok(Some(Frame::new(id, span.start, span.len as usize, Role::Plain)));
                }
            }
            Node::Map(span) => {
                structure::tagged(&mut self.kept.parts.structure, tag::MAP, u64::from(span.len / 2));
                return Ok(Some(Frame::new(id, span.start, span.len as usize, Role::Plain)));
            }
            Node::Set(span) => {
                structure::tagged(&mut self.kept.parts.structure, tag::SET, u64::from(span.len));
                return Ok(Some(Frame::new(id, span.start, span.len as usize, Role::Plain)));
            }
            Node::Date(ms) => {
                structure::date(&mut self.kept.parts.structure, ms);
            }
            Node::RegExp { flags, start } => {
                self.kept.parts.structure.extend([tag::REGEXP, flags]);
                self.value(graph.slots[start as usize])?;
                if let Slot::Number(last_index) = graph.slots[start as usize + 1] {
                    varint::write(&mut self.kept.parts.structure, last_index as u64);
                }
            }
            Node::Boxed { start } => {
                self.kept.parts.structure.push(tag::BOXED);
                return Ok(Some(Frame::new(id, start, 1, Role::Plain)));
            }
            Node::Buffer(_) => self.buffer(id),
            Node::View(side) => self.view(side)?,
            Node::Derived { shape, start, .. } | Node::Custom { shape, start } => {
                let (form, keys) = graph.shapes.form(shape);
                // Only plain objects can be without a number.
                let numbered = self.kept.shapes.number(self.graph, shape).ok_or(ErrorKind::UnknownValue)?;
                structure::object(&mut self.kept.parts.structure, numbered.number());
                let role = if form == ShapeForm::Derived { Role::Derived } else { Role::Plain };
                return Ok(Some(Frame::new(id, start, 1 + keys, role)));
            }
        }
        Ok(None)
    }

    fn buffer(&mut self, id: NodeId) {
        let Some(Node::Buffer(side)) = self.graph.node(id) else { return };
        let buffer = self.graph.buffers[side as usize];
        let structure = &mut self.kept.parts.structure;
        structure.push(if buffer.max.is_some() { tag::BUFFER_RESIZABLE } else { tag::BUFFER });
        varint::write(structure, buffer.len);
        buffer.max.inspect(|&max| varint::write(structure, max));
        self.kept.parts.payload(8, buffer.at, buffer.len);
    }

    fn view(&mut self, side: u32) -> Result<(), ErrorKind> {
        let view = self.graph.views[side as usize];
        let Some(Node::Buffer(bytes)) = self.graph.node(view.buffer) else { return Err(ErrorKind::UnknownValue) };
        let buffer = self.graph.buffers[bytes as usize];
        let size = view.kind.size() as u64;
        let is_whole = view.offset == 0 && view.len.is_some_and(|len| len * size == buffer.len);
        let is_first = self.kept.identities[view.buffer.index()] == 0;
        if is_whole && is_first && buffer.max.is_none() && view.kind != ElementKind::DataView {
            self.next_identity += 1;
            self.kept.identities[view.buffer.index()] = self.next_identity;
            structure::elements(
                &mut self.kept.parts.structure,
                tag::TYPED_ARRAY,
                view.kind,
                (buffer.len / size) as usize,
            );
            self.kept.parts.payload(view.kind.size(), buffer.at, buffer.len);
            return Ok(());
        }
        self.kept.parts.structure.extend([tag::VIEW, view.kind.code()]);
        self.node_apart(view.buffer)?;
        varint::write(&mut self.kept.parts.structure, view.offset);
        varint::write(&mut self.kept.parts.structure, view.len.map_or(0, |len| len + 1));
        Ok(())
    }

    /// After the elements of an array with holes: its extra properties.
    #[inline(never)]
    pub(super) fn extra_properties(&mut self, array: NodeId) -> Frame {
        let Node::Sparse(side) = self.graph.nodes[array.index()] else { return Frame::new(array, 0, 0, Role::Plain) };
        let sparse = self.graph.sparse[side as usize];
        let pairs = sparse.span.len - 2 * sparse.present;
        varint::write(&mut self.kept.parts.structure, u64::from(pairs / 2));
        Frame::new(array, sparse.span.start + 2 * sparse.present, pairs as usize, Role::Plain)
    }
}
