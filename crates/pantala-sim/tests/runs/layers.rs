//! The arrows between crates are those of ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The crates that a manifest depends on, those of its tests left out.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let normal = manifest.split("\n[dependencies]\n").nth(1).unwrap_or("");
    let normal = normal.split("\n[").next().unwrap_or("");
    let names = normal.lines().filter_map(|line| line.split_once([' ', '.', '=']));
    names.map(|(name, _)| name.to_owned()).filter(|name| name.starts_with("pantala-")).collect()
}

/// ARCHITECTURE.md has a line `pantala-x -> pantala-y, pantala-z` for every crate (`-> nothing` for
/// those that stand alone).
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let arrows = text.lines().filter_map(|line| line.trim().split_once(" -> "));
    arrows
        .filter(|(from, _)| from.starts_with("pantala-") && !from.contains(' '))
        .map(|(from, to)| {
            let to =
                to.split(", ").filter(|name| *name != "nothing").map(|name| name.trim().to_owned());
            (from.to_owned(), to.collect())
        })
        .collect()
}

#[test]
fn crates_depend_as_the_architecture_says() {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path().join("Cargo.toml");
        let Ok(manifest) = std::fs::read_to_string(&path) else { continue };
        let name = path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        assert!(manifest.contains("\ndescription = "), "{name} has no description");
        found.insert(name, dependencies(&manifest));
    }
    assert_eq!(found, documented());
}

/// Every source file of the crates' own, from its crate's `src`.
fn sources(crates: &[&str]) -> Vec<(String, PathBuf)> {
    let mut sources = Vec::new();
    for name in crates {
        let root = root().join(format!("crates/pantala-{name}/src"));
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    sources.push((
                        path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(),
                        path,
                    ));
                }
            }
        }
    }
    sources
}

/// A file's first line says what the file is; ARCHITECTURE.md names the rooms only.
#[test]
fn every_file_says_what_it_is() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let all =
        ["engine", "topology", "routing", "fabric", "mpi", "workload", "sim", "python", "oracle"];
    let existing =
        all.into_iter().filter(|name| root().join(format!("crates/pantala-{name}")).exists());
    for (file, path) in sources(&existing.collect::<Vec<_>>()) {
        let source = std::fs::read_to_string(&path).unwrap();
        let first = source.lines().next().unwrap_or_default();
        let told = first.strip_prefix("//! ").is_some_and(|words| words.len() > 10);
        assert!(told || file.ends_with("tests.rs"), "{}: {first}", path.display());
        if let Some((room, _)) = file.split_once('/') {
            assert!(text.contains(&format!("`{room}/`")), "ARCHITECTURE.md has no room {room}/");
        }
    }
}

/// Nobody below the simulation reads files, clocks or the environment, or prints; one file of the
/// fabric starts threads, and one sees how long they take.
#[test]
fn the_core_touches_nothing_outside() {
    let outside =
        ["std::fs", "std::env", "std::time", "std::net", "std::process", "std::thread", "println!"];
    let own = [("partition/threads.rs", "std::thread"), ("partition/pace.rs", "std::time")];
    for (_, path) in sources(&["engine", "topology", "routing", "fabric", "mpi", "workload"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let its_own = own.into_iter().find(|(file, _)| path.ends_with(file));
        for word in outside.into_iter().filter(|&word| its_own.is_none_or(|(_, own)| word != own)) {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
    }
}
