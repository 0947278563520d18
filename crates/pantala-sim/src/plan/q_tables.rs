//! The estimates of q_adaptive as a file that a later run can start from.

use crate::error::PlanError;
use crate::hex::hex;
use crate::plan::caught::caught;
use arrow_array::types::{Float64Type, UInt32Type};
use arrow_array::{ArrowPrimitiveType, PrimitiveArray, RecordBatch, cast::AsArray};
use pantala_routing::learning::{Estimate, Misfit, QTable};
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use sha2::{Digest, Sha256};
use std::fs::File;

/// Returns the SHA-256 of the estimates in the order of the table.
#[must_use]
pub fn fingerprint(estimates: &QTable) -> String {
    let mut hash = Sha256::new();
    for Estimate { router, destination_group, slot, port, ns } in estimates.estimates() {
        for part in [router, destination_group, slot, port, ns.to_bits()] {
            hash.update(part.to_le_bytes());
        }
    }
    hex(&hash.finalize())
}

/// Reads the estimates for the machine of `untrained` from the file `path`, which `key` of the plan
/// names.
///
/// # Errors
/// A [`PlanError`] if the file cannot be read or does not hold exactly one estimate per row and
/// connected port.
pub fn load(key: &str, path: &str, untrained: &QTable) -> Result<QTable, PlanError> {
    const REMEDY: &str =
        "give q_tables.parquet of a run on the same topology with record.q_tables = \"end\"";
    let fault = |message: String| PlanError::new(key, format!("{path:?}"), message, REMEDY);
    let file = pantala_frontends::input::open(path)
        .map_err(|error| fault(format!("cannot be read: {error}")))?;
    // Decoders of Parquet panic on some damaged pages.
    let read = caught(|| read(file, untrained.len()));
    let estimates =
        read.unwrap_or_else(|| Err("the file is damaged".to_owned())).map_err(&fault)?;
    untrained.filled(estimates).map_err(|misfit| {
        fault(match misfit {
            Misfit::Stray(e) => format!("this machine has no {}", worded(&e)),
            Misfit::Twice(e) => format!("there is more than one {}", worded(&e)),
            Misfit::Missing(count) => {
                format!("{count} of this machine's {} estimates are missing", untrained.len())
            }
        })
    })
}

/// Reads the rows of a file, in their order.
fn read(file: File, expected: usize) -> Result<Vec<Estimate>, String> {
    // The file may hold a schema of Arrow too, whose reader panics on types that it does not know.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
        .and_then(|builder| builder.build())
        .map_err(|error| format!("not a Parquet file: {error}"))?;
    let mut estimates = Vec::with_capacity(expected);
    for batch in reader {
        let batch = batch.map_err(|error| format!("cannot be read: {error}"))?;
        append(&batch, &mut estimates)?;
    }
    Ok(estimates)
}

/// Describes an estimate for error messages.
fn worded(estimate: &Estimate) -> String {
    let Estimate { router, destination_group, slot, port, ns } = estimate;
    format!(
        "estimate of router {router} for group {destination_group}, slot {slot}, port {port} ({ns} ns)"
    )
}

/// Appends the rows of a batch. The error says which column is missing or has another type.
fn append(batch: &RecordBatch, estimates: &mut Vec<Estimate>) -> Result<(), String> {
    let routers = column::<UInt32Type>(batch, "router")?;
    let destination_groups = column::<UInt32Type>(batch, "destination_group")?;
    let slots = column::<UInt32Type>(batch, "slot")?;
    let ports = column::<UInt32Type>(batch, "port")?;
    let times = column::<Float64Type>(batch, "estimate_ns")?;
    estimates.extend((0..batch.num_rows()).map(|row| Estimate {
        router: routers.value(row),
        destination_group: destination_groups.value(row),
        slot: slots.value(row),
        port: ports.value(row),
        ns: times.value(row) as f32,
    }));
    Ok(())
}

/// Returns the column `name`, which must have type `T` and no nulls.
fn column<'a, T: ArrowPrimitiveType>(
    batch: &'a RecordBatch,
    name: &str,
) -> Result<&'a PrimitiveArray<T>, String> {
    let column = batch.column_by_name(name).ok_or_else(|| format!("it has no column {name}"))?;
    if column.null_count() > 0 {
        return Err(format!("its column {name} has nulls"));
    }
    column
        .as_primitive_opt()
        .ok_or_else(|| format!("its column {name} is {}, not {}", column.data_type(), T::DATA_TYPE))
}
