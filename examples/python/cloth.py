# SPDX-License-Identifier: Apache-2.0
"""A square of cotton that falls on a ball."""
import numpy as np
import thaw


def grid(n=14, size=0.6):
    x = np.linspace(-size / 2, size / 2, n + 1)
    vertices = np.array([[a, b, 0] for a in x for b in x])
    elements = []
    for i in range(n):
        for k in range(n):
            a, b, c, d = (i * (n + 1) + k, (i + 1) * (n + 1) + k, (i + 1) * (n + 1) + k + 1, i * (n + 1) + k + 1)
            elements += [[a, b, c], [a, c, d]] if (i + k) % 2 else [[a, b, d], [b, c, d]]
    return thaw.Mesh(vertices, elements)


def main():
    world = thaw.World()
    with world.edit():
        cloth = world.add_shape(grid(), world.add_material("cotton"), thickness=1e-3)
        body = world.add_body(cloth, position=(0, 0, 0.23))
        world.add_obstacle("sphere", size=0.15, name="ball", friction=0.5)
    world.step(60)
    x = body.positions
    print(f"top {x[:, 2].max():.3f} m, corners {x[:, 2].min():.3f} m")
    assert np.linalg.norm(x, axis=1).min() > 0.145  # nothing is inside
    assert x[:, 2].max() < 0.165 and x[:, 2].min() < 0.1


if __name__ == "__main__":
    main()
