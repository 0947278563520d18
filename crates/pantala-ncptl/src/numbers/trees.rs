//! Functions of trees of tasks. -1 stands for "no such task".

use super::NumberError;

type Found = Result<i64, NumberError>;

/// The arity of a tree, which must be at least `least`.
fn checked(arity: i64, least: i64, kind: &str) -> Result<(), NumberError> {
    if arity >= least {
        return Ok(());
    }
    Err(NumberError::NoShape(format!("{kind} of {arity} does not exist; give {least} or more")))
}

fn n_ary(arity: i64) -> Result<(), NumberError> {
    checked(arity, 1, "an n-ary tree with an n")
}

fn k_nomial(k: i64) -> Result<(), NumberError> {
    checked(k, 2, "a k-nomial tree with a k")
}

/// `TREE_PARENT(task, arity)`.
///
/// # Errors
/// [`NumberError::NoShape`] for an arity below 1.
pub fn tree_parent(task: i64, arity: i64) -> Found {
    n_ary(arity)?;
    Ok(if task <= 0 { -1 } else { (task - 1) / arity })
}

/// `TREE_CHILD(task, child, arity)`. The result may be beyond the last task.
///
/// # Errors
/// [`NumberError::NoShape`] for an arity below 1.
pub fn tree_child(task: i64, child: i64, arity: i64) -> Found {
    n_ary(arity)?;
    if !(0..arity).contains(&child) {
        return Ok(-1);
    }
    let found = arity.checked_mul(task).and_then(|first| first.checked_add(child + 1));
    Ok(found.unwrap_or(-1))
}

/// The value of the most significant digit that is not 0, in base `k`.
fn leading_unit(task: i64, k: i64) -> i64 {
    let mut unit = 1;
    while task / unit >= k {
        unit *= k;
    }
    unit
}

/// `KNOMIAL_PARENT(task, k, tasks)`: the task without its most significant digit in base `k`.
///
/// # Errors
/// [`NumberError::NoShape`] for a `k` below 2.
pub fn knomial_parent(task: i64, k: i64, tasks: i64) -> Found {
    k_nomial(k)?;
    Ok(if task <= 0 || task >= tasks { -1 } else { task % leading_unit(task, k) })
}

/// The children of a task in ascending order; `k` is at least 2.
fn knomial_children_of(task: i64, k: i64, tasks: i64) -> impl Iterator<Item = i64> {
    let inside = (0..tasks).contains(&task);
    let first = if !inside {
        None
    } else if task == 0 {
        Some(1)
    } else {
        leading_unit(task, k).checked_mul(k)
    };
    let units = std::iter::successors(first, move |unit: &i64| unit.checked_mul(k))
        .take_while(move |unit| task.checked_add(*unit).is_some_and(|child| child < tasks));
    units.flat_map(move |unit| {
        (1..k)
            .map_while(move |digit| task.checked_add(digit.checked_mul(unit)?))
            .take_while(move |child| *child < tasks)
    })
}

/// `KNOMIAL_CHILDREN(task, k, tasks)`: the number of children; -1 for a task beyond the last one.
///
/// # Errors
/// [`NumberError::NoShape`] for a `k` below 2.
pub fn knomial_children(task: i64, k: i64, tasks: i64) -> Found {
    k_nomial(k)?;
    if task >= tasks {
        return Ok(-1);
    }
    Ok(knomial_children_of(task, k, tasks).count() as i64)
}

/// `KNOMIAL_CHILD(task, child, k, tasks)`.
///
/// # Errors
/// [`NumberError::NoShape`] for a `k` below 2.
pub fn knomial_child(task: i64, child: i64, k: i64, tasks: i64) -> Found {
    k_nomial(k)?;
    let Ok(child) = usize::try_from(child) else { return Ok(-1) };
    Ok(knomial_children_of(task, k, tasks).nth(child).unwrap_or(-1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tabulated_values() {
        let row = |t| {
            [
                tree_parent(t, 2),
                tree_child(t, 0, 2),
                tree_child(t, 1, 2),
                knomial_parent(t, 2, 4),
                knomial_children(t, 2, 4),
                knomial_child(t, 0, 2, 4),
            ]
            .map(Result::unwrap)
        };
        assert_eq!(row(0), [-1, 1, 2, -1, 2, 1]);
        assert_eq!(row(1), [0, 3, 4, 0, 1, 3]);
        assert_eq!(row(2), [0, 5, 6, 0, 0, -1]);
        assert_eq!(row(3), [1, 7, 8, 1, 0, -1]);
        assert_eq!((tree_child(3, 2, 3), tree_child(-1, 1, 2)), (Ok(12), Ok(0)));
        assert_eq!(knomial_child(0, 2, 3, 9), Ok(3));
        assert_eq!(knomial_children(0, 3, 9), Ok(4));
        assert_eq!(knomial_parent(7, 3, 9), Ok(1));
    }

    #[test]
    fn parents_and_children_agree() {
        for (k, tasks) in [(2, 1), (2, 13), (3, 40), (5, 26)] {
            for task in 0..tasks {
                for child in 0..knomial_children(task, k, tasks).unwrap() {
                    let child = knomial_child(task, child, k, tasks).unwrap();
                    assert_eq!(knomial_parent(child, k, tasks), Ok(task));
                }
            }
            let children = |task| knomial_children(task, k, tasks).unwrap();
            let all: i64 = (0..tasks).map(children).sum();
            assert_eq!(all, tasks - 1);
        }
    }

    #[test]
    fn trees_that_do_not_exist_are_told() {
        let told = |found: Found| found.unwrap_err().to_string();
        let n = "an n-ary tree with an n of 0 does not exist; give 1 or more";
        assert_eq!([told(tree_parent(0, 0)), told(tree_child(0, 0, 0))], [n, n]);
        let k = "a k-nomial tree with a k of 1 does not exist; give 2 or more";
        let found = [knomial_parent(9, 1, 4), knomial_children(9, 1, 4), knomial_child(9, 0, 1, 4)];
        assert_eq!(found.map(told), [k, k, k]);
    }

    #[test]
    fn extremes_do_not_panic() {
        for x in [i64::MIN, -1, 0, 1, i64::MAX] {
            for k in [i64::MIN, -1, 0, 1, 2, i64::MAX] {
                let _ = (tree_parent(x, k), tree_child(x, x, k), tree_child(x, 0, k));
                let _ = (knomial_parent(x, k, i64::MAX), knomial_parent(x, k, 5));
                let _ = (knomial_child(x, x, k, 5), knomial_children(x, k, 5));
            }
        }
    }
}
