//! Reading the opacity of materials from textures.

use std::{
    collections::{BTreeMap, HashMap},
    io::Cursor,
    path::{Path, PathBuf},
    sync::Arc,
};

use hitscan_primitives::AlphaMask;
use image::{DynamicImage, ImageFormat, ImageReader};
use thiserror::Error;

use crate::{
    LibraryProblem, Material,
    library::{Folder, Libraries},
    texture_name::texture_file,
};

/// Limits for textures, checked before memory is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaOptions {
    /// The maximum size of all texture files together, in bytes. 1 GiB by default.
    pub max_bytes: u64,
    /// The maximum width and height of a picture. 16,384 by default.
    pub max_size: u32,
    /// The maximum number of texels of all masks together, one byte each. 2^30 by default.
    pub max_texels: u64,
}

impl Default for AlphaOptions {
    fn default() -> Self {
        Self { max_bytes: 1 << 30, max_size: 1 << 14, max_texels: 1 << 30 }
    }
}

/// The opacity masks of materials, and the textures that could not be read.
#[derive(Clone, Debug, Default)]
pub struct AlphaMasks {
    /// The masks by material name. Opaque materials have none.
    pub masks: BTreeMap<String, Arc<AlphaMask>>,
    /// The problems by texture name as the library writes it.
    pub problems: BTreeMap<String, TextureProblem>,
}

/// The reason why a texture could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextureProblem {
    /// The file cannot be read, or is outside the folder.
    #[error("{0}")]
    File(LibraryProblem),
    /// The file is not a supported picture, or exceeds a limit.
    #[error("no readable PNG, JPEG, TGA or BMP within the limits: {0}")]
    Picture(String),
}

/// The channel of a picture that holds the opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// Alpha if the picture has it, else brightness; for `map_d`.
    AlphaOrBrightness,
    /// Alpha if the picture has it, else opaque; for `map_Kd`.
    Alpha,
}

/// Reads the opacity of materials from their `map_d`, or else from the alpha of their `map_Kd`.
///
/// Textures are PNG, JPEG, TGA or BMP files in the folder of the OBJ file or below. The parser
/// skips texture options such as `-clamp on`. A material has no mask if its texture is opaque
/// everywhere. This function cannot fail: [`AlphaMasks::problems`] lists the unreadable textures.
///
/// A scene takes the masks by material name.
pub fn load_alpha_masks(
    obj_file: impl AsRef<Path>,
    materials: &[Material],
    options: &AlphaOptions,
) -> AlphaMasks {
    let (mut n_bytes_left, mut n_texels_left) = (options.max_bytes, options.max_texels);
    let mut found = AlphaMasks::default();
    let mut read: HashMap<(PathBuf, Part), Option<Arc<AlphaMask>>> = HashMap::new();
    for material in materials {
        let (statement, part) = match (&material.map_d, &material.map_kd) {
            (Some(map_d), _) => (map_d, Part::AlphaOrBrightness),
            (None, Some(map_kd)) => (map_kd, Part::Alpha),
            (None, None) => continue,
        };
        let texture = texture_file(statement);
        // A new folder per texture, because a folder returns each file only once.
        let mut folder = Folder::of(obj_file.as_ref());
        // Several names may lead to the same file.
        let file = folder.locate(texture.as_bytes()).unwrap_or_else(|_| PathBuf::from(texture));
        let mask = read.entry((file, part)).or_insert_with(|| {
            let mask = folder
                .read(texture.as_bytes(), n_bytes_left)
                .map_err(TextureProblem::File)
                .and_then(|bytes| {
                    let bytes = bytes.unwrap_or_default();
                    n_bytes_left = n_bytes_left.saturating_sub(bytes.len() as u64);
                    let mask = decode(&bytes, texture, part, options.max_size)?;
                    let n_texels = mask
                        .as_ref()
                        .map_or(0, |mask| u64::from(mask.width()) * u64::from(mask.height()));
                    n_texels_left = n_texels_left
                        .checked_sub(n_texels)
                        .ok_or(TextureProblem::File(LibraryProblem::TooLarge))?;
                    Ok(mask)
                });
            mask.unwrap_or_else(|problem| {
                found.problems.insert(texture.to_owned(), problem);
                None
            })
        });
        if let Some(mask) = mask {
            found.masks.insert(material.name.clone(), mask.clone());
        }
    }
    found
}

/// The mask of a picture; `None` if the picture is opaque.
fn decode(
    bytes: &[u8],
    name: &str,
    part: Part,
    max_size: u32,
) -> Result<Option<Arc<AlphaMask>>, TextureProblem> {
    let told = |error: image::ImageError| TextureProblem::Picture(error.to_string());
    let mut reader = ImageReader::new(Cursor::new(bytes));
    // TGA files have no signature.
    let format = image::guess_format(bytes).or_else(|_| ImageFormat::from_path(name));
    reader.set_format(format.map_err(told)?);
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(max_size);
    limits.max_image_height = Some(max_size);
    reader.limits(limits);
    let picture = reader.decode().map_err(told)?;
    let (width, height) = (picture.width(), picture.height());
    let has_alpha = picture.color().has_alpha();
    let values: Vec<u8> = match (has_alpha, part) {
        (true, _) => picture.into_rgba8().pixels().map(|pixel| pixel.0[3]).collect(),
        (false, Part::Alpha) => return Ok(None),
        (false, Part::AlphaOrBrightness) => DynamicImage::into_luma8(picture).into_raw(),
    };
    if values.iter().all(|&value| value == u8::MAX) {
        return Ok(None);
    }
    let mask = AlphaMask::new(width, height, values);
    let mask = mask.map_err(|error| TextureProblem::Picture(error.to_string()))?;
    Ok(Some(Arc::new(mask)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_picture_that_is_full_everywhere_has_no_mask() {
        for (alpha, has_mask) in [([0, 7], true), ([255, 0], true), ([255, 255], false)] {
            let pixels = alpha.iter().flat_map(|&alpha| [9, 9, 9, alpha]).collect();
            let picture = image::RgbaImage::from_raw(2, 1, pixels).expect("two texels");
            let mut bytes = Cursor::new(vec![]);
            picture.write_to(&mut bytes, ImageFormat::Png).expect("memory takes it");
            let mask = decode(bytes.get_ref(), "a.png", Part::Alpha, 8).expect("a picture");
            assert_eq!(mask.is_some(), has_mask, "{alpha:?}");
        }
    }

    fn material(name: &str, map_d: Option<&str>, map_kd: Option<&str>) -> Material {
        let owned = |name: Option<&str>| name.map(str::to_owned);
        let (map_d, map_kd) = (owned(map_d), owned(map_kd));
        Material { name: name.to_owned(), map_d, map_kd, ..Material::default() }
    }

    #[test]
    fn masks_come_from_map_d_or_from_the_alpha_of_map_kd() {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).expect("the folder is ours");
        let gray = image::GrayImage::from_raw(2, 1, vec![0, 255]).expect("two texels");
        gray.save(inside.join("gray.png")).expect("the folder is ours");
        let rgba = image::RgbaImage::from_raw(1, 2, vec![9, 9, 9, 7, 9, 9, 9, 255]);
        let rgba = rgba.expect("two texels");
        rgba.save(inside.join("leaf.png")).expect("the folder is ours");
        rgba.save(inside.join("leaf.tga")).expect("the folder is ours");
        rgba.save(folder.path().join("outside.png")).expect("the folder is ours");
        fs::write(inside.join("bad.png"), b"no picture").expect("the folder is ours");
        let materials = [
            material("fence", Some("gray.png"), None),
            material("leaf", None, Some("-clamp on leaf.png")),
            material("other leaf", None, Some("leaf.tga")),
            material("opaque", None, Some("gray.png")),
            material("outside", None, Some("../outside.png")),
            material("bad", Some("bad.png"), None),
            material("missing", Some("missing.png"), None),
        ];
        let options = AlphaOptions::default();
        let found = load_alpha_masks(inside.join("a.obj"), &materials, &options);
        let names: Vec<_> = found.masks.keys().map(String::as_str).collect();
        assert_eq!(names, ["fence", "leaf", "other leaf"]);
        assert_eq!(*found.masks["fence"], AlphaMask::new(2, 1, vec![0, 255]).unwrap());
        assert_eq!(*found.masks["leaf"], AlphaMask::new(1, 2, vec![7, 255]).unwrap());
        assert_eq!(found.masks["other leaf"], found.masks["leaf"]);
        let problems: Vec<_> = found.problems.keys().map(String::as_str).collect();
        assert_eq!(problems, ["../outside.png", "bad.png", "missing.png"]);
        let outside = TextureProblem::File(LibraryProblem::OutsideFolder);
        assert_eq!(found.problems["../outside.png"], outside);

        let small = AlphaOptions { max_size: 1, ..options };
        let found = load_alpha_masks(inside.join("a.obj"), &materials, &small);
        assert!(matches!(found.problems["gray.png"], TextureProblem::Picture(_)));
        // Four texels of two files; one file has two names here.
        let twice = [materials[0].clone(), material("again", Some("./gray.png"), None)];
        let found = load_alpha_masks(inside.join("a.obj"), &twice, &options);
        assert!(Arc::ptr_eq(&found.masks["fence"], &found.masks["again"]));
        for (max_texels, n_masks) in [(1, 0), (2, 1), (3, 1), (4, 2)] {
            let few = AlphaOptions { max_texels, ..options };
            let found = load_alpha_masks(inside.join("a.obj"), &materials[..2], &few);
            assert_eq!(found.masks.len(), n_masks, "{max_texels}");
            assert_eq!(found.problems.len(), 2 - n_masks, "{max_texels}");
        }
        let short = AlphaOptions { max_bytes: 10, ..options };
        let found = load_alpha_masks(inside.join("a.obj"), &materials, &short);
        assert_eq!(found.problems["gray.png"], TextureProblem::File(LibraryProblem::TooLarge));
    }
}
