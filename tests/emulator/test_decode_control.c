/* Decoding of branches and blocks, barriers and calls, lists of unsupported features, and data
 * dependence. */
#include "support_decode.h"

#include <stdlib.h>
#include <string.h>

static void branches_lead_to_instructions(void **state)
{
	struct decoded decoded = decode_body("mov.u32 %r1, 0;\ntop:\nadd.s32 %r1, %r1, 1;\n"
					     "setp.lt.s32 %p1, %r1, 9;\n@%p1 bra top;\n"
					     "@!%p1 bra.uni end;\nadd.s32 %r1, %r1, 2;\nend:");
	const struct instruction *code = decoded.function->code;

	(void)state;
	assert_string_equal(code_shape(decoded.function),
			    "MOV_B32 |ADD_S32 SETP_LT_S32 @BRA |@!BRA |ADD_S32 |(RET)");
	assert_int_equal(code[3].target, 1);
	assert_int_equal(code[4].target, 6);
	decoded_release(&decoded);
}

/* A label before an instruction of several steps leads to the first step. */
static void branches_lead_to_the_first_step(void **state)
{
	struct decoded decoded = decode_body("mov.u32 %r1, 1;\nmov.u32 %r2, 1;\nbra.uni there;\n"
					     "there:\nadd.cc.u32 %r1, %r1, %r2;\nret;");

	(void)state;
	assert_string_equal(code_shape(decoded.function),
			    "MOV_B32 MOV_B32 BRA |(ADD_CARRY_U32) ADD_U32 (MOV_PRED) RET");
	assert_int_equal(decoded.function->code[2].target, 3);
	decoded_release(&decoded);
}

static void tables_of_targets(void **state)
{
	struct decoded decoded = decode_body("mov.u32 %r1, 1;\ntable: .branchtargets a, b, a;\n"
					     "brx.idx %r1, table;\na:\nret;\nb:\nexit;");
	const struct program_function *function = decoded.function;

	(void)state;
	assert_string_equal(code_shape(function), "MOV_B32 BRX |RET |EXIT");
	assert_int_equal(function->table_count, 1);
	assert_int_equal(function->tables[0].count, 3);
	assert_int_equal(function->tables[0].targets[0], 2);
	assert_int_equal(function->tables[0].targets[1], 3);
	assert_int_equal(function->tables[0].targets[2], 2);
	decoded_release(&decoded);
}

static void barriers_say_who_takes_part(void **state)
{
	struct decoded decoded = decode_body(
		"mov.u32 %r1, 3;\nbar.sync 0;\nbar.sync %r1, 64;\nbarrier.cta.sync.aligned 2;\n"
		"barrier.sync 4;\nbar.arrive 1, 96;\nbar.red.popc.u32 %r2, 0, !%p1;\n"
		"bar.red.and.pred %p2, 5, 64, %p1;\nbar.warp.sync %r1;\nmembar.gl;\n"
		"fence.acq_rel.gpu;\nnanosleep.u32 7;\nret;");
	const struct program_function *function = decoded.function;
	const struct instruction *code = function->code;

	(void)state;
	assert_string_equal(code_shape(function),
			    "(UNDEFINED) |MOV_B32 BARRIER |BARRIER |BARRIER |BARRIER "
			    "|BARRIER_ARRIVE |(NOT_PRED) BARRIER_REDUCE |BARRIER_REDUCE "
			    "|WARP_BARRIER |FENCE FENCE NOTHING RET");
	assert_int_equal(constant_of(function, code[2].a)->bits, 0);
	assert_int_equal(code[2].b, 0);
	assert_true(code[2].sync_aligned);
	assert_int_equal(code[3].a, code[1].dst);
	assert_int_equal(constant_of(function, code[3].b)->bits, 64);
	assert_true(code[4].sync_aligned);
	assert_false(code[5].sync_aligned);
	assert_int_equal(constant_of(function, code[6].b)->bits, 96);
	assert_int_equal(code[8].kind, BARRIER_POPC);
	assert_int_equal(code[8].b, 0);
	assert_int_equal(code[8].c, code[7].dst);
	assert_int_equal(code[9].kind, BARRIER_AND);
	assert_int_equal(constant_of(function, code[9].b)->bits, 64);
	decoded_release(&decoded);
}

static const char call_module[] = PTX_HEADER
	".func (.param .b32 result) add(.param .b32 x, .param .align 8 .b8 y[24])\n{\n"
	".reg .b32 %r<4>;\n.local .b8 own[5];\nld.param.u32 %r1, [x];\nld.param.u32 %r2, [y+8];\n"
	"add.s32 %r3, %r1, %r2;\nst.param.b32 [result], %r3;\nret;\n}\n"
	".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.local .align 8 .b8 "
	"depot[8];\n"
	"mov.u32 %r1, 5;\n{\n.param .b32 a;\n.param .align 8 .b8 b[24];\n.param .b32 c;\n"
	"st.param.b32 [a], %r1;\nst.param.b32 [b+8], 9;\ncall.uni (c), add, (a, b);\n"
	"ld.param.b32 %r2, [c];\n}\nmov.u64 %rd1, add;\n{\n.param .b32 a2;\n"
	".param .align 8 .b8 b2[24];\n.param .b32 c2;\n"
	"prototype: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[24]);\n"
	"call (c2), %rd1, (a2, b2), prototype;\n}\nret;\n}\n";

static void calls_pass_bytes_of_frames(void **state)
{
	struct decoded decoded = decode_module(call_module, "k");
	const struct program_function *function = decoded.function, *callee = NULL;
	const struct program_call *call;

	(void)state;
	for (size_t i = 0; i < decoded.program->function_count; i++) {
		if (strcmp(decoded.program->functions[i].source->name, "add") == 0)
			callee = &decoded.program->functions[i];
	}
	assert_string_equal(code_shape(function),
			    "MOV_B32 STORE STORE CALL |LOAD MOV_B64 CALL |RET");
	assert_string_equal(code_shape(callee), "LOAD LOAD ADD_S32 STORE RET");
	assert_int_equal(function->call_count, 2);
	call = &function->calls[function->code[3].target];
	assert_ptr_equal(&decoded.program->functions[call->function], callee);
	assert_int_equal(call->argument_count, 2);
	assert_int_equal(call->result_count, 1);
	/* Slots of 16 bytes hold the result, x, and y; the callee's own variables follow. */
	assert_int_equal(callee->parameter_offsets[0], 0);
	assert_int_equal(callee->parameter_offsets[1], 16);
	assert_int_equal(callee->parameter_offsets[2], 32);
	assert_int_equal(callee->local_bytes, 80);
	assert_int_equal(call->results[0].from, 0);
	assert_int_equal(call->results[0].bytes, 4);
	assert_int_equal(call->arguments[0].to, 16);
	assert_int_equal(call->arguments[1].to, 32);
	assert_int_equal(call->arguments[1].bytes, 24);
	/* The call passes the bytes that st.param wrote. */
	assert_int_equal(function->code[1].space, PTX_SPACE_PARAM);
	assert_int_equal(constant_of(function, function->code[1].a)->bits, call->arguments[0].from);
	assert_int_equal(constant_of(function, function->code[2].a)->bits, call->arguments[1].from);
	assert_int_equal(function->code[2].offset, 8);
	assert_int_equal(constant_of(function, function->code[4].a)->bits, call->results[0].to);
	/* This call goes through a pointer. */
	call = &function->calls[function->code[6].target];
	assert_int_equal(call->function, UINT32_MAX);
	assert_int_equal(call->pointer, function->code[5].dst);
	assert_int_equal(constant_of(function, function->code[5].a)->kind, CONSTANT_FUNCTION);
	assert_int_equal(call->arguments[1].to, 32);
	decoded_release(&decoded);
}

static const char print_module[] = PTX_HEADER
	".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, "
	".param .b64 s);\n"
	".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nmov.u64 %rd1, 8;\n"
	"{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\nst.param.b64 [p0], %rd1;\n"
	"st.param.b64 [p1], 0;\ncall.uni (r0), vprintf, (p0, p1);\nld.param.b32 %r1, [r0];\n}\n"
	"{\n.param .b64 q0;\n.param .b64 q1;\n.param .b32 q2;\n.param .b64 q3;\n.param .b64 q4;\n"
	"call.uni __assertfail, (q0, q1, q2, q3, q4);\n}\nret;\n}\n";

static void printing_and_assertions_are_the_machines(void **state)
{
	struct decoded decoded = decode_module(print_module, "k");
	const struct instruction *at;

	(void)state;
	assert_string_equal(code_shape(decoded.function),
			    "MOV_B64 STORE STORE (LOAD) (LOAD) PRINT (STORE) LOAD (LOAD) (LOAD) "
			    "(LOAD) (LOAD) ASSERT_FAIL |RET");
	at = only(decoded.function, OP_PRINT);
	assert_int_equal(at->a, at[-2].rows[0]);
	assert_int_equal(at->b, at[-1].rows[0]);
	assert_int_equal(at->dst, at[1].rows[0]);
	at = only(decoded.function, OP_ASSERT_FAIL);
	assert_true(at->a && at->b && at->c && at->d);
	assert_int_equal(at[-2].width, 4);
	decoded_release(&decoded);
}

static void wrong_arguments_are_refused(void **state)
{
	static const char *const bodies[] = {
		"call f, (a);",
		"call (a), f, (a, a);",
		"call (a), f, (b);",
		"call (b), f, (a);",
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		char *text = xasprintf(
			PTX_HEADER
			".func (.param .b32 r) f(.param .b32 x)\n{\nret;\n}\n"
			".visible .entry k()\n{\n.param .b32 a;\n.param .b64 b;\n%s\nret;\n}\n",
			bodies[i]);

		assert_int_equal(decode_module_fails(text, "k", &err, NULL), PL_EPARSE);
		assert_non_null(strstr(err.text, "the arguments do not match those of f"));
		free(text);
	}
}

static void every_unsupported_feature_is_listed_once_with_its_count(void **state)
{
	struct error err;
	struct text words = TEXT_INIT;

	(void)state;
	assert_int_equal(
		decode_body_fails(
			"tcgen05.wait::ld.sync.aligned;\ntcgen05.wait::ld.sync.aligned;\n"
			"mov.u64 %rd1, %pm0_64;\nmov.u32 %r1, %envreg0;\n"
			"tensormap.cp_fenceproxy.bogus;\nbarrier.cluster.sync;\n"
			"tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];\n"
			"mapa.shared::cta.u32 %r1, %r2, 0;\nshfl.idx.b32 %r1, %r1, 0, 31;\n"
			"fence.proxy.bogus;\nld.global.v2.b128 %rd1, [%rd2];\n"
			"atom.global.add.b128 %r1, [%rd1], %r1;\nbogus;\nret;",
			&err, &words),
		PL_EUNSUPPORTED);
	assert_string_equal(
		words.data,
		"opcode tcgen05.wait::ld.sync.aligned (line 12 of the PTX, 2 times), "
		"register %pm0_64 (line 14 of the PTX), register %envreg0 (line 15 of the PTX), "
		"opcode tensormap.cp_fenceproxy.bogus (line 16 of the PTX), opcode "
		"barrier.cluster.sync (line 17 of the PTX), "
		"opcode tex.2dms.v4.f32.s32 (line 18 of the PTX), opcode mapa.shared::cta.u32 "
		"(line 19 of the PTX), "
		"opcode shfl.idx.b32 (line 20 of the PTX), opcode fence.proxy.bogus (line 21 of "
		"the PTX), "
		"opcode ld.global.v2.b128 (line 22 of the PTX), opcode atom.global.add.b128 (line "
		"23 "
		"of the PTX), "
		"opcode bogus (line 24 of the PTX)");
	assert_non_null(strstr(err.text, "%pm0_64"));
	text_release(&words);
}

/* With line information the place is that in the source; of inlined code, that of the call
 * and its own. */
static void unsupported_features_have_source_lines(void **state)
{
	struct error err;
	struct text words = TEXT_INIT;

	(void)state;
	assert_int_equal(
		decode_module_fails(
			PTX_HEADER
			".visible .entry k()\n{\n.reg .b64 %rd<2>;\n.reg .f32 %f<5>;\n"
			".reg .b32 %r<2>;\n.loc 1 32 5\nbogus;\nbogus;\n"
			".loc 1 7 3, function_name $name, inlined_at 1 40 9\n"
			"tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];\nret;\n}\n"
			".file 1 \"x.cu\"\n",
			"k", &err, &words),
		PL_EUNSUPPORTED);
	assert_string_equal(
		words.data,
		"opcode bogus (x.cu:32, 2 times), opcode tex.2dms.v4.f32.s32 (x.cu:40 (x.cu:7))");
	text_release(&words);
}

static void unsupported_features_of_callees_are_listed(void **state)
{
	struct error err;
	struct text words = TEXT_INIT;

	(void)state;
	assert_int_equal(
		decode_module_fails(PTX_HEADER
				    ".extern .func driver();\n.func f()\n{\ncall driver;\nret;\n}\n"
				    ".func unreached()\n{\nbogus;\nret;\n}\n"
				    ".visible .entry k()\n{\ncall f;\nret;\n}\n",
				    "k", &err, &words),
		PL_EUNSUPPORTED);
	assert_string_equal(words.data, "undefined function driver (line 7 of the PTX)");
	text_release(&words);
}

/* They are refused under the name that the programmer knows. */
static void launches_by_the_device_are_refused_by_name(void **state)
{
	static const char *const functions[][2] = {
		{"__cudaCDP2LaunchDeviceV2", "dynamic parallelism"},
		{"cudaGraphSetConditional", "conditional nodes of graphs"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		char *ptx = xasprintf(PTX_HEADER ".extern .func %s();\n.visible .entry k()\n{\n"
						 "call %s;\nret;\n}\n",
				      functions[i][0], functions[i][0]);
		char *words = xasprintf("function %s of %s (line 7 of the PTX)", functions[i][0],
					functions[i][1]);
		struct text found = TEXT_INIT;
		struct error err;

		assert_int_equal(decode_module_fails(ptx, "k", &err, &found), PL_EUNSUPPORTED);
		assert_string_equal(found.data, words);
		text_release(&found);
		free(words);
		free(ptx);
	}
}

static void fences_for_other_engines_have_no_effect(void **state)
{
	struct decoded decoded = decode_body("fence.proxy.async;\nfence.proxy.async.shared::cta;\n"
					     "fence.mbarrier_init.release.cluster;\nret;");

	(void)state;
	assert_int_equal(decoded.function->code_count, 4);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(decoded.function->code[i].operation, OP_FENCE);
	decoded_release(&decoded);
}

static void an_unknown_entry_is_reported_with_the_known_ones(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(decode_module_fails(call_module, "nobody", &err, NULL), PL_ENOENT);
	assert_string_equal(err.text, "no entry nobody; the module has k");
}

static void data_decides_addresses_and_branches(void **state)
{
	static const struct {
		const char *body;
		unsigned bits;
	} cases[] = {
		/* Values go from memory to memory; addresses depend on the thread's number only. */
		{"mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nld.global.u32 %r2, [%rd1];\n"
		 "add.s32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\nret;",
		 0},
		{"ld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra end;\nadd.s32 "
		 "%r1, "
		 "%r1, 1;\nend:\nret;",
		 DEPENDS_ON_DATA},
		{"ld.shared.u64 %rd2, [%r1];\nst.global.u32 [%rd2], %r2;\nret;", DEPENDS_ON_DATA},
		{"ld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n"
		 "@%p1 st.global.u32 [%rd1], %r1;\nret;",
		 DEPENDS_ON_DATA},
		{"atom.global.add.u32 %r2, [%rd1], 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 ret;\nret;",
		 DEPENDS_ON_ATOMIC},
		{"atom.global.add.u32 %r2, [%rd1], 1;\nst.global.u32 [%rd1], %r2;\nret;", 0},
		/* Through local memory, written before or after the read in the code. */
		{".local .b8 own[8];\nld.local.u64 %rd2, [own];\nld.global.u64 %rd3, [%rd1];\n"
		 "st.local.u64 [own], %rd3;\nst.global.u32 [%rd2], %r1;\nret;",
		 DEPENDS_ON_DATA},
		{".local .b8 own[8];\nst.local.u64 [own], %rd1;\nld.local.u64 %rd2, [own];\n"
		 "st.global.u32 [%rd2], %r1;\nret;",
		 0},
		/* One thread finds out whether its block is the last, and tells the others. */
		{"atom.global.add.u32 %r2, [%rd1], 1;\nst.shared.u32 [%r1], %r2;\n"
		 "ld.shared.u32 %r3, [%r1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra end;\nend:\nret;",
		 DEPENDS_ON_DATA | DEPENDS_ON_ATOMIC},
		/* Through exchanges between lanes. */
		{"ld.global.u32 %r2, [%rd1];\nshfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\n"
		 "setp.eq.u32 %p1, %r3, 0;\nvote.sync.any.pred %p2, %p1, -1;\n@%p2 bra "
		 "end;\nend:\nret;",
		 DEPENDS_ON_DATA},
		/* A tensor map has addresses of later copies. */
		{"tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 0, %r1;\nret;",
		 DEPENDS_ON_DATA},
		/* A register that shares a row with other values. */
		{"ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nmov.u32 %r2, %tid.x;\n"
		 "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra end;\nend:\nret;",
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct decoded decoded = decode_body(cases[i].body);
		unsigned bits = program_dependence(decoded.program, "k");

		if (bits != cases[i].bits)
			fail_msg("%s: %u", cases[i].body, bits);
		decoded_release(&decoded);
	}
}

static void data_decides_through_calls(void **state)
{
	struct decoded decoded = decode_module(
		PTX_HEADER
		".func (.param .b64 r) f(.param .b64 x)\n{\n.reg .b64 %rd<3>;\n"
		"ld.param.u64 %rd1, [x];\nadd.s64 %rd2, %rd1, 4;\n"
		"st.param.b64 [r], %rd2;\nret;\n}\n"
		".visible .entry k()\n{\n.reg .b64 %rd<4>;\n.param .b64 a;\n.param .b64 b;\n"
		"ld.global.u64 %rd1, [%rd2];\nst.param.b64 [a], %rd1;\ncall (b), f, (a);\n"
		"ld.param.u64 %rd3, [b];\nst.global.u64 [%rd3], 0;\nret;\n}\n",
		"k");

	(void)state;
	assert_int_equal(program_dependence(decoded.program, "k"), DEPENDS_ON_DATA);
	decoded_release(&decoded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_lead_to_instructions),
		cmocka_unit_test(branches_lead_to_the_first_step),
		cmocka_unit_test(tables_of_targets),
		cmocka_unit_test(barriers_say_who_takes_part),
		cmocka_unit_test(calls_pass_bytes_of_frames),
		cmocka_unit_test(printing_and_assertions_are_the_machines),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(every_unsupported_feature_is_listed_once_with_its_count),
		cmocka_unit_test(unsupported_features_have_source_lines),
		cmocka_unit_test(unsupported_features_of_callees_are_listed),
		cmocka_unit_test(launches_by_the_device_are_refused_by_name),
		cmocka_unit_test(fences_for_other_engines_have_no_effect),
		cmocka_unit_test(an_unknown_entry_is_reported_with_the_known_ones),
		cmocka_unit_test(data_decides_addresses_and_branches),
		cmocka_unit_test(data_decides_through_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
