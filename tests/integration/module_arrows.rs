//! Imports go one way: no cycle between the modules of a crate, no import from a parent, and the table of
//! modules on the page of each crate is true.
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

/// The table of modules in each `lib.rs`: an import goes from a row to the same row or to one below, and the
/// last column names the imports from other rows.
#[test]
fn the_table_of_each_crate_lists_its_modules_above_their_imports() {
    let mut wrong = Vec::new();
    for folder in crates() {
        let name = file_name(&folder);
        let mut found = rooms(&Crate::read(&folder.join("src")).graph());
        found.remove("crate");
        let text = fs::read_to_string(folder.join("src/lib.rs")).expect("a crate has a lib.rs");
        wrong.extend(faults(&rows_of(&text), &found).map(|fault| format!("{name}: {fault}")));
    }
    assert!(wrong.is_empty(), "the tables of modules in lib.rs:\n{}", wrong.join("\n"));
}

#[test]
fn a_false_arrow_is_found() {
    let table = "//! # Modules\n//!\n//! | module | holds | imports |\n//! |---|---|---|\n\
        //! | `a`, [`b`] | two | `c` |\n//! | `c` | one | |\n//!\n//! | `d` | no module | |\n";
    let graph = |arrows: &[(&str, &[&str])]| {
        let modules = arrows
            .iter()
            .map(|(from, to)| ((*from).to_owned(), to.iter().map(|to| (*to).to_owned()).collect()));
        modules.collect::<Graph>()
    };
    let count = |arrows| faults(&rows_of(table), &graph(arrows)).count();
    assert_eq!(count(&[("a", &["b"]), ("b", &["c"]), ("c", &[])]), 0);
    assert_eq!(count(&[("a", &[]), ("b", &[]), ("c", &[])]), 1, "a stale arrow");
    assert_eq!(count(&[("a", &["c"]), ("b", &[]), ("c", &["a"])]), 2, "an arrow up");
    assert_eq!(count(&[("a", &["c"]), ("c", &[])]), 1, "a stale module");
    assert_eq!(count(&[("a", &["c"]), ("b", &[]), ("c", &[]), ("d", &[])]), 1, "a missing module");
}

/// The lines below a heading "The way of …" in a `lib.rs`: each names a file, and a function or type in it. Each file
/// imports from those that stand farther to the right below it, or holds them as its child modules.
#[test]
fn the_drawn_way_of_a_packet_goes_along_imports() {
    let src = root().join("crates/bvh/src");
    let graph = Crate::read(&src).graph();
    let page = fs::read_to_string(src.join("lib.rs")).expect("a crate has a lib.rs");
    let faults = |page: &str| faults_of_way(page, &graph, |module| text_of(&src, module));
    assert_eq!(faults(&page), Vec::<String>::new());
    for (from, to, fault) in [
        ("trace_packet ", "trace_parcel ", "traverse/packet has no trace_parcel"),
        ("query/rows ", "traverse/robust ", "query/batch does not import traverse/robust"),
        ("query/ray_kinds ", "query/ray_sorts ", "no file query/ray_sorts"),
    ] {
        let found = faults(&page.replacen(from, to, 1));
        assert!(found.iter().any(|found| found == fault), "{found:?}");
    }
}

/// The numbered files of ARCHITECTURE.md, each with the first name that it explains.
#[test]
fn the_way_of_a_ray_names_twelve_files_and_what_is_in_them() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page is there");
    let (_, way) = page.split_once("## The way of a ray\n").expect("it has the heading");
    let (way, _) = way.split_once("\n## ").expect("it is not the last heading");
    assert!(way.contains("in twelve files"));
    let steps = way.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let names = steps.map(|step| step.split('`').skip(1).step_by(2).take(2).collect::<Vec<_>>());
    let names: Vec<_> = names.collect();
    assert_eq!(names.len(), 12);
    for step in names {
        let [file, name] = step[..] else { panic!("{step:?}: expected a file and a name") };
        let inside = root().join("crates/bvh/src").join(file);
        let path = if inside.exists() { inside } else { root().join(file) };
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let name = name.rsplit("::").next().unwrap_or(name);
        assert!(defines(&text, name), "{file} has no {name}");
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

fn file_name(path: &Path) -> String {
    path.file_name().expect("the path ends with a name").to_string_lossy().into_owned()
}

/// A row of a table of modules.
#[derive(Debug, Default)]
struct Row {
    modules: BTreeSet<String>,
    imports: BTreeSet<String>,
}

/// The rows of the table under `# Modules` in the page of a crate.
fn rows_of(text: &str) -> Vec<Row> {
    let lines = text.lines().skip_while(|line| *line != "//! # Modules");
    let table = lines.skip_while(|line| !line.starts_with("//! |"));
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let rows = table.map_while(|line| line.strip_prefix("//! |")).skip(2).map(|row| {
        let cells: Vec<_> = row.split('|').collect();
        let imports = cells.get(2).map(|cell| names(cell)).unwrap_or_default();
        Row { modules: names(cells[0]), imports }
    });
    rows.collect()
}

/// The differences between a table and the imports of a crate.
fn faults<'a>(rows: &'a [Row], found: &'a Graph) -> impl Iterator<Item = String> + 'a {
    let row_of = |module: &str| rows.iter().position(|row| row.modules.contains(module));
    let missing = found
        .keys()
        .filter(move |module| row_of(module).is_none())
        .map(|module| format!("`{module}` has no row"));
    let of_rows = rows.iter().enumerate().flat_map(move |(i, row)| {
        let stale = row.modules.iter().filter(|module| !found.contains_key(*module));
        let mut faults: Vec<_> =
            stale.map(|module| format!("there is no module `{module}`")).collect();
        let imports = row.modules.iter().filter_map(|module| found.get(module)).flatten();
        let imports: BTreeSet<_> =
            imports.filter(|import| !row.modules.contains(*import)).cloned().collect();
        let above = imports.iter().filter(|import| row_of(import).is_some_and(|to| to < i));
        faults.extend(above.map(|to| format!("{:?} import `{to}` of a row above", row.modules)));
        if imports != row.imports {
            let names: Vec<_> = imports.iter().map(|name| format!("`{name}`")).collect();
            faults.push(format!("the imports of {:?} are: {}", row.modules, names.join(", ")));
        }
        faults
    });
    missing.chain(of_rows)
}

/// The folders of all crates that hold modules.
fn crates() -> Vec<PathBuf> {
    let parents = ["crates", "bindings", "bindings/c", "bindings/web"];
    let entries = parents.map(|parent| fs::read_dir(root().join(parent)).expect("it is there"));
    let mut folders: Vec<_> =
        entries.into_iter().flatten().map(|entry| entry.expect("it can be read").path()).collect();
    folders.retain(|folder| folder.join("src/lib.rs").is_file());
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

/// What is wrong with the drawn ways of a page.
fn faults_of_way(
    page: &str,
    graph: &Graph,
    text_of: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut faults = Vec::new();
    let (_, ways) = page.split_once("//! # The way of ").expect("the page has a way");
    let drawn = ways.split("//! ```").nth(1).expect("a way is drawn");
    // The files above the current one, by indentation.
    let mut above: Vec<(usize, &str)> = Vec::new();
    for line in drawn.lines().filter_map(|line| line.strip_prefix("//! ")) {
        let mut words = line.split_whitespace();
        let (Some(file), Some(name)) = (words.next(), words.next()) else { continue };
        let indent = line.len() - line.trim_start().len();
        above.retain(|&(other, _)| other < indent);
        match text_of(file) {
            None => faults.push(format!("no file {file}")),
            Some(text) if !defines(&text, name) => faults.push(format!("{file} has no {name}")),
            Some(_) => {}
        }
        if let Some((_, caller)) = above.last() {
            let is_child = file.strip_prefix(caller).is_some_and(|rest| rest.starts_with('/'));
            let imports = graph.get(&caller.replace('/', "::"));
            if !is_child && !imports.is_some_and(|to| to.contains(&file.replace('/', "::"))) {
                faults.push(format!("{caller} does not import {file}"));
            }
        }
        above.push((indent, file));
    }
    faults
}

/// The source of a module, given as a path.
fn text_of(src: &Path, module: &str) -> Option<String> {
    let file = src.join(module).with_extension("rs");
    fs::read_to_string(file).or_else(|_| fs::read_to_string(src.join(module).join("mod.rs"))).ok()
}

/// Whether a text declares a function or a type of a name.
fn defines(text: &str, name: &str) -> bool {
    ["fn ", "struct ", "enum ", "trait "].iter().any(|keyword| {
        text.match_indices(&format!("{keyword}{name}")).any(|(at, found)| {
            !text[at + found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
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
