"""Answers as dictionaries of arrays, and as tables of pandas."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy.typing as npt

#: The names of the columns of arrays with two and three columns.
_COLUMNS = {"uv": ("u", "v"), "points": ("x", "y", "z"), "normals": ("nx", "ny", "nz")}


class Answer:
    """What all answers share: they are arrays by name."""

    def to_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name, as ``numpy.savez`` takes them."""
        own: Any = self
        return {one.name: getattr(self, one.name) for one in fields(own) if not one.name.startswith("_")}

    def to_dataframe(self) -> Any:
        """Return the arrays, the points and the normals as columns of a ``pandas.DataFrame``."""
        import pandas

        arrays = self.to_dict()
        if arrays.pop("splits", None) is not None:
            name = "ball" if hasattr(self, "ball") else "ray"
            arrays = {name: getattr(self, name), **arrays}
        columns = {name: array for name, array in arrays.items() if array.ndim == 1}
        for name, letters in _COLUMNS.items():
            array = getattr(self, name, None)
            if array is not None:
                columns.update({letter: array[:, k] for k, letter in enumerate(letters)})
        return pandas.DataFrame(columns)
