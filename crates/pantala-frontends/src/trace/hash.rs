//! The hash that names a trace's content.

use std::io::Read;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::TraceError;
use crate::input;

/// Bytes that one read takes.
const BLOCK: usize = 1 << 20;

/// The SHA-256 of the files, in their order, in hexadecimal digits. The length of each file is part
/// of it; its name is not.
///
/// # Errors
/// A [`TraceError`] if a file cannot be read.
pub fn hash_of(files: &[PathBuf]) -> Result<String, TraceError> {
    let mut hash = Sha256::new();
    let mut block = vec![0; BLOCK];
    for path in files {
        let failed = |error| TraceError::new(path, format!("cannot be read: {error}"));
        let mut file = input::open(path).map_err(failed)?;
        let mut length: u64 = 0;
        loop {
            let read = file.read(&mut block).map_err(failed)?;
            if read == 0 {
                break;
            }
            hash.update(&block[..read]);
            length += read as u64;
        }
        hash.update(length.to_le_bytes());
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
