//! Running JVMs: a cheap look at every process, a closer one at those that are JVMs.

use super::flags;
use crate::missing::{Missing, clean};
use crate::roots::Roots;
use std::collections::BTreeMap;
use std::path::Path;
use toll_model::host::JvmProcess;

/// Launchers that load a JVM from elsewhere.
const EMBEDDERS: &[&str] = &["jsvc", "jsvc.exec"];

/// Bytes read of a command line or an environment: the kernel allows megabytes.
const LONG: u64 = 1 << 20;

/// Folders of programs in general, where a JVM's library is never beside.
const GENERAL: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"];

/// A running JVM and the path that leads to its installation, where it can be told.
pub(super) struct Running {
    pub(super) home: Option<String>,
    pub(super) process: JvmProcess,
}

/// All that can be seen from here, by process id.
pub(super) fn read(roots: &Roots) -> Result<Vec<Running>, Missing> {
    let mut pids: Vec<u32> =
        roots.names("/proc")?.iter().filter_map(|name| name.parse().ok()).collect();
    pids.sort_unstable();
    let mut folders = BTreeMap::new();
    Ok(pids.into_iter().filter_map(|pid| look(roots, pid, &mut folders)).collect())
}

/// `folders` remembers which folders of programs belong to a JVM.
fn look(roots: &Roots, pid: u32, folders: &mut BTreeMap<String, bool>) -> Option<Running> {
    let launcher = match roots.link(&format!("/proc/{pid}/exe")) {
        Ok(exe) => {
            let exe = exe.trim_end_matches(" (deleted)").to_owned();
            let (folder, name) = exe.rsplit_once('/')?;
            let embedder = EMBEDDERS.contains(&name);
            if name != "java" && !embedder && !of_jvm(roots, folder, folders) {
                return None;
            }
            if embedder { library_home(roots, pid) } else { Some(exe) }
        }
        // Another user's process: its name may be seen, its files may not.
        Err(missing) if missing.is_denied() => {
            if roots.line(&format!("/proc/{pid}/comm")).ok()? != "java" {
                return None;
            }
            None
        }
        // Kernel threads have no program.
        Err(_) => return None,
    };
    let arguments = arguments(roots, pid);
    let launcher =
        launcher.or_else(|| arguments.first().filter(|first| first.starts_with('/')).cloned());
    let home = launcher.map(|path| seen_from_here(roots, pid, path));
    Some(Running { home, process: process(roots, pid, &arguments) })
}

/// Whether `folder` is the bin folder of a JVM: `jshell`, `javac` and programs of jlink are JVMs.
fn of_jvm(roots: &Roots, folder: &str, folders: &mut BTreeMap<String, bool>) -> bool {
    if GENERAL.contains(&folder) {
        return false;
    }
    let Some(home) = folder.strip_suffix("/bin") else { return false };
    *folders
        .entry(folder.to_owned())
        .or_insert_with(|| roots.is_file(&format!("{home}/lib/server/libjvm.so")))
}

/// The installation that a process's libjvm.so was mapped from.
fn library_home(roots: &Roots, pid: u32) -> Option<String> {
    let maps = roots.text_upto(&format!("/proc/{pid}/maps"), 8 << 20).ok()?;
    let library = maps.lines().find_map(|line| {
        let path = &line[line.find('/')?..];
        path.ends_with("/libjvm.so").then(|| path.to_owned())
    })?;
    ["/jre/lib/", "/lib/"].iter().find_map(|part| Some(library.split_once(part)?.0.to_owned()))
}

/// A path of another mount namespace names another file here: it is then reached through the
/// process's own root.
fn seen_from_here(roots: &Roots, pid: u32, path: String) -> String {
    use std::os::unix::fs::MetadataExt;
    let there = format!("/proc/{pid}/root{path}");
    let identity = |path: &str| {
        let data = std::fs::metadata(roots.place(path)).ok()?;
        Some((data.dev(), data.ino()))
    };
    match (identity(&path), identity(&there)) {
        (here, Some(other)) if here != Some(other) => there,
        _ => path,
    }
}

fn arguments(roots: &Roots, pid: u32) -> Vec<String> {
    let bytes = roots.bytes(&format!("/proc/{pid}/cmdline"), LONG).unwrap_or_default();
    separated(&bytes)
}

/// Words that end in NUL.
fn separated(bytes: &[u8]) -> Vec<String> {
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    bytes.split(|&b| b == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn process(roots: &Roots, pid: u32, arguments: &[String]) -> JvmProcess {
    let environment: Result<Vec<String>, Missing> =
        roots.bytes(&format!("/proc/{pid}/environ"), LONG).map(|bytes| separated(&bytes));
    let variable = |name: &str| {
        environment.as_ref().ok()?.iter().find_map(|v| v.strip_prefix(name)?.strip_prefix('='))
    };
    let (options, program) = flags::command_line(arguments);
    // In the order in which the JVM takes them: of two that contradict, the later wins.
    let of_variable = |name| flags::words(variable(name).unwrap_or_default());
    let all = of_variable("JAVA_TOOL_OPTIONS")
        .into_iter()
        .chain(of_variable("JDK_JAVA_OPTIONS"))
        .chain(options)
        .chain(of_variable("_JAVA_OPTIONS"));
    JvmProcess {
        pid,
        program: program.unwrap_or_else(|| "unknown".into()),
        flags: all.filter_map(|word| flags::kept(&word)).take(100).collect(),
        preload: variable("LD_PRELOAD").filter(|value| !value.is_empty()).map(|libraries| {
            let names = libraries.split([':', ' ']).filter(|name| !name.is_empty());
            names
                .map(|path| clean(Path::new(path).to_string_lossy().as_ref(), 200))
                .collect::<Vec<_>>()
                .join(":")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_end_in_nul_are_separated() {
        assert_eq!(separated(b"java\0-cp\0\0Main\0"), ["java", "-cp", "", "Main"]);
        assert_eq!(separated(b""), [""; 0]);
        assert_eq!(separated(b"java"), ["java"]);
    }
}
