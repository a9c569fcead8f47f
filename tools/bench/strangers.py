r"""Makes templates of kernels of public repositories: pragmas of gputune, and the source from a clone.

A file strangers/NAME.pragmas begins with directions:

    // from OWNER/NAME COMMIT: PATH     the source's place; or: from PATH, of this repository
    // change: OLD => NEW               replaces text in the source; \n is a newline
    // sizes: m=4096 n=4096             the sizes for tuning
    // small: m=128 n=128               the sizes on the emulator

The source replaces the line "// ---- the source ----". Its default() is removed if the pragmas have
one of their own.
"""
import glob
import os
import re
import subprocess
import sys

import common

FOLDER = os.path.join(common.FOLDER, "strangers")
MARK = "// ---- the source ----\n"


def directions(text, name):
    """Returns all values of a direction, in order."""
    return re.findall(rf"^// {name}:? (.*)$", text, re.MULTILINE)


def read_source(place, checkouts):
    """Returns the text at "OWNER/NAME COMMIT: PATH", or at a PATH of this repository."""
    if ": " not in place:
        with open(os.path.join(common.ROOT, place), encoding="utf-8") as file:
            return file.read()
    where, path = place.split(": ")
    repository, commit = where.split()
    clone = os.path.join(checkouts, repository.split("/")[1])
    done = subprocess.run(["git", "-C", clone, "show", f"{commit}:{path}"], capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{clone}: {done.stderr.decode().strip()}; expected a clone of https://github.com/{repository}")
    return done.stdout.decode()


def join(path, checkouts):
    """Returns the template that a file of pragmas describes."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    source = read_source(directions(text, "from")[0], checkouts)
    for change in directions(text, "change"):
        old, new = (part.strip().replace("\\n", "\n") for part in change.split("=>"))
        if old not in source:
            sys.exit(f"{path}: its source has no '{old}'; is it of the commit that is named?")
        source = source.replace(old, new)
    if re.search(r"^#pragma gputune default", text, re.MULTILINE):
        source = re.sub(r"^#pragma gputune default\((?:.*\\\n)*.*\n", "", source, flags=re.MULTILINE)
    head, tail = text.split(MARK)
    return head + source + tail


def join_all(folder, checkouts):
    """Writes every template to FOLDER/NAME.cu; returns the names."""
    os.makedirs(folder, exist_ok=True)
    names = []
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.pragmas"))):
        names.append(os.path.splitext(os.path.basename(path))[0])
        with open(os.path.join(folder, names[-1] + ".cu"), "w", encoding="utf-8") as file:
            file.write(join(path, checkouts))
    return names


def sizes_of(path, small):
    """Returns the sizes for tuning a template, as NAME=V words."""
    with open(path, encoding="utf-8") as file:
        found = directions(file.read(), "small" if small else "sizes")
    if not found:
        sys.exit(f"{path}: no line '// sizes: NAME=V ...'; tools/bench/strangers.py says what is expected")
    return found[0].split()
