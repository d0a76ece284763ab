# SPDX-License-Identifier: Apache-2.0
"""A controller that keeps a ball in the middle of a soft plate by tilting the frame in which the plate hangs."""
import numpy as np
import thaw


def ball(radius=0.05, n=5):
    """A cube of cells, drawn out to a ball."""
    mesh = thaw.box((-1,) * 3, (1,) * 3, (n,) * 3)
    x = mesh.vertices
    most = np.abs(x).max(1, keepdims=True)
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return thaw.Mesh(radius * x * np.where(length > 0, most / np.where(length > 0, length, 1), 1), mesh.elements)


def main():
    world = thaw.World(h=0.005)
    with world.edit():
        soft = world.add_material("silicone", young=2e6, alpha1=0.01)
        hard = world.add_material("silicone", young=1e6, alpha1=0.005)
        plate = world.add_shape(thaw.box((-0.4, -0.1, -0.04), (0.4, 0.1, 0), (16, 4, 1)), soft)
        one = world.add_shape(ball(), hard, smooth=60)
        board = world.add_body(plate, pins=["x-min", "x-max"], friction=0.8)
        rolling = world.add_body(one, position=(0.12, 0, 0.0505), friction=0.8)
    tilt = 0.0
    for _ in range(700):
        x, v = rolling.positions[:, 0].mean(), rolling.velocities[:, 0].mean()
        want = np.clip(0.5 * x + 0.45 * v, -0.12, 0.12)
        tilt += np.clip(want - tilt, -0.01, 0.01)
        turn = (np.cos(tilt / 2), 0, -np.sin(tilt / 2), 0)  # raises +x
        for pin in (0, 1):
            board.move_script(pin, (0, 0, 0), turn)
        world.step()
    print(f"the ball is at x = {1e3 * rolling.positions[:, 0].mean():.1f} mm")
    assert abs(rolling.positions[:, 0].mean()) < 0.05


if __name__ == "__main__":
    main()
