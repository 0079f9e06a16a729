"""Answers of sphere casts: small classes of arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._hits import INVALID
from ._tables import Answer, owners


@dataclass(frozen=True, eq=False)
class Contacts(Answer):
    """Where each of n balls that move along rays first touches a surface.

    Attributes
    ----------
    t : (n,) float64
        The position of the ball's centre on its ray, in units of the direction; inf for no contact.
    triangle : (n,) uint32
        The index of the triangle; ``INVALID`` for no contact.
    points : (n, 3) float64
        The points of the triangles that the balls touch; NaN for no contact.
    normals : (n, 3) float64
        The unit vectors from the points to the centres of the balls; NaN for no contact.
    feature : (n,) uint8
        The part of the triangle at the point: 0 is the face, 1 to 3 are the edges from corner 0 to 1, from 1
        to 2 and from 2 to 0, and 4 to 6 are the corners. 255 for no contact.

    Notes
    -----
    The arrays may share memory, as those of :class:`Hits` do.
    """

    t: npt.NDArray[np.float64]
    triangle: npt.NDArray[np.uint32]
    points: npt.NDArray[np.float64]
    normals: npt.NDArray[np.float64]
    feature: npt.NDArray[np.uint8]

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Whether each ball touches anything, (n,) bool."""
        hit: npt.NDArray[np.bool_] = self.triangle != INVALID
        return hit

    def __len__(self) -> int:
        return len(self.triangle)


@dataclass(frozen=True, eq=False)
class SceneContacts(Contacts):
    """Where each of n balls that move along rays first touches a scene, in world space.

    Attributes
    ----------
    instance : (n,) int64
        The id of the instance; -1 for no contact.
    t, triangle, points, normals, feature
        As in :class:`Contacts`.
    """

    instance: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ContactLists(Answer):
    """All contacts of n balls that move along rays, m in all, sorted by ball, then by ``(t, triangle)``.

    Attributes
    ----------
    t : (m,) float64
    triangle : (m,) uint32
    points, normals : (m, 3) float64
    feature : (m,) uint8
        As in :class:`Contacts`.
    splits : (n + 1,) int64
        The contacts of ball ``i`` are those from ``splits[i]`` to ``splits[i + 1]``.
    """

    t: npt.NDArray[np.float64]
    triangle: npt.NDArray[np.uint32]
    points: npt.NDArray[np.float64]
    normals: npt.NDArray[np.float64]
    feature: npt.NDArray[np.uint8]
    splits: npt.NDArray[np.int64]

    @property
    def ball(self) -> npt.NDArray[np.int64]:
        """The index of the ball of each contact, (m,) int64."""
        return owners(self.splits)

    def __len__(self) -> int:
        return len(self.triangle)


@dataclass(frozen=True, eq=False)
class SceneContactLists(ContactLists):
    """All contacts of n balls in a scene, m in all, sorted by ball, then by ``(t, instance, triangle)``.

    Attributes
    ----------
    instance : (m,) int64
        The id of the instance of each contact.
    t, triangle, points, normals, feature, splits
        As in :class:`ContactLists`, in world space.
    """

    instance: npt.NDArray[np.int64]
