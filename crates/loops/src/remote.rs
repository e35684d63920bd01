//! What toll asks of the probe in another process, and what it answers: fixed-size messages over
//! two pipes.

use crate::sys;

/// The environment variable that names the probe's two descriptors, `TOLL_PROBE=<in>,<out>`.
/// Without it a preloaded probe does nothing at all.
pub const VARIABLE: &str = "TOLL_PROBE";

/// Which function of libc a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Function {
    /// The empty function: the baseline of all.
    Empty = 0,
    /// `clock_gettime(clock, …)`.
    ClockGettime = 1,
    /// `gettimeofday(…, NULL)`.
    Gettimeofday = 2,
    /// `time(NULL)`.
    Time = 3,
}

/// One block to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Request {
    /// A [`Function`].
    pub function: u32,
    /// The clock's id, for `clock_gettime`.
    pub clock: u32,
    /// Misses per call, or [`Request::IDLE`].
    pub misses: u32,
    /// 1: time the block by the hardware counter; 0: by `CLOCK_MONOTONIC_RAW`.
    pub by_counter: u32,
    /// Bytes of the field in which the misses happen; the first request that needs it decides.
    pub field_bytes: u64,
    /// Calls to make before the clock is started.
    pub warm: u64,
    /// Calls to time.
    pub calls: u64,
}

impl Request {
    /// In an otherwise idle loop.
    pub const IDLE: u32 = u32::MAX;
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Reply {
    /// 0, or why nothing was measured: one of the constants below.
    pub status: i64,
    /// How long the calls took: ticks, or nanoseconds.
    pub elapsed: u64,
    /// Times the thread was switched out meanwhile.
    pub switches: u64,
    /// 1 if it ended on another CPU.
    pub moved: u64,
}

impl Reply {
    /// The probe is loaded and waits.
    pub const HELLO: i64 = 0x746f_6c6c;
    /// This libc has no such function.
    pub const NO_FUNCTION: i64 = -10_001;
    /// There was no memory for the field of misses.
    pub const NO_MEMORY: i64 = -10_002;
    /// The function returns an error.
    pub const CALL_FAILED: i64 = -10_003;
}

macro_rules! plain_bytes {
    ($type:ty) => {
        impl $type {
            /// As it travels through the pipe.
            pub fn to_bytes(self) -> [u8; size_of::<Self>()] {
                // SAFETY: a `repr(C)` struct of integers without padding.
                unsafe { core::mem::transmute::<Self, [u8; size_of::<Self>()]>(self) }
            }

            /// From what came through the pipe.
            pub fn from_bytes(bytes: [u8; size_of::<Self>()]) -> Self {
                // SAFETY: a `repr(C)` struct of integers: every pattern of bits is a value.
                unsafe { core::mem::transmute::<[u8; size_of::<Self>()], Self>(bytes) }
            }

            /// Reads one from `fd`; `None` at the end of the stream or on an error.
            pub fn receive(fd: i32) -> Option<Self> {
                let mut bytes = [0u8; size_of::<Self>()];
                let mut have = 0;
                while have < bytes.len() {
                    match sys::read(fd, &mut bytes[have..]) {
                        n @ 1.. => have += n as usize,
                        INTERRUPTED => {}
                        _ => return None,
                    }
                }
                Some(Self::from_bytes(bytes))
            }

            /// Writes this one to `fd`; `false` if the other side is gone.
            pub fn send(self, fd: i32) -> bool {
                let bytes = self.to_bytes();
                let mut sent = 0;
                while sent < bytes.len() {
                    match sys::write(fd, &bytes[sent..]) {
                        n @ 1.. => sent += n as usize,
                        INTERRUPTED => {}
                        _ => return false,
                    }
                }
                true
            }
        }
    };
}

/// `-EINTR`.
const INTERRUPTED: i64 = -4;

plain_bytes!(Request);
plain_bytes!(Reply);

// No padding: `to_bytes` relies on it.
const _: () = assert!(size_of::<Request>() == 4 * 4 + 3 * 8);
const _: () = assert!(size_of::<Reply>() == 4 * 8);
