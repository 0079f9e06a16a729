//! Selection by marquee and lasso: the elements of a scene in a region of the screen.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use hitscan_bvh::Cancelled;
use hitscan_scene::{InstanceId, QueryOptions};

use crate::{
    element::{Element, ElementKind},
    in_region::{RegionMode, RegionSearch},
    parallel,
    picker::Picker,
    progress::Progress,
    projected_mesh::ProjectedMesh,
    screen_frustum::ScreenFrustum,
    screen_region::ScreenRegion,
    visible::VisibleFilter,
    visible_samples::InstanceElements,
};

/// The options of a selection.
#[derive(Clone, Copy, Debug, Default)]
pub struct SelectOptions<'a> {
    /// The kind of element to select.
    pub kind: ElementKind,
    /// Whether the region must touch or enclose an element.
    pub mode: RegionMode,
    /// Whether to select only elements that are visible in the region; see [`Picker::select`].
    pub visible_only: bool,
    /// The instances to select from. `faces` affects only visibility.
    pub query: QueryOptions<'a>,
}

/// An element that a region selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selected {
    /// The instance of the element.
    pub instance: InstanceId,
    /// The element: the instance itself, or a face, edge or vertex of its mesh.
    pub element: Element,
}

/// The share of the region in a selection of visible elements.
const REGION_SHARE: f32 = 0.2;

impl<'a> Picker<'a> {
    /// The elements that the region touches or encloses, sorted by instance and element.
    ///
    /// When to use: for marquee and lasso. See also [`select_with_progress`](Self::select_with_progress)
    /// for large scenes, and [`pick`](Self::pick) for one pixel.
    ///
    /// The region is in the pixels of the view's viewport, and may extend beyond it. The selection clips
    /// polygons to the near and far planes, then compares them with the region by exact predicates. The
    /// projection to the screen rounds in f64. Hidden elements count.
    ///
    /// With [`visible_only`](SelectOptions::visible_only), rays also decide whether an element is visible
    /// in the region and the viewport:
    ///
    /// - An object or a face is visible if a ray through a pixel centre (x.5, y.5) hits it first. So it is
    ///   if a ray through the middle of one of its triangles does; for an object, of the first 16 triangles
    ///   with their middle in the region. If all its triangles have zero area, they count as the edges or
    ///   vertices that they look like.
    /// - An edge is visible if one of its sample points is, one per pixel of its length. A vertex is one
    ///   point. A surface before the point hides it, except triangles that contain the edge or vertex.
    ///
    /// An element that shows less than a pixel may be missed. Objects and faces cost at most one ray per pixel
    /// of the region and per triangle; pixels without hidden elements cost none. Edges cost at most one ray
    /// per pixel of length, vertices one ray each. The feature `parallel` spreads the work over rayon's
    /// current pool.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use hitscan_picking::{Camera, Picker, ScreenRegion, SelectOptions, Viewport};
    /// use hitscan_primitives::generate;
    /// use hitscan_scene::{Instance, Mesh, Scene, glam::DAffine3};
    ///
    /// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
    /// let mut scene = Scene::new();
    /// let id = scene.insert(Instance::new(cube, DAffine3::IDENTITY))?;
    /// let view = Camera::look_at([0.0, 0.0, 9.0], [0.0; 3]).view(Viewport::from_size(800.0, 600.0))?;
    ///
    /// let region = ScreenRegion::rectangle([390.0, 290.0], [410.0, 310.0])?;
    /// let selected = Picker::new(&scene, &view).select(&region, &SelectOptions::default());
    /// assert_eq!(selected.iter().map(|selected| selected.instance).collect::<Vec<_>>(), [id]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn select(&self, region: &ScreenRegion, options: &SelectOptions<'_>) -> Vec<Selected> {
        match self.select_with_progress(region, options, &|_| ControlFlow::Continue(())) {
            Ok(selected) => selected,
            Err(Cancelled) => unreachable!("the callback never cancels"),
        }
    }

    /// [`select`](Self::select) with a callback, which receives the fraction done, from 0 to 1 and never
    /// falling. Any thread may call it. The selection stops when it returns [`ControlFlow::Break`]: after
    /// the instances at work, or after at most some hundred thousand rays.
    ///
    /// When to use: where a selection may last longer than a frame. See also [`select`](Self::select).
    ///
    /// # Errors
    /// [`Cancelled`] if `progress` returned [`ControlFlow::Break`].
    pub fn select_with_progress(
        &self,
        region: &ScreenRegion,
        options: &SelectOptions<'_>,
        progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
    ) -> Result<Vec<Selected>, Cancelled> {
        let progress = Progress::new(progress);
        let end_of_search = if options.visible_only { REGION_SHARE } else { 1.0 };
        let stage = progress.stage(0.0, end_of_search);
        let n_searched = AtomicUsize::new(0);
        let frustum = ScreenFrustum::new(self.view.map(), region.min(), region.max());
        let mut meshes = vec![];
        self.for_each_mesh_in(&frustum, &options.query, |instance, to_view, mesh| {
            meshes.push((instance, to_view, mesh));
        });
        let per_instance = parallel::map(&meshes, |&(instance, to_view, mesh)| {
            let map = self.view.map().in_local_space(&to_view);
            let projected = ProjectedMesh { mesh: mesh.tri_mesh(), bvh: mesh.bvh(), map };
            let n = n_searched.fetch_add(1, Ordering::Relaxed);
            let elements = match stage.goes_on(n, meshes.len()) {
                true => RegionSearch::new(projected, region, options.mode).elements(options.kind),
                false => vec![],
            };
            InstanceElements { instance, to_view, projected, elements }
        });
        let mut per_instance: Vec<InstanceElements<'_>> =
            per_instance.into_iter().filter(|group| !group.elements.is_empty()).collect();
        if options.visible_only {
            let (kind, query) = (options.kind, &options.query);
            let stage = progress.stage(REGION_SHARE, 1.0);
            per_instance =
                VisibleFilter::new(self, region, kind, query, per_instance).visible(stage);
        }
        if progress.is_cancelled() {
            return Err(Cancelled);
        }
        let mut selected: Vec<Selected> = per_instance
            .into_iter()
            .flat_map(|InstanceElements { instance, elements, .. }| {
                elements.into_iter().map(move |element| Selected { instance, element })
            })
            .collect();
        selected.sort_unstable();
        Ok(selected)
    }

    /// [`select`](Self::select) in the rectangle between two pixel positions. Empty if one of them is not
    /// finite.
    pub fn marquee(
        &self,
        corner: impl Into<[f64; 2]>,
        opposite: impl Into<[f64; 2]>,
        options: &SelectOptions<'_>,
    ) -> Vec<Selected> {
        ScreenRegion::rectangle(corner, opposite)
            .map_or_else(|_| vec![], |region| self.select(&region, options))
    }
}
