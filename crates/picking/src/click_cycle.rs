//! Repeated clicks at one position, which cycle through the elements under the cursor.

use glam::DVec2;
use hitscan_scene::InstanceId;

use crate::{
    element::Element,
    pick::{Pick, PickOptions},
    picker::Picker,
};

/// Cycles through the elements under the cursor with repeated clicks at the same position.
///
/// The first click picks the front element, each further click the next one behind, and after the last the
/// first again. Keep one `ClickCycle` per viewport.
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
    /// The maximum distance between two clicks at the same position, in pixels.
    pub tolerance: f64,
    last: Option<(DVec2, InstanceId, Element)>,
}

impl Default for ClickCycle {
    /// A tolerance of 4 pixels.
    fn default() -> Self {
        Self { tolerance: 4.0, last: None }
    }
}

impl ClickCycle {
    /// The pick of a click. The first click at a position returns [`Picker::pick`], each further click the
    /// next element of [`Picker::pick_all`]. The scene may change between clicks.
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
                let is_same = |pick: &Pick, other: &Pick| {
                    (pick.instance, pick.element) == (other.instance, other.element)
                };
                let all = picker.pick_all(pixel, options);
                let others =
                    all.into_iter().filter(|pick| !first.is_some_and(|f| is_same(pick, &f)));
                let picks: Vec<Pick> = first.into_iter().chain(others).collect();
                let last = picks
                    .iter()
                    .position(|pick| (pick.instance, pick.element) == (instance, element));
                let next = last.map_or(0, |last| (last + 1) % picks.len());
                picks.get(next).copied()
            }
        };
        // Keep the position of the first click, because otherwise a drifting cursor would cycle for ever.
        let position = again.map_or(pixel, |(position, ..)| position);
        self.last = pick.map(|pick| (position, pick.instance, pick.element));
        pick
    }

    /// Forgets the last click, so that the next one picks the front element. Call it when the selection
    /// changes by other means.
    pub fn reset(&mut self) {
        self.last = None;
    }
}
