"""Runs a softmax and a matrix product in Triton, which compiles them at run time, as a program whose
kernels are recorded. Needs Triton and PyTorch with CUDA.

usage: python3 triton_program.py [REPEATS]
"""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    value = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * columns + i, value / tl.sum(value, axis=0), mask=i < columns)


@triton.jit
def multiply(a, b, out, N: tl.constexpr, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for begin in range(0, N, DEPTH):
        inner = begin + tl.arange(0, DEPTH)
        left = tl.load(a + row[:, None] * N + inner[None, :])
        right = tl.load(b + inner[:, None] * N + column[None, :])
        total = tl.dot(left, right, total)
    tl.store(out + row[:, None] * N + column[None, :], total.to(tl.float16))


def main(repeats):
    torch.manual_seed(1)
    torch.cuda.manual_seed(1)
    rows, columns, n, tile = 2048, 1000, 1024, 64
    x = torch.randn(rows, columns, device="cuda")
    a, b = (torch.randn(n, n, device="cuda").half() for _ in range(2))
    soft, product = torch.empty_like(x), torch.empty_like(a)
    for _ in range(repeats):
        softmax_rows[(rows,)](x, soft, columns, BLOCK=1024)
        multiply[(n // tile, n // tile)](a, b, product, N=n, TILE=tile, DEPTH=32)
    torch.testing.assert_close(soft, torch.softmax(x, dim=1))
    torch.testing.assert_close(product, a @ b, rtol=1e-2, atol=1e-1)
    print("softmax and product are right")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
