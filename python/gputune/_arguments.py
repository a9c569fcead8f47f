"""Converts Python values to kernel arguments."""
from __future__ import annotations

import ctypes
import math
import operator
import struct
from typing import Any, Callable, Mapping, Sequence

from . import _abi
from ._arrays import DeviceArray, device_array, host_view

_SCALARS: dict[str, Any] = {
    "signed char": ctypes.c_int8, "unsigned char": ctypes.c_uint8, "short": ctypes.c_int16,
    "unsigned short": ctypes.c_uint16, "int": ctypes.c_int32, "unsigned int": ctypes.c_uint32,
    "long long": ctypes.c_int64, "unsigned long long": ctypes.c_uint64, "bool": ctypes.c_bool,
    "float": ctypes.c_float, "double": ctypes.c_double, "half": ctypes.c_uint16,
    "__nv_bfloat16": ctypes.c_uint16}
known_type = _SCALARS.__contains__  # tests whether arrays can have elements of that type
_FLOATS = ("float", "double", "half", "__nv_bfloat16")


def _integer(value: Any, kind: Any) -> Any:
    if not hasattr(value, "__index__") and hasattr(value, "item"):
        value = value.item()
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"is {value!r}; the template has an integer") from None
    if kind(number).value != number:
        raise TypeError(f"is {value!r}, which does not fit the template's type")
    return kind(number)


def _boolean(value: Any) -> ctypes.c_bool:
    if isinstance(value, str) or not (value == 0 or value == 1):
        raise TypeError(f"is {value!r}; the template has a bool")
    return ctypes.c_bool(bool(value))


def _float_bits(value: float, type_name: str) -> Any:
    """Rounds to the nearest number of that type. OverflowError beyond the largest one."""
    if type_name == "double":
        return ctypes.c_double(value)
    if type_name == "half":
        return ctypes.c_uint16(struct.unpack("<H", struct.pack("<e", value))[0])
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if type_name == "float":
        return ctypes.c_float(value)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16  # to nearest
    if rounded & 0x7FFF == 0x7F80 and math.isfinite(value):
        raise OverflowError
    return ctypes.c_uint16(rounded)


def _float(value: Any, type_name: str) -> Any:
    if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
        raise TypeError(f"is {value!r}; the template has a number")
    try:
        return _float_bits(float(value), type_name)
    except OverflowError:
        raise TypeError(f"is {value!r}, which does not fit the template's type") from None


def _number(value: Any, type_name: str, size: int) -> Any:
    """Converts a number, or the bytes of a struct, to a ctypes object."""
    if type_name.endswith("*"):
        if value is not None and not (isinstance(value, int) and value == 0):
            raise TypeError(f"is a {type(value).__name__}; the template has null there, which is None or 0")
        return ctypes.c_uint64(0)
    kind = _SCALARS.get(type_name)
    if kind is None or isinstance(value, (bytes, bytearray)):
        return _bytes(value, size)
    if getattr(value, "ndim", 0):
        raise TypeError("is an array; the template has a value")
    if type_name in _FLOATS:
        return _float(value, type_name)
    return _boolean(value) if kind is ctypes.c_bool else _integer(value, kind)


def _bytes(value: Any, size: int) -> Any:
    """Returns host memory of that many bytes from a ctypes object, bytes, or a buffer."""
    try:
        data = memoryview(value).tobytes()
    except TypeError:
        raise TypeError(f"is a {type(value).__name__}; expected bytes, a ctypes object or a NumPy "
                        "record") from None
    if len(data) != size:
        raise TypeError(f"has {len(data)} bytes; the template has {size}")
    return (ctypes.c_char * len(data)).from_buffer_copy(data)


def _block(value: Any, type_name: str, element_bytes: int, size: int) -> Any:
    """Converts a parameter block: a sequence of numbers, or host memory with elements of that type."""
    kind = _SCALARS.get(type_name)
    if kind is not None and isinstance(value, (list, tuple)):
        if len(value) * element_bytes != size:
            raise TypeError(f"has {len(value)} elements; the template has {size // element_bytes}")
        numbers = [_number(item, type_name, element_bytes) for item in value]
        return (kind * len(numbers))(*numbers)
    if kind is not None and not isinstance(value, (bytes, bytearray)):
        view, found = host_view(value) or (value, None)
        if found and found != type_name:
            raise TypeError(f"has elements of type {found}; the template has {type_name}")
        value = view
    return _bytes(value, size)


class Arguments:
    """Converts the values of one launch. `known` has the template's arguments as dicts, in order. An emulated
    device accepts arrays in host memory."""

    def __init__(self, kernel: str, values: Sequence[Any], known: Sequence[dict[str, Any]],
                 stream: int, device: Mapping[str, Any]) -> None:
        if len(values) != len(known):
            names = ", ".join(one["name"] for one in known)
            raise TypeError(f"{kernel} takes {len(known)} argument{'s' * (len(known) != 1)} ({names}); "
                            f"got {len(values)}")
        self.items = (ctypes.c_void_p * max(len(values), 1))()
        self.keep: list[Any] = []  # kept until the launch
        self.producers: set[int] = set()  # streams to wait for
        self.host: list[DeviceArray] = []  # arrays in host memory
        self._stream, self._device = stream, device
        for i, (value, parameter) in enumerate(zip(values, known)):
            try:
                holder = self._convert(value, parameter)
            except (TypeError, ValueError, AttributeError) as error:
                raise TypeError(f"argument {i + 1} ({_named(parameter)}) {error}") from None
            self.keep.append(holder)
            self.items[i] = ctypes.addressof(holder)

    def _convert(self, value: Any, parameter: dict[str, Any]) -> Any:
        if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BLOCK:
            return _block(value, parameter["type"], parameter["element_bytes"],
                          parameter["buffer_bytes"])
        if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BUFFER:
            return self._buffer(value, parameter)
        return _number(value, parameter["type"], parameter["bytes"])

    def _buffer(self, value: Any, parameter: dict[str, Any]) -> ctypes.c_void_p:
        if isinstance(value, int):
            if not 0 <= value < 1 << 64 or (value == 0 and parameter["buffer_bytes"]):
                raise TypeError(f"is {value}, which is not an address")
            return ctypes.c_void_p(value)
        array = device_array(value, self._stream, self._device["emulated"])
        if array is None:
            raise TypeError(f"is a {type(value).__name__}; expected an array on the GPU")
        if array.device not in (None, self._device["ordinal"]):
            raise TypeError(f"is on GPU {array.device}; the plan is for GPU {self._device['ordinal']}")
        wanted = parameter["type"]
        if array.type and known_type(wanted) and array.type != wanted:
            is_sign = array.type.removeprefix("unsigned ") == wanted.removeprefix("unsigned ")
            raise TypeError(f"has elements of type {array.type}"
                            + ("; .view() gives the bits another type" if is_sign else ""))
        if array.bytes < parameter["buffer_bytes"]:
            raise TypeError(f"has {array.bytes} bytes; the plan is for {parameter['buffer_bytes']}")
        if not array.address and parameter["buffer_bytes"]:
            raise TypeError("has no data: its address is 0, like that of a fake tensor")
        if array.readonly and parameter["is_output"]:
            raise TypeError("is read-only; the kernel writes to it")
        if array.stream is not None and _stream_of_interface(array.stream) != self._stream:
            self.producers.add(_stream_of_interface(array.stream))
        if array.on_host:
            self.host.append(array)
        self.keep.append(array)
        return ctypes.c_void_p(array.address)


def picker(what: str, known: Sequence[Mapping[str, Any]],
           names: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """Returns a function that puts a launch's values, in the order of `names`, into the template's order."""
    for one in known:
        if one["name"] not in names:
            raise TypeError(f"{what}: the template's argument '{one['name']}' is not among the parameters, "
                            f"outputs and sizes: {', '.join(names)}")
    places = [names.index(one["name"]) for one in known]
    return operator.itemgetter(*places) if len(places) > 1 else lambda values: [values[i] for i in places]


def _stream_of_interface(stream: int) -> int:
    """Converts the stream number of __cuda_array_interface__, where the legacy default stream is 1, to the
    driver's."""
    return 0 if stream == 1 else stream


def _named(parameter: dict[str, Any]) -> str:
    star = " *" if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BUFFER else " "
    return f"{parameter['type']}{star}{parameter['name']}"
