//! What a recording holds: the files that toll-host reads, stripped of what could identify the
//! machine or hold a secret. Names of hosts, addresses, serial numbers, other processes and all of
//! the command line that is not about clocks stay behind.

#[cfg(target_arch = "x86_64")]
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use toll_host::Roots;
use toll_model::host::{Host, LibcKind};
use toll_testing::elf_stub;

/// Files kept as they are.
const WHOLE: &[&str] = &[
    "/proc/sys/kernel/arch",
    "/proc/sys/kernel/dmesg_restrict",
    "/proc/sys/kernel/kptr_restrict",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/self/attr/current",
    "/proc/self/timens_offsets",
    "/proc/xen/capabilities",
    "/sys/class/dmi/id/product_name",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/devices/system/clocksource/clocksource0/available_clocksource",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
    "/sys/devices/system/cpu/cpu0/tsc_freq_khz",
    "/sys/devices/system/cpu/online",
    "/sys/hypervisor/properties/features",
    "/sys/hypervisor/type",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/security/lsm",
    "/sys/kernel/tracing/set_event",
];

/// Folders kept with the named files in each of their subfolders, or with all their files.
const FOLDERS: &[(&str, &[&str])] = &[
    ("/sys/devices/system/cpu/vulnerabilities", &[]),
    ("/sys/devices/system/cpu/cpu0/cache", &["level", "size"]),
    ("/sys/devices/system/cpu", &["topology/physical_package_id", "cpufreq/scaling_governor"]),
];

/// Files kept in part: the lines that begin with one of these words.
const LINES: &[(&str, &[&str])] = &[
    ("/proc/meminfo", &["MemTotal:", "MemAvailable:"]),
    ("/proc/stat", &["cpu "]),
    ("/proc/self/status", &["Uid:", "TracerPid:", "CapEff:", "Seccomp", "Cpus_allowed_list:"]),
];

const CGROUP_FILES: &[&str] = &[
    "cpu.max",
    "cpu.stat",
    "cpu.cfs_quota_us",
    "cpu.cfs_period_us",
    "memory.max",
    "memory.limit_in_bytes",
];

/// Leaves that toll asks for.
#[cfg(target_arch = "x86_64")]
const LEAVES: &[u32] = &[
    0x0,
    0x1,
    0x7,
    0x15,
    0x16,
    0x4000_0000,
    0x4000_0001,
    0x4000_0003,
    0x4000_0010,
    0x4000_0100,
    0x4000_0101,
    0x4000_0103,
    0x8000_0000,
    0x8000_0007,
];

/// Records this machine into `folder`.
pub(crate) fn record(folder: &Path) -> io::Result<()> {
    let roots = Roots::live();
    let host = toll_host::read(&roots);
    let recording = Recording { folder: folder.to_owned() };
    for path in WHOLE {
        recording.copy(path)?;
    }
    for (path, files) in FOLDERS {
        recording.copy_folder(path, files)?;
    }
    for (path, starts) in LINES {
        recording.copy_lines(path, |line| {
            starts.iter().any(|start| line.starts_with(start)).then(|| line.to_owned())
        })?;
    }
    recording.kernel(&host)?;
    recording.first_cpu()?;
    recording.cgroups()?;
    recording.firmware()?;
    recording.log(&roots)?;
    recording.cpuid()?;
    recording.libc(&host)?;
    recording.jvms(&host)?;
    recording.audit(&host)?;
    if let Some(names) = host.vdso.symbols.known() {
        recording.put("vdso.symbols", (names.join("\n") + "\n").as_bytes())?;
    }
    if let Some(system) = host.distribution.known() {
        let version = system.version.as_deref().unwrap_or_default();
        let text =
            format!("ID={}\nPRETTY_NAME=\"{}\"\nVERSION_ID={version}\n", system.id, system.name);
        recording.put("root/etc/os-release", text.as_bytes())?;
    }
    let source = folder.join("SOURCE.md");
    if !source.exists() {
        let text = "recorded with `cargo run -p toll-host --example record`; say where and when.\n";
        fs::write(source, text)?;
    }
    Ok(())
}

struct Recording {
    folder: PathBuf,
}

impl Recording {
    /// Writes a file of the recording.
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.folder.join(name.trim_start_matches('/'));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)
    }

    /// Copies a file of the machine; one that is not there is not recorded.
    fn copy(&self, path: &str) -> io::Result<()> {
        match fs::read(path) {
            Ok(bytes) => self.put(path, &bytes),
            Err(_) => Ok(()),
        }
    }

    fn copy_folder(&self, path: &str, files: &[&str]) -> io::Result<()> {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let entry = entry.path().to_string_lossy().into_owned();
            if files.is_empty() {
                self.copy(&entry)?;
            }
            for file in files {
                self.copy(&format!("{entry}/{file}"))?;
            }
        }
        Ok(())
    }

    fn copy_lines(&self, path: &str, keep: impl Fn(&str) -> Option<String>) -> io::Result<()> {
        let Ok(text) = fs::read_to_string(path) else { return Ok(()) };
        let kept: Vec<String> = text.lines().filter_map(keep).collect();
        self.put(path, (kept.join("\n") + "\n").as_bytes())
    }

    /// The release without what a builder put behind its number, and the parameters that toll
    /// keeps of the command line.
    fn kernel(&self, host: &Host) -> io::Result<()> {
        let Some(kernel) = host.kernel.known() else { return Ok(()) };
        let release = plain_release(&kernel.release);
        self.put("proc/sys/kernel/osrelease", format!("{release}\n").as_bytes())?;
        let line = kernel.parameters.join(" ");
        self.put("proc/cmdline", format!("{line}\n").as_bytes())
    }

    fn first_cpu(&self) -> io::Result<()> {
        let text = fs::read_to_string("/proc/cpuinfo")?;
        let first = text.split("\n\n").next().unwrap_or_default();
        let kept: Vec<&str> =
            first.lines().filter(|line| !line.to_lowercase().contains("serial")).collect();
        self.put("proc/cpuinfo", (kept.join("\n") + "\n\n").as_bytes())
    }

    /// Mounts of cgroups and the limits along this process's path, whose parts are numbered:
    /// they hold the names and ids of whoever runs here.
    fn cgroups(&self) -> io::Result<()> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mut kept_mounts = Vec::new();
        for line in mounts.lines().filter(|line| line.contains(" - cgroup")) {
            let words: Vec<&str> = line.split(' ').collect();
            let (Some(&point), Some(options)) = (words.get(4), words.last()) else { continue };
            let kind = if line.contains(" - cgroup2 ") { "cgroup2" } else { "cgroup" };
            kept_mounts.push(format!("30 24 0:27 / {point} rw - {kind} {kind} {options}"));
            for group in groups.lines() {
                let mut fields = group.splitn(3, ':').skip(1);
                let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
                    continue;
                };
                let first = controllers.split(',').next().unwrap_or_default();
                let mine = if first.is_empty() {
                    kind == "cgroup2"
                } else {
                    options.split(',').any(|option| option == first)
                };
                if mine {
                    self.limits(point, path)?;
                }
            }
        }
        self.put("proc/self/mountinfo", (kept_mounts.join("\n") + "\n").as_bytes())?;
        self.copy_lines("/proc/self/cgroup", |line| {
            let (rest, path) = line.rsplit_once(':')?;
            Some(format!("{rest}:{}", numbered(path)))
        })
    }

    fn limits(&self, point: &str, path: &str) -> io::Result<()> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        for depth in 0..=parts.len() {
            let real = parts[..depth].iter().fold(point.to_owned(), |p, part| p + "/" + part);
            let kept = format!("{point}{}", numbered(&parts[..depth].join("/")));
            for file in CGROUP_FILES {
                if let Ok(bytes) = fs::read(format!("{real}/{file}")) {
                    self.put(&format!("{}/{file}", kept.trim_end_matches('/')), &bytes)?;
                }
            }
        }
        Ok(())
    }

    /// The header of an ACPI table names the maker of a microVM.
    fn firmware(&self) -> io::Result<()> {
        let path = "/sys/firmware/acpi/tables/FACP";
        match fs::read(path) {
            Ok(table) if table.len() >= 36 => self.put(path, &table[..36]),
            _ => Ok(()),
        }
    }

    fn log(&self, roots: &Roots) -> io::Result<()> {
        let Ok(lines) = toll_host::relevant_kernel_log(roots) else { return Ok(()) };
        let mut text = String::new();
        for line in lines {
            if let Some(at) = line.at_seconds {
                text += &format!("[{at:>12.6}] ");
            }
            match line.message.strip_prefix("Linux version ") {
                Some(release) => text += &format!("Linux version {}", plain_release(release)),
                None => text += &line.message,
            }
            text.push('\n');
        }
        self.put("kernel.log", text.as_bytes())
    }

    #[cfg(target_arch = "x86_64")]
    fn cpuid(&self) -> io::Result<()> {
        let mut leaves: BTreeMap<String, BTreeMap<String, [String; 4]>> = BTreeMap::new();
        for &leaf in LEAVES {
            let registers = raw_cpuid::native_cpuid::cpuid_count(leaf, 0);
            let mut ebx = registers.ebx;
            if leaf == 1 {
                // The number of the CPU that happened to answer.
                ebx &= 0x00ff_ffff;
            }
            let values = [registers.eax, ebx, registers.ecx, registers.edx];
            if values != [0; 4] {
                let hex = values.map(|value| format!("{value:#010x}"));
                leaves.insert(format!("{leaf:#x}"), BTreeMap::from([("0x0".to_owned(), hex)]));
            }
        }
        let text = serde_json::to_string_pretty(&leaves)? + "\n";
        self.put("cpuid.json", text.as_bytes())
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn cpuid(&self) -> io::Result<()> {
        Ok(())
    }

    fn audit(&self, host: &Host) -> io::Result<()> {
        let Some(audit) = host.syscall_tracing.audit.known() else { return Ok(()) };
        // Other evidence than the kernel's own answer is recorded where it stands.
        let Some(enabled) = audit.evidence.strip_prefix("AUDIT_GET: enabled = ") else {
            return Ok(());
        };
        let mut text = format!("enabled {}\n", &enabled[..1]);
        if let Some(rules) = audit.rules.known() {
            text += &format!("rules {rules}\n");
        }
        self.put("audit.status", text.as_bytes())
    }

    /// Stands for the libc with a program and a library that say the same of themselves.
    fn libc(&self, host: &Host) -> io::Result<()> {
        let Some(libc) = host.libc.known() else { return Ok(()) };
        let version = libc.version.as_deref().unwrap_or_default();
        let (needed, library, data) = match libc.kind {
            LibcKind::Glibc => {
                let folder = libc.loader.rsplit_once('/').map_or("/lib", |(folder, _)| folder);
                let banner =
                    format!("GNU C Library (GNU libc) stable release version {version}.\n");
                ("libc.so.6", format!("{folder}/libc.so.6"), banner)
            }
            LibcKind::Musl => ("libc.so", libc.loader.clone(), format!("\0{version}\0")),
            LibcKind::Other => return Ok(()),
        };
        let program = elf_stub(Some(&libc.loader), &[needed], b"");
        self.put(&format!("root{}", libc.program), &program)?;
        self.put(&format!("root{library}"), &elf_stub(None, &[], data.as_bytes()))
    }

    /// Installations without the processes that run them.
    fn jvms(&self, host: &Host) -> io::Result<()> {
        for jvm in host.jvms.known().into_iter().flatten() {
            if jvm.launcher.is_empty() || jvm.home.starts_with("/proc/") {
                continue;
            }
            let home = format!("root{}", jvm.home);
            let text = fs::read_to_string(format!("{}/release", jvm.home)).unwrap_or_default();
            let kept: Vec<&str> = text
                .lines()
                .filter(|line| {
                    ["IMPLEMENTOR=", "JAVA_VERSION="].iter().any(|start| line.starts_with(start))
                })
                .collect();
            self.put(&format!("{home}/release"), (kept.join("\n") + "\n").as_bytes())?;
            self.put(&format!("root{}", jvm.launcher), &elf_stub(None, &[], b""))?;
            self.put(&format!("{home}/lib/server/libjvm.so"), &elf_stub(None, &[], b""))?;
            if jvm.found_by.iter().any(|by| by == "PATH") {
                let link = self.folder.join("root/usr/bin/java");
                fs::create_dir_all(self.folder.join("root/usr/bin"))?;
                let _ = fs::remove_file(&link);
                std::os::unix::fs::symlink(&jvm.launcher, link)?;
                self.put("environment", b"PATH=/usr/local/bin:/usr/bin\n")?;
            }
        }
        Ok(())
    }
}

/// `6.1.0-38-somebody` → `6.1.0`.
fn plain_release(release: &str) -> &str {
    release.split('-').next().unwrap_or_default()
}

/// `/kubepods/pod1234/…` → `/kubepods/group2/…`: the words that tell who made a cgroup stay.
fn numbered(path: &str) -> String {
    const TELLING: &[&str] = &["kubepods", "docker", "lxc", "libpod", "system.slice", "user.slice"];
    let parts = path.split('/').filter(|part| !part.is_empty());
    let kept: Vec<String> = parts
        .enumerate()
        .map(|(n, part)| match TELLING.iter().find(|word| part.contains(**word)) {
            Some(word) => (*word).to_owned(),
            None => format!("group{}", n + 1),
        })
        .collect();
    format!("/{}", kept.join("/"))
}
