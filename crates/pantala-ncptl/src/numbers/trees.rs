//! Functions of trees of tasks. -1 stands for "no such task".

/// `TREE_PARENT(task, arity)`.
#[must_use]
pub fn tree_parent(task: i64, arity: i64) -> i64 {
    if task <= 0 || arity <= 0 { -1 } else { (task - 1) / arity }
}

/// `TREE_CHILD(task, child, arity)`. The result may be beyond the last task.
#[must_use]
pub fn tree_child(task: i64, child: i64, arity: i64) -> i64 {
    if task < 0 || !(0..arity).contains(&child) {
        return -1;
    }
    arity.checked_mul(task).and_then(|first| first.checked_add(child + 1)).unwrap_or(-1)
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
#[must_use]
pub fn knomial_parent(task: i64, k: i64, tasks: i64) -> i64 {
    if task <= 0 || task >= tasks || k < 2 { -1 } else { task % leading_unit(task, k) }
}

/// The children of a task in ascending order.
fn knomial_children_of(task: i64, k: i64, tasks: i64) -> impl Iterator<Item = i64> {
    let inside = (0..tasks).contains(&task) && k >= 2;
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

/// `KNOMIAL_CHILDREN(task, k, tasks)`: the number of children.
#[must_use]
pub fn knomial_children(task: i64, k: i64, tasks: i64) -> i64 {
    knomial_children_of(task, k, tasks).count() as i64
}

/// `KNOMIAL_CHILD(task, child, k, tasks)`.
#[must_use]
pub fn knomial_child(task: i64, child: i64, k: i64, tasks: i64) -> i64 {
    let Ok(child) = usize::try_from(child) else { return -1 };
    knomial_children_of(task, k, tasks).nth(child).unwrap_or(-1)
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
        };
        assert_eq!(row(0), [-1, 1, 2, -1, 2, 1]);
        assert_eq!(row(1), [0, 3, 4, 0, 1, 3]);
        assert_eq!(row(2), [0, 5, 6, 0, 0, -1]);
        assert_eq!(row(3), [1, 7, 8, 1, 0, -1]);
        assert_eq!(tree_child(3, 2, 3), 12);
        assert_eq!(knomial_child(0, 2, 3, 9), 3);
        assert_eq!(knomial_children(0, 3, 9), 4);
        assert_eq!(knomial_parent(7, 3, 9), 1);
    }

    #[test]
    fn parents_and_children_agree() {
        for (k, tasks) in [(2, 1), (2, 13), (3, 40), (5, 26)] {
            for task in 0..tasks {
                for child in 0..knomial_children(task, k, tasks) {
                    assert_eq!(
                        knomial_parent(knomial_child(task, child, k, tasks), k, tasks),
                        task
                    );
                }
            }
            let all: i64 = (0..tasks).map(|task| knomial_children(task, k, tasks)).sum();
            assert_eq!(all, tasks - 1);
        }
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
