"""Kernel Tuner's tune_kernel() and run_kernel() for CUDA C, implemented with gputune:

    from gputune.kernel_tuner import tune_kernel, run_kernel

Arguments are those of Kernel Tuner 1.x, and so is the result (results, env): a dict for each
configuration, with its time in milliseconds. Variants are compiled on all cores while the GPU measures,
and every variant runs in a worker process before it may run here. Needs NumPy.

gputune decides how often a configuration is measured, so `iterations` has no effect. Strategies other
than "brute_force" take a random sample of max_fevals configurations (default: 100), with a warning. The
`time_limit` of strategy_options ends every strategy; without max_fevals the sample continues until then.
Configurations that were not measured in time are not in the results. Languages other than CUDA,
texmem_args, observers, simulation_mode and several objectives raise NotImplementedError. `cache` (with a
warning), `parallel`, `platform`, `compiler` and `log` have no effect."""
from __future__ import annotations

import ast
import contextlib
import csv
import ctypes
import functools
import itertools
import math
import os
import random
import re
import sys
import tempfile
import time
import types
import warnings
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import numpy  # type: ignore[import-not-found, unused-ignore]

from . import (CompileError, CrashedError, CudaError, DeviceMemoryError, NoVariantError, TimeLimitError,
               Tuner, WrongResultError, __version__, _abi)
from ._arrays import TORCH_TYPES
from ._library import Interrupt, collect, library

__all__ = ["run_kernel", "tune_kernel"]

Params = "dict[str, Any]"
_BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
_LAUNCH = ("kt_block_x", "kt_block_y", "kt_block_z", "kt_grid_x", "kt_grid_y", "kt_grid_z", "kt_shared")
_HIGHER = ("performance", "GFLOP/s", "TFLOP/s", "GB/s", "TB/s", "GFLOPS/W", "TFLOPS/W", "GFLOP/J", "TFLOP/J")
_TYPES = {**TORCH_TYPES, "complex64": "float2", "complex128": "double2"}
_KNOWN = re.compile(r"^(u?char|u?short|u?int|u?longlong|float|double|half)[1-4]$|^(__)?half2?$|"
                    r"^(__)?nv_bfloat162?$|^size_t$|^bool$|"
                    r"^(unsigned|signed)?( ?(char|short|int|long long|long))?$|^float$|^double$")
_DEFAULT_SAMPLE = 100
_MODULES = {"math": math, "np": numpy, "numpy": numpy}  # available in expressions
_NO_LIMIT = 86400.0  # seconds, because Kernel Tuner has no limit
_EPSILON = 0.05  # times are measured with an error of 0.4 of this
_NONE_WORKS = (CompileError, CrashedError, CudaError, DeviceMemoryError, NoVariantError, WrongResultError)
_MOST_DEFAULTS = 16  # how many defaults are tried for one template
_MOST_VALUES = 192  # at most so many configurations in one template
_FIRST_VALUES = 4  # configurations of the first template, if there is a time limit
_SHORT = 0.1  # a template that takes less of the remaining time makes the next one twice as large


# --- conversion of Kernel Tuner's arguments -----------------------------------------------------------

@functools.lru_cache(maxsize=4096)
def _compiled(expression: str) -> types.CodeType:
    return compile(expression.strip(), expression, "eval")


@functools.lru_cache(maxsize=4096)
def _names(expression: str) -> set[str]:
    """Returns all names in an expression, also those in generators."""
    return {node.id for node in ast.walk(ast.parse(expression.strip(), mode="eval"))
            if isinstance(node, ast.Name)}


def _evaluate(expression: str, params: Mapping[str, Any]) -> Any:
    """Evaluates a Python expression with parameters as names. A parameter whose name is not a Python
    identifier ("GFLOP/s") is replaced in the text."""
    for name, value in params.items():
        if not name.isidentifier():
            expression = expression.replace(name, repr(value))
    return eval(_compiled(expression), {**_MODULES, **params})  # a generator sees only globals


def _called(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def _divisor(given: Any, default: str, params: Mapping[str, Any]) -> float:
    if given is None:
        return float(params.get(default, 1))
    if callable(given):
        return float(_called(given, params))
    if isinstance(given, str):
        return int(_evaluate(given, params))
    if isinstance(given, (int, float, numpy.number)):
        return float(given)
    return math.prod(_divisor(one, "", params) for one in given)


def _problem(size: Any, params: Mapping[str, Any]) -> list[int]:
    given: Any = _called(size, params) if callable(size) else size
    sizes: list[Any] = list(given) if isinstance(given, (tuple, list, numpy.ndarray)) else [given]
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"problem_size is {given!r}; expected one to three sizes")
    values = [int(_evaluate(one, params)) if isinstance(one, str) else int(one) for one in sizes]
    return values + [1] * (3 - len(values))


def _block_names(given: Mapping[str, Any]) -> list[str]:
    names: list[str] = list(given["block_size_names"] or ())
    return names + list(_BLOCK_NAMES[len(names):])


def _block(names: Sequence[str], params: Mapping[str, Any]) -> list[int]:
    return [int(params.get(name, plain)) for name, plain in zip(names, (256, 1, 1))]


class _Launch:
    """The block, grid and shared memory of a configuration's launch."""

    def __init__(self, given: Mapping[str, Any], params: dict[str, Any]) -> None:
        self.block_names = names = _block_names(given)
        self.block = _block(names, params)
        divisors = [_divisor(given[f"grid_div_{axis}"], name, params) for axis, name in zip("xyz", names)]
        self.grid = [math.ceil(size / divisor)
                     for size, divisor in zip(_problem(given["problem_size"], params), divisors)]
        shared: Any = (given["smem_args"] or {}).get("size", 0)
        shared = _called(shared, params) if callable(shared) else shared
        self.shared = int(_evaluate(shared, params)) if isinstance(shared, str) else int(shared)

    def values(self) -> list[int]:
        return [*self.block, *self.grid, self.shared]


def _defines(given: Mapping[str, Any], params: dict[str, Any], launch: _Launch) -> dict[str, Any]:
    if given["defines"] is not None:
        return {name: value(params) if callable(value) else _replaced(value, params)
                for name, value in given["defines"].items()}
    sizes = dict(zip(("grid_size_x", "grid_size_y", "grid_size_z"), launch.grid))
    return {**sizes, **dict(zip(launch.block_names, launch.block)), **params, "kernel_tuner": 1}


def _replaced(text: Any, params: Mapping[str, Any]) -> str:
    for name, value in params.items():
        text = re.sub(rf"\b{re.escape(name)}\b", str(value), str(text))
    return str(text)


def _is_file(source: str) -> bool:
    return "\n" not in source and len(source) < 250 and bool(re.search(r"\.\w+$", source.strip()))


def _source_text(source: Any, params: dict[str, Any]) -> str:
    first = source[0] if isinstance(source, (list, tuple)) else source
    if callable(first):
        return str(first(params))
    text = os.fspath(first)
    if not _is_file(text):
        return text
    with open(text, encoding="utf-8") as file:
        return file.read()


# --- one template for all configurations with the same text -------------------------------------------

def _signature(text: str, name: str) -> list[tuple[str, str, bool]]:
    """Returns the type and name of each parameter of a kernel, and whether it is a pointer to const."""
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    short = re.escape(name.partition("<")[0].strip().rpartition("::")[2])
    found = re.search(rf"__global__[^;{{}}]*?\b{short}\s*\(", plain)
    if not found:
        raise ValueError(f"there is no __global__ function '{name}' in the kernel's source")
    depth, part, parts = 1, "", []
    for c in plain[found.end():]:
        depth += {"(": 1, ")": -1, "<": 1, ">": -1, "[": 1, "]": -1}.get(c, 0)
        if depth == 0 or (depth == 1 and c == ","):
            parts.append(part)
            part = ""
            if depth == 0:
                break
        else:
            part += c
    return [_parameter(one) for one in parts if one.strip()]


def _parameter(text: str) -> tuple[str, str, bool]:
    words = re.match(r"(.*?)(\w+)\s*(\[.*\])?\s*$", text.strip(), re.S)
    if not words:
        raise ValueError(f"cannot read the kernel's parameter '{text.strip()}'")
    kind = re.sub(r"__restrict__|__restrict|restrict|\bconst\b|\bvolatile\b|[*&]", " ", words[1])
    return " ".join(kind.split()), words[2], bool(re.search(r"\bconst\b[^*]*\*", words[1]))


def _host(value: Any) -> Any:
    """Returns an argument in host memory, arrays without gaps. A Fortran order stays."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    elif hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):
        value = value.get()
    return value if not isinstance(value, numpy.ndarray) or value.flags.forc else value.copy()


def _c_type(kind: str, dtype: Any) -> str:
    return kind if kind and _KNOWN.match(kind) else _TYPES[numpy.dtype(dtype).name]


def _elements(kind: str, array: Any) -> int:
    lanes = re.search(r"([1-4])$", kind)
    count = int(lanes[1]) if lanes and not kind.endswith(("16", "32", "64")) else 1
    return int(max(array.size * (1 + numpy.iscomplexobj(array)) // count, 1))


def _argument(number: int, value: Any, parameter: tuple[str, str, bool]) -> str:
    kind, name, constant = parameter
    if not isinstance(value, (numpy.ndarray, numpy.generic)):
        raise TypeError(f"argument {number + 1} ({name}) is {value!r}; expected a NumPy array or a NumPy "
                        "scalar such as numpy.int32(8)")
    kind = _c_type(kind, value.dtype)
    if isinstance(value, numpy.ndarray):  # its values are passed as inputs
        return f"{'in' if constant else 'inout'} {kind} {name}[{_elements(kind, value)}] = zero"
    plain = value.item()
    return f"{kind} {name} = {int(plain) if isinstance(plain, bool) else repr(plain)}"


class _Variants:
    """Configurations of one kernel as one template; a tunable selects one."""

    def __init__(self, given: Mapping[str, Any], name: str) -> None:
        self.given, self.name = given, name
        self.texts: list[str] = []  # the kernel's text for each configuration
        self.params: list[dict[str, Any]] = []
        self.places: list[int] = []  # index among all configurations
        self.launches: list[_Launch] = []

    def configuration(self, i: int) -> list[str]:
        return [f"kt_configuration={i}",
                *(f"{name}={value}" for name, value in zip(_LAUNCH, self.launches[i].values()))]

    def template(self, default: int = 0) -> str:
        parameters = _signature(self.texts[0], self.name)
        arguments = self.given["arguments"]
        if len(parameters) != len(arguments):
            raise TypeError(f"{self.name} has {len(parameters)} parameters; got {len(arguments)} arguments")
        listed = [_argument(i, *both) for i, both in enumerate(zip(arguments, parameters))]
        columns = list(zip(*(launch.values() for launch in self.launches)))
        axes = {"kt_configuration": list(range(len(self.params))),
                **{name: sorted(set(column)) for name, column in zip(_LAUNCH, columns)}}
        lines = [f"kernel({self.name})", f"args({', '.join(listed)})",
                 *(f"tune({name} = {', '.join(map(str, values))})" for name, values in axes.items()),
                 f"default({', '.join(self.configuration(default))})",
                 "block(kt_block_x, kt_block_y, kt_block_z)", "grid(kt_grid_x, kt_grid_y, kt_grid_z)",
                 "shared(kt_shared)", "check(kt_check)",
                 *(f"constant({name} : {_TYPES[array.dtype.name]}[{array.size}])"
                   for name, array in (self.given["cmem_args"] or {}).items())]
        options = [one for one in self.given["compiler_options"] or ()
                   if not re.match(r"-I|--?(gpu-)?arch|--?gencode|-O\d", one)]
        if options:
            lines.append("options(" + ", ".join(f'"{one}"' for one in options) + ")")
        pragmas = "".join(f"#pragma gputune {line}\n" for line in lines)
        stars = ["*" * isinstance(value, numpy.ndarray) for value in arguments]
        check = ", ".join(f"{_c_type(kind, value.dtype)} {star}{name}"
                          for value, star, (kind, name, _) in zip(arguments, stars, parameters))
        shared = self.texts[0] if len(set(self.texts)) == 1 else ""
        return (f"{pragmas}{self._code(not shared)}{shared}\n__global__ void kt_check({check}, "
                "unsigned long long *wrong)\n{\n}\n")

    def _code(self, whole: bool) -> str:
        """Returns the code that differs between configurations: their macros, and the `whole` kernel."""
        text = ""
        for i, (params, launch) in enumerate(zip(self.params, self.launches)):
            text += f"#{'elif' if i else 'if'} kt_configuration == {i}\n"
            for name, value in _defines(self.given, params, launch).items():
                line = str(value).replace("\n", "\\\n")
                text += f"constexpr int {name} = {line};\n" if "loop_unroll_factor" in name else \
                    f"#define {name} {line}\n"
            text += self.texts[i] + "\n" if whole else ""
        return text + "#endif\n"


def _grouped(given: Mapping[str, Any], configurations: Iterable[dict[str, Any]],
             most: Callable[[], int] = lambda: _MOST_VALUES) -> Iterator[_Variants]:
    """Groups the configurations into templates of at most `most`. Reads each configuration only when its
    template is made."""
    groups: dict[str, _Variants] = {}
    for place, params in enumerate(configurations):
        text = _source_text(given["kernel_source"], params)
        if "__global__" not in text:
            raise NotImplementedError("the source has no __global__ function; only CUDA C is supported")
        for name, value in params.items():
            if "loop_unroll_factor" in name and str(value) == "0":
                text = re.sub(r"\n\s*#pragma\s+unroll\s+" + name + r"\b", "\n", text)
        name = _replaced(given["kernel_name"], params)
        group = groups.setdefault(name, _Variants(given, name))
        group.texts.append(text)
        group.params.append(params)
        group.places.append(place)
        group.launches.append(_Launch(given, params))
        if len(group.params) >= most():
            yield groups.pop(name)
    yield from groups.values()


# --- measuring and launching -------------------------------------------------------------------------

def _inputs(given: Mapping[str, Any], variants: _Variants, folder: str) -> tuple[dict[str, Any], list[Any]]:
    """Makes the members of gputune_options with the arguments, and the objects that they point to."""
    names = [name for _, name, _ in _signature(variants.texts[0], variants.name)]
    arrays = [(name, value) for name, value in zip(names, given["arguments"])
              if isinstance(value, numpy.ndarray)]
    inputs = (_abi.gputune_input * max(len(arrays), 1))(
        *(_abi.gputune_input(name.encode(), array.ctypes.data, array.nbytes, True) for name, array in arrays))
    blocks = given["cmem_args"] or {}
    files = (_abi.gputune_file * max(len(blocks), 1))()
    for i, (name, array) in enumerate(blocks.items()):
        path = os.path.join(folder, f"{name}.npy")
        numpy.save(path, array.ravel())
        files[i] = _abi.gputune_file(name.encode(), path.encode())
    return {"inputs": inputs, "input_count": len(arrays), "files": files, "file_count": len(blocks)}, arrays


def _samples(path: str) -> dict[str, list[float]]:
    """Reads the milliseconds of each configuration."""
    found: dict[str, list[float]] = {}
    with contextlib.suppress(FileNotFoundError), open(path, newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["configuration"], []).append(float(row["value_ns"]) / 1e6)
    return found


def _measured(tuner: Tuner, template: str, variants: _Variants, time_limit: float,
              folder: str) -> list[dict[str, Any]]:
    """Returns a record of gputune_run() with "times" for each configuration that was measured in time. The
    template's default compiles the file's whole code; if that fails, nothing runs, and another default is
    tried."""
    found: list[dict[str, Any]] = []
    why = ""
    for default in range(min(len(variants.params), _MOST_DEFAULTS)):
        tuner.add_source(template, variants.template(default))
        found, why, is_by_default = _run(tuner, template, variants, time_limit, folder)
        if not is_by_default:
            break
    if not why:
        return found
    failed = {"status": "launch", "message": why, "compile_ns": 0.0, "times": []}
    return found + [failed] * (len(variants.params) - len(found))


def _run(tuner: Tuner, template: str, variants: _Variants, time_limit: float,
         folder: str) -> tuple[list[dict[str, Any]], str, bool]:
    """Returns the records, the reason if there are none, and whether another default may help."""
    given = variants.given
    members, _kept = _inputs(given, variants, folder)
    samples = os.path.join(folder, f"{template}.csv")
    words = [" ".join(variants.configuration(i)).encode() for i in range(len(variants.params))]
    stop = Interrupt()
    found: list[dict[str, Any]] = []
    options, _more = tuner._options(stop, (), time_limit_s=time_limit, seed=given["seed"] or 0,
                                    epsilon=_EPSILON, samples_path=samples.encode(), **members)
    each = _abi.FUNCTIONS["gputune_run"][1][6](stop.guarded(collect(found), 1))
    why, is_by_default = "", False
    try:
        tuner._run(stop, lambda: int(library.gputune_run(
            tuner._handle, template.encode(), _abi.gputune_sizes(0, (_abi.gputune_size * 1)()),
            (ctypes.c_char_p * len(words))(*words), len(words), ctypes.byref(options), each, None)))
    except TimeLimitError:
        pass
    except _NONE_WORKS as error:
        why = str(error)
        is_by_default = not (found or isinstance(error, (CrashedError, WrongResultError)))
    times = _samples(samples)
    for record in found:
        record["times"] = times.get(record["configuration"], [])
    return found, why, is_by_default


class _Arguments:
    """A kernel's arguments on the device, for successive launches."""

    def __init__(self, tuner: Tuner, given: Mapping[str, Any], kept: contextlib.ExitStack) -> None:
        assert tuner._driver and tuner.device
        tuner._driver.ensure_context(tuner.device["ordinal"])
        self._tuner, self._given = tuner, given
        arrays = [value for value in given["arguments"] if isinstance(value, numpy.ndarray)]
        copies = iter(kept.enter_context(tuner._driver.copied(arrays)))
        self._copies = [next(copies) if isinstance(value, numpy.ndarray) else None
                        for value in given["arguments"]]

    def launched(self, template: str, variants: _Variants, i: int, wanted: Sequence[bool]) -> list[Any]:
        """Returns the arguments after one launch, None for those that are not wanted. The configuration must
        be its template's default, the only one that this process may launch; a worker has launched it."""
        self._tuner.add_source(template, variants.template(i))
        plan = self._tuner.tune(template, effort="cached", time_limit=_NO_LIMIT)
        constant = [one for _, _, one in _signature(variants.texts[i], variants.name)]
        for copy, unchanged in zip(self._copies, constant):
            if copy and not unchanged:
                copy.restore()
        blocks = [array.ravel() for array in (self._given["cmem_args"] or {}).values()]
        values = self._given["arguments"]
        plan(*blocks, *(copy.address if copy else value for copy, value in zip(self._copies, values)))
        return [(copy.read() if copy else value) if is_wanted else None
                for copy, value, is_wanted in zip(self._copies, values, wanted)]


def _is_right(given: Mapping[str, Any], results: list[Any]) -> bool:
    answer, atol, verify = given["answer"], given["atol"], given["verify"]
    if verify:
        names = verify.__code__.co_varnames if hasattr(verify, "__code__") else ("atol",)
        return bool(verify(answer, results, atol=atol) if "atol" in names else verify(answer, results))
    return all(expected is None or numpy.allclose(numpy.ravel(expected), numpy.ravel(result), atol=atol)
               for expected, result in zip(answer, results))


class ErrorConfig(str):
    """The "__error__" of a failed configuration: the reason."""


class InvalidConfig(ErrorConfig):
    """The configuration cannot be launched on this GPU."""


class CompilationFailedConfig(ErrorConfig):
    """The configuration does not compile."""


class RuntimeFailedConfig(ErrorConfig):
    """The configuration crashed, hung or could not be launched."""


_FAILED: dict[str, type[str]] = {"compile": CompilationFailedConfig, "launch": RuntimeFailedConfig,
                                 "crashed": RuntimeFailedConfig, "hung": RuntimeFailedConfig}


def _error(record: Mapping[str, Any]) -> str:
    """Returns why a configuration failed, as Kernel Tuner's own class if the script uses it. Too much static
    shared memory counts as a compilation failure."""
    too_much = re.search("static shared memory|too much shared data", record["message"])
    kind: type[str] = CompilationFailedConfig if too_much else _FAILED.get(record["status"], InvalidConfig)
    theirs: type[str] = getattr(sys.modules.get("kernel_tuner.util"), kind.__name__, kind)
    return theirs(record["message"])


def _result(given: Mapping[str, Any], params: dict[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(params)
    if record["status"] == "ok":
        out.update(time=record["mean_ns"] / 1e6, times=record["times"])
        for name, metric in (given["metrics"] or {}).items():
            out[name] = metric(out) if callable(metric) else _evaluate(metric, out)
    else:
        out["__error__"] = _error(record)
    out.update(compile_time=record["compile_ns"] / 1e6, verification_time=0.0,
               benchmark_time=sum(record["times"]), strategy_time=0.0, framework_time=0.0,
               timestamp=time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()))
    return out


# --- the search space ---------------------------------------------------------------------------------

def _restrictions(given: Mapping[str, Any]) -> list[Any]:
    restrictions = given["restrictions"]
    if restrictions is None:
        return []
    return list(restrictions) if isinstance(restrictions, (list, tuple)) and not callable(restrictions) \
        else [restrictions]


def _test(one: Any, names: Sequence[str]) -> tuple[list[str], Callable[[dict[str, Any]], Any]]:
    """Returns the parameters that a restriction reads, and the restriction as a function of them."""
    if isinstance(one, str):
        is_plain = all(name.isidentifier() for name in names)
        read = [name for name in names if not is_plain or name in _names(one)]
        return read, functools.partial(_evaluate, one)
    if isinstance(one, tuple) and len(one) == 2 and callable(one[0]):
        return list(one[1]), lambda params: one[0](*(params[name] for name in one[1]))
    if callable(one):
        return list(names), one
    raise TypeError(f"restrictions has {one!r}; expected an expression or a function")


def _space(given: Mapping[str, Any], most_threads: int) -> list[tuple[Any, ...]]:
    """Returns the allowed configurations, in product order. A restriction is applied as soon as its
    parameters have values, and evaluated once for equal values."""
    names, blocks = list(given["tune_params"]), _block_names(given)
    tests = [_test(one, names) for one in _restrictions(given)]
    tests.append(([name for name in names if name in blocks],
                  lambda params: math.prod(_block(blocks, params)) <= most_threads))
    out: list[tuple[Any, ...]] = [()]
    for count, values in enumerate(given["tune_params"].values(), 1):
        out = [(*one, value) for one in out for value in values]
        for read, holds in tests:
            places = [names.index(name) for name in read]
            if max(places, default=0) + 1 == count:
                out = _those(out, places, read, holds)
    return out


def _those(space: list[tuple[Any, ...]], places: Sequence[int], read: Sequence[str],
           holds: Callable[[dict[str, Any]], Any]) -> list[tuple[Any, ...]]:
    known: dict[Any, bool] = {}
    out = []
    for one in space:
        key = tuple([one[place] for place in places])
        if key not in known:
            known[key] = bool(holds(dict(zip(read, key))))
        if known[key]:
            out.append(one)
    return out


def _searched(given: Mapping[str, Any], most_threads: int) -> Iterator[dict[str, Any]]:
    names, space = list(given["tune_params"]), _space(given, most_threads)
    options, strategy = given["strategy_options"] or {}, given["strategy"] or "brute_force"
    if isinstance(strategy, types.ModuleType):  # kernel_tuner.strategies.minimize
        strategy = strategy.__name__.rpartition(".")[2]
    most = options.get("max_fevals")
    if strategy != "brute_force":
        if strategy != "random_sample":
            warnings.warn(f"strategy {strategy!r} is not supported; trying max_fevals random configurations",
                          stacklevel=3)
        sample = math.ceil(len(space) * options.get("fraction", 0.1))
        plain = sample if strategy == "random_sample" else _DEFAULT_SAMPLE
        most = most or (len(space) if options.get("time_limit") and "fraction" not in options else plain)
        space = random.Random(given["seed"] or 0).sample(space, min(most, len(space)))
    return (dict(zip(names, one)) for one in (space[:most] if most else space))


def _refuse(given: Mapping[str, Any]) -> None:
    lang = given.get("lang")
    if lang and str(lang).upper() not in ("CUDA", "CUPY", "NVCUDA", "PYCUDA"):
        raise NotImplementedError(f"lang is {lang!r}; only CUDA C is supported")
    for name, why in (("texmem_args", "textures are not"), ("observers", "observers are not"),
                      ("simulation_mode", "simulation is not"), ("objectives", "several objectives are not")):
        if given.get(name):
            raise NotImplementedError(f"{name}: {why} supported; use Kernel Tuner itself")
    if given.get("cache"):
        warnings.warn("cache has no effect: no file is read or written; records() has what tune() stored",
                      stacklevel=3)
    if given.get("strategy") is not None and not isinstance(given["strategy"], (str, types.ModuleType)):
        raise NotImplementedError("a strategy object is not supported; expected a strategy's name")
    for name in ("grid_div_x", "grid_div_y", "grid_div_z"):
        if isinstance(given[name], dict):
            raise TypeError(f"{name} is {given[name]!r}; expected a list or a function")


@contextlib.contextmanager
def _opened(given: Mapping[str, Any]) -> Iterator[tuple[Tuner, str]]:
    """Opens a tuner that stores nothing, and a temporary folder."""
    include = [os.getcwd(), *(one[2:] for one in given["compiler_options"] or () if one.startswith("-I"))]
    source = given["kernel_source"]
    first = source[0] if isinstance(source, (list, tuple)) else source
    if isinstance(first, str) and _is_file(first):
        include.insert(0, os.path.dirname(os.path.abspath(first)))
    with tempfile.TemporaryDirectory() as folder, \
            Tuner(device=given["device"], database=":memory:", keep_workers=True, include=include) as tuner:
        yield tuner, folder


def _best(given: Mapping[str, Any], results: list[dict[str, Any]]) -> dict[str, Any] | None:
    objective = given["objective"] or "time"
    higher = given["objective_higher_is_better"]
    sign = -1 if (higher if higher is not None else objective in _HIGHER) else 1
    good = [one for one in results if "__error__" not in one]
    return min(good, key=lambda one: sign * one[objective]) if good else None


def tune_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any],
                tune_params: Mapping[str, Sequence[Any]], grid_div_x: Any = None, grid_div_y: Any = None,
                grid_div_z: Any = None, restrictions: Any = None, answer: Sequence[Any] | None = None,
                atol: float = 1e-6, verify: Callable[..., Any] | None = None, verbose: bool = False,
                lang: str | None = None, device: int = 0, platform: int = 0,
                smem_args: Mapping[str, Any] | None = None, cmem_args: Mapping[str, Any] | None = None,
                texmem_args: Any = None, compiler: str | None = None,
                compiler_options: Sequence[str] | None = None, defines: Mapping[str, Any] | None = None,
                log: Any = None, iterations: int = 7, block_size_names: Sequence[str] | None = None,
                quiet: bool = False, strategy: Any = None, strategy_options: Mapping[str, Any] | None = None,
                cache: Any = None, metrics: Mapping[str, Any] | None = None, simulation_mode: Any = None,
                parallel: Any = None, observers: Any = None, objective: str | None = None,
                objective_higher_is_better: bool | None = None, objectives: Any = None,
                seed: int | None = None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Measures the configurations of tune_params that the restrictions allow. Returns a dict for each, in
    the order of tune_params' product, and a dict with the environment and the best one. Raises
    RuntimeError if a configuration's results differ from `answer`."""
    given = dict(locals())
    _refuse(given)
    given["arguments"] = [_host(value) for value in arguments]
    if answer is not None and len(answer) != len(arguments):
        raise TypeError("The length of argument list and provided results do not match.")
    if verify and answer is None:
        given["answer"] = [value if isinstance(value, numpy.ndarray) else None
                           for value in given["arguments"]]
    started = time.perf_counter()
    limit = float((strategy_options or {}).get("time_limit", 0)) or _NO_LIMIT
    spent = {"strategy": 0.0, "framework": 0.0, "compile": 0.0}
    configurations = _timed(spent, "strategy", lambda: _searched(given, 1024))
    results: dict[int, dict[str, Any]] = {}
    with _opened(given) as (tuner, folder), contextlib.ExitStack() as kept:
        expected: Sequence[Any] = given["answer"] or ()
        on_device = _Arguments(tuner, given, kept) if expected else None
        most = _MOST_VALUES if limit == _NO_LIMIT else _FIRST_VALUES
        groups = _grouped(given, configurations, lambda: most)
        for number in itertools.count():
            variants = _timed(spent, "framework", lambda: next(groups, None))
            left = limit - (time.perf_counter() - started)
            if variants is None or left <= 0:
                break
            template = f"configurations-{number}.cu"
            records = _timed(spent, "compile", lambda: _measured(tuner, template, variants, left, folder))
            if limit - (time.perf_counter() - started) > (1 - _SHORT) * left:
                most = min(2 * most, _MOST_VALUES)
            for i, record in enumerate(records):
                params, checked = variants.params[i], time.perf_counter()
                if record["status"] == "ok" and on_device and not _is_right(given, on_device.launched(
                        template, variants, i, [one is not None for one in expected])):
                    raise RuntimeError(f"Kernel result verification failed for: {_shown(params)}")
                results[variants.places[i]] = out = _result(given, params, record)
                out["verification_time"] = 1000 * (time.perf_counter() - checked)
                if verbose:
                    print(_shown(out, [*tune_params, "time", *(metrics or ())]))
    if not results and limit != _NO_LIMIT:
        raise RuntimeError(f"strategy_options' time_limit of {limit:g} s left no configuration measured; the "
                           f"search space alone took {spent['strategy'] / 1000:.1f} s")
    found = [results[place] for place in sorted(results)]
    assert tuner.device
    environment = _environment(given, tuner.device, spent, started, found)
    if not quiet:
        _report(given, environment)
    return found, environment


def _timed(spent: dict[str, float], name: str, call: Callable[[], Any]) -> Any:
    started = time.perf_counter()
    try:
        return call()
    finally:
        spent[name] += 1000 * (time.perf_counter() - started)


def _environment(given: Mapping[str, Any], device: Mapping[str, Any], spent: Mapping[str, float],
                 started: float, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Makes the environment dict. Totals are wall-clock times: compilations at the same time count once."""
    out: dict[str, Any] = {
        "device_name": device["name"], "compute_capability": str(device["compute_capability"]),
        "iterations": given["iterations"], "compiler_options": list(given["compiler_options"] or ()),
        "gputune_version": __version__, "emulated": device["emulated"]}
    sums = {name: float(sum(one[f"{name}_time"] for one in found))
            for name in ("compile", "verification", "benchmark")}
    sums["compile"] = min(sums["compile"], max(spent["compile"] - sums["benchmark"], 0.0))
    for name, total in {**sums, "strategy": spent["strategy"], "framework": spent["framework"]}.items():
        out[f"total_{name}_time"] = total
    best = _best(given, found)
    if best:
        out["best_config"] = best
    known = sum(out[name] for name in out if name.startswith("total_"))
    out["overhead_time"] = max(1000 * (time.perf_counter() - started) - known, 0.0)
    return out


def _shown(params: Mapping[str, Any], keys: Sequence[str] = ()) -> str:
    units = {"time": "ms"}
    return ", ".join(f"{key}={params[key]:.3f}{units.get(key, '')}" if isinstance(params[key], float) else
                     f"{key}={params[key]}" for key in keys or params if key in params)


def _report(given: Mapping[str, Any], environment: Mapping[str, Any]) -> None:
    best = environment.get("best_config")
    if best is None:
        print("no results to report")
        return
    objective = given["objective"] or "time"
    print(f"\nBEST PERFORMING CONFIGURATION FOR OBJECTIVE {objective}:")
    print(_shown(best, [*given["tune_params"], objective, *(given["metrics"] or ())]))


def run_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any],
               params: dict[str, Any], grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None,
               lang: str | None = None, device: int = 0, platform: int = 0,
               smem_args: Mapping[str, Any] | None = None, cmem_args: Mapping[str, Any] | None = None,
               texmem_args: Any = None, compiler: str | None = None,
               compiler_options: Sequence[str] | None = None, defines: Mapping[str, Any] | None = None,
               block_size_names: Sequence[str] | None = None, quiet: bool = False,
               log: Any = None) -> list[Any]:
    """Launches one configuration, after a worker has launched it; returns the arguments after the launch."""
    given = dict(locals(), seed=None)
    _refuse(given)
    given["arguments"] = [_host(value) for value in arguments]
    with _opened(given) as (tuner, folder), contextlib.ExitStack() as kept:
        variants = next(_grouped(given, [params]))
        template = "configurations-0.cu"
        record, = _measured(tuner, template, variants, _NO_LIMIT, folder)
        if record["status"] != "ok":
            raise RuntimeError(f"{kernel_name}: {record['message']}")
        return _Arguments(tuner, given, kept).launched(template, variants, 0, [True] * len(arguments))
