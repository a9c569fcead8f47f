"""PyTorch operators from templates, for torch.compile and CUDA graphs:

    import torch, gputune.torch

    @gputune.torch.operator("mine::axpy_", "axpy", sizes=lambda y, x, a: {"n": y.numel()}, mutates=["y"])
    def axpy_(y: torch.Tensor, x: torch.Tensor, a: float) -> None:
        "y += a x"

    @gputune.torch.operator("mine::twice", "./twice.cu", sizes=lambda x: {"n": x.numel()},
                            outputs={"y": lambda x: torch.empty_like(x)})
    def twice(x: torch.Tensor) -> torch.Tensor:
        "2 x"

The function only provides the schema: its parameters have the names of the template's arguments, and its
body is not executed. Arguments with the name of a problem value get that value. `outputs` makes a tensor for
each `out` argument that the operator returns, in the order of its results; the same functions are the fake
implementation. The first call at new sizes tunes, or finds the winner in the database; call it once before
a CUDA graph captures it. For dynamic shapes, pass unseen="rule": new sizes are then answered by the rule
that `gputune warm --sizes` has stored, without a tuning. Nothing is launched if all written tensors are
empty. The result is a torch.library operator, with register_autograd().

Calls with plain tensors that need no gradient, at sizes that were tuned before, bypass PyTorch's
dispatcher, which takes longer than the rest of the call. All other calls use it: tensors that require
a gradient, subclasses of Tensor, modes, transforms (vmap), traces and profiles."""
from __future__ import annotations

import functools
import importlib
from typing import Any, Callable, Mapping, Sequence

from . import InvalidError, Path, Size, Tuner, _fast
from . import tune as _tune
from ._arguments import picker

__all__ = ["operator"]
torch: Any = importlib.import_module("torch")  # otherwise type checkers confuse it with this file
_Tensor: Any = torch.Tensor
_Defined: Any = importlib.import_module("torch._library.custom_ops").CustomOpDef
_DeviceContext: Any = importlib.import_module("torch.utils._device").DeviceContext
_forward_ad: Any = importlib.import_module("torch.autograd.forward_ad")
_profiler: Any = importlib.import_module("torch.autograd.profiler")
_increment_version: Any = torch.autograd.graph.increment_version
_is_dynamo_compiling: Any = torch.compiler.is_dynamo_compiling
_is_grad_enabled: Any = torch.is_grad_enabled
_current_device: Any = getattr(torch._C, "_cuda_getDevice", None)  # None: without CUDA
# Python types of a parameter's values in a direct call, by schema type.
_PLAIN = {"Tensor": (_Tensor, torch.nn.Parameter), "float": (float,), "int": (int,), "bool": (bool,)}


def _watched(functions: Any = torch._C._len_torch_function_stack,
             dispatches: Any = torch._C._len_torch_dispatch_stack,
             transforms: Any = torch._C._functorch.peek_interpreter_stack,
             traces: Any = torch._C._get_tracing_state) -> bool:
    """Returns true if a mode, a transform, a trace or a profiler observes operator calls; the mode of
    torch.set_default_device() does not count."""
    count = functions()
    if count and not (count == 1 and type(torch._C._get_function_stack_at(0)) is _DeviceContext):
        return True
    return bool(dispatches() or transforms() is not None or traces() is not None
                or _profiler._is_profiler_enabled or _forward_ad._current_level >= 0)


class _Operator(_Defined):  # type: ignore[misc]
    """The result of torch.library.custom_op(); simple calls bypass PyTorch's dispatcher."""

    def _prepare(self, launch: Callable[[Sequence[Any]], tuple[Any] | None]) -> None:
        arguments = self._opoverload._schema.arguments
        self._launch = launch
        self._kinds = [_PLAIN.get(str(one.type), ()) for one in arguments]
        self._tensors = [i for i, one in enumerate(arguments) if str(one.type) == "Tensor"]
        self._known: set[tuple[type, ...]] = set()  # argument types of successful calls
        self._direct = True

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if _is_dynamo_compiling() or named:
            return self._opoverload(*arguments, **named)
        types = tuple(map(type, arguments))
        if types in self._known and self._direct and not _watched() and not (
                _is_grad_enabled() and any([arguments[i].requires_grad for i in self._tensors])):
            try:
                launched = self._launch(arguments)
            except TypeError:  # a tensor to copy first, or a mistake, which the dispatcher reports
                launched = None
            if launched is not None:
                return launched[0]
        out = self._opoverload(*arguments)
        if len(types) == len(self._kinds) and all(map(tuple.__contains__, self._kinds, types)):
            self._known.add(types)
        return out

    def register_kernel(self, *arguments: Any, **named: Any) -> Any:
        self._direct = False
        return super().register_kernel(*arguments, **named)

    def register_autocast(self, *arguments: Any, **named: Any) -> Any:
        self._direct = False
        return super().register_autocast(*arguments, **named)


def operator(name: str, kernel: Path, *, sizes: Callable[..., Mapping[str, Size]],
             outputs: Mapping[str, Callable[..., Any]] | None = None, mutates: Sequence[str] = (),
             tuner: Tuner | None = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Makes a torch.library operator from a template, for a function with the operator's signature. `name`:
    "library::name". `sizes`: computes the problem values from the operator's arguments. `outputs`: a function
    of the arguments for each returned tensor, by the template's names. `mutates`: parameters that the kernel
    writes. `tuner`: by default, that of the first tensor's device. Further options are those of tune()."""
    made = dict(outputs or {})
    ask = tuner.tune if tuner else _tune
    hit = _fast.hit_here if tuner is None else functools.partial(_fast.hit, tuner._answers)
    makers = tuple(made.values())

    def decorate(function: Callable[..., Any]) -> Any:
        schema = torch.library.infer_schema(function, mutates_args=list(mutates))
        parameters = list(function.__code__.co_varnames[:function.__code__.co_argcount])
        mutated = [parameters.index(key) for key in mutates]

        def results(arguments: Sequence[Any]) -> dict[str, Any]:
            return {key: make(*arguments) for key, make in made.items()}

        def returned(tensors: Mapping[str, Any]) -> Any:
            several = tuple(tensors.values())
            return several[0] if len(several) == 1 else several or None

        def on_device(call: Callable[[Sequence[Any]], Any], arguments: Sequence[Any]) -> Any:
            """Calls `call` with the first tensor's device as the current one."""
            for i in made_operator._tensors[:1]:
                device = arguments[i].get_device()
                if device >= 0 and device != _current_device():
                    with torch.cuda.device(device):
                        return call(arguments)
            return call(arguments)

        def launch(arguments: Sequence[Any]) -> Any:
            tensors, wanted = results(arguments), dict(sizes(*arguments))
            try:
                plan = ask(kernel, sizes=wanted, **options)
            except InvalidError:  # there is no plan for zero elements
                written = [*tensors.values(), *(arguments[i] for i in mutated)]
                if not written or any(tensor.numel() for tensor in written):
                    raise
                return returned(tensors)
            held = plan._held()
            places = held.places.get((name, *wanted))
            if places is None:
                places = picker(name, held.arguments, [*tensors, *parameters, *wanted])
                held.places[(name, *wanted)] = places
            values = places((*tensors.values(), *arguments, *wanted.values()))
            plan(*(value.contiguous() if isinstance(value, _Tensor) and not known["is_output"] else value
                   for value, known in zip(values, held.arguments)))
            return returned(tensors)

        def again(arguments: Sequence[Any]) -> tuple[Any] | None:
            """Launches at sizes of an earlier launch(); None: call that."""
            wanted = sizes(*arguments)
            plan = hit(kernel, {"sizes": wanted, **options})
            places = plan and plan._planned.places.get((name, *wanted))
            if places is None:
                return None
            tensors = [make(*arguments) for make in makers]
            for i in mutated:
                if not arguments[i].is_inference():
                    _increment_version(arguments[i])
            plan(*places((*tensors, *arguments, *wanted.values())))
            return (tensors[0] if len(tensors) == 1 else tuple(tensors) or None,)

        def fake(*arguments: Any) -> Any:
            return returned(results(arguments))

        made_operator = torch.library.custom_op(name, lambda *arguments: on_device(launch, arguments),
                                                mutates_args=list(mutates), schema=schema)
        made_operator.register_fake(fake)
        made_operator.__class__ = _Operator
        made_operator._prepare(functools.partial(on_device, again))
        made_operator.__doc__ = function.__doc__
        return made_operator
    return decorate
