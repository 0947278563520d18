//! A writer of Chakra traces, for tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A node as it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) id: u64,
    pub(crate) kind: u8,
    pub(crate) deps: Vec<u64>,
    /// Dependencies of control.
    pub(crate) control: Vec<u64>,
    pub(crate) micros: u64,
    pub(crate) numbers: Vec<(&'static str, i64)>,
    pub(crate) group: Option<String>,
    /// The attribute `involved_dim`.
    pub(crate) dimensions: Vec<bool>,
}

impl Node {
    pub(crate) fn compute(id: u64, micros: u64, host: bool, deps: &[u64]) -> Self {
        let numbers = vec![("is_cpu_op", i64::from(host))];
        Self { id, kind: 4, deps: deps.to_vec(), micros, numbers, ..Self::default() }
    }

    pub(crate) fn send(id: u64, peer: i64, bytes: i64, deps: &[u64]) -> Self {
        let numbers = vec![("comm_dst", peer), ("comm_size", bytes), ("comm_tag", 3)];
        Self { id, kind: 5, deps: deps.to_vec(), numbers, ..Self::default() }
    }

    pub(crate) fn receive(id: u64, peer: i64, bytes: i64, deps: &[u64]) -> Self {
        let numbers = vec![("comm_src", peer), ("comm_size", bytes), ("comm_tag", 3)];
        Self { id, kind: 6, deps: deps.to_vec(), numbers, ..Self::default() }
    }

    pub(crate) fn collective(id: u64, kind: i64, bytes: i64, group: &str, deps: &[u64]) -> Self {
        let numbers = vec![("comm_type", kind), ("comm_size", bytes)];
        let group = (!group.is_empty()).then(|| group.to_owned());
        Self { id, kind: 7, deps: deps.to_vec(), numbers, group, ..Self::default() }
    }
}

fn varint(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

fn bytes(into: &mut Vec<u8>, field: u64, content: &[u8]) {
    varint(into, field << 3 | 2);
    varint(into, content.len() as u64);
    into.extend(content);
}

fn number(into: &mut Vec<u8>, field: u64, value: u64) {
    if value != 0 {
        varint(into, field << 3);
        varint(into, value);
    }
}

fn message(node: &Node) -> Vec<u8> {
    let mut out = Vec::new();
    number(&mut out, 1, node.id);
    bytes(&mut out, 2, b"a name");
    number(&mut out, 3, node.kind.into());
    for id in &node.control {
        varint(&mut out, 4 << 3);
        varint(&mut out, *id);
    }
    let mut deps = Vec::new();
    node.deps.iter().for_each(|id| varint(&mut deps, *id));
    if node.id % 2 == 0 && !deps.is_empty() {
        bytes(&mut out, 5, &deps);
    } else {
        for id in &node.deps {
            varint(&mut out, 5 << 3);
            varint(&mut out, *id);
        }
    }
    number(&mut out, 7, node.micros);
    bytes(&mut out, 8, &[10, 2, b'[', b']']);
    let attribute = |out: &mut Vec<u8>, name: &str, value: &[u8]| {
        let mut content = Vec::new();
        bytes(&mut content, 1, name.as_bytes());
        content.extend(value);
        bytes(out, 10, &content);
    };
    for (place, &(name, value)) in node.numbers.iter().enumerate() {
        let mut content = Vec::new();
        // Any integer member of the union is allowed.
        varint(&mut content, [9, 13, 7][place % 3] << 3);
        varint(&mut content, value as u64);
        attribute(&mut out, name, &content);
    }
    if let Some(group) = &node.group {
        let mut content = Vec::new();
        bytes(&mut content, 29, group.as_bytes());
        attribute(&mut out, "pg_name", &content);
    }
    if !node.dimensions.is_empty() {
        let values: Vec<u8> = node.dimensions.iter().map(|each| u8::from(*each)).collect();
        let (mut list, mut content) = (Vec::new(), Vec::new());
        bytes(&mut list, 1, &values);
        bytes(&mut content, 28, &list);
        attribute(&mut out, "involved_dim", &content);
    }
    attribute(&mut out, "unknown", &[3 << 3 | 1, 0, 0, 0, 0, 0, 0, 0, 64]);
    out
}

/// The content of a rank's file.
pub(crate) fn content(nodes: &[Node]) -> Vec<u8> {
    let mut file = vec![7, 10, 5];
    file.extend(b"0.0.4");
    for node in nodes {
        let message = message(node);
        varint(&mut file, message.len() as u64);
        file.extend(message);
    }
    file
}

/// A trace in a folder of its own, which is removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("pantala-chakra-{}-{number}", std::process::id());
        // Many small files: in memory, where the system has such a folder.
        let memory = PathBuf::from("/dev/shm");
        let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let path = parent.join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Writes the files of all ranks; those of odd ranks are compressed if `gzip` is set.
    pub(crate) fn trace(ranks: &[Vec<Node>], gzip: bool) -> Self {
        let folder = Self::new();
        for (rank, nodes) in ranks.iter().enumerate() {
            let mut file = content(nodes);
            if gzip && rank % 2 == 1 {
                let level = flate2::Compression::fast();
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(&file).unwrap();
                file = encoder.finish().unwrap();
            }
            folder.write(&format!("job.{rank}.et"), &file);
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
