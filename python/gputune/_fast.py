"""Launches with arguments that need no closer look: PyTorch's tensors on the GPU, addresses, and plain
numbers. All that can be known before is made once for each plan; what is left takes some microseconds."""
from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any, Callable, Sequence

from . import _abi
from ._arrays import TORCH_TYPES, current_stream
from ._library import library

# writes one value into a slot's storage; False: it needs a closer look
Step = Callable[[Any, int, Any], bool]

_FORMATS = {"signed char": "<b", "unsigned char": "<B", "short": "<h", "unsigned short": "<H", "int": "<i",
            "unsigned int": "<I", "long long": "<q", "unsigned long long": "<Q", "float": "<f",
            "double": "<d", "half": "<e"}
_FLOATS = ("float", "double", "half")
_types: dict[Any, str | None] = {}  # what a framework's dtype is called here
_streams: dict[type, Callable[[Any], int]] = {}  # by an array's class


def _look(_storage: Any, _i: int, _value: Any) -> bool:
    return False


def _number(type_name: str) -> Step:
    pack = struct.Struct(_FORMATS[type_name]).pack_into
    kinds = (int, float) if type_name in _FLOATS else (int,)

    def step(storage: Any, i: int, value: Any) -> bool:
        if type(value) not in kinds:
            return False
        try:
            pack(storage, 8 * i, value)
        except (struct.error, OverflowError):
            return False
        return True
    return step


def _buffer(parameter: dict[str, Any]) -> Step:
    wanted, least = parameter["type"], parameter["buffer_bytes"]

    def step(storage: Any, i: int, value: Any) -> bool:
        if type(value) is int:
            storage[i] = value
            return 0 <= value < 1 << 64
        try:
            dtype = value.dtype
            if not value.is_cuda or not value.is_contiguous():
                return False
            storage[i] = value.data_ptr()
            bytes_there = value.numel() * value.element_size()
        except AttributeError:
            return False
        found = _types.get(dtype)
        if found is None:
            found = _types[dtype] = TORCH_TYPES.get(str(dtype).rpartition(".")[2])
        return found == wanted and bytes_there >= least
    return step


def _step(parameter: dict[str, Any]) -> Step:
    if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BUFFER:
        return _buffer(parameter)
    scalar = parameter["kind"] != _abi.GPUTUNE_PARAMETER_BLOCK and parameter["type"] in _FORMATS
    return _number(parameter["type"]) if scalar else _look


def _stream_of_tensor(tensor: Any) -> int:
    return int(sys.modules["torch"]._C._cuda_getCurrentRawStream(tensor.get_device()))


def _reader(kind: type) -> Callable[[Any], int]:
    if kind.__module__.partition(".")[0] == "torch" and \
            hasattr(sys.modules["torch"]._C, "_cuda_getCurrentRawStream"):
        return _stream_of_tensor
    return lambda value: current_stream((value,))


def _stream(values: Sequence[Any]) -> int:
    for value in values:
        kind = type(value)
        if kind is not int and kind is not float:
            read = _streams.get(kind)
            if read is None:
                read = _streams[kind] = _reader(kind)
            return read(value)
    return 0


class _Slot:
    """Room for the arguments of one launch."""

    def __init__(self, count: int) -> None:
        self.storage = (ctypes.c_uint64 * max(count, 1))()
        start = ctypes.addressof(self.storage)
        self._items = (ctypes.c_void_p * max(count, 1))(*(start + 8 * i for i in range(count)))
        self.packed = _abi.gputune_args(count, self._items)


class Launcher:
    """Launches of one plan. Thread-safe."""

    def __init__(self, pointer: Any, parameters: Sequence[dict[str, Any]]) -> None:
        self._pointer, self._steps = pointer, tuple(map(_step, parameters))
        self._free: list[_Slot] = []

    def launch(self, values: Sequence[Any], stream: Any) -> int | None:
        """The status; None where a value needs a closer look, and nothing was launched."""
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
            handle = _stream(values) if stream is None else stream
            return int(library.gputune_launch(self._pointer, handle, slot.packed))
        finally:
            self._free.append(slot)
