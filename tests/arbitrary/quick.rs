//! Recipes for quickcheck: drawn from random bytes, shrunk by losing operations.

use quickcheck::{Arbitrary, Gen};

use super::recipe::{Op, Recipe};

impl Arbitrary for Recipe {
    fn arbitrary(g: &mut Gen) -> Self {
        let n = usize::arbitrary(g) % (12 * g.size()).max(1);
        let bytes: Vec<u8> = (0..n).map(|_| u8::arbitrary(g)).collect();
        Recipe::from_bytes(&bytes)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let this = self.clone();
        let n = this.ops.len();
        // Halves, quarters, … first, then single operations.
        let runs = std::iter::successors(Some(n / 2), |&len| Some(len / 2)).take_while(|&len| len > 0);
        let cuts = runs.flat_map(move |len| (0..n).step_by(len).map(move |at| at..(at + len).min(n)));
        let whole = this.clone();
        let without = cuts.map(move |cut| {
            let mut ops = whole.ops.clone();
            ops.drain(cut);
            Recipe { ops, all: whole.all }
        });
        let simpler = (0..n).filter_map(move |at| {
            let mut recipe = this.clone();
            recipe.ops[at] = simplify(&recipe.ops[at])?;
            Some(recipe)
        });
        Box::new(without.chain(simpler))
    }
}

/// The same with one part less.
fn simplify(op: &Op) -> Option<Op> {
    let mut op = op.clone();
    let shorter = match &mut op {
        Op::Array(picks) | Op::Set(picks) => picks.pop().is_some(),
        Op::Map(entries) => entries.pop().is_some(),
        Op::Sparse(_, elements) => elements.pop().is_some(),
        Op::Object(p) | Op::NullObject(p) | Op::Instance(_, p) | Op::Error(_, p) | Op::Derived(_, _, p) => {
            p.pop().is_some()
        }
        Op::Packed(_, numbers) => numbers.pop().is_some(),
        Op::Text(units) | Op::RegExp(units, _, _) => units.pop().is_some(),
        Op::BigInt(_, bytes) | Op::Buffer(bytes, _) | Op::TypedArray(_, bytes) => bytes.pop().is_some(),
        Op::Chain(depth, _) | Op::Wide(depth, _) if *depth > 0 => {
            *depth /= 2;
            true
        }
        _ => false,
    };
    shorter.then_some(op)
}
