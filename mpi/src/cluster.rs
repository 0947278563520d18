//! The connection between processes over MPI.
//!
//! In every window, each process sends one message to each other process: the time of its next
//! event and its inter-partition messages. Links connect all groups of a Dragonfly, so all
//! partitions are neighbours.

use mpi::Rank;
use mpi::request::WaitGuard;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use pantala_engine::Time;
use pantala_fabric::{PartitionMessages, Transport};
use pantala_mpi::MpiMessage;
use pantala_sim::output::recorder::Net;
use pantala_sim::run::process_group::ProcessGroup;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Tags of the messages between processes.
#[derive(Clone, Copy)]
enum Tag {
    Window = 1,
    Word = 2,
    Length = 3,
    Results = 4,
}

/// Largest number of bytes per message of results. Counts in MPI have 32 bits.
const CHUNK: usize = 1 << 30;

/// Messages between processes during the simulation.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Traffic {
    /// Number of windows.
    pub(crate) windows: u64,
    /// Number of messages that this process sent.
    pub(crate) messages: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// All processes of the program.
pub(crate) struct Cluster<'a> {
    world: &'a SimpleCommunicator,
    traffic: Traffic,
    /// Send buffer for each process.
    outgoing: Vec<Vec<u8>>,
}

impl<'a> Cluster<'a> {
    pub(crate) fn new(world: &'a SimpleCommunicator) -> Self {
        let outgoing = vec![Vec::new(); world.size() as usize];
        Self { world, traffic: Traffic::default(), outgoing }
    }

    pub(crate) fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Returns the ranks of the other processes.
    fn others(&self) -> impl Iterator<Item = Rank> + use<> {
        let me = self.world.rank();
        (0..self.world.size()).filter(move |&other| other != me)
    }

    /// Sends each other process its buffer and receives one from each. `take` gets the received
    /// buffers in order.
    fn swap(&self, outgoing: &[Vec<u8>], tag: Tag, mut take: impl FnMut(usize, &[u8])) {
        mpi::request::scope(|scope| {
            let sent: Vec<WaitGuard<'_, [u8], _>> = self
                .others()
                .map(|other| {
                    let process = self.world.process_at_rank(other);
                    process
                        .immediate_send_with_tag(scope, &outgoing[other as usize][..], tag as i32)
                        .into()
                })
                .collect();
            for other in self.others() {
                let (bytes, _) =
                    self.world.process_at_rank(other).receive_vec_with_tag::<u8>(tag as i32);
                take(other as usize, &bytes);
            }
            drop(sent);
        });
    }
}

/// Serializes a value. All processes run the same program, so each can read it.
fn packed(value: &impl Serialize, buffer: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(value, buffer)
        .unwrap_or_else(|error| panic!("what is sent cannot be packed: {error}"))
}

fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> T {
    postcard::from_bytes(bytes)
        .unwrap_or_else(|error| panic!("what was sent cannot be read: {error}"))
}

impl Transport<MpiMessage> for Cluster<'_> {
    fn exchange(&mut self, next: Time, messages: &mut [PartitionMessages<MpiMessage>]) -> Time {
        let mut outgoing = std::mem::take(&mut self.outgoing);
        for other in self.others() {
            let (buffer, messages) = (&mut outgoing[other as usize], &mut messages[other as usize]);
            buffer.clear();
            *buffer = packed(&(next, &*messages), std::mem::take(buffer));
            self.traffic.messages += 1;
            self.traffic.bytes += buffer.len() as u64;
        }
        self.traffic.windows += 1;
        let mut first = next;
        self.swap(&outgoing, Tag::Window, |other, bytes| {
            let (theirs, posted): (Time, PartitionMessages<MpiMessage>) = unpacked(bytes);
            messages[other] = posted;
            first = first.min(theirs);
        });
        self.outgoing = outgoing;
        first
    }
}

impl ProcessGroup for &mut Cluster<'_> {
    fn advance(&mut self, network: &mut Net, until: Time) {
        network.advance_with(*self, until);
    }

    fn all_gather<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Vec<T> {
        let bytes = packed(&mine, Vec::new());
        let mut said: Vec<Option<T>> =
            std::iter::repeat_with(|| None).take(self.world.size() as usize).collect();
        said[self.world.rank() as usize] = Some(mine);
        self.swap(&vec![bytes; said.len()], Tag::Word, |other, bytes| {
            said[other] = Some(unpacked(bytes))
        });
        said.into_iter().flatten().collect()
    }

    fn gather<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Option<Vec<T>> {
        let root = self.world.process_at_rank(0);
        if self.world.rank() != 0 {
            let bytes = packed(&mine, Vec::new());
            root.send_with_tag(&(bytes.len() as u64), Tag::Length as i32);
            bytes.chunks(CHUNK).for_each(|chunk| root.send_with_tag(chunk, Tag::Results as i32));
            return None;
        }
        let mut all = vec![mine];
        for other in self.others() {
            let process = self.world.process_at_rank(other);
            let (length, _) = process.receive_with_tag::<u64>(Tag::Length as i32);
            let mut bytes = Vec::with_capacity(length as usize);
            while (bytes.len() as u64) < length {
                bytes.append(&mut process.receive_vec_with_tag::<u8>(Tag::Results as i32).0);
            }
            all.push(unpacked(&bytes));
        }
        Some(all)
    }

    fn rank_and_size(&self) -> (u16, u16) {
        (self.world.rank() as u16, self.world.size() as u16)
    }
}
