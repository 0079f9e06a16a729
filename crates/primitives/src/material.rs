//! What a surface looks like, as plain data.

use std::collections::BTreeMap;

/// A material, in the words of MTL libraries, whose keywords are named. What the file does not say is
/// `None`.
///
/// Texture names are kept as they are written, options included; nothing is looked for or opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// The name that `usemtl` refers to.
    pub name: String,
    /// Ambient colour (`Ka`): red, green, blue.
    pub ambient: Option<[f32; 3]>,
    /// Diffuse colour (`Kd`).
    pub diffuse: Option<[f32; 3]>,
    /// Specular colour (`Ks`).
    pub specular: Option<[f32; 3]>,
    /// Emitted colour (`Ke`).
    pub emissive: Option<[f32; 3]>,
    /// Specular exponent (`Ns`).
    pub shininess: Option<f32>,
    /// Opacity: 1 is opaque (`d`, or one less `Tr`).
    pub opacity: Option<f32>,
    /// Index of refraction (`Ni`).
    pub refraction_index: Option<f32>,
    /// Illumination model (`illum`).
    pub illumination: Option<u8>,
    /// Texture of the ambient colour (`map_Ka`).
    pub map_ka: Option<String>,
    /// Texture of the diffuse colour (`map_Kd`).
    pub map_kd: Option<String>,
    /// Texture of the specular colour (`map_Ks`).
    pub map_ks: Option<String>,
    /// Texture of the specular exponent (`map_Ns`).
    pub map_ns: Option<String>,
    /// Bump or normal map (`map_Bump`, `bump`).
    pub map_bump: Option<String>,
    /// Texture of the opacity (`map_d`).
    pub map_d: Option<String>,
    /// Every other statement: keyword and the rest of the line. Of equal keywords the last.
    pub other: BTreeMap<String, String>,
}
