"""Answers as dictionaries of arrays, and as tables of pandas."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

#: The names of the columns of arrays with two and three columns.
_COLUMNS = {"uv": ("u", "v"), "points": ("x", "y", "z"), "normals": ("nx", "ny", "nz")}


def owners(splits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the index of the list of each entry, where list ``i`` ends at ``splits[i + 1]``."""
    return np.repeat(np.arange(len(splits) - 1, dtype=np.int64), np.diff(splits))


class Answer:
    """What all answers share: they are arrays by name."""

    triangle: npt.NDArray[np.uint32]

    def to_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name, as ``numpy.savez`` takes them."""
        own: Any = self
        return {one.name: getattr(self, one.name) for one in fields(own) if not one.name.startswith("_")}

    def reshaped(self, shape: tuple[int, ...]) -> Any:
        """Return the answer of rays or points (n, ...) in another shape of as many, without copies."""
        n_dimensions = self.triangle.ndim
        arrays = {
            name: array.reshape(shape + array.shape[n_dimensions:]) for name, array in self.to_dict().items()
        }
        own: Any = self
        return replace(own, **arrays)

    def flat(self) -> Any:
        """Return the answer of an image as that of its rows of rays or points, one after the other."""
        return self if self.triangle.ndim == 1 else self.reshaped((self.triangle.size,))

    def to_dataframe(self) -> Any:
        """Return the arrays, the points and the normals as columns of a ``pandas.DataFrame``."""
        import pandas

        if self.triangle.ndim > 1:
            return self.flat().to_dataframe()
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
