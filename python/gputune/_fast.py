"""The fast path: launches with simple arguments (PyTorch tensors on the GPU, addresses, and plain numbers),
and repeated calls of tune(). _native.c does the same if it was built."""
from __future__ import annotations

import ctypes
import importlib
import os
import struct
import sys
import time
from typing import Any, Callable, Mapping, Sequence

from . import _abi
from ._arrays import TORCH_TYPES, type_name
from ._library import library

# A function that writes one value into a slot's storage; it returns False if the slow path is needed.
Step = Callable[[Any, int, Any], bool]

_LETTERS = {"signed char": "b", "unsigned char": "B", "short": "h", "unsigned short": "H", "int": "i",
            "unsigned int": "I", "long long": "q", "unsigned long long": "Q", "float": "f",
            "double": "d"}


def code(parameter: Mapping[str, Any]) -> str:
    """Returns how a parameter's values are written: a letter of struct.pack(), "P" for a buffer, or "?" for
    the slow path."""
    if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BUFFER:
        return "P" if parameter["element_bytes"] else "?"
    if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BLOCK:
        return "?"
    return _LETTERS.get(parameter["type"], "?")


def word_of(value: Any) -> str | None:
    """Returns the word for a str or a framework's dtype (x.dtype, numpy.float32); None for other values."""
    if isinstance(value, type):
        return TORCH_TYPES.get(value.__name__)
    return value if isinstance(value, str) else type_name(value) if _is_dtype(value) else None


def _is_dtype(value: Any) -> bool:
    """Returns true for an object of torch.dtype, or of a class derived from numpy.dtype, as that of other
    libraries' types is."""
    return any(kind.__name__ == "dtype" for kind in type(value).__mro__)


def _current_stream(device: int) -> int:
    return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)


def stream_reader(kind: type) -> Callable[[int], int] | None:
    """Returns a function that gets a device's current stream for arrays of that class; None: always the
    default stream."""
    if kind.__module__.partition(".")[0] != "torch":
        return None
    read: Callable[[int], int] = getattr(sys.modules["torch"]._C, "_cuda_getCurrentRawStream",
                                         _current_stream)
    return read


# --- launches ----------------------------------------------------------------------------------------

def _look(_storage: Any, _i: int, _value: Any) -> bool:
    return False


def _number(letter: str) -> Step:
    pack = struct.Struct("<" + letter).pack_into
    kinds = (int, float) if letter in "fd" else (int,)

    def step(storage: Any, i: int, value: Any) -> bool:
        if type(value) not in kinds:
            return False
        try:
            pack(storage, 8 * i, value)
        except (struct.error, OverflowError):
            return False
        return True
    return step


def _buffer(wanted: str, least: int, device: int) -> Step:
    def step(storage: Any, i: int, value: Any) -> bool:
        if type(value) is int:
            storage[i] = value
            return 0 < value < 1 << 64
        try:
            if (type_name(value.dtype) != wanted or not value.is_cuda or not value.is_contiguous()
                    or value.is_neg() or value.get_device() != device):
                return False
            storage[i] = value.data_ptr()
            return bool(value.numel() >= least and (storage[i] or not least))
        except AttributeError:
            return False
    return step


def _step(letter: str, wanted: str, bytes_wanted: int, element_bytes: int, device: int) -> Step:
    if letter == "P":
        return _buffer(wanted, bytes_wanted // element_bytes, device)
    return _look if letter == "?" else _number(letter)


class _Slot:
    """Storage for the arguments of one launch."""

    def __init__(self, count: int) -> None:
        self.storage = (ctypes.c_uint64 * max(count, 1))()
        start = ctypes.addressof(self.storage)
        self._items = (ctypes.c_void_p * max(count, 1))(*(start + 8 * i for i in range(count)))
        self.packed = _abi.gputune_args(count, self._items)


class Launcher:
    """A reference to a library plan, and the data of its launches. Thread-safe."""

    def __init__(self, pointer: int, parameters: list[tuple[str, str, int, int]], device: int) -> None:
        self.pointer = pointer
        self._steps = tuple(_step(*one, device) for one in parameters)
        self._readers: dict[type, Callable[[int], int] | None] = {}
        self._free: list[_Slot] = []
        self._inside: list[None] = []  # an item for each launch in progress

    def __del__(self) -> None:
        self.end()

    def end(self) -> None:
        """Waits for launches in progress and releases the plan, before its tuner is closed. Later launches
        fail."""
        pointer, self.pointer = self.pointer, 0
        while self._inside:
            time.sleep(1e-4)
        library.gputune_plan_release(pointer)

    def _stream(self, values: Sequence[Any]) -> int:
        for value in values:
            kind = type(value)
            if kind is not int and kind is not float:
                if kind not in self._readers:
                    self._readers[kind] = stream_reader(kind)
                read = self._readers[kind]
                return read(value.get_device()) if read else 0
        return 0

    def launch(self, values: Sequence[Any], stream: Any) -> int | None:
        """Launches and returns the status; None if a value needs the slow path, and nothing was launched."""
        if len(values) != len(self._steps) or not (stream is None or type(stream) is int):
            return None
        try:
            slot = self._free.pop()
        except IndexError:
            slot = _Slot(len(values))
        try:
            storage = slot.storage
            for i, step in enumerate(self._steps):
                if not step(storage, i, values[i]):
                    return None
            handle = self._stream(values) if stream is None else stream
            self._inside.append(None)
            try:
                return int(library.gputune_launch(self.pointer, handle, slot.packed))
            finally:
                self._inside.pop()
        finally:
            self._free.append(slot)


class Launched:
    """The base class of Plan: calling it launches. `_planned`: a Launcher, or None."""
    __slots__ = ("_planned",)

    def __init__(self, planned: Launcher) -> None:
        self._planned: Any = planned

    def __call__(self, *arguments: Any, stream: Any = None) -> None:
        planned = self._planned
        status = planned.launch(arguments, stream) if planned else None
        if status != 0:
            self._look(arguments, stream, status)

    def _look(self, arguments: Sequence[Any], stream: Any, status: int | None) -> None:
        raise NotImplementedError


# --- repeated calls of tune() ------------------------------------------------------------------------

class Answer:
    """A stored answer, and the call that asks for it again: addresses, and the objects at them."""

    def __init__(self, plans: Callable[[Any], Any], planned: Any, tuner: int, kernel: int, count: int,
                 items: int, options: int, kept: Any) -> None:
        self._plans, self._planned, self._kept = plans, planned, kept
        self._call = (tuner, kernel, _abi.gputune_sizes(
            count, ctypes.cast(items, ctypes.POINTER(_abi.gputune_size))), options)

    def ask(self) -> Any:
        """Returns a plan; None if the tuner's answer has changed."""
        tuner, kernel, sizes, options = self._call
        pointer = ctypes.c_void_p()
        status = _tune(ctypes.byref(pointer), tuner, kernel, sizes, options)
        library.gputune_plan_release(pointer)
        return self._plans(self._planned) if status == 0 and pointer.value == self._planned.pointer else None


_tune = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                         _abi.gputune_sizes, ctypes.c_void_p)(("tune_kernel", library))


def _add(out: list[Any], options: Mapping[str, Any]) -> bool:
    for name, value in options.items():
        kind = type(value)
        out.append(name)
        if kind is int or kind is str or value is None:
            out.append(value)
        elif kind is float or kind is bool or kind is tuple or _is_dtype(value):
            out += kind, value
        elif kind is list:
            out.append(tuple(value))
        elif kind is dict:
            out += kind, len(value)
            if not _add(out, value):
                return False
        else:
            return False
    return True


def key(kernel: Any, options: dict[str, Any]) -> tuple[Any, ...] | None:
    """Returns a flat key of a call; None if it has none. Values that equal numbers of another type are
    preceded by their type."""
    out = [kernel]
    return tuple(out) if type(kernel) is str and _add(out, options) else None


def hit(answers: Any, kernel: Any, options: dict[str, Any]) -> Any:
    """Returns the plan of a repeated call; None: use the slow path."""
    try:
        answer = answers.get(key(kernel, options))
    except TypeError:  # not hashable
        return None
    return answer and answer.ask()


_here: dict[int, Any] = {}
_functions: list[Any] = []


def hit_here(kernel: Any, options: dict[str, Any]) -> Any:
    """Calls hit() for the tuner of the current context's device."""
    context, device = ctypes.c_void_p(), ctypes.c_int()
    if not _functions or _functions[0](ctypes.byref(context)) != 0 or \
            (context.value and _functions[1](ctypes.byref(device)) != 0):
        return None
    return hit(_here.get(device.value, {}), kernel, options)


def keep_answers(device: int, answers: Any, current_context: int, current_device: int) -> None:
    """Lets hit_here() find a tuner's answers. The last two arguments are addresses of driver functions."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    _functions[:] = [kind(current_context), kind(current_device)]
    _here[device] = answers


def forget() -> None:
    """Forgets the answers of all calls of keep_answers()."""
    _here.clear()


def address_of(function: Any) -> int:
    """Returns the address of a ctypes function."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


try:
    _native: Any = importlib.import_module("._native", __package__)
except ImportError:
    pass
else:
    _native.bind(address_of(library.gputune_launch), address_of(library.gputune_plan_release),
                 address_of(library.tune_kernel), type_name, stream_reader)
    globals().update({name: getattr(_native, name) for name in (
        "Launcher", "Launched", "Answer", "key", "hit", "hit_here", "keep_answers", "forget")})
os.register_at_fork(after_in_child=forget)
