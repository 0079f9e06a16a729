//! What the page and the server say to each other: a line of JSON each, and pictures as bytes.

use hitscan::picking::ElementKind;
use hitscan_render::Mode;
use serde::{Deserialize, Serialize};

/// Longer messages of a page end its session.
pub(crate) const LONGEST_MESSAGE: usize = 256 << 10;

/// What a page says. Positions are in pixels of its window from the top left, continuous: the first
/// pixel covers 0 to 1.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum FromPage {
    /// The size of the window, and the screen's pixels for each of its own.
    Resize {
        width: f64,
        height: f64,
        ratio: f64,
    },
    /// Turns the camera about its target, by pixels of a drag.
    Orbit {
        dx: f64,
        dy: f64,
    },
    /// Moves camera and target, by pixels of a drag.
    Pan {
        dx: f64,
        dy: f64,
    },
    /// Comes nearer to what is at a pixel, by this factor.
    Zoom {
        factor: f64,
        x: f64,
        y: f64,
    },
    /// Looks at the selection, or at everything.
    Frame {
        all: bool,
    },
    /// Looks from a side at the same target.
    Look {
        from: Side,
    },
    /// Parallel rays or perspective.
    Projection {
        orthographic: bool,
    },
    Mode {
        mode: Mode,
    },
    Element {
        element: ElementName,
    },
    XRay {
        on: bool,
    },
    /// The pointer rests; `number` comes back with the answer.
    Hover {
        x: f64,
        y: f64,
        number: u32,
    },
    Leave,
    /// A click; `extend` keeps what was selected before.
    Click {
        x: f64,
        y: f64,
        extend: bool,
    },
    Marquee {
        from: [f64; 2],
        to: [f64; 2],
        enclose: bool,
        extend: bool,
    },
    Lasso {
        outline: Vec<[f64; 2]>,
        enclose: bool,
        extend: bool,
    },
    /// Selects nothing.
    Clear,
    /// Hides the instances of the selection.
    Hide,
    /// Hides all other instances.
    Isolate,
    /// Shows what was hidden here.
    ShowAll,
    /// A picture is on the screen.
    Shown {
        frame: u32,
    },
}

/// A side to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Side {
    Front,
    Back,
    Left,
    Right,
    Top,
    Bottom,
    /// Front, right and above.
    Corner,
}

/// [`hitscan::picking::ElementKind`] by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ElementName {
    Object,
    #[default]
    Face,
    Edge,
    Vertex,
}

impl ElementName {
    /// The name, as the command line has it too.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Face => "face",
            Self::Edge => "edge",
            Self::Vertex => "vertex",
        }
    }
}

impl From<ElementName> for ElementKind {
    fn from(element: ElementName) -> Self {
        match element {
            ElementName::Object => Self::Object,
            ElementName::Face => Self::Face,
            ElementName::Edge => Self::Edge,
            ElementName::Vertex => Self::Vertex,
        }
    }
}

/// What the server says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum ToPage {
    /// What is looked at: first of all, and after each reload.
    Model(ModelReport),
    /// How it is looked at, after each change.
    State(StateReport),
    /// What is under the pointer.
    Hover { number: u32, pick: Option<PickReport> },
    /// What is selected.
    Selection(SelectionReport),
    /// What the colours mean.
    Legend { title: Vec<String>, ramp: Option<RampReport>, names: Vec<NamedColor> },
    /// How fast that was.
    Stats(StatsReport),
    /// The file has changed and cannot be read; `None` if it can again.
    Problem { text: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelReport {
    pub(crate) file: String,
    pub(crate) n_triangles: usize,
    pub(crate) n_instances: usize,
    pub(crate) reading_seconds: f64,
    pub(crate) building_seconds: f64,
    /// Counts loads, from 0.
    pub(crate) version: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateReport {
    pub(crate) mode: Mode,
    pub(crate) element: ElementName,
    pub(crate) x_ray: bool,
    pub(crate) orthographic: bool,
    pub(crate) n_hidden: usize,
}

/// All that is known of an element, and how to ask for it on a command line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PickReport {
    pub(crate) element: ElementName,
    /// The place of the instance in the file.
    pub(crate) instance: u64,
    /// Names from the outermost parent to the instance itself.
    pub(crate) path: Vec<String>,
    /// Of a face.
    pub(crate) polygon: Option<u32>,
    /// Of an edge or a vertex.
    pub(crate) vertices: Vec<u32>,
    pub(crate) object: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) material: Option<String>,
    pub(crate) line: Option<u64>,
    pub(crate) point: [f64; 3],
    /// From where sight begins, along the ray of the point's pixel: t of that ray.
    pub(crate) t: f64,
    /// Of an object or a face.
    pub(crate) hit: Option<HitReport>,
    /// Which click at the place this is, from 1.
    pub(crate) click: usize,
    pub(crate) command: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HitReport {
    pub(crate) triangle: u32,
    /// The weights of the second and the third corner.
    pub(crate) weights: [f32; 2],
    /// `None` for a triangle of zero area.
    pub(crate) normal: Option<[f64; 3]>,
    pub(crate) is_front: bool,
    /// Texture coordinates.
    pub(crate) uv: Option<[f64; 2]>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SelectionReport {
    /// How many elements are selected.
    pub(crate) n: usize,
    /// What the last click picked.
    pub(crate) pick: Option<PickReport>,
    /// The first few, in words.
    pub(crate) first: Vec<String>,
    /// The command that selects what the last drag did.
    pub(crate) command: Option<String>,
}

/// A ramp of colours as `#rrggbb` at even steps, and what its ends stand for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RampReport {
    pub(crate) colors: Vec<String>,
    pub(crate) ends: [String; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct NamedColor {
    pub(crate) name: String,
    pub(crate) color: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatsReport {
    /// Pixels of the last picture.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Samples of each pixel.
    pub(crate) n_samples: u32,
    pub(crate) rays_per_second: f64,
    /// How long the last sample of every pixel took.
    pub(crate) seconds: f64,
    /// Nodes and blocks that a ray of the camera tests, in the mean; once the picture is sharp.
    pub(crate) work_per_ray: Option<f64>,
}

/// The head of a piece of a picture, before red, green, blue, opacity of each pixel, row by row: numbers
/// of 32 bits, the least byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHead {
    pub(crate) frame: u32,
    /// Of the whole picture.
    pub(crate) size: [u32; 2],
    /// The rectangle that the bytes are: left, top, width, height.
    pub(crate) part: [u32; 4],
    /// 0 while moving, 1 at full size, 2 when nothing more comes.
    pub(crate) stage: u32,
    /// Pieces that follow: a picture is shown when all are there.
    pub(crate) n_more: u32,
}

impl FrameHead {
    /// The bytes of a picture: this with a rectangle of `pixels`, in pieces of whole rows and about
    /// `n_bytes`.
    pub(crate) fn in_pieces(self, pixels: &[[u8; 4]], n_bytes: usize) -> Vec<Vec<u8>> {
        let [left, top, width, height] = self.part;
        let n_rows = (n_bytes / (4 * width.max(1) as usize)).max(1) as u32;
        let n_pieces = height.div_ceil(n_rows).max(1);
        let piece = |n: u32| {
            let start = n * n_rows;
            let part = [left, top + start, width, n_rows.min(height - start)];
            Self { part, n_more: n_pieces - 1 - n, ..self }.with_pixels(pixels)
        };
        (0..n_pieces).map(piece).collect()
    }

    fn with_pixels(&self, pixels: &[[u8; 4]]) -> Vec<u8> {
        let [left, top, width, height] = self.part.map(|number| number as usize);
        let mut bytes = Vec::with_capacity(36 + 4 * width * height);
        let [size, part] = [&self.size[..], &self.part[..]];
        let numbers = [&[self.frame][..], size, part, &[self.stage, self.n_more]].concat();
        bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        for row in pixels.chunks(self.size[0] as usize).skip(top).take(height) {
            bytes.extend_from_slice(row[left..left + width].as_flattened());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_plain_json() {
        let parse = serde_json::from_str::<FromPage>;
        let click = parse(r#"{"type":"click","x":1.5,"y":2,"extend":false}"#).unwrap();
        assert_eq!(click, FromPage::Click { x: 1.5, y: 2.0, extend: false });
        assert_eq!(parse(r#"{"type":"x-ray","on":true}"#).unwrap(), FromPage::XRay { on: true });
        let huge = r#"{"type":"click","x":1e999,"y":0,"extend":false}"#;
        for wrong in ["", "{}", "[]", r#"{"type":"click","x":1}"#, huge] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let told = serde_json::to_string(&ToPage::Problem { text: None }).unwrap();
        assert_eq!(told, r#"{"type":"problem","text":null}"#);
    }

    #[test]
    fn a_frame_is_a_rectangle_of_the_picture_in_pieces_of_rows() {
        let pixels: Vec<[u8; 4]> = (0..6).map(|n| [n; 4]).collect();
        let head = FrameHead { frame: 7, size: [3, 2], part: [1, 0, 2, 2], stage: 1, n_more: 0 };
        let whole = head.in_pieces(&pixels, 1 << 10);
        assert_eq!(whole[0].len(), 36 + 16);
        assert_eq!(whole[0][..8], [7, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(whole[0][32..], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 5, 5, 5, 5]);
        for n_bytes in [8, 9, 0] {
            let rows = head.in_pieces(&pixels, n_bytes);
            let [first, second] = &rows[..] else { panic!("{} pieces", rows.len()) };
            // The top of the rectangle, and how many pieces follow.
            assert_eq!(([first[16], first[32]], [second[16], second[32]]), ([0, 1], [1, 0]));
            assert_eq!([&first[36..], &second[36..]].concat(), whole[0][36..]);
        }
        let nothing = FrameHead { part: [0; 4], ..head }.in_pieces(&pixels, 1 << 10);
        assert_eq!((nothing.len(), nothing[0].len()), (1, 36));
    }
}
