//! What may be tried after the kernel has demoted the TSC, each with its risk.
//!
//! Sources: `Documentation/admin-guide/kernel-parameters.txt` of Linux on `tsc=` and
//! `clocksource.`, and the commits named.

use crate::demotion::Signs;
use toll_model::host::HypervisorKind;
use toll_model::{Remedy, Run};

/// What may be tried after a demotion with these signs. A switch back is not to be had at run time.
pub(crate) fn remedies(run: &Run, signs: &Signs) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    if signs.by_watchdog {
        remedies.extend(newer_kernel(run));
        remedies.push(Remedy {
            command: "raise clocksource.max_cswd_read_retries on the kernel command line, if \
                      /sys/module/clocksource/parameters/max_cswd_read_retries exists"
                .into(),
            gain: "more attempts before a delayed reading counts against the TSC; newer kernels \
                   scale it with the number of CPUs and have dropped the parameter (2ed08e4bc532)"
                .into(),
            risk: "none known; a TSC that is really off is still caught".into(),
        });
    }
    if signs.look_false() {
        remedies.push(Remedy {
            command: "tsc=nowatchdog on the kernel command line, and only after the TSC is shown \
                      to be sound: no step back over days, a small and steady drift under NTP"
                .into(),
            gain: "the watchdog no longer compares; tests at boot still do".into(),
            risk: "a TSC that goes wrong later goes unnoticed, and time with it; tsc=reliable goes \
                   further and skips the tests at boot too: only where the hypervisor's maker says so"
                .into(),
        });
    }
    remedies.push(firmware(run));
    remedies
}

/// A kernel with a more careful watchdog, unless this one has it.
fn newer_kernel(run: &Run) -> Option<Remedy> {
    let release = run.host.kernel.known().map(|kernel| kernel.release.as_str());
    if release.and_then(version).is_some_and(|version| version >= (6, 3)) {
        return None;
    }
    Some(Remedy {
        command: format!("boot a newer kernel than {}", release.unwrap_or("this one")),
        gain: "since 2021 the watchdog reads again before it judges (commit db3a34e17433) and \
               leaves alone an invariant TSC with TSC_ADJUST on at most two sockets \
               (b50db7095fe0); since 6.3 it pauses when it finds the machine too busy. \
               Distributions carry some of this in older kernels too"
            .into(),
        risk: "what any kernel upgrade risks".into(),
    })
}

/// `6.1.0-38-cloud-amd64` → (6, 1)
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn firmware(run: &Run) -> Remedy {
    let (command, gain) = match run.host.hypervisor.kind {
        _ if run.host.hypervisor.emulated => (
            "run this guest on hardware virtualization with an invariant TSC (QEMU: -accel kvm -cpu host,+invtsc)",
            "the counter is then the processor's and not the emulator's",
        ),
        HypervisorKind::BareMetal | HypervisorKind::Unknown => (
            "update the firmware (BIOS), and look in its settings for whatever writes the TSC",
            "the kernel's own guess, where it finds a TSC unstable after boot, is a broken BIOS",
        ),
        HypervisorKind::Kvm | HypervisorKind::Other => (
            "have the host expose an invariant TSC to this guest (QEMU: -cpu host,+invtsc)",
            "Linux then takes the TSCs of all virtual CPUs to be in step, and rates tsc above kvm-clock",
        ),
        _ => (
            "ask the provider for an instance type whose TSC is invariant",
            "the cause lies in the hypervisor or its hardware",
        ),
    };
    Remedy {
        command: command.into(),
        gain: gain.into(),
        risk: "needs a reboot; judge again after it".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn a_release_tells_its_version() {
        assert_eq!(version("6.1.0-38-cloud-amd64"), Some((6, 1)));
        assert_eq!(version("4.14.355-276.639.amzn2.x86_64"), Some((4, 14)));
        assert_eq!(version("6.18-rc1"), Some((6, 18)));
        assert_eq!(version(""), None);
    }
}
