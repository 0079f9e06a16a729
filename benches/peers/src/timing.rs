//! One timing: an engine traces rays, and a clock measures it.

use std::time::{Duration, Instant};

use hitscan::{Hit, Ray};
use hitscan_benches::RaySet;
use rayon::prelude::*;

use crate::engines::{Calls, Engine};

/// The minimum duration of one timing; short ray sets are traced several times.
const MIN_TIMED: Duration = Duration::from_millis(20);

/// The number of rays that a thread takes at a time.
const CHUNK: usize = 4096;

/// The memory for answers, the same for all engines.
pub(crate) struct Answers {
    /// For closest-hit sets.
    pub(crate) hits: Vec<Option<Hit>>,
    /// For any-hit sets.
    pub(crate) occluded: Vec<bool>,
}

impl Answers {
    /// Room for the answers of `n_rays`.
    pub(crate) fn new(n_rays: usize) -> Self {
        Self { hits: vec![None; n_rays], occluded: vec![false; n_rays] }
    }

    /// Overwrites the answers of the engine before, so that no engine passes with another's answers.
    pub(crate) fn spoil(&mut self) {
        self.hits.fill(None);
        self.occluded.fill(false);
    }
}

/// Makes an engine answer all rays of a set. With several threads, rayon's current pool shares out the
/// rays in chunks, unless the engine takes them all at once and shares them out itself.
pub(crate) fn trace(
    engine: &dyn Engine,
    calls: Calls,
    set: &RaySet,
    n_threads: usize,
    answers: &mut Answers,
) {
    let rays: &[Ray] = &set.rays;
    let is_shared_out = calls != Calls::Batch && n_threads > 1;
    match (set.kind.asks_for_any_hit(), is_shared_out) {
        (false, false) => engine.closest(rays, &mut answers.hits),
        (true, false) => engine.occluded(rays, &mut answers.occluded),
        (false, true) => rays
            .par_chunks(CHUNK)
            .zip(answers.hits.par_chunks_mut(CHUNK))
            .for_each(|(rays, hits)| engine.closest(rays, hits)),
        (true, true) => rays
            .par_chunks(CHUNK)
            .zip(answers.occluded.par_chunks_mut(CHUNK))
            .for_each(|(rays, occluded)| engine.occluded(rays, occluded)),
    }
}

/// The number of passes in one timing, from the duration of one pass.
pub(crate) fn n_passes(one_pass: Duration) -> usize {
    let one_pass = one_pass.as_secs_f64().max(1e-9);
    (MIN_TIMED.as_secs_f64() / one_pass).ceil().max(1.0) as usize
}

/// Nanoseconds per ray of `n_passes` passes, after an untimed one. The engine before has driven the tree
/// out of the caches, and loading it again takes up to a fifth of a pass.
pub(crate) fn ns_per_ray(
    engine: &dyn Engine,
    calls: Calls,
    set: &RaySet,
    n_threads: usize,
    n_passes: usize,
    answers: &mut Answers,
) -> f64 {
    trace(engine, calls, set, n_threads, answers);
    let clock = Clock::start(n_threads);
    for _ in 0..n_passes {
        trace(engine, calls, set, n_threads, answers);
    }
    1e9 * clock.seconds() / (n_passes * set.rays.len()) as f64
}

/// CPU time of the whole process for one thread, so that helper threads count; wall time for more
/// threads.
pub(crate) enum Clock {
    /// The start.
    Wall(Instant),
    /// The seconds accumulated before.
    #[cfg(unix)]
    Cpu(f64),
}

impl Clock {
    /// Starts the clock for work on `n_threads` threads.
    #[cfg(unix)]
    pub(crate) fn start(n_threads: usize) -> Self {
        if n_threads == 1 { Self::Cpu(cpu_seconds()) } else { Self::Wall(Instant::now()) }
    }

    /// Starts the clock.
    #[cfg(not(unix))]
    pub(crate) fn start(_n_threads: usize) -> Self {
        Self::Wall(Instant::now())
    }

    /// Seconds since the start.
    pub(crate) fn seconds(self) -> f64 {
        match self {
            Self::Wall(start) => start.elapsed().as_secs_f64(),
            #[cfg(unix)]
            Self::Cpu(start) => cpu_seconds() - start,
        }
    }

    /// The name of the time that [`Clock::start`] measures for `n_threads` threads.
    pub(crate) fn name(n_threads: usize) -> &'static str {
        if n_threads == 1 && cfg!(unix) { "CPU time" } else { "wall time" }
    }
}

#[cfg(unix)]
fn cpu_seconds() -> f64 {
    seconds_on(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn seconds_on(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Fails if idle threads take CPU time, as those of schedulers do that poll for work. The clock would
/// charge that time to the engine under measurement. A thread that has just run out of work may poll for
/// a moment, which the check permits.
#[cfg(unix)]
pub(crate) fn expect_no_other_thread_at_work() -> Result<(), String> {
    const AT_MOST: f64 = 0.05;
    const TRIES: usize = 10;
    let share = (0..TRIES).map(|_| share_of_other_threads()).fold(f64::INFINITY, f64::min);
    if share <= AT_MOST {
        return Ok(());
    }
    Err(format!(
        "threads that should wait take {:.0} % of the time of the one that is measured",
        100.0 * share
    ))
}

/// The CPU time of all other threads while this one works for a tenth of a second, as a share of this
/// one's.
#[cfg(unix)]
fn share_of_other_threads() -> f64 {
    let clocks = [rustix::time::ClockId::ProcessCPUTime, rustix::time::ClockId::ThreadCPUTime];
    let before = clocks.map(seconds_on);
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(100) {
        std::hint::spin_loop();
    }
    let [process, thread] = [0, 1].map(|which| seconds_on(clocks[which]) - before[which]);
    process / thread - 1.0
}

#[cfg(not(unix))]
pub(crate) fn expect_no_other_thread_at_work() -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use hitscan_benches::RayKind;

    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_thread_at_work_beside_the_measured_one_is_noticed() {
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !is_over.load(relaxed) {
                    std::hint::spin_loop();
                }
            });
            std::thread::sleep(Duration::from_millis(20));
            let noticed = expect_no_other_thread_at_work();
            is_over.store(true, relaxed);
            assert!(noticed.is_err(), "{noticed:?}");
        });
    }

    /// Sleeps for every ray: it takes time, but no CPU time.
    struct Sleeper;

    impl Engine for Sleeper {
        fn closest(&self, rays: &[Ray], _hits: &mut [Option<Hit>]) {
            rays.iter().for_each(|_| std::thread::sleep(Duration::from_millis(1)));
        }

        fn occluded(&self, _rays: &[Ray], _occluded: &mut [bool]) {}
    }

    #[test]
    fn more_threads_than_one_are_timed_by_the_wall_clock() {
        let rays = vec![Ray::new([0.0; 3], [0.0, 0.0, 1.0]); 8];
        let set = RaySet { kind: RayKind::Primary, rays };
        let mut answers = Answers::new(8);
        assert!(ns_per_ray(&Sleeper, Calls::Batch, &set, 2, 1, &mut answers) >= 1e6);
        assert_eq!(Clock::name(2), "wall time");
    }

    #[test]
    fn short_sets_are_traced_until_the_clock_can_tell() {
        assert_eq!(n_passes(Duration::from_millis(3)), 7);
        assert_eq!(n_passes(Duration::from_secs(2)), 1);
        assert!(n_passes(Duration::ZERO) > 1000);
    }
}
