//! Memory that written row groups leave behind.

/// Gives free memory of the heap back to the system, where the system's allocator can.
///
/// The pages of a row group have all lengths, and live until it is written. Those of a dozen tables
/// lie beside each other, so that the heap of glibc keeps holes between them and grows: after half
/// an hour of a run with all records, 120 of its 300 MB were free.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_back() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    // SAFETY: `malloc_trim` has no conditions, and any thread may call it at any time. It leaves
    // what is in use untouched.
    unsafe { malloc_trim(0) };
}

/// Elsewhere the allocator decides.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) const fn give_back() {}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    const PIECE: usize = 60_000;
    const PIECES: usize = 4_000;

    fn resident_bytes() -> usize {
        let memory = std::fs::read_to_string("/proc/self/statm").unwrap();
        memory.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
    }

    /// One of sixteen pieces stays, so that no end of the heap is free.
    #[test]
    fn holes_between_what_is_in_use_are_given_back() {
        let mut pieces: Vec<_> = (0..PIECES).map(|_| Some(vec![1_u8; PIECE])).collect();
        for (number, piece) in pieces.iter_mut().enumerate() {
            if number % 16 != 15 {
                *piece = None;
            }
        }
        let before = resident_bytes();
        give_back();
        let given_back = before.saturating_sub(resident_bytes());
        assert!(given_back > PIECES * PIECE / 2, "{given_back} B");
        assert!(pieces.iter().flatten().all(|piece| piece.iter().all(|&byte| byte == 1)));
    }
}
