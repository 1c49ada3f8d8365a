/* How instructions on matrices access shared memory, what they count, and what they report. */
#include "support_machine.h"

#include <string.h>

/* 4096 bytes of shared memory, 128 of each thread of a warp, filled with its number. */
#define TILE                                                                   \
	".shared .align 128 .b8 tile[4096];\nmov.u32 %r20, tile;\n"            \
	"shl.b32 %r21, %r1, 7;\nadd.u32 %r21, %r20, %r21;\nmov.u32 %r23, 0;\n" \
	"FILL:\nadd.u32 %r22, %r21, %r23;\nst.shared.u32 [%r22], %r1;\n"       \
	"add.u32 %r23, %r23, 4;\nsetp.lt.u32 %p9, %r23, 128;\n@%p9 bra FILL;\n"
#define LOAD_X4 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r22];\n"
#define STORE "st.global.u32 [%rd3], %r4;\nret;\n"
#define MMA                                                                                   \
	"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r4, %r5, " \
	"%r6, %r7}, {%r8, %r9}, {%f1, %f2, %f3, %f4};\n"

static struct machine_result run_checked(const char *ptx, int64_t threads)
{
	return machine_run(
		&(struct machine_case){.ptx = ptx, .block = {threads}, .checked_blocks = -1});
}

/* Rows that lie in the same banks are read one after the other. */
static void rows_are_counted_as_accesses_of_16_bytes(void **state)
{
	static const struct {
		const char *ptx;
		uint64_t wavefronts;
	} kernels[] = {
		{MACHINE_KERNEL(TILE "bar.warp.sync -1;\nshl.b32 %r22, %r1, 4;\n"
				     "add.u32 %r22, %r20, %r22;\n" LOAD_X4 STORE),
		 4},
		{MACHINE_KERNEL(TILE "bar.warp.sync -1;\nshl.b32 %r22, %r1, 7;\n"
				     "add.u32 %r22, %r20, %r22;\n" LOAD_X4 STORE),
		 32},
		/* Only the first eight lanes name rows; the addresses of the others may be wild. */
		{MACHINE_KERNEL(TILE
				"bar.warp.sync -1;\nshl.b32 %r22, %r1, 4;\n"
				"add.u32 %r22, %r20, %r22;\nsetp.ge.u32 %p1, %r1, 8;\n"
				"@%p1 mov.u32 %r22, 0x7ffffff1;\n"
				"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r22];\n" STORE),
		 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		struct machine_result result = run_checked(kernels[i].ptx, 32);

		assert_int_equal(result.findings.count, 0);
		assert_int_equal(result.counts.shared_load_requests, 1);
		assert_int_equal(result.counts.shared_load_wavefronts, kernels[i].wavefronts);
		machine_release(&result);
	}
}

static void a_store_of_rows_is_seen_by_loads(void **state)
{
	const char *ptx = MACHINE_KERNEL(
		TILE "bar.warp.sync -1;\nshl.b32 %r22, %r1, 4;\nadd.u32 %r22, %r20, %r22;\n"
		     "add.u32 %r5, %r1, 100;\n"
		     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r22], {%r5};\nbar.warp.sync -1;\n"
		     "shl.b32 %r23, %r1, 2;\nadd.u32 %r23, %r20, %r23;\n"
		     "ld.shared.u32 %r4, [%r23];\n" STORE);
	struct machine_result result = run_checked(ptx, 32);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.counts.shared_store_requests, 32 + 1);
	/* Row r holds the words of lanes 4 * r to 4 * r + 3. */
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], 100 + t);
	machine_release(&result);
}

static void wrong_rows_are_found(void **state)
{
	static const struct {
		const char *ptx;
		enum finding_kind kind;
		const char *at, *words;
	} kernels[] = {
		{MACHINE_KERNEL(
			 TILE "bar.warp.sync -1;\nshl.b32 %r22, %r1, 4;\n"
			      "add.u32 %r22, %r20, %r22;\nadd.u32 %r22, %r22, 8;\n" LOAD_X4 STORE),
		 FINDING_MISALIGNED, "ldmatrix", "a 16-byte matrix row load from"},
		{MACHINE_KERNEL(TILE "bar.warp.sync -1;\nmul.lo.u32 %r22, %r1, 144;\n"
				     "add.u32 %r22, %r20, %r22;\n" LOAD_X4 STORE),
		 FINDING_OUT_OF_BOUNDS, "ldmatrix", "byte 4176"},
		{MACHINE_KERNEL(".shared .align 128 .b8 tile[512];\nmov.u32 %r20, tile;\n"
				"shl.b32 %r22, %r1, 4;\nadd.u32 %r22, %r20, %r22;\n" LOAD_X4 STORE),
		 FINDING_UNINITIALISED, "ldmatrix", "before any thread has written"},
		/* Lanes read what others store, and no barrier lies between. */
		{MACHINE_KERNEL(TILE
				"shl.b32 %r22, %r1, 4;\nadd.u32 %r22, %r20, %r22;\n"
				"bar.warp.sync -1;\nst.shared.u32 [%r21], %r20;\n" LOAD_X4 STORE),
		 FINDING_RACE, "ldmatrix", "wrote at line"},
		{MACHINE_KERNEL("cvta.to.global.u64 %rd4, %rd1;\nldmatrix.sync.aligned.m8n8.x4.b16 "
				"{%r4, %r5, %r6, %r7}, [%rd4];\n" STORE),
		 FINDING_OUT_OF_BOUNDS, "ldmatrix", "is not in shared memory"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		struct machine_result result = run_checked(kernels[i].ptx, 32);

		assert_finding(&result, kernels[i].kind, line_with(kernels[i].ptx, kernels[i].at),
			       kernels[i].words);
		machine_release(&result);
	}
}

/* The result is undefined unless a whole warp executes the instruction. */
static void absent_lanes_are_found(void **state)
{
	static const struct {
		const char *ptx;
		int64_t threads;
		const char *words;
		enum finding_kind kind;
	} kernels[] = {
		{MACHINE_KERNEL("mov.u32 %r4, 0;\n" MMA STORE), 16, "lanes 0x0000ffff of warp 0",
		 FINDING_ABSENT_LANES},
		{MACHINE_KERNEL(
			 "mov.u32 %r4, 0;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 exit;\n" MMA STORE),
		 32, "lanes 0xfffffff7 of warp 0", FINDING_ABSENT_LANES},
		{MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra NEXT;\n" MMA
				"NEXT:\n" STORE),
		 32, "lanes 0xffffff00 of warp 0", FINDING_ABSENT_LANES},
		/* Both parts of the warp come to a product, each to its own. */
		{MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra OTHER;\n" MMA
				"bra NEXT;\nOTHER:\n" MMA "NEXT:\n" STORE),
		 32, "wait elsewhere", FINDING_DEADLOCK},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		struct machine_result result = run_checked(kernels[i].ptx, kernels[i].threads);

		assert_finding(&result, kernels[i].kind, line_with(kernels[i].ptx, "mma.sync"),
			       kernels[i].words);
		machine_release(&result);
	}
}

#define OF(type) offsetof(struct emulated_counts, tensor_##type)
#define MMA_OF(shape, factors)                                                               \
	"mma.sync.aligned." shape " {%r10, %r11, %r12, %r13}, " factors ", {%r4, %r4, %r4, " \
	"%r4};\n"

/* A multiply-add is two operations of the type of the factors, also if several products of mma.sync
 * make up one of wmma. */
static void products_count_their_operations(void **state)
{
	static const struct {
		const char *ptx;
		uint64_t instructions, operations;
		size_t count; /* offset of the count by the type of the factors */
	} kernels[] = {
		{MACHINE_KERNEL("mov.u32 %r4, 0;\n" MMA STORE), 4, 2 * 16 * 8 * 16, OF(f16_flop)},
		{MACHINE_KERNEL("mov.u32 %r4, 0;\n" MMA_OF("m16n8k8.row.col.f32.bf16.bf16.f32",
							   "{%r4, %r4}, {%r4}") STORE),
		 4, 2 * 16 * 8 * 8, OF(bf16_flop)},
		{MACHINE_KERNEL("mov.u32 %r4, 0;\n" MMA_OF("m16n8k32.row.col.f32.e4m3.e5m2.f32",
							   "{%r4, %r4, %r4, %r4}, {%r4, %r4}")
					STORE),
		 4, 2 * 16 * 8 * 32, OF(f8_flop)},
		{MACHINE_KERNEL("mov.u32 %r4, 0;\n" MMA_OF("m16n8k16.row.col.s32.s8.u8.s32",
							   "{%r4, %r4}, {%r4}") STORE),
		 4, 2 * 16 * 8 * 16, OF(integer_operations)},
		{MACHINE_KERNEL("mov.u32 %r4, 0;\nmov.b64 %rd4, 0;\n"
				"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd4, %rd5}, "
				"{%rd4}, {%rd4}, {%rd4, %rd4};\n" STORE),
		 5, 2 * 8 * 8 * 4, OF(f64_flop)},
		{MACHINE_KERNEL(
			 "mov.u32 %r4, "
			 "0;\nwmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 "
			 "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%r4, %r4, %r4, %r4}, "
			 "{%r4, %r4, %r4, %r4}, {%r4, %r4, %r4, %r4, %r4, %r4, %r4, %r4};\n" STORE),
		 4, 2 * 16 * 16 * 8, OF(tf32_flop)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		struct machine_result result = run_checked(kernels[i].ptx, 64);

		assert_int_equal(result.findings.count, 0);
		assert_int_equal(
			*(const uint64_t *)((const char *)&result.counts + kernels[i].count),
			2 * kernels[i].operations);
		assert_int_equal(emulated_product_operations(&result.counts),
				 2 * kernels[i].operations);
		assert_int_equal(result.counts.warp_instructions,
				 2 * (MACHINE_PROLOGUE + kernels[i].instructions));
		machine_release(&result);
	}
}

/* The results may be in registers that also hold operands. */
static void results_may_replace_operands(void **state)
{
	const char *ptx = MACHINE_KERNEL(
		"mov.b32 %r4, 0x3c003c00;\nmov.b32 %r5, %r4;\nmov.b32 %r6, %r4;\nmov.b32 %r7, "
		"%r4;\n"
		"mov.b32 %r8, %r4;\nmov.b32 %r9, %r4;\nmov.b32 %r10, %r4;\nmov.b32 %r11, %r4;\n"
		/* All elements are one, so each sum is 17; the second half of D must not read the
		 * first half in place of A. */
		"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r4, %r5, %r6, %r7}, {%r4, %r5, "
		"%r6, %r7, %r8, %r9, %r10, %r11}, {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, "
		"{%r4, %r5, %r6, %r7};\nxor.b32 %r4, %r4, %r7;\n" STORE);
	struct machine_result result = run_checked(ptx, 32);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], 0);
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_counted_as_accesses_of_16_bytes),
		cmocka_unit_test(a_store_of_rows_is_seen_by_loads),
		cmocka_unit_test(wrong_rows_are_found),
		cmocka_unit_test(absent_lanes_are_found),
		cmocka_unit_test(products_count_their_operations),
		cmocka_unit_test(results_may_replace_operands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
