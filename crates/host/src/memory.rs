//! Memory: `/proc/meminfo` and transparent huge pages.

use crate::missing::Missing;
use crate::roots::Roots;
use toll_model::host::Memory;

const MEMINFO: &str = "/proc/meminfo";
const HUGEPAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// Memory.
pub(crate) fn read(roots: &Roots) -> Result<Memory, Missing> {
    let text = roots.text(MEMINFO)?;
    Ok(Memory {
        total: bytes(&text, "MemTotal")?,
        available: bytes(&text, "MemAvailable")?,
        transparent_hugepages: hugepages(roots).into(),
    })
}

/// `MemTotal:  24684096 kB` → bytes.
fn bytes(text: &str, field: &str) -> Result<u64, Missing> {
    text.lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .and_then(|kilobytes| kilobytes.checked_mul(1024))
        .ok_or_else(|| Missing::new(MEMINFO, format!("has no {field} in kB")))
}

fn hugepages(roots: &Roots) -> Result<String, Missing> {
    let line = roots
        .line(HUGEPAGES)
        .map_err(|missing| missing.absent("kernel without transparent huge pages"))?;
    let chosen = line.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    match chosen {
        Some((word, _)) => Ok(word.to_owned()),
        None => Err(Missing::new(HUGEPAGES, format!("marks no choice: {line}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_become_bytes() {
        let text = "MemTotal:       24684096 kB\nMemFree: 1 kB\n";
        assert_eq!(bytes(text, "MemTotal").unwrap(), 24_684_096 * 1024);
        assert_eq!(
            bytes(text, "MemAvailable").unwrap_err().to_string(),
            "/proc/meminfo: has no MemAvailable in kB"
        );
        assert!(bytes("MemTotal: 18446744073709551615 kB", "MemTotal").is_err());
    }
}
