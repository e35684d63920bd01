//! What a program says of its loader and its libraries, without running it.
//!
//! Only the parts asked for are read: a libc has megabytes, its version a hundred bytes.

use crate::missing::clean;
use object::elf::{DT_NEEDED, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::read::{ReadCache, ReadRef};
use object::{Endianness, FileKind};
use std::fs::File;

/// Larger files are no small programs and no libc; what is read of a file can add up to its size.
const LARGEST: u64 = 32 << 20;

/// An open file that may be ELF.
pub(crate) struct Image(ReadCache<File>);

/// A dynamic program's needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dynamic {
    /// PT_INTERP.
    pub(crate) loader: String,
    /// DT_NEEDED, in order.
    pub(crate) needed: Vec<String>,
}

impl Image {
    /// Takes an open file, if it is of a size that makes sense.
    pub(crate) fn new(file: File) -> Result<Self, String> {
        match file.metadata() {
            Ok(data) if data.len() <= LARGEST => Ok(Image(ReadCache::new(file))),
            Ok(_) => Err("too large for a small program".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Reads a program's needs; the error says why this is no dynamic program.
    pub(crate) fn dynamic(&self) -> Result<Dynamic, String> {
        match FileKind::parse(&self.0) {
            Ok(FileKind::Elf64) => dynamic::<FileHeader64<Endianness>>(&self.0),
            Ok(FileKind::Elf32) => dynamic::<FileHeader32<Endianness>>(&self.0),
            _ if (&self.0).read_bytes_at(0, 2) == Ok(b"#!") => Err("a script, no program".into()),
            _ => Err("no ELF program".into()),
        }
    }

    /// The section in which a compiler puts constant strings; empty if there is none.
    pub(crate) fn read_only_data(&self) -> &[u8] {
        let found = match FileKind::parse(&self.0) {
            Ok(FileKind::Elf64) => read_only_data::<FileHeader64<Endianness>>(&self.0),
            Ok(FileKind::Elf32) => read_only_data::<FileHeader32<Endianness>>(&self.0),
            _ => None,
        };
        found.unwrap_or_default()
    }
}

fn dynamic<Elf: FileHeader<Endian = Endianness>>(
    data: &ReadCache<File>,
) -> Result<Dynamic, String> {
    let broken = |error: object::Error| format!("broken ELF: {error}");
    let header = Elf::parse(data).map_err(broken)?;
    let endian = header.endian().map_err(broken)?;
    let loader = header
        .program_headers(endian, data)
        .map_err(broken)?
        .iter()
        .find_map(|header| header.interpreter(endian, data).ok().flatten())
        .ok_or("statically linked")?;
    let mut needed = Vec::new();
    let table = header.sections(endian, data).and_then(|s| s.dynamic_table(endian, data));
    if let Ok(table) = table {
        for entry in table.iter().take(1000).filter(|entry| entry.tag == DT_NEEDED) {
            if let Ok(name) = table.string(entry) {
                needed.push(clean(&String::from_utf8_lossy(name), 120));
            }
        }
    }
    Ok(Dynamic { loader: clean(&String::from_utf8_lossy(loader), 200), needed })
}

fn read_only_data<Elf: FileHeader<Endian = Endianness>>(data: &ReadCache<File>) -> Option<&[u8]> {
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let (_, section) = sections.section_by_name(endian, b".rodata")?;
    section.data(endian, data).ok()
}
