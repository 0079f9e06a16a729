//! Imports go one way: no cycle between the modules of a crate, no import from a parent, and the arrows that
//! ARCHITECTURE.md draws.
//!
//! The test reads `use` declarations, and inline paths that start with `crate::`, `super::`, `self::` or
//! the name of a child module. It follows re-exports to the module that defines the name. It skips tests
//! and re-exports.

mod source;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use source::Source;

/// The path of a module within its crate; empty for the root.
type Module = Vec<String>;

struct Crate {
    modules: BTreeMap<Module, Source>,
}

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Modules that may import from their parent, because they hold methods of its type.
const EXTENDS_PARENT: [&str; 8] = [
    "bvh: kernel::packet::setup",
    "bvh: kernel::packet::test",
    "render: subject::surface",
    "render: subject::tracing",
    "viewer: session::hiding",
    "viewer: session::listing",
    "viewer: session::part_tests",
    "viewer: session::picking",
];

#[test]
fn modules_of_a_crate_import_each_other_without_cycles() {
    let mut cycles = Vec::new();
    for folder in crates() {
        let name = file_name(&folder);
        if let Some(cycle) = cycle_of(&Crate::read(&folder.join("src")).graph()) {
            cycles.push(format!("{name}: {}", cycle.join(" → ")));
        }
    }
    assert!(cycles.is_empty(), "cycles of imports:\n{}", cycles.join("\n"));
}

#[test]
fn no_module_imports_from_its_parent() {
    let mut imports = Vec::new();
    for folder in crates() {
        let name = folder.file_name().expect("a crate has a folder").to_string_lossy().into_owned();
        for (module, to) in Crate::read(&folder.join("src")).graph() {
            let parent = module.rsplit_once("::").map_or("crate", |(parent, _)| parent);
            let import = format!("{name}: {module}");
            if to.contains(parent) && !EXTENDS_PARENT.contains(&import.as_str()) {
                imports.push(import);
            }
        }
    }
    assert!(imports.is_empty(), "modules that import from their parent:\n{}", imports.join("\n"));
}

/// The table of modules in ARCHITECTURE.md: an import goes from a row to the same row or to one below.
#[test]
fn the_architecture_lists_every_module_above_its_imports() {
    let listed = rows_of_modules(&architecture());
    let folders: BTreeSet<_> = crates().iter().map(|folder| file_name(folder)).collect();
    let mut wrong: Vec<_> = listed
        .keys()
        .filter(|name| !folders.contains(*name))
        .map(|name| format!("there is no crates/{name}"))
        .collect();
    for folder in crates() {
        let name = file_name(&folder);
        let mut found = rooms(&Crate::read(&folder.join("src")).graph());
        found.remove("crate");
        let rows = listed.get(&name).cloned().unwrap_or_default();
        for module in rows.keys().filter(|module| !found.contains_key(*module)) {
            wrong.push(format!("crates/{name} has no module `{module}`"));
        }
        for (module, imports) in &found {
            let Some(row) = rows.get(module) else {
                wrong.push(format!("crates/{name}: `{module}` is not listed"));
                continue;
            };
            let above =
                imports.iter().filter(|import| rows.get(*import).is_some_and(|to| to < row));
            wrong.extend(
                above.map(|to| format!("crates/{name}: `{module}` imports `{to}` above it")),
            );
        }
    }
    assert!(wrong.is_empty(), "the table of modules in ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

#[test]
fn every_block_of_arrows_in_the_architecture_equals_the_imports() {
    let text = architecture();
    let blocks: Vec<_> = text.split("```arrows of ").skip(1).collect();
    assert!(!blocks.is_empty(), "ARCHITECTURE.md has no block of arrows");
    for block in blocks {
        let (name, rest) = block.split_once('\n').expect("the block has lines");
        let (lines, _) = rest.split_once("```").expect("the block ends");
        let mut found = rooms(&Crate::read(&root().join("crates").join(name).join("src")).graph());
        found.remove("crate");
        assert_eq!(cycle_of(&found), None, "a cycle between the modules of {name}");
        let mut drawn = Graph::new();
        for line in lines.lines() {
            let (from, to) = line.split_once('→').expect("`a → b, c` in each line");
            let to = to.split(',').map(|to| to.trim().to_owned());
            drawn.entry(from.trim().to_owned()).or_default().extend(to);
        }
        let (found, drawn) = (arrows(&found), arrows(&drawn));
        let missing: Vec<_> = found.difference(&drawn).collect();
        let stale: Vec<_> = drawn.difference(&found).collect();
        assert!(
            missing.is_empty() && stale.is_empty(),
            "{name}: only in the code: {missing:?}\nonly in ARCHITECTURE.md: {stale:?}"
        );
    }
}

#[test]
fn imports_are_followed_through_trees_and_reexports() {
    let files = [
        (vec![], "mod a; mod b; pub use a::Thing; pub(crate) use b::{deep::Deep, self};"),
        (vec!["a"], "use crate::{Deep, b::{self, Other as O}};"),
        (vec!["b"], "pub mod deep; use super::Thing; pub struct Other; fn f() { deep::g() }"),
        (vec!["b", "deep"], "// use crate::a::No;\nfn f() -> crate::Thing { super::Other }"),
    ];
    let modules = files.into_iter().map(|(module, text)| {
        (module.into_iter().map(str::to_owned).collect(), Source::parse(text))
    });
    let graph = Crate { modules: modules.collect() }.graph();
    let to = |from: &str| graph[from].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(to("a"), ["b", "b::deep"]);
    assert_eq!(to("b"), ["a", "b::deep"]);
    assert_eq!(to("b::deep"), ["a", "b"]);
    assert!(cycle_of(&graph).is_some());
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn architecture() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is in the root")
}

fn file_name(path: &Path) -> String {
    path.file_name().expect("the path ends with a name").to_string_lossy().into_owned()
}

/// The row of each module in the table of modules, by crate. A row in bold, `**crates/NAME**`, starts a
/// crate, and the first cell of every other row has names of modules.
fn rows_of_modules(text: &str) -> BTreeMap<String, BTreeMap<String, usize>> {
    let mut crates = BTreeMap::<String, BTreeMap<String, usize>>::new();
    let mut current = None;
    for (row, line) in text.lines().enumerate() {
        let Some(cells) = line.strip_prefix("| ") else {
            current = None;
            continue;
        };
        let first = cells.split(" |").next().unwrap_or_default();
        if let Some(name) = first.strip_prefix("**crates/") {
            current = Some(name.trim_end_matches("**").to_owned());
        } else if let Some(name) = &current {
            let modules = crates.entry(name.clone()).or_default();
            modules.extend(first.split('`').skip(1).step_by(2).map(|name| (name.to_owned(), row)));
        }
    }
    crates
}

/// The arrows of a graph, one string each.
fn arrows(graph: &Graph) -> BTreeSet<String> {
    let from = |(from, to): (&String, &BTreeSet<String>)| {
        to.iter().map(|to| format!("{from} → {to}")).collect::<Vec<_>>()
    };
    graph.iter().flat_map(from).collect()
}

fn crates() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("crates")).expect("the crates are there");
    let mut folders: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    folders.retain(|folder| folder.join("src").is_dir());
    folders.sort();
    folders
}

impl Crate {
    fn read(src: &Path) -> Self {
        let mut modules = BTreeMap::new();
        let mut folders = vec![(src.to_owned(), Module::new())];
        while let Some((folder, module)) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("sources can be read") {
                let path = entry.expect("an entry can be read").path();
                let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
                let mut child = module.clone();
                if !["lib", "mod", "main"].contains(&stem.as_str()) {
                    child.push(stem.clone());
                }
                if stem == "tests" {
                    continue;
                } else if path.is_dir() {
                    folders.push((path, child));
                } else if path.extension().is_some_and(|extension| extension == "rs")
                    && stem != "main"
                {
                    let text = fs::read_to_string(&path).expect("sources are text");
                    modules.insert(child, Source::parse(&text));
                }
            }
        }
        Self { modules }
    }

    /// The modules that each module imports from.
    fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for (module, source) in &self.modules {
            let imports = source.imports.iter().filter(|import| !import.is_reexport);
            let paths = imports.map(|import| &import.path).chain(&source.inline_paths);
            let to: BTreeSet<_> = paths
                .filter_map(|path| self.definer(module, path, 0))
                .filter(|definer| definer != module)
                .map(|definer| name_of(&definer))
                .collect();
            graph.insert(name_of(module), to);
        }
        graph
    }

    /// The module that defines the name at the end of a path; `None` outside of the crate.
    fn definer(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let mut module = from.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (module, rest) = (vec![], &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    module.pop()?;
                    rest = &rest[1..];
                }
            }
            name => {
                module.push(name.to_owned());
                self.modules.get(&module)?;
                rest = &path[1..];
            }
        }
        while let Some((name, after)) = rest.split_first() {
            let mut child = module.clone();
            child.push(name.clone());
            if self.modules.contains_key(&child) {
                (module, rest) = (child, after);
                continue;
            }
            let import = self.modules[&module].imports.iter().find(|import| import.name == *name);
            if let Some(import) = import
                && depth < 8
            {
                let path: Vec<_> = import.path.iter().chain(after).cloned().collect();
                return self.definer(&module, &path, depth + 1);
            }
            break;
        }
        Some(module)
    }
}

fn name_of(module: &Module) -> String {
    if module.is_empty() { "crate".to_owned() } else { module.join("::") }
}

/// The graph of the first names of modules.
fn rooms(graph: &Graph) -> Graph {
    let room = |name: &str| name.split("::").next().unwrap_or(name).to_owned();
    let mut rooms = Graph::new();
    for (from, to) in graph {
        let others = to.iter().map(|to| room(to)).filter(|to| *to != room(from));
        rooms.entry(room(from)).or_default().extend(others);
    }
    rooms
}

/// A shortest cycle, its first module repeated at the end.
fn cycle_of(graph: &Graph) -> Option<Vec<String>> {
    let cycle_through = |start: &String| {
        let mut came_from = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(from) = queue.pop_front() {
            for to in graph.get(from).into_iter().flatten() {
                if to == start {
                    let mut cycle = vec![start.clone(), from.clone()];
                    while let Some(&before) = came_from.get(&cycle[cycle.len() - 1]) {
                        cycle.push(String::clone(before));
                    }
                    cycle.reverse();
                    cycle.push(start.clone());
                    cycle.dedup();
                    return Some(cycle);
                }
                if !came_from.contains_key(to) {
                    came_from.insert(to.clone(), from);
                    queue.push_back(to);
                }
            }
        }
        None
    };
    graph.keys().filter_map(cycle_through).min_by_key(Vec::len)
}
