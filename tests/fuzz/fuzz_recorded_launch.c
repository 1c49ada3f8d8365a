/*
 * Fuzz target: any bytes as what a capture says of its launch. The lines that
 * are made of it are always right, so they must become a kernel whose arguments
 * are the recorded bytes; and so must the skeleton of a replacement.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/user/capture_lines.h"
#include "kernels/user/skeleton.h"

enum { MOST_PARAMETERS = 40, MOST_BYTES = 96, MEMORIES = 3, MEMORY_BYTES = 64, TEXT_BYTES = 24 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
};

static unsigned take(struct input *in, unsigned below)
{
	const unsigned byte = in->size ? *in->data : 0;

	in->data += in->size > 0;
	in->size -= in->size > 0;
	return byte % below;
}

/* Text of a capture has no control characters. */
static void take_text(char out[TEXT_BYTES], struct input *in)
{
	const unsigned length = 1 + take(in, TEXT_BYTES - 1);

	memset(out, 0, TEXT_BYTES);
	for (unsigned i = 0; i < length; i++)
		out[i] = (char)(' ' + take(in, 95));
}

struct launch {
	char kernel[TEXT_BYTES], program[TEXT_BYTES], variable[TEXT_BYTES];
	unsigned char data[MOST_PARAMETERS * MOST_BYTES];
	struct capture_parameter parameters[MOST_PARAMETERS];
	struct capture_pointer pointers[MOST_PARAMETERS * MOST_BYTES / 8];
	struct capture_memory memory[MEMORIES];
	struct capture_info info;
};

static void take_parameters(struct launch *launch, struct input *in)
{
	struct capture_info *info = &launch->info;

	info->parameter_count = take(in, MOST_PARAMETERS + 1);
	for (size_t i = 0; i < info->parameter_count; i++) {
		const uint64_t gap = take(in, 9), bytes = 1 + take(in, MOST_BYTES - 9);

		launch->parameters[i] =
			(struct capture_parameter){info->parameter_bytes + gap, bytes};
		info->parameter_bytes += gap + bytes;
	}
	for (size_t i = 0; i < info->parameter_bytes; i++)
		launch->data[i] = (unsigned char)take(in, 256);
	for (uint64_t at = 0; at + 8 <= info->parameter_bytes; at += 8)
		if (take(in, 3) == 0)
			launch->pointers[info->parameter_pointers.count++] =
				(struct capture_pointer){at, take(in, MEMORIES),
							 take(in, MEMORY_BYTES + 1)};
}

static void take_launch(struct launch *launch, struct input *in)
{
	struct capture_info *info = &launch->info;

	take_text(launch->kernel, in);
	take_text(launch->program, in);
	take_text(launch->variable, in);
	*info = (struct capture_info){
		.kernel = launch->kernel,
		.number = 1,
		.program = launch->program,
		.device = launch->variable,
		.launch = {.grid = {1 + take(in, 9), 1 + take(in, 3), 1},
			   .block = {1 + take(in, 64), 1, 1 + take(in, 4)},
			   .cluster = {1, 1, 1},
			   .shared_bytes = take(in, 200),
			   .cooperative = take(in, 2),
			   .carveout = (int64_t)take(in, 102) - 1},
		.parameter_data = launch->data,
		.parameters = launch->parameters,
		.parameter_pointers.items = launch->pointers,
		.memory = launch->memory,
		.memory_count = MEMORIES,
	};
	for (size_t i = 0; i < MEMORIES; i++)
		launch->memory[i] = (struct capture_memory){
			.address = 4096 * (i + 1), .bytes = MEMORY_BYTES, .changed = take(in, 2)};
	if (take(in, 2)) {
		launch->memory[2].kind = CAPTURE_VARIABLE;
		launch->memory[2].variable = launch->variable;
	}
	take_parameters(launch, in);
}

/* The bytes of an argument are those of the parameter, with 0 in place of addresses. */
static void check_arguments(const struct launch_case *work, const struct capture_info *info)
{
	const struct case_launch *launch = &work->launches[0];

	if (launch->arg_count != info->parameter_count || launch->grid[0] != info->launch.grid[0] ||
	    launch->block[0] != info->launch.block[0])
		abort();
	for (size_t i = 0; i < launch->arg_count; i++) {
		const struct case_arg *arg = &launch->args[i];
		const size_t bytes = info->parameters[i].bytes;
		unsigned char written[MOST_BYTES], wanted[MOST_BYTES];

		if (case_arg_bytes(arg) != bytes)
			abort();
		memcpy(wanted, info->parameter_data + info->parameters[i].offset, bytes);
		case_arg_write(written, arg);
		for (size_t k = 0; k < case_arg_address_count(arg); k++)
			memset(wanted + case_arg_address(arg, k).offset, 0, 8);
		if (memcmp(written, wanted, bytes) != 0)
			abort();
	}
}

static void check_case(const struct kernel *kernel, const struct capture_info *info)
{
	struct axis_value axes[] = {{"grid", info->launch.grid[0]},
				    {"block", info->launch.block[0]},
				    {"shared", info->launch.shared_bytes},
				    {"carveout", info->launch.carveout}};
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;

	if (kernel_resolve(&work, &skip, kernel, &kernel->variants[0], axes,
			   info->launch.carveout < 0 ? 3 : 4, &device_limits_minimum, NULL))
		abort();
	if (work)
		check_arguments(work, info);
	launch_case_free(work);
	text_release(&skip);
}

static void check_lines(const struct capture_info *info)
{
	static const struct annotated_file given;
	struct annotated_file files[2] = {{.path = "/k.capture", .shown = "k.capture"},
					  {.path = "/my.cu", .shown = "my.cu"}};
	struct annotation_lines lines = {0}, of_skeleton = {0};
	struct annotation_pool pool = {0};
	struct kernel kernel = {0};
	struct text skeleton = TEXT_INIT;
	struct error err = {0};

	/* the path is only looked for */
	if (capture_lines_add(&lines, &pool, "k.capture", "/proc/self/exe", info, &err))
		abort();
	capture_arguments_set(&files[0].scope, &pool, info);
	capture_skeleton_write(&skeleton, "k.capture", info);
	if (annotations_parse(&files[0], &pool, &lines, NULL, &err) ||
	    annotation_lines_add(&of_skeleton, &pool, "my.cu", "/", false, skeleton.data,
				 skeleton.length, &err) ||
	    annotations_parse(&files[1], &pool, &of_skeleton, &files[0].scope, &err) ||
	    annotations_build(&kernel, &pool, files, 2, &given, &err) ||
	    kernel.variant_count != 2) {
		fprintf(stderr, "%s\n%s", err.text, skeleton.data);
		abort();
	}
	check_case(&kernel, info);
	text_release(&skeleton);
	pool_release(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct launch *launch = calloc(1, sizeof(*launch));

	if (!launch)
		abort();
	take_launch(launch, &in);
	check_lines(&launch->info);
	free(launch);
	return 0;
}
