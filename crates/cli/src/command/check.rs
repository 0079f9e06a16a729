//! `hitscan check`: compares every instruction set, builder, layout, query and batch with brute force.

use std::io::Write;

use clap::ValueEnum;
use hitscan::scene::SceneBruteForce;
use hitscan::{BuildOptions, BuildQuality, Faces, Isa, Layout, MeshBvh, Ray, TriMesh};
use hitscan_oracle::{Difference, HostileRays, Oracle, Query, Tally};

use crate::args::{CheckArgs, EngineArgs, LayoutArg, QualityArg};
use crate::check::{
    Comparison, Expected, ExpectedInScene, ExpectedInSceneSpace, ExpectedInSpace, FirstDifference,
    SceneDifference, SceneRays, SceneTally, Shape, displaced,
};
use crate::load::{LoadedScene, Model, RayTarget, build_tree_quietly, load_for_rays};
use crate::messages;
use crate::output::Target;
use crate::process::{Outcome, set_threads};

/// The number of rays whose brute-force answers are in memory at a time.
const CHUNK: usize = 1 << 13;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    set_threads(args.threads)?;
    let engine = EngineArgs::with_limits(args.limits);
    let mut model = match load_for_rays(&args.file, &engine)? {
        RayTarget::Scene(loaded) => return check_scene(args, *loaded),
        RayTarget::Mesh(model) => model,
    };
    let Trees { mut trees, mut rows, invalid } = Trees::build(&mut model, args)?;
    let mesh = &model.mesh;
    let mut stream = HostileRays::new(mesh, args.seed);
    let oracle = Oracle::new(mesh);
    let bar = messages::counter("checking", Some(args.rays as u64));
    let mut n_done = 0;
    while n_done < args.rays {
        let rays = stream.next_rays(CHUNK.min(args.rays - n_done));
        n_done += rays.len();
        let expected = Expected::new(&oracle, rays);
        let mut row = rows.iter_mut();
        trees = trees
            .into_iter()
            .map(|mut tree| {
                for isa in Isa::available() {
                    tree = tree.with_isa(isa);
                    for (shape, row) in Shape::ALL.into_iter().zip(&mut row) {
                        row.tally.add(expected.compare(&tree, shape));
                    }
                }
                tree
            })
            .collect();
        bar.set_position(n_done as u64);
    }
    bar.finish_and_clear();
    let in_space = compare_space(mesh, args, trees, &rows);

    let mut out = Target::open(None)?;
    let report = Report { args, rows: &rows, in_space: &in_space, invalid_trees: &invalid };
    report.write(&mut out)?;
    out.finish(&[])?;
    Ok(if report.n_differences() == 0 && invalid.is_empty() {
        Outcome::Done
    } else {
        Outcome::Nothing
    })
}

/// Compares the queries about points and regions and those with a filter, for each tree and instruction set.
fn compare_space(
    mesh: &TriMesh,
    args: &CheckArgs,
    trees: Vec<MeshBvh>,
    rows: &[Row],
) -> Vec<SpaceRow> {
    let isas = Isa::available();
    let bar = messages::counter("checking points", Some(rows.len() as u64));
    let expected = ExpectedInSpace::new(mesh, args.seed, args.rays);
    let mut in_space = Vec::new();
    let rows_of_trees = rows.chunks_exact(isas.len() * Shape::ALL.len());
    for (mut tree, rows) in trees.into_iter().zip(rows_of_trees) {
        for &isa in &isas {
            let comparison;
            (comparison, tree) = expected.compare(tree.with_isa(isa));
            let name = format!("{:<9} {:<8} {:<8}", rows[0].quality, isa.name(), rows[0].layout);
            in_space.push(SpaceRow { name, comparison });
            bar.inc(Shape::ALL.len() as u64);
        }
    }
    bar.finish_and_clear();
    in_space
}

/// A row of the second table: queries about points and regions, and those with a filter.
struct SpaceRow {
    /// The tree and the instruction set.
    name: String,
    comparison: Comparison,
}

/// Writes the second table and the first difference of each of its rows.
fn write_space(out: &mut impl Write, rows: &[SpaceRow]) -> std::io::Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let queries: Vec<&str> = first.comparison.queries.keys().copied().collect();
    if queries.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nPoints, regions and filters, a query per column: differences")?;
    write!(out, "{:<9} {:<8} {:<8}", "quality", "isa", "layout")?;
    queries.iter().try_for_each(|query| write!(out, " {query}"))?;
    writeln!(out)?;
    for SpaceRow { name, comparison } in rows {
        write!(out, "{name}")?;
        for query in &queries {
            let n = comparison.queries.get(query).map_or(0, |[_, n]| *n);
            write!(out, " {n:>width$}", width = query.len())?;
        }
        writeln!(out)?;
    }
    for SpaceRow { name, comparison } in rows {
        if let Some(FirstDifference { query, case, expected, found }) = &comparison.first {
            let name: Vec<&str> = name.split_whitespace().collect();
            writeln!(out, "difference in {query}, {}", name.join(", "))?;
            writeln!(out, "  {}", shortened(case))?;
            writeln!(out, "  expected {}", shortened(expected))?;
            writeln!(out, "  found    {}", shortened(found))?;
        }
    }
    Ok(())
}

/// Compares the scene, with the trees of each layout and quality, with a scan of all instances.
fn check_scene(args: &CheckArgs, loaded: LoadedScene) -> anyhow::Result<Outcome> {
    let reference = loaded.scene.clone();
    let scan = SceneBruteForce::new(&reference);
    let mut rows = scene_rows();
    let mut loaded = loaded;
    let mut stream = SceneRays::new(&reference, args.seed);
    let bar = messages::counter("checking", Some(args.rays as u64));
    let mut n_done = 0;
    while n_done < args.rays || n_done == 0 {
        let n = CHUNK.min(args.rays - n_done);
        let rays = stream.next_rays(n);
        let in_space = ExpectedInSceneSpace::new(&scan, &rays);
        let expected = ExpectedInScene::new(&scan, rays);
        n_done += n;
        // One set of trees at a time, because each takes as much memory as the scene.
        for rows in rows.chunks_exact_mut(Shape::ALL.len()) {
            let SceneRow { quality, layout, isa, .. } = rows[0];
            loaded.rebuild(&BuildOptions { quality, layout, isa })?;
            for row in rows {
                row.tally.add(expected.compare(&loaded.scene, row.shape));
                if row.shape == Shape::Single {
                    row.in_space.add(in_space.compare(&loaded.scene));
                }
            }
        }
        bar.set_position(n_done as u64);
        if args.rays == 0 {
            break;
        }
    }
    bar.finish_and_clear();
    let mut out = Target::open(None)?;
    write_scene_report(args, &rows, &mut out)?;
    out.finish(&[])?;
    let n: u64 = rows.iter().map(SceneRow::n_differences).sum();
    Ok(if n == 0 { Outcome::Done } else { Outcome::Nothing })
}

/// A row for each quality, layout, instruction set and shape. Rows of the same trees follow each other.
fn scene_rows() -> Vec<SceneRow> {
    let mut rows = Vec::new();
    for layout in LayoutArg::OF_TREES {
        for &quality in QualityArg::value_variants() {
            let (layout, quality) = (layout.into(), quality.into());
            for isa in Isa::available() {
                rows.extend(Shape::ALL.map(|shape| {
                    let tally = SceneTally::default();
                    let in_space = Comparison::default();
                    SceneRow { quality, layout, isa, shape, tally, in_space }
                }));
            }
        }
    }
    rows
}

/// A row of the report of a scene.
struct SceneRow {
    quality: BuildQuality,
    layout: Layout,
    isa: Isa,
    shape: Shape,
    tally: SceneTally,
    /// Of the rows with single rays.
    in_space: Comparison,
}

impl SceneRow {
    fn n_differences(&self) -> u64 {
        self.tally.n_differences.iter().sum::<u64>() + self.in_space.n_differences()
    }
}

fn write_scene_report(
    args: &CheckArgs,
    rows: &[SceneRow],
    out: &mut impl Write,
) -> std::io::Result<()> {
    let name = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    write!(out, "{:<9} {:<8} {:<8} {:<13}", "quality", "isa", "layout", "shape")?;
    for query in Query::ALL {
        write!(out, " {:>9}", query.name())?;
    }
    writeln!(out, "   (differences)")?;
    for SceneRow { quality, layout, isa, shape, tally, .. } in rows {
        let (quality, layout) = (name(quality), name(layout));
        write!(out, "{quality:<9} {:<8} {layout:<8} {:<13}", isa.name(), shape.name())?;
        for (query, n) in Query::ALL.into_iter().zip(tally.n_differences) {
            match (query, shape) {
                // A batch of a scene finds closest hits, or whether there are any.
                (Query::Closest | Query::Any, _) | (_, Shape::Single) => write!(out, " {n:>9}")?,
                _ => write!(out, " {:>9}", "-")?,
            }
        }
        writeln!(out)?;
    }
    for (row, difference) in rows.iter().filter_map(|row| Some((row, row.tally.first.as_ref()?))) {
        let SceneDifference { query, faces, ray, expected, found } = difference;
        let [ox, oy, oz] = ray.origin.to_array();
        let [dx, dy, dz] = ray.direction.to_array();
        writeln!(
            out,
            "difference in {}, {}, {}, {}",
            query.name(),
            row.shape.name(),
            name(&row.quality),
            row.isa.name()
        )?;
        writeln!(
            out,
            "  hitscan cast {} --from={ox:?},{oy:?},{oz:?} --dir={dx:?},{dy:?},{dz:?} --t-min={:?} \
             --t-max={:?} {} --faces {}",
            args.file.display(),
            ray.t_min,
            ray.t_max,
            flags_of_query(*query),
            name_of(*faces)
        )?;
        writeln!(out, "  expected {}", shortened(expected))?;
        writeln!(out, "  found    {}", shortened(found))?;
    }
    let single = rows.iter().filter(|row| row.shape == Shape::Single);
    let in_space: Vec<SpaceRow> = single
        .map(|SceneRow { quality, layout, isa, in_space, .. }| {
            let name = format!("{:<9} {:<8} {:<8}", name(quality), isa.name(), name(layout));
            SpaceRow { name, comparison: in_space.clone() }
        })
        .collect();
    write_space(out, &in_space)?;
    let of_row = |row: &SceneRow| row.tally.n_answers + row.in_space.n_answers();
    let n_answers: u64 = rows.iter().map(of_row).sum();
    let n: u64 = rows.iter().map(SceneRow::n_differences).sum();
    let (n_rays, seed) = (args.rays, args.seed);
    writeln!(out, "{n_rays} rays (seed {seed}), {n_answers} answers compared, {n} differences")
}

/// A tree of each layout and quality, and the rows of the report: one for each tree, instruction set and
/// shape of the query.
struct Trees {
    trees: Vec<MeshBvh>,
    rows: Vec<Row>,
    /// The faults of invalid trees.
    invalid: Vec<String>,
}

impl Trees {
    fn build(model: &mut Model, args: &CheckArgs) -> anyhow::Result<Self> {
        let (mut trees, mut rows, mut invalid) = (vec![], vec![], vec![]);
        for layout in LayoutArg::OF_TREES {
            for &quality in QualityArg::value_variants() {
                let engine = EngineArgs {
                    quality: Some(quality),
                    isa: None,
                    layout: Some(layout),
                    threads: args.threads,
                    limits: args.limits,
                };
                let tree = build_tree_quietly(model, &engine)?;
                trees.push((name(quality), name(layout), tree));
            }
            trees.extend(refitted(&model.mesh, layout));
        }
        for (quality, layout, tree) in &trees {
            if let Err(broken) = tree.validate(&model.mesh) {
                invalid.push(format!("the {layout} {quality} tree is invalid: {broken}"));
            }
            for isa in Isa::available() {
                rows.extend(Shape::ALL.map(|shape| {
                    let (quality, layout) = (quality.clone(), layout.clone());
                    Row { quality, layout, isa, shape, tally: Tally::default() }
                }));
            }
        }
        let trees = trees.into_iter().map(|(.., tree)| tree).collect();
        Ok(Self { trees, rows, invalid })
    }
}

/// The quality of a tree of high quality that was built for a displaced mesh, and refitted.
const REFIT: &str = "refit";

/// A refitted tree. `None` if the mesh is too large to be displaced, or the tree would have another scale.
fn refitted(mesh: &TriMesh, layout: LayoutArg) -> Option<(String, String, MeshBvh)> {
    let options = BuildOptions {
        quality: BuildQuality::High,
        layout: layout.into(),
        ..BuildOptions::default()
    };
    let mut tree = MeshBvh::build(&displaced(mesh)?, &options);
    tree.refit(mesh).ok()?;
    Some((REFIT.to_owned(), name(layout), tree))
}

/// A row of the report: one tree, instruction set and batch shape.
struct Row {
    quality: String,
    layout: String,
    isa: Isa,
    shape: Shape,
    tally: Tally,
}

struct Report<'a> {
    args: &'a CheckArgs,
    rows: &'a [Row],
    in_space: &'a [SpaceRow],
    invalid_trees: &'a [String],
}

impl Report<'_> {
    fn n_differences(&self) -> u64 {
        let of_rays: u64 = self.rows.iter().map(|row| row.tally.total_differences()).sum();
        of_rays + self.in_space.iter().map(|row| row.comparison.n_differences()).sum::<u64>()
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        write!(out, "{:<9} {:<8} {:<8} {:<13}", "quality", "isa", "layout", "shape")?;
        for query in Query::ALL {
            write!(out, " {:>9}", query.name())?;
        }
        writeln!(out, "   (differences)")?;
        for Row { quality, layout, isa, shape, tally } in self.rows {
            write!(out, "{quality:<9} {:<8} {layout:<8} {:<13}", isa.name(), shape.name())?;
            for (query, n) in Query::ALL.into_iter().zip(tally.n_differences) {
                match (query, shape) {
                    // The library has no batch of nearest hits.
                    (Query::Nearest, Shape::Batch | Shape::ShortBatches) => {
                        write!(out, " {:>9}", "-")?;
                    }
                    _ => write!(out, " {n:>9}")?,
                }
            }
            writeln!(out)?;
        }
        for broken in self.invalid_trees {
            writeln!(out, "{broken}")?;
        }
        self.write_first_differences(out)?;
        write_space(out, self.in_space)?;
        let of_rays: u64 = self.rows.iter().map(|row| row.tally.n_answers).sum();
        let in_space: u64 = self.in_space.iter().map(|row| row.comparison.n_answers()).sum();
        let n_answers = of_rays + in_space;
        let trees = match self.invalid_trees {
            [] => "all trees valid".to_owned(),
            invalid => format!("{} invalid trees", invalid.len()),
        };
        writeln!(
            out,
            "{} rays (seed {}), {n_answers} answers compared, {} differences, {trees}",
            self.args.rays,
            self.args.seed,
            self.n_differences(),
        )
    }

    fn write_first_differences(&self, out: &mut impl Write) -> std::io::Result<()> {
        let differences = self
            .rows
            .iter()
            .flat_map(|row| row.tally.first.iter().map(move |difference| (row, difference)));
        for (row, difference) in differences.take(10) {
            let Row { quality, layout, .. } = row;
            let isa = row.isa.name();
            let Difference { query, faces, ray, expected, found } = difference;
            writeln!(
                out,
                "difference in {}, {}, {quality}, {layout}, {isa}",
                query.name(),
                row.shape.name()
            )?;
            writeln!(
                out,
                "  hitscan cast {} {} {} --faces {}{} --layout {layout} --isa {isa}",
                self.args.file.display(),
                flags_of(ray),
                flags_of_query(*query),
                name_of(*faces),
                if quality == REFIT { String::new() } else { format!(" --quality {quality}") },
            )?;
            writeln!(out, "  expected {}", shortened(expected))?;
            writeln!(out, "  found    {}", shortened(found))?;
        }
        Ok(())
    }
}

/// The flags of `hitscan cast` for a query.
fn flags_of_query(query: Query) -> &'static str {
    match query {
        Query::Closest => "--closest",
        Query::Any => "--any",
        Query::AllClosed | Query::Nearest => "--all",
        Query::AllOnce => "--all --once",
        Query::Crossings => "--count",
    }
}

/// The flags of `hitscan cast` for a ray. The decimals are short and parse to the same bits.
fn flags_of(ray: &Ray) -> String {
    let [ox, oy, oz] = ray.origin.to_array();
    let [dx, dy, dz] = ray.direction.to_array();
    let (t_min, t_max) = (ray.t_min, ray.t_max);
    format!(
        "--from={ox:?},{oy:?},{oz:?} --dir={dx:?},{dy:?},{dz:?} --t-min={t_min:?} --t-max={t_max:?}"
    )
}

/// The name of a flag's value.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn name_of(faces: Faces) -> &'static str {
    match faces {
        Faces::Both => "both",
        Faces::Front => "front",
        Faces::Back => "back",
    }
}

/// The first 600 characters of a text, since a thousand hits help no reader.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 600;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} ... ({} bytes)", &text[..end], text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_as_flags_parses_to_the_same_bits() {
        let ray = Ray::new([0.1, -0.0, 1e-45], [3.402_823_5e38, 1e-7, -1.0 / 3.0]);
        let flags = flags_of(&ray.with_range(f32::NEG_INFINITY, 0.3));
        let numbers: Vec<u32> = flags
            .split([' ', '=', ','])
            .filter_map(|word| word.parse::<f32>().ok())
            .map(f32::to_bits)
            .collect();
        let expected = [0.1, -0.0, 1e-45, 3.402_823_5e38, 1e-7, -1.0 / 3.0, f32::NEG_INFINITY, 0.3];
        assert_eq!(numbers, expected.map(f32::to_bits));
    }
}
