"""Evaluates a spec of foreign.py on this GPU, for the scripts that use CuPy."""
import json
import re

import cupy
import numpy

# gputune's names of device properties in CuPy
PROPERTIES = {
    "sm_count": "MultiProcessorCount",
    "warp_size": "WarpSize",
    "max_threads_per_sm": "MaxThreadsPerMultiProcessor",
    "max_blocks_per_sm": "MaxBlocksPerMultiprocessor",
    "shared_per_block": "MaxSharedMemoryPerBlock",
    "shared_per_sm": "MaxSharedMemoryPerMultiprocessor",
    "shared_optin": "MaxSharedMemoryPerBlockOptin",
    "registers_per_sm": "MaxRegistersPerMultiprocessor",
    "shared_reserved": "ReservedSharedMemoryPerBlock",
}
OPTIONS = ("--std=c++17", "-default-device")
SHARED_FREE = 48 << 10  # dynamic shared memory without an opt-in


def load(path):
    """Reads a spec, and replaces the device's properties in its expressions by numbers."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    attributes = cupy.cuda.Device().attributes
    text = re.sub(r"\bcc\b", cupy.cuda.Device().compute_capability, text)
    for name, known_as in PROPERTIES.items():
        text = re.sub(rf"\b{name}\b", str(attributes[known_as]), text)
    return json.loads(text)


def argument(one, random):
    """Makes an argument: a buffer as an array, a scalar or a block by value as a NumPy scalar."""
    kind = numpy.dtype(one["type"])
    if "value" in one:
        return kind.type(one["value"])
    if "low" not in one:
        return numpy.zeros(one["count"], dtype=kind)
    low, high = one["low"], one["high"]
    if kind.kind in "iu":
        values = random.integers(low, high, one["count"], dtype=kind, endpoint=True)
    else:
        values = random.random(one["count"], dtype=kind)
        values *= high - low
        values += low
    return numpy.void(values.tobytes()) if one.get("by_value") else values


def arguments(spec):
    random = numpy.random.default_rng(1)
    return [argument(one, random) for one in spec["arguments"]]


def evaluate(expression, config):
    """Returns an expression's value for a configuration, a dictionary."""
    return int(eval(expression, {}, config))
