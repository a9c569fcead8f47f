#!/usr/bin/env python3
"""Tunes templates within GPU memory budgets, and prints the memory in use as NVML reports it.

    python3 tools/bench/memory.py [--seconds 8] [--build build] [NAME:SIZES:BUDGET,BUDGET,...]...

A row is one `gputune warm --force --memory BUDGET` in an empty database. `peak` is the most memory of the
GPU that was in use during it, above what was in use before; NVML is polled every millisecond. `context` is
the part that a bare CUDA context takes. `allocated` is the difference, and must not exceed the budget, except
by the kernels' code. A budget that is too small has the needed megabytes instead. Run it on an idle GPU."""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import threading
import time

from common import Bench

MB = 1 << 20
ROWS = ["axpy:n=64M:512M,1G,2G", "gemm:m=4K,n=4K,k=4K:256M,512M,2G", "reduce:n=256M:1G,2G,8G"]


class Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Meter:
    """Reads the memory in use on the first GPU."""

    def __init__(self):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.device = ctypes.c_void_p()
        if self.nvml.nvmlInit_v2() or self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)):
            sys.exit("NVML does not work here; run this on a machine with a GPU")

    def used(self):
        memory = Memory()
        if self.nvml.nvmlDeviceGetMemoryInfo(self.device, ctypes.byref(memory)):
            sys.exit("nvmlDeviceGetMemoryInfo failed")
        return memory.used

    def during(self, command):
        """Runs a command; returns it, and the most memory in use above that before."""
        before = most = self.used()
        ended = threading.Event()

        def poll():
            nonlocal most
            while not ended.is_set():
                most = max(most, self.used())
                time.sleep(0.001)
        thread = threading.Thread(target=poll)
        thread.start()
        done = subprocess.run(command, capture_output=True, text=True)
        ended.set()
        thread.join()
        for _ in range(100):  # the driver frees a process's memory after its end
            if self.used() <= before:
                break
            time.sleep(0.05)
        return done, most - before


BARE = """
import ctypes, time
cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
assert not cuda.cuInit(0) and not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
time.sleep(0.5)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--build")
    parser.add_argument("--logs", default="/tmp/gputune-memory")
    parser.add_argument("rows", nargs="*", default=ROWS)
    given = parser.parse_args()
    bench, meter = Bench(given.logs, given.build), Meter()
    bare, context = meter.during([sys.executable, "-c", BARE])
    if bare.returncode:
        sys.exit(f"a CUDA context cannot be made: {bare.stderr.strip()}")
    print(f"context {context / MB:.0f} MB, in use before {meter.used() / MB:.0f} MB")
    print(f"{'template':<10} {'sizes':<20} {'budget':>9} {'peak':>9} {'allocated':>9}  result")
    for row in given.rows:
        name, sizes, budgets = row.split(":")
        words = [word for size in sizes.split(",") for word in ("--size", size)]
        for budget in budgets.split(","):
            bench.forget()
            command = [bench.gputune, "warm", name, *words, "--force", "--time-limit", str(given.seconds)]
            done, peak = meter.during(command + ["--memory", budget, "--format", "csv"])
            needs = re.search(r"needs ([0-9.]+) MB", done.stderr)
            rows = done.stdout.splitlines()
            if needs:
                result = f"refused: needs {needs[1]} MB"
            elif done.returncode or len(rows) < 2:
                result = f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1]}"
            else:
                result = rows[1].split(",")[3]
            allocated = "" if needs else f"{(peak - context) / MB:.0f} MB"
            shown = f"{peak / MB:.0f} MB"
            print(f"{name:<10} {sizes:<20} {budget:>9} {shown:>9} {allocated:>9}  {result}", flush=True)


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    main()
