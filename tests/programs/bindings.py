"""What gputune.h has and gputune.hpp or the Python package does not speak of, a line each:
bindings.py GPUTUNE_HPP PACKAGE_FOLDER, with the package in PYTHONPATH. Functions, and the members of
structs that a caller fills in; what is left out on purpose is listed here, and is told where it is not
left out any more."""
import pathlib
import re
import sys

from gputune import _abi

# For tools, or reached through get(); a C++ program calls these themselves.
BOTH = """gputune_free gputune_refresh gputune_check_database gputune_tune_together gputune_plan_function
          gputune_plan_parameter gputune_plan_check_argument gputune_wisdom_export gputune_wisdom_import
          gputune_find_kernels gputune_emit gputune_draft_template gputune_compile gputune_replay
          gputune_plan_retain gputune_status_text""".split()
LEFT_OUT = {
    "gputune.hpp": BOTH + """gputune_version gputune_strategy_name gputune_source_name gputune_objective_name
                   gputune_kernels gputune_describe_space gputune_space_free gputune_misses
                   gputune_check""".split(),
    "Python": BOTH + """gputune_options.isolation gputune_options.alignments gputune_options.inputs_ready
              gputune_open_options.worker gputune_open_options.compile_workers
              gputune_open_options.emulate_without_gpu gputune_open_options.tune_only
              gputune_open_options.read_only gputune_open_options.record gputune_open_options.measure_on
              gputune_record_filter.failures""".split()}
FILLED_IN = ["gputune_options", "gputune_open_options", "gputune_record_filter", "gputune_forget_options",
             "gputune_wisdom_filter", "gputune_wisdom_options"]


def words(paths):
    return set(re.findall(r"\w+", "\n".join(path.read_text(encoding="utf-8") for path in paths)))


def members(struct):
    return [name for name, _ in getattr(_abi, struct)._fields_ if not name.endswith("_count")]


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
told("gputune.hpp", list(_abi.FUNCTIONS), lambda name: name not in cxx)  # options have `plain`
told("Python", [*_abi.FUNCTIONS, *(f"{struct}.{name}" for struct in FILLED_IN for name in members(struct))],
     lambda name: name.split(".")[-1] not in (given if "." in name else python))
