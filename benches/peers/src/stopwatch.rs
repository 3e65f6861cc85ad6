//! One sample: the time, and in a counting build the memory, of an operation run some times over. Knows
//! neither what runs nor how samples are combined.

use std::hint::black_box;
use std::iter;
use std::time::Instant;

use crate::memory::{self, Memory};

#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Of one run.
    pub nanoseconds: f64,
    /// Of all runs together; nothing unless the build counts.
    pub memory: Memory,
}

/// Runs `work` `times` times. Results are kept until the clock has stopped, then dropped.
pub fn time<O>(times: usize, mut work: impl FnMut() -> O) -> Sample {
    time_each(iter::repeat_n((), times), |()| work())
}

/// Runs `work` on each input. Inputs are made before the clock starts if the iterator only lends them.
pub fn time_each<I, O>(inputs: impl ExactSizeIterator<Item = I>, mut work: impl FnMut(I) -> O) -> Sample {
    let times = inputs.len();
    let mut results = Vec::with_capacity(times);
    let before = memory::start();
    let start = Instant::now();
    for input in inputs {
        results.push(black_box(work(black_box(input))));
    }
    let elapsed = start.elapsed();
    let memory = memory::since(before);
    drop(results);
    settle();
    Sample { nanoseconds: elapsed.as_nanos() as f64 / times as f64, memory }
}

/// Has the allocator keep its memory for the whole run. glibc's gives memory back to the system when what lies free at
/// the end of its heap exceeds a threshold, and takes it anew from there, zeroed and a page at a time. Which library's
/// blocks lie there depends on what all others hold and have freed: `log` as classes decoded in 1.2 ms alone and in 2.7
/// beside another library, with 865 page faults and 1.5 ms of the kernel's time in each sample. Freeing a block of the
/// largest size for which the thresholds follow (32 MiB) puts them there: 64 MiB stay, and only larger blocks come from
/// the system.
pub fn keep_memory() {
    const LARGEST: usize = (32 << 20) - (64 << 10);
    drop(black_box(Vec::<u8>::with_capacity(LARGEST)));
}

/// Has the allocator put away what was freed. glibc's sorts freed blocks only when a later large request comes by, at
/// most 10,000 of them a request: without this the next library of the round pays for what the last one dropped (a
/// clone of `save` that takes 50 us took 4.8 ms behind a library that allocates every node).
fn settle() {
    const LARGE: usize = 100 << 10;
    const REQUESTS: usize = 256;
    for _ in 0..REQUESTS {
        drop(black_box(Vec::<u8>::with_capacity(LARGE)));
    }
}
