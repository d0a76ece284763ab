# SPDX-License-Identifier: Apache-2.0
"""What the other modules stand on: errors, structs from keywords, arrays."""
import os

import numpy as np

from ._core import ffi, lib

Path = (str, os.PathLike)


class Error(Exception):
    """What the library refuses or cannot do, in its own words."""


class InputError(Error, ValueError):
    """A value, a file or an argument is wrong: the message says which, and what is allowed."""


class StepError(Error, ArithmeticError):
    """A step has failed (not converged, inverted, diverged); the world is what it was before."""


class UseError(Error, RuntimeError):
    """An object is used after it was closed, or from two threads at once."""


_kinds = {lib.THAW_ERROR_INPUT: InputError, lib.THAW_ERROR_MEMORY: MemoryError, lib.THAW_ERROR_IO: OSError,
          lib.THAW_ERROR_UNSUPPORTED: InputError}


def text(char_pointer):
    return ffi.string(char_pointer).decode("utf-8", "replace") if char_pointer != ffi.NULL else None


def check(status, error=None, where="thaw"):
    """Raises what a status stands for."""
    if status == lib.THAW_OK:
        return
    message = text(error.message) if error is not None else ""
    if not message:
        message = f"{where}: {text(lib.thaw_status_name(status))}"
    if status == lib.THAW_CANCELLED:
        raise KeyboardInterrupt(message)
    raise _kinds.get(status, StepError)(message)


def new_error():
    return ffi.new("ThawError *")


def floats(values, shape, name):
    """A C-contiguous array of finite doubles of that shape (None: any length)."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{name}: {problem}; allowed: numbers") from None
    if array.ndim != len(shape) or any(want is not None and have != want for have, want in zip(array.shape, shape)):
        wanted = " x ".join("any" if n is None else str(n) for n in shape)
        raise InputError(f"{name}: an array of shape {array.shape}; allowed: {wanted}")
    if not np.isfinite(array).all():
        raise InputError(f"{name}: {array[~np.isfinite(array)][0]} is among the values; allowed: finite numbers")
    return array


def ids(values, shape, name):
    """The same of whole numbers."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iub":
        raise InputError(f"{name}: numbers of type {array.dtype}; allowed: whole numbers")
    if array.ndim != len(shape) or any(want is not None and have != want for have, want in zip(array.shape, shape)):
        wanted = " x ".join("any" if n is None else str(n) for n in shape)
        raise InputError(f"{name}: an array of shape {array.shape}; allowed: {wanted}")
    if array.size and (array.min() < -2**31 or array.max() >= 2**31):
        raise InputError(f"{name}: a number does not fit into 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)


def pointer(array, kind="double *"):
    """To the data of an array, writable where that is."""
    return ffi.cast(kind, array.ctypes.data)


def vector(values, dim, name):
    """Three doubles, of which the first `dim` count."""
    out = np.zeros(3)
    out[:dim] = floats(values, (dim,), name)
    return out


_words = {}  # enum type -> {word: value}


def words_of(ctype):
    """Names of an enum without what they have in common: "half_space" of THAW_OBSTACLE_HALF_SPACE."""
    if ctype not in _words:
        names = [name for name in ctype.relements if not name.endswith("COUNT")]
        first = os.path.commonprefix(names) if len(names) > 1 else ""
        first = first[:first.rfind("_") + 1]
        names.sort(key=ctype.relements.get)
        _words[ctype] = {name[len(first):].lower(): ctype.relements[name] for name in names}
    return _words[ctype]


def fill(struct, values, where, keep):
    """Sets members of a struct by keywords: numbers, flags, vectors, words of enums, strings. What it points to goes
    into `keep`."""
    fields = dict(ffi.typeof(struct).item.fields)
    for name, value in values.items():
        if name not in fields or name == "made":
            known = ", ".join(sorted(n for n in fields if n != "made" and not n.endswith("_count")))
            raise InputError(f"{where}: unknown argument {name!r}; allowed: {known}")
        ctype = fields[name].type
        if ctype.kind == "array":
            length = ctype.length
            array = np.asarray(value, dtype=np.float64).reshape(-1)
            if array.size > length or not array.size:
                raise InputError(f"{where}: {name} has {array.size} numbers; allowed: {length}")
            for i, number in enumerate(array):
                getattr(struct, name)[i] = number
        elif ctype.kind == "enum":
            words = words_of(ctype)
            if value not in words:
                raise InputError(f"{where}: {name} is {value!r}; allowed: {', '.join(words)}")
            setattr(struct, name, words[value])
        elif ctype.kind == "pointer" and ctype.item.cname == "char":
            keep.append(ffi.new("char[]", str(value).encode()))
            setattr(struct, name, keep[-1])
        elif ctype.kind == "struct":
            if not isinstance(value, dict):
                raise InputError(f"{where}: {name} is {value!r}; allowed: a dict")
            inner = ffi.addressof(struct, name)
            fill(inner, value, f"{where}: {name}", keep)
        elif ctype.kind == "primitive":
            try:
                setattr(struct, name, int(value) if isinstance(value, bool) else value)
            except TypeError:
                raise InputError(f"{where}: {name} is {value!r}; allowed: a number") from None
        else:
            raise InputError(f"{where}: {name} cannot be given here")


def dtype_of(name):
    """The NumPy type of a plain struct."""
    names, formats, offsets = [], [], []
    for member, field in ffi.typeof(name).fields:
        kind, shape = field.type, ()
        while kind.kind == "array":
            shape, kind = (*shape, kind.length), kind.item
        if kind.kind == "pointer":
            continue
        code = {"double": "f8", "int": "i4", "int32_t": "i4", "int64_t": "i8", "uint64_t": "u8", "uint32_t": "u4"}.get(
            kind.cname, "i4" if kind.kind == "enum" else None)
        if code is None:
            continue
        names.append(member)
        formats.append((code, shape) if shape else code)
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(name)})


class Record:
    """A C struct to be read: its members are attributes."""

    def __init__(self, struct, owner=None, now=False):
        self._struct, self._owner = struct, owner
        if now:  # what it points to may be gone later
            for name in dir(self):
                setattr(self, name, getattr(self, name))

    def __getattr__(self, name):
        try:
            value = getattr(self._struct, name)
        except AttributeError:
            raise AttributeError(f"{name!r}; there are {', '.join(dir(self))}") from None
        if isinstance(value, ffi.CData):
            kind = ffi.typeof(value)
            if kind.kind == "array":
                if kind.item.cname == "char":
                    return text(value)
                return np.array([value[i] for i in range(kind.length)])
            if kind.kind == "pointer" and kind.item.cname == "char":
                return text(value)
            if kind.kind == "struct":
                return Record(value, self._struct)
        return value

    def __dir__(self):
        kind = ffi.typeof(self._struct)
        return [name for name, _ in (kind.item if kind.kind == "pointer" else kind).fields]

    def __repr__(self):
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in dir(self))
