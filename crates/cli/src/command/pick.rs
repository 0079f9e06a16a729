//! `hitscan pick`: prints the element under a pixel.

use hitscan::picking::{ClickCycle, PickOptions, Picker};

use crate::args::PickArgs;
use crate::load::{ReducedScene, load_scene};
use crate::output::{ElementRecord, Target};
use crate::process::{Outcome, set_threads};
use crate::resolved::{Eye, camera};

pub(crate) fn run(args: &PickArgs) -> anyhow::Result<Outcome> {
    set_threads(args.engine.threads)?;
    let view = args.query.clipped(camera::view(&args.camera)?)?;
    let scene = load_scene(&args.file, &args.engine)?.scene;
    let options = args.engine.build_options();
    let reduced = ReducedScene::new(scene, &args.query.ignore_faces, &options)?;
    let scene = &reduced.scene;
    let mut options = PickOptions::for_kind(args.element.into());
    options.radius = args.radius.unwrap_or(options.radius);
    let ignored = args.query.ignored(scene)?;
    options.query = args.query.options(&ignored);
    options.x_ray = args.x_ray;
    let picker = Picker::new(scene, &view);
    let picks = match args.click {
        None if args.x_ray => picker.pick_all(args.pixel, &options),
        n_clicks => {
            let mut clicks = ClickCycle::default();
            let picks =
                (0..n_clicks.unwrap_or(1)).map(|_| clicks.click(&picker, args.pixel, &options));
            picks.last().flatten().into_iter().collect()
        }
    };
    let eye = Eye::new(&args.camera);
    let mut out = Target::open(None)?;
    for pick in &picks {
        let distance = eye.distance(pick.point, pick.distance);
        let triangle = pick.hit.map(|hit| reduced.triangle(&hit));
        let record = ElementRecord::of_pick(scene, pick, triangle, distance);
        record.write(args.format.format(), &mut out)?;
    }
    out.finish(&[])?;
    Ok(if picks.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
