//! The triangles and quads of a scene: one mesh with one tree.

use std::{ops::ControlFlow, sync::Arc};

use engine::{BuildOptions, BuildQuality, Faces, Hit, MeshBvh, TriMesh, glam::Vec3, scene::Mesh};

use crate::{
    abi::{error, quality, scene_flag},
    device::{Charge, Device},
    error::{Outcome, failure, not_now},
    geometry::{Geometry, Kind, State},
    lane::{HitWords, Lane, RayMemory},
    query::{Filters, Query},
};

/// A geometry of triangles or quads.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) geom_id: u32,
    pub(crate) mask: u32,
    pub(crate) filters: Filters,
    pub(crate) state: State,
    first: u32,
    prims: Prims,
}

/// How the triangles of a part are numbered.
#[derive(Debug)]
enum Prims {
    Triangles,
    /// Two for each quad.
    Quads,
    /// By the number of the triangle in the part: twice the primitive, and 1 for the second half of a quad.
    Table(Vec<u32>),
}

impl Part {
    /// The primitive of a triangle, and whether it is the second half of a quad.
    #[inline(always)]
    pub(crate) fn prim(&self, triangle: u32) -> (u32, bool) {
        let i = triangle - self.first;
        match &self.prims {
            Prims::Triangles => (i, false),
            Prims::Quads => (i / 2, i % 2 == 1),
            Prims::Table(table) => (table[i as usize] / 2, table[i as usize] % 2 == 1),
        }
    }
}

/// All triangles of a scene.
#[derive(Debug)]
pub(crate) struct Surface {
    pub(crate) mesh: Arc<Mesh>,
    /// Of each triangle, not of length 1. In an array, because a hit then waits for memory once.
    normals: Arc<[Vec3]>,
    pub(crate) parts: Vec<Part>,
    /// The part of each triangle, if there are several.
    part_of: Vec<u32>,
    /// A ray that shares a bit with it shares one with every part.
    pub(crate) common_mask: u32,
    /// A ray that shares no bit with it shares none with any part.
    any_mask: u32,
    scene_allows_argument: bool,
    some_take_argument: bool,
    /// Whether parts have filters for the closest hit, and for any hit.
    has_filters: [bool; 2],
    _memory: Arc<Charge>,
}

/// What a build follows.
pub(crate) struct BuildPlan<'a> {
    pub(crate) device: &'a Arc<Device>,
    pub(crate) flags: u32,
    pub(crate) quality: u32,
    pub(crate) progress: &'a (dyn Fn(f32) -> ControlFlow<()> + Sync),
}

impl Surface {
    /// The mesh of these geometries. What did not change since `old` is kept, and a tree whose vertices moved may be refitted.
    pub(crate) fn new(
        geometries: Vec<(u32, Arc<Geometry>, State)>,
        plan: &BuildPlan<'_>,
        old: Option<&Self>,
    ) -> Outcome<Self> {
        let scene_allows_argument = plan.flags & scene_flag::FILTER_FUNCTION_IN_ARGUMENTS != 0;
        let (mut positions, mut triangles, mut parts) = (vec![], vec![], vec![]);
        for (geom_id, geometry, state) in geometries {
            let first = triangles.len() as u32;
            let prims = append(geometry.kind, &state, &mut positions, &mut triangles)?;
            let filters = Filters {
                geometry,
                intersect: state.intersect_filter,
                occluded: state.occluded_filter,
                takes_argument: state.takes_argument_filter,
                scene_allows_argument,
            };
            parts.push(Part { geom_id, mask: state.mask, filters, state, first, prims });
        }
        let refits = plan.flags & scene_flag::DYNAMIC != 0
            || parts.iter().any(|part| part.state.quality == quality::REFIT);
        let (mesh, memory) = build(positions, triangles, plan, old, refits)?;
        let normals = match old {
            Some(old) if Arc::ptr_eq(&old.mesh, &mesh) => old.normals.clone(),
            _ => normals(mesh.tri_mesh()),
        };
        let n = normals.len() as u32;
        let ends = parts.iter().skip(1).map(|part| part.first).chain([n]);
        let part_of = if parts.len() < 2 {
            vec![]
        } else {
            let runs = parts.iter().zip(ends).zip(0u32..);
            runs.flat_map(|((part, end), i)| (part.first..end).map(move |_| i)).collect()
        };
        Ok(Self {
            common_mask: parts.iter().fold(u32::MAX, |mask, part| mask & part.mask),
            any_mask: parts.iter().fold(0, |mask, part| mask | part.mask),
            some_take_argument: parts.iter().any(|part| part.filters.takes_argument),
            has_filters: [
                parts.iter().any(|part| part.filters.intersect.is_some()),
                parts.iter().any(|part| part.filters.occluded.is_some()),
            ],
            scene_allows_argument,
            mesh,
            normals,
            parts,
            part_of,
            _memory: memory,
        })
    }

    #[inline(always)]
    pub(crate) fn bvh(&self) -> &MeshBvh {
        self.mesh.bvh()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bvh().n_triangles() == 0
    }

    /// Whether no filter runs here: no part has one, and no part takes that of a query's arguments.
    pub(crate) fn is_without_filters(&self) -> bool {
        self.has_filters == [false; 2] && !self.scene_allows_argument
    }

    /// Whether the query asks filters about hits.
    #[inline]
    pub(crate) fn asks<const ANY: bool>(&self, query: &Query<ANY>) -> bool {
        self.has_filters[usize::from(ANY)]
            || query.has_argument_filter(self.scene_allows_argument, self.some_take_argument)
    }

    #[inline(always)]
    pub(crate) fn part(&self, triangle: u32) -> &Part {
        match &self.parts[..] {
            [part] => part,
            parts => &parts[self.part_of[triangle as usize] as usize],
        }
    }

    /// A hit as its numbers stand in memory.
    #[inline(always)]
    pub(crate) fn words(&self, part: &Part, hit: &Hit, instance: [u32; 2]) -> HitWords {
        self.words_with(part, hit, self.normal(hit), instance)
    }

    /// The normal of what was hit.
    #[inline(always)]
    pub(crate) fn normal(&self, hit: &Hit) -> Vec3 {
        self.normals[hit.triangle as usize]
    }

    #[inline(always)]
    fn words_with(
        &self,
        part: &Part,
        hit: &Hit,
        normal: Vec3,
        [id, prim_id]: [u32; 2],
    ) -> HitWords {
        let (prim, is_second) = part.prim(hit.triangle);
        let [u, v] = if is_second { [1.0 - hit.u, 1.0 - hit.v] } else { [hit.u, hit.v] };
        let [x, y, z] = normal.to_array().map(f32::to_bits);
        [x, y, z, u.to_bits(), v.to_bits(), prim, part.geom_id, id, prim_id]
    }

    /// Casts the ray of a query that is in no instance, or in one that the program makes. A hit is written to the ray; with
    /// `ANY` the answer alone says it.
    pub(crate) fn cast<const ANY: bool>(&self, query: &Query<ANY>) -> bool {
        if !self.asks(query) {
            return self.cast_plain::<ANY>(query.lane, query.instance());
        }
        let (ray, mask, faces) = (query.lane.ray(), query.lane.mask(), Faces::Both);
        if self.any_mask & mask == 0 {
            return false;
        }
        let accept = |hit: &Hit| {
            let part = self.part(hit.triangle);
            if part.mask & mask == 0 {
                return false;
            }
            let words = self.words(part, hit, query.instance());
            query.accepts(&part.filters, &words, hit.t)
        };
        if ANY {
            return self.bvh().is_occluded_where(&ray, faces, accept);
        }
        self.bvh().closest_hit_where(&ray, faces, accept).is_some()
    }

    /// Casts a ray without filters. Writes the hit to the ray; with `ANY` it only returns whether there is one.
    #[inline(always)]
    pub(crate) fn cast_plain<const ANY: bool>(&self, lane: Lane, instance: [u32; 2]) -> bool {
        let mask = lane.mask();
        if self.any_mask & mask == 0 {
            return false;
        }
        let mut memory = RayMemory::new();
        let ray = lane.ray_in(&mut memory);
        if ANY {
            return self.is_occluded(ray, mask);
        }
        let (hit, normal) = if self.common_mask & mask != 0 {
            let Some((hit, corners)) =
                self.bvh().closest_hit_with_corners(self.mesh.tri_mesh(), ray, Faces::Both)
            else {
                return false;
            };
            (hit, normal(corners))
        } else {
            let lets_in = |hit: &Hit| self.lets_in(hit, mask);
            let Some(hit) = self.bvh().closest_hit_where(ray, Faces::Both, lets_in) else {
                return false;
            };
            (hit, self.normal(&hit))
        };
        self.write(lane, &hit, normal, instance);
        true
    }

    /// Writes a hit to its ray.
    #[inline(always)]
    pub(crate) fn write(&self, lane: Lane, hit: &Hit, normal: Vec3, instance: [u32; 2]) {
        lane.set_t_far(hit.t);
        lane.set_hit(&self.words_with(self.part(hit.triangle), hit, normal, instance));
    }

    /// Whether the ray hits a part whose mask lets it in.
    #[inline(always)]
    fn is_occluded(&self, ray: &engine::Ray, mask: u32) -> bool {
        if self.common_mask & mask != 0 {
            return self.bvh().is_occluded(ray, Faces::Both);
        }
        self.bvh().is_occluded_where(ray, Faces::Both, |hit| self.lets_in(hit, mask))
    }

    fn lets_in(&self, hit: &Hit, mask: u32) -> bool {
        self.part(hit.triangle).mask & mask != 0
    }
}

/// The normal of a triangle: the product of two edges, rounded once.
#[inline(always)]
fn normal(corners: [Vec3; 3]) -> Vec3 {
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    (b - a).cross(c - a).as_vec3()
}

/// The normal of each triangle.
fn normals(mesh: &TriMesh) -> Arc<[Vec3]> {
    (0..mesh.triangles().len() as u32).map(|triangle| normal(mesh.corners(triangle))).collect()
}

/// Appends the triangles of a geometry, without those that have an index out of range or a corner that is not finite.
fn append(
    kind: Kind,
    state: &State,
    positions: &mut Vec<Vec3>,
    triangles: &mut Vec<[u32; 3]>,
) -> Outcome<Prims> {
    let n_before = positions.len();
    let n_vertices = state.vertex.as_ref().map_or(0, |view| view.n);
    let n_prims = state.index.as_ref().map_or(0, |view| view.n);
    let halves = if kind == Kind::Quads { 2 } else { 1 };
    let is_too_large = n_before + n_vertices > u32::MAX as usize
        || triangles.len() + halves * n_prims > TriMesh::MAX_TRIANGLES;
    if is_too_large {
        return Err(not_now("the scene has more than 2^29 triangles or 2^32 - 1 vertices"));
    }
    if let Some(view) = &state.vertex {
        positions.extend((0..view.n).map(|i| Vec3::from_array(view.floats(i))));
    }
    let is_usable = |corner: &u32| {
        (*corner as usize) < n_vertices && positions[n_before + *corner as usize].is_finite()
    };
    let mut kept = vec![];
    if let Some(view) = &state.index {
        triangles.reserve(halves * view.n);
        for prim in 0..view.n {
            let (corners, n_halves) = if kind == Kind::Quads {
                let [a, b, c, d] = view.indices::<4>(prim);
                // A triangle in the form of a quad has no second half.
                ([[a, b, d], [c, d, b]], if c == d { 1 } else { 2 })
            } else {
                ([view.indices::<3>(prim); 2], 1)
            };
            let whole = corners[..n_halves].as_flattened().iter().all(is_usable);
            for (half, corners) in corners[..n_halves].iter().enumerate().filter(|_| whole) {
                triangles.push(corners.map(|corner| corner + n_before as u32));
                kept.push((2 * prim + half) as u32);
            }
        }
    }
    for position in &mut positions[n_before..] {
        if !position.is_finite() {
            *position = Vec3::ZERO;
        }
    }
    let is_whole = kept.len() == halves * n_prims;
    Ok(match kind {
        Kind::Quads if is_whole => Prims::Quads,
        Kind::Triangles if is_whole => Prims::Triangles,
        _ => Prims::Table(kept),
    })
}

fn build(
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    plan: &BuildPlan<'_>,
    old: Option<&Surface>,
    refits: bool,
) -> Outcome<(Arc<Mesh>, Arc<Charge>)> {
    let old = old.filter(|old| {
        let mesh = old.mesh.tri_mesh();
        mesh.triangles() == triangles && mesh.positions().len() == positions.len()
    });
    if let Some(old) = old {
        if old.mesh.tri_mesh().positions() == positions {
            return Ok((old.mesh.clone(), old._memory.clone()));
        }
        if refits {
            let mut mesh = (*old.mesh).clone();
            let report = mesh.refit(positions.iter().copied()).map_err(not_now)?;
            if !report.rebuild_pays() {
                return Ok((Arc::new(mesh), old._memory.clone()));
            }
        }
    }
    // A tree, a mesh, normals, and what tells the parts.
    let n_bytes = 116 * triangles.len() + size_of::<Vec3>() * positions.len();
    let memory = Arc::new(Charge::new(plan.device.clone(), n_bytes)?);
    let mesh = TriMesh::from_vecs(positions, triangles).map_err(not_now)?;
    let quality = match plan.quality {
        quality::LOW => BuildQuality::Fast,
        quality::HIGH => BuildQuality::High,
        _ => BuildQuality::Balanced,
    };
    let options = BuildOptions { quality, ..BuildOptions::default() };
    let cancelled = |_| failure(error::CANCELLED, "the progress monitor cancelled the build");
    let bvh = MeshBvh::build_with_progress(&mesh, &options, plan.progress).map_err(cancelled)?;
    Ok((Arc::new(Mesh::from_built(mesh, bvh).map_err(not_now)?), memory))
}
