"""The CUDA driver calls for launches from Python: the current context, waits between streams, and host memory
that a kernel may use."""
from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from typing import Any, Iterable, Iterator

from . import _abi, _fast
from ._errors import failure
from ._library import NATIVE

_drivers: dict[str, Driver] = {}
_registering = threading.Lock()


class Driver:
    def __init__(self, path: str) -> None:
        self.cuda = ctypes.CDLL(path)

    def call(self, name: str, *arguments: Any) -> None:
        code = getattr(self.cuda, name)(*arguments)
        if code:
            raise failure(_abi.GPUTUNE_ECUDA, f"{name}: CUDA error {code}")

    def ensure_context(self, ordinal: int) -> None:
        """Makes the device's primary context current if this thread has no context."""
        context = ctypes.c_void_p()
        self.call("cuCtxGetCurrent", ctypes.byref(context))
        if not context.value:
            device = ctypes.c_int()
            self.call("cuInit", 0)
            self.call("cuDeviceGet", ctypes.byref(device), ordinal)
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.call("cuCtxSetCurrent", context)

    def current_context(self) -> ctypes.c_void_p:
        context = ctypes.c_void_p()
        self.call("cuCtxGetCurrent", ctypes.byref(context))
        return context

    def current_device(self) -> int | None:
        """Returns the ordinal of the current context's device; None without a context."""
        context, device = ctypes.c_void_p(), ctypes.c_int()
        if self.cuda.cuInit(0) or self.cuda.cuCtxGetCurrent(ctypes.byref(context)) or not context.value:
            return None
        self.call("cuCtxGetDevice", ctypes.byref(device))
        return device.value

    def keep_answers(self, ordinal: int, answers: Any) -> None:
        """Enables the fast path for calls on this device, which only queries the current device."""
        _fast.keep_answers(ordinal, answers, _fast.address_of(self.cuda.cuCtxGetCurrent),
                           _fast.address_of(self.cuda.cuCtxGetDevice))

    @contextlib.contextmanager
    def registered(self, spans: Iterable[tuple[int, int]]) -> Iterator[None]:
        """Lets kernels use host memory, given as addresses and sizes, inside the `with` block. Waits for them
        at its end."""
        with _registering:  # two launches may use the same array
            done: list[int] = []
            try:
                for address, size in _merged(spans):
                    self.call("cuMemHostRegister_v2", ctypes.c_void_p(address), ctypes.c_size_t(size), 0)
                    done.append(address)
                yield
            finally:
                for address in done:
                    self.cuda.cuMemHostUnregister(ctypes.c_void_p(address))

    @contextlib.contextmanager
    def copied(self, arrays: Iterable[Any]) -> Iterator[list[DeviceCopy]]:
        """Copies NumPy arrays to the device for the `with` block."""
        copies: list[DeviceCopy] = []
        try:
            for array in arrays:
                copies.append(DeviceCopy(self, array))
            yield copies
        finally:
            for copy in copies:
                self.cuda.cuMemFree_v2(ctypes.c_void_p(copy.address))

    def wait(self, stream: int, producer: int) -> None:
        """Makes `stream` wait for the work submitted to `producer` so far."""
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 2)  # without timing
        try:
            self.call("cuEventRecord", event, ctypes.c_void_p(producer))
            self.call("cuStreamWaitEvent", ctypes.c_void_p(stream), event, 0)
        finally:
            self.cuda.cuEventDestroy_v2(event)


class DeviceCopy:
    """A copy of a NumPy array, contiguous in any order, on the device."""

    def __init__(self, driver: Driver, array: Any) -> None:
        self._driver, self._array = driver, array
        address = ctypes.c_uint64()
        driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(array.nbytes, 1)))
        self.address = address.value
        self.restore()

    def restore(self) -> None:
        """Copies the array's elements again."""
        self._driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address),
                          ctypes.c_void_p(self._array.ctypes.data), ctypes.c_size_t(self._array.nbytes))

    def read(self) -> Any:
        """Returns the current contents as a new array, after launched kernels have ended."""
        out = self._array.copy(order="K")
        self._driver.call("cuCtxSynchronize")
        self._driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(out.ctypes.data), ctypes.c_uint64(self.address),
                          ctypes.c_size_t(out.nbytes))
        return out


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merges overlapping ranges, because views of one array may share bytes."""
    merged: list[tuple[int, int]] = []
    for address, size in sorted(span for span in spans if span[1]):
        last, length = merged[-1] if merged else (0, 0)
        if merged and address < last + length:
            merged[-1] = last, max(length, address + size - last)
        else:
            merged.append((address, size))
    return merged


def driver(name: str) -> Driver:
    """Returns the driver with that name ("cuda", "emu", "emu:PROFILE" or a library's path). It shares the
    library that gputune has loaded."""
    if name.split(":")[0] == "emu":
        given = os.environ.get("GPUTUNE_EMULATOR")
        if given and os.path.isdir(given):
            given = os.path.join(given, "libgputune-emu.so")
        path = given or os.path.join(NATIVE, "libgputune-emu.so")
    else:
        path = "libcuda.so.1" if name == "cuda" else name
    if path not in _drivers:
        try:
            _drivers[path] = Driver(path)
        except OSError as error:
            raise failure(_abi.GPUTUNE_ENODRIVER, f"no CUDA driver: {error}") from None
    return _drivers[path]
