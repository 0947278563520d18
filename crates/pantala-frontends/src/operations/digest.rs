//! The hash by which equal contents of an operation file are found.

use sha2::{Digest as _, Sha256};

/// The hash of a content.
pub(super) type Digest = [u8; 16];

/// The first half of the SHA-256 of a content.
pub(super) fn digest(bytes: &[u8]) -> Digest {
    let whole: [u8; 32] = Sha256::digest(bytes).into();
    let mut digest = [0; 16];
    digest.copy_from_slice(&whole[..16]);
    digest
}
