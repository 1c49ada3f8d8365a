/* Equal machine code has equal hashes, whatever else the file contains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "harness/workers/cuda/resources.h"

/* The machine code that ptxas makes of a built-in image. */
static char *load(const char *image, size_t *length)
{
	char path[] = "/tmp/image_hash-XXXXXX";
	const int fd = mkstemp(path);
	struct text ptx = TEXT_INIT;
	struct error err = {0};
	char *bytes = NULL, *command;
	int status;

	assert_int_equal(install_path(&ptx, "share/perflab/ptx", &err), 0);
	command = xasprintf("\"$(dirname \"$PERFLAB_NVCC\")/ptxas\" -arch=sm_90 -lineinfo -o %s "
			    "%s/%s.ptx",
			    path, ptx.data, image);
	status = system(command);
	if (status || read_file(&bytes, length, path, 1 << 26, &err))
		fail_msg("%s: %d %s", command, status, err.text);
	close(fd);
	unlink(path);
	text_release(&ptx);
	free(command);
	return bytes;
}

static void different_kernels_differ(void **state)
{
	char copy_hash[HASH_TEXT_BYTES], scale_hash[HASH_TEXT_BYTES], again[HASH_TEXT_BYTES],
		instructions[3][HASH_TEXT_BYTES];
	struct error err = {0};
	size_t copy_length, scale_length;
	char *copy = load("stream/copy_scalar", &copy_length);
	char *scale = load("stream/scale_scalar", &scale_length);

	(void)state;
	assert_int_equal(cubin_hash(copy_hash, instructions[0], copy, copy_length, &err), 0);
	assert_int_equal(cubin_hash(scale_hash, instructions[1], scale, scale_length, &err), 0);
	assert_int_equal(cubin_hash(again, instructions[2], copy, copy_length, &err), 0);
	assert_string_equal(copy_hash, again);
	assert_string_not_equal(copy_hash, scale_hash);
	assert_string_equal(instructions[0], instructions[2]);
	assert_string_not_equal(instructions[0], instructions[1]);
	free(copy);
	free(scale);
}

/* Finds a section by the prefix of its name. */
static Elf64_Shdr section_named(const char *bytes, const char *prefix)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, section;

	memcpy(&header, bytes, sizeof(header));
	memcpy(&names, bytes + header.e_shoff + header.e_shstrndx * sizeof(names), sizeof(names));
	for (size_t i = 0; i < header.e_shnum; i++) {
		memcpy(&section, bytes + header.e_shoff + i * sizeof(section), sizeof(section));
		if (strncmp(bytes + names.sh_offset + section.sh_name, prefix, strlen(prefix)) == 0)
			return section;
	}
	fail_msg("no section %s", prefix);
	return section;
}

static void only_code_and_constants_count(void **state)
{
	char before[HASH_TEXT_BYTES], debug_changed[HASH_TEXT_BYTES], code_changed[HASH_TEXT_BYTES],
		constants_changed[HASH_TEXT_BYTES], instructions[4][HASH_TEXT_BYTES];
	struct error err = {0};
	size_t length;
	char *bytes = load("stream/copy_scalar", &length);

	(void)state;
	assert_int_equal(cubin_hash(before, instructions[0], bytes, length, &err), 0);
	bytes[section_named(bytes, ".debug_line").sh_offset] ^= 1;
	assert_int_equal(cubin_hash(debug_changed, instructions[1], bytes, length, &err), 0);
	assert_string_equal(before, debug_changed);
	bytes[section_named(bytes, ".text.").sh_offset] ^= 1;
	assert_int_equal(cubin_hash(code_changed, instructions[2], bytes, length, &err), 0);
	assert_string_not_equal(before, code_changed);
	bytes[section_named(bytes, ".text.").sh_offset] ^= 1;
	bytes[section_named(bytes, ".nv.constant").sh_offset] ^= 1;
	assert_int_equal(cubin_hash(constants_changed, instructions[3], bytes, length, &err), 0);
	assert_string_not_equal(before, constants_changed);
	assert_string_equal(instructions[0], instructions[1]);
	assert_string_not_equal(instructions[0], instructions[2]);
	assert_string_equal(instructions[0], instructions[3]);
	free(bytes);
}

/* Which variables the code means. */
static void references_count(void **state)
{
	char before[HASH_TEXT_BYTES], after[HASH_TEXT_BYTES], instructions[2][HASH_TEXT_BYTES];
	struct error err = {0};
	size_t length;
	char *bytes;

	(void)state;
	assert_int_equal(read_file(&bytes, &length, getenv("VARIABLES_CUBIN"), 1 << 20, &err), 0);
	assert_int_equal(cubin_hash(before, instructions[0], bytes, length, &err), 0);
	bytes[section_named(bytes, ".rela.nv.constant").sh_offset] ^= 1;
	assert_int_equal(cubin_hash(after, instructions[1], bytes, length, &err), 0);
	assert_string_not_equal(before, after);
	assert_string_equal(instructions[0], instructions[1]);
	free(bytes);
}

static void damaged_files_are_refused(void **state)
{
	struct error err = {0};
	char hash[HASH_TEXT_BYTES] = "untouched", instructions[HASH_TEXT_BYTES] = "untouched";
	Elf64_Ehdr header;
	size_t length;
	char *bytes = load("stream/copy_scalar", &length);

	(void)state;
	assert_int_equal(cubin_hash(hash, instructions, "", 0, &err), PL_EPARSE);
	assert_int_equal(cubin_hash(hash, instructions, "// a PTX file", 13, &err), PL_EPARSE);
	memcpy(&header, bytes, sizeof(header));
	/* Bytes after the section table are not read. */
	for (size_t cut = 0; cut < header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr);
	     cut += 97) {
		char *part = malloc(cut + 1);

		memcpy(part, bytes, cut);
		assert_int_equal(cubin_hash(hash, instructions, part, cut, &err), PL_EPARSE);
		free(part);
	}
	header.e_shoff = UINT64_MAX - 8;
	memcpy(bytes, &header, sizeof(header));
	assert_int_equal(cubin_hash(hash, instructions, bytes, length, &err), PL_EPARSE);
	assert_string_equal(hash, "untouched");
	assert_string_equal(instructions, "untouched");
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(different_kernels_differ),
		cmocka_unit_test(only_code_and_constants_count),
		cmocka_unit_test(references_count),
		cmocka_unit_test(damaged_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
