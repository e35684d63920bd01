//! Limits of this process's cgroup and of those above it, as far up as can be seen.
//!
//! Sources: cgroups(7); Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.

use crate::missing::Missing;
use crate::roots::Roots;
use std::path::{Component, Path};

const GROUPS: &str = "/proc/self/cgroup";
const MOUNTS: &str = "/proc/self/mountinfo";

/// Deeper than any hierarchy in use.
const LEVELS: usize = 64;

/// Where this process sits in the hierarchies that limit CPU and memory.
pub(super) struct Cgroups {
    cpu: Option<Place>,
    memory: Option<Place>,
}

/// A cgroup: the folder in which its hierarchy is mounted, and the folders below it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    v2: bool,
    mount: String,
    below: Vec<String>,
}

impl Cgroups {
    pub(super) fn read(roots: &Roots) -> Result<Self, Missing> {
        let groups = roots.text(GROUPS).map_err(|missing| missing.absent("no cgroups"))?;
        let mounts = roots.text_upto(MOUNTS, 1 << 20)?;
        let cgroups = Cgroups {
            cpu: place(&groups, &mounts, "cpu"),
            memory: place(&groups, &mounts, "memory"),
        };
        if cgroups.cpu.is_none() && cgroups.memory.is_none() {
            return Err(Missing::new(
                MOUNTS,
                "no cgroup file system with cpu or memory is mounted",
            ));
        }
        Ok(cgroups)
    }

    /// CPUs' worth of quota: the tightest of all levels that can be seen.
    pub(super) fn cpu_quota(&self, roots: &Roots) -> Result<Option<f64>, Missing> {
        let place = self.cpu.as_ref().ok_or_else(|| controller_missing("cpu"))?;
        tightest(place, |folder| {
            let (quota, period) = if place.v2 {
                let line = match read(roots, &format!("{folder}/cpu.max"))? {
                    Some(line) => line,
                    None => return Ok(None),
                };
                let mut words = line.split_whitespace().map(str::to_owned);
                (words.next(), words.next())
            } else {
                let quota = read(roots, &format!("{folder}/cpu.cfs_quota_us"))?;
                (quota, read(roots, &format!("{folder}/cpu.cfs_period_us"))?)
            };
            let number = |word: Option<String>| word?.parse::<f64>().ok().filter(|n| *n > 0.0);
            // `max`, or -1 in version 1.
            Ok(number(quota).zip(number(period)).map(|(quota, period)| quota / period))
        })
    }

    /// Memory limit in bytes, likewise.
    pub(super) fn memory_limit(&self, roots: &Roots) -> Result<Option<u64>, Missing> {
        let place = self.memory.as_ref().ok_or_else(|| controller_missing("memory"))?;
        let file = if place.v2 { "memory.max" } else { "memory.limit_in_bytes" };
        tightest(place, |folder| {
            let line = read(roots, &format!("{folder}/{file}"))?;
            // Version 1 writes a number near 2^63 where there is no limit.
            Ok(line.and_then(|line| line.parse::<u64>().ok()).filter(|&bytes| bytes < 1 << 60))
        })
    }

    /// `nr_throttled` of this very cgroup.
    pub(super) fn throttled(&self, roots: &Roots) -> Result<u64, Missing> {
        let place = self.cpu.as_ref().ok_or_else(|| controller_missing("cpu"))?;
        let path = format!("{}/cpu.stat", place.folders().next().unwrap_or_default());
        let text = roots.text(&path)?;
        text.lines()
            .find_map(|line| line.strip_prefix("nr_throttled ")?.trim().parse().ok())
            .ok_or_else(|| Missing::new(path, "counts no throttling (no cpu controller here)"))
    }
}

fn controller_missing(controller: &str) -> Missing {
    Missing::new(MOUNTS, format!("no cgroup file system with {controller} is mounted"))
}

/// A file of a cgroup; `None` where it is not there, which means no limit at that level.
fn read(roots: &Roots, path: &str) -> Result<Option<String>, Missing> {
    match roots.line(path) {
        Ok(line) => Ok(Some(line)),
        Err(missing) if missing.is_absent() => Ok(None),
        Err(missing) => Err(missing),
    }
}

/// The least value over all levels. A level that cannot be read spoils the answer only if no
/// other level holds a limit.
fn tightest<T: PartialOrd + Copy>(
    place: &Place,
    of: impl Fn(&str) -> Result<Option<T>, Missing>,
) -> Result<Option<T>, Missing> {
    let mut least: Option<T> = None;
    let mut failure = None;
    for folder in place.folders() {
        match of(&folder) {
            Ok(Some(value)) if least.is_none_or(|least| value < least) => least = Some(value),
            Ok(_) => {}
            Err(missing) => failure = failure.or(Some(missing)),
        }
    }
    match (least, failure) {
        (None, Some(missing)) => Err(missing),
        (least, _) => Ok(least),
    }
}

impl Place {
    /// The cgroup's own folder, then those above it up to the mount.
    fn folders(&self) -> impl Iterator<Item = String> + '_ {
        (0..=self.below.len()).rev().map(|depth| {
            let mut folder = self.mount.clone();
            for part in &self.below[..depth] {
                folder.push('/');
                folder.push_str(part);
            }
            folder
        })
    }
}

/// Finds the cgroup of a controller: version 1 if it is mounted there, else version 2.
fn place(groups: &str, mounts: &str, controller: &str) -> Option<Place> {
    let mounted: Vec<Mount<'_>> = mounts.lines().filter_map(mount).collect();
    let group = |wanted: &dyn Fn(&str, &str) -> bool| {
        groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (id, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            wanted(id, controllers).then_some(path)
        })
    };
    let lists = |list: &str| list.split(',').any(|word| word == controller);
    if let Some(path) = group(&|_, controllers| lists(controllers))
        && let Some(mount) = mounted.iter().find(|m| m.kind == "cgroup" && lists(m.options))
    {
        return Some(below(mount, path, false));
    }
    let path = group(&|id, controllers| id == "0" && controllers.is_empty())?;
    let mount = mounted.iter().find(|m| m.kind == "cgroup2")?;
    Some(below(mount, path, true))
}

fn below(mount: &Mount<'_>, path: &str, v2: bool) -> Place {
    // In a container the mount shows a part of the hierarchy, while the path may be that of the
    // whole; where the two do not meet, the mount itself is the process's cgroup.
    let relative = Path::new(path).strip_prefix(mount.root).unwrap_or(Path::new(""));
    let parts: Option<Vec<String>> = relative
        .components()
        .map(|component| match component {
            Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect();
    let below = parts.unwrap_or_default().into_iter().take(LEVELS).collect();
    Place { v2, mount: mount.point.trim_end_matches('/').to_owned(), below }
}

struct Mount<'a> {
    root: &'a str,
    point: &'a str,
    kind: &'a str,
    options: &'a str,
}

/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`
/// Source: proc_pid_mountinfo(5).
fn mount(line: &str) -> Option<Mount<'_>> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(3);
    let mut after = after.split(' ');
    Some(Mount {
        root: before.next()?,
        point: before.next()?,
        kind: after.next()?,
        options: after.nth(1)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = "41 30 0:36 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                      42 30 0:37 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

    #[test]
    fn version_one_is_found_by_its_controller() {
        let groups = "9:memory:/a/b\n3:cpu,cpuacct:/a\n0::/\n";
        let cpu = place(groups, V1, "cpu").unwrap();
        assert_eq!(cpu.mount, "/sys/fs/cgroup/cpu,cpuacct");
        assert_eq!(
            cpu.folders().collect::<Vec<_>>(),
            ["/sys/fs/cgroup/cpu,cpuacct/a", "/sys/fs/cgroup/cpu,cpuacct"]
        );
        assert_eq!(place(groups, V1, "memory").unwrap().below, ["a", "b"]);
        assert_eq!(place(groups, V1, "cpuset"), None);
    }

    #[test]
    fn version_two_serves_what_version_one_does_not() {
        let mounts = "30 24 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";
        let cpu = place("0::/user.slice/app.scope\n", mounts, "cpu").unwrap();
        assert!(cpu.v2);
        assert_eq!(cpu.below, ["user.slice", "app.scope"]);
    }

    #[test]
    fn a_containers_part_of_the_hierarchy_is_its_root() {
        let mounts = "30 24 0:27 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
        assert_eq!(place("4:cpu:/docker/abc\n", mounts, "cpu").unwrap().below, [""; 0]);
        assert_eq!(place("4:cpu:/docker/abc/sub\n", mounts, "cpu").unwrap().below, ["sub"]);
        assert_eq!(place("4:cpu:/../..\n", mounts, "cpu").unwrap().below, [""; 0]);
    }
}
