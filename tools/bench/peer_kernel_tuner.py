#!/usr/bin/env python3
"""Tunes one CUDA source with Kernel Tuner, brute force, and prints its winners as JSON.

peer_kernel_tuner.py [--times N] SOURCE KERNEL SPEC.json

SOURCE is a generated gputune source with the tunables' #define lines left out; SPEC.json gives the
arguments, the tunables and the launch (written by foreign.py). Each of the N tunings makes its
buffers, loads its modules and measures anew; from the second on, CuPy's cache on disk (version 14)
saves the compiling.
"""
import argparse
import gc
import json
import time

begun = time.monotonic()
import cupy  # noqa: E402
import kernel_tuner  # noqa: E402
from kernel_tuner.observers.observer import BenchmarkObserver  # noqa: E402

imported = time.monotonic()
import peer_spec  # noqa: E402


class SharedMemory(BenchmarkObserver):
    """Lets kernels have more shared memory than needs no opt-in, which the CuPy backend leaves out:
    without it a single such variant would end the tuning."""

    def before_start(self):
        if self.dev.smem_size > peer_spec.SHARED_FREE:
            self.dev.func.max_dynamic_shared_size_bytes = self.dev.smem_size

    def get_results(self):
        return {}


def launch(spec):
    """Kernel Tuner's arguments for tunables and launch: the "problem size" is the grid itself."""
    tunables = dict(spec["tunables"])
    blocks = []
    for size, axis in zip(spec["block"], "xyz"):
        if size in tunables:
            blocks.append(size)
        else:
            blocks.append("block_size_" + axis)
            tunables[blocks[-1]] = [peer_spec.evaluate(size, {})]
    return {
        "problem_size": tuple(spec["grid"]),
        "tune_params": tunables,
        "grid_div_x": [],
        "grid_div_y": [],
        "grid_div_z": [],
        "restrictions": spec["restrictions"] or None,
        "block_size_names": blocks,
        "smem_args": None if spec["shared"] == "0" else {"size": spec["shared"]},
    }


def tune(spec, source, kernel, arguments):
    """One tuning from the arguments' copies on the device to the winner."""
    start = time.monotonic()
    results, environment = kernel_tuner.tune_kernel(
        kernel,
        source,
        arguments=arguments,
        lang="cupy",
        compiler_options=list(peer_spec.OPTIONS),
        observers=[SharedMemory()],
        quiet=True,
        **launch(spec),
    )
    best = environment["best_config"]
    return {
        "variants": len(results),
        "failed": sum("__error__" in one for one in results),
        "winner": {name: int(best[name]) for name in spec["tunables"]},
        "winner_ms": float(best["time"]),
        "tune_s": time.monotonic() - start,
        "compile_s": sum(one["compile_time"] for one in results) * 1e-3,
        "benchmark_s": sum(one["benchmark_time"] for one in results) * 1e-3,
    }


def compiles_again(tunings):
    """Whether the second one compiled although the first had: a CuPy whose cache on disk is not for
    kernels with a name expression. What is loaded stays then."""
    return len(tunings) > 1 and tunings[1]["compile_s"] > tunings[0]["compile_s"] / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("source")
    parser.add_argument("kernel")
    parser.add_argument("spec")
    given = parser.parse_args()
    with open(given.source, encoding="utf-8") as file:
        source = file.read()
    spec = peer_spec.load(given.spec)
    arguments = peer_spec.arguments(spec)
    ready = time.monotonic()
    tunings = []
    while len(tunings) < given.times:
        tunings.append(tune(spec, source, given.kernel, arguments))
        # the next one loads its modules and makes its buffers again, as a process of its own would
        if not compiles_again(tunings):
            cupy.clear_memo()
        gc.collect()
    answer = {
        "version": kernel_tuner.__version__,
        "import_s": imported - begun,
        "inputs_s": ready - imported,
        "tunings": tunings,
    }
    print(json.dumps(answer))


main()
