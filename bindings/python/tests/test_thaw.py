# SPDX-License-Identifier: Apache-2.0
"""The Python package beside the C library, NumPy and itself."""
import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import thaw

ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "..")
SCENE = {
    "thaw": 1,
    "materials": {"foam": {"young": 5e4, "density": 200, "alpha1": 0.02}},
    "shapes": {"cube": {"material": "foam", "mesh": {"box": {"min": [0, 0, 0], "max": [0.2, 0.2, 0.2],
                                                             "cells": [2, 2, 2]}}}},
    "obstacles": [{"name": "floor", "plane": {}}],
    "bodies": [{"name": "a", "shape": "cube", "position": [0, 0, 0.01], "method": "rigidify"},
               {"name": "b", "shape": "cube", "position": [0.02, 0, 0.25], "method": "rigidify"}],
}


def built(cells=(6, 2, 2)):
    world = thaw.World(gravity=(0, 0, -9.81), h=0.01)
    with world.edit():
        material = world.add_material("silicone", alpha1=0.01)
        shape = world.add_shape(thaw.box((0, 0, 0), (0.6, 0.2, 0.2), cells), material)
    return world, shape


def test_scenes_dicts_and_files():
    world = thaw.World(SCENE)
    assert [b.name for b in world.bodies] == ["a", "b"]
    stats = world.step(30)
    assert stats.step == 30 and world.step_count == 30 and abs(world.time - 0.3) < 1e-12
    assert stats.ledger.kinetic > 0
    again = thaw.World({**SCENE, "gravity": np.array([0, 0, -9.81])}, threads=2)
    again.step(30)
    assert again.hash == world.hash
    assert len(thaw.World(os.path.join(ROOT, "scenes", "beam.json")).bodies) == 1


def test_own_mesh_falls_on_a_floor():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]]) * 0.2
    mesh = thaw.Mesh(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], groups={"low": corners[:, 2] == 0})
    world = thaw.World()
    with world.edit():
        body = world.add_body(world.add_shape(mesh, world.add_material("silicone")), position=(0, 0, 0.3))
        world.add_obstacle()
    world.step(100)
    assert body.positions.shape == (5, 3) and -0.01 < body.positions[:, 2].min() < 0.01
    assert len(world.contacts) > 0 and world.contacts["force"][:, 2].sum() > 0
    assert world.obstacles[0].reaction[2] > 0
    assert set(world.contacts["body"][:, 0]) == {0}


def test_views_share_memory_and_guard_it():
    world, shape = built()
    body = world.add_body(shape, pins=["x-min"])
    x, v, order = body.view()
    address = x.ctypes.data
    world.step(3)
    assert np.array_equal(x, body.positions[order]) and np.array_equal(v, body.velocities[order])
    assert body.view()[0].ctypes.data == address and not x.flags.writeable
    with pytest.raises(ValueError):
        x[0, 0] = 1
    part = x[2:4]
    del x, v, order
    for change in (lambda: world.remove(body), lambda: world.restore(world.snapshot()), world.close,
                   lambda: setattr(world, "h", 0.02), lambda: world.load("nothing")):
        with pytest.raises(BufferError):
            change()
    del part
    gc.collect()
    world.remove(body)
    with pytest.raises(thaw.UseError, match="not in the world"):
        body.positions  # noqa: B018


def test_views_keep_their_world_whatever_is_made_of_them():
    world, shape = built()
    body = world.add_body(shape, pins=["x-min"])
    bare, copy = np.asarray(body.view()[0]), body.view()[0] * 2
    with pytest.raises(BufferError):
        world.close()
    with pytest.raises(ValueError):
        bare.flags.writeable = True
    before = bare.copy()
    del world, body, shape
    gc.collect()
    assert np.array_equal(bare, before)  # it is not gone
    del bare
    world, shape = built()
    copy = world.add_body(shape).view()[0] * 2
    world.close()  # copies hold nothing up
    assert copy.shape[1] == 3
    world, shape = built()
    body = world.add_body(shape)
    with pytest.raises(BufferError):
        with world.edit():
            kept = body.view()[0]
    del kept
    with world.edit():
        world.add_obstacle()
    changing = thaw.World({**SCENE, "bodies": [{"name": "a", "shape": "cube", "changes": [
        {"at": 0.02, "remove": {"box": {"min": [0.1, 0, 0], "max": [0.2, 0.2, 0.2]}}}]}]})
    with pytest.raises(thaw.UseError, match="shapes of this world change"):
        changing.bodies[0].view()
    with pytest.raises(thaw.UseError):
        changing.clone().bodies[0].view()


def test_attachments_know_the_shape_of_each_body():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]]) * 0.2
    elements = [[0, 1, 2, 3], [1, 2, 3, 4]]
    world = thaw.World(gravity=(0, 0, 0))
    with world.edit():
        material = world.add_material("silicone")
        first = world.add_shape(thaw.Mesh(corners, elements, {"end": [0]}), material)
        second = world.add_shape(thaw.Mesh(corners, elements, {"other": [0], "end": [1, 2, 3, 4]}), material)
        gone = world.add_body(first)
        a, b = world.add_body(first, position=(1, 0, 0)), world.add_body(second, position=(1.3, 0, 0))
    assert world.attach(b, "end", stiffness=10).state.vertices == 4
    assert world.attach(a, "end", stiffness=10).state.vertices == 1
    with pytest.raises(thaw.InputError, match="group 'other'; allowed: all, end"):
        world.attach(a, "other")
    with world.edit():  # what it takes away does not count, what it adds does
        world.remove(gone)
        new = world.add_body(second, position=(1, 0.3, 0))
        held = world.attach(new, "end", b, stiffness=10)
        with pytest.raises(thaw.UseError):
            world.attach(gone, "end")
        with pytest.raises(thaw.InputError):
            world.set_material(9, young=1)
        with pytest.raises(thaw.InputError):
            world.attach(thaw.World(SCENE).bodies[0], "all")
    state = held.state
    assert (state.body, state.other_body, state.vertices) == (new.index, b.index, 4)
    line = world.attach(a, "end", b, other_group="other", kind="distance", stiffness=1)
    assert line.state.vertices == 1
    name = state.name
    world.remove(held)
    assert state.name == name


def test_refusals_have_the_librarys_words():
    world, shape = built()
    body = world.add_body(shape)
    for call, words in (
        (lambda: world.add_body(shape, speed=1), "unknown argument 'speed'; allowed: .*velocity"),
        (lambda: world.add_body(shape, pins=["left"]), "group 'left'; allowed: all, x-min"),
        (lambda: world.add_body(7), "shape is 7; allowed: 0 to 0"),
        (lambda: world.add_body(shape, friction=-1), "friction is -1; allowed: >= 0"),
        (lambda: world.add_body(shape, position=(0, 0, np.nan)), "position\\[2\\] is nan"),
        (lambda: world.add_obstacle("ball"), "kind is 'ball'; allowed: half_space, sphere"),
        (lambda: body.set_forces(np.zeros((3, 3))), "shape \\(3, 3\\); allowed: 63 x 3"),
        (lambda: body.set_forces(np.full((63, 3), np.nan)), "nan"),
        (lambda: body.set_forces("x"), "forces"),
        (lambda: setattr(body, "positions", np.zeros(4)), "positions"),
        (lambda: thaw.Mesh([[0, 0, 0]], [[0, 0, 0, 5]]), "elements: vertex 5"),
        (lambda: thaw.Mesh([[0, 0, 0]], [[0.5, 0, 0, 0]]), "whole numbers"),
        (lambda: body.field("colour"), "field 'colour'; allowed: .*velocity"),
        (lambda: setattr(body, "method", "fast"), "fast"),
        (lambda: thaw.World({"thaw": 1, "bodies": 3}), "shapes"),
        (lambda: thaw.World({"thaw": 1, "bodies": {1, 2}}), "a set"),
        (lambda: world.set_material(5, young=1), "material 5"),
        (lambda: world.set_material(0, young=-1), "young"),
    ):
        with pytest.raises(thaw.InputError, match=words):
            call()
    with pytest.raises(thaw.InputError, match="nowhere.json: cannot be opened"):
        thaw.World("/nowhere.json")
    with pytest.raises(OSError):
        world.load("/nowhere.h5")
    world.step(2)
    world.close()
    with pytest.raises(thaw.UseError, match="closed"):
        world.step()


def test_snapshots_branches_and_ids():
    world = thaw.World(SCENE)
    world.step(20)
    a, b = world.bodies
    snapshot = world.snapshot()
    assert snapshot.size > 1000
    straight = world.clone()
    straight.step(20)
    world.remove(a)
    assert b.index == 0 and world.bodies == [b]
    world.gravity = (0, 0, 1)
    world.h = 0.005
    world.step(5)
    assert world.gravity[2] == 1
    world.restore(snapshot)
    assert a.index == 0 and world.h == 0.01
    world.step(20)
    assert world.hash == straight.hash
    with pytest.raises(RuntimeError):
        with world.edit():
            world.remove(a)
            raise RuntimeError("no")
    assert a.index == 0


def test_control_reaches_its_goal():
    world, shape = built()
    plate = world.add_obstacle("box", size=(3, 3, 0.2), position=(0, 0, -0.1), friction=0.02)
    body = world.add_body(shape, position=(0.2, -0.1, 0.001), friction=0.02, method="rigidify")
    tilt = 0.0
    for _ in range(500):
        x, v = body.positions[:, 0].mean(), body.velocities[:, 0].mean()
        tilt += np.clip(np.clip(0.8 * x + 0.6 * v, -0.2, 0.2) - tilt, -0.005, 0.005)
        plate.move(rotation=(1, 0, -tilt / 2, 0))
        world.step()
    assert abs(body.positions[:, 0].mean()) < 0.08
    pinned = world.add_body(shape, position=(0, 5, 2), pins=["x-min"])
    before = pinned.positions[:, 2].max()
    pinned.move_script(0, (0, 0, 0.5), duration=0.2)
    world.step(60)
    assert pinned.positions[:, 2].max() > before + 0.2
    held = world.attach(body, "x-min", stiffness=100)
    assert held.state.vertices == 9 and not held.state.released
    held.release()
    assert held.state.released


def test_pressure_blows_a_sheet_up():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]) * 0.1
    sheet = thaw.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    world = thaw.World(gravity=(0, 0, 0))
    with world.edit():
        shape = world.add_shape(sheet, world.add_material("silicone"), thickness=1e-3)
        body = world.add_body(shape)

    def volume():
        x = body.positions
        return np.linalg.det(x[1:] - x[0]) / 6

    world.step(20)
    flat = volume()
    world.set_pressure(shape, 2000)
    world.step(200)
    blown = volume()
    world.set_pressure(shape, 0)
    world.step(200)
    assert blown > 1.001 * flat and abs(volume() / flat - 1) < 0.1 * (blown / flat - 1)
    with pytest.raises(thaw.InputError, match="shape is 3"):
        world.set_pressure(3, 1)


def test_interrupt_leaves_the_world_as_it_was():
    world, shape = built((40, 10, 10))
    world.add_body(shape, pins=["x-min"])
    world.step()
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        world.step(100000)
    timer.join()
    world.validate()
    count = world.step_count
    world.step()
    assert world.step_count == count + 1


def test_two_threads():
    world, shape = built((30, 8, 8))
    world.add_body(shape, pins=["x-min"])
    thread = threading.Thread(target=world.step, args=(40,))
    thread.start()
    raised = 0
    while thread.is_alive():
        try:
            world.bodies  # noqa: B018
        except thaw.UseError:
            raised += 1
    thread.join()
    assert raised > 0 and world.step_count == 40
    refused = []
    end = time.monotonic() + 60  # on a busy machine two calls may not meet for a while

    def remember():
        while not refused and time.monotonic() < end:
            try:
                world.snapshot()
            except thaw.UseError:
                refused.append(1)

    threads = [threading.Thread(target=remember) for _ in range(2)]  # no call beside another, be it a step or not
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert refused
    others = [thaw.World(SCENE) for _ in range(3)]
    threads = [threading.Thread(target=one.step, args=(40,)) for one in others]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len({one.hash for one in others}) == 1


def test_batch_has_the_bits_of_each_alone():
    batch = thaw.Batch(SCENE, 5, threads=2)
    for i, world in enumerate(batch.worlds):
        world.set_material(0, young=4e4 + 1e4 * i)
    batch.start()
    alone = [world.clone() for world in batch.worlds]
    forces = np.zeros((5, 27, 3))
    forces[:, :, 0] = np.arange(5)[:, None] * 0.01
    batch.set_forces(forces)
    stats = batch.step(30)
    assert stats["time"].shape == (5,)
    for i, world in enumerate(alone):
        world.bodies[0].set_forces(forces[i])
        world.step(30)
        assert world.hash == batch[i].hash
    x = batch.positions()
    assert x.shape == (5, 27, 3)
    batch.reset(np.arange(5) < 2)
    assert [world.step_count for world in batch.worlds] == [0, 0, 30, 30, 30]
    batch.step(30)
    with pytest.raises(thaw.InputError):
        batch.reset([1, 0])


def test_fields_explain_queries_options():
    world = thaw.World(SCENE)
    world.step(10)
    body = world.bodies[0]
    for name, field in thaw.fields().items():
        rows = body.vertex_count if field["of"] == "vertices" else body.element_count
        assert len(body.field(name)) == rows
    assert "element" in body.explain(0).text.lower() or body.explain(0).text
    hit = world.cast_ray((0.1, 0.1, 5), (0, 0, -1))
    assert hit.body.name == "b" and hit.normal[2] > 0.9
    assert world.cast_ray((3, 3, 5), (0, 0, -2)).obstacle.name == "floor"
    assert world.nearest((0.1, 0.1, 9), 1) is None
    world.set_option("rigidify", "tolerance", 1e-3, body)
    assert world.get_option("rigidify", "tolerance", body) == 1e-3
    body.method = "full"
    assert body.method == "full" and not body.asleep
    body.add_force_at(0, (0.25,) * 4, (1, 0, 0))
    assert thaw.compare(SCENE, 5)["full"]["largest"] == 0
    assert isinstance(thaw.doctor(os.path.join(ROOT, "scenes", "stack.json")), list)


def test_pictures(tmp_path):
    world = thaw.World(SCENE)
    image = thaw.render(world, 200, 150)
    assert image.shape == (150, 200, 3) and len(np.unique(image.reshape(-1, 3), axis=0)) > 5
    assert thaw.png(image).startswith(b"\x89PNG")
    path = world.show(width=64, height=48)
    assert os.path.getsize(path) > 100
    os.remove(path)


def test_worlds_come_and_go_without_leaks():
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    world = thaw.World(SCENE)
    snapshot = world.snapshot()
    for i in range(1500):
        snapshot.world().bodies  # noqa: B018
        if i == 500:
            gc.collect()
            before = resident()
    gc.collect()
    assert resident() - before < 20e6
