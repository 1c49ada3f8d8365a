#!/usr/bin/env python3
"""Writes pairs of kernels: one is slow for a known cause, the other does as much work without the cause.

usage: causes.py FOLDER
Writes FOLDER/causes.cu, whose variants are NAME_with and NAME_without, and FOLDER/expected.json: the limiters
that an expert would accept for NAME_with, and the rules whose advice names the cause.
"""

import json
import os
import sys

HEADER = """// perflab: axis n = 2^24 "elements"
// perflab: axis block = 256 "threads per block"
// perflab: buffer x: f32[n] in uniform(0, 1)
// perflab: buffer y: f32[n] in uniform(0, 1)
// perflab: buffer k: i32[n] in = (i * 40503) % n
// perflab: buffer z: f32[n] inout constant(0)
// perflab: buffer s: i32[n] inout constant(0)
// perflab: verify none
#include <cuda_fp16.h>
#include <mma.h>

#define WARP 32
#define PARAMETERS int n, int d, const float *__restrict__ x, const float *__restrict__ y, const int *__restrict__ k, float *z, int *s
#define INDEX const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, lane = t % WARP; (void)i, (void)t, (void)lane

__constant__ float table[2048];

template <int DEGREE> __device__ float polynomial(float a)
{
	float sum = 1;
#pragma unroll
	for (int j = 0; j < DEGREE; j++)
		sum = sum * a + 0.5f;
	return sum;
}

__device__ float heavy(float a, int rounds)
{
	for (int j = 0; j < rounds; j++)
		a = a * 0.999f + 0.001f;
	return a;
}

__device__ float warp_sum(float a)
{
	for (int offset = WARP / 2; offset > 0; offset /= 2)
		a += __shfl_down_sync(~0u, a, offset);
	return a;
}
"""


class Kernel:
    """A body, and how it is launched: grid, block, dynamic shared memory, how often."""

    def __init__(self, body, grid="n / block", block="block", shared="0", repeat=None, bounds=""):
        self.body, self.grid, self.block, self.shared = body, grid, block, shared
        self.repeat, self.bounds = repeat, bounds


PAIRS = []


def pair(name, limiters, rules, with_cause, without, work=None):
    """with_cause and without: kernels, or their bodies. work: what both need to do; None: not said."""
    PAIRS.append((name, limiters.split(), rules.split(), work,
                  *[it if isinstance(it, Kernel) else Kernel(it) for it in (with_cause, without)]))


# ---- DRAM ----

pair("dram_passes", "dram", "dram_waste",
     Kernel("z[i] = z[i] * 0.5f + x[i];", repeat="4"),
     "z[i] = (((z[i] * 0.5f + x[i]) * 0.5f + x[i]) * 0.5f + x[i]) * 0.5f + x[i];", "read = 8 * n, write = 4 * n")
pair("dram_struct", "dram", "sectors dram_waste",
     Kernel("z[i] = x[8 * i];", grid="n / 8 / block"), Kernel("z[i] = x[i];", grid="n / 8 / block"),
     "read = n / 2, write = n / 2")
pair("dram_double", "dram", "dram_waste dram",
     Kernel("((double *)z)[i] = 0.5 * ((const double *)x)[i];", grid="n / 2 / block"),
     Kernel("z[i] = 0.5f * x[i];", grid="n / 2 / block"), "read = 2 * n, write = 2 * n")
pair("dram_gather", "dram l2 latency", "sectors dram_waste", "z[i] = x[k[i]];", "z[i] = x[i] + k[i];",
     "read = 8 * n, write = 4 * n")

# ---- L2 ----

WINDOW = "const int base = blockIdx.x * 256 & (n / 2 - 1); float sum = 0;\n"
pair("l2_window", "l2", "l2", WINDOW + "for (int j = 0; j < 64; j++) sum += __ldcg(&x[base + ((t + j) & 255)]);\nz[i] = sum;",
     WINDOW + "__shared__ float tile[256]; tile[t] = x[base + t]; __syncthreads();\n"
     "for (int j = 0; j < 64; j++) sum += tile[(t + j) & 255];\nz[i] = sum;")
pair("l2_table", "l2", "l2", "float sum = 0;\nfor (int j = 0; j < 64; j++) sum += __ldcg(&y[j * 32 + lane]);\nz[i] = sum * x[i];",
     "float sum = 0;\nfor (int j = 0; j < 64; j++) sum += y[j * 32 + lane];\nz[i] = sum * x[i];")
pair("l2_rows", "l2", "l2",
     "float sum = 0;\nfor (int j = 0; j < 16; j++) sum += __ldcg(&x[(i + j * 65536) & 2097151]);\nz[i] = sum;",
     "float sum = 0;\nfor (int j = 0; j < 4; j++) sum += __ldcg(&x[(i + j * 65536) & 2097151]);\nz[i] = sum;")

# ---- L1 ----

pair("l1_sum", "l1 issue", "l1 issue", WINDOW + "for (int j = 0; j < 128; j++) sum += x[base + ((t + j) & 255)];\nz[i] = sum;",
     WINDOW + "const float4 *v = (const float4 *)(x + base);\n"
     "for (int j = 0; j < 32; j++) { const float4 a = v[(t + j) & 63]; sum += a.x + a.y + a.z + a.w; }\nz[i] = sum;")
pair("l1_stride", "l1", "sectors",
     WINDOW + "for (int j = 0; j < 32; j++) sum += x[base + ((t * 8 + j) & 2047)];\nz[i] = sum;",
     WINDOW + "for (int j = 0; j < 32; j++) sum += x[base + ((t + j * 8) & 2047)];\nz[i] = sum;")
pair("l1_scatter", "l1", "sectors",
     WINDOW + "for (int j = 0; j < 32; j++) sum += x[base + ((t * 33 + j * 7) & 4095)];\nz[i] = sum;",
     WINDOW + "for (int j = 0; j < 32; j++) sum += x[base + ((t + j * 7) & 4095)];\nz[i] = sum;")

# ---- shared memory ----

SHARED = "__shared__ float tile[%s]; tile[t] = x[i]; __syncthreads(); float sum = 0;\n"
for ways in (32, 8, 4):
    pair(f"shared_conflict_{ways}", "shared", "bank_conflicts",
         SHARED % "8192" + f"for (int j = 0; j < 64; j++) sum += tile[(t * {ways} + j) & 8191];\nz[i] = sum;",
         SHARED % "8192" + "for (int j = 0; j < 64; j++) sum += tile[(t + j) & 8191];\nz[i] = sum;")
pair("shared_column", "shared", "bank_conflicts",
     "__shared__ float tile[32][32];\nfor (int r = t / 32; r < 32; r += 8) tile[r][lane] = x[(i & (n / 2 - 256)) + r * 8 + lane];\n"
     "__syncthreads(); float sum = 0;\nfor (int j = 0; j < 32; j++) sum += tile[lane][j];\nz[i] = sum;",
     "__shared__ float tile[32][33];\nfor (int r = t / 32; r < 32; r += 8) tile[r][lane] = x[(i & (n / 2 - 256)) + r * 8 + lane];\n"
     "__syncthreads(); float sum = 0;\nfor (int j = 0; j < 32; j++) sum += tile[lane][j];\nz[i] = sum;")
pair("shared_scalar", "shared issue", "shared issue",
     SHARED % "1024" + "for (int j = 0; j < 256; j++) sum += tile[(t + j) & 255];\nz[i] = sum;",
     SHARED % "1024" + "for (int j = 0; j < 64; j++) { const float4 a = ((const float4 *)tile)[(t + j) & 63]; "
     "sum += a.x + a.y + a.z + a.w; }\nz[i] = sum;")

# ---- latency of memory ----

# the chase is scattered as well
pair("latency_chase", "latency", "latency sectors",
     Kernel("int p = i;\nfor (int j = 0; j < 16; j++) p = k[p];\nz[i] = p;", grid="1056"),
     Kernel("int p = 0;\nfor (int j = 0; j < 16; j++) p += k[i + j * 65536];\nz[i] = p;", grid="1056"))
pair("latency_one_load", "latency", "latency",
     Kernel("float sum = 0;\n#pragma unroll 1\nfor (int j = i; j < n; j += 132 * 128) sum += x[j] * y[j];\nz[i] = sum;",
            grid="132", block="128"),
     Kernel("float sum = 0;\n#pragma unroll 16\nfor (int j = i; j < n; j += 132 * 128) sum += x[j] * y[j];\nz[i] = sum;",
            grid="132", block="128"))
pair("latency_l2_chase", "latency", "latency",
     Kernel("int p = i & 65535;\nfor (int j = 0; j < 64; j++) p = (p + __ldcg(&k[p])) & 65535;\nz[i] = p;", grid="528"),
     Kernel("int p = i & 65535, q = 0;\nfor (int j = 0; j < 64; j++) q += __ldcg(&k[(p + j * 777) & 65535]);\nz[i] = q;",
            grid="528"))
pair("latency_scalar", "latency", "latency",
     Kernel("#pragma unroll 1\nfor (int j = i; j < n; j += 264 * 128) z[j] = x[j];", grid="264", block="128"),
     Kernel("#pragma unroll 4\nfor (int j = i; j < n / 4; j += 264 * 128) ((float4 *)z)[j] = ((const float4 *)x)[j];",
            grid="264", block="128"))

# ---- instructions ----

pair("issue_modulo", "issue", "issue",
     "int a = i;\nfor (int j = 0; j < 32; j++) a += (a + j) % d;\nz[i] = a;",
     "int a = i;\nfor (int j = 0; j < 32; j++) a += (a + j) & 7;\nz[i] = a;")
pair("issue_bytes", "issue l1", "issue l1",
     "const unsigned char *b = (const unsigned char *)x; int a = 0;\n"
     "#pragma unroll\nfor (int j = 0; j < 16; j++) a += b[16 * (i & 1048575) + j];\nz[i] = a;",
     "const uint4 v = ((const uint4 *)x)[i & 1048575];\n"
     "z[i] = (int)(__dp4a(v.x, 0x01010101u, 0u) + __dp4a(v.y, 0x01010101u, 0u) + __dp4a(v.z, 0x01010101u, 0u) "
     "+ __dp4a(v.w, 0x01010101u, 0u));")
pair("issue_long", "issue", "issue",
     "unsigned long long a = i;\n#pragma unroll 1\nfor (int j = 0; j < 64; j++) a = a * 6364136223846793005ull + (unsigned)d;\nz[i] = (float)(unsigned)(a >> 32);",
     "unsigned a = i;\n#pragma unroll 1\nfor (int j = 0; j < 64; j++) a = a * 1664525u + (unsigned)d;\nz[i] = (float)a;")
pair("issue_index", "issue", "issue",
     "float sum = 0;\n#pragma unroll 1\nfor (int j = 0; j < 32; j++) sum += x[((i / d) * d + (i + j) % d) & 4194303];\nz[i] = sum;",
     "float sum = 0;\n#pragma unroll 8\nfor (int j = 0; j < 32; j++) sum += x[(i + j) & 4194303];\nz[i] = sum;")

# ---- arithmetic ----

pair("fp32_degree", "compute fp32 issue", "compute", "z[i] = polynomial<256>(x[i]);", "z[i] = polynomial<64>(x[i]);")
pair("fp32_again", "compute fp32 issue", "compute",
     "float a = 0;\nfor (int j = 0; j < 8; j++) a += polynomial<64>(x[i] + j * d);\nz[i] = a;",
     "float a = 0;\nfor (int j = 0; j < 2; j++) a += polynomial<64>(x[i] + j * d);\nz[i] = a;")
pair("fp32_loop", "compute fp32 issue", "compute", "z[i] = heavy(x[i], 512);", "z[i] = heavy(x[i], 128);")
pair("fp64_type", "compute fp64", "compute fp64",
     "double a = x[i];\nfor (int j = 0; j < 64; j++) a = a * 0.999 + 0.001;\nz[i] = (float)a;",
     "float a = x[i];\nfor (int j = 0; j < 64; j++) a = a * 0.999f + 0.001f;\nz[i] = a;")
# conversions between float and double run in the pipe of special functions
pair("fp64_constant", "compute fp64 issue special", "compute fp64 issue special",
     "float a = x[i];\nfor (int j = 0; j < 64; j++) a = a * 0.999 + 0.001;\nz[i] = a;",
     "float a = x[i];\nfor (int j = 0; j < 64; j++) a = a * 0.999f + 0.001f;\nz[i] = a;")
# a root begins in the pipe of special functions
pair("fp64_root", "compute fp64 issue special", "compute fp64 issue special",
     "float a = x[i];\nfor (int j = 0; j < 16; j++) a = (float)sqrt((double)a + j);\nz[i] = a;",
     "float a = x[i];\nfor (int j = 0; j < 16; j++) a = sqrtf(a + j);\nz[i] = a;")
pair("special_sin", "special issue", "special issue",
     "float a = x[i];\nfor (int j = 0; j < 64; j++) a = __sinf(a);\nz[i] = a;",
     "float a = x[i];\nfor (int j = 0; j < 64; j++) a = a - a * a * a * 0.1666f;\nz[i] = a;")
pair("special_exp", "special issue", "special issue",
     "float a = 0;\nfor (int j = 0; j < 64; j++) a += exp2f(x[i] * j);\nz[i] = a;",
     "const float e = exp2f(x[i]); float p = 1, a = 0;\nfor (int j = 0; j < 64; j++) { a += p; p *= e; }\nz[i] = a;")
pair("special_root", "special issue", "special issue",
     "float a = 0;\nfor (int j = 0; j < 64; j++) a += y[j] * rsqrtf(x[i] + j * d * 1e-9f);\nz[i] = a;",
     "const float r = rsqrtf(x[i]); float a = 0;\nfor (int j = 0; j < 64; j++) a += y[j] * r;\nz[i] = a;")

TENSOR = """using namespace nvcuda;
wmma::fragment<wmma::matrix_a, 16, 16, %(k)s, %(type)s, wmma::row_major> a;
wmma::fragment<wmma::matrix_b, 16, 16, %(k)s, %(type)s, wmma::col_major> b;
wmma::fragment<wmma::accumulator, 16, 16, %(k)s, float> c;
wmma::fill_fragment(a, %(one)s); wmma::fill_fragment(b, %(one)s); wmma::fill_fragment(c, x[i & 31]);
for (int j = 0; j < %(count)s; j++) wmma::mma_sync(c, a, b, c);
if (c.x[0] == -1) z[i] = c.x[1];"""
TF32 = {"type": "wmma::precision::tf32", "k": 8, "one": "1.0f"}
F16 = {"type": "half", "k": 16, "one": "__float2half(1.0f)"}
for name, slow, fast in (("tensor_tf32", {**TF32, "count": 1024}, {**F16, "count": 512}),
                         ("tensor_twice", {**F16, "count": 1024}, {**F16, "count": 512}),
                         ("tensor_tf32_twice", {**TF32, "count": 1024}, {**TF32, "count": 512})):
    pair(name, "compute tensor", "compute tensor", Kernel(TENSOR % slow, grid="2112"), Kernel(TENSOR % fast, grid="2112"))

# ---- atomics ----

pair("atomics_one", "atomics", "atomics", "atomicAdd(z, x[i]);",
     "const float sum = warp_sum(x[i]); __shared__ float part[8];\nif (lane == 0) part[t / WARP] = sum;\n__syncthreads();\n"
     "if (t == 0) atomicAdd(z, part[0] + part[1] + part[2] + part[3] + part[4] + part[5] + part[6] + part[7]);")
pair("atomics_few", "atomics", "atomics", "atomicAdd(&s[k[i] & 15], 1);",
     "__shared__ int count[16]; if (t < 16) count[t] = 0; __syncthreads();\natomicAdd(&count[k[i] & 15], 1); __syncthreads();\n"
     "if (t < 16) atomicAdd(&s[t], count[t]);")
pair("atomics_shared", "atomics shared", "atomics",
     "__shared__ int count[2]; if (t < 2) count[t] = 0; __syncthreads(); const int at = k[i] & 1;\n"
     "for (int j = 0; j < 32; j++) atomicAdd(&count[at], (int)(x[i] * 4) + j);\n"
     "__syncthreads(); if (t == 0) s[blockIdx.x] = count[0] - count[1];",
     "__shared__ int count[2]; if (t < 2) count[t] = 0; __syncthreads(); const int at = k[i] & 1; int own = 0;\n"
     "for (int j = 0; j < 32; j++) own += (int)(x[i] * 4) + j;\n"
     "atomicAdd(&count[at], own);\n"
     "__syncthreads(); if (t == 0) s[blockIdx.x] = count[0] - count[1];")
pair("atomics_bins", "atomics", "atomics", "atomicAdd(&s[(int)(x[i] * 256)], 1);",
     "__shared__ int bins[256]; bins[t] = 0; __syncthreads(); atomicAdd(&bins[(int)(x[i] * 256)], 1); __syncthreads();\n"
     "if (bins[t]) atomicAdd(&s[t], bins[t]);")
pair("atomics_cas", "atomics", "atomics",
     "int old = s[i & 1023], seen;\ndo { seen = old; old = atomicCAS(&s[i & 1023], seen, seen + 1); } while (old != seen);",
     "atomicAdd(&s[i & 1023], 1);")

# ---- barriers ----

pair("barrier_each", "barrier", "barrier",
     Kernel(SHARED % "1024" + "for (int j = 0; j < 128; j++) { sum += tile[(t + j) & 1023]; __syncthreads(); }\nz[i] = sum;",
            grid="n / 1024", block="1024"),
     Kernel(SHARED % "1024" + "for (int j = 0; j < 128; j++) sum += tile[(t + j) & 1023];\nz[i] = sum;",
            grid="n / 1024", block="1024"))
pair("barrier_one_warp", "barrier", "barrier",
     "__shared__ float part; for (int j = 0; j < 4; j++) { if (t < WARP) { const float a = heavy(x[i], 256); if (t == 0) part = a; }\n"
     "__syncthreads(); z[i] = part + j; __syncthreads(); }",
     "__shared__ float part; for (int j = 0; j < 4; j++) { const float a = heavy(x[i], 32); if (t == 0) part = a;\n"
     "__syncthreads(); z[i] = part + j; __syncthreads(); }")
pair("barrier_uneven", "barrier", "barrier",
     "float a = x[i]; for (int j = 0; j < 8; j++) { a = heavy(a, t / WARP == j ? 256 : 0); __syncthreads(); }\nz[i] = a;",
     "float a = x[i]; for (int j = 0; j < 8; j++) { a = heavy(a, 32); __syncthreads(); }\nz[i] = a;")
pair("barrier_tree", "barrier", "barrier",
     Kernel("__shared__ float part[1024]; for (int j = 0; j < 4; j++) { part[t] = x[i] + j; __syncthreads();\n"
            "for (int w = 512; w > 0; w /= 2) { if (t < w) part[t] += part[t + w]; __syncthreads(); } z[i] = part[0]; __syncthreads(); }",
            grid="n / 1024", block="1024"),
     Kernel("__shared__ float part[32]; for (int j = 0; j < 4; j++) { float a = warp_sum(x[i] + j); if (lane == 0) part[t / 32] = a; __syncthreads();\n"
            "if (t < 32) { a = warp_sum(part[t]); if (t == 0) part[0] = a; } __syncthreads(); z[i] = part[0]; __syncthreads(); }",
            grid="n / 1024", block="1024"))

# ---- fetching instructions ----

LONG = "float a = x[i];\n#pragma unroll\nfor (int j = 0; j < %d; j++) a = a * (1.0f - 0.0001f * (j %% 64)) + 0.001f * ((j * 7) %% 61);\nz[i] = a;"
for count in (4096, 8192, 16384):
    pair(f"fetch_{count}", "fetch", "fetch", Kernel(LONG % count, grid="n / 16 / block"),
         Kernel((LONG % count).replace("#pragma unroll", "#pragma unroll 64"), grid="n / 16 / block"))

# ---- occupancy ----

STREAM = "extern __shared__ float room[]; if (d == 0) room[t] = x[i];\n#pragma unroll 1\nfor (int j = i; j < n; j += gridDim.x * blockDim.x) z[j] = x[j] * 2.0f + y[j];"
for kib, block, grid in ((200, 256, 132), (100, 128, 264), (56, 128, 528), (72, 64, 396)):
    pair(f"occupancy_{kib}", "occupancy latency", "occupancy_limit",
         Kernel(STREAM, grid=str(grid), block=str(block), shared=str(kib * 1024)),
         Kernel(STREAM, grid=str(132 * 2048 // block), block=str(block)))

# ---- the shape of the grid ----

GRID = "for (int j = i; j < n / 16; j += gridDim.x * blockDim.x) z[j] = heavy(x[j], 64);"
for blocks, block in ((1, 1024), (16, 256), (64, 512), (100, 1024)):
    pair(f"grid_{blocks}", "grid", "few_blocks", Kernel(GRID, grid=str(blocks), block=str(block)),
         Kernel(GRID, grid=str(132 * 2048 // block), block=str(block)))
TAIL = "extern __shared__ float room[]; if (d == 0) room[t] = x[i];\nz[i] = heavy(x[i], %s);"
for blocks in (133, 140, 270):
    pair(f"tail_{blocks}", "tail", "tail", Kernel(TAIL % "4096", grid=str(blocks), block="1024", shared=str(120 * 1024)),
         Kernel(TAIL % "4096", grid=str(blocks // 132 * 132), block="1024", shared=str(120 * 1024)))
UNEVEN = "extern __shared__ float room[]; if (d == 0) room[t] = x[i];\nz[i] = heavy(x[i], %s);"
for name, uneven, even in (("imbalance_one", "blockIdx.x == 0 ? 50 * 256 : 256", "(131 * 256 + 50 * 256) / 132"),
                           ("imbalance_half", "blockIdx.x % 2 ? 8192 : 16", "4104"),
                           ("imbalance_ramp", "blockIdx.x * 64", "66 * 64")):
    pair(name, "imbalance", "imbalance", Kernel(UNEVEN % uneven, grid="132", block="1024", shared=str(120 * 1024)),
         Kernel(UNEVEN % even, grid="132", block="1024", shared=str(120 * 1024)))

# ---- launches ----

for count in (10, 50, 200):
    pair(f"launch_{count}", "launch", "launch", Kernel("z[i] = z[i] * 0.5f + x[i];", grid="64", repeat=str(count)),
         Kernel(f"float a = z[i];\nfor (int j = 0; j < {count}; j++) a = a * 0.5f + x[i];\nz[i] = a;", grid="64"))

# ---- accesses of warps ----

pair("sectors_load", "l1 l2 latency dram", "sectors",
     Kernel("z[i] = x[(i * 32 + i / (n / 32)) & (n - 1)];"), "z[i] = x[i];", "read = 4 * n, write = 4 * n")
pair("sectors_store", "l1 l2 latency dram", "sectors",
     Kernel("z[(i * 32 + i / (n / 32)) & (n - 1)] = x[i];"), "z[i] = x[i];", "read = 4 * n, write = 4 * n")
pair("sectors_stride", "l1 l2 latency dram", "sectors",
     Kernel("z[i] = x[(i * 8) & (n - 1)] + x[(i * 8 + 1) & (n - 1)];", grid="n / 8 / block"),
     Kernel("z[i] = x[i] + x[i + n / 8];", grid="n / 8 / block"), "read = n, write = n / 2")
pair("sectors_fields", "l1 l2 latency dram", "sectors dram_waste",
     Kernel("z[i] = x[16 * i] + x[16 * i + 9];", grid="n / 16 / block"),
     Kernel("z[i] = x[i] + x[i + n / 16];", grid="n / 16 / block"), "read = n / 2, write = n / 4")

# ---- lanes ----

pair("divergence_two", "issue compute fp32 divergence", "divergence",
     "z[i] = t & 1 ? heavy(x[i], 256) : polynomial<255>(x[i]) + 1;",
     "z[i] = t & 32 ? heavy(x[i], 256) : polynomial<255>(x[i]) + 1;")
pair("divergence_rounds", "issue compute fp32 divergence", "divergence", "z[i] = heavy(x[i], lane * 32);",
     "z[i] = heavy(x[i], (t / WARP) * 128);")
pair("divergence_one", "issue compute fp32 divergence", "divergence", "if (lane == 0) z[i] = heavy(x[i], 256);",
     Kernel("z[i * 32] = heavy(x[i * 32], 256);", grid="n / 32 / block"))
pair("divergence_switch", "issue compute fp32 divergence", "divergence",
     "switch (lane % 4) { case 0: z[i] = heavy(x[i], 128); break; case 1: z[i] = polynomial<128>(x[i]); break;\n"
     "case 2: z[i] = heavy(x[i] + 1, 127); break; default: z[i] = polynomial<127>(x[i]); }",
     "switch (t / WARP % 4) { case 0: z[i] = heavy(x[i], 128); break; case 1: z[i] = polynomial<128>(x[i]); break;\n"
     "case 2: z[i] = heavy(x[i] + 1, 127); break; default: z[i] = polynomial<127>(x[i]); }")

# ---- local memory ----

# what does not fit the caches goes to the DRAM
pair("local_index", "dram l1 l2 latency local issue", "spills local",
     "float a[64];\nfor (int j = 0; j < 64; j++) a[j] = x[i] * j;\nfloat sum = 0;\nfor (int j = 0; j < 64; j++) sum += a[(j * d) & 63];\nz[i] = sum;",
     "float a[64];\n#pragma unroll\nfor (int j = 0; j < 64; j++) a[j] = x[i] * j;\nfloat sum = 0;\n"
     "#pragma unroll\nfor (int j = 0; j < 64; j++) sum += a[(j * 3) & 63];\nz[i] = sum;")
MANY = "float a[48];\n#pragma unroll\nfor (int j = 0; j < 48; j++) a[j] = x[(i + j * 4096) & (n - 1)];\nfloat sum = 0;\n" \
    "#pragma unroll 1\nfor (int r = 0; r < 16; r++) {\n#pragma unroll\nfor (int j = 0; j < 48; j++) a[j] = a[j] * 0.5f + a[(j + 7) % 48];\n}\n" \
    "#pragma unroll\nfor (int j = 0; j < 48; j++) sum += a[j];\nz[i] = sum;"
pair("local_spills", "l1 l2 latency local issue", "spills local",
     Kernel(MANY, grid="n / 8 / 1024", block="1024", bounds=" __launch_bounds__(1024, 2)"),
     Kernel(MANY, grid="n / 8 / 256", block="256", bounds=" __launch_bounds__(256, 2)"))
pair("local_stack", "l1 l2 latency local issue", "spills local",
     "int stack[32], top = 0; float sum = 0;\nfor (int j = 0; j < 64; j++) { if ((k[i] >> (j & 15)) & 1) stack[top++ & 31] = j; "
     "else if (top) sum += stack[--top & 31]; }\nz[i] = sum;",
     "unsigned long long stack = 0; int top = 0; float sum = 0;\nfor (int j = 0; j < 64; j++) { if ((k[i] >> (j & 15)) & 1) { stack = stack << 6 | j; top++; } "
     "else if (top) { sum += (int)(stack & 63); stack >>= 6; top--; } }\nz[i] = sum;")

# ---- constants ----

pair("constant_lanes", "latency constant issue", "constant",
     "float sum = 0;\nfor (int j = 0; j < 32; j++) sum += table[(lane * 61 + j) & 2047];\nz[i] = sum * x[i];",
     "float sum = 0;\nfor (int j = 0; j < 32; j++) sum += table[(j * 61) & 2047];\nz[i] = sum * x[i];")
pair("constant_random", "latency constant issue", "constant",
     "float sum = 0;\nfor (int j = 0; j < 32; j++) sum += table[(k[i] + j * 7) & 2047];\nz[i] = sum;",
     "float sum = 0;\nfor (int j = 0; j < 32; j++) sum += y[(k[i] + j * 7) & 2047];\nz[i] = sum;")
pair("constant_permuted", "latency constant issue", "constant",
     "float sum = 0;\nfor (int j = 0; j < 32; j++) sum += table[(lane ^ j) * 64];\nz[i] = sum;",
     "float sum = 0; __shared__ float own[2048];\nfor (int j = t; j < 2048; j += blockDim.x) own[j] = table[j];\n__syncthreads();\n"
     "for (int j = 0; j < 32; j++) sum += own[(lane ^ j) * 64 + (lane ^ j)];\nz[i] = sum;")


def lines_of(name, kernel, work):
    repeat = f" repeat {kernel.repeat}" if kernel.repeat else ""
    launch = f"{name}<<<{kernel.grid}, {kernel.block}, {kernel.shared}>>>(n, 7, x, y, k, z, s){repeat}"
    need = [f"// perflab: work {work}"] if work else []
    return ["", f"// perflab: variant {name}", f"// perflab: launch {launch}", *need,
            f'extern "C" __global__ void{kernel.bounds} {name}(PARAMETERS)', "{",
            "	INDEX;", *["	" + line if not line.startswith("#") else line for line in kernel.body.splitlines()], "}"]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    lines, expected = HEADER.splitlines(), {}
    for name, limiters, rules, work, slow, fast in PAIRS:
        lines += lines_of(name + "_with", slow, work) + lines_of(name + "_without", fast, work)
        expected[name] = {"limiters": limiters, "rules": rules}
    with open(os.path.join(folder, "causes.cu"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as file:
        json.dump(expected, file, indent=1)


if __name__ == "__main__":
    main()
