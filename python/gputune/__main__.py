"""The command line: python -m gputune, or the script gputune."""
import os
import sys

from ._library import NATIVE


def main() -> None:
    program = os.path.join(NATIVE, "gputune")
    os.execv(program, ["gputune", *sys.argv[1:]])


if __name__ == "__main__":
    main()
