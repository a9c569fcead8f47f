"""Code of all benchmarks: the build folder, an empty database, timing, Kernel Tuner, tables."""
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "tools", "bench")

SPACES = {
    "axpy": {
        "template": "axpy",
        "kernel": "axpy",
        "sizes": ["n=67108864"],
        "tunables": {
            "VEC": [1, 2, 4],
            "BLOCK": [64, 128, 256, 512, 1024],
            "UNROLL": [1, 2, 3, 4, 5, 6, 7, 8],
        },
    },
    "stencil": {
        "template": os.path.join(FOLDER, "stencil.cu"),
        "kernel": "stencil",
        "sizes": ["w=8192", "h=8192"],
        "tunables": {
            "BX": [32, 64, 128, 256, 512],
            "BY": [1, 2, 4, 8, 16],
            "TX": [1, 2, 4],
            "TY": [1, 2, 4, 8, 16],
            "STAGED": [0, 1],
            "STREAMED": [0, 1],
        },
    },
    # only axes that Kernel Tuner with CuPy can vary; it has no clusters
    "gemm": {
        "template": "gemm",
        "kernel": "gemm",
        "sizes": ["m=4096", "n=4096", "k=4096"],
        "tunables": {"SPLIT": [1], "LANES_BY": ["pairs"], "GROUP": [4], "LANES_M": [4]},
    },
}


class Bench:
    """The build under test, and the folder for all output except the short table."""

    def __init__(self, logs, build=None):
        self.build = os.path.abspath(build or os.environ.get("B") or os.path.join(ROOT, "build"))
        self.logs = os.path.abspath(logs)
        self.gputune = os.path.join(self.build, "gputune")
        os.makedirs(self.logs, exist_ok=True)
        os.environ["GPUTUNE_WORKER"] = os.path.join(self.build, "gputune-worker")
        os.environ["GPUTUNE_TEMPLATES"] = os.path.join(ROOT, "templates")
        os.environ["GPUTUNE_DB"] = self.path("bench.db")
        os.environ["LC_ALL"] = "C.UTF-8"

    def path(self, name):
        return os.path.join(self.logs, name)

    def program(self, name):
        """Returns the path of a benchmark in the build folder."""
        return os.path.join(self.build, "tools", "bench", name)

    def forget(self):
        """Makes an empty database."""
        for suffix in ("", "-journal", ".lock"):
            if os.path.exists(self.path("bench.db" + suffix)):
                os.remove(self.path("bench.db" + suffix))

    def has_device(self):
        return subprocess.run([self.gputune, "devices"], capture_output=True).returncode == 0

    def template(self, space):
        """Returns the path of a space's template."""
        name = space["template"]
        return name if name.endswith(".cu") else os.path.join(ROOT, "templates", name + ".cu")

    def ask(self, command, space, *more):
        """Returns the output of a gputune command for a space's template and sizes."""
        sizes = [word for size in space["sizes"] for word in ("--size", size)]
        line = [self.gputune, command, space["template"], *sizes, *more]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(line)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def describe(self, space, fixed):
        """Returns the output of `gputune space` for the space's tunables and the `fixed` axes only."""
        only = {**space["tunables"], **{axis: [value] for axis, value in fixed.items()}}
        words = [f"--only={axis}={','.join(map(str, values))}" for axis, values in only.items()]
        return json.loads(self.ask("space", space, "--format", "json", *words))

    def emit(self, space, config):
        """Returns the generated source of a configuration, a dictionary; other axes have the default's
        values."""
        text = " ".join(f"{axis}={value}" for axis, value in config.items())
        more = ["--config", text] if text else []
        return self.ask("emit", space, "--arch", "sm_90", "--as", "source", *more)

    def write_json(self, name, value):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file)
        return path

    def warm(self, space, *more):
        """Tunes once in an empty database; returns a dictionary of the winner and the times."""
        self.forget()
        command = [self.gputune, "warm", space["template"], "--format", "json", "--verbose", *more]
        for size in space["sizes"]:
            command += ["--size", size]
        for name, values in space["tunables"].items():
            command += ["--only", f"{name}={','.join(str(v) for v in values)}"]
        return timed_warm(command, self.path("warm.err"))


def run_peer(bench, source, kernel, spec, times=1, search=()):
    """Tunes with Kernel Tuner in a separate process with empty caches, by brute force unless `search` is
    given; returns the output of peer_kernel_tuner.py, with the time from start to exit."""
    caches = bench.path("peer-caches")
    shutil.rmtree(caches, ignore_errors=True)
    environment = dict(
        os.environ,
        CUPY_CACHE_DIR=os.path.join(caches, "cupy"),
        CUDA_CACHE_PATH=os.path.join(caches, "driver"),
    )
    script = os.path.join(FOLDER, "peer_kernel_tuner.py")
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, script, "--times", str(times), *search, source, kernel, spec],
        env=environment,
        cwd=bench.logs,
        capture_output=True,
        text=True,
    )
    wall = time.monotonic() - started
    with open(bench.path("peer.log"), "a", encoding="utf-8") as file:
        file.write(done.stdout + done.stderr)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:]
        sys.exit(f"Kernel Tuner failed: {last}; see {bench.path('peer.log')}")
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    answer["wall_s"] = wall
    return answer


def timed_warm(command, log):
    """Runs `warm … --format json --verbose` and reads its answer and timeline."""
    lines = []

    def read(pipe):
        for line in pipe:
            lines.append((time.monotonic() - started, line))

    before, started = cpu_seconds(), time.monotonic()
    with open(log + ".out", "w+", encoding="utf-8") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)
        reader = threading.Thread(target=read, args=(process.stderr,))
        reader.start()
        process.wait()
        wall = time.monotonic() - started
        reader.join()
        out.seek(0)
        answer = out.read()
    with open(log, "a", encoding="utf-8") as file:
        file.write(" ".join(command) + "\n")
        file.write("".join(f"{at:.4f} {line}" for at, line in lines) + answer)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}; see {log}")
    result = {"wall_s": wall, "cpu_s": cpu_seconds() - before, "row": json.loads(answer)["winners"][0]}
    for at, line in lines:
        if "timeline (" in line:
            result.update(timeline=read_timeline(line), timeline_at_s=at)
    return result


def read_timeline(line):
    """Returns the milliseconds in `gputune --verbose`'s timeline, by name."""
    patterns = {
        "compiled": r"last compiled ([\d.]+)",
        "reference": r"reference compiled ([\d.]+)",
        "preparing": r"preparing ([\d.]+)",
        "prepared": r"prepared ([\d.]+)",
        "verified_first": r"first verified ([\d.]+)",
        "verified_last": r"last verified ([\d.]+)",
        "decided": r"decided ([\d.]+)",
        "rechecked": r"rechecked ([\d.]+)",
        "stored": r"stored ([\d.]+)",
        "sources": r"(\d+) sources",
        "compile": r"sources in ([\d.]+)",
        "workers": r"on (\d+) workers",
        "prepare": r"prepare ([\d.]+)",
        "data": r"create data sets ([\d.]+)",
        "verify": r"verify ([\d.]+)",
        "sample": r"sample ([\d.]+)",
        "samples": r"(\d+) samples",
        "rounds": r"in (\d+) rounds",
    }
    found = {name: re.search(pattern, line) for name, pattern in patterns.items()}
    return {name: float(match.group(1)) for name, match in found.items() if match}


def cpu_seconds():
    """Returns the CPU time of this container (its control group); 0 if it is unknown."""
    for path, pattern, unit in (
        ("/sys/fs/cgroup/cpu.stat", r"usage_usec (\d+)", 1e-6),
        ("/sys/fs/cgroup/cpuacct/cpuacct.usage", r"(\d+)", 1e-9),
        ("/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", r"(\d+)", 1e-9),
    ):
        try:
            with open(path, encoding="ascii") as file:
                return int(re.search(pattern, file.read()).group(1)) * unit
        except (OSError, AttributeError):
            continue
    return 0.0


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def table(rows, heads):
    """Prints rows of texts in aligned columns."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [heads] + rows) for i in range(len(heads))]
    for row in [heads] + rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def judge(reported, source, spec, configs):
    """Times configurations with judge.py in a separate process; returns median and interval of each by its
    text. `reported`: the space in foreign terms."""
    script = os.path.join(FOLDER, "judge.py")
    texts = map(reported.foreign, configs)
    done = subprocess.run(
        [sys.executable, script, source, reported.space["kernel"], spec, *texts],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"the judge failed: {done.stderr.strip().splitlines()[-1:]}")
    return dict(zip(configs, json.loads(done.stdout.strip().splitlines()[-1])))
