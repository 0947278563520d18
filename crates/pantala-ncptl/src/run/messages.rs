//! The messages of a statement, evaluated for all ranks.

use crate::compiled::step::{Bytes, Messages, Tag};
use crate::compiled::tasks::TaskSet;
use crate::compiled::view::{Failure, View};
use crate::compiled::visit::Uses;
use crate::numbers::tags;

/// The greatest number of pairs of one statement that are listed one by one.
const MAX_PAIRS: usize = 1 << 28;

/// The messages of a statement.
#[derive(Debug)]
pub struct Exchange {
    shapes: Shapes,
    pairs: Pairs,
}

/// The messages of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Number of messages.
    pub count: u64,
    /// The size of a message in bytes.
    pub bytes: u64,
    /// The tag of the sends.
    pub tag: i32,
    /// The tag of the receives.
    pub receive_tag: i32,
}

/// The messages of all pairs.
#[derive(Debug)]
enum Shapes {
    /// Equal for all.
    Equal(Shape),
    /// By the rank of the sender.
    BySender(Vec<Shape>),
}

/// The pairs of ranks.
#[derive(Debug)]
enum Pairs {
    /// Every source sends to every target, or to every one but itself.
    Product { sources: Side, targets: Side, others: bool },
    /// Listed pairs.
    Listed { senders: Rows, receivers: Rows },
}

/// One side of a product.
#[derive(Debug)]
struct Side {
    /// The ranks in the order of their tasks.
    ranks: Vec<u32>,
    /// The place of each rank in `ranks`; `u32::MAX` if it is not there.
    places: Vec<u32>,
}

/// The partners of each rank.
#[derive(Debug)]
struct Rows {
    starts: Vec<u32>,
    partners: Vec<u32>,
}

impl Side {
    fn new(ranks: Vec<u32>, job: usize) -> Self {
        let mut places = vec![u32::MAX; job];
        for (place, rank) in ranks.iter().enumerate() {
            places[*rank as usize] = place as u32;
        }
        Self { ranks, places }
    }

    fn has(&self, rank: u32) -> bool {
        self.places[rank as usize] != u32::MAX
    }

    /// The rank at a place, as if `without` were not listed.
    fn get(&self, place: usize, without: Option<u32>) -> Option<u32> {
        let skipped = without.map_or(u32::MAX, |rank| self.places[rank as usize]);
        self.ranks.get(place + usize::from(place as u64 >= u64::from(skipped))).copied()
    }
}

impl Rows {
    /// The partners of each rank of `job`, in the order of `pairs`.
    fn new(job: usize, pairs: &[(u32, u32)], row: fn(&(u32, u32)) -> (u32, u32)) -> Self {
        let mut starts = vec![0u32; job + 1];
        for pair in pairs {
            starts[row(pair).0 as usize + 1] += 1;
        }
        for i in 0..job {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut partners) = (starts.clone(), vec![0; pairs.len()]);
        for pair in pairs {
            let (rank, partner) = row(pair);
            let place = &mut next[rank as usize];
            partners[*place as usize] = partner;
            *place += 1;
        }
        Self { starts, partners }
    }

    fn get(&self, rank: u32, place: usize) -> Option<u32> {
        let rank = rank as usize;
        let (start, end) = (self.starts[rank] as usize, self.starts[rank + 1] as usize);
        self.partners[start..end].get(place).copied()
    }
}

impl Exchange {
    /// The rank of the `place`-th partner from which `rank` receives.
    #[inline]
    pub(super) fn sender(&self, rank: u32, place: usize) -> Option<u32> {
        match &self.pairs {
            Pairs::Listed { senders, .. } => senders.get(rank, place),
            Pairs::Product { sources, targets, others } => {
                targets.has(rank).then(|| sources.get(place, others.then_some(rank)))?
            }
        }
    }

    /// The rank of the `place`-th partner to which `rank` sends.
    #[inline]
    pub(super) fn receiver(&self, rank: u32, place: usize) -> Option<u32> {
        match &self.pairs {
            Pairs::Listed { receivers, .. } => receivers.get(rank, place),
            Pairs::Product { sources, targets, others } => {
                sources.has(rank).then(|| targets.get(place, others.then_some(rank)))?
            }
        }
    }

    /// Bytes in memory.
    pub(super) fn weight(&self) -> usize {
        let shapes = match &self.shapes {
            Shapes::Equal(_) => 0,
            Shapes::BySender(shapes) => size_of_val(shapes.as_slice()),
        };
        shapes
            + 4 * match &self.pairs {
                Pairs::Listed { senders, receivers } => {
                    2 * senders.starts.len() + senders.partners.len() + receivers.partners.len()
                }
                Pairs::Product { sources, targets, .. } => {
                    2 * sources.places.len() + sources.ranks.len() + targets.ranks.len()
                }
            }
    }

    /// The messages that a rank sends to each partner.
    #[inline]
    pub(super) fn shape(&self, sender: u32) -> Shape {
        match &self.shapes {
            Shapes::Equal(shape) => *shape,
            Shapes::BySender(shapes) => shapes[sender as usize],
        }
    }

    /// Evaluates the messages of a statement.
    pub(super) fn of(messages: &Messages, view: &View) -> Result<Self, Failure> {
        let mut uses = Uses::default();
        uses.expr(&messages.count);
        uses.bytes(&messages.size);
        uses.tag(&messages.tag);
        uses.tag(&messages.receive_tag);
        if let Some(slot) = messages.source.bound().filter(|slot| uses.slots.contains(slot)) {
            let pairs = pairs(messages, view)?;
            let mut shapes = vec![Shape::default(); view.tasks as usize];
            for task in 0..view.tasks {
                let rank = rank_of(task, view);
                if pairs.sends(rank) {
                    view.set(slot, task);
                    shapes[rank as usize] = shape(messages, view)?;
                }
            }
            return Ok(Self { shapes: Shapes::BySender(shapes), pairs });
        }
        if messages.count.integer(view)? <= 0 {
            return Ok(Self {
                shapes: Shapes::Equal(Shape::default()),
                pairs: Self::no_pairs(view),
            });
        }
        let pairs = pairs(messages, view)?;
        // A size matters only if there is a message.
        let shape = if pairs.is_empty() { Shape::default() } else { shape(messages, view)? };
        Ok(Self { shapes: Shapes::Equal(shape), pairs })
    }

    fn no_pairs(view: &View) -> Pairs {
        let nobody = || Side::new(Vec::new(), view.tasks as usize);
        Pairs::Product { sources: nobody(), targets: nobody(), others: false }
    }
}

impl Pairs {
    fn is_empty(&self) -> bool {
        match self {
            Self::Product { sources, targets, others } => {
                let alone = *others && targets.ranks.len() == 1 && sources.ranks == targets.ranks;
                sources.ranks.is_empty() || targets.ranks.is_empty() || alone
            }
            Self::Listed { receivers, .. } => receivers.partners.is_empty(),
        }
    }

    /// Whether a rank sends anything.
    fn sends(&self, rank: u32) -> bool {
        match self {
            Self::Product { sources, .. } => sources.has(rank),
            Self::Listed { receivers, .. } => receivers.get(rank, 0).is_some(),
        }
    }
}

fn shape(messages: &Messages, view: &View) -> Result<Shape, Failure> {
    let count = messages.count.integer(view)?.max(0) as u64;
    let bytes = if count == 0 { 0 } else { bytes(&messages.size, view)? };
    let (tag, receive_tag) = (tag(&messages.tag, view)?, tag(&messages.receive_tag, view)?);
    Ok(Shape { count, bytes, tag, receive_tag })
}

/// The value of a size.
pub(super) fn bytes(size: &Bytes, view: &View) -> Result<u64, Failure> {
    let (value, unit, span) = match size {
        Bytes::Times(value, unit, span) => (value, *unit, *span),
        Bytes::Bits(value, span) => {
            let bits = value.integer(view)?;
            let bytes = u64::try_from(bits).map(|bits| bits.div_ceil(8));
            return bytes
                .map_err(|_| Failure::new(*span, &format!("a size of {bits} bits is negative")));
        }
    };
    let amount = value.integer(view)?;
    let Ok(amount) = u64::try_from(amount) else {
        return Err(Failure::new(span, &format!("a size of {amount} is negative")));
    };
    let bytes = amount.checked_mul(unit).filter(|bytes| *bytes <= i64::MAX as u64);
    bytes.ok_or_else(|| Failure::new(span, &format!("a size of {amount} units is too large")))
}

/// The value of a tag.
pub(super) fn tag(tag: &Tag, view: &View) -> Result<i32, Failure> {
    match tag {
        Tag::Known(tag) => Ok(*tag),
        Tag::Number(number) => number.integer(view).map(tags::of_number),
    }
}

/// The ranks of a set of tasks, in the order of the tasks.
pub(super) fn ranks(tasks: &TaskSet, view: &View) -> Result<Vec<u32>, Failure> {
    let mut ranks = Vec::new();
    tasks.for_each(view, None, |task| {
        ranks.push(rank_of(task, view));
        Ok(())
    })?;
    Ok(ranks)
}

/// The rank of an existing task.
pub(super) fn rank_of(task: i64, view: &View) -> u32 {
    view.mapping.map_or(task as u32, |mapping| mapping.rank_of[task as usize])
}

/// Whether a set of tasks depends on the variable of another one.
pub(super) fn depends(tasks: &TaskSet, on: &TaskSet) -> bool {
    let mut uses = Uses::default();
    uses.tasks(tasks);
    on.bound().is_some_and(|slot| uses.slots.contains(&slot))
}

fn pairs(messages: &Messages, view: &View) -> Result<Pairs, Failure> {
    let (first, second) = if messages.source_first {
        (&messages.source, &messages.target)
    } else {
        (&messages.target, &messages.source)
    };
    let job = view.tasks as usize;
    if !depends(second, first) {
        let others = matches!(messages.target, TaskSet::AllOthers);
        let sides = [first, second].map(|tasks| ranks(tasks, view).map(|r| Side::new(r, job)));
        let [first, second] = sides;
        let (first, second) = (first?, second?);
        let (sources, targets) =
            if messages.source_first { (first, second) } else { (second, first) };
        return Ok(Pairs::Product { sources, targets, others });
    }
    let mut pairs = Vec::new();
    first.for_each(view, None, |one| {
        second.for_each(view, Some(one), |two| {
            if pairs.len() >= MAX_PAIRS {
                let message = format!("the statement has more than {MAX_PAIRS} pairs of tasks");
                return Err(Failure::new(messages.span, &message));
            }
            let (one, two) = (rank_of(one, view), rank_of(two, view));
            pairs.push(if messages.source_first { (one, two) } else { (two, one) });
            Ok(())
        })
    })?;
    if !messages.source_first {
        // A receiver posts its receives in the order of the senders.
        let task = |rank: u32| view.mapping.map_or(rank, |mapping| mapping.task_of[rank as usize]);
        pairs.sort_by_key(|(source, target)| (task(*source), task(*target)));
    }
    Ok(Pairs::Listed {
        senders: Rows::new(job, &pairs, |(source, target)| (*target, *source)),
        receivers: Rows::new(job, &pairs, |(source, target)| (*source, *target)),
    })
}
