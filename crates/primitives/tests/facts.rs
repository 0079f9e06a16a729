//! Small facts of the public types. Mutation testing (`tests/MUTANTS.md`) found that no other test checked
//! them.

use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Aabb, Axis, Ray, TriMesh, Triangle, WatertightRay, generate};

#[test]
fn half_the_surface_of_a_box_is_three_of_its_faces() {
    let aabb = Aabb::new([1.0, 1.0, 1.0], [2.0, 3.0, 4.0]);
    assert_eq!(aabb.half_area(), 1.0 * 2.0 + 2.0 * 3.0 + 3.0 * 1.0);
}

#[test]
fn without_records_every_triangle_is_one_polygon() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mesh = TriMesh::new(positions, vec![[0, 1, 2], [0, 1, 3], [0, 2, 3]]).expect("a mesh");
    for polygon in 0..3 {
        assert_eq!(mesh.triangles_of(polygon), polygon..polygon + 1);
        assert_eq!(mesh.polygon_of(polygon), polygon);
    }
}

#[test]
fn the_area_of_a_triangle_is_half_that_of_its_box() {
    let triangle = Triangle::new([1.0, 1.0, 5.0], [4.0, 1.0, 5.0], [1.0, 3.0, 5.0]);
    assert_eq!(triangle.area(), 3.0);
}

#[test]
fn the_volume_is_that_inside_and_negative_inside_out() {
    let mesh = generate::cuboid(2.0, 3.0, 4.0, 2).expect("valid");
    assert!((mesh.volume() - 24.0).abs() < 1e-12, "{}", mesh.volume());
    let turned = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let turned = TriMesh::from_vecs(mesh.positions().to_vec(), turned).expect("valid");
    assert_eq!(turned.volume(), -mesh.volume());
    let empty = TriMesh::new([[0.0; 3]; 0], vec![]).expect("valid");
    assert_eq!(empty.volume().to_bits(), 0f64.to_bits());
}

#[test]
fn only_meshes_of_extreme_size_are_scaled() {
    let scale = |size: f32| {
        let corners = [Vec3::ZERO, size * Vec3::X, 0.5 * size * Vec3::Y];
        TriMesh::new(corners, vec![[0, 1, 2]]).expect("a mesh").query_scale()
    };
    let power = |exponent: i32| 2f32.powi(exponent);
    for exponent in [-40, -1, 0, 40] {
        assert_eq!(scale(power(exponent)), 1.0, "2^{exponent}");
    }
    for exponent in [-100, -41, 41, 100] {
        assert_eq!(scale(power(exponent)), 2f64.powi(-exponent), "2^{exponent}");
    }
}

#[test]
fn the_shear_maps_a_ray_onto_its_dominant_axis() {
    let ray = WatertightRay::new(&Ray::new([0.0; 3], [2.0, -4.0, 1.0])).expect("a valid ray");
    assert_eq!(ray.axes(), [Axis::Z, Axis::X, Axis::Y]);
    assert_eq!(ray.shear(), [-0.25, -0.5]);
}
