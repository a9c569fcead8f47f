#!/usr/bin/env python3
"""Lines and seconds of the same task by gputune, Kernel Tuner and Kernel Launcher:

    lines.py [--run] [--size N] [--only TASK_TOOL,TASK_TOOL] [PREFIX]

Lines are those of lines/TASK_TOOL.* that are neither blank nor comments, with the kernel's file; --run runs each
twice, from an empty folder of results and again with what the first run has left, and tells the seconds of
the whole process. Wants a GPU, gputune's wheel, and what the programs import; what fails is told. PREFIX: an
installed gputune, for its C++ program, which nvcc builds; KERNEL_LAUNCHER_FLAGS in the environment has what
nvcc needs for the other one ("-Iinclude ... -lkernel_launcher")."""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lines")
KERNELS = {"gputune": "add.cu", "kernel_tuner": "add_plain.cu", "kernel_launcher": "add_plain.cu"}


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


def flags_of(tool, prefix):
    """What nvcc needs for the tool's C++ program; nothing where it is not there."""
    if tool == "kernel_launcher":
        return os.environ.get("KERNEL_LAUNCHER_FLAGS", "").split()
    return [f"-I{prefix}/include", f"-L{prefix}/lib", "-lgputune", "-Xlinker", f"-rpath={prefix}/lib"] if prefix else []


def timed(path, tool, given, folder):
    """The seconds of a program, or why there are none."""
    if path.endswith(".py"):
        return seconds([sys.executable, path, given.size], folder)
    flags = flags_of(tool, given.prefix and os.path.abspath(given.prefix))
    if not flags:
        return f"left out: it is not said where {tool} is"
    program = os.path.join(folder, "program")
    built = subprocess.run(["nvcc", "-std=c++17", path, "-o", program, *flags])
    return seconds([program, given.size], folder) if built.returncode == 0 else "not built"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--size", default=str(1 << 24))
    parser.add_argument("--only", help="these programs")
    parser.add_argument("prefix", nargs="?")
    given = parser.parse_args()
    print(f"{'task':10} {'tool':15} {'lines':>5} {'kernel':>6}  {'s, first and again' if given.run else ''}")
    for path in sorted(glob.glob(os.path.join(FOLDER, "*_*.py")) + glob.glob(os.path.join(FOLDER, "*_*.cpp"))):
        name = os.path.splitext(os.path.basename(path))[0]
        if given.only and name not in given.only.split(","):
            continue
        task, _, tool = name.partition("_")
        with tempfile.TemporaryDirectory() as folder:
            for kernel in set(KERNELS.values()):
                shutil.copy(os.path.join(FOLDER, kernel), folder)
            said = timed(path, tool, given, folder) if given.run else ""
        print(f"{task:10} {tool:15} {lines(path):5} {lines(os.path.join(FOLDER, KERNELS[tool])):6}  {said}", flush=True)


if __name__ == "__main__":
    main()
