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

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_regular_file_and_a_link_to_it_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        fs::write(&path, "text").unwrap();
        let mut text = String::new();
        open(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            assert!(open(link).is_ok());
        }
    }

    #[test]
    fn a_folder_and_a_missing_file_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(open(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let missing = open(folder.path().join("missing")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    /// Refuses a file that is not regular, also through a link.
    #[cfg(unix)]
    fn refused(path: &Path) {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(path, &link).unwrap();
        for path in [path, &link] {
            let fault = open(path).unwrap_err();
            assert_eq!(fault.kind(), io::ErrorKind::InvalidInput, "{}", path.display());
            assert!(fault.to_string().contains("not a regular file"), "{fault}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        for device in ["/dev/zero", "/dev/urandom", "/dev/null"] {
            refused(Path::new(device));
        }
    }

    /// To open the pipe would block: it has no writer.
    #[cfg(unix)]
    #[test]
    fn a_named_pipe_without_a_writer_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        refused(&pipe);
    }

    #[cfg(unix)]
    #[test]
    fn a_socket_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        refused(&path);
    }
}
