/*
 * Reads that are over before a write of another lane, because an instruction on matrices takes
 * their values: no race. Where no such instruction takes the value first, the race is told.
 */
#include "support_machine.h"

#include <string.h>

/* %r20: the lane's word of a tile, %r21: the opposite one, %r22: the row that stmatrix stores. */
#define TILE                                                                        \
	".shared .align 16 .b8 tile[128];\n"                                        \
	"mov.u32 %r20, tile;\nshl.b32 %r4, %r1, 2;\nadd.s32 %r20, %r20, %r4;\n"     \
	"mov.u32 %r21, tile;\nadd.s32 %r21, %r21, 124;\nsub.s32 %r21, %r21, %r4;\n" \
	"and.b32 %r22, %r1, 7;\nshl.b32 %r22, %r22, 4;\nmov.u32 %r4, tile;\n"       \
	"add.s32 %r22, %r22, %r4;\nst.shared.u32 [%r20], %r1;\nbar.warp.sync -1;\n" \
	"setp.eq.s32 %p1, %r2, 0;\nmov.u32 %r8, 0;\n"
#define READ "ld.shared.u32 %r5, [%r21];\n"
#define STORE_MATRIX(value) "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r22], {" value "};\n"
#define PRODUCT(value)                                                                      \
	"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, {" value "}, {%r8}, " \
	"{%r8, %r8};\n"
#define KERNEL(body) MACHINE_KERNEL(TILE body "bar.warp.sync -1;\nret;\n")

static struct machine_result run(const char *ptx, uint32_t n)
{
	return machine_run(&(struct machine_case){
		.ptx = ptx, .block = {32}, .n = n, .checked_blocks = -1, .check_global = true});
}

static void a_value_that_a_matrix_takes_was_read(void **state)
{
	static const char *const texts[] = {
		KERNEL(READ STORE_MATRIX("%r5")),
		/* What was computed from it. */
		KERNEL(READ "add.s32 %r6, %r5, 1;\nxor.b32 %r5, %r6, %r1;\n" STORE_MATRIX("%r5")),
		/* The read is over before all that comes after the product. */
		KERNEL(READ PRODUCT("%r5") "st.shared.u32 [%r20], %r1;\n"),
		KERNEL(READ PRODUCT("%r5") STORE_MATRIX("%r8")),
		KERNEL(READ "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r5;\n"
			    "st.shared.u32 [%r20], %r1;\n"),
		KERNEL(READ "setp.lt.u32 %p2, %r5, 32;\nselp.b32 %r6, %r22, %r20, %p2;\n"
			    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r22];\n"
			    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r8};\n"),
		/* A loop that reads the next value at its end. */
		KERNEL(READ "mov.u32 %r9, 0;\nAGAIN:\n" STORE_MATRIX(
			"%r5") "bar.warp.sync -1;\n" READ
			       "add.s32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 3;\n@%p2 bra "
			       "AGAIN;\n" STORE_MATRIX("%r5")),
		/* Each side of a branch has a product. */
		KERNEL(READ "@%p1 bra OTHER;\n" PRODUCT("%r5") "bra DONE;\nOTHER:\n" PRODUCT(
			"%r5") "DONE:\n" STORE_MATRIX("%r8")),
		/* In global memory. */
		MACHINE_KERNEL("mov.u32 %r8, 0;\nxor.b32 %r4, %r1, 31;\n"
			       "mul.wide.u32 %rd5, %r4, 4;\nadd.s64 %rd5, %rd1, %rd5;\n"
			       "ld.global.u32 %r5, [%rd5];\n" PRODUCT(
				       "%r5") "st.global.u32 [%rd3], %r1;\nret;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct machine_result result = run(texts[i], 0);

		if (result.findings.count)
			fail_msg("program %zu: %s", i, result.findings.items[0].text);
		machine_release(&result);
	}
}

/* Each has one line that says which store races. */
static void other_reads_may_go_on(void **state)
{
	static const char *const texts[] = {
		/* A store of each lane for itself waits for no other lane. */
		KERNEL(READ "st.shared.u32 [%r20], %r5; // race\n"),
		/* The value goes elsewhere, or comes too late. */
		KERNEL(READ "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r22], {%r8}; // race\n"
			    "st.global.u32 [%rd3], %r5;\n"),
		KERNEL(READ "st.shared.u32 [%r20], %r1; // race\n" PRODUCT("%r5")),
		/* Something else was put in its register. */
		KERNEL(READ "st.global.u32 [%rd3], %r5;\nmov.u32 %r5, 1;\n"
			    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r22], {%r5}; // race\n"),
		/* Only one side of a branch has the product. */
		KERNEL(READ "@%p1 bra DONE;\n" PRODUCT(
			"%r5") "DONE:\n"
			       "st.shared.u32 [%r20], %r1; // race\nst.global.u32 [%rd3], %r5;\n"),
		/* Other lanes write before they come to the product. */
		KERNEL("setp.lt.u32 %p2, %r1, 16;\nmov.u32 %r5, 0;\n@%p2 bra WRITE;\n" READ
		       "bra DONE;\nWRITE:\nst.shared.u32 [%r20], %r8; // race\nDONE:\n" PRODUCT(
			       "%r5") "st.global.u32 [%rd3], %r5;\n"),
		/* The matrix takes the value of the round before. */
		KERNEL("mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nmov.u32 %r9, 0;\nAGAIN:\n"
		       "setp.eq.u32 %p2, %r9, 0;\n@%p2 bra NEXT;\n"
		       "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r22], {%r6}; // race\n"
		       "NEXT:\nmov.u32 %r6, %r5;\n" READ "add.s32 %r9, %r9, 1;\n"
		       "setp.lt.u32 %p2, %r9, 2;\n@%p2 bra AGAIN;\n"
		       "st.global.u32 [%rd3], %r6;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct machine_result result = run(texts[i], 0);
		const char *race = strstr(texts[i], "// race");
		uint32_t line = 1;

		for (const char *at = texts[i]; at < race; at++)
			line += *at == '\n';
		assert_finding(&result, FINDING_RACE, line, "which thread (31,0,0) read");
		machine_release(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_that_a_matrix_takes_was_read),
		cmocka_unit_test(other_reads_may_go_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
