/* Parsing of PTX from any source: truncated, other dialects, over the limits, not PTX at all. */
#include "emulator/language/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY HEAD ".visible .entry k(.param .u64 p)\n{\n"

static int parse(const char *text, size_t length, struct error *err)
{
	struct ptx_module *module = NULL;
	int rc = ptx_module_parse(&module, text, length, err);

	if (rc)
		assert_null(module);
	ptx_module_free(module);
	return rc;
}

static void assert_parses(const char *text)
{
	struct error err = {0};

	if (parse(text, strlen(text), &err))
		fail_msg("%.200s: %s", text, err.text);
}

static void assert_refused_with(int code, const char *text, uint32_t line, const char *words)
{
	struct error err = {0};
	char place[32];
	int rc = parse(text, strlen(text), &err);

	snprintf(place, sizeof(place), "line %u: ", line);
	if (rc != code || strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, words))
		fail_msg("%.100s: wanted %s…%s, got %d: %s", text, place, words, rc, err.text);
}

/* The text is refused at a line with these words. */
static void assert_refused(const char *text, uint32_t line, const char *words)
{
	assert_refused_with(PL_EPARSE, text, line, words);
}

static uint32_t lines_in(const char *text, size_t length)
{
	uint32_t lines = 1;

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Every prefix of a real file is a module, or an error that names a line of the prefix. */
static void texts_may_end_anywhere(void **state)
{
	static const char *const paths[] = {"tests/emulator/programs/print_90.ptx",
					    "tests/emulator/programs/table_90.ptx",
					    "tests/emulator/programs/asm_90.ptx"};
	size_t refused = 0;

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(paths); f++) {
		struct error err = {0};
		size_t length;
		char *text;

		assert_int_equal(read_file(&text, &length, paths[f], 1 << 20, &err), 0);
		for (size_t end = 0; end < length; end++) {
			/* A buffer of the exact size, so that a sanitizer finds a read past its
			 * end. */
			char *part = malloc(end ? end : 1);
			unsigned line = 0;
			int rc;

			memcpy(part, text, end);
			rc = parse(part, end, &err);
			free(part);
			if (rc == 0)
				continue;
			refused++;
			if (rc != PL_EPARSE || sscanf(err.text, "line %u: ", &line) != 1 ||
			    line == 0 || line > lines_in(text, end))
				fail_msg("%s, %zu bytes: %d: %s", paths[f], end, rc, err.text);
		}
		free(text);
	}
	assert_true(refused > 1000);
}

/* A byte that is missing or different, at any position, causes no crash and no endless loop. */
static void bytes_may_be_missing_or_other(void **state)
{
	static const char others[] = {'\0', '{', '}', ';', '\xff', '9', '.'};
	struct error err = {0};
	size_t length;
	char *text;

	(void)state;
	assert_int_equal(
		read_file(&text, &length, "tests/emulator/programs/table_90.ptx", 1 << 20, &err),
		0);
	for (size_t at = 0; at < length; at++) {
		char was = text[at];

		for (size_t i = 0; i < sizeof(others); i++) {
			text[at] = others[i];
			parse(text, length, &err);
		}
		memmove(text + at, text + at + 1, length - at - 1);
		parse(text, length - 1, &err);
		memmove(text + at + 1, text + at, length - at - 1);
		text[at] = was;
	}
	free(text);
}

static void dialects_are_read(void **state)
{
	static const char *const heads[] = {
		".version 6.0\n.target sm_70\n.address_size 64\n",
		".version 6.4\n.target sm_75, debug\n.address_size 64\n",
		".version 7.8\n.target sm_90a\n.address_size 64\n",
		".version 9.9\n.target sm_121a\n.address_size 64\n",
		"// a comment\n/* another */ .version 9.0 .target sm_100f .address_size 64\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		char *text = xasprintf("%s.entry k(.param .u64 .ptr .global .align 1 p)\n"
				       ".maxntid 128, 1, 1\n{\n.reg .b32 %%f<3>;\nret;\n}\n",
				       heads[i]);

		assert_parses(text);
		free(text);
	}
	/* Line ends of other systems, and the terminator of a string. */
	assert_parses(".version 8.0\r\n.target sm_90\r\n.address_size 64\r\n.entry k()\r\n{ "
		      "ret;\r\n}\r\n");
	assert_int_equal(parse(HEAD "\0\0", sizeof(HEAD "\0\0"), NULL), 0);
	assert_refused(".version 8\n", 1, "a version such as 9.0");
	assert_refused(".version 8.0\n.target sm_90\n.address_size 32\n", 3,
		       "only 64-bit addresses");
	assert_refused(".target sm_90\n", 1, ".version");
}

static void text_that_is_not_ptx_is_refused(void **state)
{
	struct error err = {0};

	(void)state;
	assert_refused("", 1, "must begin with .version");
	assert_refused("\n\n\n", 4, "must begin with .version");
	assert_refused("\xef\xbb\xbf.version 8.0\n", 1, "0xef");
	assert_refused("\x7f"
		       "ELF",
		       1, "0x7f");
	assert_refused("#include <stdio.h>\n", 1, "0x23");
	assert_refused("/* never", 1, "this comment does not end");
	assert_int_equal(parse(ENTRY "add.u32\0%r1;\n", sizeof(ENTRY "add.u32\0%r1;\n") - 1, &err),
			 PL_EPARSE);
	assert_non_null(strstr(err.text, "line 6: "));
	assert_non_null(strstr(err.text, "0x00"));
}

static void forms_that_are_not_supported_are_named(void **state)
{
	static const struct {
		const char *text, *words;
	} forms[] = {
		{".func f(.reg .v8 .u16 b)\n{\nret;\n}\n",
		 "line 4: the emulator does not support vector registers of eight elements"},
		{".entry k()\n{\n.reg .v8 .u16 v;\nret;\n}\n",
		 "line 6: the emulator does not support "
		 "vector registers of eight elements"},
		{".entry k()\n{\n.reg .u32 r;\nmov.u32 r, r + 1;\n}\n", "a sum as an operand"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		char *text = xasprintf(".version 8.0\n.target sm_90\n.address_size 64\n%s",
				       forms[i].text);
		struct error err = {0};

		if (parse(text, strlen(text), &err) != PL_EUNSUPPORTED ||
		    !strstr(err.text, forms[i].words))
			fail_msg("%s: %s", forms[i].text, err.text);
		free(text);
	}
}

/* Inline PTX of CUTLASS has such blanks. */
static void blanks_may_precede_modifiers(void **state)
{
	static const char ptx[] =
		ENTRY ".reg .b32 %r<3>;\n.reg .pred %p;\nxor  .b32 %r1, %r2, -1;\n"
		      "@!%p ld.global .v2\n.u32 {%r1, %r2}, [0];\nret ;\n}\n";
	static const char *const mnemonics[] = {"xor.b32", "ld.global.v2.u32", "ret"};
	struct ptx_module *module = NULL;
	struct error err = {0};
	const struct ptx_function *entry;

	(void)state;
	if (ptx_module_parse(&module, ptx, strlen(ptx), &err))
		fail_msg("%s", err.text);
	entry = ptx_module_function(module, "k");
	assert_int_equal(entry->statement_count, ARRAY_SIZE(mnemonics));
	for (size_t i = 0; i < ARRAY_SIZE(mnemonics); i++)
		assert_string_equal(entry->statements[i].mnemonic, mnemonics[i]);
	assert_int_equal(entry->statements[1].modifier_count, 3);
	assert_string_equal(entry->statements[1].modifiers[1], "v2");
	ptx_module_free(module);
	assert_refused(ENTRY "ret\n.loc 1 2 3\n", 7, "");
}

/* test_vector_registers.c executes such instructions. */
static void vector_registers_have_elements(void **state)
{
	(void)state;
	assert_parses(ENTRY ".reg .v2 .f32 a, b<3>;\n.reg .v4.u32 c;\n.reg .v2 .b64 d;\n"
			    "mov.f32 a.x, b2.y;\nld.v4.u32 c, [0];\nmov.u32 c.a, c.r;\nret;\n}\n");
	assert_refused(ENTRY ".reg .v2 .f32 a;\nmov.f32 a.x, a.z;\n", 7,
		       "a vector of 2 elements has no such element");
	assert_refused(ENTRY ".reg .v4 .f32 a;\nmov.f32 a.xy, a.x;\n", 7, "no such element");
	assert_refused(ENTRY ".reg .v2 .f32 a;\nmov.b64 %rd, -a;\n", 7, "cannot be negated");
	assert_refused(ENTRY ".reg .b128 a;\nmov.b64 %rd, a.x;\n", 7, "named as a whole");
	assert_refused(ENTRY ".reg .b128 a;\nmov.b128 a, !a;\n", 7, "named as a whole");
	assert_refused(ENTRY ".reg .v2 .pred p;\n", 6, "at most 128 bits, and no predicates");
	assert_refused(ENTRY ".reg .v4 .b64 p;\n", 6, "at most 128 bits");
	assert_refused(ENTRY ".reg .v2 p;\n", 6, "expected a type");
	assert_refused(ENTRY ".reg .v2 .b32 a;\n@a bra L;\n", 7, "");
	assert_refused(ENTRY ".reg .v4 .b32 %r<16385>;\n", 6, "more than 65536 registers");
}

/* Their values are names of properties, in lists of their own. */
static void references_have_no_initial_values(void **state)
{
	static const char *const variables[] = {
		".samplerref s = {addr_mode_0 = clamp_to_border, filter_mode = nearest};\n",
		".texref t = {normalized_coords = 1};\n",
		".texref t[2] = {{normalized_coords = 1}, {normalized_coords = 0}};\n",
		".surfref s =;\n",
		".samplerref s = {{{{{{{{{{{{;\n",
	};

	(void)state;
	assert_parses(HEAD ".global .texref t[2], u;\n.global .samplerref s;\n");
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		char *ptx = xasprintf(HEAD ".global %s", variables[i]);

		assert_refused_with(PL_EUNSUPPORTED, ptx, 4,
				    "initial values of .texref, .samplerref and .surfref");
		free(ptx);
	}
	assert_refused(HEAD ".global .texref;\n", 4, "a variable name");
	assert_refused(HEAD ".func f(.reg .b32)\n{\nret;\n}\n", 4, "a parameter");
	assert_refused(HEAD ".func f(.reg .b32 a, .reg .b64 a)\n{\nret;\n}\n", 4, "a");
	assert_refused(HEAD ".entry k(.reg .b32 a)\n{\nret;\n}\n", 4, "expected .param");
	assert_parses(HEAD ".func (.reg .b32 _) f(.reg .b32 _, .reg .b64 _);\n");
	assert_refused(ENTRY ".reg .texref t;\n", 6, "expected a type after .reg");
}

/* Returns `count` repetitions of a word between two texts. */
static char *many(const char *before, const char *word, size_t count, const char *after)
{
	struct text text = TEXT_INIT;

	text_add(&text, before);
	for (size_t i = 0; i < count; i++)
		text_add(&text, word);
	text_add(&text, after);
	return text_detach(&text);
}

static void assert_many_refused(const char *before, const char *word, size_t count, uint32_t line,
				const char *words)
{
	char *text = many(before, word, count, "");

	assert_refused(text, line, words);
	free(text);
}

static void too_much_of_anything_is_refused(void **state)
{
	struct text functions = TEXT_INIT;
	struct error err = {0};
	char *text;

	(void)state;
	assert_parses(ENTRY ".reg .b32 %r<10000>;\nret;\n}\n");
	assert_refused(ENTRY ".reg .b32 %r<65537>;\n", 6, "65536");
	assert_refused(ENTRY ".reg .b32 %r<60000>;\n.reg .b32 %q<60000>;\n", 7, "more than 65536");
	assert_refused(ENTRY ".reg .b32 %r<99999999999999999999>;\n", 6, "number");
	assert_many_refused(ENTRY, "{", 100000, 6, "more than 64 nested scopes");
	assert_many_refused(ENTRY "mov.b64 ", "{", 100000, 6, "more than 8 nested lists");
	assert_many_refused(ENTRY "call ", "(", 100000, 6, "more than 8 nested lists");
	assert_many_refused(ENTRY "ld.u32 ", "[", 100000, 6, "an address");
	assert_many_refused(HEAD ".global .u32 x[4] = ", "{", 100000, 4, "more nested lists");
	assert_many_refused(HEAD ".global .u32 x", "[2]", 64, 4, "more than 7 dimensions");
	assert_refused(HEAD ".global .b8 x[9223372036854775807][9];\n", 4, "more than 2^63");
	assert_refused(ENTRY ".loc 65536 1 1\n", 6, "65535");
	for (int i = 0; i < PTX_MAX_FUNCTIONS + 1; i++)
		text_addf(&functions, "%s.entry k%d() {}\n", i ? "" : HEAD, i);
	assert_refused(functions.data, PTX_MAX_FUNCTIONS + 4, "more than 16384 functions");
	text_release(&functions);
	/* The module needs more memory than a text of this length should. */
	assert_int_equal(parse(HEAD ".global .u32 x[1000000000] = {1};\n",
			       strlen(HEAD ".global .u32 x[1000000000] = {1};\n"), &err),
			 PL_ENOMEM);
	text = many(HEAD, "//////////////////////////////////////////////////////////////\n",
		    PTX_MAX_TEXT_BYTES / 63 + 1, "");
	assert_int_equal(parse(text, strlen(text), &err), PL_EPARSE);
	assert_non_null(strstr(err.text, "64 MiB"));
	free(text);
}

/* ---- source positions ---- */

static void assert_place(const struct ptx_statement *at, uint32_t file, uint32_t line,
			 uint32_t caller_file, uint32_t caller_line)
{
	assert_int_equal(at->file, file);
	assert_int_equal(at->source_line, line);
	assert_int_equal(at->caller_file, caller_file);
	assert_int_equal(at->caller_line, caller_line);
}

static void inlined_code_knows_its_outermost_call(void **state)
{
	static const char text[] =
		ENTRY "ret;\n"
		      ".loc 1 10 2\nret;\n"
		      ".loc 2 20 3, function_name $f, inlined_at 1 10 2\nret;\n"
		      ".loc 3 30 4, function_name $g+8, inlined_at 2 20 3\nret;\n"
		      ".loc 3 31 4, function_name $g, inlined_at 2 20 3\nret;\n"
		      ".loc 2 21 3, inlined_at 1 99 9\nret;\n"
		      ".loc 1 11 1\nret;\n}\n";
	struct ptx_module *module = NULL;
	struct error err = {0};
	const struct ptx_statement *at;

	(void)state;
	if (ptx_module_parse(&module, text, strlen(text), &err))
		fail_msg("%s", err.text);
	at = module->functions[0].statements;
	assert_int_equal(module->functions[0].statement_count, 7);
	assert_place(&at[0], 0, 0, 0, 0);
	assert_place(&at[1], 1, 10, 0, 0);
	assert_place(&at[2], 2, 20, 1, 10);
	assert_place(&at[3], 3, 30, 1, 10);
	assert_place(&at[4], 3, 31, 1, 10);
	assert_place(&at[5], 2, 21, 1, 99);
	assert_place(&at[6], 1, 11, 0, 0);
	ptx_module_free(module);
}

/* As long loops have it: the calls between are named once, long before. */
static void calls_between_may_be_named_long_before(void **state)
{
	struct text text = TEXT_INIT;
	struct ptx_module *module = NULL;
	struct error err = {0};
	const struct ptx_statement *at;

	(void)state;
	text_add(&text, ENTRY ".loc 1 10 2\nret;\n"
			      ".loc 2 20 3, function_name $f, inlined_at 1 10 2\nret;\n");
	for (int i = 0; i < 1000; i++)
		text_addf(&text, ".loc 4 %d 1\nret;\n", 100 + i);
	text_add(&text, ".loc 3 30 4, function_name $g, inlined_at 2 20 3\nret;\n"
			".loc 2 20 3, function_name $f, inlined_at 1 12 2\nret;\n"
			".loc 3 30 4, function_name $g, inlined_at 2 20 3\nret;\n}\n"
			".visible .entry other()\n{\n"
			".loc 3 30 4, function_name $g, inlined_at 2 20 3\nret;\n}\n");
	if (ptx_module_parse(&module, text.data, text.length, &err))
		fail_msg("%s", err.text);
	at = &module->functions[0].statements[1002];
	assert_place(&at[0], 3, 30, 1, 10);
	assert_place(&at[1], 2, 20, 1, 12);
	assert_place(&at[2], 3, 30, 1, 12);
	/* Another function has other calls. */
	assert_place(module->functions[1].statements, 3, 30, 2, 20);
	ptx_module_free(module);
	text_release(&text);
}

/* Line 0: code that the compiler has moved. */
static void line_0_counts_as_the_next_line(void **state)
{
	static const char text[] = ENTRY ".loc 1 0 2\nret;\n"
					 ".loc 1 27 2\nret;\n"
					 ".loc 1 0 2\nret;\n.loc 1 0 2\nret;\n"
					 ".loc 1 31 3\nret;\n"
					 ".loc 2 0 3, function_name $f, inlined_at 1 40 2\nret;\n"
					 ".loc 2 7 3, function_name $f, inlined_at 1 0 2\nret;\n"
					 ".loc 1 0 2\nret;\n}\n"
					 ".visible .entry other()\n{\n.loc 1 0 2\nret;\n}\n";
	struct ptx_module *module = NULL;
	struct error err = {0};
	const struct ptx_statement *at;

	(void)state;
	if (ptx_module_parse(&module, text, strlen(text), &err))
		fail_msg("%s", err.text);
	at = module->functions[0].statements;
	assert_place(&at[0], 1, 27, 0, 0);
	assert_place(&at[1], 1, 27, 0, 0);
	assert_place(&at[2], 1, 31, 0, 0);
	assert_place(&at[3], 1, 31, 0, 0);
	assert_place(&at[4], 1, 31, 0, 0);
	assert_place(&at[5], 1, 40, 0, 0);
	assert_place(&at[6], 2, 7, 1, 40);
	assert_place(&at[7], 2, 7, 1, 40);
	assert_place(module->functions[1].statements, 0, 0, 0, 0);
	ptx_module_free(module);
}

/* Reports print file names on one line and use them as keys. */
static void names_of_files_can_be_shown(void **state)
{
	static const char text[] = HEAD ".file 1 \"a\x1b[2J\tb\x7f.cu\"\n.file 2 \"\"\n"
					".file 3 \"gr\xc3\xb6\xc3\x9f"
					"e.cu\", 12, 34\n";
	struct ptx_module *module = NULL;
	char *long_name;
	struct error err = {0};

	(void)state;
	if (ptx_module_parse(&module, text, strlen(text), &err))
		fail_msg("%s", err.text);
	assert_int_equal(module->file_count, 4);
	assert_null(module->files[0]);
	assert_string_equal(module->files[1], "a?[2J?b?.cu");
	assert_string_equal(module->files[2], "?");
	assert_string_equal(module->files[3], "gr\xc3\xb6\xc3\x9f"
					      "e.cu");
	ptx_module_free(module);
	assert_many_refused(HEAD ".file 1 \"", "a", 5000, 4, "a string that does not end");
	long_name = many(HEAD ".file 1 \"", "a", 4096, "\"\n");
	assert_refused(long_name, 4, "more than 4095 bytes");
	free(long_name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_may_end_anywhere),
		cmocka_unit_test(bytes_may_be_missing_or_other),
		cmocka_unit_test(dialects_are_read),
		cmocka_unit_test(text_that_is_not_ptx_is_refused),
		cmocka_unit_test(forms_that_are_not_supported_are_named),
		cmocka_unit_test(blanks_may_precede_modifiers),
		cmocka_unit_test(vector_registers_have_elements),
		cmocka_unit_test(references_have_no_initial_values),
		cmocka_unit_test(too_much_of_anything_is_refused),
		cmocka_unit_test(names_of_files_can_be_shown),
		cmocka_unit_test(inlined_code_knows_its_outermost_call),
		cmocka_unit_test(calls_between_may_be_named_long_before),
		cmocka_unit_test(line_0_counts_as_the_next_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
