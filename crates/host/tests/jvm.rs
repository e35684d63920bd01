//! A JVM that runs, found from outside.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use toll_host::Roots;
use toll_model::host::{Jvm, JvmProcess};
use toll_testing::{Need, needs};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn found(pid: u32) -> Option<(Jvm, JvmProcess)> {
    let host = toll_host::read(&Roots::live());
    host.jvms.known()?.iter().find_map(|jvm| {
        let process = jvm.processes.iter().find(|process| process.pid == pid)?;
        Some((jvm.clone(), process.clone()))
    })
}

#[test]
fn a_running_jvm_is_found_with_the_flags_that_cost() {
    needs!(Need::Jvm);
    let installed = toll_host::read(&Roots::live()).jvms;
    let java = installed.known().unwrap().iter().find(|jvm| !jvm.launcher.is_empty()).unwrap();
    // A class that does not exist: the JVM starts, reads its flags, and waits for the debugger.
    let child = Command::new(&java.launcher)
        .args(["-XX:+UseSerialGC", "-Dpassword=secret", "-Xmx64m"])
        .args(["-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0"])
        .args(["no.such.Program", "argument"])
        .env("JAVA_TOOL_OPTIONS", "-XX:+AlwaysPreTouch -Dother=secret")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let child = Running(child);
    let start = Instant::now();
    let (jvm, process) = loop {
        // Until it has become java, the child is a copy of this test.
        match found(child.0.id()) {
            Some((jvm, process)) if process.program == "no.such.Program" => break (jvm, process),
            _ if start.elapsed() > Duration::from_secs(20) => panic!("not found within 20 s"),
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    assert_eq!(jvm.home, java.home);
    assert!(jvm.found_by.contains(&"running".to_owned()), "{:?}", jvm.found_by);
    assert_eq!(
        process.flags,
        ["-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-Xmx64m", "-agentlib:jdwp"]
    );
    assert!(!serde_json::to_string(&process).unwrap().contains("secret"), "{process:?}");
}

#[test]
fn an_installation_is_told_by_its_home_and_by_its_launcher() {
    needs!(Need::Jvm);
    let installed = toll_host::read(&Roots::live()).jvms;
    for jvm in installed.known().unwrap().iter().filter(|jvm| !jvm.launcher.is_empty()) {
        for path in [&jvm.home, &jvm.launcher] {
            let told = toll_host::jvm::at(path.as_ref()).unwrap();
            assert_eq!((&told.home, &told.version), (&jvm.home, &jvm.version));
        }
    }
}

#[test]
fn a_path_that_is_no_jvm_is_refused_with_a_reason() {
    let why = |path: &str| toll_host::jvm::at(path.as_ref()).unwrap_err().to_string();
    assert_eq!(why("/there/is/nothing"), "/there/is/nothing: not there");
    assert!(why("/proc").contains("/proc: no JVM there: it has no bin/java"), "{}", why("/proc"));
}
