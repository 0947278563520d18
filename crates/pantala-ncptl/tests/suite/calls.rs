//! The MPI calls, outputs and errors of coNCePTuaL programs, rule by rule, on four ranks.

use std::collections::BTreeMap;

use pantala_mpi::OperationSource;
use pantala_ncptl::NcptlSpec;
use pantala_ncptl::explain::{ExplainedCall, Explanation, explain};
use pantala_ncptl::run::job::Limits;

pub(crate) fn spec(source: &str, seed: u64) -> NcptlSpec {
    NcptlSpec::new("made.ncptl", source, BTreeMap::new(), seed, 0)
}

fn explained(source: &str) -> Explanation {
    explain(&spec(source, 1), 4).unwrap()
}

/// A call in few words: `2 Isend>1 8 B #5`.
fn words(call: &ExplainedCall) -> String {
    let mut text = if call.count == 1 { String::new() } else { format!("{} ", call.count) };
    text += &call.call;
    if let Some(peer) = call.peer {
        text += &format!("{}{peer}", if call.call.ends_with("end") { ">" } else { "<" });
    }
    if let Some(root) = call.root {
        text += &format!(" root {root}");
    }
    if let Some(bytes) = call.bytes {
        text += &format!(" {bytes}");
    }
    if let (Some(sends), Some(receives)) = (&call.sends, &call.receives) {
        text += &format!(" {sends:?} {receives:?}");
    }
    if let Some(tag) = call.tag.filter(|tag| *tag != 0) {
        text += &format!(" #{tag}");
    }
    if let Some(requests) = call.requests {
        text += &format!(" {requests}");
    }
    if let Some(size) = call.communicator_size {
        text += &format!(" n={size}");
    }
    text
}

/// The calls of each rank.
fn calls(source: &str) -> [String; 4] {
    let found = explained(source);
    assert_eq!(found.errors, [], "{source}");
    [0, 1, 2, 3].map(|rank| {
        let own = found.calls.iter().filter(|call| call.rank == rank);
        own.map(words).collect::<Vec<String>>().join("; ")
    })
}

fn outputs(source: &str, seed: u64) -> Vec<String> {
    let found = explain(&spec(source, seed), 4).unwrap();
    assert_eq!(found.errors, [], "{source}");
    found.outputs.into_iter().map(|(_, line)| line).collect()
}

/// The error of the first rank that stops.
fn error(source: &str) -> String {
    explained(source).errors.into_iter().next().map_or(String::new(), |(_, error)| error)
}

#[test]
fn a_rank_receives_before_it_sends() {
    let chain = calls("all tasks src send a 3 byte message to task src+1");
    assert_eq!(chain, ["Send>1 3", "Recv<0 3; Send>2 3", "Recv<1 3; Send>3 3", "Recv<2 3"]);
    let ring = "all tasks t asynchronously send a 1 kilobyte message to task (t+3) mod num_tasks \
                then all tasks await completion";
    assert_eq!(calls(ring)[1], "Irecv<2 1024; Isend>0 1024; 2 Waitall 1");
}

#[test]
fn receives_have_attributes_of_their_own() {
    let program = "task 2 sends 2 doubleword sized messages using tag 9 to task 3 \
                   who receives them asynchronously then all tasks await completion";
    assert_eq!(calls(program), ["", "", "2 Send>3 8 #9", "2 Irecv<2 8 #9; Waitall 2"]);
    let program = "tasks t such that t is odd asynchronously send a 9 bit message to unsuspecting \
                   task 0 then task 0 receives a 2 byte message from tasks u such that u is odd \
                   then all tasks await completion";
    assert_eq!(
        calls(program),
        ["Recv<1 2; Recv<3 2", "Isend>0 2; Waitall 1", "", "Isend>0 2; Waitall 1"]
    );
    let program = "tasks dst such that dst < 2 receive a 4 byte message from task dst+2 then \
                   tasks src-2 receive a 5 byte message from tasks src such that src > 1";
    assert_eq!(calls(program)[1], "Recv<3 4; Recv<3 5");
}

#[test]
fn a_message_can_depend_on_its_sender() {
    let program = "tasks t such that t > 0 send t t byte messages using tag 10-t to task 0";
    let expected = [
        "Recv<1 1 #9; 2 Recv<2 2 #8; 3 Recv<3 3 #7",
        "Send>0 1 #9",
        "2 Send>0 2 #8",
        "3 Send>0 3 #7",
    ];
    assert_eq!(calls(program), expected);
}

#[test]
fn products_of_sets_keep_the_order_of_tasks() {
    let program = "all tasks asynchronously send a 2 byte message to all other tasks then \
                   all tasks await completion";
    assert_eq!(
        calls(program)[1],
        "Irecv<0 2; Irecv<2 2; Irecv<3 2; Isend>0 2; Isend>2 2; Isend>3 2; 2 Waitall 3"
    );
    let program = "let g be tasks {3, 1} while task group g sends a message to tasks {0, 2}";
    assert_eq!(
        calls(program),
        ["Recv<1 0; Recv<3 0", "Send>0 0; Send>2 0", "Recv<1 0; Recv<3 0", "Send>0 0; Send>2 0"]
    );
}

#[test]
fn multicasts_become_collectives() {
    assert_eq!(
        calls("task 3 multicasts 2 7-byte messages to tasks t such that t > 1")[2],
        "2 Bcast root 1 7 n=2"
    );
    assert_eq!(
        calls("all tasks multicast a 6 byte message to all other tasks")[3],
        "Alltoall 6 n=4"
    );
    let program = "tasks t such that t > 1 multicast a 5 byte message to task 0";
    let expected = [
        "Alltoallv [0, 0, 0] [0, 5, 5] n=3",
        "",
        "Alltoallv [5, 0, 0] [0, 0, 0] n=3",
        "Alltoallv [5, 0, 0] [0, 0, 0] n=3",
    ];
    assert_eq!(calls(program), expected);
    assert_eq!(calls("task 1 multicasts a 2 byte message to task 1")[1], "Bcast root 0 2 n=1");
}

#[test]
fn reductions_follow_the_sets() {
    let cases = [
        ("all tasks reduce 2 doublewords", ["Allreduce 16 n=4"; 4]),
        ("all tasks reduce an integer to task 3", ["Reduce root 3 4 n=4"; 4]),
        ("all tasks reduce an integer to all tasks", ["Allreduce 4 n=4"; 4]),
        (
            "all tasks t reduce an integer to task t/num_tasks",
            [
                "Reduce root 0 4 n=4; Bcast root 0 4 n=1",
                "Reduce root 0 4 n=4",
                "Reduce root 0 4 n=4",
                "Reduce root 0 4 n=4",
            ],
        ),
        (
            "task 2 reduces 3 integers to all tasks",
            [
                "Bcast root 2 12 n=4",
                "Bcast root 2 12 n=4",
                "Reduce root 0 12 n=1; Bcast root 2 12 n=4",
                "Bcast root 2 12 n=4",
            ],
        ),
        (
            "tasks t such that t > 1 reduce 3 integers to task 1",
            [
                "",
                "Bcast root 1 12 n=2",
                "Reduce root 0 12 n=2; Bcast root 1 12 n=2",
                "Reduce root 0 12 n=2",
            ],
        ),
        (
            "tasks t such that t < 3 reduce an integer to tasks u such that u > 1",
            [
                "Reduce root 2 4 n=3",
                "Reduce root 2 4 n=3",
                "Reduce root 2 4 n=3; Bcast root 0 4 n=2",
                "Bcast root 0 4 n=2",
            ],
        ),
    ];
    for (program, expected) in cases {
        assert_eq!(calls(program), expected, "{program}");
    }
    assert_eq!(
        calls("task 2 synchronizes then all tasks synchronize")[2],
        "Barrier n=1; Barrier n=4"
    );
}

#[test]
fn sets_in_loops_have_communicators() {
    let program = "for each k in {0, ..., 2} tasks t such that t >= k synchronize";
    assert_eq!(
        calls(program),
        [
            "Barrier n=4",
            "Barrier n=4; Barrier n=3",
            "Barrier n=4; Barrier n=3; Barrier n=2",
            "Barrier n=4; Barrier n=3; Barrier n=2"
        ]
    );
}

#[test]
fn warm_ups_run_first_and_leave_no_trace() {
    let program = "for 2 repetitions plus 3 warmup repetitions and a synchronization { \
                   task 0 sends a 1 byte message to task 1 then task 0 outputs msgs_sent } \
                   then task 0 outputs \"sum \" and bytes_sent";
    assert_eq!(calls(program)[0], "3 Send>1 1; Barrier n=4; 2 Send>1 1");
    assert_eq!(outputs(program, 1), ["1", "2", "sum 2"]);
}

#[test]
fn timed_loops_agree_on_their_length() {
    // Every operation takes a microsecond here: ten sends take a tenth of 100 microseconds.
    let program = "for 100 microseconds task 0 sends a 4 byte message to task 1";
    let batches = "Barrier n=4; Send>1 4; Barrier n=4; Allreduce 8 n=4; 10 Send>1 4; Barrier n=4; Allreduce 8 n=4; 90 Send>1 4";
    let found = calls(program);
    assert_eq!(found[0], batches);
    assert_eq!(found[1], batches.replace("Send>1", "Recv<0"));
    assert_eq!(found[3], "2 Barrier n=4; Allreduce 8 n=4; Barrier n=4; Allreduce 8 n=4");
    // The batch of ten follows that of one, however long that takes, or short the loop is.
    for time in ["0 microseconds", "20 microseconds", "10 microseconds plus 1 warmup millisecond"] {
        let program = format!("for {time} task 0 sends a 4 byte message to task 1");
        let found = calls(&program);
        let batches = found[0].split("; ").filter(|call| call.contains("Send"));
        let last = if time.starts_with("20") { "18 Send>1 4" } else { "9 Send>1 4" };
        let last = if time.starts_with('0') { "Send>1 4" } else { last };
        assert_eq!(batches.collect::<Vec<_>>(), ["Send>1 4", "10 Send>1 4", last], "{time}");
    }
    let program = "for 20 microseconds task 0 asynchronously sends a message to task 1";
    assert!(error(program).contains("leaves asynchronous messages outstanding"));
}

#[test]
fn counters_are_zero_in_control_flow() {
    let program = "task 0 sends a 5 byte message to task 1 then if bytes_sent = 0 then \
                   task 0 outputs bytes_sent otherwise task 0 outputs \"never\"";
    assert_eq!(outputs(program, 1), ["5"]);
    let program = "task 1 asynchronously sends a 5 byte message to task 0 then task 0 outputs msgs_received \
                   then all tasks await completion then task 0 outputs msgs_received and total_bytes";
    assert_eq!(outputs(program, 1), ["0", "15"]);
    let program = "task 0 sends a 5 byte message to task 1 then task 0 stores its counters then \
                   task 0 resets its counters then task 0 computes for 9 microseconds then \
                   task 0 outputs elapsed_usecs and \" \" and bytes_sent then \
                   task 0 restores its counters then task 0 outputs bytes_sent";
    assert_eq!(outputs(program, 1), ["9 0", "5"]);
}

#[test]
fn loops_and_bindings_nest() {
    let program = "let x be 2 and y be x**3 while for each x in {y, ..., 10}, {1} if x is even then \
                   task 0 outputs x and \"/\" and y otherwise for 2 repetitions task 0 outputs -x/2";
    assert_eq!(outputs(program, 1), ["8/8", "-4.5", "-4.5", "10/8", "-0.5", "-0.5"]);
}

#[test]
fn random_tasks_are_drawn_where_they_are_bound() {
    let inside = "for 3 repetitions let k be a random task while task 0 outputs k";
    assert_eq!(outputs(inside, 3), ["1", "3", "1"]);
    let outside = "let k be a random task while for 3 repetitions task 0 outputs k";
    assert_eq!(outputs(outside, 3), ["1", "1", "1"]);
}

#[test]
fn tasks_move_to_other_processors() {
    let program = "task 0 is assigned to processor 3 then task 0 sends a 4 byte message to task 2 \
                   then all tasks t output t and processor_of(t) and task_of(t)";
    assert_eq!(calls(program), ["", "", "Recv<3 4", "Send>2 4"]);
    let mut found = outputs(program, 1);
    found.sort();
    assert_eq!(found, ["033", "111", "222", "300"]);
}

#[test]
fn repetitions_without_effect_on_a_rank_cost_nothing() {
    let program = "for 1E15 repetitions { for 1E15 repetitions if num_tasks = 0 then task 1 sends a \
                   message to task 2 } then task 0 outputs \"done\"";
    assert_eq!(outputs(program, 1), ["done"]);
    let endless = "for each k in {1, ..., 1E15} if k < 0 then task 0 outputs k";
    let limited = spec(endless, 1).within(Limits { steps: 10_000, walk: 10_000 });
    let found = explain(&limited, 1).unwrap().errors;
    assert!(found[0].1.starts_with("made.ncptl:1:1: the loop goes on for"), "{found:?}");
}

/// A group binds its own name in the statement, as in the reference compiler's test of the grammar.
#[test]
fn a_group_stands_for_each_of_its_tasks() {
    let group =
        |statement: &str| calls(&format!("let g be tasks t such that t is even while {statement}"));
    let chain = group("task group g sends a 3 byte message to task g+1");
    assert_eq!(chain, ["Send>1 3", "Recv<0 3", "Send>3 3", "Recv<2 3"]);
    assert_eq!(
        group("task g+1 receives a 3 byte message from task group g"),
        ["", "Recv<0 3", "", "Recv<2 3"]
    );
    assert_eq!(
        group("task group g receives a 3 byte message from task g+1"),
        ["Recv<1 3", "", "Recv<3 3", ""]
    );
    let all = group(
        "task group g asynchronously sends a 1 byte message to task group g then all tasks await completion",
    );
    assert_eq!(all[0], "Irecv<0 1; Irecv<2 1; Isend>0 1; Isend>2 1; 2 Waitall 2");
    let odd = group(
        "let h be task group g while task group h multicasts a 4 byte message to tasks u such that u = h+1",
    );
    assert_eq!(odd[3], "Alltoallv [0, 0, 0, 0] [0, 0, 4, 0] n=4");
    let text = "let g be all tasks t while task group g outputs g*g";
    assert_eq!(outputs(text, 1), ["0", "1", "4", "9"]);
    let text = "let confusing be tasks confusing such that confusing mod 3 = 1 and confusing be task \
                group confusing while task group confusing sends 2 8-byte messages to task confusing+1";
    assert_eq!(calls(text), ["", "2 Send>2 8", "2 Recv<1 8", ""]);
}

/// In double precision, functions and operators of integers take their operands without fractions,
/// as the reference compiler's run-time library does.
#[test]
fn integers_in_double_precision() {
    let cases = [
        ("7/2 mod 2", "1"),
        ("(-7)/2 mod 2", "1"),
        ("round(7/2) and \" \" and round((-7)/2) and \" \" and round((-27)/10)", "4 -4 -3"),
        ("tree_parent(10/4*2)", "2"),
        ("mesh_coordinate((10/4*2, 2), 10/4*2, 1)", "1"),
        ("1 if 7/2*2 is even otherwise 0", "0"),
        ("1 if 2 divides 10/4*2 otherwise 0", "0"),
        ("1 if 7/2 is in {3} otherwise 0", "0"),
        ("1 if 6/2 is in {3} otherwise 0", "1"),
        ("real(7/2 mod 2)", "1"),
    ];
    for (expression, expected) in cases {
        assert_eq!(outputs(&format!("task 0 outputs {expression}"), 1), [expected], "{expression}");
    }
}

/// Every operation of `explain` takes a microsecond; here, so does a byte that is touched. Senders
/// touch before the operation, receivers after it.
#[test]
fn content_is_touched() {
    let cases = [
        ("task 0 sends 2 3 byte messages with data touching to task 1", [8, 8, 0, 0]),
        (
            "task 0 sends a 3 byte message to task 1 who receives it with data touching",
            [1, 4, 0, 0],
        ),
        ("task 0 sends a 3 byte message with verification to task 1", [4, 4, 0, 0]),
        ("task 0 multicasts 2 3 byte messages with data touching to tasks {1, 2}", [8, 8, 8, 0]),
        ("task 0 multicasts a 3 byte message with data touching to tasks {0, 2}", [7, 0, 4, 0]),
        ("all tasks multicast a 3 byte message with verification to all other tasks", [7; 4]),
        ("all tasks reduce 2 integers with data touching", [17; 4]),
        ("all tasks reduce 2 integers with data touching to task 3", [9, 9, 9, 17]),
        (
            "tasks {0, 1} reduce an integer to tasks {1, 2} who receive the result with data touching",
            [1, 6, 5, 0],
        ),
        ("task 0 touches a 5 byte memory region 2 times", [10, 0, 0, 0]),
    ];
    for (program, expected) in cases {
        let program = format!("{program} then all tasks output elapsed_usecs");
        let mut touching = spec(&program, 1);
        touching.touch_per_byte_fs = 1_000_000_000;
        let found = explain(&touching, 4).unwrap();
        let lines: Vec<String> = found.outputs.into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, expected.map(|time: u32| time.to_string()), "{program}");
    }
}

#[test]
fn calls_without_a_value_stop_the_task() {
    let cases = [
        ("0 ** 0", "0 ** 0 has no value"),
        ("sqrt(-1)", "ROOT(2, -1) has no value"),
        ("tree_child(1, 0, 0)", "an n-ary tree with an n of 0 does not exist; give 1 or more"),
        ("knomial_parent(3, 1)", "a k-nomial tree with a k of 1 does not exist; give 2 or more"),
        ("mesh_neighbor((0, 2), 0, (1, 0))", "a mesh with an extent of 0 does not exist;"),
        ("mesh_coordinate((2, 2), 0, 3)", "a mesh has no axis 3; give 0, 1 or 2 for x, y or z"),
        ("random_uniform(5, 5)", "RANDOM_UNIFORM(5, 5) has no value"),
    ];
    for (expression, expected) in cases {
        let found = error(&format!("task 0 outputs {expression}"));
        assert!(
            found.starts_with(&format!("made.ncptl:1:16: {expected}")),
            "{expression}: {found}"
        );
    }
}

#[test]
fn errors_name_their_place() {
    let cases = [
        (
            "task 0 sends a 1 byte message to task 0",
            "made.ncptl:1:1: task 0 sends a blocking message to itself",
        ),
        (
            "for each k in {0, 1}\n task 1 sends a (4/k) byte message to task 2",
            "made.ncptl:2:17: division of 4 by zero",
        ),
        ("task 0 sends a (-1) byte message to task 1", "made.ncptl:1:16: a size of -1 is negative"),
        (
            "task 1 asynchronously sends a message to task 2",
            "made.ncptl:1:1: task 1 never awaits the completion",
        ),
        ("task 3 restores its counters", "made.ncptl:1:1: the task restores counters"),
    ];
    for (program, expected) in cases {
        let found = error(program);
        assert!(found.starts_with(expected), "{program}: {found}");
    }
    let faults = [
        (
            "assert that \"too few\" with num_tasks > 4",
            "line 1, column 1: assertion failed: too few",
        ),
        (
            "assert that \"too\nfew\" with num_tasks > 4",
            "line 1, column 1: assertion failed: too few",
        ),
        (
            "let k be 1 mod 0 while task k sends a message to task 1",
            "line 1, column 10: 1 MOD 0 has no value",
        ),
        (
            "let k be log10(0) while task k sends a message to task 1",
            "line 1, column 10: LOG10(0) has no value",
        ),
        (
            "for each k in {0, 1, 5, ..., 9} task 0 outputs k",
            "is no arithmetic or geometric progression",
        ),
        ("task 0 sends a message to task nobody", "line 1, column 32"),
    ];
    for (program, expected) in faults {
        let found = spec(program, 1).check(4).unwrap_err();
        assert_eq!(found.key, "file");
        assert!(found.message.contains(expected), "{program}: {found}");
    }
}

#[test]
fn arguments_set_options() {
    let program = "reps is \"Repetitions\" and comes from \"--reps\" or \"-r\" with default 2.\n\
                   size is \"Bytes\" and comes from \"--size\" or \"-s\" with default reps*10.\n\
                   for reps repetitions task 0 sends a size byte message to task 1";
    let with = |arguments: &[(&str, &str)]| {
        let given = arguments.iter().map(|(name, value)| {
            (name.to_string(), pantala_ncptl::compile::ArgumentValue::Text(value.to_string()))
        });
        let spec = NcptlSpec::new("made.ncptl", program, given.collect(), 1, 0);
        explain(&spec, 2).map(|found| words(&found.calls[0])).map_err(|fault| fault.to_string())
    };
    assert_eq!(with(&[]).as_deref(), Ok("2 Send>1 20"));
    assert_eq!(with(&[("reps", "3")]).as_deref(), Ok("3 Send>1 30"));
    assert_eq!(with(&[("s", "2K"), ("--reps", "1")]).as_deref(), Ok("Send>1 2048"));
    let unknown =
        "arguments.rep = 1: there is no such option; the program has the options reps, size";
    assert_eq!(with(&[("rep", "1")]).unwrap_err(), unknown);
    let twice = "arguments.r = 3: reps sets the same option; remove one of both";
    assert_eq!(with(&[("reps", "1K"), ("r", "3")]).unwrap_err(), twice);
    assert!(
        with(&[("reps", "many")])
            .unwrap_err()
            .starts_with("arguments.reps = many: the value is no integer")
    );
}

/// The receivers come first unless the sender has a variable of its own.
#[test]
fn all_other_tasks_receive_from_all_but_themselves() {
    for sender in ["task 0", "tasks {0}", "tasks t such that t = 0"] {
        let program = format!(
            "task 0 sends a 4 byte message to unsuspecting all other tasks then \
             all other tasks receive a 4 byte message from {sender}"
        );
        let expected = ["Send>1 4; Send>2 4; Send>3 4", "Recv<0 4", "Recv<0 4", "Recv<0 4"];
        assert_eq!(calls(&program), expected, "{sender}");
    }
    let program = "let g be tasks {1, 3} while all other tasks receive a message from task group g";
    assert_eq!(
        calls(program),
        ["Recv<1 0; Recv<3 0", "Recv<3 0", "Recv<1 0; Recv<3 0", "Recv<1 0"]
    );
}

/// The reference compiler runs a loop's body once before the program runs, and repeats what it did.
#[test]
fn repetitions_start_with_one_mapping() {
    let swap = "task 0 is assigned to processor (processor_of(0)+1) mod num_tasks";
    let message = "task 0 sends a 4 byte message to task 1";
    let once = format!("for 6 repetitions {{ {swap} then {message} }} then {message}");
    assert_eq!(calls(&once), ["7 Recv<1 4", "7 Send>0 4", "", ""]);
    let after = format!("for 6 repetitions {{ {message} then task 0 is assigned to processor 2 }}");
    assert_eq!(calls(&after), ["6 Send>1 4", "6 Recv<0 4", "", ""]);
    // A warm-up is a loop of its own.
    let warm = format!(
        "for 6 repetitions plus 7 warmup repetitions {{ {swap} then {message} }} then {message}"
    );
    assert_eq!(calls(&warm), ["7 Recv<1 4; 7 Recv<2 4", "7 Send>0 4", "7 Send>0 4", ""]);
    // Up to five repetitions are unrolled, so each assigns anew; unique messages unroll any loop.
    let unique = format!(
        "for 2 repetitions {{ {swap} then task 0 sends a unique 4 byte message to task 1 }}"
    );
    let each = format!("for each k in {{1, 2}} {{ {swap} then {message} }}");
    let into = format!(
        "for 2 repetitions {{ {swap} then {message} who receives it as a unique message }}"
    );
    let short = format!("for 2 repetitions {{ {swap} then {message} }}");
    for program in [unique, each, into, short] {
        assert_eq!(
            calls(&program),
            ["Recv<1 4; Recv<2 4", "Send>0 4", "Send>0 4", ""],
            "{program}"
        );
    }
}

#[test]
fn a_size_matters_only_if_there_is_a_message() {
    for statement in [
        "task 99 sends a (-3) byte message to task 1",
        "task 0 sends a (-3) byte message to task 99",
        "task 99 sends a 1/0 byte message to task 1",
        "task 99 multicasts a (-1) byte message to task 1",
    ] {
        assert_eq!(calls(statement), ["", "", "", ""], "{statement}");
    }
}

/// A multicast is an Alltoall if each participant sends and receives as many messages as the others.
#[test]
fn multicasts_of_equal_numbers_are_all_to_all() {
    let ring = "all tasks t multicast a 4 byte message to task (t+1) mod num_tasks";
    assert_eq!(calls(ring)[2], "Alltoall 4 n=4");
    let chain = "all tasks t multicast a 4 byte message to task t+1";
    assert_eq!(calls(chain)[3], "Alltoallv [0, 0, 0, 0] [0, 0, 4, 0] n=4");
    // A source without a target takes part.
    let late = "tasks t such that t >= 2 multicast a 4 byte message to task t+1";
    assert_eq!(calls(late), ["", "", "Alltoallv [0, 4] [0, 0] n=2", "Alltoallv [0, 0] [4, 0] n=2"]);
    assert_eq!(calls("task 0 multicasts a 4 byte message to task 99")[0], "Bcast root 0 4 n=1");
}

/// Before the run nobody knows which branch a task takes.
#[test]
fn a_branch_that_no_task_takes_cannot_fail() {
    for program in [
        "if my task = 99 then assert that \"x\" with 1=2",
        "if my task < 99 then task 0 outputs 1 otherwise for each x in {1,5,2,...,9} task 0 outputs x",
        "if my task = 99 then let x be 1/0 while task 0 outputs x otherwise task 0 outputs 2",
    ] {
        assert_eq!(calls(program), ["", "", "", ""], "{program}");
    }
}

/// In the reference compiler the message is compiled where the variable of the sender is in scope,
/// although the check wants another one of its name outside.
#[test]
fn a_message_sees_the_variable_of_the_sender() {
    let program = "let t be 2 while all tasks t asynchronously send a t+1 byte message to task 0 \
                   then all tasks await completion";
    let sent = calls(program);
    for rank in 1..4 {
        assert!(sent[rank].starts_with(&format!("Isend>0 {}", rank + 1)), "{sent:?}");
    }
}

#[test]
fn the_ends_of_an_interval_come_in_any_order() {
    let program = "if 3 is in [5, 2] then task 0 outputs \"in\" otherwise task 0 outputs \"out\"";
    assert_eq!(outputs(program, 1), ["in"]);
    let program = program.replace("[5, 2]", "[5, 4]");
    assert_eq!(outputs(&program, 1), ["out"]);
}

/// `beff.ncptl` of the reference compiler begins its ranges with fractions.
#[test]
fn progressions_take_fractions_as_they_are() {
    let program = "for each x in {real(4K*root(8,200)**1), real(4K*root(8,200)**2), \
                   real(4K*root(8,200)**3), ..., 819200} task 0 outputs x";
    let expected = ["7943", "15403", "29871", "57926", "112332", "217837", "422436", "819200"];
    assert_eq!(outputs(program, 1), expected);
    let program = "for each x in {num_tasks/2, num_tasks/4, num_tasks/8, ..., 1} task 0 outputs x";
    assert_eq!(outputs(program, 1), ["2", "1"]);
}
