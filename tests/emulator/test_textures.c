/* Textures and surfaces: objects, findings, counts, and the results that CUDA documents.
 * test_textures_golden.c has those of a GPU. */
#include "emulator/texture.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* ---- running ---- */

#define THREADS 8

/* A kernel whose threads read in[tid] and write out[tid]. `%t` is the handle. */
#define TEXTURE_KERNEL(body)                                                              \
	MACHINE_HEADER ".visible .entry k(.param .u64 object, "                           \
		       ".param .u64 in, .param .u64 out)\n{\n"                            \
		       ".reg .b32 %a, %b, %q<4>, %i;\n.reg .b64 %t, %in, %out;\n"         \
		       "ld.param.u64 %t, [object];\nld.param.u64 %in, [in];\n"            \
		       "ld.param.u64 %out, [out];\nmov.u32 %i, %tid.x;\n"                 \
		       "mad.wide.u32 %in, %i, 4, %in;\nmad.wide.u32 %out, %i, 4, %out;\n" \
		       "ld.global.u32 %a, [%in];\nmov.u32 %q0, 77;\n" body                \
		       "st.global.u32 [%out], %q0;\nret;\n}\n"

struct texture_run {
	struct device_memory *memory;
	struct ptx_module *module;
	struct ptx_program *program;
	struct emulation *emulation;
	uint64_t texels, in, out;
	uint32_t *results;
	float *contents;
	struct finding_list findings;
};

static void run_open(struct texture_run *run, const char *ptx)
{
	struct unsupported_features unsupported = {0};
	struct error err = {0};

	*run = (struct texture_run){.memory = device_memory_create(1 << 20)};
	if (ptx_module_parse(&run->module, ptx, strlen(ptx), &err) ||
	    ptx_program_decode(&run->program, run->module, "k", &unsupported, &err) ||
	    device_memory_allocate(run->memory, 16 * 4, "image", &run->texels, &err) ||
	    device_memory_allocate(run->memory, THREADS * 4, "in", &run->in, &err) ||
	    device_memory_allocate(run->memory, THREADS * 4, "out", &run->out, &err) ||
	    emulation_create(&run->emulation, run->program, run->memory, LANES_BEST, &err))
		fail_msg("%s", err.text);
	run->contents = device_memory_data(run->memory, run->texels);
	run->results = device_memory_data(run->memory, run->out);
	for (int i = 0; i < 16; i++)
		run->contents[i] = (float)(10 + i);
	unsupported_features_release(&unsupported);
}

static void run_with(struct texture_run *run, uint64_t handle, const uint32_t in[THREADS])
{
	const uint64_t arguments[] = {handle, run->in, run->out};
	const struct emulated_launch what = {.entry = "k",
					     .grid = {1, 1, 1},
					     .block = {THREADS, 1, 1},
					     .arguments = arguments,
					     .argument_bytes = sizeof(arguments)};
	struct error err = {0};

	memcpy(device_memory_data(run->memory, run->in), in, THREADS * 4);
	if (emulation_launch(run->emulation, &what, &run->findings, &err))
		fail_msg("%s", err.text);
}

static void run_close(struct texture_run *run)
{
	emulation_free(run->emulation);
	ptx_program_free(run->program);
	ptx_module_free(run->module);
	finding_list_release(&run->findings);
	device_memory_free(run->memory);
}

/* 4 x 4 texels of f32 over `image`. */
static struct emulated_texture image_of(const struct texture_run *run)
{
	return (struct emulated_texture){.geometry = GEOMETRY_2D,
					 .address = run->texels,
					 .width = 4,
					 .height = 4,
					 .depth = 1,
					 .type = TEXEL_F32,
					 .channels = 1};
}

static uint64_t add(struct texture_run *run, const struct emulated_texture *texture)
{
	struct error err = {0};
	uint64_t handle = 0;

	if (device_memory_add_texture(run->memory, texture, "image", &handle, &err))
		fail_msg("%s", err.text);
	return handle;
}

static uint32_t bits(float value)
{
	uint32_t out;

	memcpy(&out, &value, sizeof(out));
	return out;
}

static void assert_floats(const struct texture_run *run, const float wanted[THREADS])
{
	if (run->findings.count)
		fail_msg("%s", run->findings.items[0].text);
	for (int i = 0; i < THREADS; i++)
		if (run->results[i] != bits(wanted[i]))
			fail_msg("thread %d: %08x instead of %08x", i, run->results[i],
				 bits(wanted[i]));
}

#define ROW "tex.2d.v4.f32.f32 {%q0, %q1, %q2, %q3}, [%t, {%a, %b}];\n"

/* In the second row: 14, 15, 16, 17. */
static void points_and_what_lies_outside(void **state)
{
	const uint32_t in[THREADS] = {bits(0.0f),  bits(0.99f), bits(1.5f),  bits(3.9f),
				      bits(4.25f), bits(-0.5f), bits(-2.1f), bits(100.0f)};
	struct texture_run run;
	struct emulated_texture image;

	(void)state;
	run_open(&run, TEXTURE_KERNEL("mov.b32 %b, 0f3FC00000;\n" ROW));
	image = image_of(&run);
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){14, 14, 15, 17, 17, 14, 14, 17});
	image.modes[0] = ADDRESS_BORDER;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){14, 14, 15, 17, 0, 0, 0, 0});
	image.modes[0] = ADDRESS_WRAP; /* acts as clamp, since coordinates count texels */
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){14, 14, 15, 17, 17, 14, 14, 17});
	run_close(&run);
}

static void normalised_coordinates(void **state)
{
	const uint32_t in[THREADS] = {bits(0.1f),  bits(0.3f), bits(0.9f),  bits(1.1f),
				      bits(-0.1f), bits(1.4f), bits(-0.6f), bits(2.1f)};
	struct texture_run run;
	struct emulated_texture image;

	(void)state;
	run_open(&run, TEXTURE_KERNEL("mov.b32 %b, 0f3EC00000;\n" ROW)); /* 0.375: row 1 */
	image = image_of(&run);
	image.normalised = true;
	image.modes[0] = ADDRESS_WRAP;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){14, 15, 17, 14, 17, 15, 15, 14});
	image.modes[0] = ADDRESS_MIRROR;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){14, 15, 17, 17, 14, 16, 16, 14});
	run_close(&run);
}

/* Half-way and quarter-way weights are exact. */
static void linear_filters(void **state)
{
	const uint32_t in[THREADS] = {bits(0.5f), bits(1.0f),  bits(1.25f), bits(2.75f),
				      bits(0.0f), bits(-3.0f), bits(4.0f),  bits(9.0f)};
	struct texture_run run;
	struct emulated_texture image;

	(void)state;
	run_open(&run, TEXTURE_KERNEL("mov.b32 %b, 0f40000000;\n" ROW)); /* between rows 1 and 2 */
	image = image_of(&run);
	image.linear = true;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){16, 16.5f, 16.75f, 18.25f, 16, 16, 19, 19});
	image.modes[0] = ADDRESS_BORDER;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){16, 16.5f, 16.75f, 18.25f, 8, 0, 9.5f, 0});
	run_close(&run);
}

/* Places that overflow 64 bits when they are counted in parts of a texel. */
static void filters_far_outside(void **state)
{
	const uint32_t in[THREADS] = {bits(1e12f), bits(-1e12f), bits(3e38f),     bits(-3e38f),
				      0x7f800000,  0xff800000,   bits(0.999999f), bits(1e-6f)};
	const int64_t width = 65536;
	struct texture_run run;
	struct emulated_texture image;
	struct error err = {0};
	float *texels;

	(void)state;
	run_open(&run, TEXTURE_KERNEL("tex.1d.v4.f32.f32 {%q0, %q1, %q2, %q3}, [%t, {%a}];\n"));
	image = image_of(&run);
	image.geometry = GEOMETRY_1D;
	image.height = 1;
	image.width = width;
	image.linear = image.normalised = true;
	assert_int_equal(
		device_memory_allocate(run.memory, 4 * width, "wide", &image.address, &err), 0);
	texels = device_memory_data(run.memory, image.address);
	for (int64_t i = 0; i < width; i++)
		texels[i] = i < width / 2 ? 1 : 2;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){2, 1, 2, 1, 2, 1, 2, 1});
	run_close(&run);
}

static void other_formats(void **state)
{
	static const uint8_t bytes[] = {0, 255, 128, 51, 1, 2, 3, 4};
	const uint32_t in[THREADS] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct texture_run run;
	struct emulated_texture image;

	(void)state;
	run_open(&run, TEXTURE_KERNEL("tex.1d.v4.f32.s32 {%q0, %q1, %q2, %q3}, [%t, {%a}];\n"));
	image = image_of(&run);
	memcpy(run.contents, bytes, sizeof(bytes));
	image.geometry = GEOMETRY_1D;
	image.width = 8;
	image.height = 1;
	image.type = TEXEL_U8;
	image.fetched = true;
	image.as_float = true;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){0, 1, 128 / 255.0f, 0.2f, 1 / 255.0f, 2 / 255.0f, 3 / 255.0f,
				      4 / 255.0f});
	image.as_float = false;
	image.type = TEXEL_I8;
	run_with(&run, add(&run, &image), in);
	assert_int_equal((int32_t)run.results[1], -1);
	assert_int_equal((int32_t)run.results[3], 51);
	image.width = 3;
	run_with(&run, add(&run, &image), in);
	assert_int_equal((int32_t)run.results[2], -128);
	assert_int_equal(run.results[3], 0); /* beyond the memory */
	run_close(&run);
}

static void surfaces_inside_and_outside(void **state)
{
	const uint32_t in[THREADS] = {0, 4, 12, 16, 100, (uint32_t)-4, (uint32_t)-100, 8};
	struct texture_run run;
	struct emulated_texture image;

	(void)state;
	run_open(&run, TEXTURE_KERNEL("suld.b.2d.b32.zero %q0, [%t, {%a, 1}];\n"));
	image = image_of(&run);
	image.surface = true;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){14, 15, 17, 0, 0, 0, 0, 16});
	run_close(&run);
	run_open(&run, TEXTURE_KERNEL("suld.b.2d.b32.clamp %q0, [%t, {%a, -1}];\n"));
	image.address = run.texels;
	run_with(&run, add(&run, &image), in);
	assert_floats(&run, (float[]){10, 11, 13, 13, 13, 10, 10, 12});
	run_close(&run);
	run_open(&run, TEXTURE_KERNEL("sust.b.2d.b32.zero [%t, {%a, 3}], %i;\n"
				      "sured.b.2d.add.u32.zero [%t, {0, 0}], %i;\n"));
	image.address = run.texels;
	memset(run.contents, 0, 4);
	run_with(&run, add(&run, &image), in);
	assert_int_equal(run.findings.count, 0);
	assert_memory_equal(run.contents + 12, ((uint32_t[]){0, 1, 7, 2}), 16);
	assert_memory_equal(run.contents, ((uint32_t[]){28}), 4); /* 0 + 1 + … + 7 */
	run_close(&run);
}

/* ---- findings ---- */

static void expect_finding(const char *body, const struct emulated_texture *change, bool has_handle,
			   enum finding_kind kind, const char *words)
{
	char *ptx = xasprintf("%s", body);
	struct texture_run run;
	struct emulated_texture image;
	const uint32_t in[THREADS] = {0};

	run_open(&run, ptx);
	image = image_of(&run);
	image.surface = change->surface;
	image.geometry = change->geometry;
	image.height = change->height;
	if (change->width)
		image.width = change->width;
	run_with(&run, has_handle ? add(&run, &image) : run.texels, in);
	assert_int_equal(run.findings.count, 1);
	assert_int_equal(run.findings.items[0].kind, kind);
	if (!strstr(run.findings.items[0].text, words))
		fail_msg("%s", run.findings.items[0].text);
	run_close(&run);
	free(ptx);
}

static void what_is_no_object_is_found(void **state)
{
	const struct emulated_texture plain = {.geometry = GEOMETRY_2D, .height = 4};
	const struct emulated_texture line = {.geometry = GEOMETRY_1D, .height = 1};
	const struct emulated_texture surface = {
		.surface = true, .geometry = GEOMETRY_2D, .height = 4};
	const struct emulated_texture narrow = {
		.surface = true, .geometry = GEOMETRY_2D, .width = 1, .height = 4};

	(void)state;
	expect_finding(TEXTURE_KERNEL("mov.b32 %b, 0;\n" ROW), &plain, false, FINDING_BAD_OBJECT,
		       "which is no texture or surface of this launch");
	expect_finding(TEXTURE_KERNEL("mov.b32 %b, 0;\nmov.u64 %t, 0;\n" ROW), &plain, true,
		       FINDING_BAD_OBJECT, "tex with the handle 0x0");
	expect_finding(TEXTURE_KERNEL("mov.b32 %b, 0;\n" ROW), &line, true, FINDING_BAD_OBJECT,
		       "tex 2D of 'image', which is 1D");
	expect_finding(TEXTURE_KERNEL("tex.1d.v4.f32.s32 {%q0, %q1, %q2, %q3}, [%t, {%a}];\n"),
		       &line, true, FINDING_BAD_OBJECT,
		       "'image', which is an array: with integer coordinates a GPU reads 0");
	expect_finding(TEXTURE_KERNEL("suld.b.2d.b32.zero %q0, [%t, {2, 0}];\n"), &surface, true,
		       FINDING_MISALIGNED, "at byte 2 of a row of 'image'");
	expect_finding(TEXTURE_KERNEL("mov.b32 %b, 0;\n" ROW), &surface, true, FINDING_BAD_OBJECT,
		       "'image', which is a surface");
	expect_finding(TEXTURE_KERNEL("suld.b.2d.b32.zero %q0, [%t, {0, 0}];\n"), &plain, true,
		       FINDING_BAD_OBJECT, "'image', which is a texture");
	expect_finding(TEXTURE_KERNEL("txq.width.b32 %q0, [%t];\n"), &plain, false,
		       FINDING_BAD_OBJECT, "txq with the handle");
	expect_finding(TEXTURE_KERNEL("suld.b.2d.b32.trap %q0, [%t, {16, 1}];\n"), &surface, true,
		       FINDING_OUT_OF_BOUNDS,
		       "a surface load at byte 16, row 1, slice 0 of 'image' (4 x 4 x 1 texels");
	expect_finding(TEXTURE_KERNEL("sust.b.2d.b32.trap [%t, {0, 4}], %i;\n"), &surface, true,
		       FINDING_OUT_OF_BOUNDS, "a surface store at byte 0, row 4");
	expect_finding(TEXTURE_KERNEL("sust.b.2d.v4.b32.clamp [%t, {0, 0}], {%i, %i, %i, %i};\n"),
		       &narrow, true, FINDING_OUT_OF_BOUNDS,
		       "16 bytes cannot be clamped to 'image', whose rows have 4 bytes");
	expect_finding(TEXTURE_KERNEL("sured.p.2d.add.u64.zero [%t, {3, 3}], %t;\n"), &surface,
		       true, FINDING_BAD_OBJECT,
		       "sured.p of 8 bytes in 'image', whose texels have 4 bytes");
}

static void released_memory_is_found(void **state)
{
	const uint32_t in[THREADS] = {0};
	struct emulated_texture image;
	struct texture_run run;
	uint64_t handle;

	(void)state;
	run_open(&run, TEXTURE_KERNEL("mov.b32 %b, 0;\n" ROW));
	image = image_of(&run);
	handle = add(&run, &image);
	device_memory_release(run.memory, run.texels);
	run_with(&run, handle, in);
	assert_int_equal(run.findings.count, 1);
	assert_non_null(strstr(run.findings.items[0].text, "'image', whose memory is gone"));
	device_memory_release_textures(run.memory);
	finding_list_release(&run.findings);
	run_with(&run, handle, in);
	assert_non_null(strstr(run.findings.items[0].text, "which is no texture"));
	run_close(&run);
}

/* A texture instruction is none of the load and store unit. */
static void only_instructions_are_counted(void **state)
{
	const uint32_t in[THREADS] = {0};
	struct emulated_counts counts;
	struct emulated_texture image;
	struct texture_run run;

	(void)state;
	run_open(&run, TEXTURE_KERNEL("mov.b32 %b, 0;\n" ROW));
	image = image_of(&run);
	run_with(&run, add(&run, &image), in);
	emulation_counts(run.emulation, &counts);
	assert_int_equal(counts.warp_instructions, 12);
	assert_int_equal(counts.global_load_requests, 1); /* of in */
	assert_int_equal(counts.global_load_sectors, 1);
	/* compulsory: 32 bytes each of in, out and the texels */
	assert_int_equal(device_memory_touched(run.memory).read, 64);
	assert_int_equal(device_memory_touched(run.memory).written, 32);
	run_close(&run);
}

/* ---- objects ---- */

static void objects_that_cannot_be_are_refused(void **state)
{
	struct texture_run run;
	struct emulated_texture base;
	struct {
		struct emulated_texture texture;
		const char *words;
	} rows[12];
	size_t count = 0;

	(void)state;
	run_open(&run, TEXTURE_KERNEL(""));
	base = image_of(&run);
#define ROW_OF(says, ...)                                          \
	do {                                                       \
		struct emulated_texture *t = &rows[count].texture; \
		*t = base;                                         \
		__VA_ARGS__;                                       \
		rows[count++].words = says;                        \
	} while (0)
	ROW_OF("texels need 80 bytes, but 'image' has 64", t->width = 5);
	ROW_OF("there is no memory at its address", t->address = 4096);
	ROW_OF("no texture can have 0 x 4 x 1 texels", t->width = 0);
	ROW_OF("no texture can have 4 x 4 x 1 texels", t->geometry = GEOMETRY_1D);
	ROW_OF("no texture can have 4 x 4 x 5 texels", t->geometry = GEOMETRY_CUBE; t->depth = 5);
	ROW_OF("no texture can have 9223372036854775807", t->width = INT64_MAX);
	ROW_OF("1, 2 or 4 channels, not 3", t->channels = 3);
	ROW_OF("a linear filter needs floats", t->type = TEXEL_U8; t->linear = true);
	ROW_OF("only integers of 8 or 16 bits", t->as_float = true);
	ROW_OF("plain memory is 1D", t->fetched = true);
	ROW_OF("coordinates of a cube are normalised", t->geometry = GEOMETRY_CUBE; t->depth = 6;
	       t->width = t->height = 1);
	ROW_OF("texels need", t->geometry = GEOMETRY_3D; t->width = 16384; t->height = 16384;
	       t->depth = 16384; t->channels = 4);
	for (size_t i = 0; i < count; i++) {
		struct error err = {0};
		uint64_t handle;

		if (device_memory_add_texture(run.memory, &rows[i].texture, "image", &handle,
					      &err) != PL_EUSAGE ||
		    !strstr(err.text, rows[i].words))
			fail_msg("%s: %s", rows[i].words, err.text);
	}
	run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_and_what_lies_outside),
		cmocka_unit_test(normalised_coordinates),
		cmocka_unit_test(linear_filters),
		cmocka_unit_test(filters_far_outside),
		cmocka_unit_test(other_formats),
		cmocka_unit_test(surfaces_inside_and_outside),
		cmocka_unit_test(what_is_no_object_is_found),
		cmocka_unit_test(released_memory_is_found),
		cmocka_unit_test(only_instructions_are_counted),
		cmocka_unit_test(objects_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
