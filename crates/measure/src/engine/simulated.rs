//! A machine whose prices are known: the engine must find them.
//!
//! Virtual time advances by what a block costs: loop overhead, the price, jitter, now and then an
//! interrupt, now and then a context switch, and a frequency that drifts over the run.

use super::bench::{Bench, Block, Entry};
use super::result::{difference, measurement};
use super::schedule::{Limits, Rounds, run_rounds};
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use toll_model::stats::Rng;
use toll_model::{Measurement, Path, Shape, Stopped, Subject};

struct Machine {
    now_ns: f64,
    rng: Rng,
    /// Standard deviation of a block's jitter, as a part of its length.
    jitter: f64,
    /// Chance that an interrupt of 5 µs falls into a block, unseen by the engine.
    interrupts: f64,
    /// Chance that the thread is switched out for 1 ms, which the kernel's counter shows.
    switches: f64,
    /// How much slower the machine gets in a second of virtual time.
    drift_per_second: f64,
}

impl Machine {
    fn unit(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Roughly normal: the sum of twelve uniforms.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

struct Simulated {
    machine: Rc<RefCell<Machine>>,
    loop_ns: f64,
    price_ns: f64,
}

impl Bench for Simulated {
    fn run(&mut self, calls: u64) -> Result<Block, String> {
        let machine = &mut *self.machine.borrow_mut();
        let slower = 1.0 + machine.drift_per_second * machine.now_ns / 1e9;
        let mut nanos = calls as f64 * (self.loop_ns + self.price_ns) * slower;
        nanos *= 1.0 + machine.jitter * machine.normal();
        if machine.unit() < machine.interrupts {
            nanos += 5_000.0;
        }
        let disturbed = machine.unit() < machine.switches;
        if disturbed {
            nanos += 1e6;
        }
        machine.now_ns += nanos;
        Ok(Block { nanos, calls, disturbed })
    }
}

fn simulate(machine: Machine, loop_ns: f64, prices: &[f64]) -> (Vec<Measurement>, Rounds) {
    let machine = Rc::new(RefCell::new(machine));
    let bench = |price_ns| Simulated { machine: machine.clone(), loop_ns, price_ns };
    let mut entries = vec![Entry::baseline(bench(0.0))];
    for (index, &price) in prices.iter().enumerate() {
        let subject = Subject::clock(format!("clock{index}"), Path::Vdso, Shape::ONE);
        entries.push(Entry::row(subject, Some(0), bench(price)));
    }
    let limits = Limits {
        budget: Duration::from_secs(2),
        block: Duration::from_micros(100),
        min_rounds: 15,
        max_rounds: 400,
        precision: 0.01,
    };
    let clock = machine.clone();
    let rounds = run_rounds(
        &mut entries,
        &limits,
        &mut Rng::seeded(7),
        &mut || Duration::from_nanos(clock.borrow().now_ns as u64),
        &AtomicBool::new(false),
        &mut |_| {},
    );
    let rows = (1..entries.len()).filter_map(|i| measurement(&entries, i, &rounds)).collect();
    (rows, rounds)
}

fn quiet(seed: u64) -> Machine {
    Machine {
        now_ns: 0.0,
        rng: Rng::seeded(seed),
        jitter: 0.005,
        interrupts: 0.0,
        switches: 0.0,
        drift_per_second: 0.0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The promise of the measuring core: a known price is recovered within 1%, whatever the
    /// loop's own cost, on a machine that is interrupted, switched out and drifts.
    #[test]
    fn a_known_price_is_recovered_within_one_percent(
        seed in any::<u64>(),
        price in 5.0..20_000.0f64,
        loop_ns in 0.2..2.0f64,
    ) {
        let machine = Machine { interrupts: 0.03, switches: 0.02, drift_per_second: 0.002, ..quiet(seed) };
        let (rows, _) = simulate(machine, loop_ns, &[price]);
        let median = rows[0].median.unwrap();
        prop_assert!((median / price - 1.0).abs() < 0.01, "{median} for {price}");
    }

    /// Two prices of one run keep their ratio though the machine slows by a fifth meanwhile.
    #[test]
    fn ratios_survive_drift(seed in any::<u64>(), price in 10.0..1_000.0f64) {
        let machine = Machine { drift_per_second: 0.1, ..quiet(seed) };
        let (rows, _) = simulate(machine, 0.5, &[price, 3.0 * price]);
        let ratio = rows[1].median.unwrap() / rows[0].median.unwrap();
        prop_assert!((ratio / 3.0 - 1.0).abs() < 0.01, "{ratio}");
    }
}

#[test]
fn the_interval_covers_the_price_nineteen_times_in_twenty() {
    let covered = (0..400u64)
        .filter(|&seed| {
            let (rows, _) = simulate(quiet(seed), 0.8, &[22.35]);
            let [lo, hi] = rows[0].ci95.unwrap();
            (lo..=hi).contains(&22.35)
        })
        .count();
    // 380 expected; the intervals of the price and of the loop are combined, which errs on the
    // wide side. 360 is more than four standard deviations below.
    assert!(covered >= 360, "{covered} of 400");
}

#[test]
fn disturbed_blocks_are_thrown_away_and_counted() {
    let machine = Machine { switches: 0.3, ..quiet(3) };
    let (rows, rounds) = simulate(machine, 0.5, &[50.0]);
    let row = &rows[0];
    let all = rounds.rounds as f64;
    assert!((row.discarded_blocks as f64 / all - 0.3).abs() < 0.25, "{}", row.discarded_blocks);
    assert!((row.median.unwrap() / 50.0 - 1.0).abs() < 0.01);
    // The rate counts the time that was lost to others.
    assert!(row.calls_per_second.unwrap() < 0.7 * 1e9 / 50.5);
}

#[test]
fn it_stops_when_the_interval_is_narrow_and_says_so() {
    let (rows, rounds) = simulate(quiet(1), 0.5, &[100.0]);
    assert_eq!(rounds.stopped, Stopped::Precise);
    assert!(rows[0].relative_error().unwrap() < 0.01);
    let wild = Machine { jitter: 0.5, ..quiet(1) };
    let (rows, rounds) = simulate(wild, 0.5, &[100.0]);
    assert_eq!(rounds.stopped, Stopped::Time);
    assert_eq!(rows[0].stopped, Some(Stopped::Time));
}

#[test]
fn a_bench_that_breaks_is_a_row_with_its_reason() {
    struct Broken;
    impl Bench for Broken {
        fn run(&mut self, _: u64) -> Result<Block, String> {
            Err("the JVM died: exit status 1".into())
        }
    }
    let subject = Subject::clock("nanoTime", Path::Libc, Shape::ONE);
    let mut entries = vec![Entry::row(subject, None, Broken)];
    let limits = Limits {
        budget: Duration::from_millis(1),
        block: Duration::from_micros(100),
        min_rounds: 1,
        max_rounds: 10,
        precision: 0.01,
    };
    let mut ticks = 0;
    let mut elapsed = || {
        ticks += 100;
        Duration::from_micros(ticks)
    };
    let rounds = run_rounds(
        &mut entries,
        &limits,
        &mut Rng::seeded(1),
        &mut elapsed,
        &AtomicBool::new(false),
        &mut |_| {},
    );
    let row = measurement(&entries, 0, &rounds).unwrap();
    assert_eq!(row.unavailable.as_deref(), Some("the JVM died: exit status 1"));
    assert!(row.is_whole());
}

#[test]
fn a_difference_pairs_blocks_of_the_same_round() {
    let raw =
        |pairs: &[(u64, f64)]| super::schedule::Raw { kept: pairs.to_vec(), ..Default::default() };
    let longer = raw(&[(0, 23.0), (1, 24.0), (3, 30.0), (4, 23.5), (5, 23.0), (7, 23.0)]);
    let shorter = raw(&[(0, 22.0), (2, 22.0), (3, 29.0), (4, 22.5), (5, 22.0), (7, 22.0)]);
    let subject = Subject::clock("CLOCK_TAI", Path::LibcMinusVdso, Shape::ONE);
    let row = difference(subject, &longer, &shorter, 0.0);
    assert_eq!(row.samples, [1.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(row.median, Some(1.0));
}

/// One entry that costs `price` a call and does, besides, whatever `odd` says: it is given the
/// number of the block and its honest length, and returns what the stopwatch shows and what passes.
fn odd(
    price: f64,
    budget: Duration,
    odd: impl Fn(u64, f64) -> (f64, f64),
) -> (Measurement, Rounds, f64) {
    struct Odd<F> {
        price: f64,
        blocks: u64,
        now_ns: Rc<RefCell<f64>>,
        odd: F,
    }
    impl<F: Fn(u64, f64) -> (f64, f64)> Bench for Odd<F> {
        fn run(&mut self, calls: u64) -> Result<Block, String> {
            let (shown, passed) = (self.odd)(self.blocks, calls as f64 * self.price);
            self.blocks += 1;
            *self.now_ns.borrow_mut() += passed;
            Ok(Block { nanos: shown, calls, disturbed: false })
        }
    }
    let now_ns = Rc::new(RefCell::new(0.0));
    let subject = Subject::clock("CLOCK_REALTIME", Path::Vdso, Shape::ONE);
    let bench = Odd { price, blocks: 0, now_ns: now_ns.clone(), odd };
    let mut entries = vec![Entry::row(subject, None, bench)];
    let limits = Limits {
        budget,
        block: Duration::from_micros(100),
        min_rounds: 15,
        max_rounds: 100,
        precision: 1e-9,
    };
    let rounds = run_rounds(
        &mut entries,
        &limits,
        &mut Rng::seeded(1),
        &mut || Duration::from_nanos(*now_ns.borrow() as u64),
        &AtomicBool::new(false),
        &mut |_| {},
    );
    let row = measurement(&entries, 0, &rounds).unwrap();
    let passed = *now_ns.borrow();
    (row, rounds, passed)
}

#[test]
fn a_machine_on_which_a_round_takes_the_whole_budget_gives_figures_all_the_same() {
    let budget = Duration::from_millis(100);
    let (row, rounds, _) = odd(20_000.0, budget, |_, ns| (ns, ns + 30e6));
    assert_eq!(rounds.rounds, Limits::FEWEST_ROUNDS);
    assert_eq!(row.median, Some(20_000.0));
    // But not for ever.
    let (row, rounds, passed) = odd(20_000.0, budget, |_, ns| (ns, ns + 200e6));
    assert!(rounds.rounds < Limits::FEWEST_ROUNDS);
    assert!(row.unavailable.is_some_and(|why| why.starts_with("time was up")));
    assert!(passed < 1e9 * 0.1 * (Limits::OVERTIME + 3.0), "{passed}");
}

#[test]
fn one_pass_that_was_interrupted_does_not_make_all_blocks_too_short() {
    for interrupted in 0..4 {
        let (row, ..) = odd(1.0, Duration::from_secs(1), |n, ns| {
            let ns = if n == interrupted { ns + 5e6 } else { ns };
            (ns, ns)
        });
        assert!(row.calls_per_block.unwrap() >= 60_000, "{interrupted}: {:?}", row.calls_per_block);
    }
}

#[test]
fn a_stopwatch_that_stands_still_for_a_pass_does_not_make_a_block_without_end() {
    for standing in 0..3 {
        let (row, _, passed) = odd(40_000.0, Duration::from_secs(1), |n, ns| {
            (if n == standing { 0.0 } else { ns }, ns)
        });
        assert_eq!(row.calls_per_block, Some(16), "{standing}");
        assert!(passed < 2e9, "{standing}: {passed}");
    }
}

#[test]
fn blocks_are_as_long_as_the_stopwatch_asks_and_the_budget_allows() {
    let block = |budget, least| {
        Limits::block_for(Duration::from_millis(budget), 15, 70, Duration::from_micros(least))
    };
    // A counter: 20 ns a reading. An HPET: 2 µs. Xen's clock under an emulator: 20 µs.
    assert_eq!(block(2_500, 40), Duration::from_micros(100));
    assert_eq!(block(60_000, 4_000), Duration::from_micros(4_000));
    let rounds = |block: Duration| 2_500.0 / (block.as_secs_f64() * 1e3 * 70.0);
    assert!(rounds(block(2_500, 4_000)) >= 15.0 && rounds(block(2_500, 40_000)) >= 15.0);
    assert_eq!(block(1, 40_000), Duration::from_micros(100));
}
