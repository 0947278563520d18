//! The lists of an operation file that is written: each content once.

use std::collections::HashMap;

use super::digest::{Digest, digest};

/// The lists so far.
#[derive(Debug, Default)]
pub(super) struct Lists {
    known: HashMap<Digest, u64>,
    pub(super) words: Vec<u64>,
    /// The first word and the number of words of each list.
    pub(super) table: Vec<(u64, u64)>,
}

impl Lists {
    /// The index of a list with these words.
    pub(super) fn index(&mut self, words: impl IntoIterator<Item = u64>) -> u64 {
        let first = self.words.len();
        self.words.extend(words);
        let added = &self.words[first..];
        let bytes: Vec<u8> = added.iter().flat_map(|word| word.to_le_bytes()).collect();
        let next = self.table.len() as u64;
        let index = *self.known.entry(digest(&bytes)).or_insert(next);
        if index == next {
            self.table.push((first as u64, added.len() as u64));
        } else {
            self.words.truncate(first);
        }
        index
    }

    /// The index of the list that holds a text, and the number of bytes.
    pub(super) fn text(&mut self, text: &str) -> (u64, u64) {
        let words = text.as_bytes().chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        (self.index(words), text.len() as u64)
    }
}
