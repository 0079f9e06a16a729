//! Repeated clicks at one place, each picking what lies below.

use glam::DVec2;
use hitscan_scene::InstanceId;

use crate::{
    element::Element,
    pick::{Pick, PickOptions},
    picker::Picker,
};

/// Remembers the last click, so that a click at the same place picks the next element below: after
/// the last one, the first again. Keep one for each viewport.
///
/// ```
/// use std::sync::Arc;
///
/// use hitscan_picking::{Camera, ClickCycle, PickOptions, Picker, Viewport};
/// use hitscan_primitives::generate;
/// use hitscan_scene::{Instance, Mesh, Scene, glam::DAffine3};
///
/// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
/// let mut scene = Scene::new();
/// let front = scene.insert(Instance::new(cube.clone(), DAffine3::IDENTITY))?;
/// let behind = DAffine3::from_translation([0.0, 0.0, -5.0].into());
/// let back = scene.insert(Instance::new(cube, behind))?;
/// let view = Camera::look_at([0.0, 0.0, 9.0], [0.0; 3]).view(Viewport::from_size(800.0, 600.0))?;
///
/// let picker = Picker::new(&scene, &view);
/// let mut clicks = ClickCycle::default();
/// let mut click = || clicks.click(&picker, [400.0, 300.0], &PickOptions::default());
/// let picked = [click(), click(), click()].map(|pick| pick.map(|pick| pick.instance));
/// assert_eq!(picked, [Some(front), Some(back), Some(front)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClickCycle {
    /// How far apart two clicks at the same place may be, in pixels.
    pub tolerance: f64,
    last: Option<(DVec2, InstanceId, Element)>,
}

impl Default for ClickCycle {
    /// Clicks within 4 pixels are at the same place.
    fn default() -> Self {
        Self { tolerance: 4.0, last: None }
    }
}

impl ClickCycle {
    /// The pick of a click. The first at a place is [`Picker::pick`]; each that follows is the next of
    /// [`Picker::pick_all`], whatever changed in the scene since.
    pub fn click(
        &mut self,
        picker: &Picker<'_>,
        pixel: impl Into<[f64; 2]>,
        options: &PickOptions<'_>,
    ) -> Option<Pick> {
        let pixel = DVec2::from(pixel.into());
        let first = picker.pick(pixel, options);
        let again = self.last.filter(|(at, ..)| at.distance(pixel) <= self.tolerance);
        let pick = match again {
            None => first,
            Some((_, instance, element)) => {
                let is = |pick: &Pick, other: &Pick| {
                    (pick.instance, pick.element) == (other.instance, other.element)
                };
                let all = picker.pick_all(pixel, options);
                let others = all.into_iter().filter(|pick| !first.is_some_and(|f| is(pick, &f)));
                let picks: Vec<Pick> = first.into_iter().chain(others).collect();
                let last = picks
                    .iter()
                    .position(|pick| (pick.instance, pick.element) == (instance, element));
                let next = last.map_or(0, |last| (last + 1) % picks.len());
                picks.get(next).copied()
            }
        };
        // The place is that of the first click, or a hand that drifts would cycle for ever.
        let place = again.map_or(pixel, |(place, ..)| place);
        self.last = pick.map(|pick| (place, pick.instance, pick.element));
        pick
    }

    /// Forgets the last click: the next one starts anew. For when the selection changed otherwise.
    pub fn reset(&mut self) {
        self.last = None;
    }
}
