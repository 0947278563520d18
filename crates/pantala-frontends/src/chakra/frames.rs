//! The messages of a file, each after its length.

use std::io::{self, BufRead, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use prost::bytes::Bytes;

use crate::trace::blocks::Blocks;

/// Largest size of a message. A node with all its texts has some kilobytes.
const LARGEST: u64 = 16 << 20;

/// A compressed file is refused if its content is more than this many times as long. A trace's
/// content is at most some 50 times as long; gzip can reach 1,032.
const MOST_EXPANSION: u64 = 500;
/// Content up to this length is read in any case, in bytes.
const SMALL: u64 = 16 << 20;

/// The messages of a file, plain or compressed.
#[derive(Debug)]
pub(super) struct Frames {
    source: Source,
    path: Arc<Path>,
    range: Range<u64>,
    block: usize,
    /// The offset of the next byte of the content.
    position: u64,
    /// The offset in the content of a compressed file after which no message is read.
    most: u64,
}

#[derive(Debug)]
enum Source {
    Plain(Blocks),
    Compressed(Box<MultiGzDecoder<Compressed>>),
    /// A copy of a compressed source, before its first read.
    Copied,
}

/// The compressed bytes of a file.
#[derive(Debug)]
struct Compressed(Blocks);

impl Read for Compressed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Compressed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.peek()
    }

    fn consume(&mut self, count: usize) {
        // The bytes are in memory, so this cannot fail.
        let _ = self.0.skip(count as u64);
    }
}

impl Clone for Frames {
    fn clone(&self) -> Self {
        let source = match &self.source {
            Source::Plain(blocks) => Source::Plain(blocks.clone()),
            Source::Compressed(_) | Source::Copied => Source::Copied,
        };
        Self { source, path: Arc::clone(&self.path), range: self.range.clone(), ..*self }
    }
}

impl Frames {
    /// The messages of a file of `bytes` bytes, read in blocks of `block` bytes.
    pub(super) fn new(path: &Arc<Path>, bytes: u64, compressed: bool, block: usize) -> Self {
        let blocks = Blocks::new(Arc::clone(path), 0..bytes, block);
        let source = if compressed {
            Source::Compressed(Box::new(MultiGzDecoder::new(Compressed(blocks))))
        } else {
            Source::Plain(blocks)
        };
        let most = SMALL.max(bytes.saturating_mul(MOST_EXPANSION));
        Self { source, path: Arc::clone(path), range: 0..bytes, block, position: 0, most }
    }

    /// The offset of the next message in the content of the file.
    pub(super) const fn position(&self) -> u64 {
        self.position
    }

    /// The next message; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, String> {
        if matches!(self.source, Source::Copied) {
            self.reopen()?;
        }
        let compressed = matches!(self.source, Source::Compressed(_));
        if compressed && self.position > self.most {
            return Err(format!(
                "its {} compressed bytes hold more than {} bytes, as no trace does; the file is \
                 corrupt, or made to fill a disk",
                self.range.end, self.most
            ));
        }
        let (mut length, mut shift) = (0u64, 0);
        loop {
            let Some(byte) = self.byte()? else {
                return if shift == 0 { Ok(None) } else { Err(truncated()) };
            };
            length |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
            if shift > 28 {
                return Err("the length of a message has more than 5 bytes".to_owned());
            }
        }
        if length > LARGEST {
            return Err(format!(
                "a message of {length} bytes is too long; the file is corrupt, or no Chakra trace"
            ));
        }
        let message = match &mut self.source {
            Source::Plain(blocks) => {
                blocks.take(length as usize).map(Bytes::copy_from_slice).map_err(in_words)?
            }
            Source::Compressed(decoder) => {
                let mut message = Vec::new();
                decoder.take(length).read_to_end(&mut message).map_err(in_words)?;
                message.into()
            }
            Source::Copied => Bytes::new(),
        };
        if message.len() as u64 != length {
            return Err(truncated());
        }
        self.position += length;
        Ok(Some(message))
    }

    fn byte(&mut self) -> Result<Option<u8>, String> {
        let byte = match &mut self.source {
            Source::Plain(blocks) if blocks.remaining() == 0 => None,
            Source::Plain(blocks) => Some(blocks.take(1).map_err(in_words)?[0]),
            Source::Compressed(decoder) => {
                let mut byte = [0];
                (decoder.read(&mut byte).map_err(in_words)? == 1).then_some(byte[0])
            }
            Source::Copied => None,
        };
        self.position += u64::from(byte.is_some());
        Ok(byte)
    }

    /// Opens a compressed file again and goes on to the position.
    fn reopen(&mut self) -> Result<(), String> {
        let blocks = Blocks::new(Arc::clone(&self.path), self.range.clone(), self.block);
        let mut decoder = Box::new(MultiGzDecoder::new(Compressed(blocks)));
        io::copy(&mut (&mut decoder).take(self.position), &mut io::sink()).map_err(in_words)?;
        self.source = Source::Compressed(decoder);
        Ok(())
    }
}

fn truncated() -> String {
    "the file ends inside a message; it is truncated".to_owned()
}

fn in_words(error: io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        truncated()
    } else {
        format!("cannot be read: {error}")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// The messages of a compressed file with this content.
    fn compressed(folder: &Path, content: &[u8]) -> Frames {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content).unwrap();
        let bytes = encoder.finish().unwrap();
        let path: Arc<Path> = folder.join("rank.0.et.gz").into();
        fs::write(&path, &bytes).unwrap();
        Frames::new(&path, bytes.len() as u64, true, 4096)
    }

    /// Reads to the end or to a fault: the number of messages and the fault.
    fn read(frames: &mut Frames) -> (u64, Option<String>) {
        let mut count = 0;
        loop {
            match frames.next() {
                Ok(Some(_)) => count += 1,
                Ok(None) => return (count, None),
                Err(fault) => return (count, Some(fault)),
            }
        }
    }

    #[test]
    fn a_compressed_file_that_expands_without_measure_is_refused_early() {
        let folder = tempfile::tempdir().unwrap();
        // Messages of 127 zeros: gzip makes them more than 500 times as short.
        let message = [&[127][..], &[0; 127]].concat();
        let bomb = message.repeat(8192);
        let mut frames = compressed(folder.path(), &bomb);
        assert!(bomb.len() as u64 > 200 * frames.range.end);
        frames.most = 64 << 10;
        let (count, fault) = read(&mut frames);
        // One message may start at the limit.
        assert_eq!(count, (64 << 10) / 128 + 1);
        let fault = fault.unwrap();
        assert!(fault.contains("hold more than 65536 bytes, as no trace does"), "{fault}");
    }

    #[test]
    fn the_bound_follows_the_compressed_size_and_lets_short_content_pass() {
        let folder = tempfile::tempdir().unwrap();
        let message = [&[127][..], &[0; 127]].concat();
        let mut frames = compressed(folder.path(), &message.repeat(8192));
        assert_eq!(frames.most, SMALL);
        assert_eq!(read(&mut frames), (8192, None));
        let path: Arc<Path> = folder.path().join("long").into();
        assert_eq!(Frames::new(&path, SMALL, true, 4096).most, SMALL * MOST_EXPANSION);
    }

    #[test]
    fn a_message_longer_than_any_node_is_refused_before_its_memory_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        // The length is 2^35 - 1, the largest of 5 bytes.
        let mut frames = compressed(folder.path(), &[0xff, 0xff, 0xff, 0xff, 0x7f, 1]);
        let fault = frames.next().unwrap_err();
        assert!(fault.contains("a message of 34359738367 bytes is too long"), "{fault}");
    }
}
