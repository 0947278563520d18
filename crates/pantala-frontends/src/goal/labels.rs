//! The labels of one rank of a GOAL text.

use std::collections::HashMap;

/// No operation.
const NONE: u32 = u32::MAX;

/// The operation of each label. Labels `l1`, `l2`, ..., as Schedgen writes them, are an array; all
/// others are in a hash map.
#[derive(Debug, Default)]
pub(super) struct Labels {
    numbered: Vec<u32>,
    others: HashMap<Box<[u8]>, u32>,
    count: usize,
}

impl Labels {
    /// Removes all labels.
    pub(super) fn clear(&mut self) {
        self.numbered.clear();
        self.others.clear();
        self.count = 0;
    }

    /// The operation of a label.
    pub(super) fn get(&self, label: &[u8]) -> Option<u32> {
        let place = number(label).and_then(|number| self.numbered.get(number));
        match place {
            Some(operation) if *operation != NONE => Some(*operation),
            _ => self.others.get(label).copied(),
        }
    }

    /// Adds a label; false if there is one of this name.
    pub(super) fn insert(&mut self, label: &[u8], operation: u32) -> bool {
        if self.get(label).is_some() {
            return false;
        }
        self.count += 1;
        match number(label).filter(|number| *number <= 2 * self.count + 1_000) {
            Some(number) => {
                if number >= self.numbered.len() {
                    self.numbered.resize(number + 1, NONE);
                }
                self.numbered[number] = operation;
            }
            None => {
                self.others.insert(label.into(), operation);
            }
        }
        true
    }

    /// The label of an operation. Slow.
    pub(super) fn name(&self, operation: u32) -> Option<String> {
        if let Some(number) = self.numbered.iter().position(|other| *other == operation) {
            return Some(format!("l{number}"));
        }
        // An operation has one label, so the order of the search does not matter.
        let mut labels =
            self.others.keys().filter(|label| self.others.get(*label) == Some(&operation));
        labels.next().map(|label| String::from_utf8_lossy(label).into_owned())
    }
}

/// The number of a label `l<number>` without leading zeros.
fn number(label: &[u8]) -> Option<usize> {
    let digits = label.strip_prefix(b"l").filter(|digits| (1..10).contains(&digits.len()))?;
    if digits[0] == b'0' && digits.len() > 1 {
        return None;
    }
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + usize::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::Labels;

    #[test]
    fn labels_of_all_forms_are_kept_apart() {
        let mut labels = Labels::default();
        let names = ["l0", "l1", "l01", "l", "l999999999", "l1000", "send_x", "L1"];
        for (operation, name) in (0..).zip(names) {
            assert!(labels.insert(name.as_bytes(), operation), "{name}");
            assert!(!labels.insert(name.as_bytes(), 99), "{name}");
        }
        for (operation, name) in (0..).zip(names) {
            assert_eq!(labels.get(name.as_bytes()), Some(operation));
            assert_eq!(labels.name(operation).as_deref(), Some(name));
        }
        assert_eq!((labels.get(b"l2"), labels.get(b"m"), labels.name(77)), (None, None, None));
        labels.clear();
        assert_eq!(labels.get(b"l0"), None);
    }
}
