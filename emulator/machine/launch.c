/* Launches of an emulation. See emulator.h. */
#include "emulator/machine/block.h"
#include "emulator/machine/call_frame.h"
#include "emulator/machine/clusters/cluster_run.h"
#include "emulator/machine/copies/tensormap_update.h"
#include "emulator/machine/grid.h"
#include "emulator/machine/print_fifo.h"
#include "emulator/machine/races/races_global.h"
#include "emulator/machine/races/races_shared.h"
#include "emulator/machine/races/shared_locks.h"
#include "emulator/machine/stack.h"
#include "emulator/program/program.h"

#include <inttypes.h>
#include <string.h>

/* Limits of all devices. */
#define BLOCK_MOST_THREADS 1024
#define BLOCK_MOST_SHARED_BYTES (227 * 1024)
#define LOCAL_MOST_BYTES (512 * 1024)

static int find_entry(struct launch *launch, const char *name, struct error *err)
{
	const struct ptx_program *program = launch->program;

	for (size_t i = 0; i < program->function_count; i++) {
		const struct program_function *function = &program->functions[i];

		if (function->code_count && function->source->entry &&
		    !strcmp(function->source->name, name)) {
			launch->entry = (uint32_t)i;
			return 0;
		}
	}
	return error_set(err, PL_EUSAGE, "the program has no entry '%s'", name);
}

static int check_shape(const struct emulated_launch *what, const struct ptx_function *entry,
		       struct error *err)
{
	static const int64_t most_blocks[3] = {INT32_MAX, 65535, 65535};
	static const int64_t most_threads[3] = {1024, 1024, 64};
	int64_t threads, allowed = 1;
	bool limited = false, exact = true;

	for (int i = 0; i < 3; i++) {
		if (what->grid[i] < 1 || what->grid[i] > most_blocks[i])
			return error_set(err, PL_EUSAGE,
					 "the grid has %" PRId64 " blocks along %c; 1 to %" PRId64
					 " are possible",
					 what->grid[i], "xyz"[i], most_blocks[i]);
		if (what->block[i] < 1 || what->block[i] > most_threads[i])
			return error_set(err, PL_EUSAGE,
					 "the block has %" PRId64 " threads along %c; 1 to %" PRId64
					 " are possible",
					 what->block[i], "xyz"[i], most_threads[i]);
		limited |= entry->max_threads[i] > 0;
		exact &= what->block[i] == entry->max_threads[i];
		allowed *= entry->max_threads[i] > 0 ? entry->max_threads[i] : 1;
	}
	threads = what->block[0] * what->block[1] * what->block[2];
	if (threads > BLOCK_MOST_THREADS)
		return error_set(err, PL_EUSAGE,
				 "the block has %" PRId64 " threads; at most %d are possible",
				 threads, BLOCK_MOST_THREADS);
	if (entry->exact_threads && !exact)
		return error_set(err, PL_EUSAGE,
				 "the block has %" PRId64 " x %" PRId64 " x %" PRId64
				 " threads; %s was compiled for exactly %" PRId64 " x %" PRId64
				 " x %" PRId64,
				 what->block[0], what->block[1], what->block[2], entry->name,
				 entry->max_threads[0], entry->max_threads[1],
				 entry->max_threads[2]);
	if (limited && threads > allowed)
		return error_set(err, PL_EUSAGE,
				 "the block has %" PRId64 " threads; %s was compiled for %" PRId64,
				 threads, entry->name, allowed);
	return 0;
}

/* Whether the program reads one of these special registers. */
static bool asks_for_special(const struct ptx_program *program, enum special_register first,
			     enum special_register last)
{
	for (size_t i = 0; i < program->function_count; i++) {
		const struct program_function *function = &program->functions[i];

		for (size_t k = 0; k < function->constant_count; k++)
			if (function->constants[k].kind == CONSTANT_SPECIAL &&
			    function->constants[k].bits >= (uint64_t)first &&
			    function->constants[k].bits <= (uint64_t)last)
				return true;
	}
	return false;
}

static int check_memory_needs(struct launch *launch, struct error *err)
{
	const struct emulated_launch *what = &launch->what;
	const struct program_function *function = &launch->program->functions[launch->entry];
	int64_t fixed = program_shared_static_bytes(launch->program, what->entry);
	const int64_t frames = frame_local_bytes(launch->program, launch->entry);
	const int64_t local = frames + (frame_allocates(launch->program) ? STACK_BYTES : 0);
	size_t declared = (size_t)function->parameter_bytes;

	/* The parameter block may be padded to the alignment of its strictest parameter. */
	if (what->argument_bytes < declared || what->argument_bytes > (declared + 15) / 16 * 16)
		return error_set(err, PL_EUSAGE, "the arguments have %zu bytes; %s declares %zu",
				 what->argument_bytes, what->entry, declared);
	if (what->shared_bytes < 0 || fixed > BLOCK_MOST_SHARED_BYTES ||
	    what->shared_bytes > BLOCK_MOST_SHARED_BYTES - fixed)
		return error_set(err, PL_EUSAGE,
				 "the launch needs %" PRId64 " bytes of dynamic and %" PRId64
				 " bytes of static shared memory; at most %d are possible",
				 what->shared_bytes, fixed, BLOCK_MOST_SHARED_BYTES);
	if (local > LOCAL_MOST_BYTES)
		return error_set(err, PL_EUSAGE,
				 "the launch needs %" PRId64
				 " bytes of local memory per thread; at most %d are possible",
				 local, LOCAL_MOST_BYTES);
	launch->reserved_bytes =
		asks_for_special(launch->program, SPECIAL_RESERVED_BEGIN, SPECIAL_RESERVED_1)
			? RESERVED_SHARED_BYTES
			: 0;
	launch->shared_bytes = launch->reserved_bytes + fixed + what->shared_bytes;
	launch->local_bytes = (uint32_t)local;
	launch->stack_base = (uint32_t)frames;
	return 0;
}

static int check_blocks(const struct emulated_launch *what, int64_t total, struct error *err)
{
	for (size_t i = 0; what->blocks && i < what->block_count; i++)
		if (what->blocks[i] < 0 || what->blocks[i] >= total ||
		    (i > 0 && what->blocks[i] <= what->blocks[i - 1]))
			return error_set(err, PL_EUSAGE,
					 "block %" PRId64 " of %" PRId64
					 ": list each block once, in ascending order",
					 what->blocks[i], total);
	return 0;
}

static int run_launch_blocks(struct emulation *emulation, struct launch *launch, struct error *err)
{
	const struct emulated_launch *what = &launch->what;
	int64_t total = what->grid[0] * what->grid[1] * what->grid[2];
	int64_t count = what->blocks ? (int64_t)what->block_count : total;
	struct shared_races *shadow = NULL;
	struct block block;
	int rc = block_prepare(&block, launch, err);

	if (!rc && launch->shared_bytes > 0 && what->checked_blocks != 0) {
		shadow = shared_races_create(launch);
		if (!shadow)
			rc = error_set(err, PL_ENOMEM, "no memory to check for races");
	}
	emulation->blocks_total += (uint64_t)total;
	for (int64_t i = 0; !rc && !launch->stopped && i < count; i++) {
		block.shadow = block_is_checked(what, i, count) ? shadow : NULL;
		rc = block_run(&block, what->blocks ? what->blocks[i] : i, err);
		emulation->blocks_executed += rc == 0;
	}
	shared_races_free(shadow);
	block_release(&block);
	return rc;
}

/* Begins the check of global memory, or forgets what is written: nobody sees the stores. Sets
 * *unchecked to the requests before the launch. */
static void begin_global_check(struct emulation *emulation, struct launch *launch,
			       uint64_t *unchecked)
{
	const int64_t most = launch->what.check_most_bytes;

	*unchecked = 0;
	if (launch->follower)
		return;
	if (launch->what.check_global) {
		launch->global = global_races_create(launch, most ? most : GLOBAL_SHADOW_BYTES);
		return;
	}
	device_memory_all_written(emulation->memory);
	*unchecked = emulation_global_requests(emulation);
}

static void end_global_check(struct emulation *emulation, struct launch *launch, uint64_t before)
{
	if (launch->global)
		emulation->unchecked_requests += global_races_unchecked(launch->global);
	else if (!launch->follower)
		emulation->unchecked_requests += emulation_global_requests(emulation) - before;
	global_races_free(launch->global);
}

int emulation_launch(struct emulation *emulation, const struct emulated_launch *what,
		     struct finding_list *findings, struct error *err)
{
	struct launch launch = {
		.program = &emulation->program,
		.flows = emulation->flows,
		.variables = emulation->variables,
		.handlers = emulation->handlers,
		.memory = emulation->memory,
		.what = *what,
		.counts = emulation->counts,
		.findings = findings,
		.instructions_left = what->max_instructions ? what->max_instructions : UINT64_MAX,
		.heap = emulation->heap,
		.uses = emulation->uses,
		.follower = emulation->follower,
		.may_be_undefined = &emulation->may_be_undefined,
		.number = ++emulation->launches,
		.executed = emulation->executed,
		.clock = emulation->clock,
		.shared_locking = (uint8_t)program_shared_locking(&emulation->program),
		.asks_for_workspace =
			asks_for_special(&emulation->program, SPECIAL_ENVREG1, SPECIAL_ENVREG2),
	};
	uint64_t unchecked;
	int rc = find_entry(&launch, what->entry, err);

	if (!rc)
		rc = check_shape(what, emulation->program.functions[launch.entry].source, err);
	if (!rc)
		rc = cluster_check_shape(&launch, err);
	if (!rc)
		rc = check_memory_needs(&launch, err);
	if (!rc)
		rc = check_blocks(what, what->grid[0] * what->grid[1] * what->grid[2], err);
	if (rc)
		return error_context(err, rc, "launching %s", what->entry);
	begin_global_check(emulation, &launch, &unchecked);
	if (what->cooperative)
		rc = grid_run(emulation, &launch, err);
	else if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1)
		rc = clusters_run(emulation, &launch, err);
	else
		rc = run_launch_blocks(emulation, &launch, err);
	end_global_check(emulation, &launch, unchecked);
	tensormap_updates_free(launch.tensormap_updates);
	finished_reads_free(launch.finished_reads);
	print_fifo_flush(launch.printed, &launch.what);
	emulation->executed = launch.executed;
	emulation->clock = launch.clock;
	return rc ? error_context(err, rc, "launching %s", what->entry) : 0;
}
