//! The files of a trace: `NAME.0.et`, `NAME.1.et`, ..., each perhaps with `.gz` after it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::trace::TraceError;

/// Whether the files at a path are those of a Chakra trace.
#[must_use]
pub fn recognizes(path: &Path) -> bool {
    let (folder, name) = place(path);
    ranks(&folder).is_ok_and(|found| {
        found.keys().any(|(trace, _)| name.as_ref().is_none_or(|name| name == trace))
    })
}

/// The files of the trace at a path, by rank. The path is the file of a rank, `NAME`, or a folder
/// with one trace.
///
/// # Errors
/// A [`TraceError`] if a rank's file is missing, or it is not clear which trace is meant.
pub(super) fn find(path: &Path) -> Result<Vec<PathBuf>, TraceError> {
    let (folder, name) = place(path);
    let bad = |error| TraceError::new(&folder, format!("cannot be read: {error}"));
    let mut found = ranks(&folder).map_err(bad)?;
    if let Some((plain, packed)) = found.values().find_map(|file| Some((&file.0, file.1.as_ref()?)))
    {
        let message = format!("is there as {} too; remove one of them", file_name(packed));
        return Err(TraceError::new(plain, message));
    }
    let name = match name {
        Some(name) => name,
        None => {
            let mut names: Vec<String> = found.keys().map(|(name, _)| name.clone()).collect();
            names.dedup();
            match names.len() {
                1 => names.swap_remove(0),
                0 => {
                    let message = "has no files NAME.RANK.et; write the path of a Chakra trace";
                    return Err(TraceError::new(path, message));
                }
                _ => {
                    let example = folder.join(&names[0]);
                    let message = format!(
                        "has {} traces ({}, ...); write the path of one, such as {}",
                        names.len(),
                        names[..2].join(", "),
                        example.display()
                    );
                    return Err(TraceError::new(path, message));
                }
            }
        }
    };
    let last = (name.clone(), u32::MAX);
    let count = found.range((name.clone(), 0)..=last).count() as u32;
    if count == 0 {
        let message = "there are no files NAME.RANK.et; write the path of a Chakra trace";
        return Err(TraceError::new(path, message));
    }
    (0..count)
        .map(|rank| {
            found.remove(&(name.clone(), rank)).map(|(file, _)| file).ok_or_else(|| {
                let file = folder.join(format!("{name}.{rank}.et"));
                let message =
                    format!("the file is missing; the trace has {count} files, one for each rank");
                TraceError::new(&file, message).of_rank(rank)
            })
        })
        .collect()
}

/// The folder of a trace and its name, if the path has one.
fn place(path: &Path) -> (PathBuf, Option<String>) {
    if path.is_dir() {
        return (path.to_owned(), None);
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new(".")).to_owned();
    let file = path.file_name().unwrap_or_default();
    let name = parts(file).map_or_else(|| file.to_string_lossy().into_owned(), |(name, _)| name);
    (folder, Some(name))
}

/// The file of a rank, and the packed one if it is there both plain and packed.
type RankFile = (PathBuf, Option<PathBuf>);

/// The files of all traces of a folder, by name and rank.
fn ranks(folder: &Path) -> std::io::Result<BTreeMap<(String, u32), RankFile>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.sort_unstable(); // the plain file before the packed one
    let mut found: BTreeMap<_, RankFile> = BTreeMap::new();
    for path in files {
        if let Some(key) = path.file_name().and_then(parts) {
            match found.entry(key) {
                Entry::Vacant(place) => drop(place.insert((path, None))),
                Entry::Occupied(mut place) => place.get_mut().1 = Some(path),
            }
        }
    }
    Ok(found)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Name and rank in the name of a file.
fn parts(file: &OsStr) -> Option<(String, u32)> {
    let file = file.to_str()?;
    let (name, rank) =
        file.strip_suffix(".gz").unwrap_or(file).strip_suffix(".et")?.rsplit_once('.')?;
    let plain = rank == "0" || !rank.starts_with(['0', '+']);
    Some((name.to_owned(), rank.parse().ok().filter(|_| plain && !name.is_empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_plain_and_packed_is_refused() {
        let folder = std::env::temp_dir().join(format!("pantala-chakra-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["t.0.et", "t.0.et.gz"] {
            std::fs::write(folder.join(name), b"").unwrap();
        }
        let found = find(&folder).map_err(|error| error.to_string());
        std::fs::remove_dir_all(&folder).unwrap();
        let message = found.unwrap_err();
        assert!(message.contains("t.0.et: is there as t.0.et.gz too; remove one"), "{message}");
    }
}
