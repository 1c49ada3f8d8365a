"""Exports a matrix product with the tensors of a PyTorch program and the result that PyTorch
expects. Needs Triton, PyTorch and a GPU.

usage: python3 matmul.py FOLDER [SIZE]
    SIZE  the rows and columns of the matrices (default: 2048)
"""

import sys

import torch
import triton
import triton.language as tl

from export_triton import Buffer, export


@triton.jit
def matmul_kernel(a, b, c, M, N, K,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(axis=0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(axis=1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for begin in range(0, K, BLOCK_K):
        left = tl.load(a + m[:, None] * K + (begin + k)[None, :],
                       mask=(m[:, None] < M) & ((begin + k)[None, :] < K), other=0.0)
        right = tl.load(b + (begin + k)[:, None] * N + n[None, :],
                        mask=((begin + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16),
             mask=(m[:, None] < M) & (n[None, :] < N))


def main(folder, size=2048):
    torch.manual_seed(1)
    a = torch.randn(size, size, dtype=torch.float16, device="cuda")
    b = torch.randn(size, size, dtype=torch.float16, device="cuda")
    c = torch.empty_like(a)
    expected = a @ b
    for block_m, block_n, block_k, warps, stages in (
        (64, 64, 32, 4, 3),
        (128, 64, 64, 4, 3),
        (128, 128, 64, 4, 3),
        (128, 128, 64, 8, 3),
        (128, 256, 64, 8, 3),
    ):
        grid = (triton.cdiv(size, block_m), triton.cdiv(size, block_n))
        compiled = matmul_kernel[grid](a, b, c, size, size, size, BLOCK_M=block_m, BLOCK_N=block_n,
                                       BLOCK_K=block_k, num_warps=warps, num_stages=stages)
        export(
            compiled,
            folder,
            name="matmul",
            grid=("ceil_div(M, BLOCK_M)", "ceil_div(N, BLOCK_N)"),
            axes={"M": size, "N": size, "K": size},
            arguments={
                "a": Buffer(a),
                "b": Buffer(b),
                "c": Buffer("M * N", role="out", expected=expected),
                "M": "M",
                "N": "N",
                "K": "K",
            },
            work="flop = 2 * M * N * K, read = 2 * (M * K + K * N), write = 2 * M * N",
            tolerance="abs = 0.05, rel = 0.01",
        )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
