//! The words people use for what the model names in its own way.

use toll_model::host::HypervisorKind;
use toll_model::{Measurement, Path, ServedBy, Stopped};

/// A path as a column names it.
pub(crate) fn path(path: Path) -> &'static str {
    match path {
        Path::Vdso => "vDSO",
        Path::LibcMinusVdso => "libc − vDSO",
        Path::SyscallMinusVdso => "syscall − vDSO",
        Path::User => "unordered",
        Path::UserOrdered => "ordered",
        other => other.word(),
    }
}

/// What was read, of rows that are no clock of the kernel's: `lfence;rdtsc`.
pub(crate) fn reference(row: &Measurement) -> String {
    let subject = &row.subject;
    if subject.path == Path::Twin {
        return "twin of the vDSO".into();
    }
    match (subject.toll.as_str(), subject.operation.as_str()) {
        ("crossing", "getppid") => "empty system call".into(),
        ("engine", "multiply") => "one multiplication".into(),
        ("clock", counter) => counter.replace('-', ";"),
        (_, other) => other.to_owned(),
    }
}

/// A hypervisor as its makers write it.
pub(crate) fn hypervisor(kind: HypervisorKind) -> &'static str {
    match kind {
        HypervisorKind::BareMetal => "bare metal",
        HypervisorKind::Kvm => "KVM guest",
        HypervisorKind::Nitro => "AWS Nitro guest",
        HypervisorKind::Xen => "Xen guest",
        HypervisorKind::HyperV => "Hyper-V guest",
        HypervisorKind::Vmware => "VMware guest",
        HypervisorKind::Other => "guest of an unknown hypervisor",
        HypervisorKind::Unknown => "hypervisor not known",
    }
}

/// Who answered.
pub(crate) fn served_by(who: ServedBy) -> &'static str {
    match who {
        ServedBy::Vdso => "vDSO",
        ServedBy::Kernel => "kernel",
        ServedBy::User => "user",
    }
}

/// Why sampling ended, in one word.
pub(crate) fn stopped(why: Stopped) -> &'static str {
    match why {
        Stopped::Precise => "precise",
        Stopped::Time => "time",
        Stopped::Interrupted => "stopped",
    }
}
