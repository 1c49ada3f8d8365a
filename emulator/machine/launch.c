#include "emulator/machine/block.h"
#include "emulator/machine/call_frame.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/control.h"
#include "emulator/machine/copies/bulk.h"
#include "emulator/machine/grid.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/global_rows.h"
#include "emulator/machine/races/races_shared.h"
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

static bool is_cluster(const int64_t shape[3])
{
	return shape[0] || shape[1] || shape[2];
}

/* Which clusters the launch has: those it asks for, or those the entry was compiled for. */
static int choose_cluster(struct launch *launch, const struct ptx_function *entry,
			  struct error *err)
{
	const int64_t *asked = launch->what.cluster, *compiled = entry->cluster;
	bool asks = asked[0] > 1 || asked[1] > 1 || asked[2] > 1;

	for (int i = 0; i < 3; i++)
		if (asked[i] < 0 || (is_cluster(asked) && asked[i] < 1))
			return error_set(err, PL_EUSAGE, "the cluster has %" PRId64 " blocks in %c",
					 asked[i], "xyz"[i]);
	if (!is_cluster(compiled)) {
		for (int i = 0; i < 3; i++)
			launch->cluster[i] = asks ? asked[i] : 1;
		launch->explicit_cluster = asks;
		if (entry->explicit_cluster && !asks)
			return error_set(err, PL_EUSAGE,
					 "%s was compiled for launches with clusters; give the "
					 "launch a cluster",
					 entry->name);
		return 0;
	}
	if (asks && memcmp(asked, compiled, sizeof(entry->cluster)) != 0)
		return error_set(err, PL_EUSAGE,
				 "the cluster has %" PRId64 " x %" PRId64 " x %" PRId64
				 " blocks; %s was compiled for exactly %" PRId64 " x %" PRId64
				 " x %" PRId64,
				 asked[0], asked[1], asked[2], entry->name, compiled[0],
				 compiled[1], compiled[2]);
	memcpy(launch->cluster, compiled, sizeof(launch->cluster));
	launch->explicit_cluster = true;
	return 0;
}

/* Sets launch->cluster and launch->explicit_cluster. PL_EUSAGE: no device would accept the size, or
 * the entry was compiled for another. */
static int check_cluster_shape(struct launch *launch, struct error *err)
{
	const struct ptx_function *entry = launch->program->functions[launch->entry].source;
	const int64_t *cluster = launch->cluster;
	int64_t blocks = 1, most = CLUSTER_BLOCKS_MOST;
	int rc = choose_cluster(launch, entry, err);

	if (rc)
		return rc;
	if (entry->most_cluster && entry->most_cluster < most)
		most = entry->most_cluster;
	for (int i = 0; i < 3; i++) {
		blocks = cluster[i] >= 1 && cluster[i] <= most ? blocks * cluster[i] : most + 1;
		if (blocks > most)
			return error_set(err, PL_EUSAGE,
					 "a cluster of %" PRId64 " x %" PRId64 " x %" PRId64
					 " blocks; 1 to %" PRId64 " blocks are possible",
					 cluster[0], cluster[1], cluster[2], most);
	}
	for (int i = 0; i < 3; i++)
		if (launch->what.grid[i] % cluster[i])
			return error_set(err, PL_EUSAGE,
					 "the grid has %" PRId64
					 " blocks along %c, no multiple of the %" PRId64
					 " of a cluster",
					 launch->what.grid[i], "xyz"[i], cluster[i]);
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
		rc = check_cluster_shape(&launch, err);
	if (!rc)
		rc = check_memory_needs(&launch, err);
	if (!rc)
		rc = check_blocks(what, what->grid[0] * what->grid[1] * what->grid[2], err);
	if (rc)
		return error_context(err, rc, "launching %s", what->entry);
	begin_global_check(emulation, &launch, &unchecked);
	if (what->cooperative || launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1)
		rc = grid_run(emulation, &launch, err);
	else
		rc = run_launch_blocks(emulation, &launch, err);
	if (launch.global)
		emulation->unchecked_requests += launch.global->unchecked;
	else if (!launch.follower)
		emulation->unchecked_requests += emulation_global_requests(emulation) - unchecked;
	global_races_free(launch.global);
	tensormap_updates_free(launch.tensormap_updates);
	finished_reads_free(launch.finished_reads);
	print_fifo_flush(launch.printed, &launch.what);
	emulation->executed = launch.executed;
	emulation->clock = launch.clock;
	return rc ? error_context(err, rc, "launching %s", what->entry) : 0;
}
