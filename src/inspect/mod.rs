//! What each byte of a message means, line by line, and what the message consists of.
//!
//! Knows the wire and how values are laid out on it; builds no graph. Whether a message is valid is the codec's to say:
//! the inspector asks it, and explains the bytes up to the fault.

mod describe;
mod line;
mod shapes;
mod structure;
mod summary;

use crate::codec::check;
use crate::error::{Error, Fault};
use crate::wire::{Reader, Sections, header};
use crate::{DecodeOptions, JsStr};

use self::line::{Label, What};
use self::shapes::ShapesWalk;
use self::structure::Walk;

pub use self::line::Line;
pub use self::summary::{ShapeUse, Share, Summary};

/// Explains the bytes of a message from front to back: an iterator of [`Line`]s.
///
/// It keeps the message's shapes and the containers that are open, and nothing else, so a message of any size can be
/// looked at. Of a message that is not valid the lines end where it is at fault, and [`error`](Self::error) says why.
///
/// # Examples
///
/// ```
/// use marshal::inspect::Inspector;
/// use marshal::{Marshal, js};
///
/// let bytes = Marshal::encode(&js!({ n: [1, "two"] }))?;
/// let lines: Vec<String> = Inspector::new(&bytes)
///     .map(|line| format!("{:02}{} {line}", line.offset(), "  ".repeat(line.depth())))
///     .collect();
/// assert_eq!(lines[lines.len() - 6..], [
///     "13 structure: 4 bytes",
///     "13   object of shape 0, identity 0",
///     "14     n: array of 2, identity 1",
///     "15       [0]: 1",
///     "16       [1]: string \"two\"",
///     "17 text: 3 bytes",
/// ]);
/// # Ok::<(), marshal::Error>(())
/// ```
pub struct Inspector<'a> {
    input: &'a [u8],
    error: Option<Error>,
    phase: Phase<'a>,
    sections: Option<Sections<'a>>,
    parts: Parts<'a>,
}

/// What has been gathered on the way.
#[derive(Default)]
struct Parts<'a> {
    shapes: Vec<shapes::Shape<'a>>,
    symbols: Vec<(u8, JsStr<'a>)>,
    summary: Summary,
}

/// What comes next.
enum Phase<'a> {
    Head(Reader<'a>, u8),
    ShapesHeading,
    Shapes(ShapesWalk<'a>),
    StructureHeading,
    Structure(Box<Walk<'a>>),
    Text,
    Pad,
    Data,
    Done,
}

impl<'a> Inspector<'a> {
    /// An inspector of the message that `input` is. Validates it first.
    pub fn new(input: &'a [u8]) -> Self {
        Inspector {
            input,
            error: check(input, &DecodeOptions::new()).err(),
            phase: Phase::Head(Reader::new(input, 0), 0),
            sections: Sections::read(input).ok(),
            parts: Parts { summary: Summary::of(input.len()), ..Parts::default() },
        }
    }

    /// What is wrong with the message.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// What the lines so far amount to: all of the message when there are no more.
    pub fn summary(&self) -> &Summary {
        &self.parts.summary
    }

    /// How many bytes of the message the lines have come through.
    pub fn offset(&self) -> usize {
        match &self.phase {
            Phase::Head(reader, _) => reader.offset(),
            Phase::Shapes(walk) => walk.offset(),
            Phase::Structure(walk) => walk.offset(),
            Phase::ShapesHeading => 0,
            Phase::StructureHeading => self.sections.as_ref().map_or(0, |sections| sections.structure.offset()),
            Phase::Text | Phase::Pad | Phase::Data | Phase::Done => self.input.len(),
        }
    }

    /// The next line, and whether the phase is over. A fault ends the lines: the codec has found it too.
    fn step(&mut self) -> Result<Option<Line<'a>>, Fault> {
        let Some(sections) = &self.sections else { return self.head() };
        let heading = |name, at: usize, len: usize| Line {
            offset: at,
            bytes: &[],
            depth: 0,
            label: Label::None,
            what: What::Section(name, len as u64),
        };
        match &mut self.phase {
            Phase::Head(..) => return self.head(),
            Phase::ShapesHeading => {
                let reader = sections.shapes.clone();
                let (at, len) = (reader.offset(), reader.remaining());
                self.parts.summary.section("shapes", len);
                self.phase = Phase::Shapes(ShapesWalk::new(reader));
                if len > 0 {
                    return Ok(Some(heading("shapes", at, len)));
                }
            }
            Phase::Shapes(walk) => match walk.next(self.input, &mut self.parts)? {
                Some(line) => return Ok(Some(line)),
                None => self.phase = Phase::StructureHeading,
            },
            Phase::StructureHeading => {
                let (at, len) = (sections.structure.offset(), sections.structure.remaining());
                self.parts.summary.section("structure", len);
                self.phase = Phase::Structure(Box::new(Walk::new(self.input, sections)));
                return Ok(Some(heading("structure", at, len)));
            }
            Phase::Structure(walk) => match walk.next(&mut self.parts)? {
                Some(line) => return Ok(Some(line)),
                None => self.phase = Phase::Text,
            },
            Phase::Text => {
                self.phase = Phase::Pad;
                self.parts.summary.section("text", sections.text.len());
                if !sections.text.is_empty() {
                    let line = heading("text", sections.text_at, sections.text.len());
                    return Ok(Some(Line { bytes: sections.text, ..line }));
                }
            }
            Phase::Pad => {
                self.phase = Phase::Data;
                let pad = &self.input[sections.text_at + sections.text.len()..sections.data_at];
                if !pad.is_empty() {
                    self.parts.summary.section("padding", pad.len());
                    let line = heading("padding", sections.text_at + sections.text.len(), pad.len());
                    return Ok(Some(Line { bytes: pad, ..line }));
                }
            }
            Phase::Data => {
                self.phase = Phase::Done;
                self.parts.summary.section("data", sections.data.len());
                if !sections.data.is_empty() {
                    let line = heading("data", sections.data_at, sections.data.len());
                    return Ok(Some(Line { bytes: sections.data, ..line }));
                }
            }
            Phase::Done => {}
        }
        Ok(None)
    }

    /// The head, field by field, as far as it goes.
    fn head(&mut self) -> Result<Option<Line<'a>>, Fault> {
        let Phase::Head(reader, field) = &mut self.phase else { return Ok(None) };
        let at = reader.offset();
        let flags = self.input.get(3).copied().unwrap_or(0);
        let length = |reader: &mut Reader<'a>, name| reader.varint().map(|len| What::Length(name, len));
        let optional = [(header::SHAPES, "shapes"), (header::TEXT, "text"), (header::DATA, "data")];
        let what = match *field {
            0 => reader.take(header::MAGIC.len()).map(|_| What::Fixed("magic"))?,
            1 => What::Version(reader.u8()?),
            2 => What::Flags(reader.u8()?),
            3 => length(reader, "structure")?,
            n @ 4..=6 => match optional[usize::from(n) - 4] {
                (flag, name) if flags & flag != 0 => length(reader, name)?,
                _ => {
                    *field += 1;
                    return Ok(None);
                }
            },
            _ => {
                self.parts.summary.section("head", at);
                self.phase = if self.sections.is_some() { Phase::ShapesHeading } else { Phase::Done };
                return Ok(None);
            }
        };
        *field += 1;
        let bytes = &self.input[at..reader.offset()];
        Ok(Some(Line { offset: at, bytes, depth: 0, label: Label::None, what }))
    }
}

impl<'a> Iterator for Inspector<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        loop {
            if matches!(self.phase, Phase::Done) {
                return None;
            }
            let fault_at = self.error.as_ref().and_then(Error::offset).unwrap_or(u64::MAX);
            match self.step() {
                Ok(Some(line)) if line.offset as u64 > fault_at => self.phase = Phase::Done,
                Ok(Some(line)) => return Some(line),
                Ok(None) => {}
                Err(fault) => {
                    self.phase = Phase::Done;
                    // Cannot be: the codec has read what comes before its own fault.
                    self.error.get_or_insert_with(|| fault.into());
                }
            }
        }
    }
}
