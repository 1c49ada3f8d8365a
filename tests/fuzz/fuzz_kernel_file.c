/*
 * Fuzz target: any bytes as the lines of a sidecar. If the first byte is odd, they are those of a
 * source. They become a kernel, or an error with file and line. A NUL byte after the first byte
 * separates two files.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/user/annotations.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A field has a size, and a struct fits a launch. */
static void check_argument(const struct kernel_arg *arg, bool is_field)
{
	if (!arg->value || (is_field && (arg->kind == ARG_INTEGER || arg->kind == ARG_REAL)))
		abort();
	if ((arg->kind == ARG_STRUCT) != (arg->field_count > 0) ||
	    kernel_arg_bytes(arg) > ARG_MOST_BYTES)
		abort();
	for (size_t i = 0; i < arg->field_count; i++)
		check_argument(&arg->fields[i], true);
}

static void check_launches(const struct kernel_launch *launches, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!launches[i].entry || !launches[i].grid[0] || !launches[i].block[0])
			abort();
		for (size_t k = 0; k < launches[i].arg_count; k++)
			check_argument(&launches[i].args[k], false);
	}
}

static void check_kernel(const struct kernel *kernel)
{
	if (!kernel->name[0] || strlen(kernel->name) >= 64 || !kernel->variant_count ||
	    kernel->axis_count > KERNEL_MAX_CASE_AXES || kernel->buffer_count > KERNEL_MAX_BUFFERS)
		abort();
	for (size_t i = 0; i < kernel->axis_count; i++)
		if (strlen(kernel->axes[i].name) >= 32 || !kernel->axes[i].values[0])
			abort();
	for (size_t i = 0; i < kernel->variant_count; i++) {
		const struct kernel_variant *variant = &kernel->variants[i];

		if (!variant->name[0] || strlen(variant->name) >= 64 || !variant->launch_count ||
		    !variant->check || !variant->source)
			abort();
		check_launches(variant->launches, variant->launch_count);
		check_launches(variant->check->launches, variant->check->launch_count);
	}
}

static int parse_part(struct annotated_file *file, struct annotation_pool *pool,
		      const struct annotated_file *first, bool sidecar, const char *text,
		      size_t length, struct error *err)
{
	struct annotation_lines lines = {0};
	int rc = annotation_lines_add(&lines, pool, "fuzz.cu", "/nonexistent", sidecar, text,
				      length, err);

	return rc ? rc : annotations_parse(file, pool, &lines, first ? &first->scope : NULL, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct annotated_file given;
	struct annotated_file files[2] = {{.path = "/a.cu", .shown = "fuzz.cu"},
					  {.path = "/b.cu", .shown = "fuzz.cu-2"}};
	struct annotation_pool pool = {0};
	struct kernel kernel = {0};
	struct error err = {0};
	const char *text = (const char *)data + 1;
	const char *second;
	size_t first_length;
	int rc;

	if (size < 1)
		return 0;
	size--;
	second = memchr(text, '\0', size);
	first_length = second ? (size_t)(second - text) : size;
	rc = parse_part(&files[0], &pool, NULL, data[0] % 2 == 0, text, first_length, &err);
	if (!rc && second)
		rc = parse_part(&files[1], &pool, annotations_first(files, 1), data[0] % 2 == 0,
				second + 1, size - first_length - 1, &err);
	if (!rc)
		rc = annotations_build(&kernel, &pool, files, second ? 2 : 1, &given, &err);
	if (rc && (rc != PL_EPARSE || strncmp(err.text, "fuzz.cu", 7)))
		abort();
	if (!rc)
		check_kernel(&kernel);
	pool_release(&pool);
	return 0;
}
