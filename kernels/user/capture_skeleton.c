/* Writes the skeleton of a replacement. See skeleton.h. */
#include "kernels/user/skeleton.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mangled.h"
#include "kernels/user/recorded_parameters.h"

/* The words of a struct that are shown. */
#define MOST_WORDS 32
#define STUB_NAME "replacement"

struct skeleton_writing {
	struct text *out;
	struct annotation_pool pool;
	const char *name;
	const struct capture_info *info;
	struct recorded_parameters parameters;
	struct stub stub;
};

/* A text at the end of a line. A backslash there would continue the comment, and a line end in the
 * name of the file would end it. */
static void add_quoted(struct skeleton_writing *w, const char *what, const char *text)
{
	text_addf(w->out, "// %-8s \"", what);
	for (; *text; text++)
		text_add_char(w->out, (unsigned char)*text < ' ' ? '?' : *text);
	text_add(w->out, "\"\n");
}

/* ---- what was recorded ---- */

static void add_extents_of(struct text *out, const int64_t extents[3])
{
	text_addf(out, "%" PRId64 " x %" PRId64 " x %" PRId64, extents[0], extents[1], extents[2]);
}

static void describe_shape(struct skeleton_writing *w)
{
	const struct capture_launch *launch = &w->info->launch;

	text_add(w->out, "// grid     ");
	add_extents_of(w->out, launch->grid);
	text_add(w->out, " blocks of ");
	add_extents_of(w->out, launch->block);
	text_addf(w->out, " threads, %" PRId64 " bytes of dynamic shared memory\n",
		  launch->shared_bytes);
	if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1) {
		text_add(w->out, "// clusters ");
		add_extents_of(w->out, launch->cluster);
		text_add(w->out, " blocks\n");
	}
	if (launch->cooperative)
		text_add(w->out, "// a cooperative launch\n");
}

static void describe_recorded_launch(struct skeleton_writing *w)
{
	const struct capture_info *info = w->info;
	struct text kernel = TEXT_INIT;

	mangled_readable(&kernel, info->kernel);
	text_add(w->out, "// Replaces a recorded kernel. Measure it beside that:\n"
			 "//   perflab sweep CAPTURE --replace THIS-FILE\n//\n");
	add_quoted(w, "capture", w->name);
	add_quoted(w, "kernel", kernel.data);
	add_quoted(w, "program", info->program);
	add_quoted(w, "device", info->device);
	text_addf(w->out, "// launch   %" PRId64 " of this kernel in its process\n", info->number);
	describe_shape(w);
	text_release(&kernel);
}

static void describe_memory(struct skeleton_writing *w)
{
	const struct capture_info *info = w->info;

	text_add(w->out, "//\n// Memory:\n");
	for (size_t i = 0; i < info->memory_count; i++) {
		const struct capture_memory *memory = &info->memory[i];

		text_addf(w->out, "//   m%zu: %" PRIu64 " bytes of the %s, ", i, memory->bytes,
			  memory->kind == CAPTURE_HOST ? "host" : "device");
		if (memory->variable)
			text_addf(w->out, "the variable \"%s\"\n", memory->variable);
		else
			text_add(w->out, memory->changed ? "changed by the launch: a result\n"
							 : "not changed\n");
	}
}

/* ---- parameters ---- */

/* A word of 4 bytes as what it may be. */
static void describe_word(struct text *out, const unsigned char *data)
{
	int32_t integer;
	float real;

	memcpy(&integer, data, sizeof(integer));
	memcpy(&real, data, sizeof(real));
	text_addf(out, "%" PRId32, integer);
	if (recorded_looks_like_float(data))
		text_addf(out, " or %.9gf", (double)real);
}

static bool holds_address(const struct recorded_parameter *parameter, size_t offset, size_t *index)
{
	for (size_t i = 0; i < parameter->pointer_count; i++) {
		const uint64_t at = parameter->pointers[i].offset - parameter->offset;

		*index = i;
		if (offset + sizeof(int32_t) > at && offset < at + sizeof(uint64_t))
			return true;
	}
	return false;
}

/* Returns whether the word was worth a line. */
static bool describe_word_at(struct skeleton_writing *w, const struct recorded_parameter *parameter,
			     size_t at)
{
	static const unsigned char zero[sizeof(int32_t)];

	if (!memcmp(parameter->data + at, zero, sizeof(zero)))
		return false;
	text_addf(w->out, "//     at %zu: ", at);
	describe_word(w->out, parameter->data + at);
	text_add_char(w->out, '\n');
	return true;
}

/* All addresses, and the first of the other words. */
static void describe_struct(struct skeleton_writing *w, const struct recorded_parameter *parameter,
			    size_t number)
{
	size_t words = 0, others = 0, index;

	for (size_t at = 0; at + sizeof(int32_t) <= parameter->bytes;) {
		if (holds_address(parameter, at, &index)) {
			const struct capture_pointer *pointer = &parameter->pointers[index];
			const uint64_t offset = pointer->offset - parameter->offset;

			text_addf(w->out, "//     at %" PRIu64 ": p%zu_%" PRIu64 " = ", offset,
				  number, offset);
			recorded_address_add(w->out, pointer);
			text_add(w->out, w->info->memory[pointer->memory].changed
						 ? ", which the launch changed\n"
						 : "\n");
			at = offset + sizeof(uint64_t);
			continue;
		}
		if (words < MOST_WORDS)
			words += describe_word_at(w, parameter, at);
		else
			others++;
		at += sizeof(int32_t);
	}
	if (others)
		text_addf(w->out, "//     and %zu more words\n", others);
}

static void describe_type(struct text *out, const struct mangled_parameter *type)
{
	if (type->builtin)
		text_addf(out, ", %s", type->builtin->name);
	else if (type->pointee)
		text_addf(out, ", a pointer to %s", type->pointee->name);
	else if (type->is_class)
		text_add(out, ", a struct or class");
}

static void describe_recorded_parameter(struct skeleton_writing *w, size_t number)
{
	const struct recorded_parameter *parameter = &w->parameters.items[number];
	int64_t integer;

	text_addf(w->out, "//   p%zu: %zu bytes", number, parameter->bytes);
	describe_type(w->out, &parameter->type);
	text_add(w->out, " = ");
	if (recorded_pointer(parameter)) {
		recorded_address_add(w->out, recorded_pointer(parameter));
	} else if (recorded_integer(&integer, parameter)) {
		if (parameter->bytes == sizeof(int32_t))
			describe_word(w->out, parameter->data);
		else
			text_addf(w->out, "%" PRId64, integer);
		text_addf(w->out, "; in expressions p%zu_int", number);
	} else if (!recorded_value_add(w->out, parameter)) {
		text_add(w->out, "these words of 4 bytes, without zeroes:\n");
		describe_struct(w, parameter, number);
		return;
	}
	text_add_char(w->out, '\n');
}

/* ---- annotations ---- */

/* The type to which every typed pointer into the memory points; NULL: none or several. */
static const struct builtin_type *type_of_memory(const struct skeleton_writing *w, size_t memory)
{
	const struct builtin_type *type = NULL;

	for (size_t i = 0; i < w->parameters.count; i++) {
		const struct recorded_parameter *parameter = &w->parameters.items[i];
		const struct capture_pointer *pointer = recorded_pointer(parameter);

		if (!pointer || pointer->memory != memory || !parameter->type.pointee)
			continue;
		if (type && type != parameter->type.pointee)
			return NULL;
		type = parameter->type.pointee;
	}
	return type;
}

/* Integers must be equal, and that is so without a line. */
static void suggest_comparison(struct skeleton_writing *w, size_t memory)
{
	const struct builtin_type *type = type_of_memory(w, memory);
	const uint64_t bytes = w->info->memory[memory].bytes;

	if (type && type->real && bytes % type->bytes == 0)
		text_addf(w->out, "// perflab: compare m%zu as %s\n", memory,
			  type->bytes == sizeof(float) ? "f32" : "f64");
	else if (!type)
		text_addf(w->out,
			  "// If m%zu has floats, remove the first // of this line; else its bytes "
			  "must be equal:\n// // perflab: compare m%zu as f32\n",
			  memory, memory);
}

static void suggest_comparisons(struct skeleton_writing *w)
{
	size_t results = 0;

	for (size_t i = 0; i < w->info->memory_count; i++)
		if (w->info->memory[i].changed && w->info->memory[i].kind != CAPTURE_VARIABLE) {
			suggest_comparison(w, i);
			results++;
		}
	if (results)
		text_add(w->out, "// perflab: tolerance rel = 1e-5\n");
	else
		text_add(w->out, "// The launch changed no memory, so nothing can be verified.\n");
}

/* As many threads as were recorded. The name of the axis is another one than that of the recorded
 * launch, so that each size is measured beside the recorded size. */
static void add_launch_lines(struct skeleton_writing *w)
{
	const struct capture_launch *launch = &w->info->launch;
	char *grid = pool_format(&w->pool, "ceil_div(%" PRId64 ", threads)",
				 launch->grid[0] * launch->block[0]);

	text_addf(w->out, "// perflab: axis threads = %" PRId64 " \"threads along x\"\n",
		  launch->block[0]);
	text_add(w->out, "// perflab: launch " STUB_NAME "<<<");
	recorded_extents_add(w->out, grid, launch->grid);
	text_add(w->out, ", ");
	recorded_extents_add(w->out, "threads", launch->block);
	text_add(w->out, ">>>(");
	for (size_t i = 0; i < w->stub.count; i++)
		text_addf(w->out, "%s%s", i ? ", " : "", w->stub.items[i].argument);
	text_add(w->out, ")\n");
}

/* ---- the kernel ---- */

static void add_kernel(struct skeleton_writing *w)
{
	if (w->stub.count == STUB_MOST_PARAMETERS)
		text_add(w->out, "// There may be more parameters than those of this kernel.\n");
	text_addf(w->out, "\n%s", w->stub.types);
	text_add(w->out, "__global__ void " STUB_NAME "(");
	for (size_t i = 0; i < w->stub.count; i++)
		text_addf(w->out, "%s%s", i ? ", " : "", w->stub.items[i].declaration);
	text_add(w->out,
		 ")\n{\n"
		 "\t// const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
		 "}\n");
}

void capture_skeleton_write(struct text *out, const char *name, const struct capture_info *info)
{
	struct skeleton_writing w = {.out = out, .name = name, .info = info};

	recorded_parameters_read(&w.parameters, &w.pool, info);
	stub_make(&w.stub, &w.pool, info, &w.parameters);
	describe_recorded_launch(&w);
	describe_memory(&w);
	text_add(out, "//\n// Parameters:\n");
	for (size_t i = 0; i < w.parameters.count; i++)
		describe_recorded_parameter(&w, i);
	if (!w.parameters.count)
		text_add(out, "//   none\n");
	if (info->lost.count)
		text_add(out, "//\n// Not recorded:\n");
	for (size_t i = 0; i < info->lost.count; i++)
		text_addf(out, "//   \"%s\"\n", info->lost.items[i]);
	text_add(out, "\n");
	add_launch_lines(&w);
	suggest_comparisons(&w);
	add_kernel(&w);
	pool_release(&w.pool);
}
