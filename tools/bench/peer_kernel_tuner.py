#!/usr/bin/env python3
"""Tunes one CUDA source with Kernel Tuner, brute force, and prints its winner as JSON.

peer_kernel_tuner.py SOURCE KERNEL SPEC.json

SOURCE is a generated gputune source with the tunables' #define lines left out; SPEC.json gives the
arguments, the tunables and the launch (written by tools/bench/peers).
"""
import json
import sys
import time

begun = time.monotonic()
import numpy  # noqa: E402
import kernel_tuner  # noqa: E402

imported = time.monotonic()


def argument(spec):
    kind = numpy.dtype(spec["type"])
    if "count" in spec:
        values = numpy.random.default_rng(1).random(spec["count"], dtype=numpy.float32)
        return values.astype(kind, copy=False)
    return kind.type(spec["value"])


def main():
    source, kernel, spec_path = sys.argv[1:4]
    with open(spec_path, encoding="utf-8") as file:
        spec = json.load(file)
    arguments = [argument(one) for one in spec["arguments"]]
    ready = time.monotonic()
    divisors = spec["grid_div"] + [None] * (3 - len(spec["grid_div"]))
    blocks = spec["block"] + ["no_block_y", "no_block_z"]
    results, _ = kernel_tuner.tune_kernel(
        kernel,
        source,
        tuple(spec["problem_size"]),
        arguments,
        spec["tunables"],
        grid_div_x=divisors[0],
        grid_div_y=divisors[1] if divisors[1] else [],
        restrictions=spec.get("restrictions"),
        block_size_names=blocks[:3],
        lang=spec.get("lang", "cupy"),
        compiler_options=["--std=c++17", "-default-device"],
        quiet=True,
    )
    done = time.monotonic()
    timed = [r for r in results if isinstance(r["time"], (int, float))]
    best = min(timed, key=lambda r: r["time"])
    print(
        json.dumps(
            {
                "version": kernel_tuner.__version__,
                "variants": len(results),
                "timed": len(timed),
                "winner": {name: int(best[name]) for name in spec["tunables"]},
                "winner_ms": float(best["time"]),
                "import_s": imported - begun,
                "inputs_s": ready - imported,
                "tune_s": done - ready,
                "compile_s": sum(r.get("compile_time", 0) for r in results) * 1e-3,
                "benchmark_s": sum(r.get("benchmark_time", 0) for r in results) * 1e-3,
            }
        )
    )


main()
