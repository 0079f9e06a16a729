//! The speed of hitscan as a multiple of each peer's, by scene and ray set.

use super::{Anchor, DARK, GREY, LogAxis, PALE, Style, Svg};
use crate::compare::{Comparison, Row};
use crate::duel::{fastest, our_default, ratios as ratios_of};
use crate::engines::{COHERENT_PACKETS, Calls, REFERENCE};
use crate::stats::{self, Estimate};

const WIDTH: i32 = 1120;
/// Pixels between two ray sets.
const LINE: i32 = 28;

/// A line for each ray set of each scene, with a dot for each peer at the ratio on a logarithmic axis. An
/// engine with several configurations is shown by the fastest one of the cell.
pub(crate) fn ratios(scenes: &[Comparison], title: &str, caption: &str) -> String {
    let series = series(scenes);
    let legend = || series.iter().map(|series| (series.name.as_str(), series.style));
    let edges = (16, WIDTH - 16);
    // The legend decides the height, so it is laid out once before the drawing exists.
    let top = Svg::new((0, 0), "", "").legend(legend(), edges, 66) + 12;
    let n_lines: usize = scenes.iter().map(|scene| scene.sets.len()).sum();
    let bottom = top + LINE * n_lines as i32;
    let mut svg = Svg::new((WIDTH, bottom + 60), title, caption);
    svg.legend(legend(), edges, 66);
    let x = LogAxis { values: domain(&series), pixels: (190, WIDTH - 24) };
    axes(&mut svg, scenes, x, (top, bottom));
    for (number, one) in series.iter().enumerate() {
        let middle = LINE / 2 + offset(number, series.len());
        for (line, ratio) in &one.points {
            let y = top + LINE * *line as i32 + middle;
            svg.lines(&[(x.at(ratio.low), y), (x.at(ratio.high), y)], one.style.color, 1);
            svg.mark(one.style.marker, (x.at(ratio.median), y), one.style.color);
        }
    }
    svg.finish()
}

/// The vertical offset of a series, which keeps equal dots of one line apart.
fn offset(number: usize, n_series: usize) -> i32 {
    let share = (number as f64 + 0.5) / n_series as f64 - 0.5;
    (share * f64::from(LINE - 8)).round() as i32
}

fn axes(svg: &mut Svg, scenes: &[Comparison], x: LogAxis, (top, bottom): (i32, i32)) {
    const TICKS: [f64; 16] =
        [0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 15.0, 20.0, 30.0, 50.0];
    for tick in TICKS.into_iter().filter(|tick| (x.values.0..=x.values.1).contains(tick)) {
        let (color, width) = if tick == 1.0 { (DARK, 2) } else { (PALE, 1) };
        svg.lines(&[(x.at(tick), top), (x.at(tick), bottom)], color, width);
        svg.write(&format!("{tick}"), (x.at(tick), bottom + 8), 12, GREY, Anchor::Middle);
    }
    let axis =
        "hitscan's speed as a multiple of the peer's (logarithmic; right of 1 hitscan is faster)";
    let middle = (x.pixels.0 + x.pixels.1) / 2;
    svg.write(axis, (middle, bottom + 30), 13, GREY, Anchor::Middle);
    let mut y = top;
    for scene in scenes {
        svg.lines(&[(16, y), (x.pixels.1, y)], GREY, 1);
        svg.write(&scene.scene, (16, y + LINE / 2 - 7), 14, DARK, Anchor::Start);
        for (number, set) in scene.sets.iter().enumerate() {
            if number > 0 {
                svg.lines(&[(x.pixels.0, y), (x.pixels.1, y)], PALE, 1);
            }
            svg.write(set.name, (x.pixels.0 - 10, y + LINE / 2 - 7), 13, DARK, Anchor::End);
            y += LINE;
        }
    }
    svg.lines(&[(16, y), (x.pixels.1, y)], GREY, 1);
}

/// The ratios to one peer, by line of the plot.
struct Series {
    name: String,
    style: Style,
    points: Vec<(usize, Estimate)>,
}

/// One plotted ratio: its name, hitscan's calls, and the peer's rows.
struct Question {
    name: String,
    ours: Calls,
    peer: Box<dyn Fn(&Row) -> bool>,
}

fn questions(scenes: &[Comparison]) -> Vec<Question> {
    let Some(first) = scenes.first() else { return Vec::new() };
    let named = |name: &'static str| move |row: &Row| row.name == name;
    let mut questions = vec![Question {
        name: format!("single / {REFERENCE}"),
        ours: Calls::Single,
        peer: Box::new(named(REFERENCE)),
    }];
    let mut families: Vec<&str> = Vec::new();
    let others = first.rows.iter().filter(|row| !row.is_ours && row.calls == Calls::Single);
    for row in others {
        let family = family(row);
        if !families.contains(&family) {
            families.push(family);
        }
    }
    questions.extend(families.into_iter().map(|of| {
        let owned = of.to_owned();
        Question {
            name: format!("single / fastest {of}"),
            ours: Calls::Single,
            peer: Box::new(move |row: &Row| row.calls == Calls::Single && family(row) == owned),
        }
    }));
    questions.push(Question {
        name: format!("batch / {COHERENT_PACKETS}"),
        ours: Calls::Batch,
        peer: Box::new(named(COHERENT_PACKETS)),
    });
    questions
}

/// The engine without its configuration.
fn family(row: &Row) -> &str {
    row.name.split(' ').next().unwrap_or_default()
}

fn series(scenes: &[Comparison]) -> Vec<Series> {
    let styled = questions(scenes).into_iter().enumerate().map(|(number, question)| {
        let mut points = Vec::new();
        let mut line = 0;
        for scene in scenes {
            for set in 0..scene.sets.len() {
                let ours =
                    our_default(scene, question.ours).and_then(|row| row.cells[set].as_ref());
                let peer = fastest(scene, set, |row| (question.peer)(row));
                if let (Some(ours), Some((_, peer))) = (ours, peer) {
                    points.push((line, stats::estimate(&ratios_of(ours, peer))));
                }
                line += 1;
            }
        }
        Series { name: question.name, style: Style::of(number + 2, number), points }
    });
    styled.filter(|series| !series.points.is_empty()).collect()
}

/// The range of all intervals and 1, with a margin.
fn domain(series: &[Series]) -> (f64, f64) {
    let ratios = || series.iter().flat_map(|series| &series.points).map(|(_, ratio)| ratio);
    let low = ratios().map(|ratio| ratio.low).fold(0.9, f64::min);
    let high = ratios().map(|ratio| ratio.high).fold(1.2, f64::max);
    (low / 1.05, high * 1.05)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::tests::comparison;

    #[test]
    fn a_peer_is_shown_by_its_fastest_configuration_in_the_cell() {
        let scenes = [comparison(&[
            ("hitscan best", Calls::Single, 100.0),
            ("hitscan batch", Calls::Batch, 20.0),
            ("embree medium", Calls::Single, 150.0),
            ("embree packets of 16", Calls::Packets, 30.0),
            ("obvhs slow", Calls::Single, 400.0),
            ("obvhs fast", Calls::Single, 200.0),
        ])];
        let found: Vec<(String, f64)> = series(&scenes)
            .into_iter()
            .map(|series| (series.name, series.points[0].1.median))
            .collect();
        let expected = [
            ("single / embree medium", 1.5),
            ("single / fastest embree", 1.5),
            ("single / fastest obvhs", 2.0),
            ("batch / embree packets of 16", 1.5),
        ];
        assert_eq!(found, expected.map(|(name, ratio)| (name.to_owned(), ratio)));
        let svg = ratios(&scenes, "A title", "on a machine");
        for text in ["A title", "on a machine", "attic", "primary", "single / fastest obvhs"] {
            assert!(svg.contains(text), "{text} is missing: {svg}");
        }
    }
}
