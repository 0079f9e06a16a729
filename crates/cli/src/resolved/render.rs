//! The flags of `render`.

use anyhow::bail;
use hitscan_render::{Background, Mode, Style};

use super::camera;
use super::output::{self, PICTURES};
use crate::args::{CameraArgs, RenderArgs};

/// The maximum number of pixels: 8K, which takes about a gigabyte of memory.
const MAX_PIXELS: f64 = (1 << 25) as f64;

/// The style of the picture. Also checks the size and the output.
///
/// # Errors
/// Too many pixels, an output that cannot be a PNG, and an `--up` without a direction.
pub(crate) fn style(args: &RenderArgs) -> anyhow::Result<Style> {
    check_size(&args.camera)?;
    let output = args.output.as_deref();
    PICTURES.choose(None, output)?;
    output::check_binary("PNG", output)?;
    let n_samples = args.samples.unwrap_or(match args.mode {
        Mode::Shaded | Mode::Glass => 4,
        _ => 1,
    });
    let background = args.background.unwrap_or(match args.mode {
        Mode::Depth | Mode::Normal => Background([0, 0, 0, 255]),
        _ => Background([240, 242, 245, 255]),
    });
    Ok(Style {
        mode: args.mode,
        n_samples,
        seed: args.seed,
        background,
        legend: !args.no_legend,
        up: camera::up(args.camera.up)?,
        light: args.light,
        ground: !args.no_ground,
        draft: false,
    })
}

fn check_size(camera: &CameraArgs) -> anyhow::Result<()> {
    let [width, height] = camera.size;
    if width * height > MAX_PIXELS {
        bail!(
            "--size: {width}x{height} has {} pixels; expected at most {MAX_PIXELS} (as 7680x4320)",
            width * height
        );
    }
    Ok(())
}
