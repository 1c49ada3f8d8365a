/*
 * Resolves the launches of a case, and how it is verified. Skips the case if this device, or every
 * CUDA device, cannot launch it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/resolution.h"

/* Equal on all CUDA devices so far (CUDA C++ Programming Guide, technical specifications). */
#define MAX_GRID_YZ 65535
#define MAX_BLOCK_Z 64
/* Repeats are expressions over sizes that the user chooses. A case with more launches than this
 * would measure launch overhead only. */
#define MAX_UNROLLED_LAUNCHES 65536

static int resolve_shape(struct resolution *r, int64_t out[3], const char *const expressions[3],
			 const char *what)
{
	for (int i = 0; i < 3; i++) {
		int rc = resolution_evaluate_or(r, &out[i], expressions[i], 1, what);

		if (rc)
			return rc;
		if (out[i] < 1)
			return resolution_refuse(r, expressions[i], "%s is %" PRId64 " in %c", what,
						 out[i], "xyz"[i]);
	}
	return 0;
}

/* Skips the case if the device cannot launch it. */
static int check_launch_limits(struct resolution *r, const struct case_launch *launch)
{
	const struct device_limits *limits = r->limits;
	int64_t most[3] = {limits->max_grid_x, MAX_GRID_YZ, MAX_GRID_YZ};
	int64_t threads;

	if (__builtin_mul_overflow(launch->block[0], launch->block[1], &threads) ||
	    __builtin_mul_overflow(threads, launch->block[2], &threads) ||
	    threads > limits->max_threads_per_block || launch->block[2] > MAX_BLOCK_Z)
		return resolution_skip(r,
				       "a block of %" PRId64 " x %" PRId64 " x %" PRId64
				       " exceeds this device's %" PRId64
				       " threads per block (z: %d)",
				       launch->block[0], launch->block[1], launch->block[2],
				       limits->max_threads_per_block, MAX_BLOCK_Z);
	for (int i = 0; i < 3; i++)
		if (launch->grid[i] > most[i])
			return resolution_skip(
				r, "needs %" PRId64 " blocks in %c; this device allows %" PRId64,
				launch->grid[i], "xyz"[i], most[i]);
	for (int i = 0; i < 3; i++)
		if (launch->grid[i] % launch->cluster[i])
			return resolution_skip(r,
					       "%" PRId64
					       " blocks in %c are no multiple of the %" PRId64
					       " of a cluster",
					       launch->grid[i], "xyz"[i], launch -> cluster[i]);
	if (launch->shared_bytes > limits->max_shared_bytes_per_block)
		return resolution_skip(r,
				       "needs %" PRId64
				       " bytes of shared memory per block; this device has "
				       "%" PRId64,
				       launch->shared_bytes, limits->max_shared_bytes_per_block);
	return 0;
}

static int resolve_carveout(struct resolution *r, struct case_launch *out,
			    const struct kernel_launch *launch)
{
	int rc = resolution_evaluate_or(r, &out->carveout, launch->carveout, 0, "carveout");

	out->has_carveout = launch->carveout != NULL;
	if (!rc && (out->carveout < 0 || out->carveout > CARVEOUT_MOST))
		rc = error_set(r->err, PL_EUSAGE,
			       "carveout is %" PRId64 "; it is a share from 0 to %d percent",
			       out->carveout, CARVEOUT_MOST);
	return rc;
}

static int resolve_launch(struct resolution *r, struct case_launch *out,
			  const struct kernel_launch *launch)
{
	int rc = 0;

	out->entry = xstrdup(launch->entry);
	out->cooperative = launch->cooperative;
	if (launch->library)
		rc = resolution_copy_name(r, out->library, sizeof(out->library), launch->library);
	if (!rc)
		rc = resolve_shape(r, out->grid, launch->grid, "grid");
	if (!rc)
		rc = resolve_shape(r, out->block, launch->block, "block");
	if (!rc)
		rc = resolve_shape(r, out->cluster, launch->cluster, "cluster");
	if (!rc)
		rc = resolution_evaluate_or(r, &out->shared_bytes, launch->shared_bytes, 0,
					    "shared memory");
	if (!rc && out->shared_bytes < 0)
		rc = error_set(r->err, PL_EUSAGE, "shared memory is %" PRId64 " bytes",
			       out->shared_bytes);
	if (!rc)
		rc = resolve_carveout(r, out, launch);
	out->args = xcalloc(launch->arg_count ? launch->arg_count : 1, sizeof(out->args[0]));
	out->arg_count = launch->arg_count;
	for (size_t i = 0; !rc && !r->skipped && i < launch->arg_count; i++)
		rc = resolution_argument(r, &out->args[i], &launch->args[i]);
	return rc || r->skipped ? rc : check_launch_limits(r, out);
}

/* A list of launches that grows while it is resolved. */
struct resolved_launches {
	struct case_launch *items;
	size_t count, capacity;
};

/* Resolves all repeats of one launch, with `i` as their index. */
static int resolve_repeats(struct resolution *r, struct resolved_launches *list,
			   const struct kernel_launch *launch)
{
	int64_t repeats;
	int rc = resolution_evaluate_or(r, &repeats, launch->repeat, 1, "repeat");

	if (rc)
		return rc;
	if (repeats < 0 || repeats > MAX_UNROLLED_LAUNCHES - (int64_t)list->count)
		return error_set(r->err, PL_EUSAGE,
				 "repeat is %" PRId64 "; a case has 0 to %d launches", repeats,
				 MAX_UNROLLED_LAUNCHES);
	list->items = xgrow(list->items, &list->capacity, list->count + (size_t)repeats,
			    sizeof(list->items[0]));
	for (int64_t i = 0; !rc && !r->skipped && i < repeats; i++) {
		struct case_launch *out = &list->items[list->count++];

		memset(out, 0, sizeof(*out));
		if (launch->repeat)
			resolution_add_variable(r, "i", i);
		rc = resolve_launch(r, out, launch);
		if (launch->repeat)
			r->variable_count--;
	}
	return r->skipped ? rc : error_context(r->err, rc, "launch of %s", launch->entry);
}

/* Resolves launches of a descriptor, with repeats unrolled. On failure, *out has those before it.
 */
static int resolve_list(struct resolution *r, struct case_launch **out, size_t *out_count,
			const struct kernel_launch *launches, size_t count)
{
	struct resolved_launches list = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < count && !r->skipped; i++)
		rc = resolve_repeats(r, &list, &launches[i]);
	if (!rc && !list.count && !r->skipped)
		rc = error_set(r->err, PL_EUSAGE, "there is nothing to launch");
	*out = list.items;
	*out_count = list.count;
	return rc;
}

int resolution_launches(struct resolution *r)
{
	return resolve_list(r, &r->work->launches, &r->work->launch_count, r->variant->launches,
			    r->variant->launch_count);
}

/* ---- the check ---- */

static int resolve_check_item(struct resolution *r, struct case_check_item *out,
			      const struct kernel_check_item *item)
{
	const struct launch_case *work = r->work;

	out->text = xstrdup(item->text);
	out->is_file = item->is_file;
	for (size_t b = 0; b < work->buffer_count; b++)
		if (!strcmp(work->buffers[b].name, item->buffer)) {
			out->buffer = b;
			return 0;
		}
	return error_set(r->err, PL_EUSAGE, "verify: no buffer is called \"%s\"", item->buffer);
}

int resolution_check(struct resolution *r)
{
	const struct kernel_check *check = r->variant->check;
	struct case_check *out = &r->work->check;
	int rc = 0;

	out->kind = check->kind;
	out->command = check->command ? xstrdup(check->command) : NULL;
	out->folder = check->folder ? xstrdup(check->folder) : NULL;
	if (check->kind == CHECK_LAUNCHES && check->source)
		out->image = xstrdup("");
	if (check->kind == CHECK_LAUNCHES)
		rc = resolve_list(r, &out->launches, &out->launch_count, check->launches,
				  check->launch_count);
	out->items = xcalloc(check->item_count ? check->item_count : 1, sizeof(out->items[0]));
	out->item_count = check->item_count;
	for (size_t i = 0; !rc && i < check->item_count; i++)
		rc = resolve_check_item(r, &out->items[i], &check->items[i]);
	return error_context(r->err, rc, "verify");
}
