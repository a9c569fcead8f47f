"""Tests gputune.kernel_tuner on the emulator. Ends with "N passed, N failed"."""
import os
import tempfile
import time
import types
import warnings

import numpy

import gputune
from gputune.kernel_tuner import CompilationFailedConfig, run_kernel, tune_kernel
from harness import raises, run, test

N = 1000
ADD = """
__global__ void vector_add(float *c, const float *a, const float *b, int n)
{
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
"""
a, b = numpy.random.rand(N).astype("float32"), numpy.random.rand(N).astype("float32")
arguments = [numpy.zeros(N, "float32"), a, b, numpy.int32(N)]


def tune(tune_params, source=ADD, name="vector_add", size=N, given=arguments, **options):
    return tune_kernel(name, source, size, given, tune_params, quiet=True, **options)


@test
def results_and_environment():
    results, env = tune({"block_size_x": [64, 128, 256]}, answer=[a + b, None, None, None],
                        metrics={"GB/s": f"({N} * 12 / 1e9) / (time / 1000)", "half": lambda p: p["GB/s"] / 2})
    assert [one["block_size_x"] for one in results] == [64, 128, 256]
    assert set(results[0]) == {"block_size_x", "time", "times", "GB/s", "half", "compile_time", "verification_time",
                               "benchmark_time", "strategy_time", "framework_time", "timestamp"}
    for one in results:
        assert one["time"] > 0 and len(one["times"]) > 0 and one["compile_time"] > 0
        assert abs(one["GB/s"] - N * 12 / 1e9 / (one["time"] / 1000)) < 1e-9 and one["half"] == one["GB/s"] / 2
    assert env["best_config"]["time"] == min(one["time"] for one in results)
    assert "emulated" in env["device_name"] and env["total_compile_time"] > 0


@test
def nothing_is_limited_to_the_seconds_of_a_call_of_tune():
    limits, own = [], gputune.Tuner.tune

    def noted(self, kernel, **options):
        limits.append(options.get("time_limit", 0))
        return own(self, kernel, **options)

    gputune.Tuner.tune = noted
    try:
        tune({"block_size_x": [64]}, answer=[a + b, None, None, None])
        run_kernel("vector_add", ADD, N, arguments, {"block_size_x": 96})
    finally:
        gputune.Tuner.tune = own
    assert len(limits) == 2 and min(limits) > 3600, limits


@test
def the_memory_order_of_arguments():
    def add(c, x, y):
        return run_kernel("vector_add", ADD, N, [c, x, y, numpy.int32(N)], {"block_size_x": 128})[0]

    wide, reverse = numpy.random.rand(2 * N).astype("float32")[::2], b[::-1]
    assert numpy.allclose(add(arguments[0], wide, reverse), wide + reverse)
    x, y = a.reshape(50, 20).T, b.reshape(50, 20).T  # contiguous in Fortran's order
    assert numpy.allclose(add(numpy.zeros_like(x), x, y), x + y)


@test
def arrays_of_vectors():
    fill = """#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void fill(TYPE *y, int n)
{
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) {
        y[i].x = 1.0f;
        y[i].y = 2.0f;
    }
}
"""
    for kind, y, wanted in (("float2", numpy.zeros(N, "complex64"), 1 + 2j),
                            ("cuDoubleComplex", numpy.zeros(N, "complex128"), 1 + 2j),
                            ("__half2", numpy.zeros(2 * N, "float16"), 2),
                            ("__nv_bfloat162", numpy.zeros(2 * N, "uint16"), 0x4000)):
        y, n = run_kernel("fill", fill.replace("TYPE", kind), N, [y, numpy.int32(N)], {"block_size_x": 64})
        assert y[1] == wanted and y[-1] == wanted, (kind, y)


@test
def one_configuration():
    for source in (ADD, lambda params: ADD.replace("block_size_x", str(params["block_size_x"]))):
        c, same, _, n = run_kernel("vector_add", source, N, arguments, {"block_size_x": 96})
        assert numpy.allclose(c, a + b) and (same == a).all() and n == N
    assert not arguments[0].any()  # the caller's array is unchanged
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "add.cu")
        with open(path, "w") as file:
            file.write('#include "sum.h"\n' + ADD.replace("a[i] + b[i]", "SUM(a[i], b[i])"))
        with open(os.path.join(folder, "sum.h"), "w") as file:
            file.write("#define SUM(x, y) ((x) + (y))\n")
        assert numpy.allclose(run_kernel("vector_add", path, N, arguments, {"block_size_x": 96})[0], a + b)


@test
def code_that_a_function_writes():
    def write(params):
        return ADD.replace("block_size_x", str(params["block_size_x"]))
    results, _ = tune({"block_size_x": [64, 128]}, write, answer=[a + b, None, None, None])
    assert [one["time"] > 0 for one in results] == [True, True]


@test
def wrong_results_are_reported():
    sometimes = ADD.replace("+ b[i]", "+ (block_size_x == 128 ? 0 : b[i])")
    raises(RuntimeError, "Kernel result verification failed for: block_size_x=128", tune,
           {"block_size_x": [64, 128]}, sometimes, answer=[a + b, None, None, None])
    seen = []

    def verify(expected, found, atol=None):
        seen.append(atol)
        return expected[1] is None and found[1] is None and numpy.allclose(expected[0], found[0])
    tune({"block_size_x": [64]}, answer=[a + b, None, None, None], verify=verify, atol=0.5)
    assert seen == [0.5]
    raises(RuntimeError, "verification failed", tune, {"block_size_x": [64]}, answer=[a, None, None, None],
           verify=lambda expected, found: False)


@test
def what_is_searched():
    space = {"block_size_x": [32, 64, 128], "block_size_y": [1, 2], "unused": [0, 1]}
    results, _ = tune(space, restrictions=["block_size_x * block_size_y <= 64", lambda p: p["unused"] == 1],
                      grid_div_y=[])
    assert [(one["block_size_x"], one["block_size_y"]) for one in results] == [(32, 1), (32, 2), (64, 1)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results, _ = tune(space, grid_div_y=[], strategy="genetic_algorithm", strategy_options={"max_fevals": 3})
        assert len(results) == 3 and "random configurations" in str(caught[0].message)
        module = types.ModuleType("kernel_tuner.strategies.minimize")  # scripts may pass a module
        results, _ = tune(space, grid_div_y=[], strategy=module, strategy_options={"max_fevals": 2})
        assert len(results) == 2 and "'minimize'" in str(caught[-1].message), caught[-1].message
    many, _ = tune({"block_size_x": [32], "unused": list(range(200))}, strategy="random_sample",
                   strategy_options={"fraction": 0.012})
    assert len(many) == 3


@test
def restrictions_are_evaluated_once_for_the_same_values():
    asked = []

    def is_even(one, two):
        asked.append((one, two))
        return (one + two) % 2 == 0

    results, _ = tune({"block_size_x": [64, 2048], "one": [1, 2], "two": [1, 2], "three": [1, 2, 3]},
                      restrictions=[(is_even, ["two", "one"]), "one < 2 or three == 3", lambda p: p["three"] != 2])
    found = [(one["block_size_x"], one["one"], one["two"], one["three"]) for one in results]
    assert found == [(64, 1, 1, 1), (64, 1, 1, 3), (64, 2, 2, 3)], found
    assert sorted(asked) == [(1, 1), (1, 2), (2, 1), (2, 2)], asked
    raises(TypeError, "restrictions has 7", tune, {"block_size_x": [64]}, restrictions=[7])
    results, _ = tune({"block_size_x": [32, 64]}, restrictions=["all(one < block_size_x for one in (16, 33))"],
                      metrics={"twice": "sum(block_size_x for _ in range(2))"})
    assert [one["twice"] for one in results] == [128], results
    results, _ = tune({"block_size_x": [64]}, grid_div_x=numpy.int64(64))
    assert "time" in results[0], results


@test
def a_time_limit_leaves_out_what_was_not_tried():
    limits, own = [], gputune.kernel_tuner._run

    def noted(tuner, template, variants, limit, folder):
        limits.append(limit)
        if len(limits) < 3:
            return own(tuner, template, variants, limit, folder)
        return own(tuner, template, variants, 1e-9, folder)

    gputune.kernel_tuner._run = noted
    try:
        results, _ = tune({"block_size_x": [64, 96], "unused": list(range(20))}, strategy="random_sample",
                          strategy_options={"time_limit": 600}, answer=[a + b, None, None, None])
    finally:
        gputune.kernel_tuner._run = own
    assert 600 > limits[0] > limits[1] > limits[2], limits  # the limit is that of the whole call
    assert len(results) == 12 and all("time" in one for one in results), results
    raises(RuntimeError, "time_limit of 1e-09 s left no configuration measured", tune, {"block_size_x": [64]},
           strategy_options={"time_limit": 1e-9})


@test
def sizes_of_a_launch():
    source = """
__global__ void sizes(int *out)
{
    extern __shared__ int room[];
    room[0] = 7;
    if (threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
        out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
        out[3] = blockDim.x; out[4] = blockDim.y; out[5] = room[0]; out[6] = grid_size_x; out[7] = kernel_tuner;
    }
}
"""
    params = {"width": 32, "height": 2, "tile": 3}
    out, = run_kernel("sizes", source, ("tile * 100", 7, 2), [numpy.zeros(8, "int32")], params,
                      grid_div_x=["width", "tile"], grid_div_y=lambda p: p["height"],
                      block_size_names=["width", "height"], smem_args={"size": "4 * tile"})
    assert list(out) == [4, 4, 2, 32, 2, 7, 4, 1], out


@test
def constant_memory_and_vectors():
    source = """
__constant__ float factors[4];
__global__ void scale(float2 *x, int n)
{
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) {
        x[i].x *= factors[0];
        x[i].y *= factors[3];
    }
}
"""
    x = numpy.ones(2 * N, "float32")
    factors = numpy.array([2, 0, 0, 3], "float32")
    given = dict(cmem_args={"factors": factors})
    found, _ = run_kernel("scale", source, N, [x, numpy.int32(N)], {"block_size_x": 64}, **given)
    assert (found.reshape(N, 2) == [2, 3]).all()
    results, _ = tune({"block_size_x": [64, 128]}, source, "scale", N, [x, numpy.int32(N)],
                      answer=[numpy.tile([2, 3], N).astype("float32"), None], **given)
    assert all(one["time"] > 0 for one in results)


@test
def templates_and_failures():
    source = """
template <typename T> __global__ void twice(T *x, int n)
{
    int i = blockIdx.x * block_size_x + threadIdx.x;
#if block_size_x == 128
    this does not compile
#endif
    if (i < n) { x[i] = 2 * x[i]; }
}
"""
    results, _ = tune({"block_size_x": [64, 128]}, source, "twice<float>", N, [a.copy(), numpy.int32(N)],
                      answer=[2 * a, None])
    assert results[0]["time"] > 0 and "__error__" not in results[0], results
    assert isinstance(results[1]["__error__"], CompilationFailedConfig) and "time" not in results[1], results
    none, env = tune({"block_size_x": [128]}, source, "twice<float>", N, [a.copy(), numpy.int32(N)])
    assert "__error__" in none[0] and "best_config" not in env


@test
def another_kernel_of_the_file_that_does_not_fit():
    source = ADD + """
__global__ void large(float *x)
{
    __shared__ double room[block_size_x == 256 ? 9000 : 1];
    room[threadIdx.x] = x[0];
    __syncthreads();
    x[0] = room[x[1] > 0 ? 1 : 0];
}
"""
    results, _ = tune({"block_size_x": [256, 64]}, source)  # left out, because nothing launches it
    assert len(results) == 2 and all("time" in one for one in results), results


@test
def what_crashes_is_tried_once():
    runs, own = [], gputune.kernel_tuner._run

    def noted(*arguments):
        runs.append(1)
        return own(*arguments)

    gputune.kernel_tuner._run = noted
    try:
        results, _ = tune({"block_size_x": [64, 128]}, ADD.replace("c[i]", "c[i + (1 << 30)]"))
    finally:
        gputune.kernel_tuner._run = own
    assert len(runs) == 1 and all("__error__" in one for one in results), (runs, results)


@test
def totals_of_the_clock():
    begun = time.perf_counter()
    _, env = tune({"block_size_x": [64, 128, 256]}, answer=[a + b, None, None, None])
    total = sum(value for name, value in env.items() if name.startswith("total_") or name == "overhead_time")
    assert all(env[f"total_{name}_time"] > 0 for name in ("strategy", "framework", "compile", "benchmark",
                                                          "verification")), env
    assert 0 < total < 1000 * (time.perf_counter() - begun)


@test
def unsupported_arguments_are_refused():
    one = {"block_size_x": [64]}
    for name, value in (("lang", "OpenCL"), ("texmem_args", {"tex": a}), ("observers", [object()]),
                        ("simulation_mode", True), ("strategy", object())):
        raises(NotImplementedError, "supported", tune, one, **{name: value})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tune(one, cache="results.json")
    assert "cache has no effect" in str(caught[0].message) and caught[0].filename == __file__, caught
    raises(NotImplementedError, "__global__", tune, one, "__kernel void f(global float *x) {}")
    raises(TypeError, "argument 4 (n) is 1000; expected a NumPy array", tune, one, given=[*arguments[:3], N])
    raises(TypeError, "has 4 parameters; got 3 arguments", tune, one, given=arguments[:3])
    raises(ValueError, "no __global__ function 'vector_sub'", tune, one, name="vector_sub")


run()
