//! The kernel's shared object in every process: which functions it has.

use crate::kernel::parameter;
use crate::missing::{Missing, clean};
use crate::roots::{Roots, VdsoSource};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSymbol};
use toll_model::host::Vdso;

/// Where the mapping's size is read.
const MAPS: &str = "/proc/self/maps";

/// The vDSO's functions, and what turned it off.
pub(crate) fn read(roots: &Roots, parameters: &Result<Vec<String>, Missing>) -> Vdso {
    let disabled = parameters
        .as_ref()
        .ok()
        .and_then(|given| (parameter(given, "vdso") == Some("0")).then(|| "vdso=0".to_owned()));
    let symbols = match &roots.vdso {
        VdsoSource::Native => native(),
        VdsoSource::Recorded(path) => recorded(path),
    };
    Vdso { symbols: symbols.into(), disabled_by: disabled }
}

fn recorded(path: &std::path::Path) -> Result<Vec<String>, Missing> {
    let text = crate::files::recorded(path)
        .map_err(|_| Missing::new("[vdso]", "not mapped into this process"))?;
    Ok(text.lines().map(|line| clean(line, 80)).filter(|line| !line.is_empty()).collect())
}

/// The vDSO of this process, whatever `/proc` is mounted.
fn native() -> Result<Vec<String>, Missing> {
    let image = image().ok_or_else(|| Missing::new("[vdso]", "not mapped into this process"))?;
    let elf: ElfFile64<'_> = ElfFile64::parse(image)
        .map_err(|error| Missing::new("[vdso]", format!("no ELF image: {error}")))?;
    let mut names: Vec<String> = elf
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text)
        .filter_map(|symbol| symbol.name().ok().map(|name| clean(name, 80)))
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The mapped image, which stays as it is for as long as the process lives.
fn image() -> Option<&'static [u8]> {
    // SAFETY: reads the auxiliary vector; touches nothing.
    let base = unsafe { ::libc::getauxval(::libc::AT_SYSINFO_EHDR) };
    let maps = std::fs::read_to_string(MAPS).ok()?;
    let (from, to) = maps.lines().find_map(|line| {
        let (range, _) = line.strip_suffix("[vdso]")?.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        Some((usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?))
    })?;
    if base == 0 || from != base as usize || to <= from {
        return None;
    }
    // SAFETY: the kernel mapped `from..to` readable for the life of the process and changes no
    // byte of it; both ends come from the kernel itself.
    Some(unsafe { std::slice::from_raw_parts(from as *const u8, to - from) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_processs_vdso_has_clock_functions() {
        let names = native().unwrap();
        let wanted = if cfg!(target_arch = "x86_64") {
            "__vdso_clock_gettime"
        } else {
            "__kernel_clock_gettime"
        };
        assert!(names.iter().any(|name| name == wanted), "{names:?}");
    }
}
