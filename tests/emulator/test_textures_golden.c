/*
 * Textures give what an H200 gives: every line of tests/golden/ptx/textures.txt.zst, which
 * tests/gpu/textures/ recorded and describes. Stores to surfaces are compared too, once the file
 * has some (docs/results/ptx-opcodes.md).
 */
#include "support_textures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/packed.h"

#define GOLDEN "tests/golden/ptx/textures.txt.zst"
#define ROW_WORDS 8 /* of inputs, and of results */
#define MOST_ROWS 4096

/* ---- the file ---- */

struct golden {
	FILE *file;
	char *line;
	size_t room, number;
	bool again; /* the line is to be read again */
};

static char *golden_line(struct golden *golden)
{
	ssize_t length;

	if (golden->again) {
		golden->again = false;
		return golden->line;
	}
	length = getline(&golden->line, &golden->room, golden->file);
	golden->number++;
	if (length > 0 && golden->line[length - 1] == '\n')
		golden->line[length - 1] = '\0';
	return length < 0 ? NULL : golden->line;
}

/* ---- instructions ---- */

struct run {
	char name[64];
	struct ptx_module *module;
	struct ptx_program *program;
};

static void run_open(struct run *run, const char *name)
{
	struct unsupported_features unsupported = {0};
	struct text ptx = TEXT_INIT;
	struct error err = {0};

	snprintf(run->name, sizeof(run->name), "%s", name);
	texture_module_add(&ptx, name);
	if (ptx_module_parse(&run->module, ptx.data, ptx.length, &err) ||
	    ptx_program_decode(&run->program, run->module, "k", &unsupported, &err))
		fail_msg("%s: %s\n%s", name, err.text, ptx.data);
	unsupported_features_release(&unsupported);
	text_release(&ptx);
}

static void run_close(struct run *run)
{
	ptx_program_free(run->program);
	ptx_module_free(run->module);
}

/* A GPU reads 0 if the coordinates are of the wrong type for a 1D object. Here that is a finding.
 */
static bool is_wrong_use(const struct emulated_texture *texture, const char *name)
{
	const bool integers = strcmp(name + strlen(name) - strlen(".s32"), ".s32") == 0;

	return strncmp(name, "tex", 3) == 0 && texture->geometry == GEOMETRY_1D &&
	       integers != texture->fetched;
}

/* Executes the instruction once per row. */
static void run_rows(const struct run *run, const struct golden_object *object, const uint32_t *in,
		     uint32_t *out, size_t rows)
{
	struct {
		uint64_t object, in, out;
	} arguments = {.object = object->handle};
	struct finding_list findings = {0};
	struct emulation *emulation = NULL;
	struct error err = {0};
	const size_t bytes = ROW_WORDS * sizeof(*in);

	assert_int_equal(device_memory_allocate(object->memory, (int64_t)(rows * bytes), "in",
						&arguments.in, &err),
			 0);
	assert_int_equal(device_memory_allocate(object->memory, (int64_t)(rows * bytes), "out",
						&arguments.out, &err),
			 0);
	memcpy(device_memory_data(object->memory, arguments.in), in, rows * bytes);
	assert_int_equal(
		emulation_create(&emulation, run->program, object->memory, LANES_BEST, &err), 0);
	for (size_t first = 0; first < rows; first += 1024) {
		size_t count = rows - first < 1024 ? rows - first : 1024;
		struct emulated_launch what = {.entry = "k",
					       .grid = {1, 1, 1},
					       .block = {(int64_t)count, 1, 1},
					       .arguments = &arguments,
					       .argument_bytes = sizeof(arguments)};

		if (emulation_launch(emulation, &what, &findings, &err) ||
		    (findings.count > 0) != is_wrong_use(&object->texture, run->name) ||
		    (findings.count && findings.items[0].kind != FINDING_BAD_OBJECT))
			fail_msg("%s of %s: %s %s", run->name, object->what, err.text,
				 findings.count ? findings.items[0].text : "");
		finding_list_release(&findings);
		arguments.in += count * bytes;
		arguments.out += count * bytes;
	}
	arguments.in -= rows * bytes;
	arguments.out -= rows * bytes;
	memcpy(out, device_memory_data(object->memory, arguments.out), rows * bytes);
	device_memory_release(object->memory, arguments.in);
	device_memory_release(object->memory, arguments.out);
	finding_list_release(&findings);
	emulation_free(emulation);
}

/* ---- comparing ---- */

struct tally {
	size_t lines, wrong, runs;
	struct text text;
};

/*
 * How far a result may be from the recorded one. Filters of three axes have other weights in a
 * tenth of the cases: by 1 / 256 of a texel, of which none is over 8. Filtered signed bytes may
 * differ in the last of 16 bits.
 */
static double tolerance_of(const struct emulated_texture *texture)
{
	if (!texture->linear)
		return 0;
	if (texture->geometry == GEOMETRY_3D)
		return texture->as_float ? 4.0 / 256 : 32.0 / 256;
	return texture->type == TEXEL_I8 ? 1.1 / 32767 : 0;
}

static double half_value(uint32_t half)
{
	const double mantissa = half & 0x3ff, exponent = half >> 10 & 31;
	const double value =
		exponent ? ldexp(1024 + mantissa, (int)exponent - 25) : ldexp(mantissa, -24);

	return half & 0x8000 ? -value : value;
}

static bool is_close(uint32_t a, uint32_t b, double tolerance, bool halves)
{
	float x, y;

	if (a == b || tolerance == 0)
		return a == b;
	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	/* a half has a tenth of a float's digits */
	return halves ? fabs(half_value(a & 0xffff) - half_value(b & 0xffff)) <= 0x1p-10 &&
				fabs(half_value(a >> 16) - half_value(b >> 16)) <= 0x1p-10
		      : fabs((double)x - (double)y) <= tolerance;
}

static void compare_run(struct golden *golden, struct tally *tally,
			const struct golden_object *object, const struct run *run, int in_words,
			int out_words)
{
	static uint32_t in[MOST_ROWS * ROW_WORDS], out[MOST_ROWS * ROW_WORDS],
		wanted[MOST_ROWS * ROW_WORDS];
	const double tolerance = tolerance_of(&object->texture);
	size_t rows = 0, wrong = 0;
	char *line;

	memset(in, 0, sizeof(in));
	while ((line = golden_line(golden)) &&
	       (*line == ' ' || *line == '=' || strspn(line, "0123456789abcdef") == 8)) {
		char *at = line;

		assert_true(rows < MOST_ROWS);
		for (int i = 0; i < in_words; i++)
			in[rows * ROW_WORDS + (size_t)i] = (uint32_t)strtoul(at, &at, 16);
		at = strchr(at, '=') + 1;
		for (int i = 0; i < out_words; i++)
			wanted[rows * ROW_WORDS + (size_t)i] = (uint32_t)strtoul(at, &at, 16);
		rows++;
	}
	golden->again = line != NULL;
	if (!object->usable)
		return;
	run_rows(run, object, in, out, rows);
	if (is_wrong_use(&object->texture, run->name))
		memset(out, 0, sizeof(out));
	for (size_t i = 0; i < rows; i++) {
		bool same = true;

		for (int k = 0; k < out_words; k++)
			same &= is_close(out[i * ROW_WORDS + (size_t)k],
					 wanted[i * ROW_WORDS + (size_t)k], tolerance,
					 strstr(run->name, "f16x2") != NULL);
		if (same)
			continue;
		if (wrong++ == 0 && tally->wrong < 100000)
			text_addf(&tally->text, "%s\n  %s\n", object->what, run->name);
		if (wrong > 6)
			continue;
		text_add(&tally->text, "    ");
		for (int k = 0; k < in_words; k++)
			text_addf(&tally->text, "%08x ", in[i * ROW_WORDS + (size_t)k]);
		text_add(&tally->text, "=");
		for (int k = 0; k < out_words; k++)
			text_addf(&tally->text, " %08x", wanted[i * ROW_WORDS + (size_t)k]);
		text_add(&tally->text, " but");
		for (int k = 0; k < out_words; k++)
			text_addf(&tally->text, " %08x", out[i * ROW_WORDS + (size_t)k]);
		text_add(&tally->text, "\n");
	}
	if (wrong)
		text_addf(&tally->text, "    %zu of %zu\n", wrong, rows);
	tally->lines += rows;
	tally->wrong += wrong;
	tally->runs++;
}

static void compare_store(struct golden *golden, struct tally *tally, struct golden_object *object,
			  const struct run *run, int in_words)
{
	unsigned char *data = device_memory_data(object->memory, object->texture.address);
	unsigned char *before = malloc(object->bytes);
	size_t wrong = 0;
	char *line;

	memcpy(before, data, object->bytes);
	while ((line = golden_line(golden)) && strspn(line, "0123456789abcdef") == 8) {
		uint32_t in[ROW_WORDS] = {0}, out[ROW_WORDS];
		struct text changed = TEXT_INIT;
		char *at = line;

		for (int i = 0; i < in_words; i++)
			in[i] = (uint32_t)strtoul(at, &at, 16);
		at = strchr(at, '=') + 1;
		run_rows(run, object, in, out, 1);
		text_add(&changed, "");
		for (size_t i = 0; i < object->bytes; i++)
			if (data[i] != before[i])
				text_addf(&changed, " %zx:%02x", i, data[i]);
		if (strcmp(at, changed.data) != 0) {
			if (wrong++ == 0)
				text_addf(&tally->text, "%s\n  %s\n", object->what, run->name);
			text_addf(&tally->text, "    %s but%s\n", line, changed.data);
		}
		tally->lines++;
		memcpy(data, before, object->bytes);
		text_release(&changed);
	}
	golden->again = line != NULL;
	tally->wrong += wrong;
	tally->runs++;
	free(before);
}

/* What the emulator refuses. */
static bool is_refused(const char *name)
{
	return strncmp(name, "txq.level", 9) == 0 ||
	       ((strncmp(name, "txq", 3) == 0 || strncmp(name, "suq", 3) == 0) &&
		!texture_name_has(name, ".width") && !texture_name_has(name, ".height") &&
		!texture_name_has(name, ".depth"));
}

static void results_are_those_of_the_hardware(void **state)
{
	struct golden golden = {0};
	struct tally tally = {.text = TEXT_INIT};
	struct golden_object object = {0};
	struct error err = {0};
	char *text, *line;
	size_t length;

	(void)state;
	if (packed_read(&text, &length, GOLDEN, &err))
		fail_msg("%s", err.text);
	golden.file = fmemopen(text, length, "r");
	assert_non_null(golden.file);
	while ((line = golden_line(&golden))) {
		struct run run = {0};
		int in_words = 0, out_words = 0;
		char name[64];

		if (*line == '#' || strncmp(line, "trap", 4) == 0 ||
		    strncmp(line, "refused", 7) == 0) {
			continue;
		} else if (strncmp(line, "texture", 7) == 0 || strncmp(line, "surface", 7) == 0) {
			golden_object_close(&object);
			golden_object_open(&object, line);
		} else if (sscanf(line, "run %63s in=%d out=%d", name, &in_words, &out_words) ==
			   3) {
			if (is_refused(name)) {
				while ((line = golden_line(&golden)) && strchr(line, '=') &&
				       !strchr("rst", *line))
					;
				golden.again = line != NULL;
				continue;
			}
			run_open(&run, name);
			compare_run(&golden, &tally, &object, &run, in_words, out_words);
		} else if (sscanf(line, "store %63s in=%d", name, &in_words) == 2) {
			run_open(&run, name);
			compare_store(&golden, &tally, &object, &run, in_words);
		} else {
			fail_msg("line %zu of the golden file: %s", golden.number, line);
		}
		run_close(&run);
	}
	golden_object_close(&object);
	fclose(golden.file);
	free(text);
	free(golden.line);
	if (tally.wrong)
		printf("%s", tally.text.data);
	printf("%zu of %zu lines of %zu runs differ\n", tally.wrong, tally.lines, tally.runs);
	text_release(&tally.text);
	assert_int_equal(tally.wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_those_of_the_hardware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
