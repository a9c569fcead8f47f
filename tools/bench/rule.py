#!/usr/bin/env python3
"""Measures how good a rule for all sizes is at sizes that it never saw.

    rule.py [--gputune PROGRAM] [-d emu] [--db FILE] [--codes 16] [--make 120] [--count 24] [--tune 5]
            [--within SECONDS] [--seed 1] [--table FILE] KERNEL:SIZES...

KERNEL:SIZES is like gemm:m=64:8K,n=64:8K,k=64:8K. For each, makes the rule (`warm --sizes`, at most
--make seconds), draws --count sizes (logarithmic, multiples of 1 to 128), tunes each of them (all in one
process, --tune seconds each), and measures side by side, with `gputune run`: all variants of the rule,
the size's own winner, the winner of the nearest size that the rule tuned, and the default. The loss of
each is its time over the best time of that run. Prints a line per size, and last a table: geometric mean,
90th percentile and worst of each, and what the rule predicted. `oracle` is the best variant of the rule
at each size. --table appends all times of these runs to a file, a JSON object for each size. With
--within, comparing ends early enough that all kernels together take about so long. A database with
earlier results is used: a rule that --db has is not made again unless --again."""
import argparse
import csv
import io
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time


def number(text):
    scale = {"K": 10, "M": 20, "G": 30}.get(text[-1:].upper(), 0)
    return int(text[:-1] if scale else text) << scale


class Rule:
    """The text of a rule, and its choice."""

    def __init__(self, text):
        lines = text.strip().split("\n")
        self.region = dict(word.split("=", 1) for word in lines[0].split()[1:])
        self.loss = {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", lines[1])}
        self.variants = [line.split(" ", 1)[1] for line in lines if line.startswith("variant ")]
        tree = [line.strip() for line in lines[2 + len(self.variants):]]
        self.leaves = sum(line.startswith("use") for line in tree)
        self.tree, rest = self.read(tree)
        assert not rest, rest

    def read(self, lines):
        word, rest = lines[0].split(" ", 1)
        if word == "use":
            return int(rest), lines[1:]
        yes, lines = self.read(lines[1:])
        assert lines[0] == "else", lines[0]
        no, lines = self.read(lines[1:])
        return (self.python(rest), yes, no), lines

    @staticmethod
    def python(text):
        text = re.sub(r"\b(\d+)([KMG])\b", lambda m: str(number(m.group(0))), text)
        text = text.replace("&&", " and ").replace("||", " or ").replace("/", "//")
        return compile(re.sub(r"!(?!=)", " not ", text).strip(), "rule", "eval")

    def choose(self, sizes, device):
        names = {"ceil_div": lambda a, b: -(-a // b), "round_up": lambda a, b: -(-a // b) * b,
                 "min": min, "max": max, **device, **sizes}
        node = self.tree
        while isinstance(node, tuple):
            node = node[1] if eval(node[0], {"__builtins__": {}}, names) else node[2]
        return self.variants[node]


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.common = ["--db", arguments.db] + (["--driver", arguments.driver] if arguments.driver else [])

    def call(self, *words, **options):
        return subprocess.run([self.arguments.gputune, *words, *self.common], capture_output=True, text=True,
                              **options)

    def json(self, *words):
        done = self.call(*words, "--format", "json", "-q")
        return json.loads(done.stdout) if done.stdout else {}

    def objective(self, kernel):
        done = subprocess.run([self.arguments.gputune, "kernels", kernel, "--format", "json"], capture_output=True,
                              text=True)
        return json.loads(done.stdout)["kernels"][0]["objective"]

    def device(self):
        words = ["--driver", self.arguments.driver] if self.arguments.driver else []
        done = subprocess.run([self.arguments.gputune, "devices", "--format", "json", *words], capture_output=True,
                              text=True)
        return {name: value for name, value in json.loads(done.stdout)["devices"][0].items()
                if isinstance(value, int)}

    def rule(self, kernel, ranges):
        """Makes the rule unless it is stored; returns it and the seconds that it took."""
        stored = [] if self.arguments.again else self.json("show", kernel, "--rules").get("rules", [])
        seconds = 0
        if not stored:
            start = time.monotonic()
            done = self.call("warm", kernel, "--sizes", ranges, "--variants", str(self.arguments.codes), "-t",
                             str(self.arguments.make), "-v")
            seconds = time.monotonic() - start
            for line in done.stderr.splitlines():
                if "rule" in line:
                    print("   ", line[:180])
            stored = self.json("show", kernel, "--rules").get("rules", [])
            if not stored:
                sys.exit(f"{kernel}: no rule: {done.stderr[-500:]}")
        return Rule(stored[0]["text"]), seconds

    def winners(self, kernel):
        """Returns {sizes: configuration} of all winners."""
        return {row["sizes"]: row["configuration"]
                for row in self.json("show", kernel).get("records", []) if row["is_winner"]}

    def tune(self, kernel, objective, sizes):
        """Tunes sizes in one process, by a file of misses."""
        with tempfile.NamedTemporaryFile("w", suffix=".misses") as file:
            file.write("# gputune misses 1: count, environment, GPU, kernel, sizes, objective, cache, alignment, "
                       "inputs, restrictions\n")
            for i, one in enumerate(sizes):
                file.write(f"{10 ** 6 - i:012d}\there\there\t{kernel}\t{one}\t{objective}\tcold\t16\tseed=1\t\n")
            file.flush()
            self.call("warm", "--from", file.name, "--any-gpu", "-t", str(self.arguments.tune), "-q")

    def measure(self, kernel, sizes, configurations):
        """Returns {configuration: median ns} of all that work; the default has the key ""."""
        words = ["run", kernel, "--format", "csv", "-q", "--config", ""]
        for size in sizes.split():
            words += ["--size", size]
        for configuration in configurations:
            words += ["--config", configuration]
        rows = list(csv.DictReader(io.StringIO(self.call(*words).stdout)))
        times = {row["configuration"]: float(row["median_ns"]) for row in rows if row["status"] == "ok"}
        if rows and rows[0]["status"] == "ok":
            times[""] = float(rows[0]["median_ns"])
        return times


def draw(rng, rule):
    """Draws sizes of the region as a text and as numbers."""
    sizes = {}
    alike = 2 ** rng.randrange(8) if rng.random() < 1 / 3 else 0
    for name, text in rule.region.items():
        ends = re.fullmatch(r"(\d+)(?::(\d+))?", text)
        if not ends or not ends.group(2):
            sizes[name] = text
            continue
        least, most = int(ends.group(1)), int(ends.group(2))
        size = round(math.exp(rng.uniform(math.log(least), math.log(most))))
        step = alike or 2 ** rng.randrange(8)
        while step > max(1, size // 4):
            step //= 2
        sizes[name] = min(max(size // step * step, -(-least // step) * step), most // step * step)
    return " ".join(f"{name}={value}" for name, value in sizes.items())


def values(sizes):
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)(?!\S)", sizes)}


def distance(a, b):
    a, b = values(a), values(b)
    return sum(abs(math.log(a[n] / b[n])) + abs(math.log(math.gcd(a[n], 16) / math.gcd(b[n], 16)))
               for n in a if a[n] and b.get(n))


def summary(losses):
    losses = sorted(losses)
    if not losses:
        return "-", "-", "-"
    mean = math.exp(sum(map(math.log, losses)) / len(losses))
    return f"{mean:.3f}", f"{losses[math.ceil(0.9 * len(losses)) - 1]:.3f}", f"{losses[-1]:.3f}"


def compare(bench, kernel, ranges, end, device):
    """Returns the rows of the last table."""
    arguments = bench.arguments
    print(f"{kernel} {ranges}", flush=True)
    start = time.monotonic()
    rule, seconds = bench.rule(kernel, ranges)
    tuned = bench.winners(kernel)
    known = set(tuned)
    rng = random.Random(arguments.seed)
    fresh = []
    while len(fresh) < arguments.count:
        one = draw(rng, rule)
        if one not in known:
            known.add(one)
            fresh.append(one)
    print(f"    {seconds:.0f} s for the rule: {len(rule.variants)} variants, {rule.leaves} leaves, "
          f"{int(rule.loss['sizes'])} sizes", flush=True)
    bench.tune(kernel, bench.objective(kernel), fresh)
    own = bench.winners(kernel)
    print(f"    {time.monotonic() - start:.0f} s with the tuning of {len(fresh)} sizes", flush=True)
    losses = {"rule": [], "oracle": [], "own": [], "nearest": [], "default": []}
    failed = 0
    for sizes in fresh:
        if time.monotonic() > end:
            break
        choice = rule.choose(values(sizes), device)
        near = min(tuned, key=lambda other: distance(sizes, other))
        winner = own.get(sizes)
        asked = [one for one in dict.fromkeys([choice, winner, tuned[near], *rule.variants]) if one]
        times = bench.measure(kernel, sizes, asked)
        if not times:
            continue
        if arguments.table:
            with open(arguments.table, "a") as file:
                print(json.dumps({"kernel": kernel, "sizes": sizes, "chosen": choice, "own": winner,
                                  "variants": rule.variants, "times_ns": times}), file=file)
        best = min(times.values())
        oracle = min((times[one] for one in rule.variants if one in times), default=math.inf)
        found = {"rule": times.get(choice, math.inf), "oracle": oracle, "own": times.get(winner, math.inf),
                 "nearest": times.get(tuned[near], math.inf), "default": times.get("", math.inf)}
        failed += found["rule"] == math.inf
        for kind, ns in found.items():
            if ns < math.inf:
                losses[kind].append(ns / best)
        print(f"    {sizes:34} {best / 1e3:10.2f} µs " +
              " ".join(f"{kind} {ns / best:6.3f}" for kind, ns in found.items()), flush=True)
    print(f"    {time.monotonic() - start:.0f} s in all; the rule's choice failed at {failed} sizes\n", flush=True)
    predicted = rule.loss
    rows = [(kernel, "predicted", "", f"{predicted['mean']:.3f}", f"{predicted['p90']:.3f}",
             f"{predicted['worst']:.3f}", f"{seconds:.0f} s, {len(rule.variants)} variants, {rule.leaves} leaves")]
    return [(kernel, kind, str(len(of)), *summary(of), "") for kind, of in losses.items()] + rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gputune", default="gputune")
    parser.add_argument("-d", "--driver")
    parser.add_argument("--db", default="rule.db")
    parser.add_argument("--codes", type=int, default=16)
    parser.add_argument("--make", type=float, default=120)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--tune", type=float, default=5)
    parser.add_argument("--within", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("kernels", nargs="+", metavar="KERNEL:SIZES")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    device = bench.device()
    started, rows = time.monotonic(), []
    for i, text in enumerate(arguments.kernels):
        kernel, ranges = text.split(":", 1)
        left = arguments.within - (time.monotonic() - started)
        end = time.monotonic() + left / (len(arguments.kernels) - i)
        rows += compare(bench, kernel, ranges, end, device)
    print(f"{'kernel':14} {'loss of':10} {'sizes':>5} {'mean':>7} {'p90':>7} {'worst':>7}")
    for kernel, kind, count, mean, p90, worst, more in rows:
        print(f"{kernel:14} {kind:10} {count:>5} {mean:>7} {p90:>7} {worst:>7} {more}")


if __name__ == "__main__":
    main()
