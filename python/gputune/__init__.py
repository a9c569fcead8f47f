"""gputune: the fastest variant of a CUDA kernel on the GPU at hand, found once and remembered.

    import gputune
    axpy = gputune.tune("axpy", n=y.size)   # measures, or finds the winner in the database
    axpy(y, x, 2.0, y.size)                 # launches it on the arrays' current stream

Arrays are PyTorch's tensors, what has __cuda_array_interface__ (CuPy, Numba) or DLPack (JAX), or plain
addresses. A kernel is a name, or the path of a template. gputune.h and gputune(1) say the rest."""
import ctypes
import os
import threading

from . import _abi
from ._arguments import Arguments
from ._arrays import current_stream, stream_handle
from ._driver import driver as _driver_of
from ._library import Error, as_dict, check, encoded, iterate, library, text

__all__ = ["Error", "Plan", "Tuner", "kernels", "open", "records", "tune"]
__version__ = library.gputune_version().decode()

_EFFORTS = {"cached": _abi.GPUTUNE_CACHED_ONLY, "estimate": _abi.GPUTUNE_ESTIMATE,
            "measure": _abi.GPUTUNE_MEASURE, "exhaustive": _abi.GPUTUNE_EXHAUSTIVE}


def _names(function, count):
    return {text(function(i)): i for i in range(count)}


_OBJECTIVES = _names(library.gputune_objective_name, _abi.GPUTUNE_OBJECTIVE_RATE + 1)
_STRATEGIES = _names(library.gputune_strategy_name, _abi.GPUTUNE_STRATEGY_LOCAL + 1)
_CACHES = {"cold": _abi.GPUTUNE_CACHE_COLD, "hot": _abi.GPUTUNE_CACHE_HOT}


def _choose(what, words, word):
    if word not in words:
        raise ValueError(f"{what} is {word!r}; expected one of {', '.join(words)}")
    return words[word]


class Plan:
    """A kernel to be launched many times: plan(*arguments, stream=None). Thread-safe."""

    def __init__(self, handle, tuner):
        self._handle, self._tuner = handle, tuner
        self._arguments = {}
        parameter = _abi.gputune_parameter(version=_abi.GPUTUNE_PARAMETER_VERSION)
        index = 0
        while library.gputune_plan_parameter(ctypes.byref(parameter), handle, 0, index) == 0:
            if parameter.argument >= 0:
                self._arguments[parameter.argument] = as_dict(parameter)
            index += 1

    def __call__(self, *arguments, stream=None):
        """Launches with the template's arguments in their order. `stream`: an integer, or a stream of
        PyTorch, CuPy or Numba; without one, the stream that the arrays' framework uses now."""
        handle = current_stream(arguments) if stream is None else stream_handle(stream)
        driver = self._tuner._driver
        driver.ensure_context(self._tuner.device["ordinal"])
        made = Arguments(arguments, self._arguments, handle)
        for producer in made.producers:
            driver.wait(handle, producer)
        packed = _abi.gputune_args(len(arguments), made.items)
        check(library.gputune_launch(self._handle, handle, packed))

    @property
    def info(self):
        """Which configuration it is, where it came from and what it gained, as a dict."""
        info = _abi.gputune_info(version=_abi.GPUTUNE_INFO_VERSION)
        check(library.gputune_plan_info(ctypes.byref(info), self._handle))
        out = as_dict(info)
        out["source"] = text(library.gputune_source_name(info.source))
        out["objective"] = text(library.gputune_objective_name(info.objective))
        return out

    def __repr__(self):
        info = self.info
        return f"<gputune.Plan {info['kernel']}: {info['configuration']} ({info['source']})>"

    def __del__(self):
        if getattr(self, "_handle", None):
            library.gputune_plan_release(self._handle)
            self._handle = None


class Tuner:
    """A GPU with a database; `with` closes it. Thread-safe. Plans may outlive it."""

    def __init__(self, device=None, driver=None, database=None, templates=None, log=None,
                 keep_workers=False, max_plans=0):
        """`log` gets (level, line), with level 0 to 3: error, warning, info, debug. `max_plans`: how
        many plans are kept for later calls; 0 stands for 1024."""
        self._log = _abi.gputune_log_fn(lambda _, level, line: log(level, line.decode())) if log else None
        options = _abi.gputune_open_options(
            version=_abi.GPUTUNE_OPEN_OPTIONS_VERSION, device=encoded(None if device is None else str(device)),
            driver=encoded(driver), database=encoded(database), templates=encoded(templates),
            keep_workers=keep_workers, max_plans=max_plans)
        if self._log:
            options.log = self._log
        self._handle = ctypes.c_void_p()
        check(library.gputune_open(ctypes.byref(self._handle), ctypes.byref(options)))
        self._driver = None
        if device != "none":
            self._driver = _driver_of(driver or os.environ.get("GPUTUNE_DRIVER") or "cuda")
            facts = _abi.gputune_device(version=_abi.GPUTUNE_DEVICE_VERSION)
            check(library.gputune_tuner_device(ctypes.byref(facts), self._handle))
            self.device = as_dict(facts)
        else:
            self.device = None

    def close(self):
        if self._handle:
            library.gputune_close(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def add_template(self, path):
        """Reads a template; its kernel's name then stands for it."""
        check(library.gputune_add_template(self._handle, encoded(path)))

    def tune(self, kernel, *, sizes=None, effort="measure", objective="default", cache="cold",
             strategy="auto", time_limit=0, max_variants=0, force=False, only=(), seed=0, **more_sizes):
        """A Plan for a kernel at problem sizes: n=1024, T="half". `sizes` is a dict for those that
        are called like an option. `only`: restrictions such as "BLOCK=128,256"."""
        options = _abi.gputune_options(
            version=_abi.GPUTUNE_OPTIONS_VERSION, effort=_choose("effort", _EFFORTS, effort),
            objective=_choose("objective", _OBJECTIVES, objective), cache=_choose("cache", _CACHES, cache),
            strategy=_choose("strategy", _STRATEGIES, strategy), time_limit_s=time_limit,
            max_variants=max_variants, force=force, seed=seed)
        restrictions = (ctypes.c_char_p * max(len(only), 1))(*(word.encode() for word in only))
        options.only, options.only_count = restrictions, len(only)
        if self._log:
            options.log = self._log
        handle = ctypes.c_void_p()
        check(library.tune_kernel(ctypes.byref(handle), self._handle, encoded(kernel),
                                  _sizes({**(sizes or {}), **more_sizes}), ctypes.byref(options)))
        return Plan(handle, self)

    def records(self, kernel=None, *, all=False, any_gpu=False, history=False, frame=False):
        """What is stored: the winners, or `all` trials, as dicts; `frame`: as a pandas DataFrame."""
        wanted = _abi.gputune_record_filter(
            version=_abi.GPUTUNE_RECORD_FILTER_VERSION, kernel=encoded(kernel), all_trials=all,
            any_gpu=any_gpu, history=history)
        callback = _abi.FUNCTIONS["gputune_records"][1][2]
        found = iterate(lambda each: library.gputune_records(self._handle, ctypes.byref(wanted),
                                                             callback(each), None))
        for record in found:
            record["objective"] = text(library.gputune_objective_name(record["objective"]))
            record["cache"] = "hot" if record["cache"] else "cold"
        if frame:
            import pandas
            return pandas.DataFrame(found)
        return found

    def kernels(self):
        """What there is to tune, as dicts."""
        callback = _abi.FUNCTIONS["gputune_kernels"][1][1]
        return iterate(lambda each: library.gputune_kernels(self._handle, callback(each), None))


def _sizes(values):
    items = (_abi.gputune_size * max(len(values), 1))()
    for item, (name, value) in zip(items, values.items()):
        if isinstance(value, str):
            item.name = f"{name}={value}".encode()
        else:
            item.name, item.value = name.encode(), value.__index__()
    return _abi.gputune_sizes(len(values), items)


_tuners = {}
_opening = threading.Lock()


def open(**options):
    """Another Tuner than the one of the functions here."""
    return Tuner(**options)


def _current():
    """The tuner of the current context's GPU, opened once for each."""
    try:
        ordinal = _driver_of(os.environ.get("GPUTUNE_DRIVER") or "cuda").current_device()
    except Error:
        ordinal = None  # opening says what is missing
    key = ordinal or 0, os.getpid()  # a forked child opens its own
    with _opening:
        if key not in _tuners:
            _tuners[key] = Tuner(device=key[0])
        return _tuners[key]


def tune(kernel, **options):
    """Tuner.tune() for the current context's GPU and the user's database."""
    return _current().tune(kernel, **options)


def records(kernel=None, **options):
    """Tuner.records() for the current context's GPU and the user's database."""
    return _current().records(kernel, **options)


def kernels():
    """Tuner.kernels() of the user's tuner."""
    return _current().kernels()
