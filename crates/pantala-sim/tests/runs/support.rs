//! Plans from JSON, runs of them, and their tables as rows.

use arrow_array::types::{Float64Type, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch, cast::AsArray};
use arrow_schema::DataType;
use pantala_sim::plan::Plan;
use pantala_sim::plan::resolve::parse;
use pantala_sim::run::document::write;
use pantala_sim::{End, Progress, Simulation};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A plan of 40 nodes (p = 2, a = 4, g = 5) and Kang's times, with these jobs.
pub(crate) fn plan(jobs: Value) -> Value {
    let link =
        |latency: u64| json!({"bandwidth_bytes_per_s": 25_000_000_000_u64, "latency_ps": latency});
    json!({
        "plan_version": 5, "name": "test", "seed": 1,
        "topology": {
            "kind": "dragonfly", "p": 2, "a": 4, "rows": 1, "columns": 4, "h": 2, "g": 5, "links_per_local_pair": 1,
            "links_per_row_pair": 1, "links_per_column_pair": 1, "links_per_pair": 1, "global_arrangement": "palmtree",
            "port_assignment": "consecutive", "mirrored": false, "global_arrangement_seed": 0
        },
        "links": {"terminal": link(10_000), "local": link(30_000), "global": link(300_000)},
        "packet_bytes": 512, "flit_bytes": 128,
        "router": {
            "model": "pantala", "input_latency_ps": 10_000, "output_latency_ps": 10_000,
            "output_latency_at": "crossbar", "crossbar_bandwidth_bytes_per_s": 100_000_000_000_u64,
            "flow_control": "virtual_cut_through", "input_queue": "fifo", "crossbar_clock": "none", "crossbar_delay": "flit", "crossbar_contention": "port",
            "input_vc_gap": 0, "output_vc_gap": 0, "arbiter": "round_robin", "buffer_unit": "flit",
            "input_buffer_flits": 120, "output_buffer_flits": 120, "serialization": "counted", "link_decision": "at_start",
            "credit_check": "link", "credit_return": "tail", "output_release": "start", "credit_latency": "link",
            "credit_delay_ps": 0
        },
        "nic": {"buffer_packets": 30, "latency_from": "created", "injection_vc": "first"},
        "routing": {
            "algorithm": "ugal_g", "virtual_channels": 0, "vc_map": "ascending", "intra_group": "minimal", "local_order": "row_first",
            "threshold": 2.0, "bias_flits": 0, "minimal_up_to_flits": 0, "candidates_minimal": 1,
            "candidates_nonminimal": 1, "queue": "output_and_credits", "queue_scope": "port", "tie": "minimal",
            "intermediate": "third", "aries": {"shift": [0], "add": 0, "levels": 16},
            "q_adaptive": {
                "learning_rate_down": 0.2, "learning_rate_up": 0.04, "exploration": 0.001, "threshold_source": 0.2,
                "threshold_intermediate": 0.35, "truncate": true, "table": ""
            }
        },
        "mpi": {
            "eager_threshold_bytes": 12_000, "control_bytes": 64, "eager_completion": "posted",
            "collectives": {
                "barrier": "binary_tree", "bcast": "binary_tree", "reduce": "binary_tree", "allreduce": "binary_tree",
                "alltoall": "ring"
            }
        },
        "jobs": jobs,
        "stop": {"duration_ps": 0, "watchdog_ps": 100_000_000},
        "record": {
            "window_ps": 10_000_000, "packets": "all", "packet_sample": 100, "messages": true, "iterations": true,
            "link_windows": true
        }
    })
}

/// A job at random places.
pub(crate) fn job(name: &str, ranks: u32, workload: Value) -> Value {
    json!({
        "name": name, "ranks": ranks, "start_ps": 0, "placement": {"kind": "random"}, "nodes": [], "workload": workload
    })
}

/// Twelve ranks that exchange by rendezvous.
pub(crate) fn halo() -> Value {
    job(
        "halo",
        12,
        json!({"kind": "stencil", "grid": [2, 2, 3], "message_bytes":[20_000,20_000,20_000], "iterations": 3,
        "compute_ps": 2_000_000}),
    )
}

/// Twelve ranks that transpose eagerly in rows, by rendezvous in columns.
pub(crate) fn fft() -> Value {
    job(
        "fft",
        12,
        json!({"kind": "fft3d", "grid": [3, 4], "row_message_bytes": 5_000, "column_message_bytes": 14_000,
        "iterations": 2, "compute_forward_ps": 1_000_000, "compute_backward_ps": 500_000}),
    )
}

/// Ten ranks of an endless pattern.
pub(crate) fn noise(load: f64) -> Value {
    job("noise", 10, json!({"kind": "pattern", "pattern": "uniform", "load": load}))
}

/// Reads a plan that is sound in form.
pub(crate) fn read(plan: &Value) -> Plan {
    parse(&plan.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

/// Sets up a plan that is sound.
pub(crate) fn set_up(plan: &Value) -> Simulation {
    Simulation::new(read(plan), 0).unwrap_or_else(|error| panic!("{error}"))
}

/// A row of a table, by column.
pub(crate) type Row = Map<String, Value>;

/// A run that is over.
pub(crate) struct Ran {
    pub(crate) end: End,
    /// run.json.
    pub(crate) document: Value,
    pub(crate) tables: BTreeMap<String, Vec<Row>>,
    /// The files, byte by byte.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// Runs a plan to its end.
pub(crate) fn run(plan: &Value) -> Ran {
    finish(set_up(plan), |_| true)
}

/// Has a simulation write to a directory of its own.
pub(crate) fn begin(simulation: &mut Simulation) -> PathBuf {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "run-{}-{}",
        std::process::id(),
        RUNS.fetch_add(1, Ordering::Relaxed)
    ));
    std::fs::create_dir_all(&directory).unwrap();
    simulation.write_to(&directory).unwrap();
    directory
}

/// Runs a simulation, writes its directory and reads it back. Whatever the run was: nothing is
/// lost.
pub(crate) fn finish(mut simulation: Simulation, observe: impl FnMut(&Progress) -> bool) -> Ran {
    let directory = begin(&mut simulation);
    finish_in(&directory, simulation, observe)
}

/// Runs a simulation that writes to `directory` already, and reads its tables.
pub(crate) fn finish_in(
    directory: &Path,
    mut simulation: Simulation,
    observe: impl FnMut(&Progress) -> bool,
) -> Ran {
    let end = simulation.run(observe);
    let provenance = json!({"directory": directory.display().to_string()});
    let results = simulation.results().unwrap();
    write(&mut simulation, &results, &end, provenance).unwrap();
    let mut files = BTreeMap::new();
    let mut tables = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(!name.ends_with(".partial"), "{name} is not finished");
        files.insert(name.clone(), std::fs::read(&path).unwrap());
        if let Some(table) = name.strip_suffix(".parquet") {
            tables.insert(table.to_owned(), rows(&path));
        }
    }
    std::fs::remove_dir_all(directory).unwrap();
    let document: Value = serde_json::from_slice(&files["run.json"]).unwrap();
    let ran = Ran { end, document, tables, files };
    ran.check_conservation();
    ran
}

impl Ran {
    fn check_conservation(&self) {
        assert_eq!(
            self.document["conservation"],
            json!({"packets": true, "flits": true, "credits": true})
        );
        let count = |key: &str| self.document["counters"][key].as_u64().unwrap();
        assert_eq!(
            count("packets_injected"),
            count("packets_delivered") + count("packets_in_flight")
        );
        assert!(count("flits_injected") >= count("flits_delivered"));
        // The counters are of simulated packets, the totals of links have skipped ones, too.
        let of_links = self.sum("links", "packets", |l| l["class"] == "injection");
        if self.document["skipped"]["jumps"].as_u64().unwrap_or(0) == 0 {
            assert_eq!(of_links, count("packets_injected"));
        } else {
            assert!(of_links > count("packets_injected"));
        }
        for (name, rows) in &self.tables {
            assert_eq!(self.document["tables"][name], rows.len(), "{name}");
        }
    }

    /// The rows of a table.
    pub(crate) fn rows(&self, table: &str) -> &[Row] {
        &self.tables[table]
    }

    /// A column of integers, summed over the rows that are wanted.
    pub(crate) fn sum(&self, table: &str, column: &str, wanted: impl Fn(&Row) -> bool) -> u64 {
        self.rows(table)
            .iter()
            .filter(|row| wanted(row))
            .map(|row| row[column].as_u64().unwrap())
            .sum()
    }

    /// run.json without what differs from run to run.
    pub(crate) fn reproducible(&self) -> Value {
        let mut document = self.document.clone();
        document.as_object_mut().unwrap().remove("provenance").expect("a provenance");
        document
    }

    /// Simulated time in ps.
    pub(crate) fn simulated(&self) -> u64 {
        ps(&self.document["simulated_ns"])
    }
}

/// Nanoseconds of a table as the picoseconds that they were.
pub(crate) fn ps(ns: &Value) -> u64 {
    (ns.as_f64().unwrap() * 1_000.0).round() as u64
}

fn rows(path: &Path) -> Vec<Row> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap())
        .unwrap()
        .build()
        .unwrap();
    reader.flat_map(|batch| rows_of(&batch.unwrap())).collect()
}

fn rows_of(batch: &RecordBatch) -> Vec<Row> {
    let schema = batch.schema();
    let cell = |row: usize, column: usize| -> Value {
        let array = batch.column(column);
        if array.is_null(row) {
            return Value::Null;
        }
        match array.data_type() {
            DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
            DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
            DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
            DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into(),
            DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
            DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
            DataType::Boolean => array.as_boolean().value(row).into(),
            DataType::Utf8 => array.as_string::<i32>().value(row).into(),
            other => panic!("no table has a column of {other}"),
        }
    };
    (0..batch.num_rows())
        .map(|row| {
            schema
                .fields()
                .iter()
                .enumerate()
                .map(|(column, field)| (field.name().clone(), cell(row, column)))
                .collect()
        })
        .collect()
}
