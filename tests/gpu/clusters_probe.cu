/*
 * clusters_probe: what clusters do on this GPU, one line a case: "NAME: VALUE expected VALUE". The
 * expected values are those of the emulator, which follows the PTX manual; its tests are
 * tests/emulator/test_cluster*.c, and the kernels from programs/clusters.cu are the same. The exit
 * status is 1 if a value differs.
 *
 * build: nvcc -arch=sm_90 -std=c++17 -diag-suppress 20054 -o clusters_probe clusters_probe.cu
 */
#include "../emulator/programs/clusters.cu"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MOST_WORDS 8192

/* ---- registers and addresses ---- */

__device__ unsigned explicit_cluster(void)
{
	unsigned value;

	asm("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}"
	    : "=r"(value));
	return value;
}

/* Digits: explicit, blocks of the cluster, clusters in x, rank of the last block. */
__global__ void registers(unsigned *out, long long n)
{
	unsigned size, clusters, rank;

	asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
	asm("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	if (blockIdx.x == gridDim.x - 1)
		*out = 1000 * explicit_cluster() + 100 * size + 10 * clusters + rank;
}

__global__ void __cluster_dims__(2, 1, 1) compiled_registers(unsigned *out, long long n)
{
	unsigned size;

	asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
	*out = 10 * explicit_cluster() + size;
}

/* Bits, of rank 0: a mapped address of the own block is of shared::cta (1) and of shared::cluster
 * (2) and has rank 0 (4); that of the other one is not of shared::cta (8), is of shared::cluster
 * (16) and has rank 1 (32); a store through a mapped own address is seen (64). */
__global__ void __cluster_dims__(2, 1, 1) addresses(unsigned *out, long long n)
{
	__shared__ volatile unsigned word;
	groups::cluster_group cluster = groups::this_cluster();
	unsigned *own = cluster.map_shared_rank((unsigned *)&word, cluster.block_rank());
	unsigned *other = cluster.map_shared_rank((unsigned *)&word, cluster.block_rank() ^ 1);
	unsigned bits = 0, yes;

#define IS(space, pointer)                                                                   \
	asm volatile("{\n.reg .pred p;\nisspacep." space " p, %1;\nselp.u32 %0, 1, 0, p;\n}" \
		     : "=r"(yes)                                                             \
		     : "l"(pointer))
	word = 5;
	cluster.sync();
	IS("shared::cta", own);
	bits += yes ? 1 : 0;
	IS("shared::cluster", own);
	bits += yes ? 2 : 0;
	bits += cluster.query_shared_rank(own) == cluster.block_rank() ? 4 : 0;
	IS("shared::cta", other);
	bits += yes ? 0 : 8;
	IS("shared::cluster", other);
	bits += yes ? 16 : 0;
	bits += cluster.query_shared_rank(other) != cluster.block_rank() ? 32 : 0;
	*own = 7;
	bits += word == 7 ? 64 : 0;
	cluster.sync();
	if (blockIdx.x == 0)
		*out = bits;
}

/* Three of four warps end at once, and one block; the others meet. */
__global__ void __cluster_dims__(4, 1, 1) ended(unsigned *out, long long n)
{
	if (threadIdx.x >= 32 || blockIdx.x == 1)
		return;
	groups::this_cluster().sync();
	if (threadIdx.x == 0)
		atomicAdd(out, 1);
}

/* Sums of floats in another block: a subnormal sum, as bits. */
__global__ void __cluster_dims__(2, 1, 1) subnormals(unsigned *out, long long n)
{
	__shared__ float sum;
	groups::cluster_group cluster = groups::this_cluster();

	if (threadIdx.x == 0)
		sum = 0.0f;
	cluster.sync();
	if (threadIdx.x == 0)
		atomicAdd(cluster.map_shared_rank(&sum, cluster.block_rank() ^ 1),
			  __uint_as_float(3));
	cluster.sync();
	if (threadIdx.x == 0 && blockIdx.x == 0)
		*out = __float_as_uint(sum);
}

/* ---- launches ---- */

typedef void kernel(unsigned *, long long);
static unsigned *out, results[MOST_WORDS];
static int differences;

static void tell(const char *name, long long value, long long expected)
{
	printf("%s: %lld expected %lld%s\n", name, value, expected,
	       value == expected ? "" : "  DIFFERENT");
	differences += value != expected;
}

/* cluster 0: none asked for. Returns whether the launch succeeded; its results are in results[]. */
static bool launch(kernel *what, unsigned blocks, unsigned threads, unsigned cluster,
		   unsigned shared, long long n)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};
	cudaError_t rc;

	config.gridDim = dim3(blocks);
	config.blockDim = dim3(threads);
	config.dynamicSmemBytes = shared;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = cluster;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.attrs = &attribute;
	config.numAttrs = cluster ? 1 : 0;
	cudaMemset(out, 0, sizeof(results));
	rc = cudaLaunchKernelEx(&config, what, out, n);
	if (rc == cudaSuccess)
		rc = cudaDeviceSynchronize();
	cudaGetLastError();
	cudaMemcpy(results, out, sizeof(results), cudaMemcpyDeviceToHost);
	return rc == cudaSuccess;
}

static void registers_and_addresses(void)
{
	launch(registers, 4, 1, 0, 0, 0);
	tell("registers without clusters", results[0], 140);
	launch(registers, 4, 1, 1, 0, 0);
	tell("registers of clusters of one block", results[0], 140);
	launch(registers, 8, 1, 4, 0, 0);
	tell("registers of clusters of four", results[0], 1423);
	launch(compiled_registers, 4, 1, 0, 0, 0);
	tell("registers of compiled clusters", results[0], 12);
	launch(addresses, 2, 1, 0, 0, 0);
	tell("addresses", results[0], 127);
	launch(ended, 8, 128, 0, 0, 0);
	tell("threads that meet beside ended ones", results[0], 7);
	launch(subnormals, 2, 32, 0, 0, 0);
	tell("a subnormal sum in another block", results[0], 3);
}

static void refusals(void)
{
	tell("a grid that is no multiple", launch(registers, 6, 1, 4, 0, 0), 0);
	tell("32 blocks", launch(registers, 32, 1, 32, 0, 0), 0);
	tell("another size than compiled", launch(compiled_registers, 8, 1, 4, 0, 0), 0);
	tell("the compiled size", launch(compiled_registers, 8, 1, 2, 0, 0), 1);
}

/* These numbers are those of tests/emulator/test_cluster_programs.c. */
static void programs(void)
{
	unsigned wrong = 0, expected[101] = {}, sums_of[2] = {};

	cudaFuncSetAttribute(ring, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
	for (unsigned size = 1; size <= 16; size *= 2) {
		launch(ring, 2 * size, 256, size, 0, 5);
		for (unsigned k = 0; k < 2 * size * 256; k++) {
			unsigned block = k / 256, first = block / size * size;

			wrong += results[k] !=
				 (first + (block - first + 5 * size - 5) % size) * 256 + k % 256;
		}
	}
	tell("ring", wrong, 0);
	launch(histogram, 8, 128, 4, 26 * 4, 101);
	for (unsigned i = 0; i < 4096; i++)
		expected[i * i % 101]++;
	tell("histogram", memcmp(results, expected, sizeof(expected)) != 0, 0);
	launch(sums, 8, 64, 0, 0, 5000);
	for (unsigned i = wrong = 0; i < 5000; i++)
		sums_of[i / 64 % 8 / 4] += i;
	for (unsigned block = 0; block < 8; block++)
		wrong += results[block] != (block % 4 ? block - 1 : sums_of[block / 4]);
	tell("sums", wrong, 0);
	launch(exchange, 6, 256, 0, 0, 4);
	for (unsigned k = wrong = 0; k < 6 * 256; k++)
		wrong += results[k] != 6000 + 4 * ((k / 256 ^ 1) * 256 + 255 - k % 256);
	tell("exchange", wrong, 0);
	launch(stages, 8, 64, 0, 0, 7);
	for (unsigned k = wrong = 0; k < 8 * 64; k++)
		wrong += results[k] != 2100 + 7 * (k / 64 / 4 * 4 + (k / 64 + 3) % 4);
	tell("stages", wrong, 0);
}

int main(void)
{
	if (cudaMalloc(&out, sizeof(results)) != cudaSuccess) {
		fprintf(stderr, "clusters_probe: no GPU\n");
		return 2;
	}
	registers_and_addresses();
	refusals();
	programs();
	return differences != 0;
}
