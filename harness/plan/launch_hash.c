/* The launch hash. Changing the text that is hashed changes every stored hash. */
#include <inttypes.h>
#include <stdio.h>

#include <xxhash.h>

#include "harness/plan/plan.h"
#include "kernels/kernels.h"
#include "metrics/metrics.h"

/* The text of built-in kernels has no more than the first part: they keep their hashes. */
static void describe_buffer(struct text *out, const struct case_buffer *buffer)
{
	text_addf(out, "buffer %s %d %" PRId64 " %d %d %.17g %.17g\n", buffer->name,
		  (int)buffer->type, buffer->length, (int)buffer->role, (int)buffer->fill,
		  buffer->fill_low, buffer->fill_high);
	if (buffer->has_fill_bits)
		text_addf(out, "bits %d\n", buffer->fill_bits);
	if (buffer->fill_expression)
		text_addf(out, "expression %s\n", buffer->fill_expression);
	if (buffer->fill_file)
		text_addf(out, "file %s\n", buffer->fill_file);
	if (buffer->fill == FILL_CAPTURE)
		text_addf(out, "memory %zu\n", buffer->fill_index);
	if (buffer->symbol)
		text_addf(out, "symbol %s\n", buffer->symbol);
}

static void describe_launch(struct text *out, const struct case_launch *launch)
{
	text_addf(out, "launch %s%s%s", launch->library, launch->library[0] ? " " : "",
		  launch->entry);
	for (int i = 0; i < 3; i++)
		text_addf(out, " %" PRId64 " %" PRId64, launch->grid[i], launch->block[i]);
	text_addf(out, " %" PRId64 "\n", launch->shared_bytes);
	for (size_t i = 0; i < launch->arg_count; i++)
		text_addf(out, "arg %d %" PRId64 " %.17g\n", (int)launch->args[i].kind,
			  launch->args[i].integer, launch->args[i].real);
	/* only launches of users have the rest */
	if (launch->cooperative)
		text_addf(out, "cooperative\n");
	if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1)
		text_addf(out, "cluster %" PRId64 " %" PRId64 " %" PRId64 "\n", launch->cluster[0],
			  launch->cluster[1], launch->cluster[2]);
	if (launch->has_carveout)
		text_addf(out, "carveout %" PRId64 "\n", launch->carveout);
	for (size_t i = 0; i < launch->arg_count; i++)
		case_arg_describe(out, &launch->args[i]);
}

void launch_hash(char out[HASH_TEXT_BYTES], const struct launch_case *work)
{
	const bool of_user = work->image[0] == '/' || !work->image[0];
	struct text text = TEXT_INIT;

	/* the path of a user's image changes with every edit, so the names stand for it */
	if (of_user)
		text_addf(&text, "user image %s/%s\n", work->kernel, work->variant);
	else
		text_addf(&text, "image %s\n", work->image);
	for (size_t i = 0; i < work->buffer_count; i++)
		describe_buffer(&text, &work->buffers[i]);
	for (size_t i = 0; i < work->launch_count; i++)
		describe_launch(&text, &work->launches[i]);
	if (of_user)
		hash_of(out, text.data, text.length);
	else
		snprintf(out, HASH_TEXT_BYTES, "%016" PRIx64,
			 (uint64_t)XXH3_64bits(text.data, text.length));
	text_release(&text);
}
