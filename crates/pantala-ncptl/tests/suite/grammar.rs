//! coNCePTuaL programs that are accepted or refused, and the trees and messages they give.
//!
//! The expectations are those of the reference compiler, version 1.5.1b, and of its language
//! version 1.5, but for the extensions of docs/reference/ncptl.md.

use crate::printer::print;
use pantala_ncptl::language::ast::SyntaxTree;
use pantala_ncptl::language::{MAX_BYTES, MAX_HEIGHT, MAX_NESTING, Source, parse, read};

fn program(text: &str) -> SyntaxTree {
    let source = Source::new("test.ncptl", text);
    match read(&source) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{}", errors[0].render(&source)),
    }
}

/// The first error in one line, without the name of the file.
fn error(text: &str) -> String {
    let source = Source::new("", text);
    let errors = read(&source).expect_err(text);
    errors[0].one_line(&source)[1..].to_owned()
}

fn warnings(text: &str) -> Vec<String> {
    let source = Source::new("", text);
    let (_, warnings) = read(&source).unwrap();
    warnings.iter().map(|warning| warning.one_line(&source)[1..].to_owned()).collect()
}

#[track_caller]
fn canonical(text: &str, expected: &str) {
    assert_eq!(print(&program(text)), expected);
    assert_eq!(program(expected), program(text));
}

/// The two expressions have one tree.
#[track_caller]
fn equal(left: &str, right: &str) {
    let output = |value| program(&format!("task 0 outputs {value}."));
    assert_eq!(output(left), output(right));
}

#[test]
fn operators_bind_as_in_the_reference() {
    equal("2**3**2", "2**(3**2)");
    equal("-2**2", "-(2**2)");
    equal("2**-1", "2**(-1)");
    equal("10-3-2", "(10-3)-2");
    equal("64/8/2", "(64/8)/2");
    equal("1+2&3", "1+(2&3)");
    equal("6|1*8", "6|(1*8)");
    equal("5 xor 3*2", "5 xor (3*2)");
    equal("not 0 + 1", "(not 0) + 1");
    equal("1 << 2 + 3", "(1 << 2) + 3");
    equal("3 if 1=2 otherwise 4 if 1=1 otherwise 5", "3 if 1=2 otherwise (4 if 1=1 otherwise 5)");
    equal("1 if 1=1 \\/ 1=2 /\\ 1=3 otherwise 0", "1 if 1=1 \\/ (1=2 /\\ 1=3) otherwise 0");
    equal("1 if ((1)=(1)) /\\ (((2+3))*2 > 4) otherwise 0", "1 if 1=1 /\\ (2+3)*2 > 4 otherwise 0");
    equal("10E3 + 2K + 21st", "10000 + 2048 + 21");
    equal("bits(3) + (-7) mod 3", "(bits(3)) + ((-7) mod 3)");
}

#[test]
fn synonyms_case_comments_and_hyphens_do_not_matter() {
    let expected = "task 0 sends a 5 byte message to task 1.\n";
    canonical("TASKS 0 SEND AN 5-BYTE MESSAGES TO TASKS 1", expected);
    canonical("task # who?\r\n 0 sends a 5 bytes message\tto task 1.", expected);
    canonical("all tasks awaits completions", "all tasks await completion.\n");
    canonical("task 0 resets their counters", "task 0 resets its counters.\n");
}

#[test]
fn every_statement_has_a_canonical_text() {
    let programs: Vec<&str> = include_str!("statements.ncptl").split("# ---\n").skip(1).collect();
    assert!(programs.len() > 20);
    for text in programs {
        canonical(text, text);
    }
}

#[test]
fn loops_take_one_statement_and_otherwise_the_nearest_if() {
    let text = "for 2 repetitions task 0 outputs \"a\" then task 0 outputs \"b\".";
    canonical(text, "for 2 repetitions\n  task 0 outputs \"a\" then\ntask 0 outputs \"b\".\n");
    let nested = "if 1=1 then if 1=2 then task 0 outputs 1 otherwise task 0 outputs 2.";
    let braces = "if 1=1 then { if 1=2 then task 0 outputs 1 } otherwise task 0 outputs 2.";
    assert_ne!(program(nested), program(braces));
    canonical(
        nested,
        "if 1 = 1 then\n  if 1 = 2 then\n    task 0 outputs 1\n  otherwise\n    task 0 outputs 2.\n",
    );
}

#[test]
fn periods_are_optional() {
    assert_eq!(
        program("task 0 outputs 1 task 0 outputs 2. task 0 outputs 3"),
        program("task 0 outputs 1. task 0 outputs 2. task 0 outputs 3.")
    );
    assert_eq!(program("").sentences.len(), 0);
}

#[test]
fn parse_errors_name_the_place_and_what_fits() {
    for (text, expected) in [
        (
            "task 0 sends a 5 byte to task 1.",
            "1:23: unexpected `to`; expected ALIGNED, MISALIGNED, UNALIGNED, a data type or \
             MESSAGES",
        ),
        (
            "task 0\noutputs x >= 0.",
            "2:11: unexpected `>=`; expected an operator, AND, THEN, a period or a statement",
        ),
        (
            "all tasks t such that t>0 send a message to task 0",
            "1:13: unexpected `such`; write TASKS t SUCH THAT without ALL",
        ),
        (
            "let y be 5 while task 0 outputs y-abs(-2).",
            "1:35: unexpected `abs`; expected an operator, AND, THEN, a period or a statement; \
             a hyphen before a keyword means nothing: to subtract, write a blank or ( after it",
        ),
        (
            "let a be 5 while task 0 outputs 1",
            "1:5: unexpected `a`; expected a name; keywords cannot be names",
        ),
        (
            "task 0 computes for 3.5 seconds",
            "1:22: unexpected `.`; expected an operator or a unit of time; numbers are integers; \
             REAL(7/2) computes with fractions",
        ),
        (
            "task 0 sends a message to task 1 who receives them.",
            "1:51: unexpected `.`; expected ASYNCHRONOUSLY, SYNCHRONOUSLY, AS, WITH, WITHOUT, \
             USING or INTO",
        ),
        ("for each i in {1, 2, ...} task 0 outputs i", "1:25: unexpected `}`; expected `,`"),
        (
            "for 5",
            "1:6: unexpected end of the program; expected an operator, a unit of time or REPETITIONS",
        ),
        ("task 0 outputs \"no end", "1:16: the string does not end; write \""),
        ("task 0 outputs 1 ½", "1:18: unexpected character `½`"),
        (
            "task 0 outputs mesh_distance((1,2,3,4), 0, 1)",
            "1:30: a mesh has at most 3 dimensions, not 4",
        ),
        ("task 0 outputs root(5)", "1:16: ROOT takes 2 arguments, not 1"),
        (
            "task 0 backend executes \"f()\"",
            "1:8: BACKEND inserts code in C, which cannot be simulated; write its messages and \
             computations as statements, or remove it",
        ),
        (
            "all tasks asynchronously multicast a message to task 0",
            "1:11: MULTICASTS cannot be ASYNCHRONOUSLY; remove ASYNCHRONOUSLY",
        ),
    ] {
        assert_eq!(error(text), expected);
    }
    assert!(error("task 0 synchronises").ends_with("; did you mean SYNCHRONIZES?"));
    assert!(error("the backend declares \"int x;\"").starts_with("1:5: BACKEND"));
}

#[test]
fn rules_beyond_the_grammar_are_checked() {
    for (text, expected) in [
        ("task 0 outputs x", "1:16: variable x is not declared here; visible variables: none"),
        (
            "for each i in {1} task 0 outputs i then task i outputs 1",
            "1:46: variable i is not declared here; visible variables: none",
        ),
        (
            "tasks s such that s>0 multicast an s byte message to task 0",
            "1:36: variable s is not declared here; visible variables: none",
        ),
        (
            "all tasks send a 4 byte message to all other tasks",
            "1:1: ALL TASKS wait for each other: each receives before it sends; write ALL TASKS \
             ASYNCHRONOUSLY SEND, and later ALL TASKS AWAIT COMPLETION",
        ),
        (
            "all tasks d receive a message from task d+1",
            "1:1: ALL TASKS cannot be a target; write TASKS d SUCH THAT d >= 0, or ALL OTHER TASKS",
        ),
        (
            "all other tasks send a message to task 0",
            "1:1: ALL OTHER TASKS can only be a target; write ALL TASKS",
        ),
        (
            "task 0 multicasts a message using tag 3 to task 1",
            "1:39: MULTICASTS has no tag but 0; remove USING TAG",
        ),
        (
            "task 0 sends a message to unsuspecting task 1 who receives them synchronously",
            "1:65: UNSUSPECTING tasks receive nothing, but WHO RECEIVES follows; remove \
             UNSUSPECTING or WHO RECEIVES",
        ),
        (
            "task 0 sends a message to task 1 who receives them with verification",
            "1:52: a message received WITH VERIFICATION must be sent WITH VERIFICATION; move WITH \
             VERIFICATION before TO",
        ),
        ("all tasks reduce 5 bytes", "1:18: REDUCES combines INTEGERS or DOUBLEWORDS only"),
        (
            "all tasks reduce 5 integers to 6 integers",
            "1:32: the result has another number or type of elements than the data; write equal \
             numbers and types",
        ),
        (
            "for 2 seconds for 1 second task 0 outputs 1",
            "1:15: a timed loop cannot contain another one; write the inner loop with REPETITIONS",
        ),
        (
            "let x be bytes_sent while task 0 outputs x",
            "1:10: bytes_sent in LET; num_tasks is the only predeclared variable that LET can use",
        ),
        (
            "let num_tasks be 1 while task 0 outputs 1",
            "1:5: num_tasks is predeclared and cannot be redefined; choose another name",
        ),
        (
            "let g be task 1 while task g outputs 1",
            "1:28: g is a task group, not a number; write TASK GROUP g",
        ),
        (
            "let g be 1 while task group g outputs 1",
            "1:29: g is a number, not a task group; bind it: LET g BE TASKS t SUCH THAT …",
        ),
        (
            "n is \"N\" and comes from \"-n\" or \"-N\" with default 1",
            "1:25: \"-n\" is not an option; expected `--` and letters, digits, `-` or `_`",
        ),
        (
            "n is \"N\" and comes from \"--n\" or \"-n\" with default m",
            "1:52: variable m is not declared here; visible variables: none",
        ),
        (
            "task my task outputs 1",
            "1:6: MY TASK in a set of tasks; use the variable of ALL TASKS t, or MY TASK in the \
             condition of IF",
        ),
    ] {
        assert_eq!(error(text), expected);
    }
    let random = "task 0 sends a random_uniform(1, 5) byte message to task 1";
    assert!(error(random).starts_with("1:16: RANDOM_UNIFORM in a message"));
    program("task 0 outputs random_uniform(1, 5)");
}

#[test]
fn asynchronous_forms_of_a_full_exchange_are_accepted() {
    program("all tasks asynchronously send a message to all other tasks");
    program("all tasks send a message to all other tasks who receive them asynchronously");
    program("all tasks send a message to unsuspecting all other tasks");
    assert!(
        error(
            "all tasks asynchronously send a message to all other tasks who receive them \
                   synchronously"
        )
        .contains("wait for each other")
    );
}

#[test]
fn variables_are_visible_where_the_language_says() {
    program("let x be 3 and y be x+1 while let x be x*10 while task 0 outputs x and y");
    program("for each k in {1, ..., 3} tasks t such that t<k send a 10*k byte message to task t+1");
    // An extension: a message sees the variable of its senders.
    program("tasks t such that t<3 send a 10*t byte message to task t+1");
    program("task 0 receives a 10*u byte message from tasks u such that u>0");
    // Either side of RECEIVES can use the variable of the other.
    program("tasks s-1 receive a message from all tasks s");
    program("tasks d such that d<3 receive a message from task d+1");
    assert!(error("task s receives a message from tasks t such that t>u").contains("not declared"));
    // A message does not see the variable of its receivers, nor a group of receivers as a task.
    let receivers = "tasks t such that t<3 receive a 2*t byte message from task 3";
    assert!(error(receivers).contains("variable t is not declared here"));
    let group = "let g be tasks {0, 1} while task group g receives a g byte message from task 3";
    assert!(error(group).contains("g is a task group, not a number"));
}

#[test]
fn oddities_are_warnings() {
    let one = |text: &str, expected: &str| assert_eq!(warnings(text), [expected], "{text}");
    one("all tasks t synchronize", "1:11: variable t is never used");
    one(
        "let x be 1 while let x be x+1 while task 0 outputs x",
        "1:22: x hides another variable of this name",
    );
    one("task 0 outputs \"\\q\"", "1:17: `\\q` means nothing; write \\n, \\t, \\r, \\\\ or \\\"");
    one(
        "if msgs_sent = 20 then task 0 outputs 1",
        "1:4: msgs_sent is always 0 in a condition, which is evaluated before the program runs",
    );
    one(
        "require language version \"1.4\". task 0 outputs 1",
        "1:26: the program requires version \"1.4\" of the language; Pantala knows version \"1.5\"",
    );
    one(
        "if my task = 0 then task 0 outputs 1",
        "1:4: MY TASK makes tasks disagree on the condition",
    );
    one(
        "task 0 computes for elapsed_usecs microseconds",
        "1:21: elapsed_usecs is always 0 in the time of COMPUTES, SLEEPS or TOUCHES, which is \
         evaluated before the program runs",
    );
    assert!(warnings("task 0 outputs msgs_sent").is_empty());
}

#[test]
fn no_program_is_too_deep_for_the_stack() {
    for (open, middle, close) in [
        ("task 0 outputs ", "(", "1"),
        ("task 0 outputs ", "- ", "1"),
        ("task 0 outputs ", "2**", "1"),
        ("task 0 outputs ", "1 if 1=1 otherwise ", "1"),
        ("task 0 outputs ", "1 if 1 if ", "1"),
        ("task 0 outputs ", "abs(", "1"),
        ("task 0 outputs ", "mesh_distance((", "1"),
        ("if ", "(", "1=1"),
        ("if 1 is in ", "{1 for each x in ", "{1}"),
        ("", "{", ""),
        ("", "for 2 repetitions ", "task 0 outputs 1"),
        ("", "if 1=1 then {} otherwise ", "{}"),
        ("", "let x be 1 while ", "{}"),
        ("task 0 outputs ", "1+", "1"),
        ("if ", "1=1 /\\ ", "1=1 then {}"),
    ] {
        let text = format!("{open}{}{close}", middle.repeat(10_000));
        let message = error(&text);
        assert!(message.contains("nested deeper than"), "{middle}: {message}");
    }
}

#[test]
fn programs_at_the_limits_are_accepted() {
    let half = MAX_NESTING as usize / 2 - 2;
    let sum = "1+".repeat(MAX_HEIGHT as usize - 1);
    let (blocks, brackets) = ("{".repeat(half), "(".repeat(half));
    let (end, close) = ("}".repeat(half), ")".repeat(half));
    let text = format!("{blocks} task 0 outputs {brackets}{sum}1{close} {end}");
    let parsed = program(&text);
    assert_eq!(program(&print(&parsed)), parsed);
}

#[test]
fn large_programs_are_read_quickly_or_refused() {
    for part in [
        "task 0 outputs x.",
        "{} then ",
        "{1},",
        "x is \"\" and comes from \"--x\" or \"-x\" with default 1.",
        "let x be 1 and x be 2 and ",
        "#",
        "\\",
        "\"a\"",
        "task 0 outputs 1 then task 0 outputs \"",
    ] {
        let text = part.repeat(MAX_BYTES / part.len());
        let source = Source::new("large.ncptl", text);
        if let Err(errors) = read(&source) {
            assert!(errors.len() <= 100);
            assert!(errors.iter().all(|error| error.render(&source).len() < 1_000));
        }
    }
    let error = parse(&Source::new("", "#".repeat(MAX_BYTES + 1))).unwrap_err();
    assert_eq!(
        error.message,
        format!("the program has {} bytes; at most {MAX_BYTES} fit", MAX_BYTES + 1)
    );
}

#[test]
fn the_program_of_the_reference_page_is_accepted() {
    let page = include_str!("../../../../docs/reference/ncptl.md");
    let example = page.split("```").nth(1).and_then(|text| text.strip_prefix("text\n")).unwrap();
    assert!(warnings(example).is_empty());
}

#[test]
fn the_example_programs_are_accepted_without_warnings() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/programs");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let programs: Vec<_> = files.filter(|path| path.extension().unwrap() == "ncptl").collect();
    assert!(!programs.is_empty());
    for path in programs {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(warnings(&text).is_empty(), "{}", path.display());
        assert_eq!(program(&print(&program(&text))), program(&text));
    }
}
