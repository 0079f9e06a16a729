//! The section of materials.

use hitscan_primitives::Material;

use crate::wire::{Reader, Writer};

/// A lower bound of the size of a material: 4 colours, 3 numbers, 8 texts or lists.
const SHORTEST: usize = 160;

pub(crate) fn encode(materials: &[Material]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.u64(materials.len() as u64);
    for material in materials {
        let Material {
            name,
            ambient,
            diffuse,
            specular,
            emissive,
            shininess,
            opacity,
            refraction_index,
            illumination,
            map_ka,
            map_kd,
            map_ks,
            map_ns,
            map_bump,
            map_d,
            other,
        } = material;
        writer.text(name);
        for color in [ambient, diffuse, specular, emissive] {
            writer.bool(color.is_some());
            color.unwrap_or_default().into_iter().for_each(|value| writer.f32(value));
        }
        for value in [shininess, opacity, refraction_index] {
            writer.bool(value.is_some());
            writer.f32(value.unwrap_or_default());
        }
        writer.u32(illumination.map_or(u32::MAX, u32::from));
        for map in [map_ka, map_kd, map_ks, map_ns, map_bump, map_d] {
            writer.bool(map.is_some());
            writer.text(map.as_deref().unwrap_or_default());
        }
        writer.u64(other.len() as u64);
        for (keyword, rest) in other {
            writer.text(keyword);
            writer.text(rest);
        }
    }
    writer.bytes
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<Material>, String> {
    let mut reader = Reader::new(bytes);
    let materials = reader.list(SHORTEST, material)?;
    reader.end()?;
    Ok(materials)
}

/// The order of the fields is that of `encode`, because a struct expression evaluates them as
/// written.
fn material(reader: &mut Reader<'_>) -> Result<Material, String> {
    Ok(Material {
        name: reader.text()?,
        ambient: reader.optional(color)?,
        diffuse: reader.optional(color)?,
        specular: reader.optional(color)?,
        emissive: reader.optional(color)?,
        shininess: reader.optional(Reader::f32)?,
        opacity: reader.optional(Reader::f32)?,
        refraction_index: reader.optional(Reader::f32)?,
        illumination: match reader.u32()? {
            u32::MAX => None,
            model => Some(u8::try_from(model).map_err(|_| format!("illumination {model}"))?),
        },
        map_ka: reader.optional(Reader::text)?,
        map_kd: reader.optional(Reader::text)?,
        map_ks: reader.optional(Reader::text)?,
        map_ns: reader.optional(Reader::text)?,
        map_bump: reader.optional(Reader::text)?,
        map_d: reader.optional(Reader::text)?,
        other: {
            let n = reader.count(1)?;
            (0..n).map(|_| Ok((reader.text()?, reader.text()?))).collect::<Result<_, String>>()?
        },
    })
}

fn color(reader: &mut Reader<'_>) -> Result<[f32; 3], String> {
    Ok([reader.f32()?, reader.f32()?, reader.f32()?])
}
