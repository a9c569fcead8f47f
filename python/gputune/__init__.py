"""gputune finds the fastest variant of a CUDA kernel on this GPU once, and stores it.

    import gputune
    axpy = gputune.tune("axpy", n=y.size)   # measures, or finds the winner in the database
    axpy(y, x, 2.0, y.size)                 # launches it on the arrays' current stream

Arrays are PyTorch tensors, objects with __cuda_array_interface__ (CuPy, Numba) or DLPack (JAX), or plain
addresses; on the emulator, NumPy arrays too. A kernel is a name, or the path of a template.

    with gputune.tune("axpy", n=1024) as axpy:    # releases the plan at the end
        print(axpy.info["configuration"])
    gputune.space("axpy", n=1024)["valid"]        # how many variants this GPU allows
    gputune.run("axpy", ["BLOCK=128", "BLOCK=256"], n=1024)   # measures these side by side
    gputune.compare("axpy", n=1024)               # compares the winner with the default
    gputune.tune("axpy", n=1024, progress=True)   # shows a progress bar
    gputune.add_source("mine.cu", text)           # a kernel whose template is in memory
    gputune.records()                             # the stored winners, as dicts
    gputune.trials("axpy")                        # every stored result of a kernel
    gputune.forget("axpy", dry_run=True)          # lists what would be deleted
    gputune.diagnose()                            # checks this installation

    @gputune.kernel("./axpy.cu")                  # a function that tunes and launches
    def axpy(y, x, a, n): "y += a x"

Failed calls raise a subclass of gputune.Error, such as gputune.NotFoundError. See also gputune.h and
gputune(1)."""
from __future__ import annotations

import atexit
import builtins
import ctypes
import functools
import inspect
import logging
import math
import operator
import os
import threading
import time
import weakref
from typing import (TYPE_CHECKING, Any, Callable, Literal, Mapping, Optional, Protocol, Sequence, Tuple, Type,
                    TypeVar, Union, cast, overload)

try:
    from . import _abi
except ImportError:  # generated from gputune.h when the package is built
    raise ImportError(f"{os.path.dirname(os.path.abspath(__file__))} is gputune's source, not an installed "
                      "package; run `pip install .` at the top of the source tree, and start Python in a "
                      "folder from which it does not find the source first") from None
from . import _fast
from ._abi import Record
from ._arguments import Arguments, picker
from ._arrays import current_stream, stream_handle
from ._driver import Driver
from ._driver import driver as _driver_of
from ._errors import (BusyError, CanceledError, CaptureError, CompileError, CrashedError, CudaError,
                      DatabaseError, DeviceMemoryError, Error, FileError, InvalidError, NoCompilerError,
                      NoDriverError, NotCachedError, NotFoundError, NoVariantError, OutOfMemoryError,
                      RecordedError, TemplateError, TimeLimitError, UnsupportedError, WorkerError,
                      WrongResultError)
from ._library import Interrupt, as_dict, calling, collect, encoded, is_calling, iterate, library, text
from ._library import check as _check
from ._options import Bar, Cancel, Progress, Reference
from ._options import identity as _identity
from ._options import inputs as _inputs
from ._options import progress as _progress
from ._options import reference as _reference

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec
    _P = ParamSpec("_P")
    _R = TypeVar("_R")

__all__ = ["BusyError", "Cancel", "CanceledError", "CaptureError", "CompileError", "CrashedError",
           "CudaError", "DatabaseError", "DeviceMemoryError", "Error", "FileError", "InvalidError",
           "NoCompilerError", "NoDriverError", "NoVariantError", "NotCachedError", "NotFoundError",
           "OutOfMemoryError", "Plan", "Record", "RecordedError", "TemplateError", "TimeLimitError", "Tuner",
           "UnsupportedError", "WorkerError", "WrongResultError", "add_source", "add_template",
           "background", "check", "check_database", "compare", "compile", "device_count", "devices",
           "diagnose", "draft_template", "emit", "emit_rule", "export_wisdom", "forget",
           "import_wisdom", "kernel", "kernels", "load_wisdom", "make_rule", "merge", "misses", "open",
           "records", "refresh", "rules", "run", "save_wisdom", "space", "trials", "tune", "wait"]
__version__: str = library.gputune_version().decode()



class DType(Protocol):
    """An element type of a framework, such as x.dtype of an array."""

    @property
    def itemsize(self) -> int:
        ...


Path = Union[str, "os.PathLike[str]"]
Size = Union[int, str, DType, Type[DType]]
Sizes = Union[Size, Sequence[Size]]
Range = Union[Size, Tuple[int, int]]
_Method = TypeVar("_Method", bound=Callable[..., Any])
Effort = Literal["cached", "estimate", "measure", "exhaustive"]
Objective = Literal["default", "kernel", "launch", "latency", "energy", "rate"]
Strategy = Literal["auto", "exhaustive", "random", "model", "local"]
Unseen = Literal["effort", "rule"]
Cache = Literal["cold", "hot"]
Form = Literal["source", "ptx", "cubin", "whole"]


def _names(function: Callable[[int], Any], count: int) -> dict[str, int]:
    return {text(function(i)): i for i in range(count)}


_EFFORTS = _names(library.gputune_effort_name, _abi.GPUTUNE_EXHAUSTIVE + 1)
_OBJECTIVES = _names(library.gputune_objective_name, _abi.GPUTUNE_OBJECTIVE_RATE + 1)
_STRATEGIES = _names(library.gputune_strategy_name, _abi.GPUTUNE_STRATEGY_LOCAL + 1)
_UNSEEN = {"effort": _abi.GPUTUNE_UNSEEN_BY_EFFORT, "rule": _abi.GPUTUNE_RULE}
_FORMS = _names(library.gputune_form_name, _abi.GPUTUNE_FORM_WHOLE + 1)
_CACHES = _names(library.gputune_cache_name, _abi.GPUTUNE_CACHE_HOT + 1)


# --- conversion of arguments to C ----------------------------------------------------------------------

def _choose(what: str, words: Mapping[str, int], word: Any) -> int:
    if not isinstance(word, str):
        raise TypeError(f"{what} is {word!r}; expected one of {', '.join(words)}")
    if word not in words:
        raise ValueError(f"{what} is {word!r}; expected one of {', '.join(words)}")
    return words[word]


def _integer(what: str, value: Any, low: int, high: int, other: str = "") -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; expected an integer{other}") from None
    if not low <= number <= high:
        raise ValueError(f"{what} is {number}; expected {low} to {high}")
    return number


def _seconds(what: str, value: Any) -> float:
    if isinstance(value, str) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"{what} is {value!r}; expected a number of seconds")
    return float(value)


def _fraction(what: str, value: Any) -> float:
    number = _seconds(what, value) if not isinstance(value, str) else math.nan
    if not 0 <= number <= 1:
        raise ValueError(f"{what} is {value!r}; expected a fraction, 0 to 1")
    return number


def _kernel(value: Any) -> bytes:
    if isinstance(value, str) and "\n" in value:
        raise ValueError("kernel is a template's text; pass it to add_source(), and its kernel's name here")
    name = encoded("kernel", value)
    if name is None:
        raise TypeError("kernel is None; expected a str or a path")
    return name


def _words(what: str, values: Any, example: str, kinds: tuple[type, ...] = (str,)) -> Any:
    """Converts a list of words to a C array."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{what} is {values!r}; expected a list such as [{example!r}]")
    words = list(values)
    for word in words:
        if not isinstance(word, kinds):
            raise TypeError(f"{what} has {word!r}; expected a str such as {example!r}")
    return (ctypes.c_char_p * max(len(words), 1))(*map(os.fsencode, words)), len(words)


def _paths(what: str, values: Any, example: str) -> Any:
    return _words(what, values, example, (str, os.PathLike))


def _all_sizes(sizes: Mapping[str, Size] | None, more: Mapping[str, Size]) -> dict[str, Size]:
    if sizes is not None and not isinstance(sizes, Mapping):
        raise TypeError(f"sizes is {sizes!r}; expected a dict")
    for name in more:
        if name in (sizes or {}):
            raise TypeError(f"size {name} is given twice: as an argument, and in sizes")
    return {**(sizes or {}), **more}


def _size(name: str, value: Any) -> int:
    return _integer(f"size {name}", value, -1 << 63, (1 << 63) - 1, " or a word")


def _check_size_name(name: Any) -> None:
    if not isinstance(name, str) or "=" in name:
        raise TypeError(f"sizes has the name {name!r}; expected the name of a problem value, such as 'n'")


def _sizes(values: Mapping[str, Size]) -> Any:
    items = (_abi.gputune_size * max(len(values), 1))()
    for item, (name, value) in zip(items, values.items()):
        _check_size_name(name)
        word = _fast.word_of(value)
        if word is not None:
            item.name = f"{name}={word}".encode()
        else:
            item.name = name.encode()
            item.value = _size(name, value)
    return _abi.gputune_sizes(len(values), items)


def _ranges(values: Mapping[str, Any]) -> Any:
    """Converts {"n": (64, 4096), "T": "half"} to a C array; a number is a range of one value."""
    items = (_abi.gputune_range * max(len(values), 1))()
    for item, (name, value) in zip(items, values.items()):
        _check_size_name(name)
        word = _fast.word_of(value)
        if word is not None:
            item.name = f"{name}={word}".encode()
            continue
        ends = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
        if len(ends) != 2:
            raise TypeError(f"the range of {name} is {value!r}; expected (least, most)")
        item.name, item.least, item.most = name.encode(), _size(name, ends[0]), _size(name, ends[1])
    return items


def _filter(kernel: Any, any_gpu: bool, gpu: Any, sizes: Any, **members: Any) -> Any:
    """Makes a gputune_record_filter."""
    if sizes is not None and not isinstance(sizes, Mapping):
        raise TypeError(f"sizes is {sizes!r}; expected a dict of values, or of lists of them")
    words = []
    for name, values in (sizes or {}).items():
        _check_size_name(name)
        several = values if isinstance(values, (list, tuple, set, range)) else [values]
        words.append(f"{name}=" + ",".join(_fast.word_of(one) or str(_size(name, one)) for one in several))
    return _abi.gputune_record_filter(
        kernel=encoded("kernel", kernel), any_gpu=bool(any_gpu), gpu=encoded("gpu", gpu),
        sizes=" ".join(words).encode() if words else None, **members)


def _alignments(alignment: Any) -> dict[str, Any]:
    """Returns the alignment members of gputune_options."""
    if not isinstance(alignment, Mapping):
        return {"alignment": _integer("alignment", alignment, 0, (1 << 32) - 1, " or a dict of them")}
    items = [_abi.gputune_alignment(encoded("alignment", name),
                                    _integer(f"alignment of {name}", value, 0, (1 << 32) - 1))
             for name, value in alignment.items()]
    return {"alignments": (_abi.gputune_alignment * max(len(items), 1))(*items),
            "alignment_count": len(items)}


Group = Tuple[int, Callable[[Optional[bytes]], bytes]]


def _group(given: Any, stop: Interrupt) -> Any:
    """Makes a gputune_group."""
    if not (isinstance(given, tuple) and len(given) == 2 and callable(given[1])):
        raise TypeError(f"group is {given!r}; expected a rank and a function that broadcasts bytes")
    rank, function = _integer("rank", given[0], 0, (1 << 31) - 1), given[1]

    def broadcast(_: Any, data: int, count: int) -> int:
        received = function(ctypes.string_at(data, count) if rank == 0 else None)
        if not isinstance(received, bytes) or len(received) != count:
            raise TypeError(f"the group's broadcast returned {received!r}; expected {count} bytes of rank 0")
        ctypes.memmove(data, received, count)
        return 0

    group = _abi.gputune_group(rank=rank)
    group.broadcast = type(group.broadcast)(stop.guarded(broadcast, 1))
    return group


_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)


def _log_line(level: int, line: str) -> None:
    logging.getLogger("gputune").log(_LEVELS[level], "%s", line)


def _log_fn(log: Callable[[int, str], object], tuner: Any) -> Any:
    def write(_: Any, level: int, line: bytes) -> None:
        with calling(tuner):
            log(level, text(line))
    return _abi.gputune_log_fn(write)


def _opening_options(tuner: Any, device: Any = None, driver: Any = None, database: Any = None,
                     templates: Any = None, log: Any = None, keep_workers: bool = False, max_plans: int = 0,
                     include: Any = (), worker: Any = None, compile_workers: int = 0, record: Any = None,
                     tune_only: bool = False, read_only: bool = False,
                     emulate_without_gpu: bool = False, pinned: Any = None) -> Any:
    """Converts the arguments of Tuner to gputune_open_options. `tuner` will be its pointer, or is None."""
    if log is not None and not callable(log):
        raise TypeError(f"log is {log!r}; expected a function of a level and a line")
    if log is None and not os.environ.get("GPUTUNE_LOG"):
        log = _log_line
    if device is not None and not isinstance(device, str):
        device = str(_integer("device", device, 0, (1 << 31) - 1, " or a UUID"))
    options = _abi.gputune_open_options(
        device=encoded("device", device),
        driver=encoded("driver", driver), database=encoded("database", database),
        templates=encoded("templates", templates), worker=encoded("worker", worker),
        record=encoded("record", record), pinned=encoded("pinned", pinned),
        keep_workers=bool(keep_workers), tune_only=bool(tune_only), read_only=bool(read_only),
        emulate_without_gpu=bool(emulate_without_gpu),
        compile_workers=_integer("compile_workers", compile_workers, 0, (1 << 32) - 1),
        max_plans=_integer("max_plans", max_plans, 0, (1 << 32) - 1))
    options.include_paths, options.include_path_count = _paths("include", include, "./headers")
    if log:
        options.log = _log_fn(log, tuner)
    return options


class _Shared:
    """An object that exists once in a process: it copies as itself, and cannot be pickled."""
    __slots__ = ()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} belongs to its process and cannot be pickled; "
                        "create another one there")


class _Opened:
    """The library's tuner, which the Tuner and its plans hold. Closed by close(), or when the last of them
    is garbage."""

    def __init__(self, pointer: ctypes.c_void_p, options: Any) -> None:
        self.pointer = pointer
        self.plans: weakref.WeakSet[_Planned] = weakref.WeakSet()
        self._log = options.log  # must live as long as the tuner
        self._process = os.getpid()
        _check(library.gputune_open(ctypes.byref(self.pointer), ctypes.byref(options)))
        _open_tuners.add(self)

    def close(self) -> None:
        """Refuses new launches, waits for those in progress, and closes the tuner. Does nothing in a forked
        child, which has neither the tuner's workers nor the threads that launch. BusyError in a callback."""
        if is_calling(self.pointer):
            raise BusyError(_abi.GPUTUNE_EBUSY, "a callback cannot close its own tuner, which stays open; "
                            "close it after the call")
        pointer = ctypes.c_void_p(self.pointer.value)
        self.pointer.value = None
        if self._process == os.getpid():
            for planned in list(self.plans):
                while planned.users:
                    time.sleep(1e-4)
                planned.end()
            library.gputune_close(pointer)

    def __del__(self) -> None:
        self.close()


_open_tuners: weakref.WeakSet[_Opened] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Closes all tuners before Python ends, because background tunings call back into it."""
    for opened in list(_open_tuners):
        opened.close()


class _Planned(_fast.Launcher):
    """The library's plan and its properties, shared by all Plan objects of one answer."""
    tuner: _Opened
    pointer: int
    driver: Driver | None
    device: Mapping[str, Any]
    arguments: list[dict[str, Any]]
    request: tuple[bytes, Any, Any]  # arguments of tune_kernel()
    places: dict[Any, Any]  # positions of values for operators and decorated functions
    users: list[None]  # an item for each `with` statement in progress

    def __enter__(self) -> _Planned:
        """Keeps the library's plan until __exit__()."""
        self.users.append(None)
        if not self.tuner.pointer:
            self.users.pop()
            raise ValueError("the tuner of this plan is closed")
        return self

    def __exit__(self, *_: object) -> None:
        self.users.pop()


def _planned(pointer: int, tuner: _Opened, driver: Driver | None, device: Mapping[str, Any]) -> _Planned:
    """Takes ownership of a reference to a plan of the library's tuner."""
    arguments: list[dict[str, Any]] = []
    argument = _abi.gputune_parameter()
    while library.gputune_plan_argument(ctypes.byref(argument), pointer, len(arguments)) == 0:
        arguments.append(as_dict(argument))
    planned = _Planned(pointer, [(_fast.code(one), one["type"] or "", one["buffer_bytes"],
                                  one["element_bytes"]) for one in arguments], device["ordinal"])
    planned.pointer, planned.driver, planned.device, planned.arguments = pointer, driver, device, arguments
    planned.places, planned.users = {}, []
    planned.tuner = tuner
    tuner.plans.add(planned)
    return planned


# --- plans ------------------------------------------------------------------------------------------

class Plan(_Shared, _fast.Launched):
    """A kernel to launch any number of times: plan(*arguments, stream=None), with the template's arguments in
    their order. `stream` is an integer, or a stream of PyTorch, CuPy or Numba; default: the current stream of
    the arrays' framework. Thread-safe. `with` releases the plan at the end; otherwise it is released with its
    last reference."""
    __slots__ = ("__weakref__",)

    def _held(self) -> _Planned:
        planned: _Planned | None = self._planned
        if planned is None:
            raise ValueError("this plan is closed")
        if not planned.tuner.pointer:
            raise ValueError("the tuner of this plan is closed")
        return planned

    def _look(self, arguments: Sequence[Any], stream: Any, status: int | None) -> None:
        """Launches with arguments that the fast path cannot convert, or after it failed."""
        held = self._held()
        driver = held.driver
        if driver is None:
            raise UnsupportedError(_abi.GPUTUNE_EUNSUPPORTED, "the plan's tuner cannot launch: it was "
                                   "opened with tune_only")
        if status is not None and driver.current_context():
            _check(status)
        handle = current_stream(arguments) if stream is None else stream_handle(stream)
        driver.ensure_context(held.device["ordinal"])
        made = Arguments(self.info["kernel"], arguments, held.arguments, handle, held.device)
        for producer in made.producers:
            driver.wait(handle, producer)
        packed = _abi.gputune_args(len(arguments), made.items)
        with held:
            if made.host:
                with driver.registered((array.address, array.bytes) for array in made.host):
                    _check(library.gputune_launch(held.pointer, handle, packed))
            else:
                _check(library.gputune_launch(held.pointer, handle, packed))

    @property
    def info(self) -> dict[str, Any]:
        """The plan's configuration, origin and speedup."""
        info = _abi.gputune_info()
        with self._held() as held:
            _check(library.gputune_plan_info(ctypes.byref(info), held.pointer))
        out = as_dict(info)
        out["source"] = text(library.gputune_source_name(info.source))
        out["objective"] = text(library.gputune_objective_name(info.objective))
        return out

    @property
    def arguments(self) -> list[dict[str, Any]]:
        """The arguments of a launch, in order: kind ("buffer", "scalar", "block"), name, type, bytes, ..."""
        return [{**one, "kind": text(library.gputune_parameter_kind_name(one["kind"]))}
                for one in self._held().arguments]

    @property
    def functions(self) -> list[dict[str, Any]]:
        """The kernel functions, for programs that launch them without gputune: each function's name, grid,
        block, cluster, dynamic shared_bytes, parameters and image, a cubin as bytes (PTX for an emulated
        device)."""
        made: list[dict[str, Any]] = []
        one = _abi.gputune_function()
        with self._held() as held:
            if held.driver:
                held.driver.ensure_context(held.device["ordinal"])
            while True:
                status = library.gputune_plan_function(ctypes.byref(one), held.pointer, len(made))
                if made and status == _abi.GPUTUNE_ENOTFOUND:
                    return made
                _check(status)
                parameters = []
                for i in range(one.parameter_count):
                    parameter = _abi.gputune_parameter()
                    _check(library.gputune_plan_parameter(ctypes.byref(parameter), held.pointer,
                                                          len(made), i))
                    parameters.append({**as_dict(parameter), "kind": text(
                        library.gputune_parameter_kind_name(parameter.kind))})
                made.append({**as_dict(one), "function": one.function, "parameters": parameters,
                             "image": ctypes.string_at(one.image, one.image_bytes)})

    def close(self) -> None:
        """Releases the plan, after launches in progress have ended."""
        self._planned = None

    def __enter__(self) -> Plan:
        self._held()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._planned is None or not self._planned.tuner.pointer:
            return "<gputune.Plan: closed>"
        info = self.info
        return f"<gputune.Plan {info['kernel']}: {info['configuration']} ({info['source']})>"


# --- tuners -----------------------------------------------------------------------------------------

def _option_names(method: Callable[..., Any]) -> set[str]:
    """Returns the names of a method's keyword arguments, except problem values."""
    return {one.name for one in inspect.signature(method).parameters.values()
            if one.kind is one.KEYWORD_ONLY and one.name != "sizes"}


def _check_names(tuner: Tuner, method: str, options: set[str], kernel: Any) -> None:
    """Refuses an option if the kernel has a problem value of the same name."""
    checked = method, _kernel(kernel), frozenset(options)
    if options and checked not in tuner._checked:
        for one in tuner.kernels(kernel):
            for name in options.intersection(size.partition("=")[0] for size in one["sizes"].split()):
                raise TypeError(f"{name} is an option of {method}() and a problem value of "
                                f'{one["name"]}; expected the value in sizes={{"{name}": ...}}, beside the '
                                "option or without it")
        tuner._checked.add(checked)


def _sized(method: _Method) -> _Method:
    """Decorates a method whose keywords are options or problem values, and checks which one is meant."""
    names = _option_names(method)

    @functools.wraps(method)
    def call(self: Tuner, kernel: Any, *arguments: Any, **given: Any) -> Any:
        sizes = given.get("sizes") or {}
        options = names.intersection(given).difference(sizes if isinstance(sizes, Mapping) else ())
        _check_names(self, method.__name__, options, kernel)
        return method(self, kernel, *arguments, **given)
    return cast(_Method, call)


_ONCE = ("force", "progress", "inputs", "reference", "cancel", "group")  # options that are valid for one call


def _answered_first(tune: _Method) -> _Method:
    @functools.wraps(tune)
    def asked(self: Tuner, kernel: Any, **options: Any) -> Plan:
        known: Plan | None = _fast.hit(self._answers, kernel, options)
        if known is not None:
            return known
        plan: Plan = tune(self, kernel, **options)
        again = any(options.get(name) for name in _ONCE)
        key = None if again else _fast.key(kernel, options)
        if key:
            self._note_answer(key, plan._held())
        return plan
    return cast(_Method, asked)


class Tuner(_Shared):
    """A GPU and a database. Thread-safe. `with` closes the tuner and its plans; otherwise it is closed when
    the tuner and all its plans are garbage."""

    def __init__(self, device: int | str | None = None, driver: Path | None = None,
                 database: Path | None = None, templates: Path | None = None,
                 log: Callable[[int, str], object] | None = None, keep_workers: bool = False,
                 max_plans: int = 0, include: Sequence[Path] = (), worker: Path | None = None,
                 compile_workers: int = 0, record: Path | None = None, tune_only: bool = False,
                 read_only: bool = False, emulate_without_gpu: bool = False,
                 pinned: Path | None = None) -> None:
        """
        Parameters
        ----------
        device
            A number, a UUID, or "none". Default: the device of the current context, or 0.
        driver
            "cuda", "emu" (the emulator), or a library's path.
        database, templates, worker
            Paths that replace the user's database (":memory:" stores nothing on disk), the installed kernels
            and the installed worker program.
        log
            A function of (level, line), with level 0 to 3: error, warning, info, debug. By default lines go
            to Python's logger "gputune", which shows warnings, unless GPUTUNE_LOG is set.
        keep_workers, compile_workers
            Keep workers between tunings, which is faster for many in a row; and the number of compile
            workers, 0: one for each core.
        max_plans
            How many plans are kept for later calls; 0: 16384.
        include
            Include folders for kernels.
        record
            A file for misses: requests without a stored result.
        tune_only, read_only
            For tools: launch nothing in this process and start the driver only in a worker; write nothing.
        emulate_without_gpu
            Use the emulator if there is no GPU.
        pinned
            A file of wisdom as the only source of results. tune() then never tunes: it raises
            NotCachedError for sizes and options that the file lacks.
        """
        self._opened: _Opened | None = None
        pointer = ctypes.c_void_p()
        options = _opening_options(pointer, device, driver, database, templates, log, keep_workers, max_plans,
                                   include, worker, compile_workers, record, tune_only, read_only,
                                   emulate_without_gpu, pinned)
        self._opened = _Opened(pointer, options)
        self._driver: Driver | None = None
        self.device: dict[str, Any] | None = None  # the GPU's properties
        self._answers: dict[Any, Any] = {}  # results of tune(), by key()
        self._checked: set[Any] = set()  # option names of calls that no problem value has
        self._most_answers = max_plans or 16384
        if device != "none":
            facts = _abi.gputune_device()
            _check(library.gputune_tuner_device(ctypes.byref(facts), self._handle))
            self.device = as_dict(facts)
            name = os.fsdecode(driver) if driver else os.environ.get("GPUTUNE_DRIVER")
            if not tune_only:
                self._driver = _driver_of(name or ("emu" if facts.emulated else "cuda"))

    @property
    def _handle(self) -> Any:
        if not self._opened or not self._opened.pointer:
            raise ValueError("this tuner is closed")
        return self._opened.pointer

    def __repr__(self) -> str:
        if not self._opened or not self._opened.pointer:
            return "<gputune.Tuner: closed>"
        return f"<gputune.Tuner: {self.device['name'] if self.device else 'no device'}>"

    def close(self) -> None:
        if self._opened:
            self._answers.clear()
            self._opened.close()

    def __enter__(self) -> Tuner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_template(self, path: Path) -> None:
        """Reads a template, whose kernel can then be tuned by name."""
        _check(library.gputune_add_template(self._handle, encoded("path", path)))

    def add_source(self, name: str, source: str) -> None:
        """Adds a template with the text `source`; `name` ("axpy.cu") is its path in messages."""
        if not isinstance(source, str):
            raise TypeError(f"source is {source!r}; expected a str")
        _check(library.gputune_add_source(self._handle, encoded("name", name), source.encode(), None))

    def _options(self, stop: Interrupt, only: Any, progress: Progress | None = None, start: Any = (),
                 **members: Any) -> tuple[Any, list[Any]]:
        """Makes gputune_options, and the objects that they point to."""
        restrictions, count = _words("only", only, "BLOCK=128,256")
        starts, start_count = _words("start", start, "VEC=4 BLOCK=256")
        options = _abi.gputune_options(only=restrictions, only_count=count, start=starts,
                                       start_count=start_count, cancel=ctypes.pointer(stop.flag), **members)
        kept: list[Any] = [(restrictions, starts)]
        if progress is not None:
            if not callable(progress):
                raise TypeError(f"progress is {progress!r}; expected True or a function of a dict")
            options.progress = _progress(progress, stop)
            kept.append(options.progress)
        return options, kept

    def _run(self, stop: Interrupt, call: Callable[[], int]) -> None:
        """Like stop.run(), with this thread's CUDA context current for the call."""
        driver = self._driver
        here = driver.current_context() if driver else ctypes.c_void_p()
        caller = threading.get_ident()

        def work() -> int:
            if driver and here.value and threading.get_ident() != caller:
                driver.call("cuCtxSetCurrent", here)
            with calling(self._handle):
                return call()

        stop.run(work)

    @_answered_first
    @_sized
    def tune(self, /, kernel: Path, *, sizes: Mapping[str, Size] | None = None, effort: Effort = "measure",
             objective: Objective = "default", cache: Cache = "cold", strategy: Strategy = "auto",
             time_limit: float = 0, max_variants: int = 0, epsilon: float = 0,
             alignment: int | Mapping[str, int] = 0, force: bool = False, only: Sequence[str] = (),
             start: Sequence[str] = (), seed: int = 0, memory_limit: int = 0,
             inputs: Mapping[str, Any] | None = None, inputs_tag: str | None = None,
             reference: Reference | None = None, reference_tag: str | None = None,
             samples: Path | None = None, background: bool = False, share: float = 0,
             cancel: Cancel | None = None, progress: Progress | bool | None = None,
             group: Group | None = None, unseen: Unseen = "effort", **more_sizes: Size) -> Plan:
        """Returns a Plan for a kernel at problem sizes.

        Parameters
        ----------
        kernel
            A name, or the path of a template.
        sizes, **more_sizes
            n=1024, T="half", T=x.dtype; `sizes` is a dict for names that are also options.
        effort
            "cached" never measures, "estimate" ranks without measuring, "measure", or "exhaustive",
            which eliminates no variant early.
        objective, cache
            What to optimise ("kernel", "launch", "latency", "energy", "rate"), and whether the data is in
            L2 before a sample ("hot") or not ("cold").
        time_limit
            Seconds after which the best variant so far wins; 0: 10, for energy 30.
        max_variants, epsilon, strategy, seed
            The maximum number of variants, the smallest relevant speedup as a fraction, the search strategy
            ("auto", "exhaustive", "random", "model", "local"), and the seed of random choices.
        only
            Restrictions such as ["BLOCK=128,256"]. The default is always measured too: info["outside_only"]
            is set if it is the result although the restrictions exclude it.
        start
            Configurations such as ["VEC=4 BLOCK=256"] to try first, after the default. They change which
            variants are tried first, not which results are stored.
        memory_limit
            The most device memory in bytes that the tuning allocates; 0: no limit. A CUDA context, about
            0.6 GB, comes in addition. If it is too small, nothing is measured, and a warning says how much
            is needed.
        alignment
            The guaranteed alignment of every buffer in bytes, or a dict by argument; 0: 16.
        inputs, inputs_tag
            Arrays on host or GPU, or paths of .npy files, by argument, instead of generated data. The
            tag identifies inputs on the GPU; results are stored per tag.
        reference, reference_tag
            A function that computes the expected outputs: reference(sizes, *arguments), with sizes as a
            dict and the kernel's arguments in order, as NumPy arrays and numbers. It writes the outputs
            in place. With a tag, other processes reuse results that were verified by the function;
            change it whenever the function changes.
        samples
            A CSV file to which every raw sample is appended.
        background, share
            Return the best known variant at once, and tune on a thread of the tuner, with that share of the
            GPU's time. wait() waits for it; later calls of tune() return the winner.
        cancel
            A Cancel; another thread ends the tuning with its set().
        progress
            True for a bar (tqdm's if installed), or a function that is called with a dict several times a
            second. An exception in it ends the tuning, like Ctrl-C.
        group
            A rank and a broadcast function, for processes that must all launch the same variant, such as
            MPI's. All make this call with the same arguments. Rank 0 measures. The broadcast gets rank
            0's bytes, or None on other ranks, and returns them, like mpi4py's bcast().
        unseen
            "rule": sizes without a plan are answered by the rule that `gputune warm --sizes` has stored
            for their region, without a tuning or a lookup in the database. Other sizes are answered as
            `effort` says.
        """
        wanted, given = _kernel(kernel), _all_sizes(sizes, more_sizes)
        if cancel is not None and not isinstance(cancel, Cancel):
            raise TypeError(f"cancel is {cancel!r}; expected a gputune.Cancel")
        if background and (progress or cancel):
            raise ValueError("a tuning in the background has no progress or cancel; expected these in calls "
                             "that wait (background() returns its progress)")
        stop = Interrupt(cancel)
        data, held = _inputs(inputs, self._driver)
        bar = Bar(wanted.decode()) if progress is True else None
        shown = bar if isinstance(progress, bool) else progress
        options, (texts, *_kept) = self._options(
            stop, only, shown, start, effort=_choose("effort", _EFFORTS, effort),
            objective=_choose("objective", _OBJECTIVES, objective),
            cache=_choose("cache", _CACHES, cache), strategy=_choose("strategy", _STRATEGIES, strategy),
            time_limit_s=_seconds("time_limit", time_limit),
            max_variants=_integer("max_variants", max_variants, 0, (1 << 32) - 1), force=bool(force),
            memory_limit_bytes=_integer("memory_limit", memory_limit, 0, (1 << 64) - 1),
            seed=_integer("seed", seed, 0, (1 << 64) - 1), epsilon=_fraction("epsilon", epsilon),
            inputs_tag=encoded("inputs_tag", inputs_tag), samples_path=encoded("samples", samples),
            reference_tag=encoded("reference_tag", reference_tag), background=bool(background),
            share=_fraction("share", share), unseen=_choose("unseen", _UNSEEN, unseen),
            **_alignments(alignment), **data)
        packed = _sizes(given)
        if background:
            options.cancel = None  # this call's objects no longer exist when it is read
        if reference is not None:
            if not callable(reference):
                raise TypeError(f"reference is {reference!r}; expected a function of the sizes and the "
                                "arguments")
            options.reference = _reference(reference, stop)
            options.user = _identity(reference)
        pointer = ctypes.c_void_p()
        request = ctypes.byref(pointer), self._handle, wanted, packed, ctypes.byref(options)
        ranks = None if group is None else _group(group, stop)
        try:
            self._run(stop, lambda: int(library.tune_kernel(*request) if ranks is None else
                                        library.gputune_tune_together(*request, ctypes.byref(ranks))))
        except BaseException:
            library.gputune_plan_release(pointer)
            raise
        finally:
            del held
            if bar:
                bar.close()
        if self.device is None or pointer.value is None:
            raise UnsupportedError(_abi.GPUTUNE_EUNSUPPORTED, "this tuner has no device to launch on")
        planned = _planned(pointer.value, cast(_Opened, self._opened), self._driver, self.device)
        options.cancel, options.progress = None, _abi.gputune_progress_fn()
        planned.request = wanted, packed, (options, texts)
        return Plan(planned)

    def _note_answer(self, key: Any, planned: _Planned) -> None:
        """Lets later equal calls use the fast path, which only asks the tuner."""
        wanted, packed, (options, _) = planned.request
        if len(self._answers) >= self._most_answers:
            self._answers.clear()
        name = ctypes.c_char_p(wanted)
        self._answers[key] = _fast.Answer(
            Plan, planned, self._handle.value, _fast.address_of(name), packed.count,
            _fast.address_of(packed.items), ctypes.addressof(options), (name, planned.request))

    @_sized
    def run(self, /, kernel: Path, configurations: Sequence[str] = (), *,
            sizes: Mapping[str, Size] | None = None, objective: Objective = "default", cache: Cache = "cold",
            time_limit: float = 0, epsilon: float = 0, seed: int = 0, **more_sizes: Size) -> list[Record]:
        """Verifies and measures configurations such as "BLOCK=128 VEC=4" side by side, and returns a dict for
        each, in their order. `speedup`: time of the first configuration divided by this one's; 0 if first.
        Without configurations, runs the default. Stores no results. `epsilon`: measures until the error of
        the times is 0.4 of it; 0 means 0.005."""
        wanted, packed = _kernel(kernel), _sizes(_all_sizes(sizes, more_sizes))
        words, count = _words("configurations", configurations, "BLOCK=128 VEC=4")
        stop = Interrupt()
        found: list[dict[str, Any]] = []
        options, _kept = self._options(
            stop, (), objective=_choose("objective", _OBJECTIVES, objective),
            cache=_choose("cache", _CACHES, cache), time_limit_s=_seconds("time_limit", time_limit),
            epsilon=_fraction("epsilon", epsilon), seed=_integer("seed", seed, 0, (1 << 64) - 1))
        each = _abi.FUNCTIONS["gputune_run"][1][6](stop.guarded(collect(found), 1))
        self._run(stop, lambda: int(library.gputune_run(self._handle, wanted, packed,
                                                        words if count else None, count,
                                                        ctypes.byref(options), each, None)))
        return [_shown(record) for record in found]

    @_sized
    def compare(self, /, kernel: Path, configurations: Sequence[str] = (), *,
                sizes: Mapping[str, Size] | None = None, objective: Objective = "default",
                cache: Cache = "cold", time_limit: float = 0, seed: int = 0,
                **more_sizes: Size) -> list[Record]:
        """Calls run() with the default and these configurations, or without any, with the default and the
        stored winner."""
        problem = _all_sizes(sizes, more_sizes)
        _words("configurations", configurations, "BLOCK=128 VEC=4")
        tune, run = inspect.unwrap(Tuner.tune), inspect.unwrap(Tuner.run)  # no option is a problem value
        info = tune(self, kernel, sizes=problem, effort="cached", objective=objective, cache=cache).info
        others = list(configurations) or [info["configuration"]]
        found: list[Record] = run(self, kernel, [info["default_configuration"], *others], sizes=problem,
                                  seed=seed, objective=objective, cache=cache, time_limit=time_limit)
        return found

    @_sized
    def check(self, /, kernel: Path, *, sizes: Mapping[str, Size] | None = None, max_variants: int = 0,
              only: Sequence[str] = (), seed: int = 0, time_limit: float = 0,
              **more_sizes: Size) -> list[dict[str, Any]]:
        """Returns the findings of the emulator's sanitizer in a kernel's variants, as dicts; the last one of
        each variant has the kind "checked". `time_limit` is for the whole call; 0: ten minutes. Needs a tuner
        with driver="emu"."""
        wanted, packed = _kernel(kernel), _sizes(_all_sizes(sizes, more_sizes))
        stop = Interrupt()
        found: list[dict[str, Any]] = []
        options, _kept = self._options(stop, only, seed=_integer("seed", seed, 0, (1 << 64) - 1),
                                       time_limit_s=_seconds("time_limit", time_limit),
                                       max_variants=_integer("max_variants", max_variants, 0, (1 << 32) - 1))
        each = _abi.FUNCTIONS["gputune_check"][1][4](stop.guarded(collect(found), 1))
        self._run(stop, lambda: int(library.gputune_check(self._handle, wanted, packed,
                                                          ctypes.byref(options), each, None)))
        return found

    @_sized
    def space(self, /, kernel: Path, *, sizes: Mapping[str, Size] | None = None, arch: str | None = None,
              only: Sequence[str] = (), **more_sizes: Size) -> dict[str, Any]:
        """Describes a kernel's space on the tuner's GPU, or for `arch` ("sm_90"): the number of
        `combinations`, of `valid` ones and of their different `sources`, its `axes` with their possible
        values, its `default`, and the `excluded` combinations by reason."""
        stop = Interrupt()
        options, _kept = self._options(stop, only)
        out = ctypes.POINTER(_abi.gputune_space)()
        _check(library.gputune_describe_space(
            ctypes.byref(out), self._handle, _kernel(kernel), _sizes(_all_sizes(sizes, more_sizes)),
            encoded("arch", arch), ctypes.byref(options)))
        try:
            return _space_dict(out.contents)
        finally:
            library.gputune_space_free(out)

    @overload
    def records(self, kernel: Path | None = None, *, all: bool = False, failures: bool = False,
                any_gpu: bool = False, history: bool = False, gpu: str | None = None,
                sizes: Mapping[str, Sizes] | None = None,
                frame: Literal[False] = False) -> list[Record]: ...

    @overload
    def records(self, kernel: Path | None = None, *, all: bool = False, failures: bool = False,
                any_gpu: bool = False, history: bool = False, gpu: str | None = None,
                sizes: Mapping[str, Sizes] | None = None, frame: bool) -> Any: ...

    def records(self, kernel: Path | None = None, *, all: bool = False, failures: bool = False,
                any_gpu: bool = False, history: bool = False, gpu: str | None = None,
                sizes: Mapping[str, Sizes] | None = None, frame: bool = False) -> Any:
        """Returns stored results as dicts.

        Parameters
        ----------
        kernel
            A name or a path. Default: all kernels.
        all, failures
            Every trial instead of only the winners; or the winners and the failed variants.
        any_gpu, gpu
            Results of every GPU, or of GPUs with this in their name ("H200"). Default: the tuner's GPU.
        sizes
            Only at these sizes: {"n": 1024}, {"n": [1024, 4096], "T": "half"}.
        history
            Also results from before the template was edited.
        frame
            Return a pandas DataFrame.
        """
        wanted = _filter(kernel, any_gpu, gpu, sizes, all_trials=bool(all), failures=bool(failures),
                         history=bool(history))
        callback = _abi.FUNCTIONS["gputune_records"][1][2]
        found = [_shown(record) for record in iterate(lambda each: library.gputune_records(
            self._handle, ctypes.byref(wanted), callback(each), None))]
        if frame:
            import pandas  # type: ignore[import-untyped, unused-ignore]
            return pandas.DataFrame(found)
        return found

    def trials(self, kernel: Path | None = None, *, any_gpu: bool = False, history: bool = False,
               gpu: str | None = None, sizes: Mapping[str, Sizes] | None = None) -> list[Record]:
        """Returns every stored result, not only the winners: records(all=True)."""
        return self.records(kernel, all=True, any_gpu=any_gpu, history=history, gpu=gpu, sizes=sizes)

    def forget(self, /, kernel: Path | None, *, any_gpu: bool = False, gpu: str | None = None,
               sizes: Mapping[str, Sizes] | None = None, outdated: bool = False, everything: bool = False,
               dry_run: bool = False) -> list[Record]:
        """Deletes stored winners, trials and code, and returns the deleted records.

        Parameters
        ----------
        kernel, any_gpu, gpu, sizes
            Which records, as in records(); None: all kernels.
        outdated
            Only records from before the template was edited.
        everything
            Delete all records of this GPU if nothing above selects any; otherwise that is an InvalidError.
        dry_run
            Return the records without deleting them.
        """
        wanted = _filter(kernel, any_gpu, gpu, sizes)
        options = _abi.gputune_forget_options(
            dry_run=bool(dry_run), outdated=bool(outdated), everything=bool(everything))
        callback = _abi.FUNCTIONS["gputune_forget"][1][3]
        return [_shown(record) for record in iterate(lambda each: library.gputune_forget(
            self._handle, ctypes.byref(wanted), ctypes.byref(options), callback(each), None))]

    def make_rule(self, /, kernel: Path, *, sizes: Mapping[str, Range], codes: int = 16,
                  time_limit: float = 0, objective: Objective = "default", cache: Cache = "cold",
                  alignment: int | Mapping[str, int] = 0, start: Sequence[str] = (),
                  memory_limit: int = 0) -> str:
        """Makes and stores a rule that chooses the variant for every size of a region, such as
        {"n": (1024, 1 << 20), "T": "half"}, and returns it as text. It uses at most `codes` different codes.
        `time_limit` is for the whole call; 0: two minutes. The other options are those of tune(), which uses
        the rule with unseen="rule" if `objective`, `cache` and `alignment` are the same."""
        wanted, ranges = _kernel(kernel), _ranges(sizes)
        most = _integer("codes", codes, 0, (1 << 32) - 1)
        stop = Interrupt()
        options, _kept = self._options(
            stop, (), None, start, objective=_choose("objective", _OBJECTIVES, objective),
            cache=_choose("cache", _CACHES, cache), time_limit_s=_seconds("time_limit", time_limit),
            memory_limit_bytes=_integer("memory_limit", memory_limit, 0, (1 << 64) - 1),
            **_alignments(alignment))

        def make(out: Any, _: Any) -> int:
            self._run(stop, lambda: int(library.gputune_make_rule(
                out, self._handle, wanted, ranges, len(sizes), most, ctypes.byref(options))))
            return 0
        return _taken(make).decode()

    def rules(self, kernel: Path | None = None, *, any_gpu: bool = False,
              gpu: str | None = None) -> list[dict[str, Any]]:
        """Returns the stored rules as dicts: kernel, gpu, objective, text, unproved, outdated, ..."""
        wanted = _filter(kernel, any_gpu, gpu, None)
        callback = _abi.FUNCTIONS["gputune_rules"][1][2]
        return [_worded(rule) for rule in iterate(lambda each: library.gputune_rules(
            self._handle, ctypes.byref(wanted), callback(each), None))]

    def merge(self, paths: Sequence[Path]) -> dict[str, int]:
        """Merges other database files into this one, all or none. Returns how many `trials`, `winners`,
        `rules` and `codes` (compiled sources) they contain, and how many were merged because they were
        missing here or had more evidence: `taken_trials`, `taken_winners`, `taken_rules`, `taken_codes`."""
        files, count = _paths("paths", paths, "other.db")
        merged = _abi.gputune_merged()
        _check(library.gputune_merge(ctypes.byref(merged), self._handle, files, count))
        return as_dict(merged)

    def background(self) -> dict[str, int]:
        """Returns how many background tunings are waiting, running, tuned and failed."""
        state = _abi.gputune_background_state()
        _check(library.gputune_background(ctypes.byref(state), self._handle))
        return as_dict(state)

    def wait(self, seconds: float) -> None:
        """Waits until all background tunings have ended; TimeLimitError after that many seconds. Ctrl-C ends
        the wait, not the tuning."""
        end = time.monotonic() + _seconds("seconds", seconds)
        while True:
            left = end - time.monotonic()
            status = library.gputune_wait(self._handle, max(min(left, 0.1), 0))
            if status != _abi.GPUTUNE_ETIMEOUT or left <= 0.1:
                _check(status)
                return

    def save_wisdom(self, path: Path, kernel: Path | None = None, *, any_gpu: bool = False,
                    gpu: str | None = None, sizes: Mapping[str, Sizes] | None = None,
                    whole: bool = False, rules: bool = False) -> int:
        """Writes the winners and rules of this GPU (or of others, as in records()) to a file, for other
        machines. `whole` includes their code, so no compiler is needed there, and the fastest other trials,
        as a start for searches at other sizes. `rules`: only rules. Returns how many were written."""
        wanted = _filter(kernel, any_gpu, gpu, sizes, rules=bool(rules))
        count = ctypes.c_uint32()
        _check(library.gputune_wisdom_save(ctypes.byref(count), self._handle, encoded("path", path),
                                           ctypes.byref(wanted), bool(whole)))
        return count.value

    def load_wisdom(self, path: Path, *, trust: bool = False, keep: bool = True) -> int:
        """Loads a file of save_wisdom(). `trust`: results measured with the same source, GPU and driver are
        not verified again. `keep`: store them in the database, otherwise only in this tuner."""
        count = ctypes.c_uint32()
        _check(library.gputune_wisdom_load(ctypes.byref(count), self._handle, encoded("path", path),
                                           ctypes.byref(_trusting(trust, keep))))
        return count.value

    def export_wisdom(self, kernel: Path | None = None, *, any_gpu: bool = False, gpu: str | None = None,
                      sizes: Mapping[str, Sizes] | None = None, whole: bool = False,
                      rules: bool = False) -> str:
        """Like save_wisdom(), but returns the text."""
        wanted = _filter(kernel, any_gpu, gpu, sizes, rules=bool(rules))
        return _taken(lambda out, _: library.gputune_wisdom_export(
            out, None, self._handle, ctypes.byref(wanted), bool(whole))).decode()

    def import_wisdom(self, wisdom: str, *, trust: bool = False, keep: bool = True) -> int:
        """Like load_wisdom(), for a text from export_wisdom()."""
        if not isinstance(wisdom, str):
            raise TypeError(f"wisdom is {wisdom!r}; expected a str")
        count = ctypes.c_uint32()
        _check(library.gputune_wisdom_import(ctypes.byref(count), self._handle, wisdom.encode(),
                                             ctypes.byref(_trusting(trust, keep))))
        return count.value

    def kernels(self, kernel: Path | None = None) -> list[dict[str, Any]]:
        """Lists the kernels, or the kernel of a name or path, as dicts."""
        callback = _abi.FUNCTIONS["gputune_kernels"][1][2]
        found = iterate(lambda each: library.gputune_kernels(
            self._handle, None if kernel is None else _kernel(kernel), callback(each), None))
        return [{**one, "objective": text(library.gputune_objective_name(one["objective"]))}
                for one in found]

    @_sized
    def emit(self, /, kernel: Path, configuration: str | None = None, *, form: Form = "source",
             arch: str | None = None, sizes: Mapping[str, Size] | None = None,
             **more_sizes: Size) -> str | bytes:
        """Returns the code of a configuration, or of the default, for `arch` ("sm_90a") or the tuner's GPU:
        "source", "whole" (with all of gputune's prelude) and "ptx" as a str, "cubin" as bytes."""
        packed, wanted = _sizes(_all_sizes(sizes, more_sizes)), _choose("form", _FORMS, form)
        code = _taken(lambda out, count: library.gputune_emit(
            out, count, self._handle, _kernel(kernel), packed, encoded("configuration", configuration),
            encoded("arch", arch), wanted))
        return code if form == "cubin" else cast(str, text(code))

    @_sized
    def emit_rule(self, /, kernel: Path, *, archs: Sequence[str] = (), runtime_api: bool = False,
                  sizes: Mapping[str, Size] | None = None, **more_sizes: Size) -> str:
        """Returns the stored rule of a kernel as a C header that needs no gputune, with code for `archs`
        (none: the tuner's GPU). `runtime_api`: for programs that link only the CUDA runtime library."""
        packed, (words, count) = _sizes(_all_sizes(sizes, more_sizes)), _words("archs", archs, "sm_90a")
        return _taken(lambda out, _: library.gputune_emit_rule(
            out, self._handle, _kernel(kernel), packed, words, count, bool(runtime_api))).decode()

    @_sized
    def compile(self, /, kernel: Path, arch: str, *, sizes: Mapping[str, Size] | None = None,
                only: Sequence[str] = (), time_limit: float = 0, **more_sizes: Size) -> list[dict[str, Any]]:
        """Compiles a kernel's space for a GPU ("sm_90a"), which need not be present, and stores the code.
        Returns a dict for each variant: its status, registers, log, ..."""
        wanted, packed = _kernel(kernel), _sizes(_all_sizes(sizes, more_sizes))
        stop = Interrupt()
        found: list[dict[str, Any]] = []
        options, _kept = self._options(stop, only, time_limit_s=_seconds("time_limit", time_limit))
        each = _abi.FUNCTIONS["gputune_compile"][1][5](stop.guarded(collect(found), 1))
        self._run(stop, lambda: int(library.gputune_compile(
            self._handle, wanted, packed, encoded("arch", arch), ctypes.byref(options), each, None)))
        return found

    def refresh(self) -> None:
        """Looks up every kernel again at its next use, because other processes may have stored results."""
        self._answers.clear()
        self._checked.clear()
        library.gputune_refresh(self._handle)

    def check_database(self) -> None:
        """Raises DatabaseError if results are not stored in the requested database."""
        _check(library.gputune_check_database(self._handle))


def _taken(call: Callable[[Any, Any], int]) -> bytes:
    """Returns the bytes that a call allocates in the library."""
    out, count = ctypes.c_char_p(), ctypes.c_size_t()
    _check(call(ctypes.byref(out), ctypes.byref(count)))
    try:
        return ctypes.string_at(out, count.value) if count.value else out.value or b""
    finally:
        library.gputune_free(out)


def _trusting(trust: bool, keep: bool) -> Any:
    return _abi.gputune_wisdom_options(keep=bool(keep),
                                       trust=_abi.GPUTUNE_TRUST_BOUND if trust else 0)


def _worded(found: dict[str, Any]) -> dict[str, Any]:
    """Replaces enumeration values by words."""
    found["objective"] = text(library.gputune_objective_name(found["objective"]))
    found["cache"] = text(library.gputune_cache_name(found["cache"]))
    return found


def _shown(record: dict[str, Any]) -> Record:
    return cast(Record, {name: "" if value is None else value for name, value in _worded(record).items()})


def _space_dict(space: Any) -> dict[str, Any]:
    axes: dict[str, list[str]] = {}
    default: dict[str, str] = {}
    for value in space.values[:space.value_count]:
        possible = axes.setdefault(text(value.axis), [])
        if not value.excluded:
            possible.append(text(value.value))
        if value.is_default:
            default[text(value.axis)] = text(value.value)
    return {"combinations": space.combinations, "valid": space.valid, "sources": space.sources,
            "valid_certainty": text(library.gputune_certainty_name(space.valid_certainty)), "axes": axes,
            "default": default, "excluded": {text(one.reason): one.count
                         for one in space.exclusions[:space.exclusion_count]}}


# --- the tuner of the current context's GPU ----------------------------------------------------------

_tuners: dict[tuple[int, int], Tuner] = {}
_opening = threading.Lock()


def _with_arguments_of(model: Callable[_P, Any]) -> Callable[[Callable[..., _R]], Callable[_P, _R]]:
    """Gives a function the signature of another one, for help() and type checkers."""
    def decorate(function: Callable[..., _R]) -> Callable[_P, _R]:
        signature = inspect.signature(model)
        returned = inspect.signature(function).return_annotation
        setattr(function, "__signature__", signature.replace(return_annotation=returned))
        return function
    return decorate


@_with_arguments_of(Tuner)
def open(*arguments: Any, **options: Any) -> Tuner:
    """Opens a Tuner separate from the one that this module's functions use."""
    return Tuner(*arguments, **options)


def _current() -> Tuner:
    """Returns the tuner of the current context's GPU; opens it once per GPU."""
    try:
        ordinal = _driver_of(os.environ.get("GPUTUNE_DRIVER") or "cuda").current_device()
    except Error:
        ordinal = None  # opening reports what is missing
    key = ordinal or 0, os.getpid()  # a forked child opens its own tuner
    with _opening:
        if key not in _tuners:
            _tuners[key] = tuner = Tuner(device=key[0])
            if tuner._driver:
                tuner._driver.keep_answers(key[0], tuner._answers)
        return _tuners[key]


@_with_arguments_of(Tuner)
def diagnose(*arguments: Any, **options: Any) -> list[dict[str, str]]:
    """Checks everything that tuning depends on, with the options of open(): driver, GPU, compiler, workers,
    database, ... Each `subject` has a `verdict` ("ok", "warning" or "failure"), `found`, and a `remedy`, ""
    if nothing needs to be done."""
    given = _opening_options(None, *arguments, **options)
    callback = _abi.FUNCTIONS["gputune_diagnose"][1][1]
    found = iterate(lambda each: library.gputune_diagnose(ctypes.byref(given), callback(each), None))
    return [{**one, "verdict": text(library.gputune_verdict_name(one["verdict"]))} for one in found]


def devices(driver: Path | None = None) -> list[dict[str, Any]]:
    """Lists the GPUs as dicts like Tuner.device. Needs no tuner."""
    callback = _abi.FUNCTIONS["gputune_devices"][1][1]
    return iterate(lambda each: library.gputune_devices(encoded("driver", driver), callback(each), None))


def device_count(driver: Path | None = None) -> int:
    """Returns the number of GPUs, without starting the CUDA driver if NVML knows it."""
    count = ctypes.c_int()
    _check(library.gputune_device_count(ctypes.byref(count), encoded("driver", driver)))
    return count.value


def misses(path: Path) -> list[dict[str, Any]]:
    """Returns the requests of programs without a stored result, as recorded by GPUTUNE_RECORD=PATH, most
    frequent first."""
    callback = _abi.FUNCTIONS["gputune_misses"][1][1]
    found = iterate(lambda each: library.gputune_misses(encoded("path", path), callback(each), None))
    return [_worded(miss) for miss in found]


def draft_template(path: Path, kernel: str | None = None, source: str | None = None,
                   arguments: Sequence[str] = ()) -> str:
    """Drafts a template from a CUDA program: the code that its kernels need, after pragmas, with comments
    that mark guesses and ask questions. `source` replaces the text of `path`. `arguments`: -I, -D and
    --host=FILE. Needs libclang: pip install gputune[draft]."""
    if source is None:
        with builtins.open(path, encoding="utf-8", errors="surrogateescape") as file:
            source = file.read()
    words = (ctypes.c_char_p * (len(arguments) + 1))(*[encoded("arguments", one) for one in arguments], None)
    program = source.encode(errors="surrogateescape")
    return cast(str, text(_taken(lambda out, _: library.gputune_draft_template(
        out, encoded("path", path), program, encoded("kernel", kernel), words))))


def _here(method: Callable[Concatenate[Tuner, _P], _R]) -> Callable[_P, _R]:
    """Makes a function of a Tuner method, for the current context's GPU and the user's database."""
    def call(*arguments: _P.args, **options: _P.kwargs) -> _R:
        return method(_current(), *arguments, **options)

    call.__name__ = call.__qualname__ = method.__name__
    call.__doc__ = f"Tuner.{call.__name__}() for the current context's GPU.\n\n{inspect.getdoc(method) or ''}"
    signature = inspect.signature(method)
    setattr(call, "__signature__", signature.replace(parameters=list(signature.parameters.values())[1:]))
    return call


_tune_here = _here(Tuner.tune)


@functools.wraps(_tune_here)
def _tune(kernel: Path, **options: Any) -> Plan:
    plan: Plan | None = _fast.hit_here(kernel, options)
    return plan or _tune_here(kernel, **options)


tune = _tune_here if TYPE_CHECKING else _tune
run = _here(Tuner.run)
compare = _here(Tuner.compare)
space = _here(Tuner.space)
records = _here(Tuner.records)
trials = _here(Tuner.trials)
forget = _here(Tuner.forget)
make_rule = _here(Tuner.make_rule)
rules = _here(Tuner.rules)
merge = _here(Tuner.merge)
kernels = _here(Tuner.kernels)
check = _here(Tuner.check)
emit = _here(Tuner.emit)
emit_rule = _here(Tuner.emit_rule)
compile = _here(Tuner.compile)
refresh = _here(Tuner.refresh)
check_database = _here(Tuner.check_database)
export_wisdom = _here(Tuner.export_wisdom)
import_wisdom = _here(Tuner.import_wisdom)
add_template = _here(Tuner.add_template)
add_source = _here(Tuner.add_source)
background = _here(Tuner.background)
wait = _here(Tuner.wait)
save_wisdom = _here(Tuner.save_wisdom)
load_wisdom = _here(Tuner.load_wisdom)


# --- a decorator -------------------------------------------------------------------------------------

def kernel(template: Path, *, sizes: Callable[..., Mapping[str, Size]] | None = None,
           tuner: Tuner | None = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Makes a function that launches a template, tuned for the sizes of each call:

        @gputune.kernel("./axpy.cu")
        def axpy(y, x, a, n):
            "y += a x"

        axpy(y, x, 2.0, y.size)
        axpy.plan(y, x, 2.0, y.size).info

    The parameters have the names of the template's arguments and problem values, in any order; the body is
    not executed. `sizes`: a function of the arguments that returns the problem values, if the parameters do
    not have their names; it may use additional parameters. `tuner`: default: the current device's. Further
    options are those of tune()."""
    ask = tuner.tune if tuner else tune

    def decorate(function: Callable[..., Any]) -> Any:
        signature = inspect.signature(function)
        parameters = list(signature.parameters)
        values: list[str] = []  # problem values
        if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in signature.parameters.values()):
            raise TypeError(f"{function.__name__}() has a parameter with *; expected the template's "
                            "arguments by name")

        def bound(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
            if named or len(arguments) != len(parameters):
                given = signature.bind(*arguments, **named)
                given.apply_defaults()
                return tuple(given.arguments.values())
            return arguments

        def problem(arguments: Sequence[Any]) -> dict[str, Size]:
            if sizes:
                return dict(sizes(*arguments))
            if not values:
                found, = tuner.kernels(template) if tuner else kernels(template)
                values.extend(one.partition("=")[0] for one in found["sizes"].split())
            return {name: value for name, value in zip(parameters, arguments) if name in values}

        def prepared(given: tuple[Any, ...]) -> tuple[Plan, Callable[[Sequence[Any]], Any], tuple[Any, ...]]:
            """Returns a plan, a function that picks a launch's values from a list, and that list."""
            wanted = problem(given)
            made = ask(template, sizes=wanted, **options)
            held = made._held()
            pick = held.places.get((launch, *wanted))
            if pick is None:
                names = {one["name"] for one in held.arguments}
                more = [one for one in parameters if one not in names and one not in wanted]
                if more and not sizes:
                    raise TypeError(f"{function.__name__}(): the parameter '{more[0]}' is neither an "
                                    "argument nor a problem value of the template, which takes "
                                    f"{', '.join(sorted(names))}")
                pick = picker(f"{function.__name__}()", held.arguments, [*parameters, *wanted])
                held.places[(launch, *wanted)] = pick
            return made, pick, (*given, *wanted.values())

        def plan(*arguments: Any, **named: Any) -> Plan:
            return prepared(bound(arguments, named))[0]

        @functools.wraps(function)
        def launch(*arguments: Any, stream: Any = None, **named: Any) -> None:
            made, pick, given = prepared(bound(arguments, named))
            made(*pick(given), stream=stream)

        setattr(launch, "plan", plan)
        return launch
    return decorate
