//! The environment, read without a libc: `/proc/self/environ`, a piece at a time.

use toll_loops::remote::VARIABLE;
use toll_loops::sys;

#[cfg(target_arch = "x86_64")]
const OPENAT: u64 = 257;
#[cfg(target_arch = "aarch64")]
const OPENAT: u64 = 56;
#[cfg(target_arch = "x86_64")]
const CLOSE: u64 = 3;
#[cfg(target_arch = "aarch64")]
const CLOSE: u64 = 57;

const AT_FDCWD: u64 = -100i64 as u64;

/// The two descriptors of `TOLL_PROBE=<in>,<out>`, if it is set and well-formed.
pub(crate) fn probe_descriptors() -> Option<(i32, i32)> {
    let path = c"/proc/self/environ";
    // SAFETY: opens a file by a path that ends in NUL, for reading.
    let fd = unsafe { sys::syscall(OPENAT, AT_FDCWD, path.as_ptr() as u64, 0) };
    let fd = i32::try_from(fd).ok().filter(|&fd| fd >= 0)?;
    let mut scanner = Scanner::default();
    // Small enough to be cleared inline: there is no memset here.
    let mut piece = [0u8; 128];
    let found = loop {
        match sys::read(fd, &mut piece) {
            n @ 1.. => {
                if let Some(pair) = piece[..n as usize].iter().find_map(|&b| scanner.take(b)) {
                    break Some(pair);
                }
            }
            _ => break None,
        }
    };
    // SAFETY: closes the descriptor opened above.
    unsafe { sys::syscall(CLOSE, fd as u64, 0, 0) };
    found
}

/// Finds `TOLL_PROBE=` at the start of an entry and reads two numbers behind it.
#[derive(Default)]
struct Scanner {
    /// Characters of the name matched so far; `usize::MAX` where this entry is another's.
    matched: usize,
    numbers: [u32; 2],
    which: usize,
    digits: usize,
}

impl Scanner {
    fn take(&mut self, byte: u8) -> Option<(i32, i32)> {
        let name = VARIABLE.as_bytes();
        if byte == 0 {
            let whole = self.matched == name.len() + 1 && self.which == 1 && self.digits > 0;
            let numbers = self.numbers;
            *self = Scanner::default();
            return whole.then_some((numbers[0] as i32, numbers[1] as i32));
        }
        if self.matched <= name.len() {
            let wanted = name.get(self.matched).copied().unwrap_or(b'=');
            self.matched = if byte == wanted { self.matched + 1 } else { usize::MAX };
        } else if self.matched != usize::MAX {
            match byte {
                b'0'..=b'9' if self.digits < 7 => {
                    let number = &mut self.numbers[self.which];
                    *number = *number * 10 + u32::from(byte - b'0');
                    self.digits += 1;
                }
                b',' if self.which == 0 && self.digits > 0 => {
                    self.which = 1;
                    self.digits = 0;
                }
                _ => self.matched = usize::MAX,
            }
        }
        None
    }
}
