//! Sound inputs of each reader, small ones, and the words of its format.

use std::fs;
use std::sync::Arc;

use pantala_frontends::dumpi::functions::{Kind, Meaning};
use pantala_frontends::dumpi::record::Status;
use pantala_frontends::dumpi::{Function, Function as F};
use pantala_frontends::operations::{RankStream, Writer};
use pantala_mpi::collectives::layout::Exchange;
use pantala_mpi::{
    Call, Group, Incoming, IterationMark, Op, Outgoing, PhaseName, SetCall, Source, Split,
    TagSelect,
};
use pantala_routing::learning::QTable;
use pantala_sim::Simulation;
use pantala_sim::output::link_table::{LinkRow, link_table};
use pantala_sim::plan::{Plan, fabric_config, resolve};
use pantala_sim::run::document;
use serde_json::{Value, json};

use crate::chakra_writer::{Node, content};
use crate::dumpi_writer::{self, Argument, IGNORED, INT, WORLD, status};
use crate::goal_binary::binary;
use crate::goal_text::{GOAL, with_comments};
use crate::plan_seeds;

pub(crate) const CHAKRA_WORDS: &[&[u8]] = &[
    b"comm_size",
    b"comm_type",
    b"pg_name",
    b"comm_src",
    b"comm_dst",
    b"comm_tag",
    b"is_cpu_op",
    &[0xff, 0xff, 0xff, 0x7f],
    &[10, 80],
    &[0x80, 0x80, 0x80, 0x80, 0x10],
];
pub(crate) const DUMPI_WORDS: &[&[u8]] = &[
    b"MPI_Barrier entering at walltime 7.1, cputime 0.1 seconds in thread 0.\n",
    b"MPI_Barrier returning at walltime 7.2, cputime 0.2 seconds in thread 0.\n",
    b"MPI_Comm comm=2 (MPI_COMM_WORLD)\n",
    b"int count=",
    b"[1, 2, [3]]",
    b"<IGNORED>",
    b"[{bytes=4",
    b"version=7.1.0\n",
    b"Datatype 65535 (X) has size 4\n",
    b"MPI_Send called 3 ignored 2 times\n",
];
pub(crate) const NCPTL_WORDS: &[&[u8]] = &[
    b"for each i in {1, 2, 4, ..., 64} ",
    b"task 0 ",
    b"all tasks t ",
    b" then ",
    b"{",
    b"}",
    b"(",
    b"let x be 3 while ",
    b"if ",
    b" otherwise ",
    b"num_tasks",
    b" such that ",
    b" multicasts a ",
    b"synchronize",
    b"reduces a doubleword to ",
    b"compute for 3 microseconds ",
    b"**",
    b"<<",
    b" mod ",
    b"0xFFFFFFFFFFFFFFFF",
    b"1E18",
    b"\"",
    b"#",
    b"logs the mean of elapsed_usecs as \"x\"",
    b"assert that \"x\" with num_tasks > 1.",
    b"asynchronously ",
    b" times ",
    b"for 3 seconds ",
    b"n is \"Number\" and comes from \"--n\" or \"-n\" with default 3.",
    b" a random task ",
];
pub(crate) const PLAN_WORDS: &[&[u8]] =
    &[b"null", b"{}", b"[]", b"-1", b"1e400", b"\"\\u0000\"", b"[[[[", b"\"x\":", b"true"];

const DUMPI_TEXT: &str = "version=7.1.0
Datatype 14 (MPI_DOUBLE) has size 8
MPI_Init entering at walltime 7.000000000, cputime 0.000000000 seconds in thread 0.
int argc=1
string argv[1]=[\"./app\"]
MPI_Init returning at walltime 7.001000000, cputime 0.001000000 seconds in thread 0.
MPI_Sendrecv entering at walltime 7.001020000, cputime 0.001020000 seconds in thread 0.
int sendcount=100
MPI_Datatype sendtype=14 (MPI_DOUBLE)
int dest=OTHER
int sendtag=3
int recvcount=100
MPI_Datatype recvtype=14 (MPI_DOUBLE)
int source=-1 (MPI_ANY_SOURCE)
int recvtag=3
MPI_Comm comm=2 (MPI_COMM_WORLD)
MPI_Status status=[{bytes=800, cancelled=0, source=OTHER, tag=3, error=0}]
MPI_Sendrecv returning at walltime 7.002000000, cputime 0.001040000 seconds in thread 0.
MPI_Finalize entering at walltime 7.002010000, cputime 0.001050000 seconds in thread 0.
MPI_Finalize returning at walltime 7.002020000, cputime 0.001060000 seconds in thread 0.
MPI_Send called 3 times, ignored 2 times
";

/// The seeds of a reader. The second one belongs to the second rank, where a trace has two.
pub(crate) fn of(reader: &str) -> Vec<Vec<u8>> {
    match reader {
        "chakra" => chakra(),
        "dumpi_binary" => dumpi_binary(),
        "dumpi_text" => {
            let of = |rank: i32| DUMPI_TEXT.replace("OTHER", &(1 - rank).to_string());
            let all = of(0)
                .replace("MPI_Finalize entering", &format!("{}MPI_Finalize entering", in_text()));
            [of(0), of(1), all].map(String::into_bytes).to_vec()
        }
        "estimates" => vec![estimates()],
        "goal_binary" => goal_binary(),
        "goal_text" => vec![
            GOAL.into(),
            with_comments().into(),
            include_bytes!("../../../../examples/traces/binomial_tree.goal").to_vec(),
        ],
        "ncptl" => ncptl(),
        "operations" => operations(),
        _ => plans().iter().map(|plan| plan.to_string().into_bytes()).collect(),
    }
}

/// The numbers that begin a schedule that was used up, and one of another byte order.
fn goal_binary() -> Vec<Vec<u8>> {
    let begun = |magic: [u8; 8]| {
        let mut bytes = binary(GOAL);
        bytes[..8].copy_from_slice(&magic);
        bytes
    };
    vec![binary(GOAL), begun(2_342_u64.to_le_bytes()), begun(4_223_u64.to_be_bytes())]
}

/// The file of a rank of Chakra without messages, beside which none has a partner.
pub(crate) fn alone() -> Vec<u8> {
    content(&[Node::compute(1, 5, false, &[])])
}

fn chakra() -> Vec<Vec<u8>> {
    let all = content(&[
        Node::compute(1, 5, false, &[]),
        Node::collective(4, 0, 64, "g", &[1]),
        Node::collective(5, 6, 64, "", &[4, 1]),
    ]);
    let pairs = content(&[
        Node::compute(1, 5, true, &[]),
        Node::send(2, 1, 8, &[1]),
        Node::receive(3, 1, 8, &[1, 7]),
        Node::compute(7, 5, false, &[2]),
    ]);
    let example = include_bytes!("../../../../examples/traces/training_step.0.et").to_vec();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let packed = std::io::Write::write_all(&mut gzip, &all).and_then(|()| gzip.finish());
    vec![all, pairs, example, packed.unwrap_or_default()]
}

fn dumpi_binary() -> Vec<Vec<u8>> {
    let program = |rank: i64, all: bool| -> std::io::Result<Vec<u8>> {
        let mut out = dumpi_writer::Writer::new(Vec::new())?;
        out.compute(7_000).init()?;
        let other = 1 - rank;
        out.send(F::Isend, 8, other, 1, Some(1))?;
        out.recv(8, other, 1, status(8, other as i32, 1))?;
        out.compute(100).wait(1, IGNORED)?;
        out.collective(F::Barrier, &[WORLD])?;
        out.collective(F::Allreduce, &[4, INT, 1, WORLD])?;
        out.call(F::Comm_split, &[WORLD.into(), rank.into(), 0.into(), 5.into()])?;
        if all {
            for function in Function::ALL {
                every(&mut out, *function)?;
            }
        }
        out.finalize()?;
        out.finish()
    };
    let mut seeds: Vec<Vec<u8>> = [(0, false), (1, false), (0, true)]
        .into_iter()
        .filter_map(|(r, all)| program(r, all).ok())
        .collect();
    let example = include_bytes!("../../../../examples/traces/ring/ring-0000.bin");
    seeds.push(example.to_vec());
    seeds
}

/// A call of each function with small arguments, in text.
fn in_text() -> String {
    let written = |function: &&Function| function.declaration().meaning != Meaning::NeverWritten;
    let call = |function: &Function| {
        let argument = |kind| match kind {
            Kind::i4 | Kind::i8 | Kind::u1 | Kind::u2 => "2 (X)",
            Kind::i4s | Kind::u1s | Kind::u2s => "[1, 2]",
            Kind::i4ss => "[[0, 1, 1], [1, 1, 1]]",
            Kind::S => "[{bytes=1, cancelled=0, source=1, tag=1, error=0}]",
            Kind::text | Kind::texts | Kind::textss | Kind::arguments => "[\"a\"]",
        };
        let fields = function.declaration().fields.iter();
        let lines: String =
            fields.map(|field| format!("int {}={}\n", field.name, argument(field.kind))).collect();
        let (name, at) =
            (function.mpi_name(), "at walltime 7.002, cputime 0.002 seconds in thread 0.");
        format!("{name} entering {at}\n{lines}{name} returning {at}\n")
    };
    Function::ALL.iter().filter(written).map(call).collect()
}

/// A call of a function with small arguments.
fn every(out: &mut dumpi_writer::Writer<Vec<u8>>, function: Function) -> std::io::Result<()> {
    if function.declaration().meaning == Meaning::NeverWritten {
        return Ok(());
    }
    let argument = |kind| match kind {
        Kind::i4 | Kind::i8 | Kind::u1 | Kind::u2 => Argument::Number(2),
        Kind::i4s | Kind::u1s | Kind::u2s => Argument::List(vec![1, 2]),
        Kind::i4ss => Argument::Lists(vec![vec![0, 1, 1], vec![1, 1, 1]]),
        Kind::S => {
            Argument::Statuses(vec![Status { bytes: 1, source: 1, tag: 1, cancelled: false }])
        }
        Kind::text => Argument::Text("name"),
        Kind::texts | Kind::textss | Kind::arguments => Argument::Texts(vec!["a", ""]),
    };
    let fields = function.declaration().fields;
    let arguments: Vec<Argument> = fields.iter().map(|field| argument(field.kind)).collect();
    out.call(function, &arguments)
}

fn ncptl() -> Vec<Vec<u8>> {
    let programs: [&[u8]; 9] = [
        include_bytes!("../../../../tests/mpi_programs/ncptl/halo.ncptl"),
        include_bytes!("../../../../tests/mpi_programs/ncptl/ping_pong.ncptl"),
        include_bytes!("../../../../tests/mpi_programs/ncptl/ring_allreduce.ncptl"),
        include_bytes!("../../../../tests/mpi_programs/ncptl/subcommunicators.ncptl"),
        include_bytes!("../../../../tests/mpi_programs/ncptl/wavefront.ncptl"),
        include_bytes!("../../../../examples/programs/ping_pong.ncptl"),
        include_bytes!("../../../../examples/programs/cosmoflow.ncptl"),
        include_bytes!("../../../../examples/programs/milc.ncptl"),
        include_bytes!("words.ncptl"),
    ];
    let statements = include_str!("../../../pantala-ncptl/tests/suite/statements.ncptl");
    let each = statements.split("# ---\n").skip(1).map(|text| text.as_bytes());
    programs.into_iter().chain(each).map(<[u8]>::to_vec).collect()
}

fn operations() -> Vec<Vec<u8>> {
    let to = |destination| Outgoing { communicator: 0, destination, tag: 1, bytes: 8 };
    let from = |source| Incoming { communicator: 0, source, tag: TagSelect::Any, bytes: 8 };
    let mark = |iteration| {
        let phase = (iteration % 2 == 0).then(|| PhaseName::new("x"));
        Op::IterationStart(IterationMark { iteration, motif: 0, phase })
    };
    let pairs = Exchange { send: vec![1, 2], receive: vec![3, 4] };
    let program = |rank: u32| {
        let mut ops = vec![
            Op::Compute(1_000),
            Op::CommSplit(0, Arc::from([Split { color: Some(1), key: 2 }; 2])),
            Op::CommDup(0),
            Op::CommCreate(0, Group::new(vec![1, 0]).unwrap_or_else(|| unreachable!())),
            Op::Collective(0, Call::Allgatherv { counts: Arc::from([1, 2]) }),
            Op::Collective(0, Call::Alltoallv { pairs: Arc::new(pairs.clone()) }),
            Op::Icollective(0, Call::Bcast { root: 1, bytes: 4 }, 3),
            Op::Wait(3),
            Op::Icompute(5, 4),
            Op::Set(SetCall::Waitall, vec![4].into()),
        ];
        for iteration in 0..4 {
            ops.extend([
                mark(iteration),
                Op::Isend(to(1 - rank), 0),
                Op::Irecv(from(Source::Rank(1 - rank)), 1),
                Op::WAITALL,
                Op::Compute(u64::from(iteration) * 7),
                Op::Collective(0, Call::Barrier),
                Op::IterationEnd,
            ]);
        }
        ops
    };
    let file = |program: &dyn Fn(u32) -> Vec<Op>, packed: bool| -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut writer =
            if packed { Writer::packed(&mut bytes, 2) } else { Writer::new(&mut bytes, 2) }.ok()?;
        for rank in 0..2 {
            let mut stream = RankStream::new(rank);
            program(rank).iter().try_for_each(|op| stream.push(op, &mut writer)).ok()?;
            writer.end_rank(stream, &[]).ok()?;
        }
        writer.finish().ok()?;
        Some(bytes)
    };
    let written = [file(&program, false), file(&program, true), file(&rare, false)];
    written.into_iter().flatten().collect()
}

/// The operations that few programs use.
fn rare(rank: u32) -> Vec<Op> {
    let to = Outgoing { communicator: 0, destination: 1 - rank, tag: 1, bytes: 8 };
    let from =
        Incoming { communicator: 0, source: Source::Rank(1 - rank), tag: TagSelect::Any, bytes: 8 };
    let counts: Arc<[u64]> = Arc::from([1, 2]);
    let sets = [
        SetCall::Waitany,
        SetCall::Waitsome,
        SetCall::Testall,
        SetCall::Testany,
        SetCall::Testsome,
    ];
    let calls = [
        Call::Reduce { root: 0, bytes: 4 },
        Call::ReduceScatterBlock { bytes: 4 },
        Call::ReduceScatter { counts: Arc::clone(&counts) },
        Call::Allgather { bytes: 4 },
        Call::Gather { root: 0, bytes: 4 },
        Call::Gatherv { root: 0, counts: Arc::clone(&counts) },
        Call::Scatter { root: 0, bytes: 4 },
        Call::Scatterv { root: 0, counts },
        Call::Alltoall { bytes: 4 },
        Call::Scan { bytes: 4 },
        Call::Exscan { bytes: 4 },
    ];
    let (first, count) = (0, 2);
    let mut ops = vec![
        Op::Sendrecv(to, from),
        Op::Ssend(to),
        Op::Rsend(to),
        Op::Bsend(to),
        Op::Post(to),
        Op::Ipost(to, 0),
        Op::Issend(to, 1),
        Op::Waitany { first, count },
        Op::Waitsome { first, count },
        Op::Testall { first, count },
        Op::Testany { first, count },
        Op::Testsome { first, count },
        Op::Probe(from),
        Op::Iprobe(from),
        Op::Recv(from),
        Op::SendInit(to, 5),
        Op::RecvInit(from, 6),
        Op::Start(5),
        Op::Startall { first: 5, count: 2 },
        Op::Test(5),
        Op::Free(5),
    ];
    ops.extend(sets.map(|set| Op::Set(set, vec![0, 1].into())));
    ops.extend(calls.map(|call| Op::Collective(0, call)));
    ops.extend(Group::new(vec![1, 0]).map(|group| Op::CommJoin(7, group)));
    ops.extend([Op::CommFree(1), Op::Abort("over".into())]);
    ops
}

/// The recorded plan on a network of 40 nodes, with these jobs.
fn small(jobs: Value) -> Value {
    let recorded = include_str!("../../../../tests/python/snapshots/interference-plan.json");
    let mut plan: Value = serde_json::from_str(recorded).unwrap_or_default();
    for (key, value) in [("p", 2), ("a", 4), ("columns", 4), ("h", 2), ("g", 5)] {
        plan["topology"][key] = json!(value);
    }
    plan["jobs"] = jobs;
    plan
}

fn job(name: &str, ranks: u32, workload: Value) -> Value {
    json!({"name": name, "ranks": ranks, "start_ps": 0, "placement": {"kind": "random"}, "nodes": [],
           "workload": workload})
}

fn pattern(load: f64) -> Value {
    job("noise", 10, json!({"kind": "pattern", "pattern": "uniform", "load": load}))
}

fn plans() -> Vec<Value> {
    let halo = job(
        "halo",
        12,
        json!({"kind": "stencil", "grid": [2, 2, 3], "message_bytes": [2, 2, 2], "iterations": 3,
               "compute_ps": 2_000}),
    );
    let fft = job(
        "fft",
        12,
        json!({"kind": "fft3d", "grid": [3, 4], "row_message_bytes": 5_000, "column_message_bytes": 14_000,
               "iterations": 2, "compute_forward_ps": 1_000, "compute_backward_ps": 500}),
    );
    let first = small(json!([halo, fft, pattern(0.2)]));
    let mut links = small(json!([pattern(0.1)]));
    let rows = read(&links).and_then(|plan| link_table(&plan.topology).ok()).unwrap_or_default();
    let column = |of: fn(&LinkRow) -> Value| rows.iter().map(of).collect::<Vec<_>>();
    links["topology"]["links_file"] = json!({
        "name": "links.csv", "first": {"line": 2}, "source_router": column(|row| json!(row.source_router)),
        "source_port": column(|row| json!(row.source_port)),
        "target_router": column(|row| json!(row.target_router)),
        "target_port": column(|row| json!(row.target_port)), "class": column(|row| json!(row.class)),
        "parallel_index": column(|row| json!(row.parallel_index)),
    });
    let mut failed = small(json!([pattern(0.1)]));
    failed["topology"]["link_failures"] =
        json!({"draw": {"link_class": "global", "number": {"count": 2}, "seed": 1}});
    let recorded = plan_seeds::all_records(small(json!([pattern(0.2)])));
    let mut plans = vec![first, links, failed, learning()];
    plans.extend(plan_seeds::plans(&recorded));
    plans
}

fn learning() -> Value {
    let mut plan = small(json!([job(
        "next",
        40,
        json!({"kind": "pattern", "pattern": "next_group", "load": 0.4})
    )]));
    plan["routing"]["algorithm"] = json!("q_adaptive");
    plan["stop"]["duration_ps"] = json!(40_000_000_u64);
    plan["record"]["q_tables"] = json!("end");
    plan
}

fn read(plan: &Value) -> Option<Plan> {
    resolve::parse(&plan.to_string()).ok()
}

/// The estimates of the small network before any packet.
pub(crate) fn untrained() -> QTable {
    let resolved = read(&learning()).and_then(|plan| resolve::resolve(plan).ok());
    let resolved = resolved.unwrap_or_else(|| panic!("the plan of the seed has a fault"));
    let config = fabric_config::fabric_config(&resolved.plan);
    QTable::untrained(&config.routings, config.link_latencies(), &resolved.topology)
}

/// The file of estimates that a run writes.
fn estimates() -> Vec<u8> {
    let folder = std::env::temp_dir().join(format!("pantala-estimates-{}", std::process::id()));
    let run = || -> Option<Vec<u8>> {
        fs::create_dir_all(&folder).ok()?;
        let mut simulation = Simulation::new(read(&learning())?, 0).ok()?;
        simulation.write_to(&folder).ok()?;
        let end = simulation.run(|_| true);
        let results = simulation.results()?;
        document::write(&mut simulation, &results, &end, json!({})).ok()?;
        fs::read(folder.join("q_tables.parquet")).ok()
    };
    let bytes = run();
    let _ = fs::remove_dir_all(&folder);
    bytes.unwrap_or_else(|| panic!("the run of the seed has a fault"))
}

/// The bytes of the footer of a Parquet file, with the length and the name of the format after it.
pub(crate) fn footer(file: &[u8]) -> usize {
    let length = file.last_chunk::<8>().and_then(|end| end.first_chunk::<4>());
    length.map_or(8, |length| u32::from_le_bytes(*length) as usize + 8)
}
