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
import pytest

ROOT = Path(__file__).parent.parent
NEEDS = {
    "hitscan.distributed.dask": "distributed",
    "hitscan.distributed.ray": "ray",
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


def test_the_notebook_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT / "notebooks")
    monkeypatch.setattr(sys, "path", [*sys.path])
    cells = json.loads(Path("first_steps.ipynb").read_text())["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "commit the notebook without outputs"
            exec("".join(cell["source"]), names)
    assert "triangle" in capsys.readouterr().out and len(names["scene"]) == 5


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
