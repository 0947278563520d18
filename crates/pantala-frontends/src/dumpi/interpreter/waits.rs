//! Waits, tests and the end of requests.

use super::super::functions::Function;
use super::super::record::{Record, Status};
use super::super::steps::Step;
use super::{Interpreter, Steps};

impl Interpreter {
    /// A wait for exactly the operations that the call completed. A test that found nothing has no
    /// step: its time passes as computing.
    pub(super) fn wait(&mut self, record: &Record, steps: &mut Steps<'_>) -> Result<(), String> {
        use Function as F;
        let number = |place: usize| record.number(place).unwrap_or(0);
        let requests = record.list(0);
        let status = |place: usize| record.statuses.get(place).copied();
        let mut done = Vec::new();
        let mut found = true;
        match record.function {
            F::Wait => self.complete(number(0) as i32, status(0), &mut done, steps),
            F::Test if number(1) != 0 => {
                self.complete(number(0) as i32, status(0), &mut done, steps);
            }
            F::Testall if number(1) == 0 => found = false,
            F::Waitall | F::Testall => {
                for (place, request) in requests.iter().enumerate() {
                    self.complete(*request, status(place), &mut done, steps);
                }
            }
            F::Testany if number(2) == 0 => found = false,
            F::Waitany | F::Testany => {
                let request = usize::try_from(number(1)).ok().and_then(|index| requests.get(index));
                if let Some(request) = request {
                    self.complete(*request, status(0), &mut done, steps);
                }
            }
            F::Waitsome | F::Testsome => {
                let count = usize::try_from(number(1)).unwrap_or(0);
                for (place, index) in record.list(1).iter().take(count).enumerate() {
                    let request = usize::try_from(*index).ok().and_then(|at| requests.get(at));
                    if let Some(request) = request {
                        self.complete(*request, status(place), &mut done, steps);
                    }
                }
            }
            F::Request_free => {
                found = false;
                let number = number(0) as i32;
                self.persistent.remove(&number);
                // An active operation goes on; the end of the program waits for it.
                self.live.take(number);
            }
            F::Cancel => {
                found = false;
                self.cancel(number(0) as i32, steps);
            }
            _ => found = false,
        }
        if found {
            done.iter().for_each(|request| self.slots.release(*request));
            steps.push(Step::Wait(done));
        }
        Ok(())
    }

    /// Takes the operation of a completed request.
    fn complete(
        &mut self,
        number: i32,
        status: Option<Status>,
        done: &mut Vec<u32>,
        steps: &mut Steps<'_>,
    ) {
        let Some(live) = self.live.take(number) else {
            let persistent = self.persistent.contains_key(&number);
            self.lost += u64::from(self.live.is_lost(number) && !persistent);
            return;
        };
        if let Some(status) = status.filter(|_| live.cancelled) {
            steps.push(Step::Cancelled(live.ordinal, Some(status.cancelled)));
        }
        // The status of a send is garbage.
        if let Some(status) = status.filter(|_| live.receive && live.wildcard) {
            let source = u32::try_from(status.source).ok().filter(|source| *source < self.ranks);
            if let Some(source) = source.filter(|_| !status.cancelled) {
                steps.push(Step::Resolved(live.ordinal, source, status.tag));
            }
        }
        done.extend(live.request);
    }

    /// Whether a receive that is cancelled still gets a message, the status of its completion says.
    /// The survey tells the replay.
    fn cancel(&mut self, number: i32, steps: &mut Steps<'_>) {
        let live = self.live.oldest(number).filter(|live| live.receive && live.request.is_some());
        let Some(live) = live else { return };
        live.cancelled = true;
        steps.push(Step::Cancelled(live.ordinal, None));
    }
}
