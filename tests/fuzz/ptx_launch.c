#include "ptx_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/lanes/handlers.h"
#include "emulator/tensor_map.h"
#include "emulator/texture.h"

#define MEMORY_BYTES (1 << 20)
#define BUFFER_BYTES 4096
#define MOST_ENTRIES 4
#define MOST_INSTRUCTIONS 3000
#define MOST_ARGUMENT_BYTES 4096

/* The memory, counts and findings after a launch. */
struct traces {
	unsigned char buffer[BUFFER_BYTES];
	struct emulated_counts counts;
	struct text findings, printed;
	int rc;
};

static void keep_printed(void *context, const char *text)
{
	text_add(context, text);
}

/* A tensor in the buffer: of two dimensions with a swizzle, or of three without. */
static void fill_map(unsigned char *out, uint64_t buffer, bool swizzled)
{
	const struct tensor_map map = {
		.type = swizzled ? TENSOR_U32 : TENSOR_BF16,
		.rank = swizzled ? 2 : 3,
		.address = buffer + 128,
		.sizes = {30, 7, 3},
		.strides = {0, 128, 896},
		.box = {swizzled ? 16 : 8, 4, 2},
		.steps = {1, swizzled ? 1 : 2, 1},
		.swizzle = swizzled ? SWIZZLE_64B : SWIZZLE_NONE,
	};
	struct error err;

	if (tensor_map_encode(out, &map, &err))
		abort();
}

/* Images in the buffer, 5 wide and 3 high. */
static void fill_images(unsigned char *out, uint64_t buffer)
{
	const struct tensor_map map = {
		.type = TENSOR_TF32,
		.rank = 4,
		.address = buffer + 64,
		.sizes = {8, 5, 3, 3},
		.strides = {0, 32, 160, 480},
		.steps = {1, 1, 2, 1},
		.im2col = true,
		.channels = 4,
		.pixels = 13,
		.lower = {-1, -2},
		.upper = {-1, 1},
		.fills_nan = true,
	};
	struct error err;

	if (tensor_map_encode(out, &map, &err))
		abort();
}

/* Passes pointers to parameters of 8 bytes, tensor maps to those of their size, and small numbers
 * to others. The third one and those behind it get the buffer that nobody has written. */
static void fill_arguments(unsigned char *block, const struct ptx_function *entry, uint64_t buffer,
			   uint64_t unwritten)
{
	size_t offset = 0;

	for (size_t i = 0; i < entry->parameter_count; i++) {
		size_t bytes = (size_t)entry->parameters[i].bytes;
		size_t align = (size_t)entry->parameters[i].align;
		uint64_t value = bytes != 8 ? 7 : i < 2 ? buffer : unwritten;

		offset = align ? (offset + align - 1) / align * align : offset;
		if (bytes <= 8 && offset + bytes <= MOST_ARGUMENT_BYTES)
			memcpy(block + offset, &value, bytes);
		if (bytes == TENSOR_MAP_BYTES && offset + bytes <= MOST_ARGUMENT_BYTES)
			i == 4 ? fill_images(block + offset, buffer)
			       : fill_map(block + offset, buffer, i % 2 != 0);
		offset += bytes;
	}
}

/* Puts the handles of textures and surfaces of several shapes at the beginning of the buffer, which
 * is what they read and write. */
static void add_objects(struct device_memory *memory, uint64_t buffer)
{
	static const struct emulated_texture objects[] = {
		{.geometry = GEOMETRY_2D, .width = 16, .height = 8, .depth = 1, .linear = true},
		{.geometry = GEOMETRY_1D, .width = 64, .height = 1, .depth = 1, .fetched = true},
		{.geometry = GEOMETRY_3D, .width = 4, .height = 3, .depth = 5, .normalised = true},
		{.geometry = GEOMETRY_A2D, .width = 4, .height = 3, .depth = 5, .linear = true},
		{.geometry = GEOMETRY_CUBE,
		 .width = 4,
		 .height = 4,
		 .depth = 6,
		 .normalised = true},
		{.geometry = GEOMETRY_2D, .width = 16, .height = 8, .depth = 1, .surface = true},
		{.geometry = GEOMETRY_A1D, .width = 16, .height = 1, .depth = 8, .surface = true},
		/* narrower than most accesses; at both ends of the buffer */
		{.geometry = GEOMETRY_2D, .width = 1, .height = 8, .depth = 1, .surface = true},
		{.geometry = GEOMETRY_2D, .width = 1, .height = 8, .depth = 1, .surface = true},
	};
	uint64_t *handles = device_memory_data(memory, buffer);

	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		struct emulated_texture object = objects[i];
		struct error err = {0};

		object.address = buffer + 128;
		object.type = i % 2 ? TEXEL_F16 : TEXEL_F32;
		object.channels = i % 3 ? 2 : 1;
		if (object.width == 1) {
			object.address = i % 2 ? buffer : buffer + BUFFER_BYTES - 8;
			object.type = TEXEL_U8;
			object.channels = 1;
		}
		for (int k = 0; k < 3; k++)
			object.modes[k] = (enum address_mode)((i + (size_t)k) % 4);
		if (device_memory_add_texture(memory, &object, "object", &handles[i], &err))
			abort();
	}
}

static void launch(const struct ptx_program *program, const struct program_function *entry,
		   enum emulated_lanes lanes, bool cooperative, struct traces *traces)
{
	unsigned char arguments[MOST_ARGUMENT_BYTES + 16] = {0};
	struct device_memory *memory = device_memory_create(MEMORY_BYTES);
	struct finding_list findings = {0};
	struct emulation *emulation = NULL;
	struct error err = {0};
	uint64_t buffer = 0, unwritten = 0;
	struct emulated_launch what = {
		.entry = entry->source->name,
		.grid = {2, 1, 1},
		.block = {10, 2, 2},
		.shared_bytes = 256,
		.arguments = arguments,
		.argument_bytes = (size_t)entry->parameter_bytes,
		.max_instructions = MOST_INSTRUCTIONS,
		.checked_blocks = -1,
		.cooperative = cooperative,
		.check_global = true,
		/* enough for the buffer and for few records per cell: the limit is reached, too */
		.check_most_bytes = 400 << 10,
		.print = keep_printed,
		.print_context = &traces->printed,
	};

	/* wgmma needs whole warpgroups. */
	if (entry->group_product_count) {
		what.block[0] = 128;
		what.block[1] = what.block[2] = 1;
	}
	*traces = (struct traces){.findings = TEXT_INIT, .printed = TEXT_INIT};
	if (device_memory_allocate(memory, BUFFER_BYTES, "buffer", &buffer, &err))
		abort();
	if (device_memory_allocate(memory, BUFFER_BYTES, "unwritten", &unwritten, &err) ||
	    device_memory_set_unwritten(memory, unwritten, &err))
		abort();
	add_objects(memory, buffer);
	fill_arguments(arguments, entry->source, buffer, unwritten);
	traces->rc = emulation_create(&emulation, program, memory, lanes, &err);
	if (!traces->rc) {
		traces->rc = emulation_launch(emulation, &what, &findings, &err);
		emulation_counts(emulation, &traces->counts);
		memcpy(traces->buffer, device_memory_data(memory, buffer), BUFFER_BYTES);
	}
	if (!traces->rc && emulation_may_be_undefined(emulation)) {
		emulation_follow_undefined(emulation, true);
		traces->rc = emulation_launch(emulation, &what, &findings, &err);
		emulation_use_buffer(emulation, unwritten, true, &findings);
		emulation_end_following(emulation);
	}
	for (size_t i = 0; i < findings.count; i++) {
		finding_text(&traces->findings, &findings.items[i]);
		text_add_char(&traces->findings, '\n');
	}
	finding_list_release(&findings);
	emulation_free(emulation);
	device_memory_free(memory);
}

static bool same_text(const struct text *a, const struct text *b)
{
	return a->length == b->length && (!a->length || !memcmp(a->data, b->data, a->length));
}

static bool same(const struct traces *a, const struct traces *b)
{
	return a->rc == b->rc && !memcmp(a->buffer, b->buffer, BUFFER_BYTES) &&
	       !memcmp(&a->counts, &b->counts, sizeof(a->counts)) &&
	       same_text(&a->findings, &b->findings) && same_text(&a->printed, &b->printed);
}

static void traces_release(struct traces *traces)
{
	text_release(&traces->findings);
	text_release(&traces->printed);
}

static void launch_on_all(const struct ptx_program *program, const struct program_function *entry,
			  bool cooperative)
{
	struct traces portable, avx2;

	launch(program, entry, LANES_PORTABLE, cooperative, &portable);
	if (handlers_avx2_or_null()) {
		launch(program, entry, LANES_AVX2, cooperative, &avx2);
		if (!same(&portable, &avx2)) {
			fprintf(stderr, "portable:\n%s%savx2:\n%s%s",
				portable.findings.length ? portable.findings.data : "",
				portable.printed.length ? portable.printed.data : "",
				avx2.findings.length ? avx2.findings.data : "",
				avx2.printed.length ? avx2.printed.data : "");
			abort();
		}
		traces_release(&avx2);
	}
	traces_release(&portable);
}

static void launch_entry(const struct ptx_module *module, const char *name)
{
	struct ptx_program *program = NULL;
	struct unsupported_features unsupported = {0};
	struct error err = {0};

	if (!ptx_program_decode(&program, module, name, &unsupported, &err))
		for (size_t i = 0; i < program->function_count; i++)
			if (program->functions[i].code_count &&
			    program->functions[i].source->entry &&
			    program->functions[i].parameter_bytes <= MOST_ARGUMENT_BYTES) {
				launch_on_all(program, &program->functions[i], false);
				launch_on_all(program, &program->functions[i], true);
			}
	ptx_program_free(program);
	unsupported_features_release(&unsupported);
}

void ptx_launch_text(const char *text, size_t length)
{
	struct ptx_module *module = NULL;
	struct error err = {0};
	unsigned entries = 0;

	if (ptx_module_parse(&module, text, length, &err))
		return;
	for (size_t i = 0; i < module->function_count && entries < MOST_ENTRIES; i++) {
		if (!module->functions[i].entry || !module->functions[i].defined)
			continue;
		entries++;
		launch_entry(module, module->functions[i].name);
	}
	ptx_module_free(module);
}
