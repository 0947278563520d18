//! Coarse runs: the zero-load latency of messages is that of runs by the packet, to the picosecond,
//! and what stands against it is refused.

use crate::support::{finish, halo, job, noise, plan, ps, read};
use pantala_engine::random::Stream;
use pantala_engine::transfer_time;
use pantala_mpi::{COMM_WORLD, Incoming, Op, Outgoing, Source, TagSelect};
use pantala_sim::Simulation;
use pantala_sim::plan::resolve::resolve;
use serde_json::{Value, json};

/// The plan of `fine` in packets `coarsen` times as long.
fn coarse(fine: &Value, coarsen: u64) -> Value {
    let mut plan = fine.clone();
    plan["packet_bytes"] = json!(fine["packet_bytes"].as_u64().unwrap() * coarsen);
    plan["detail"] = json!({ "coarsen": coarsen });
    plan
}

/// Latency of one message of `bytes` between the two nodes of the plan's job, and the routers on
/// its way.
fn alone(plan: &Value, bytes: u64) -> (u64, u64) {
    let send = Op::Send(Outgoing { communicator: COMM_WORLD, destination: 1, tag: 3, bytes });
    let from = Incoming {
        communicator: COMM_WORLD,
        source: Source::Rank(0),
        tag: TagSelect::Is(3),
        bytes,
    };
    let mut simulation = Simulation::new(read(plan), 0).unwrap_or_else(|error| panic!("{error}"));
    for host in simulation.network.hosts_mut() {
        host.replace_program(0, 0, vec![send.clone()]);
        host.replace_program(0, 1, vec![Op::Recv(from)]);
    }
    let ran = finish(simulation, |_| true);
    assert_eq!(ran.rows("messages").len(), 1);
    let message = &ran.rows("messages")[0];
    let hops = ran.rows("packets")[0]["link_hops"].as_u64().unwrap();
    (ps(&message["delivered_ns"]) - ps(&message["posted_ns"]), hops + 1)
}

/// A machine that a stream draws, with a job on two nodes.
struct Drawn {
    plan: Value,
    /// Flit times: terminal, local, global links and the crossbar.
    flits: [u64; 4],
    latencies: [u64; 3],
    inside: u64,
    flit_bytes: u64,
    packet_flits: u64,
}

impl Drawn {
    fn new(draws: &mut Stream, head: bool) -> Self {
        let mut below = |bound: u32| u64::from(draws.below(bound));
        let flit_bytes = [32, 64, 128][below(3) as usize];
        let packet_flits = 1 + below(8);
        let workload = json!({"kind": "stencil", "grid": [2, 1, 1], "message_bytes": [100_000, 100_000, 100_000], "iterations": 1, "compute_ps": 0});
        let mut plan = plan(json!([job("pair", 2, workload)]));
        let source = below(40);
        plan["jobs"][0]["placement"] =
            json!({"kind": "nodes", "nodes": [source, (source + 1 + below(39)) % 40]});
        plan["routing"]["algorithm"] = json!("minimal");
        plan["mpi"]["eager_threshold_bytes"] = json!(10_000_000);
        plan["flit_bytes"] = json!(flit_bytes);
        plan["packet_bytes"] = json!(flit_bytes * packet_flits);
        // With heads handed over, no stage may be slower than terminal links.
        let mut rates = [(); 4].map(|()| (1 + below(5)) * 5_000_000_000);
        if head {
            rates[0] = *rates.iter().min().unwrap();
            plan["router"]["serialization"] = json!("none");
        }
        let latencies = [(); 3].map(|()| 1 + below(400_000));
        for (number, class) in ["terminal", "local", "global"].into_iter().enumerate() {
            plan["links"][class] =
                json!({"bandwidth_bytes_per_s": rates[number], "latency_ps": latencies[number]});
        }
        let (input, output) = (below(100_000), below(100_000));
        plan["router"]["crossbar_bandwidth_bytes_per_s"] = json!(rates[3]);
        plan["router"]["input_latency_ps"] = json!(input);
        plan["router"]["output_latency_ps"] = json!(output);
        for (key, names) in [
            ("credit_return", ["tail", "head", "flit"]),
            ("output_release", ["start", "tail", "flit"]),
            ("credit_check", ["link", "crossbar", "link"]),
            ("crossbar_contention", ["port", "vc", "port_and_vc"]),
            ("arbiter", ["round_robin", "age", "random"]),
        ] {
            plan["router"][key] = json!(names[below(3) as usize]);
        }
        let flits = rates.map(|rate| transfer_time(flit_bytes, rate));
        Self { plan, flits, latencies, inside: input + output + flits[3], flit_bytes, packet_flits }
    }

    /// Buffers that no stream ever fills: the longest way of a credit at the fastest rate, and a
    /// packet.
    fn with_ample_buffers(mut self) -> Self {
        let slowest = self.flits.iter().max().unwrap();
        let way = 2 * self.latencies.iter().max().unwrap()
            + self.inside
            + (2 * self.packet_flits + 4) * slowest;
        let flits = way.div_ceil(*self.flits.iter().min().unwrap()) + 3 * self.packet_flits;
        let flits = flits.max(16 * self.packet_flits);
        self.plan["router"]["input_buffer_flits"] = json!(flits);
        self.plan["router"]["output_buffer_flits"] = json!(flits);
        self
    }

    /// Buffers of two packets of the coarsest run.
    fn with_small_buffers(mut self) -> Self {
        for buffer in ["input_buffer_flits", "output_buffer_flits"] {
            self.plan["router"][buffer] = json!(16 * self.packet_flits);
        }
        self
    }

    /// The closed form: all flits of the message are one stream. `behind`: the flits whose time the
    /// slowest stage adds.
    fn closed_form(&self, routers: u64, behind: u64) -> u64 {
        let nodes: Vec<u64> = (0..2)
            .map(|n| self.plan["jobs"][0]["placement"]["nodes"][n].as_u64().unwrap() / 8)
            .collect();
        let global = u64::from(nodes[0] != nodes[1]);
        let hops = [2, routers - 1 - global, global];
        let links: u64 =
            (0..3).map(|class| hops[class] * (self.latencies[class] + self.flits[class])).sum();
        let used = (0..3).filter(|class| hops[*class] > 0).map(|class| self.flits[class]);
        links + routers * self.inside + behind * used.max().unwrap().max(self.flits[3])
    }
}

/// Messages of drawn sizes on drawn machines take as long in coarse packets, and as long as the
/// closed form says.
#[test]
fn zero_load_latency_of_messages_stays() {
    for number in 0..40 {
        let mut draws = Stream::new(7, 1, number);
        let head = number % 2 == 1;
        let drawn = Drawn::new(&mut draws, head);
        let small = number % 4 >= 2;
        let drawn = if small { drawn.with_small_buffers() } else { drawn.with_ample_buffers() };
        // What two packets of the coarsest run hold never waits for credits.
        let most = if small { 16 } else { 60 } * drawn.packet_flits * drawn.flit_bytes;
        let bytes = 1 + u64::from(draws.below(most as u32));
        let (fine, routers) = alone(&drawn.plan, bytes);
        let flits = bytes.div_ceil(drawn.flit_bytes);
        // Heads: the last packet is there with its first flit.
        let behind =
            if head { (flits - 1) / drawn.packet_flits * drawn.packet_flits } else { flits - 1 };
        assert_eq!(
            fine,
            drawn.closed_form(routers, behind),
            "draw {number}: {bytes} B in {}",
            drawn.plan
        );
        for coarsen in [2, 4, 8] {
            let plan = coarse(&drawn.plan, coarsen);
            assert_eq!(
                alone(&plan, bytes).0,
                fine,
                "draw {number}: {bytes} B by {coarsen} in {plan}"
            );
        }
    }
}

/// Messages keep their zero-load latency, too, if the host feeds its NIC slowly or about as fast as
/// the link.
#[test]
fn a_slow_feed_stays() {
    for number in 0..12 {
        let mut draws = Stream::new(7, 2, number);
        let mut drawn = Drawn::new(&mut draws, false).with_ample_buffers();
        let per_byte = drawn.flits[0] * 1_000 / drawn.flit_bytes;
        drawn.plan["mpi"]["gap_per_byte_fs"] =
            json!(per_byte * u64::from(50 + draws.below(100)) / 100);
        // Messages of one bottleneck: the injection link or the feed.
        for class in ["local", "global"] {
            drawn.plan["links"][class]["bandwidth_bytes_per_s"] =
                drawn.plan["links"]["terminal"]["bandwidth_bytes_per_s"].clone();
        }
        drawn.plan["router"]["crossbar_bandwidth_bytes_per_s"] = json!(100_000_000_000_u64);
        let bytes = 1 + u64::from(draws.below((40 * drawn.packet_flits * drawn.flit_bytes) as u32));
        let fine = alone(&drawn.plan, bytes).0;
        for coarsen in [2, 4, 8] {
            assert_eq!(
                alone(&coarse(&drawn.plan, coarsen), bytes).0,
                fine,
                "draw {number}: {bytes} B by {coarsen}"
            );
        }
    }
}

/// With a clocked crossbar heads wait for edges, and a stream of packets for as many more: less
/// than a period for each router.
#[test]
fn a_clocked_crossbar_moves_it_by_a_period_for_each_router() {
    for number in 0..12 {
        let mut draws = Stream::new(7, 3, number);
        let mut drawn = Drawn::new(&mut draws, true).with_ample_buffers();
        drawn.plan["router"]["crossbar_clock"] = json!("flit");
        let bytes = 1 + u64::from(draws.below((60 * drawn.packet_flits * drawn.flit_bytes) as u32));
        let (fine, routers) = alone(&drawn.plan, bytes);
        for coarsen in [2, 4, 8] {
            let other = alone(&coarse(&drawn.plan, coarsen), bytes).0;
            assert!(
                other.abs_diff(fine) <= routers * drawn.flits[3],
                "draw {number}: {bytes} B by {coarsen}: {fine}, {other}"
            );
        }
    }
}

#[test]
fn the_resolved_plan_says_what_is_coarse() {
    let resolved = resolve(read(&coarse(&plan(json!([halo(), noise(0.2)])), 4))).unwrap().plan;
    let plan = serde_json::to_value(&resolved).unwrap();
    assert_eq!((&plan["packet_bytes"], &plan["flit_bytes"]), (&json!(2_048), &json!(128)));
    assert_eq!(plan["detail"], json!({"coarsen": 4}));
    assert_eq!(plan["router"]["input_buffer_flits"], 120);
    let derived = &plan["derived"];
    assert_eq!(derived["flits_per_packet"], 16);
    assert_eq!(derived["simulated_buffer_flits"], json!({"input": 144, "output": 144}));
    let notice = derived["coarsened"].as_str().unwrap();
    assert!(
        notice.starts_with("Coarsened by 4: a packet of 2048 B stands for 4 of 512 B."),
        "{notice}"
    );
    let twice = resolve(resolved).unwrap().plan;
    assert_eq!(serde_json::to_value(twice).unwrap(), plan);
    let fine = resolve(read(&self::plan(json!([halo()])))).unwrap().plan;
    assert_eq!(serde_json::to_value(fine.derived).unwrap()["coarsened"], Value::Null);
}

/// The key, value, message and remedy of what cannot be coarse.
#[test]
fn what_cannot_be_coarse_is_refused() {
    let small = json!({"kind": "stencil", "grid": [2, 2, 3], "message_bytes": [512, 512, 512], "iterations": 3, "compute_ps": 0});
    for (pointer, value, key, words) in [
        ("/detail/coarsen", json!(3), "detail.coarsen", "must be 1, 2, 4 or 8"),
        ("/detail/coarsen", json!(9), "detail.coarsen", "must be 1 to 8"),
        ("/flit_bytes", json!(96), "flit_bytes", "is not a whole number of flits"),
        (
            "/router/flow_control",
            json!("wormhole"),
            "router.flow_control",
            "would not make it faster; set it to \"virtual_cut_through\"",
        ),
        (
            "/router/flow_control",
            json!("store_and_forward"),
            "router.flow_control",
            "each link adds the time of a whole packet",
        ),
        ("/router/buffer_unit", json!("packet"), "router.buffer_unit", "room of a coarse packet"),
        ("/router/input_vc_gap", json!(1), "router.input_vc_gap", "fewer packets; set it to 0"),
        (
            "/router/input_buffer_flits",
            json!(63),
            "router.input_buffer_flits",
            "holds 1 coarse packet of 4096 B",
        ),
        ("/router/output_buffer_flits", json!(40), "router.output_buffer_flits", "or coarsen by 4"),
        (
            "/router/output_buffer_flits",
            json!(8),
            "router.output_buffer_flits",
            "enlarge it, or set detail to \"packet\"",
        ),
        ("/nic/responses", json!(true), "nic.responses", "8 times fewer responses"),
        (
            "/mpi/eager_completion",
            json!("injected"),
            "mpi.eager_completion",
            "up to 7 packets too early",
        ),
        ("/jobs/0/workload", small, "jobs[0].workload", "fit one packet of 512 B"),
    ] {
        let mut plan = coarse(&plan(json!([halo()])), 8);
        plan["router"]["crossbar_contention"] = json!("port_and_vc");
        plan["nic"]["responses"] = json!(false);
        *plan.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        let error = resolve(read(&plan)).expect_err(pointer);
        let all: Vec<_> =
            std::iter::once(&error).chain(&error.others).map(ToString::to_string).collect();
        assert!(
            all.iter().any(|line| line.starts_with(key) && line.contains(words)),
            "{pointer}: {all:?}"
        );
    }
}

/// A link slower than the injection link hides from the head when the last packet of the machine is
/// there.
#[test]
fn heads_ask_for_terminal_links_that_are_slowest() {
    let mut plan = coarse(&plan(json!([halo()])), 2);
    plan["router"]["serialization"] = json!("none");
    assert!(resolve(read(&plan)).is_ok());
    plan["links"]["global"]["bandwidth_bytes_per_s"] = json!(12_500_000_000_u64);
    let error = resolve(read(&plan)).expect_err("a slow link").to_string();
    assert!(
        error.starts_with(
            "router.serialization = \"none\": global links are slower than terminal links"
        ),
        "{error}"
    );
}
