#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct launch_case *make_case(const char *kernel, const char *variant, int64_t block)
{
	static const struct case_arg args[] = {
		{.kind = ARG_BUFFER, .integer = 1},       {.kind = ARG_I32, .integer = -7},
		{.kind = ARG_U32, .integer = UINT32_MAX}, {.kind = ARG_I64, .integer = INT64_MIN},
		{.kind = ARG_F32, .real = 0.1},
	};
	struct launch_case *work = calloc(1, sizeof(*work));

	strcpy(work->kernel, kernel);
	strcpy(work->variant, variant);
	work->image = xasprintf("%s/%s", kernel, variant);
	snprintf(work->oracle, sizeof(work->oracle), "%s/oracle", kernel);
	strcpy(work->axes[0].name, "block");
	work->axes[0].value = block;
	strcpy(work->axes[1].name, "n");
	work->axes[1].value = (INT64_C(1) << 53) + 1;
	work->axis_count = 2;
	work->buffers = xcalloc(2, sizeof(*work->buffers));
	work->buffers[0] = (struct case_buffer){.name = "x",
						.type = ELEMENT_F32,
						.length = 4096,
						.role = BUFFER_IN,
						.fill = FILL_UNIFORM,
						.fill_low = -1,
						.fill_high = 1};
	work->buffers[1] = (struct case_buffer){
		.name = "sum", .type = ELEMENT_F64, .length = 1, .role = BUFFER_OUT};
	work->buffer_count = 2;
	work->launch_count = 2;
	work->launches = calloc(2, sizeof(*work->launches));
	for (size_t i = 0; i < 2; i++) {
		struct case_launch *launch = &work->launches[i];

		launch->entry = xasprintf("%s_%zu", variant, i);
		for (size_t d = 0; d < 3; d++)
			launch->grid[d] = launch->block[d] = launch->cluster[d] = 1;
		launch->grid[0] = 4096 / block + 1;
		launch->block[0] = block;
		launch->shared_bytes = 4 * block;
		launch->args = xcalloc(ARRAY_SIZE(args), sizeof(args[0]));
		memcpy(launch->args, args, sizeof(args));
		launch->arg_count = ARRAY_SIZE(args);
	}
	work->tolerance_abs = 1e-6;
	work->tolerance_rel = 0.1;
	work->has_flop = true;
	work->flop = INT64_MAX;
	strcpy(work->precision, "tensor_f16");
	work->bytes_read = 16384;
	work->bytes_written = 8;
	return work;
}

void add_case(struct plan *plan, const char *kernel, const char *variant, int64_t block)
{
	struct plan_case planned = {0};
	struct text config = TEXT_INIT;

	planned.launch = make_case(kernel, variant, block);
	planned.kernel = strdup(kernel);
	planned.variant = strdup(variant);
	planned.axis_count = planned.launch->axis_count;
	memcpy(planned.axes, planned.launch->axes, sizeof(planned.axes));
	axes_text(&config, planned.axes, planned.axis_count);
	planned.config = text_detach(&config);
	plan->cases = realloc(plan->cases, (plan->count + 1) * sizeof(*plan->cases));
	plan->cases[plan->count++] = planned;
	plan->runnable++;
}

void set_variable(const char *name, const char *value)
{
	if (value)
		assert_int_equal(setenv(name, value, 1), 0);
	else
		assert_int_equal(unsetenv(name), 0);
}
