"""Docstrings, examples and the notebook run and are complete."""

import doctest
import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import hitscan
import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
NEEDS = {
    "hitscan.distributed.dask": "distributed",
    "hitscan.distributed.ray": "ray",
    "hitscan.jax": "jax",
    "hitscan.torch": "torch",
}


def modules():
    found = [module.name for module in pkgutil.walk_packages(hitscan.__path__, "hitscan.")]
    assert len(found) > 12
    return ["hitscan", *(name for name in found if name != "hitscan._hitscan")]


def load(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    return importlib.import_module(name)


@pytest.mark.parametrize("name", modules())
def test_examples_of_docstrings(name):
    result = doctest.testmod(load(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    if name in ("hitscan", "hitscan._bvh", "hitscan._scene", "hitscan._view", "hitscan.open3d"):
        assert result.attempted > 2


def functions(thing, prefix):
    """The public classes, functions and methods of a module or class."""
    own = [base for base in getattr(thing, "__mro__", ()) if base.__module__.startswith("hitscan")]
    names = thing.__all__ if inspect.ismodule(thing) else {name for base in own for name in vars(base)}
    for name in names:
        if name.startswith("_"):
            continue
        value = inspect.getattr_static(thing, name)
        value = getattr(value, "__func__", value)
        if inspect.isfunction(value) and value.__module__.startswith("hitscan"):
            yield f"{prefix}.{name}", value
        elif inspect.isclass(value) and value.__module__.startswith("hitscan") and inspect.ismodule(thing):
            yield f"{prefix}.{name}", value
            yield from functions(value, f"{prefix}.{name}")


@pytest.mark.parametrize("name", [name for name in modules() if not name.rpartition(".")[2].startswith("_")])
def test_everything_public_is_documented(name):
    module = load(name)
    for path, thing in functions(module, name):
        text = inspect.getdoc(thing)
        assert text, f"{path} has no docstring"
        if inspect.isclass(thing):
            continue
        parameters = [p for p in inspect.signature(thing).parameters if p not in ("self", "cls")]
        if len(parameters) > 2 and not path.endswith("create_rays_pinhole"):
            assert "Parameters\n-" in text or ":meth:" in text or ":func:" in text, path


NOTEBOOKS = {
    "first_steps": None,
    "recipes": None,
    "pyvista": "pyvista",
    "gradients": "torch",
    "jax": "jax",
    "mujoco": "mujoco",
    "blender": "bpy",
}


def test_every_notebook_is_tested_and_has_no_outputs():
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert [path.stem for path in notebooks] == sorted(NOTEBOOKS)
    for path in notebooks:
        cells = json.loads(path.read_text())["cells"]
        assert all(cell.get("outputs", []) == [] for cell in cells), "commit notebooks without outputs"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_notebook_runs(name, monkeypatch, capsys):
    if NOTEBOOKS[name]:
        pytest.importorskip(NOTEBOOKS[name])
    monkeypatch.chdir(ROOT / "notebooks")
    monkeypatch.setattr(sys, "path", [*sys.path])
    names = {}
    for cell in json.loads(Path(f"{name}.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    globals()[f"check_{name}"](names, capsys.readouterr().out)
    for value in names.values():
        if isinstance(value, hitscan.Picture):
            assert len(value._repr_png_()) > 1000 and len(np.unique(value)) > 10, "a picture shows something"


def check_first_steps(names, printed):
    assert "triangle" in printed and len(names["scene"]) == 5


def check_recipes(names, printed):
    assert 0.05 < names["sky"].min() < 0.5 and 0.9 < names["sky"].max() <= 1
    assert 0.4 < np.nanmin(names["thick"]) < 0.65 < np.nanmedian(names["thick"]) < 1.2
    scan = names["scan"]
    assert len(scan) > 20_000 and scan.range.max() <= 60.1
    on_ground = abs(scan.points[:, 2]) < 0.1
    assert 0.2 < on_ground.mean() < 0.9, "the sensor sees the street and the houses"


def check_pyvista(names, printed):
    assert len(names["points"]) == len(names["rays"]) > 200
    assert 0 <= names["mesh"]["occlusion"].min() < 0.2 < names["mesh"]["occlusion"].max() <= 1


def check_gradients(names, printed):
    assert names["losses"][-1] < 0.05 * names["losses"][0]
    assert abs(names["size"].item() - 1.1) < 0.01
    assert abs(names["shift"].detach().numpy() - names["true_shift"].numpy()).max() < 0.05


def check_jax(names, printed):
    assert names["errors"][0] > 0.05 and names["errors"][-1] < 1e-5
    assert abs(names["pose"] - names["true_pose"]).max() < 1e-5


def check_mujoco(names, printed):
    assert names["error"] < 1e-4 and (names["near"] == (names["distance"] >= 0)).mean() > 0.999


def check_blender(names, printed):
    assert 0.5 < (names["found"].index >= 0).mean() < 1 and len(names["scene"].objects) == 2


def run(script, *arguments):
    command = [sys.executable, ROOT / "examples" / script, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def test_the_gallery_writes_pictures(tmp_path):
    run("gallery.py", "--output", str(tmp_path), "--size", "80x60")
    files = sorted(tmp_path.glob("*.png"))
    assert len(files) == 8 and all(file.stat().st_size > 400 for file in files)


def test_the_script_for_dask():
    pytest.importorskip("distributed")
    assert "equal bits: True" in run("on_dask.py", "--rays", "20000")


def test_the_script_for_ray():
    pytest.importorskip("ray")
    pytest.importorskip("pyarrow")
    assert "equal bits: True" in run("on_ray.py", "--rays", "20000")
