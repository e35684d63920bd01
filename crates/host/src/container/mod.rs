//! What the process is confined to.

mod cgroup;

use crate::missing::Missing;
use crate::roots::Roots;
use cgroup::Cgroups;
use toll_model::host::Container;

/// What the process is confined to.
pub(crate) fn read(roots: &Roots) -> Container {
    let cgroups = Cgroups::read(roots);
    let cgroups = || cgroups.as_ref().map_err(Clone::clone);
    let (kind, evidence) = kind(roots);
    Container {
        kind,
        evidence,
        cpu_quota: cgroups().and_then(|groups| groups.cpu_quota(roots)).into(),
        memory_limit: cgroups().and_then(|groups| groups.memory_limit(roots)).into(),
        throttled: cgroups().and_then(|groups| groups.throttled(roots)).into(),
        time_namespace: time_namespace(roots).into(),
    }
}

/// Words in the path of a cgroup that tell who made it.
const CGROUP_WORDS: &[(&str, &str)] = &[
    ("kubepods", "kubernetes"),
    ("/docker/", "docker"),
    ("docker-", "docker"),
    ("libpod", "podman"),
    ("/lxc/", "lxc"),
    ("lxc.payload", "lxc"),
    ("machine.slice/systemd-nspawn", "systemd-nspawn"),
    ("/ecs/", "ecs"),
    ("cri-containerd", "containerd"),
];

/// Words in the path that an engine mounts `/etc/hosts` from.
const MOUNT_WORDS: &[(&str, &str)] = &[
    ("/kubelet/pods/", "kubernetes"),
    ("/docker/containers/", "docker"),
    ("/containers/storage/", "podman"),
];

/// The kind of container and what told it; the most telling sign decides.
fn kind(roots: &Roots) -> (Option<String>, Vec<String>) {
    let mut found: Vec<(String, String)> = Vec::new();
    if roots.environment.kubernetes {
        found.push(("kubernetes".into(), "KUBERNETES_SERVICE_HOST is set".into()));
    }
    let secrets = "/var/run/secrets/kubernetes.io";
    if roots.exists(secrets) {
        found.push(("kubernetes".into(), format!("{secrets} exists")));
    }
    let groups = roots.text("/proc/self/cgroup").unwrap_or_default();
    for (word, kind) in CGROUP_WORDS {
        if groups.contains(word) {
            let word = word.trim_matches('/');
            found.push(((*kind).into(), format!("/proc/self/cgroup: a path with {word}")));
        }
    }
    // systemd's convention, which podman and LXC keep: https://systemd.io/CONTAINER_INTERFACE
    let told = "/run/systemd/container";
    if let Ok(kind) = roots.line(told) {
        found.push((kind.clone(), format!("{told}: {kind}")));
    }
    // Engines mount these three files of their own into each container; the path tells whose.
    let mounts = roots.text_upto("/proc/self/mountinfo", 1 << 20).unwrap_or_default();
    let of_engine = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        matches!(point, "/etc/hosts" | "/etc/hostname" | "/etc/resolv.conf").then_some(root)
    });
    let mut mounted = false;
    for root in of_engine {
        mounted = true;
        if let Some((word, kind)) = MOUNT_WORDS.iter().find(|(word, _)| root.contains(word)) {
            let why =
                format!("/proc/self/mountinfo: a file of {} is mounted", word.trim_matches('/'));
            if !found.iter().any(|(_, known)| *known == why) {
                found.push(((*kind).into(), why));
            }
        }
    }
    for (file, kind) in [("/run/.containerenv", "podman"), ("/.dockerenv", "docker")] {
        // An image made into a virtual machine's disk keeps the file, but is no container.
        if mounted && roots.exists(file) {
            found.push((kind.into(), format!("{file} exists")));
        }
    }
    (found.first().map(|(kind, _)| kind.clone()), found.into_iter().map(|(_, why)| why).collect())
}

/// Offsets of CLOCK_MONOTONIC and CLOCK_BOOTTIME; zero outside a time namespace.
/// Source: time_namespaces(7).
fn time_namespace(roots: &Roots) -> Result<bool, Missing> {
    let path = "/proc/self/timens_offsets";
    let text = roots
        .text(path)
        .map_err(|missing| missing.absent("before Linux 5.6, or built without CONFIG_TIME_NS"))?;
    let offsets: Option<Vec<i64>> = text
        .split_whitespace()
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_alphabetic()))
        .map(|word| word.parse().ok())
        .collect();
    match offsets {
        Some(offsets) if !offsets.is_empty() => Ok(offsets.iter().any(|&offset| offset != 0)),
        _ => Err(Missing::new(path, "holds no offsets")),
    }
}
