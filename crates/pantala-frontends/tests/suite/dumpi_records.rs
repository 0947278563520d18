//! DUMPI's readers: every function round-trips, and wrong files end in one line.

use std::path::Path;

use pantala_frontends::dumpi::functions::{Kind, Meaning};
use pantala_frontends::dumpi::rank_file::RankFile;
use pantala_frontends::dumpi::record::Status;
use pantala_frontends::dumpi::{Function, Record};
use pantala_frontends::trace::{TraceFormat, identify};
use proptest::prelude::*;

use crate::dumpi_folder::Folder;
use crate::dumpi_writer::{Argument, Writer};

/// Arguments of a function, from a list of small numbers.
fn arguments(function: Function, numbers: &[i32]) -> Vec<Argument> {
    let mut next = numbers.iter().cycle();
    let mut number = move || *next.next().unwrap_or(&0);
    let fields = function.declaration().fields;
    let argument = |kind| match kind {
        Kind::i4 | Kind::i8 => Argument::Number(number().into()),
        Kind::u1 | Kind::u2 => Argument::Number(i64::from(number().unsigned_abs() % 200)),
        Kind::i4s | Kind::u1s | Kind::u2s => {
            Argument::List((0..number().unsigned_abs() % 5).map(|_| number().abs() % 200).collect())
        }
        Kind::i4ss => Argument::Lists(vec![vec![0, number(), 1], vec![2, 3, 4]]),
        Kind::S => {
            let bytes = number();
            let status = |tag| Status { bytes, source: number(), tag, cancelled: bytes % 2 == 0 };
            Argument::Statuses((0..3).map(status).collect())
        }
        Kind::text => Argument::Text("name"),
        Kind::texts | Kind::textss | Kind::arguments => Argument::Texts(vec!["a", "", "long one"]),
    };
    fields.iter().map(|field| field.kind).map(argument).collect()
}

fn written(path: &Path, calls: &[(Function, Vec<Argument>)], generation: usize) {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.generation = generation;
    for (function, arguments) in calls {
        writer.call(*function, arguments).unwrap();
    }
    std::fs::write(path, writer.finish().unwrap()).unwrap();
}

fn read(path: &Path, block: usize) -> Vec<Record> {
    let mut records = RankFile::open(path, 0).unwrap().records(block).unwrap();
    let (mut record, mut all) = (Record::default(), Vec::new());
    while records.read(&mut record).unwrap() {
        all.push(record.clone());
    }
    all
}

fn check(record: &Record, function: Function, given: &[Argument]) {
    assert_eq!(record.function, function);
    let fields = function.declaration().fields;
    let value =
        |name: &str| fields.iter().position(|field| field.name == name).map(|at| &given[at]);
    let me = value("commrank").or(value("oldcommrank"));
    let is_root = me == value("root");
    let kept = fields.iter().zip(given).filter(|(field, _)| is_root || !field.at_root);
    let (mut number, mut list) = (0, 0);
    for (field, argument) in kept {
        match argument {
            Argument::Number(expected) => {
                assert_eq!(record.number(number), Some(*expected), "{function:?} {}", field.name);
                number += 1;
            }
            Argument::List(expected) => {
                assert_eq!(record.list(list), expected, "{function:?} {}", field.name);
                list += 1;
            }
            Argument::Lists(expected) => {
                assert_eq!(record.list(list), expected.concat(), "{function:?} {}", field.name);
                list += 1;
            }
            Argument::Statuses(expected) => assert_eq!(&record.statuses, expected),
            Argument::Text(_) | Argument::Texts(_) => {}
        }
    }
    assert_eq!(record.number(number), None, "{function:?}");
}

fn functions() -> impl Iterator<Item = Function> {
    let written = |function: &Function| function.declaration().meaning != Meaning::NeverWritten;
    Function::ALL.iter().copied().filter(written)
}

proptest! {
    #![proptest_config(pantala_testing::cases(64))]

    #[test]
    fn every_function_round_trips(
        numbers in prop::collection::vec(-300..300, 1..40),
        block in 16_usize..200,
        generation in 4_usize..=7,
    ) {
        let folder = Folder::new();
        let path = folder.path("one-0000.bin");
        let calls: Vec<_> = functions().map(|each| (each, arguments(each, &numbers))).collect();
        written(&path, &calls, generation);
        let records = read(&path, block);
        prop_assert_eq!(records.len(), calls.len());
        for (record, (function, given)) in records.iter().zip(&calls) {
            check(record, *function, given);
        }
    }
}

#[test]
fn times_go_beyond_sixteen_bits_of_seconds() {
    let folder = Folder::new();
    let path = folder.path("one-0000.bin");
    let mut writer = Writer::new(Vec::new()).unwrap();
    for _ in 0..5 {
        writer.compute(30_000_000_000_000).call(Function::Wtime, &[]).unwrap();
    }
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    let enters =
        read(&path, 4096).iter().map(|record| record.wall.unwrap().enter).collect::<Vec<_>>();
    assert!(enters.windows(2).all(|pair| pair[1] - pair[0] == 30_000_000_001_000), "{enters:?}");
}

/// The message of a file with these bytes.
fn message(bytes: &[u8]) -> String {
    let folder = Folder::new();
    std::fs::write(folder.path("run-0000.bin"), bytes).unwrap();
    folder.meta(1);
    let error = identify(&folder.0).map(|_| ()).unwrap_err().to_string();
    error.replace(&folder.0.display().to_string(), "DIR")
}

fn small() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.init().unwrap();
    writer.collective(Function::Barrier, &[2]).unwrap();
    writer.finalize().unwrap();
    writer.finish().unwrap()
}

#[test]
fn wrong_files_end_in_one_line() {
    assert_eq!(message(&[]), "DIR/run-0000.bin, rank 0: is empty; copy it again");
    let mut swapped = small();
    swapped[..8].reverse();
    assert_eq!(
        message(&swapped),
        "DIR/run-0000.bin, rank 0, byte 0: is in little-endian order; DUMPI files are big-endian"
    );
    let mut other = small();
    other[0] = 0;
    assert_eq!(
        message(&other),
        "DIR/run-0000.bin, rank 0, byte 0: is no DUMPI file: it does not start with FF AA DD 44 55 \
         4D 50 49"
    );
    let whole = small();
    assert_eq!(
        message(&whole[..whole.len() - 5]),
        format!(
            "DIR/run-0000.bin, rank 0, byte {}: has no index at its end, so it is truncated; copy it \
             again, or let the traced program reach MPI_Finalize",
            whole.len() - 5
        )
    );
    let mut unknown = small();
    unknown[16] = 77;
    assert_eq!(
        message(&unknown),
        format!(
            "DIR/run-0000.bin, rank 0, byte 16: there is no function {}; the file is corrupt",
            77 * 256 + 124
        )
    );
    let mut long = small();
    long[31] = 0x7F;
    assert_eq!(
        message(&long),
        "DIR/run-0000.bin, rank 0, byte 16: a list of 2130706434 elements; the file is truncated or \
         corrupt"
    );
}

#[test]
fn files_are_found_by_meta_directory_and_prefix() {
    let folder = Folder::trace(3, |_, writer| {
        writer.init()?;
        writer.finalize()
    });
    let paths = [folder.path("run.meta"), folder.0.clone(), folder.path("run")];
    for path in &paths {
        assert_eq!(TraceFormat::find(path).unwrap(), TraceFormat::Dumpi);
        assert_eq!(identify(path).unwrap().2, 3, "{}", path.display());
    }
    let missing = |path: &Path| {
        let error = identify(path).unwrap_err().to_string();
        error.replace(&folder.0.display().to_string(), "DIR")
    };
    std::fs::remove_file(folder.path("run-0001.bin")).unwrap();
    assert_eq!(
        missing(&paths[0]),
        "DIR/run-0001.bin, rank 1: is missing; DIR/run.meta names 3 ranks; copy the files of all ranks"
    );
    std::fs::remove_file(&paths[0]).unwrap();
    assert_eq!(
        missing(&paths[2]),
        "DIR/run-0001.bin, rank 1: is missing, but DIR/run-0002.bin exists; copy the files of all \
         ranks"
    );
    assert_eq!(
        missing(&folder.path("run-0002.bin")),
        "DIR/run-0002.bin: is the file of one rank; a job replays the files of all ranks: give the \
         .meta file, its directory or the prefix of the files"
    );
}
