/*
 * Faults planted in CUDA kernels (planted/, as nvcc compiles them) are found and named: what,
 * where, who; and where nothing is wrong nothing is found. The line of a fault is the one that says
 * "wrong: KERNEL" in its source, the other side of a race "other: KERNEL".
 */
#include "support_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/emulator/planted/"
#define THREADS 256
#define BLOCKS 2
/* Hundreds of threads that wait for one lock take many; a fault is there at once. */
#define RIGHT_MOST_INSTRUCTIONS 20000000
#define PLANTED_MOST_INSTRUCTIONS 1000000
/* Elements of out: all that the threads of a case have. */
#define ELEMENTS ((size_t)BLOCKS * THREADS)

static char *read_planted(const char *file, const char *suffix)
{
	char *path = xasprintf(FOLDER "%s%s", file, suffix), *text;
	struct error err = {0};
	size_t length;

	if (read_file(&text, &length, path, 1 << 20, &err))
		fail_msg("%s", err.text);
	free(path);
	return text;
}

/* The line (from 1) of the source that says so; 0: none does. */
static uint32_t marked_line(const char *source, const char *mark, const char *kernel)
{
	char *words = xasprintf("/* %s: %s */", mark, kernel);
	size_t length = strlen(words);
	uint32_t line = 1;

	for (; *source && strncmp(source, words, length) != 0; source++)
		line += *source == '\n';
	free(words);
	return *source ? line : 0;
}

static struct machine_result run_planted(const char *file, const char *kernel, int64_t threads,
					 int64_t n, uint64_t most_instructions)
{
	char *ptx = read_planted(file, ".ptx");
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = ptx,
		.entry = kernel,
		.grid = {BLOCKS},
		.block = {threads},
		.n = (uint32_t)n,
		.out_words = n < (int64_t)ELEMENTS ? (size_t)n : ELEMENTS,
		.max_instructions = most_instructions,
		.checked_blocks = -1,
		/* Blocks of the other files use the same elements of out, as input and output. */
		.check_global = !strcmp(file, "blocks") || !strcmp(file, "right"),
		.out_unwritten = strstr(kernel, "unwritten") != NULL,
	});

	free(ptx);
	return result;
}

/* ---- faults ---- */

struct planted {
	const char *file, *kernel;
	enum finding_kind kind;
	int block, thread; /* along x; thread -1: the whole warp */
	const char *words; /* of the text; NULL: none in particular */
	const char *more;  /* likewise */
	int64_t n;         /* 0: ELEMENTS; below it: so many does out have */
};

static const struct planted planted[] = {
	{"memory", "planted_read_past_end", FINDING_OUT_OF_BOUNDS, 1, 255, "a 4-byte load",
	 "4 bytes past the end of 'out' (2048 bytes)", 0},
	{"memory", "planted_write_past_end", FINDING_OUT_OF_BOUNDS, 1, 244, "a 4-byte store",
	 "4 bytes past the end of 'out' (2000 bytes)", 500},
	{"memory", "planted_read_before_begin", FINDING_OUT_OF_BOUNDS, 0, 0, "a 4-byte load",
	 "4 bytes before 'out' (2048 bytes)", 0},
	{"memory", "planted_tail_of_float4", FINDING_OUT_OF_BOUNDS, 0, 128, "a 16-byte store",
	 "16 bytes past the end of 'out' (2048 bytes)", ELEMENTS + 1},
	{"memory", "planted_atomic_past_end", FINDING_OUT_OF_BOUNDS, 0, 5, "a 4-byte atomic",
	 "4 bytes past the end of 'out' (2048 bytes)", 0},
	{"memory", "planted_misaligned_float4", FINDING_MISALIGNED, 0, 0, "a 16-byte store",
	 "not a multiple of 16", 0},
	{"memory", "planted_number_as_pointer", FINDING_OUT_OF_BOUNDS, 0, 0, "0x200",
	 "a null pointer or an address near it", 0},
	{"memory", "planted_unset_pointer", FINDING_OUT_OF_BOUNDS, 0, 0, "0x0",
	 "a null pointer or an address near it", 0},
	{"memory", "planted_far_pointer", FINDING_OUT_OF_BOUNDS, 0, 0, "a 4-byte load",
	 "far from every allocation", 0},
	{"memory", "planted_module_variable", FINDING_OUT_OF_BOUNDS, 0, 4, "a 4-byte store",
	 "4 bytes past the end of 'four' (16 bytes)", 0},
	{"memory", "planted_constant_table", FINDING_OUT_OF_BOUNDS, 0, 4, "a 4-byte load",
	 "4 bytes past the end of 'coefficients' (16 bytes)", 0},
	{"memory", "planted_local_array", FINDING_OUT_OF_BOUNDS, 0, 0, "a 4-byte store",
	 "local memory at byte", 0},
	{"memory", "planted_shared_past_end", FINDING_OUT_OF_BOUNDS, 0, 255, "a 4-byte load",
	 "shared memory at byte 1024, which ends 4 bytes past its end (1024 bytes)", 0},
	{"memory", "planted_shared_before_begin", FINDING_OUT_OF_BOUNDS, 0, 0, "a 4-byte store",
	 "shared memory at byte -4, before it begins (1024 bytes)", 0},
	{"memory", "planted_shared_not_launched", FINDING_OUT_OF_BOUNDS, 0, 0, "a 4-byte store",
	 "shared memory at byte 0, which ends 4 bytes past its end (0 bytes)", 0},
	{"memory", "planted_shared_misaligned", FINDING_MISALIGNED, 0, 0, "an 8-byte store",
	 "not a multiple of 8", 1},
	{"order", "planted_transpose", FINDING_RACE, 0, 1, "reads word 17", "thread (16,0,0) wrote",
	 0},
	{"order", "planted_reduction", FINDING_RACE, 0, 0, "reads word", "wrote", 0},
	{"order", "planted_refill", FINDING_RACE, 0, 0, "writes word", "read", 0},
	{"order", "planted_histogram", FINDING_RACE, 0, 232,
	 /* the warp that opened the barrier goes on first */
	 "thread (232,0,0) writes word 0", "thread (224,0,0) wrote", 0},
	{"order", "planted_lockstep", FINDING_RACE, 0, 0, "reads word", "thread (1,0,0) wrote", 0},
	{"order", "planted_atomic_and_plain", FINDING_RACE, 0, 224, "reads word 0",
	 "thread (255,0,0) wrote", 0},
	{"order", "planted_warp_barrier", FINDING_RACE, 0, 32, "thread (32,0,0) reads word",
	 "thread (0,0,0) wrote", 0},
	{"order", "planted_relaxed_flag", FINDING_RACE, 0, 32, "reads word", "thread (0,0,0) wrote",
	 0},
	{"order", "planted_uninitialised", FINDING_UNINITIALISED, 1, 255, "byte 1028",
	 "before any thread has written it", 0},
	{"order", "planted_uninitialised_byte", FINDING_UNINITIALISED, 1, 77, "byte 77",
	 "before any thread has written it", 0},
	{"neighbours", "planted_neighbour_index", FINDING_OUT_OF_BOUNDS, 0, 9,
	 "a 4-byte store to byte 1024 of shared variable 'low'",
	 "4 bytes past its end (1024 bytes)", 0},
	{"neighbours", "planted_neighbour_before", FINDING_OUT_OF_BOUNDS, 0, 0,
	 "a 4-byte load from byte -4 of shared variable 'high'", "before it begins (1024 bytes)",
	 0},
	{"neighbours", "planted_neighbour_pointer", FINDING_OUT_OF_BOUNDS, 0, 240,
	 "a 4-byte load from byte 1024 of shared variable 'low'",
	 "4 bytes past its end (1024 bytes)", 0},
	{"neighbours", "planted_neighbour_rows", FINDING_OUT_OF_BOUNDS, 0, 240,
	 "a 4-byte load from byte 1024 of shared variable 'tile'",
	 "4 bytes past its end (1024 bytes)", 0},
	{"neighbours", "planted_neighbour_bytes", FINDING_OUT_OF_BOUNDS, 0, 100,
	 "a 1-byte store to byte 100 of shared variable 'low'", "1 bytes past its end (100 bytes)",
	 0},
	{"neighbours", "planted_neighbour_atomic", FINDING_OUT_OF_BOUNDS, 0, 64,
	 "a 4-byte atomic on byte 256 of shared variable 'low'", "4 bytes past its end (256 bytes)",
	 0},
	/* The warp that opened the barrier goes on first. */
	{"locks", "planted_mutex_no_fence", FINDING_RACE, 0, 225, "reads word 0",
	 "thread (224,0,0) wrote", 0},
	{"locks", "planted_mutex_no_fence_after", FINDING_RACE, 0, 225, "reads word 0",
	 "thread (224,0,0) wrote", 0},
	{"locks", "planted_mutex_no_fence_before", FINDING_RACE, 0, 225, "reads word 0",
	 "thread (224,0,0) wrote", 0},
	{"order", "planted_barrier_of_others", FINDING_RACE, 0, 64, "reads word 0",
	 "thread (0,0,0) wrote", 0},
	{"order", "planted_barrier_not_waited", FINDING_RACE, 0, 32, "reads word 0",
	 "thread (0,0,0) wrote", 0},
	{"locks", "planted_two_mutexes", FINDING_RACE, 0, 224, "writes word 0",
	 "thread (225,0,0) read", 0},
	{"locks", "planted_fence_too_early", FINDING_RACE, 0, 32, "reads word",
	 "thread (0,0,0) wrote", 0},
	{"locks", "planted_not_the_last", FINDING_RACE, 0, 0, "writes word 0",
	 "thread (224,0,0) read", 0},
	{"locks", "planted_ticket_no_fence", FINDING_RACE, 0, 0, "reads word",
	 "no barrier or lock between", 0},
	{"locks", "planted_volatile_lanes", FINDING_RACE, 0, 0, "reads word",
	 "thread (1,0,0) wrote", 0},
	{"blocks", "planted_other_block", FINDING_GLOBAL_RACE, 1, 0, "reads byte 0 of 'values'",
	 "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_kept_read", FINDING_GLOBAL_RACE, 0, 224, "reads byte 796 of 'values'",
	 "thread (199,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_no_fence", FINDING_GLOBAL_RACE, 1, 0, "reads byte 0 of 'partial'",
	 "nothing between that orders the blocks", 0},
	{"blocks", "planted_fence_of_block", FINDING_GLOBAL_RACE, 1, 0, "reads byte 0 of 'partial'",
	 "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_no_barrier_before_fence", FINDING_GLOBAL_RACE, 1, 0,
	 "reads byte 1020 of 'values'", "thread (255,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_barrier_of_two_warps", FINDING_GLOBAL_RACE, 0, 64,
	 "reads byte 0 of 'values'", "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_plain_counter", FINDING_GLOBAL_RACE, 1, 0, "reads byte 0 of 'counter'",
	 "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_cleared_by_each", FINDING_GLOBAL_RACE, 1, 0,
	 "writes byte 0 of 'counter'", "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_lock_no_fence", FINDING_GLOBAL_RACE, 1, 0, "reads byte 0 of 'values'",
	 "use atomics, or __threadfence() and then an atomic flag, or two launches", 0},
	{"blocks", "planted_other_lock", FINDING_GLOBAL_RACE, 1, 0, "reads byte 0 of 'values'",
	 "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_block_scope", FINDING_GLOBAL_RACE, 1, 0, "changes byte 0 of 'counter'",
	 "an atomic with the scope of a block is none for other blocks", 0},
	{"blocks", "planted_read_before_add", FINDING_GLOBAL_RACE, 1, 0,
	 "reads byte 0 of 'counter'", "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_plain_flag", FINDING_GLOBAL_RACE, 1, 0, "reads byte 0 of 'flag'",
	 "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_byte_too_many", FINDING_GLOBAL_RACE, 1, 0, "writes byte 255 of 'bytes'",
	 "thread (255,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_other_warp", FINDING_GLOBAL_RACE, 0, 32, "reads byte 0 of 'values'",
	 "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_other_lane", FINDING_GLOBAL_RACE, 0, 0, "reads byte 4 of 'values'",
	 "thread (1,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_same_place", FINDING_GLOBAL_RACE, 0, 1, "writes byte 0 of 'values'",
	 "thread (0,0,0) of block (0,0,0) wrote at", 0},
	{"blocks", "planted_unwritten", FINDING_UNWRITTEN, 0, 0, "byte 0 of 'out' (2048 bytes)",
	 "before the host or any thread has written it", 0},
	{"blocks", "planted_unwritten_heap", FINDING_UNWRITTEN, 1, 0,
	 "byte 8 of 'malloc()' (16 bytes)", NULL, 0},
	{"copies", "planted_copy_no_wait", FINDING_UNWAITED_COPY, 0, 224, "thread (224,0,0) reads",
	 "before thread (224,0,0) has waited", 0},
	{"copies", "planted_copy_no_commit", FINDING_UNWAITED_COPY, 0, 224, "reads word 31",
	 "before thread (31,0,0) has waited", 0},
	{"copies", "planted_copy_last_group", FINDING_UNWAITED_COPY, 0, 192,
	 "thread (192,0,0) reads word 319", "before thread (63,0,0) has waited", 0},
	{"copies", "planted_copy_no_barrier", FINDING_RACE, 0, 0, "thread (0,0,0) reads word 1",
	 "thread (1,0,0) wrote", 0},
	{"copies", "planted_copy_refill", FINDING_RACE, 0, 0, "writes word", "read", 0},
	{"copies", "planted_copy_and_store", FINDING_UNWAITED_COPY, 0, 0,
	 "thread (0,0,0) writes word 0", "before thread (0,0,0) has waited", 0},
	{"copies", "planted_copy_past_end", FINDING_OUT_OF_BOUNDS, 0, 255,
	 "a 16-byte asynchronous copy from", "8 bytes past the end of 'out' (2040 bytes)", 510},
	{"copies", "planted_copy_misaligned", FINDING_MISALIGNED, 0, 1,
	 "a 16-byte asynchronous copy to shared memory at byte 12", "not a multiple of 16", 0},
	{"warpgroups", "planted_product_no_wait", FINDING_UNWAITED_PRODUCT, 0, -1,
	 "reads a register of D", "execute wgmma.wait_group first", 0},
	/* Warp 7 opens the first barrier, so warp 6 comes last to the second one. */
	{"warpgroups", "planted_product_refill", FINDING_UNWAITED_PRODUCT, 0, 192,
	 "thread (192,0,0) writes word 192", "before all warps of warpgroup 0 have waited", 0},
	{"warpgroups", "planted_product_no_proxy_fence", FINDING_UNFENCED, 0, -1,
	 "wgmma reads word 0, which thread (0,0,0) wrote", "no fence.proxy.async between", 0},
	{"warpgroups", "planted_product_without_a_warp", FINDING_ABSENT_LANES, 0, -1,
	 "warp 7 ends without executing", "warpgroup 1 must execute together", 0},
	{"warps", "planted_divergent_barrier", FINDING_DIVERGENT_BARRIER, 0, -1,
	 "lanes 0x0000ffff of warp 1", "lanes 0xffff0000 went past it", 0},
	{"warps", "planted_barrier_in_loop", FINDING_DIVERGENT_BARRIER, 0, -1,
	 "lanes 0x6db6db6d of warp 7", "lanes 0x92492492 went past it", 0},
	{"warps", "planted_absent_lanes", FINDING_ABSENT_LANES, 0, -1, "lanes 0x0000ffff of warp 0",
	 "name lanes 0xffff0000", 0},
	{"warps", "planted_not_in_mask", FINDING_ABSENT_LANES, 0, 16,
	 "the mask 0x0000ffff does not name the lane", NULL, 0},
	{"warps", "planted_vote_of_absent", FINDING_ABSENT_LANES, 0, -1,
	 "lanes 0xaaaaaaaa of warp 0", "name lanes 0x55555555", 0},
	{"warps", "planted_syncwarp_of_absent", FINDING_ABSENT_LANES, 0, -1,
	 "lanes 0x00000080 of warp 0", "name lanes 0xffffff7f", 0},
	{"warps", "planted_deadlock", FINDING_DEADLOCK, 0, -1,
	 "barrier 1 is incomplete: 64 threads", "2 of 8 warps wait", 0},
	{"clusters", "planted_no_cluster_sync", FINDING_RACE, 0, 0, "reads word 0 of block (1,0,0)",
	 "with no barrier of the cluster between", 0},
	{"clusters", "planted_not_begun", FINDING_ABSENT_BLOCK, 0, 0,
	 "shared memory of block (1,0,0)", "before it is sure that the block has begun", 0},
	{"clusters", "planted_ends_early", FINDING_ABSENT_BLOCK, 1, -1,
	 "block (0,0,0) may still access its shared memory", "nothing orders that", 0},
	{"clusters", "planted_no_such_rank", FINDING_OUT_OF_BOUNDS, 1, 224, "a 4-byte load",
	 "a block that is not in the cluster, which has 2", 0},
	{"clusters", "planted_past_other_block", FINDING_OUT_OF_BOUNDS, 1, 255,
	 "the block with rank 0 at byte 1024", "4 bytes past its end (1024 bytes)", 0},
	{"clusters", "planted_refill_of_cluster", FINDING_RACE, 0, 0,
	 "writes word 0 of block (1,0,0)", "of block (1,0,0) read", 0},
	{"clusters", "planted_one_thread_syncs", FINDING_DEADLOCK, 0, -1, "barrier 0 is incomplete",
	 NULL, 0},
	{"clusters", "planted_arrives_twice", FINDING_CLUSTER_BARRIER, 0, 0, "arrives again", NULL,
	 0},
	{"ends", "planted_trap", FINDING_TRAP, 0, 33, "a trap", NULL, 0},
	{"ends", "planted_assertion", FINDING_ASSERTION, 0, 200, "threadIdx.x < 200 is false",
	 "planted/ends.cu", 0},
	{"ends", "planted_waits_forever", FINDING_DEADLOCK, 0, 0, "loop for ever",
	 "as they were before", 0},
	{"ends", "planted_counts_forever", FINDING_ENDLESS, 0, 32, "1000000 warp instructions",
	 "has not ended", 0},
	{"ends", "planted_waits_for_later_block", FINDING_DEADLOCK, 0, 0, "loop for ever",
	 "add cooperative to the launch", 0},
	{"ends", "planted_busy_forever", FINDING_ENDLESS, 0, -1, "1000000 warp instructions",
	 "has not ended", 0},
	{"ends", "planted_endless_recursion", FINDING_STACK, 0, 0, "a call at depth",
	 "a GPU gives each thread 1024", 0},
};

static bool matches(const struct planted *want, const struct finding *finding, uint32_t wrong,
		    uint32_t other)
{
	struct text text = TEXT_INIT;
	char place[64], other_place[64];
	bool found;

	snprintf(place, sizeof(place), "/%s.cu:%u", want->file, wrong);
	snprintf(other_place, sizeof(other_place), "/%s.cu:%u", want->file, other);
	finding_text(&text, finding);
	found = finding->kind == want->kind && !strcmp(finding->entry, want->kernel) &&
		finding->block[0] == want->block && finding->thread[0] == want->thread &&
		finding->block[1] == 0 && (!wrong || strstr(text.data, place)) &&
		(!other || strstr(finding->text, other_place)) &&
		(!want->words || strstr(finding->text, want->words)) &&
		(!want->more || strstr(finding->text, want->more));
	text_release(&text);
	return found;
}

static bool find_planted(const struct planted *want)
{
	char *source = read_planted(want->file, ".cu");
	uint32_t wrong = marked_line(source, "wrong", want->kernel);
	uint32_t other = marked_line(source, "other", want->kernel);
	struct machine_result result =
		run_planted(want->file, want->kernel, THREADS,
			    want->n ? want->n : (int64_t)ELEMENTS, PLANTED_MOST_INSTRUCTIONS);
	struct text all = TEXT_INIT;
	bool found = false, alone = true;

	for (size_t i = 0; i < result.findings.count; i++) {
		const struct finding *finding = &result.findings.items[i];

		found |= matches(want, finding, wrong, other);
		/* Who comes too early may also find nothing. Who names absent lanes may read one.
		 */
		alone &= finding->kind == want->kind ||
			 (want->kind == FINDING_RACE && finding->kind == FINDING_UNINITIALISED) ||
			 (want->kind == FINDING_ABSENT_LANES &&
			  finding->kind == FINDING_ABSENT_SOURCE);
		text_add(&all, "  ");
		finding_text(&all, finding);
		text_add(&all, "\n");
	}
	if (!found || !alone)
		print_error(
			"%s: wanted '%s' at line %u (other side: %u) in block %d thread %d with "
			"'%s' and '%s', found:\n%s",
			want->kernel, finding_kind_name(want->kind), wrong, other, want->block,
			want->thread, want->words, want->more ? want->more : "",
			all.length ? all.data : "  nothing\n");
	text_release(&all);
	machine_release(&result);
	free(source);
	return found && alone;
}

static void planted_faults_are_found(void **state)
{
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(planted); i++)
		found += find_planted(&planted[i]);
	assert_int_equal(found, ARRAY_SIZE(planted));
}

/* A kernel that is planted and not looked for would be a test that cannot fail. */
static void every_planted_kernel_is_looked_for(void **state)
{
	static const char *const files[] = {"memory", "order",      "locks",    "blocks",
					    "copies", "warpgroups", "clusters", "warps",
					    "ends",   "neighbours"};

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		char *source = read_planted(files[f], ".cu");

		for (const char *at = source; (at = strstr(at, "void planted_")); at++) {
			const char *name = at + strlen("void ");
			size_t length = strcspn(name, "(");
			bool found = false;

			for (size_t i = 0; i < ARRAY_SIZE(planted); i++)
				found |= strlen(planted[i].kernel) == length &&
					 !strncmp(planted[i].kernel, name, length);
			if (!found)
				fail_msg("%.*s is not looked for", (int)length, name);
		}
		free(source);
	}
}

/* ---- nothing wrong ---- */

/* Leaves 256 in the element of its block, or counts on its threads and those of blocks before. */
static void assert_right(const char *file, const char *kernel)
{
	bool counts_on = strstr(kernel, "lock") || strstr(kernel, "_spin_");
	/* Each change of a lock's hands takes its time, and two warps are enough. */
	int64_t threads = counts_on ? 64 : THREADS;
	struct machine_result result =
		run_planted(file, kernel, threads, ELEMENTS, RIGHT_MOST_INSTRUCTIONS);

	for (size_t i = 0; i < result.findings.count; i++) {
		struct text text = TEXT_INIT;

		finding_text(&text, &result.findings.items[i]);
		print_message("%s\n", text.data);
		text_release(&text);
	}
	if (result.findings.count || result.notes.count)
		fail_msg("%s: there is nothing wrong with it", kernel);
	for (unsigned block = 0; block < BLOCKS; block++) {
		float expected = counts_on ? (float)(threads * (block + 1)) : 256.0f;
		float value;

		memcpy(&value, &result.out[block], sizeof(value));
		if (value != expected)
			fail_msg("%s: block %u: %g, not %g", kernel, block, (double)value,
				 (double)expected);
	}
	machine_release(&result);
}

static void right_kernels_have_no_finding(void **state)
{
	static const char *const files[] = {"right",      "neighbours", "copies", "blocks",
					    "warpgroups", "clusters",   "locks"};
	size_t count = 0;

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		char *source = read_planted(files[f], ".cu");

		for (const char *at = source; (at = strstr(at, "void right_")); at++) {
			const char *name = at + strlen("void ");
			char *kernel = xstrndup(name, strcspn(name, "("));

			assert_right(files[f], kernel);
			free(kernel);
			count++;
		}
		free(source);
	}
	assert_true(count >= 35);
}

/* ---- more than there is ---- */

static void assert_refused(const char *kernel, const char *words)
{
	char *ptx = read_planted("sizes", ".ptx");
	struct error err = {0};
	int rc = machine_refused(&(struct machine_case){.ptx = ptx,
							.entry = kernel,
							.block = {THREADS},
							.out_words = ELEMENTS,
							.n = 1},
				 &err);

	if (rc != PL_ENOMEM || !strstr(err.text, words))
		fail_msg("%s: %d: %s", kernel, rc, err.text);
	free(ptx);
}

static void sizes_beyond_all_bounds_are_refused(void **state)
{
	(void)state;
	assert_refused("planted_global_too_large", "'huge' needs 4398046511104 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_faults_are_found),
		cmocka_unit_test(every_planted_kernel_is_looked_for),
		cmocka_unit_test(right_kernels_have_no_finding),
		cmocka_unit_test(sizes_beyond_all_bounds_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
