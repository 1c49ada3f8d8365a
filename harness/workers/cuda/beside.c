/* Prepares a base case on the device memory of the case beside which it is timed. */
#include "harness/workers/cuda/operation.h"

#include <string.h>

/* ---- memory ---- */

static bool texts_agree(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool buffers_can_be_shared(const struct case_buffer *a, const struct case_buffer *b)
{
	return strcmp(a->name, b->name) == 0 && a->type == b->type && a->length == b->length &&
	       a->role == b->role && a->fill == b->fill && a->fill_low == b->fill_low &&
	       a->fill_high == b->fill_high &&
	       texts_agree(a->fill_expression, b->fill_expression) &&
	       texts_agree(a->fill_file, b->fill_file) && a->fill_index == b->fill_index &&
	       texts_agree(a->symbol, b->symbol);
}

/* Gives the base the blocks of the operation. Inputs that all cases share have a key, by which
 * operation_prepare() finds them. */
static void share_blocks(struct operation *base, const struct operation *operation)
{
	for (size_t b = 0; b < base->work->buffer_count; b++)
		for (size_t c = 0; c < operation->work->buffer_count; c++)
			if (buffers_can_be_shared(&base->work->buffers[b],
						  &operation->work->buffers[c]))
				base->buffers[b].block = operation->buffers[c].block;
}

/* How many bytes `a` uses, and how many of them `b` does not. Memory that an operation allocates
 * itself is its own. */
static void count_bytes(const struct operation *a, const struct operation *b, double *all,
			double *own)
{
	*all = *own = 0;
	for (size_t i = 0; i < a->work->buffer_count; i++) {
		const struct memory_block *block = a->buffers[i].block;
		const double bytes = (double)case_buffer_bytes(&a->work->buffers[i]);
		bool shared = false;

		for (size_t j = 0; block && j < b->work->buffer_count; j++)
			shared |= b->buffers[j].block == block;
		*all += bytes;
		*own += shared ? 0 : bytes;
	}
}

bool beside_same_buffers(const struct operation *a, const struct operation *b)
{
	double all, own, other_all, other_own;

	count_bytes(a, b, &all, &own);
	count_bytes(b, a, &other_all, &other_own);
	return own <= all / 100 && other_own <= other_all / 100;
}

/* ---- the base case ---- */

static int prepare_and_verify(struct operation *base, const struct operation *operation,
			      struct text *mismatch, struct error *err)
{
	struct case_accuracy accuracy;
	int rc;

	share_blocks(base, operation);
	rc = operation_prepare(base, true, err);
	return rc ? rc : operation_verify(base, mismatch, &accuracy, err);
}

int beside_prepare(struct operation *out, const struct operation *operation,
		   const struct launch_case *base, struct text *why, struct error *err)
{
	struct operation loaded = {0};
	struct text skip = TEXT_INIT, mismatch = TEXT_INIT;
	struct error cause = {0};
	int rc = operation_load(&loaded, operation->resources, base, &skip, &cause);

	if (rc == 0 && !skip.length)
		rc = prepare_and_verify(&loaded, operation, &mismatch, &cause);
	if (rc == PL_EDEVICE)
		error_set(err, rc, "%s", cause.text);
	else if (rc)
		text_addf(why, "the base case failed beside this case: %s", cause.text);
	else if (skip.length)
		text_addf(why, "the base case is skipped: %s", skip.data);
	else if (mismatch.length)
		text_addf(why, "the base case gave a wrong result beside this case: %s",
			  mismatch.data);
	if (rc || why->length)
		operation_forget(&loaded);
	else
		*out = loaded;
	text_release(&skip);
	text_release(&mismatch);
	return rc == PL_EDEVICE ? rc : 0;
}
