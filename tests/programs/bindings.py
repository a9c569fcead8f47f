"""Lists what gputune.h has and gputune.hpp or the Python package lacks: functions, and members of structs that a
caller fills in. bindings.py GPUTUNE_HPP PACKAGE_FOLDER, with the package in PYTHONPATH. Also lists obsolete
exceptions in LEFT_OUT."""
import pathlib
import re
import sys

from gputune import _abi

LEFT_OUT = {
    "gputune.hpp": [],
    # Python replaces these by its own reference counts, checks, exceptions and dicts.
    "Python": """gputune_plan_retain gputune_plan_check_argument gputune_status_text gputune_log_level_name
              gputune_options.inputs_ready""".split()}
FILLED_IN = ["gputune_options", "gputune_open_options", "gputune_record_filter", "gputune_forget_options",
             "gputune_record_filter", "gputune_wisdom_options"]


def words(paths):
    return set(re.findall(r"\w+", "\n".join(path.read_text(encoding="utf-8") for path in paths)))


def members(struct):
    return [name for name, _ in getattr(_abi, struct)._fields_ if name != "size" and not name.endswith("_count")]


def told(where, wanted, lacks):
    for name in wanted:
        if lacks(name) != (name in LEFT_OUT[where]):
            print(f"{where}: {name} is " + ("missing; give it, or list it in tests/programs/bindings.py"
                                            if lacks(name) else "left out no more; take it off the list"))
    for name in set(LEFT_OUT[where]) - set(wanted):
        print(f"{where}: {name} is left out, and gputune.h has no such name")


cxx = words([pathlib.Path(sys.argv[1])])
sources = [path for path in pathlib.Path(sys.argv[2]).glob("*.py") if path.name != "_abi.py"]
python = words(sources)
given = set(re.findall(r"(?:\b|\.|\")(\w+)(?:=(?!=)|\s+= |, options\.|\":)",
                       "\n".join(path.read_text(encoding="utf-8") for path in sources)))
told("gputune.hpp", list(_abi.FUNCTIONS), lambda name: name not in cxx)
told("Python", [*_abi.FUNCTIONS, *(f"{struct}.{name}" for struct in FILLED_IN for name in members(struct))],
     lambda name: name.split(".")[-1] not in (given if "." in name else python))
