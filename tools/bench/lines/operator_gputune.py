# An operator of PyTorch, which torch.compile keeps.
import sys

import gputune.torch
import torch


@gputune.torch.operator("lines::add", "./add.cu", sizes=lambda a, b: {"n": a.numel()},
                        outputs={"c": lambda a, b: torch.empty_like(a)})
def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    "a + b"


x = torch.ones(int(sys.argv[1]), device="cuda")
print(float(torch.compile(lambda y: add(y, y) * 1)(x)[0]))
