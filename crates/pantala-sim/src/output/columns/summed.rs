//! The check sum of a file, formed while it is written.

use crc32fast::Hasher;
use std::io::{Result, Write};

/// Writes to `inner`, and forms the CRC-32 of what it has taken.
#[derive(Debug)]
pub(super) struct Summed<W> {
    inner: W,
    sum: Hasher,
}

impl<W: Write> Summed<W> {
    /// Returns a writer that has written nothing.
    pub(super) fn new(inner: W) -> Self {
        Self { inner, sum: Hasher::new() }
    }

    /// Returns the CRC-32 of all bytes so far (that of ISO 3309, as in zip and gzip).
    pub(super) fn sum(&self) -> u32 {
        self.sum.clone().finalize()
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let taken = self.inner.write(bytes)?;
        self.sum.update(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that takes at most three bytes at a time.
    #[derive(Default)]
    struct Narrow(Vec<u8>);

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.0.write(&bytes[..bytes.len().min(3)])
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_sum_is_that_of_the_bytes_taken() {
        let mut summed = Summed::new(Narrow::default());
        assert_eq!(summed.sum(), 0);
        summed.write_all(b"123456789").unwrap();
        assert_eq!(summed.sum(), 0xCBF4_3926, "the check value of this CRC");
        assert_eq!(summed.inner.0, b"123456789");
    }
}
