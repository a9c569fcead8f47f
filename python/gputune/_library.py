"""Loads libgputune, calls it, and raises exceptions for its failures."""
from __future__ import annotations

import contextlib
import ctypes
import glob
import os
import sys
import sysconfig
import threading
from typing import Any, Callable, Iterator

from . import _abi
from ._errors import failure

NATIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native")


def _offer_nvrtc() -> None:
    """Offers NVRTC from this Python's wheels if the library would not find it: there is no toolkit, and this
    interpreter is not the first one on PATH."""
    if os.environ.get("GPUTUNE_NVRTC") or os.environ.get("CUDA_HOME") or os.path.isdir("/usr/local/cuda"):
        return
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *sys.path}:
        found = sorted(glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libnvrtc.so.1[0-9]")))
        if found:
            os.environ["GPUTUNE_NVRTC"] = found[-1]
            return


def _load() -> ctypes.CDLL:
    path = os.environ.get("GPUTUNE_LIBRARY") or os.path.join(NATIVE, "libgputune.so.1")
    path = path if os.path.exists(path) else "libgputune.so.1"
    try:
        loaded = ctypes.CDLL(path)
        for name, (result, arguments) in _abi.FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:  # missing, or older
        raise ImportError(f"gputune's library cannot be used: {error}; expected the library built with "
                          "this package, in its folder `native` or at the path in GPUTUNE_LIBRARY: run "
                          "`pip install .` at the top of gputune's source tree") from None
    return loaded


_offer_nvrtc()
library = _load()


def check(status: int) -> int:
    """Raises an exception for a negative status; returns other values."""
    if status < 0:
        raise failure(status, text(library.gputune_error()))
    return status


def text(value: bytes | None) -> Any:
    """Converts a C string to a str, which may contain a path that is not UTF-8; NULL to None."""
    return None if value is None else value.decode(errors="surrogateescape")


def encoded(what: str, value: Any) -> bytes | None:
    """Converts a str or path for C; None stays None."""
    if value is None:
        return None
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} is {value!r}; expected a str or a path")
    out = os.fsencode(value)
    if b"\0" in out:
        raise ValueError(f"{what} is {value!r}, which has a NUL")
    return out


def as_dict(struct: Any) -> dict[str, Any]:
    """Converts a struct to a dict: strings decoded, arrays as tuples, without size and pointers."""
    out: dict[str, Any] = {}
    for name, kind in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, bytes) or kind is ctypes.c_char_p:
            out[name] = text(value)
        elif isinstance(value, ctypes.Array):
            out[name] = tuple(value)
        elif name != "size" and isinstance(value, (int, float, bool)):
            out[name] = value
    return out


# call: the Interrupt of the call that runs on this thread; tuners: those that call back on it, innermost last
_here = threading.local()


@contextlib.contextmanager
def calling(tuner: Any) -> Iterator[None]:
    """In `with`, this thread runs a call or a callback of a tuner, which is given as its pointer."""
    tuners = _here.__dict__.setdefault("tuners", [])
    tuners.append(tuner)
    try:
        yield
    finally:
        tuners.pop()


def is_calling(tuner: Any) -> bool:
    return any(one is tuner for one in getattr(_here, "tuners", ()))


class Interrupt:
    """Stops a call: holds the `cancel` flag of gputune_options, and an exception from a callback."""

    def __init__(self, cancel: Any = None) -> None:
        self.flag = ctypes.c_int(0)  # also set by an exception, which must not end other calls
        self._cancel = cancel
        self.thrown: list[BaseException] = []
        self.reference: Callable[..., Any] | None = None

    def guarded(self, function: Callable[..., Any], failed: Any) -> Callable[..., Any]:
        """Wraps a function for C: an exception stops the call instead of passing through C, and the function
        then returns `failed`."""
        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as error:
                self.thrown.append(error)
                self.flag.value = 1
                return failed
        return call

    def run(self, call: Callable[[], int]) -> None:
        """Calls C. The main thread does so on another thread, because it receives Ctrl-C, and then stops the
        call. Raises the exception of the call or a callback, or the failure."""
        if self._cancel:
            self._cancel.flags.append(self.flag)
            if self._cancel.is_set():
                self.flag.value = 1
        try:
            if threading.current_thread() is threading.main_thread():
                self._run_apart(call)
            else:
                self._finish(self._begin(call), "")
        finally:
            if self._cancel:
                self._cancel.flags.remove(self.flag)

    def _begin(self, call: Callable[[], int]) -> int:
        outer = getattr(_here, "call", None)
        _here.call = self
        try:
            return call()
        finally:
            _here.call = outer

    def _run_apart(self, call: Callable[[], int]) -> None:
        answers: list[tuple[int, str]] = []
        ended = threading.Event()  # Thread.join() may return at once after an interrupted join

        def work() -> None:
            try:
                status = self._begin(call)
                answers.append((status, text(library.gputune_error()) if status < 0 else ""))
            except BaseException as error:
                self.thrown.append(error)
            finally:
                ended.set()

        threading.Thread(target=work, name="gputune").start()
        interrupt: BaseException | None = None
        while not ended.is_set():
            try:
                ended.wait()
            except BaseException as error:  # raised by a signal handler
                self.flag.value = 1
                interrupt = interrupt or error
        if interrupt:
            raise interrupt
        self._finish(*answers[0] if answers else (0, ""))

    def _finish(self, status: int, message: str) -> None:
        if self.thrown:
            raise self.thrown[0]
        if status < 0:
            raise failure(status, message or text(library.gputune_error()))


def refer(*given: Any) -> Any:
    """Calls the reference of the call that runs on this thread."""
    return _here.call.reference(*given)


def collect(found: list[dict[str, Any]]) -> Callable[[Any, Any], int]:
    """Makes a function for a C callback that appends its structs to a list, as dicts."""
    def each(_: Any, item: Any) -> int:
        found.append(as_dict(item.contents))
        return 0
    return each


def iterate(call: Callable[[Any], int]) -> list[dict[str, Any]]:
    """Collects the structs that `call` passes to its callback, as dicts."""
    found: list[dict[str, Any]] = []
    stop = Interrupt()
    status = call(stop.guarded(collect(found), 1))
    if stop.thrown:
        raise stop.thrown[0]
    check(status)
    return found
