#include "tests/kernels/user/recorded_demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void demo_fill(struct demo *demo)
{
	*demo = (struct demo){
		.data = {.n = 1000,
			 .x = 0x20000100,
			 .y = 0x10000000,
			 .scale = 0.5,
			 .lists = {-1, 7, 0x20000010, 9}},
		.parameters = {{0, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 20}},
		.pointers = {{8, 1, 256}, {16, 0, 0}, {40, 1, 16}},
		.memory = {{.address = 0x10000000, .bytes = MEMORY_BYTES},
			   {.address = 0x20000000, .bytes = MEMORY_BYTES},
			   {.kind = CAPTURE_VARIABLE,
			    .address = 0x30000000,
			    .bytes = 256,
			    .variable = "_ZL5table"}},
	};
	demo->after[0] = 1;
	for (size_t i = 0; i < ARRAY_SIZE(demo->content); i++)
		demo->content[i].before = demo->before;
	demo->content[0].after = demo->after;
	demo->what = (struct made_capture){
		.info = {.kernel = "_Z1kiPKfPfd5lists",
			 .program = "./app # \"x\" // y",
			 .launch = {.grid = {8, 2, 1},
				    .block = {128, 1, 2},
				    .shared_bytes = 64,
				    .carveout = -1},
			 .parameter_data = (unsigned char *)&demo->data,
			 .parameter_bytes = 52,
			 .parameters = demo->parameters,
			 .parameter_count = ARRAY_SIZE(demo->parameters),
			 .parameter_pointers = {demo->pointers, ARRAY_SIZE(demo->pointers)},
			 .memory = demo->memory,
			 .memory_count = ARRAY_SIZE(demo->memory)},
		.content = demo->content,
	};
}

void write_demo(struct folder *folder, const struct demo *demo, const char *name)
{
	char *path = xasprintf("%s/%s", folder->path, name);
	struct error err = {0};

	if (make_capture(path, &demo->what, &err))
		fail_msg("%s", err.text);
	free(path);
}

void write_plain(struct folder *folder)
{
	struct demo *demo = xcalloc(1, sizeof(*demo));

	demo_fill(demo);
	write_demo(folder, demo, "demo.capture");
	free(demo);
}

struct launch_case *recorded_resolve(const struct kernel *kernel, const char *name,
				     const struct axis_value *given, size_t count)
{
	const struct kernel_variant *variant = kernel_find_variant(kernel, name);
	struct axis_value axes[KERNEL_MAX_CASE_AXES];
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};
	size_t axis_count;

	if (!variant)
		fail_msg("there is no variant %s", name);
	axis_count = variant_axis_count(kernel, variant);
	for (size_t i = 0; i < axis_count; i++) {
		const struct kernel_axis *axis = variant_axis(kernel, variant, i);

		snprintf(axes[i].name, sizeof(axes[i].name), "%s", axis->name);
		axes[i].value = strtoll(axis->values, NULL, 10);
		for (size_t k = 0; k < count; k++)
			if (!strcmp(given[k].name, axis->name))
				axes[i].value = given[k].value;
	}
	if (kernel_resolve(&work, &skip, kernel, variant, axes, axis_count, &device_limits_minimum,
			   &err) ||
	    !work)
		fail_msg("%s: %s%s", name, err.text, skip.data);
	text_release(&skip);
	return work;
}

const struct case_buffer *recorded_buffer(const struct launch_case *work, const char *name)
{
	for (size_t i = 0; i < work->buffer_count; i++)
		if (!strcmp(work->buffers[i].name, name))
			return &work->buffers[i];
	return NULL;
}
