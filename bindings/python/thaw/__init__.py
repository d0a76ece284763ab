# SPDX-License-Identifier: Apache-2.0
"""Thaw: adaptive elastodynamics of solids and shells with frictional contact."""
from ._base import Error, InputError, Record, StepError, UseError, ffi as _ffi, lib as _lib
from .batch import Batch
from .mesh import Mesh, box, mesh_surface, read_mesh
from .picture import Picture, png, render
from .study import compare, doctor
from .world import Attachment, Body, Hit, Obstacle, Snapshot, World, fields

__version__ = _ffi.string(_lib.thaw_version()).decode()
__all__ = ["Attachment", "Batch", "Body", "Error", "Hit", "InputError", "Mesh", "Obstacle", "Picture", "Record",
           "Snapshot", "StepError", "UseError", "World", "box", "compare", "doctor", "fields", "mesh_surface", "png",
           "read_mesh", "render"]
