"""Exports a softmax over rows in several variants. Needs Triton, but no GPU.

usage: python3 softmax.py FOLDER [CAPABILITY]
    CAPABILITY  90 for compute capability 9.0 (default: that of this machine's GPU)
"""

import sys

import triton
import triton.language as tl

from export_triton import Buffer, compile_kernel, export


@triton.jit
def softmax_kernel(x, out, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    row = tl.program_id(axis=0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    column = tl.arange(0, BLOCK_COLUMNS)
    i = row[:, None] * columns + column[None, :]
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    value = tl.load(x + i, mask=inside, other=-float("inf"))
    value = tl.exp(value - tl.max(value, axis=1)[:, None])
    tl.store(out + i, value / tl.sum(value, axis=1)[:, None], mask=inside)


def main(folder, capability=None):
    for block_rows, warps in ((1, 1), (1, 4), (1, 8), (4, 4), (4, 8)):
        compiled = compile_kernel(
            softmax_kernel,
            {"x": "*fp32", "out": "*fp32", "rows": "i32", "columns": "i32:16"},
            {"BLOCK_ROWS": block_rows, "BLOCK_COLUMNS": 512},
            capability,
            num_warps=warps,
        )
        export(
            compiled,
            folder,
            name="softmax",
            grid="ceil_div(rows, BLOCK_ROWS)",
            axes={"rows": 32, "columns": 512},
            arguments={
                "x": Buffer("rows * columns", fill="normal(0, 1)"),
                "out": Buffer("rows * columns", role="out"),
                "rows": "rows",
                "columns": "columns",
            },
            # Each element sums its whole row, so the check takes rows * columns^2 steps.
            verify="out = exp(x) / sum(k, 0, columns, exp(x[i / columns * columns + k]))",
            work="read = 4 * rows * columns, write = 4 * rows * columns",
            lines=['skip "BLOCK_COLUMNS must cover a row" unless columns <= BLOCK_COLUMNS'],
        )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
