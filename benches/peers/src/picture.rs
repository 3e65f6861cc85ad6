//! A table of times as a picture: for each data set and operation, every library as a dot, as many times left or right of
//! ours as it is faster or slower. Knows nothing of how the times came about.

use std::fmt::Write;

use marshal_bench_data::Dataset;

use crate::peers::{LIMIT, Operation};
use crate::report::{OURS, Row, duration};
use crate::typed::NEED_TYPES;

/// In pixels.
const LABELS: f64 = 76.0;
const PANEL: f64 = 312.0;
/// Left in each panel, for our own time.
const TIME: f64 = 58.0;
const HEAD: f64 = 112.0;
const ROW: f64 = 44.0;
const FOOT: f64 = 14.0;
/// A letter at most, on average, in the fonts that there may be.
const LETTER: f64 = 6.6;
/// Right of the names in a panel.
const MARGIN: f64 = 4.0;

/// The scale goes in both directions as far as the rows do, but not further than this.
const FURTHEST: f64 = 16.0;

const STYLE: &str = "\
text{font:11px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2328}
.back{fill:#fff}.band{fill:#f6f8fa}.grid{stroke:#d1d9e0}.one{stroke:#1f2328;stroke-width:1.5}
.quiet{fill:#59636e;font-size:10px}.title{font-size:13px;font-weight:600}
.named{fill:#0969da}.typed{fill:#bc4c00}
.name{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}
.back{fill:#0d1117}.band{fill:#151b23}.grid{stroke:#3d444d}.one{stroke:#f0f6fc}
.quiet{fill:#9198a1}.name{stroke:#0d1117}.named{fill:#4493f8}.typed{fill:#f0883e}}";

/// What a message needs so that it can be read.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    /// Nothing: it names what is in it.
    Named,
    /// The types that it was written from.
    Typed,
}

impl Group {
    fn of(library: &str) -> Group {
        if NEED_TYPES.contains(&library) { Group::Typed } else { Group::Named }
    }

    const fn class(self) -> &'static str {
        match self {
            Group::Named => "named",
            Group::Typed => "typed",
        }
    }

    const fn meaning(self) -> &'static str {
        match self {
            Group::Named => "names fields in the bytes",
            Group::Typed => "read only with the types that wrote it",
        }
    }
}

/// A dot: a library, and its time in multiples of ours.
struct Dot {
    library: &'static str,
    group: Group,
    factor: f64,
}

/// Rows without ours to compare with are left out.
pub fn draw(rows: &[Row]) -> String {
    let mut datasets: Vec<Dataset> = Vec::new();
    let mut operations: Vec<Operation> = Vec::new();
    for row in rows {
        if !datasets.contains(&row.dataset) {
            datasets.push(row.dataset);
        }
        if !operations.contains(&row.operation) {
            operations.push(row.operation);
        }
    }
    let cells: Vec<Cell> = cells(rows, &datasets, &operations).collect();
    let scale = Scale::of(&cells);
    let (width, height) = (LABELS + PANEL * operations.len() as f64, HEAD + ROW * datasets.len() as f64 + FOOT);
    let mut svg = String::new();
    let out = &mut svg;
    // Writing to a String can't fail.
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">"#
    );
    let _ = writeln!(out, "<title>Times in multiples of marshal's</title>\n<style>{STYLE}</style>");
    let _ = writeln!(out, r#"<rect class="back" width="{width}" height="{height}"/>"#);
    for (n, dataset) in datasets.iter().enumerate() {
        let top = HEAD + ROW * n as f64;
        if n % 2 == 0 {
            let _ = writeln!(out, r#"<rect class="band" y="{top}" width="{width}" height="{ROW}"/>"#);
        }
        text(out, 10.0, top + ROW / 2.0 + 4.0, "", "start", dataset.name());
    }
    legend(out, &cells);
    for (n, operation) in operations.iter().enumerate() {
        axis(out, LABELS + PANEL * n as f64, *operation, &scale, height - FOOT);
    }
    cells.iter().for_each(|cell| cell.draw(out, &scale));
    svg.push_str("</svg>\n");
    svg
}

/// One data set, one operation.
struct Cell {
    left: f64,
    middle: f64,
    ours: f64,
    dots: Vec<Dot>,
}

fn cells(rows: &[Row], datasets: &[Dataset], operations: &[Operation]) -> impl Iterator<Item = Cell> {
    let places = (0..datasets.len()).flat_map(|row| (0..operations.len()).map(move |column| (row, column)));
    places.filter_map(move |(row, column)| {
        let times = || {
            let here = |other: &&Row| other.dataset == datasets[row] && other.operation == operations[column];
            rows.iter().filter(here).map(|row| (row.result.library, row.result.median_nanoseconds))
        };
        let ours = times().find(|&(library, _)| library == OURS)?.1;
        let dots = times()
            .filter(|&(library, _)| library != OURS && library != LIMIT)
            .map(|(library, time)| Dot { library, group: Group::of(library), factor: time / ours })
            .collect();
        let (left, middle) = (LABELS + PANEL * column as f64, HEAD + ROW * (row as f64 + 0.5));
        Some(Cell { left, middle, ours, dots })
    })
}

/// Logarithmic, in powers of two either way of 1.
struct Scale {
    /// Powers of two on the left and on the right of 1.
    faster: f64,
    slower: f64,
}

impl Scale {
    fn of(cells: &[Cell]) -> Scale {
        let factors = || cells.iter().flat_map(|cell| &cell.dots).map(|dot| dot.factor.clamp(1.0 / FURTHEST, FURTHEST));
        let reach = |factor: f64| (factor.max(2.0).log2() / 2.0).ceil() * 2.0;
        Scale {
            faster: reach(factors().map(|factor| 1.0 / factor).fold(1.0, f64::max)),
            slower: reach(factors().fold(1.0, f64::max)),
        }
    }

    /// How far from a panel's left a factor is.
    fn at(&self, factor: f64) -> f64 {
        let room = PANEL - TIME - 40.0;
        let power = factor.log2().clamp(-self.faster, self.slower);
        TIME + 12.0 + room * (power + self.faster) / (self.faster + self.slower)
    }

    /// Every second power of two.
    fn ticks(&self) -> impl Iterator<Item = i32> {
        (-self.faster as i32..=self.slower as i32).step_by(2)
    }
}

fn axis(out: &mut String, left: f64, operation: Operation, scale: &Scale, bottom: f64) {
    let name = operation.name().replace('_', " ");
    text(out, left + TIME, HEAD - 40.0, "title", "start", &name);
    text(out, left + TIME - 6.0, HEAD - 8.0, "quiet", "end", "marshal");
    for power in scale.ticks() {
        let x = left + scale.at(f64::from(power).exp2());
        let class = if power == 0 { "one" } else { "grid" };
        let top = HEAD - 2.0;
        let _ = writeln!(out, r#"<path class="{class}" d="M{x:.1} {top}V{bottom}"/>"#);
        text(out, x, HEAD - 8.0, "quiet", "middle", &format!("{}×", 1u32 << power.unsigned_abs()));
    }
    let one = left + scale.at(1.0);
    text(out, one - 12.0, HEAD - 22.0, "quiet", "end", "← faster");
    text(out, one + 12.0, HEAD - 22.0, "quiet", "start", "slower →");
}

fn legend(out: &mut String, cells: &[Cell]) {
    let says = "Each dot is a library: left of the line it is faster than marshal, right of it slower. \
                The fastest of each kind has its name.";
    text(out, 10.0, 22.0, "", "start", says);
    let mut x = 10.0;
    for group in [Group::Named, Group::Typed] {
        if !cells.iter().flat_map(|cell| &cell.dots).any(|dot| dot.group == group) {
            continue;
        }
        let class = group.class();
        let _ = writeln!(out, r#"<circle class="{class}" cx="{}" cy="40" r="4"/>"#, x + 4.0);
        text(out, x + 14.0, 44.0, "", "start", group.meaning());
        x += 200.0;
    }
}

impl Cell {
    fn draw(&self, out: &mut String, scale: &Scale) {
        let (left, middle) = (self.left, self.middle);
        text(out, left + TIME - 6.0, middle + 4.0, "quiet", "end", &duration(self.ours));
        for group in [Group::Named, Group::Typed] {
            let dots = || self.dots.iter().filter(|dot| dot.group == group);
            for dot in dots() {
                self.dot(out, dot, scale);
            }
            let Some(best) = dots().min_by(|a, b| a.factor.total_cmp(&b.factor)) else { continue };
            let y = if group == Group::Named { middle - 9.0 } else { middle + 17.0 };
            let name = format!("{} {}", best.library, times(best.factor));
            // Names stay in their panel.
            let half = name.chars().count() as f64 * LETTER / 2.0;
            let x = left + scale.at(best.factor).clamp(TIME - 30.0 + half, PANEL - MARGIN - half);
            text(out, x, y, &format!("{} name", group.class()), "middle", &name);
        }
    }

    fn dot(&self, out: &mut String, dot: &Dot, scale: &Scale) {
        let (x, y, class) = (self.left + scale.at(dot.factor), self.middle, dot.group.class());
        let than = if dot.factor < 1.0 { "faster" } else { "slower" };
        let title = format!("<title>{}: {} {than}</title>", dot.library, times(dot.factor));
        // Further out than the scale: an arrow.
        let past = dot.factor.log2();
        if past > scale.slower || past < -scale.faster {
            let tip = if past > 0.0 { 5.0 } else { -5.0 };
            let _ =
                writeln!(out, r#"<path class="{class}" d="M{:.1} {y}l{} -4.5v9z">{title}</path>"#, x + tip, -1.6 * tip);
        } else {
            let _ = writeln!(
                out,
                r#"<circle class="{class}" fill-opacity=".75" cx="{x:.1}" cy="{y}" r="3.5">{title}</circle>"#
            );
        }
    }
}

/// On which side of ours it is says whether it is faster or slower.
fn times(factor: f64) -> String {
    match factor.max(1.0 / factor) {
        apart @ 99.5.. => format!("{apart:.0}×"),
        apart => format!("{apart:.1}×"),
    }
}

fn text(out: &mut String, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
    let class = if class.is_empty() { String::new() } else { format!(r#" class="{class}""#) };
    let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}"{class} text-anchor="{anchor}">{text}</text>"#);
}

#[cfg(test)]
mod tests {
    use marshal_bench_data::Dataset;

    use super::draw;
    use crate::report::times_from_tsv;

    fn picture(tsv: &str) -> String {
        draw(&times_from_tsv(tsv).unwrap())
    }

    #[test]
    fn others_are_left_of_ours_where_they_are_faster() {
        let svg = picture(
            "log\ttyped_encode\tmarshal\t1000\t9\nlog\ttyped_encode\tcbor4ii\t500\t9\nlog\ttyped_encode\tbson\t4000\t9\n\
             log\ttyped_encode\tpostcard\t250\t9\n",
        );
        let place = |library: &str| -> f64 {
            let circle = svg.lines().find(|line| line.contains(&format!("<title>{library}:"))).unwrap();
            circle.split("cx=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        assert!(place("postcard") < place("cbor4ii") && place("cbor4ii") < place("bson"));
        let one: f64 = svg.split("class=\"one\" d=\"M").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!(place("cbor4ii") < one && one < place("bson"));
        assert!(svg.contains("class=\"named name\" text-anchor=\"middle\">cbor4ii 2.0×<"), "{svg}");
        assert!(svg.contains("class=\"typed name\" text-anchor=\"middle\">postcard 4.0×<"), "{svg}");
    }

    #[test]
    fn what_is_off_the_scale_is_an_arrow_at_its_end() {
        let svg = picture("log\tdecode\tmarshal\t10\t9\nlog\tdecode\tbson\t10000\t9\n");
        assert!(svg.contains("z\"><title>bson: 1000× slower"), "{svg}");
        assert!(svg.contains(">16×<") && !svg.contains(">64×<"));
    }

    #[test]
    fn names_end_before_the_picture_does() {
        let svg = picture("log\tdecode\tmarshal\t10\t9\nlog\tdecode\tbitcode-serde\t276\t9\n");
        let number = |line: &str, before: &str| -> f64 {
            line.split(before).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let name = svg.lines().find(|line| line.contains(">bitcode-serde 27.6×<")).unwrap();
        let half = "bitcode-serde 27.6×".chars().count() as f64 * super::LETTER / 2.0;
        assert!(number(name, "x=\"") + half < number(&svg, " width=\""), "{name}");
    }

    #[test]
    fn a_cell_without_ours_is_empty() {
        let svg = picture("log\tdecode\tbson\t10000\t9\n");
        assert!(svg.contains(Dataset::Log.name()) && !svg.contains("bson"));
    }
}
