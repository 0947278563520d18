//! The communicators of a trace, rebuilt from the calls of all ranks.
//!
//! A record of `MPI_Comm_split` holds one rank's color and key only. So the groups follow from the
//! records of all ranks: the members of a communicator make new ones from it in the same order. The
//! rebuilding runs the calls of all ranks until each call has all members of its old communicator.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use pantala_mpi::{Cartesian, Group, Split};

use super::handles::GROUP_EMPTY;
use super::steps::{Combination, Event, FIRST_MADE, Local};

/// The fault of a group that names places of another one.
const NO_SUBGROUP: &str =
    "a group has a rank twice, or one that the group from which it is made has not";

/// The number of a communicator in the whole trace. 0 is the world.
pub(super) type CommunicatorNumber = u32;

/// The call that makes communicators, as the simulation needs it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Creation {
    Dup,
    Split(Arc<[Split]>),
    Create(Group),
}

/// The communicators of one rank, by [`Local`].
#[derive(Clone, Debug, Default)]
pub(super) struct OfRank {
    /// The communicator's number in the trace; `None` if the rank is not in it.
    pub(super) numbers: Vec<Option<CommunicatorNumber>>,
    /// The calls that made them, from the first one that a call made.
    pub(super) creations: Vec<Arc<Creation>>,
}

/// The communicators of a trace.
#[derive(Clone, Debug, Default)]
pub(super) struct Communicators {
    /// The members of each communicator, as ranks of the job.
    pub(super) members: Vec<Arc<[u32]>>,
    pub(super) ranks: Vec<OfRank>,
}

/// Ranks whose calls do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unmatched {
    pub(super) rank: u32,
    pub(super) message: String,
}

/// A communicator while it is rebuilt.
#[derive(Debug)]
struct Known {
    members: Arc<[u32]>,
    /// The grid of a Cartesian communicator.
    grid: Option<Cartesian>,
    /// The calls of the members that wait for others, by place: at most one each.
    waiting: BTreeMap<u32, Event>,
}

/// A rank while its communicators are rebuilt.
#[derive(Debug, Default)]
struct Progress {
    events: VecDeque<Event>,
    /// The groups whose members are known.
    groups: BTreeMap<u16, Group>,
    found: OfRank,
}

impl Communicators {
    /// Rebuilds the communicators from the calls of each rank.
    ///
    /// # Errors
    /// An [`Unmatched`] rank if calls do not fit together.
    pub(super) fn rebuild(events: Vec<Vec<Event>>) -> Result<Self, Unmatched> {
        let ranks = events.len() as u32;
        let world: Arc<[u32]> = (0..ranks).collect();
        let new = |members| Known { members, grid: None, waiting: BTreeMap::new() };
        let mut known = vec![new(world)];
        let mut progress = Vec::new();
        let none = events.iter().all(Vec::is_empty);
        for (rank, events) in (0..).zip(events) {
            // Each rank has a COMM_SELF of its own.
            known.push(new(Arc::from([rank])));
            let found = OfRank { numbers: vec![Some(0), Some(rank + 1)], creations: Vec::new() };
            progress.push(Progress { events: events.into(), found, ..Progress::default() });
        }
        let mut ready: VecDeque<u32> = if none { VecDeque::new() } else { (0..ranks).collect() };
        while let Some(rank) = ready.pop_front() {
            advance(rank, &mut progress, &mut known, &mut ready)?;
        }
        for communicator in &known {
            let Some((place, event)) = communicator.waiting.first_key_value() else { continue };
            let missing = (0..communicator.members.len() as u32)
                .find(|place| !communicator.waiting.contains_key(place));
            return Err(Unmatched {
                rank: communicator.members[*place as usize],
                message: format!(
                    "{} has no matching call on rank {} of its communicator",
                    name(event),
                    missing.map_or(0, |place| communicator.members[place as usize]),
                ),
            });
        }
        let members = known.into_iter().map(|communicator| communicator.members).collect();
        Ok(Self { members, ranks: progress.into_iter().map(|rank| rank.found).collect() })
    }

    /// The communicator of a rank; `None` if the rank is not in it.
    pub(super) fn number(&self, rank: u32, local: Local) -> Option<CommunicatorNumber> {
        *self.ranks.get(rank as usize)?.numbers.get(local as usize)?
    }

    /// The members of a rank's communicator.
    pub(super) fn members(&self, rank: u32, local: Local) -> Option<&Arc<[u32]>> {
        self.members.get(self.number(rank, local)? as usize)
    }
}

const fn name(event: &Event) -> &'static str {
    match event {
        Event::Dup { .. } => "MPI_Comm_dup",
        Event::Split { .. } => "MPI_Comm_split",
        Event::Create { .. } => "MPI_Comm_create",
        Event::Cart { .. } => "MPI_Cart_create",
        Event::CartSub { .. } => "MPI_Cart_sub",
        Event::Graph { .. } => "MPI_Graph_create",
        _ => "MPI_Group",
    }
}

/// Runs the calls of a rank until one waits for other members.
fn advance(
    rank: u32,
    progress: &mut [Progress],
    known: &mut Vec<Known>,
    ready: &mut VecDeque<u32>,
) -> Result<(), Unmatched> {
    loop {
        let me = &mut progress[rank as usize];
        let Some(event) = me.events.pop_front() else { return Ok(()) };
        let fault = |message: String| Unmatched { rank, message };
        let number_of = |found: &OfRank, local: Local| {
            found.numbers.get(local as usize).copied().flatten().ok_or_else(|| {
                fault("a call names a communicator that the rank is not in".to_owned())
            })
        };
        let Some(old) = event.old() else {
            let (new, group) = match event {
                Event::GroupOf { communicator, new } => {
                    let number = number_of(&me.found, communicator)?;
                    (new, Group::new(Arc::clone(&known[number as usize].members)))
                }
                Event::Combine { how, one, other, new } => {
                    let both = me.group(one).zip(me.group(other));
                    (new, both.map(|(one, other)| combined(how, &one, &other)))
                }
                Event::Pick { group, places, keep: false, new } => {
                    (new, me.group(group).map(|group| group.exclude(&places)))
                }
                Event::Pick { group, places, keep: true, new } => {
                    let picked = me.group(group).map(|group| {
                        let picked = group.include(&places);
                        picked.ok_or_else(|| fault(NO_SUBGROUP.to_owned()))
                    });
                    (new, picked.transpose()?)
                }
                _ => continue,
            };
            match group {
                Some(group) => me.groups.insert(new, group),
                None => me.groups.remove(&new),
            };
            continue;
        };
        let number = number_of(&me.found, old)?;
        let communicator = &mut known[number as usize];
        let place = communicator.members.iter().position(|member| *member == rank);
        let place = place.map_or(0, |place| place as u32);
        communicator.waiting.insert(place, event);
        if communicator.waiting.len() < communicator.members.len() {
            return Ok(());
        }
        make(number, progress, known).map_err(fault)?;
        ready.extend(known[number as usize].members.iter().filter(|member| **member != rank));
    }
}

/// Makes the communicators of a call that all members have reached.
fn make(number: u32, progress: &mut [Progress], known: &mut Vec<Known>) -> Result<(), String> {
    let old = &mut known[number as usize];
    let (members, old_grid) = (Arc::clone(&old.members), old.grid.clone());
    let events: Vec<Event> = std::mem::take(&mut old.waiting).into_values().collect();
    if let Some(other) = events.iter().find(|event| name(event) != name(&events[0])) {
        let (one, other) = (name(&events[0]), name(other));
        return Err(format!("some ranks of a communicator call {one}, others {other}"));
    }
    let first = |count: usize| Group::new(&members[..count.min(members.len())]);
    let mut grid = None;
    let creation = match &events[0] {
        Event::Dup { .. } => {
            grid = old_grid;
            Some(Creation::Dup)
        }
        Event::Split { .. } => {
            let colors = events.iter().map(|event| match event {
                Event::Split { color, key, .. } => Split { color: *color, key: *key },
                _ => Split { color: None, key: 0 },
            });
            Some(Creation::Split(colors.collect()))
        }
        Event::Create { .. } => {
            let groups = members.iter().zip(&events).map(|(member, event)| match event {
                Event::Create { group, .. } => progress[*member as usize].group(*group),
                _ => None,
            });
            groups.collect::<Option<Vec<_>>>().map(|groups| created(&members, &groups))
        }
        Event::Cart { extents, .. } => {
            let made = Cartesian::new(&extents[..]);
            let made = made.filter(|made| made.size() as usize <= members.len());
            let Some(made) = made else {
                let extents: Vec<String> = extents.iter().map(u32::to_string).collect();
                return Err(format!(
                    "a grid of {} ranks in a communicator of {}",
                    extents.join(" x "),
                    members.len()
                ));
            };
            let creation = first(made.size() as usize).map(Creation::Create);
            grid = Some(made);
            creation
        }
        Event::Graph { nodes, .. } => first(*nodes as usize).map(Creation::Create),
        Event::CartSub { stay, .. } => {
            let Some((slice, table)) = old_grid.and_then(|grid| grid.sub(stay)) else {
                return Err("MPI_Cart_sub of a communicator that is no such grid".to_owned());
            };
            grid = Some(slice);
            Some(Creation::Split(table.into()))
        }
        _ => None,
    };
    let Some(creation) = creation else {
        return Err("a group that the records do not define".to_owned());
    };
    let creation = Arc::new(creation);
    let mut new: BTreeMap<Vec<u32>, CommunicatorNumber> = BTreeMap::new();
    for (place, member) in (0..).zip(members.iter()) {
        let mine: Option<Vec<u32>> = match &*creation {
            Creation::Dup => Some(members.to_vec()),
            Creation::Split(table) => Split::members(table, place)
                .map(|places| places.iter().map(|place| members[*place as usize]).collect()),
            Creation::Create(group) => group.place(*member).map(|_| group.ranks().to_vec()),
        };
        let number = mine.map(|members| {
            *new.entry(members).or_insert_with_key(|members| {
                let (members, grid) = (Arc::from(&members[..]), grid.clone());
                known.push(Known { members, grid, waiting: BTreeMap::new() });
                known.len() as u32 - 1
            })
        });
        let found = &mut progress[*member as usize].found;
        found.numbers.push(number);
        found.creations.push(Arc::clone(&creation));
        debug_assert_eq!(found.numbers.len(), found.creations.len() + FIRST_MADE as usize);
    }
    Ok(())
}

/// The creation from the groups of all members. Disjoint groups at once are a split.
fn created(members: &[u32], groups: &[Group]) -> Creation {
    let mut chosen = groups.iter().filter(|group| group.size() > 0);
    let Some(group) = chosen.next().or_else(|| groups.first()) else { return Creation::Dup };
    if chosen.all(|other| other == group) {
        return Creation::Create(group.clone());
    }
    let table = members.iter().zip(groups).map(|(member, group)| {
        let place = group.place(*member);
        let color = place.and_then(|_| group.ranks().iter().min()).copied();
        Split { color, key: place.map_or(0, |place| place as i32) }
    });
    Creation::Split(table.collect())
}

impl Progress {
    /// The group of a number; `None` if no record defines it.
    fn group(&self, number: u16) -> Option<Group> {
        if number == GROUP_EMPTY {
            return Group::new(Vec::new());
        }
        self.groups.get(&number).cloned()
    }
}

fn combined(how: Combination, one: &Group, other: &Group) -> Group {
    match how {
        Combination::Union => one.union(other),
        Combination::Intersection => one.intersection(other),
        Combination::Difference => one.difference(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(communicators: &Communicators, rank: u32, local: Local) -> Option<Vec<u32>> {
        communicators.members(rank, local).map(|members| members.to_vec())
    }

    #[test]
    fn splits_come_from_all_ranks() {
        let split = |rank: u32| Event::Split { old: 0, color: Some(rank % 2), key: -(rank as i32) };
        let events = (0..4).map(|rank| vec![split(rank), Event::Dup { old: 2 }]).collect();
        let made = Communicators::rebuild(events).unwrap();
        assert_eq!(members(&made, 0, 2), Some(vec![2, 0]));
        assert_eq!(members(&made, 3, 2), Some(vec![3, 1]));
        assert_eq!(members(&made, 1, 3), Some(vec![3, 1]));
        assert_eq!(members(&made, 1, 1), Some(vec![1]));
        assert_ne!(made.number(1, 2), made.number(1, 3));
        assert_eq!(*made.ranks[0].creations[1], Creation::Dup);
    }

    #[test]
    fn grids_and_groups() {
        let events = (0..6).map(|_| {
            vec![
                Event::Cart { old: 0, extents: vec![2, 3] },
                Event::CartSub { old: 2, stay: vec![false, true] },
                Event::GroupOf { communicator: 0, new: 7 },
                Event::Pick { group: 7, places: vec![5, 0], keep: true, new: 8 },
                Event::Combine { how: Combination::Difference, one: 7, other: 8, new: 9 },
                Event::Create { old: 0, group: 8 },
                Event::Create { old: 0, group: 9 },
            ]
        });
        let made = Communicators::rebuild(events.collect()).unwrap();
        assert_eq!(members(&made, 4, 3), Some(vec![3, 4, 5]));
        assert_eq!(members(&made, 5, 4), Some(vec![5, 0]));
        assert_eq!(members(&made, 1, 4), None);
        assert_eq!(members(&made, 1, 5), Some(vec![1, 2, 3, 4]));
    }

    #[test]
    fn disjoint_groups_at_once_are_a_split() {
        let groups = [vec![0], vec![2, 1], vec![2, 1]].map(|ranks| Group::new(ranks).unwrap());
        let Creation::Split(table) = created(&[0, 1, 2], &groups) else { panic!("no split") };
        assert_eq!(Split::members(&table, 1), Some(vec![2, 1]));
        assert_eq!(Split::members(&table, 0), Some(vec![0]));
    }

    #[test]
    fn an_unknown_group_is_named() {
        let events = vec![
            Event::Pick { group: 9, places: vec![0], keep: true, new: 8 },
            Event::Create { old: 0, group: 8 },
        ];
        let message = Communicators::rebuild(vec![events]).unwrap_err().message;
        assert_eq!(message, "a group that the records do not define");
        let events = vec![
            Event::GroupOf { communicator: 0, new: 7 },
            Event::Pick { group: 7, places: vec![0, 0], keep: true, new: 8 },
        ];
        let message = Communicators::rebuild(vec![events]).unwrap_err().message;
        assert!(message.starts_with("a group has a rank twice"), "{message}");
    }

    #[test]
    fn a_missing_call_is_named() {
        let events = vec![vec![Event::Dup { old: 0 }], Vec::new()];
        let message = Communicators::rebuild(events).unwrap_err().message;
        assert_eq!(message, "MPI_Comm_dup has no matching call on rank 1 of its communicator");
    }
}
