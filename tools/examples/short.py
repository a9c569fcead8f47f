"""The shortest complete program in Python: y += 2 x with the fastest variant of axpy, on PyTorch tensors
and the current stream. Needs PyTorch and gputune's wheel."""
import gputune
import torch

n = 1 << 20
y, x = torch.ones(n, device="cuda"), torch.ones(n, device="cuda")

axpy = gputune.tune("axpy", n=n)
axpy(y, x, 2.0, n)

print(axpy)
print(f"y[0] = {y[0].item():g}")
assert torch.equal(y, torch.full_like(y, 3))
