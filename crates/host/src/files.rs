//! Reading files that may be missing, forbidden, endless, or no files at all.
//!
//! Paths here are those of the machine itself (`/proc/cpuinfo`); [`Roots`] says where it is kept.
//! Reads are bounded, never wait for a FIFO or a terminal, and what they return may hold any bytes.

use crate::missing::{Missing, clean};
use crate::roots::Roots;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// Enough for the small files of `/proc` and `/sys`.
pub(crate) const SMALL: u64 = 64 << 10;

/// How many symbolic links are followed before a path counts as a loop, as in the kernel.
const LINKS: usize = 40;

/// How many entries of one folder are looked at.
const ENTRIES: usize = 100_000;

impl Roots {
    /// Where `path` of the machine is kept.
    pub(crate) fn place(&self, path: &str) -> PathBuf {
        let below = |tree: &Path, rest: &str| tree.join(rest.trim_start_matches('/'));
        if let Some(rest) = path.strip_prefix("/proc/self/") {
            return below(&self.proc.join(&self.process), rest);
        }
        let within = |tree: &str| {
            path.strip_prefix(tree).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match (within("/proc"), within("/sys")) {
            (Some(rest), _) => below(&self.proc, rest),
            (_, Some(rest)) => below(&self.sys, rest),
            _ if self.root == Path::new("/") => path.into(),
            _ => below(&self.root, &self.resolve(path)),
        }
    }

    /// `path` with its symbolic links followed, without ever leaving the root. Parts that do not
    /// exist stay as they are.
    pub(crate) fn resolve(&self, path: &str) -> String {
        let mut pending: Vec<String> = parts(path);
        let mut done: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(part) = pending.pop() {
            if part == ".." {
                done.pop();
                continue;
            }
            done.push(part);
            let here = self.root.join(done.join("/"));
            if links < LINKS
                && let Ok(target) = std::fs::read_link(&here)
            {
                links += 1;
                done.pop();
                if target.is_absolute() {
                    done.clear();
                }
                pending.extend(parts(&target.to_string_lossy()));
            }
        }
        format!("/{}", done.join("/"))
    }

    /// Opens a regular file, without waiting for whatever may be on its other end.
    pub(crate) fn open(&self, path: &str) -> Result<File, Missing> {
        if self.is_denied(path) {
            return Err(Missing::denied(path));
        }
        open_regular(&self.place(path)).map_err(|error| Missing::from_io(path, &error))
    }

    /// At most `limit` bytes from the start of a file.
    pub(crate) fn bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, Missing> {
        let mut bytes = Vec::new();
        self.open(path)?
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(|error| Missing::from_io(path, &error))?;
        Ok(bytes)
    }

    /// A small text file; bytes that are no UTF-8 are replaced.
    pub(crate) fn text(&self, path: &str) -> Result<String, Missing> {
        self.text_upto(path, SMALL)
    }

    pub(crate) fn text_upto(&self, path: &str, limit: u64) -> Result<String, Missing> {
        Ok(String::from_utf8_lossy(&self.bytes(path, limit)?).into_owned())
    }

    /// The first line of a file, fit to be shown.
    pub(crate) fn line(&self, path: &str) -> Result<String, Missing> {
        let text = self.text_upto(path, 4096)?;
        match clean(text.lines().next().unwrap_or_default(), 200) {
            line if line.is_empty() => Err(Missing::new(path, "empty")),
            line => Ok(line),
        }
    }

    /// The number that is all of a file.
    pub(crate) fn number<T: std::str::FromStr>(&self, path: &str) -> Result<T, Missing> {
        let line = self.line(path)?;
        line.parse().map_err(|_| Missing::new(path, format!("{line:?} is not a number")))
    }

    /// Names in a folder, sorted.
    pub(crate) fn names(&self, path: &str) -> Result<Vec<String>, Missing> {
        if self.is_denied(path) {
            return Err(Missing::denied(path));
        }
        let entries =
            std::fs::read_dir(self.place(path)).map_err(|error| Missing::from_io(path, &error))?;
        let mut names: Vec<String> = entries
            .take(ENTRIES)
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        Ok(names)
    }

    /// Where a symbolic link points, unresolved.
    pub(crate) fn link(&self, path: &str) -> Result<String, Missing> {
        if self.is_denied(path) {
            return Err(Missing::denied(path));
        }
        // The last part must not be followed: only its folder is resolved.
        let place = match path.rsplit_once('/') {
            Some((folder, name)) if !folder.is_empty() => self.place(folder).join(name),
            _ => self.place(path),
        };
        let target = std::fs::read_link(place).map_err(|error| Missing::from_io(path, &error))?;
        Ok(target.to_string_lossy().into_owned())
    }

    /// Whether anything is there that may be looked at.
    pub(crate) fn exists(&self, path: &str) -> bool {
        !self.is_denied(path) && self.place(path).exists()
    }

    /// Whether a regular file is there.
    pub(crate) fn is_file(&self, path: &str) -> bool {
        !self.is_denied(path) && self.place(path).is_file()
    }
}

/// Opens a regular file and nothing else: a FIFO would be waited for, a device may do anything.
pub(crate) fn open_regular(place: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(::libc::O_NONBLOCK | ::libc::O_NOCTTY)
        .open(place)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// The start of a file that belongs to a recording itself, as text.
pub(crate) fn recorded(place: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    open_regular(place)?.take(4 << 20).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The parts of a path, last first, `.` left out.
fn parts(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Path::new(path)
        .components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect();
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn fixture() -> (tempfile::TempDir, Roots) {
        let folder = tempfile::tempdir().unwrap();
        for sub in ["proc/self", "sys", "root/etc"] {
            std::fs::create_dir_all(folder.path().join(sub)).unwrap();
        }
        let roots = Roots::fixture(folder.path());
        (folder, roots)
    }

    #[test]
    fn each_tree_has_its_place() {
        let mut roots = Roots::fixture(Path::new("/f"));
        roots.process = "42".into();
        let place = |path: &str| roots.place(path).to_string_lossy().into_owned();
        assert_eq!(place("/proc"), "/f/proc/");
        assert_eq!(place("/proc/cpuinfo"), "/f/proc/cpuinfo");
        assert_eq!(place("/proc/self/status"), "/f/proc/42/status");
        assert_eq!(place("/sys/hypervisor/type"), "/f/sys/hypervisor/type");
        assert_eq!(place("/system/x"), "/f/root/system/x");
        assert_eq!(Roots::live().place("/etc/os-release"), Path::new("/etc/os-release"));
    }

    #[test]
    fn a_fifo_is_refused_at_once() {
        let (folder, roots) = fixture();
        let path = folder.path().join("proc/self/status");
        let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: `name` is a NUL-terminated string that outlives the call.
        assert_eq!(unsafe { ::libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let error = roots.text("/proc/self/status").unwrap_err();
        assert_eq!(error.to_string(), "/proc/self/status: not a regular file");
    }

    #[test]
    fn an_endless_file_is_read_to_the_limit_only() {
        let (folder, roots) = fixture();
        let file = File::create(folder.path().join("proc/huge")).unwrap();
        file.set_len(1 << 40).unwrap();
        assert_eq!(roots.bytes("/proc/huge", 1000).unwrap().len(), 1000);
        assert_eq!(roots.text("/proc/huge").unwrap().len() as u64, SMALL);
    }

    #[test]
    fn links_stay_within_the_root() {
        let (folder, roots) = fixture();
        std::fs::write(folder.path().join("root/etc/real"), "inside").unwrap();
        symlink("/etc/real", folder.path().join("root/etc/absolute")).unwrap();
        symlink("../../../../etc/real", folder.path().join("root/etc/above")).unwrap();
        symlink("/etc/loop", folder.path().join("root/etc/loop")).unwrap();
        assert_eq!(roots.text("/etc/absolute").unwrap(), "inside");
        assert_eq!(roots.text("/etc/above").unwrap(), "inside");
        assert_eq!(roots.resolve("/etc/absolute"), "/etc/real");
        assert!(roots.text("/etc/loop").is_err());
    }

    #[test]
    fn a_reason_names_path_and_need() {
        let (_folder, mut roots) = fixture();
        let absent = roots.text("/sys/nothing").unwrap_err().absent("no cpufreq here");
        assert_eq!(absent.to_string(), "/sys/nothing: not there (no cpufreq here)");
        roots.denied = vec!["/sys/nothing".into()];
        let denied = roots.text("/sys/nothing").unwrap_err().needs("needs root");
        assert_eq!(denied.to_string(), "/sys/nothing: permission denied (needs root)");
    }
}
