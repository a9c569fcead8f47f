"""Tests arrays of NumPy, ml_dtypes, JAX and Numba, if installed, on the emulator, whose memory is the host's. Ends
with "N passed, N failed"."""
import os
import tempfile

import gputune
from harness import raises, run, test_with

N = 1000
# No package uses a real GPU; Numba uses the emulator as its driver.
os.environ.update(JAX_PLATFORMS="cpu", NUMBA_CUDA_USE_NVIDIA_BINDING="0")
os.environ["NUMBA_CUDA_DRIVER"] = os.path.join(os.path.dirname(gputune.__file__), "native", "libgputune-emu.so")
TWICE = """#pragma gputune kernel(twice)
#pragma gputune problem(n = 1 << 10)
#pragma gputune problem(type T = float, __nv_bfloat16, __nv_fp8_e5m2)
#pragma gputune args(inout T y[n], int n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BLOCK = 64) block(BLOCK) grid(ceil_div(n, BLOCK))
#include <cuda_bf16.h>
#include <cuda_fp8.h>
__global__ void twice(T *y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = T(2 * float(y[i]));
    }
}
"""
MOVE = """#pragma gputune kernel(move)
#pragma gputune problem(n = 1 << 10)
#pragma gputune args(inout particle p[n] = { .id = index }, push by = { .dx = 1, .count = 1 }, int n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BLOCK = 64) block(BLOCK) grid(ceil_div(n, BLOCK))
struct particle { float x, y; int id; };
struct push { double dx; int count; };
__global__ void move(particle *p, push by, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        p[i].x += by.dx;
        p[i].id += by.count;
    }
}
"""
folder = tempfile.TemporaryDirectory(suffix="_ö ü")  # users' paths may have such characters
twice, move = (os.path.join(folder.name, name) for name in ("zwölf.cu", "be wegt.cu"))
for path, text in ((twice, TWICE), (move, MOVE)):
    with open(path, "w") as file:
        file.write(text)

def plan(kernel="axpy", **sizes):
    return gputune.tune(kernel, sizes=sizes or {"n": N}, effort="cached")

@test_with("numpy")
def shapes(numpy):
    y, x = numpy.ones((10, 100), "f"), numpy.ones((10, 100), "f")
    axpy = plan()
    axpy(y, x, numpy.float64(2), numpy.array(N))  # a C array has no shape
    assert (y == 3).all()
    for wrong in (y.T, numpy.asfortranarray(y), numpy.ones(2 * N, "f")[::2], numpy.broadcast_to(numpy.float32(1), (N,))):
        raises(TypeError, "not contiguous", axpy, wrong, x, 1.0, N)
    raises(TypeError, "has 0 bytes; the plan is for 4000", axpy, numpy.ones(0, "f"), x, 1.0, N)
    raises(gputune.InvalidError, "a buffer needs at least one element", gputune.tune, "axpy", n=0)
    raises(TypeError, "another byte order", axpy, numpy.ones(N, ">f4"), x, 1.0, N)
    raises(TypeError, "elements of type datetime64[s], which templates do not support", axpy, numpy.zeros(N, "M8[s]"), x, 1.0, N)

@test_with("numpy")
def structs(numpy):
    particle = [("x", "f4"), ("y", "f4"), ("id", "i4")]
    push = numpy.dtype([("dx", "f8"), ("count", "i4")], align=True)
    p, moved = numpy.zeros(N, particle), plan(move)
    moved(p, numpy.array((1.5, 2), push), N)
    moved(p.view(numpy.recarray), numpy.array([(1.5, 2)], push)[0], N)
    assert p[N - 1].item() == (3.0, 0.0, 4)
    raises(TypeError, "argument 2 (push by) has 12 bytes; the template has 16", moved, p, numpy.zeros((), [*push.descr][:2]), N)
    seen = []

    def reference(sizes, p, by, n):
        moved, by = p.view(particle), by.view(push)
        moved["x"] += by["dx"]
        moved["id"] += by["count"]
        seen.append(sizes["n"])
    assert gputune.tune(move, n=N, reference=reference, time_limit=400, force=True).info["source"] == "measured" and seen
    assert {one["configuration"] for one in gputune.trials(move)} == {"BLOCK=64", "BLOCK=128"}

@test_with("numpy", "ml_dtypes")
def types_that_numpy_has_not(numpy, ml_dtypes):
    for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        y = numpy.arange(4, dtype=kind).repeat(N // 4)
        for word in (kind, y.dtype):
            plan(twice, n=N, T=word)(y, N)
        assert y.dtype == kind and list(y[::N // 4].astype(float)) == [0, 4, 8, 12]
    half, bf16 = plan("softmax", T="half", rows=10, columns=100), numpy.ones((10, 100), ml_dtypes.bfloat16)
    raises(TypeError, "has elements of type __nv_bfloat16", half, bf16, bf16.copy(), 10)
    raises(TypeError, "elements of type int4, which", half, bf16.astype(ml_dtypes.int4), bf16, 10)
    seen = []

    def reference(sizes, y, n):
        seen.append(y.dtype)
        y[:] = 2 * y
    given = dict(T=bf16.dtype, n=N, reference=reference, time_limit=400, force=True)
    gputune.tune(twice, inputs={"y": bf16.ravel()}, **given)
    assert set(seen) == {bf16.dtype}, seen
    raises(TypeError, "input y is not contiguous", gputune.tune, twice, inputs={"y": bf16.T}, **given)
    raises(gputune.InvalidError, "input 'y' has elements of type half", gputune.tune, twice, inputs={"y": numpy.ones(N, "f2")}, **given)

@test_with("numpy", "jax")
def arrays_of_jax(numpy, jax):
    y, x = numpy.ones(N, "f"), jax.numpy.ones(N)
    axpy = plan()
    axpy(y, x, 2.0, N)
    assert (y == 3).all()
    raises(TypeError, "is read-only; the kernel writes to it", axpy, x, y, 1.0, N)  # JAX's arrays are immutable
    assert gputune.tune("axpy", n=N, inputs={"x": x}, only=["VEC=1", "UNROLL=1"], time_limit=400,
                        force=True).info["source"] == "measured"
    half = jax.numpy.ones(N, jax.numpy.bfloat16)
    assert "T=__nv_bfloat16" in plan(twice, n=N, T=half.dtype).info["sizes"]
    raises(TypeError, "is read-only", plan(twice, n=N, T=half.dtype), half, N)

@test_with("numpy", "numba.cuda")
def arrays_of_numba(numpy, cuda):
    y, x = cuda.to_device(numpy.ones(N, "f")), cuda.to_device(numpy.ones(N, "f"))
    axpy, stream = plan(), cuda.stream()
    axpy(y, x, numpy.float32(2), numpy.int64(N))
    axpy(y, x, 1.0, N, stream=stream)
    stream.synchronize()
    assert (y.copy_to_host() == 4).all()
    raises(TypeError, "not contiguous", axpy, cuda.to_device(numpy.ones(2 * N, "f"))[::2], x, 1.0, N)
    gputune.tune("axpy", n=N, inputs={"x": x}, effort="cached")

run()
