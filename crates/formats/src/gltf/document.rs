//! The members of a glTF document that geometry, placement and colours need.
//!
//! All other members are skipped without a check, because no ray sees them. A list keeps the error of an
//! element that cannot be parsed, so that only a use of the element fails.

use std::borrow::Cow;

use serde::Deserialize;

use super::lenient::{Count, Element, Extensions, Index, Lenient, List};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root<'a> {
    #[serde(borrow, default)]
    pub(super) asset: Lenient<Asset<'a>>,
    pub(super) scene: Option<Index>,
    #[serde(borrow, default)]
    pub(super) scenes: List<Scene<'a>>,
    #[serde(borrow, default)]
    pub(super) nodes: List<Node<'a>>,
    #[serde(borrow, default)]
    pub(super) meshes: List<Mesh<'a>>,
    #[serde(borrow, default)]
    pub(super) skins: List<Skin<'a>>,
    #[serde(borrow, default)]
    pub(super) accessors: List<Accessor<'a>>,
    #[serde(borrow, default)]
    pub(super) buffer_views: List<BufferView<'a>>,
    #[serde(borrow, default)]
    pub(super) buffers: List<Buffer<'a>>,
    #[serde(borrow, default)]
    pub(super) materials: List<Material<'a>>,
    #[serde(borrow, default)]
    pub(super) textures: List<Texture<'a>>,
    #[serde(borrow, default)]
    pub(super) images: List<Image<'a>>,
    #[serde(default)]
    pub(super) animations: Count,
    #[serde(default)]
    pub(super) cameras: Count,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
    #[serde(borrow, default)]
    pub(super) extensions_used: Lenient<Vec<Cow<'a, str>>>,
    #[serde(borrow)]
    pub(super) extensions_required: Option<Vec<Cow<'a, str>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset<'a> {
    #[serde(borrow, default)]
    pub(super) version: Lenient<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) min_version: Lenient<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene<'a> {
    #[serde(default)]
    pub(super) nodes: Option<Vec<Index>>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node<'a> {
    #[serde(borrow, default)]
    pub(super) name: Lenient<Cow<'a, str>>,
    pub(super) mesh: Option<Index>,
    pub(super) skin: Option<Index>,
    pub(super) children: Option<Vec<Index>>,
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) weights: Option<Vec<f64>>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh<'a> {
    #[serde(borrow, default)]
    pub(super) name: Lenient<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) primitives: List<Primitive<'a>>,
    pub(super) weights: Option<Vec<f64>>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive<'a> {
    #[serde(borrow, default)]
    pub(super) attributes: Attributes<'a>,
    pub(super) indices: Option<Index>,
    #[serde(default)]
    pub(super) material: Lenient<Index>,
    pub(super) mode: Option<Index>,
    #[serde(borrow)]
    pub(super) targets: Option<Vec<Attributes<'a>>>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

/// The accessors of vertices by the name of their meaning.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Attributes<'a>(
    #[serde(borrow)] pub(super) std::collections::BTreeMap<Cow<'a, str>, Lenient<Index>>,
);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin<'a> {
    pub(super) joints: Vec<Index>,
    pub(super) inverse_bind_matrices: Option<Index>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor<'a> {
    pub(super) buffer_view: Option<Index>,
    pub(super) byte_offset: Option<Index>,
    pub(super) component_type: Index,
    #[serde(default)]
    pub(super) normalized: Lenient<bool>,
    pub(super) count: Index,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    pub(super) sparse: Option<Sparse>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: Index,
    pub(super) indices: SparseData,
    pub(super) values: SparseData,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseData {
    pub(super) buffer_view: Index,
    pub(super) byte_offset: Option<Index>,
    /// Of the indices.
    pub(super) component_type: Option<Index>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView<'a> {
    pub(super) buffer: Index,
    pub(super) byte_offset: Option<Index>,
    pub(super) byte_length: Index,
    pub(super) byte_stride: Option<Index>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) byte_length: Lenient<Index>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material<'a> {
    #[serde(borrow, default)]
    pub(super) name: Lenient<Cow<'a, str>>,
    #[serde(default)]
    pub(super) pbr_metallic_roughness: Lenient<Pbr>,
    #[serde(default)]
    pub(super) normal_texture: Lenient<TextureInfo>,
    #[serde(default)]
    pub(super) occlusion_texture: Lenient<TextureInfo>,
    #[serde(default)]
    pub(super) emissive_texture: Lenient<TextureInfo>,
    #[serde(default)]
    pub(super) emissive_factor: Lenient<[f32; 3]>,
    #[serde(borrow, default)]
    pub(super) alpha_mode: Lenient<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pbr {
    #[serde(default)]
    pub(super) base_color_factor: Lenient<[f32; 4]>,
    #[serde(default)]
    pub(super) base_color_texture: Lenient<TextureInfo>,
    #[serde(default)]
    pub(super) metallic_roughness_texture: Lenient<TextureInfo>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureInfo {
    pub(super) index: Index,
    pub(super) tex_coord: Option<Index>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Texture<'a> {
    pub(super) source: Option<Index>,
    #[serde(borrow, default)]
    pub(super) extensions: Extensions<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Cow<'a, str>>,
    pub(super) buffer_view: Option<Index>,
}

macro_rules! elements {
    ($($name:ident: $one:literal in $many:literal),* $(,)?) => {
        $(impl Element for $name<'_> {
            const ONE: &'static str = $one;
            const MANY: &'static str = $many;
        })*
    };
}

elements! {
    Scene: "scene" in "scenes",
    Node: "node" in "nodes",
    Mesh: "mesh" in "meshes",
    Primitive: "primitive" in "primitives",
    Skin: "skin" in "skins",
    Accessor: "accessor" in "accessors",
    BufferView: "buffer view" in "bufferViews",
    Buffer: "buffer" in "buffers",
    Material: "material" in "materials",
    Texture: "texture" in "textures",
    Image: "image" in "images",
}

impl Attributes<'_> {
    /// The accessor of an attribute. An invalid index is an index beyond all accessors.
    pub(super) fn get(&self, semantic: &str) -> Option<Index> {
        self.0.get(semantic).map(|index| index.0.unwrap_or(Index(usize::MAX)))
    }
}
