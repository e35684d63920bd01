//! Machines under `fixtures/hosts`: one folder each, with a SOURCE.md that says where it is from.

use std::path::PathBuf;

fn hosts() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/hosts")
}

/// The folder of one machine.
///
/// # Panics
/// If there is no such folder, with the names of those that there are.
pub fn fixture_host(name: &str) -> PathBuf {
    let folder = hosts().join(name);
    assert!(folder.is_dir(), "no fixture {name:?}; there are {:?}", fixture_hosts());
    folder
}

/// The folders of all machines, sorted by name.
///
/// # Panics
/// If the folder of fixtures cannot be read.
pub fn fixture_hosts() -> Vec<PathBuf> {
    let entries = match std::fs::read_dir(hosts()) {
        Ok(entries) => entries,
        Err(error) => panic!("{}: {error}", hosts().display()),
    };
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_says_where_it_is_from() {
        let folders = fixture_hosts();
        assert!(folders.len() >= 10, "{folders:?}");
        for folder in folders {
            let source = std::fs::read_to_string(folder.join("SOURCE.md"))
                .unwrap_or_else(|error| panic!("{}: SOURCE.md: {error}", folder.display()));
            assert!(
                source.contains("recorded") || source.contains("composed"),
                "{}: SOURCE.md says neither recorded nor composed",
                folder.display()
            );
        }
    }
}
