//! Text files whose words a program reads.

use std::collections::BTreeMap;
use std::io::Read;

use pantala_frontends::input;

/// The largest file that a program can read.
const MAX_BYTES: u64 = 16 << 20;

/// The words of each row of a file, whose text may be known. Separators are sets of characters;
/// several in a row count as one.
pub(super) fn words(
    known: &BTreeMap<String, String>,
    path: &str,
    column_separators: &str,
    row_separators: &str,
) -> Result<Vec<Vec<String>>, String> {
    let split = |text: &str, separators: &str| -> Vec<String> {
        let parts = text.split(|c| separators.contains(c)).map(|part| part.trim_end_matches('\r'));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let read;
    let text = match known.get(path) {
        Some(text) => text,
        None => {
            read = self::read(path)?;
            &read
        }
    };
    Ok(split(text, row_separators).iter().map(|row| split(row, column_separators)).collect())
}

fn read(path: &str) -> Result<String, String> {
    let fail = |error: std::io::Error| format!("cannot read '{path}': {error}");
    let length = std::fs::metadata(path).map_err(fail)?.len();
    if length > MAX_BYTES {
        return Err(format!("'{path}' has {length} bytes; at most {MAX_BYTES} are allowed"));
    }
    let mut text = String::new();
    input::open(path).and_then(|mut file| file.read_to_string(&mut text)).map_err(fail)?;
    Ok(text)
}
