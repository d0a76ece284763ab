# SPDX-License-Identifier: Apache-2.0
"""Many worlds like one, stepped at the same time."""
import os

import numpy as np

from ._base import InputError, ffi, floats
from .world import World, _run


class Batch:
    """n worlds of a scene: a path, a dict or a World. Each has the bits that it would have alone, whatever `threads`.

    batch[i] is a World of its own: give it other materials, loads or starts, then call `start()`, and `reset` goes back
    to that. Arrays have one row a world.
    """

    def __init__(self, scene, n, threads=None):
        if n < 1:
            raise InputError(f"Batch: n is {n}; allowed: >= 1")
        first = scene.clone(1) if isinstance(scene, World) else World(scene)
        snapshot = first.snapshot()
        self.worlds = [first] + [snapshot.world(1) for _ in range(n - 1)]
        self.threads = min(threads or os.cpu_count() or 1, n)
        self._starts = [snapshot] * n

    def __len__(self):
        return len(self.worlds)

    def __getitem__(self, i):
        return self.worlds[i]

    def start(self):
        """What the worlds are now is what `reset` goes back to."""
        self._starts = [world.snapshot() for world in self.worlds]

    def step(self, count=1):
        """Steps of all worlds, in parallel, with the GIL released; stats as arrays by name."""
        stats = ffi.new("ThawStepStats[]", len(self))
        _run(self.worlds, int(count), stats, self.threads)
        return {name: np.array([getattr(s, name) for s in stats])
                for name in ("time", "contacts", "asleep", "elastic_elements", "wall_ms")}

    def reset(self, mask=None):
        """Those of the mask (None: all) are what they were at the start."""
        mask = np.ones(len(self), bool) if mask is None else np.asarray(mask)
        if mask.shape != (len(self),) or mask.dtype != bool:
            raise InputError(f"reset: a mask of shape {mask.shape} and type {mask.dtype}; allowed: {len(self)} booleans")
        for i in np.flatnonzero(mask):
            self.worlds[i].restore(self._starts[i])

    def positions(self, body=0):
        """n x vertices x dim, m."""
        return np.stack([world.bodies[body].positions for world in self.worlds])

    def velocities(self, body=0):
        return np.stack([world.bodies[body].velocities for world in self.worlds])

    def set_forces(self, values, body=0):
        """n x vertices x dim, N."""
        bodies = [world.bodies[body] for world in self.worlds]
        values = floats(values, (len(self), bodies[0].vertex_count, self.worlds[0].dim), "forces")
        for one, row in zip(bodies, values):
            one.set_forces(row)

    def move_obstacle(self, positions, obstacle=0, rotations=None, duration=0):
        """n x dim, m: each world's obstacle goes there."""
        positions = floats(positions, (len(self), self.worlds[0].dim), "positions")
        for i, world in enumerate(self.worlds):
            world.obstacles[obstacle].move(positions[i], None if rotations is None else rotations[i], duration)
