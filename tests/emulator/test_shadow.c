/* Races and uninitialised reads of shared memory: what is told, and what must not be. */
#include "memory_fixture.h"

enum { LOAD, STORE, ATOMIC, NARROW, SECOND_STORE };

static void begin(void)
{
	static const enum operation operations[] = {OP_LOAD, OP_STORE, OP_ATOMIC, OP_STORE,
						    OP_STORE};

	fixture.block.shadow = shared_races_create(&fixture.launch);
	assert_non_null(fixture.block.shadow);
	for (int i = 0; i < 5; i++)
		access_at(i, operations[i], PTX_SPACE_SHARED, i == NARROW ? 1 : 4, 1);
	fixture.code[ATOMIC].kind = ATOMIC_ADD;
	fixture.code[ATOMIC].type = TYPE_u32;
	fixture.code[ATOMIC].b = ROW_B;
}

/* Lanes of a warp touch words first, first + step …; stores put `value` plus the lane there. */
static void touch(int instruction, unsigned warp, uint32_t mask, uint32_t first, uint32_t step)
{
	fixture.warp = &fixture.warps[warp];
	fixture.warp->active = mask;
	set_addresses(4 * first, 4 * step);
	for (int lane = 0; lane < LANES; lane++)
		set_row_lane(ROW_DST, lane, 4, 1000 * (warp + 1) + (uint32_t)lane);
	fixture.found = 0;
	assert_int_equal(execute(&fixture.code[instruction]), STEP_NEXT);
}

#define REMEDY                                                                              \
	"; order the accesses with __syncthreads(), or __syncwarp() within a warp, or use " \
	"different words"

static void expect_race(int lane, const char *text)
{
	assert_int_equal(fixture.found, 1);
	assert_int_equal(fixture.kind, FINDING_RACE);
	assert_int_equal(fixture.lane, lane);
	assert_string_equal(fixture.text, text);
}

static void expect_nothing(void)
{
	if (fixture.found)
		fail_msg("%s", fixture.text);
}

/* All of shared memory is written, a barrier ago. */
static void initialise(void)
{
	for (uint32_t word = 0; word < 256; word += 32)
		touch(STORE, 0, ALL_LANES, word, 1);
	expect_nothing();
	fixture.block.epoch++;
}

static void body_between_warps(void)
{
	begin();
	initialise();
	/* Each thread its own word. */
	touch(STORE, 0, ALL_LANES, 0, 1);
	touch(STORE, 1, ALL_LANES, 32, 1);
	expect_nothing();
	/* Warp 1 reads what warp 0 wrote. */
	touch(LOAD, 1, ALL_LANES, 0, 1);
	expect_race(0, "thread (32,0,0) reads word 0 at x.cu:10, which thread (0,0,0) wrote at "
		       "x.cu:20 with no barrier between" REMEDY);
	fixture.block.epoch++;
	touch(LOAD, 1, ALL_LANES, 0, 1);
	touch(LOAD, 0, ALL_LANES, 31, 0);
	expect_nothing();
	/* Warp 0 writes what warp 1 has read; only lanes 12 and on do. */
	touch(STORE, 0, 0xfffff000, 0, 1);
	expect_race(12, "thread (12,0,0) writes word 12 at x.cu:20, which thread (44,0,0) read at "
			"x.cu:10 with no barrier between" REMEDY);
	fixture.block.epoch++;
	/* Two writers with different values; a warp's synchronisation orders no other warp. */
	touch(STORE, 0, 1, 5, 0);
	fixture.warps[0].sync_epoch++;
	fixture.warps[1].sync_epoch++;
	touch(SECOND_STORE, 1, 2, 5, 0);
	expect_race(1, "thread (33,0,0) writes word 5 at x.cu:50, which thread (0,0,0) wrote at "
		       "x.cu:20 with no barrier between" REMEDY);
}
EACH_SET(between_warps)

static void body_within_a_warp(void)
{
	begin();
	initialise();
	/* The tail of a reduction: s[lane] += s[lane + 16], then + 8, without __syncwarp. */
	touch(LOAD, 0, 0xffff, 16, 1);
	touch(LOAD, 0, 0xffff, 0, 1);
	touch(STORE, 0, 0xffff, 0, 1);
	expect_nothing();
	touch(LOAD, 0, 0xff, 8, 1);
	expect_race(0, "thread (0,0,0) reads word 8 at x.cu:10, which thread (8,0,0) wrote at "
		       "x.cu:20 with no barrier between" REMEDY);
	/* With it. */
	fixture.block.epoch++;
	touch(STORE, 0, 0xffff, 0, 1);
	fixture.warps[0].sync_epoch++;
	touch(LOAD, 0, 0xff, 8, 1);
	touch(LOAD, 0, 0xff, 0, 1);
	expect_nothing();
	fixture.warps[0].sync_epoch++;
	touch(STORE, 0, 0xff, 0, 1);
	expect_nothing();
	/* Another reader after the synchronisation does not hide one before the write. */
	touch(LOAD, 0, 0x300, 8, 0);
	touch(STORE, 0, 0x100, 8, 0);
	expect_race(8, "thread (8,0,0) writes word 8 at x.cu:20, which thread (9,0,0) read at "
		       "x.cu:10 with no barrier between" REMEDY);
}
EACH_SET(within_a_warp)

static void body_lanes_of_one_instruction(void)
{
	begin();
	initialise();
	touch(LOAD, 0, ALL_LANES, 7, 0);
	expect_nothing();
	fixture.block.epoch++;
	/* Different values to one word. */
	touch(STORE, 0, 0x28, 7, 0);
	expect_race(5, "thread (5,0,0) writes word 7 at x.cu:20, which thread (3,0,0) wrote at "
		       "x.cu:20 with no barrier between" REMEDY);
	fixture.block.epoch++;
	/* Equal values are no race, by lanes of one warp or by two warps. */
	for (unsigned warp = 0; warp < 2; warp++) {
		fixture.warp = &fixture.warps[warp];
		fixture.warp->active = ALL_LANES;
		set_addresses(28, 0);
		memset(fixture.file + ROW_DST, 0x11, 128);
		fixture.found = 0;
		assert_int_equal(execute(&fixture.code[STORE]), STEP_NEXT);
		expect_nothing();
	}
	/* Who reads it without a barrier still races. */
	touch(LOAD, 1, 2, 7, 0);
	assert_int_equal(fixture.kind, FINDING_RACE);
	assert_int_equal(fixture.found, 1);
}
EACH_SET(lanes_of_one_instruction)

static void body_atomics(void)
{
	begin();
	initialise();
	touch(ATOMIC, 0, ALL_LANES, 3, 0);
	touch(ATOMIC, 1, ALL_LANES, 3, 0);
	expect_nothing();
	touch(LOAD, 0, 1, 3, 0);
	expect_race(0, "thread (0,0,0) reads word 3 at x.cu:10, which thread (63,0,0) wrote at "
		       "x.cu:30 with no barrier between" REMEDY);
	fixture.block.epoch++;
	touch(LOAD, 0, 1, 3, 0);
	expect_nothing();
	touch(ATOMIC, 1, 1, 3, 0);
	expect_race(0, "thread (32,0,0) changes word 3 at x.cu:30, which thread (0,0,0) read at "
		       "x.cu:10 with no barrier between" REMEDY);
	/* A plain store is not made atomic by an atomic of the same thread behind it. */
	fixture.block.epoch++;
	touch(STORE, 0, 1, 3, 0);
	touch(ATOMIC, 0, 1, 3, 0);
	expect_nothing();
	touch(ATOMIC, 1, 1, 3, 0);
	assert_int_equal(fixture.found, 1);
	fixture.block.epoch++;
	touch(ATOMIC, 0, 1, 3, 0);
	touch(ATOMIC, 1, 1, 3, 0);
	expect_nothing();
}
EACH_SET(atomics)

/* Readers of three warps' worth: whoever writes meets one that is not its own. */
static void body_many_readers(void)
{
	begin();
	initialise();
	for (unsigned writer = 0; writer < 2; writer++) {
		touch(LOAD, 0, ALL_LANES, 9, 0);
		touch(LOAD, 1, ALL_LANES, 9, 0);
		/* Its own readers are ordered. */
		fixture.warps[writer].sync_epoch++;
		touch(STORE, writer, 4, 9, 0);
		assert_int_equal(fixture.found, 1);
		assert_int_equal(fixture.kind, FINDING_RACE);
		assert_non_null(strstr(fixture.text, writer ? "which thread (0,0,0) read"
							    : "which thread (32,0,0) read"));
		fixture.block.epoch++;
	}
	/* The one reader is the writer. */
	touch(LOAD, 0, 4, 9, 0);
	touch(STORE, 0, 4, 9, 0);
	expect_nothing();
}
EACH_SET(many_readers)

static void body_narrow_accesses(void)
{
	begin();
	initialise();
	/* Four threads of two warps, a byte each of one word. */
	for (unsigned warp = 0; warp < 2; warp++) {
		fixture.warp = &fixture.warps[warp];
		fixture.warp->active = 3;
		set_addresses(40 + 2 * warp, 1);
		set_row_lane(ROW_DST, 0, 4, 17 + warp);
		set_row_lane(ROW_DST, 1, 4, 23 + warp);
		fixture.found = 0;
		assert_int_equal(execute(&fixture.code[NARROW]), STEP_NEXT);
		expect_nothing();
	}
	/* One byte more is another's. */
	fixture.warp->active = 1;
	set_addresses(41, 0);
	assert_int_equal(execute(&fixture.code[NARROW]), STEP_NEXT);
	expect_race(0, "thread (32,0,0) writes byte 41 at x.cu:40, which thread (1,0,0) wrote at "
		       "x.cu:40 with no barrier between" REMEDY);
	/* What was known of words is known of their bytes; a word is four of them. */
	touch(LOAD, 0, 1, 10, 0);
	assert_int_equal(fixture.found, 1);
	assert_non_null(strstr(fixture.text, "thread (0,0,0) reads byte 41"));
	touch(LOAD, 0, ALL_LANES, 32, 1);
	expect_nothing();
}
EACH_SET(narrow_accesses)

static void body_uninitialised_reads(void)
{
	bool suspected = false;

	begin();
	fixture.launch.may_be_undefined = &suspected;
	touch(STORE, 0, 0x7fffffff, 0, 1);
	touch(LOAD, 0, 0x7fffffff, 0, 1);
	assert_false(suspected);
	touch(LOAD, 0, ALL_LANES, 0, 1);
	assert_true(suspected);
	suspected = false;
	touch(ATOMIC, 0, 1, 40, 0);
	assert_true(suspected);
	/* What was written stays so behind a barrier, and not in the next block. */
	fixture.block.epoch++;
	suspected = false;
	touch(LOAD, 1, 1, 0, 1);
	assert_false(suspected);
	shared_races_begin(fixture.block.shadow);
	fixture.block.epoch = 0;
	touch(LOAD, 1, 1, 0, 1);
	assert_true(suspected);
	expect_nothing();
	touch(STORE, 0, 1, 0, 1);
	assert_int_equal(fixture.kind, FINDING_RACE);
}
EACH_SET(uninitialised_reads)

/* Wide accesses are words; threads are named by the block's shape; no .loc: the PTX line. */
static void body_names(void)
{
	begin();
	initialise();
	fixture.launch.what.block[0] = 8;
	fixture.launch.what.block[1] = 4;
	fixture.launch.what.block[2] = 2;
	fixture.statements[STORE].source_line = 0;
	touch(STORE, 0, 2, 20, 1);
	access_at(LOAD, OP_LOAD, PTX_SPACE_SHARED, 4, 4);
	fixture.warp = &fixture.warps[1];
	fixture.warp->active = 1u << 11;
	set_addresses(80, 0);
	fixture.found = 0;
	assert_int_equal(execute(&fixture.code[LOAD]), STEP_NEXT);
	expect_race(11, "thread (3,1,1) reads word 21 at x.cu:10, which thread (1,0,0) wrote at "
			"line 101 of the PTX with no barrier between" REMEDY);
}
EACH_SET(names)

/* ---- at random, against a detector that remembers every reader ---- */

#define WORDS 72 /* of more than two rows */
#define THREADS (WARP_COUNT * LANES)

static struct {
	struct {
		uint32_t epoch, sync; /* 1 more than the block's; 0: never */
	} reads[THREADS];
	uint32_t write_epoch, write_sync;
	unsigned writer;
	bool write_atomic;
	uint32_t value;
} known[WORDS];

struct request {
	int instruction;
	unsigned warp;
	uint32_t mask, word[LANES], value[LANES];
};

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((random_state >> 33) % limit);
}

static struct request random_request(void)
{
	struct request r = {.warp = random_below(WARP_COUNT), .mask = ALL_LANES};
	uint32_t first = random_below(WORDS - 33), pattern = random_below(5);

	r.instruction = random_below(4) ? LOAD : random_below(3) ? STORE : ATOMIC;
	if (random_below(2))
		r.mask = random_below(UINT32_MAX) | UINT32_C(1) << random_below(32);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		const uint32_t of[] = {lane, lane / 2, lane / 16, 31 - lane, random_below(32)};

		r.word[lane] = first + of[pattern];
		r.value[lane] = random_below(2);
	}
	return r;
}

static bool races_with_writer(const struct request *r, unsigned thread, uint32_t word)
{
	const uint32_t epoch = fixture.block.epoch + 1, sync = fixture.warps[r->warp].sync_epoch;

	return known[word].write_epoch == epoch && known[word].writer != thread &&
	       !(known[word].write_atomic && r->instruction == ATOMIC) &&
	       (known[word].writer / LANES != r->warp || known[word].write_sync == sync);
}

static bool races_with_reader(const struct request *r, unsigned thread, uint32_t word)
{
	const uint32_t epoch = fixture.block.epoch + 1, sync = fixture.warps[r->warp].sync_epoch;

	for (unsigned other = 0; other < THREADS; other++)
		if (other != thread && known[word].reads[other].epoch == epoch &&
		    (other / LANES != r->warp || known[word].reads[other].sync == sync))
			return true;
	return false;
}

static void remember(const struct request *r, unsigned thread, uint32_t word, uint32_t value)
{
	const uint32_t epoch = fixture.block.epoch + 1, sync = fixture.warps[r->warp].sync_epoch;

	if (r->instruction == LOAD) {
		known[word].reads[thread].epoch = epoch;
		known[word].reads[thread].sync = sync;
		return;
	}
	known[word].write_atomic = r->instruction == ATOMIC &&
				   (known[word].write_epoch != epoch ||
				    known[word].writer != thread || known[word].write_atomic);
	known[word].write_epoch = epoch;
	known[word].write_sync = sync;
	known[word].writer = thread;
	known[word].value = r->instruction == ATOMIC ? known[word].value + value : value;
}

/* A lower lane of a store stands for those that store to its word. */
static bool stands_behind(const struct request *r, unsigned lane, bool *disagrees)
{
	for (unsigned lower = 0; lower < lane; lower++)
		if (r->mask >> lower & 1 && r->word[lower] == r->word[lane]) {
			*disagrees |= r->value[lower] != r->value[lane];
			return true;
		}
	return false;
}

static bool expect_race_of(const struct request *r)
{
	bool race = false;

	for (unsigned lane = 0; lane < LANES; lane++) {
		const unsigned thread = r->warp * LANES + lane;
		const uint32_t word = r->word[lane];

		if (!(r->mask >> lane & 1) ||
		    (r->instruction == STORE && stands_behind(r, lane, &race)))
			continue;
		race |= races_with_writer(r, thread, word) &&
			!(r->instruction == STORE && r->value[lane] == known[word].value);
		race |= r->instruction != LOAD && races_with_reader(r, thread, word);
		remember(r, thread, word, r->value[lane]);
	}
	/* If lanes store to one word, the value of the highest lane stays. */
	for (unsigned lane = 0; lane < LANES && r->instruction == STORE; lane++)
		if (r->mask >> lane & 1)
			known[r->word[lane]].value = r->value[lane];
	return race;
}

static void execute_request(const struct request *r)
{
	fixture.warp = &fixture.warps[r->warp];
	fixture.warp->active = r->mask;
	for (int lane = 0; lane < LANES; lane++) {
		set_row_lane(ROW_ADDRESS, lane, 8, 4 * r->word[lane]);
		set_row_lane(r->instruction == ATOMIC ? ROW_B : ROW_DST, lane, 4, r->value[lane]);
	}
	fixture.found = 0;
	assert_int_equal(execute(&fixture.code[r->instruction]), STEP_NEXT);
}

static void body_random_accesses(void)
{
	unsigned races = 0, requests = 40000;

	begin();
	for (uint32_t word = 0; word < 2048; word += 32)
		touch(STORE, 0, ALL_LANES, word, 1);
	fixture.block.epoch++;
	memset(fixture.shared, 0, sizeof(fixture.shared));
	memset(known, 0, sizeof(known));
	random_state = 1;
	for (unsigned i = 0; i < requests; i++) {
		const struct request r = random_request();
		bool race;

		if (random_below(4) == 0)
			fixture.block.epoch++;
		else if (random_below(4) == 0)
			fixture.warps[random_below(WARP_COUNT)].sync_epoch++;
		/* From here on each byte is known for itself. */
		if (i == requests / 2)
			touch(NARROW, 0, 1, 1024, 0);
		race = expect_race_of(&r);
		execute_request(&r);
		if (race != (fixture.found > 0))
			fail_msg("request %u, instruction %d of warp %u, lanes %08x: %s", i,
				 r.instruction, r.warp, r.mask,
				 race ? "a race was not found" : fixture.text);
		races += race;
	}
	assert_in_range(races, requests / 10, requests / 10 * 9);
}
EACH_SET(random_accesses)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_warps),
		cmocka_unit_test(within_a_warp),
		cmocka_unit_test(lanes_of_one_instruction),
		cmocka_unit_test(atomics),
		cmocka_unit_test(many_readers),
		cmocka_unit_test(narrow_accesses),
		cmocka_unit_test(uninitialised_reads),
		cmocka_unit_test(names),
		cmocka_unit_test(random_accesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
