//! The steps of a rank's program.

use std::sync::Arc;

use pantala_engine::{LONGEST_TIME, Time};
use pantala_mpi::Op;

use crate::compiled::step::{Column, ColumnKind, Item, Step};
use crate::compiled::tasks::TaskSet;
use crate::compiled::view::{Failure, Mapping};
use crate::language::ast::CounterAction;
use crate::language::source::Span;
use crate::numbers::mersenne::Mersenne;
use crate::numbers::print;
use crate::run::job::Job;
use crate::run::log::Made;
use crate::run::loops::MICROSECOND;
use crate::run::mapping;
use crate::run::messages::bytes;
use crate::run::rank::{Doing, NcptlRank, Stepped};
use crate::run::statement_cache::Evaluated;
use crate::run::walk::drawn;

impl NcptlRank {
    /// Executes the next step. Returns its operation if it is one; statements with several set
    /// what the rank is doing.
    pub(super) fn step(&mut self, job: &Job, step: &Step) -> Stepped<Option<Op>> {
        let place = self.at;
        self.at += 1;
        match step {
            Step::Messages(shared, _) => {
                if let Evaluated::Failed(failure) = &**self.evaluated(step, shared) {
                    return Err(failure.clone());
                }
                self.doing = Doing::Messages {
                    step: place,
                    sending: false,
                    partner: 0,
                    copy: 0,
                    touched: false,
                };
            }
            Step::Collective(shared, _) => {
                if let Evaluated::Failed(failure) = &**self.evaluated(step, shared) {
                    return Err(failure.clone());
                }
                self.doing = Doing::Collective { step: place, call: 0, copy: 0, touched: false };
            }
            Step::Await(tasks, _) => {
                if self.takes_part(tasks)? {
                    self.doing = Doing::WaitForReceives;
                    return Ok(self.requests.wait_for_sends());
                }
            }
            Step::Delay(tasks, duration, unit, span) => {
                if self.takes_part(tasks)? {
                    let value = duration.integer(&self.view(None))?.max(0) as u128;
                    let time = value * u128::from(*unit) * MICROSECOND;
                    if time > u128::from(LONGEST_TIME) {
                        let message = format!("a time of {value} units is longer than a run");
                        return Err(Failure::new(*span, &message));
                    }
                    return Ok((time > 0).then_some(Op::Compute(time as Time)));
                }
            }
            Step::Touch(touch) => {
                if self.takes_part(&touch.tasks)? {
                    let view = self.view(None);
                    let times = touch.times.integer(&view)?.max(0) as u64;
                    let touched = bytes(&touch.bytes, &view)?.saturating_mul(times);
                    return Ok(self.touch_time(touched).map(Op::Compute));
                }
            }
            Step::Log(tasks, columns, span) => {
                if self.takes_part(tasks)? {
                    self.log_values(place, columns, *span)?;
                }
            }
            Step::Aggregate(tasks, _) => {
                if self.takes_part(tasks)? && self.quiet == 0 {
                    self.logger.aggregate()?;
                    self.activity += 1;
                }
            }
            Step::Counters(tasks, action, span) => {
                if self.takes_part(tasks)? {
                    self.activity += 1;
                    self.act_on_counters(*action, *span)?;
                }
            }
            Step::Output(tasks, items, span) => {
                if self.takes_part(tasks)? {
                    self.print(items, *span)?;
                }
            }
            Step::Assert(text, relation, span) => {
                if !relation.holds(&self.view(None))? {
                    return Err(Failure::new(*span, &format!("assertion failed: {text}")));
                }
            }
            Step::Let(slot, value, _) => {
                let value = value.integer(&self.view(None))?;
                self.view(None).set(*slot, value);
            }
            Step::Draw(slot, random, _) => {
                self.activity += 1;
                let mut generator = self.generator.take();
                let task = drawn(random, &self.view(None), &mut generator, job.seed)?;
                self.generator = generator;
                self.view(None).set(*slot, task);
            }
            Step::Unless(relation, target, _) => {
                if !relation.holds(&self.view(None))? {
                    self.at = *target;
                }
            }
            Step::Jump(target) => self.at = *target,
            Step::Repeat(_) => return self.start_repeat(job, place),
            Step::ForEach(shared, ..) => self.start_each(shared, step)?,
            Step::Timed(_) => return self.start_timed(job, place),
            Step::End => return self.end_of_body(job),
            Step::Table => self.logger.end_table()?,
            Step::Assign(shared, tasks, processor, span) => {
                self.activity += 1;
                if processor.is_some() {
                    match &**self.evaluated(step, shared) {
                        Evaluated::Mapping(mapping) => {
                            let mapping = Arc::clone(mapping);
                            self.set_mapping(Some(mapping));
                        }
                        Evaluated::Failed(failure) => return Err(failure.clone()),
                        _ => {}
                    }
                } else {
                    let mut generator =
                        self.generator.take().unwrap_or_else(|| Mersenne::new(job.seed));
                    let view = self.view(None);
                    let mapping =
                        mapping::assigned(tasks, None, &view, Some(&mut generator), *span)?;
                    self.generator = Some(generator);
                    self.set_mapping(Some(mapping));
                }
            }
        }
        Ok(None)
    }

    /// Assigns the tasks to ranks; without a mapping, each to the rank of its number.
    pub(super) fn set_mapping(&mut self, mapping: Option<Arc<Mapping>>) {
        let rank = self.rank as usize;
        self.task = mapping.as_ref().map_or(rank as i64, |m| i64::from(m.task_of[rank]));
        self.mapping = mapping;
    }

    /// Whether this task is in the set.
    fn takes_part(&self, tasks: &TaskSet) -> Stepped<bool> {
        tasks.has(self.task, &self.view(None))
    }

    fn act_on_counters(&mut self, action: CounterAction, span: Span) -> Stepped<()> {
        match action {
            CounterAction::Reset => self.counters.reset(self.now),
            CounterAction::Store => self.stored.push(self.counters.store(self.now)),
            CounterAction::Restore => {
                let stored = self.stored.pop().ok_or_else(|| {
                    Failure::new(span, &"the task restores counters that it has not stored")
                })?;
                self.counters.restore(&stored, self.now);
            }
        }
        Ok(())
    }

    fn log_values(&mut self, place: usize, columns: &[Column], span: Span) -> Stepped<()> {
        if self.quiet > 0 {
            return Ok(());
        }
        self.activity += 1;
        let counters = self.counters.values(self.now);
        for (number, column) in columns.iter().enumerate() {
            let view = self.view(Some(&counters));
            let value = column.value.real(&view)?;
            let mut made = match &column.kind {
                ColumnKind::All => Made::All,
                ColumnKind::Only => Made::Only,
                ColumnKind::Histogram => Made::Histogram,
                ColumnKind::Functions(_) => Made::Functions(Vec::new()),
            };
            if let (Made::Functions(made), ColumnKind::Functions(functions)) =
                (&mut made, &column.kind)
            {
                for (function, percent) in functions {
                    let percent = percent.as_ref().map_or(Ok(0), |percent| percent.integer(&view));
                    made.push((function.clone(), percent?));
                }
            }
            if !self.logger.record((place, number), &column.title, || made, value, span) {
                return Err(Failure::new(span, &"the log is too long"));
            }
        }
        Ok(())
    }

    fn print(&mut self, items: &[Item], span: Span) -> Stepped<()> {
        if self.quiet > 0 {
            return Ok(());
        }
        self.activity += 1;
        let counters = self.counters.values(self.now);
        let mut line = String::new();
        for item in items {
            match item {
                Item::Text(text) => line.push_str(text),
                Item::Number(value) => {
                    line.push_str(&print::number(value.real(&self.view(Some(&counters)))?));
                }
            }
        }
        if self.logger.output(line) {
            Ok(())
        } else {
            Err(Failure::new(span, &"the outputs are too long"))
        }
    }
}
