//! The method: warm up, then rounds in which every library gives one sample, then medians. Knows nothing of
//! what the libraries do.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use marshal_bench_data::Dataset;

use crate::input::runs_per_sample;
use crate::memory::Memory;
use crate::options::Options;
use crate::peers::{Entrant, Operation};
use crate::stopwatch::Sample;

const FEWEST_ROUNDS: usize = 5;
const MOST_ROUNDS: usize = 1000;

/// What was measured of one library.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub library: &'static str,
    pub median_nanoseconds: f64,
    pub message_bytes: usize,
    pub memory: Memory,
}

/// Measures every entrant that offers the operation, in the entrants' order.
pub fn measure(
    entrants: &mut [Entrant],
    operation: Operation,
    options: &Options,
    dataset: Dataset,
    progress: &Progress,
) -> Vec<Outcome> {
    // Counting is exact the first time; one run is also what a count is read for.
    let runs = if options.memory { 1 } else { runs_per_sample(dataset) };
    progress.says(format!("{dataset}: {}", operation.name()));
    let mut tracks: Vec<Track<'_>> = entrants
        .iter_mut()
        .filter_map(|entrant| {
            // The warm-up, and the question whether the library offers the operation.
            entrant.peer.sample(operation, runs)?;
            Some(Track { entrant, samples: Vec::new() })
        })
        .collect();
    let start = Instant::now();
    let limit = Limit::new(options);
    let mut round = 0;
    while !limit.reached(round, start.elapsed()) {
        for track in &mut tracks {
            // The first of two brings the library's own data back into the caches, from which the library before it
            // has driven it: what counts is a library at work, not the change from one to the next.
            let again = track.entrant.peer.sample(operation, runs);
            track.samples.extend(if options.memory { again } else { track.entrant.peer.sample(operation, runs) });
        }
        round += 1;
        progress.shows(limit.part_done(round, start.elapsed()));
    }
    tracks.into_iter().map(|track| track.outcome(operation)).collect()
}

struct Track<'a> {
    entrant: &'a mut Entrant,
    samples: Vec<Sample>,
}

impl Track<'_> {
    fn outcome(self, operation: Operation) -> Outcome {
        Outcome {
            library: self.entrant.name,
            median_nanoseconds: median(self.samples.iter().map(|sample| sample.nanoseconds).collect()),
            message_bytes: match operation {
                Operation::Clone => 0,
                _ => self.entrant.peer.message_len(),
            },
            memory: self.samples.last().map(|sample| sample.memory).unwrap_or_default(),
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

enum Limit {
    Rounds(usize),
    Time(Duration),
}

impl Limit {
    fn new(options: &Options) -> Limit {
        match options.rounds {
            _ if options.memory => Limit::Rounds(1),
            Some(rounds) => Limit::Rounds(rounds as usize),
            None => Limit::Time(Duration::from_secs_f64(options.seconds)),
        }
    }

    fn reached(&self, round: usize, elapsed: Duration) -> bool {
        match *self {
            Limit::Rounds(rounds) => round >= rounds,
            Limit::Time(budget) => round >= MOST_ROUNDS || (round >= FEWEST_ROUNDS && elapsed >= budget),
        }
    }

    fn part_done(&self, round: usize, elapsed: Duration) -> f64 {
        match *self {
            Limit::Rounds(rounds) => round as f64 / rounds as f64,
            Limit::Time(budget) => {
                let by_time = elapsed.as_secs_f64() / budget.as_secs_f64().max(f64::MIN_POSITIVE);
                by_time.min(round as f64 / FEWEST_ROUNDS as f64)
            }
        }
    }
}

/// A line on standard error, where that is a terminal; nothing otherwise.
pub struct Progress(ProgressBar);

impl Progress {
    const STEPS: u64 = 100;

    pub fn new(options: &Options) -> Progress {
        let target = if options.list { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(Self::STEPS), target);
        // The template is a constant: it parses or a developer sees that it does not.
        bar.set_style(ProgressStyle::with_template("{bar:24} {msg}").unwrap());
        Progress(bar)
    }

    /// Starts a step.
    pub fn says(&self, message: String) {
        self.0.set_position(0);
        self.0.set_message(message);
        self.0.tick();
    }

    fn shows(&self, part: f64) {
        self.0.set_position((part.min(1.0) * Self::STEPS as f64) as u64);
    }

    pub fn hidden_while<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.suspend(work)
    }

    pub fn ends(&self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn median_is_the_middle_or_the_mean_of_the_two() {
        assert_eq!(median(vec![9.0, 1.0, 4.0]), 4.0);
        assert_eq!(median(vec![9.0, 1.0, 4.0, 2.0]), 3.0);
    }
}
