//! How much memory the misses happen in, and that memory.

use crate::engine::SharedField;
use std::cell::RefCell;
use std::rc::Rc;
use toll_loops::{Field, sys};
use toll_model::Host;

const MIB: u64 = 1 << 20;

/// Bytes of the field on this machine: four times the last-level cache or more, so that three
/// loads in four miss it at least; a power of two; never more than an eighth of what is free.
///
/// `None` where that leaves no field in which loads would miss.
pub(crate) fn size(host: &Host) -> Option<u64> {
    let cache = host.cpu.last_level_cache.known().copied().unwrap_or(32 * MIB);
    let wanted = (4 * cache).clamp(64 * MIB, 512 * MIB).next_power_of_two();
    let free = host.memory.known().map_or(512 * MIB, |memory| memory.available);
    let limit = host.container.memory_limit.known().copied().flatten().unwrap_or(u64::MAX);
    let most = free.min(limit) / 8;
    let size = if wanted <= most { wanted } else { 1 << most.checked_ilog2()? };
    (size >= 2 * cache).then_some(size)
}

/// Maps and touches a field of `bytes`; it is never unmapped, as it serves the whole run.
pub(crate) fn map(bytes: u64) -> Option<SharedField> {
    let base = sys::map_anonymous(bytes)?;
    // SAFETY: a fresh mapping of this length, writable, which nothing else knows of.
    let field = unsafe { Field::touched(base, usize::try_from(bytes).ok()?) }?;
    Some(Rc::new(RefCell::new(field)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toll_model::Fact;
    use toll_model::host::Memory;

    fn host(cache: u64, available: u64, limit: Option<u64>) -> Host {
        let mut host = Host::default();
        host.cpu.last_level_cache = Fact::Known(cache);
        host.memory = Fact::Known(Memory {
            total: available,
            available,
            transparent_hugepages: Fact::default(),
        });
        host.container.memory_limit = Fact::Known(limit);
        host
    }

    #[test]
    fn the_field_outgrows_the_cache_and_spares_the_machine() {
        assert_eq!(size(&host(36 * MIB, 20_000 * MIB, None)), Some(256 * MIB));
        assert_eq!(size(&host(8 * MIB, 20_000 * MIB, None)), Some(64 * MIB));
        // A pod of 512 MiB gets a field of 64: small, but still twice a cache of 32.
        assert_eq!(size(&host(32 * MIB, 20_000 * MIB, Some(512 * MIB))), Some(64 * MIB));
        // Nothing would miss there.
        assert_eq!(size(&host(36 * MIB, 256 * MIB, None)), None);
        assert_eq!(size(&host(36 * MIB, 0, None)), None);
    }
}
