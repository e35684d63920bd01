//! Java installations and running JVMs, found without starting any.

mod flags;
mod home;
mod running;

pub use home::{JvmError, at};

use crate::missing::{Missing, clean};
use crate::roots::Roots;
use running::Running;
use toll_model::host::Jvm;

/// Folders whose subfolders are installations.
const USUAL: &[&str] =
    &["/usr/lib/jvm", "/usr/lib64/jvm", "/usr/java", "/opt", "/opt/java", "/usr/local"];

/// Below the user's own folder.
const SDKMAN: &str = ".sdkman/candidates/java";

/// How many installations are looked for in one folder.
const MOST: usize = 200;

/// All that can be found, running ones first, each once. That nothing was found means something
/// only if the processes could be looked at.
pub(crate) fn read(roots: &Roots) -> Result<Vec<Jvm>, Missing> {
    let mut found: Vec<Jvm> = Vec::new();
    let running = running::read(roots);
    for Running { home, process } in running.iter().flatten() {
        let known = home.as_ref().and_then(|home| home::read(roots, home).ok());
        let mut jvm = known.unwrap_or_else(home::unknown);
        jvm.processes.push(process.clone());
        add(&mut found, jvm, "running");
    }
    for (path, how) in candidates(roots) {
        if let Ok(jvm) = home::read(roots, &path) {
            add(&mut found, jvm, how);
        }
    }
    // A name that could steer a terminal is no name of an installation.
    found.retain(|jvm| clean(&jvm.home, usize::MAX) == jvm.home);
    match running {
        Err(missing) if found.is_empty() => Err(missing),
        _ => Ok(found),
    }
}

/// Puts an installation in the list, or adds what is new of it to the entry of the same home.
fn add(found: &mut Vec<Jvm>, jvm: Jvm, how: &str) {
    let known = match found.iter_mut().find(|known| known.home == jvm.home) {
        Some(known) => {
            known.processes.extend(jvm.processes);
            known
        }
        None => {
            found.push(jvm);
            match found.last_mut() {
                Some(last) => last,
                None => return,
            }
        }
    };
    if !known.found_by.iter().any(|by| by == how) {
        known.found_by.push(how.to_owned());
    }
}

/// Paths that may lead to an installation, with the word for how they were come by.
fn candidates(roots: &Roots) -> Vec<(String, &str)> {
    let environment = &roots.environment;
    let mut paths: Vec<(String, &str)> = Vec::new();
    paths.extend(environment.java_home.clone().map(|home| (home, "JAVA_HOME")));
    let on_path = environment.path.iter().flat_map(|path| path.split(':'));
    paths.extend(
        on_path
            .filter(|folder| folder.starts_with('/'))
            .take(MOST)
            .map(|folder| format!("{}/java", folder.trim_end_matches('/')))
            .filter(|launcher| roots.is_file(launcher))
            .map(|launcher| (launcher, "PATH")),
    );
    let below = |folder: &str| -> Vec<String> {
        let names = roots.names(folder).unwrap_or_default();
        names
            .into_iter()
            .filter(|name| !name.starts_with('.'))
            .take(MOST)
            .map(|name| format!("{folder}/{name}"))
            .collect()
    };
    for folder in USUAL {
        paths.extend(below(folder).into_iter().map(|path| (path, *folder)));
    }
    if let Some(home) = environment.home.as_deref().filter(|home| home.starts_with('/')) {
        paths.extend(below(&format!("{home}/{SDKMAN}")).into_iter().map(|path| (path, "sdkman")));
    }
    paths
}
