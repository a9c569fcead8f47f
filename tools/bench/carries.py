#!/usr/bin/env python3
"""Measures how well a table's winners work elsewhere, on this GPU: for each scenario of its table, compares
the winner with the default, the winners of the nearest size and of all others, and another GPU's winner.

    carries.py [--gputune PROGRAM] [--every N] [--seconds S] HERE.wisdom [OTHER.wisdom]

The configurations of a scenario are measured together by `gputune run`. Prints, for each kind, how
much slower it is than the scenario's own winner: median, 90th percentile, worst, and the fraction
within 2%; then the medians of each kernel, and the winner that is best for all its sizes by the mean
of logarithms. Winners that a size excludes, or that fail there, are omitted and counted. --every
measures every N-th scenario first, then the rest, so that all kernels are covered if --seconds, after
which no scenario starts, is too short."""
import argparse
import csv
import io
import math
import re
import subprocess
import time


def read(path):
    """Returns {(kernel, sizes): (configuration, default)} of a whole export."""
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
    """Returns the distance of two sizes by logarithms, also of the powers of two, up to 16, that divide
    sizes, as in gputune."""
    return sum(abs(math.log(a / b)) + abs(math.log(math.gcd(a, 16) / math.gcd(b, 16)))
               for a, b in zip(here, there))


def others(table, kernel, sizes):
    """Returns the winners of the kernel's other sizes, in gputune's order of nearness."""
    found = [(distance(numbers(sizes), numbers(other)), other)
             for name, other in table if name == kernel and other != sizes]
    return [table[kernel, other][0] for _, other in sorted(found)]


def measure(program, kernel, sizes, configurations):
    """Returns the median nanoseconds of each; None for one that does not work here."""
    command = [program, "run", kernel, "--format", "csv", "-q"]
    for size in sizes.split():
        command += ["--size", size]
    for configuration in configurations:
        command += ["--config", configuration]
    done = subprocess.run(command, capture_output=True, text=True)
    rows = {row["configuration"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    return [float(rows[one]["median_ns"]) if rows.get(one, {}).get("status") == "ok" else None
            for one in configurations]


def median(values):
    return sorted(values)[len(values) // 2] if values else math.nan


def report(kind, ratios):
    ratios.sort()
    if ratios:
        print(f"{kind:24} {len(ratios):9} {median(ratios):7.3f} {ratios[len(ratios) * 9 // 10]:7.3f} "
              f"{ratios[-1]:7.3f} {sum(r <= 1.02 for r in ratios) / len(ratios):8.0%}")


def for_all(ratios):
    """Returns the lowest mean ratio of a configuration that works everywhere, and its worst, from {sizes:
    {configuration: ratio}}."""
    everywhere = set.intersection(*(set(one) for one in ratios.values()))
    means = [(math.exp(sum(math.log(one[c]) for one in ratios.values()) / len(ratios)),
              max(one[c] for one in ratios.values())) for c in everywhere]
    return min(means, default=(math.nan, math.nan))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gputune", default="gputune")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("here")
    parser.add_argument("other", nargs="?")
    arguments = parser.parse_args()
    here, other = read(arguments.here), read(arguments.other) if arguments.other else {}
    kinds = ["default", "nearest other size", "any other size", "other GPU"]
    found, every, failed = {}, {}, 0
    end = time.monotonic() + arguments.seconds
    scenarios = [one for first in range(arguments.every) for one in list(here.items())[first::arguments.every]]
    for (kernel, sizes), (own, default) in scenarios:
        if time.monotonic() > end:
            break
        winners = others(here, kernel, sizes)
        asked = dict(zip(kinds, ([default], winners[:1], winners, other.get((kernel, sizes), [])[:1])))
        configurations = list(dict.fromkeys([own, default, *winners, *asked["other GPU"]]))
        times = dict(zip(configurations, measure(arguments.gputune, kernel, sizes, configurations)))
        if not times[own]:
            continue
        ratios = {one: ns / times[own] for one, ns in times.items() if ns}
        failed += len(times) - len(ratios)
        every.setdefault(kernel, {})[sizes] = ratios
        for kind, several in asked.items():
            of = found.setdefault(kernel, {}).setdefault(kind, [])
            of += [ratios[one] for one in several if one in ratios]
        for one in winners[:1]:
            if ratios.get(one, 1) > 1.1:
                print(f"    {kernel} {sizes}: nearest: {one}: {ratios[one]:.3f} of {own}")
    print(f"{'time over own winner':24} scenarios  median    90th   worst within 2%")
    for kind in kinds:
        report(kind, [ratio for of in found.values() for ratio in of[kind]])
    print(f"{failed} winners do not work at another size")
    print(f"{'medians':24} scenarios " + " ".join(f"{kind:>18}" for kind in kinds) + f" {'one for all':>12} worst")
    for kernel, of in found.items():
        one, worst = for_all(every[kernel])
        print(f"{kernel:24} {len(every[kernel]):9} " + " ".join(f"{median(of[kind]):18.3f}" for kind in kinds) +
              f" {one:12.3f} {worst:.3f}")


main()
