//! Bytes to a zoo of classes: the seed of the fuzz target, cut and changed in every place.

#[path = "arbitrary/classes.rs"]
#[allow(unreachable_pub, missing_docs)]
mod zoo;

#[test]
fn the_seed_changed_in_every_bit_and_cut_everywhere() {
    let seed = zoo::seed();
    assert!(
        marshal::Marshal::decode_with_classes::<Vec<marshal::Shared<dyn zoo::Animal>>>(&seed, &zoo::classes()).is_ok()
    );
    for at in 0..seed.len() {
        zoo::of_bytes(&seed[..at]);
        for bit in 0..8 {
            let mut changed = seed.clone();
            changed[at] ^= 1 << bit;
            zoo::of_bytes(&changed);
        }
    }
}

/// Writes the seed where the fuzzer looks for it.
#[test]
#[ignore = "makes a file of the corpus"]
fn write_the_seed() {
    std::fs::create_dir_all("fuzz/corpus/class").unwrap();
    std::fs::write("fuzz/corpus/class/seed", zoo::seed()).unwrap();
}
