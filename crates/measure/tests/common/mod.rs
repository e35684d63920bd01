//! What the tests that really measure share.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::print_stdout)]

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use toll_measure::clocks::{Clock, InSitu, Outcome, Plan, measure};
use toll_model::Host;

/// The preloaded object, where `make` puts it.
pub const SHIM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/embed/libtoll_shim.so");
/// The Java loops, likewise.
pub const JAR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/embed/toll-probe.jar");

/// One measurement at a time: the tests of a file run side by side otherwise.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This machine.
pub fn host() -> Host {
    toll_host::read(&toll_host::Roots::live())
}

/// Some clocks, idle only.
pub fn clocks(names: &[&str]) -> Plan<'static> {
    Plan {
        clocks: names.iter().map(|name| name.parse::<Clock>().unwrap()).collect(),
        in_situ: InSitu::default(),
        cpu: None,
        budget: Duration::from_millis(300),
        seed: None,
        java: Vec::new(),
        java_named: false,
        shim: None,
        java_probe: None,
    }
}

/// The plan, with the preloaded object that lies at [`SHIM`].
pub fn with_shim(plan: Plan<'static>) -> Plan<'static> {
    Plan { shim: Some(std::fs::read(SHIM).unwrap().leak()), ..plan }
}

/// Measures.
pub fn run(plan: &Plan<'_>, host: &Host) -> Outcome {
    measure(plan, host, &mut |_| {}, &AtomicBool::new(false)).unwrap()
}

/// The median of a row.
///
/// # Panics
/// Without such a row, or with the reason why it has no figure.
pub fn price(outcome: &Outcome, id: &str) -> f64 {
    let row = outcome.measurements.iter().find(|m| m.id == id);
    let row = row.unwrap_or_else(|| panic!("no row {id}"));
    row.median.unwrap_or_else(|| panic!("{id}: {:?}", row.unavailable))
}

/// A figure held against another, in up to `tries` tries: neighbours of a shared machine may spoil
/// one, but an error of toll's own would spoil all.
pub fn within(tries: u32, tolerance: f64, what: &str, mut attempt: impl FnMut() -> (f64, f64)) {
    let mut seen = Vec::new();
    for _ in 0..tries {
        let (found, expected) = attempt();
        seen.push((found, expected));
        if (found / expected - 1.0).abs() <= tolerance {
            println!("{what}: {found:.2} for {expected:.2}, after {} tries", seen.len());
            return;
        }
    }
    panic!("{what}: never within {:.0}%: (found, expected) = {seen:.2?}", tolerance * 100.0);
}

/// A program on PATH or in one of Debian's folders for servers.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let postgres = (9..30).map(|v| PathBuf::from(format!("/usr/lib/postgresql/{v}/bin")));
    std::env::split_paths(&path).chain(postgres).map(|dir| dir.join(name)).find(|p| p.is_file())
}
