/*
 * mbarriers_probe: what mbarriers do on this GPU, one line a case: "NAME: VALUE expected VALUE". The
 * expected values are those of the emulator, which follows the PTX manual; the same cases are in
 * tests/emulator/test_mbarrier.c. State tokens are opaque, so no line shows one. The exit status is
 * 1 if a value differs.
 *
 * build: nvcc -arch=sm_90 -std=c++17 -o mbarriers_probe mbarriers_probe.cu
 */
#include <stdint.h>
#include <stdio.h>

/* Adds `bit` to *bits if the phase of that parity is complete. */
__device__ void test(uint32_t object, uint32_t parity, unsigned bit, unsigned *bits)
{
	uint32_t holds;

	asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
		     "selp.u32 %0, 1, 0, p;\n}"
		     : "=r"(holds)
		     : "r"(object), "r"(parity)
		     : "memory");
	*bits += holds ? bit : 0;
}

#define OPERATE(words, ...) asm volatile(words ::__VA_ARGS__ : "memory")

__global__ void phases(unsigned *out)
{
	__shared__ uint64_t word;
	uint32_t object = (uint32_t)__cvta_generic_to_shared(&word);
	unsigned bits = 0;

	OPERATE("mbarrier.init.shared.b64 [%0], 2;", "r"(object));
	test(object, 0, 1, &bits);
	test(object, 1, 2, &bits);
	OPERATE("mbarrier.arrive.shared.b64 _, [%0];", "r"(object));
	test(object, 0, 4, &bits);
	OPERATE("mbarrier.arrive.shared.b64 _, [%0];", "r"(object));
	test(object, 0, 8, &bits);
	test(object, 1, 16, &bits);
	*out = bits;
}

__global__ void drop(unsigned *out)
{
	__shared__ uint64_t word;
	uint32_t object = (uint32_t)__cvta_generic_to_shared(&word);
	unsigned bits = 0;

	OPERATE("mbarrier.init.shared.b64 [%0], 2;", "r"(object));
	OPERATE("mbarrier.arrive.shared.b64 _, [%0], 2;", "r"(object));
	test(object, 0, 1, &bits);
	OPERATE("mbarrier.arrive_drop.shared.b64 _, [%0];", "r"(object));
	test(object, 1, 2, &bits);
	OPERATE("mbarrier.arrive.shared.b64 _, [%0];", "r"(object));
	test(object, 1, 4, &bits);
	OPERATE("mbarrier.arrive.shared.b64 _, [%0];", "r"(object));
	test(object, 0, 8, &bits);
	*out = bits;
}

__global__ void bytes(unsigned *out)
{
	__shared__ uint64_t word;
	uint32_t object = (uint32_t)__cvta_generic_to_shared(&word);
	unsigned bits = 0;

	OPERATE("mbarrier.init.shared.b64 [%0], 1;", "r"(object));
	OPERATE("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 48;", "r"(object));
	test(object, 0, 1, &bits);
	OPERATE("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 32;", "r"(object));
	test(object, 0, 2, &bits);
	OPERATE("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;", "r"(object));
	test(object, 0, 4, &bits);
	OPERATE("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 8;", "r"(object));
	OPERATE("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 8;", "r"(object));
	test(object, 1, 8, &bits);
	OPERATE("mbarrier.arrive.shared.b64 _, [%0];", "r"(object));
	test(object, 1, 16, &bits);
	*out = bits;
}

__global__ void states(unsigned *out)
{
	__shared__ uint64_t word;
	uint32_t object = (uint32_t)__cvta_generic_to_shared(&word), before, after, first, second;

	OPERATE("mbarrier.init.shared.b64 [%0], 3;", "r"(object));
	asm volatile("{\n.reg .pred p;\n.reg .b64 s1, s2;\n"
		     "mbarrier.arrive.noComplete.shared.b64 s1, [%4], 2;\n"
		     "mbarrier.test_wait.shared.b64 p, [%4], s1;\nselp.u32 %0, 1, 0, p;\n"
		     "mbarrier.arrive.shared.b64 s2, [%4];\n"
		     "mbarrier.try_wait.shared.b64 p, [%4], s1, 100;\nselp.u32 %1, 1, 0, p;\n"
		     "mbarrier.pending_count.b64 %2, s1;\nmbarrier.pending_count.b64 %3, s2;\n}"
		     : "=r"(before), "=r"(after), "=r"(first), "=r"(second)
		     : "r"(object)
		     : "memory");
	*out = 1000 * before + 100 * after + 10 * first + second;
}

int main(void)
{
	static const struct {
		const char *name;
		void (*kernel)(unsigned *);
		unsigned expected;
	} cases[] = {{"phases", phases, 2 + 8},
		     {"drop", drop, 1 + 4 + 8},
		     {"bytes", bytes, 4 + 16},
		     {"states", states, 100 + 31}};
	unsigned *out, value;
	int differ = 0;

	if (cudaMalloc(&out, sizeof(*out)) != cudaSuccess) {
		fprintf(stderr, "no memory on a GPU\n");
		return 2;
	}
	for (const auto &one : cases) {
		one.kernel<<<1, 1>>>(out);
		if (cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost) != cudaSuccess) {
			fprintf(stderr, "%s: %s\n", one.name,
				cudaGetErrorString(cudaGetLastError()));
			return 2;
		}
		printf("%s: %u expected %u\n", one.name, value, one.expected);
		differ |= value != one.expected;
	}
	return differ;
}
