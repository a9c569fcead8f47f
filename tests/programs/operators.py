"""Tests gputune.torch with CPU tensors on the emulator, whose memory is the host's. Ends with
"N passed, N failed"."""
import os
import tempfile

import torch

import gputune
import gputune.torch
from harness import run, test

N = 1000
TWICE = """#pragma gputune kernel(twice)
#pragma gputune problem(n = 1 << 10)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BLOCK = 64) block(BLOCK) grid(ceil_div(n, BLOCK))
__global__ void twice(float *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
    if (i < n) {
        y[i] = 2 * x[i];
    }
}
"""
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "twice.cu")
with open(path, "w") as file:
    file.write(TWICE)


@gputune.torch.operator("gputune_test::axpy_", "axpy", sizes=lambda y, x, a: {"n": y.numel()}, mutates=["y"],
                        effort="cached")
def axpy_(y: torch.Tensor, x: torch.Tensor, a: float) -> None:
    "y += a x"


@gputune.torch.operator("gputune_test::twice", path, sizes=lambda x: {"n": x.numel()},
                        outputs={"y": lambda x: torch.empty_like(x)}, effort="cached")
def twice(x: torch.Tensor) -> torch.Tensor:
    "2 x"


@test
def eager():
    y, x = torch.ones(N), torch.arange(N, dtype=torch.float32)
    axpy_(y, x, 2.0)
    assert torch.equal(y, 1 + 2 * x)
    assert torch.equal(twice(x), 2 * x) and twice.__doc__ == "2 x"
    table = torch.arange(2.0 * N).reshape(N, 2)
    assert torch.equal(twice(table[:, 1]), 2 * table[:, 1])  # not contiguous


@test
def direct_calls():
    """The second call at the same sizes bypasses PyTorch's dispatcher, unless a mode observes calls."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Seen(TorchDispatchMode):
        calls = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            Seen.calls += function.namespace == "gputune_test"
            return function(*args, **(kwargs or {}))
    y, x = torch.ones(N), torch.arange(N, dtype=torch.float32)
    for i in range(1, 4):
        axpy_(y, x, 2.0)
        assert torch.equal(y, 1 + 2 * i * x) and y._version == i
    with Seen():
        axpy_(y, x, 1.0)
        twice(x)
    assert Seen.calls == 2 and torch.equal(y, 1 + 7 * x)
    with torch.profiler.profile() as profile:
        axpy_(y, x, 0.0)
    assert any("gputune_test::axpy_" in one.name for one in profile.events())
    table = torch.arange(2.0 * N).reshape(N, 2)
    for _ in range(2):
        assert torch.equal(twice(table[:, 0]), 2 * table[:, 0])
        assert torch.equal(twice(torch._neg_view(x)), -2 * x)
        axpy_(y, x, 1)  # an int for a float
        axpy_(y, x=x, a=-1.0)
    assert torch.equal(y, 1 + 7 * x)
    with torch.inference_mode():
        assert torch.equal(twice(twice(x)), 4 * x)
        axpy_(y, x, 1.0)
        axpy_(twice(x), x, 1.0)
    saved = torch.ones(N, requires_grad=True).exp()
    loss = saved.exp().sum()
    axpy_(saved.detach(), x, 1.0)
    try:
        loss.backward()
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error), error
    else:
        raise AssertionError("a changed tensor was used for a gradient")
    assert torch.equal(torch.vmap(twice)(torch.ones(2, N)), torch.full((2, N), 2.0))


@test
def nothing_to_do():
    assert twice(torch.empty(0)).shape == (0,)
    axpy_(torch.empty(0), torch.empty(0), 2.0)

    @gputune.torch.operator("gputune_test::sum", "reduce", sizes=lambda x: {"n": x.numel()}, effort="cached",
                            outputs={"result": lambda x: torch.empty(1)})
    def sum_(x: torch.Tensor) -> torch.Tensor:
        "which has a result of no elements, too"
    try:
        sum_(torch.empty(0))
    except gputune.InvalidError as error:
        assert "at least one element" in str(error), error
    else:
        raise AssertionError("a result was made of nothing")


@test
def what_numpy_does_not_know():
    half = torch.arange(4 * 64, dtype=torch.bfloat16).reshape(4, 64)
    out, wanted = torch.empty_like(half), torch.softmax(half.float(), 1)
    softmax = gputune.tune("softmax", rows=4, columns=64, T=half.dtype, effort="cached")
    softmax(out, half, 4)
    assert torch.allclose(out.float(), wanted, atol=0.01)
    x = torch.ones(N, requires_grad=True)
    gputune.tune("axpy", n=N, inputs={"x": x}, effort="cached")
    gputune.tune("softmax", rows=4, columns=64, T=half.dtype, effort="cached", inputs={"x": half})
    try:
        gputune.tune("axpy", n=N, inputs={"x": torch.ones(2 * N)[::2]}, effort="cached")
    except TypeError as error:
        assert "input x is not contiguous; use .contiguous()" in str(error), error
    else:
        raise AssertionError("was taken")


@test
def torch_checks_it():
    y, x = torch.ones(N), torch.ones(N)
    torch.library.opcheck(axpy_, (y, x, 2.0))
    torch.library.opcheck(twice, (x,))


@test
def compiled():
    def both(y, x):
        axpy_(y, x, 2.0)
        return twice(y) + 1
    y, x = torch.ones(N), torch.ones(N)
    whole = torch.compile(both, fullgraph=True, backend="aot_eager")
    assert torch.equal(whole(y, x), torch.full((N,), 7.0)) and torch.equal(y, torch.full((N,), 3.0))
    assert whole(torch.ones(N // 2), torch.ones(N // 2)).shape == (N // 2,)


@test
def gradients():
    twice.register_autograd(lambda context, gradient: twice(gradient))
    twice(torch.ones(N))
    for _ in range(2):
        x = torch.ones(N, requires_grad=True)
        twice(x).sum().backward()
        assert torch.equal(x.grad, torch.full((N,), 2.0))
        with torch.no_grad():
            assert not twice(x).requires_grad


@test
def mistakes():
    @gputune.torch.operator("gputune_test::short", path, sizes=lambda x: {"n": x.numel()}, effort="cached")
    def short(x: torch.Tensor) -> None:
        pass
    try:
        short(torch.ones(N))
    except TypeError as error:
        assert "argument 'y' is not among the parameters" in str(error), error
    else:
        raise AssertionError("was launched")
    try:
        twice(torch.ones(N, dtype=torch.float64))
    except TypeError as error:
        assert "elements of type double" in str(error), error
    else:
        raise AssertionError("was launched")


run()
