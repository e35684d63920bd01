//! Whether CPUs agree: two threads hand fenced readings of the counter to and fro.
//!
//! A reading that one CPU takes between two of the other's bounds the offset of their counters by
//! causality. The narrowest of many bounds is kept; it is never zero, for no message takes no time.

use super::warp::warp;
use crate::engine::Stopwatch;
use crate::sys::{self, CpuSet};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use toll_model::probe::{CoreOffset, OffsetOutcome};
use toll_model::stats::Rng;
use toll_model::{Fact, Host};

/// The least time for one pair: the kernel's own warp test takes as long (check_tsc_warp, 20 ms).
const LEAST_PER_PAIR: Duration = Duration::from_millis(20);
const MOST_PER_PAIR: Duration = Duration::from_millis(100);

/// Bounds for a sample of pairs out of the CPUs that this process may use, within `budget`.
pub fn core_offsets(host: &Host, budget: Duration, seed: u64) -> Vec<CoreOffset> {
    let cpus = sys::affinity().map(|set| set.list()).unwrap_or_default();
    let most = (budget.as_millis() / LEAST_PER_PAIR.as_millis()).max(1) as usize;
    let pairs = sample(&cpus, most, &mut Rng::seeded(seed));
    if pairs.is_empty() {
        return Vec::new();
    }
    let stopwatch = Stopwatch::choose(host);
    let each = (budget / pairs.len() as u32).clamp(LEAST_PER_PAIR, MOST_PER_PAIR);
    pairs
        .into_iter()
        .map(|cpus| CoreOffset {
            cpus,
            outcome: bound(cpus, each, &stopwatch).map_or_else(Fact::unavailable, Fact::Known),
        })
        .collect()
}

/// Every pair, as many at once as share no CPU: bounds, the kernel's warp test with fenced readings
/// and, for contrast, without. Each pair takes three times `each`.
pub fn order(
    host: &Host,
    cpus: &[u32],
    each: Duration,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Vec<CoreOffset> {
    let allowed = sys::affinity().map(|set| set.list()).unwrap_or_default();
    let cpus = if cpus.is_empty() { &allowed } else { cpus };
    let stopwatch = Stopwatch::choose(host);
    let rounds = tournament(cpus);
    let mut found = Vec::new();
    for (index, round) in rounds.iter().enumerate() {
        progress(index as f64 / rounds.len() as f64);
        if stop.load(Ordering::Relaxed) {
            break;
        }
        std::thread::scope(|scope| {
            let pairs: Vec<_> = round
                .iter()
                .map(|&cpus| (cpus, scope.spawn(move || in_full(cpus, each, &stopwatch))))
                .collect();
            found.extend(pairs.into_iter().map(|(cpus, thread)| {
                let outcome = thread.join().unwrap_or_else(|_| Err("a thread panicked".into()));
                CoreOffset { cpus, outcome: outcome.map_or_else(Fact::unavailable, Fact::Known) }
            }));
        });
    }
    found.sort_by_key(|offset| offset.cpus);
    found
}

fn in_full(cpus: [u32; 2], each: Duration, stopwatch: &Stopwatch) -> Result<OffsetOutcome, String> {
    let seen = bound(cpus, each, stopwatch)?;
    let calibration = stopwatch.calibration().ok_or("the counter is not to be relied on here")?;
    Ok(OffsetOutcome {
        fenced: Some(warp(cpus, each, true, calibration)?),
        unfenced: Some(warp(cpus, each, false, calibration)?),
        ..seen
    })
}

/// All pairs in rounds of pairs that share no member: everybody meets everybody (the circle method
/// of tournaments; Kirkman 1847).
fn tournament(cpus: &[u32]) -> Vec<Vec<[u32; 2]>> {
    let mut table: Vec<Option<u32>> = cpus.iter().copied().map(Some).collect();
    if table.len() % 2 == 1 {
        table.push(None);
    }
    let half = table.len() / 2;
    (1..table.len())
        .map(|_| {
            let round = (0..half)
                .filter_map(|i| Some((table[i]?, table[table.len() - 1 - i]?)))
                .map(|(a, b)| [a.min(b), a.max(b)])
                .collect();
            table[1..].rotate_right(1);
            round
        })
        .collect()
}

/// All pairs where they are few; else each CPU with the first, as far as that goes, and the rest
/// drawn at random, so that every socket is likely to meet every other.
fn sample(cpus: &[u32], most: usize, rng: &mut Rng) -> Vec<[u32; 2]> {
    let all = cpus.len() * cpus.len().saturating_sub(1) / 2;
    if all <= most {
        let pairs = |(i, &a): (usize, &u32)| cpus[i + 1..].iter().map(move |&b| [a, b]);
        return cpus.iter().enumerate().flat_map(pairs).collect();
    }
    let mut others: Vec<u32> = cpus[1..].to_vec();
    rng.shuffle(&mut others);
    let mut pairs: Vec<[u32; 2]> =
        others.iter().take(most.div_ceil(2)).map(|&other| [cpus[0], other]).collect();
    while pairs.len() < most {
        let mut draw = || cpus[rng.below(cpus.len() as u64) as usize];
        let (a, b) = (draw(), draw());
        let pair = [a.min(b), a.max(b)];
        if a != b && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// The two mailboxes, a cache line each.
#[derive(Default)]
#[repr(align(128))]
struct Mailbox(AtomicU64);

#[derive(Default)]
struct Table {
    ping: Mailbox,
    pong: Mailbox,
    over: AtomicBool,
}

/// What one side saw, in ticks.
struct Seen {
    bound: [i64; 2],
    round_trip: u64,
    rounds: u64,
    backward: u64,
    worst: u64,
}

fn bound(cpus: [u32; 2], time: Duration, stopwatch: &Stopwatch) -> Result<OffsetOutcome, String> {
    let calibration = match stopwatch {
        Stopwatch::Counter(calibration) => calibration,
        Stopwatch::Clock { why } => return Err(format!("the counters were not compared: {why}")),
    };
    let table = Table::default();
    let seen = std::thread::scope(|scope| {
        let responder = scope.spawn(|| respond(&table, cpus[1]));
        let asker = scope.spawn(|| ask(&table, cpus[0], time));
        let seen = asker.join();
        table.over.store(true, Ordering::Release);
        let responded = responder.join();
        responded.map_err(|_| "a thread panicked")??;
        seen.map_err(|_| "a thread panicked")?
    })?;
    if seen.rounds == 0 {
        return Err("no round trip in time: one of the CPUs has other work".into());
    }
    let nanos = |ticks: i64| (ticks as f64 * 1e9 / calibration.hz * 10.0).round() / 10.0;
    Ok(OffsetOutcome {
        bound_ns: seen.bound.map(nanos),
        round_trip_ns: nanos(seen.round_trip as i64),
        rounds: seen.rounds,
        backward: seen.backward,
        worst_backward_ns: nanos(seen.worst as i64),
        ..OffsetOutcome::default()
    })
}

fn pin(cpu: u32) -> Result<(), String> {
    sys::set_affinity(&CpuSet::of(&[cpu])).map_err(|e| format!("CPU {cpu}: {e}"))
}

fn respond(table: &Table, cpu: u32) -> Result<(), String> {
    pin(cpu)?;
    let mut last = 0;
    while !table.over.load(Ordering::Acquire) {
        let ping = table.ping.0.load(Ordering::Acquire);
        if ping != last {
            last = ping;
            table.pong.0.store(toll_clock::ordered(), Ordering::Release);
        } else {
            spin_loop();
        }
    }
    Ok(())
}

fn ask(table: &Table, cpu: u32, time: Duration) -> Result<Seen, String> {
    pin(cpu)?;
    let deadline = Instant::now() + time;
    let mut seen = Seen {
        bound: [i64::MIN, i64::MAX],
        round_trip: u64::MAX,
        rounds: 0,
        backward: 0,
        worst: 0,
    };
    let mut last = 0;
    while Instant::now() < deadline {
        let before = toll_clock::ordered();
        table.ping.0.store(before, Ordering::Release);
        let answer = loop {
            let answer = table.pong.0.load(Ordering::Acquire);
            if answer != last {
                break answer;
            }
            // Also ends where the other thread is not running.
            if toll_clock::unordered().wrapping_sub(before) > 1 << 22 && Instant::now() >= deadline
            {
                return Ok(seen);
            }
            spin_loop();
        };
        let after = toll_clock::ordered();
        last = answer;
        seen.rounds += 1;
        seen.round_trip = seen.round_trip.min(after.wrapping_sub(before));
        let (low, high) = (answer.wrapping_sub(after) as i64, answer.wrapping_sub(before) as i64);
        seen.bound = [seen.bound[0].max(low), seen.bound[1].min(high)];
        // Neither may happen: each reading was taken after the other side's had been seen.
        for step in [-high, low] {
            if step > 0 {
                seen.backward += 1;
                seen.worst = seen.worst.max(step as u64);
            }
        }
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_counter_to_rely_on_the_reason_is_told() {
        let stopwatch = Stopwatch::Clock { why: "no constant_tsc" };
        let why = bound([0, 0], LEAST_PER_PAIR, &stopwatch).map(|_| ()).unwrap_err();
        assert!(why.contains("were not compared: no constant_tsc"), "{why}");
    }

    #[test]
    fn samples_cover_every_pair_or_as_many_as_asked() {
        let mut rng = Rng::seeded(1);
        assert_eq!(sample(&[0], 10, &mut rng), Vec::<[u32; 2]>::new());
        assert_eq!(sample(&[0, 1, 2], 10, &mut rng), [[0, 1], [0, 2], [1, 2]]);
        let many: Vec<u32> = (0..128).collect();
        let pairs = sample(&many, 40, &mut rng);
        assert_eq!(pairs.len(), 40);
        let mut unique = pairs.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), 40);
        assert!(pairs.iter().all(|[a, b]| a < b));
    }

    #[test]
    fn everybody_meets_everybody_once_and_nobody_twice_in_a_round() {
        for count in 0..12u32 {
            let cpus: Vec<u32> = (0..count).collect();
            let rounds = tournament(&cpus);
            let mut all: Vec<[u32; 2]> = rounds.iter().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, sample(&cpus, usize::MAX, &mut Rng::seeded(1)), "{count} CPUs");
            for round in &rounds {
                let mut members: Vec<u32> = round.iter().flatten().copied().collect();
                members.sort_unstable();
                members.dedup();
                assert_eq!(members.len(), 2 * round.len());
            }
        }
    }

    #[test]
    fn fenced_readings_of_this_machine_keep_their_order() {
        let host = toll_host::read(&toll_host::Roots::live());
        let each = Duration::from_millis(30);
        let pairs = order(&host, &[], each, &AtomicBool::new(false), &mut |_| {});
        for pair in pairs {
            let Some(seen) = pair.outcome.known() else { continue };
            let fenced = seen.fenced.unwrap();
            assert!(fenced.readings > 1_000, "{fenced:?}");
            // A machine whose counters disagree would be found by the bound as well.
            assert_eq!(fenced.backward > 0, seen.backward > 0, "{seen:?}");
        }
    }

    #[test]
    fn two_cpus_of_this_machine_are_bounded() {
        let host = toll_host::read(&toll_host::Roots::live());
        let offsets = core_offsets(&host, Duration::from_millis(200), 1);
        for offset in &offsets {
            if let Some(seen) = offset.outcome.known() {
                let [lo, hi] = seen.bound_ns;
                assert!(hi - lo <= seen.round_trip_ns + 1.0, "{seen:?}");
                assert!(seen.round_trip_ns > 0.0 && seen.rounds > 0);
            }
        }
    }
}
