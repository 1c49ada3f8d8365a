"""Launches twelve kernels of libraries with PyTorch, each slow for a reason of its own."""

import torch

torch.manual_seed(1)
x = torch.randn(4096, 4096, device="cuda")
half = x.half()
index = torch.randperm(x.numel(), device="cuda")
few = torch.randint(0, 16, (1 << 22,), device="cuda")
weights = torch.ones(1 << 22, device="cuda")
bins = torch.zeros(16, device="cuda")
torch.cuda.synchronize()
y = torch.softmax(x, 1)
y = torch.nn.functional.layer_norm(x, (4096,))
y = torch.cumsum(x, 1)
y = x @ x
y = half @ half
y = x.t().contiguous()
y = x.view(-1)[index]
bins.index_add_(0, few, weights)
y = torch.sin(x)
y = x.sum()
y = x.double() * 1.5
y = torch.nn.functional.gelu(x)
torch.cuda.synchronize()
