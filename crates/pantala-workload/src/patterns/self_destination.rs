//! The check of patterns in which a rank may not send to itself.

use pantala_mpi::Fault;

/// Checks that a job has two ranks if a rank may not send to itself.
pub(super) fn need_a_peer(ranks: u32, name: &str) -> Result<(), Fault> {
    if ranks < 2 {
        return Err(Fault::new(
            "pattern",
            name,
            "a job of one rank has no other rank to send to",
            "give the job at least two ranks, or write include_self = true",
        ));
    }
    Ok(())
}
