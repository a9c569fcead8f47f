#!/usr/bin/env python3
"""How well the emulator's modelled times order configurations, judged by times of a GPU.

model_rank.py MEASURED.json MODELLED.json [--format table|md|json]

Both files are what `gputune show --all --format json` prints: one from a GPU, one from the emulator,
at the same sizes or smaller ones (the largest then). A line for each measured kernel, size and
objective:

  common      configurations with a time in both
  spearman    rank correlation of the times, ties sharing their mean rank
  regret      how much slower on the GPU the model's choice is than the GPU's own
  of 5        the same for the best of the model's five best
  default     the same for the template's default: what no tuning at all would cost
"""
import argparse
import json
import sys


def load(path):
    """{(kernel, objective, cache): {sizes: {configuration: record}}} of what has a time."""
    groups = {}
    try:
        with open(path, encoding="utf-8") as file:
            records = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"model_rank: {path}: {error}; expected the output of "
                 "'gputune show --all --format json'")
    for record in records:
        if not record.get("median_ns"):
            continue
        key = record["kernel"], record["objective"], record["cache"]
        known = groups.setdefault(key, {}).setdefault(record["sizes"], {})
        before = known.get(record["configuration"])
        if not before or record["samples"] >= before["samples"]:
            known[record["configuration"]] = record
    return groups


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for index in order[begin:end]:
            result[index] = (begin + end - 1) / 2
        begin = end
    return result


def spearman(one, other):
    """None where a list has no spread."""
    a, b = ranks(one), ranks(other)
    mean = (len(a) - 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    squares = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return product / squares**0.5 if squares > 0 else None


def size_of(sizes):
    """Orders size texts such as "n=64M bins=65536": the product of what are numbers."""
    product = 1
    for pair in sizes.split():
        value = pair.split("=")[-1]
        scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}.get(value[-1:], 1)
        digits = value.rstrip("KMGT")
        product *= int(digits) * scale if digits.isdigit() else 1
    return product


def counterpart(sizes, modelled):
    """The modelled sizes to compare with: the same, else the largest."""
    return sizes if sizes in modelled else max(modelled, key=size_of)


def regret(measured, choice):
    return min(measured[c]["median_ns"] for c in choice) / min(
        record["median_ns"] for record in measured.values()) - 1


def compare(measured, modelled):
    common = sorted(set(measured) & set(modelled))
    if not common:
        return {"common": 0}
    measured = {c: measured[c] for c in common}
    by_model = sorted(common, key=lambda c: modelled[c]["median_ns"])
    default = [c for c in common if measured[c]["is_default"]]
    times = [measured[c]["median_ns"] for c in common]
    return {
        "common": len(common),
        "spearman": spearman(times, [modelled[c]["median_ns"] for c in common]),
        "regret": regret(measured, by_model[:1]),
        "regret_of_5": regret(measured, by_model[:5]),
        "regret_default": regret(measured, default) if default else None,
        "spread": max(times) / min(times),
        "measured_choice": min(common, key=lambda c: measured[c]["median_ns"]),
        "modelled_choice": by_model[0],
    }


def rows(measured, modelled):
    for key in sorted(measured):
        for sizes in sorted(measured[key]):
            head = {"kernel": key[0], "objective": key[1], "cache": key[2], "sizes": sizes}
            if key not in modelled:
                yield {**head, "modelled_sizes": None, "common": 0}
                continue
            other = counterpart(sizes, modelled[key])
            yield {**head, "modelled_sizes": other,
                   **compare(measured[key][sizes], modelled[key][other])}


COLUMNS = [
    ("kernel", "kernel", str),
    ("objective", "objective", str),
    ("measured at", "sizes", str),
    ("modelled at", "modelled_sizes", str),
    ("common", "common", str),
    ("slowest/best", "spread", "{:.2f}".format),
    ("spearman", "spearman", "{:.3f}".format),
    ("regret", "regret", "{:.1%}".format),
    ("of 5", "regret_of_5", "{:.1%}".format),
    ("default", "regret_default", "{:.1%}".format),
]


def cells(row):
    return ["-" if row.get(key) is None else text(row[key]) for _, key, text in COLUMNS]


def print_lines(table, markdown):
    widths = [max(len(line[i]) for line in table) for i in range(len(COLUMNS))]
    for number, line in enumerate(table):
        padded = [cell.ljust(width) for cell, width in zip(line, widths)]
        print("| " + " | ".join(padded) + " |" if markdown else "  ".join(padded).rstrip())
        if markdown and number == 0:
            print("| " + " | ".join("-" * width for width in widths) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("measured")
    parser.add_argument("modelled")
    parser.add_argument("--format", choices=["table", "md", "json"], default="table")
    options = parser.parse_args()
    found = list(rows(load(options.measured), load(options.modelled)))
    if options.format == "json":
        json.dump(found, sys.stdout, indent=2)
        print()
    else:
        print_lines([[title for title, _, _ in COLUMNS]] + [cells(row) for row in found],
                    options.format == "md")
    return 0 if any(row["common"] for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
