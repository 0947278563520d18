//! Sends, receives, probes and persistent requests.

use super::super::functions::Function;
use super::super::handles::{ANY_SOURCE, ANY_TAG};
use super::super::record::{Record, Status};
use super::super::requests::Live;
use super::super::steps::{Local, Mode, Receiving, Sending, Step};
use super::{Interpreter, Persistent, Steps, handle};

/// The arguments of a send or a receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope {
    communicator: Local,
    /// The partner as the trace has it. A negative one is none, or any.
    partner: i64,
    tag: i64,
    bytes: u64,
}

/// The partner of a receive.
enum From {
    Rank(u32),
    Any,
    /// `MPI_PROC_NULL`: there is no message.
    Nobody,
}

impl Interpreter {
    pub(super) fn message(&mut self, record: &Record, steps: &mut Steps<'_>) -> Result<(), String> {
        use Function as F;
        let request = || record.number(5).unwrap_or(0) as i32;
        match record.function {
            F::Send | F::Ssend | F::Rsend | F::Bsend => {
                let envelope = self.envelope(record, [0, 1, 2, 3, 4])?;
                let Some(sending) = self.sending(&envelope)? else { return Ok(()) };
                steps.push(Step::Send(mode(record.function), sending, None));
            }
            F::Isend | F::Issend | F::Irsend | F::Ibsend => {
                let envelope = self.envelope(record, [0, 1, 2, 3, 4])?;
                self.start_send(mode(record.function), &envelope, request(), steps)?;
            }
            F::Recv => {
                let envelope = self.envelope(record, [0, 1, 2, 3, 4])?;
                if let Some(receiving) = self.receiving(&envelope, record.statuses.first())? {
                    steps.push(Step::Receive(receiving, None));
                }
            }
            F::Irecv => {
                let envelope = self.envelope(record, [0, 1, 2, 3, 4])?;
                self.start_receive(&envelope, request(), steps)?;
            }
            F::Sendrecv | F::Sendrecv_replace => {
                let both = if record.function == F::Sendrecv {
                    [[0, 1, 2, 3, 8], [4, 5, 6, 7, 8]]
                } else {
                    [[0, 1, 2, 3, 6], [0, 1, 4, 5, 6]]
                };
                let [out, back] = both.map(|places| self.envelope(record, places));
                let sending = self.sending(&out?)?;
                match (sending, self.receiving(&back?, record.statuses.first())?) {
                    (Some(sending), Some(receiving)) => {
                        steps.push(Step::Sendrecv(sending, receiving));
                    }
                    (Some(sending), None) => {
                        steps.push(Step::Send(Mode::Standard, sending, None));
                    }
                    (None, Some(receiving)) => steps.push(Step::Receive(receiving, None)),
                    (None, None) => {}
                }
            }
            F::Probe => self.probe(record, steps)?,
            F::Iprobe if record.number(3) != Some(0) => self.probe(record, steps)?,
            F::Iprobe => {}
            F::Recv_init => {
                let envelope = self.envelope(record, [0, 1, 2, 3, 4])?;
                self.persistent.insert(request(), Persistent::Receive(envelope));
            }
            F::Send_init | F::Bsend_init | F::Ssend_init | F::Rsend_init => {
                let envelope = self.envelope(record, [0, 1, 2, 3, 4])?;
                let mode = mode(record.function);
                self.persistent.insert(request(), Persistent::Send(mode, envelope));
            }
            F::Start => self.start(record.number(0).unwrap_or(0) as i32, steps)?,
            _ => record.list(0).iter().try_for_each(|number| self.start(*number, steps))?,
        }
        Ok(())
    }

    /// The places are those of count, type, partner, tag and communicator.
    fn envelope(&self, record: &Record, places: [usize; 5]) -> Result<Envelope, String> {
        let [count, data_type, partner, tag, communicator] = places;
        let number = |place: usize| record.number(place).unwrap_or(0);
        Ok(Envelope {
            communicator: self.local(handle(record, communicator))?,
            partner: number(partner),
            tag: number(tag),
            bytes: self.bytes(number(count), number(data_type))?,
        })
    }

    /// Counts a send or a receive. Returns its ordinal, or `None` if it is left out.
    fn count(&mut self) -> Option<u64> {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        if self.guide.skipped.get(self.next_skipped) == Some(&ordinal) {
            self.next_skipped += 1;
            return None;
        }
        Some(ordinal)
    }

    /// The message of a send; `None` if it has no partner or is left out.
    fn sending(&mut self, envelope: &Envelope) -> Result<Option<Sending>, String> {
        let Envelope { communicator, partner, tag, bytes } = *envelope;
        // A send has no wildcard: MPI_PROC_NULL is -2 in Open MPI and -1 in MPICH.
        let Ok(destination) = u32::try_from(partner) else { return Ok(None) };
        let Some(tag) = i32::try_from(tag).ok().filter(|tag| *tag >= 0) else {
            return Err(format!("a send with tag {tag}; tags are not negative"));
        };
        let sending = |ordinal| Sending { communicator, destination, tag, bytes, ordinal };
        Ok(self.count().map(sending))
    }

    /// The message of a receive; `None` if it has no partner or is left out. The status, if the
    /// program kept it, tells what a wildcard has matched.
    fn receiving(
        &mut self,
        envelope: &Envelope,
        status: Option<&Status>,
    ) -> Result<Option<Receiving>, String> {
        let Envelope { communicator, bytes, .. } = *envelope;
        let source = match envelope.from() {
            From::Nobody => return Ok(None),
            From::Rank(source) => Some(source),
            From::Any => match status.map(|status| status.source) {
                // MPICH's MPI_PROC_NULL looks like any source, but returns a status from nobody.
                Some(source) if source < 0 => return Ok(None),
                Some(source) => u32::try_from(source).ok().filter(|source| *source < self.ranks),
                None => None,
            },
        };
        let tag = match envelope.tag {
            ANY_TAG => status.map(|status| status.tag).filter(|tag| *tag >= 0),
            tag if tag < 0 => return Err(format!("a receive with tag {tag}")),
            tag => i32::try_from(tag).ok(),
        };
        let Some(ordinal) = self.count() else { return Ok(None) };
        let mut receiving = Receiving { communicator, source, tag, bytes, ordinal };
        let resolved = &self.guide.resolved;
        // Receives that are left out may be resolved, too.
        while resolved.get(self.next_resolved).is_some_and(|(before, ..)| *before < ordinal) {
            self.next_resolved += 1;
        }
        let found = resolved.get(self.next_resolved).filter(|(place, ..)| *place == ordinal);
        if let Some(&(_, source, tag)) = found {
            receiving.source = Some(source);
            receiving.tag = receiving.tag.or(Some(tag).filter(|tag| *tag >= 0));
        }
        Ok(Some(receiving))
    }

    fn start_send(
        &mut self,
        mode: Mode,
        envelope: &Envelope,
        number: i32,
        steps: &mut Steps<'_>,
    ) -> Result<(), String> {
        let mut live = Live::COMPLETE;
        if let Some(sending) = self.sending(envelope)? {
            // A buffered send is complete at once.
            let request = if mode == Mode::Buffered { None } else { Some(self.slot()?) };
            live = Live { request, ordinal: sending.ordinal, ..live };
            steps.push(Step::Send(mode, sending, request));
        }
        self.live.add(number, live);
        Ok(())
    }

    fn start_receive(
        &mut self,
        envelope: &Envelope,
        number: i32,
        steps: &mut Steps<'_>,
    ) -> Result<(), String> {
        let mut live = Live::COMPLETE;
        if let Some(receiving) = self.receiving(envelope, None)? {
            let request = Some(self.slot()?);
            let wildcard = receiving.source.is_none() || receiving.tag.is_none();
            let ordinal = receiving.ordinal;
            live = Live { request, ordinal, receive: true, wildcard, cancelled: false };
            steps.push(Step::Receive(receiving, request));
        }
        self.live.add(number, live);
        Ok(())
    }

    /// Starts a persistent request. One that no recorded call has made is lost.
    fn start(&mut self, number: i32, steps: &mut Steps<'_>) -> Result<(), String> {
        match self.persistent.get(&number).copied() {
            Some(Persistent::Send(mode, envelope)) => {
                self.start_send(mode, &envelope, number, steps)
            }
            Some(Persistent::Receive(envelope)) => self.start_receive(&envelope, number, steps),
            None => {
                self.lost += 1;
                Ok(())
            }
        }
    }

    fn probe(&mut self, record: &Record, steps: &mut Steps<'_>) -> Result<(), String> {
        let envelope = Envelope {
            communicator: self.local(handle(record, 2))?,
            partner: record.number(0).unwrap_or(0),
            tag: record.number(1).unwrap_or(0),
            bytes: 0,
        };
        let status = record.statuses.first();
        let source = match envelope.from() {
            From::Nobody => return Ok(()),
            From::Rank(source) => Some(source),
            From::Any => match status.map(|status| status.source) {
                // A probe of MPICH's MPI_PROC_NULL, as in `receiving`.
                Some(source) if source < 0 => return Ok(()),
                source => source.and_then(|source| u32::try_from(source).ok()),
            },
        };
        let tag = match envelope.tag {
            ANY_TAG => status.map(|status| status.tag).filter(|tag| *tag >= 0),
            tag => i32::try_from(tag).ok(),
        };
        let Envelope { communicator, bytes, .. } = envelope;
        let receiving = Receiving { communicator, source, tag, bytes, ordinal: self.ordinal };
        steps.push(Step::Probe(receiving));
        Ok(())
    }

    fn slot(&mut self) -> Result<u32, String> {
        self.slots.take().ok_or_else(|| "more than a million requests are active".to_owned())
    }

    /// A request of a call that the simulation leaves out: it is complete at once.
    pub(super) fn complete_request(&mut self, record: &Record) {
        if let Some(number) = record.numbers.last() {
            self.live.add(*number as i32, Live::COMPLETE);
        }
    }
}

impl Envelope {
    fn from(&self) -> From {
        match self.partner {
            ANY_SOURCE => From::Any,
            partner => u32::try_from(partner).map_or(From::Nobody, From::Rank),
        }
    }
}

const fn mode(function: Function) -> Mode {
    use Function as F;
    match function {
        F::Ssend | F::Issend | F::Ssend_init => Mode::Synchronous,
        F::Bsend | F::Ibsend | F::Bsend_init => Mode::Buffered,
        F::Rsend => Mode::Ready,
        _ => Mode::Standard,
    }
}
