//! Damage: structured changes of texts, binary files and JSON, and damage of bytes.

use pantala_engine::Stream;
use serde_json::{Number, Value};

/// What the inputs of a reader are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines and words.
    Text,
    /// Bytes at places that other bytes state, so most changes keep the length.
    Places,
    /// Bytes one after another.
    Sequence,
    /// JSON.
    Json,
}

const NUMBERS: [&str; 18] = [
    "0",
    "1",
    "-1",
    "2",
    "127",
    "255",
    "256",
    "32767",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
];

/// Changes a seed in one to six places. `head` bytes at the start and `tail` bytes at the end stay in
/// three of four inputs.
pub(crate) fn damaged(
    seeds: &[Vec<u8>],
    words: &[&[u8]],
    form: Form,
    (head, tail): (usize, usize),
    draws: &mut Stream,
) -> Vec<u8> {
    let seed = &seeds[below(draws, seeds.len())];
    if form == Form::Json && draws.below(5) > 0 {
        return json(seeds, seed, draws);
    }
    let kept = if draws.below(4) > 0 { (head, tail) } else { (0, 0) };
    let first = kept.0.min(seed.len());
    let last = seed.len().saturating_sub(kept.1).max(first);
    let mut body = seed[first..last].to_vec();
    for _ in 0..=draws.below(6) {
        match form {
            Form::Text | Form::Json if draws.below(3) > 0 => text(&mut body, seeds, words, draws),
            Form::Places if draws.below(8) > 0 => in_place(&mut body, draws),
            _ => bytes(&mut body, seeds, words, draws),
        }
    }
    let mut input = seed[..first].to_vec();
    input.extend(body);
    input.extend(&seed[last..]);
    if form == Form::Text && draws.below(24) == 0 { encoded(&input, draws) } else { input }
}

fn below(draws: &mut Stream, bound: usize) -> usize {
    draws.below(bound.max(1) as u32) as usize
}

/// A range of up to `longest` bytes.
fn range(length: usize, longest: usize, draws: &mut Stream) -> std::ops::Range<usize> {
    let at = below(draws, length);
    at..(at + 1 + below(draws, longest)).min(length)
}

/// Changes bytes, and keeps their number.
fn in_place(body: &mut [u8], draws: &mut Stream) {
    if body.is_empty() {
        return;
    }
    let at = below(draws, body.len());
    match draws.below(4) {
        0 => body[at] = draws.below(256) as u8,
        1 => body[at] ^= 1 << draws.below(8),
        2 => {
            // A boundary of a number of 1, 2, 4 or 8 bytes, either end first.
            let width = 1 << draws.below(4);
            let bits = draws.below(8 * width as u32 + 1);
            let power = if bits >= 64 { 0 } else { 1u64 << bits };
            let number = power.wrapping_add([0, 1, u64::MAX][below(draws, 3)]);
            let (little, big) = (number.to_le_bytes(), number.to_be_bytes());
            let number = if draws.below(2) == 0 { &little[..width] } else { &big[8 - width..] };
            body[at..].iter_mut().zip(number).for_each(|(place, byte)| *place = *byte);
        }
        _ => {
            let from = below(draws, body.len());
            let length = (1 + below(draws, 32)).min(body.len() - at.max(from));
            body.copy_within(from..from + length, at);
        }
    }
}

/// Changes bytes anywhere: removes, inserts, repeats, cuts, splices two inputs.
fn bytes(body: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&[u8]], draws: &mut Stream) {
    let length = body.len();
    match draws.below(9) {
        0 | 1 => in_place(body, draws),
        2 => drop(body.drain(range(length, 16, draws))),
        3 => body.insert(below(draws, length + 1), draws.below(256) as u8),
        4 => {
            let copy = body[range(length, 64, draws)].to_vec();
            let to = below(draws, length + 1);
            (0..=draws.below(4)).for_each(|_| drop(body.splice(to..to, copy.iter().copied())));
        }
        5 => {
            if draws.below(4) == 0 {
                body.truncate(below(draws, length + 1));
            }
        }
        6 => {
            let other = &seeds[below(draws, seeds.len())];
            let part = &other[range(other.len(), 256, draws)];
            let at = range(length, 64, draws);
            drop(body.splice(at, part.iter().copied()));
        }
        _ if words.is_empty() => in_place(body, draws),
        _ => {
            let word = words[below(draws, words.len())];
            let at = below(draws, length + 1);
            let end = (at + below(draws, word.len() + 1)).min(length);
            drop(body.splice(at..end, word.iter().copied()));
        }
    }
}

/// Changes lines and words of a text.
fn text(body: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&[u8]], draws: &mut Stream) {
    let by_line = draws.below(3) == 0;
    let is_end = |byte: &u8| if by_line { *byte == b'\n' } else { !word_byte(*byte) };
    let ends = |text: &[u8]| -> Vec<usize> {
        (0..text.len()).filter(|&at| is_end(&text[at])).map(|at| at + 1).collect()
    };
    let places = ends(body);
    let piece = |draws: &mut Stream| {
        let at = below(draws, places.len());
        let first = if at == 0 { 0 } else { places[at - 1] };
        first..places.get(at).copied().unwrap_or(body.len())
    };
    let one = piece(draws);
    match draws.below(7) {
        0 => {
            let other = piece(draws);
            if one.end <= other.start {
                let (a, b) = (body[one.clone()].to_vec(), body[other.clone()].to_vec());
                drop(body.splice(other, a));
                drop(body.splice(one, b));
            }
        }
        1 => {
            let copy = body[one.clone()].to_vec();
            let times = 1 << draws.below(6);
            (0..times).for_each(|_| drop(body.splice(one.start..one.start, copy.iter().copied())));
        }
        2 => drop(body.drain(one)),
        3 => {
            let other = &seeds[below(draws, seeds.len())];
            let places = ends(other);
            let at = below(draws, places.len());
            let first = if at == 0 { 0 } else { places[at - 1] };
            let end = places.get(at).copied().unwrap_or(other.len());
            drop(body.splice(one.start..one.start, other[first..end].iter().copied()));
        }
        4 | 5 => {
            // A number, or else the piece, becomes a boundary.
            let number = body[one.start..].iter().position(u8::is_ascii_digit);
            let start = number.map_or(one.start, |more| one.start + more);
            let digits = body[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let end = if digits > 0 { start + digits } else { one.end.max(start) };
            let new = NUMBERS[below(draws, NUMBERS.len())];
            drop(body.splice(start..end, new.bytes()));
        }
        _ if words.is_empty() => drop(body.drain(one)),
        _ => {
            let word = words[below(draws, words.len())];
            let end = if draws.below(2) == 0 { one.start } else { one.end };
            drop(body.splice(one.start..end, word.iter().copied()));
        }
    }
}

fn word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.'
}

/// A text in another encoding, or with other ends of lines.
fn encoded(text: &[u8], draws: &mut Stream) -> Vec<u8> {
    let string = String::from_utf8_lossy(text);
    match draws.below(6) {
        0 => [0xFF, 0xFE]
            .into_iter()
            .chain(string.encode_utf16().flat_map(u16::to_le_bytes))
            .collect(),
        1 => [0xFE, 0xFF]
            .into_iter()
            .chain(string.encode_utf16().flat_map(u16::to_be_bytes))
            .collect(),
        2 => [0xEF, 0xBB, 0xBF].into_iter().chain(text.iter().copied()).collect(),
        3 => string.replace('\n', "\r\n").into_bytes(),
        4 => string.replace('\n', "\r").into_bytes(),
        _ => {
            let mut changed = text.to_vec();
            let at = below(draws, changed.len() + 1);
            changed.insert(at, [0, 0xE9, 0xC0, 0x1A][below(draws, 4)]);
            changed
        }
    }
}

/// Changes the tree of a JSON text in one to three places.
fn json(seeds: &[Vec<u8>], seed: &[u8], draws: &mut Stream) -> Vec<u8> {
    let parsed = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap_or_default();
    let mut tree = parsed(seed);
    for _ in 0..=draws.below(3) {
        let mut paths = Vec::new();
        pointers(&tree, "", &mut paths);
        let pointer = paths[below(draws, paths.len())].clone();
        let new = match draws.below(8) {
            0 => Value::Null,
            1 => {
                Value::String(["", "x", "job", "1", "\u{0}\n\u{202e}"][below(draws, 5)].to_owned())
            }
            2 => Value::Array(Vec::new()),
            3 => {
                let other = parsed(&seeds[below(draws, seeds.len())]);
                let mut paths = Vec::new();
                pointers(&other, "", &mut paths);
                other.pointer(&paths[below(draws, paths.len())]).cloned().unwrap_or_default()
            }
            4 => tree.pointer(&paths[below(draws, paths.len())]).cloned().unwrap_or_default(),
            _ => {
                let text = NUMBERS[below(draws, NUMBERS.len())];
                let whole = text.parse::<u64>().map(Number::from).ok();
                let whole = whole.or_else(|| text.parse::<i64>().map(Number::from).ok());
                let float = text.parse::<f64>().ok().and_then(Number::from_f64);
                whole.or(float).map_or(Value::Null, Value::Number)
            }
        };
        if draws.below(6) == 0 {
            remove(&mut tree, &pointer);
        } else if let Some(place) = tree.pointer_mut(&pointer) {
            match place {
                Value::Array(list) if draws.below(2) == 0 => {
                    let copy = list.last().cloned().unwrap_or(new);
                    list.push(copy);
                }
                place => *place = new,
            }
        }
    }
    tree.to_string().into_bytes()
}

fn pointers(value: &Value, here: &str, into: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            let numbered = list.iter().enumerate();
            numbered.for_each(|(at, below)| pointers(below, &format!("{here}/{at}"), into));
        }
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(name, below)| pointers(below, &format!("{here}/{name}"), into));
        }
        _ => {}
    }
    into.push(here.to_owned());
}

fn remove(tree: &mut Value, pointer: &str) {
    let Some((above, name)) = pointer.rsplit_once('/') else { return };
    match tree.pointer_mut(above) {
        Some(Value::Object(fields)) => drop(fields.remove(name)),
        Some(Value::Array(list)) => {
            if let Some(at) = name.parse::<usize>().ok().filter(|at| *at < list.len()) {
                list.remove(at);
            }
        }
        _ => {}
    }
}
