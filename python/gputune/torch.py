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
a CUDA graph captures it. Nothing is launched where all tensors that are written are empty. What comes back
is torch.library's, with register_autograd()."""
from __future__ import annotations

import importlib
from typing import Any, Callable, Collection, Mapping, Sequence

from . import InvalidError, Path, Size, Tuner
from . import tune as _tune

__all__ = ["operator"]
torch: Any = importlib.import_module("torch")  # which readers of types take for this file
_Tensor: Any = torch.Tensor


def _places(name: str, arguments: Sequence[Mapping[str, Any]], groups: Sequence[Collection[str]]) -> Any:
    """Where a launch's values are found, in the template's order: the number of the group, the name, its
    place in the group, and whether a tensor may be copied."""
    places = []
    for argument in arguments:
        key = argument["name"]
        found = [(i, key, list(group).index(key)) for i, group in enumerate(groups) if key in group]
        if not found:
            raise TypeError(f"{name}: the template's argument '{key}' is no parameter, output or size of "
                            "the operator")
        places.append((*found[0], not argument["is_output"]))
    return places


def _values(places: Any, arguments: Sequence[Any], tensors: Mapping[str, Any],
            sizes: Mapping[str, Any]) -> list[Any]:
    """A launch's values, in the template's order."""
    values: list[Any] = []
    for group, key, place, is_read in places:
        value = tensors[key] if group == 0 else arguments[place] if group == 1 else sizes[key]
        if is_read and group == 1 and isinstance(value, _Tensor) and not value.is_contiguous():
            value = value.contiguous()
        values.append(value)
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
            try:
                plan = ask(kernel, sizes=wanted, **options)
            except InvalidError:  # no plan is for no elements
                written = [*tensors.values(), *(arguments[parameters.index(key)] for key in mutates)]
                if not written or any(tensor.numel() for tensor in written):
                    raise
                return returned(tensors)
            held = plan._held()
            places = held.places.get(name)
            if places is None:
                places = held.places[name] = _places(name, held.arguments, (tensors, parameters, wanted))
            plan(*_values(places, arguments, tensors, wanted))
            return returned(tensors)

        def fake(*arguments: Any) -> Any:
            return returned(results(arguments))

        made_operator = torch.library.custom_op(name, launch, mutates_args=list(mutates), schema=schema)
        made_operator.register_fake(fake)
        made_operator.__doc__ = function.__doc__
        return made_operator
    return decorate
