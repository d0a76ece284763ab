# SPDX-License-Identifier: Apache-2.0
"""A cantilever under its own weight beside Euler and Bernoulli's sag, at several meshes."""
import thaw

LENGTH, HEIGHT, YOUNG, DENSITY = 1.0, 0.1, 2e8, 1000.0


def sag(cells):
    world = thaw.World()
    with world.edit():
        rubber = world.add_material(young=YOUNG, poisson=0.0, density=DENSITY)
        beam = world.add_shape(thaw.box((0, 0, 0), (LENGTH, HEIGHT, HEIGHT), cells), rubber)
        body = world.add_body(beam, pins=["x-min"])
    start = body.positions[:, 2]
    tip = body.positions[:, 0] > LENGTH - 1e-9
    world.solve_static()
    return (start - body.positions[:, 2])[tip].mean()


def main():
    theory = 12 * DENSITY * 9.81 * LENGTH**4 / (8 * YOUNG * HEIGHT**2)
    results = {cells: sag(cells) for cells in ((20, 2, 2), (40, 4, 4), (80, 6, 6))}
    for cells, value in results.items():
        print(f"{cells}: sag {1e3 * value:.2f} mm, theory {1e3 * theory:.2f} mm, {100 * (value / theory - 1):+.1f} %")
    errors = [abs(value / theory - 1) for value in results.values()]
    assert errors[-1] < errors[0] and errors[-1] < 0.1
    try:
        import matplotlib.pyplot as plot
    except ImportError:
        return
    plot.plot([c[0] for c in results], [1e3 * v for v in results.values()], "o-", label="thaw")
    plot.axhline(1e3 * theory, label="Euler and Bernoulli")
    plot.xlabel("cells along the beam"), plot.ylabel("sag, mm"), plot.legend()
    plot.savefig("beam.png")


if __name__ == "__main__":
    main()
