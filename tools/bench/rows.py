#!/usr/bin/env python3
"""Compares softmax and rmsnorm with PyTorch's eager kernels and torch.compile (Triton), on a GPU.

    rows.py [--seconds S] [--tune S] [--cache cold|hot] [ROWSxCOLUMNS...]

Results are compared first. A batch of launches is a CUDA graph on the same buffers, so the data stay in the L2
if they fit. gputune tunes for a hot cache if they fit, otherwise a cold one, unless --cache is given. The sides
take turns, and a ratio is the median of adjacent samples' ratios. gputune must be installed."""
import argparse
import statistics
import time

import gputune
import torch
import torch.nn.functional as F

LAUNCHES = 20
TYPES = {"float": torch.float32, "half": torch.half, "__nv_bfloat16": torch.bfloat16}


def batch(call):
    """Captures LAUNCHES calls in a graph; returns a function that takes one sample, in microseconds per call."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):  # compiles, and allocates
            call()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(LAUNCHES):
            call()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def sample():
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3 / LAUNCHES
    sample()
    return sample


def judge(sides, seconds):
    """Returns for each side the median time, and the median of its time divided by that of the first side."""
    samples, started = [], time.monotonic()
    while len(samples) < 5 or time.monotonic() - started < seconds:
        samples.append([sample() for sample in sides])
    return [statistics.median(column) for column in zip(*samples)], [
        statistics.median(one[i] / one[0] for one in samples) for i in range(len(sides))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--tune", type=float, default=8)
    parser.add_argument("--cache", choices=["hot", "cold"])
    parser.add_argument("shapes", nargs="*", default=["1024x1024", "8192x1024", "4096x4096", "65536x4096"])
    arguments = parser.parse_args()
    compiled = {"softmax": torch.compile(lambda x, _: F.softmax(x, -1), dynamic=False),
                "rmsnorm": torch.compile(lambda x, w: F.rms_norm(x, (x.shape[1],), w, 1e-5), dynamic=False)}
    eager = {"softmax": lambda x, _: F.softmax(x, -1),
             "rmsnorm": lambda x, w: F.rms_norm(x, (x.shape[1],), w, 1e-5)}
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    print(f"{'kernel':8} {'shape':>12} {'type':14} {'gputune us':>10} {'GB/s':>6} {'eager us':>9} {'ratio':>6} "
          f"{'compiled us':>11} {'ratio':>6}  configuration")
    for kernel in ("softmax", "rmsnorm"):
        for shape in arguments.shapes:
            rows, columns = map(int, shape.split("x"))
            for name in ("float", "half") if kernel == "softmax" else ("half", "__nv_bfloat16"):
                x = torch.randn(rows, columns, device="cuda", dtype=TYPES[name])
                y, weight = torch.empty_like(x), torch.rand(columns, device="cuda", dtype=TYPES[name])
                plan = gputune.tune(kernel, rows=rows, columns=columns, T=name, time_limit=arguments.tune,
                                    cache=arguments.cache or ("hot" if 2 * x.nbytes <= l2 else "cold"))

                def ours():
                    if kernel == "softmax":
                        plan(y, x, rows)
                    else:
                        plan(y, x, weight, 1e-5, rows)
                ours()
                torch.testing.assert_close(y, eager[kernel](x, weight), atol=1e-7,
                                           rtol=2e-2 if name != "float" else 1e-4)
                times, ratios = judge([batch(ours), batch(lambda: eager[kernel](x, weight)),
                                       batch(lambda: compiled[kernel](x, weight))], arguments.seconds)
                print(f"{kernel:8} {shape:>12} {name:14} {times[0]:10.2f} "
                      f"{2 * x.numel() * x.element_size() / times[0] * 1e-3:6.0f} {times[1]:9.2f} {ratios[1]:6.3f} "
                      f"{times[2]:11.2f} {ratios[2]:6.3f}  {plan.info['configuration']}", flush=True)


main()
