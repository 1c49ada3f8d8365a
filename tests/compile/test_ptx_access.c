/* What the PTX of a kernel says beyond its parameters: which of them it writes through, and whether
 * it uses textures. Needs no compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

#define PTX_START ".version 9.0\n.target sm_90\n.address_size 64\n"
#define LOADED                                             \
	"ld.param.u64 %rd1, [k_param_0];\n"                \
	"ld.param.u64 %rd2, [k_param_1];\n"                \
	"cvta.to.global.u64 %rd3, %rd1;\n"                 \
	"cvta.to.global.u64 %rd4, %rd2;\n"                 \
	"mul.wide.u32 %rd5, %r1, 4;\n"                     \
	".loc 1 7 3, function_name $L, inlined_at 1 9 1\n" \
	"add.s64 %rd6, %rd3, %rd5;\n"                      \
	"add.s64 %rd7, %rd4, %rd5;\n"

/* "r", "w", "o" (only written) or "?" for each parameter of a kernel of two pointers with this
 * body. */
static const char *access_of(const char *body)
{
	static char letters[16];
	char *text = xasprintf(PTX_START ".visible .entry k(\n.param .u64 .ptr .align 1 k_param_0,"
					 "\n.param .u64 k_param_1\n)\n{\n.reg .b64 %%rd<9>;\n%s}\n",
			       body);
	struct entry_list list;
	struct error err = {0};

	if (ptx_entries_read(&list, text, &err))
		fail_msg("%s", err.text);
	assert_int_equal(list.count, 1);
	ptx_access_read(list.items, list.count, text);
	for (size_t i = 0; i < list.items[0].parameter_count; i++)
		letters[i] = "?rwo"[list.items[0].access[i]];
	letters[list.items[0].parameter_count] = '\0';
	entry_list_release(&list);
	free(text);
	return letters;
}

static void stores_are_followed(void **state)
{
	static const struct {
		const char *access, *body;
	} cases[] = {
		{"ro", LOADED "ld.global.f32 %f1, [%rd6];\nst.global.f32 [%rd7+4], %f1;\nret;\n"},
		{"or", LOADED "st.global.v2.f32 [%rd6], {%f1, %f2};\n"},
		{"wo",
		 LOADED "red.global.add.f32 [%rd6], %f1;\n@!%p1 st.global.f32 [%rd7], %f1;\n"},
		{"rr", LOADED "ret;\n"},
		/* what a load gives came from memory */
		{"rr", LOADED "ld.global.u64 %rd8, [%rd6];\nst.global.u32 [%rd8], %r1;\n"},
		/* the store comes first in the text, and second in the loop */
		{"ro", LOADED "$L1: st.global.u32 [%rd8], %r1;\nmov.u64 %rd8, %rd7;\nbra $L1;\n"},
		{"oo", LOADED "{ selp.b64 %rd8, %rd6, %rd7, %p1; }\nst.global.u32 [%rd8], %r1;\n"},
		{"rr", LOADED "setp.lt.s64 %p1, %rd6, %rd7;\nselp.b64 %rd8, 0, 1, %p1;\n"
			      "st.shared.u32 [%rd8], %r1;\n"},
		{"rw", LOADED "cp.async.ca.shared.global [%r2], [%rd6], 16;\n"
			      "atom.global.add.u32 %r3, [%rd7], %r1;\n"},
		/* registers in pairs */
		{"ro", LOADED "mov.b64 {%r2, %r3}, %rd7;\nmov.b64 %rd8, {%r2, %r3};\n"
			      "st.global.u32 [%rd8], %r1;\n"},
		/* what is stored is read again, or by an asynchronous copy */
		{"wr", LOADED "st.global.f32 [%rd6], %f1;\nld.global.f32 %f2, [%rd6+8];\n"},
		{"wo", LOADED "st.global.f32 [%rd6], %f1;\nst.global.f32 [%rd7], %f1;\n"
			      "cp.async.cg.shared.global [%r2], [%rd6], 16;\n"},
		/* pointers that leave the kernel */
		{"?r", LOADED "st.local.u64 [%rd8], %rd6;\n"},
		{"r?", LOADED "st.param.b64 [param0+0], %rd7;\ncall.uni f, (param0);\n"},
		{"?r", LOADED "call f, (%rd6);\n"},
		{"o?", LOADED "st.global.u64 [%rd6], %rd7;\n"},
		/* the address of a parameter */
		{"??", LOADED "mov.b64 %rd8, k_param_0;\n"},
		/* what the reader does not know may write */
		{"wr", LOADED "frobnicate.global.f32 [%rd6], 1;\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (strcmp(access_of(cases[i].body), cases[i].access) != 0)
			fail_msg("%s: %s, expected %s", cases[i].body, access_of(cases[i].body),
				 cases[i].access);
}

/* A chain of copies against the order of the text needs a round for each: it is given up. */
static void long_chains_are_unknown(void **state)
{
	struct text body = TEXT_INIT;

	(void)state;
	text_add(&body, "st.global.u32 [%x0], %r1;\n");
	for (unsigned i = 0; i < 200; i++)
		text_addf(&body, "mov.u64 %%x%u, %%x%u;\n", i, i + 1);
	text_add(&body, "ld.param.u64 %x200, [k_param_1];\n");
	assert_string_equal(access_of(body.data), "??");
	text_release(&body);
}

static void several_kernels_are_apart(void **state)
{
	static const char text[] = PTX_START
		".visible .entry a(.param .u64 x){ld.param.u64 %rd1, [x]; "
		"st.global.u32 [%rd1], 0;}.entry b(.param .u64 x){ld.param.u64 %rd1, [x]; "
		"ld.global.u32 %r1, [%rd1];}.entry none{}";
	struct entry_list list;

	(void)state;
	assert_int_equal(ptx_entries_read(&list, text, NULL), 0);
	ptx_access_read(list.items, list.count, text);
	assert_int_equal(list.items[0].access[0], POINTER_ONLY_WRITTEN);
	assert_int_equal(list.items[1].access[0], POINTER_NEVER_WRITTEN);
	entry_list_release(&list);
}

static void dimensions_are_of_each_kernel(void **state)
{
	static const char text[] =
		PTX_START ".entry a(){mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.z; "
			  "mov.u32 %r3, %ntid.z;}"
			  ".entry b(){mov.u32 %r1, %ctaid.y; mov.u32 %r2, %tid.z;}";
	struct entry_list list;

	(void)state;
	assert_int_equal(ptx_entries_read(&list, text, NULL), 0);
	ptx_access_read(list.items, list.count, text);
	assert_true(list.items[0].dimensions.thread_y && list.items[0].dimensions.block_z);
	assert_false(list.items[0].dimensions.thread_z || list.items[0].dimensions.block_y);
	assert_true(list.items[1].dimensions.thread_z && list.items[1].dimensions.block_y);
	assert_false(list.items[1].dimensions.thread_y || list.items[1].dimensions.block_z);
	entry_list_release(&list);
}

static void malformed_text_says_nothing(void **state)
{
	static const char *const texts[] = {".entry",
					    ".entry a",
					    ".entry a(",
					    ".entry a(.param .u64 x",
					    ".entry a(){st",
					    ".entry a(.param .u64 x){st [",
					    ".entry a(.param .u64 x){}}}{@",
					    ".entry a(,,,){.loc 1"};
	struct compiled_parameter parameter = {PARAMETER_INTEGER, 8, 8};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct compiled_entry entry = {
			.name = (char *)"a", .parameters = &parameter, .parameter_count = 1};

		ptx_access_read(&entry, 1, texts[i]);
		assert_true(entry.access[0] < POINTER_WRITTEN);
		free(entry.access);
	}
}

static void kernels_with_textures(void **state)
{
	static const struct {
		const char *uses, *body;
	} cases[] = {
		{"yn", ".entry a(){ tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}]; }\n"
		       ".entry b(){ st.global.u32 [%rd1], 0; }"},
		{"yy", ".entry a(){ suld.b.1d.b32.trap {%r1}, [%rd1, {%r2}]; }\n"
		       ".entry b(){ txq.width.b32 %r1, [%rd1]; }"},
		{"yn", ".func f(){ sust.b.1d.b32.trap [%rd1, {%r2}], {%r1}; }\n"
		       ".entry a(){ call.uni f, (); }\n.entry b(){ ret; }"},
		{"nn", ".func f(){ ret; }\n.entry a(){ call f; }\n"
		       ".entry b(){ /* tex.2d */ mov.u32 %tex, 1; }"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf(PTX_START "%s", cases[i].body);
		struct entry_list list;

		assert_int_equal(ptx_entries_read(&list, text, NULL), 0);
		assert_int_equal(list.count, 2);
		for (size_t k = 0; k < 2; k++)
			if (list.items[k].textures != (cases[i].uses[k] == 'y'))
				fail_msg("kernel %zu of %s", k, text);
		entry_list_release(&list);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_are_followed),
		cmocka_unit_test(long_chains_are_unknown),
		cmocka_unit_test(several_kernels_are_apart),
		cmocka_unit_test(dimensions_are_of_each_kernel),
		cmocka_unit_test(malformed_text_says_nothing),
		cmocka_unit_test(kernels_with_textures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
