#!/usr/bin/env python3
"""Lines and seconds of the same task by gputune and by Kernel Tuner: lines.py [--run] [--size N] [PREFIX]

Lines are those of lines/TASK_TOOL.* that are neither blank nor comments, with the kernel's file; --run runs each
twice, from an empty folder of results and again with what the first run has left, and tells the seconds of
the whole process. Wants a GPU, gputune's wheel, and what the programs import; what fails is told. PREFIX: an
installed gputune, for the C++ program, which nvcc builds."""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lines")
KERNELS = {"gputune": "add.cu", "kernel_tuner": "add_plain.cu"}


def lines(path):
    with open(path, encoding="utf-8") as file:
        texts = [line.strip() for line in file]
    return sum(bool(text) and not text.startswith(("//", "# ")) for text in texts)


def seconds(command, folder):
    """Of two runs in one folder, or why there are none."""
    environment = {**os.environ, "GPUTUNE_DB": os.path.join(folder, "results.db")}
    found = []
    for _ in range(2):
        begun = time.perf_counter()
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        if done.returncode:
            return "failed: " + (done.stdout.strip().splitlines() or [""])[-1][:90]
        found.append(f"{time.perf_counter() - begun:.2f}")
    return ", ".join(found)


def command_of(path, size, prefix, folder):
    if path.endswith(".py"):
        return [sys.executable, path, size]
    program = os.path.join(folder, "program")
    subprocess.run(["nvcc", "-std=c++17", path, "-o", program, "-I", f"{prefix}/include", "-L", f"{prefix}/lib",
                    "-lgputune", "-Xlinker", f"-rpath={prefix}/lib"], check=True)
    return [program, size]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--size", default=str(1 << 24))
    parser.add_argument("prefix", nargs="?")
    given = parser.parse_args()
    print(f"{'task':10} {'tool':14} {'lines':>5} {'kernel':>6}  {'s, first and again' if given.run else ''}")
    for path in sorted(glob.glob(os.path.join(FOLDER, "*_*.py")) + glob.glob(os.path.join(FOLDER, "*_*.cpp"))):
        task, _, tool = os.path.splitext(os.path.basename(path))[0].partition("_")
        said = ""
        with tempfile.TemporaryDirectory() as folder:
            for kernel in KERNELS.values():
                shutil.copy(os.path.join(FOLDER, kernel), folder)
            if given.run and path.endswith(".cpp") and not given.prefix:
                said = "left out: no PREFIX"
            elif given.run:
                said = seconds(command_of(path, given.size, given.prefix and os.path.abspath(given.prefix), folder),
                               folder)
        print(f"{task:10} {tool:14} {lines(path):5} {lines(os.path.join(FOLDER, KERNELS[tool])):6}  {said}", flush=True)


if __name__ == "__main__":
    main()
