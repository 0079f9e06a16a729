//! Options by name.

use hitscan::{BuildOptions, BuildQuality, Faces, HitMode, Isa, Layout};
use pyo3::{PyResult, exceptions::PyValueError};

/// The sides of triangles that a query reports.
pub(crate) fn faces(name: &str) -> PyResult<Faces> {
    one_of("faces", name, &[("both", Faces::Both), ("front", Faces::Front), ("back", Faces::Back)])
}

/// The hits of a list: every triangle, or each crossing of the surface once.
pub(crate) fn mode(once_per_crossing: bool) -> HitMode {
    if once_per_crossing { HitMode::OncePerCrossing } else { HitMode::EveryTriangle }
}

pub(crate) fn quality(name: &str) -> PyResult<BuildQuality> {
    let names = [
        ("fast", BuildQuality::Fast),
        ("balanced", BuildQuality::Balanced),
        ("high", BuildQuality::High),
    ];
    one_of("quality", name, &names)
}

pub(crate) fn build_options(
    quality_name: &str,
    layout: &str,
    isa: Option<&str>,
) -> PyResult<BuildOptions> {
    let layouts = [("auto", Layout::Auto), ("full", Layout::Full), ("compact", Layout::Compact)];
    let isa = match isa {
        None => Isa::detect(),
        Some(name) => {
            let available: Vec<(&str, Isa)> =
                Isa::available().into_iter().map(|isa| (isa.name(), isa)).collect();
            one_of("isa", name, &available)?
        }
    };
    let layout = one_of("layout", layout, &layouts)?;
    Ok(BuildOptions { quality: quality(quality_name)?, isa, layout })
}

pub(crate) fn one_of<T: Copy>(argument: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(choice, _)| *choice == name);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("'{name}'")).collect();
        PyValueError::new_err(format!("{argument} is '{name}', expected {}", names.join(" or ")))
    })
}
