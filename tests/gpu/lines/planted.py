#!/usr/bin/env python3
"""Writes 50 kernels twice: as they are, and with one line of each made worse.

usage: planted.py FOLDER
Writes FOLDER/before/planted.cu, FOLDER/after/planted.cu and FOLDER/expected.json, which has the number of
the changed line and what was done to it for each kernel. check.py judges what perflab says of them.
"""

import json
import os
import sys

# Each kernel: its text, and five changes. A change is the number of a line (from 0), what it becomes, and
# the kind of the regression. The parameters are the same for all.
HEAD = 'extern "C" __global__ void %s(int n, int d, const float *x, const float *y, float *z)'

KERNELS = {
    "map": ("""{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float a = x[i];
	float b = y[i];
	a = a * 1.5f + 0.25f;
	b = b * a + 1.0f;
	z[i] = a + b;
}""", [
        (2, "	float a = x[(i * 8) & (n - 1)];", "uncoalesced load"),
        (3, "	float b = y[i] + y[(i + n / 2) & (n - 1)];", "unneeded load"),
        (4, "	a = (float)((double)a * 1.5 + 0.25);", "fp64"),
        (5, "	b = b * a + 1.0f / (1.0f + a * a);", "division"),
        (6, "	z[(i * 32 + i / (n / 32)) & (n - 1)] = a + b;", "uncoalesced store"),
    ]),
    "block_sum": ("""{
	__shared__ float s[1024];
	int t = threadIdx.x;
	int i = blockIdx.x * blockDim.x + t;
	s[t] = x[i] + y[i];
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (t < w)
			s[t] += s[t + w];
		__syncthreads();
	}
	z[i] = s[0] * 0.5f;
}""", [
        (4, "	s[t] = x[i] + y[(i * 16) & (n - 1)];", "uncoalesced load"),
        (7, "		if (t % (blockDim.x / w) == 0)", "division"),
        (8, "			s[(t * 32) & 1023] += s[((t + w) * 32) & 1023];", "bank conflict"),
        (9, "		__syncthreads(); __syncthreads(); __syncthreads();", "barrier"),
        (11, "	z[i] = (float)sqrt((double)s[0]) * 0.5f;", "fp64"),
    ]),
    "stencil": ("""{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float left = x[(i - 1) & (n - 1)];
	float here = x[i];
	float right = x[(i + 1) & (n - 1)];
	float sum = 0.25f * left + 0.5f * here + 0.25f * right;
	sum += y[i] * 0.125f;
	z[i] = sum;
}""", [
        (2, "	float left = x[(i * 4 - 1) & (n - 1)];", "uncoalesced load"),
        (4, "	float right = x[(i + 1) & (n - 1)] + x[(i + n / 4) & (n - 1)];", "unneeded load"),
        (5, "	float sum = (float)(0.25 * left + 0.5 * here + 0.25 * right);", "fp64"),
        (6, "	if (threadIdx.x & 1) sum += __sinf(y[i]); else sum += __cosf(y[i]) * __expf(sum);", "divergence"),
        (7, "	atomicAdd(&z[(i * 8) & (n - 1)], sum);", "uncoalesced atomic"),
    ]),
    "tile": ("""{
	__shared__ float s[32][33];
	int t = threadIdx.x & 31, w = threadIdx.x >> 5, warps = blockDim.x >> 5;
	int base = blockIdx.x * 1024 & (n - 1);
	for (int r = w; r < 32; r += warps)
		s[r][t] = x[base + r * 32 + t];
	__syncthreads();
	for (int r = w; r < 32; r += warps) {
		float v = s[t][r];
		v = v * 2.0f + y[base + r * 32 + t];
		z[base + r * 32 + t] = v;
	}
}""", [
        (5, "		s[r][t] = x[base + t * 32 + r];", "uncoalesced load"),
        (6, "	__syncthreads(); __syncthreads();", "barrier"),
        (8, "		float v = s[t][r] + (&s[0][0])[(t * 32 + r) & 1023];", "bank conflict"),
        (9, "		v = v * 2.0f + y[base + r * 32 + t] / (v + 3.0f);", "division"),
        (10, "		z[base + t * 32 + r] = v;", "uncoalesced store"),
    ]),
    "row_loop": ("""{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0, most = -1e30f;
	for (int k = 0; k < 16; k++) {
		float v = x[(k * (n / 16) + i) & (n - 1)];
		most = fmaxf(most, v);
		sum += v * 0.5f;
	}
	z[i] = sum + most * y[i & 1023];
}""", [
        (4, "		float v = x[(i * 16 + k) & (n - 1)];", "uncoalesced load"),
        (5, "		most = fmaxf(most, v * __expf(v) / (1.0f + v));", "division"),
        (6, "		sum += (float)((double)v * 0.3);", "fp64"),
        (8, "	z[i] = sum + most * y[(i * 33) & (n - 1)];", "uncoalesced load"),
        (2, "	float sum = y[i] + y[(i + 64) & (n - 1)], most = -1e30f;", "unneeded load"),
    ]),
    "polynomial": ("""{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = x[i], sum = 0;
	#pragma unroll 1
	for (int k = 0; k < 64; k++) {
		sum = sum * v + 0.5f;
		v = v * 0.75f + sum;
		sum = sum - v * 0.125f;
	}
	z[i] = sum + y[i];
}""", [
        (5, "		sum = (float)((double)sum * v + 0.5);", "fp64"),
        (6, "		v = v / 1.3333f + sum;", "division"),
        (7, "		if (threadIdx.x & 1) sum = sum - __sinf(v); else sum = sum - v * 0.125f;", "divergence"),
        (2, "	float v = x[(i * 32) & (n - 1)], sum = 0;", "uncoalesced load"),
        (9, "	z[i] = sum + y[i] + y[(i + 4096) & (n - 1)] + y[(i + 8192) & (n - 1)];", "unneeded load"),
    ]),
    "bins": ("""{
	__shared__ int s[1024];
	for (int t = threadIdx.x; t < 1024; t += blockDim.x)
		s[t] = 0;
	__syncthreads();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int bin = (i * 7) & 1023;
	atomicAdd(&s[bin], 1);
	__syncthreads();
	for (int t = threadIdx.x; t < 1024; t += blockDim.x)
		z[(blockIdx.x * 1024 + t) & (n - 1)] = s[t] + x[t];
	if (i == n)
		z[0] = y[0];
}""", [
        (3, "		s[(t * 32 + t / 32) & 1023] = 0;", "bank conflict"),
        (4, "	__syncthreads(); __syncthreads(); __syncthreads();", "barrier"),
        (6, "	int bin = (i * 7 + (int)y[i]) % (1000 + d);", "unneeded load"),
        (7, "	atomicAdd(&s[(bin * 32) & 1023], 1);", "bank conflict"),
        (10, "		z[(blockIdx.x * 1024 + t * 8) & (n - 1)] = s[t] + x[t];", "uncoalesced store"),
    ]),
    "shuffle": ("""{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = x[i] * 2.0f;
	for (int w = 1; w < 32; w *= 2) {
		float other = __shfl_xor_sync(0xffffffffu, v, w);
		v = v + other * 0.5f;
	}
	float scale = y[i & 255];
	z[i] = v * scale;
}""", [
        (2, "	float v = x[(i * 4) & (n - 1)] * 2.0f;", "uncoalesced load"),
        (4, "		float other = __shfl_xor_sync(0xffffffffu, v, w) + __shfl_xor_sync(0xffffffffu, v * v, w);",
         "second shuffle"),
        (5, "		v = v + other / (2.0f + v * v);", "division"),
        (7, "	float scale = (float)pow((double)y[i & 255], 2.0);", "fp64"),
        (8, "	for (int k = 0; k < d; k++) z[i] = v * scale + k;", "repeated store"),
    ]),
    "matvec": ("""{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int row = i & 4095;
	float sum = 0;
	#pragma unroll 4
	for (int k = 0; k < 32; k++)
		sum += x[(k * 4096 + row) & (n - 1)] * y[k];
	sum = sum * 0.5f;
	sum = sum + 1.0f;
	z[i] = sum;
}""", [
        (6, "		sum += x[(row * 32 + k) & (n - 1)] * y[k];", "uncoalesced load"),
        (7, "	sum = (float)((double)sum * 0.5 * (double)sum);", "fp64"),
        (8, "	sum = sum + 1.0f / sum;", "division"),
        (9, "	z[(i * 16 + i / (n / 16)) & (n - 1)] = sum;", "uncoalesced store"),
        (2, "	int row = (i / (4096 + d * 0)) % (4096 + d);", "integer division"),
    ]),
    "local": ("""{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float a[8];
	#pragma unroll
	for (int k = 0; k < 8; k++)
		a[k] = x[(i + k * 1024) & (n - 1)];
	float sum = 0;
	#pragma unroll
	for (int k = 0; k < 8; k++)
		sum += a[k] * y[k];
	sum = sum * 0.5f;
	z[i] = sum;
}""", [
        (9, "		sum += a[(k + d) & 7] * y[k];", "spill"),
        (5, "		a[k] = x[(i * 8 + k * 1024) & (n - 1)];", "uncoalesced load"),
        (10, "	if (threadIdx.x & 1) sum = __sinf(sum) * __cosf(sum); else sum = __expf(sum);", "divergence"),
        (11, "	z[i] = sum; z[(i + 32) & (n - 1)] = sum;", "unneeded store"),
        (6, "	float sum = (float)log((double)(i + 2));", "fp64"),
    ]),
}

AXES = """// perflab: axis n = 2^22 "elements"
// perflab: axis block = 256 "threads per block"
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] in
// perflab: buffer z: f32[n] inout
// perflab: verify none
"""


def write_file(path, texts):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(texts)


def main():
    folder = sys.argv[1]
    before, after, expected = AXES.splitlines(), AXES.splitlines(), {}
    for kernel, (body, changes) in KERNELS.items():
        for number, (line, text, kind) in enumerate(changes):
            name = f"{kernel}_{number}"
            launch = f"// perflab: launch {name}<<<n / block, block>>>(n, 3, x, y, z)"
            lines = [HEAD % name, *body.splitlines()]
            changed = list(lines)
            changed[line + 1] = text
            before += ["", launch, *lines]
            after += ["", launch, *changed]
            expected[name] = {"line": len(after) - len(changed) + line + 2, "kind": kind}
    write_file(os.path.join(folder, "before", "planted.cu"), "\n".join(before) + "\n")
    write_file(os.path.join(folder, "after", "planted.cu"), "\n".join(after) + "\n")
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as file:
        json.dump(expected, file, indent=1)


if __name__ == "__main__":
    main()
