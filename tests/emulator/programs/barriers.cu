/* cuda::barrier and cuda::pipeline: see test_mbarrier.c. nvcc -ptx -arch=compute_80 (and 90)
 * -std=c++17 -diag-suppress 20054. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace groups = cooperative_groups;

/* Threads exchange words through shared memory, n times. */
extern "C" __global__ void exchange(unsigned *out, long long n)
{
	__shared__ unsigned slots[1024];
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	unsigned thread = threadIdx.x, sum = 0;

	if (thread == 0)
		init(&barrier, blockDim.x);
	__syncthreads();
	for (unsigned round = 0; round < n; round++) {
		slots[thread] = 100 * round + thread;
		barrier.arrive_and_wait();
		sum += slots[blockDim.x - 1 - thread];
		barrier.wait(barrier.arrive());
	}
	out[thread] = sum;
}

/* A pipeline of two stages copies n tiles of 64 words, which begin at out[64]. */
extern "C" __global__ void staged(unsigned *out, long long n)
{
	constexpr unsigned stages = 2;
	__shared__ alignas(16) unsigned tiles[stages][64];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
	auto block = groups::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	unsigned *in = out + 64, sum = 0;

	for (unsigned tile = 0; tile < n; tile++)
		in[64 * tile + threadIdx.x] = 1000 * tile + threadIdx.x;
	block.sync();
	for (unsigned now = 0, next = 0; now < n; now++) {
		for (; next < n && next < now + stages; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, tiles[next % stages], in + 64 * next,
					   cuda::aligned_size_t<16>(256), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		sum += tiles[now % stages][63 - threadIdx.x];
		pipe.consumer_release();
	}
	out[threadIdx.x] = sum;
}
