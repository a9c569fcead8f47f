"""PyTorch operators from templates, which torch.compile keeps and CUDA graphs capture:

    import torch, gputune.torch

    @gputune.torch.operator("mine::axpy_", "axpy", sizes=lambda y, x, a: {"n": y.numel()}, mutates=["y"])
    def axpy_(y: torch.Tensor, x: torch.Tensor, a: float) -> None:
        "y += a x"

    @gputune.torch.operator("mine::twice", "./twice.cu", sizes=lambda x: {"n": x.numel()},
                            outputs={"y": lambda x: torch.empty_like(x)})
    def twice(x: torch.Tensor) -> torch.Tensor:
        "2 x"

The function gives the schema alone: its parameters are called like the template's arguments, and its body
is not run. Arguments that are named like a problem value get that value. `outputs` makes a tensor for each
`out` argument that the operator returns, in the order of its results; the same functions serve as the fake
implementation. The first call at new sizes tunes, or finds the winner in the database; call it once before
a CUDA graph captures it. What comes back is torch.library's, with register_autograd()."""
from __future__ import annotations

import importlib
from typing import Any, Callable, Mapping, Sequence

from . import Path, Size, Tuner
from . import tune as _tune

__all__ = ["operator"]
torch: Any = importlib.import_module("torch")  # which readers of types take for this file


def _values(name: str, arguments: Sequence[Mapping[str, Any]], given: Mapping[str, Any],
            sizes: Mapping[str, Any]) -> list[Any]:
    """A launch's values, in the template's order."""
    values = []
    for argument in arguments:
        key = argument["name"]
        if key in given:
            value = given[key]
            readable = isinstance(value, torch.Tensor) and not argument["is_output"]
            values.append(value.contiguous() if readable else value)
        elif key in sizes:
            values.append(sizes[key])
        else:
            raise TypeError(f"{name}: the template's argument '{key}' is no parameter, output or size of "
                            "the operator")
    return values


def operator(name: str, kernel: Path, *, sizes: Callable[..., Mapping[str, Size]],
             outputs: Mapping[str, Callable[..., Any]] | None = None, mutates: Sequence[str] = (),
             tuner: Tuner | None = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Makes an operator of torch.library out of a template, for a function whose signature is the
    operator's. `name`: "library::name". `sizes`: the problem's values from the operator's arguments.
    `outputs`: a function of the arguments for each tensor that is returned, by the template's names.
    `mutates`: parameters that the kernel writes. `tuner`: else that of the current device. Further options
    are those of tune()."""
    made = dict(outputs or {})
    ask = tuner.tune if tuner else _tune

    def decorate(function: Callable[..., Any]) -> Any:
        schema = torch.library.infer_schema(function, mutates_args=list(mutates))
        parameters = list(function.__code__.co_varnames[:function.__code__.co_argcount])

        def results(arguments: Sequence[Any]) -> dict[str, Any]:
            return {key: make(*arguments) for key, make in made.items()}

        def returned(tensors: Mapping[str, Any]) -> Any:
            several = tuple(tensors.values())
            return several[0] if len(several) == 1 else several or None

        def launch(*arguments: Any) -> Any:
            tensors, wanted = results(arguments), dict(sizes(*arguments))
            plan = ask(kernel, sizes=wanted, **options)
            given = {**dict(zip(parameters, arguments)), **tensors}
            plan(*_values(name, plan._held().arguments, given, wanted))
            return returned(tensors)

        def fake(*arguments: Any) -> Any:
            return returned(results(arguments))

        made_operator = torch.library.custom_op(name, launch, mutates_args=list(mutates), schema=schema)
        made_operator.register_fake(fake)
        made_operator.__doc__ = function.__doc__
        return made_operator
    return decorate
