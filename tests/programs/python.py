"""The Python package on the emulator, with arrays of its memory. Ends with "N passed, N failed"."""
import ctypes
import os
import struct
import sys
import tempfile
import threading
import traceback

import gputune
from gputune import _arrays, _driver

N = 1000
cuda = _driver.driver("emu").cuda
tests, failed = [], 0


def test(function):
    tests.append(function)
    return function


def raises(kind, part, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert part in str(error), f"{error!r} lacks {part!r}"
        return error
    raise AssertionError(f"no {kind.__name__}")


class Memory:
    """Floats on the emulated device."""

    def __init__(self, count=N, value=1.0, code="f", itemsize=4):
        self.count, self.code, self.itemsize = count, code, itemsize
        self.address = ctypes.c_void_p()
        _driver.driver("emu").ensure_context(0)
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(count * itemsize)) == 0
        self.fill(value)

    def fill(self, value):
        data = struct.pack(f"<{self.count}{self.code}", *[value] * self.count)
        assert cuda.cuMemcpyHtoD_v2(self.address, data, ctypes.c_size_t(len(data))) == 0

    def read(self):
        data = ctypes.create_string_buffer(self.count * self.itemsize)
        assert cuda.cuCtxSynchronize() == 0
        assert cuda.cuMemcpyDtoH_v2(data, self.address, ctypes.c_size_t(len(data))) == 0
        return list(struct.unpack(f"<{self.count}{self.code}", data.raw))


class Interface(Memory):
    """As CuPy and Numba show their arrays."""
    typestr, strides, readonly, stream = "<f4", None, False, None

    @property
    def __cuda_array_interface__(self):
        return {"shape": (self.count,), "typestr": self.typestr, "data": (self.address.value, self.readonly),
                "strides": self.strides, "version": 3, "stream": self.stream}


class Tensor(Memory):
    """As PyTorch's tensors look."""
    is_cuda, dtype, contiguous = True, "torch.float32", True

    def data_ptr(self):
        return self.address.value

    def is_contiguous(self):
        return self.contiguous

    def numel(self):
        return self.count

    def element_size(self):
        return self.itemsize


class Dlpack(Memory):
    device = 2

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, stream=None):
        self.asked = stream
        self.shape = (ctypes.c_int64 * 1)(self.count)
        self.tensor = _arrays._Tensor(self.address.value, 2, 0, 1, 2, 32, 1, self.shape, None, 0)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


class Bfloat(Memory):
    def __init__(self, count):
        super().__init__(count, 0, "H", 2)


def plan():
    return gputune.tune("axpy", n=N, effort="cached")


@test
def arrays_of_every_kind():
    axpy = plan()
    for kind in (Interface, Tensor, Dlpack):
        y, x = kind(), kind()
        axpy(y, x, 2.0, N)
        assert y.read() == [3.0] * N, kind
    y, x = Memory(), Memory()
    axpy(y.address.value, x.address.value, 2, N)
    assert y.read() == [3.0] * N


@test
def streams():
    axpy, y, x = plan(), Interface(), Interface()
    stream = ctypes.c_void_p()
    assert cuda.cuStreamCreate(ctypes.byref(stream), 1) == 0

    class Torch:
        cuda_stream = stream.value

    class Cupy:
        ptr = stream.value

    class Numba:
        handle = stream

    class Protocol:
        def __cuda_stream__(self):
            return 0, stream.value

    for one in (stream.value, Torch(), Cupy(), Numba(), Protocol(), 0):
        axpy(y, x, 1.0, N, stream=one)
        assert cuda.cuStreamSynchronize(stream) == 0
    assert y.read() == [7.0] * N
    y.stream = stream.value  # the launch on the default stream waits for it
    axpy(y, x, 1.0, N)
    assert y.read() == [8.0] * N
    dl = Dlpack()
    axpy(dl, x, 1.0, N, stream=stream.value)
    assert dl.asked == stream.value
    raises(TypeError, "no CUDA stream", axpy, y, x, 1.0, N, stream="x")
    cuda.cuStreamDestroy_v2(stream)


@test
def arguments_that_do_not_fit():
    axpy, y, x = plan(), Interface(), Interface()
    other = Interface()
    other.typestr = "<f8"
    raises(TypeError, "argument 1 (float *y) has elements of type double", axpy, other, x, 2.0, N)
    other.typestr, other.strides = "<f4", (8,)
    raises(TypeError, "not contiguous", axpy, other, x, 2.0, N)
    other.strides, other.readonly = None, True
    raises(TypeError, "read-only", axpy, other, x, 2.0, N)
    axpy(y, other, 2.0, N)  # reading is allowed
    raises(TypeError, "argument 2 (float *x) has 40 bytes; the plan is for 4000", axpy, y, Interface(10), 2.0, N)
    raises(TypeError, "is a list", axpy, [1.0], x, 2.0, N)
    raises(TypeError, "argument 4 (unsigned long long n) is -1", axpy, y, x, 2.0, -1)
    raises(TypeError, "argument 4", axpy, y, x, 2.0, 1000.5)
    raises(TypeError, "argument 3", axpy, y, x, "a", N)
    host = Tensor()
    host.is_cuda = False
    raises(TypeError, "host memory", axpy, host, x, 2.0, N)
    error = raises(gputune.Error, "999", axpy, y, x, 2.0, 999)
    assert error.name == "EINVAL"
    raises(gputune.Error, "", axpy, y, x, 2.0)
    assert y.read() == [3.0] * N


@test
def blocks_in_host_memory():
    values = list(range(8))
    for variant in ("value", "split", "constant", "global"):
        total = Memory(1, 0, "i")
        one = gputune.tune("paramsum", COUNT=8, effort="cached", only=[f"values={variant}"])
        one(values, total.address.value)
        assert total.read() == [28], variant
        one((ctypes.c_int * 8)(*values), total.address.value)
        assert total.read() == [28], variant
    raises(TypeError, "argument 1", one, [1.5], total.address.value)


@test
def a_template_of_ones_own():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scale.cu")
        with open(path, "w") as file:
            file.write("""#pragma gputune kernel(scale)
#pragma gputune problem(n = 1 << 10)
#pragma gputune args(inout half y[n], half a = 2, bool twice = 1, size_t n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BLOCK = 64)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#include <cuda_fp16.h>
__global__ void scale(half *y, half a, bool twice, size_t n)
{
    size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
    if (i < n) {
        y[i] = __float2half(__half2float(y[i]) * __half2float(a) * (twice ? 2 : 1));
    }
}
""")
        scale = gputune.tune(path, n=N, effort="cached")
        y = Interface(N, 1.5, "e", 2)
        y.typestr = "<f2"
        scale(y, 2.0, True, N)
        assert y.read() == [6.0] * N


@test
def tuning_and_what_is_known_then():
    axpy = gputune.tune("axpy", n=64, only=["BLOCK=128,256", "UNROLL=1"], time_limit=30)
    info = axpy.info
    assert info["source"] in ("measured", "cached") and info["objective"] == "kernel", info
    assert len(info["grid"]) == 3 and info["block"][0] in (128, 256)
    assert "axpy" in repr(axpy)
    winners = gputune.records()
    assert [w["kernel"] for w in winners] == ["axpy"] and winners[0]["is_winner"], winners
    assert winners[0]["objective"] == "kernel" and winners[0]["median_ns"] > 0
    assert len(gputune.records("axpy", all=True)) > 1
    assert gputune.records("nothing") == []
    assert "axpy" in [k["name"] for k in gputune.kernels()]


@test
def failures():
    error = raises(gputune.Error, "nosuch", gputune.tune, "nosuch")
    assert error.name == "ENOTFOUND" and error.status < 0
    raises(gputune.Error, "m", gputune.tune, "axpy", m=3)
    raises(ValueError, "effort is 'much'; expected one of cached", gputune.tune, "axpy", effort="much")
    try:
        import pandas  # noqa: F401
    except ImportError:
        raises(ImportError, "pandas", gputune.records, frame=True)
    raises(gputune.Error, "", gputune.open, driver="/none/libcuda.so.1")


@test
def tuners_and_threads():
    lines = []
    with gputune.open(database=":memory:", log=lambda level, line: lines.append(line)) as tuner:
        assert tuner.records() == [] and tuner.device["emulated"]
        axpy = tuner.tune("axpy", n=N, effort="cached", sizes={})
    y, x = Interface(), Interface()
    axpy(y, x, 2.0, N)  # a plan outlives its tuner

    def launch():
        for _ in range(10):
            axpy(y, x, 0.0, N)

    threads = [threading.Thread(target=launch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert y.read() == [3.0] * N


for one in tests:
    try:
        one()
    except Exception:
        failed += 1
        print(f"{one.__name__}:")
        traceback.print_exc(file=sys.stdout)
print(f"{len(tests) - failed} passed, {failed} failed")
sys.exit(failed != 0)
