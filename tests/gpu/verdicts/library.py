"""Launches kernels of libraries with PyTorch, each slow for a reason of its own.

usage: library.py [1|2]
The rules of verdicts were chosen with the first set among others; the second one shows how they do on others.
"""

import sys

import torch


# Data comes from the processor, so that nothing but the kernels is launched.
def first():
    x = torch.randn(4096, 4096).cuda()
    half = x.cpu().half().cuda()
    index = torch.randperm(x.numel()).cuda()
    few = torch.randint(0, 16, (1 << 22,)).cuda()
    weights = torch.ones(1 << 22).cuda()
    bins = torch.zeros(16).cuda()
    yield lambda: torch.softmax(x, 1)
    yield lambda: torch.nn.functional.layer_norm(x, (4096,))
    yield lambda: torch.cumsum(x, 1)
    yield lambda: x @ x
    yield lambda: half @ half
    yield lambda: x.t().contiguous()
    yield lambda: x.view(-1)[index]
    yield lambda: bins.index_add_(0, few, weights)
    yield lambda: torch.sin(x)
    yield lambda: x.sum()
    yield lambda: x.double() * 1.5
    yield lambda: torch.nn.functional.gelu(x)


def second():
    f = torch.nn.functional
    x = torch.randn(2048, 4096).cuda()
    image = torch.randn(16, 64, 64, 64).cuda()
    filters = torch.randn(64, 64, 3, 3).cuda()
    table = torch.randn(50000, 256).cuda()
    words = torch.randint(0, 50000, (16384,)).cuda()
    heads = torch.randn(4, 16, 1024, 64, dtype=torch.half).cuda()
    labels = torch.randint(0, 4096, (2048,)).cuda()
    few = torch.randint(0, 64, (1 << 20,)).cuda()
    ones = torch.ones(1 << 20).cuda()
    bins = torch.zeros(64).cuda()
    points = torch.randn(2048, 3).cuda()
    bfloat = x.cpu().bfloat16().cuda()
    yield lambda: f.conv2d(image, filters, padding=1)
    yield lambda: f.batch_norm(image, None, None, training=True)
    yield lambda: f.scaled_dot_product_attention(heads, heads, heads)
    yield lambda: f.embedding(words, table)
    yield lambda: f.cross_entropy(x, labels)
    yield lambda: f.max_pool2d(image, 2)
    yield lambda: torch.cdist(points, points)
    yield lambda: bfloat @ bfloat.t()
    yield lambda: torch.topk(x, 16, 1)
    yield lambda: torch.erfinv(x)
    yield lambda: f.interpolate(image, scale_factor=2, mode="bilinear")
    yield lambda: bins.scatter_add_(0, few, ones)
    yield lambda: torch.where(x > 0, x, 0.1 * x)


torch.manual_seed(1)
for launch in second() if sys.argv[1:] == ["2"] else first():
    torch.cuda.synchronize()
    launch()
torch.cuda.synchronize()
