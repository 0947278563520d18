//! The collectives of a statement, evaluated for all ranks.

use crate::compiled::step::{Collective, CollectiveKind, Tag};
use crate::compiled::tasks::TaskSet;
use crate::compiled::view::{Failure, View};
use crate::language::source::Span;
use crate::run::messages::{bytes, depends, rank_of, ranks, tag};
use pantala_mpi::Call;
use std::sync::Arc;

/// The greatest number of pairs of a multicast.
const MAX_PAIRS: usize = 1 << 27;

/// The collectives of a statement in order, and how often all of them are repeated.
#[derive(Debug)]
pub struct GroupCalls {
    /// Number of repetitions.
    pub count: u64,
    /// The collectives.
    pub calls: Vec<GroupCall>,
    /// Who touches the data in each repetition; `None` for nobody.
    pub touched: Option<Box<Touched>>,
}

/// The ranks that touch the data of a collective: senders before it, receivers after it.
#[derive(Debug)]
pub struct Touched {
    /// Bytes that each of them touches.
    pub bytes: u64,
    /// The senders in ascending order.
    senders: Vec<u32>,
    /// The receivers in ascending order.
    receivers: Vec<u32>,
}

impl Touched {
    /// Whether a rank touches the data before the calls, or after them.
    pub(super) fn has(&self, rank: u32, before: bool) -> bool {
        let ranks = if before { &self.senders } else { &self.receivers };
        ranks.binary_search(&rank).is_ok()
    }

    fn of(
        (sends, receives): (bool, bool),
        bytes: u64,
        pairs: impl FnOnce() -> Result<Vec<(u32, u32)>, Failure>,
    ) -> Result<Option<Box<Self>>, Failure> {
        if bytes == 0 || !(sends || receives) {
            return Ok(None);
        }
        let pairs = pairs()?;
        let of = |touches: bool, rank: fn(&(u32, u32)) -> u32| {
            if touches { sorted(pairs.iter().map(rank).collect()) } else { Vec::new() }
        };
        let (senders, receivers) = (of(sends, |pair| pair.0), of(receives, |pair| pair.1));
        Ok(Some(Box::new(Self { bytes, senders, receivers })))
    }
}

/// A collective of some ranks.
#[derive(Debug)]
pub struct GroupCall {
    /// The members in ascending order; `None` for all ranks.
    pub members: Option<Arc<[u32]>>,
    /// The number of the set of members; 0 for all ranks.
    pub set: u32,
    /// The operation.
    pub operation: Operation,
}

/// The operation of a collective. Roots are numbers of members.
#[derive(Debug)]
pub enum Operation {
    /// A call that is equal on all members.
    Same(Call),
    /// An exchange with sizes of its own for each pair.
    Pairs {
        /// The size of a message.
        bytes: u64,
        /// For each member, the members to which it sends.
        targets: Vec<Box<[u32]>>,
        /// For each member, the members from which it receives.
        sources: Vec<Box<[u32]>>,
    },
}

impl GroupCalls {
    /// Bytes in memory.
    pub(super) fn weight(&self) -> usize {
        let lists = |lists: &[Box<[u32]>]| lists.iter().map(|l| 16 + 4 * l.len()).sum::<usize>();
        let touched = self
            .touched
            .as_ref()
            .map_or(0, |touched| 64 + 4 * (touched.senders.len() + touched.receivers.len()));
        let calls = self.calls.iter().map(|call| {
            let members = call.members.as_ref().map_or(0, |members| 4 * members.len());
            let operation = match &call.operation {
                Operation::Same(_) => 0,
                Operation::Pairs { targets, sources, .. } => lists(targets) + lists(sources),
            };
            members + operation + 64
        });
        touched + calls.sum::<usize>()
    }

    /// Evaluates the collectives of a statement. The numbers of their sets are 0.
    pub(super) fn of(collective: &Collective, view: &View) -> Result<Self, Failure> {
        let (span, touches) = (collective.span, collective.touches);
        match &collective.kind {
            CollectiveKind::Synchronize(tasks) => {
                let calls = group(sorted(ranks(tasks, view)?), |_| Call::Barrier, view);
                Ok(Self { count: 1, calls: calls.into_iter().collect(), touched: None })
            }
            CollectiveKind::Multicast { source, target, count, size, tag } => {
                no_tag(tag, "MULTICASTS", view, span)?;
                let count = count.integer(view)?.max(0) as u64;
                if count == 0 {
                    return Ok(Self { count, calls: Vec::new(), touched: None });
                }
                let senders = sorted(ranks(source, view)?);
                if senders.is_empty() {
                    return Ok(Self { count, calls: Vec::new(), touched: None });
                }
                let bytes = bytes(size, view)?;
                let calls = multicast(source, target, senders, bytes, span, view)?;
                let touched = Touched::of(touches, bytes, || pairs(source, target, span, view))?;
                Ok(Self { count, calls: calls.into_iter().collect(), touched })
            }
            CollectiveKind::Reduce { source, target, count, result, element, tag } => {
                no_tag(tag, "REDUCES", view, span)?;
                let elements = count.integer(view)?;
                if let Some(result) = result {
                    let result = result.integer(view)?;
                    if result != elements {
                        let message = format!(
                            "the result has {result} elements, the data has {elements}; both must be equal"
                        );
                        return Err(Failure::new(span, &message));
                    }
                }
                let bytes = u64::try_from(elements).ok().and_then(|n| n.checked_mul(*element));
                let bytes = bytes.ok_or_else(|| {
                    Failure::new(span, &format!("{elements} elements cannot be reduced"))
                })?;
                let target = target.as_ref();
                let calls = reduce(source, target, bytes, view)?;
                let touched = Touched::of(touches, bytes, || match target {
                    Some(target) => pairs(source, target, span, view),
                    None => Ok(ranks(source, view)?.into_iter().map(|rank| (rank, rank)).collect()),
                })?;
                Ok(Self { count: 1, calls, touched })
            }
        }
    }
}

fn no_tag(value: &Tag, statement: &str, view: &View, span: Span) -> Result<(), Failure> {
    match tag(value, view)? {
        0 => Ok(()),
        tag => Err(Failure::new(span, &format!("{statement} accepts only tag 0, not {tag}"))),
    }
}

fn sorted(mut ranks: Vec<u32>) -> Vec<u32> {
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// The pairs of sources and targets, in the order of the tasks.
fn pairs(
    source: &TaskSet,
    target: &TaskSet,
    span: Span,
    view: &View,
) -> Result<Vec<(u32, u32)>, Failure> {
    let mut pairs = Vec::new();
    source.for_each(view, None, |from| {
        target.for_each(view, Some(from), |to| {
            if pairs.len() >= MAX_PAIRS {
                let message = format!("the statement has more than {MAX_PAIRS} pairs of tasks");
                return Err(Failure::new(span, &message));
            }
            pairs.push((rank_of(from, view), rank_of(to, view)));
            Ok(())
        })
    })?;
    Ok(pairs)
}

/// A call among ranks in ascending order, if there are any. `call` gets the numbers of members.
fn group(
    members: Vec<u32>,
    call: impl FnOnce(&dyn Fn(u32) -> u32) -> Call,
    view: &View,
) -> Option<GroupCall> {
    if members.is_empty() {
        return None;
    }
    let call = call(&|rank| members.binary_search(&rank).unwrap_or(0) as u32);
    Some(GroupCall { members: restricted(members, view), set: 0, operation: Operation::Same(call) })
}

fn restricted(members: Vec<u32>, view: &View) -> Option<Arc<[u32]>> {
    (members.len() as i64 != view.tasks).then(|| members.into())
}

/// One source broadcasts. If every source and target sends as many messages as each other one, and
/// receives as many, all exchange equal blocks; others exchange blocks for each pair. So does the
/// code that the reference compiler makes for MPI (`codegen_c_mpi.py`, `MANY_MANY`).
fn multicast(
    source: &TaskSet,
    target: &TaskSet,
    senders: Vec<u32>,
    bytes: u64,
    span: Span,
    view: &View,
) -> Result<Option<GroupCall>, Failure> {
    let everybody = matches!(source, TaskSet::All(_))
        && matches!(target, TaskSet::AllOthers | TaskSet::All(None));
    if everybody && view.tasks > 1 {
        let all = (0..view.tasks as u32).collect();
        return Ok(group(all, |_| Call::Alltoall { bytes }, view));
    }
    let pairs = pairs(source, target, span, view)?;
    let members = sorted(senders.iter().copied().chain(pairs.iter().map(|pair| pair.1)).collect());
    if let [root] = senders[..] {
        return Ok(group(members, |place| Call::Bcast { root: place(root), bytes }, view));
    }
    let place = |rank: u32| members.binary_search(&rank).unwrap_or(0) as u32;
    let (mut targets, mut sources) =
        (vec![Vec::new(); members.len()], vec![Vec::new(); members.len()]);
    for (from, to) in pairs {
        targets[place(from) as usize].push(place(to));
        sources[place(to) as usize].push(place(from));
    }
    let each = targets[0].len();
    if targets.iter().chain(&sources).all(|partners| partners.len() == each) {
        return Ok(group(members, |_| Call::Alltoall { bytes }, view));
    }
    let boxed = |lists: Vec<Vec<u32>>| lists.into_iter().map(Vec::into_boxed_slice).collect();
    let operation = Operation::Pairs { bytes, targets: boxed(targets), sources: boxed(sources) };
    Ok(Some(GroupCall { members: restricted(members, view), set: 0, operation }))
}

/// A reduction to all sources, to one of them, or to one of them that broadcasts the result.
fn reduce(
    source: &TaskSet,
    target: Option<&TaskSet>,
    bytes: u64,
    view: &View,
) -> Result<Vec<GroupCall>, Failure> {
    let allreduce = |members| group(members, |_| Call::Allreduce { bytes }, view);
    let Some(target) = target else {
        return Ok(allreduce(sorted(ranks(source, view)?)).into_iter().collect());
    };
    // The sets in the order of the tasks, of which the first common one is the root.
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    source.for_each(view, None, |from| {
        // More than two senders of `ALL OTHER TASKS` add nothing: each task is another one's other.
        let known = senders.len() >= 2 && matches!(target, TaskSet::AllOthers);
        senders.push(from);
        if known {
            return Ok(());
        }
        target.for_each(view, Some(from), |to| {
            receivers.push(to);
            Ok(())
        })?;
        if receivers.len() > 2 * view.tasks as usize {
            receivers.sort_unstable();
            receivers.dedup();
        }
        Ok(())
    })?;
    let named = receivers.len();
    receivers.sort_unstable();
    receivers.dedup();
    // A target that depends on its sender counts for each sender, as in the reference compiler.
    let named = if depends(target, source) { named } else { receivers.len() };
    let of = |tasks: &[i64]| sorted(tasks.iter().map(|task| rank_of(*task, view)).collect());
    let (Some(first), false) = (senders.first(), receivers.is_empty()) else {
        return Ok(Vec::new());
    };
    if senders == receivers {
        return Ok(allreduce(of(&senders)).into_iter().collect());
    }
    let common = senders.iter().find(|task| receivers.binary_search(task).is_ok());
    let root = rank_of(*common.unwrap_or(first), view);
    let reduce = group(of(&senders), |place| Call::Reduce { root: place(root), bytes }, view);
    if common.is_some() && named == 1 {
        return Ok(reduce.into_iter().collect());
    }
    let mut result = of(&receivers);
    result.push(root);
    let bcast = group(sorted(result), |place| Call::Bcast { root: place(root), bytes }, view);
    Ok(reduce.into_iter().chain(bcast).collect())
}
