//! Generated coNCePTuaL programs run: they neither panic nor hang, and messages match.

use std::collections::BTreeMap;

use pantala_ncptl::NcptlSpec;
use pantala_ncptl::explain::{ExplainedCall, explain_within};
use pantala_ncptl::language::ast::{Statement, StatementKind, SyntaxTree};
use pantala_ncptl::run::job::Limits;
use proptest::prelude::*;

use crate::printer::print;
use crate::programs::valid_programs;

const LIMITS: Limits = Limits { steps: 20_000, walk: 20_000 };
const OPERATIONS: u64 = 20_000;

fn spec(program: &SyntaxTree) -> NcptlSpec {
    NcptlSpec::new("made.ncptl", &print(program), BTreeMap::new(), 7, 1_000).within(LIMITS)
}

/// Removes the statements with which sends and receives of different statements have to match.
fn self_contained(statement: &mut Statement) {
    match &mut statement.kind {
        StatementKind::Send(send) => send.unsuspecting = false,
        StatementKind::Receive(_) => statement.kind = StatementKind::Block(Vec::new()),
        StatementKind::ForEach(each) => self_contained(&mut each.body),
        StatementKind::Repeat(repeat) => self_contained(&mut repeat.body),
        StatementKind::Timed(timed) => self_contained(&mut timed.body),
        StatementKind::Let(bindings) => self_contained(&mut bindings.body),
        StatementKind::If(branch) => {
            self_contained(&mut branch.then);
            branch.otherwise.as_mut().into_iter().for_each(|other| self_contained(other));
        }
        StatementKind::Block(statements) => statements.iter_mut().for_each(self_contained),
        _ => {}
    }
}

type Key = (u32, u32, i32, u64);

/// The messages from one rank to another with a tag and a size.
fn messages(calls: &[ExplainedCall], names: [&str; 2], sends: bool) -> BTreeMap<Key, u64> {
    let mut found = BTreeMap::new();
    for call in calls.iter().filter(|call| names.contains(&call.call.as_str())) {
        let (Some(peer), Some(tag), Some(bytes)) = (call.peer, call.tag, call.bytes) else {
            continue;
        };
        let (from, to) = if sends { (call.rank, peer) } else { (peer, call.rank) };
        *found.entry((from, to, tag, bytes)).or_insert(0) += call.count;
    }
    found
}

/// The collectives of each size of communicator that a rank calls.
fn collectives(calls: &[ExplainedCall], ranks: u32) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for call in calls.iter().filter(|call| call.communicator_size == Some(ranks)) {
        *found.entry(format!("{} {} {:?}", call.rank, call.call, call.bytes)).or_insert(0) +=
            call.count;
    }
    found
}

proptest! {
    #![proptest_config(pantala_testing::cases(10_000))]

    #[test]
    fn generated_programs_end(program in valid_programs(), ranks in 1u32..7) {
        let _ = explain_within(&spec(&program), ranks, OPERATIONS);
    }

    #[test]
    fn every_message_is_received(mut program in valid_programs(), ranks in 1u32..7) {
        for sentence in &mut program.sentences {
            sentence.statements.iter_mut().for_each(self_contained);
        }
        let Ok(found) = explain_within(&spec(&program), ranks, OPERATIONS) else { return Ok(()) };
        if found.truncated || !found.errors.is_empty() {
            return Ok(());
        }
        let sent = messages(&found.calls, ["Send", "Isend"], true);
        let received = messages(&found.calls, ["Recv", "Irecv"], false);
        prop_assert_eq!(sent, received, "{}", print(&program));
        let all = collectives(&found.calls, ranks);
        for (key, count) in &all {
            let (_, call) = key.split_once(' ').unwrap_or_default();
            for rank in 0..ranks {
                prop_assert_eq!(all.get(&format!("{rank} {call}")), Some(count), "{}", print(&program));
            }
        }
    }
}
