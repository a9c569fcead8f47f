#!/usr/bin/env python3
"""Times configurations of one CUDA source side by side, independently of the tuners.

judge.py SOURCE KERNEL SPEC.json CONFIG... (a configuration as "VEC=4 BLOCK=256")

CuPy compiles every configuration; rounds are interleaved and shuffled; a sample is an event pair around
a batch of launches of at least 1 ms, with data larger than L2 or after a sweep of it. Prints a JSON list
in the given order: median and 95% interval of the median, in ms.
"""
import json
import math
import random
import sys

import cupy
import numpy

import peer_spec

ROUNDS = 300
L2_BYTES = 64 << 20


def parse(text):
    return {name: int(value) for name, value in (pair.split("=") for pair in text.split())}


def prepare(source, kernel, spec, config, arguments):
    """Returns a function that launches the configuration."""
    defines = "".join(f"#define {name} {value}\n" for name, value in config.items())
    module = cupy.RawModule(code=defines + source, backend="nvrtc", options=peer_spec.OPTIONS)
    function = module.get_function(kernel)
    shared = peer_spec.evaluate(spec["shared"], config)
    if shared > peer_spec.SHARED_FREE:
        function.max_dynamic_shared_size_bytes = shared
    grid = tuple(peer_spec.evaluate(one, config) for one in spec["grid"])
    block = tuple(peer_spec.evaluate(one, config) for one in spec["block"])
    return lambda: function(grid, block, arguments, shared_mem=shared)


def sample(launch, batch, sweep):
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    if sweep is not None:
        sweep.sum()
    begin.record()
    for _ in range(batch):
        launch()
    end.record()
    end.synchronize()
    return cupy.cuda.get_elapsed_time(begin, end) / batch


def summary(values):
    values = sorted(values)
    n = len(values)
    half = math.ceil(0.98 * math.sqrt(n))
    return {
        "median_ms": values[n // 2],
        "low_ms": values[max(0, n // 2 - half)],
        "high_ms": values[min(n - 1, n // 2 + half)],
    }


def main():
    source_path, kernel, spec_path, *configs = sys.argv[1:]
    with open(source_path, encoding="utf-8") as file:
        source = file.read()
    spec = peer_spec.load(spec_path)
    arguments = tuple(cupy.asarray(one) if isinstance(one, numpy.ndarray) else one for one in peer_spec.arguments(spec))
    launches = [prepare(source, kernel, spec, config, arguments) for config in map(parse, configs)]
    small = sum(one.nbytes for one in arguments) < 4 * L2_BYTES
    sweep = cupy.zeros(2 * L2_BYTES, dtype=numpy.uint8) if small else None
    batches = []
    for launch in launches:
        sample(launch, 3, None)
        once = sample(launch, 3, None)
        batches.append(max(1, math.ceil(1.0 / max(once, 1e-3))) if sweep is None else 1)
    samples = [[] for _ in launches]
    order = list(range(len(launches)))
    for _ in range(ROUNDS):
        random.shuffle(order)
        for i in order:
            samples[i].append(sample(launches[i], batches[i], sweep))
    print(json.dumps([summary(values) for values in samples]))


main()
