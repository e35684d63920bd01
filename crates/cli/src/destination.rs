//! The file behind `-o`: found writable before anything is measured, written whole or not at all.

use crate::complaint::{Complaint, reason};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Where the run file will go.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A file that is replaced in one step.
    File(PathBuf),
    /// A device or pipe, which cannot be replaced: `/dev/null`, `/dev/fd/3`.
    Stream(PathBuf),
}

impl Destination {
    /// Finds out whether `path` can be written, and leaves everything as it was.
    ///
    /// # Errors
    /// A missing folder, a folder in the file's place, missing permission, a read-only place.
    pub(crate) fn check(path: &Path) -> Result<Self, Complaint> {
        let refuse = |why: String, remedy: &str| {
            Complaint::new(format_args!("{} cannot be written: {why}", path.display()), remedy)
        };
        if path.as_os_str().as_bytes().ends_with(b"/") && !path.is_dir() {
            return Err(refuse("it names a directory".into(), "name a file"));
        }
        // Behind a symbolic link, the file itself is replaced and the link stays.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => {
                return Err(refuse("it is a directory".into(), "name a file in it"));
            }
            Ok(found) => {
                // Replacing needs no permission on the file, but without it nobody meant that.
                OpenOptions::new().append(true).open(&path).map_err(|error| {
                    refuse(reason(&error), "choose another file or change its permissions")
                })?;
                if !found.is_file() {
                    return Ok(Destination::Stream(path));
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if !folder(&path).is_dir() {
                    let why = format!("there is no directory {}", folder(&path).display());
                    return Err(refuse(why, "make it first or choose another"));
                }
            }
            Err(error) => return Err(refuse(reason(&error), "choose another file")),
        }
        if path.file_name().is_none() {
            return Err(refuse("it names no file".into(), "name a file"));
        }
        let trial = beside(&path);
        create(&trial)
            .and_then(|_| fs::remove_file(&trial))
            .map_err(|error| refuse(reason(&error), "choose a directory that you may write to"))?;
        Ok(Destination::File(path))
    }

    /// Writes `text`: to a new file in the same folder, which then takes the old one's place.
    ///
    /// # Errors
    /// What kept it from being written; a file that was there before is untouched.
    pub(crate) fn write(&self, text: &str) -> Result<(), Complaint> {
        let (path, done) = match self {
            Destination::File(path) => (path, replace(path, text)),
            Destination::Stream(path) => (path, stream(path, text)),
        };
        done.map_err(|error| {
            Complaint::new(
                format_args!("{} was not written: {}", path.display(), reason(&error)),
                "nothing is left of it; free some space or choose another place",
            )
        })
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let new = beside(path);
    let written = create(&new).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(fs::Permissions::from_mode(old.permissions().mode()))?;
        }
        // Before the name points at it, so that a crash leaves the old file or the new one.
        file.sync_all()?;
        fs::rename(&new, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn stream(path: &Path, text: &str) -> io::Result<()> {
    match OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o666).open(path)
}

// A hidden name in the same folder, so that renaming never crosses file systems.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    folder(path).join(format!(".{name}.{}.new", std::process::id()))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let destination = Destination::check(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        destination.write("new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    }

    #[test]
    fn checking_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        Destination::check(&dir.path().join("run.json")).unwrap();
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    }

    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        Destination::check(&link).unwrap().write("new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    }

    #[test]
    fn a_device_is_written_to_and_stays_a_device() {
        let destination = Destination::check(Path::new("/dev/null")).unwrap();
        assert!(matches!(destination, Destination::Stream(_)));
        destination.write("text").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let full = Destination::check(Path::new("/dev/full")).unwrap().write("text").unwrap_err();
        assert!(full.to_string().contains("no space left on device"), "{full}");
    }

    #[test]
    fn what_cannot_be_written_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let complaint = |path: PathBuf| Destination::check(&path).unwrap_err().to_string();
        let missing = complaint(dir.path().join("no/run.json"));
        assert!(missing.contains("there is no directory") && missing.contains("; make it first"));
        assert!(complaint(dir.path().to_owned()).contains("it is a directory; name a file in it"));
        assert!(complaint(dir.path().join("new/")).contains("it names a directory; name a file"));
        // procfs takes no new files, not even from root.
        assert!(complaint("/proc/run.json".into()).contains("; choose a directory"));
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        let destination = Destination::check(&path).unwrap();
        // A folder in the file's place makes the rename fail after everything was written.
        fs::create_dir(&path).unwrap();
        assert!(destination.write("new").is_err());
        let names: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["run.json"]);
    }
}
