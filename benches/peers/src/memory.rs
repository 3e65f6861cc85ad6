//! What a stretch of the program allocates. In a build with the feature `memory` a counting allocator
//! stands before the system's; in any other build nothing is counted and nothing is paid.
//!
//! Two crates do the counting, one inside the other: `peakmem-alloc` keeps the peak, `stats_alloc` the
//! number of calls. A reallocation counts as one allocation; it adds its growth alone to the peak, as if the
//! block grew in place.

/// Whether this build counts.
pub const COUNTED: bool = cfg!(feature = "memory");

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// The most bytes that were held at once, of those allocated in the stretch.
    pub peak_bytes: usize,
    /// Allocations and reallocations.
    pub allocations: usize,
}

#[cfg(feature = "memory")]
mod counting {
    use std::alloc::System;

    use peakmem_alloc::{PeakMemAlloc, PeakMemAllocTrait};
    use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

    #[global_allocator]
    static ALLOCATOR: PeakMemAlloc<&StatsAlloc<System>> = PeakMemAlloc::new(&INSTRUMENTED_SYSTEM);

    pub struct Start {
        calls: usize,
    }

    pub fn start() -> Start {
        ALLOCATOR.reset_peak_memory();
        Start { calls: calls() }
    }

    pub fn since(start: Start) -> super::Memory {
        super::Memory { peak_bytes: ALLOCATOR.get_peak_memory(), allocations: calls() - start.calls }
    }

    fn calls() -> usize {
        let stats = INSTRUMENTED_SYSTEM.stats();
        stats.allocations + stats.reallocations
    }
}

#[cfg(not(feature = "memory"))]
mod counting {
    pub struct Start;

    pub fn start() -> Start {
        Start
    }

    pub fn since(_: Start) -> super::Memory {
        super::Memory::default()
    }
}

pub use counting::{since, start};

#[cfg(all(test, feature = "memory"))]
mod tests {
    use std::hint::black_box;

    use super::{Memory, since, start};

    #[test]
    fn peak_and_count_are_those_of_the_stretch() {
        // Other tests allocate meanwhile: one undisturbed try is enough.
        let expected = Memory { peak_bytes: 1000, allocations: 2 };
        assert!((0..1000).any(|_| of_two_allocations() == expected));
    }

    fn of_two_allocations() -> Memory {
        let earlier = black_box(vec![0_u8; 5000]);
        let before = start();
        drop(black_box(Vec::<u8>::with_capacity(1000)));
        let kept = black_box(Vec::<u8>::with_capacity(300));
        let seen = since(before);
        drop((earlier, kept));
        seen
    }
}
