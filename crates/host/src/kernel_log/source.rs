//! Where the log is read: the ring buffer by two ways, else what was saved of it.

use super::line::{Line, parse};
use crate::files::open_regular;
use crate::missing::Missing;
use crate::roots::{KernelLogSource, Roots};
use crate::steal;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, UNIX_EPOCH};

/// More than any ring buffer holds (`log_buf_len` is at most 2 GiB, in practice 1 to 16 MiB).
const MOST_BYTES: u64 = 32 << 20;

/// What every way of reading the log of a running kernel needs.
const NEEDS: &str = "needs CAP_SYSLOG, or kernel.dmesg_restrict=0 outside a container";

/// Files in which distributions keep it.
const SAVED: &[&str] = &["/var/log/dmesg", "/var/log/kern.log"];

/// The lines that the kernel wrote, and how they were read.
pub(crate) fn read(roots: &Roots) -> Result<(String, Vec<Line>), Missing> {
    match &roots.kernel_log {
        KernelLogSource::Live => live(roots),
        KernelLogSource::File(_) if roots.is_denied(KMSG) => {
            Err(Missing::from_io(KMSG, &ErrorKind::PermissionDenied.into()).needs(NEEDS))
        }
        KernelLogSource::File(path) => {
            let error = |error| Missing::from_io(KMSG, &error).needs(NEEDS);
            let mut bytes = Vec::new();
            let file = open_regular(path).map_err(error)?;
            file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(error)?;
            Ok((KMSG.into(), lines(&bytes)))
        }
    }
}

const KMSG: &str = "/dev/kmsg";

fn lines(bytes: &[u8]) -> Vec<Line> {
    String::from_utf8_lossy(bytes).lines().filter_map(parse).collect()
}

fn live(roots: &Roots) -> Result<(String, Vec<Line>), Missing> {
    let ring = kmsg(roots).map(|lines| (KMSG.to_owned(), lines)).or_else(|missing| {
        syslog(roots).map(|lines| ("syslog(2)".to_owned(), lines)).ok_or(missing)
    });
    let saved = || {
        let booted = steal::boot_time(roots)?;
        SAVED.iter().find_map(|path| Some((*path, saved(roots, path, booted)?)))
    };
    match ring {
        Ok((source, lines)) if lines.iter().any(Line::starts_a_boot) => Ok((source, lines)),
        // The buffer goes round: what it has lost may have been saved.
        Ok((source, lines)) => match saved() {
            Some((path, mut older)) => {
                let first = lines.iter().find_map(|line| line.at_seconds).unwrap_or(f64::MAX);
                older.retain(|line| line.at_seconds.is_some_and(|at| at < first));
                older.extend(lines);
                Ok((format!("{path} and {source}"), older))
            }
            None => Ok((source, lines)),
        },
        Err(missing) => saved().map(|(path, lines)| (path.to_owned(), lines)).ok_or(missing),
    }
}

/// One record a read; nothing is consumed, each reader has its own place in the buffer.
/// Source: Documentation/ABI/testing/dev-kmsg.
fn kmsg(roots: &Roots) -> Result<Vec<Line>, Missing> {
    if roots.is_denied(KMSG) {
        return Err(Missing::from_io(KMSG, &ErrorKind::PermissionDenied.into()).needs(NEEDS));
    }
    let mut device = OpenOptions::new()
        .read(true)
        .custom_flags(::libc::O_NONBLOCK | ::libc::O_NOCTTY)
        .open(roots.place(KMSG))
        .map_err(|error| Missing::from_io(KMSG, &error).needs(NEEDS))?;
    let is_device = |device: &File| {
        use std::os::unix::fs::FileTypeExt;
        device.metadata().is_ok_and(|data| data.file_type().is_char_device())
    };
    // Containers put /dev/null, a FIFO or an empty file in its place.
    if !is_device(&device) {
        return Err(Missing::new(KMSG, "not the kernel's device"));
    }
    let mut record = [0; 8192];
    let (mut lines, mut total, mut lost) = (Vec::new(), 0, 0);
    loop {
        match device.read(&mut record) {
            Ok(0) => break,
            Ok(n) => {
                total += n as u64;
                lines.extend(String::from_utf8_lossy(&record[..n]).lines().filter_map(parse));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // EPIPE: records were overwritten meanwhile; reading goes on at the next one left.
            Err(error) if error.raw_os_error() == Some(::libc::EPIPE) && lost < 100 => lost += 1,
            Err(_) => break,
        }
        if total > MOST_BYTES {
            break;
        }
    }
    if lines.is_empty() { Err(Missing::new(KMSG, "holds no record")) } else { Ok(lines) }
}

/// The whole buffer in one call; what `dmesg -C` hid stays hidden.
fn syslog(roots: &Roots) -> Option<Vec<Line>> {
    const READ_ALL: ::libc::c_int = 3;
    const SIZE_BUFFER: ::libc::c_int = 10;
    if !roots.system_calls || roots.is_denied("syslog(2)") {
        return None;
    }
    // SAFETY: SYSLOG_ACTION_SIZE_BUFFER ignores the buffer.
    let size = unsafe { ::libc::klogctl(SIZE_BUFFER, std::ptr::null_mut(), 0) };
    let size = usize::try_from(size).ok().filter(|&n| n > 0)?.min(MOST_BYTES as usize);
    let mut buffer = vec![0_u8; size];
    let length = ::libc::c_int::try_from(size).ok()?;
    // SAFETY: the kernel writes at most `length` bytes into `buffer`, which is that long.
    let read = unsafe { ::libc::klogctl(READ_ALL, buffer.as_mut_ptr().cast(), length) };
    buffer.truncate(usize::try_from(read).ok()?);
    Some(lines(&buffer)).filter(|lines| !lines.is_empty())
}

/// A saved log, unless it is that of an earlier boot or came with a container's image.
fn saved(roots: &Roots, path: &str, booted: u64) -> Option<Vec<Line>> {
    let file = roots.open(path).ok()?;
    let written = file.metadata().ok()?.modified().ok()?;
    if written < UNIX_EPOCH + Duration::from_secs(booted) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(lines(&bytes)).filter(|lines| lines.iter().any(Line::starts_a_boot))
}
