//! The results of evaluated statements, which all ranks share.
//!
//! A shelf keeps two generations. When the young one is full, the old one is dropped. So results in
//! use stay, and memory is bounded.

use crate::compiled::view::{Failure, Mapping};
use crate::numbers::progression::Piece;
use crate::run::collectives::GroupCalls;
use crate::run::messages::Exchange;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The bytes of one generation of one statement.
const GENERATION: usize = 32 << 20;

/// The result of an evaluated statement.
#[derive(Debug)]
pub enum Evaluated {
    /// Messages between pairs of ranks.
    Exchange(Exchange),
    /// Collectives.
    Calls(GroupCalls),
    /// The new assignment of tasks to ranks.
    Mapping(Arc<Mapping>),
    /// The values of a loop.
    Values(Vec<Piece>),
    /// The statement cannot be evaluated.
    Failed(Failure),
}

impl Evaluated {
    fn weight(&self) -> usize {
        let content = match self {
            Self::Exchange(exchange) => exchange.weight(),
            Self::Calls(calls) => calls.weight(),
            Self::Mapping(mapping) => 8 * mapping.rank_of.len(),
            Self::Values(pieces) => pieces
                .iter()
                .map(|piece| match piece {
                    Piece::List(values) => 8 * values.len(),
                    Piece::Arithmetic { .. } => 32,
                })
                .sum(),
            Self::Failed(failure) => failure.message.len(),
        };
        content + 128
    }
}

type Generation = HashMap<Box<[i64]>, Arc<Evaluated>>;

/// The results of one statement, by the values that they depend on.
#[derive(Debug, Default)]
pub struct StatementCache(Mutex<Content>);

#[derive(Debug, Default)]
struct Content {
    young: Generation,
    old: Generation,
    weight: usize,
}

impl StatementCache {
    /// The result for a key; `evaluate` makes it if it is not there.
    pub fn get(&self, key: &[i64], evaluate: impl FnOnce() -> Evaluated) -> Arc<Evaluated> {
        // A rank that panics leaves no half-made content, so a poisoned lock is harmless.
        let mut content = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = content.young.get(key) {
            return Arc::clone(result);
        }
        let result = match content.old.remove(key) {
            Some(result) => result,
            None => Arc::new(evaluate()),
        };
        content.weight += result.weight() + 8 * key.len();
        if content.weight > GENERATION {
            content.old = std::mem::take(&mut content.young);
            content.weight = result.weight();
        }
        content.young.insert(key.into(), Arc::clone(&result));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(size: usize) -> Evaluated {
        Evaluated::Values(vec![Piece::List(vec![1; size])])
    }

    #[test]
    fn results_are_made_once_and_old_ones_are_dropped() {
        let cache = StatementCache::default();
        let mut made = 0;
        for key in [1, 2, 1, 2, 1] {
            cache.get(&[key], || {
                made += 1;
                values(1)
            });
        }
        assert_eq!(made, 2);
        let large = GENERATION / 8 / 4;
        for key in 0..40 {
            cache.get(&[100 + key], || values(large));
            cache.get(&[1], || panic!("a result in use is dropped"));
        }
        let content = cache.0.lock().unwrap();
        assert!(content.young.len() + content.old.len() < 12);
    }
}
