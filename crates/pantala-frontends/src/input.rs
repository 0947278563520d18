//! Input files of users: regular files only.
//!
//! To open a named pipe without a writer blocks, and a device such as `/dev/zero` has no end.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens a regular file for reading.
///
/// # Errors
/// If the file cannot be opened, or is a directory, a pipe, a device or a socket.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "is a pipe, a device or a socket, not a regular file",
        ));
    }
    File::open(path)
}
