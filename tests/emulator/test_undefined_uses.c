/*
 * Undefined values that the random kernels of test_undefined_random.c do not have: in matrices,
 * bulk copies, printf, exchanges and results. Rules: docs/undefined-values.md.
 */
#include "emulator/machine/undefined/undefined_parts.h"
#include "support_machine.h"

#include <string.h>

/* The warp's lane t; %p9: its thread is the first. */
#define FIRST "setp.eq.u32 %p9, %r1, 0;\n"
#define STORE_R4 "st.global.u32 [%rd3], %r4;\nret;\n"

struct undefined_case {
	const char *name, *ptx;
	enum finding_kind kind; /* if there are words */
	const char *line;       /* where the value is read first */
	const char *words;      /* NULL: no finding */
};

static void check_cases(const struct undefined_case *cases, size_t count,
			const struct machine_case *work)
{
	for (size_t i = 0; i < count; i++) {
		struct machine_case one = *work;
		struct machine_result result;

		one.ptx = cases[i].ptx;
		one.checked_blocks = -1;
		one.check_global = true;
		one.out_unwritten = true;
		result = machine_run(&one);
		if (cases[i].words)
			assert_finding(&result, cases[i].kind,
				       line_with(cases[i].ptx, cases[i].line), cases[i].words);
		else if (result.findings.count)
			fail_msg("%s: a finding: %s", cases[i].name, result.findings.items[0].text);
		machine_release(&result);
	}
}

static void every_operation_has_a_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < OPERATION_COUNT; i++) {
		const struct alu_row *row = alu_row_of((enum operation)i);

		if (row && !undefined_has_rule(row))
			fail_msg("%s has no rule in undefined_rules.c", row->symbol);
	}
}

static void results_are_a_use_where_a_thread_stores_them(void **state)
{
	static const struct undefined_case cases[] = {
		{"a register", MACHINE_KERNEL("add.u32 %r4, %r5, 1;\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "add.u32 %r4",
		 "register %r5 is read before it is written, and its value is used as byte 0 of "
		 "the result 'out'; initialise it first"},
		{"bits that a mask drops", MACHINE_KERNEL("and.b32 %r4, %r5, 0;\n" STORE_R4), 0,
		 NULL, NULL},
		{"bits that a shift drops",
		 MACHINE_KERNEL("shr.u32 %r4, %r5, 31;\nshl.b32 %r4, %r4, 31;\n"
				"shl.b32 %r4, %r4, 1;\n" STORE_R4),
		 0, NULL, NULL},
		{"the other half of a pair",
		 MACHINE_KERNEL("and.b32 %r6, %r5, 0xffff0000;\nadd.rn.f16x2 %r4, %r6, %r6;\n"
				"and.b32 %r4, %r4, 0xffff;\n" STORE_R4),
		 0, NULL, NULL},
		{"that half",
		 MACHINE_KERNEL(
			 "and.b32 %r6, %r5, 0xffff0000;\nadd.rn.f16x2 %r4, %r6, %r6;\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "and.b32 %r6", "register %r5 is read"},
		{"the upper value of two that become a pair",
		 MACHINE_KERNEL("mov.f32 %f1, 0f00000000;\ncvt.rn.bf16x2.f32 %r4, %f2, %f1;\n"
				"and.b32 %r4, %r4, 0xffff;\n" STORE_R4),
		 0, NULL, NULL},
		{"the lower one",
		 MACHINE_KERNEL("mov.f32 %f1, 0f00000000;\ncvt.rn.bf16x2.f32 %r4, %f1, %f2;\n"
				"and.b32 %r4, %r4, 0xffff;\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "cvt.rn", "register %f2 is read"},
		{"the operand that slct does not choose",
		 MACHINE_KERNEL("mov.u32 %r6, 1;\nslct.b32.s32 %r4, %r1, %r5, %r6;\n" STORE_R4), 0,
		 NULL, NULL},
		{"the one that it chooses",
		 MACHINE_KERNEL("mov.u32 %r6, -1;\nslct.b32.s32 %r4, %r1, %r5, %r6;\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "slct", "register %r5 is read"},
		{"a factor of 0",
		 MACHINE_KERNEL("mov.u32 %r6, 0;\nmad.lo.s32 %r4, %r5, %r6, 7;\n" STORE_R4), 0,
		 NULL, NULL},
		{"a factor of 0 beside an undefined sum",
		 MACHINE_KERNEL("mov.u32 %r6, 0;\nmad.lo.s32 %r4, %r1, %r6, %r5;\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "mad", "register %r5 is read"},
		{"bytes that dp4a multiplies by 0",
		 MACHINE_KERNEL("and.b32 %r5, %r5, 0xff00;\nmov.u32 %r6, 0x01010001;\n"
				"dp4a.u32.u32 %r4, %r5, %r6, %r1;\n" STORE_R4),
		 0, NULL, NULL},
		{"a byte that it multiplies by 1",
		 MACHINE_KERNEL("and.b32 %r6, %r5, 0xff00;\nmov.u32 %r7, 0x00000100;\n"
				"dp4a.u32.u32 %r4, %r7, %r6, %r1;\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "and", "register %r5 is read"},
		{"bytes that dp2a.lo does not read",
		 MACHINE_KERNEL("and.b32 %r5, %r5, 0xffff0000;\nmov.u32 %r6, -1;\n"
				"dp2a.lo.u32.u32 %r4, %r6, %r5, %r1;\n" STORE_R4),
		 0, NULL, NULL},
		{"bits of a register that a conversion does not read",
		 MACHINE_KERNEL("and.b32 %r6, %r5, 0xffffff00;\ncvt.s32.s8 %r4, %r6;\n" STORE_R4),
		 0, NULL, NULL},
		{"local memory",
		 MACHINE_KERNEL(".local .align 4 .b8 l[8];\nst.local.u32 [l], %r1;\n"
				"ld.local.u32 %r4, [l+4];\n" STORE_R4),
		 FINDING_UNINITIALISED_LOCAL, "ld.local.u32",
		 "byte 4 of the thread's local memory is read before the thread has written it"},
		{"a struct with padding",
		 MACHINE_KERNEL(".shared .align 8 .b8 s[256];\nmul.wide.u32 %rd5, %r1, 8;\n"
				"mov.u64 %rd4, s;\nadd.u64 %rd4, %rd4, %rd5;\n"
				"st.shared.v2.u32 [%rd4], {%r1, %r7};\n"
				"ld.shared.v2.u32 {%r4, %r6}, [%rd4];\n" STORE_R4),
		 0, NULL, NULL},
		{"the padding of it",
		 MACHINE_KERNEL(".shared .align 8 .b8 s[256];\nmul.wide.u32 %rd5, %r1, 8;\n"
				"mov.u64 %rd4, s;\nadd.u64 %rd4, %rd4, %rd5;\n"
				"st.shared.v2.u32 [%rd4], {%r1, %r7};\n"
				"ld.shared.v2.u32 {%r6, %r4}, [%rd4];\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "st.shared", "register %r7 is read"},
		{"a result that the kernel reads back",
		 MACHINE_KERNEL("ld.global.u32 %r4, [%rd3];\n" STORE_R4), FINDING_UNWRITTEN,
		 "ld.global", "of 'out' (128 bytes) is read before the host or any thread"},
		{"a result that nobody stores", MACHINE_KERNEL("ret;\n"), 0, NULL, NULL},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases), &(struct machine_case){.block = {32}});
}

static void uses_besides_results_are_found(void **state)
{
	static const struct undefined_case cases[] = {
		{"an exchange",
		 MACHINE_KERNEL(
			 ".shared .align 4 .b8 s[4];\n" FIRST
			 "@%p9 atom.shared.exch.b32 %r4, [s], %r1;\nmov.u32 %r4, 0;\n" STORE_R4),
		 0, NULL, NULL},
		{"an addition to shared memory",
		 MACHINE_KERNEL(".shared .align 4 .b8 s[4];\n" FIRST
				"@%p9 red.shared.add.u32 [s], 1;\nmov.u32 %r4, 0;\n" STORE_R4),
		 FINDING_UNINITIALISED, "@%p9 red",
		 "byte 0 of shared memory is read before any thread has written it, and its value "
		 "is used at line"},
		{"how many threads a barrier has",
		 MACHINE_KERNEL("mov.u32 %r4, 32;\nselp.b32 %r7, %r4, 32, %p8;\n"
				"bar.sync 1, %r7;\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "selp.b32 %r7", "register %p8 is read"},
		{"an operand of printf",
		 MACHINE_HEADER
		 ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
		 ".global .align 1 .b8 format[4] = {37, 100, 10, 0};\n" MACHINE_ENTRY(
			 ".local .align 8 .b8 l[8];\n" FIRST "@!%p9 bra END;\n"
			 "st.local.u32 [l], %r6;\nmov.u64 %rd4, l;\ncvta.local.u64 %rd4, %rd4;\n"
			 "mov.u64 %rd5, format;\ncvta.global.u64 %rd5, %rd5;\n"
			 "{ .param .b64 f; .param .b64 a; .param .b32 r;\n"
			 "st.param.b64 [f], %rd5;\nst.param.b64 [a], %rd4;\n"
			 "call.uni (r), vprintf, (f, a);\n}\nEND:\nret;\n"),
		 FINDING_UNINITIALISED_REGISTER, "st.local.u32", "register %r6 is read"},
		{"the value of a function that nobody uses",
		 MACHINE_HEADER ".func (.param .b32 o) f(.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
				"ld.param.b32 %r1, [x];\nadd.u32 %r2, %r1, 1;\nst.param.b32 [o], "
				"%r2;\nret;\n}\n" MACHINE_ENTRY(
					"{ .param .b32 x; .param .b32 o;\nst.param.b32 [x], %r6;\n"
					"call (o), f, (x);\nld.param.b32 %r5, [o];\n}\nmov.u32 "
					"%r4, 1;\n" STORE_R4),
		 0, NULL, NULL},
		{"the value of a function as an address",
		 MACHINE_HEADER
		 ".func (.param .b32 o) f(.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
		 "ld.param.b32 %r1, [x];\nadd.u32 %r2, %r1, 1;\nst.param.b32 [o], "
		 "%r2;\nret;\n}\n" MACHINE_ENTRY(
			 "{ .param .b32 x; .param .b32 o;\nst.param.b32 [x], %r6;\n"
			 "call (o), f, (x);\nld.param.b32 %r5, [o];\n}\nand.b32 %r5, %r5, 4;"
			 "\ncvt.u64.u32 %rd5, %r5;\nadd.u64 %rd5, %rd5, %rd2;\n"
			 "ld.global.u32 %r4, [%rd5];\n" STORE_R4),
		 FINDING_UNINITIALISED_REGISTER, "st.param.b32 [x]", "register %r6 is read"},
	};
	static const uint32_t in[2] = {0};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases),
		    &(struct machine_case){.block = {32}, .in = in, .in_words = 2});
}

/* Lanes 0 to 3 have no value in %r10, which is row 0 of A, or in %r14, which is column 0 of B. */
#define FACTORS(a, b)                                                                      \
	"setp.gt.u32 %p1, %r1, 3;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n" \
	"mov.u32 %r15, 0;\n" a "mov.u32 %r10, 0;\n" b                                      \
	"mov.u32 %r14, 0;\nmov.f32 %f1, 0f00000000;\n"                                     \
	"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, "         \
	"{%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f1, %f1, %f1, %f1};\n"

static void a_product_has_undefined_rows_and_columns(void **state)
{
	static const struct undefined_case cases[] = {
		{"a row that nobody stores",
		 MACHINE_KERNEL(FACTORS("@%p1 ", "") "@%p1 st.global.f32 [%rd3], %f2;\nret;\n"), 0,
		 NULL, NULL},
		{"another row of the same lanes",
		 MACHINE_KERNEL(FACTORS("@%p1 ", "") "st.global.f32 [%rd3], %f4;\nret;\n"), 0, NULL,
		 NULL},
		{"that row",
		 MACHINE_KERNEL(FACTORS("@%p1 ", "") "st.global.f32 [%rd3], %f3;\nret;\n"),
		 FINDING_UNINITIALISED_REGISTER, "mma.sync", "register %r10 is read"},
		{"a column that nobody stores",
		 MACHINE_KERNEL(FACTORS("", "@%p1 ") "st.global.f32 [%rd3], %f3;\nret;\n"), 0, NULL,
		 NULL},
		{"that column",
		 MACHINE_KERNEL(FACTORS("", "@%p1 ") "st.global.f32 [%rd3], %f2;\nret;\n"),
		 FINDING_UNINITIALISED_REGISTER, "mma.sync", "register %r14 is read"},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases), &(struct machine_case){.block = {32}});
}

/* Only the first 64 of 128 bytes of `s` are written: rows 0 to 3 of a matrix. */
#define HALF_A_MATRIX                                                                             \
	".shared .align 128 .b8 s[128];\nmul.wide.u32 %rd5, %r1, 4;\nmov.u64 %rd4, s;\n"          \
	"add.u64 %rd6, %rd4, %rd5;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 st.shared.u32 [%rd6], %r1;\n" \
	"fence.proxy.async;\nbar.sync 0;\nand.b32 %r5, %r1, 7;\nmul.wide.u32 %rd7, %r5, 16;\n"    \
	"add.u64 %rd7, %rd4, %rd7;\n"

static void matrices_carry_undefined_elements(void **state)
{
	static const struct undefined_case cases[] = {
		{"rows that nobody stores",
		 MACHINE_KERNEL(HALF_A_MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, "
					      "[%rd7];\n@%p1 st.global.u32 [%rd3], %r4;\nret;\n"),
		 0, NULL, NULL},
		{"those rows",
		 MACHINE_KERNEL(HALF_A_MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, "
					      "[%rd7];\n" STORE_R4),
		 FINDING_UNINITIALISED, "ldmatrix", "byte 64 of shared memory is read"},
		{"columns, after a transposition",
		 MACHINE_KERNEL(HALF_A_MATRIX
				"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%rd7];\n"
				"movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r5;\n"
				"and.b32 %r6, %r1, 2;\nsetp.eq.u32 %p2, %r6, 0;\n"
				"@%p2 st.global.u32 [%rd3], %r4;\nret;\n"),
		 0, NULL, NULL},
		{"a matrix that is stored, and rows of it that are used",
		 MACHINE_KERNEL(HALF_A_MATRIX
				".shared .align 128 .b8 t[128];\nmov.u64 %rd8, t;\n"
				"mul.wide.u32 %rd7, %r5, 16;\nadd.u64 %rd7, %rd7, %rd8;\n"
				"and.b32 %r4, %r1, %r1;\n@!%p1 mov.b32 %r4, %r9;\n"
				"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd7], {%r4};\n"
				"bar.sync 0;\nadd.u64 %rd6, %rd8, %rd5;\n"
				"@%p1 ld.shared.u32 %r4, [%rd6];\n"
				"@%p1 st.global.u32 [%rd3], %r4;\nret;\n"),
		 0, NULL, NULL},
		{"a bulk copy of bytes that nobody has written",
		 MACHINE_KERNEL(HALF_A_MATRIX FIRST
				"@%p9 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd4], "
				"128;\n@%p9 cp.async.bulk.commit_group;\n"
				"@%p9 cp.async.bulk.wait_group 0;\nret;\n"),
		 FINDING_UNINITIALISED, "@%p9 cp.async.bulk.global",
		 "byte 64 of shared memory is read before any thread has written it, and its value "
		 "is used as byte 64 of the result 'out'"},
		{"a bulk copy of those that are",
		 MACHINE_KERNEL(HALF_A_MATRIX FIRST
				"@%p9 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd4], "
				"64;\n@%p9 cp.async.bulk.commit_group;\n"
				"@%p9 cp.async.bulk.wait_group 0;\nret;\n"),
		 0, NULL, NULL},
		{"a bulk reduction",
		 MACHINE_KERNEL(HALF_A_MATRIX FIRST
				"@%p9 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
				"[%rd2], [%rd4], 128;\n@%p9 cp.async.bulk.commit_group;\n"
				"@%p9 cp.async.bulk.wait_group 0;\nret;\n"),
		 FINDING_UNINITIALISED, "@%p9 cp.reduce", "byte 64 of shared memory is read"},
	};
	static const uint32_t in[32] = {0};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases),
		    &(struct machine_case){.block = {32}, .in = in, .in_words = 32});
}

/* A box of 16 x 2 elements of `out`, of which the kernel has written the first row. */
#define BOX                                                                                      \
	".shared .align 128 .b8 s[128];\n.shared .align 8 .b8 bar[8];\nmov.u32 %r20, bar;\n"     \
	"mov.u32 %r19, s;\n" FIRST "setp.lt.u32 %p1, %r1, 16;\n@%p9 mbarrier.init.shared.b64 "   \
	"[%r20], 1;\n@%p1 st.global.u32 [%rd3], %r1;\nfence.proxy.async;\nbar.sync 0;\n"         \
	"@%p9 mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 128;\n@%p9 cp.async.bulk.tensor."  \
	"2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r19], [%rd9, {0, 0}], "   \
	"[%r20];\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0;\n@!%p2 bra WAIT;\n" \
	"shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r19;\nld.shared.u32 %r4, [%r5];\n"

static void boxes_carry_undefined_elements(void **state)
{
	static const struct undefined_case cases[] = {
		{"a row that is written",
		 MACHINE_MAP_KERNEL(BOX "@!%p1 mov.u32 %r4, 0;\n" STORE_R4), 0, NULL, NULL},
		{"one that is not", MACHINE_MAP_KERNEL(BOX STORE_R4), FINDING_UNWRITTEN,
		 "@%p9 cp.async.bulk.tensor",
		 "byte 64 of 'out' (128 bytes) is read before the host or any thread has written "
		 "it, and its value is used as byte 64 of the result 'out'"},
	};
	static const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 2,
		.sizes = {16, 2},
		.strides = {0, 64},
		.box = {16, 2},
		.steps = {1, 1},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases),
		    &(struct machine_case){.block = {32}, .map = &map, .map_of_out = true});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_has_a_rule),
		cmocka_unit_test(results_are_a_use_where_a_thread_stores_them),
		cmocka_unit_test(uses_besides_results_are_found),
		cmocka_unit_test(a_product_has_undefined_rows_and_columns),
		cmocka_unit_test(matrices_carry_undefined_elements),
		cmocka_unit_test(boxes_carry_undefined_elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
