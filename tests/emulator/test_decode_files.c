/* Decoding of files that nvcc wrote: every kernel of the tree, and programs with a little of
 * everything. */
#include "support_decode.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (16 * 1024 * 1024)

struct file {
	struct ptx_module *module;
	char *text;
};

static struct file parse_file(const char *path)
{
	struct file out = {0};
	struct error err = {0};
	size_t length;

	if (read_file(&out.text, &length, path, MOST_BYTES, &err) ||
	    ptx_module_parse(&out.module, out.text, length, &err))
		fail_msg("%s: %s", path, err.text);
	return out;
}

static void file_release(struct file *file)
{
	ptx_module_free(file->module);
	free(file->text);
}

/* Offsets are in the register file, targets in the code, and branches lead to the beginning of a
 * block. */
static void check_function(const struct program_function *function)
{
	for (size_t i = 0; i < function->code_count; i++) {
		const struct instruction *at = &function->code[i];
		uint32_t rows[] = {at->dst,     at->a,       at->b,      at->c,
				   at->d,       at->dst2,    at->guard,  at->rows[0],
				   at->rows[1], at->rows[2], at->rows[3]};

		assert_true(at->operation < OPERATION_COUNT);
		assert_true(at->statement < function->source->statement_count);
		for (size_t j = 0; j < ARRAY_SIZE(rows); j++) {
			assert_int_equal(rows[j] % 128, 0);
			assert_true(rows[j] == 0 ||
				    (rows[j] >= 256 && rows[j] + 128 <= function->file_bytes));
		}
		if (at->operation == OP_BRA) {
			assert_true(at->target < function->code_count);
			assert_true(function->code[at->target].leader);
		}
		/* No result shares a row with a constant. */
		for (size_t j = 0; at->dst && j < function->constant_count; j++)
			assert_int_not_equal(function->constants[j].row, at->dst);
	}
}

/* Decodes each entry and appends the unsupported features of all. Returns the number of decoded
 * entries. */
static size_t decode_entries(const struct ptx_module *module, struct text *words,
			     uint32_t *most_file_bytes)
{
	size_t decoded = 0;

	for (size_t i = 0; i < module->function_count; i++) {
		struct ptx_program *program = NULL;
		struct unsupported_features unsupported = {0};
		struct error err = {0};
		int rc;

		if (!module->functions[i].entry)
			continue;
		rc = ptx_program_decode(&program, module, module->functions[i].name, &unsupported,
					&err);
		if (rc == PL_EUNSUPPORTED) {
			text_addf(words, "%s: ", module->functions[i].name);
			unsupported_features_text(words, &unsupported);
			text_add(words, "\n");
		} else if (rc) {
			fail_msg("%s", err.text);
		} else {
			decoded++;
			for (size_t j = 0; j < program->function_count; j++) {
				check_function(&program->functions[j]);
				if (program->functions[j].file_bytes > *most_file_bytes)
					*most_file_bytes = program->functions[j].file_bytes;
			}
		}
		unsupported_features_release(&unsupported);
		ptx_program_free(program);
	}
	return decoded;
}

static void every_kernel_of_the_tree_decodes(void **state)
{
	struct text pattern = TEXT_INIT;
	glob_t found;

	(void)state;
	assert_int_equal(install_path(&pattern, "share/perflab/ptx/*/*.ptx", NULL), 0);
	assert_int_equal(glob(pattern.data, 0, NULL, &found), 0);
	text_release(&pattern);
	assert_true(found.gl_pathc > 30);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct file file = parse_file(found.gl_pathv[i]);
		struct text words = TEXT_INIT;
		uint32_t most = 0;
		size_t decoded = decode_entries(file.module, &words, &most);

		if (words.length || !decoded)
			fail_msg("%s: %s", found.gl_pathv[i], words.data);
		/* The number of rows is small, for code with few or thousands of registers. The
		 * numbers are those of this code. */
		if (most > 64 * 1024)
			fail_msg("%s: a file of %u bytes", found.gl_pathv[i], most);
		text_release(&words);
		file_release(&file);
	}
	globfree(&found);
}

static void programs_have_unsupported_features_where_expected(void **state)
{
	static const struct {
		const char *name;
		size_t decoded;
		const char *unsupported;
	} programs[] = {
		{"asm_90", 1, ""},    {"table_90", 1, ""},   {"control_100", 9, ""},
		{"call_90", 3, ""},   {"call_100", 3, ""},   {"print_90", 3, ""},
		{"print_100", 3, ""}, {"control_90", 9, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		char *path = xasprintf("tests/emulator/programs/%s.ptx", programs[i].name);
		struct file file = parse_file(path);
		struct text words = TEXT_INIT;
		uint32_t most = 0;

		assert_int_equal(decode_entries(file.module, &words, &most), programs[i].decoded);
		if (!strstr(words.data, programs[i].unsupported) ||
		    (!programs[i].unsupported[0] && words.length))
			fail_msg("%s: %s", path, words.data);
		text_release(&words);
		file_release(&file);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_of_the_tree_decodes),
		cmocka_unit_test(programs_have_unsupported_features_where_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
