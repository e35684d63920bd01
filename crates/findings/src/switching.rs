//! The way to another clocksource: the commands, what they gain here, what they risk.

use crate::origin::CURRENT;
use toll_model::host::HypervisorKind;
use toll_model::{Remedy, Run};

/// The command that puts tsc in force, with the `gain` that was worked out and the `doubts` that the
/// evidence leaves. Only for a TSC that is safe (see [`crate::tsc::safety`]).
pub(crate) fn to_tsc(run: &Run, gain: &str, doubts: &[String]) -> Remedy {
    Remedy {
        command: format!("echo tsc | sudo tee {CURRENT}"),
        gain: gain.into(),
        risk: risk(run, doubts),
    }
}

/// What keeps tsc in force after a boot. Only for a TSC that is safe.
pub(crate) fn for_good(run: &Run) -> Remedy {
    let requested = run.host.clocksource.requested.known().and_then(Option::as_ref);
    match requested {
        Some(name) if name != "tsc" => Remedy {
            command: format!(
                "take clocksource={name} off the kernel command line (/etc/default/grub, then \
                 update-grub or grub2-mkconfig) and reboot"
            ),
            gain: "the kernel chooses by its own rating again".into(),
            risk: "somebody put it there: ask why first".into(),
        },
        _ => Remedy {
            command: format!(
                "echo 'w {CURRENT} - - - - tsc' | sudo tee /etc/tmpfiles.d/clocksource.conf"
            ),
            gain: "the same at every boot (systemd-tmpfiles; elsewhere clocksource=tsc on the \
                   kernel command line)"
                .into(),
            risk: "an image that is copied to other machines takes the setting along; the kernel \
                   still refuses a TSC that it has demoted"
                .into(),
        },
    }
}

fn risk(run: &Run, doubts: &[String]) -> String {
    let mut parts = Vec::new();
    if let Some(kind) = &run.host.container.kind {
        parts.push(format!(
            "the setting is the whole node's, not this {kind} container's: run it there"
        ));
    }
    parts.extend(doubts.iter().map(|doubt| format!("doubt left: {doubt}")));
    parts.push(
        match run.host.hypervisor.kind {
            HypervisorKind::BareMetal => {
                "the kernel may still demote the TSC later, and says so in its log"
            }
            HypervisorKind::HyperV | HypervisorKind::Vmware => {
                "after a move to another host it is the hypervisor that must keep the TSC's rate"
            }
            _ => {
                "after a live migration to a host whose TSC runs at another rate, time runs fast \
                 or slow unless the hypervisor scales the TSC"
            }
        }
        .into(),
    );
    parts.push("the write succeeds even if the kernel refuses: read the file back".into());
    parts.join("; ")
}
