//! Whatever is in a file, a reading ends in facts and reasons: never in a panic, never in bytes
//! that could steer a terminal.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use toll_host::Roots;
use toll_model::Host;
use toll_testing::fixture_host;

/// What is done to a file.
#[derive(Clone, Debug)]
enum Spoil {
    Bytes(Vec<u8>),
    Text(String),
    Cut(usize),
    Insert(usize, Vec<u8>),
    /// Each number becomes this one.
    Numbers(&'static str),
    Repeat(usize),
    Folder,
    Fifo,
    Loop,
}

fn spoil() -> impl Strategy<Value = Spoil> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Spoil::Bytes),
        ".{0,120}".prop_map(Spoil::Text),
        (0..2000_usize).prop_map(Spoil::Cut),
        ((0..2000_usize), prop::collection::vec(any::<u8>(), 1..40))
            .prop_map(|(at, bytes)| Spoil::Insert(at, bytes)),
        prop::sample::select(vec!["18446744073709551615", "-1", "", "0", "9e999", "4294967295"])
            .prop_map(Spoil::Numbers),
        (2..60_usize).prop_map(Spoil::Repeat),
        Just(Spoil::Folder),
        Just(Spoil::Fifo),
        Just(Spoil::Loop),
    ]
}

fn apply(path: &Path, spoil: &Spoil) {
    let old = fs::read(path).unwrap_or_default();
    fs::remove_file(path).unwrap();
    match spoil {
        Spoil::Bytes(bytes) => fs::write(path, bytes).unwrap(),
        Spoil::Text(text) => fs::write(path, text).unwrap(),
        Spoil::Cut(at) => fs::write(path, &old[..*at.min(&old.len())]).unwrap(),
        Spoil::Insert(at, bytes) => {
            let at = *at.min(&old.len());
            fs::write(path, [&old[..at], bytes, &old[at..]].concat()).unwrap();
        }
        Spoil::Numbers(number) => {
            let mut new = String::new();
            let mut in_number = false;
            for c in String::from_utf8_lossy(&old).chars() {
                if !c.is_ascii_digit() {
                    new.push(c);
                } else if !in_number {
                    new.push_str(number);
                }
                in_number = c.is_ascii_digit();
            }
            fs::write(path, new).unwrap();
        }
        Spoil::Repeat(times) => fs::write(path, old.repeat(*times)).unwrap(),
        Spoil::Folder => fs::create_dir(path).unwrap(),
        Spoil::Fifo => {
            let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
            // SAFETY: `name` is a NUL-terminated string that outlives the call.
            assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        }
        Spoil::Loop => std::os::unix::fs::symlink(path, path).unwrap(),
    }
}

/// A folder in memory, where there is one: each case writes a hundred files.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// All files of a folder, by name, and the folder copied to another place.
fn copied(from: &Path, to: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    fs::create_dir_all(to).unwrap();
    let mut entries: Vec<_> = fs::read_dir(from).unwrap().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let target = to.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files.extend(copied(&entry.path(), &target));
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), &target).unwrap();
            files.push(target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            files.push(target);
        }
    }
    files
}

fn check(folder: &Path) -> Result<(), TestCaseError> {
    let host = toll_host::read(&Roots::fixture(folder));
    let json = serde_json::to_value(&host).unwrap();
    let back: Host = serde_json::from_value(json.clone()).unwrap();
    prop_assert_eq!(&back, &host);
    only_plain_text(&json)
}

fn only_plain_text(value: &serde_json::Value) -> Result<(), TestCaseError> {
    use serde_json::Value;
    let plain = |text: &str| {
        let steering = text.chars().find(|c| c.is_control());
        prop_assert!(steering.is_none(), "{text:?}");
        prop_assert!(text.len() < 5000, "{} bytes: {text:?}", text.len());
        Ok(())
    };
    match value {
        Value::String(text) => plain(text),
        Value::Array(items) => items.iter().try_for_each(only_plain_text),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            plain(name)?;
            only_plain_text(value)
        }),
        _ => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_few_spoilt_files_never_make_it_panic(
        name in prop::sample::select(vec!["kvm-guest-tsc", "locked-pod", "xen-ec2", "bare-metal-demoted"]),
        spoilt in prop::collection::vec((any::<prop::sample::Index>(), spoil()), 1..6),
    ) {
        let folder = scratch();
        let files = copied(&fixture_host(name), folder.path());
        for (index, spoil) in &spoilt {
            let path = index.get(&files);
            if fs::symlink_metadata(path).is_ok_and(|data| data.is_file() || data.is_symlink()) {
                apply(path, spoil);
            }
        }
        check(folder.path())?;
    }

    #[test]
    fn files_that_are_all_spoilt_never_make_it_panic(
        spoil in spoil(),
        name in prop::sample::select(vec!["kvm-guest-tsc", "locked-pod", "xen-ec2"]),
    ) {
        let folder = scratch();
        for path in copied(&fixture_host(name), folder.path()) {
            apply(&path, &spoil);
        }
        check(folder.path())?;
    }
}

#[test]
fn a_folder_with_nothing_in_it_is_a_machine_of_reasons() {
    let folder = scratch();
    check(folder.path()).unwrap();
    let host = toll_host::read(&Roots::fixture(folder.path()));
    assert!(host.kernel.reason().unwrap().contains("/proc/sys/kernel/osrelease: not there"));
    assert!(host.clocksource.current.reason().is_some());
    assert!(host.steal.reason().is_some());
}

#[test]
fn a_path_with_a_nul_in_it_is_shown_without() {
    let folder = scratch();
    copied(&fixture_host("kvm-guest-tsc"), folder.path());
    let mounts = folder.path().join("proc/self/mountinfo");
    apply(&mounts, &Spoil::Insert(13, vec![0]));
    check(folder.path()).unwrap();
}
