//! Where planes cut the surface.

use std::ops::ControlFlow;

use hitscan_primitives::{SectionPlane, SectionPolyline, SectionSegments};

use super::visit_nodes::{slot_keys, visit_nodes};
use crate::{layout::TriangleBlock, mesh_bvh::MeshBvh, platform::parallel};

impl MeshBvh {
    /// The polylines in which a plane cuts the surface, in the mesh's own space: closed where the surface is closed, with the
    /// triangle of every segment. In the order of their least triangles.
    ///
    /// [`SectionSegments`] has the rules, also for corners and edges in the plane. The answer equals
    /// [`brute_force::section`](hitscan_primitives::brute_force::section) to the last bit. O(log n + m log m) for m triangles
    /// that the plane cuts.
    ///
    /// For outlines of a cut, contour lines and slices. See also [`section_batch`](Self::section_batch) for many planes,
    /// and [`TriMesh::polygon_of`](hitscan_primitives::TriMesh::polygon_of) for the polygon of a triangle.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{SectionPlane, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 3.0, 4.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let plane = SectionPlane::new([0.0, 0.0, 0.5], [0.0, 0.0, 1.0])?;
    /// let polylines = bvh.section(&plane);
    /// assert_eq!(polylines.len(), 1);
    /// assert!(polylines[0].is_closed);
    /// assert_eq!(polylines[0].length(), 10.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn section(&self, plane: &SectionPlane) -> Vec<SectionPolyline> {
        let plane = plane.scaled(self.tree.scale);
        let mut segments = SectionSegments::new(&plane);
        let _: ControlFlow<()> = visit_nodes(
            |index| &self.tree.nodes[index],
            0.0,
            |node| {
                slot_keys(node, |slot| {
                    let bounds = node.child_bounds(slot);
                    let may_cut = plane.may_cut_box(bounds.min.as_dvec3(), bounds.max.as_dvec3());
                    if may_cut { 0.0 } else { f64::INFINITY }
                })
            },
            |blocks, limit| {
                let mut scratch = TriangleBlock::EMPTY;
                for block in blocks {
                    let block = self.tree.leaves.block(block, &mut scratch);
                    for (_, triangle, corners) in block.triangles() {
                        segments.add(triangle, corners.map(|corner| corner.as_vec3()), corners);
                    }
                }
                ControlFlow::Continue(limit)
            },
        );
        segments.join(self.tree.scale)
    }

    /// [`section`](Self::section) of each plane, on rayon's current pool with the feature `parallel`.
    ///
    /// For slices of a solid and contour lines of a terrain. See also [`section`](Self::section), for one plane.
    pub fn section_batch(&self, planes: &[SectionPlane]) -> Vec<Vec<SectionPolyline>> {
        let mut sections = vec![Vec::new(); planes.len()];
        parallel::for_each_chunk(&mut sections, 1, |plane, section| {
            section[0] = self.section(&planes[plane]);
        });
        sections
    }
}
