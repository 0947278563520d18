//! The waiting time of each job, by the job that causes it.

use crate::choices::{choices, configuration, machines};
use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::config::*;
use pantala_fabric::{
    BlameCell, BlameDetail, BufferDetail, Delivery, FabricConfig, Host, Network, PacketOffer,
    Partition, PartitionMap, PlaceCell, Places, Pull, TrafficClass, TrafficCount, TrafficDetail,
    Wakes, longest,
};
use pantala_routing::{Algorithm, Information};
use pantala_topology::{LinkClass, Peer, Topology};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A packet of a script: when it is created, its source, its destination and its job.
type Sent = (Time, u32, u32, u16);

/// Waiting times at places, with the start and the end of their windows.
type Cells = Vec<(Time, Time, PlaceCell)>;

/// Sends given packets of given jobs, all of full size.
struct Jobs {
    bytes: u32,
    queues: Vec<VecDeque<Sent>>,
}

impl Host for Jobs {
    type Message = ();

    fn start(&mut self, terminal: u32, wakes: &mut Wakes) {
        wakes.nic = !self.queues[terminal as usize].is_empty();
    }
    fn pull(&mut self, terminal: u32, now: Time, _: &mut Wakes) -> Pull {
        let queue = &mut self.queues[terminal as usize];
        match queue.front() {
            None => Pull::Idle,
            Some(&(created, ..)) if created > now => Pull::Later(created),
            Some(&(created, _, destination, job)) => {
                queue.pop_front();
                let class = TrafficClass::PointToPoint;
                let bytes = self.bytes;
                Pull::Packet(PacketOffer {
                    destination,
                    bytes,
                    created,
                    message: 0,
                    number: 0,
                    job,
                    class,
                })
            }
        }
    }
    fn deliver(&mut self, _: u32, _: &Delivery, _: Time, _: &mut Wakes) {}
    fn timer(&mut self, _: u32, _: Time, _: &mut Wakes) {}
}

/// Routers without delay between crossbar and link, so that waits are those of links.
fn plain() -> FabricConfig {
    let mut config = of_jobs(kang(Algorithm::Minimal), 3);
    config.router.output_latency = 0;
    config.router.crossbar_delay = CrossbarDelay::None;
    config
}

fn of_jobs(mut config: FabricConfig, jobs: u16) -> FabricConfig {
    config.jobs = jobs;
    config.routing_of = vec![0; usize::from(jobs) * TrafficClass::COUNT];
    config
}

/// The time of a packet on a link, in `kang`.
const PACKET: Time = 4 * 5_120;

fn sent(config: &FabricConfig, topology: &Topology, packets: &[Sent]) -> Partition<Jobs, Log> {
    let mut queues = vec![VecDeque::new(); topology.terminals() as usize];
    for &packet in packets {
        queues[packet.1 as usize].push_back(packet);
    }
    let host = Jobs { bytes: config.packet_bytes, queues };
    let mut net = partition(config.clone(), topology.clone(), host);
    net.record_blame(Time::MAX, BlameDetail { groups: false, links: 1 });
    net.advance(Time::MAX);
    assert_eq!(net.packets_in_flight(), 0);
    net
}

/// The waiting times as (class, victim, aggressor, time), without those before injection links.
fn waits(net: &mut Partition<Jobs, Log>) -> Vec<(&'static str, u16, u16, Time)> {
    let cells = net
        .blame_until(net.now())
        .into_iter()
        .map(|c| (c.class_name(), c.victim, c.aggressor, c.wait));
    cells.filter(|cell| cell.0 != "injection").collect()
}

/// Two and three packets of different jobs reach the router of one NIC at one time. Each waits for
/// the ejection link while the packets before it are there. The order is drawn.
#[test]
fn flows_to_one_endpoint_wait_for_each_other() {
    let topology = dragonfly(4, 4, 2, 9);
    for flows in [2, 3] {
        let packets: Vec<Sent> = (0..flows).map(|n| (0, n + 1, 0, n as u16)).collect();
        let mut net = sent(&plain(), &topology, &packets);
        let mut order: Vec<(Time, u16)> =
            net.probe.packets.iter().map(|seen| (seen.delivered, seen.source as u16 - 1)).collect();
        order.sort_unstable();
        let mut expected = Vec::new();
        for (place, &(_, victim)) in order.iter().enumerate() {
            for &(_, aggressor) in &order[..place] {
                expected.push(("ejection", victim, aggressor, PACKET));
            }
        }
        expected.sort_unstable();
        assert_eq!(waits(&mut net), expected);
        // All of them wait for the ejection link of NIC 0.
        let (_, links) = net.blamed_places_until(net.now());
        let ejection: u32 = topology.terminal_port_of(0).into();
        let mut at_link: Vec<_> = links
            .at(0, Time::MAX)
            .into_iter()
            .filter(|(_, _, cell)| cell.class() == LinkClass::Terminal as u8)
            .inspect(|(_, _, cell)| assert_eq!(cell.link(), ejection))
            .map(|(_, _, cell)| ("ejection", cell.victim, cell.aggressor, cell.wait))
            .collect();
        at_link.sort_unstable();
        assert_eq!(at_link, expected);
    }
}

/// The same on one local link and on the one global link between two groups, which packets of
/// three routers reach at one time.
#[test]
fn flows_on_one_link_and_through_one_gateway_wait_for_each_other() {
    let topology = dragonfly(4, 4, 2, 9);
    let config = plain();
    let far: Vec<u32> = (16..topology.terminals()).step_by(4).collect();
    // A destination router whose gateway is none of the sources' routers.
    let mut gateways = far.iter().filter_map(|&terminal| {
        let hops: Vec<u8> = [0, 4, 8, 12]
            .map(|source| {
                sent(&config, &topology, &[(0, source, terminal, 0)]).probe.packets[0].hops
            })
            .to_vec();
        (hops.iter().min() == hops.iter().max().map(|most| most - 1).as_ref())
            .then_some((terminal, hops))
    });
    let (terminal, hops) = gateways.next_back().expect("a gateway");
    let least = *hops.iter().min().unwrap();
    let sources: Vec<u32> =
        (0..4).filter(|&router| hops[router as usize] > least).map(|router| 4 * router).collect();
    for flows in [2, 3] {
        let local: Vec<Sent> = (0..flows).map(|n| (0, n, 4 + n, n as u16)).collect();
        let through: Vec<Sent> =
            (0..flows).map(|n| (0, sources[n as usize], terminal + n, n as u16)).collect();
        for (class, packets) in [("local", local), ("global", through)] {
            let mut net = sent(&config, &topology, &packets);
            let mut order: Vec<(Time, u16)> = Vec::new();
            for seen in &net.probe.packets {
                let packet = packets.iter().find(|packet| packet.1 == seen.source).unwrap();
                order.push((seen.delivered, packet.3));
            }
            order.sort_unstable();
            let mut expected = Vec::new();
            for (place, &(_, victim)) in order.iter().enumerate() {
                for &(_, aggressor) in &order[..place] {
                    expected.push((class, victim, aggressor, PACKET));
                }
            }
            expected.sort_unstable();
            assert_eq!(waits(&mut net), expected, "{flows}");
        }
    }
}

/// A packet behind a head inherits the head's charge, although its own output is idle.
#[test]
fn packets_behind_a_head_inherit_its_charge() {
    let topology = dragonfly(4, 4, 2, 9);
    let mut config = plain();
    config.router.output_buffer = 4;
    // Job 2 holds the link to NIC 0. Job 1 waits for it, job 0 behind job 1.
    let streams = (0..40).map(|n| (0, 2 + n % 2, 0, 2));
    let late = (0..3).map(|_| (200_000, 1, 0, 1)).chain([(200_000, 1, 5, 0)]);
    let packets: Vec<Sent> = streams.chain(late).collect();
    let mut net = sent(&config, &topology, &packets);
    let inherited: Vec<_> = waits(&mut net).into_iter().filter(|cell| cell.1 == 0).collect();
    let by_two: Time = inherited.iter().filter(|cell| cell.2 == 2).map(|cell| cell.3).sum();
    let others: Time = inherited.iter().filter(|cell| cell.2 != 2).map(|cell| cell.3).sum();
    assert!(by_two > PACKET && by_two > others, "{inherited:?}");
}

/// If credits are missing, the wait is charged to the jobs of the flits beyond the link.
#[test]
fn missing_credits_are_charged_to_the_flits_beyond_the_link() {
    let topology = dragonfly(4, 4, 2, 9);
    let mut config = plain();
    config.router.input_buffer = 16;
    config.router.output_buffer = 8;
    // Job 1 sends to NIC 0 from another router, and job 2 from its own router: the buffer behind
    // the local link fills with job 1. Job 0 crosses the same link to an idle NIC.
    let one = (0..60).map(|_| (0, 4, 0, 1));
    let two = (0..60).map(|_| (0, 1, 0, 2));
    let packets: Vec<Sent> = one.chain(two).chain([(900_000, 5, 2, 0)]).collect();
    let mut net = sent(&config, &topology, &packets);
    let of: BTreeMap<(&str, u16), Time> = waits(&mut net)
        .into_iter()
        .filter(|cell| cell.1 == 0)
        .map(|(class, _, aggressor, time)| ((class, aggressor), time))
        .collect();
    assert!(of[&("local", 1)] > 3 * PACKET, "{of:?}");
    assert!(!of.contains_key(&("local", 2)), "{of:?}");
    // Behind the link, it waits behind heads that wait for the ejection link.
    assert!(of[&("ejection", 2)] > PACKET, "{of:?}");
}

/// The total wait of all packets, from their times alone: the latency less that of a packet with
/// the same path in an idle network, and the wait of each packet that is the next of its NIC. In
/// the idle network no packet waits for the clock of a crossbar either.
fn total_wait(config: &FabricConfig, topology: &Topology, packets: &[Seen]) -> Time {
    let mut idle = config.clone();
    idle.router.crossbar_clock = CrossbarClock::None;
    let mut alone: BTreeMap<(u8, bool), Time> = BTreeMap::new();
    let mut nics: BTreeMap<u32, Vec<(Time, Time)>> = BTreeMap::new();
    let mut sum = 0;
    for seen in packets {
        let within =
            topology.group_of_terminal(seen.source) == topology.group_of_terminal(seen.destination);
        let least = *alone.entry((seen.hops, within)).or_insert_with(|| {
            let net = sent(&idle, topology, &[(0, seen.source, seen.destination, 0)]);
            net.probe.packets[0].delivered - net.probe.packets[0].injected
        });
        sum += seen.delivered - seen.injected - least;
        nics.entry(seen.source).or_default().push((seen.injected, seen.created));
    }
    for (_, mut nic) in nics {
        nic.sort_unstable();
        let mut before = 0;
        for (injected, created) in nic {
            sum += injected - before.max(created);
            before = injected;
        }
    }
    sum
}

/// The waits of places by window, class, victim and aggressor.
fn summed(places: &[(Time, Time, PlaceCell)]) -> Vec<((Time, u8, u16, u16), Time)> {
    let mut sums: BTreeMap<_, Time> = BTreeMap::new();
    for (start, _, cell) in places {
        *sums.entry((*start, cell.class(), cell.victim, cell.aggressor)).or_default() += cell.wait;
    }
    sums.into_iter().collect()
}

/// Router models with packets that move as a whole.
fn models() -> Vec<FabricConfig> {
    let mut models = vec![
        kang(Algorithm::Minimal),
        codes(Algorithm::Minimal),
        booksim2(Algorithm::Minimal, 1, 2, 12),
        caminos(Algorithm::Minimal, 2_000),
    ];
    // A link that decides one flit after a head is ready skips that time if it is busy until then.
    // No latency shows that.
    let mut clocked = sst(Algorithm::Minimal);
    clocked.router.link_decision = LinkDecision::AtStart;
    models.push(clocked);
    let mut store = kang(Algorithm::Minimal);
    store.router.flow_control = FlowControl::StoreAndForward;
    models.push(store);
    let mut at_crossbar = kang(Algorithm::Minimal);
    at_crossbar.router.credit_check = CreditCheck::Crossbar;
    models.push(at_crossbar);
    models
}

fn loaded(
    config: &FabricConfig,
    topology: &Arc<Topology>,
    (count, load, window): (u32, f64, Option<Time>),
    scramble: Option<u64>,
) -> (Vec<Seen>, Vec<BlameCell>, [Cells; 3]) {
    let partitions = Arc::new(PartitionMap::new(topology, count));
    let keys: Vec<u64> = (0..u64::from(topology.terminals())).collect();
    let quiet = 200_000.max(40 * config.links[0].flit);
    let ends = (0..partitions.count())
        .map(|_| (Uniform::new(topology.terminals(), config, load, quiet), Log::default()));
    let here = 0..partitions.count();
    let mut net = Network::new(config, Arc::clone(topology), partitions, here, &keys, ends);
    if let Some(window) = window {
        net.record_blame(window, BlameDetail { groups: true, links: u32::MAX });
    }
    if let Some(seed) = scramble {
        net.scramble(seed);
    }
    net.advance(Time::MAX);
    assert_eq!(net.packets_in_flight(), 0, "{}", net.diagnose());
    let mut packets: Vec<Seen> = net
        .probes_mut()
        .flat_map(|log| log.packets.drain(..).chain(log.responses.drain(..)))
        .collect();
    packets.sort_unstable_by_key(|seen| (seen.delivered, seen.destination, seen.source));
    let cells = net.blame_until(net.now());
    let (groups, links) = net.blamed_places_until(net.now());
    let at = |places: &Places| places.at(0, window.unwrap_or(1));
    let links = at(&links);
    let keep = longest(links.iter().map(|(_, _, cell)| cell), 2);
    let worst = links.iter().filter(|each| keep.contains(&each.2.place)).copied().collect();
    (packets, cells, [at(&groups), links, worst])
}

/// Each record adds what it holds: that of links a count per link, VC, job and kind.
#[test]
fn records_count_in_the_memory_of_a_network() {
    let (config, topology) = (plain(), Arc::new(dragonfly(1, 2, 1, 3)));
    let partitions = Arc::new(PartitionMap::new(&topology, 1));
    let keys: Vec<u64> = (0..u64::from(topology.terminals())).collect();
    let ends = [(Uniform::new(topology.terminals(), &config, 0.1, 0), Log::default())];
    let mut net = Network::new(&config, topology, partitions, 0..1, &keys, ends);
    let bare = net.memory();
    net.watch_ports(Time::MAX, TrafficDetail::Vcs, |_| BufferDetail::Vcs);
    let links = net.memory();
    assert!(links > bare + 6 * 3 * 2 * size_of::<TrafficCount>(), "{bare} {links}");
    net.record_blame(Time::MAX, BlameDetail::default());
    assert!(net.memory() > links);
}

proptest! {
    #![proptest_config(pantala_testing::cases(40))]

    /// Rows sum to the total wait, to the picosecond.
    #[test]
    fn all_waiting_time_is_charged_once(
        model in 0..7usize, p in 1u32..4, a in 1u32..4, h in 1u32..3, g in 2u32..5,
        buffer in 1u32..5, load in 0.2..1.0, seed: u64, window in 3_000..500_000u64,
    ) {
        let topology = Arc::new(dragonfly(p, a, h, g.min(a * h + 1)));
        let mut config = of_jobs(models().swap_remove(model), 3);
        config.seed = seed;
        let full = if config.router.buffer_unit == BufferUnit::Packet { 1 } else { config.flits(config.packet_bytes) };
        config.router.input_buffer = full * buffer.max(config.virtual_channels.into()) + 1;
        let (packets, cells, [groups, links, _]) =
            loaded(&config, &topology, (1, load, Some(window)), None);
        let charged: Time = cells.iter().map(|cell| cell.wait).sum();
        prop_assert_eq!(charged, total_wait(&config, &topology, &packets));
        let by_class: Vec<_> = cells
            .iter()
            .map(|c| ((c.window * window, c.class, c.victim, c.aggressor), c.wait))
            .collect();
        prop_assert_eq!(&by_class, &summed(&groups));
        prop_assert_eq!(&by_class, &summed(&links));
        // The links from one group to another sum to the waits between the groups.
        let ports = topology.ports_per_router();
        let ends = |cell: &PlaceCell| match cell.link().checked_sub(topology.routers() * ports) {
            Some(terminal) => [topology.router_of(terminal); 2],
            None => {
                let (router, port) = (cell.link() / ports, (cell.link() % ports) as u16);
                match topology.peer(router, port) {
                    Peer::Port { router: peer, .. } => [router, peer],
                    _ => [router; 2],
                }
            }
        };
        let pair = |ends: [u32; 2]| ends.map(|router| topology.group_of(router));
        let mut between: BTreeMap<_, Time> = BTreeMap::new();
        for (start, _, cell) in &links {
            let key = (cell.class(), pair(ends(cell)), *start, cell.victim, cell.aggressor);
            *between.entry(key).or_default() += cell.wait;
        }
        let told = groups.iter().map(|(start, _, cell)| {
            let (from, to) = cell.groups();
            ((cell.class(), [from, to], *start, cell.victim, cell.aggressor), cell.wait)
        });
        prop_assert_eq!(between.into_iter().collect::<Vec<_>>(), told.collect::<Vec<_>>());
    }

    /// The charges do not depend on partitions, blocks or the order of events, and packets do not
    /// depend on the record.
    #[test]
    fn charges_do_not_depend_on_the_number_of_partitions(
        topology in machines(), algorithm in 0..Algorithm::COUNT, seed: u64, choices in choices(), count in 1u32..16, blocks in 0u32..4, responses: bool,
    ) {
        let algorithm = Algorithm::ALL[algorithm];
        prop_assume!(topology.terminals() > 1 && (algorithm.carries_2d() || !topology.is_2d()));
        prop_assume!(algorithm.information() != Information::GroupQueues);
        let topology = Arc::new(topology);
        let mut config = of_jobs(configuration(algorithm, seed, &choices), 3);
        if responses && config.virtual_channels <= 8 {
            config.respond(config.packet_bytes / 2);
        }
        let unwatched = loaded(&config, &topology, (1, 0.5, None), None);
        let whole = loaded(&config, &topology, (1, 0.5, Some(20_000)), None);
        prop_assert_eq!(&unwatched.0, &whole.0);
        prop_assert!(whole.1.is_empty() || !whole.2[2].is_empty());
        config.blocks = blocks;
        prop_assert_eq!(whole, loaded(&config, &topology, (count, 0.5, Some(20_000)), Some(seed)));
    }
}
