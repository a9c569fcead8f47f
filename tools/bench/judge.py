#!/usr/bin/env python3
"""Times given configurations of one CUDA source side by side, apart from any tuner's own clock.

judge.py SOURCE KERNEL SIZES.json CONFIG.json...

Every configuration is compiled by CuPy; rounds are interleaved and shuffled; a sample is an event
pair around a batch of launches long enough for the clock (at least 1 ms), the data larger than L2 or
swept before. Prints a JSON list in the order given: median and 95% interval of the median, in ms.
"""
import json
import random
import sys

import cupy
import numpy

ROUNDS = 200


def argument(spec):
    kind = numpy.dtype(spec["type"])
    if "count" in spec:
        return cupy.random.default_rng(1).random(spec["count"], dtype=numpy.float32).astype(kind)
    return kind.type(spec["value"])


def load(source, kernel, config):
    defines = "".join(f"#define {name} {value}\n" for name, value in config.items())
    module = cupy.RawModule(code=defines + source, backend="nvrtc", options=("--std=c++17",))
    return module.get_function(kernel)


def grid_of(spec, config):
    div = 1
    for factor in spec["grid_div_x"]:
        div *= config[factor] if factor in config else int(factor)
    return -(-spec["problem_size"] // div)


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


def main():
    source_path, kernel, spec_path, *config_paths = sys.argv[1:]
    with open(source_path, encoding="utf-8") as file:
        source = file.read()
    with open(spec_path, encoding="utf-8") as file:
        spec = json.load(file)
    arguments = tuple(argument(one) for one in spec["arguments"])
    launches = []
    for path in config_paths:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
        function = load(source, kernel, config)
        grid, block = (grid_of(spec, config),), (config[spec["block"]],)
        launches.append(lambda f=function, g=grid, b=block: f(g, b, arguments))
    sweep = None
    if sum(a.nbytes for a in arguments) < 256 << 20:
        sweep = cupy.zeros(128 << 20, dtype=numpy.uint8)
    batches = []
    for launch in launches:
        launch()
        once = sample(launch, 3, None)
        batches.append(max(1, int(1.0 / max(once, 1e-3))) if sweep is None else 1)
    samples = [[] for _ in launches]
    order = list(range(len(launches)))
    for _ in range(ROUNDS):
        random.shuffle(order)
        for i in order:
            samples[i].append(sample(launches[i], batches[i], sweep))
    answer = []
    for values in samples:
        values.sort()
        n = len(values)
        half = int(0.98 * n**0.5)
        answer.append(
            {
                "median_ms": values[n // 2],
                "low_ms": values[n // 2 - half],
                "high_ms": values[n // 2 + half],
            }
        )
    print(json.dumps(answer))


main()
