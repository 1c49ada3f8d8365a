/* Source lines of machine code: of compiled kernels, and of cubins that are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile/line_table.h"
#include "compile_support.h"

#define LAST_OFFSET 65536

/* ---- compiled kernels ---- */

/* Adds "FILE:LINE FUNCTION < …\n" without the folders of the file. */
static void chain_add(struct text *out, const struct line_table *table, int64_t at)
{
	const char *separator = "";

	while (at >= 0) {
		const struct source_frame *frame = line_table_frame(table, at);
		const char *slash = strrchr(frame->file, '/');

		text_addf(out, "%s%s:%lld", separator, slash ? slash + 1 : frame->file,
			  (long long)frame->line);
		if (frame->function)
			text_addf(out, " %s", frame->function);
		separator = " < ";
		assert_true(frame->caller < at);
		at = frame->caller;
	}
	text_add(out, "\n");
}

/* The chains of all instructions of a function; the caller frees the text. */
static char *chains_of(const struct line_table *table, const char *function)
{
	struct text out = TEXT_INIT;
	int64_t before = -1;

	for (uint64_t offset = 0; offset < LAST_OFFSET; offset += 16) {
		const int64_t at = line_table_find(table, function, offset);

		if (at >= 0 && at != before)
			chain_add(&out, table, at);
		before = at;
	}
	return text_detach(&out);
}

static void expect_equal_frames_once(const struct line_table *table)
{
	const size_t count = line_table_count(table);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++) {
			const struct source_frame *a = line_table_frame(table, (int64_t)i);
			const struct source_frame *b = line_table_frame(table, (int64_t)j);

			assert_false(!strcmp(a->file, b->file) && a->line == b->line &&
				     a->caller == b->caller && !a->function == !b->function &&
				     (!a->function || !strcmp(a->function, b->function)));
		}
	}
}

static struct line_table *table_of(const char *bytes, size_t length)
{
	struct line_table *table;
	struct error err = {0};

	if (line_table_read(&table, bytes, length, &err))
		fail_msg("%s", err.text);
	expect_equal_frames_once(table);
	return table;
}

/* The table of the source that the sandbox has. *bytes is malloc'd, or `bytes` is NULL. */
static struct line_table *compiled_table(struct sandbox *box, char **bytes, size_t *length)
{
	struct compiled *compiled;
	struct line_table *table;
	char *cubin;
	size_t size;

	box->request.cubin = true;
	compiled = sandbox_compile(box);
	cubin = file_text(compiled->cubin, &size);
	table = table_of(cubin, size);
	compiled_free(compiled);
	if (bytes) {
		*bytes = cubin;
		*length = size;
	} else {
		free(cubin);
	}
	return table;
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in '%s'", part, text);
}

static void expect_no_part(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("there is '%s' in '%s'", part, text);
}

#define NESTED                                              \
	"__device__ __forceinline__ float inner(float x)\n" \
	"{\n"                                               \
	"	return __sinf(x);\n"                              \
	"}\n"                                               \
	"__device__ __forceinline__ float outer(float x)\n" \
	"{\n"                                               \
	"	return inner(x) *\n"                              \
	"	       inner(x + 1.0f);\n"                        \
	"}\n"                                               \
	"#define COSINE(x) \\\n"                            \
	"	__cosf(x)\n"                                      \
	"extern \"C\" __global__ void k(float *x)\n"        \
	"{\n"                                               \
	"	x[0] = outer(x[1]);\n"                            \
	"	x[2] = COSINE(x[3]);\n"                           \
	"}\n"                                               \
	"extern \"C\" __global__ void other(float *x)\n"    \
	"{\n"                                               \
	"	x[0] = outer(x[1]);\n"                            \
	"}\n"                                               \
	"#line 40 \"named.h\"\n"                            \
	"extern \"C\" __global__ void named(float *x)\n"    \
	"{\n"                                               \
	"	x[2] = x[3];\n"                                   \
	"}\n"

static void expect_nested(struct sandbox *box)
{
	struct line_table *table = compiled_table(box, NULL, NULL);
	char *k = chains_of(table, "k"), *other = chains_of(table, "other");
	char *named = chains_of(table, "named");

	expect_part(k, "a.cu:3 _Z5innerf < a.cu:7 _Z5outerf < a.cu:14\n");
	expect_part(k, "a.cu:3 _Z5innerf < a.cu:8 _Z5outerf < a.cu:14\n");
	expect_part(k, "a.cu:15\n");
	expect_no_part(k, "a.cu:11");
	expect_no_part(k, "a.cu:19");
	expect_part(other, "a.cu:3 _Z5innerf < a.cu:7 _Z5outerf < a.cu:19\n");
	expect_part(named, "named.h:42\n");
	expect_no_part(named, "a.cu");
	expect_no_part(other, "a.cu:14");
	assert_int_equal(line_table_find(table, "nothing", 0), -1);
	assert_int_equal(line_table_find(table, "k", 0),
			 line_table_find(table, "k", 1)); /* within an instruction */
	assert_int_equal(line_table_find(table, "k", UINT64_MAX), -1);
	free(k);
	free(other);
	free(named);
	line_table_free(table);
}

static void calls_that_were_inlined_have_their_callers(void **state)
{
	struct sandbox *box = *state;

	sandbox_source(box, "a.cu", NESTED);
	box->request.tool = COMPILE_NVRTC;
	expect_nested(box);
	box->request.tool = COMPILE_NVCC;
	expect_nested(box);
}

static void architectures_are_read_alike(void **state)
{
	static const char *const archs[] = {"sm_75", "sm_80", "sm_100", "sm_120"};
	struct sandbox *box = *state;

	sandbox_source(box, "a.cu", NESTED);
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
		box->request.arch = archs[i];
		expect_nested(box);
	}
}

static void files_with_one_name_stay_apart(void **state)
{
	struct sandbox *box = *state;
	char *first = xasprintf("%s/first", box->folder);
	char *second = xasprintf("%s/second", box->folder);
	struct line_table *table;
	bool found_first = false, found_second = false;

	assert_int_equal(mkdir(first, 0700), 0);
	assert_int_equal(mkdir(second, 0700), 0);
	free(sandbox_write(box, "first/part.h",
			   "__device__ __forceinline__ float f(float x) { return __sinf(x); }\n"));
	free(sandbox_write(box, "second/part.h",
			   "__device__ __forceinline__ float g(float x) { return __cosf(x); }\n"));
	sandbox_source(box, "a.cu",
		       "#include \"first/part.h\"\n#include \"second/part.h\"\n"
		       "__global__ void k(float *x) { x[0] = f(x[1]) * g(x[2]); }\n");
	table = compiled_table(box, NULL, NULL);
	for (size_t i = 0; i < line_table_count(table); i++) {
		const char *file = line_table_frame(table, (int64_t)i)->file;

		found_first |= has_suffix(file, "first/part.h");
		found_second |= has_suffix(file, "second/part.h");
	}
	assert_true(found_first && found_second);
	free(first);
	free(second);
	line_table_free(table);
}

static void names_may_be_long(void **state)
{
	struct sandbox *box = *state;
	struct text source = TEXT_INIT;
	char name[601], *chains, *function;
	struct line_table *table;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	text_addf(&source,
		  "struct %s { };\n"
		  "template <typename A, typename B> __device__ __forceinline__ float f(float x)\n"
		  "{ return __sinf(x); }\n"
		  "extern \"C\" __global__ void k%s(float *x) { x[0] = f<%s, %s>(x[1]); }\n",
		  name, name, name, name);
	sandbox_source(box, "a.cu", source.data);
	table = compiled_table(box, NULL, NULL);
	function = xasprintf("k%s", name);
	chains = chains_of(table, function);
	text_clear(&source);
	text_addf(&source, "a.cu:3 _Z1fI600%sS0_Eff < a.cu:4\n", name);
	expect_part(chains, source.data);
	free(function);
	free(chains);
	text_release(&source);
	line_table_free(table);
}

static void damaged_cubins_are_refused_or_read(void **state)
{
	struct sandbox *box = *state;
	struct line_table *table;
	struct error err = {0};
	char *bytes;
	size_t length;

	sandbox_source(box, "a.cu", NESTED);
	line_table_free(compiled_table(box, &bytes, &length));
	for (size_t cut = 0; cut < length; cut += cut < 64 ? 1 : 97) {
		const int rc = line_table_read(&table, bytes, cut, &err);

		/* what is last in the file has nothing to do with lines */
		assert_int_equal(rc, table ? 0 : PL_EPARSE);
		assert_true(table == NULL || cut > length - 1024);
		line_table_free(table);
	}
	/* without line information: other sections of that name */
	for (char *at = bytes; (at = memmem(at, length - (size_t)(at - bytes), "debug_line", 10));)
		*at = 'x';
	table = table_of(bytes, length);
	assert_int_equal(line_table_count(table), 0);
	assert_int_equal(line_table_find(table, "k", 0), -1);
	free(bytes);
	line_table_free(table);
}

/* ---- cubins that are made here ---- */

struct made_cubin {
	struct text program; /* the statements */
	int version;
	const char *strings;
	size_t strings_length;
};

enum { NAMES = 1, SYMBOLS, STRINGS, LINES, PLACES, CODE, SECTIONS };

static void section_put(struct text *file, Elf64_Shdr *section, uint32_t type, const void *bytes,
			size_t length)
{
	section->sh_type = type;
	section->sh_offset = file->length;
	section->sh_size = length;
	text_add_bytes(file, bytes, length);
}

/* A head with the folder "/d", the files "a" of it and "/b", and names from 1 on in .debug_str. */
static void lines_make(struct text *out, const struct made_cubin *made)
{
	static const unsigned char operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
	static const char files[] = "/d\0\0a\0\1\0\0/b\0\0\0\0";
	const size_t names_bytes = 4;
	struct text head = TEXT_INIT;
	uint32_t length;
	const uint16_t version = (uint16_t)made->version;

	text_add_char(&head, 1);
	if (version >= 4)
		text_add_char(&head, 1);
	text_add_bytes(&head, "\1\xfb\x0e\x0a", 4);
	text_add_bytes(&head, operands, sizeof(operands));
	text_add_bytes(&head, files, sizeof(files));
	text_add_bytes(&head, "\1\0\0\0", names_bytes);
	length = (uint32_t)(2 + 4 + head.length + made->program.length);
	text_add_bytes(out, &length, sizeof(length));
	text_add_bytes(out, &version, sizeof(version));
	length = (uint32_t)head.length;
	text_add_bytes(out, &length, sizeof(length));
	text_add_bytes(out, head.data, head.length);
	text_add_bytes(out, made->program.data, made->program.length);
	text_release(&head);
}

/* A cubin whose first statement sets the address, to that of the function k. */
static void cubin_make(struct text *file, const struct made_cubin *made)
{
	static const char names[] = "\0.debug_str\0.debug_line\0.rela.debug_line\0.text.k";
	static const uint32_t name_at[SECTIONS] = {
		[STRINGS] = 1, [LINES] = 12, [PLACES] = 24, [CODE] = 41};
	Elf64_Ehdr header = {.e_ident = ELFMAG,
			     .e_machine = 190,
			     .e_shnum = SECTIONS,
			     .e_shstrndx = NAMES,
			     .e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Shdr sections[SECTIONS] = {0};
	const Elf64_Sym symbols[] = {{0}, {.st_shndx = CODE}};
	Elf64_Rela place = {.r_info = ELF64_R_INFO(1, 2), .r_addend = 16};
	struct text lines = TEXT_INIT;

	lines_make(&lines, made);
	place.r_offset = lines.length - made->program.length + 3;
	header.e_ident[EI_CLASS] = ELFCLASS64;
	text_add_bytes(file, &header, sizeof(header));
	section_put(file, &sections[NAMES], SHT_STRTAB, names, sizeof(names));
	section_put(file, &sections[SYMBOLS], SHT_SYMTAB, symbols, sizeof(symbols));
	section_put(file, &sections[STRINGS], SHT_PROGBITS, made->strings, made->strings_length);
	section_put(file, &sections[LINES], SHT_PROGBITS, lines.data, lines.length);
	section_put(file, &sections[PLACES], SHT_RELA, &place, sizeof(place));
	section_put(file, &sections[CODE], SHT_PROGBITS, "", 0);
	for (int i = 0; i < SECTIONS; i++)
		sections[i].sh_name = name_at[i];
	header.e_shoff = file->length;
	memcpy(file->data, &header, sizeof(header));
	text_add_bytes(file, sections, sizeof(sections));
	text_release(&lines);
}

#define STATEMENT(text, bytes) text_add_bytes(text, bytes, sizeof(bytes) - 1)
#define SET_ADDRESS "\0\x09\2\0\0\0\0\0\0\0\0"
#define ROW "\1"
#define SET_LINE_AFTER(lines) "\3" lines
#define ADVANCE "\2\x10"
#define END "\0\1\1"

/* Reads a cubin with these statements. The table is NULL if it is refused. */
static struct line_table *made_table(int version, const void *statements, size_t length)
{
	struct made_cubin made = {TEXT_INIT, version, "?f\0g", 5};
	struct text file = TEXT_INIT;
	struct line_table *table;
	struct error err = {0};
	int rc;

	text_add_bytes(&made.program, statements, length);
	cubin_make(&file, &made);
	rc = line_table_read(&table, file.data, file.length, &err);
	assert_int_equal(rc, table ? 0 : PL_EPARSE);
	text_release(&made.program);
	text_release(&file);
	return table;
}

static void expect_made(int version, const void *statements, size_t length, const char *chains)
{
	struct line_table *table = made_table(version, statements, length);
	char *found;

	assert_non_null(table);
	found = chains_of(table, "k");
	assert_string_equal(found, chains);
	free(found);
	line_table_free(table);
}
#define EXPECT_MADE(version, statements, chains) \
	expect_made(version, statements, sizeof(statements) - 1, chains)

static void versions_of_lines_are_read_or_passed_over(void **state)
{
	static const char statements[] =
		SET_ADDRESS ROW ADVANCE "\4\2" SET_LINE_AFTER("\4") ROW ADVANCE END;
	struct line_table *table;

	(void)state;
	for (int version = 2; version <= 4; version++)
		EXPECT_MADE(version, statements, "a:1\nb:5\n");
	EXPECT_MADE(5, statements, "");
	EXPECT_MADE(1, statements, "");
	table = made_table(2, statements, sizeof(statements) - 1);
	assert_int_equal(line_table_find(table, "k", 15), -1);
	assert_string_equal(line_table_frame(table, line_table_find(table, "k", 16))->file, "/d/a");
	assert_string_equal(line_table_frame(table, line_table_find(table, "k", 47))->file, "/b");
	assert_int_equal(line_table_find(table, "k", 48), -1);
	line_table_free(table);
}

static void calls_count_rows_of_their_sequence(void **state)
{
	(void)state;
	/* row 2 is called from row 1, and row 3 from row 2 */
	EXPECT_MADE(2,
		    SET_ADDRESS ROW ADVANCE "\0\3\x90\1\0" SET_LINE_AFTER("\4") ROW ADVANCE
		    "\0\3\x90\2\2" SET_LINE_AFTER("\4") ROW ADVANCE "\0\3\x90\0\0" ROW END,
		    "a:1\na:5 f < a:1\na:9 g < a:5 f < a:1\na:9\n");
	/* of two rows at an offset, the last one counts; a row is not called from a later one */
	EXPECT_MADE(2,
		    SET_ADDRESS ROW "\0\3\x90\1\2" SET_LINE_AFTER("\1") ROW ADVANCE
		    "\0\3\x90\7\0" ROW ADVANCE END,
		    "a:2 g < a:1\na:2 f\n");
}

static void malformed_lines_are_refused(void **state)
{
	struct text deep = TEXT_INIT;

	(void)state;
	assert_null(made_table(2, SET_ADDRESS "\0\3\x90\1\x40" ROW, 17)); /* no such name */
	assert_null(made_table(2, SET_ADDRESS "\0\x7f\x90", 14));
	assert_null(made_table(2, SET_ADDRESS "\2\xff", 13));
	/* each row is called from the one before */
	STATEMENT(&deep, SET_ADDRESS ROW);
	for (unsigned i = 1; i <= LINE_DEPTH_LIMIT; i++) {
		const char call[] = {0, 4, (char)0x90, (char)(i % 128 + 128), (char)(i / 128), 0};

		text_add_bytes(&deep, call, 6);
		STATEMENT(&deep, ROW);
		if (i == LINE_DEPTH_LIMIT - 1) {
			struct line_table *table = made_table(2, deep.data, deep.length);

			assert_non_null(table);
			line_table_free(table);
		}
	}
	assert_null(made_table(2, deep.data, deep.length));
	text_release(&deep);
}

int main(void)
{
	const struct CMUnitTest made[] = {
		cmocka_unit_test(versions_of_lines_are_read_or_passed_over),
		cmocka_unit_test(calls_count_rows_of_their_sequence),
		cmocka_unit_test(malformed_lines_are_refused),
	};
	const struct CMUnitTest compiled[] = {
		IN_SANDBOX(calls_that_were_inlined_have_their_callers),
		IN_SANDBOX(architectures_are_read_alike),
		IN_SANDBOX(files_with_one_name_stay_apart),
		IN_SANDBOX(names_may_be_long),
		IN_SANDBOX(damaged_cubins_are_refused_or_read),
	};
	const int failed = cmocka_run_group_tests(made, NULL, NULL);

	if (failed || !sandbox_has_tools())
		return failed ? failed : 77;
	return cmocka_run_group_tests(compiled, NULL, NULL);
}
