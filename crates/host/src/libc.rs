//! The libc that this host's own programs use: told from files, running nothing.

use crate::elf::{Dynamic, Image};
use crate::missing::Missing;
use crate::roots::Roots;
use toll_model::host::{Libc, LibcKind};

/// Small programs that every distribution has; the first dynamic one tells.
const PROGRAMS: &[&str] = &[
    "/usr/bin/true",
    "/bin/true",
    "/usr/bin/env",
    "/bin/sh",
    "/bin/busybox",
    "/run/current-system/sw/bin/true",
];

/// Where libraries are, should the loader's own folder not have them.
const FOLDERS: &[&str] = &[
    "/lib64",
    "/usr/lib64",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib",
    "/usr/lib",
];

/// Finds the libc of a small dynamic program.
pub(crate) fn read(roots: &Roots) -> Result<Libc, Missing> {
    let mut refusals = Vec::new();
    for program in PROGRAMS {
        match of_program(roots, program) {
            Ok(libc) => return Ok(libc),
            Err(missing) if missing.is_absent() => {}
            Err(missing) => refusals.push(missing.to_string()),
        }
    }
    let why = if refusals.is_empty() {
        format!("none of {} is there", PROGRAMS.join(", "))
    } else {
        format!("no small dynamic program: {}", refusals.join("; "))
    };
    Err(Missing::new("libc", why))
}

fn of_program(roots: &Roots, program: &str) -> Result<Libc, Missing> {
    let image = open(roots, program)?;
    let found = image.dynamic().map_err(|why| Missing::new(program, why))?;
    let kind = kind(&found);
    let version = match kind {
        LibcKind::Glibc => library(roots, &found, "libc.so.6").and_then(|image| glibc(&image)),
        // musl's loader and its libc are one file.
        LibcKind::Musl => open(roots, &found.loader).ok().and_then(|image| musl(&image)),
        LibcKind::Other => None,
    };
    Ok(Libc { kind, version, loader: found.loader, program: program.into() })
}

fn open(roots: &Roots, path: &str) -> Result<Image, Missing> {
    Image::new(roots.open(path)?).map_err(|why| Missing::new(path, why))
}

fn kind(program: &Dynamic) -> LibcKind {
    let name = program.loader.rsplit('/').next().unwrap_or_default();
    if name.starts_with("ld-musl") {
        LibcKind::Musl
    } else if program.needed.iter().any(|library| library == "libc.so.6") {
        LibcKind::Glibc
    } else {
        LibcKind::Other
    }
}

/// A library, where the loader would look for it first.
fn library(roots: &Roots, program: &Dynamic, name: &str) -> Option<Image> {
    let loader = if roots.root == std::path::Path::new("/") {
        std::fs::canonicalize(&program.loader).ok()?.to_string_lossy().into_owned()
    } else {
        roots.resolve(&program.loader)
    };
    let own = loader.rsplit_once('/').map(|(folder, _)| folder)?;
    std::iter::once(own)
        .chain(FOLDERS.iter().copied())
        .find_map(|folder| open(roots, &format!("{folder}/{name}")).ok())
}

/// `GNU C Library (…) stable release version 2.36.`: what `libc.so.6` prints when it is run.
fn glibc(image: &Image) -> Option<String> {
    let data = image.read_only_data();
    let banner = b"GNU C Library ";
    let at = data.windows(banner.len()).position(|window| window == banner)?;
    let text = String::from_utf8_lossy(data.get(at..)?.get(..300.min(data.len() - at))?);
    let (_, rest) = text.split_once("version ")?;
    version(rest.trim_start().split([',', '\0', '\n', ' ']).next()?.trim_end_matches('.'))
}

/// musl keeps its version as a string by itself, `1.2.3`, beside the text that it is printed in.
fn musl(image: &Image) -> Option<String> {
    image
        .read_only_data()
        .split(|&byte| byte == 0)
        .filter(|word| (5..=24).contains(&word.len()))
        .filter_map(|word| std::str::from_utf8(word).ok())
        .filter(|word| word.bytes().filter(|&byte| byte == b'.').count() == 2)
        .find_map(version)
}

/// Digits and dots, with what a distribution may have added after a dash.
fn version(word: &str) -> Option<String> {
    let number = word.split('-').next()?;
    let plain = number.split('.').count() >= 2
        && number
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b));
    plain.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toll_testing::elf_stub;

    #[test]
    fn versions_are_numbers_with_dots() {
        assert_eq!(version("2.36").as_deref(), Some("2.36"));
        assert_eq!(version("1.2.4-git-12").as_deref(), Some("1.2.4-git-12"));
        for bad in ["", "2", "2.", ".2", "a.b", "1.2;3"] {
            assert_eq!(version(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_huge_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("root/bin")).unwrap();
        let file = std::fs::File::create(folder.path().join("root/bin/true")).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = read(&Roots::fixture(folder.path())).unwrap_err().to_string();
        assert!(error.ends_with("/bin/true: too large for a small program"), "{error}");
    }

    /// A machine with one program, and a libc in the folder of its loader.
    fn host(loader: &str, needed: &str, library: &str, data: &[u8]) -> (tempfile::TempDir, Roots) {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, bytes: &[u8]| {
            let path = folder.path().join("root").join(path.trim_start_matches('/'));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        put("/usr/bin/true", &elf_stub(Some(loader), &[needed], b""));
        put(library, &elf_stub(None, &[], data));
        let roots = Roots::fixture(folder.path());
        (folder, roots)
    }

    #[test]
    fn glibc_is_told_by_its_banner() {
        let data =
            b"x\0GNU C Library (Debian GLIBC 2.36-9+deb12u10) stable release version 2.36.\n\0";
        let loader = "/lib64/ld-linux-x86-64.so.2";
        let (_folder, roots) = host(loader, "libc.so.6", "/lib64/libc.so.6", data);
        let libc = read(&roots).unwrap();
        assert_eq!((libc.kind, libc.version.as_deref()), (LibcKind::Glibc, Some("2.36")));
        assert_eq!((libc.loader.as_str(), libc.program.as_str()), (loader, "/usr/bin/true"));
    }

    #[test]
    fn musl_is_told_by_its_loader() {
        let data = b"1.2\0musl libc (x86_64)\nVersion %s\n\x001.2.3\0";
        let loader = "/lib/ld-musl-x86_64.so.1";
        let (_folder, roots) = host(loader, "libc.musl-x86_64.so.1", loader, data);
        let libc = read(&roots).unwrap();
        assert_eq!((libc.kind, libc.version.as_deref()), (LibcKind::Musl, Some("1.2.3")));
    }

    #[test]
    fn programs_that_tell_nothing_are_named() {
        let (folder, roots) = host("/lib/ld.so", "x", "/lib/x", b"");
        std::fs::write(folder.path().join("root/usr/bin/true"), elf_stub(None, &[], b"")).unwrap();
        std::fs::create_dir_all(folder.path().join("root/bin")).unwrap();
        std::fs::write(folder.path().join("root/bin/sh"), "#!/bin/busybox sh\n").unwrap();
        assert_eq!(
            read(&roots).unwrap_err().to_string(),
            "libc: no small dynamic program: /usr/bin/true: statically linked; \
             /bin/sh: a script, no program"
        );
    }

    #[test]
    fn the_loader_and_the_needed_library_tell_which_libc() {
        let program = |loader: &str, needed: &str| Dynamic {
            loader: loader.into(),
            needed: vec![needed.into()],
        };
        assert_eq!(kind(&program("/lib64/ld-linux-x86-64.so.2", "libc.so.6")), LibcKind::Glibc);
        assert_eq!(
            kind(&program("/lib/ld-musl-x86_64.so.1", "libc.musl-x86_64.so.1")),
            LibcKind::Musl
        );
        assert_eq!(kind(&program("/system/bin/linker64", "libc.so")), LibcKind::Other);
    }
}
