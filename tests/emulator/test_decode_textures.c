/* How instructions for textures and surfaces are decoded, and which are refused. */
#include "support_decode.h"

#include <stdlib.h>
#include <string.h>

static void instructions_are_decoded(void **state)
{
	struct decoded decoded = decode_body(
		"mov.u64 %rd1, 1;\n"
		"tex.2d.v4.f32.f32 {%f1, _, %f3, %f4}, [%rd1, {%f5, %f6}];\n"
		"@%p1 tex.level.a2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6, %r7, %r7}], "
		"%r1;\n"
		"tex.1d.v2.f16x2.f32 {%r1, %r2}, [%rd1, {%f1}];\n"
		"tld4.b.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];\n"
		"suld.b.2d.v2.b8.zero {%h1, %h2}, [%rd1, {%r1, %r2}];\n"
		"sust.p.1d.v4.b32.clamp [%rd1, {%r1}], {%r1, %r2, %r3, %r4};\n"
		"sured.b.3d.min.s32.trap [%rd1, {%r1, %r2, %r3, %r3}], %r4;\n"
		"txq.height.b32 %r1, [%rd1];\nsuq.width.b32 %r1, [%rd1];\nret;\n");
	const struct instruction *code = decoded.function->code;

	(void)state;
	while (code->operation != OP_TEXTURE) /* registers that nobody set are zeroes first */
		code++;
	assert_string_equal(strstr(code_shape(decoded.function), "MOV_B64"),
			    "MOV_B64 TEXTURE @TEXTURE TEXTURE TEXTURE SURFACE_LOAD SURFACE_STORE "
			    "SURFACE_REDUCE TEXTURE_QUERY TEXTURE_QUERY RET");
	assert_int_equal(code[0].geometry, GEOMETRY_2D);
	assert_int_equal(code[0].kind, TEXTURE_SAMPLE);
	assert_int_equal(code[0].vector, 4);
	assert_false(code[0].texel_coordinates);
	assert_int_equal(code[0].rows[TEXTURE_COORDINATES + 2], 0);
	assert_int_equal(code[1].geometry, GEOMETRY_A2D);
	assert_true(code[1].texel_coordinates);
	assert_int_not_equal(code[1].rows[TEXTURE_COORDINATES + 2], 0);
	assert_int_equal(code[2].vector, 2);
	assert_int_equal(code[3].kind, TEXTURE_GATHER_B);
	assert_int_equal(code[4].extension, SURFACE_ZERO);
	assert_int_equal(code[4].width * code[4].vector, 2);
	assert_int_equal(code[5].extension, SURFACE_CLAMP);
	assert_true(code[5].texel_coordinates);
	assert_int_equal(code[6].extension, SURFACE_TRAP);
	assert_int_equal(code[6].kind, ATOMIC_MIN);
	assert_int_equal(code[7].kind, QUERY_HEIGHT);
	decoded_release(&decoded);
}

static void forms_that_are_missing_are_named(void **state)
{
	static const char *const bodies[][2] = {
		{"tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}];",
		 "opcode tex.2dms.v4.f32.s32"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, %f6}];",
		 "a predicate that says whether texels are resident"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f5, %f6}];",
		 "a separate sampler"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%r1, %r2};",
		 "an offset or a depth to compare with"},
		{"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f1;",
		 "an offset or a depth to compare with"},
		{"txq.array_size.b32 %r1, [%rd1];", "opcode txq.array_size.b32"},
		{"suq.memory_layout.b32 %r1, [%rd1];", "opcode suq.memory_layout.b32"},
		{"suld.p.2d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%rd1, {%r1, %r2}];",
		 "opcode suld.p.2d.v4.b32.trap"},
		{"istypep.texref %p1, %rd1;", "opcode istypep.texref"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		char *body = xasprintf("%s\nret;", bodies[i][0]);
		struct text missing = TEXT_INIT;
		struct error err;

		if (decode_body_fails(body, &err, &missing) != PL_EUNSUPPORTED ||
		    strncmp(missing.data, bodies[i][1], strlen(bodies[i][1])) != 0)
			fail_msg("%s: %s, %s", bodies[i][0], missing.data, err.text);
		text_release(&missing);
		free(body);
	}
}

static void wrong_operands_are_refused(void **state)
{
	static const char *const bodies[][2] = {
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];",
		 "1 coordinates instead of 2"},
		{"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7}];",
		 "3 coordinates instead of 4"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%rd1, {%f5, %f6}];", "expected 4 registers"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "expected coordinates"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, %rd1;", "an address in []"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f5, %f6}];", "32-bit register"},
		{"tex.2d.v4.f32.f32 {%rd1, %f2, %f3, %h4}, [%rd1, {%f5, %f6}];", "has 16"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %rd6}];", NULL},
		{"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", "operands"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1+8, {%f5, %f6}];",
		 "in a 64-bit register"},
		{"sust.b.1d.b32.trap [%rd1, {%r1}], {%r1, %r2};", "expected 1 registers"},
		{"suld.b.1d.b64.trap %r1, [%rd1, {%r1}];", "cannot load 8 bytes"},
		{"txq.width.b32 %h1, [%rd1];", "has 16"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		char *body = xasprintf("%s\nret;", bodies[i][0]);
		struct error err = {0};

		if (!bodies[i][1]) { /* a wider register is narrowed */
			struct decoded decoded = decode_body(body);

			decoded_release(&decoded);
		} else if (decode_body_fails(body, &err, NULL) != PL_EPARSE ||
			   !strstr(err.text, bodies[i][1])) {
			fail_msg("%s: %s", bodies[i][0], err.text);
		}
		free(body);
	}
}

#define REFERENCES(variables, initial, body)                                                    \
	PTX_HEADER variables initial ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n" \
				     ".reg .f32 %f<7>;\n" body "ret;\n}\n"                      \
				     ".visible .entry other(.param .u64 p)\n{\nret;\n}\n"
#define SAMPLE "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, "

/* Nothing binds them. Entries that use none run. */
static void references_are_refused_by_name(void **state)
{
	static const struct {
		const char *ptx, *missing;
	} cases[] = {
		{REFERENCES(".global .texref t;\n", "", SAMPLE "[t, {%f5, %f6}];\n"),
		 "variable t, a .texref: pass a texture object instead (line 9 of the PTX)"},
		{REFERENCES(".global .texref t;\n", "", "mov.u64 %rd1, t;\n"),
		 "variable t, a .texref: pass a texture object instead (line 9 of the PTX)"},
		{REFERENCES(".global .texref t, u;\n", "", SAMPLE "[u, {%f5, %f6}];\n"),
		 "variable u, a .texref: pass a texture object instead (line 9 of the PTX)"},
		{REFERENCES(".global .surfref s;\n", "", "suq.width.b32 %f1, [s];\n"),
		 "variable s, a .surfref: pass a surface object instead (line 9 of the PTX)"},
		{REFERENCES(".global .samplerref s;\n", "", SAMPLE "[%rd1, s, {%f5, %f6}];\n"),
		 "a separate sampler (line 9 of the PTX)"},
		{REFERENCES(".global .samplerref s;\n", "", "mov.u64 %rd1, s;\n"),
		 "variable s, a .samplerref: a texture object has the sampler instead (line 9 of "
		 "the PTX)"},
		{REFERENCES(".global .texref t;\n", ".global .u64 x = t;\n",
			    "ld.global.u64 %rd1, [x];\n"),
		 "address of variable t (line 5 of the PTX)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text missing = TEXT_INIT;
		struct decoded other;
		struct error err = {0};

		if (decode_module_fails(cases[i].ptx, "k", &err, &missing) != PL_EUNSUPPORTED ||
		    strcmp(missing.data, cases[i].missing) != 0)
			fail_msg("case %zu: %s, %s", i, missing.data, err.text);
		text_release(&missing);
		other = decode_module(cases[i].ptx, "other");
		decoded_release(&other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_decoded),
		cmocka_unit_test(forms_that_are_missing_are_named),
		cmocka_unit_test(wrong_operands_are_refused),
		cmocka_unit_test(references_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
