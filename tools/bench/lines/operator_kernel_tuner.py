# An operator of PyTorch, which torch.compile keeps.
import functools
import sys

import cupy
import numpy
import torch
from kernel_tuner import tune_kernel


@functools.lru_cache
def tuned(n):
    a, b = numpy.random.rand(2, n).astype("float32")
    _, env = tune_kernel("add", "add_plain.cu", n, [numpy.zeros_like(a), a, b, numpy.int32(n)],
                         {"block_size_x": [64, 128, 256, 512, 1024]}, answer=[a + b, None, None, None], quiet=True)
    block = env["best_config"]["block_size_x"]
    with open("add_plain.cu") as file:
        return block, cupy.RawKernel(f"#define block_size_x {block}\n" + file.read(), "add")


@torch.library.custom_op("lines::add", mutates_args=())
def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c, n = torch.empty_like(a), a.numel()
    block, kernel = tuned(n)
    with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
        kernel(((n + block - 1) // block,), (block,),
               (c.data_ptr(), a.contiguous().data_ptr(), b.contiguous().data_ptr(), numpy.int32(n)))
    return c


@add.register_fake
def _(a, b):
    return torch.empty_like(a)


x = torch.ones(int(sys.argv[1]), device="cuda")
print(float(torch.compile(lambda y: add(y, y) * 1)(x)[0]))
