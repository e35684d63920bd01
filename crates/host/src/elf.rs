//! What a program says of its loader and its libraries, without running it.

use crate::missing::clean;
use object::elf::DT_NEEDED;
use object::read::elf::{ElfFile, ElfFile32, ElfFile64, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, FileKind};

/// Enough for any small program and for a libc; what lies beyond is debugging information.
pub(crate) const LARGEST: u64 = 16 << 20;

/// A dynamic program's needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dynamic {
    /// PT_INTERP.
    pub(crate) loader: String,
    /// DT_NEEDED, in order.
    pub(crate) needed: Vec<String>,
}

/// Reads them; the error says why this is no dynamic program.
pub(crate) fn dynamic(image: &[u8]) -> Result<Dynamic, String> {
    match FileKind::parse(image) {
        Ok(FileKind::Elf64) => of(&ElfFile64::<Endianness>::parse(image).map_err(broken)?),
        Ok(FileKind::Elf32) => of(&ElfFile32::<Endianness>::parse(image).map_err(broken)?),
        _ if image.starts_with(b"#!") => Err("a script, no program".into()),
        _ => Err("no ELF program".into()),
    }
}

fn broken(error: object::Error) -> String {
    format!("broken ELF: {error}")
}

fn of<'data, Elf: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'data, Elf>,
) -> Result<Dynamic, String> {
    let endian = file.endian();
    let data = file.data();
    let loader = file
        .elf_program_headers()
        .iter()
        .find_map(|header| header.interpreter(endian, data).ok().flatten())
        .ok_or("statically linked")?;
    let mut needed = Vec::new();
    if let Ok(table) = file.elf_dynamic_table() {
        for entry in table.iter().take(1000).filter(|entry| entry.tag == DT_NEEDED) {
            if let Ok(name) = table.string(entry) {
                needed.push(clean(&String::from_utf8_lossy(name), 120));
            }
        }
    }
    Ok(Dynamic { loader: clean(&String::from_utf8_lossy(loader), 200), needed })
}

/// The section in which a compiler puts constant strings; empty if there is none.
pub(crate) fn read_only_data(image: &[u8]) -> &[u8] {
    let found = match FileKind::parse(image) {
        Ok(FileKind::Elf64) => ElfFile64::<Endianness>::parse(image).ok().and_then(|f| rodata(&f)),
        Ok(FileKind::Elf32) => ElfFile32::<Endianness>::parse(image).ok().and_then(|f| rodata(&f)),
        _ => None,
    };
    found.unwrap_or_default()
}

fn rodata<'data, Elf: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'data, Elf>,
) -> Option<&'data [u8]> {
    let table = file.elf_section_table();
    let (_, section) = table.section_by_name(file.endian(), b".rodata")?;
    section.data(file.endian(), file.data()).ok()
}
