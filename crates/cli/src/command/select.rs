//! `hitscan select`: prints the elements in a marquee or a lasso.

use std::ops::ControlFlow;

use hitscan::picking::{Picker, RegionMode, ScreenRegion, SelectOptions};

use crate::args::SelectArgs;
use crate::load::{ReducedScene, load_scene};
use crate::messages;
use crate::output::{ElementRecord, Target};
use crate::process::{Outcome, set_threads};
use crate::resolved::camera;

pub(crate) fn run(args: &SelectArgs) -> anyhow::Result<Outcome> {
    set_threads(args.engine.threads)?;
    let region = match (args.marquee, &args.lasso) {
        (Some([x0, y0, x1, y1]), _) => ScreenRegion::rectangle([x0, y0], [x1, y1])?,
        (None, Some(outline)) => ScreenRegion::lasso(outline.iter().copied())?,
        (None, None) => unreachable!("the command line requires one of the two"),
    };
    let view = args.query.clipped(camera::view(&args.camera)?)?;
    let scene = load_scene(&args.file, &args.engine)?.scene;
    let options = args.engine.build_options();
    let scene = ReducedScene::new(scene, &args.query.ignore_faces, &options)?.scene;
    let ignored = args.query.ignored(&scene)?;
    let options = SelectOptions {
        kind: args.element.into(),
        mode: if args.enclose { RegionMode::Enclose } else { RegionMode::Touch },
        visible_only: args.visible,
        query: args.query.options(&ignored),
    };
    // Ctrl-C ends the process at once. Nothing is written before the selection is complete.
    let bar = messages::share_bar("selecting");
    let progress = |share| {
        messages::set_share(&bar, share);
        ControlFlow::Continue(())
    };
    let picker = Picker::new(&scene, &view);
    let selected = picker.select_with_progress(&region, &options, &progress);
    bar.finish_and_clear();
    let mut selected = selected?;
    // In the order of the file, whichever handles the instances have.
    selected.sort_by_key(|selected| scene.insertion_order(selected.instance));
    let mut out = Target::open(None)?;
    for selected in &selected {
        let record = ElementRecord::new(&scene, selected.instance, selected.element);
        record.write(args.format.format(), &mut out)?;
    }
    out.finish(&[])?;
    Ok(if selected.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
