"""The few calls of the CUDA driver that launching from Python needs: the current context, and one
stream waiting for another."""
import ctypes
import os

from ._library import NATIVE, Error

_drivers = {}


class Driver:
    def __init__(self, path):
        self.cuda = ctypes.CDLL(path)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            raise Error(-8, f"{name}: CUDA error {code}")

    def ensure_context(self, ordinal):
        """Makes the device's primary context current where this thread has none."""
        context = ctypes.c_void_p()
        self.call("cuCtxGetCurrent", ctypes.byref(context))
        if not context.value:
            device = ctypes.c_int()
            self.call("cuInit", 0)
            self.call("cuDeviceGet", ctypes.byref(device), ordinal)
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.call("cuCtxSetCurrent", context)

    def current_device(self):
        """The ordinal of the current context's device; None without a context."""
        context, device = ctypes.c_void_p(), ctypes.c_int()
        if self.cuda.cuInit(0) or self.cuda.cuCtxGetCurrent(ctypes.byref(context)) or not context.value:
            return None
        self.call("cuCtxGetDevice", ctypes.byref(device))
        return device.value

    def wait(self, stream, producer):
        """Lets `stream` wait for what `producer` has been given so far."""
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 2)  # without timing
        try:
            self.call("cuEventRecord", event, ctypes.c_void_p(producer))
            self.call("cuStreamWaitEvent", ctypes.c_void_p(stream), event, 0)
        finally:
            self.cuda.cuEventDestroy_v2(event)


def driver(name):
    """The driver that a tuner of that name uses ("cuda", "emu", "emu:PROFILE" or a library's path).
    Loading it here shares the copy that gputune has."""
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
            raise Error(-7, f"no CUDA driver: {error}") from None
    return _drivers[path]
