//! The account of one rank: times per kind of call, messages and bytes.

use pantala_engine::Time;

use serde::Deserialize;
use serde::Serialize;

/// Kinds of calls by which communication time is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Blocking sends.
    Send,
    /// Blocking receives; a sendrecv counts here.
    Recv,
    /// Waits for requests.
    Wait,
    /// Collectives.
    Collective,
}

/// The account of one rank: times in picoseconds, payload bytes; control messages and messages to
/// itself are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
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
    /// Messages sent, those inside collectives included, counted when posted.
    pub messages_sent: u64,
    /// Their payload.
    pub bytes_sent: u64,
    /// The most payload posted between two waits: the rank's, or those of one of its collectives in
    /// the background. The peak ingress volume of Kang et al. (SC 2022), section IV.
    pub peak_ingress: u64,
    /// Messages whose payload has arrived.
    pub messages_received: u64,
    /// Their payload.
    pub bytes_received: u64,
}

impl Account {
    /// Time blocked in MPI calls of any kind.
    #[must_use]
    pub const fn communication(&self) -> Time {
        self.send + self.recv + self.wait + self.collective
    }

    /// Counts a message that the rank posts. `ingress` is the payload posted since the last wait,
    /// this message included.
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
        }
    }
}
