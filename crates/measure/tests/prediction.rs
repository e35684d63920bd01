//! Prediction meets outcome: what a libc call will cost under `tsc`, told while another clocksource
//! is in force, and measured after the switch.

mod common;

use common::{SHIM, alone, clocks, host, price, run, with_shim, within};
use std::fs;
use toll_testing::{Need, needs};

const CURRENT: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const LIST: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
const CHAIN: &str = "engine/multiply/user/native/t1";

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
        let predicted = of("twin") + of("libc-vdso");
        (predicted, of("libc"), price(&outcome, CHAIN))
    };
    within(6, 0.05, &format!("libc's price under tsc, told under {other}"), || {
        let (predicted, before, chain_before) = under(other);
        let (_, outcome, chain_after) = under("tsc");
        // In the speed that the core had when the prediction was made.
        let outcome = outcome * chain_before / chain_after;
        println!("{other}: {before:.2} ns; predicted {predicted:.2}, came out as {outcome:.2}");
        (predicted, outcome)
    });
}
