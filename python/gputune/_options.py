"""Options of a tuning: inputs, references, cancellation, progress."""
from __future__ import annotations

import ctypes
import importlib
import itertools
import os
import sys
import weakref
from typing import Any, Callable, Iterable, Mapping

from . import _abi
from ._arrays import NAMES, TYPE_LETTERS, DeviceArray, current_stream, device_array, host_array
from ._library import Interrupt, as_dict, encoded, refer, text

Progress = Callable[["dict[str, Any]"], object]
Reference = Callable[..., object]


class Cancel:
    """Cancels the calls that get it (tune(cancel=...)), from any thread. Finished results are kept."""

    def __init__(self) -> None:
        self.flags: list[ctypes.c_int] = []  # of the calls that run
        self._is_set = False

    def set(self) -> None:
        self._is_set = True
        for flag in list(self.flags):
            flag.value = 1

    def is_set(self) -> bool:
        return self._is_set


# --- inputs ------------------------------------------------------------------------------------------

def _host_array(name: str, value: Any) -> DeviceArray | None:
    try:
        return host_array(value)
    except TypeError as error:
        raise TypeError(f"input {name} {error}") from None


def _wait(name: str, driver: Any, streams: Iterable[int]) -> None:
    if driver is None:
        raise TypeError(f"input {name} is on a GPU; this tuner has none")
    for one in streams:
        driver.call("cuStreamSynchronize", ctypes.c_void_p(one))


def inputs(given: Mapping[str, Any] | None, driver: Any) -> tuple[dict[str, Any], list[Any]]:
    """Makes members of gputune_options from arrays on host or GPU and paths of .npy files, by argument, and
    the objects that they point to."""
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"inputs is {given!r}; expected a dict of arrays and paths by argument")
    items, types, files, kept = [], [], [], []
    for name, value in (given or {}).items():
        if not isinstance(name, str):
            raise TypeError(f"inputs has {name!r}; expected an argument's name")
        if isinstance(value, (str, os.PathLike)):
            files.append(_abi.gputune_file(name.encode(), encoded(name, value)))
            continue
        on_gpu = hasattr(value, "__cuda_array_interface__") or getattr(value, "is_cuda", False)
        stream, array = 0, None if on_gpu else _host_array(name, value)
        if array is None:
            stream = current_stream([value])
            array = device_array(value, stream, False)
        if array is None:
            raise TypeError(f"input {name} is a {type(value).__name__}; expected an array or a path")
        if not array.on_host:
            _wait(name, driver, {stream, stream if array.stream is None else array.stream})
        items.append(_abi.gputune_input(name.encode(), array.address, array.bytes, array.on_host))
        types.append(array.type.encode() if array.type else None)
        kept.append(array)
    made = (_abi.gputune_input * max(len(items), 1))(*items)
    named = (_abi.gputune_file * max(len(files), 1))(*files)
    words = (ctypes.c_char_p * max(len(items), 1))(*types)
    return ({"inputs": made, "input_count": len(items), "input_types": words, "files": named,
             "file_count": len(files)}, [made, words, named, kept])


# --- a reference -------------------------------------------------------------------------------------

def _of_ml_dtypes(name: str) -> Any:
    """Returns the NumPy type for types of ml_dtypes, such as bfloat16; None without it."""
    try:
        return getattr(importlib.import_module("ml_dtypes"), NAMES.get(name, ""), None)
    except ImportError:
        return None


def _value(numpy: Any, item: Any) -> Any:
    """Returns an argument on the host: a NumPy array over its elements, or a scalar."""
    name = text(item.type)
    letters = TYPE_LETTERS.get(name)
    kind = letters or _of_ml_dtypes(name) or f"V{item.element_bytes or item.bytes}"
    array = numpy.frombuffer((ctypes.c_char * item.bytes).from_address(item.data), numpy.dtype(kind))
    if not item.element_bytes:
        return array[0].item() if letters else array[0]
    array.flags.writeable = bool(item.is_output)
    return array


_known: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_numbers = itertools.count(1)


def identity(function: Reference) -> int:
    """Returns a number for a function. gputune gets it as `user`, and so distinguishes references."""
    try:
        return _known.setdefault(function, next(_numbers))
    except TypeError:  # no weak references, or no hash
        return next(_numbers)


# One C function for all references, because a new one for each call would look like another reference.
_refer: Any = _abi.gputune_reference_fn(refer)


def reference(function: Reference, stop: Interrupt) -> Any:
    """Makes a function of the sizes and the kernel's arguments the reference of a call, and returns the C
    function that calls it."""
    numpy = importlib.import_module("numpy")

    def call(_: Any, sizes: Any, items: Any, count: int) -> int:
        named = {text(one.name): one.value for one in sizes.items[:sizes.count]}
        function(named, *(_value(numpy, item) for item in items[:count]))
        return 0
    stop.reference = stop.guarded(call, 1)
    return _refer


# --- progress ----------------------------------------------------------------------------------------

class Bar:
    """A progress bar: tqdm's if installed, also in notebooks; otherwise a line on stderr."""

    def __init__(self, kernel: str) -> None:
        self._kernel, self._width = kernel, 0
        self._bar: Any = None
        try:
            self._bars: Any = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            self._bars = None

    def __call__(self, progress: dict[str, Any]) -> None:
        done = progress["verified"] + progress["failed"]
        best = f"{progress['best_ns'] / 1000:.4g} us" if progress["best_ns"] else ""
        if self._bars:
            self._bar = self._bar or self._bars(total=progress["variants"], desc=self._kernel, unit="variant")
            self._bar.total = progress["variants"]
            self._bar.update(done - self._bar.n)
            self._bar.set_postfix(phase=progress["phase"], best=best)
            return
        line = f"{self._kernel}: {done}/{progress['variants']} variants, {progress['phase']}"
        line += f", best {best}" if best else ""
        sys.stderr.write(f"\r{line:<{self._width}}")
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        if self._bar:
            self._bar.close()
        elif self._width:
            sys.stderr.write("\n")


def progress(shown: Progress, stop: Interrupt) -> Any:
    """Makes a progress function for C, from a function of a dict."""
    return _abi.gputune_progress_fn(stop.guarded(lambda _, item: shown(as_dict(item.contents)), None))
