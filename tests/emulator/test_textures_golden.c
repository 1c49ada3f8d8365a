/*
 * Textures and surfaces give what an H200 gives: every line of tests/golden/ptx/textures.txt, which
 * tests/gpu/textures/ recorded and describes.
 */
#include "emulator/texture.h"
#include "support_machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN "tests/golden/ptx/textures.txt"
#define ROW_WORDS 8 /* of inputs, and of results */
#define MOST_ROWS 4096
#define MEMORY_BYTES (1 << 24)

/* ---- texels, as the probe fills them ---- */

static uint32_t hash32(uint32_t x)
{
	x ^= x >> 16, x *= 0x85ebca6bu, x ^= x >> 13, x *= 0xc2b2ae35u, x ^= x >> 16;
	return x;
}

static uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* n / 64 as a half. It is exact: |n| <= 1024. */
static uint32_t half_of(int n)
{
	uint32_t bits = bits_of((float)n / 64);

	return n ? (bits >> 16 & 0x8000) | (((bits & 0x7fffffff) - 0x38000000) >> 13) : 0;
}

static uint32_t component(enum texel_type type, const char *content, uint32_t i, uint32_t c)
{
	static const uint32_t special[8] = {0x00000000, 0x3f800000, 0x7f800000, 0x3f800000,
					    0x7fc01234, 0x80000000, 0x00000123, 0x7f7fffff};
	uint32_t h = hash32(i * 4 + c + 1);

	if (strcmp(content, "index") == 0)
		h = i * 4 + c;
	if (type != TEXEL_F32 && type != TEXEL_F16)
		return h;
	if (type == TEXEL_F16)
		return half_of((int)(h & 2047) - 1024);
	if (strcmp(content, "step") == 0)
		return i & 1 ? 0x3f800000 : 0;
	if (strcmp(content, "special") == 0)
		return special[(i + c) & 7];
	if (strcmp(content, "index") == 0)
		return bits_of((float)h);
	return bits_of(ldexpf((float)((int)(h >> 8) - (1 << 23)), -20));
}

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

/* An object of the file, and what it needs. */
struct object {
	char what[200]; /* its line */
	struct emulated_texture texture;
	char content[16];
	int levels;
	size_t bytes;
	struct device_memory *memory;
	uint64_t handle;
	bool usable;
};

static enum texel_type type_named(const char *name)
{
	static const char *const names[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum texel_type)i;
	fail_msg("no texel type %s", name);
	return TEXEL_U8;
}

static enum address_mode mode_named(const char *name)
{
	return *name == 'w'   ? ADDRESS_WRAP
	       : *name == 'm' ? ADDRESS_MIRROR
	       : *name == 'b' ? ADDRESS_BORDER
			      : ADDRESS_CLAMP;
}

static size_t channel_bytes(enum texel_type type)
{
	static const size_t bytes[] = {
#define X(symbol, name, bytes) bytes,
		TEXEL_TYPE_LIST(X)
#undef X
	};

	return bytes[type];
}

static enum texture_geometry geometry_of(const char *kind, int dimensions)
{
	if (strcmp(kind, "layered") == 0)
		return dimensions == 1 ? GEOMETRY_A1D : GEOMETRY_A2D;
	if (strcmp(kind, "cube") == 0)
		return GEOMETRY_CUBE;
	if (strcmp(kind, "cubelayered") == 0)
		return GEOMETRY_ACUBE;
	return (enum texture_geometry)(GEOMETRY_1D + dimensions - 1);
}

static void fill(struct object *object)
{
	const struct emulated_texture *texture = &object->texture;
	const size_t bytes = channel_bytes(texture->type);
	unsigned char *to = device_memory_data(object->memory, texture->address);
	size_t channels = (size_t)texture->channels;

	for (size_t i = 0; i < object->bytes / bytes; i++) {
		uint32_t word = component(texture->type, object->content, (uint32_t)(i / channels),
					  (uint32_t)(i % channels));

		memcpy(to + i * bytes, &word, bytes);
	}
}

static void object_open(struct object *object, const char *line)
{
	char kind[16], format[8], filter[8] = "", mip[8], modes[3][8] = {"", "", ""}, read[12] = "",
				  border[8] = "", coordinates[12] = "";
	int dimensions, w, h, d;
	struct emulated_texture *texture = &object->texture;
	struct error err = {0};

	*object = (struct object){.levels = 0};
	snprintf(object->what, sizeof(object->what), "%s", line);
	texture->surface = *line == 's';
	if (texture->surface)
		assert_int_equal(sscanf(line, "surface %15s %d %d %d %d %7s %d %15s", kind,
					&dimensions, &w, &h, &d, format, &texture->channels,
					object->content),
				 8);
	else
		assert_int_equal(sscanf(line,
					"texture %15s %d %d %d %d %d %7s %d %15s %7s %7s %7s %7s "
					"%7s %11s %11s %7s",
					kind, &dimensions, &w, &h, &d, &object->levels, format,
					&texture->channels, object->content, filter, mip, modes[0],
					modes[1], modes[2], coordinates, read, border),
				 17);
	texture->fetched = strcmp(kind, "linear") == 0;
	texture->geometry = geometry_of(kind, dimensions);
	texture->width = w;
	texture->height = h ? h : 1;
	texture->depth = d ? d : 1;
	texture->type = type_named(format);
	texture->linear = *filter == 'l';
	texture->normalised = *coordinates == 'n';
	texture->as_float = *read == 'n';
	for (int i = 0; i < 3; i++)
		texture->modes[i] = mode_named(modes[i]);
	object->bytes = (size_t)(texture->width * texture->height * texture->depth) *
			(size_t)texture->channels * channel_bytes(texture->type);
	object->memory = device_memory_create(MEMORY_BYTES);
	assert_int_equal(device_memory_allocate(object->memory, (int64_t)object->bytes, "texels",
						&texture->address, &err),
			 0);
	fill(object);
	/* Mipmaps and other border colours are not emulated. */
	object->usable = object->levels == 0 && *border != 'c';
	if (object->usable &&
	    device_memory_add_texture(object->memory, texture, "texels", &object->handle, &err))
		fail_msg("%s: %s", line, err.text);
}

static void object_close(struct object *object)
{
	device_memory_free(object->memory);
	*object = (struct object){0};
}

/* ---- instructions ---- */

static bool has(const char *name, const char *word)
{
	const char *at = strstr(name, word);

	return at && (at[strlen(word)] == '.' || !at[strlen(word)]);
}

/* The words of coordinates, as they stand in brackets. */
static int add_place(struct text *out, const char *name)
{
	int words = has(name, ".1d")                        ? 1
		    : has(name, ".2d") || has(name, ".a1d") ? 2
		    : has(name, ".acube")                   ? 4
							    : 3;

	text_add(out, "[%t, {");
	for (int i = 0; i < (words == 3 ? 4 : words); i++)
		text_addf(out, "%s%%a%d", i ? ", " : "", i < words ? i : words - 1);
	text_add(out, "}]");
	return words;
}

/* The instruction, with what it needs before and after it. Operands are in %a0 to %a7, results go
 * to %q0 to %q3. */
static void add_instruction(struct text *out, const char *name)
{
	int words;

	if (strncmp(name, "txq", 3) == 0 || strncmp(name, "suq", 3) == 0) {
		text_addf(out, "%s %%q0, [%%t];\n", name);
	} else if (strncmp(name, "suld", 4) == 0) {
		bool narrow = has(name, ".b8") || has(name, ".b16"), wide = has(name, ".b64");

		text_addf(out, "%s %s, ", name,
			  narrow             ? "%h0"
			  : wide             ? "%d0"
			  : has(name, ".v4") ? "{%q0, %q1, %q2, %q3}"
					     : "%q0");
		add_place(out, name);
		text_addf(out, ";\n%s",
			  narrow ? "cvt.u32.u16 %q0, %h0;\n"
			  : wide ? "mov.b64 {%q0, %q1}, %d0;\n"
				 : "");
	} else if (strncmp(name, "su", 2) == 0) {
		struct text place = TEXT_INIT;
		bool narrow = has(name, ".b8") || has(name, ".b16");

		words = add_place(&place, name);
		if (narrow)
			text_addf(out, "cvt.u16.u32 %%h0, %%a%d;\n", words);
		text_addf(out, "%s %s, ", name, place.data);
		if (has(name, ".v4"))
			text_addf(out, "{%%a%d, %%a%d, %%a%d, %%a%d};\n", words, words + 1,
				  words + 2, words + 3);
		else if (narrow)
			text_add(out, "%h0;\n");
		else
			text_addf(out, "%%a%d;\n", words);
		text_release(&place);
	} else {
		text_addf(out, "%s {%s}, ", name,
			  has(name, ".v2") ? "%q0, %q1" : "%q0, %q1, %q2, %q3");
		words = add_place(out, name);
		if (has(name, ".level"))
			text_addf(out, ", %%a%d", words);
		for (int k = 0; k < 2 && has(name, ".grad"); k++) {
			text_add(out, ", {");
			for (int i = 0; i < words; i++)
				text_addf(out, "%s%%a%d", i ? ", " : "", words * (k + 1) + i);
			text_add(out, "}");
		}
		text_add(out, ";\n");
	}
}

static void add_module(struct text *out, const char *name)
{
	text_add(out, MACHINE_HEADER
		 ".visible .entry k(.param .u64 object, .param .u64 in, .param .u64 out)\n{\n"
		 ".reg .b32 %a<8>, %q<4>, %i;\n.reg .b16 %h<2>;\n"
		 ".reg .b64 %t, %in, %out, %o, %d<2>;\n"
		 "ld.param.u64 %t, [object];\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
		 "mov.u32 %i, %tid.x;\nmad.wide.u32 %in, %i, 32, %in;\n"
		 "mad.wide.u32 %out, %i, 32, %out;\n"
		 "mov.u32 %q0, 0;\nmov.u32 %q1, 0;\nmov.u32 %q2, 0;\nmov.u32 %q3, 0;\n");
	for (int i = 0; i < 8; i++)
		text_addf(out, "ld.global.u32 %%a%d, [%%in+%d];\n", i, 4 * i);
	add_instruction(out, name);
	for (int i = 0; i < 4; i++)
		text_addf(out, "st.global.u32 [%%out+%d], %%q%d;\n", 4 * i, i);
	text_add(out, "ret;\n}\n");
}

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
	add_module(&ptx, name);
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
static void run_rows(const struct run *run, const struct object *object, const uint32_t *in,
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

static void compare_run(struct golden *golden, struct tally *tally, const struct object *object,
			const struct run *run, int in_words, int out_words)
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

static void compare_store(struct golden *golden, struct tally *tally, struct object *object,
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
		!has(name, ".width") && !has(name, ".height") && !has(name, ".depth"));
}

static void results_are_those_of_the_hardware(void **state)
{
	struct golden golden = {.file = fopen(GOLDEN, "r")};
	struct tally tally = {.text = TEXT_INIT};
	struct object object = {0};
	char *line;

	(void)state;
	if (!golden.file)
		fail_msg("%s cannot be read", GOLDEN);
	while ((line = golden_line(&golden))) {
		struct run run = {0};
		int in_words = 0, out_words = 0;
		char name[64];

		if (*line == '#' || strncmp(line, "trap", 4) == 0 ||
		    strncmp(line, "refused", 7) == 0) {
			continue;
		} else if (strncmp(line, "texture", 7) == 0 || strncmp(line, "surface", 7) == 0) {
			object_close(&object);
			object_open(&object, line);
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
	object_close(&object);
	fclose(golden.file);
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
