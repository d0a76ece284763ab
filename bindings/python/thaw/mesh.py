# SPDX-License-Identifier: Apache-2.0
"""Meshes: from arrays, from files, made here."""
import os

import numpy as np

from ._base import Path, InputError, check, ffi, floats, ids, lib, new_error, pointer, text, vector


class Mesh:
    """Tetrahedra or triangles in space (a sheet), triangles in the plane. Arrays are copies.

    vertices: n x 2 or n x 3, m. elements: m x (dim + 1), or m x 3 for a sheet, whole numbers; inverted ones are turned
    round. groups: names to numbers of vertices, or to n booleans. regions: m whole numbers, for materials by region.
    """

    def __init__(self, vertices, elements, groups=None, regions=None):
        self.vertices = floats(vertices, (None, None), "vertices").copy()
        self.elements = ids(elements, (None, None), "elements").copy()
        n, dim = self.vertices.shape
        if dim not in (2, 3):
            raise InputError(f"vertices: an array of shape {self.vertices.shape}; allowed: any x 2 or any x 3")
        if self.elements.shape[1] not in ((3, 4) if dim == 3 else (3,)):
            raise InputError(f"elements: an array of shape {self.elements.shape}; allowed: any x "
                             f"{'4 (or 3, of a sheet)' if dim == 3 else '3'}")
        if self.elements.size and not 0 <= self.elements.min() <= self.elements.max() < n:
            raise InputError(f"elements: vertex {self.elements.max()} or below 0; allowed: 0 to {n - 1}")
        self.groups = {str(name): self._group(which, name) for name, which in (groups or {}).items()}
        self.regions = np.zeros(len(self.elements), np.int32) if regions is None else ids(
            regions, (len(self.elements),), "regions").copy()
        if self.regions.size and self.regions.min() < 0:
            raise InputError(f"regions: {self.regions.min()} is among the numbers; allowed: >= 0")
        if dim == self.elements.shape[1] - 1:
            self._turn()

    def _group(self, which, name):
        n = len(self.vertices)
        which = np.asarray(which)
        if which.dtype == bool:
            if which.shape != (n,):
                raise InputError(f"group {name!r}: {which.shape} booleans; allowed: {n}")
            which = np.flatnonzero(which)
        which = np.unique(ids(which, (None,), f"group {name!r}"))
        if which.size and not 0 <= which[0] <= which[-1] < n:
            raise InputError(f"group {name!r}: vertex {which[-1]} or below 0; allowed: 0 to {n - 1}")
        return which

    def _turn(self):
        corners = self.vertices[self.elements]
        inverted = np.linalg.det(corners[:, 1:] - corners[:, :1]) < 0
        self.elements[inverted] = self.elements[inverted][:, [1, 0, *range(2, self.elements.shape[1])]]

    @property
    def dim(self):
        return self.vertices.shape[1]

    def __repr__(self):
        return f"<thaw.Mesh: {len(self.vertices)} vertices, {len(self.elements)} elements, groups " \
               f"{', '.join(self.groups) or 'none'}>"

    def _struct(self, keep):
        """A ThawMesh over these arrays, for as long as `keep` lives."""
        mesh = ffi.new("ThawMesh *")
        names = [ffi.new("char[]", f"region{i}".encode()) for i in range(int(self.regions.max(initial=0)) + 1)]
        regions = ffi.new("char *[]", names)
        groups = ffi.new("ThawMeshGroup[]", max(1, len(self.groups)))
        for group, (name, vertices) in zip(groups, self.groups.items()):
            keep.append(ffi.new("char[]", name.encode()))
            group.name, group.count, group.vertices = keep[-1], len(vertices), pointer(vertices, "int32_t *")
        mesh.dim, mesh.nodes = self.dim, self.elements.shape[1]
        mesh.vertex_count, mesh.element_count = len(self.vertices), len(self.elements)
        mesh.x, mesh.elements = pointer(self.vertices), pointer(self.elements, "int32_t *")
        mesh.region, mesh.region_count, mesh.region_names = pointer(self.regions, "int32_t *"), len(names), regions
        mesh.group_count, mesh.groups = len(self.groups), groups
        keep += [self, mesh, names, regions, groups]
        return mesh


def _take(holder):
    """A Mesh of a ThawMesh, which is freed."""
    c = holder[0]
    copy = lambda p, count, kind: np.frombuffer(ffi.buffer(p, count * np.dtype(kind).itemsize), kind).copy() \
        if count else np.zeros(0, kind)
    mesh = Mesh(copy(c.x, c.dim * c.vertex_count, np.float64).reshape(-1, c.dim),
                copy(c.elements, c.nodes * c.element_count, np.int32).reshape(-1, c.nodes),
                {text(c.groups[i].name): copy(c.groups[i].vertices, c.groups[i].count, np.int32)
                 for i in range(c.group_count)},
                copy(c.region, c.element_count, np.int32))
    lib.thaw_mesh_free(holder)
    return mesh


def box(lo, hi, cells):
    """A grid of cells between two corners; its faces are groups: x-min, x-max, ..."""
    dim = len(lo)
    if dim not in (2, 3) or len(hi) != dim or len(cells) != dim:
        raise InputError("box: lo, hi and cells have 2 or 3 numbers each")
    holder, error = ffi.new("ThawMesh **"), new_error()
    a, b = vector(lo, dim, "lo"), vector(hi, dim, "hi")
    n = ffi.new("int32_t[3]", [int(c) for c in cells])
    check(lib.thaw_mesh_box(dim, pointer(a), pointer(b), n, holder, error), error)
    return _take(holder)


def read_mesh(path):
    """A mesh of any format of docs/mesh-formats.md."""
    holder, error = ffi.new("ThawMesh **"), new_error()
    check(lib.thaw_mesh_read(os.fsencode(path), holder, ffi.NULL, error), error)
    return _take(holder)


def mesh_surface(path, elements=10000):
    """Tetrahedra inside a closed surface file (OBJ, STL, PLY), about as many as asked for (docs/mesher.md)."""
    if not isinstance(path, Path):
        raise InputError(f"mesh_surface: {path!r}; allowed: the path of a surface file")
    surface, holder, error = ffi.new("ThawTriangleMesh **"), ffi.new("ThawMesh **"), new_error()
    check(lib.thaw_triangles_read(os.fsencode(path), surface, error), error)
    definition = ffi.new("ThawMesherDef *", lib.thaw_mesher_def_default())
    definition.elements = elements
    try:
        check(lib.thaw_mesh_from_triangles(surface[0], definition, holder, ffi.NULL, error), error)
    finally:
        lib.thaw_triangles_free(surface)
    return _take(holder)
