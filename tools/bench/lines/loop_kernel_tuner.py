# Use the winner in a loop, on the arrays of a framework.
import json
import os
import sys

import cupy
import numpy
from kernel_tuner import tune_kernel

n = int(sys.argv[1])
known = f"add-{cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}-{n}.json"
if not os.path.exists(known):
    x, y = numpy.random.rand(2, n).astype("float32")
    _, env = tune_kernel("add", "add_plain.cu", n, [numpy.zeros_like(x), x, y, numpy.int32(n)],
                         {"block_size_x": [64, 128, 256, 512, 1024]}, answer=[x + y, None, None, None], quiet=True)
    with open(known, "w") as file:
        json.dump({"block_size_x": env["best_config"]["block_size_x"]}, file)
with open(known) as file:
    block = json.load(file)["block_size_x"]
with open("add_plain.cu") as file:
    add = cupy.RawKernel(f"#define block_size_x {block}\n" + file.read(), "add")
a, b, c = cupy.ones(n, "f"), cupy.ones(n, "f"), cupy.empty(n, "f")
for _ in range(100):
    add(((n + block - 1) // block,), (block,), (c, a, b, numpy.int32(n)))
print(float(c[0]))
