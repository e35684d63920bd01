//! One installation, told by the files in it.

use crate::kernel::assignment;
use crate::missing::{Missing, clean};
use crate::roots::Roots;
use std::path::Path;
use toll_model::host::Jvm;

/// Where a JVM's library may be below its home. Source: the layouts of JDK 8 (with the processor's
/// name in the path, and a JRE inside), of JDK 9 and later, and of OpenJ9 (`default`, `j9vm`).
const LIBRARIES: &[&str] = &[
    "lib/server/libjvm.so",
    "jre/lib/amd64/server/libjvm.so",
    "lib/amd64/server/libjvm.so",
    "jre/lib/aarch64/server/libjvm.so",
    "lib/aarch64/server/libjvm.so",
    "lib/minimal/libjvm.so",
    "lib/client/libjvm.so",
    "lib/default/libjvm.so",
    "lib/j9vm/libjvm.so",
    "jre/lib/amd64/j9vm/libjvm.so",
    "lib/amd64/j9vm/libjvm.so",
];

/// Why a path is no JVM.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JvmError {
    /// Nothing is there, or it may not be looked at.
    #[error("{0}")]
    Unreadable(#[from] Missing),
    /// A script that starts a JVM elsewhere, as those of jenv and some packages.
    #[error("{path}: a script, not a JVM's launcher; name the installation's own bin/java")]
    Script {
        /// The script.
        path: String,
    },
    /// A file that is something else.
    #[error("{path}: not in the bin folder of a Java installation")]
    NotALauncher {
        /// The file.
        path: String,
    },
    /// A folder without a JVM in it.
    #[error("{home}: no JVM there: {lacks}")]
    NotAHome {
        /// The folder.
        home: String,
        /// What it lacks.
        lacks: &'static str,
    },
}

/// The installation at `path`, on this machine: a home (`/usr/lib/jvm/java-17`) or a launcher
/// (`/usr/bin/java`). Nothing is run; `found_by` is left empty.
///
/// # Errors
/// [`JvmError`], which says why the path is no JVM.
pub fn at(path: &Path) -> Result<Jvm, JvmError> {
    let roots = Roots::live();
    let absolute = std::path::absolute(path)
        .map_err(|error| Missing::from_io(&path.to_string_lossy(), &error))?;
    read(&roots, &absolute.to_string_lossy())
}

/// The installation at a path of the machine behind `roots`.
pub(super) fn read(roots: &Roots, path: &str) -> Result<Jvm, JvmError> {
    let real = canonical(roots, path)?;
    let home = if roots.place(&real).is_dir() { real } else { home_of_launcher(roots, &real)? };
    // A JRE inside a JDK 8 is not an installation of its own.
    let home = match home.strip_suffix("/jre") {
        Some(jdk) if roots.is_file(&format!("{jdk}/bin/java")) => jdk.to_owned(),
        _ => home,
    };
    let lacking = |lacks| Err(JvmError::NotAHome { home: clean(&home, 200), lacks });
    let launcher = ["bin/java", "jre/bin/java"].iter().find_map(|name| {
        let launcher = format!("{home}/{name}");
        roots.is_file(&launcher).then_some(launcher)
    });
    let Some(launcher) = launcher else { return lacking("it has no bin/java") };
    if !LIBRARIES.iter().any(|name| roots.is_file(&format!("{home}/{name}"))) {
        return lacking("it has no libjvm.so");
    }
    let release = roots.text(&format!("{home}/release")).unwrap_or_default();
    let version = assignment(&release, "JAVA_VERSION").and_then(|version| word(&version));
    Ok(Jvm {
        version,
        vendor: vendor(&release, &home),
        launcher,
        home,
        found_by: Vec::new(),
        processes: Vec::new(),
    })
}

/// Stands for the installation of a JVM whose files cannot be seen from here.
pub(super) fn unknown() -> Jvm {
    Jvm {
        home: "unknown".into(),
        launcher: String::new(),
        version: None,
        vendor: None,
        found_by: Vec::new(),
        processes: Vec::new(),
    }
}

/// `path` without symbolic links; an error if nothing is there.
fn canonical(roots: &Roots, path: &str) -> Result<String, Missing> {
    let live = roots.root == Path::new("/") || path.starts_with("/proc/");
    if roots.is_denied(path) {
        return Err(Missing::from_io(path, &std::io::ErrorKind::PermissionDenied.into()));
    }
    if live {
        // Below /proc/PID/root the links of another file system would be followed in this one.
        if path.starts_with("/proc/") {
            return match std::fs::metadata(roots.place(path)) {
                Ok(_) => Ok(path.trim_end_matches('/').to_owned()),
                Err(error) => Err(Missing::from_io(path, &error)),
            };
        }
        return match std::fs::canonicalize(path) {
            Ok(real) => Ok(real.to_string_lossy().into_owned()),
            Err(error) => Err(Missing::from_io(path, &error)),
        };
    }
    let real = roots.resolve(path);
    match std::fs::metadata(roots.place(&real)) {
        Ok(_) => Ok(real),
        Err(error) => Err(Missing::from_io(path, &error)),
    }
}

fn home_of_launcher(roots: &Roots, launcher: &str) -> Result<String, JvmError> {
    let start = roots.bytes(launcher, 2)?;
    if start == b"#!" {
        return Err(JvmError::Script { path: clean(launcher, 200) });
    }
    match launcher.rsplit_once("/bin/") {
        Some((home, name)) if !name.contains('/') && !home.is_empty() => Ok(home.to_owned()),
        _ => Err(JvmError::NotALauncher { path: clean(launcher, 200) }),
    }
}

/// `IMPLEMENTOR` of the `release` file → the word by which people know it.
const VENDORS: &[(&str, &str)] = &[
    ("Eclipse Adoptium", "temurin"),
    ("Adoptium", "temurin"),
    ("AdoptOpenJDK", "adoptopenjdk"),
    ("Alibaba", "dragonwell"),
    ("Alpine", "alpine"),
    ("Amazon.com", "corretto"),
    ("Arch Linux", "arch"),
    ("Azul", "zulu"),
    ("BellSoft", "liberica"),
    ("Debian", "debian"),
    ("Fedora", "fedora"),
    ("GraalVM Community", "graalvm"),
    ("Homebrew", "homebrew"),
    ("IBM", "semeru"),
    ("International Business Machines", "semeru"),
    ("JetBrains", "jetbrains"),
    ("Microsoft", "microsoft"),
    ("N/A", "nixos"),
    ("Oracle", "oracle"),
    ("Private Build", "debian"),
    ("Red Hat", "redhat"),
    ("SAP", "sapmachine"),
    ("SUSE", "suse"),
    ("Tencent", "kona"),
    ("Ubuntu", "ubuntu"),
    ("openSUSE", "suse"),
];

/// Words in a folder's name, for JDK 8, whose `release` file names nobody.
const FOLDERS: &[(&str, &str)] = &[
    ("temurin", "temurin"),
    ("corretto", "corretto"),
    ("zulu", "zulu"),
    ("liberica", "liberica"),
    ("bellsoft", "liberica"),
    ("graalvm", "graalvm"),
    ("dragonwell", "dragonwell"),
    ("adoptopenjdk", "adoptopenjdk"),
    ("sapmachine", "sapmachine"),
    ("semeru", "semeru"),
    ("oracle", "oracle"),
];

fn vendor(release: &str, home: &str) -> Option<String> {
    match assignment(release, "IMPLEMENTOR") {
        // GraalVM by Oracle says so in a line of its own.
        Some(_) if release.contains("\nGRAALVM_VERSION=") => Some("graalvm".into()),
        Some(name) => VENDORS
            .iter()
            .find(|(start, _)| name.starts_with(start))
            .map(|(_, word)| (*word).to_owned())
            .or_else(|| word(&name.to_lowercase())),
        None => {
            let name = home.rsplit('/').next()?.to_lowercase();
            FOLDERS.iter().find(|(part, _)| name.contains(part)).map(|(_, word)| (*word).to_owned())
        }
    }
}

/// The leading letters, digits, dots and underscores: fit for an id.
fn word(text: &str) -> Option<String> {
    let word: String = text
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+'))
        .take(40)
        .collect();
    Some(word).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// An installation with `release`, and a launcher linked to as distributions do it.
    fn fixture(release: &str) -> (tempfile::TempDir, Roots) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("root/usr/lib/jvm/jdk");
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::create_dir_all(home.join("lib/server")).unwrap();
        fs::create_dir_all(folder.path().join("root/usr/bin")).unwrap();
        fs::write(home.join("bin/java"), b"\x7fELF").unwrap();
        fs::write(home.join("lib/server/libjvm.so"), b"\x7fELF").unwrap();
        fs::write(home.join("release"), release).unwrap();
        symlink("/usr/lib/jvm/jdk/bin/java", folder.path().join("root/usr/bin/java")).unwrap();
        let roots = Roots::fixture(folder.path());
        (folder, roots)
    }

    #[test]
    fn a_home_and_its_launcher_are_the_same_installation() {
        let (_folder, roots) = fixture("IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\n");
        let by_home = read(&roots, "/usr/lib/jvm/jdk/").unwrap();
        assert_eq!(by_home, read(&roots, "/usr/bin/java").unwrap());
        assert_eq!(by_home.home, "/usr/lib/jvm/jdk");
        assert_eq!(by_home.runtime(), "java-17.0.15-debian");
    }

    #[test]
    fn a_path_that_is_no_jvm_says_why() {
        let (folder, roots) = fixture("");
        let why = |path: &str| read(&roots, path).unwrap_err().to_string();
        assert_eq!(why("/nowhere"), "/nowhere: not there");
        assert_eq!(why("/usr/bin"), "/usr/bin: no JVM there: it has no bin/java");
        fs::write(folder.path().join("root/usr/bin/shim"), "#!/bin/sh\n").unwrap();
        assert!(why("/usr/bin/shim").contains("a script"));
        fs::write(folder.path().join("root/usr/lib/file"), "x").unwrap();
        assert!(why("/usr/lib/file").contains("not in the bin folder"));
        fs::remove_file(folder.path().join("root/usr/lib/jvm/jdk/lib/server/libjvm.so")).unwrap();
        assert!(why("/usr/lib/jvm/jdk").contains("no libjvm.so"));
    }

    #[test]
    fn vendors_have_one_word() {
        let of = |name: &str| vendor(&format!("IMPLEMENTOR=\"{name}\"\n"), "/opt/x");
        assert_eq!(of("Amazon.com Inc.").as_deref(), Some("corretto"));
        assert_eq!(of("Azul Systems, Inc.").as_deref(), Some("zulu"));
        assert_eq!(of("Somebody Else").as_deref(), Some("somebody"));
        assert_eq!(vendor("JAVA_VERSION=\"1.8.0_452\"\n", "/opt/zulu8.70"), Some("zulu".into()));
        assert_eq!(vendor("", "/usr/lib/jvm/java-8-openjdk-amd64"), None);
    }
}
