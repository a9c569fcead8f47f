"""The shortest whole program in Python: y += 2 x on the GPU at hand, by the fastest variant of axpy, on
PyTorch's tensors and its current stream. Wants PyTorch and gputune's wheel."""
import gputune
import torch

n = 1 << 20
y, x = torch.ones(n, device="cuda"), torch.ones(n, device="cuda")

axpy = gputune.tune("axpy", n=n)
axpy(y, x, 2.0, n)

print(axpy)
print(f"y[0] = {y[0].item():g}")
assert torch.equal(y, torch.full_like(y, 3))
