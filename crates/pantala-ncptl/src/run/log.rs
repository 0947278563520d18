//! The log of a task: tables of values, and lines of output.

use crate::compiled::view::Failure;
use crate::language::ast::AggregateFunction;
use crate::language::source::Span;
use crate::numbers::print;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::sync::Arc;

/// The greatest number of values that the log of a task holds.
const MAX_VALUES: usize = 1 << 24;
/// The greatest number of bytes of a task's outputs.
const MAX_OUTPUT: usize = 64 << 20;

/// The log of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Log {
    /// The tables in the order of the program.
    pub tables: Vec<Table>,
    /// The lines of `OUTPUTS`.
    pub outputs: Vec<String>,
}

/// A table: the columns that one top-level statement logs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The columns.
    pub columns: Vec<LoggedColumn>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedColumn {
    /// The title that the program gives.
    pub title: String,
    /// What the values are: `all data`, `mean`, `95th percentile`.
    pub aggregate: String,
    /// The values.
    pub values: Vec<f64>,
}

/// What is made of a clause's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Made {
    /// All of them.
    All,
    /// The only one.
    Only,
    /// Functions of them, with the percentages of percentiles.
    Functions(Vec<(AggregateFunction, i64)>),
    /// Each value and how often it occurs.
    Histogram,
}

/// A log that grows.
#[derive(Clone, Debug, Default)]
pub struct Logger {
    log: Log,
    clauses: Vec<Clause>,
    values: usize,
    output: usize,
}

/// The values of a clause of `LOGS` since the last aggregation.
#[derive(Clone, Debug)]
struct Clause {
    /// The step and the number of the clause in it.
    place: (usize, usize),
    made: Made,
    /// The first column.
    column: usize,
    values: Vec<f64>,
    /// The LOGS statement.
    span: Span,
}

impl Logger {
    /// Adds a line of output; false if there are too many.
    pub fn output(&mut self, line: String) -> bool {
        self.output += line.len() + size_of::<String>();
        self.log.outputs.push(line);
        self.output <= MAX_OUTPUT
    }

    /// Adds a value of a clause; false if there are too many.
    pub fn record(
        &mut self,
        place: (usize, usize),
        title: &Arc<str>,
        made: impl FnOnce() -> Made,
        value: f64,
        span: Span,
    ) -> bool {
        let found = self.clauses.iter().position(|clause| clause.place == place);
        let index = found.unwrap_or_else(|| self.open(place, title, made(), span));
        self.clauses[index].values.push(value);
        self.values += 1;
        self.values <= MAX_VALUES
    }

    /// Adds the columns of a clause, and returns its place among the clauses. Columns are in the order
    /// of the text, whichever is logged first.
    fn open(&mut self, place: (usize, usize), title: &Arc<str>, made: Made, span: Span) -> usize {
        if self.clauses.is_empty() {
            self.log.tables.push(Table::default());
        }
        let index = self.clauses.partition_point(|clause| clause.place < place);
        let Some(table) = self.log.tables.last_mut() else { return index };
        let columns = table.columns.len();
        let column = self.clauses.get(index).map_or(columns, |next| next.column);
        let mut end = column;
        let mut add = |aggregate: String| {
            let title = title.to_string();
            table.columns.insert(end, LoggedColumn { title, aggregate, values: Vec::new() });
            end += 1;
        };
        match &made {
            Made::All => add("all data".to_owned()),
            Made::Only => add("only value".to_owned()),
            Made::Functions(functions) => {
                functions.iter().for_each(|(function, percent)| add(name(function, *percent)));
            }
            Made::Histogram => {
                add("histogram values".to_owned());
                add("histogram tallies".to_owned());
            }
        }
        for later in &mut self.clauses[index..] {
            later.column += end - column;
        }
        self.clauses.insert(index, Clause { place, made, column, values: Vec::new(), span });
        index
    }

    /// Computes the aggregates of the current table.
    ///
    /// # Errors
    /// Values have no such aggregate: they differ in a column of one value, they have no mean of
    /// this kind, or there is no such percentile. The reference implementation aborts.
    pub fn aggregate(&mut self) -> Result<(), Failure> {
        let Some(table) = self.log.tables.last_mut() else { return Ok(()) };
        for clause in &mut self.clauses {
            let values = std::mem::take(&mut clause.values);
            let Some(first) = values.first().copied() else { continue };
            let columns = &mut table.columns[clause.column..];
            match &clause.made {
                Made::All => columns[0].values.extend(values),
                Made::Only => {
                    if let Some(other) = values.iter().find(|value| **value != first) {
                        let message = format!(
                            "more than one value in a THE column, \"{}\": {} and {}; log a \
                             statistic, such as THE MEAN OF, or EACH value",
                            columns[0].title,
                            print::number(first),
                            print::number(*other)
                        );
                        return Err(Failure::new(clause.span, &message));
                    }
                    columns[0].values.push(first);
                }
                Made::Functions(functions) => {
                    for (column, (function, percent)) in columns.iter_mut().zip(functions) {
                        let made = value(function, *percent, &values).map_err(|reason| {
                            let message = format!("column \"{}\": {reason}", column.title);
                            Failure::new(clause.span, &message)
                        })?;
                        column.values.push(made);
                    }
                }
                Made::Histogram => {
                    let mut sorted = values;
                    sorted.sort_by(f64::total_cmp);
                    for equal in sorted.chunk_by(|x, y| x == y) {
                        columns[0].values.push(equal[0]);
                        columns[1].values.push(equal.len() as f64);
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the current table.
    ///
    /// # Errors
    /// As [`aggregate`](Self::aggregate).
    pub fn end_table(&mut self) -> Result<(), Failure> {
        let made = self.aggregate();
        self.clauses.clear();
        made
    }

    /// The log as if the program ended now, without aggregates that do not exist.
    #[must_use]
    pub fn finished(&self) -> Log {
        let mut copy = self.clone();
        // A failure has stopped the task, or will.
        let _ = copy.end_table();
        copy.log
    }

    /// Whether nothing has been logged or printed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log.tables.is_empty() && self.log.outputs.is_empty()
    }
}

fn name(function: &AggregateFunction, percent: i64) -> String {
    match function {
        AggregateFunction::Percentile(_) => format!("{percent}% {}", function.name()),
        function => function.name().to_owned(),
    }
}

/// A function of at least one value.
///
/// # Errors
/// The values have no such function.
fn value(function: &AggregateFunction, percent: i64, values: &[f64]) -> Result<f64, String> {
    let number = values.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / number;
    let variance = || {
        let mean = mean(values);
        // Of a sample: one value has no variance.
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        if values.len() < 2 { 0.0 } else { squares / (number - 1.0) }
    };
    let refuse = |kind: &str, wrong: fn(f64) -> bool| match values.iter().find(|x| wrong(**x)) {
        Some(x) => {
            Err(format!("a {kind} mean of values with {} does not exist", print::number(*x)))
        }
        None => Ok(()),
    };
    match function {
        AggregateFunction::HarmonicMean => refuse("harmonic", |x| x == 0.0)?,
        AggregateFunction::GeometricMean => refuse("geometric", |x| x <= 0.0)?,
        AggregateFunction::Percentile(_) if !(0..=100).contains(&percent) => {
            return Err(format!("there is no {percent}th percentile; give one from 0 to 100"));
        }
        _ => {}
    }
    Ok(match function {
        AggregateFunction::Mean => mean(values),
        AggregateFunction::HarmonicMean => number / values.iter().map(|x| 1.0 / x).sum::<f64>(),
        AggregateFunction::GeometricMean => {
            libm::exp(values.iter().map(|x| libm::log(*x)).sum::<f64>() / number)
        }
        AggregateFunction::Median => percentile(values.to_vec(), 50),
        AggregateFunction::StandardDeviation => variance().sqrt(),
        AggregateFunction::Variance => variance(),
        AggregateFunction::MedianAbsoluteDeviation => {
            let median = percentile(values.to_vec(), 50);
            percentile(values.iter().map(|x| (x - median).abs()).collect(), 50)
        }
        AggregateFunction::Sum => values.iter().sum(),
        AggregateFunction::Minimum => values.iter().copied().fold(f64::INFINITY, f64::min),
        AggregateFunction::Maximum => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        AggregateFunction::Final => values[values.len() - 1],
        AggregateFunction::Percentile(_) => percentile(values.to_vec(), percent),
    })
}

/// The percentile of at least one value, interpolated between neighbours.
fn percentile(mut values: Vec<f64>, percent: i64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = percent as f64 / 100.0 * (values.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(values.len() - 1);
    let share = place - below as f64;
    values[below] * (1.0 - share) + values[above] * share
}

impl Log {
    /// The tables as text: titles and aggregates in quotes, then rows with commas between values.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, table) in self.tables.iter().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            let quoted = |words: Vec<String>| words.join(",") + "\n";
            let titles =
                table.columns.iter().map(|c| format!("\"{}\"", c.title.replace('"', "\"\"")));
            text += &quoted(titles.collect());
            text +=
                &quoted(table.columns.iter().map(|c| format!("\"({})\"", c.aggregate)).collect());
            let rows = table.columns.iter().map(|column| column.values.len()).max().unwrap_or(0);
            for row in 0..rows {
                let values = table.columns.iter().map(|column| column.values.get(row));
                let cells: Vec<String> = values
                    .map(|value| value.map_or(String::new(), |x| print::number(*x)))
                    .collect();
                let _ = writeln!(text, "{}", cells.join(","));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::ast::AggregateFunction::*;
    use crate::language::ast::{Expression, ExpressionKind};

    fn percentile_of() -> AggregateFunction {
        let (kind, span) = (ExpressionKind::MyTask, Span::default());
        Percentile(Expression { kind, span })
    }

    #[test]
    fn functions_of_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let cases = [
            (Mean, 5.0),
            (Median, 4.5),
            (Sum, 40.0),
            (Minimum, 2.0),
            (Maximum, 9.0),
            (Final, 9.0),
            (Variance, 32.0 / 7.0),
            (StandardDeviation, (32.0f64 / 7.0).sqrt()),
            (MedianAbsoluteDeviation, 0.5),
            (HarmonicMean, 8.0 / (0.5 + 0.75 + 0.4 + 1.0 / 7.0 + 1.0 / 9.0)),
            (GeometricMean, (2f64 * 64.0 * 25.0 * 63.0).powf(0.125)),
        ];
        for (function, expected) in cases {
            let found = super::value(&function, 0, &values).unwrap();
            assert!((found - expected).abs() < 1e-9, "{function:?}: {found}");
        }
        assert_eq!((percentile(values.to_vec(), 0), percentile(values.to_vec(), 100)), (2.0, 9.0));
    }

    #[test]
    fn aggregates_that_do_not_exist_are_refused() {
        let cases = [
            (HarmonicMean, 0, [2.0, 0.0], "a harmonic mean of values with 0 does not exist"),
            (GeometricMean, 0, [0.0, 2.0], "a geometric mean of values with 0 does not exist"),
            (GeometricMean, 0, [2.0, -1.0], "a geometric mean of values with -1 does not exist"),
            (percentile_of(), 101, [1.0, 2.0], "there is no 101th percentile"),
            (percentile_of(), -1, [1.0, 2.0], "there is no -1th percentile"),
        ];
        for (function, percent, values, expected) in cases {
            let error = super::value(&function, percent, &values).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        let mut logger = Logger::default();
        let title: Arc<str> = "Bytes".into();
        for value in [1.0, 1.0, 2.0] {
            logger.record((0, 0), &title, || Made::Only, value, Span::default());
        }
        let error = logger.clone().aggregate().unwrap_err().message;
        assert!(error.starts_with("more than one value in a THE column, \"Bytes\": 1 and 2"));
        assert_eq!(logger.finished().tables[0].columns[0].values, [] as [f64; 0]);
    }

    #[test]
    fn columns_are_in_the_order_of_the_text() {
        let mut logger = Logger::default();
        let (early, late): (Arc<str>, Arc<str>) = ("A".into(), "B".into());
        for (place, title, value) in
            [((7, 0), &late, 1.0), ((3, 0), &early, 2.0), ((7, 0), &late, 3.0)]
        {
            logger.record(place, title, || Made::Histogram, value, Span::default());
        }
        let expected = "\"A\",\"A\",\"B\",\"B\"\n\"(histogram values)\",\"(histogram tallies)\",\
                        \"(histogram values)\",\"(histogram tallies)\"\n2,1,1,1\n,,3,1\n";
        assert_eq!(logger.finished().text(), expected);
    }

    #[test]
    fn a_table_has_a_row_per_aggregation() {
        let mut logger = Logger::default();
        let (size, time): (Arc<str>, Arc<str>) = ("Bytes".into(), "Time".into());
        for bytes in [1.0, 2.0] {
            for repetition in 0..3 {
                logger.record((0, 0), &size, || Made::Only, bytes, Span::default());
                let made = || Made::Functions(vec![(Mean, 0), (Maximum, 0)]);
                logger.record((0, 1), &time, made, bytes * f64::from(repetition), Span::default());
            }
            logger.aggregate().unwrap();
        }
        logger.end_table().unwrap();
        for value in [3.0, 1.0, 3.0] {
            logger.record((9, 0), &size, || Made::Histogram, value, Span::default());
        }
        let expected = "\"Bytes\",\"Time\",\"Time\"\n\"(only value)\",\"(mean)\",\"(maximum)\"\n1,1,2\n2,2,4\n\n\
                        \"Bytes\",\"Bytes\"\n\"(histogram values)\",\"(histogram tallies)\"\n1,1\n3,2\n";
        assert_eq!(logger.finished().text(), expected);
    }
}
