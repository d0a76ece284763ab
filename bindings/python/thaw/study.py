# SPDX-License-Identifier: Apache-2.0
"""Looking before running, and comparing runs."""
import os
import time

import numpy as np

from ._base import InputError, Path, check, ffi, lib, new_error, text
from .world import World


def doctor(path):
    """What is wrong, or doubtful, with a scene or mesh file: a list of dicts, the worst first."""
    if not isinstance(path, Path):
        raise InputError(f"doctor: {path!r}; allowed: the path of a scene or a mesh")
    holder, error = ffi.new("ThawDoctorReport **"), new_error()
    check(lib.thaw_doctor_file(os.fsencode(path), holder, error), error)
    report = holder[0]
    found = [{"severity": text(lib.thaw_severity_name(c.severity)), "id": text(c.id), "where": text(c.where),
              "what": text(c.what), "cure": text(c.cure)}
             for c in ffi.unpack(report.complaints, report.complaint_count)] if report.complaint_count else []
    lib.thaw_doctor_report_free(holder)
    return found


def compare(scene, steps=100, methods=("full", "rigidify"), threads=1):
    """Runs a scene by each method; CPU time, and how far vertices are from those of the first, m: largest and mean
    over all steps."""
    worlds = [World(scene, threads=threads) for _ in methods]
    seconds, largest, total = [0.0] * len(worlds), [0.0] * len(worlds), [0.0] * len(worlds)
    for world, method in zip(worlds, methods):
        world.set_method(method)
    for _ in range(steps):
        places = []
        for i, world in enumerate(worlds):
            start = time.process_time()
            world.step()
            seconds[i] += time.process_time() - start
            places.append(np.concatenate([body.positions for body in world.bodies]))
        for i, x in enumerate(places):
            apart = np.linalg.norm(x - places[0], axis=1)
            largest[i] = max(largest[i], float(apart.max()))
            total[i] += float(apart.mean()) / steps
    return {method: {"seconds": s, "largest": m, "mean": t}
            for method, s, m, t in zip(methods, seconds, largest, total)}
