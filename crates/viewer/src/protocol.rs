//! Messages between page and server: JSON text, and frames as binary chunks.

use hitscan_render::Mode;
use serde::{Deserialize, Serialize};

use crate::parts::PartKind;

/// A longer message of a page ends its session.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 << 10;

/// A message of the page. Positions are continuous pixels of the window from the top left, so that
/// the first pixel covers 0 to 1.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum FromPage {
    /// Window size in pixels, and device pixels per window pixel.
    Resize {
        width: f64,
        height: f64,
        ratio: f64,
    },
    /// Rotates the camera about its target by a drag in pixels.
    Orbit {
        dx: f64,
        dy: f64,
    },
    /// Pans the camera by a drag in pixels.
    Pan {
        dx: f64,
        dy: f64,
    },
    /// Zooms in by a factor at a pixel.
    Zoom {
        factor: f64,
        x: f64,
        y: f64,
    },
    /// Frames the selection, or the whole scene.
    Frame {
        all: bool,
    },
    /// Looks at the target from a side.
    Look {
        from: Side,
    },
    /// Switches between orthographic and perspective projection.
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
    /// Draws the borders between faces.
    Edges {
        on: bool,
    },
    /// Cuts a share of the model away from a side, from 0 to 1. Without a side, shows all of it.
    Section {
        from: Option<Side>,
        share: f64,
    },
    /// The pointer moved without a button. The reply carries the same `id`.
    Hover {
        x: f64,
        y: f64,
        id: u32,
    },
    Leave,
    /// A click; `extend` adds to the selection.
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
    /// Clears the selection.
    Clear,
    /// Hides the selection.
    Hide,
    /// Hides everything but the selection.
    Isolate,
    /// Shows everything that this tab has hidden.
    ShowAll,
    /// A click on an object of the list, by its position there.
    SelectEntry {
        entry: usize,
        extend: bool,
    },
    /// Hides an object of the list, or shows it.
    ToggleEntry {
        entry: usize,
    },
    /// The page shows this frame.
    Shown {
        frame: u32,
    },
}

/// A side to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Side {
    Front,
    Back,
    Left,
    Right,
    Top,
    Bottom,
    /// From the front, right and above.
    Corner,
}

/// The kind of element that a click picks: an [`ElementKind`](hitscan::picking::ElementKind), or a
/// named part of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ElementName {
    /// An object of a file, or an instance whose mesh is a single object.
    Object,
    Group,
    Material,
    #[default]
    Face,
    Edge,
    Vertex,
}

impl From<PartKind> for ElementName {
    fn from(kind: PartKind) -> Self {
        match kind {
            PartKind::Object => Self::Object,
            PartKind::Group => Self::Group,
            PartKind::Material => Self::Material,
        }
    }
}

/// A message to the page.
#[expect(clippy::large_enum_variant, reason = "each message is sent at once, none is stored")]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum ToPage {
    /// Facts about the model; the first message, repeated after each reload.
    Model(ModelReport),
    /// The list of objects, after each model.
    Objects {
        entries: Vec<EntryReport>,
        /// Number of objects beyond the end of the list.
        #[serde(rename = "nMore")]
        n_more: usize,
    },
    /// How much of each listed object is visible, after each change: 0 nothing, 1 a part, 2 all.
    Visibility { states: Vec<u8> },
    /// Display state, after each change.
    State(StateReport),
    /// The element under the pointer.
    Hover { id: u32, pick: Option<PickReport> },
    /// The selection.
    Selection(SelectionReport),
    /// Legend of the colours.
    Legend { title: Vec<String>, ramp: Option<RampReport>, names: Vec<NamedColor> },
    /// Rendering statistics.
    Stats(StatsReport),
    /// The changed file cannot be shown; `None` once it can.
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
    /// Number of reloads so far.
    pub(crate) version: u64,
}

/// An object of the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntryReport {
    pub(crate) name: String,
    pub(crate) n_triangles: usize,
}

/// Facts about an object, a part or the whole scene, hidden faces included.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FactsReport {
    pub(crate) name: String,
    pub(crate) n_polygons: usize,
    pub(crate) n_triangles: usize,
    /// Minimum and maximum in world space; `None` without triangles.
    pub(crate) bounds: Option<[[f64; 3]; 2]>,
    /// `None` for the whole scene and for very large objects.
    pub(crate) surface: Option<SurfaceFacts>,
}

/// Whether an object is closed, and what keeps it open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SurfaceFacts {
    pub(crate) is_closed: bool,
    pub(crate) n_open_edges: usize,
    pub(crate) n_boundary_loops: usize,
    pub(crate) n_non_manifold_edges: usize,
    pub(crate) n_inconsistent_edges: usize,
    pub(crate) n_duplicate_triangles: usize,
    pub(crate) n_degenerate_triangles: usize,
    pub(crate) n_components: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateReport {
    pub(crate) mode: Mode,
    pub(crate) element: ElementName,
    pub(crate) x_ray: bool,
    pub(crate) edges: bool,
    /// The side that a section cuts away.
    pub(crate) section: Option<Side>,
    /// The share of the model that it cuts away, from 0 to 1.
    pub(crate) section_share: f64,
    pub(crate) orthographic: bool,
    pub(crate) n_hidden_instances: usize,
    pub(crate) n_hidden_faces: usize,
}

/// Facts about a picked element, and the command that picks it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PickReport {
    pub(crate) element: ElementName,
    /// Index of the instance in the file.
    pub(crate) instance: u64,
    /// Names from the outermost ancestor to the instance.
    pub(crate) path: Vec<String>,
    /// For a face.
    pub(crate) polygon: Option<u32>,
    /// For an edge or a vertex.
    pub(crate) vertices: Vec<u32>,
    pub(crate) object: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) material: Option<String>,
    pub(crate) line: Option<u64>,
    pub(crate) point: [f64; 3],
    /// `t` along the ray through the point's pixel.
    pub(crate) t: f64,
    /// For an object or a face.
    pub(crate) hit: Option<HitReport>,
    /// Index of this click among clicks at the same pixel, from 1.
    pub(crate) click: usize,
    pub(crate) command: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HitReport {
    pub(crate) triangle: u32,
    /// Barycentric weights of the second and third corner.
    pub(crate) weights: [f32; 2],
    /// Unit normal in world space; `None` for a triangle of zero area.
    pub(crate) normal: Option<[f64; 3]>,
    pub(crate) is_front: bool,
    /// Texture coordinates.
    pub(crate) uv: Option<[f64; 2]>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SelectionReport {
    /// Number of selected elements.
    pub(crate) n: usize,
    /// The element picked by the last click.
    pub(crate) pick: Option<PickReport>,
    /// Descriptions of the first few elements.
    pub(crate) first: Vec<String>,
    /// The command that repeats the last drag selection.
    pub(crate) command: Option<String>,
    /// Positions of selected objects in the list.
    pub(crate) entries: Vec<usize>,
    /// Facts about the selected object, or about the scene if nothing is selected.
    pub(crate) facts: Option<FactsReport>,
}

/// Colours of a ramp as `#rrggbb` at even steps, and labels of its ends.
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
    /// Size of the latest frame in pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Samples per pixel.
    pub(crate) n_samples: u32,
    pub(crate) rays_per_second: f64,
    /// Duration of the latest sample.
    pub(crate) seconds: f64,
    /// Mean number of nodes and blocks tested per camera ray, once a full-resolution frame is
    /// complete.
    pub(crate) work_per_ray: Option<f64>,
}

/// Header of a frame chunk, as little-endian u32 values. The pixels of `rect` follow as red, green,
/// blue, opacity, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    pub(crate) frame: u32,
    /// Size of the whole frame.
    pub(crate) size: [u32; 2],
    /// Rectangle in this chunk: left, top, width, height.
    pub(crate) rect: [u32; 4],
    /// 0 for a preview, 1 for full resolution, 2 for the final frame.
    pub(crate) stage: u32,
    /// Chunks of this frame that follow. The page shows a frame when it is complete.
    pub(crate) n_remaining: u32,
}

impl FrameHeader {
    /// Splits the rectangle of `pixels` into chunks of whole rows, each of about `n_bytes` bytes.
    pub(crate) fn into_chunks(self, pixels: &[[u8; 4]], n_bytes: usize) -> Vec<Vec<u8>> {
        let [left, top, width, height] = self.rect;
        let n_rows = (n_bytes / (4 * width.max(1) as usize)).max(1) as u32;
        let n_chunks = height.div_ceil(n_rows).max(1);
        let chunk = |n: u32| {
            let start = n * n_rows;
            let rect = [left, top + start, width, n_rows.min(height - start)];
            Self { rect, n_remaining: n_chunks - 1 - n, ..self }.with_pixels(pixels)
        };
        (0..n_chunks).map(chunk).collect()
    }

    fn with_pixels(&self, pixels: &[[u8; 4]]) -> Vec<u8> {
        let [left, top, width, height] = self.rect.map(|number| number as usize);
        let mut bytes = Vec::with_capacity(36 + 4 * width * height);
        let [size, rect] = [&self.size[..], &self.rect[..]];
        let numbers = [&[self.frame][..], size, rect, &[self.stage, self.n_remaining]].concat();
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
        let json = serde_json::to_string(&ToPage::Problem { text: None }).unwrap();
        assert_eq!(json, r#"{"type":"problem","text":null}"#);
    }

    #[test]
    fn a_frame_is_a_rectangle_of_the_picture_into_chunks_of_rows() {
        let pixels: Vec<[u8; 4]> = (0..6).map(|n| [n; 4]).collect();
        let head =
            FrameHeader { frame: 7, size: [3, 2], rect: [1, 0, 2, 2], stage: 1, n_remaining: 0 };
        let whole = head.into_chunks(&pixels, 1 << 10);
        assert_eq!(whole[0].len(), 36 + 16);
        assert_eq!(whole[0][..8], [7, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(whole[0][32..], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 5, 5, 5, 5]);
        for n_bytes in [8, 9, 0] {
            let rows = head.into_chunks(&pixels, n_bytes);
            let [first, second] = &rows[..] else { panic!("{} chunks", rows.len()) };
            // The top of the rectangle, and the number of following chunks.
            assert_eq!(([first[16], first[32]], [second[16], second[32]]), ([0, 1], [1, 0]));
            assert_eq!([&first[36..], &second[36..]].concat(), whole[0][36..]);
        }
        let nothing = FrameHeader { rect: [0; 4], ..head }.into_chunks(&pixels, 1 << 10);
        assert_eq!((nothing.len(), nothing[0].len()), (1, 36));
    }
}
