"""Arrays of any framework on the device: their address, bytes, element type and stream.

Supported are PyTorch tensors, __cuda_array_interface__ (CuPy, Numba, ...), DLPack (JAX, ...), and
addresses as integers; on the emulator also arrays in host memory (NumPy, ...)."""
from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any, Iterable, Sequence

_TYPES = {"f2": "half", "f4": "float", "f8": "double", "i1": "signed char", "u1": "unsigned char",
          "i2": "short", "u2": "unsigned short", "i4": "int", "u4": "unsigned int",
          "i8": "long long", "u8": "unsigned long long", "b1": "bool"}
TYPE_LETTERS = {name: letters for letters, name in _TYPES.items()}  # NumPy's names
TORCH_TYPES = {"float16": "half", "bfloat16": "__nv_bfloat16", "float32": "float", "float64": "double",
          "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short",
          "int32": "int", "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long",
          "bool": "bool", "float8_e4m3fn": "__nv_fp8_e4m3", "float8_e5m2": "__nv_fp8_e5m2"}
NAMES = {name: theirs for theirs, name in TORCH_TYPES.items()}  # names in PyTorch and ml_dtypes
_DLPACK = {(0, 8): "signed char", (0, 16): "short", (0, 32): "int", (0, 64): "long long",
           (1, 8): "unsigned char", (1, 16): "unsigned short", (1, 32): "unsigned int",
           (1, 64): "unsigned long long", (2, 16): "half", (2, 32): "float", (2, 64): "double",
           (4, 16): "__nv_bfloat16", (6, 8): "bool"}


_FORMATS = {"e": "f2", "f": "f4", "d": "f8", "?": "b1"}  # of the buffer protocol


class DeviceArray:
    """The properties of an array. `type` and `device`, its GPU's number, are None if unknown. `stream` is the
    producer's, or None if there is nothing to wait for. `keep` must live until the launch."""

    def __init__(self, address: int, type: str | None, bytes: int, *, readonly: bool = False,
                 stream: int | None = None, keep: Any = None, on_host: bool = False,
                 device: int | None = None) -> None:
        self.address, self.type, self.bytes = address, type, bytes
        self.readonly, self.stream, self.keep = readonly, stream, keep
        self.on_host, self.device = on_host, device


def _is_contiguous(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    expected = itemsize
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length > 1 and stride != expected:
            return False
        expected *= length
    return True


def _product(shape: Iterable[int]) -> int:
    count = 1
    for length in shape:
        count *= length
    return count


@functools.lru_cache(maxsize=None)
def type_name(dtype: Any) -> str | None:
    """Returns the name of a framework's dtype in templates."""
    return TORCH_TYPES.get(str(dtype).rpartition(".")[2])


def _need_plain(tensor: Any) -> None:
    """Refuses lazy views, whose memory has the negated or conjugated values."""
    lazy = [name for name in ("conj", "neg") if getattr(tensor, f"is_{name}", bool)()]
    apart = not tensor.is_contiguous()
    found = ["not contiguous"] * apart + ["a lazily conjugated or negated view"] * bool(lazy)
    if found:
        remedy = "".join(f".resolve_{name}()" for name in lazy) + ".contiguous()" * apart
        raise TypeError(f"is {', and '.join(found)}; use {remedy}")


def _from_torch(tensor: Any) -> DeviceArray:
    if getattr(tensor, "is_meta", False):
        raise TypeError("is a meta tensor, which has no data")
    if not tensor.is_cuda:
        raise TypeError("is a tensor in host memory; move it to the GPU with .cuda()")
    _need_plain(tensor)
    device = tensor.get_device() if hasattr(tensor, "get_device") else None
    return DeviceArray(tensor.data_ptr(), type_name(tensor.dtype), tensor.numel() * tensor.element_size(),
                       keep=tensor, device=device)


def _from_interface(array: Any) -> DeviceArray:
    facts = array.__cuda_array_interface__
    typestr, shape, strides = facts["typestr"], facts["shape"], facts.get("strides")
    itemsize = int(typestr[2:])
    if typestr[0] == ">":
        raise TypeError("has another byte order than the GPU")
    if strides is not None and not _is_contiguous(shape, strides, itemsize):
        raise TypeError("is not contiguous in C order; copy it first")
    address, readonly = facts["data"]
    return DeviceArray(address or 0, _TYPES.get(typestr[1:]), _product(shape) * itemsize,
                       readonly=readonly, stream=facts.get("stream"), keep=array)


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int),
                ("ndim", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


def _from_dlpack(array: Any, stream: int) -> DeviceArray:
    device, ordinal = array.__dlpack_device__()
    if device not in (2, 3, 13):  # CUDA, pinned host, managed
        raise TypeError("is not in the GPU's memory")
    # DLPack's number for the legacy default stream is 1. The producer makes the stream wait.
    capsule = array.__dlpack__(stream=stream or 1) if device == 2 else array.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(get(capsule, b"dltensor"))
    shape = tensor.shape[:tensor.ndim]
    if tensor.strides and not _is_contiguous(shape, tensor.strides[:tensor.ndim], 1):
        raise TypeError("is not contiguous in C order; copy it first")
    return DeviceArray(tensor.data + tensor.byte_offset, _DLPACK.get((tensor.code, tensor.bits)),
                       _product(shape) * tensor.lanes * tensor.bits // 8, keep=(capsule, array),
                       device=ordinal if device == 2 else None)


def _element_type(view: memoryview) -> str | None:
    letter = view.format.lstrip("@=<")
    if letter[:1] in (">", "!"):
        raise TypeError("has another byte order than the GPU")
    if letter == "O":
        raise TypeError("has Python objects as elements")
    if letter in _FORMATS:
        return _TYPES[_FORMATS[letter]]
    if len(letter) == 1 and letter in "bhilqBHILQnN":
        return _TYPES[("i" if letter.islower() else "u") + str(view.itemsize)]
    return None


def _view_of_numpy(array: Any) -> tuple[memoryview, str | None]:
    """Views a NumPy array. The buffer protocol only shows bytes for types of ml_dtypes, such as bfloat16."""
    try:
        view = memoryview(array)
    except ValueError:
        name = TORCH_TYPES.get(array.dtype.name)
        if name is None:
            raise TypeError(f"has elements of type {array.dtype}, which templates do not support") from None
        return memoryview(array.view(f"V{array.itemsize}")), name
    return view, _element_type(view)


def _view_of_torch(tensor: Any) -> tuple[memoryview, str | None]:
    """Views a tensor without NumPy, which supports neither bfloat16 nor gradients."""
    _need_plain(tensor)
    memory: Any = (ctypes.c_char * (tensor.numel() * tensor.element_size())).from_address(tensor.data_ptr())
    memory.tensor = tensor  # must live as long as the view
    return memoryview(memory), type_name(tensor.dtype)


def host_view(value: Any) -> tuple[memoryview, str | None] | None:
    """Returns a memoryview of an array in host memory, and its element type in templates (None: unknown);
    None if the value is not an array."""
    if hasattr(value, "data_ptr") and getattr(value, "is_cuda", True) is False:
        return _view_of_torch(value)
    if hasattr(value, "__array__") and not hasattr(value, "__cuda_array_interface__"):
        array = value.__array__()
        return _view_of_numpy(array) if array.ndim else None
    try:
        view = memoryview(value)
    except TypeError:
        return None
    return (view, _element_type(view)) if view.ndim else None


def host_array(value: Any) -> DeviceArray | None:
    """Returns an array in host memory; None if the value is not one."""
    found = host_view(value)
    if found is None:
        return None
    view, kind = found
    if not view.c_contiguous:
        raise TypeError("is not contiguous in C order; copy it first")
    if view.readonly:  # ctypes cannot get its address
        kept: Any = (ctypes.c_char * max(view.nbytes, 1)).from_buffer_copy(view.tobytes() or b"\0")
    else:
        kept = (ctypes.c_char * view.nbytes).from_buffer(view)
    return DeviceArray(ctypes.addressof(kept), kind, view.nbytes, readonly=view.readonly, keep=kept,
                       on_host=True)


def device_array(value: Any, stream: int, on_host: bool) -> DeviceArray | None:
    """Returns a DeviceArray for an array, None for other values. The TypeError explains why an array cannot
    be used. `stream` will read it. `on_host`: arrays in host memory can be used."""
    found = host_array(value) if on_host and _is_on_host(value) else None
    if found is not None:
        return found
    if hasattr(value, "data_ptr") and hasattr(value, "is_cuda"):
        return _from_torch(value)
    if hasattr(value, "__cuda_array_interface__"):
        return _from_interface(value)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _from_dlpack(value, stream)
    return None


def _is_on_host(value: Any) -> bool:
    if hasattr(value, "is_cuda"):
        return not value.is_cuda
    if hasattr(value, "__cuda_array_interface__"):
        return False
    return not hasattr(value, "__dlpack_device__") or value.__dlpack_device__()[0] == 1


def stream_handle(stream: Any) -> int:
    """Returns the address of a stream: an integer, a stream of PyTorch, CuPy or Numba, or an object with
    __cuda_stream__."""
    if stream is None:
        return 0
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version_and_handle: Any = protocol() if callable(protocol) else protocol
        return int(version_and_handle[1])
    for name in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle) or 0)
    raise TypeError(f"{stream!r} is not a CUDA stream")


def current_stream(values: Iterable[Any]) -> int:
    """Returns the current stream of the arrays' framework; otherwise the legacy default stream."""
    for value in values:
        module = type(value).__module__.partition(".")[0]
        if module == "torch" and getattr(value, "is_cuda", False):
            return int(sys.modules["torch"].cuda.current_stream(value.device).cuda_stream)
        if module == "cupy":
            return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return 0
