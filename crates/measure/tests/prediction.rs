//! Prediction meets outcome: what a libc call will cost under `tsc`, told while another clocksource
//! is in force, and measured after the switch.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{SHIM, alone, clocks, host, price, run, with_shim};
use std::fs;
use toll_model::Quality;
use toll_testing::{Need, needs};

const CURRENT: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const LIST: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";

/// The clocksource as it was found, put back whatever happens.
struct PutBack(String);

impl Drop for PutBack {
    fn drop(&mut self) {
        fs::write(CURRENT, &self.0).expect("the clocksource can be put back");
    }
}

#[test]
fn the_price_under_tsc_is_predicted_within_five_percent() {
    needs!(Need::Root, Need::Tsc, Need::File(SHIM));
    let list = fs::read_to_string(LIST).unwrap();
    let Some(other) = list.split_whitespace().find(|name| *name != "tsc") else {
        needs!(Need::File("a second clocksource"));
        return;
    };
    let _alone = alone();
    let found = fs::read_to_string(CURRENT).unwrap().trim().to_string();
    if fs::write(CURRENT, &found).is_err() {
        needs!(Need::File("a writable current_clocksource"));
        return;
    }
    let _put_back = PutBack(found);
    let under = |name: &str| {
        fs::write(CURRENT, name).unwrap();
        assert_eq!(fs::read_to_string(CURRENT).unwrap().trim(), name, "the kernel took it");
        let outcome = run(&with_shim(clocks(&["CLOCK_MONOTONIC"])), &host());
        let of = |path: &str| price(&outcome, &format!("clock/CLOCK_MONOTONIC/{path}/native/t1"));
        let own_core =
            outcome.quality.instructions_per_cycle.is_none_or(|n| n >= Quality::OWN_CORE);
        Under { predicted: of("twin") + of("libc-vdso"), libc: of("libc"), own_core }
    };
    let mut seen = Vec::new();
    for _ in 0..8 {
        // ABBA: what drifts falls on both alike.
        let [a, b, c, d] = [other, "tsc", "tsc", other].map(under);
        let predicted = f64::midpoint(a.predicted, d.predicted);
        let came_out = f64::midpoint(b.libc, c.libc);
        // The promise is for an idle core. On one that another hardware thread shares now more, now
        // less, prices move by a fifth between two runs, and with them what came out.
        let idle = [&a, &b, &c, &d].iter().all(|one| one.own_core);
        let error = predicted / came_out - 1.0;
        println!(
            "{other}: {:.2} ns; predicted {predicted:.2}, came out as {came_out:.2} ({:+.1}%), \
             core {}",
            a.libc,
            error * 100.0,
            if idle { "idle" } else { "shared" }
        );
        if error.abs() <= if idle { 0.05 } else { 0.15 } {
            return;
        }
        seen.push((predicted, came_out, idle));
    }
    panic!("never within the bound: (predicted, came out, idle core) = {seen:.2?}");
}

/// What one run under one clocksource gave, ns.
struct Under {
    predicted: f64,
    libc: f64,
    own_core: bool,
}
