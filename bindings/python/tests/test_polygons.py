"""Meshes of polygons and of other libraries, and what files say about corners, as arrays."""

import pickle
import types

import hitscan
import numpy as np
import pytest
from hitscan import geometry

CUBE = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


@pytest.mark.parametrize("quads", [QUADS, np.array(QUADS), np.array(QUADS, np.uint32), tuple(QUADS)])
def test_quads_become_two_triangles_each(quads):
    mesh = hitscan.Mesh(CUBE, quads)
    assert len(mesh) == 12 and mesh.polygon_ids.tolist() == [n // 2 for n in range(12)]
    inside = hitscan.Bvh(mesh).winding_numbers([[0.5, 0.5, 0.5]])
    assert abs(inside[0] - 1) < 1e-6, "the cube is closed and faces outward"


def test_polygons_of_any_number_of_corners_keep_their_area():
    arrow = [[0, 0, 0], [4, 0, 0], [4, 3, 0], [2, 1, 0], [0, 3, 0], [9, 0, 0]]
    mesh = hitscan.Mesh(np.float32(arrow), [[0, 1, 2, 3, 4], [1, 5, 2]])
    assert mesh.polygon_ids.tolist() == [0, 0, 0, 1]
    corners = mesh.positions[mesh.triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2
    assert (area > 0).all() and area[:3].sum() == 8
    assert hitscan.Bvh(mesh).closest_hit((2, 2, 1), (0, 0, -1)) is None, "the notch is open"
    same = hitscan.Mesh(arrow, np.array([[0, 1, 2, 3, 4], [1, 5, 2]], object))
    assert (same.triangles == mesh.triangles).all()


def test_polygons_far_from_the_origin_have_an_offset():
    mesh = hitscan.Mesh(np.array(CUBE) + 5e6 + 0.25, QUADS)
    assert mesh.offset.tolist() == [5e6 + 0.5] * 3 and len(mesh) == 12
    assert mesh.bounds.tolist() == [[5e6 + 0.25] * 3, [5e6 + 1.25] * 3]


@pytest.mark.parametrize(
    ("polygons", "error", "text"),
    [
        ([[0, 1, 2], [0, 1]], ValueError, r"triangles\[1\] has 2 corners, expected 3 or more"),
        ([[0, 1, 2], [0, 1, 2, -3]], ValueError, r"triangles\[1\] has the corner -3, expected an index"),
        ([[0, 1, 2], [0, 1, 2, 8]], ValueError, r"polygon 1 has corner 8, expected below 8"),
        ([[0, 1, 2], [0, 1, 2, 0.5]], TypeError, r"triangles has dtype float64, expected integers"),
        ([[0, 1], [2, 3]], ValueError, r"triangles has shape \(2, 2\), expected \(n, 3\)"),
        ([[0, 1, 2, 9]], ValueError, r"polygon 0 has corner 9, expected below 8"),
    ],
)
def test_a_wrong_polygon_is_named(polygons, error, text):
    with pytest.raises(error, match=text):
        hitscan.Mesh(CUBE, polygons)


def test_meshes_of_meshio_convert():
    def block(kind, data):
        return types.SimpleNamespace(type=kind, data=np.array(data))

    cells = [block("quad", QUADS[:5]), block("triangle", [[1, 5, 7]]), block("line", [[0, 1]])]
    mesh = hitscan.as_mesh(types.SimpleNamespace(points=np.array(CUBE), cells=cells, cells_dict={}))
    assert len(mesh) == 11
    flat = types.SimpleNamespace(points=np.array([[0, 0], [1, 0], [0, 1]]), cells=cells[1:2], cells_dict={})
    flat.cells[0].data[:] = [[0, 1, 2]]
    assert hitscan.Bvh(flat).bounds.tolist() == [[0, 0, 0], [1, 1, 0]], "Bvh takes such meshes, too"
    flat.cells = [block("tetra", [[0, 1, 2, 2]])]
    with pytest.raises(TypeError, match=r"mesh has cells of \['tetra'\], expected triangles, quads"):
        hitscan.as_mesh(flat)


OBJ = """mtllib two.mtl
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 1
o roof
usemtl red
f 1/1/1 2/2/1 3/3/1 4/4/1
o wall
usemtl blue
f 1 2 3
"""


def test_attributes_of_a_file_are_arrays(tmp_path):
    (tmp_path / "two.obj").write_text(OBJ)
    (tmp_path / "two.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 0.5\n")
    mesh = hitscan.load(tmp_path / "two.obj")
    assert mesh.polygon_ids.tolist() == [0, 0, 1]
    assert mesh.corner_uvs.shape == (3, 3, 2) and np.isnan(mesh.corner_uvs[2]).all()
    assert mesh.corner_uvs[0].tolist() == mesh.positions[mesh.triangles[0], :2].tolist()
    assert mesh.corner_normals[0].tolist() == [[0, 0, 1]] * 3 and np.isnan(mesh.corner_normals[2]).all()
    for kind, expected in (("material", ["red", "red", "blue"]), ("object", ["roof", "roof", "wall"])):
        names, index = mesh.labels(kind)
        assert [names[i] for i in index] == expected
    assert mesh.colors == {"red": (1, 0, 0), "blue": (0, 0, 0.5)}
    for same in (hitscan.Bvh(mesh).mesh, pickle.loads(pickle.dumps(mesh))):
        assert same.colors == mesh.colors and same.corner_uvs.tobytes() == mesh.corner_uvs.tobytes()
    picture = hitscan.render(mesh, width=60, height=40, mode="material", colors=mesh.colors)
    assert picture.shape == (40, 60, 4)
    with pytest.raises(ValueError, match=r"kind is 'x', expected 'object' or 'group' or 'material'"):
        mesh.labels("x")
    bare = hitscan.Mesh(CUBE, QUADS)
    assert bare.corner_uvs is None and bare.corner_normals is None and bare.labels("group")[1][0] == -1


def test_notebooks_show_pictures(ball, ball_bvh):
    scene = hitscan.Scene()
    scene.insert(ball_bvh)
    view = hitscan.Camera.framing(ball_bvh).view(40, 30)
    images = geometry.camera_images(ball_bvh, view)
    for shown in (ball, ball_bvh, scene, images, hitscan.render(ball_bvh, view)):
        assert shown._repr_png_().startswith(b"\x89PNG\r\n")
    nothing = hitscan.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    assert nothing._repr_png_() is None and hitscan.render(ball_bvh, view)[0]._repr_png_() is None
    assert hitscan.Scene()._repr_png_() is None
