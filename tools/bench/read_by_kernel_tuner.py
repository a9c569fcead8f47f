#!/usr/bin/env python3
"""Reads a file of `gputune export --format kernel-tuner` with Kernel Tuner's own reader, in simulation mode,
and prints the number of configurations and failures.

read_by_kernel_tuner.py FILE [STRATEGY]

Prints "skipped" and the reason if Kernel Tuner is not installed (tested with 1.5.0). A restriction excludes
configurations that the file does not have.
"""
import json
import shutil
import sys
import tempfile

try:
    import kernel_tuner
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(0)

path, strategy = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "brute_force"
with open(path) as file:
    recorded = json.load(file)
keys, cache = recorded["tune_params_keys"], recorded["cache"]


def is_recorded(values):
    return ",".join(str(values[key]) for key in keys) in cache


with tempfile.NamedTemporaryFile(suffix=".json") as copy:  # Kernel Tuner may write to it
    shutil.copyfile(path, copy.name)
    results, environment = kernel_tuner.tune_kernel(
        recorded["kernel_name"], "", tuple(recorded["problem_size"]) or 1, [], recorded["tune_params"],
        restrictions=is_recorded, strategy=strategy, simulation_mode=True, cache=copy.name,
        quiet=True, block_size_names=keys[:1], verify=None,
        strategy_options={} if strategy == "brute_force" else {"max_fevals": 20})
timed = [result for result in results if "__error__" not in result]
best = min(timed, key=lambda result: result["time"])
failures = sorted({str(result["__error__"]) for result in results if "__error__" in result})
print(f"{environment['device_name']}: {len(results)} configurations, {len(timed)} with a time")
print("best: " + " ".join(f"{key}={best[key]}" for key in keys))
print("failures: " + (" ".join(failures) or "none"))
