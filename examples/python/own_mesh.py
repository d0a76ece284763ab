# SPDX-License-Identifier: Apache-2.0
"""A mesh made with NumPy (a ring of tetrahedra) dropped on a floor."""
import numpy as np
import thaw


def ring(around=24, inner=0.06, outer=0.1, height=0.04):
    """Vertices and tetrahedra: prisms around the z axis, six tetrahedra each."""
    angle = np.arange(around) * 2 * np.pi / around
    circle = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    layers = [circle * r + [0, 0, z] for z in (0, height) for r in (inner, outer)]
    cube = np.array([[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]])
    elements = []
    for i in range(around):
        j = (i + 1) % around
        corner = [layer * around + k for layer in (0, 2) for k in (i, around + i, j, around + j)]
        elements += [[corner[a] for a in tetrahedron] for tetrahedron in cube]
    return np.concatenate(layers), np.array(elements)


def main():
    world = thaw.World()
    with world.edit():
        shape = world.add_shape(thaw.Mesh(*ring()), world.add_material("silicone"))
        body = world.add_body(shape, position=(0, 0, 0.3), spin=(2, 0, 0), method="rigidify")
        world.add_obstacle()
    for _ in range(200):
        world.step()
    low = body.positions[:, 2].min()
    print(f"lowest vertex at {1e3 * low:.2f} mm, the floor carries {world.obstacles[0].reaction[2]:.2f} N")
    assert -0.005 < low < 0.03


if __name__ == "__main__":
    main()
