//! toll's figures held against instruments that are not ours, interleaved with them.

mod common;

use common::{SHIM, alone, clocks, host, price, program, run, with_shim, within};
use std::process::Command;
use std::time::Duration;
use toll_measure::clocks::Plan;
use toll_testing::{Need, needs};

/// Nanoseconds that `perf bench syscall basic` says a getppid takes, on the CPU toll measures on.
///
/// 2 ms a time: it prints a mean, and a longer run holds whatever else the machine does.
fn perf_bench(cpu: u32) -> Option<f64> {
    let cpu = cpu.to_string();
    let output = Command::new("taskset")
        .args(["-c", &cpu, "perf", "bench", "syscall", "basic", "--loop", "20000"])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let micros = text.lines().find(|line| line.contains("usecs/op"))?;
    Some(micros.split_whitespace().next()?.parse::<f64>().ok()? * 1000.0)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// perf counts its own loop and libc's wrapper, 1 to 2 ns: it may read a little more, and both must
/// agree within 5%.
#[test]
fn the_empty_system_call_costs_what_perf_bench_says() {
    needs!(Need::Program("perf"), Need::Program("taskset"));
    let _alone = alone();
    let host = host();
    let plan = Plan { budget: Duration::from_millis(50), ..clocks(&["time"]) };
    within(6, 0.05, "getppid, toll against perf bench", || {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let outcome = run(&plan, &host);
            ours.push(price(&outcome, "crossing/getppid/syscall/native/t1"));
            let cpu = outcome.quality.cpu.unwrap();
            for _ in 0..5 {
                theirs.push(perf_bench(cpu).expect("perf bench syscall basic answers"));
            }
        }
        (median(ours), median(theirs))
    });
}

/// pg_test_timing prints the time of one loop with one reading of CLOCK_MONOTONIC through libc.
fn pg_test_timing(program: &std::path::Path, cpu: u32) -> Option<f64> {
    let output = Command::new("taskset")
        .args(["-c", &cpu.to_string()])
        .arg(program)
        .args(["-d", "1"])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.contains("Per loop time"))?;
    line.split_whitespace().find_map(|word| word.parse().ok())
}

/// It does not subtract its loop, and prints a mean that holds whatever else the machine does: toll
/// must read less, though not next to nothing.
#[test]
fn pg_test_timing_is_an_upper_bound() {
    let Some(pg_test_timing_path) = program("pg_test_timing") else {
        needs!(Need::Program("pg_test_timing"));
        return;
    };
    needs!(Need::Program("taskset"), Need::File(SHIM));
    let _alone = alone();
    let host = host();
    let plan = with_shim(clocks(&["CLOCK_MONOTONIC"]));
    let mut seen = Vec::new();
    for _ in 0..5 {
        let outcome = run(&plan, &host);
        let ours = price(&outcome, "clock/CLOCK_MONOTONIC/libc/native/t1");
        let theirs = pg_test_timing(&pg_test_timing_path, outcome.quality.cpu.unwrap()).unwrap();
        seen.push((ours, theirs));
        if ours < theirs && ours > theirs / 4.0 {
            println!("CLOCK_MONOTONIC: {ours:.2} ns, pg_test_timing {theirs:.2} ns with its loop");
            return;
        }
    }
    panic!("(toll, pg_test_timing) = {seen:?}");
}
