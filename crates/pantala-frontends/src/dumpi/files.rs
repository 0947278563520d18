//! The files of a trace: found from the .meta file, from its directory, or from a prefix.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::binary_file::MAGIC;
use crate::input;
use crate::trace::TraceError;

/// The ranks that the file of one rank can name.
pub(super) const LARGEST_TRACE: u32 = 1 << 20;

/// The files of a trace, by rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The file of each rank.
    pub ranks: Vec<PathBuf>,
    /// The rank of the first file: 0, or what the name of a single file says.
    pub first: u32,
    /// Whether the path names one rank's file, of a trace whose other files are unknown.
    pub single: bool,
}

/// Whether the files at `path` are those of a DUMPI trace.
#[must_use]
pub fn recognizes(path: &Path) -> bool {
    if path.is_dir() {
        return !metas(path).is_empty() || !first_files(path).is_empty();
    }
    if path.extension().is_some_and(|extension| extension == "meta") {
        return true;
    }
    if path.is_file() {
        return is_binary(path) || is_text(path);
    }
    rank_file(path, 0).is_some()
}

impl Files {
    /// Finds the files of the trace at `path`.
    ///
    /// # Errors
    /// A [`TraceError`] if there is no trace, several traces, or a rank without a file.
    pub fn find(path: &Path) -> Result<Self, TraceError> {
        if path.is_dir() {
            return Self::of_directory(path);
        }
        if path.extension().is_some_and(|extension| extension == "meta") {
            return Self::of_meta(path);
        }
        if path.is_file() {
            let first = rank_in_name(path).unwrap_or(0);
            return Ok(Self { ranks: vec![path.to_owned()], first, single: true });
        }
        let meta = with_suffix(path, ".meta");
        if meta.is_file() { Self::of_meta(&meta) } else { Self::of_prefix(path, None, path) }
    }

    fn of_directory(path: &Path) -> Result<Self, TraceError> {
        let (metas, firsts) = (metas(path), first_files(path));
        match (&metas[..], &firsts[..]) {
            ([meta], _) => Self::of_meta(meta),
            ([], [prefix]) => Self::of_prefix(prefix, None, path),
            ([], []) => {
                let message = "holds no .meta file and no files *-0000.bin or *-0000.txt; name a \
                               trace";
                Err(TraceError::new(path, message))
            }
            ([], _) => {
                let message = format!("holds {} traces; name one by its prefix", firsts.len());
                Err(TraceError::new(path, message))
            }
            _ => {
                let message = format!("holds {} .meta files; name one of them", metas.len());
                Err(TraceError::new(path, message))
            }
        }
    }

    /// The files that a .meta file names. They are in its own directory: the file may have moved.
    fn of_meta(path: &Path) -> Result<Self, TraceError> {
        let mut text = Vec::new();
        input::open(path)
            .and_then(|mut file| file.read_to_end(&mut text))
            .map_err(|error| TraceError::new(path, format!("cannot be read: {error}")))?;
        let text = String::from_utf8_lossy(&text);
        let value = |key: &str| {
            text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='))
        };
        let ranks = value("numprocs").and_then(|ranks| ranks.trim().parse::<u32>().ok());
        let Some(ranks) = ranks.filter(|ranks| *ranks > 0) else {
            let message = "has no line numprocs=N; it is no .meta file of DUMPI";
            return Err(TraceError::new(path, message));
        };
        let directory = path.parent().unwrap_or(Path::new(""));
        let named = value("fileprefix").map(|prefix| prefix.trim().to_owned());
        let named = named.and_then(|prefix| Path::new(&prefix).file_name().map(PathBuf::from));
        let stem = path.file_stem().map(PathBuf::from);
        let prefixes: Vec<PathBuf> =
            [named, stem].into_iter().flatten().map(|name| directory.join(name)).collect();
        let found = prefixes.iter().find(|prefix| rank_file(prefix, 0).is_some());
        match found.or(prefixes.first()) {
            Some(prefix) => Self::of_prefix(prefix, Some(ranks), path),
            None => Err(TraceError::new(path, "has no line fileprefix=NAME")),
        }
    }

    /// The files `PREFIX-NNNN.bin` or `PREFIX-NNNN.txt`; as many as there are if `ranks` is
    /// unknown.
    fn of_prefix(prefix: &Path, ranks: Option<u32>, path: &Path) -> Result<Self, TraceError> {
        let mut files = Vec::new();
        while ranks.is_none_or(|ranks| (files.len() as u32) < ranks) {
            let rank = files.len() as u32;
            if let Some(file) = rank_file(prefix, rank) {
                files.push(file);
                continue;
            }
            let name = with_suffix(prefix, &format!("-{rank:04}.bin"));
            match ranks {
                Some(ranks) => {
                    let message = format!(
                        "is missing; {} names {ranks} ranks; copy the files of all ranks",
                        path.display()
                    );
                    return Err(TraceError::new(&name, message).of_rank(rank));
                }
                None if files.is_empty() => {
                    let message = format!("there is no file {}; name a trace", name.display());
                    return Err(TraceError::new(path, message));
                }
                None => {
                    if let Some(later) = (rank + 1..rank + 8).find_map(|r| rank_file(prefix, r)) {
                        let message = format!(
                            "is missing, but {} exists; copy the files of all ranks",
                            later.display()
                        );
                        return Err(TraceError::new(&name, message).of_rank(rank));
                    }
                    break;
                }
            }
        }
        Ok(Self { ranks: files, first: 0, single: false })
    }
}

/// The file of a rank: a binary file if there is one, otherwise a text file.
fn rank_file(prefix: &Path, rank: u32) -> Option<PathBuf> {
    let names = [".bin", ".txt", ".ascii"].map(|end| format!("-{rank:04}{end}"));
    names.iter().map(|name| with_suffix(prefix, name)).find(|path| path.is_file())
}

/// The rank in the name of one rank's file, such as `PREFIX-0012.bin`.
fn rank_in_name(path: &Path) -> Option<u32> {
    let (_, digits) = path.file_stem()?.to_str()?.rsplit_once('-')?;
    let is_number = digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|rank| is_number && *rank < LARGEST_TRACE)
}

fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The .meta files of a directory, sorted.
fn metas(directory: &Path) -> Vec<PathBuf> {
    entries(directory, |path| {
        path.extension().is_some_and(|end| end == "meta").then(|| path.into())
    })
}

/// The prefixes of the traces in a directory, from the files of their rank 0, sorted.
fn first_files(directory: &Path) -> Vec<PathBuf> {
    let mut prefixes = entries(directory, |path| {
        let name = path.file_name()?.to_str()?;
        let prefix = name.strip_suffix("-0000.bin").or_else(|| name.strip_suffix("-0000.txt"))?;
        let is_trace = if name.ends_with(".bin") { is_binary(path) } else { is_text(path) };
        is_trace.then(|| directory.join(prefix))
    });
    prefixes.dedup();
    prefixes
}

fn entries(directory: &Path, choose: impl Fn(&Path) -> Option<PathBuf>) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut found: Vec<PathBuf> =
        entries.flatten().filter_map(|entry| choose(&entry.path())).collect();
    found.sort();
    found
}

/// Whether a file starts as a binary one, of either byte order.
#[must_use]
pub(super) fn is_binary(path: &Path) -> bool {
    let mut reversed = MAGIC;
    reversed.reverse();
    start_of(path).is_some_and(|start| start.starts_with(&MAGIC) || start.starts_with(&reversed))
}

/// Whether the first lines of a file are those of dumpi2ascii.
fn is_text(path: &Path) -> bool {
    start_of(path).is_some_and(|start| {
        String::from_utf8_lossy(&start)
            .lines()
            .any(|line| line.starts_with("MPI_") && line.contains(" entering at "))
    })
}

fn start_of(path: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    input::open(path).ok()?.take(4096).read_to_end(&mut start).ok()?;
    Some(start)
}
