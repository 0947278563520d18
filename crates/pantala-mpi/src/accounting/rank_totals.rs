//! The totals of one rank: times per kind of call, messages and bytes.

use pantala_engine::Time;

use serde::Deserialize;
use serde::Serialize;

/// The kinds of calls for which time is counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Blocking sends.
    Send,
    /// Blocking receives and sendrecvs.
    Recv,
    /// Waits for requests.
    Wait,
    /// Collectives.
    Collective,
    /// `MPI_Init` and the calls of size and rank that follow it.
    Init,
    /// `MPI_Finalize`.
    Finalize,
}

/// The totals of one rank. Times are in picoseconds, sizes are payload bytes. Control messages and
/// messages of a rank to itself are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankTotals {
    /// Time in compute operations.
    pub compute: Time,
    /// Time blocked in sends.
    pub send: Time,
    /// Time blocked in receives.
    pub recv: Time,
    /// Time blocked in waits.
    pub wait: Time,
    /// Time blocked in collectives.
    pub collective: Time,
    /// Time in `MPI_Init` and the calls of size and rank that follow it. It is no communication.
    pub init: Time,
    /// Time blocked in `MPI_Finalize`. It is no communication.
    pub finalize: Time,
    /// Number of MPI calls begun before `MPI_Finalize`.
    pub calls: u64,
    /// Number of messages sent, including those of collectives. Counted at the send call.
    pub messages_sent: u64,
    /// Payload of the messages sent.
    pub bytes_sent: u64,
    /// The largest payload of a run of sends with neither a receive nor a wait between them, of the
    /// rank or of one of its background collectives. Blocking sends count: the peak ingress volume
    /// of Kang et al. (SC 2022), section IV.
    pub peak_ingress: u64,
    /// Number of messages whose payload has arrived.
    pub messages_received: u64,
    /// Payload of the messages received.
    pub bytes_received: u64,
}

impl RankTotals {
    /// Communication time: the time blocked in the application's MPI calls. `MPI_Init` and
    /// `MPI_Finalize` are none of them. Ember's motifs, CODES' replay and AutoPerf count so too.
    #[must_use]
    pub const fn communication(&self) -> Time {
        self.send + self.recv + self.wait + self.collective
    }

    /// Time blocked in MPI calls of any kind.
    #[must_use]
    pub const fn in_calls(&self) -> Time {
        self.communication() + self.init + self.finalize
    }

    /// Counts a message that the rank posts. `ingress` is the payload of the run of sends that it
    /// belongs to, including this message.
    pub(crate) fn sent(&mut self, bytes: u64, ingress: u64) {
        self.messages_sent += 1;
        self.bytes_sent += bytes;
        self.peak_ingress = self.peak_ingress.max(ingress);
    }

    /// Counts a message whose payload has arrived.
    pub(crate) const fn received(&mut self, bytes: u64) {
        self.messages_received += 1;
        self.bytes_received += bytes;
    }

    pub(crate) const fn blocked(&mut self, kind: CallKind, time: Time) {
        match kind {
            CallKind::Send => self.send += time,
            CallKind::Recv => self.recv += time,
            CallKind::Wait => self.wait += time,
            CallKind::Collective => self.collective += time,
            CallKind::Init => self.init += time,
            CallKind::Finalize => self.finalize += time,
        }
    }
}
