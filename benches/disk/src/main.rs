//! Saves, loads and reads one value with each library, in rounds, and prints medians.

#![forbid(unsafe_code)]

mod peers;
mod users;

use std::time::Instant;

use anyhow::Result;

/// Larger states are measured with ours and those that read in place only: the others take minutes and all memory.
const MAX_WHOLE: usize = 200;
const ROUNDS: usize = 7;

fn main() -> Result<()> {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|size| size.parse()).collect::<Result<_, _>>()?;
    for size in if sizes.is_empty() { vec![10, 100] } else { sizes } {
        let users = users::generate(size);
        let dir = tempfile::tempdir_in(std::env::var_os("BENCH_DIR").unwrap_or_else(|| ".".into()))?;
        for peer in peers::all(&users, size <= MAX_WHOLE) {
            let mut peer = peer(&users, dir.path())?;
            // Warms up, and checks.
            peer.save()?;
            anyhow::ensure!(peer.load()? == users.len(), "{}: another number of users", peer.name());
            let wanted = &users[users.len() / 2].name;
            anyhow::ensure!(peer.open_read_one(users.len() / 2)? == *wanted, "{}: another name", peer.name());
            let rounds = if size > MAX_WHOLE { 3 } else { ROUNDS };
            report(size, "save", &*peer, rounds, |peer| peer.save())?;
            report(size, "load", &*peer, rounds, |peer| peer.load().map(drop))?;
            report(size, "open_read_one", &*peer, ROUNDS * 3, |peer| peer.open_read_one(users.len() / 2).map(drop))?;
            if peer.open()? {
                report(size, "read_one_again", &*peer, ROUNDS * 30, |peer| peer.read_one(users.len() / 2).map(drop))?;
            }
        }
    }
    Ok(())
}

fn report(
    size: usize,
    operation: &str,
    peer: &dyn peers::Peer,
    rounds: usize,
    work: impl Fn(&dyn peers::Peer) -> Result<()>,
) -> Result<()> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        work(peer)?;
        times.push(start.elapsed().as_nanos());
    }
    times.sort_unstable();
    println!("users-{size}\t{operation}\t{}\t{}\t{}", peer.name(), times[times.len() / 2], peer.bytes()?);
    Ok(())
}
