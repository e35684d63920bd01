//! A skipped test says so: on stderr, and in a file that whoever runs the tests can show.
//!
//! - `TOLL_SKIPS=FILE` collects one line per skip in FILE.
//! - `TOLL_NO_SKIP=root,jvm` makes a test fail where it would have been skipped for one of these
//!   needs; `all` stands for every need.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// What a test needs of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Effective user id 0. Word: `root`.
    Root,
    /// A `java` by JAVA_HOME, on PATH or under /usr/lib/jvm. Word: `jvm`.
    Jvm,
    /// The loader of a dynamic libc, glibc or musl. Word: `dynamic-libc`.
    DynamicLibc,
    /// x86_64 with `tsc` among the available clocksources. Word: `tsc`.
    Tsc,
    /// A program on PATH. Word: its name.
    Program(&'static str),
    /// Linux of at least this version. Word: `kernel`.
    Kernel(u32, u32),
    /// At least this many CPUs for this process. Word: `cpus`.
    Cpus(usize),
    /// A file that exists. Word: `file`.
    File(&'static str),
}

impl Need {
    /// The word for it in `TOLL_NO_SKIP`.
    pub fn word(self) -> &'static str {
        match self {
            Need::Root => "root",
            Need::Jvm => "jvm",
            Need::DynamicLibc => "dynamic-libc",
            Need::Tsc => "tsc",
            Need::Program(name) => name,
            Need::Kernel(..) => "kernel",
            Need::Cpus(_) => "cpus",
            Need::File(_) => "file",
        }
    }

    /// Whether this machine has it.
    pub fn is_met(self) -> bool {
        match self {
            Need::Root => status_field("Uid").is_some_and(|ids| ids.get(1) == Some(&0)),
            Need::Jvm => {
                let home = std::env::var_os("JAVA_HOME");
                home.is_some_and(|home| Path::new(&home).join("bin/java").is_file())
                    || on_path("java")
                    || below("/usr/lib/jvm").any(|home| home.join("bin/java").is_file())
            }
            Need::DynamicLibc => ["/lib", "/lib64"].iter().flat_map(|f| below(f)).any(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                name.starts_with("ld-linux") || name.starts_with("ld-musl")
            }),
            Need::Tsc => {
                let list = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
                cfg!(target_arch = "x86_64")
                    && std::fs::read_to_string(list)
                        .is_ok_and(|names| names.split_whitespace().any(|name| name == "tsc"))
            }
            Need::Program(name) => on_path(name),
            Need::Kernel(major, minor) => running_kernel().is_some_and(|v| v >= (major, minor)),
            Need::Cpus(count) => {
                std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() >= count)
            }
            Need::File(path) => Path::new(path).exists(),
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Root => f.write_str("root"),
            Need::Jvm => f.write_str("a JVM"),
            Need::DynamicLibc => f.write_str("a dynamic libc"),
            Need::Tsc => f.write_str("a TSC that the kernel offers as clocksource"),
            Need::Program(name) => write!(f, "the program {name}"),
            Need::Kernel(major, minor) => write!(f, "Linux {major}.{minor} or later"),
            Need::Cpus(count) => write!(f, "{count} CPUs"),
            Need::File(path) => write!(f, "{path}"),
        }
    }
}

/// Returns from the test, visibly, if one of the needs is not met.
#[macro_export]
macro_rules! needs {
    ($($need:expr),+ $(,)?) => {
        $(
            if $crate::skip::skips($need, {
                fn here() {}
                $crate::skip::test_name(::std::any::type_name_of_val(&here))
            }) {
                return;
            }
        )+
    };
}

/// Whether the test is to return, its need not being met; this has then been said.
///
/// # Panics
/// If the need is not met and `TOLL_NO_SKIP` names it.
pub fn skips(need: Need, test: &str) -> bool {
    if need.is_met() {
        return false;
    }
    let line = format!("skipped: {test}: needs {need}");
    let listed = std::env::var("TOLL_NO_SKIP").unwrap_or_default();
    assert!(!must_run(need, &listed), "{line}, and TOLL_NO_SKIP={listed} forbids skipping it");
    // Not `eprintln!`: the test harness would swallow it.
    let _ = writeln!(std::io::stderr(), "{line}");
    if let Some(path) = std::env::var_os("TOLL_SKIPS") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        // One write: tests run side by side.
        let _ = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    }
    true
}

fn must_run(need: Need, listed: &str) -> bool {
    listed.split(',').map(str::trim).any(|word| word == "all" || word == need.word())
}

/// The name of the function around `here`: `crate::tests::name::here` → `crate::tests::name`.
pub fn test_name(here: &'static str) -> &'static str {
    here.strip_suffix("::here").unwrap_or(here)
}

fn status_field(name: &str) -> Option<Vec<u64>> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    field.split_whitespace().map(|word| word.parse().ok()).collect()
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn below(folder: &str) -> impl Iterator<Item = std::path::PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn running_kernel() -> Option<(u32, u32)> {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let mut numbers = release.split(['.', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_that_is_met_lets_the_test_run() {
        let mut ran = false;
        let mut test = || {
            needs!(Need::Kernel(2, 6), Need::Cpus(1), Need::File("/proc/self/status"));
            ran = true;
        };
        test();
        assert!(ran);
    }

    /// Runs itself once more in a process of its own: this skip is no skip of the project's tests
    /// and must not be counted with them.
    #[test]
    fn a_need_that_is_not_met_returns_from_the_test_and_is_said() {
        const AGAIN: &str = "TOLL_TESTING_SKIPS_ON_PURPOSE";
        if std::env::var_os(AGAIN).is_some() {
            needs!(Need::File("/there/is/no/such/file"));
            panic!("it went on");
        }
        fn here() {}
        let name = test_name(std::any::type_name_of_val(&here));
        let (_, name) = name.split_once("::").expect("begins with the crate");
        let list = std::env::temp_dir().join(format!("toll-skips-{}", std::process::id()));
        let again = |forbidden: &str| {
            std::process::Command::new(std::env::current_exe().expect("has a path"))
                .args(["--exact", name])
                .env(AGAIN, "1")
                .env("TOLL_SKIPS", &list)
                .env("TOLL_NO_SKIP", forbidden)
                .output()
                .expect("starts as it did before")
        };
        let skipped = again("");
        let said = std::fs::read_to_string(&list).unwrap_or_default();
        let _ = std::fs::remove_file(&list);
        assert!(skipped.status.success(), "{skipped:?}");
        assert!(String::from_utf8_lossy(&skipped.stdout).contains("1 passed"), "{skipped:?}");
        assert!(String::from_utf8_lossy(&skipped.stderr).contains(&said), "{skipped:?}");
        assert!(said.starts_with("skipped: ") && said.contains(name), "{said:?}");
        assert!(said.ends_with("/there/is/no/such/file\n"), "{said:?}");
        assert!(!again("file").status.success(), "TOLL_NO_SKIP=file must forbid it");
        assert!(!list.exists());
    }

    #[test]
    fn listed_needs_must_run() {
        assert!(must_run(Need::Root, "jvm, root"));
        assert!(must_run(Need::Program("perf"), "perf"));
        assert!(must_run(Need::Tsc, "all"));
        assert!(!must_run(Need::Root, "jvm"));
        assert!(!must_run(Need::Root, ""));
    }

    #[test]
    fn the_name_is_that_of_the_test() {
        fn here() {}
        let name = test_name(std::any::type_name_of_val(&here));
        assert!(name.ends_with("the_name_is_that_of_the_test"), "{name}");
    }
}
