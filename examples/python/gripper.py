# SPDX-License-Identifier: Apache-2.0
"""A batch of soft balls of different stiffness between two jaws: each is closed until it presses as hard as asked for, by
what its jaw feels, and then lifts. In the style of Gymnasium: reset, step(actions) -> observations."""
import numpy as np
import thaw

JAW = 0.02  # m, half its thickness


class Gripper:
    def __init__(self, n=4):
        world = thaw.World(h=0.005)
        with world.edit():
            material = world.add_material("silicone", young=5e4, alpha1=0.005, density=500)
            shape = world.add_shape(thaw.box((-0.03,) * 3, (0.03,) * 3, (3, 3, 3)), material)
            world.add_body(shape, position=(0, 0, 0.0301), friction=0.9, method="full")
            for side in (-1, 1):
                world.add_obstacle("box", size=(2 * JAW, 0.1, 0.05), position=(side * (0.034 + JAW), 0, 0.035),
                                   friction=0.9)
            world.add_obstacle(friction=0.3)
        self.batch = thaw.Batch(world, n)
        for i, one in enumerate(self.batch.worlds):
            one.set_material(0, young=4e4 * 2**i)
        self.batch.start()
        self.n = n

    def reset(self):
        self.batch.reset()
        self.gap, self.height = np.full(self.n, 0.034), np.full(self.n, 0.035)
        return self.observe()

    def observe(self):
        """Of each world: the force on a jaw, and how high the cube is."""
        force = np.array([abs(w.obstacles[0].reaction[0]) for w in self.batch.worlds])
        return np.column_stack([force, self.batch.positions()[:, :, 2].mean(1)])

    def step(self, actions):
        """Of each world: how far the jaws close and rise in this step, m."""
        actions = np.clip(actions, -5e-4, 5e-4)
        self.gap, self.height = self.gap - actions[:, 0], self.height + actions[:, 1]
        for jaw, side in ((0, -1), (1, 1)):
            self.batch.move_obstacle(np.column_stack([side * (self.gap + JAW), 0 * self.gap, self.height]), jaw)
        self.batch.step()
        return self.observe()


def main():
    gripper = Gripper()
    seen, press = gripper.reset(), 3.0  # N
    for i in range(800):
        close = 1e-5 * np.clip(press - seen[:, 0], -3, 3)
        rise = np.where((i > 400) & (gripper.height < 0.1), 3e-4, 0)
        seen = gripper.step(np.column_stack([close, rise]))
    print("held at", np.round(1e3 * seen[:, 1], 1), "mm with", np.round(seen[:, 0], 2), "N")
    assert (seen[:, 1] > 0.085).all() and (abs(seen[:, 0] - press) < 1).all()


if __name__ == "__main__":
    main()
