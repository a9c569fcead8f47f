#!/usr/bin/env python3
"""Lines and seconds of the same task by gputune, Kernel Tuner and Kernel Launcher:

    lines.py [--run] [--size N] [--only TASK_TOOL,TASK_TOOL] [PREFIX]

Lines are those of lines/TASK_TOOL.* that are neither blank nor comments, with the kernel's file; --run runs each
twice, from an empty folder of results and again with what the first run has left, and tells the seconds of
the whole process. Wants a GPU, gputune's wheel, and what the programs import; what fails is told. PREFIX: an
installed gputune, for its C++ program, which nvcc builds; KERNEL_LAUNCHER_FLAGS in the environment has what
nvcc needs for the other one ("-Iinclude ... -lkernel_launcher"), and KERNEL_LAUNCHER_TUNE its tune.py, which
takes what a first process has captured. Seconds of nvcc do not count."""
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


def process(command, folder, **more):
    """The seconds of a process, and its last line, where it failed."""
    environment = {**os.environ, "GPUTUNE_DB": os.path.join(folder, "results.db"), **more}
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    said = (done.stdout.strip().splitlines() or [""])[-1][:90]
    return time.perf_counter() - begun, said if done.returncode else ""


def seconds(command, folder, before=()):
    """Of two runs in one folder, the first with what is run `before` (commands, and their environment), or
    why there are none."""
    found = []
    for commands in ([*before, (command, {})], [(command, {})]):
        times, said = zip(*(process(one, folder, **more) for one, more in commands))
        if any(said):
            return "failed: " + next(filter(None, said))
        found.append(f"{sum(times):.2f}" + (f" ({' + '.join(f'{one:.2f}' for one in times)})" if times[1:] else ""))
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
    if built.returncode:
        return "not built"
    command, tune = [program, given.size], os.environ.get("KERNEL_LAUNCHER_TUNE")
    if tool != "kernel_launcher":
        return seconds(command, folder)
    if not tune:
        return "left out: it is not said where its tune.py is"
    captured = {"KERNEL_LAUNCHER_CAPTURE": "add", "KERNEL_LAUNCHER_DIR": folder}
    tuning = [sys.executable, tune, "--strategy", "random", "--time", "60", "--output", folder]
    return seconds(command, folder, [(command, captured), (["sh", "-c", '"$@" *.json && ls *.wisdom', "sh", *tuning], {})])


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
