#!/usr/bin/env python3
"""Measures the host time of a gputune.torch operator, compared with PyTorch's own, and checks it with
torch.compile, in CUDA graphs, with gradients and with opcheck:

    tools/bench/torch_operator.py [WHEEL]

The wheel (default: the newest in build/wheel, made by `make wheel`) is installed into a separate folder.
Needs a GPU, PyTorch and no network. Ends with "N passed, N failed"; takes less than a minute."""
import glob
import os
import subprocess
import sys
import tempfile
import time
import traceback

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SMALL, N = 64, 1 << 16
TWICE = """#pragma gputune kernel(twice)
#pragma gputune problem(n = 1 << 16)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BLOCK = 128, 256)
#pragma gputune default(BLOCK = 128) block(BLOCK) grid(ceil_div(n, BLOCK))
__global__ void twice(float *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
    if (i < n) {
        y[i] = 2 * x[i];
    }
}
"""


def host_us(calls, sync, count=300, turns=25):
    """Returns the minimum host time of each call in microseconds, measured in turns, in batches so small that
    the driver's queue is never full."""
    best = [1e9] * len(calls)
    for _ in range(turns):
        for i, call in enumerate(calls):
            begin = time.perf_counter()
            for _ in range(count):
                call()
            best[i] = min(best[i], (time.perf_counter() - begin) / count)
            sync()
    return [1e6 * one for one in best]


def make_operators(gputune, torch, folder):
    path = os.path.join(folder, "twice.cu")
    with open(path, "w") as file:
        file.write(TWICE)

    @gputune.torch.operator("gputune_bench::axpy_", "axpy", sizes=lambda y, x, a: {"n": y.numel()},
                            mutates=["y"])
    def axpy_(y: torch.Tensor, x: torch.Tensor, a: float) -> None:
        "y += a x"

    @gputune.torch.operator("gputune_bench::twice", path, sizes=lambda x: {"n": x.numel()},
                            outputs={"y": lambda x: torch.empty_like(x)})
    def twice(x: torch.Tensor) -> torch.Tensor:
        "2 x"

    @torch.library.custom_op("gputune_bench::nothing_", mutates_args=["y"])
    def nothing_(y: torch.Tensor, x: torch.Tensor, a: float) -> None:
        pass

    twice.register_autograd(lambda context, gradient: twice(gradient))
    return axpy_, twice, nothing_


def show_costs(gputune, torch, axpy_, twice, nothing_):
    y, x = torch.ones(SMALL, device="cuda"), torch.ones(SMALL, device="cuda")
    plan = gputune.tune("axpy", n=SMALL)
    gelu = torch.nn.functional.gelu
    rows = [("torch.nn.functional.gelu(x)", lambda: gelu(x)), ("y.add_(x)", lambda: y.add_(x)),
            ("plan(y, x, 0.0, 64)", lambda: plan(y, x, 0.0, SMALL)),
            ("tune('axpy', n=64), a hit", lambda: gputune.tune("axpy", n=SMALL)),
            ("operator axpy_(y, x, 0.0)", lambda: axpy_(y, x, 0.0)),
            ("operator twice(x), which makes y", lambda: twice(x)),
            ("the same by PyTorch's dispatcher", lambda: axpy_._opoverload(y, x, 0.0)),
            ("an operator that does nothing", lambda: nothing_(y, x, 0.0)), ("an empty function", lambda: None)]
    for _, call in rows:
        call()
        call()
    times = host_us([call for _, call in rows], torch.cuda.synchronize)
    print(f"    extension module: {'yes' if gputune._fast.Launched.__module__ != 'gputune._fast' else 'no'}")
    for (what, _), one in zip(rows, times):
        print(f"    {what:34} {one:6.2f} us of the host, {one / times[0]:5.2f} of gelu's")


def equal(found, wanted):
    assert found.shape == wanted.shape and bool((found == wanted).all()), f"expected {wanted}, found {found}"


def fresh(torch, n=N):
    return torch.ones(n, device="cuda"), torch.arange(n, device="cuda", dtype=torch.float32)


def eager(torch, axpy_, twice):
    y, x = fresh(torch)
    for i in range(1, 5):  # the first uses the dispatcher
        axpy_(y, x, 2.0)
        equal(y, 1 + 2 * i * x)
        assert y._version == i, f"version {y._version} after {i} calls"
        equal(twice(x), 2 * x)
    table = torch.arange(2.0 * N, device="cuda").reshape(N, 2)
    equal(twice(table[:, 1]), 2 * table[:, 1])
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        axpy_(y, x, -8.0)
        y.mul_(2)
    stream.synchronize()
    equal(y, torch.full_like(y, 2))
    with torch.inference_mode():
        equal(twice(twice(x)), 4 * x)


def compiled(torch, axpy_, twice):
    def step(y, x):
        axpy_(y, x, 2.0)
        return twice(y) + 1
    for how in ({}, {"dynamic": True}, {"mode": "reduce-overhead"}):
        whole = torch.compile(step, fullgraph=True, **how)
        for n in (N, N, N, 2 * N) if how.get("dynamic") else (N, N, N, N):
            y, x = fresh(torch, n)
            equal(whole(y, x), 3 + 4 * x)
            equal(y, 1 + 2 * x)
        print(f"    torch.compile(fullgraph=True, {how}): right")
        torch.compiler.reset()


def graph(torch, axpy_, twice):
    y, x = fresh(torch)
    twice(x)
    axpy_(y, x, 0.0)
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        axpy_(y, x, 2.0)
        z = twice(y)
    for i in range(1, 4):
        captured.replay()
        torch.cuda.synchronize()
        equal(y, 1 + 2 * i * x)
        equal(z, 2 * y)


def gradients(torch, axpy_, twice):
    x = torch.ones(N, device="cuda", requires_grad=True)
    twice(x.detach())
    for _ in range(2):
        x.grad = None
        (twice(x) * 3).sum().backward()
        equal(x.grad, torch.full_like(x, 6))
    with torch.no_grad():
        assert not twice(x).requires_grad
    saved = (x * x)
    loss = saved.exp().sum()
    saved = saved.detach()
    axpy_(saved, torch.ones_like(saved), 1.0)
    try:
        loss.backward()
        x.grad.sum().item()
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error), error


def checked(torch, axpy_, twice):
    y, x = fresh(torch)
    torch.library.opcheck(axpy_, (y, x, 2.0))
    torch.library.opcheck(twice, (x,))
    torch.library.opcheck(twice, (x.clone().requires_grad_(),))


def main():
    wheels = sys.argv[1:] or sorted(glob.glob(os.path.join(TOP, "build", "wheel", "*.whl")), key=os.path.getmtime)
    if not wheels:
        sys.exit("torch_operator: no wheel; make it with 'make wheel', or name one")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target",
                        folder, wheels[-1]], check=True)
        os.environ["GPUTUNE_DB"] = os.path.join(folder, "tried.db")
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(folder, "inductor"))
        sys.path.insert(0, folder)
        import torch

        import gputune
        import gputune.torch
        axpy_, twice, nothing_ = make_operators(gputune, torch, folder)
        print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
        show_costs(gputune, torch, axpy_, twice, nothing_)
        for function in (eager, compiled, graph, gradients, checked):
            begin = time.perf_counter()
            try:
                function(torch, axpy_, twice)
                passed += 1
                print(f"{function.__name__}: right, {time.perf_counter() - begin:.1f} s")
            except Exception:
                failed += 1
                print(f"{function.__name__}: failed")
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
