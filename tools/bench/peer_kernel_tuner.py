#!/usr/bin/env python3
"""Tunes one CUDA source with Kernel Tuner and prints its winners as JSON.

peer_kernel_tuner.py [--times N] [--strategy NAME] [--seconds S] SOURCE KERNEL SPEC.json

It searches by brute force, or with one of Kernel Tuner's strategies at its defaults for S seconds.

SOURCE is a generated gputune source without the tunables' #define lines; SPEC.json, written by
foreign.py, has the arguments, the tunables and the launch. Each of the N tunings allocates its buffers,
loads its modules and measures again; from the second on, CuPy's disk cache (version 14) avoids
compiling.
"""
import argparse
import gc
import itertools
import json
import re
import time

started = time.monotonic()
import cupy  # noqa: E402
import kernel_tuner  # noqa: E402
from constraint import FunctionConstraint, Unassigned  # noqa: E402
from kernel_tuner.observers.observer import BenchmarkObserver  # noqa: E402

imported = time.monotonic()
import peer_spec  # noqa: E402


class SharedMemory(BenchmarkObserver):
    """Lets kernels use shared memory that needs an opt-in. The CuPy backend lacks the opt-in, so a single
    such variant would end the tuning."""

    def before_start(self):
        if self.dev.smem_size > peer_spec.SHARED_FREE:
            self.dev.func.max_dynamic_shared_size_bytes = self.dev.smem_size

    def get_results(self):
        return {}


def values_of(expression, tunables):
    """Returns the possible values of an expression, for all values of its tunables."""
    names = [name for name in tunables if re.search(rf"\b{name}\b", expression)]
    combinations = itertools.product(*(tunables[name] for name in names))
    return sorted({peer_spec.evaluate(expression, dict(zip(names, one))) for one in combinations})


def restriction(expression, tunables):
    """Makes a function of all tunables from a restriction, evaluated as soon as its tunables have values,
    because Kernel Tuner's parser does not support Python's conditional expressions."""
    used = [
        (at, name) for at, name in enumerate(tunables) if re.search(rf"\b{name}\b", expression)
    ]
    holds = eval(f"lambda {', '.join(name for _, name in used)}: {expression}")

    def may_hold(*values):
        known = [values[at] for at, _ in used]
        return any(value is Unassigned for value in known) or bool(holds(*known))

    return FunctionConstraint(may_hold, assigned=False)


def launch(spec):
    """Returns Kernel Tuner's arguments for tunables and launch; the "problem size" is the grid. A block size
    must be a tunable: one is added if necessary, bound by a restriction."""
    tunables, restrictions = dict(spec["tunables"]), list(spec["restrictions"])
    blocks = []
    for size, axis in zip(spec["block"], "xyz"):
        if size in tunables:
            blocks.append(size)
        else:
            blocks.append("block_size_" + axis)
            tunables[blocks[-1]] = values_of(size, spec["tunables"])
            restrictions += [f"{blocks[-1]} == {size}"] if len(tunables[blocks[-1]]) > 1 else []
    return {
        "problem_size": tuple(spec["grid"]),
        "tune_params": tunables,
        "grid_div_x": [],
        "grid_div_y": [],
        "grid_div_z": [],
        "restrictions": [restriction(one, tunables) for one in restrictions] or None,
        "block_size_names": blocks,
        "smem_args": None if spec["shared"] == "0" else {"size": spec["shared"]},
    }


def searched(given):
    """Returns Kernel Tuner's arguments for the search strategy and time."""
    limit = {"time_limit": given.seconds} if given.seconds else {}
    return {"strategy": given.strategy, "strategy_options": limit} if given.strategy else {}


def tune(spec, source, kernel, arguments, search):
    """Runs one tuning from copying the arguments to the winner."""
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
        **search,
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
    """Returns true if the second tuning compiled again, because CuPy's disk cache does not support kernels
    with a name expression."""
    return len(tunings) > 1 and tunings[1]["compile_s"] > tunings[0]["compile_s"] / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--strategy")
    parser.add_argument("--seconds", type=float)
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
        tunings.append(tune(spec, source, given.kernel, arguments, searched(given)))
        # the next tuning loads modules and allocates buffers again, like a new process
        if not compiles_again(tunings):
            cupy.clear_memo()
        gc.collect()
    answer = {
        "version": kernel_tuner.__version__,
        "import_s": imported - started,
        "inputs_s": ready - imported,
        "tunings": tunings,
    }
    print(json.dumps(answer))


main()
