"""Python values as a kernel's arguments."""
import ctypes
import struct

from . import _abi
from ._arrays import device_array

_SCALARS = {"signed char": ctypes.c_int8, "unsigned char": ctypes.c_uint8, "short": ctypes.c_int16,
            "unsigned short": ctypes.c_uint16, "int": ctypes.c_int32, "unsigned int": ctypes.c_uint32,
            "long long": ctypes.c_int64, "unsigned long long": ctypes.c_uint64, "bool": ctypes.c_bool,
            "float": ctypes.c_float, "double": ctypes.c_double}


def _integer(value, kind):
    number = value.__index__() if hasattr(value, "__index__") else value.item()
    if number.__class__ is float or kind(number).value != number:
        raise TypeError(f"is {value!r}, which the template's type cannot hold")
    return kind(number)


def _number(value, type_name, size):
    """A number, or the bytes of a struct, as a ctypes object."""
    kind = _SCALARS.get(type_name)
    if kind in (ctypes.c_float, ctypes.c_double):
        return kind(float(value))
    if kind is ctypes.c_bool:
        return kind(bool(value))
    if kind:
        return _integer(value, kind)
    if type_name == "half" and not isinstance(value, (bytes, bytearray)):
        return ctypes.c_uint16(struct.unpack("<H", struct.pack("<e", float(value)))[0])
    if type_name == "__nv_bfloat16" and not isinstance(value, (bytes, bytearray)):
        bits = struct.unpack("<I", struct.pack("<f", float(value)))[0]
        return ctypes.c_uint16((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)  # rounded to the nearest
    return _bytes(value, size)


def _bytes(value, size):
    """Host memory of that many bytes: a ctypes object, bytes, or what has the buffer protocol."""
    data = bytes(memoryview(value).cast("B"))
    if size and len(data) != size:
        raise TypeError(f"has {len(data)} bytes; the template has {size}")
    return (ctypes.c_char * len(data)).from_buffer_copy(data)


def _block(value, type_name, size):
    """A pass() block: numbers in a sequence, or host memory."""
    kind = _SCALARS.get(type_name)
    if isinstance(value, (list, tuple)) and kind:
        value = (kind * len(value))(*value)
    return _bytes(value, size)


class Arguments:
    """Converts the values of one launch. `known` is {argument: parameter's dict}."""

    def __init__(self, values, known, stream):
        self.items = (ctypes.c_void_p * max(len(values), 1))()
        self.keep = []  # until the launch
        self.producers = set()  # streams to wait for
        for i, value in enumerate(values):
            try:
                holder = self._convert(value, known.get(i), stream)
            except (TypeError, ValueError, AttributeError) as error:
                raise TypeError(f"argument {i + 1}{_named(known.get(i))} {error}") from None
            self.keep.append(holder)
            self.items[i] = ctypes.addressof(holder)

    def _convert(self, value, parameter, stream):
        if parameter is None:  # a block that goes through constant memory
            return _block(value, "int", 0)
        if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BLOCK:
            return _block(value, parameter["type"], parameter["buffer_bytes"])
        if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BUFFER:
            return self._buffer(value, parameter, stream)
        if getattr(value, "ndim", 0):
            raise TypeError("is an array; the template has a value")
        return _number(value, parameter["type"], parameter["bytes"])

    def _buffer(self, value, parameter, stream):
        if isinstance(value, int):
            return ctypes.c_void_p(value)
        array = device_array(value, stream)
        if array is None:
            raise TypeError(f"is a {type(value).__name__}; expected an array on the GPU")
        if array.type and parameter["type"] in _SCALARS and array.type != parameter["type"]:
            raise TypeError(f"has elements of type {array.type}")
        if array.count is not None and array.count * array.itemsize < parameter["buffer_bytes"]:
            raise TypeError(f"has {array.count * array.itemsize} bytes; the plan is for "
                            f"{parameter['buffer_bytes']}")
        if array.readonly and parameter["is_output"]:
            raise TypeError("is read-only; the kernel writes to it")
        if array.stream is not None and _stream_of_interface(array.stream) != stream:
            self.producers.add(_stream_of_interface(array.stream))
        self.keep.append(array)
        return ctypes.c_void_p(array.address)


def _stream_of_interface(stream):
    """__cuda_array_interface__ calls the legacy default stream 1, the driver 0 or 1."""
    return 0 if stream == 1 else stream


def _named(parameter):
    if parameter is None:
        return ""
    star = " *" if parameter["kind"] == _abi.GPUTUNE_PARAMETER_BUFFER else " "
    return f" ({parameter['type']}{star}{parameter['name']})"
