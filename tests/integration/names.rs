//! One name for one thing in every language: docs/names.md against the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The public names of types, each with its public methods; those of Python's modules are their functions.
type Names = BTreeMap<String, BTreeSet<String>>;

/// The types whose methods the page lists, in the order of its columns.
const LISTED: [&[&str]; 4] = [
    &["MeshBvh", "MeshPair", "WindingTree", "Scene", "Picker", "View"],
    &["Bvh", "Scene", "View", "picking"],
    &["Bvh", "Scene", "View"],
    &[FUNCTIONS],
];
const LANGUAGES: [&str; 4] = ["Rust", "Python", "JavaScript", "C"];
/// The owner of the functions of C.
const FUNCTIONS: &str = "";
/// The owner of all fields, variants, parameters and constants of a language, which options are.
const OPTIONS: &str = "an option";
const NOT_OFFERED: &str = "–";

#[test]
fn each_public_query_has_one_stem_in_every_language() {
    let page = fs::read_to_string(root().join("docs/names.md")).expect("the page is there");
    let faults = faults(&page, &[rust(), python(), java_script(), c()]);
    assert!(faults.is_empty(), "docs/names.md:\n{}", faults.join("\n"));
}

#[test]
fn a_missing_method_an_unknown_name_and_another_stem_are_faults() {
    let of = |methods: &[&str]| -> Names {
        let methods = methods.iter().map(|&name| name.to_owned()).collect();
        Names::from([("Bvh".to_owned(), methods)])
    };
    let rust = Names::from([("MeshBvh".to_owned(), of(&["closest_hit"])["Bvh"].clone())]);
    let c = Names::from([(FUNCTIONS.to_owned(), of(&["bvh_closest_hit"])["Bvh"].clone())]);
    let sources = [rust, of(&["closest_hits"]), of(&["closestHit", "closestHits"]), c];
    let page = |row: &str| {
        format!(
            "## Queries\n\n| stem | Rust | Python | JavaScript | C |\n|---|---|---|---|---|\n{row}\n"
        )
    };
    let good = "| closest hit | `MeshBvh::closest_hit` | `Bvh.closest_hits` | `Bvh.closestHit`, `closestHits` | `bvh_closest_hit` |";
    assert_eq!(faults(&page(good), &sources), Vec::<String>::new());
    for (from, to, fault) in [
        (", `closestHits`", "", "JavaScript: Bvh.closestHits is in the source and not on the page"),
        (
            "`Bvh.closest_hits`",
            NOT_OFFERED,
            "Python: Bvh.closest_hits is in the source and not on the page",
        ),
        ("`Bvh.closest_hits`", "", "closest hit: no name in Python; write – if it offers none"),
        (
            "`closestHits`",
            "`firstHits`",
            "JavaScript: Bvh.firstHits is on the page and not in the source",
        ),
        ("closest hit", "first hit", "Rust: MeshBvh.closest_hit lacks the stem first hit"),
        (
            "`bvh_closest_hit`",
            NOT_OFFERED,
            "C: .bvh_closest_hit is in the source and not on the page",
        ),
    ] {
        let found = faults(&page(&good.replacen(from, to, 1)), &sources);
        assert!(found.iter().any(|found| found == fault), "{found:?}");
    }
}

#[test]
fn an_option_of_another_name_is_a_fault() {
    let mut sources: [Names; 4] = Default::default();
    let texts = [
        "    OncePerCrossing,",
        "        once_per_crossing: bool = False,",
        "\toncePerCrossing?: boolean;",
        "#define HITSCAN_ONCE_PER_CROSSING 1",
    ];
    for (names, text) in sources.iter_mut().zip(texts) {
        collect_options(text, names);
    }
    let row = "| once per crossing | `OncePerCrossing` | `once_per_crossing` | `oncePerCrossing` | `ONCE_PER_CROSSING` |";
    assert_eq!(faults(&format!("## Options\n{row}\n"), &sources), Vec::<String>::new());
    let other = row.replace("`once_per_crossing`", "`once`");
    let found = faults(&format!("## Options\n{other}\n"), &sources);
    assert_eq!(
        found,
        [
            "Python: once is on the page and not in the source",
            "Python: once lacks the stem once per crossing"
        ]
    );
}

/// What is wrong with the page, a line each.
fn faults(page: &str, sources: &[Names; 4]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen: [BTreeSet<(String, String)>; 4] = Default::default();
    let mut section = "";
    for line in page.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [stem, names @ ..] = &cells[..] else { continue };
        if names.len() != LANGUAGES.len()
            || *stem == "stem"
            || *stem == "of"
            || stem.starts_with("---")
        {
            continue;
        }
        // A gloss follows a comma.
        let stem = stem.split(',').next().unwrap_or(stem);
        for (i, cell) in names.iter().enumerate() {
            let language = LANGUAGES[i];
            if *cell == NOT_OFFERED {
                continue;
            }
            let listed = listed_names(cell);
            if listed.is_empty() {
                faults.push(format!(
                    "{stem}: no name in {language}; write {NOT_OFFERED} if it offers none"
                ));
            }
            for (owner, name) in listed {
                let (is_known, shown) = match section {
                    "Types" => (sources[i].contains_key(&name), name.clone()),
                    "Options" => (has(&sources[i], OPTIONS, &name), name.clone()),
                    _ => (has(&sources[i], &owner, &name), format!("{owner}.{name}")),
                };
                if !is_known {
                    faults
                        .push(format!("{language}: {shown} is on the page and not in the source"));
                }
                if section != "Other methods" && !words(&name).contains(&words(stem)) {
                    faults.push(format!("{language}: {shown} lacks the stem {stem}"));
                }
                seen[i].insert((owner, name));
            }
        }
    }
    for (i, language) in LANGUAGES.iter().enumerate() {
        for owner in LISTED[i] {
            for name in sources[i].get(*owner).into_iter().flatten() {
                if !seen[i].contains(&((*owner).to_owned(), name.clone())) {
                    faults.push(format!(
                        "{language}: {owner}.{name} is in the source and not on the page"
                    ));
                }
            }
        }
    }
    faults
}

/// Adds the fields, variants and parameters that a text has on lines of their own, and the constants of C.
fn collect_options(text: &str, names: &mut Names) {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches("pub "));
    let options = lines.filter_map(|line| {
        let constant = line.strip_prefix("#define HITSCAN_").map(identifier);
        let field = line.strip_suffix(';').and_then(|line| line.rsplit([' ', '*']).next());
        let (name, after) = line.split_at(identifier(line).len());
        let is_option = after.starts_with([':', '?', ',']) && !after.starts_with("::");
        constant.or(is_option.then_some(name)).or(field)
    });
    names.entry(OPTIONS.to_owned()).or_default().extend(options.map(str::to_owned));
}

fn has(names: &Names, owner: &str, name: &str) -> bool {
    names.get(owner).is_some_and(|methods| methods.contains(name))
}

/// The names of a cell with their types. A name without a type has that of the name before it.
fn listed_names(cell: &str) -> Vec<(String, String)> {
    let mut owner = String::new();
    let names = cell.split('`').skip(1).step_by(2);
    names
        .map(|name| {
            let name = name.replace("::", ".");
            let (of, name) = name.rsplit_once('.').unwrap_or((&owner, &name));
            let (of, name) = (of.to_owned(), name.to_owned());
            owner.clone_from(&of);
            (of, name)
        })
        .collect()
}

/// The words of a name in lower case and the singular, each between spaces.
fn words(name: &str) -> String {
    let mut words = String::from(" ");
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && !before.is_uppercase() && before != ' ' {
            words.push(' ');
        }
        words.extend(if c == '_' { ' ' } else { c }.to_lowercase());
        before = c;
    }
    words.split_whitespace().fold(String::from(" "), |all, word| {
        // Not a plural: is, crossings of one ray.
        let word = if word.len() > 2 { word.strip_suffix('s').unwrap_or(word) } else { word };
        all + word + " "
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The public types of the libraries, and the public functions in their `impl` blocks.
fn rust() -> Names {
    let mut names = Names::new();
    for folder in ["primitives", "bvh", "scene", "picking"] {
        let mut files = vec![root().join("crates").join(folder).join("src")];
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files.extend(
                    fs::read_dir(path)
                        .expect("a folder")
                        .map(|entry| entry.expect("an entry").path()),
                );
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(path).expect("a source");
                collect_options(&text, &mut names);
                collect(&text, &mut names, rust_type, |line| {
                    let after =
                        line.strip_prefix("    pub fn ").or(line.strip_prefix("    pub const fn "));
                    Some(identifier(after?))
                });
            }
        }
    }
    names
}

/// The type of a declaration, or of an `impl` block that is no trait's.
fn rust_type(line: &str) -> Option<&str> {
    let declared = ["pub struct ", "pub enum "].iter().find_map(|start| line.strip_prefix(start));
    let block = line.strip_prefix("impl").filter(|rest| !rest.contains(" for "));
    let block = block.map(|rest| match rest.strip_prefix('<') {
        Some(generic) => generic.split_once("> ").map_or("", |(_, after)| after),
        None => rest.trim_start(),
    });
    declared.or(block).map(identifier)
}

/// The public classes of the Python package and their methods, and the functions of `picking`.
fn python() -> Names {
    let folder = root().join("bindings/python/python/hitscan");
    let mut names = Names::new();
    for file in [
        "_mesh",
        "_bvh",
        "_bvh_rays",
        "_bvh_space",
        "_hits",
        "_contacts",
        "_scene",
        "_scene_rays",
        "_scene_space",
        "_sections",
        "_view",
        "picking",
    ] {
        let text = fs::read_to_string(folder.join(file).with_extension("py")).expect("a source");
        collect_options(&text, &mut names);
        let class = |line: &'_ str| -> Option<String> {
            // Parts of the classes Bvh and Scene, in files of their own.
            let line = ["Bvh", "Scene"].iter().fold(line.to_owned(), |line, class| {
                let parts = ["Rays:", "Space:"].map(|part| format!("class {class}{part}"));
                parts.iter().fold(line, |line, part| line.replace(part, &format!("class {class}:")))
            });
            let name = line.strip_prefix("class ").map(identifier);
            name.or(line.split_once(": TypeAlias").map(|(name, _)| name)).map(str::to_owned)
        };
        let mut owner = None;
        for line in text.lines() {
            if let Some(name) = class(line) {
                names.entry(name.clone()).or_default();
                owner = Some(name);
            } else if line.starts_with("def ") {
                owner = Some(file.to_owned());
            }
            let method =
                line.strip_prefix("    def ").or(line.strip_prefix("def ")).map(identifier);
            if let (Some(owner), Some(method)) = (&owner, method)
                && !method.starts_with('_')
            {
                names.entry(owner.clone()).or_default().insert(method.to_owned());
            }
        }
    }
    names
}

/// The declarations of the npm package, with methods and properties.
fn java_script() -> Names {
    let path = root().join("bindings/web/js/index.d.ts");
    let text = fs::read_to_string(path).expect("the declarations");
    let mut names = Names::new();
    collect_options(&text, &mut names);
    let of = |line: &str| -> Option<usize> {
        ["export class ", "export interface ", "export type "]
            .iter()
            .find(|start| line.starts_with(**start))
            .map(|start| start.len())
    };
    collect(
        &text,
        &mut names,
        |line| of(line).map(|at| identifier(&line[at..])),
        |line| {
            let line = line.strip_prefix('\t')?;
            let line = ["static ", "readonly "]
                .iter()
                .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
            let name = identifier(line);
            let is_member = line[name.len()..].starts_with(['(', ':', '?']);
            (is_member && !name.is_empty() && name != "constructor").then_some(name)
        },
    );
    names
}

/// The header of C: its types, and its functions, without their prefix.
fn c() -> Names {
    let path = root().join("bindings/c/include/hitscan.h");
    let text = fs::read_to_string(path).expect("the header");
    let mut names = Names::from([(FUNCTIONS.to_owned(), BTreeSet::new())]);
    collect_options(&text, &mut names);
    for line in text.lines() {
        let Some((before, after)) = line.split_once(" hitscan_").or(line.split_once("*hitscan_"))
        else {
            continue;
        };
        let name = identifier(after).to_owned();
        if before.starts_with("typedef ") {
            names.entry(name).or_default();
        } else if after[name.len()..].starts_with('(') && !before.starts_with("//") {
            names.entry(FUNCTIONS.to_owned()).or_default().insert(name);
        }
    }
    names
}

/// Collects the types of a text, each with the methods until the next line that starts with a brace.
fn collect<'a>(
    text: &'a str,
    names: &mut Names,
    type_of: impl Fn(&'a str) -> Option<&'a str>,
    method_of: impl Fn(&'a str) -> Option<&'a str>,
) {
    let mut owner = None;
    for line in text.lines() {
        if let Some(name) = type_of(line) {
            names.entry(name.to_owned()).or_default();
            owner = Some(name);
        } else if line.starts_with('}') {
            owner = None;
        } else if let (Some(owner), Some(method)) = (owner, method_of(line)) {
            names.entry(owner.to_owned()).or_default().insert(method.to_owned());
        }
    }
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}
