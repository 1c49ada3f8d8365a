/*
 * Fuzz target: any bytes as CUDA C++, or as PTX if the first byte is odd. Every kernel that is
 * found counts as compiled, with classes of parameters that the input chooses too. What is written
 * must be readable as a sidecar.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/user/annotations.h"
#include "kernels/user/skeleton.h"
#include "kernels/user/skeleton_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_MAX_ENTRIES 8
#define FUZZ_MAX_PARAMETERS 80

static void fuzz_entry(struct skeleton_entry *entry, struct annotation_pool *pool,
		       const struct source_kernel *kernel, unsigned seed)
{
	struct skeleton_parameter *parameters =
		pool_new(pool, (FUZZ_MAX_PARAMETERS + 1) * sizeof(*parameters));

	*entry = (struct skeleton_entry){
		.name = kernel->name,
		.plain = kernel->name,
		.parameters = parameters,
		.parameter_count = kernel->parameter_count,
		.textures = seed % 7 == 6,
		.dimensions = {seed % 2, seed % 3 == 1, seed % 5 == 1, seed % 7 == 1},
	};
	if (entry->parameter_count > FUZZ_MAX_PARAMETERS)
		entry->parameter_count = FUZZ_MAX_PARAMETERS;
	for (size_t i = 0; i < entry->parameter_count; i++) {
		const enum skeleton_class other =
			(enum skeleton_class)((seed + i) % 3); /* integer, real, bytes */

		parameters[i] =
			kernel->parameters[i].pointer && seed % 5
				? (struct skeleton_parameter){SKELETON_INTEGER, 8,
							      (enum skeleton_access)(i % 4),
							      i % 3 ? NULL : "f64"}
				: (struct skeleton_parameter){other, (size_t)1 << (seed % 6),
							      SKELETON_ACCESS_UNKNOWN, NULL};
	}
}

static void check_sidecar(struct annotation_pool *pool, const struct text *written, size_t launches)
{
	static const struct annotated_file given;
	struct annotated_file file = {.path = "/a.cu", .shown = "a.cu"};
	struct annotation_lines lines = {0};
	struct kernel kernel = {0};
	struct error err = {0};
	int rc = annotation_lines_add(&lines, pool, "a.cu.perflab", "/", true, written->data,
				      written->length, &err);

	if (!rc)
		rc = annotations_parse(&file, pool, &lines, NULL, &err);
	if (!rc && launches)
		rc = annotations_build(&kernel, pool, &file, 1, &given, &err);
	if (rc || kernel.variant_count != launches) {
		fprintf(stderr, "%s\n%s\n", err.text, written->data);
		abort();
	}
}

/* Names in an image are unique. */
static bool fuzz_has_entry(const struct skeleton_request *request, const char *name)
{
	for (size_t i = 0; i < request->entry_count; i++)
		if (!strcmp(request->entries[i].name, name))
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool ptx = size && data[0] % 2;
	const char *text = (const char *)data + (size ? 1 : 0);
	const unsigned seed = size ? data[0] / 2 : 0;
	struct skeleton_entry entries[FUZZ_MAX_ENTRIES];
	struct annotation_pool pool = {0};
	struct source_kernels kernels;
	struct skeleton_request request = {
		.file = "a.cu", .ptx = ptx, .text = text, .entries = entries};
	struct skeleton_counts counts = {0};
	struct text written = TEXT_INIT;

	request.length = size ? size - 1 : 0;
	(ptx ? ptx_kernels_read : source_kernels_read)(&kernels, &pool, text, request.length);
	for (size_t i = 0; i < kernels.count && request.entry_count < FUZZ_MAX_ENTRIES; i++)
		if (!fuzz_has_entry(&request, kernels.items[i].name))
			fuzz_entry(&entries[request.entry_count++], &pool, &kernels.items[i], seed);
	if (!skeleton_write(&written, &counts, &request, NULL))
		check_sidecar(&pool, &written, counts.launches);
	else if (written.length)
		abort();
	text_release(&written);
	pool_release(&pool);
	return 0;
}
