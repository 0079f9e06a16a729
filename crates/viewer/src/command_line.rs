//! The `hitscan` command that repeats a pick or selection.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;

use hitscan::glam::DVec2;
use hitscan::picking::{Camera, ElementKind, Projection};

use crate::hidden::Hidden;

/// The parts of a command that do not depend on the query.
#[derive(Clone, Debug)]
pub(crate) struct CommandLine<'a> {
    pub(crate) file: &'a str,
    pub(crate) camera: &'a Camera,
    pub(crate) window: DVec2,
    pub(crate) kind: ElementKind,
    pub(crate) hidden: &'a Hidden,
    /// The coefficients of a clipping plane.
    pub(crate) clip: Option<[f64; 4]>,
}

/// The pick or selection to repeat.
#[derive(Clone, Debug)]
pub(crate) enum Query<'a> {
    /// The `click`-th click at the same pixel, counted from 1.
    Pixel {
        at: DVec2,
        click: usize,
        x_ray: bool,
    },
    Marquee {
        from: DVec2,
        to: DVec2,
        enclose: bool,
        visible: bool,
    },
    Lasso {
        outline: &'a [DVec2],
        enclose: bool,
        visible: bool,
    },
}

impl CommandLine<'_> {
    /// Returns the command with the same result. Numbers parse back to the same bits.
    pub(crate) fn for_query(&self, query: &Query<'_>) -> String {
        let verb = if matches!(query, Query::Pixel { .. }) { "pick" } else { "select" };
        let Camera { eye, target, up, projection, .. } = self.camera;
        let mut line = format!("hitscan {verb} {}", quoted(self.file));
        line += &format!(" --eye {} --target {}", list(eye.as_ref()), list(target.as_ref()));
        if up.to_array() != [0.0, 1.0, 0.0] {
            line += &format!(" --up {}", list(up.as_ref()));
        }
        if let Projection::Orthographic { height } = projection {
            line += &format!(" --ortho {height:?}");
        }
        line += &format!(" --size {}x{}", self.window.x, self.window.y);
        let flag = |on: bool, name: &'static str| if on { name } else { "" };
        line += &match query {
            Query::Pixel { at, click, x_ray } => {
                let is_plain = *click == 1 && !x_ray;
                let clicks = if is_plain { String::new() } else { format!(" --click {click}") };
                format!(" --pixel {}{clicks}{}", list(at.as_ref()), flag(*x_ray, " --x-ray"))
            }
            Query::Marquee { from, to, enclose, visible } => {
                let corners = list(&[from.x, from.y, to.x, to.y]);
                let (enclose, visible) =
                    (flag(*enclose, " --enclose"), flag(*visible, " --visible"));
                format!(" --marquee {corners}{enclose}{visible}")
            }
            Query::Lasso { outline, enclose, visible } => {
                let corners: Vec<f64> = outline.iter().flat_map(|p| p.to_array()).collect();
                let (enclose, visible) =
                    (flag(*enclose, " --enclose"), flag(*visible, " --visible"));
                format!(" --lasso {}{enclose}{visible}", list(&corners))
            }
        };
        line += match self.kind {
            ElementKind::Object => "",
            ElementKind::Face => " --element face",
            ElementKind::Edge => " --element edge",
            ElementKind::Vertex => " --element vertex",
        };
        if !self.hidden.instances.is_empty() {
            line += &format!(" --ignore {}", ranges(&self.hidden.instances));
        }
        for (instance, polygons) in self.hidden.face_ranges() {
            let range = |range: &Range<u32>| written(range.start, range.end - 1);
            let polygons: Vec<String> = polygons.iter().map(range).collect();
            line += &format!(" --ignore-faces {instance}:{}", polygons.join(","));
        }
        if let Some(plane) = self.clip {
            line += &format!(" --clip {}", list(&plane));
        }
        line
    }
}

/// Comma-separated numbers, each in the shortest form that parses back to the same bits.
fn list(numbers: &[f64]) -> String {
    // `+ 0.0` turns -0.0 into 0.0.
    numbers.iter().map(|number| format!("{}", number + 0.0)).collect::<Vec<_>>().join(",")
}

/// Sorted integers, with consecutive ones as `3-5`.
fn ranges(numbers: &BTreeSet<u64>) -> String {
    let mut words = vec![];
    let mut numbers = numbers.iter().copied().peekable();
    while let Some(first) = numbers.next() {
        let mut last = first;
        while let Some(next) = numbers.next_if_eq(&(last + 1)) {
            last = next;
        }
        words.push(written(first, last));
    }
    words.join(",")
}

/// A range from the first to the last number, both included.
fn written<T: Display + PartialEq>(first: T, last: T) -> String {
    if first == last { format!("{first}") } else { format!("{first}-{last}") }
}

/// Quotes a word for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+,:@%=".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_omit_default_flags() {
        let camera = Camera::look_at([0.1, -0.0, 9.0], [0.0; 3]);
        let mut hidden = Hidden::default();
        hidden.instances.extend([0, 3, 4, 5]);
        hidden.hide_faces(1, 20, [9, 7, 8, 11]);
        let mut command = CommandLine {
            file: "it's here.obj",
            camera: &camera,
            window: DVec2::new(800.0, 600.0),
            kind: ElementKind::Face,
            hidden: &hidden,
            clip: None,
        };
        let pixel = Query::Pixel { at: DVec2::new(1.5, 2.0), click: 2, x_ray: false };
        assert_eq!(
            command.for_query(&pixel),
            r"hitscan pick 'it'\''s here.obj' --eye 0.1,0,9 --target 0,0,0 --size 800x600 --pixel 1.5,2 --click 2 --element face --ignore 0,3-5 --ignore-faces 1:7-9,11"
        );
        let hidden = Hidden::default();
        (command.file, command.hidden) = ("a/b.obj", &hidden);
        command.clip = Some([0.0, -1.0, 0.0, 0.25]);
        command.kind = ElementKind::Object;
        let (from, to) = (DVec2::ZERO, DVec2::new(8.0, 9.0));
        let marquee = Query::Marquee { from, to, enclose: true, visible: true };
        assert_eq!(
            command.for_query(&marquee),
            "hitscan select a/b.obj --eye 0.1,0,9 --target 0,0,0 --size 800x600 --marquee 0,0,8,9 --enclose --visible --clip 0,-1,0,0.25"
        );
    }
}
