//! Marquee and lasso: which elements of a scene are in a region of the screen.

use hitscan_scene::{InstanceId, QueryOptions};

use crate::{
    element::{Element, ElementKind},
    in_region::{RegionMode, RegionSearch},
    picker::Picker,
    projected_mesh::ProjectedMesh,
    screen_frustum::ScreenFrustum,
    screen_region::ScreenRegion,
    visible::{InstanceElements, VisibleFilter},
};

/// What a selection takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct SelectOptions<'a> {
    /// The kind of element.
    pub kind: ElementKind,
    /// Whether the region has to touch or to enclose an element.
    pub mode: RegionMode,
    /// Whether only elements count that are seen in the region; see [`Picker::select`].
    pub visible_only: bool,
    /// Which instances can be selected. The sides of triangles matter only to what is seen.
    pub query: QueryOptions<'a>,
}

/// An element that a region selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selected {
    /// The instance.
    pub instance: InstanceId,
    /// The instance itself, or a projected of its mesh.
    pub element: Element,
}

impl<'a> Picker<'a> {
    /// The elements that the region touches or encloses, sorted by instance and element.
    ///
    /// Decided exactly, up to the rounding of f64 on the way to the screen: what lies before the near
    /// plane or behind the far plane is cut off, then polygons on the screen are compared with the
    /// region by predicates that do not round. Also what is hidden counts, and what is beside the
    /// viewport if the region reaches there.
    ///
    /// With [`visible_only`](SelectOptions::visible_only) an element must also be *seen* in the
    /// viewport and the region, decided by rays:
    ///
    /// - an object or a face, if a ray through the centre of a pixel (of the grid x.5, y.5) hits it
    ///   first, or one through the middle of a triangle of it (of an object, one of the first 16 that
    ///   have theirs in the region); one of triangles of zero area alone as the edges or vertices that
    ///   these look like;
    /// - an edge, by rays to points along it, one a pixel; a vertex, by a ray to it: nothing may be
    ///   before the point but triangles that it is projected of.
    ///
    /// So what shows less than a pixel of itself may be missed. The cost is a ray for each pixel of the
    /// region and for each element that is not seen by these (objects, faces), or for each element and
    /// pixel of its length.
    pub fn select(&self, region: &ScreenRegion, options: &SelectOptions<'_>) -> Vec<Selected> {
        let frustum = ScreenFrustum::new(self.view.map(), region.min(), region.max());
        let mut found = vec![];
        self.for_each_mesh_in(&frustum, &options.query, |instance, to_view, mesh| {
            let map = self.view.map().from_local(&to_view);
            let projected = ProjectedMesh { mesh: mesh.tri_mesh(), bvh: mesh.bvh(), map };
            let elements =
                RegionSearch::new(projected, region, options.mode).elements(options.kind);
            if !elements.is_empty() {
                found.push(InstanceElements { instance, to_view, projected, elements });
            }
        });
        if options.visible_only {
            VisibleFilter::new(self, region, options.kind, &options.query).retain(&mut found);
        }
        let mut selected: Vec<Selected> = found
            .into_iter()
            .flat_map(|InstanceElements { instance, elements, .. }| {
                elements.into_iter().map(move |element| Selected { instance, element })
            })
            .collect();
        selected.sort_unstable();
        selected
    }

    /// [`select`](Self::select) in the rectangle between two pixel positions; nothing if one of them
    /// is not finite.
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
