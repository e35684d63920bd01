//! Every human view of runs made by hand, as snapshots, and the rules that hold for all of them.

mod common;

use common::{blind, demoted, healthy};
use insta::assert_snapshot;
use toll_model::Run;
use toll_report::{Styles, View, check, clocks, host_lines, plain};

fn whole_check(run: &Run, view: &View) -> String {
    format!("{}\n{}", host_lines::render(&run.host, view), check::render(run, view, None))
}

fn verbose() -> View {
    View { verbose: true, ..View::default() }
}

#[test]
fn check_of_a_healthy_guest() {
    assert_snapshot!(whole_check(&healthy(), &View::default()));
}

#[test]
fn check_of_a_demoted_tsc() {
    assert_snapshot!(whole_check(&demoted(), &View::default()));
}

#[test]
fn check_with_evidence() {
    assert_snapshot!(whole_check(&demoted(), &verbose()));
}

#[test]
fn check_in_colour() {
    let view = View { styles: Styles::ansi(), ..View::default() };
    assert_snapshot!(whole_check(&demoted(), &view).replace('\u{1b}', "␛"));
}

#[test]
fn check_of_a_host_that_shows_nothing() {
    assert_snapshot!(whole_check(&blind(), &verbose()));
}

#[test]
fn check_on_a_narrow_terminal() {
    let view = View { width: 60, ..View::default() };
    assert_snapshot!(whole_check(&demoted(), &view));
}

#[test]
fn a_quiet_check_is_its_findings() {
    let view = View { quiet: true, ..View::default() };
    assert_snapshot!(check::render(&demoted(), &view, None));
    assert_eq!(check::render(&blind(), &view, None), "");
}

#[test]
fn check_of_a_run_without_prices() {
    let mut run = healthy();
    run.measurements.clear();
    run.probes = Default::default();
    run.quality = None;
    assert_snapshot!(check::render(&run, &View::default(), Some("old run.json")));
}

#[test]
fn a_noisy_run_says_so_under_its_prices() {
    let mut run = healthy();
    let quality = run.quality.as_mut().expect("a quality");
    quality.noisy = true;
    quality.reasons = vec!["known answer 2.31".into(), "steal 4.0%".into()];
    let text = check::render(&run, &View::default(), None);
    assert!(text.contains("! this run is noisy, do not trust its figures: known answer 2.31"));
    assert_snapshot!(clocks::render(&run, &View::default()));
}

#[test]
fn clocks_in_full() {
    assert_snapshot!(clocks::render(&healthy(), &verbose()));
}

#[test]
fn clocks_of_a_host_that_shows_nothing() {
    assert_snapshot!(clocks::render(&blind(), &View::default()));
}

#[test]
fn plain_rows() {
    assert_snapshot!(plain::render(&demoted()));
}

#[test]
fn an_emulated_machine_is_labelled() {
    let mut run = healthy();
    run.host.hypervisor.emulated = true;
    let text = whole_check(&run, &View::default());
    assert!(text.contains("EMULATED: its figures show function"), "{text}");
    assert!(text.contains("ns per call, EMULATED"), "{text}");
}

#[test]
fn every_plain_line_has_every_column() {
    let mut run = demoted();
    run.measurements[0].median = None;
    run.measurements[0].unavailable = Some("tabs\tand\nlines\rinside".into());
    for line in plain::render(&run).lines() {
        assert_eq!(line.split('\t').count(), plain::COLUMNS.len(), "{line}");
    }
}

#[test]
fn tables_stay_within_a_hundred_columns() {
    for run in [healthy(), demoted(), blind()] {
        let view = View::default();
        let text = whole_check(&run, &view) + &clocks::render(&run, &view);
        for line in text.lines().filter(|line| !line.trim_start().starts_with("try ")) {
            assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
        }
    }
}

#[test]
fn no_escape_is_left_open_and_none_is_there_without_colour() {
    let view = View { styles: Styles::ansi(), ..verbose() };
    for line in (whole_check(&demoted(), &view) + &clocks::render(&demoted(), &view)).lines() {
        let (opened, closed) = (line.matches("\u{1b}[").count(), line.matches("\u{1b}[0m").count());
        assert!(opened >= 2 * closed, "{line:?}");
        assert!(opened == 0 || line.rfind("\u{1b}[0m") > line.rfind("\u{1b}[1m"), "{line:?}");
    }
    assert!(!whole_check(&demoted(), &verbose()).contains('\u{1b}'));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let coloured = View { styles: Styles::ansi(), ..View::default() };
    let text = whole_check(&demoted(), &coloured);
    let mut bare = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        bare.push_str(&rest[..at]);
        let end = rest[at..].find('m').expect("a whole escape");
        rest = &rest[at + end + 1..];
    }
    bare.push_str(rest);
    assert_eq!(bare, whole_check(&demoted(), &View::default()));
}

#[test]
fn a_price_that_is_not_told_apart_from_nothing_is_a_bound() {
    let mut run = healthy();
    let row = run
        .measurements
        .iter_mut()
        .find(|row| row.id == "clock/CLOCK_MONOTONIC/vdso/native/k4")
        .expect("in situ");
    (row.median, row.ci95) = (Some(-197.0), Some([-348.8, 356.4]));
    let text = check::render(&run, &View::default(), None);
    assert!(text.contains("<356") && text.contains("not told apart from nothing"), "{text}");
    assert!(!text.contains("−197"), "{text}");
    assert!(!check::render(&healthy(), &View::default(), None).contains("not told apart"));
}

#[test]
fn an_emulator_is_named_as_one() {
    let mut run = healthy();
    run.host.hypervisor.kind = toll_model::host::HypervisorKind::Other;
    run.host.hypervisor.emulated = true;
    let text = host_lines::render(&run.host, &View::default());
    assert!(text.contains("guest of QEMU's emulator") && text.contains("EMULATED"), "{text}");
    assert!(!text.contains("unknown hypervisor"), "{text}");
}

#[test]
fn every_table_of_an_emulated_machine_is_labelled() {
    let mut run = healthy();
    let titles = |run: &Run| {
        let all = check::render(run, &verbose(), None) + &clocks::render(run, &verbose());
        all.lines().filter(|line| line.ends_with(", EMULATED")).count()
    };
    assert_eq!(titles(&run), 0);
    run.host.hypervisor.emulated = true;
    // Prices, idle, for comparison, in situ, Java.
    assert_eq!(titles(&run), 5, "{}", clocks::render(&run, &verbose()));
}
