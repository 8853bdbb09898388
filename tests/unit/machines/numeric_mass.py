"""Mass properties by adding up small cells: knows nothing of Green's theorem or parallel axes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simcore.model.elements import Bar, Prism

Array = npt.NDArray[np.float64]
_ACROSS = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}


def properties(points: Array, volumes: Array) -> tuple[float, Array, Array]:
    """Volume, centre and inertia about it, of cells."""
    volume = float(volumes.sum())
    centre = volumes @ points / volume
    arms = points - centre
    square = np.einsum("ki,ki->k", arms, arms)
    inertia = np.eye(3) * (volumes @ square) - np.einsum("k,ki,kj->ij", volumes, arms, arms)
    return volume, centre, inertia


def prism_cells(shape: Prism, cells: int = 120) -> tuple[Array, Array]:
    """Cells whose middle is inside of the outline, by counting how many edges a ray crosses."""
    outline = np.array(shape.outline)
    low, high = outline.min(axis=0), outline.max(axis=0)
    step = (high - low) / cells
    u, v = (low[k] + step[k] * (np.arange(cells) + 0.5) for k in (0, 1))
    grid = np.array(np.meshgrid(u, v, indexing="ij")).reshape(2, -1).T
    inside = np.zeros(len(grid), dtype=bool)
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        spans = (a[1] > grid[:, 1]) != (b[1] > grid[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = a[0] + (grid[:, 1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
        inside ^= spans & (grid[:, 0] < crossing)
    flat = grid[inside]
    slices = shape.width * ((np.arange(24) + 0.5) / 24 - 0.5)
    first, second, third = _ACROSS[shape.along]
    points = np.zeros((len(slices), len(flat), 3)) + np.array(shape.at)
    points[:, :, first] += flat[:, 0]
    points[:, :, second] += flat[:, 1]
    points[:, :, third] += slices[:, None]
    points = points.reshape(-1, 3)
    return points, np.full(len(points), step[0] * step[1] * shape.width / 24)


def bar_cells(shape: Bar, cells: int = 40) -> tuple[Array, Array]:
    """Rings and sectors along the bar."""
    start, end = np.array(shape.start), np.array(shape.end)
    axis = (end - start) / np.linalg.norm(end - start)
    first = np.cross(axis, [1.0, 0.3, -0.7])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    edges = np.linspace(shape.hole, shape.radius, cells + 1)
    radii, areas = 0.5 * (edges[1:] + edges[:-1]), np.pi * np.diff(edges**2)
    turns = 2 * np.pi * (np.arange(24) + 0.5) / 24
    along = (np.arange(cells) + 0.5) / cells
    length = float(np.linalg.norm(end - start))
    points, volumes = [], []
    for r, area in zip(radii, areas, strict=True):
        for turn in turns:
            offset = r * (np.cos(turn) * first + np.sin(turn) * second)
            points.append(start + offset + along[:, None] * (end - start))
            volumes.append(np.full(cells, area / len(turns) * length / cells))
    return np.concatenate(points), np.concatenate(volumes)
