"""Exports matrix products of several types in several variants, with a check of each element. Needs
Triton, but no GPU.

usage: python3 products.py FOLDER [CAPABILITY]
    CAPABILITY  90 for compute capability 9.0 (default: that of this machine's GPU)
"""

import sys

import triton
import triton.language as tl

from export_triton import Buffer, compile_kernel, export


@triton.jit
def product_kernel(a, b, c, M, N, K,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(axis=0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(axis=1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    sums: tl.constexpr = tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=sums)
    for begin in range(0, K, BLOCK_K):
        left = tl.load(a + m[:, None] * K + (begin + k)[None, :],
                       mask=(m[:, None] < M) & ((begin + k)[None, :] < K), other=0)
        right = tl.load(b + (begin + k)[:, None] * N + n[None, :],
                        mask=((begin + k)[:, None] < K) & (n[None, :] < N), other=0)
        total = tl.dot(left, right, total, out_dtype=sums)
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty),
             mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def tma_kernel(a, b, c, M, N, K,
               BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    out = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    m = tl.program_id(axis=0) * BLOCK_M
    n = tl.program_id(axis=1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for begin in range(0, K, BLOCK_K):
        total = tl.dot(left.load([m, begin]), right.load([begin, n]), total)
    out.store([m, n], total.to(c.dtype.element_ty))


# kernel, operation, type of the factors, type of the product, tolerance, fill, and the variants:
# rows, columns and depth of a block, warps, stages
PRODUCTS = (
    (product_kernel, "product_f16", "fp16", "fp32", "abs = 0.001, rel = 0.0001", "normal(0, 1)",
     ((16, 16, 16, 1, 2), (64, 64, 32, 4, 1), (64, 64, 32, 4, 3), (128, 64, 64, 4, 3),
      (128, 128, 64, 8, 3), (64, 256, 32, 4, 4))),
    (product_kernel, "product_bf16", "bf16", "fp32", "abs = 0.001, rel = 0.0001", "normal(0, 1)",
     ((32, 32, 16, 2, 2), (64, 64, 32, 4, 3), (128, 128, 32, 8, 3))),
    (product_kernel, "product_tf32", "fp32", "fp32", "abs = 0.1, rel = 0.01", "normal(0, 1)",
     ((32, 32, 32, 2, 2), (64, 64, 32, 4, 3), (128, 128, 32, 8, 3))),
    (product_kernel, "product_i8", "i8", "i32", "", "",
     ((32, 32, 32, 2, 2), (64, 64, 64, 4, 3), (128, 128, 64, 8, 3))),
    (tma_kernel, "product_tma", "fp16", "fp16", "abs = 0.1, rel = 0.01", "normal(0, 1)",
     ((64, 64, 32, 4, 2), (128, 128, 64, 4, 3), (128, 128, 64, 8, 3))),
)


def main(folder, capability=None):
    for kernel, name, factor, product, tolerance, fill, variants in PRODUCTS:
        for block_m, block_n, block_k, warps, stages in variants:
            compiled = compile_kernel(
                kernel,
                {"a": f"*{factor}", "b": f"*{factor}", "c": f"*{product}",
                 "M": "i32:16", "N": "i32:16", "K": "i32:16"},
                {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k},
                capability,
                num_warps=warps,
                num_stages=stages,
            )
            export(
                compiled,
                folder,
                name=name,
                grid=("ceil_div(M, BLOCK_M)", "ceil_div(N, BLOCK_N)"),
                axes={"M": 128, "N": 192, "K": 160},
                arguments={
                    "a": Buffer("M * K", fill=fill),
                    "b": Buffer("K * N", fill=fill),
                    "c": Buffer("M * N", role="out"),
                    "M": "M",
                    "N": "N",
                    "K": "K",
                },
                verify="c = sum(k, 0, K, a[i / N * K + k] * b[k * N + i % N])",
                work="flop = 2 * M * N * K",
                tolerance=tolerance,
            )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
