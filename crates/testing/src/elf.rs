//! The least of an ELF file that says what a program or a library says of itself.

/// A 64-bit little-endian ELF image with a loader (PT_INTERP), needed libraries (DT_NEEDED) and
/// constant data (`.rodata`). It can be parsed, not run.
pub fn elf_stub(loader: Option<&str>, needed: &[&str], read_only: &[u8]) -> Vec<u8> {
    const HEADER: usize = 64;
    const PROGRAM_HEADER: usize = 56;
    const NAMES: &[u8] = b"\0.dynstr\0.dynamic\0.rodata\0.shstrtab\0";

    let mut strings = vec![0_u8];
    let mut dynamic = Vec::new();
    for library in needed {
        dynamic.extend(1_u64.to_le_bytes()); // DT_NEEDED
        dynamic.extend((strings.len() as u64).to_le_bytes());
        strings.extend(library.as_bytes());
        strings.push(0);
    }
    dynamic.extend([0; 16]); // DT_NULL

    // Everything after the headers, each part at an aligned offset.
    let mut body = Vec::new();
    let start = HEADER + PROGRAM_HEADER * 2;
    let mut place = |bytes: &[u8]| {
        body.resize(body.len().next_multiple_of(16), 0);
        let offset = start + body.len();
        body.extend_from_slice(bytes);
        (offset as u64, bytes.len() as u64)
    };
    let interpreter = loader.map(|loader| place(&[loader.as_bytes(), b"\0"].concat()));
    let strings = place(&strings);
    let dynamic = place(&dynamic);
    let read_only = place(read_only);
    let names = place(NAMES);
    body.resize(body.len().next_multiple_of(16), 0);
    let sections_at = (start + body.len()) as u64;

    let mut image = b"\x7fELF\x02\x01\x01".to_vec();
    image.resize(16, 0);
    let mut push = |bytes: &[u8]| image.extend_from_slice(bytes);
    push(&3_u16.to_le_bytes()); // ET_DYN
    push(&62_u16.to_le_bytes()); // EM_X86_64
    push(&1_u32.to_le_bytes());
    push(&0_u64.to_le_bytes()); // entry
    push(&(HEADER as u64).to_le_bytes());
    push(&sections_at.to_le_bytes());
    push(&0_u32.to_le_bytes());
    for half in [HEADER as u16, PROGRAM_HEADER as u16, 2, 64, 5, 4] {
        push(&half.to_le_bytes());
    }
    // PT_INTERP or PT_NULL, then PT_DYNAMIC.
    let programs =
        [(interpreter.map_or(0, |_| 3_u32), interpreter.unwrap_or_default()), (2, dynamic)];
    for (kind, (offset, size)) in programs {
        push(&kind.to_le_bytes());
        push(&4_u32.to_le_bytes());
        for word in [offset, offset, offset, size, size, 8] {
            push(&word.to_le_bytes());
        }
    }
    push(&body);
    // Name, type (STRTAB 3, DYNAMIC 6, PROGBITS 1), place, the section linked to.
    let none = (0, 0);
    for (name, kind, (offset, size), link) in [
        (0_u32, 0_u32, none, 0_u32),
        (1, 3, strings, 0),
        (9, 6, dynamic, 1),
        (18, 1, read_only, 0),
        (26, 3, names, 0),
    ] {
        push(&name.to_le_bytes());
        push(&kind.to_le_bytes());
        for word in [2_u64, offset, offset, size] {
            push(&word.to_le_bytes());
        }
        push(&link.to_le_bytes());
        push(&0_u32.to_le_bytes());
        push(&8_u64.to_le_bytes());
        push(&(if kind == 6 { 16_u64 } else { 0 }).to_le_bytes());
    }
    image
}
