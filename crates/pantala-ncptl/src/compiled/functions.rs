//! The values of functions.

use crate::compiled::expression::{Expr, FileWord, MeshCall, MeshQuestion};
use crate::compiled::view::{Failure, View, at};
use crate::language::ast::Function;
use crate::language::source::Span;
use crate::numbers::meshes::{Extent, Mesh};
use crate::numbers::{integers, random_numbers, reals, trees};

/// How the arguments of a function of integers are evaluated.
pub(super) type Argument = fn(&Expr, &View) -> Result<i64, Failure>;

/// An argument in double precision, as an integer: without its fraction.
pub(super) fn truncated(argument: &Expr, view: &View) -> Result<i64, Failure> {
    argument.real(view).map(|x| x as i64)
}

/// The value of a function as an integer.
pub(super) fn integer(
    function: Function,
    arguments: &[Expr],
    span: Span,
    view: &View,
    argument: Argument,
) -> Result<i64, Failure> {
    if function.is_random() {
        return real(function, arguments, span, view).map(|x| x as i64);
    }
    let value = |place: usize| argument(&arguments[place], view);
    let or = |place: usize, default: i64| {
        arguments.get(place).map_or(Ok(default), |expression| argument(expression, view))
    };
    Ok(match function {
        Function::Abs => value(0)?.wrapping_abs(),
        Function::Min => extreme(arguments, |x| argument(x, view), |x, y| x < y)?,
        Function::Max => extreme(arguments, |x| argument(x, view), |x, y| x > y)?,
        Function::Sqrt => at(span, integers::root(2, value(0)?))?,
        Function::Cbrt => at(span, integers::root(3, value(0)?))?,
        Function::Root => at(span, integers::root(value(0)?, value(1)?))?,
        Function::Bits => integers::bits(value(0)?),
        Function::Log10 => at(span, integers::log10(value(0)?))?,
        Function::Factor10 => integers::factor10(value(0)?),
        Function::Floor | Function::Ceiling | Function::Round => value(0)?,
        Function::TreeParent => at(span, trees::tree_parent(value(0)?, or(1, 2)?))?,
        Function::TreeChild => at(span, trees::tree_child(value(0)?, value(1)?, or(2, 2)?))?,
        Function::KnomialParent => {
            at(span, trees::knomial_parent(value(0)?, or(1, 2)?, or(2, view.tasks)?))?
        }
        Function::KnomialChildren => {
            at(span, trees::knomial_children(value(0)?, or(1, 2)?, or(2, view.tasks)?))?
        }
        Function::KnomialChild => {
            at(span, trees::knomial_child(value(0)?, value(1)?, or(2, 2)?, or(3, view.tasks)?))?
        }
        Function::ProcessorOf => mapped(value(0)?, view, |mapping| &mapping.rank_of),
        Function::TaskOf => mapped(value(0)?, view, |mapping| &mapping.task_of),
        Function::RandomUniform
        | Function::RandomGaussian
        | Function::RandomPoisson
        | Function::RandomPareto => 0,
    })
}

fn mapped(number: i64, view: &View, table: impl Fn(&super::view::Mapping) -> &Vec<u32>) -> i64 {
    if !(0..view.tasks).contains(&number) {
        return -1;
    }
    view.mapping.map_or(number, |mapping| i64::from(table(mapping)[number as usize]))
}

/// The argument that comes before all others.
fn extreme<T: Copy>(
    arguments: &[Expr],
    value: impl Fn(&Expr) -> Result<T, Failure>,
    before: fn(T, T) -> bool,
) -> Result<T, Failure> {
    let mut best = value(&arguments[0])?;
    for argument in &arguments[1..] {
        let next = value(argument)?;
        if before(next, best) {
            best = next;
        }
    }
    Ok(best)
}

/// The value of a function in double precision. A function of integers takes its arguments without
/// their fractions.
pub(super) fn real(
    function: Function,
    arguments: &[Expr],
    span: Span,
    view: &View,
) -> Result<f64, Failure> {
    let value = |place: usize| arguments[place].real(view);
    Ok(match function {
        Function::Abs => value(0)?.abs(),
        Function::Min => extreme(arguments, |x| x.real(view), |x, y| x < y)?,
        Function::Max => extreme(arguments, |x| x.real(view), |x, y| x > y)?,
        Function::Sqrt => at(span, reals::root(2.0, value(0)?))?,
        Function::Cbrt => at(span, reals::root(3.0, value(0)?))?,
        Function::Root => at(span, reals::root(value(0)?, value(1)?))?,
        Function::Log10 => libm::log10(value(0)?),
        Function::Factor10 => reals::factor10(value(0)?),
        Function::Floor => value(0)?.floor(),
        Function::Ceiling => value(0)?.ceil(),
        Function::Round => value(0)?.round(),
        Function::RandomUniform
        | Function::RandomGaussian
        | Function::RandomPoisson
        | Function::RandomPareto => {
            let values: Vec<f64> =
                arguments.iter().map(|argument| argument.real(view)).collect::<Result<_, _>>()?;
            at(span, random_numbers::check(function, &values))?;
            view.random.map_or(0.0, |random| {
                let mut stream = random.get();
                let drawn = random_numbers::draw(function, &values, &mut stream);
                random.set(stream);
                drawn
            })
        }
        _ => integer(function, arguments, span, view, truncated)? as f64,
    })
}

/// The value of a function of a mesh.
pub(super) fn mesh(call: &MeshCall, view: &View, argument: Argument) -> Result<i64, Failure> {
    let mut extents = [Extent { tasks: 1, wraps: false }; 3];
    for (extent, (tasks, wraps)) in extents.iter_mut().zip(&call.mesh) {
        *extent = Extent { tasks: argument(tasks, view)?, wraps: *wraps };
    }
    let mesh = at(call.span, Mesh::new(&extents))?;
    let task = argument(&call.task, view)?;
    Ok(match &call.question {
        MeshQuestion::Neighbor(offset) => {
            let mut steps = [0; 3];
            for (step, offset) in steps.iter_mut().zip(offset) {
                *step = argument(offset, view)?;
            }
            mesh.neighbor(task, steps)
        }
        MeshQuestion::Coordinate(axis) => {
            at(call.span, mesh.coordinate(task, argument(axis, view)?))?
        }
        MeshQuestion::Distance(to) => mesh.distance(task, argument(to, view)?),
    })
}

/// A word of a file as a number.
pub(super) fn file_word(word: &FileWord, view: &View) -> Result<f64, Failure> {
    let (column, row) = (word.column.integer(view)?, word.row.integer(view)?);
    let fail = |what: String| Failure::new(word.span, &format!("{}: {what}", word.file));
    let words = place(&word.rows, row)
        .ok_or_else(|| fail(format!("there is no row {row} of {}", word.rows.len())))?;
    let text =
        place(words, column).ok_or_else(|| fail(format!("row {row} has no column {column}")))?;
    text.parse().map_err(|_| fail(format!("row {row}, column {column}: '{text}' is no number")))
}

/// The element at a place from 1, or from the end if the place is negative.
fn place<T>(list: &[T], place: i64) -> Option<&T> {
    let index = if place < 0 {
        list.len().checked_sub(usize::try_from(place.unsigned_abs()).ok()?)?
    } else {
        usize::try_from(place).ok()?.checked_sub(1)?
    };
    list.get(index)
}
