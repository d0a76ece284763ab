# SPDX-License-Identifier: Apache-2.0
"""Young's modulus from a measured shape: least squares over the places of some markers."""
import numpy as np
import thaw

world = thaw.World()
with world.edit():
    material = world.add_material(young=1e6, poisson=0.3, density=1000)
    shape = world.add_shape(thaw.box((0, 0, 0), (0.5, 0.1, 0.1), (10, 2, 2)), material)
    body = world.add_body(shape, pins=["x-min"])
start = world.snapshot()
markers = [20, 47, 74, 98]


def shape_of(young):
    world.restore(start)
    world.set_material(material, young=young)
    world.solve_static()
    return body.positions[markers]


def main():
    truth = 3.7e5
    noise = np.random.default_rng(1).normal(0, 1e-5, (len(markers), 3))
    measured = shape_of(truth) + noise
    log = np.log(1e6)
    for _ in range(12):  # Gauss and Newton on log E
        base = shape_of(np.exp(log))
        slope = (shape_of(np.exp(log + 1e-3)) - base) / 1e-3
        change = np.sum(slope * (measured - base)) / np.sum(slope * slope)
        log += np.clip(change, -1, 1)
        if abs(change) < 1e-6:
            break
    print(f"E = {np.exp(log):.4g} Pa, truth {truth:.4g} Pa")
    assert abs(np.exp(log) / truth - 1) < 0.02


if __name__ == "__main__":
    main()
