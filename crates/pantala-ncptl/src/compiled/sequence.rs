//! Ranges of values: `{1, ..., 5}, {9}`.

use crate::compiled::expression::{Comprehension, Expr, Range};
use crate::compiled::view::{Failure, View};
use crate::numbers::NumberError;
use crate::numbers::progression::{MAX_LISTED, Piece, progression};

/// The pieces of ranges, in order.
///
/// # Errors
/// If a value cannot be calculated, or if a list is too long.
pub fn pieces(ranges: &[Range], view: &View) -> Result<Vec<Piece>, Failure> {
    ranges.iter().map(|range| piece(range, view)).collect()
}

fn piece(range: &Range, view: &View) -> Result<Piece, Failure> {
    let list = |values: &[Expr]| -> Result<Vec<i64>, Failure> {
        values.iter().map(|value| value.integer(view)).collect()
    };
    match range {
        Range::List(values) => Ok(Piece::List(list(values)?)),
        Range::Progression(first, last, span) => {
            let values = list(first)?;
            let mut failure = None;
            let reals = || {
                let all = first.iter().chain([last]).map(|value| value.real(view)).collect();
                let all: Result<Vec<f64>, Failure> = all;
                all.map_err(|fault| failure = Some(fault)).ok()
            };
            let found = progression(&values, last.integer(view)?, reals);
            match failure {
                Some(failure) => Err(failure),
                None => found.map_err(|error| Failure::new(*span, &error)),
            }
        }
        Range::Comprehension(comprehension) => {
            let mut values = Vec::new();
            comprehend(comprehension, 0, view, &mut Budget(MAX_LISTED), &mut values)?;
            Ok(Piece::List(values))
        }
    }
}

/// Number of values that the variables of a comprehension may still take.
struct Budget(usize);

fn comprehend(
    comprehension: &Comprehension,
    depth: usize,
    view: &View,
    budget: &mut Budget,
    values: &mut Vec<i64>,
) -> Result<(), Failure> {
    let Some((slot, ranges)) = comprehension.variables.get(depth) else {
        let wanted = match &comprehension.condition {
            Some(condition) => condition.holds(view)?,
            None => true,
        };
        if wanted {
            values.push(comprehension.value.integer(view)?);
        }
        return Ok(());
    };
    for piece in pieces(ranges, view)? {
        for place in 0..piece.len() {
            budget.0 = budget.0.checked_sub(1).ok_or_else(|| {
                Failure::new(comprehension.span, &NumberError::TooLong(MAX_LISTED))
            })?;
            view.set(*slot, piece.value(place));
            comprehend(comprehension, depth + 1, view, budget, values)?;
        }
    }
    Ok(())
}

/// Whether a value is in one of the ranges.
///
/// # Errors
/// As [`pieces`].
pub fn contains(ranges: &[Range], value: i64, view: &View) -> Result<bool, Failure> {
    for range in ranges {
        let found = match range {
            Range::List(values) => {
                let mut found = false;
                for other in values {
                    found |= other.integer(view)? == value;
                }
                found
            }
            range => piece(range, view)?.contains(value),
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
