//! The vDSO of this process: its exported functions, called by their own addresses.

use object::read::elf::{ElfFile64, FileHeader};
use object::{Object, ObjectSymbol};
use std::fs;

/// The mapped vDSO.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vdso {
    base: usize,
    length: usize,
}

/// Functions of the vDSO that toll measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// `clock_gettime`.
    ClockGettime,
    /// `gettimeofday`.
    Gettimeofday,
    /// `time`.
    Time,
}

impl Symbol {
    /// vdso(7): x86-64 exports `__vdso_*`, arm64 `__kernel_*`.
    fn names(self) -> [&'static str; 2] {
        match self {
            Symbol::ClockGettime => ["__vdso_clock_gettime", "__kernel_clock_gettime"],
            Symbol::Gettimeofday => ["__vdso_gettimeofday", "__kernel_gettimeofday"],
            Symbol::Time => ["__vdso_time", "__kernel_time"],
        }
    }
}

impl Vdso {
    /// Finds it in this process; `None` where the kernel maps none (`vdso=0`, some sandboxes).
    pub(crate) fn of_this_process() -> Option<Vdso> {
        // SAFETY: reads a word of the auxiliary vector.
        let base = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) } as usize;
        let maps = fs::read_to_string("/proc/self/maps").ok()?;
        maps.lines().filter(|line| line.ends_with("[vdso]")).find_map(|line| {
            let (from, to) = line.split_once(' ')?.0.split_once('-')?;
            let from = usize::from_str_radix(from, 16).ok()?;
            let to = usize::from_str_radix(to, 16).ok()?;
            (from == base).then(|| Vdso { base, length: to - from })
        })
    }

    /// Its bytes.
    pub(crate) fn image(&self) -> &'static [u8] {
        // SAFETY: the kernel maps the vDSO readable, for the life of the process, and never
        // writes to it; start and length are the kernel's own words.
        unsafe { std::slice::from_raw_parts(self.base as *const u8, self.length) }
    }

    /// The address of an exported function.
    pub(crate) fn address_of(&self, symbol: Symbol) -> Option<usize> {
        let file = ElfFile64::<object::Endianness>::parse(self.image()).ok()?;
        let link_base = load_address(&file)?;
        let found = file.dynamic_symbols().find(|s| {
            s.is_definition() && s.name().is_ok_and(|name| symbol.names().contains(&name))
        })?;
        let offset = usize::try_from(found.address().checked_sub(link_base)?).ok()?;
        (offset < self.length).then_some(self.base + offset)
    }

    /// Where `address` lies in the vDSO, if it does.
    pub(crate) fn offset_of(&self, address: usize) -> Option<u64> {
        address.checked_sub(self.base).filter(|&o| o < self.length).map(|o| o as u64)
    }
}

/// The address that the file's first byte was linked at: 0 on current kernels, not on old ones.
fn load_address(file: &ElfFile64<'_, object::Endianness>) -> Option<u64> {
    use object::read::elf::ProgramHeader;
    let endian = file.endian();
    let headers = file.elf_header().program_headers(endian, file.data()).ok()?;
    headers
        .iter()
        .find(|h| h.p_type(endian) == object::elf::PT_LOAD && h.p_offset(endian) == 0)
        .map(|h| h.p_vaddr(endian))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vdso_answers_as_libc_does() {
        let Some(vdso) = Vdso::of_this_process() else { return };
        let address = vdso.address_of(Symbol::ClockGettime).expect("exports clock_gettime");
        assert!(vdso.offset_of(address).is_some());
        // SAFETY: the vDSO's clock_gettime has the prototype of libc's.
        let clock_gettime: extern "C" fn(i32, *mut libc::timespec) -> i32 =
            unsafe { std::mem::transmute(address) };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let before = crate::sys::monotonic_raw();
        assert_eq!(clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time), 0);
        let seen = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
        assert!((before..=crate::sys::monotonic_raw()).contains(&seen));
    }
}
