//! This process as the kernel sees it: `/proc/self/status`.

use crate::cpu_list;
use crate::missing::Missing;
use crate::roots::Roots;

/// Fields of `/proc/self/status`. Source: proc_pid_status(5).
#[derive(Clone, Debug)]
pub(crate) struct Status(String);

impl Status {
    const PATH: &str = "/proc/self/status";

    pub(crate) fn read(roots: &Roots) -> Result<Self, Missing> {
        roots.text(Self::PATH).map(Status)
    }

    /// The text of a field.
    pub(crate) fn field(&self, name: &str) -> Result<&str, Missing> {
        self.0
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .map(str::trim)
            .ok_or_else(|| Missing::new(Self::PATH, format!("has no {name} line")))
    }

    /// A field that is one number, or the `column`th of several.
    pub(crate) fn number(&self, name: &str, column: usize) -> Result<u32, Missing> {
        let text = self.field(name)?;
        text.split_whitespace()
            .nth(column)
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| Missing::new(Self::PATH, format!("{name} holds no number")))
    }

    /// A field that is a hexadecimal mask.
    pub(crate) fn mask(&self, name: &str) -> Result<u64, Missing> {
        u64::from_str_radix(self.field(name)?, 16)
            .map_err(|_| Missing::new(Self::PATH, format!("{name} is no mask")))
    }

    pub(crate) fn cpus_allowed(&self) -> Result<Vec<u32>, Missing> {
        let list = self.field("Cpus_allowed_list")?;
        cpu_list::parse(list).map_err(|error| Missing::new(Self::PATH, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_their_whole_name() {
        let status = Status("Seccomp_filters:\t3\nSeccomp:\t2\nUid:\t0\t1000\t0\t0\n".into());
        assert_eq!(status.number("Seccomp", 0).unwrap(), 2);
        assert_eq!(status.number("Seccomp_filters", 0).unwrap(), 3);
        assert_eq!(status.number("Uid", 1).unwrap(), 1000);
        let error = status.number("TracerPid", 0).unwrap_err();
        assert_eq!(error.to_string(), "/proc/self/status: has no TracerPid line");
    }
}
