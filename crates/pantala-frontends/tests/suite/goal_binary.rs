//! A writer of GOAL's binary form, for tests. It reads a text of its own simple form: the statements
//! of each rank, one blank between words.

use std::collections::BTreeMap;

#[derive(Default)]
struct Node {
    kind: u8,
    peer: u32,
    size: u64,
    tag: u32,
    cpu: u8,
    nic: u8,
    open: u32,
    after: [Vec<u32>; 2],
}

/// The binary form of a schedule.
pub(crate) fn binary(text: &str) -> Vec<u8> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ranks: u32 = words[1].parse().unwrap();
    let number = |word: &str| if word == "-1" { u32::MAX } else { word.parse().unwrap() };
    let mut parts: Vec<Vec<Node>> = Vec::new();
    let (mut labels, mut pending) = (BTreeMap::new(), Vec::new());
    let (mut at, mut label) = (2, None);
    while at < words.len() {
        let word = words[at];
        match word {
            "rank" => {
                parts.push(Vec::new());
                labels.clear();
                at += 3;
            }
            "}" => {
                let nodes = parts.last_mut().unwrap();
                for (dependent, prerequisite, start) in pending.drain(..) {
                    let dependent: u32 = labels[dependent];
                    let before: u32 = labels[prerequisite];
                    nodes[before as usize].after[usize::from(start)].push(dependent);
                    nodes[dependent as usize].open += 1;
                }
                at += 1;
            }
            "send" | "recv" | "calc" => {
                let nodes = parts.last_mut().unwrap();
                if let Some(label) = label.take() {
                    labels.insert(label, nodes.len() as u32);
                }
                let mut node = Node {
                    kind: ["send", "recv", "calc"].iter().position(|k| *k == word).unwrap() as u8
                        + 1,
                    size: words[at + 1].trim_end_matches('b').parse().unwrap(),
                    ..Node::default()
                };
                at += 2;
                if word != "calc" {
                    node.peer = number(words[at + 1]);
                    at += 2;
                }
                while let Some(&name) = words.get(at) {
                    match name {
                        "tag" => node.tag = number(words[at + 1]),
                        "cpu" => node.cpu = number(words[at + 1]) as u8,
                        "nic" => node.nic = number(words[at + 1]) as u8,
                        _ => break,
                    }
                    at += 2;
                }
                nodes.push(node);
            }
            _ if word.ends_with(':') => {
                label = Some(word.trim_end_matches(':'));
                at += 1;
            }
            _ => {
                pending.push((word, words[at + 2], words[at + 1] == "irequires"));
                at += 3;
            }
        }
    }
    assert_eq!(parts.len(), ranks as usize);
    write(&parts)
}

fn write(parts: &[Vec<Node>]) -> Vec<u8> {
    let (mut table, mut body) = (Vec::new(), Vec::new());
    let base = 6 + 16 * parts.len() as u64;
    for nodes in parts {
        table.extend((base + body.len() as u64).to_le_bytes());
        let roots: Vec<u32> =
            (0..nodes.len() as u32).filter(|node| nodes[*node as usize].open == 0).collect();
        body.extend((nodes.len() as u32).to_le_bytes());
        body.extend((roots.len() as u32).to_le_bytes());
        roots.iter().for_each(|root| body.extend(root.to_le_bytes()));
        let mut place = 0u32;
        for node in nodes {
            body.extend(node.open.to_le_bytes());
            body.push(node.kind);
            body.extend(node.peer.to_le_bytes());
            body.extend(node.size.to_le_bytes());
            body.extend(node.tag.to_le_bytes());
            body.extend([node.cpu, node.nic]);
            for list in &node.after {
                body.extend((list.len() as u32).to_le_bytes());
                body.extend(place.to_le_bytes());
                place += list.len() as u32;
            }
        }
        let lists = nodes.iter().flat_map(|node| &node.after).flatten();
        lists.for_each(|dependent| body.extend(dependent.to_le_bytes()));
        table.extend((base + body.len() as u64).to_le_bytes());
    }
    let mut file = 4_223u64.to_le_bytes().to_vec();
    file.extend((parts.len() as u32).to_le_bytes());
    file.extend([0, 0]);
    file.extend(table);
    file.extend(body);
    file
}
