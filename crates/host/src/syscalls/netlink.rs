//! Asks the kernel's audit system for its state over netlink: reads, changes nothing.
//!
//! Sources: include/uapi/linux/audit.h (message types, `struct audit_status`), netlink(7).

use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};
use toll_model::Fact;

const AUDIT_GET: u16 = 1000;
const AUDIT_LIST_RULES: u16 = 1013;
const HEADER: usize = 16;

/// The kernel answers from a thread of its own, so within this time or never.
const PATIENCE: Duration = Duration::from_millis(20);

/// More rules than anybody loads.
const MOST_RULES: u32 = 100_000;

/// What the audit system says of itself.
pub(super) struct Status {
    /// 0 off, 1 on, 2 on until reboot.
    pub(super) enabled: u32,
    pub(super) rules: Fact<u32>,
}

/// Asks.
pub(super) fn audit_status() -> Result<Status, String> {
    let socket = open().map_err(|error| reason(&error))?;
    let enabled = ask(&socket, AUDIT_GET, 1, |kind, payload| {
        if kind != AUDIT_GET {
            return ControlFlow::Continue(());
        }
        // `struct audit_status`: `__u32 mask, enabled, …`
        let field = payload.get(4..8).and_then(|field| field.try_into().ok());
        ControlFlow::Break(field.map(u32::from_ne_bytes))
    })
    .map_err(|error| reason(&error))?
    .ok_or("AUDIT_GET: the answer is too short")?;
    Ok(Status { enabled, rules: rules(&socket).map_err(|error| reason(&error)).into() })
}

/// Counts the rules: one message each, then NLMSG_DONE.
fn rules(socket: &OwnedFd) -> io::Result<u32> {
    let mut count = 0;
    ask(socket, AUDIT_LIST_RULES, 2, |kind, _| {
        if kind == AUDIT_LIST_RULES && count < MOST_RULES {
            count += 1;
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(())
    })?;
    Ok(count)
}

fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(::libc::EPERM | ::libc::EACCES) => {
            "AUDIT_GET: permission denied (needs CAP_AUDIT_CONTROL in the first namespaces)".into()
        }
        Some(::libc::EPROTONOSUPPORT) => "AUDIT_GET: no audit in this kernel".into(),
        Some(::libc::ECONNREFUSED) => {
            "AUDIT_GET: nobody listens (audit=0, or not the first network namespace)".into()
        }
        _ => format!("AUDIT_GET: {error}"),
    }
}

fn open() -> io::Result<OwnedFd> {
    let kind = ::libc::SOCK_RAW | ::libc::SOCK_CLOEXEC;
    // SAFETY: creates a socket; no memory is involved.
    let fd = unsafe { ::libc::socket(::libc::AF_NETLINK, kind, ::libc::NETLINK_AUDIT) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `fd` was just opened and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Sends a request without payload and hands each message of the answer to `take`, until it has
/// what it wants, the kernel reports an error, or patience is at an end.
fn ask<T>(
    socket: &OwnedFd,
    request: u16,
    sequence: u32,
    mut take: impl FnMut(u16, &[u8]) -> ControlFlow<T>,
) -> io::Result<T> {
    send(socket, request, sequence)?;
    let deadline = Instant::now() + PATIENCE;
    let mut buffer = [0_u8; 16 << 10];
    loop {
        let length = receive(socket, &mut buffer, deadline)?;
        let mut rest = &buffer[..length];
        while let Some((kind, answers, payload, next)) = message(rest) {
            rest = next;
            if answers != sequence {
                continue;
            }
            if i32::from(kind) == ::libc::NLMSG_ERROR {
                let code = payload.get(..4).and_then(|code| code.try_into().ok());
                let code = code.map_or(0, i32::from_ne_bytes).checked_neg().unwrap_or(0);
                return Err(io::Error::from_raw_os_error(code));
            }
            if let ControlFlow::Break(answer) = take(kind, payload) {
                return Ok(answer);
            }
        }
    }
}

/// `struct nlmsghdr`: length, type, flags, sequence number, port.
fn send(socket: &OwnedFd, request: u16, sequence: u32) -> io::Result<()> {
    let mut header = [0_u8; HEADER];
    header[0..4].copy_from_slice(&(HEADER as u32).to_ne_bytes());
    header[4..6].copy_from_slice(&request.to_ne_bytes());
    header[6..8].copy_from_slice(&(::libc::NLM_F_REQUEST as u16).to_ne_bytes());
    header[8..12].copy_from_slice(&sequence.to_ne_bytes());
    // SAFETY: a netlink address is plain numbers, for which zero bytes are the kernel's own address.
    let mut kernel: ::libc::sockaddr_nl = unsafe { std::mem::zeroed() };
    kernel.nl_family = ::libc::AF_NETLINK as ::libc::sa_family_t;
    // SAFETY: both pointers are to live values of the lengths given.
    let sent = unsafe {
        ::libc::sendto(
            socket.as_raw_fd(),
            header.as_ptr().cast(),
            header.len(),
            ::libc::MSG_DONTWAIT,
            (&raw const kernel).cast(),
            size_of::<::libc::sockaddr_nl>() as ::libc::socklen_t,
        )
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn receive(socket: &OwnedFd, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
    let left = deadline.saturating_duration_since(Instant::now());
    let mut poll = ::libc::pollfd { fd: socket.as_raw_fd(), events: ::libc::POLLIN, revents: 0 };
    // SAFETY: `poll` is one live pollfd.
    match unsafe { ::libc::poll(&raw mut poll, 1, left.as_millis() as ::libc::c_int) } {
        0 => return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer")),
        n if n < 0 => return Err(io::Error::last_os_error()),
        _ => {}
    }
    // SAFETY: the kernel writes at most `buffer.len()` bytes into `buffer`.
    let received = unsafe {
        ::libc::recv(
            socket.as_raw_fd(),
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            ::libc::MSG_DONTWAIT,
        )
    };
    usize::try_from(received).map_err(|_| io::Error::last_os_error())
}

/// The first message of a datagram: type, sequence number, payload, and what follows it.
fn message(bytes: &[u8]) -> Option<(u16, u32, &[u8], &[u8])> {
    let header = bytes.get(..HEADER)?;
    let length = u32::from_ne_bytes(header[0..4].try_into().ok()?) as usize;
    let kind = u16::from_ne_bytes(header[4..6].try_into().ok()?);
    let sequence = u32::from_ne_bytes(header[8..12].try_into().ok()?);
    let payload = bytes.get(HEADER..length)?;
    // Messages are aligned to four bytes; the last may end early.
    let next = length.checked_next_multiple_of(4)?.min(bytes.len());
    Some((kind, sequence, payload, &bytes[next..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(kind: u16, sequence: u32, payload: &[u8]) -> Vec<u8> {
        let mut bytes = ((HEADER + payload.len()) as u32).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([0; 2]);
        bytes.extend(sequence.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn messages_of_one_datagram_are_told_apart() {
        let mut bytes = encoded(AUDIT_GET, 1, &[1, 2, 3]);
        bytes.push(0);
        bytes.extend(encoded(3, 2, &[]));
        let (kind, sequence, payload, next) = message(&bytes).unwrap();
        assert_eq!((kind, sequence, payload), (AUDIT_GET, 1, &[1, 2, 3][..]));
        let (kind, sequence, payload, next) = message(next).unwrap();
        assert_eq!((kind, sequence, payload, next), (3, 2, &[][..], &[][..]));
    }

    #[test]
    fn asking_ends_in_an_answer_or_a_reason() {
        match audit_status() {
            Ok(status) => assert!(status.enabled <= 2),
            Err(why) => assert!(why.starts_with("AUDIT_GET: "), "{why}"),
        }
    }

    proptest! {
        #[test]
        fn no_datagram_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut rest = bytes.as_slice();
            while let Some((_, _, _, next)) = message(rest) {
                prop_assert!(next.len() < rest.len());
                rest = next;
            }
        }
    }
}
