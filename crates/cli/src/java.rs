//! Which JVMs to measure: those found on the host, or one that the user named.

use crate::complaint::Complaint;
use std::path::Path;
use toll_model::Host;
use toll_model::host::Jvm;

/// All that were found and can be started, one for each version and vendor: rows are named by
/// these, and two installations of the same build cost the same.
pub(crate) fn found(host: &Host) -> Vec<Jvm> {
    let jvms = host.jvms.known().map(Vec::as_slice).unwrap_or_default();
    let mut kept: Vec<Jvm> = Vec::new();
    for jvm in jvms.iter().filter(|jvm| !jvm.launcher.is_empty()) {
        if kept.iter().all(|known| known.runtime() != jvm.runtime()) {
            kept.push(jvm.clone());
        }
    }
    kept
}

/// The one JVM that stands for all in a short look: one that runs now, else the one that a shell
/// would start, else the first found.
pub(crate) fn usual(host: &Host) -> Vec<Jvm> {
    let jvms = found(host);
    let by = |how: &str| jvms.iter().find(|jvm| jvm.found_by.iter().any(|found| found == how));
    let running = jvms.iter().find(|jvm| !jvm.processes.is_empty());
    let chosen = running.or_else(|| by("JAVA_HOME")).or_else(|| by("PATH")).or(jvms.first());
    chosen.cloned().into_iter().collect()
}

/// The JVMs behind paths that the user gave: launchers, or Java homes.
///
/// # Errors
/// Why one is no JVM (none is started to find out), or that two cannot be told apart.
pub(crate) fn named<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Vec<Jvm>, Complaint> {
    let mut jvms: Vec<Jvm> = Vec::new();
    for path in paths {
        let jvm = toll_host::jvm::at(path).map_err(|error| {
            let (path, why) = (path.display().to_string(), error.to_string());
            // The reason names the folder it is about, which may be another than the one given.
            let why = why.strip_prefix(&format!("{path}: ")).unwrap_or(&why);
            Complaint::new(format_args!("--java {path}: {why}"), "give a Java home or its bin/java")
        })?;
        match jvms.iter().find(|known| known.runtime() == jvm.runtime()) {
            None => jvms.push(jvm),
            Some(same) if same.home == jvm.home => {}
            Some(same) => {
                return Err(Complaint::new(
                    format_args!("{} and {} are both {}", same.home, jvm.home, jvm.runtime()),
                    "measure them in runs of their own",
                ));
            }
        }
    }
    Ok(jvms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toll_model::Fact;
    use toll_model::host::JvmProcess;

    fn jvm(version: &str, home: &str, found_by: &str) -> Jvm {
        Jvm {
            home: home.into(),
            launcher: format!("{home}/bin/java"),
            version: Some(version.into()),
            vendor: Some("debian".into()),
            found_by: vec![found_by.into()],
            processes: Vec::new(),
        }
    }

    fn host(jvms: Vec<Jvm>) -> Host {
        Host { jvms: Fact::Known(jvms), ..Host::default() }
    }

    #[test]
    fn the_usual_one_runs_or_is_what_a_shell_would_start() {
        let folder = jvm("8", "/a", "/usr/lib/jvm");
        let path = jvm("17", "/b", "PATH");
        let home = |jvms: &[&Jvm]| {
            let host = host(jvms.iter().copied().cloned().collect());
            usual(&host).into_iter().map(|jvm| jvm.home).collect::<Vec<_>>()
        };
        assert_eq!(home(&[]), [""; 0]);
        assert_eq!(home(&[&folder]), ["/a"]);
        assert_eq!(home(&[&folder, &path]), ["/b"]);
        let mut running = folder.clone();
        let program = "Main".into();
        running.processes.push(JvmProcess { pid: 7, program, flags: vec![], preload: None });
        assert_eq!(home(&[&path, &running]), ["/a"]);
    }

    #[test]
    fn a_build_is_measured_once_and_only_where_it_can_be_started() {
        let unseen = Jvm { launcher: String::new(), ..jvm("21", "unknown", "running") };
        let host = host(vec![jvm("17", "/a", "PATH"), jvm("17", "/b", "/opt"), unseen]);
        let homes: Vec<_> = found(&host).into_iter().map(|jvm| jvm.home).collect();
        assert_eq!(homes, ["/a"]);
    }

    #[test]
    fn a_path_that_is_no_jvm_is_told_with_the_reason() {
        let complaint = named([Path::new("/nonexistent")]).unwrap_err().to_string();
        assert_eq!(complaint, "--java /nonexistent: not there; give a Java home or its bin/java");
    }
}
