"""Tests the Python package on the emulator, with arrays in its memory. Ends with "N passed, N failed".

python.py again: omits the tests of tuning, which do not depend on the extension module."""
import array
import copy
import ctypes
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import types

os.environ["GPUTUNE_EMU_DEVICES"] = "h200,h200"
import gputune
from gputune import _abi, _arrays, _driver
from gputune._library import library
from harness import raises, run, test

N = 1000
cuda = _driver.driver("emu").cuda
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def test_tuning(function):
    return function if "again" in sys.argv else test(function)


class Memory:
    """An array of floats on the emulated device."""

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
    """An array with the interface of arrays of CuPy and Numba."""
    typestr, strides, readonly, stream = "<f4", None, False, None

    @property
    def __cuda_array_interface__(self):
        return {"shape": (self.count,), "typestr": self.typestr, "data": (self.address.value, self.readonly),
                "strides": self.strides, "version": 3, "stream": self.stream}


class Tensor(Memory):
    """An array with the interface of a PyTorch tensor."""
    is_cuda, dtype, contiguous, negative, ordinal = True, "torch.float32", True, False, 0

    def get_device(self):
        return self.ordinal

    def data_ptr(self):
        return self.address.value

    def is_contiguous(self):
        return self.contiguous

    def is_neg(self):
        return self.negative

    def numel(self):
        return self.count

    def element_size(self):
        return self.itemsize


class Exchanged(Tensor):
    """A tensor as in PyTorch 2.10 or later: one call of DLPack's exchange describes it."""
    device, order, stream, api = 2, 1, 0, (ctypes.c_uint64 * 7)()
    described = 0

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_arrays._Tensor))
    def describe(self, out):
        Exchanged.described += 1
        self.shape, self.strides = (ctypes.c_int64 * 2)(2, self.count // 2), (ctypes.c_int64 * 2)(self.count // 2, self.order)
        out[0] = _arrays._Tensor(self.address.value - 8, self.device, self.ordinal, 2, 2, 8 * self.itemsize, 1, self.shape, self.strides, 8)
        return 0

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
    def current(_kind, _device, out):
        out[0] = Exchanged.stream
        return 0


def exchange_begins():
    api = Exchanged.api
    api[0], api[5], api[6] = 1 | 3 << 32, *(ctypes.cast(one, ctypes.c_void_p).value for one in (Exchanged.describe, Exchanged.current))
    Exchanged.__dlpack_c_exchange_api__ = capsule(ctypes.addressof(api), b"dlpack_exchange_api", None)


exchange_begins()


class Dlpack(Memory):
    device, ordinal = 2, 0

    def __dlpack_device__(self):
        return self.device, self.ordinal

    def __dlpack__(self, stream=None):
        self.asked = stream
        self.shape = (ctypes.c_int64 * 1)(self.count)
        self.tensor = _arrays._Tensor(self.address.value, 2, 0, 1, 2, 32, 1, self.shape, None, 0)
        return capsule(ctypes.addressof(self.tensor), b"dltensor", None)


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
    for kind in (Tensor, Exchanged, Dlpack):
        y, x = kind(), kind()
        x.ordinal = 1
        raises(TypeError, "argument 2 (float *x) is on GPU 1; the plan is for GPU 0", axpy, y, x, 2.0, N)
    y, x = Memory(), Memory()
    axpy(y.address.value, x.address.value, 2, N)
    assert y.read() == [3.0] * N


@test
def threads_ask_for_a_plan_and_launch_it():
    axpy, wrong = plan(), []

    def work(a):
        y, x = Tensor(), Tensor()
        for _ in range(20):
            axpy(y, x, a, N)
            plan()(y, x, a, N)
        if y.read() != [1.0 + 40 * a] * N:
            wrong.append(a)

    threads = [threading.Thread(target=work, args=(float(a),)) for a in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


@test
def what_needs_a_closer_look_is_refused_as_ever():
    axpy, y, x = plan(), Tensor(), Tensor()
    numpy_like = type("Number", (), {"item": lambda self: N, "__float__": lambda self: 2.0})()
    axpy(y, x, numpy_like, numpy_like)
    assert y.read() == [3.0] * N
    apart = Tensor()
    apart.contiguous = False
    raises(TypeError, "argument 1 (float *y) is not contiguous", axpy, apart, x, 2.0, N)
    raises(TypeError, "argument 2 (float *x) has 16 bytes", axpy, y, Tensor(4), 2.0, N)
    raises(TypeError, "argument 3 (float a)", axpy, y, x, "2", N)
    raises(TypeError, "argument 3 (float a)", axpy, y, x, 1e300, N)
    raises(TypeError, "does not fit", axpy, y, x, 2.0, -1)
    raises(gputune.InvalidError, "overlaps", axpy, y, y, 2.0, N)


@test
def dlpacks_exchange_describes_an_array():
    Exchanged.described = 0
    axpy, y, x = plan(), Exchanged(), Exchanged()
    stream = ctypes.c_void_p()
    assert cuda.cuStreamCreate(ctypes.byref(stream), 1) == 0
    axpy(y, x, 2.0, N)
    Exchanged.stream = stream.value
    axpy(y, x, 1.0, N)
    assert cuda.cuStreamSynchronize(stream) == 0
    Exchanged.stream = 0
    assert y.read() == [4.0] * N
    if gputune._fast.Launched.__module__ == "gputune._native":
        assert Exchanged.described == 6  # for each array, and for the first one's stream
        y.is_contiguous = y.data_ptr = y.numel = None  # never called
        axpy(y, x, 1.0, N)
        del y.is_contiguous, y.data_ptr, y.numel
    apart, wide = Exchanged(), Exchanged(itemsize=8, code="d")
    apart.order, apart.contiguous, wide.dtype = 2, False, "torch.float64"
    raises(TypeError, "argument 1 (float *y) is not contiguous", axpy, apart, x, 2.0, N)
    raises(TypeError, "argument 1 (float *y) has elements of type double", axpy, wide, x, 2.0, N)
    raises(TypeError, "argument 2 (float *x) has 16 bytes", axpy, y, Exchanged(4), 2.0, N)
    assert cuda.cuStreamDestroy_v2(stream) == 0


@test
def lazy_negatives_are_refused():
    axpy = plan()
    for kind in (Tensor, Exchanged):
        y, negative = kind(), kind()
        axpy(y, negative, 2.0, N)
        negative.negative = True
        raises(TypeError, "argument 2 (float *x) is a lazily conjugated or negated view; use .resolve_neg()",
               axpy, y, negative, 2.0, N)
        negative.contiguous, negative.order = False, 2
        raises(TypeError, "is not contiguous, and a lazily conjugated or negated view; "
               "use .resolve_neg().contiguous()", axpy, y, negative, 2.0, N)
        assert y.read() == [3.0] * N
        negative.is_neg = lambda: signal.default_int_handler(2, None)
        raises(KeyboardInterrupt, "", axpy, y, negative, 2.0, N)


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
    raises(TypeError, "not a CUDA stream", axpy, y, x, 1.0, N, stream="x")
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
    raises(TypeError, "host memory", _arrays.device_array, host, 0, False)  # as on a GPU
    error = raises(gputune.Error, "999", axpy, y, x, 2.0, 999)
    assert error.name == "EINVAL"
    raises(TypeError, "axpy takes 4 arguments (y, x, a, n); got 3", axpy, y, x, 2.0)
    raises(TypeError, "argument 3 (float a) is '2'; the template has a number", axpy, y, x, "2", N)
    raises(TypeError, "argument 3 (float a) is 1e+300, which", axpy, y, x, 1e300, N)
    raises(TypeError, "argument 4 (unsigned long long n) is '7'; the template has an integer",
           axpy, y, x, 2.0, "7")
    raises(TypeError, "is not an address", axpy, 1 << 64, x, 2.0, N)
    raises(TypeError, "argument 2 (float *x) is 0, which is not an address", axpy, y, 0, 2.0, N)
    for kind in (Tensor, Exchanged, Interface):
        without = kind()
        without.address = types.SimpleNamespace(value=0)  # a fake tensor of torch.compile
        raises(TypeError, "argument 2 (float *x) has no data", axpy, y, without, 2.0, N)
    meta, conjugated = Tensor(), Tensor()
    meta.is_cuda, meta.is_meta, conjugated.is_conj = False, True, lambda: True
    raises(TypeError, "is a meta tensor", _arrays.device_array, meta, 0, False)
    raises(TypeError, "use .resolve_conj()", _arrays.device_array, conjugated, 0, False)
    raises(TypeError, "argument", axpy, y=y, x=x, a=2.0, n=N)
    assert [one["kind"] for one in axpy.arguments] == ["buffer", "buffer", "scalar", "scalar"]
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
        raises(TypeError, "argument 1 (int values) has 3 elements; the template has 8", one, values[:3],
               total.address.value)
        raises(TypeError, "argument 1 (int values) is 1.5", one, [1.5] * 8, total.address.value)
        raises(TypeError, "has elements of type float; the template has int", one,
               array.array("f", values), total.address.value)
        raises(TypeError, "has 12 bytes; the template has 32", one, (ctypes.c_int * 3)(),
               total.address.value)


@test
def constants_have_the_templates_type():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "arguments", "blocks.cu")
    step = struct.pack("<3fi?3x", 0, 0, 0, 1, False)
    y, x, table = Interface(3000, 0), Interface(3000, 0), [0] * 600
    for variant in ("value", "constant", "global"):
        blocks = gputune.tune(path, n=3000, effort="cached", only=[f"s={variant}"])
        for bias in (list(range(16)), [float(i) for i in range(16)], array.array("f", range(16))):
            y.fill(-1)
            blocks(step, table, bias, y, x, 3000)
            assert y.read()[:16] == list(range(16)), (variant, bias)
        raises(TypeError, "argument 3 (float bias) has 15 elements; the template has 16", blocks, step,
               table, [0.0] * 15, y, x, 3000)
        raises(TypeError, "has elements of type double", blocks, step, table, array.array("d", range(16)),
               y, x, 3000)
        raises(TypeError, "argument 2 (double table) has elements of type float", blocks, step,
               array.array("f", table), [0.0] * 16, y, x, 3000)


@test
def numbers_that_round_to_infinity():
    for kind, most in (("half", 65504.0), ("__nv_bfloat16", 3.3895e38), ("float", 3.4028e38)):
        for value in (most, -most, float("inf"), float("nan")):
            gputune._arguments._float(value, kind)
        raises(TypeError, "does not fit", gputune._arguments._float, 1.004 * most, kind)


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
    axpy = gputune.tune("axpy", n=64, only=["BLOCK=128,256", "UNROLL=1"], time_limit=400)
    info = axpy.info
    assert info["source"] in ("measured", "cached") and info["objective"] == "kernel", info
    assert len(info["grid"]) == 3 and info["block"][0] in (128, 256)
    assert "axpy" in repr(axpy)
    winners = gputune.records()
    assert [w["kernel"] for w in winners] == ["axpy"] and winners[0]["is_winner"], winners
    assert winners[0]["objective"] == "kernel" and winners[0]["median_ns"] > 0
    assert len(gputune.records("axpy", all=True)) > 1
    raises(gputune.NotFoundError, "nothing", gputune.records, "nothing")
    assert gputune.records("copy") == []  # a known kernel that was never tuned
    assert "axpy" in [k["name"] for k in gputune.kernels()]


@test
def failures():
    raises(ValueError, "effort is 'much'; expected one of measure", gputune.tune, "axpy", effort="much")
    raises(gputune.NotFoundError, "cannot open ./\udcff.cu", gputune.tune, b"./\xff.cu")
    try:
        import pandas  # noqa: F401
    except ImportError:
        raises(ImportError, "pandas", gputune.records, frame=True)


@test
def a_plan_holds_its_tuner():
    lines = []
    with gputune.open(database=":memory:", log=lambda level, line: lines.append(line)) as tuner:
        assert tuner.records() == [] and tuner.device["emulated"]
    tuner = gputune.open(database=":memory:", log=lambda level, line: lines.append(line))
    axpy = tuner.tune("axpy", n=N, effort="cached", sizes={})
    del tuner
    y, x = Interface(), Interface()
    axpy(y, x, 2.0, N)
    assert y.read() == [3.0] * N


@test
def options_that_do_not_fit():
    raises(TypeError, "size n is 4096.0; expected an integer or a word", gputune.tune, "axpy", n=4096.0)
    raises(ValueError, "size n is 18446744073709555712", gputune.tune, "axpy", n=(1 << 64) + 4096)
    raises(ValueError, "size n is ", gputune.tune, "axpy", n=1 << 70)
    raises(TypeError, "only has 1", gputune.tune, "axpy", n=N, only=[1])
    raises(TypeError, "only is 'VEC=1'; expected a list", gputune.tune, "axpy", n=N, only="VEC=1")
    raises(TypeError, "only is {'VEC': 1}; expected a list", gputune.tune, "axpy", n=N, only={"VEC": 1})
    raises(TypeError, "size n is given twice", gputune.tune, "axpy", n=N, sizes={"n": 2 * N})
    raises(TypeError, "sizes has the name 'n=3'", gputune.tune, "axpy", sizes={"n=3": N})
    raises(TypeError, "sizes has the name 3", gputune.records, "axpy", sizes={3: N})
    raises(ValueError, "which has a NUL", gputune.tune, "axpy\0", n=N)
    raises(TypeError, "inputs has 1; expected an argument's name", gputune.tune, "axpy", n=N, inputs={1: [0]})
    raises(gputune.InvalidError, "input 'y' is an output", gputune.tune, "copy", n=N,
           inputs={"y": array.array("f", [1] * N)})
    integers = array.array("i", [1] * N)
    raises(gputune.InvalidError, "input 'x' has elements of type int; the template has float", gputune.tune,
           "axpy", n=N, inputs={"x": integers})
    raises(ValueError, "max_variants is -1", gputune.tune, "axpy", n=N, max_variants=-1)
    raises(ValueError, "seed is -1", gputune.tune, "axpy", n=N, seed=-1)
    raises(TypeError, "time_limit is '10'", gputune.tune, "axpy", n=N, time_limit="10")
    raises(TypeError, "effort is 3", gputune.tune, "axpy", n=N, effort=3)
    raises(TypeError, "kernel is 7", gputune.tune, 7)
    raises(TypeError, "kernel is None", gputune.tune, None)
    raises(TypeError, "sizes is 4096; expected a dict", gputune.tune, "axpy", sizes=4096)
    raises(TypeError, "progress is 3", gputune.tune, "axpy", n=N, progress=3)
    raises(TypeError, "log is 'x'", gputune.open, log="x")
    raises(ValueError, "max_plans is -1", gputune.open, max_plans=-1)
    raises(TypeError, "device is 1.5", gputune.open, device=1.5)


@test
def copies_are_the_same_plan():
    axpy, y, x = plan(), Interface(), Interface()
    for same in (copy.copy(axpy), copy.deepcopy(axpy)):
        assert same is axpy
    with gputune.open(database=":memory:") as tuner:
        assert copy.copy(tuner) is tuner
        raises(TypeError, "a Tuner belongs to its process", pickle.dumps, tuner)
    del same
    axpy(y, x, 2.0, N)
    assert y.read() == [3.0] * N
    raises(TypeError, "a Plan belongs to its process", pickle.dumps, axpy)


@test
def plans_that_are_closed():
    y, x = Interface(), Interface()
    with plan() as axpy:
        axpy(y, x, 2.0, N)
    raises(ValueError, "this plan is closed", axpy, y, x, 2.0, N)
    raises(ValueError, "closed", lambda: axpy.info)
    assert "closed" in repr(axpy)
    axpy.close()
    assert y.read() == [3.0] * N
    with gputune.open(database=":memory:") as tuner:
        axpy = tuner.tune("axpy", n=N, effort="cached")
        axpy(y, x, 2.0, N)
    raises(ValueError, "the tuner of this plan is closed", axpy, y, x, 2.0, N)
    raises(ValueError, "the tuner of this plan is closed", lambda: axpy.info)
    assert repr(axpy) == "<gputune.Plan: closed>"


@test
def a_tuner_that_is_closed_during_launches():
    """Half of the threads need the slow path."""
    for _ in range(5):
        errors = []
        tuner = gputune.open(database=":memory:")
        axpy = tuner.tune("axpy", n=N, effort="cached")

        def launch(kind):
            y, x = kind(), kind()
            try:
                while True:
                    axpy(y, x, 0.0, N)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")

        threads = [threading.Thread(target=launch, args=(kind,)) for kind in (Tensor, Interface) * 2]
        for thread in threads:
            thread.start()
        time.sleep(0.02)
        tuner.close()
        for thread in threads:
            thread.join()
        assert errors == ["ValueError: the tuner of this plan is closed"] * 4, errors


@test
def a_plan_that_an_array_closes_during_its_launch():
    class Closing(Tensor):
        def data_ptr(self):
            axpy.close()
            self.kept = [b"\xff" * size for size in range(3000, 3300)]  # overwrites freed memory
            return super().data_ptr()

    with gputune.open(database=":memory:") as tuner:
        axpy, y, x = tuner.tune("axpy", n=N, effort="cached"), Closing(), Tensor()
        tuner.refresh()  # drops the tuner's own reference
        axpy(y, x, 2.0, N)
    assert y.read() == [3.0] * N


@test
def a_call_that_was_answered_before():
    with gputune.open(database=":memory:") as tuner:
        asked = {"effort": "cached", "only": ["BLOCK=128"], "sizes": {"n": N}, "time_limit": 20.5}
        first, again = tuner.tune("axpy", **asked), tuner.tune("axpy", **asked)
        assert again is not first and again.info == first.info
        first.close()
        y, x = Tensor(), Tensor()
        again(y, x, 2.0, N)  # although an equal plan was closed
        assert y.read() == [3.0] * N
        for n in (float(N), True):  # compare equal to a size of an earlier call
            tuner.tune("axpy", n=int(n), effort="cached")
            if type(n) is float:
                raises(TypeError, "size n is 1000.0", tuner.tune, "axpy", n=n, effort="cached")
        assert tuner.tune("axpy", n=N, effort="cached").arguments[0]["buffer_bytes"] == 4 * N
        for count in (1, 2):  # the name has a new meaning
            tuner.add_source("many.cu", MANY.replace("BLOCK = 64", f"BLOCK = {32 * count}"))
            assert f"BLOCK={32 * count}" in tuner.tune("many", n=N, effort="cached").info["configuration"]
        for _ in range(2):
            raises(gputune.NotFoundError, "nosuch", tuner.tune, "nosuch", n=N)
            raises(TypeError, "only has 1", tuner.tune, "axpy", n=N, only=[1])
    raises(ValueError, "this tuner is closed", tuner.tune, "axpy", **asked)
    raises(ValueError, "this tuner is closed", tuner.records)
    assert "closed" in repr(tuner)


@test
def words_are_dtypes_too():
    class dtype:  # like torch.dtype and NumPy's dtypes
        itemsize = 2

        def __init__(self, name):
            self.name = name

        def __str__(self):
            return self.name

    half, single = dtype("torch.float16"), dtype("float32")
    sizes = {"rows": 8, "columns": 32}
    with gputune.open(database=":memory:") as tuner:
        plan = tuner.tune("softmax", T=half, sizes=sizes, effort="cached")
        assert "T=half" in plan.info["sizes"], plan.info
        assert "T=float" in tuner.tune("softmax", T=single, sizes=sizes, effort="cached").info["sizes"]
        again = tuner.tune("softmax", T=half, sizes=sizes, effort="cached")
        assert gputune._fast.hit(tuner._answers, "softmax", {"T": half, "sizes": sizes, "effort": "cached"})
        assert again.info["sizes"] == plan.info["sizes"]
        assert tuner.records(sizes={"T": [half, "float"]}) == []
        foreign = type("bfloat16", (dtype,), {})("bfloat16")  # like a dtype of ml_dtypes
        assert "T=__nv_bfloat16" in tuner.tune("softmax", T=foreign, sizes=sizes, effort="cached").info["sizes"]
        assert gputune._fast.hit(tuner._answers, "softmax", {"T": foreign, "sizes": sizes, "effort": "cached"})
        number = type("float16", (), {})  # like numpy.float16
        assert "T=half" in tuner.tune("softmax", T=number, sizes=sizes, effort="cached").info["sizes"]
        raises(TypeError, "size T is ", tuner.tune, "softmax", T=float, sizes=sizes)
        raises(TypeError, "size T is ", tuner.tune, "softmax", T=dtype("complex64"), sizes=sizes)
        raises(TypeError, "size T is ", tuner.tune, "softmax", T=[half], sizes=sizes)


@test
def a_forked_child_asks_for_itself():
    plan()
    child = os.fork()
    if child == 0:
        try:
            plan()
        except gputune.Error as error:
            os._exit(0 if "start the child by exec (in Python, by spawn)" in str(error) else 2)
        except BaseException:
            os._exit(1)
        os._exit(3)  # CUDA does not work in a forked child
    assert os.waitpid(child, 0)[1] == 0


@test
def exceptions_by_status():
    error = raises(gputune.NotFoundError, "nosuch", gputune.tune, "nosuch")
    assert isinstance(error, gputune.Error) and isinstance(error, LookupError)
    raises(gputune.NoDriverError, "", gputune.open, driver="/none/libcuda.so.1")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.name == "ENOTFOUND"
    for status, kind in gputune._errors._CLASSES.items():
        made = pickle.loads(pickle.dumps(kind(status, "why")))
        assert (str(made), made.status, type(made)) == ("why", status, kind)
        assert made.name.startswith("E") and kind.__name__ in gputune.__all__


MANY = """#pragma gputune kernel(many)
#pragma gputune problem(n = 1 << 10)
#pragma gputune args(inout float y[n], size_t n)
#pragma gputune tune(BLOCK = 32, 64, 96, 128, 160, 192, 224, 256)
#pragma gputune tune(A = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
#pragma gputune tune(B = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
#pragma gputune default(BLOCK = 64, A = 1, B = 1)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK))
__global__ void many(float *y, size_t n)
{
    size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
    if (i < n) {
        y[i] += 1 + 0 * (A + 16 * B);
    }
}
"""


@test
def interrupts_and_progress():
    seen, left = [], []

    def interrupt(progress):
        if not seen:
            seen.append(progress)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)  # the interrupt comes up only after the call has ended
            left.append(progress)

    # A shell makes its background processes ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with gputune.open(database=":memory:") as tuner:
        tuner.add_source("many.cu", MANY)
        raises(KeyboardInterrupt, "", tuner.tune, "many", n=N, time_limit=30, progress=interrupt)
        assert left and seen[0]["variants"] == 800 and seen[0]["phase"], seen
        assert tuner.records() == []  # the tuning ended without a winner
        raises(ZeroDivisionError, "", tuner.tune, "many", n=N, time_limit=30, progress=lambda _: 1 / 0)
        many, y = tuner.tune("many", n=N, effort="cached"), Interface()
        many(y, N)
        assert y.read() == [2.0] * N


@test
def a_callback_cannot_close_its_tuner():
    def close(*given):
        for tuner in opened:
            raises(gputune.BusyError, "close it after the call", tuner.close)
            refused.append(given)

    opened, refused = [], []
    with gputune.open(database=":memory:", log=close) as tuner:
        opened.append(tuner)
        tuner.add_source("many.cu", MANY)
        tuner.tune("many", n=N, time_limit=5, max_variants=4, progress=close)
        assert {len(given) for given in refused} == {1, 2}, refused
    assert "closed" in repr(tuner)


@test_tuning
def a_call_that_had_its_time_is_answered():
    with gputune.open(database=":memory:") as tuner:
        tuner.add_source("many.cu", MANY)
        first = tuner.tune("many", n=N, time_limit=2, strategy="exhaustive")
        why = first.info["stop_reason"]
        assert "the time limit was reached" in why or "raise " in why, first.info  # the latter on a busy machine
        for limit in 2, 1:  # the same or a shorter limit changes nothing
            again = tuner.tune("many", n=N, time_limit=limit, strategy="exhaustive")
            assert again._held().pointer == first._held().pointer, again.info
        longer = tuner.tune("many", n=N, time_limit=3, strategy="exhaustive")
        assert longer._held().pointer != first._held().pointer, longer.info


@test
def pointers_that_are_null():
    with gputune.open(database=":memory:") as tuner:
        tuner.add_source("null.cu", MANY.replace("size_t n", "const float *x = null, size_t n", 1)
                         .replace("(float *y, ", "(float *y, const float *x, ").replace("many", "of_null"))
        plan, y = tuner.tune("of_null", n=N, effort="cached"), Interface()
        plan(y, None, N)
        plan(y, 0, N)
        assert y.read() == [3.0] * N
        assert plan.arguments[1]["type"] == "float *", plan.arguments[1]
        raises(TypeError, "argument 2 (float * x) is a int; the template has null there", plan, y, 8, N)


@test_tuning
def spaces_runs_and_trials():
    space = gputune.space("axpy", n=N, only=["BLOCK=128,256"])
    assert space["axes"]["BLOCK"] == ["128", "256"] and space["default"]["VEC"] == "1", space
    assert 0 < space["valid"] <= space["combinations"] and space["valid_certainty"] == "exact"
    results = gputune.run("axpy", ["BLOCK=128", "BLOCK=256"], n=N)
    assert [r["configuration"] for r in results] == ["VEC=1 BLOCK=128 UNROLL=1", "VEC=1 BLOCK=256 UNROLL=1"]
    assert all(r["status"] == "ok" and r["median_ns"] > 0 and r["objective"] == "kernel" for r in results)
    raises(gputune.Error, "BLOCKS", gputune.run, "axpy", ["BLOCKS=1"], n=N)
    raises(TypeError, "configurations is 'BLOCK=128'", gputune.run, "axpy", "BLOCK=128")
    gputune.tune("axpy", n=64, only=["BLOCK=128,256", "UNROLL=1"], time_limit=400)
    assert len(gputune.trials("axpy")) > len(gputune.records("axpy"))


@test_tuning
def the_code_of_a_run_stays():
    with tempfile.TemporaryDirectory() as folder:
        with gputune.open(database=f"{folder}/one.db") as tuner:
            tuner.add_source("many.cu", MANY)
            first, = tuner.run("many", n=N, epsilon=0.05)
            assert tuner.trials() == []
        with gputune.open(database=f"{folder}/one.db") as tuner:
            tuner.add_source("many.cu", MANY)
            again, = tuner.run("many", n=N, epsilon=0.05)
        assert again["compile_ns"] == first["compile_ns"] > 0  # it compiled only once
    raises(ValueError, "epsilon is 7", gputune.run, "axpy", n=N, epsilon=7)


@test
def an_answer_outside_of_its_restrictions_is_marked():
    lines = []
    with gputune.open(database=":memory:", log=lambda level, line: lines.append((level, line))) as tuner:
        for effort, why in (("cached", "no result within it is known"), ("measure", "no variant within it is faster")):
            lines.clear()
            worse = tuner.tune("axpy", n=N, effort=effort, only=["BLOCK=1024", "UNROLL=8", "VEC=1"], time_limit=400)
            assert worse.info["configuration"] == worse.info["default_configuration"]
            assert worse.info["outside_only"] is True
            outside = f"using the default VEC=1 BLOCK=256 UNROLL=1, although it is outside BLOCK=1024 UNROLL=8 VEC=1: {why}"
            assert any(level == 2 and outside in line for level, line in lines), lines
        within = tuner.tune("axpy", n=N, effort="cached", only=["BLOCK=256"])
        assert within.info["outside_only"] is False
        assert tuner.tune("axpy", n=N, effort="cached").info["outside_only"] is False


@test
def arrays_in_host_memory_on_the_emulator():
    axpy = plan()
    y, x = array.array("f", [1] * N), array.array("f", [1] * N)
    axpy(y, x, 2.0, N)
    assert list(y) == [3.0] * N
    raises(gputune.InvalidError, "overlaps x", axpy, y, y, 1.0, N)
    both = array.array("f", [1] * (2 * N))
    axpy(memoryview(both)[:N], memoryview(both)[N:], 1.0, N)  # two views of one array
    raises(TypeError, "has elements of type double", axpy, array.array("d", [1] * N), x, 1.0, N)
    raises(TypeError, "argument 1 (float *y) has 40 bytes", axpy, array.array("f", [1] * 10), x, 1.0, N)
    histogram, keys = gputune.tune("histogram", n=N, bins=64, effort="cached"), array.array("I", range(N))
    raises(TypeError, "has elements of type int; .view() gives the bits another type",
           histogram, array.array("i", [0] * 64), keys, N, 64)
    raises(TypeError, "not contiguous", axpy, memoryview(both)[::2], x, 1.0, N)
    raises(TypeError, "is read-only", axpy, memoryview(y.tobytes()).cast("f"), x, 1.0, N)
    y = array.array("f", [1] * N)
    axpy(y, memoryview(x.tobytes()).cast("f"), 1.0, N)
    assert list(y) == [2.0] * N
    try:
        import numpy
    except ImportError:
        return
    y, x = numpy.ones(N, "float32"), numpy.ones(N, "float32")
    axpy(y, x, numpy.float32(2), numpy.int64(N))
    assert (y == 3).all()
    raises(TypeError, "has elements of type double", axpy, numpy.ones(N), x, 1.0, N)
    raises(TypeError, "has Python objects as elements", axpy, y, x.astype(object), 1.0, N)
    raises(TypeError, "is an array; the template has a value", axpy, y, x, x, N)


@test
def a_programs_own_inputs_and_reference():
    try:
        import numpy
    except ImportError:
        return
    seen = []

    def reference(sizes, y, x, a, n):
        seen.append((sizes["n"], len(y), type(a)))
        assert n == sizes["n"] and not x.flags.writeable
        y[:] = a * x.astype("float64") + y

    x = numpy.arange(N, dtype="float32")
    with gputune.open(database=":memory:") as tuner:
        options = {"n": N, "only": ["BLOCK=256", "UNROLL=1"], "time_limit": 400}
        axpy = tuner.tune("axpy", inputs={"x": x}, reference=reference, reference_tag="y += ax", **options)
        assert axpy.info["source"] == "measured" and (N, N, float) in seen, seen
        assert len({n for n, _, _ in seen}) > 1  # also verified at an odd-tail size
        raises(gputune.Error, "", tuner.tune, "axpy", reference=lambda *_: None, **options)  # computes nothing
        with tempfile.TemporaryDirectory() as folder:  # the reference makes no request
            record = os.path.join(folder, "misses")
            with gputune.open(database=":memory:", record=record) as other:
                other.tune("axpy", reference=reference, reference_tag="y += ax", **options)
            assert [one["count"] for one in gputune.misses(record)] == [1], gputune.misses(record)
        raises(ZeroDivisionError, "", tuner.tune, "axpy", reference=lambda *_: 1 / 0, force=True, **options)
        raises(gputune.InvalidError, "z", tuner.tune, "axpy", inputs={"z": x}, **options)
        raises(gputune.InvalidError, "input 'x' has 20 bytes; expected 4000", tuner.tune, "axpy",
               inputs={"x": x[:5]}, **options)
        raises(TypeError, "input x is not contiguous", tuner.tune, "axpy", inputs={"x": numpy.ones(2 * N)[::2]},
               **options)
        raises(TypeError, "reference is 3; expected a function", tuner.tune, "axpy", reference=3, **options)
        raises(TypeError, "inputs is [1]; expected a dict", tuner.tune, "axpy", inputs=[1], **options)
        raises(gputune.InvalidError, "start 'VEC=3': VEC has no value '3'", tuner.tune, "axpy", start=["VEC=3"], n=N)
        raises(TypeError, "start is 'VEC=4'; expected a list", tuner.tune, "axpy", start="VEC=4", n=N)
        with gputune.open(database=":memory:", log=lambda *_: None) as other:  # too little to measure
            small = other.tune("axpy", n=N, memory_limit=1 << 20).info
            assert small["source"] == "default" and "needs" in small["stop_reason"], small
        first = tuner.tune("axpy", n=N, start=["VEC=8 BLOCK=64", "BLOCK=1024"], max_variants=3, time_limit=400)
        assert first.info["variants"] == 3, first.info
        tried = {one["configuration"] for one in tuner.records("axpy", all=True)}
        assert {"VEC=8 BLOCK=64 UNROLL=1", "VEC=1 BLOCK=1024 UNROLL=1"} <= tried, tried
        untagged = {"n": 64, "only": ["BLOCK=256", "UNROLL=1"], "time_limit": 400}
        for _ in range(2):  # a new function at the same address is another reference
            tuner.tune("axpy", reference=lambda *given: reference(*given), **untagged)
            raises(ZeroDivisionError, "", tuner.tune, "axpy", reference=lambda *_: 1 / 0, **untagged)
        counts, others = [], []
        for _ in range(3):  # the same function finds the stored results, although C functions come and go
            tuner.tune("axpy", reference=reference, **untagged)
            counts.append(len(seen))
            others.append(ctypes.CFUNCTYPE(None)(print))
        assert len(set(counts)) == 1, counts
        on_gpu = Interface()
        tuner.tune("axpy", inputs={"x": on_gpu}, inputs_tag="ones", force=True, **options)
        with tempfile.TemporaryDirectory() as folder:
            numpy.save(os.path.join(folder, "x.npy"), x)
            tuner.tune("axpy", inputs={"x": os.path.join(folder, "x.npy")}, force=True, **options)
            samples = os.path.join(folder, "samples.csv")
            tuner.tune("axpy", samples=samples, force=True, **options)
            with open(samples) as file:
                assert "value_ns" in file.readline()


@test_tuning
def a_thread_cancels_a_tuning():
    cancel = gputune.Cancel()
    with gputune.open(database=":memory:") as tuner:
        tuner.add_source("many.cu", MANY)
        raises(KeyError, "own", tuner.tune, "many", n=N, progress=lambda seen: seen["own"], cancel=cancel)
        failing, other = (gputune._library.Interrupt(cancel) for _ in range(2))
        failing.guarded(len, 1)()
        assert not cancel.is_set() and failing.flag.value and not other.flag.value
        timer = threading.Timer(1, cancel.set)
        timer.start()
        try:
            assert tuner.tune("many", n=N, time_limit=400, cancel=cancel).info["variants"] < 800
        except gputune.CanceledError:
            pass
        assert cancel.is_set()
        raises(TypeError, "cancel is True; expected a gputune.Cancel", tuner.tune, "many", cancel=True)


@test_tuning
def rules_answer_new_sizes():
    with gputune.open(database=":memory:") as tuner:
        twice = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../language/corner.cu")
        tuner.make_rule(twice, sizes={"rows": (8, 60), "columns": (8, 60)}, codes=2)
        plan = tuner.tune(twice, rows=21, columns=9, unseen="rule")
        assert plan.info["source"] == "rule" and plan.info["sizes"].startswith("rows=21 columns=9"), plan.info
        other = tuner.tune(twice, rows=7, columns=9, unseen="rule", effort="cached")
        assert other.info["source"] != "rule", other.info
        raises(ValueError, "unseen is 'rules'", tuner.tune, twice, unseen="rules")


@test_tuning
def tunings_in_the_background():
    with gputune.open(database=":memory:") as tuner:
        options = {"n": 2000, "background": True, "only": ["BLOCK=128,256", "UNROLL=1"]}
        assert tuner.tune("axpy", **options).info["source"] == "default"
        tuner.wait(60)
        assert tuner.background()["tuned"] == 1, tuner.background()
        assert tuner.tune("axpy", **options).info["source"] == "cached"
        tuner.add_source("many.cu", MANY)
        tuner.tune("many", n=N, background=True)
        raises(gputune.TimeLimitError, "", tuner.wait, 0.2)
        raises(ValueError, "share is 7", tuner.tune, "axpy", share=7, **options)
        raises(ValueError, "no progress or cancel", tuner.tune, "axpy", progress=print, **options)


@test_tuning
def wisdom_misses_and_comparisons():
    with tempfile.TemporaryDirectory() as folder, gputune.open(database=":memory:") as one, \
            gputune.open(database=":memory:") as other:
        options = {"n": 64, "only": ["BLOCK=128,256", "UNROLL=1"]}
        winner = one.tune("axpy", time_limit=400, **options).info
        path = os.path.join(folder, "wisdom.json")
        assert one.save_wisdom(path) == 1 and other.load_wisdom(path) == 1
        assert other.records()[0]["configuration"] == winner["configuration"] and other.records()[0]["unproved"]
        raises(gputune.Error, "none.json", other.load_wisdom, os.path.join(folder, "none.json"))
        with gputune.open(pinned=path) as pinned:
            assert pinned.tune("axpy", n=64).info["source"] == "cached"
            raises(gputune.NotCachedError, "axpy: no result for n=65 ", pinned.tune, "axpy", n=65)
        pair = one.compare("axpy", n=64)
        assert [r["configuration"] for r in pair] == [winner["default_configuration"], winner["configuration"]]
        assert len(one.compare("axpy", ["BLOCK=64", "BLOCK=512"], n=64)) == 3
        raises(TypeError, "configurations is 'BLOCK=64'", one.compare, "axpy", "BLOCK=64", n=64)
        path = os.path.join(folder, "misses")
        os.environ["GPUTUNE_RECORD"] = path
        with gputune.open(database=":memory:") as third:
            third.tune("axpy", n=777, effort="cached")
        del os.environ["GPUTUNE_RECORD"]
        assert [(m["kernel"], m["sizes"]) for m in gputune.misses(path)] == [("axpy", "n=777 T=float")], gputune.misses(path)
        found = one.check("axpy", n=64, max_variants=2, time_limit=600)
        assert [(f["kind"], f["sizes"]) for f in found] == 2 * [("checked", "n=64 T=float")], found


@test_tuning
def records_of_a_gpu_and_of_sizes():
    with tempfile.TemporaryDirectory() as folder, gputune.open(database=f"{folder}/records.db") as tuner:
        for n in (64, 128, 256):
            tuner.tune("axpy", n=n, only=["BLOCK=128", "UNROLL=1"], time_limit=400)
        for sizes, count in (({"n": 64}, 1), ({"n": [64, 256]}, 2), ({"n": "64,128"}, 2), ({"n": 65}, 0), ({}, 3)):
            assert len(tuner.records(sizes=sizes)) == count, sizes
        gpu = tuner.device["name"]
        assert len(tuner.records("axpy", gpu=gpu)) == 3 and not tuner.records("axpy", gpu="Voodoo")
        raises(TypeError, "sizes is 'n=64'; expected a dict", tuner.records, sizes="n=64")
        raises(TypeError, "size n is 6.5; expected an integer", tuner.records, sizes={"n": [6.5]})
        gone = tuner.forget("axpy", sizes={"n": 64}, dry_run=True)
        assert {one["sizes"] for one in gone} == {"n=64 T=float"} and len(tuner.records()) == 3
        assert len(tuner.forget("axpy", sizes={"n": 64})) == len(gone) and len(tuner.records()) == 2
        assert tuner.forget("axpy", outdated=True) == []
        raises(TypeError, "kernel", tuner.forget)
        raises(gputune.InvalidError, "options select records", tuner.forget, None)
        assert len(tuner.records()) > 0
        assert tuner.forget(None, everything=True) and tuner.trials() == []


@test_tuning
def databases_are_merged():
    with tempfile.TemporaryDirectory() as folder, gputune.open(database=f"{folder}/here.db") as here:
        paths = [os.path.join(folder, f"{n}.db") for n in (64, 128)]
        for n, path in zip((64, 128), paths):
            with gputune.open(database=path) as there:
                there.tune("axpy", n=n, only=["BLOCK=128", "UNROLL=1"], time_limit=400)
        merged = here.merge(paths)
        assert merged["winners"] == merged["taken_winners"] == 2 and merged["trials"] >= 2, merged
        assert [one["sizes"] for one in here.records()] == ["n=64 T=float", "n=128 T=float"]
        assert here.merge(paths)["taken_winners"] == 0
        raises(gputune.Error, "none.db", here.merge, [os.path.join(folder, "none.db")])
        raises(TypeError, "paths is ", here.merge, paths[0])


@test
def mistakes_are_reported():
    found = {one["subject"]: one for one in gputune.diagnose(database=":memory:")}
    assert found["driver"]["verdict"] == "ok" and "emulated" in found["driver"]["found"], found
    wrong = gputune.diagnose(driver="/none/libcuda.so.1")[0]
    assert wrong["verdict"] == "failure" and wrong["remedy"], wrong
    raises(TypeError, "device is 1.5", gputune.diagnose, device=1.5)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        workers = [one["found"] for one in gputune.diagnose() if "compile at once" in one["found"]]
        assert workers and "up to 1 of them" in workers[0], workers
    finally:
        os.sched_setaffinity(0, cores)
    raises(TypeError, "devices", gputune.diagnose, devices=1)


@test
def gpus_are_listed():
    assert [one["ordinal"] for one in gputune.devices()] == [0, 1], gputune.devices()
    assert gputune.device_count() == 2


@test_tuning
def rules_are_made_listed_and_emitted():
    with tempfile.TemporaryDirectory() as folder:
        with gputune.open(driver="emu", database=os.path.join(folder, "rules.db")) as tuner:
            raises(gputune.NotFoundError, "no rule", tuner.emit_rule, "axpy")
            raises(TypeError, "the range of n is (1, 2, 3)", tuner.make_rule, "axpy", sizes={"n": (1, 2, 3)})
            tuner.add_source("twice.cu", """#pragma gputune kernel(twice)
#pragma gputune problem(n = 4096)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BLOCK = 32, 256)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2 * x[i])
__global__ void twice(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i];
}
""")
            raises(gputune.InvalidError, "BLOCK has no value '3'", tuner.make_rule, "twice",
                   sizes={"n": (64, 512)}, start=["BLOCK=3"])
            made = tuner.make_rule("twice", sizes={"n": (64, 128)}, codes=2, time_limit=400)
            assert made.startswith("region n=64:128\nloss mean="), made
            assert [(one["kernel"], one["cache"], one["text"]) for one in tuner.rules()] == \
                [("twice", "cold", made)], tuner.rules()
            assert tuner.rules("gemm") == []
            assert tuner.export_wisdom(rules=True).count("\nentry ") == 1
            assert "twice_launch" in tuner.emit_rule("twice", archs=["sm_90"], runtime_api=True)


@test_tuning
def code_spaces_and_drafts():
    source = gputune.emit("axpy", "VEC=4", n=N)
    assert "__global__ void axpy" in source and source != gputune.emit("axpy", n=N)
    assert ".entry" in gputune.emit("axpy", form="ptx")
    assert gputune.emit("axpy", form="cubin", arch="sm_90a")[:4] == b"\x7fELF"
    raises(ValueError, "form is 'sass'; expected one of source, ptx, cubin", gputune.emit, "axpy", form="sass")
    assert [one["name"] for one in gputune.kernels("axpy")] == ["axpy"]
    assert gputune.kernels("axpy")[0]["objective"] == "kernel"
    try:
        draft = gputune.draft_template("k.cu", source="__global__ void k(float *y, int n) { y[0] = A; }",
                                       arguments=["-DA=3"])
        assert "#pragma gputune kernel(k)" in draft and "out float y[1]" in draft
        raises(gputune.NotFoundError, "", gputune.draft_template, "k.cu", "j", "__global__ void k(int n) {}")
    except gputune.NoCompilerError as missing:
        print(f"drafts are not tested: {missing}")
    with gputune.open(database=":memory:") as tuner:
        variants = tuner.compile("axpy", "sm_90a", n=64, only=["BLOCK=128", "UNROLL=1"])
        assert len(variants) > 1 and all(one["status"] == "ok" for one in variants), variants
        tuner.check_database()
        text = gputune.export_wisdom("axpy")
        assert gputune.records("axpy") and tuner.import_wisdom(text) == len(gputune.records("axpy"))
        raises(gputune.RecordedError, "", tuner.import_wisdom, "{")
        tuner.refresh()
        assert tuner.tune("axpy", n=N, effort="cached").info["kernel"] == "axpy"


@test
def what_a_program_launches_by_itself():
    function, = plan().functions
    assert function["image"] and function["function"] and function["grid"] == plan().info["grid"]
    assert [one["name"] for one in function["parameters"]] == ["y", "x", "a", "n"]
    assert [one["kind"] for one in function["parameters"]] == ["buffer", "buffer", "scalar", "scalar"]


@test
def warnings_are_passed_on():
    import logging
    received = []
    handler = logging.Handler()
    handler.emit = lambda record: received.append((record.levelname, record.getMessage()))
    logging.getLogger("gputune").addHandler(handler)
    try:
        with tempfile.TemporaryDirectory() as folder, gputune.open(database=folder):
            pass
        assert any(level == "WARNING" and folder in line for level, line in received), received
        received.clear()
        with tempfile.TemporaryDirectory() as folder, gputune.open(database=folder, log=lambda *_: None):
            pass
        assert not received, received
    finally:
        logging.getLogger("gputune").removeHandler(handler)


@test_tuning
def a_program_may_end_while_it_tunes_in_the_background():
    program = ("import gputune; tuner = gputune.open(database=':memory:'); gputune.tune('gemm', m=64, n=64, k=64, background=True);"
               "tuner.tune('axpy', background=True); import time; time.sleep(0.5); print('end')")
    alone = {**os.environ, "GPUTUNE_DB": ":memory:"}  # its results must not reach other tests
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=alone)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", ""), done


@test
def tuners_for_tools():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/some.db"
        raises(gputune.DatabaseError, "some.db", gputune.open, database=path, read_only=True)
        with gputune.open(database=path, tune_only=True, compile_workers=1) as tuner:
            few = {"n": 64, "only": ["BLOCK=128", "UNROLL=1"], "time_limit": 400}
            axpy = tuner.tune("axpy", **few)
            assert axpy.info["source"] == "measured"
            raises(gputune.UnsupportedError, "tune_only", axpy, 8, 16, 2.0, 64)
        with gputune.open(database=path, read_only=True) as tuner:
            assert len(tuner.records()) == 1
        raises(gputune.WorkerError, "none", gputune.open, worker=f"{folder}/none")
        raises(ValueError, "compile_workers is -1", gputune.open, compile_workers=-1)
        with open(path, "w") as file:
            file.write("something else")
        with gputune.open(database=path) as tuner:
            raises(gputune.DatabaseError, "some.db", tuner.check_database)


@test
def without_a_gpu():
    driver = os.environ.pop("GPUTUNE_DRIVER")
    try:
        with gputune.open(database=":memory:", emulate_without_gpu=True) as tuner:
            if tuner.device["emulated"]:
                y, x = Tensor(), Tensor()
                tuner.tune("axpy", n=N, effort="cached")(y, x, 2.0, N)
                assert y.read() == [3.0] * N
    finally:
        os.environ["GPUTUNE_DRIVER"] = driver


@test_tuning
def alignments_and_failures():
    with gputune.open(database=":memory:") as tuner:
        few = {"n": N, "only": ["BLOCK=128", "UNROLL=1"], "time_limit": 400}
        narrow = tuner.tune("axpy", alignment={"y": 4, "x": 4}, **few)
        assert "VEC=1" in narrow.info["configuration"]
        assert narrow.arguments[0]["alignment"] == 4 and tuner.tune("axpy", **few).arguments[0]["alignment"] == 16
        raises(gputune.InvalidError, "z", tuner.tune, "axpy", alignment={"z": 4}, **few)
        raises(TypeError, "alignment of y is '4'", tuner.tune, "axpy", alignment={"y": "4"}, **few)
        tuner.add_source("fails.cu", MANY.replace("many", "fails").replace("y[i] +=", "y[A == 2 ? 1 << 30 : i] +="))
        tuner.tune("fails", n=N, only=["BLOCK=64", "A=1,2", "B=1"], time_limit=400)
        assert len(tuner.records("fails")) == 1
        failed = [one for one in tuner.records("fails", failures=True) if one["status"] != "ok"]
        assert [one["configuration"] for one in failed] == ["BLOCK=64 A=2 B=1"], failed


@test_tuning
def ranks_of_a_group_have_one_variant():
    said, few = [], {"n": 4097, "only": ["BLOCK=128,256", "UNROLL=1"], "time_limit": 400}
    with gputune.open(database=":memory:") as zero, gputune.open(database=":memory:") as one:
        def send(data):
            said.append(data)
            return data
        first = zero.tune("axpy", group=(0, send), **few)
        second = one.tune("axpy", group=(1, lambda data: said[0] if data is None else data), **few)
        assert len(said) == 1 and first.info["source"] == "measured"
        assert second.info["configuration"] == first.info["configuration"]
        raises(ZeroDivisionError, "", zero.tune, "axpy", group=(0, lambda _: 1 / 0), **few)
        raises(TypeError, "broadcast returned 7; expected", zero.tune, "axpy", group=(0, lambda _: 7), **few)
        raises(TypeError, "group is 3; expected a rank and a function", zero.tune, "axpy", group=3, **few)


@test
def a_decorated_function_launches():
    @gputune.kernel("axpy", effort="cached")
    def axpy(y, x, a, n):
        "y += a x"

    @gputune.kernel("axpy", sizes=lambda y, x, a, n: {"n": y.count}, effort="cached")
    def of_the_array(y, x, a, n):
        pass
    y, x = Tensor(), Tensor()
    axpy(y, x, 2.0, N)
    axpy(y, n=N, a=1.0, x=x, stream=0)
    of_the_array(y, x, 1.0, N)
    assert y.read() == [5.0] * N and axpy.__doc__ == "y += a x" and axpy.__name__ == "axpy"
    assert axpy.plan(y, x, 2.0, 64).info["sizes"] == "n=64 T=float"
    raises(TypeError, "missing a required argument", axpy, y, x, n=N)
    raises(TypeError, "the template's argument 'a' is not among", gputune.kernel("axpy", effort="cached")(
        lambda y, x, n: None), y, x, N)
    swapped = gputune.kernel("axpy", effort="cached")(lambda n, a, x, y: None)
    swapped(N, 1.0, x, y)
    assert y.read() == [6.0] * N
    raises(TypeError, "the parameter 'alpha' is neither an argument nor a problem value of the template, which takes a, n, "
           "x, y", gputune.kernel("axpy", effort="cached")(lambda y, x, a, n, alpha: None), y, x, 1.0, N, 1.0)
    raises(TypeError, "has a parameter with *", gputune.kernel("axpy"), lambda *arguments: None)
    without = gputune.kernel("axpy", effort="cached", sizes=lambda y, x, a: {"n": N})(lambda y, x, a=1.0: None)
    without(y, x)
    assert y.read() == [7.0] * N


@test
def options_and_problem_values_of_the_same_name():
    gputune.add_source("seeded.cu", """#pragma gputune kernel(seeded)
#pragma gputune problem(n = 1 << 10, seed = 3)
#pragma gputune args(inout float y[n], int seed, size_t n)
#pragma gputune block(64) grid(ceil_div(n, 64))
__global__ void seeded(float *y, int seed, size_t n)
{
    size_t i = blockIdx.x * size_t(64) + threadIdx.x;
    if (i < n) {
        y[i] += seed;
    }
}
""")
    raises(TypeError, "seed is an option of tune() and a problem value of seeded; expected the value in sizes=",
           gputune.tune, "seeded", n=64, seed=5, effort="cached")
    raises(TypeError, "seed is an option of run() and a problem value", gputune.run, "seeded", n=64, seed=5)
    for more in ({}, {"seed": 7}):
        plan = gputune.tune("seeded", sizes={"n": 64, "seed": 5}, effort="cached", **more)
        assert plan.info["sizes"] == "n=64 seed=5"
    assert [one["is_default"] for one in gputune.compare("seeded", sizes={"n": 64, "seed": 5})][0]
    raises(gputune.InvalidError, "'m'; expected one of: n, T", gputune.tune, "axpy", m=64)
    raises(gputune.InvalidError, "1.5K", gputune.tune, "axpy", n="1.5K")


@test
def types_have_several_names():
    for word in ("half", "__half", "bfloat16", "__nv_bfloat16"):
        plan = gputune.tune("softmax", rows=4, columns=64, T=word, effort="cached")
        assert plan.info["sizes"].endswith("T=half" if "half" in word else "T=__nv_bfloat16"), plan.info["sizes"]


@test
def words_of_options_are_typed():
    import typing
    for literal, words in ((gputune.Effort, gputune._EFFORTS), (gputune.Objective, gputune._OBJECTIVES),
                           (gputune.Strategy, gputune._STRATEGIES),
                           (gputune.Cache, gputune._CACHES), (gputune.Form, gputune._FORMS)):
        assert set(typing.get_args(literal)) == set(words), literal
    found = gputune.run("axpy", ["BLOCK=128"], n=64)[0]
    wanted = typing.get_type_hints(gputune.Record)
    assert set(found) == set(wanted)
    for name, kind in wanted.items():
        assert isinstance(found[name], typing.get_origin(kind) or kind), (name, found[name])
    raises(gputune.NotFoundError, "nosuch", gputune.kernel("nosuch")(lambda n: None), 8)


@test
def bars_and_help():
    import contextlib
    import inspect
    import io
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown), gputune.open(database=":memory:") as tuner:
        tuner.tune("axpy", n=64, only=["BLOCK=128,256", "UNROLL=1"], progress=True, time_limit=400)
    assert "axpy: " in shown.getvalue() and "8" in shown.getvalue(), shown.getvalue()
    assert "time_limit" in inspect.signature(gputune.tune).parameters
    for function in gputune.open, gputune.diagnose:
        assert "max_plans" in inspect.signature(function).parameters, function
    assert "list" in str(inspect.signature(gputune.diagnose).return_annotation)
    assert "self" not in inspect.signature(gputune.tune).parameters
    for name in gputune.__all__:
        assert inspect.getdoc(getattr(gputune, name)), name
    gputune.add_source("other.cu", MANY.replace("many", "other_many"))
    assert "other_many" in [one["name"] for one in gputune.kernels()]
    raises(ValueError, "pass it to add_source()", gputune.tune, MANY)


run()
