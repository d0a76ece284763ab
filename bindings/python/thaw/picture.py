# SPDX-License-Identifier: Apache-2.0
"""Pictures: what a world looks like, as an array. Plain shaded triangles in one direction of light, drawn here; the
program (`thaw render`, `thaw view`) draws better ones."""
import struct
import tempfile
import zlib

import numpy as np

from ._base import check, ffi, lib, pointer, vector

_COLOURS = np.array([[214, 106, 64], [72, 128, 190], [106, 168, 96], [196, 160, 60], [150, 110, 180]], float)


def _surface(elements, sheet):
    """Faces that belong to one element."""
    if sheet or elements.shape[1] == 3:
        return elements
    faces = np.concatenate([elements[:, list(c)] for c in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[count == 1]]


def _triangles(world):
    """Corners (n x 3 x 3) and colours of all surfaces."""
    corners, colours = [], []
    for i, body in enumerate(world.bodies):
        x, elements = body.positions, body.elements
        if world.dim == 2:
            x = np.column_stack([x[:, 0], np.zeros(len(x)), x[:, 1]])
        corners.append(x[_surface(elements, elements.shape[1] == 3)])
        colours.append(np.broadcast_to(_COLOURS[i % len(_COLOURS)], (len(corners[-1]), 3)))
    points = np.concatenate(corners).reshape(-1, 3) if corners else np.array([[-1.0] * 3, [1.0] * 3])
    middle, size = (points.min(0) + points.max(0)) / 2, max(np.ptp(points, axis=0).max(), 1e-9)
    for i in range(len(world.obstacles)):
        out, at = ffi.new("ThawObstacleSurface *"), vector(middle[[0, 2]] if world.dim == 2 else middle, world.dim, "")
        check(lib.thaw_world_get_obstacle_surface(world._world, i, pointer(at), 1.5 * size, out))
        x = np.frombuffer(ffi.buffer(out.x, 24 * out.vertex_count)).reshape(-1, 3).copy()
        f = np.frombuffer(ffi.buffer(out.triangles, 12 * out.triangle_count), np.int32).reshape(-1, 3).copy()
        lib.thaw_obstacle_surface_free(out)
        if world.dim == 2:
            x = x[:, [0, 2, 1]]
        corners.append(x[f])
        colours.append(np.full((len(f), 3), 205.0))
    if not corners:
        return np.zeros((0, 3, 3)), np.zeros((0, 3)), middle, size
    return np.concatenate(corners), np.concatenate(colours), middle, size


def render(world, width=640, height=480, direction=(1, 2, -0.8), zoom=1.0):
    """An image of height x width x 3 bytes, seen along a direction (z is up; in 2D from the front)."""
    with world._held():
        corners, colours, middle, size = _triangles(world)
    way = np.array((0, 1, 0) if world.dim == 2 else direction, float)
    way /= np.linalg.norm(way)
    right = np.cross(way, (0, 0, 1))
    right = right / np.linalg.norm(right) if np.linalg.norm(right) > 1e-9 else np.array((1.0, 0, 0))
    up = np.cross(right, way)
    scale = 0.6 * zoom * min(width, height) / size
    seen = corners - middle
    x = width / 2 + scale * seen @ right
    y = height / 2 - scale * seen @ up
    depth = seen @ way
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    light = np.array((-0.4, -0.5, 0.77))
    shade = 0.45 + 0.55 * np.abs(normal @ light) / np.where(length > 0, length, 1)
    image, nearest = np.full((height, width, 3), 250, np.uint8), np.full((height, width), np.inf)
    for k in range(len(corners)):
        _draw(image, nearest, x[k], y[k], depth[k], np.clip(colours[k] * shade[k], 0, 255))
    return image


def _draw(image, nearest, x, y, depth, colour):
    height, width = nearest.shape
    left, top = max(0, int(x.min())), max(0, int(y.min()))
    right, bottom = min(width, int(x.max()) + 2), min(height, int(y.max()) + 2)
    area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    if left >= right or top >= bottom or abs(area) < 1e-12:
        return
    px, py = np.arange(left, right) + 0.5, np.arange(top, bottom)[:, None] + 0.5
    a = ((x[1] - px) * (y[2] - py) - (x[2] - px) * (y[1] - py)) / area
    b = ((x[2] - px) * (y[0] - py) - (x[0] - px) * (y[2] - py)) / area
    c = 1 - a - b
    z = a * depth[0] + b * depth[1] + c * depth[2]
    box = np.s_[top:bottom, left:right]
    drawn = (a >= 0) & (b >= 0) & (c >= 0) & (z < nearest[box])
    nearest[box][drawn] = z[drawn]
    image[box][drawn] = colour


def png(image):
    """A PNG file's bytes of an image array."""
    height, width = image.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(image, np.uint8))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Picture:
    """An image that notebooks show."""

    def __init__(self, image):
        self.image = image

    def _repr_png_(self):
        return png(self.image)

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self._repr_png_())


def show(world, **options):
    picture = Picture(render(world, **options))
    try:
        get_ipython  # noqa: F821 - there in notebooks
    except NameError:
        with tempfile.NamedTemporaryFile(suffix=".png", delete=False) as file:
            file.write(picture._repr_png_())
        return file.name
    return picture
