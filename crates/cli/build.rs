//! Embeds what `make` built for the program to carry: the object that measures inside the host's
//! libc, and the jar with the Java loops. Without them the program builds all the same and says in
//! the rows concerned what it lacks.
// Cargo reads a build script's standard output.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::{env, fs};

/// Name of the constant, name of the file.
const FILES: [(&str, &str); 2] = [("SHIM", "libtoll_shim.so"), ("JAVA_PROBE", "toll-probe.jar")];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TOLL_EMBED_DIR");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let folder = match env::var_os("TOLL_EMBED_DIR") {
        Some(folder) => PathBuf::from(folder),
        // Where `make` puts it, wherever cargo's own output goes.
        None => PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../target/embed"),
    };
    // Cargo takes a path that is not there for one that changed, and would build anew each time.
    fs::create_dir_all(&folder)?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut source = String::new();
    for (name, file) in FILES {
        let path = folder.join(file);
        let value = if path.is_file() && fits(&fs::read(&path)?) {
            format!("Some(include_bytes!({path:?}))")
        } else {
            "None".into()
        };
        source.push_str(&format!("pub(crate) const {name}: Option<&[u8]> = {value};\n"));
    }
    fs::write(out.join("embedded.rs"), source)?;
    Ok(())
}

/// Whether a file is no object of another architecture: one that `make` built for this machine
/// must not travel in a program for another. The machine stands in byte 18 of an ELF file.
fn fits(file: &[u8]) -> bool {
    let machine = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") => 62,
        Ok("aarch64") => 183,
        _ => return false,
    };
    !file.starts_with(b"\x7fELF") || file.get(18) == Some(&machine)
}
