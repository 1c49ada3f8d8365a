"""Exports a vector addition in several block sizes and numbers of warps. Needs Triton, but no GPU.

usage: python3 add.py FOLDER [CAPABILITY]
    CAPABILITY  90 for compute capability 9.0 (default: that of this machine's GPU)
"""

import sys

import triton
import triton.language as tl

from export_triton import Buffer, compile_kernel, export


@triton.jit
def add_kernel(x, y, out, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def main(folder, capability=None, cubin=False):
    for block_size in (256, 1024, 4096):
        for warps in (4, 8):
            compiled = compile_kernel(
                add_kernel,
                {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32:16"},
                {"BLOCK_SIZE": block_size},
                capability,
                num_warps=warps,
            )
            export(
                compiled,
                folder,
                name="add",
                grid="ceil_div(n, BLOCK_SIZE)",
                axes={"n": "2^16"},
                arguments={
                    "x": Buffer("n"),
                    "y": Buffer("n"),
                    "out": Buffer("n", role="out"),
                    "n": "n",
                },
                verify="out = x + y",
                work="flop = n, read = 8 * n, write = 4 * n",
                cubin=cubin,
            )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
