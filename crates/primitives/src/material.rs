//! Surface materials, as plain data.

use std::collections::BTreeMap;

/// A material, with the fields of an MTL library. A field that the file does not set is `None`.
///
/// Numbers stay as the file has them, neither clamped nor converted. A colour is red, green and blue,
/// where 1 is full intensity; values above 1 or below 0 may occur. MTL defines no colour space;
/// hitscan's renderer takes `diffuse` as linear light.
///
/// A texture name stays as the file has it, options included. Reading a material opens no texture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// The name that `usemtl` refers to.
    pub name: String,
    /// Ambient colour (`Ka`).
    pub ambient: Option<[f32; 3]>,
    /// Diffuse colour (`Kd`).
    pub diffuse: Option<[f32; 3]>,
    /// Specular colour (`Ks`).
    pub specular: Option<[f32; 3]>,
    /// Emitted colour (`Ke`).
    pub emissive: Option<[f32; 3]>,
    /// Specular exponent (`Ns`), commonly from 0 to 1000.
    pub shininess: Option<f32>,
    /// Opacity (`d`, or `1 - Tr`): 0 is transparent, 1 is opaque.
    pub opacity: Option<f32>,
    /// Index of refraction (`Ni`).
    pub refraction_index: Option<f32>,
    /// Illumination model (`illum`), by its number in the MTL specification.
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
    /// All other statements: the keyword and the rest of the line. The last of equal keywords wins.
    pub other: BTreeMap<String, String>,
}
