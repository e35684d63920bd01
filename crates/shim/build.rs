//! Links the object free of everything: no start files, no libc, no libgcc.

fn main() {
    for argument in ["-nostdlib", "-nostartfiles", "-Wl,--hash-style=both", "-Wl,-z,noexecstack"] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
