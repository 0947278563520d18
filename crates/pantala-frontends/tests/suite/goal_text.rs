//! A GOAL schedule as text, and words of the format to damage it with.

/// A schedule of two ranks without comments, so that [`crate::goal_binary::binary`] reads it.
pub(crate) const GOAL: &str = "num_ranks 2
rank 0 {
l1: calc 5 cpu 1
l2: send 100b to 1 tag 7
l2 requires l1
a_3: recv 8b from -1 tag -1 cpu 0 nic 1
a_3 irequires l2
}
rank 1 {
x: recv 100b from 0 tag 7
y: send 8b to 0
y requires x
}
";

pub(crate) const GOAL_WORDS: &[&[u8]] = &[
    b"rank 1 {",
    b"num_ranks",
    b"}",
    b" requires l1\n",
    b" irequires a_3\n",
    b"18446744073709551616",
    b"4294967295",
    b"-1",
    b"/*",
    b"*/",
    b"//",
    b"l2: ",
    b" tag ",
    b"calc 99999999999999",
    b"send 8b to 1",
    b"\n",
];

/// The schedule with comments of both kinds.
pub(crate) fn with_comments() -> String {
    GOAL.replace("100b", "/* all */ 100b").replace("tag 7", "tag 7 // seven")
}
