"""Loads libgputune and turns its failures into exceptions."""
import ctypes
import glob
import os
import sys
import sysconfig

from . import _abi

NATIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")
STATUSES = {value: name[len("GPUTUNE_"):] for name, value in vars(_abi).items()
            if name.startswith("GPUTUNE_E") and isinstance(value, int) and value < 0}


class Error(Exception):
    """A call failed. `status` is gputune_status's number, `name` its name ("ENOTFOUND")."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
        self.name = STATUSES.get(status, str(status))


def _offer_nvrtc():
    """NVRTC from this Python's wheels, where the library would not find it: no toolkit, and this
    interpreter is not the first on PATH."""
    if os.environ.get("GPUTUNE_NVRTC") or os.environ.get("CUDA_HOME") or os.path.isdir("/usr/local/cuda"):
        return
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *sys.path}:
        found = sorted(glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libnvrtc.so.1[0-9]")))
        if found:
            os.environ["GPUTUNE_NVRTC"] = found[-1]
            return


def _load():
    path = os.environ.get("GPUTUNE_LIBRARY") or os.path.join(NATIVE, "libgputune.so.0")
    library = ctypes.CDLL(path if os.path.exists(path) else "libgputune.so.0")
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_offer_nvrtc()
library = _load()


def check(status):
    """Raises Error for a negative status; returns the others."""
    if status < 0:
        raise Error(status, library.gputune_error().decode())
    return status


def text(value):
    """A C string as str; None where it is NULL."""
    return None if value is None else value.decode()


def encoded(value):
    """A str or path for C; None stays None."""
    return None if value is None else os.fsencode(value)


def as_dict(struct):
    """A struct as a dict: strings decoded, arrays as tuples, without version and pointers."""
    out = {}
    for name, kind in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, bytes) or kind is ctypes.c_char_p:
            out[name] = text(value)
        elif isinstance(value, ctypes.Array):
            out[name] = tuple(value)
        elif name != "version" and isinstance(value, (int, float, bool)):
            out[name] = value
    return out


def iterate(call):
    """Collects as dicts what `call` hands to the C callback that it gets; exceptions come through."""
    found, thrown = [], []

    def each(_, item):
        try:
            found.append(as_dict(item.contents))
            return 0
        except BaseException as error:  # must not pass through C
            thrown.append(error)
            return 1

    status = call(each)
    if thrown:
        raise thrown[0]
    check(status)
    return found
