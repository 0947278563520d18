//! No import cycle of a crate has more than three files.
//!
//! The test reads the paths that begin with `crate`, `self`, `super` or a child module, in `use`
//! and in the code. A re-export (`pub use`) leads to the file that declares the name; it is no
//! import of its own. Comments and unit tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files in the largest cycle that a crate may have.
const LARGEST: usize = 3;

/// A module by its path; the root of the crate is empty.
type Module = Vec<String>;

#[test]
fn cycles_of_imports_are_small() {
    let crates = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for entry in std::fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !path.join("src").exists() {
            continue;
        }
        let cycle = largest_cycle(&Imports::of(&path.join("src")).edges());
        let files: Vec<String> = cycle.iter().map(|module| module.join("/")).collect();
        assert!(
            files.len() <= LARGEST,
            "{name}: {} files import in a cycle: {files:?}",
            files.len()
        );
    }
}

/// The rooms of pantala-sim in order; each may import from those before it.
const ROOMS: [&str; 6] = ["error", "hex", "plan", "output", "run", "catalogue"];

#[test]
fn rooms_of_the_simulation_import_one_way() {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let edges = Imports::of(source).edges();
    let place = |module: &Module| {
        let room = module.first()?;
        Some(ROOMS.iter().position(|name| name == room).expect("a room with a place"))
    };
    let against: Vec<String> = edges
        .iter()
        .flat_map(|(from, targets)| targets.iter().map(move |to| (from, to)))
        .filter(|(from, to)| place(from).is_some() && place(from) < place(to))
        .map(|(from, to)| format!("{} -> {}", from.join("/"), to.join("/")))
        .collect();
    assert_eq!(against, [""; 0]);
}

#[test]
fn paths_lead_to_the_files_that_declare_their_names() {
    let file = |path: &[&str], text: &str| {
        (path.iter().map(|name| (*name).to_owned()).collect(), code_of(text))
    };
    let imports = Imports {
        files: BTreeMap::from([
            file(&[], "mod a;\npub use a::One;"),
            file(&["a"], "mod b;\npub use b::{Two, deep::{Three as Four}};\nfn f() { b::g() }"),
            file(&["a", "b"], "use crate::One;\n// use crate::c::Five;\nuse super::super::c;"),
            file(&["a", "b", "deep"], "fn h() { crate::c::i(super::g()) }"),
            file(&["c"], "use crate::a::{Four, Two};\n#[cfg(test)]\nuse crate::a::b::deep;"),
        ]),
    };
    let edges = imports.edges();
    let to = |path: &[&str]| -> Vec<String> {
        let module: Module = path.iter().map(|name| (*name).to_owned()).collect();
        edges[&module].iter().map(|target| target.join("/")).collect()
    };
    assert_eq!(to(&[]), [""; 0]);
    assert_eq!(to(&["a"]), ["a/b"]);
    assert_eq!(to(&["a", "b"]), ["a", "c"]);
    assert_eq!(to(&["a", "b", "deep"]), ["a/b", "c"]);
    assert_eq!(to(&["c"]), ["a/b", "a/b/deep"]);
    let cycle: Vec<String> = largest_cycle(&edges).iter().map(|module| module.join("/")).collect();
    assert_eq!(cycle, ["a", "a/b", "a/b/deep", "c"]);
}

/// The code of a file, without comments and unit tests.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

struct Imports {
    /// The code of every file, by its module.
    files: BTreeMap<Module, String>,
}

impl Imports {
    fn of(source: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![source.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "rs") {
                    let module = path.strip_prefix(source).unwrap().with_extension("");
                    let names = module.iter().map(|name| name.to_str().unwrap().to_owned());
                    let module: Module =
                        names.filter(|name| !["lib", "main"].contains(&name.as_str())).collect();
                    if module.last().is_none_or(|name| name != "tests") {
                        files.insert(module, code_of(&std::fs::read_to_string(&path).unwrap()));
                    }
                }
            }
        }
        Self { files }
    }

    /// By file, the files that it imports from.
    fn edges(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let reexports: BTreeMap<&Module, BTreeMap<String, Vec<String>>> =
            self.files.iter().map(|(module, code)| (module, reexports(code))).collect();
        let of = |(module, code): (&Module, &String)| {
            let paths = imports(code).into_iter().chain(self.inline(module, code));
            let absolute = paths.filter_map(|path| self.absolute(module, &path));
            let targets = absolute.map(|path| self.declared(&reexports, path, 0));
            (module.clone(), targets.filter(|target| target != module).collect())
        };
        self.files.iter().map(of).collect()
    }

    /// Paths in the code itself.
    fn inline(&self, module: &Module, code: &str) -> Vec<Vec<String>> {
        let code = without_uses(code);
        let child = |name: &str| {
            let mut child = module.clone();
            child.push(name.to_owned());
            self.files.contains_key(&child)
        };
        let letter = |c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$';
        let words = code.split(|c| !letter(c)).filter(|word| word.contains("::"));
        let paths = words.map(segments);
        let begins =
            |path: &Vec<String>| ["crate", "super"].contains(&path[0].as_str()) || child(&path[0]);
        paths.filter(begins).collect()
    }

    /// A path from the root of the crate; `None` if it leads out of it.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let ups = path.iter().take_while(|name| *name == "super").count();
        let (base, rest) = match path[0].as_str() {
            "crate" => (&[][..], &path[1..]),
            "self" => (&module[..], &path[1..]),
            "super" => (&module[..module.len().checked_sub(ups)?], &path[ups..]),
            _ => (&module[..], path),
        };
        let absolute = [base, rest].concat();
        let inside = ["crate", "self", "super"].contains(&path[0].as_str())
            || self.files.contains_key(&absolute[..=module.len()]);
        inside.then_some(absolute)
    }

    /// The file that declares the name at a path.
    fn declared(
        &self,
        reexports: &BTreeMap<&Module, BTreeMap<String, Vec<String>>>,
        path: Vec<String>,
        depth: usize,
    ) -> Module {
        let mut length = path.len();
        while !self.files.contains_key(&path[..length]) {
            length -= 1;
        }
        let module = path[..length].to_vec();
        let exported = path.get(length).and_then(|name| reexports[&module].get(name));
        let from = exported.and_then(|export| self.absolute(&module, export));
        match from {
            Some(from) if depth < 8 => {
                self.declared(reexports, [&from, &path[length + 1..]].concat(), depth + 1)
            }
            _ => module,
        }
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split("::").map(|name| name.trim().to_owned()).collect()
}

/// Every `use` of some code: whether it is public, and its tree.
fn uses(code: &str) -> Vec<(bool, &str)> {
    let statements = code.split(';').filter_map(|statement| {
        let (before, tree) = statement.rsplit_once("use ")?;
        let before = before.rsplit(['\n', '}', '{']).next().unwrap_or_default().trim();
        let public = before.starts_with("pub");
        (public || before.is_empty()).then_some((public, tree))
    });
    statements.collect()
}

fn without_uses(code: &str) -> String {
    let mut rest = code.to_owned();
    for (_, tree) in uses(code) {
        rest = rest.replacen(&format!("use {tree};"), ";", 1);
    }
    rest
}

fn imports(code: &str) -> Vec<Vec<String>> {
    let private = uses(code).into_iter().filter(|(public, _)| !public);
    private.flat_map(|(_, tree)| leaves(tree)).map(|(_, path)| path).collect()
}

fn reexports(code: &str) -> BTreeMap<String, Vec<String>> {
    let public = uses(code).into_iter().filter(|(public, _)| *public);
    public.flat_map(|(_, tree)| leaves(tree)).collect()
}

/// The names that a `use` brings, and their paths.
fn leaves(tree: &str) -> Vec<(String, Vec<String>)> {
    let tree = tree.trim();
    let Some((prefix, inner)) = tree.split_once('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let path = segments(path);
        let name = if name.is_empty() { &path[path.len() - 1] } else { name.trim() };
        return vec![(name.to_owned(), path)];
    };
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in inner.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match parts.last_mut() {
            Some(part) if c != ',' || depth > 0 => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(&format!("{prefix}{}", part.trim()))).collect()
}

/// The files of the largest cycle, in order; none if there is no cycle.
fn largest_cycle(edges: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Module> {
    let reached = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut next = vec![from];
        while let Some(module) = next.pop() {
            for target in &edges[module] {
                if reached.insert(target) {
                    next.push(target);
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        edges.keys().map(|module| (module, reached(module))).collect();
    let cycle = |module: &&Module| -> Vec<Module> {
        let back = reached[module].iter().filter(|other| reached[**other].contains(module));
        back.map(|other| (*other).clone()).collect()
    };
    edges.keys().map(|module| cycle(&module)).max_by_key(Vec::len).unwrap_or_default()
}
