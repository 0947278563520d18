//! The files around that of a rank: traces are found by their folder, a prefix, a file of a rank or
//! a file that names the others.

use std::fs;
use std::path::{Path, PathBuf};

use crate::readers::sum_of;

/// The files of a trace, and the path that is opened.
struct Layout {
    /// Below the folder; empty: the folder itself.
    opened: &'static str,
    /// The name of the second rank's file.
    second: &'static str,
    /// Other files and what they hold; `SEED` is a sound file of a rank.
    others: &'static [(&'static str, &'static str)],
}

const SEED: &str = "SEED";

const fn layout(
    opened: &'static str,
    second: &'static str,
    others: &'static [(&'static str, &'static str)],
) -> Layout {
    Layout { opened, second, others }
}

/// Of DUMPI; `END` is that of binary or of text files.
const DUMPI: [Layout; 10] = [
    layout("", "run-0001.END", &[("run.meta", "hostname=n\nnumprocs=2\nfileprefix=/old/run\n")]),
    layout("run.meta", "run-0001.END", &[("run.meta", "numprocs=3\n")]),
    layout("run", "run-0001.END", &[]),
    layout("run-0000.END", "run-0001.END", &[]),
    layout("", "run-0001.END", &[("other-0000.END", SEED)]),
    layout("run", "run-0002.END", &[]),
    layout("", "run-0001.END", &[("run.meta", "numprocs=none\n")]),
    layout("", "run-0001.END", &[("run.meta", "numprocs=2\n"), ("more.meta", "numprocs=2\n")]),
    layout("none", "run-0001.END", &[]),
    layout("run", "run-0001.END", &[("run.meta", "numprocs=2\nfileprefix=run\n")]),
];
/// Of Chakra.
const CHAKRA: [Layout; 6] = [
    layout("job", "job.1.et", &[]),
    layout("job.0.et", "job.1.et", &[("notes.txt", "")]),
    layout("", "job.1.et", &[("other.0.et", SEED)]),
    layout("job", "job.2.et", &[("job.01.et", SEED), (".1.et", SEED)]),
    layout("none", "job.1.et", &[]),
    layout("", "job.1.et.gz", &[]),
];
/// One of so many inputs lies in each of the layouts.
const ONE_OF: usize = 32;

/// Writes an input as the file of rank 0, with the files around it, and returns the path to open;
/// `None` if the input is not one of those that lie in such files.
pub(crate) fn written(folder: &Path, first: &str, input: &[u8], seed: &[u8]) -> Option<PathBuf> {
    let (layouts, end): (&[Layout], &str) = match first.rsplit('.').next()? {
        "et" => (&CHAKRA, ""),
        end => (&DUMPI, end),
    };
    let number = sum_of(input) % ONE_OF;
    let layout = layouts.get(number)?;
    let folder = folder.join(number.to_string());
    let named = |name: &str| folder.join(name.replace("END", end));
    fs::create_dir_all(&folder).ok()?;
    fs::write(folder.join(first), input).ok()?;
    fs::write(named(layout.second), seed).ok()?;
    for (name, content) in layout.others {
        let content = if *content == SEED { seed } else { content.as_bytes() };
        fs::write(named(name), content).ok()?;
    }
    Some(if layout.opened.is_empty() { folder } else { named(layout.opened) })
}
