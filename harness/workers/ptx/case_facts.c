/* Facts of a case that need no execution: the resources of its code, and the limits of the chip. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/workers/ptx/case_runner.h"
#include "harness/workers/ptx/emulated_case.h"

/* Saturates at INT64_MAX, because a case from a message may contain any numbers. */
static int64_t saturated_volume(const int64_t factors[3])
{
	int64_t result = 1;

	for (size_t i = 0; i < 3; i++)
		if (__builtin_mul_overflow(result, factors[i], &result))
			return INT64_MAX;
	return result;
}

static int64_t total_threads(const struct case_launch *launch)
{
	return saturated_volume((const int64_t[]){saturated_volume(launch->grid),
						  saturated_volume(launch->block), 1});
}

/* ptxas has this limit of static shared memory for every chip; dynamic memory may be larger. */
#define STATIC_SHARED_MOST_BYTES (48 * 1024)

/* Uses the words of harness/workers/cuda/. */
static void explain_misfit(struct text *reason, const struct case_runner *runner,
			   const struct case_launch *launch, const struct launch_needs *needs,
			   const struct occupancy *occupancy)
{
	if (!strcmp(occupancy->limiter, "shared memory"))
		text_addf(reason,
			  "%s needs %" PRId64
			  " bytes of shared memory per block; a %s has %" PRId64,
			  launch->entry, needs->shared_bytes, runner->chip->name,
			  runner->chip->shared_bytes_per_block);
	else if (!strcmp(occupancy->limiter, "registers"))
		text_addf(reason,
			  "%s uses %" PRId64 " registers per thread: too many for %" PRId64
			  " threads per block",
			  launch->entry, needs->registers_per_thread, needs->block_threads);
	else
		text_addf(reason, "%s has %" PRId64 " threads per block; at most %d are possible",
			  launch->entry, needs->block_threads, CHIP_THREADS_PER_BLOCK);
}

/* Checks that every launch fits. The facts of the case are those of its largest launch. */
static int describe_launches(struct case_runner *runner, const struct ptx_image *image,
			     const struct ptx_program *program, const struct launch_case *work,
			     struct launch_facts *facts, struct text *reason, struct error *err)
{
	int64_t largest = -1;

	for (size_t i = 0; i < work->launch_count && !reason->length; i++) {
		const struct case_launch *launch = &work->launches[i];
		const struct ptx_function *entry =
			ptx_module_function(image->module, launch->entry);
		struct entry_resources resources;
		struct launch_needs needs;
		struct occupancy occupancy;

		if (!entry || !entry->entry)
			return error_set(err, PL_ENOENT, "%s.ptx has no entry '%s'", image->name,
					 launch->entry);
		/* as ptxas allocated them if the PTX file records it, else from the PTX */
		resources = ptx_image_resources(image, launch->entry, runner->chip->cc_major,
						runner->chip->cc_minor);
		if (resources.shared_static_bytes < 0)
			resources.shared_static_bytes =
				program_shared_static_bytes(program, launch->entry);
		needs = (struct launch_needs){
			.block_threads = saturated_volume(launch->block),
			.registers_per_thread = resources.registers_per_thread,
			.shared_bytes = resources.shared_static_bytes + launch->shared_bytes,
		};
		occupancy = chip_occupancy(runner->chip, &needs);
		if (!occupancy.blocks)
			explain_misfit(reason, runner, launch, &needs, &occupancy);
		else if (resources.shared_static_bytes > STATIC_SHARED_MOST_BYTES)
			text_addf(reason,
				  "%s has %" PRId64 " bytes of static shared memory per block; at "
				  "most %d are possible; declare the rest as dynamic",
				  launch->entry, resources.shared_static_bytes,
				  STATIC_SHARED_MOST_BYTES);
		else if (launch->cooperative &&
			 saturated_volume(launch->grid) > occupancy.blocks * runner->chip->sm_count)
			/* all blocks must be on the chip at once */
			text_addf(reason,
				  "the cooperative launch of %s has %" PRId64
				  " blocks; a %s holds %" PRId64 " of them at once",
				  launch->entry, saturated_volume(launch->grid), runner->chip->name,
				  occupancy.blocks * runner->chip->sm_count);
		if (total_threads(launch) <= largest)
			continue;
		largest = total_threads(launch);
		facts->registers_per_thread = resources.registers_per_thread;
		facts->shared_static_bytes = resources.shared_static_bytes;
		facts->shared_dynamic_bytes = launch->shared_bytes;
		facts->local_bytes_per_thread = resources.local_bytes_per_thread;
		/* The limiter of the occupancy is unknown without the number of registers. */
		if (resources.registers_per_thread > 0) {
			facts->theoretical_occupancy_pct = occupancy.pct;
			snprintf(facts->occupancy_limiter, sizeof(facts->occupancy_limiter), "%s",
				 occupancy.limiter);
		}
	}
	return 0;
}

int case_facts(struct case_runner *runner, const struct launch_case *work,
	       struct launch_facts *facts, enum trial_status *status, struct text *reason,
	       struct error *err)
{
	const struct ptx_program *program = NULL;
	const struct ptx_image *image = NULL;
	const char *gaps = NULL;
	struct launch_facts found = launch_facts_unknown;
	int rc = ptx_image_program(&runner->images, work, &image, &program, &gaps, err);

	if (rc)
		return rc;
	if (image) {
		snprintf(found.code_hash, sizeof(found.code_hash), "%s", image->code_hash);
		snprintf(found.code_kind, sizeof(found.code_kind), "%s", image->code_kind);
	}
	/* clusters need compute capability 9.0 */
	for (size_t i = 0; program && runner->chip->cc_major < 9 && i < work->launch_count; i++)
		if (!reason->length && launch_has_clusters(image, &work->launches[i]))
			text_addf(reason, "%s has clusters of blocks, which a %s lacks",
				  work->launches[i].entry, runner->chip->name);
	if (program)
		rc = describe_launches(runner, image, program, work, &found, reason, err);
	else
		text_add(reason, gaps);
	if (rc)
		return rc;
	if (reason->length)
		*status = TRIAL_SKIPPED;
	*facts = found;
	return 0;
}
