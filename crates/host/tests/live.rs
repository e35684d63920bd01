//! This machine, read for real.

use std::time::{Duration, Instant};
use toll_host::Roots;

#[test]
fn this_machine_can_be_read() {
    let host = toll_host::read(&Roots::live());
    assert!(host.kernel.known().is_some(), "{:?}", host.kernel);
    assert!(host.cpu.online.is_known_and(|cpus| !cpus.is_empty()), "{:?}", host.cpu);
    assert!(host.cpu.allowed.is_known_and(|cpus| !cpus.is_empty()), "{:?}", host.cpu);
    assert!(host.privileges.euid.known().is_some(), "{:?}", host.privileges);
    assert!(host.vdso.symbols.is_known_and(|names| !names.is_empty()), "{:?}", host.vdso);
    assert!(host.memory.is_known_and(|memory| memory.total > 0), "{:?}", host.memory);
    let json = serde_json::to_string(&host).unwrap();
    let back: toll_model::Host = serde_json::from_str(&json).unwrap();
    assert_eq!(back, host);
}

#[test]
fn a_live_reading_is_quick() {
    let quickest = (0..5)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(toll_host::read(&Roots::live()));
            start.elapsed()
        })
        .min()
        .unwrap();
    // 15 ms when optimised; tests are not.
    assert!(quickest < Duration::from_millis(150), "{quickest:?}");
}
