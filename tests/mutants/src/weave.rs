//! All mutants in one source tree, of which one or none runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::mutant::{Mutant, Place, read, write};

/// What every crate gets: the number of the mutant that runs.
const SWITCH: &str = r#"
#[allow(warnings)]
mod mutant {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    static ACTIVE: AtomicU32 = AtomicU32::new(u32::MAX);
    #[inline]
    pub(crate) fn active() -> u32 {
        match ACTIVE.load(Relaxed) {
            u32::MAX => first(),
            active => active,
        }
    }
    #[cold]
    fn first() -> u32 {
        let active = std::env::var("HITSCAN_MUTANT").map_or(0, |id| id.parse().expect("a number"));
        ACTIVE.store(active, Relaxed);
        active
    }
}
"#;

/// Weaves the sample into a clean tree. Those that do not compile are left out, and marked.
pub(crate) fn weave(sample: &str, tree: &Path, woven: &str) -> Result<(), String> {
    let mut mutants: Vec<Mutant> = read(sample)?;
    let files: BTreeSet<String> = mutants.iter().map(|mutant| mutant.file.clone()).collect();
    let mut originals = BTreeMap::new();
    for file in files {
        let text =
            fs::read_to_string(tree.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        if text.contains("crate::mutant::") {
            return Err(format!("{file} is woven already"));
        }
        originals.insert(file, text);
    }
    let packages: BTreeSet<String> = mutants.iter().map(|mutant| mutant.package.clone()).collect();
    for package in &packages {
        let root =
            tree.join(format!("crates/{}/src/lib.rs", package.trim_start_matches("hitscan-")));
        let text = fs::read_to_string(&root).map_err(|error| error.to_string())?;
        fs::write(&root, text + SWITCH).map_err(|error| error.to_string())?;
    }
    mutants.iter_mut().for_each(|mutant| mutant.is_woven = true);
    loop {
        let mut found = BTreeSet::new();
        let mut texts = BTreeMap::new();
        for (file, text) in &originals {
            let of_file: Vec<&Mutant> =
                mutants.iter().filter(|mutant| mutant.is_woven && mutant.file == *file).collect();
            let sites = sites(text, &of_file).map_err(|error| format!("{file}: {error}"))?;
            let new = render(text, 0..text.len(), &sites);
            found.extend(
                of_file.iter().map(|m| m.id).filter(|id| new.contains(&format!("/*<{id}*/"))),
            );
            fs::write(tree.join(file), &new).map_err(|error| format!("{file}: {error}"))?;
            texts.insert(file.clone(), new);
        }
        let mut bad: BTreeSet<u32> =
            mutants.iter().filter(|m| m.is_woven && !found.contains(&m.id)).map(|m| m.id).collect();
        bad.extend(not_compiling(tree, &packages, &texts)?);
        if bad.is_empty() {
            break;
        }
        for mutant in mutants.iter_mut().filter(|mutant| bad.contains(&mutant.id)) {
            println!("left out: {}", mutant.name);
            mutant.is_woven = false;
        }
    }
    write(woven, &mutants)
}

/// A place in the source with its mutants.
struct Site {
    range: Range<usize>,
    kind: Kind,
    /// Numbers and replacements.
    changes: Vec<(u32, String)>,
}

enum Kind {
    /// The ranges of both operands.
    Binary([Range<usize>; 2]),
    /// The range of the operand.
    Unary(Range<usize>),
    Body,
    Guard,
    /// The range of the pattern, and that of the guard.
    Arm(Range<usize>, Option<Range<usize>>),
    /// The range of the value, and what the field is otherwise.
    Field(Range<usize>, String),
}

fn sites(text: &str, mutants: &[&Mutant]) -> syn::Result<Vec<Site>> {
    let mut starts = vec![0, 0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut finder = Finder { text, starts, mutants, sites: vec![] };
    finder.visit_file(&syn::parse_file(text)?);
    for mutant in mutants.iter().filter(|mutant| mutant.genre == "FnValue") {
        let range = finder.offset(mutant.span.start)..finder.offset(mutant.span.end);
        finder.add(mutant, range, Kind::Body);
    }
    let mut sites = finder.sites;
    // Outer ones first: a body or a guard may be one expression, and is around it then.
    sites.sort_by_key(|site| {
        let is_operator = matches!(site.kind, Kind::Binary(_) | Kind::Unary(_));
        (site.range.start, std::cmp::Reverse(site.range.end), is_operator)
    });
    Ok(sites)
}

struct Finder<'a> {
    text: &'a str,
    /// Of each line, from line 1 on.
    starts: Vec<usize>,
    mutants: &'a [&'a Mutant],
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn offset(&self, place: Place) -> usize {
        let line = &self.text[self.starts[place.line]..];
        let column = line.char_indices().nth(place.column - 1).map_or(line.len(), |(at, _)| at);
        self.starts[place.line] + column
    }

    fn range(&self, node: &impl Spanned) -> Range<usize> {
        let place = |at: LineColumn| Place { line: at.line, column: at.column + 1 };
        self.offset(place(node.span().start()))..self.offset(place(node.span().end()))
    }

    /// Adds the mutants of a genre that start where `at` does.
    fn find(
        &mut self,
        genre: &str,
        at: &impl Spanned,
        range: Range<usize>,
        kind: impl Fn() -> Kind,
    ) {
        let start = self.range(at).start;
        for mutant in self.mutants.iter().filter(|mutant| mutant.genre == genre) {
            if self.offset(mutant.span.start) == start {
                self.add(mutant, range.clone(), kind());
            }
        }
    }

    fn add(&mut self, mutant: &Mutant, range: Range<usize>, kind: Kind) {
        let change = (mutant.id, mutant.replacement.clone());
        let same = std::mem::discriminant(&kind);
        let site = self
            .sites
            .iter_mut()
            .find(|site| site.range == range && std::mem::discriminant(&site.kind) == same);
        match site {
            Some(site) => site.changes.push(change),
            None => self.sites.push(Site { range, kind, changes: vec![change] }),
        }
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_expr_binary(&mut self, node: &'a syn::ExprBinary) {
        let operands = [self.range(&node.left), self.range(&node.right)];
        self.find("BinaryOperator", &node.op, self.range(node), || Kind::Binary(operands.clone()));
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'a syn::ExprUnary) {
        let operand = self.range(&node.expr);
        self.find("UnaryOperator", &node.op, self.range(node), || Kind::Unary(operand.clone()));
        visit::visit_expr_unary(self, node);
    }

    fn visit_arm(&mut self, node: &'a syn::Arm) {
        let guard = node.guard.as_ref().map(|(_, guard)| self.range(guard));
        if let Some(((_, guard), range)) = node.guard.as_ref().zip(guard.clone()) {
            self.find("MatchArmGuard", guard, range, || Kind::Guard);
        }
        let pattern = self.range(&node.pat);
        let end = guard.as_ref().map_or(pattern.end, |guard| guard.end);
        let kind = || Kind::Arm(pattern.clone(), guard.clone());
        self.find("MatchArm", node, pattern.start..end, kind);
        visit::visit_arm(self, node);
    }

    fn visit_expr_struct(&mut self, node: &'a syn::ExprStruct) {
        if let Some(rest) = &node.rest {
            let rest = &self.text[self.range(rest)];
            let rest = match rest {
                "Default::default()" => {
                    format!("<{} as Default>::default()", &self.text[self.range(&node.path)])
                }
                rest => format!("({rest})"),
            };
            for field in &node.fields {
                let name = &self.text[self.range(&field.member)];
                let value = self.range(&field.expr);
                let kind = || Kind::Field(value.clone(), format!("{rest}.{name}"));
                self.find("StructField", field, self.range(field), kind);
            }
        }
        visit::visit_expr_struct(self, node);
    }
}

/// The text of a range, with the sites in it woven.
fn render(text: &str, range: Range<usize>, sites: &[Site]) -> String {
    let mut new = String::new();
    let mut at = range.start;
    for (i, site) in sites.iter().enumerate() {
        if site.range.start < at || site.range.end > range.end {
            continue;
        }
        new += &text[at..site.range.start];
        new += &woven(text, site, &sites[i + 1..]);
        at = site.range.end;
    }
    new + &text[at..range.end]
}

/// A site as a choice between its mutants. Each is between marks, by which a compiler's message finds it.
fn woven(text: &str, site: &Site, inner: &[Site]) -> String {
    let part = |range: &Range<usize>| render(text, range.clone(), inner);
    let ids = || site.changes.iter().map(|(id, _)| *id);
    let all = |inside: &str| {
        let begin: String = ids().map(|id| format!("/*<{id}*/")).collect();
        let end: String = ids().map(|id| format!("/*{id}>*/")).collect();
        format!("{begin}{inside}{end}")
    };
    let active = all("crate::mutant::active()");
    let one_of = |change: &dyn Fn(&str) -> String, otherwise: String| {
        let arms: String = site
            .changes
            .iter()
            .map(|(id, replacement)| {
                format!("/*<{id}*/{id} => {{ {} }}/*{id}>*/ ", change(replacement))
            })
            .collect();
        format!("match {active} {{ {arms}_ => {{ {otherwise} }} }}")
    };
    match &site.kind {
        Kind::Binary([left, right]) => {
            let operator = &text[left.end..right.start];
            let (left, right) = (part(left), part(right));
            let change = |new: &str| format!("{left} {new} {right}");
            format!("({})", one_of(&change, format!("{left}{operator}{right}")))
        }
        Kind::Unary(operand) => {
            let operator = &text[site.range.start..operand.start];
            let operand = part(operand);
            format!("({})", one_of(&|_| operand.clone(), format!("{operator}{operand}")))
        }
        Kind::Guard => {
            let guard = render(text, site.range.clone(), inner);
            format!("({})", one_of(&str::to_owned, guard))
        }
        Kind::Body => {
            let choice = one_of(&|new| format!("return {new};"), String::new());
            format!("{choice} {}", render(text, site.range.clone(), inner))
        }
        Kind::Arm(pattern, guard) => {
            let not = ids().map(|id| format!("{active} != {id}")).collect::<Vec<_>>().join(" && ");
            let guard =
                guard.as_ref().map_or(String::new(), |guard| format!(" && ({})", part(guard)));
            format!("{} if {not}{guard}", &text[pattern.clone()])
        }
        Kind::Field(value, rest) => {
            let name = &text[site.range.clone()];
            let name = name.split(':').next().expect("even an empty text has a first part");
            format!("{name}: {}", one_of(&|_| rest.clone(), part(value)))
        }
    }
}

/// The mutants at which the compiler takes offence.
fn not_compiling(
    tree: &Path,
    packages: &BTreeSet<String>,
    texts: &BTreeMap<String, String>,
) -> Result<BTreeSet<u32>, String> {
    let mut bad = BTreeSet::new();
    // The crates below first: those above are not even looked at before they compile.
    let mut command = Command::new("cargo");
    command.current_dir(tree).env("RUSTFLAGS", "--cap-lints=allow");
    command.args(["check", "--tests", "--message-format=json"]);
    command.args(packages.iter().map(|package| format!("--package={package}")));
    if packages.contains("hitscan-obj") {
        command.arg("--features=hitscan-obj/images");
    }
    let output = command.output().map_err(|error| format!("cargo: {error}"))?;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let message = &message["message"];
        if message["level"] != "error" {
            continue;
        }
        let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
        let blamed_by = |or_before: bool| -> BTreeSet<u32> {
            let spans = spans.iter().filter(|span| span["is_primary"] == true);
            let places = spans.filter_map(|span| {
                Some((texts.get(span["file_name"].as_str()?)?, span["byte_start"].as_u64()?))
            });
            places.filter_map(|(text, at)| innermost(text, at as usize, or_before)).collect()
        };
        let mut blamed = blamed_by(false);
        if blamed.is_empty() {
            blamed = blamed_by(true);
        }
        if blamed.is_empty() && !spans.is_empty() {
            return Err(format!(
                "no mutant is to blame: {}",
                message["rendered"].as_str().unwrap_or("?")
            ));
        }
        bad.extend(blamed);
    }
    if bad.is_empty() && !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(bad)
}

/// The innermost mutant between whose marks a byte lies; failing that, if it is wanted, the last before it:
/// an early return of another type makes the rest of its function wrong.
fn innermost(text: &str, at: usize, or_before: bool) -> Option<u32> {
    let mut open: Vec<u32> = Vec::new();
    let mut last = None;
    let mut rest = 0;
    while let Some(mark) =
        text[rest..].find("/*").map(|found| rest + found).filter(|&mark| mark <= at)
    {
        let end = mark + text[mark..].find("*/")? + 2;
        let inside = &text[mark + 2..end - 2];
        if let Some(id) = inside.strip_prefix('<').and_then(|id| id.parse().ok()) {
            open.push(id);
        } else if let Some(id) = inside.strip_suffix('>').and_then(|id| id.parse::<u32>().ok()) {
            open.retain(|&other| other != id);
            last = Some(id);
        }
        rest = end;
    }
    open.last().copied().or(last.filter(|_| or_before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::Span;

    #[test]
    fn a_body_that_is_one_expression_keeps_the_mutants_of_both() {
        let text = "fn half(x: f64) -> f64 {\n    x * 0.5\n}\n";
        let mutant = |id, genre: &str, columns: [usize; 2], replacement: &str| {
            let [start, end] = columns.map(|column| Place { line: 2, column });
            let text = String::new;
            Mutant {
                id,
                name: text(),
                package: text(),
                file: text(),
                genre: genre.to_owned(),
                replacement: replacement.to_owned(),
                span: Span { start, end },
                is_woven: true,
            }
        };
        let mutants =
            [mutant(1, "BinaryOperator", [7, 8], "+"), mutant(2, "FnValue", [5, 12], "1.0")];
        let sites = sites(text, &mutants.iter().collect::<Vec<_>>()).expect("valid Rust");
        let woven = render(text, 0..text.len(), &sites);
        assert!(woven.contains("{ return 1.0; }") && woven.contains("{ x + 0.5 }"), "{woven}");
    }
}
