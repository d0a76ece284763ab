# SPDX-License-Identifier: Apache-2.0
"""Worlds, and the things in them."""
import contextlib
import functools
import json
import os
import threading
import weakref

import numpy as np

from ._base import (InputError, Path, Record, UseError, check, dtype_of, ffi, fill, floats, lib, new_error, pointer,
                    text, vector)
from .mesh import Mesh

CONTACT = dtype_of("ThawContactPoint")
_fields = [lib.thaw_field(i) for i in range(lib.thaw_field_count())]
_field_index = {text(f.name): i for i, f in enumerate(_fields)}


def fields():
    """What can be looked at: names of fields with unit and place."""
    return {text(f.name): {"label": text(f.label), "unit": text(f.unit), "components": f.components,
                           "of": "vertices" if f.place == lib.THAW_FIELD_VERTEX else "elements"} for f in _fields}


def _definition(kind, values, where, keep):
    """A ThawKINDDef with its defaults and those values."""
    struct = ffi.new(f"Thaw{kind}Def *", getattr(lib, f"thaw_{kind.lower()}_def_default")())
    fill(struct, values, where, keep)
    keep.append(struct)
    return struct


def _array(kind, structs, keep):
    keep.append(ffi.new(f"{kind}[]", [s[0] for s in structs]))
    return keep[-1]


def _alone(function):
    """Refuses where another thread is in a call of the same world: the GIL is released in every one."""
    @functools.wraps(function)
    def call(self, *arguments, **keywords):
        lock = getattr(self, "_owner", self)._lock
        if not lock.acquire(blocking=False):
            raise UseError("the world is in use by another thread; allowed: one thread at a time")
        try:
            return function(self, *arguments, **keywords)
        finally:
            lock.release()
    return call


def _exclusive(cls):
    """All public functions and properties of a class of things in a world, by one thread at a time."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            setattr(cls, name, property(*(f and _alone(f) for f in (member.fget, member.fset)), doc=member.__doc__))
        elif callable(member):
            setattr(cls, name, _alone(member))
    return cls


@_exclusive
class World:
    """A world of elastic bodies.

    World("scene.json"), World({...a scene as a dict...}), or World(gravity=..., h=..., ...) to be filled by code. An
    object is used by one thread at a time; different ones by different threads at the same time.
    """

    def __init__(self, scene=None, *, threads=1, folder=None, **settings):
        self._begin()
        keep, error, holder = [], new_error(), ffi.new("ThawWorld **")
        if scene is None:
            definition = _definition("World", settings, "World", keep)
            definition.threads = threads
            check(lib.thaw_world_create(definition, holder, error), error)
        else:
            if settings:
                raise InputError(f"World: {', '.join(settings)} beside a scene; allowed: in the scene")
            loaded = self._load(scene, folder, error)
            loaded[0].world.threads = threads
            try:
                check(lib.thaw_world_create(ffi.addressof(loaded[0].world), holder, error), error)
                self._groups = [[text(s.groups[g].name) for g in range(s.group_count)]
                                for s in ffi.unpack(loaded[0].world.shapes, loaded[0].world.shape_count)]
                self._changes = any(b.change_count for b in ffi.unpack(loaded[0].world.bodies,
                                                                       loaded[0].world.body_count))
            finally:
                lib.thaw_scene_free(loaded)
        self._own(holder[0])

    @staticmethod
    def _load(scene, folder, error):
        holder = ffi.new("ThawScene **")
        if isinstance(scene, dict):
            try:
                bytes_ = json.dumps(scene, default=lambda a: a.tolist() if isinstance(a, (np.ndarray, np.generic))
                                    else _refuse(a)).encode()
            except ValueError as problem:
                raise InputError(f"scene: {problem}") from None
            check(lib.thaw_scene_parse(bytes_, len(bytes_), b"scene", os.fsencode(folder) if folder else ffi.NULL,
                                       holder, error), error)
        elif isinstance(scene, Path):
            check(lib.thaw_scene_load(os.fsencode(scene), holder, error), error)
        else:
            raise InputError(f"World: a scene of type {type(scene).__name__}; allowed: a path or a dict")
        return holder

    def _begin(self, like=None):
        self._closed, self._lock, self._views = False, threading.RLock(), weakref.WeakSet()
        self._groups = [list(g) for g in like._groups] if like else []  # of each shape, in order: names
        self._changes = like._changes if like else False  # shapes change at given times

    def _own(self, world):
        self._handle = ffi.gc(world, _free)
        lib.thaw_py_watch(self._handle)

    @classmethod
    def _of(cls, world, like):
        self = cls.__new__(cls)
        self._begin(like)
        self._own(world)
        return self

    @property
    def _world(self):
        if self._closed:
            raise UseError("the world has been closed")
        return self._handle

    @contextlib.contextmanager
    def _held(self):
        if not self._lock.acquire(blocking=False):
            raise UseError("the world is in use by another thread; allowed: one thread at a time")
        try:
            yield self._world
        finally:
            self._lock.release()

    def close(self):
        """Gives its memory back now; every use after that raises."""
        handle = self._world
        self._forbid_views("close")
        self._closed = True
        ffi.release(handle)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if not self._closed:
            self.close()

    def _forbid_views(self, what):
        if len(self._views):
            raise BufferError(f"{what}: arrays of body.view() are still there, whose memory would go; drop them first")

    # --- steps

    def step(self, count=1):
        """Makes steps with the GIL released; what the last one tells. Ctrl-C ends it at once: a step that was under
        way has then not been made."""
        stats = ffi.new("ThawStepStats *")
        _run([self], int(count), stats, 1)
        return Record(stats)

    def solve_static(self):
        """Leaves every body at rest in the static equilibrium of its loads."""
        stats, error = ffi.new("ThawStepStats *"), new_error()
        check(lib.thaw_world_solve_static(self._world, stats, error), error)
        return Record(stats)

    time = property(lambda self: lib.thaw_world_time(self._world))
    step_count = property(lambda self: lib.thaw_world_step_count(self._world))
    dim = property(lambda self: lib.thaw_world_dim(self._world))
    hash = property(lambda self: lib.thaw_world_full_hash(self._world))

    # --- what is in it

    @property
    def bodies(self):
        world = self._world
        return [Body(self, lib.thaw_world_body_id(world, i)) for i in range(lib.thaw_world_body_count(world))]

    @property
    def obstacles(self):
        world = self._world
        return [Obstacle(self, lib.thaw_world_obstacle_id(world, i))
                for i in range(lib.thaw_world_obstacle_count(world))]

    @property
    def attachments(self):
        world = self._world
        return [Attachment(self, lib.thaw_world_attachment_id(world, i))
                for i in range(lib.thaw_world_attachment_count(world))]

    def body(self, name):
        for body in self.bodies:
            if body.name == name:
                return body
        raise KeyError(name)

    def obstacle(self, name):
        for obstacle in self.obstacles:
            if obstacle.name == name:
                return obstacle
        raise KeyError(name)

    # --- building

    def edit(self):
        """`with world.edit():` — what is added and removed inside happens at the end, at once or not at all."""
        return _Edit(self)

    def add_material(self, name=None, **values):
        """A material: of the library by name, with values of its own; or from its defaults. Its number."""
        keep, error, index = [], new_error(), ffi.new("int32_t *")
        found = lib.thaw_material_library_find(name.encode()) if name else ffi.NULL
        struct = ffi.new("ThawMaterialDef *", _library(found))
        if name and found == ffi.NULL:
            keep.append(ffi.new("char[]", name.encode()))
            struct.name = keep[-1]
        fill(struct, values, f"material {name or ''}".strip(), keep)
        self._forbid_views("add_material")
        check(lib.thaw_world_add_material(self._world, struct, index, error), error)
        return index[0]

    def add_shape(self, mesh, material=0, groups=(), materials=None, **values):
        """A shape: a Mesh and its materials. groups: names of groups of the mesh; all of them are there anyway.
        materials: of each region."""
        if not isinstance(mesh, Mesh):
            raise InputError(f"add_shape: a mesh of type {type(mesh).__name__}; allowed: a thaw.Mesh")
        keep, error, index = [], new_error(), ffi.new("int32_t *")
        shape = _definition("Shape", values, "shape", keep)
        shape.mesh, shape.material = mesh._struct(keep), material
        names, structs = ["all", *mesh.groups], [ffi.new("ThawGroupDef *", lib.thaw_group_def_default())]
        for name in mesh.groups:
            group = ffi.new("ThawGroupDef *")
            keep.append(ffi.new("char[]", name.encode()))
            group.name, group.select, group.mesh_group = keep[-1], lib.THAW_SELECT_MESH_GROUP, keep[-1]
            structs.append(group)
        shape.groups, shape.group_count = _array("ThawGroupDef", structs, keep), len(structs)
        if materials is not None:
            regions = int(mesh.regions.max(initial=0)) + 1
            if len(materials) != regions:
                raise InputError(f"add_shape: {len(materials)} materials; allowed: {regions}, one a region")
            keep.append(ffi.new("int32_t[]", [int(m) for m in materials]))
            shape.region_material = keep[-1]
        self._forbid_views("add_shape")
        check(lib.thaw_world_add_shape(self._world, shape, index, error), error)
        self._groups.append(names)
        return index[0]

    def _group(self, shape, name, where):
        groups = self._groups[shape] if 0 <= shape < len(self._groups) else []
        if name not in groups:
            raise InputError(f"{where}: group {name!r}; allowed: {', '.join(groups) or 'none: there is no such shape'}")
        return groups.index(name)

    def add_body(self, shape=0, pins=(), scripts=(), forces=(), options=None, **values):
        """A body. pins: names of groups; scripts: dicts with group, keys, ...; forces: dicts with group, kind, value."""
        keep, error, new = [], new_error(), ffi.new("ThawId *")
        body = _definition("Body", {"shape": shape, **values}, "body", keep)
        held = []
        for pin in pins:
            held.append(_definition("Script", {"group": self._group(shape, pin, "pins")}, "pins", keep))
        for script in scripts:
            script = dict(script)
            keys, group = script.pop("keys", ()), self._group(shape, script.pop("group", None), "scripts")
            struct = _definition("Script", {**script, "group": group}, "scripts", keep)
            struct.keys, struct.key_count = _keys(keys, keep), len(keys)
            held.append(struct)
        body.scripts, body.script_count = _array("ThawScriptDef", held, keep), len(held)
        loads = []
        for force in forces:
            force = dict(force)
            group = self._group(shape, force.pop("group", "all"), "forces")
            loads.append(_definition("Force", {**force, "group": group}, "forces", keep))
        body.forces, body.force_count = _array("ThawForceDef", loads, keep), len(loads)
        rows = _options(text(body.method), options or {}, keep)
        body.options, body.option_count = rows, len(rows)
        self._forbid_views("add_body")
        check(lib.thaw_world_add_body(self._world, body, new, error), error)
        return Body(self, new[0])

    def add_obstacle(self, kind="half_space", vertices=None, faces=None, keys=(), **values):
        """An obstacle: half_space, sphere (size: radius), box (size: lengths), capsule, cylinder, mesh (vertices and
        faces, outward)."""
        keep, error, new = [], new_error(), ffi.new("ThawId *")
        if "size" in values:
            values["size"] = np.atleast_1d(values["size"])
        obstacle = _definition("Obstacle", {"kind": kind, **values}, "obstacle", keep)
        obstacle.keys, obstacle.key_count = _keys(keys, keep), len(keys)
        if vertices is not None and faces is not None:
            x, f = floats(vertices, (None, self.dim), "vertices"), np.ascontiguousarray(faces, np.int32)
            keep += [x, f]
            obstacle.x, obstacle.vertex_count = pointer(x), len(x)
            obstacle.faces, obstacle.face_count = pointer(f, "int32_t *"), len(f)
        self._forbid_views("add_obstacle")
        check(lib.thaw_world_add_obstacle(self._world, obstacle, new, error), error)
        return Obstacle(self, new[0])

    def attach(self, body, group, to=None, **values):
        """Holds a group of a body to another body, to an obstacle, or (None) to where it is. other_group: a group of
        the other body, by name."""
        for thing in (body, to):
            if getattr(thing, "_owner", self) is not self:
                raise InputError(f"attach: {thing!r}; allowed: bodies and obstacles of this world")
        if isinstance(to, Body) and isinstance(values.get("other_group"), str):
            values["other_group"] = to._find_group(values["other_group"])
        keep, error, new = [], new_error(), ffi.new("ThawId *")
        if isinstance(to, Body):
            values["other_body"] = to._edit_index
        elif isinstance(to, Obstacle):
            values["obstacle"] = to._edit_index
        elif to is not None:
            raise InputError(f"attach: to is {to!r}; allowed: a body, an obstacle, or None")
        attachment = _definition("Attachment", {"body": body._edit_index, **values}, "attachment", keep)
        attachment.group = body._find_group(group)
        self._forbid_views("attach")
        check(lib.thaw_world_add_attachment(self._world, attachment, new, error), error)
        return Attachment(self, new[0])

    def remove(self, thing):
        """A body, an obstacle or an attachment."""
        if getattr(thing, "_owner", None) is not self:
            raise InputError(f"remove: {thing!r}; allowed: a body, an obstacle or an attachment of this world")
        self._forbid_views("remove")
        error = new_error()
        check(getattr(lib, f"thaw_world_remove_{thing._kind}")(self._world, thing.id, error), error)

    # --- settings

    @property
    def gravity(self):
        out = np.zeros(3)
        lib.thaw_world_get_gravity(self._world, pointer(out))
        return out[:self.dim]

    @gravity.setter
    def gravity(self, value):
        error, g = new_error(), vector(value, self.dim, "gravity")
        self._forbid_views("gravity")
        check(lib.thaw_world_set_gravity(self._world, pointer(g), error), error)

    @property
    def h(self):
        return lib.thaw_world_h(self._world)

    @h.setter
    def h(self, value):
        error = new_error()
        self._forbid_views("h")
        check(lib.thaw_world_set_h(self._world, value, error), error)

    def set_material(self, material, **values):
        """Other values of a material, from the next step on."""
        keep, error, struct = [], new_error(), ffi.new("ThawMaterialDef *")
        if lib.thaw_world_get_material(self._world, material, struct) != lib.THAW_OK:
            raise InputError(f"set_material: material {material}; allowed: the number of one of the world's")
        fill(struct, values, "material", keep)
        self._forbid_views("set_material")
        check(lib.thaw_world_set_material(self._world, material, struct, error), error)

    def set_pressure(self, shape, pressure):
        """The pressure inside of a closed sheet, Pa over that outside, from the next step on."""
        error = new_error()
        self._forbid_views("set_pressure")
        check(lib.thaw_world_set_pressure(self._world, shape, pressure, error), error)

    def set_contact(self, **values):
        """Other options of contact: stiffness, damping, tangent, friction, tolerance, ..."""
        struct, error = ffi.new("ThawContactOptions *"), new_error()
        lib.thaw_world_get_contact_options(self._world, struct)
        fill(struct, values, "contact", [])
        self._forbid_views("set_contact")
        check(lib.thaw_world_set_contact(self._world, struct, error), error)

    def set_option(self, method, name, value, body=None):
        """An option of a method (`thaw help METHOD` lists them), of one body or of all."""
        error, index = new_error(), -1 if body is None else body.index
        check(lib.thaw_world_set_option(self._world, index, method.encode(), name.encode(), value, error), error)

    def get_option(self, method, name, body=None):
        value, index = ffi.new("double *"), -1 if body is None else body.index
        check(lib.thaw_world_get_option(self._world, index, method.encode(), name.encode(), value),
              where=f"option {method}.{name}")
        return value[0]

    def set_method(self, name):
        """Of all bodies; body.method is that of one."""
        error = new_error()
        check(lib.thaw_world_set_method(self._world, -1, name.encode(), error), error)

    # --- looking

    @property
    def contacts(self):
        """Contacts of the last step, one structured row each: body, vertex, weight, point, normal, gap, force, ..."""
        world = self._world
        count = lib.thaw_world_contact_count(world)
        out = np.zeros(count, CONTACT)
        if count:
            check(lib.thaw_world_get_contacts(world, pointer(out, "ThawContactPoint *")))
        return out

    @property
    def ledger(self):
        """Energies and works, J."""
        ledger = ffi.new("ThawLedger *")
        check(lib.thaw_world_get_ledger(self._world, ledger))
        return Record(ledger)

    def cast_ray(self, origin, direction, longest=1e9):
        """The first thing that a ray meets: an object with body, obstacle, point, normal, distance; or None."""
        return self._hit(lib.thaw_world_cast_ray, origin, vector(direction, self.dim, "direction"), longest)

    def nearest(self, point, farthest=1e9):
        """The nearest surface: as cast_ray; its distance is below 0 inside of a solid."""
        return self._hit(lib.thaw_world_find_nearest, point, None, farthest)

    def _hit(self, function, point, direction, most):
        world, hit, at = self._world, ffi.new("ThawHit *"), vector(point, self.dim, "point")
        arguments = (pointer(at),) if direction is None else (pointer(at), pointer(direction))
        check(function(world, *arguments, most, hit), where="a ray or a point")
        return Hit(self, hit) if hit.body >= 0 or hit.obstacle >= 0 else None

    def validate(self):
        """Raises where the world does not agree with itself."""
        error = new_error()
        check(lib.thaw_world_validate(self._world, error), error)

    # --- snapshots and files

    def snapshot(self):
        """All of the world at this moment."""
        return Snapshot(self)

    def restore(self, snapshot):
        """The world is what it was, with the same bits from there on."""
        if not isinstance(snapshot, Snapshot):
            raise InputError(f"restore: {type(snapshot).__name__}; allowed: a Snapshot")
        self._forbid_views("restore")
        error = new_error()
        check(lib.thaw_world_restore(self._world, snapshot._handle, error), error)
        self._groups, self._changes = [list(g) for g in snapshot._groups], snapshot._changes

    def clone(self, threads=-1):
        """Another world like this one, which goes its own way."""
        return self.snapshot().world(threads)

    def save(self, path):
        error = new_error()
        check(lib.thaw_world_save(self._world, os.fsencode(path), error), error)

    def load(self, path):
        self._forbid_views("load")
        error = new_error()
        check(lib.thaw_world_load(self._world, os.fsencode(path), error), error)

    def show(self, **options):
        """A picture of the world: in a notebook in place, elsewhere the path of a PNG file."""
        from .picture import show
        return show(self, **options)

    def __repr__(self):
        if self._closed:
            return "<thaw.World: closed>"
        try:
            with self._held() as world:
                return f"<thaw.World: {lib.thaw_world_body_count(world)} bodies, " \
                       f"{lib.thaw_world_obstacle_count(world)} obstacles, t = {lib.thaw_world_time(world):g} s>"
        except UseError:
            return "<thaw.World: in use by another thread>"


def _free(world):
    holder = ffi.new("ThawWorld **", world)
    lib.thaw_world_free(holder)


def _refuse(value):
    raise InputError(f"scene: a {type(value).__name__}; allowed: what JSON has, and NumPy arrays")


def _library(found):
    if found == ffi.NULL:
        return lib.thaw_material_def_default()
    # The member is called `def`, which is a word of Python's.
    return ffi.cast("ThawMaterialDef *", ffi.cast("char *", found) + ffi.offsetof("ThawLibraryMaterial", "def"))[0]


def _keys(keys, keep):
    out = ffi.new("ThawKey[]", max(1, len(keys)))
    for struct, key in zip(out, keys):
        struct.rotation[0] = 1
        fill(ffi.addressof(struct), key, "keys", keep)
    keep.append(out)
    return out


def _options(method, options, keep):
    """Rows of {"tolerance": 1e-3} (of the body's method)."""
    rows = ffi.new("ThawOptionDef[]", len(options))
    for row, (name, value) in zip(rows, options.items()):
        keep += [ffi.new("char[]", method.encode()), ffi.new("char[]", name.encode())]
        row.method, row.name, row.value = keep[-2], keep[-1], value
    keep.append(rows)
    return rows


def _run(worlds, steps, stats, threads):
    """Steps of several worlds at the same time; nobody else uses them meanwhile."""
    if steps < 0:
        raise InputError(f"step: {steps} steps; allowed: >= 0")
    if not worlds:
        return
    with contextlib.ExitStack() as stack:
        handles = [stack.enter_context(world._held()) for world in worlds]
        pointers, status, error = ffi.new("ThawWorld *[]", handles), ffi.new("ThawStatus[]", len(handles)), new_error()
        work = ffi.new("ThawPySteps *", {"worlds": pointers, "stats": stats, "status": status, "error": error,
                                         "count": len(handles), "steps": steps})
        lib.thaw_py_steps(work, threads, threading.current_thread() is threading.main_thread())
    for one in status:
        check(one, error)


class _Edit:
    def __init__(self, world):
        self._owner = world

    def __enter__(self):
        error = new_error()
        with self._owner._held() as world:
            self._owner._forbid_views("edit")
            check(lib.thaw_world_begin_edit(world, error), error)
        self._groups = [list(g) for g in self._owner._groups]

    def __exit__(self, kind, *rest):
        owner, error = self._owner, new_error()
        with owner._held() as world:
            try:
                if kind is None:
                    owner._forbid_views("edit")  # there may be some since it began
                    check(lib.thaw_world_end_edit(world, error), error)
                    return
            except BaseException:
                kind = kind or True
                raise
            finally:
                if kind is not None:
                    lib.thaw_world_cancel_edit(world)
                    owner._groups = self._groups


@_exclusive
class _Thing:
    """Something with an id: it is found again whatever is added and removed."""

    def __init__(self, world, id):
        self._owner, self.id = world, id

    @property
    def index(self):
        index = getattr(lib, f"thaw_world_{self._kind}_index")(self._owner._world, self.id)
        if index < 0:
            raise UseError(f"the {self._kind} with id {self.id} is not in the world (any more)")
        return index

    @property
    def _edit_index(self):
        """What definitions of an open edit call it."""
        index = lib.thaw_world_edit_index(self._owner._world, self.id)
        if index < 0:
            raise UseError(f"the {self._kind} with id {self.id} is not in the world (any more)")
        return index

    @property
    def world(self):
        return self._owner

    def __eq__(self, other):
        return type(self) is type(other) and self._owner is other._owner and self.id == other.id

    def __hash__(self):
        return hash((id(self._owner), self.id))

    def __repr__(self):
        return f"<thaw.{type(self).__name__} {self.id}>"


@_exclusive
class Body(_Thing):
    """A body. Arrays have a row a vertex (or element) in the mesh's own order."""

    _kind = "body"

    name = property(lambda self: text(lib.thaw_world_body_name(self._owner._world, self.index)))
    vertex_count = property(lambda self: lib.thaw_world_vertex_count(self._owner._world, self.index))
    element_count = property(lambda self: lib.thaw_world_element_count(self._owner._world, self.index))
    asleep = property(lambda self: bool(lib.thaw_world_is_asleep(self._owner._world, self.index)))

    def _get(self, function, width=None, count=None):
        index, world = self.index, self._owner._world
        count = self.vertex_count if count is None else count
        out = np.empty((count, self._owner.dim if width is None else width))
        check(function(world, index, pointer(out)))
        return out

    def _set(self, function, values, name):
        values = floats(values, (self.vertex_count, self._owner.dim), name)
        check(function(self._owner._world, self.index, pointer(values)), where=name)

    @property
    def positions(self):
        return self._get(lib.thaw_world_get_positions)

    @positions.setter
    def positions(self, values):
        self._set(lib.thaw_world_set_positions, values, "positions")

    @property
    def velocities(self):
        return self._get(lib.thaw_world_get_velocities)

    @velocities.setter
    def velocities(self, values):
        self._set(lib.thaw_world_set_velocities, values, "velocities")

    masses = property(lambda self: self._get(lib.thaw_world_get_masses, 1)[:, 0])
    contact_forces = property(lambda self: self._get(lib.thaw_world_get_contact_forces))

    @property
    def elements(self):
        out = np.empty((self.element_count, lib.thaw_world_element_nodes(self._owner._world, self.index)), np.int32)
        check(lib.thaw_world_get_elements(self._owner._world, self.index, pointer(out, "int32_t *")))
        return out

    def set_forces(self, values):
        """Forces on all vertices until set again, N; None takes them away."""
        if values is None:
            check(lib.thaw_world_set_forces(self._owner._world, self.index, ffi.NULL))
        else:
            self._set(lib.thaw_world_set_forces, values, "forces")

    def add_force_at(self, element, weights, force):
        """A force on a point of an element, N, on top of the others."""
        nodes = lib.thaw_world_element_nodes(self._owner._world, self.index)
        w, f = floats(weights, (nodes,), "weights"), vector(force, self._owner.dim, "force")
        check(lib.thaw_world_add_force_at(self._owner._world, self.index, element, pointer(w), pointer(f)),
              where=f"element {element}")

    def field(self, name):
        """A field by name (thaw.fields() lists them): a row a vertex or element."""
        if name not in _field_index:
            raise InputError(f"field {name!r}; allowed: {', '.join(_field_index)}")
        i = _field_index[name]
        count = self.vertex_count if _fields[i].place == lib.THAW_FIELD_VERTEX else self.element_count
        out = np.empty((count, _fields[i].components))
        check(lib.thaw_world_get_field(self._owner._world, self.index, i, pointer(out)), where=name)
        return out[:, 0] if out.shape[1] == 1 else out

    def view(self):
        """Positions and velocities where the world has them, read-only, without a copy; and the mesh's number of each
        row. While such arrays live the world refuses what would move them: edits, restore, load, close."""
        if self._owner._changes:
            raise UseError("view: shapes of this world change at given times, which moves them; allowed: positions, "
                           "velocities")
        view = ffi.new("ThawBodyView *")
        check(lib.thaw_world_view_body(self._owner._world, self.index, view))
        return tuple(_borrow(self._owner, p, shape, kind) for p, shape, kind in (
            (view.x, (view.count, view.dim), np.float64), (view.v, (view.count, view.dim), np.float64),
            (view.order, (view.count,), np.int32)))

    @property
    def method(self):
        return text(lib.thaw_world_get_method(self._owner._world, self.index))

    @method.setter
    def method(self, name):
        error = new_error()
        check(lib.thaw_world_set_method(self._owner._world, self.index, name.encode(), error), error)

    def set_friction(self, value):
        error = new_error()
        check(lib.thaw_world_set_friction(self._owner._world, self.index, value, error), error)

    def wake(self):
        check(lib.thaw_world_wake(self._owner._world, self.index))

    def move_script(self, script, translation, rotation=(1, 0, 0, 0), duration=0):
        """A pin or script goes there, from where it was at the start, within that time (0: one step)."""
        error, t = new_error(), vector(translation, self._owner.dim, "translation")
        q = floats(rotation, (4,), "rotation")
        check(lib.thaw_world_move_script(self._owner._world, self.index, script, pointer(t), pointer(q), duration,
                                         error), error)

    def explain(self, element):
        """Why an element is elastic or rigid: numbers, and `text`."""
        report, error, words = ffi.new("ThawElementReport *"), new_error(), ffi.new("char[]", 800)
        check(lib.thaw_world_explain(self._owner._world, self.index, element, report, error), error)
        lib.thaw_report_text(report, words, 800)
        record = Record(report)
        record.text = text(words)
        return record

    def _find_group(self, name):
        return self._owner._group(lib.thaw_world_body_shape(self._owner._world, self.id), name, "attach")


class _Memory:
    """Memory of a world, for NumPy: the base of every array over it, whatever is made of that one, so that the world
    lives as long, and knows."""

    def __init__(self, world, address, shape, kind):
        self.world = world
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": np.dtype(kind).str,
                                    "data": (int(ffi.cast("uintptr_t", address)), True)}  # read-only
        world._views.add(self)


def _borrow(world, address, shape, kind):
    return np.asarray(_Memory(world, address, shape, kind))


@_exclusive
class Obstacle(_Thing):
    """What bodies may touch besides each other."""

    _kind = "obstacle"

    name = property(lambda self: text(lib.thaw_world_obstacle_name(self._owner._world, self.index)))

    @property
    def position(self):
        return self._place()[0]

    @property
    def rotation(self):
        return self._place()[1]

    def _place(self):
        p, q = np.zeros(3), np.zeros(4)
        check(lib.thaw_world_get_obstacle_place(self._owner._world, self.index, pointer(p), pointer(q)))
        return p[:self._owner.dim], q

    def move(self, position=None, rotation=None, duration=0):
        """It goes there within that time (0: one step) at constant speed, and stands then."""
        now = self._place()
        error, p = new_error(), vector(now[0] if position is None else position, self._owner.dim, "position")
        q = floats(now[1] if rotation is None else rotation, (4,), "rotation")
        check(lib.thaw_world_move_obstacle(self._owner._world, self.index, pointer(p), pointer(q), duration, error),
              error)

    @property
    def reaction(self):
        """The sum of its forces on all bodies, N."""
        out = np.zeros(3)
        check(lib.thaw_world_get_reaction(self._owner._world, self.index, pointer(out)))
        return out[:self._owner.dim]

    def set_friction(self, value):
        error = new_error()
        check(lib.thaw_world_set_obstacle_friction(self._owner._world, self.index, value, error), error)


@_exclusive
class Attachment(_Thing):
    """A region of a body that is held."""

    _kind = "attachment"

    @property
    def state(self):
        """Its force, energy, and whether it has let go."""
        state = ffi.new("ThawAttachmentState *")
        check(lib.thaw_world_get_attachment(self._owner._world, self.index, state))
        return Record(state, now=True)  # its name is the world's

    def release(self):
        error = new_error()
        check(lib.thaw_world_release_attachment(self._owner._world, self.index, error), error)

    def move(self, translation, rotation=(1, 0, 0, 0), duration=0):
        """The frame in space that it is held to goes there, from where it was at the start."""
        error, t = new_error(), vector(translation, self._owner.dim, "translation")
        q = floats(rotation, (4,), "rotation")
        check(lib.thaw_world_move_attachment(self._owner._world, self.index, pointer(t), pointer(q), duration, error),
              error)


class Hit:
    """What a ray met, or the nearest surface."""

    def __init__(self, world, hit):
        c = world._world
        self.body = Body(world, lib.thaw_world_body_id(c, hit.body)) if hit.body >= 0 else None
        self.obstacle = Obstacle(world, lib.thaw_world_obstacle_id(c, hit.obstacle)) if hit.obstacle >= 0 else None
        self.element, self.distance = hit.element, hit.distance
        self.point, self.normal = (np.array(list(a))[:world.dim] for a in (hit.point, hit.normal))

    def __repr__(self):
        return f"<thaw.Hit: {self.body or self.obstacle} at {self.point}, distance {self.distance:g}>"


class Snapshot:
    """All of a world at one moment."""

    def __init__(self, world):
        holder, error = ffi.new("ThawSnapshot **"), new_error()
        with world._held() as handle:
            check(lib.thaw_world_snapshot(handle, holder, error), error)
        self._handle = ffi.gc(holder[0], _free_snapshot)
        self._groups, self._changes = [list(g) for g in world._groups], world._changes

    size = property(lambda self: lib.thaw_snapshot_size(self._handle))

    def world(self, threads=-1):
        """A world of that moment; shapes are shared."""
        holder, error = ffi.new("ThawWorld **"), new_error()
        check(lib.thaw_snapshot_make_world(self._handle, threads, holder, error), error)
        return World._of(holder[0], self)


def _free_snapshot(snapshot):
    lib.thaw_snapshot_free(ffi.new("ThawSnapshot **", snapshot))
