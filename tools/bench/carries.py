#!/usr/bin/env python3
"""How far a table carries, on the GPU at hand: for each scenario of its own table, the winner beside
the default, the winner of the nearest other size, and the winner of another GPU's table.

    carries.py [--gputune PROGRAM] [--every N] [--seconds S] HERE.wisdom [OTHER.wisdom]

The configurations of a scenario are measured together by `gputune run`. Prints, for each kind, how
much slower than the scenario's own winner it is: median, 90th percentile, worst, and the share
that is within 2%. --every takes each N-th scenario alone; none is begun after --seconds."""
import argparse
import csv
import io
import math
import re
import subprocess
import time


def read(path):
    """{(kernel, sizes): (configuration, default)} of a whole export."""
    table, place = {}, None
    for line in open(path, encoding="utf-8"):
        texts = dict(re.findall(r'([\w.]+)="([^"]*)"', line))
        if line.startswith("place "):
            place = texts["k.name"], texts["s.problem"]
        elif line.startswith("winner "):
            table[place] = texts["config"], texts["default_config"]
    return table


def numbers(sizes):
    return [int(value) for value in re.findall(r"=(\d+)", sizes)]


def distance(here, there):
    """By logarithms, also of the powers of two, up to 16, that divide sizes, as gputune has it."""
    return sum(abs(math.log(a / b)) + abs(math.log(math.gcd(a, 16) / math.gcd(b, 16)))
               for a, b in zip(here, there))


def nearest(table, kernel, sizes):
    """The winner of the size that gputune takes for the nearest."""
    others = [(distance(numbers(sizes), numbers(other)), other)
              for name, other in table if name == kernel and other != sizes]
    return table[kernel, min(others)[1]][0] if others else None


def measure(program, kernel, sizes, configurations):
    """Median nanoseconds of each; None for one that does not work here."""
    command = [program, "run", kernel, "--format", "csv", "-q"]
    for size in sizes.split():
        command += ["--size", size]
    for configuration in configurations:
        command += ["--config", configuration]
    done = subprocess.run(command, capture_output=True, text=True)
    rows = {row["configuration"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    return [float(rows[one]["median_ns"]) if rows.get(one, {}).get("status") == "ok" else None
            for one in configurations]


def report(kind, ratios):
    ratios.sort()
    if ratios:
        print(f"{kind:24} {len(ratios):9} {ratios[len(ratios) // 2]:7.3f} {ratios[len(ratios) * 9 // 10]:7.3f} "
              f"{ratios[-1]:7.3f} {sum(r <= 1.02 for r in ratios) / len(ratios):8.0%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gputune", default="gputune")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("here")
    parser.add_argument("other", nargs="?")
    arguments = parser.parse_args()
    here, other = read(arguments.here), read(arguments.other) if arguments.other else {}
    ratios = {"default": [], "nearest other size": [], "other GPU": []}
    end = time.monotonic() + arguments.seconds
    for (kernel, sizes), (own, default) in list(here.items())[::arguments.every]:
        if time.monotonic() > end:
            break
        asked = {"default": default, "nearest other size": nearest(here, kernel, sizes),
                 "other GPU": other.get((kernel, sizes), [None])[0]}
        configurations = list(dict.fromkeys([own, *filter(None, asked.values())]))
        times = dict(zip(configurations, measure(arguments.gputune, kernel, sizes, configurations)))
        for kind, configuration in asked.items():
            if configuration and times.get(own) and times.get(configuration):
                ratios[kind].append(times[configuration] / times[own])
                if ratios[kind][-1] > 1.1 and kind != "default":
                    print(f"    {kernel} {sizes}: {kind}: {configuration}: {ratios[kind][-1]:.3f} of {own}")
    print(f"{'time over own winner':24} scenarios  median    90th   worst within 2%")
    for kind, found in ratios.items():
        report(kind, found)


main()
