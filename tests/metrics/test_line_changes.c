/* Which lines of a case changed, and which of them is named first. */
#include "line_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define LINES 16

/* ---- planted changes ---- */

static const char *const kernel[LINES] = {
	/* 1 */ "__device__ float load(const float *p, int i)",
	/* 2 */ "{",
	/* 3 */ "	return p[i];",
	/* 4 */ "}",
	/* 5 */ "__global__ void k(float *y, const float *x, int n)",
	/* 6 */ "{",
	/* 7 */ "	__shared__ float tile[1024];",
	/* 8 */ "	int i = blockIdx.x * blockDim.x + threadIdx.x;",
	/* 9 */ "	if (x[i] > 0) {",
	/* 10 */ "		tile[threadIdx.x] = load(x, i);",
	/* 11 */ "		__syncthreads();",
	/* 12 */ "		for (int j = 0; j < 32; j++)",
	/* 13 */ "			y[i] += tile[j] * 2;",
	/* 14 */ "		y[i] = sqrtf(y[i]);",
	/* 15 */ "	}",
	/* 16 */ "}",
};

/* A line of the head: the counts that differ from those of the base. */
struct planted_line {
	int64_t line; /* of the base; 0: the end */
	int64_t executed, lanes, sectors, wavefronts, local_sectors, divergent; /* 0: as before */
	int64_t samples;
};

struct planted {
	const char *what;
	int64_t edited;   /* a line of the base whose words change; 0: none */
	int64_t inserted; /* a line is inserted before this one; 0: none */
	struct planted_line lines[6];
	const char *first; /* what is said first */
};

static void set_counts(struct profile_instruction *out, int64_t line)
{
	out->requests = line == 9 || line == 3 || line == 14 ? 1024 : line == 13 ? 32768 : 0;
	out->sectors = 4 * out->requests;
	out->shared_requests = line == 10 ? 1024 : line == 13 ? 32768 : 0;
	out->wavefronts = out->shared_requests;
	out->branches = line == 9 ? 1024 : line == 12 ? 32768 : 0;
	out->divergent = out->local_sectors = 0;
	if (line == 12 || line == 13) {
		out->executed = 32768;
		out->lanes = 32 * 32768;
	}
	out->samples = out->first_samples = 0;
}

static void plant(struct profile_instruction *out, const struct planted_line *line)
{
#define PLANT(name)     \
	if (line->name) \
		out->name = line->name;
	PLANT(executed)
	PLANT(lanes)
	PLANT(sectors)
	PLANT(wavefronts)
	PLANT(local_sectors)
	PLANT(divergent)
	PLANT(samples)
#undef PLANT
}

static const struct planted_line *planted_at(const struct planted *planted, int64_t line)
{
	for (size_t i = 0; planted && planted->lines[i].line; i++)
		if (planted->lines[i].line == line)
			return &planted->lines[i];
	return NULL;
}

/* Where a line of the base is in the head. */
static int64_t place_in(const struct planted *planted, int64_t line)
{
	return line + (planted && planted->inserted && line >= planted->inserted);
}

static void add_text_of(struct line_fixture *fixture, const struct planted *planted)
{
	struct text text = TEXT_INIT;

	for (int64_t line = 1; line <= LINES; line++) {
		if (planted && planted->inserted == line)
			text_add(&text, "\t\tatomicAdd(y, tile[0]);\n");
		text_add(&text, kernel[line - 1]);
		if (planted && planted->edited == line)
			text_add(&text, " EDITED");
		text_add_char(&text, '\n');
	}
	line_fixture_text(fixture, "src/k.cu", text.data);
	text_release(&text);
}

/* planted NULL: the kernel as it was. */
static const struct line_side *kernel_side(struct line_fixture *fixture,
					   const struct planted *planted)
{
	add_text_of(fixture, planted);
	for (int64_t line = 3; line <= 14; line++) {
		const struct planted_line *changed = planted_at(planted, line);
		struct profile_instruction *instruction;
		int64_t caller = -1;

		if (line > 3 && line < 8)
			continue;
		if (line == 3)
			caller = line_fixture_frame(fixture, "src/k.cu", place_in(planted, 10),
						    NULL, -1);
		instruction = line_fixture_instruction(
			fixture, line_fixture_frame(fixture, "src/k.cu", place_in(planted, line),
						    line == 3 ? "_Z4loadPKfi" : NULL, caller));
		set_counts(instruction, line);
		if (changed)
			plant(instruction, changed);
	}
	if (planted && planted->inserted)
		plant(line_fixture_line(fixture, "src/k.cu", planted->inserted),
		      &(struct planted_line){.sectors = 1024});
	fixture->profile->samples = 1000;
	return line_fixture_end(fixture);
}

static const struct planted all_planted[] = {
	{"a strided store", 14, 0, {{14, .sectors = 32768}}, "k.cu:14: sectors per request 4 → 32"},
	{"a strided load of an inlined function",
	 10,
	 0,
	 {{3, .sectors = 32768}, {10, .executed = 2048, .lanes = 65536}},
	 "k.cu:3 called at k.cu:10: sectors per request 4 → 32"},
	{"a bank conflict",
	 10,
	 0,
	 {{10, .wavefronts = 32768}},
	 "k.cu:10: wavefronts per request 1 → 32"},
	{"a bank conflict of a layout that is declared elsewhere",
	 7,
	 0,
	 {{13, .wavefronts = 1048576}, {8, .executed = 1030, .lanes = 32960}},
	 "k.cu:13: wavefronts per request 1 → 32"},
	{"a loop that runs twice as often",
	 12,
	 0,
	 {{12, .executed = 65536, .lanes = 2097152},
	  {13, .executed = 65536, .lanes = 2097152, .sectors = 262144, .wavefronts = 65536}},
	 "k.cu:12: executed 32,768 → 65,536"},
	{"spills of a launch bound",
	 5,
	 0,
	 {{13, .local_sectors = 131072}, {14, .local_sectors = 4096}},
	 "k.cu:13: local sectors 0 → 131,072 (spills)"},
	{"a branch that diverges",
	 9,
	 0,
	 {{9, .divergent = 1024},
	  {12, .executed = 65536, .lanes = 1048576},
	  {13, .executed = 65536, .lanes = 1048576}},
	 "k.cu:9: divergent branches 0 → 1,024"},
	{"data that makes a branch diverge",
	 0,
	 0,
	 {{9, .divergent = 512},
	  {12, .executed = 65536, .lanes = 1048576},
	  {13, .executed = 65536, .lanes = 1048576}},
	 "k.cu:9: divergent branches 0 → 512"},
	{"a predicate", 14, 0, {{14, .lanes = 16384}}, "k.cu:14: lanes per instruction 32 → 16"},
	{"a new line",
	 0,
	 11,
	 {{8, .executed = 1030, .lanes = 32960}},
	 "k.cu:11: sectors 0 → 1,024, executed 0 → 1,024"},
	{"a slow function",
	 14,
	 0,
	 {{14, .executed = 8192, .lanes = 262144}},
	 "k.cu:14: executed 1,024 → 8,192"},
	{"a constant beside an edit that does nothing",
	 8,
	 0,
	 {{8, .executed = 1025, .lanes = 32800}, {13, .sectors = 1048576}},
	 "k.cu:13: sectors per request 4 → 32"},
	{"no edit of these lines",
	 0,
	 0,
	 {{14, .sectors = 8192}, {9, .sectors = 16384}},
	 "k.cu:9: sectors per request 4 → 16"},
	{"two equal changes, of which one is waited for",
	 0,
	 0,
	 {{9, .sectors = 16384}, {14, .sectors = 16384, .samples = 380}},
	 "k.cu:14: sectors per request 4 → 16; its share of the stalls 0 → 38 %"},
	{"a new line above, which is no change of those below it",
	 14,
	 8,
	 {{14, .sectors = 32768}},
	 "k.cu:15: sectors per request 4 → 32"},
};

static void the_planted_line_comes_first(void **state)
{
	struct line_fixture base = {0};
	const struct line_side *before = kernel_side(&base, NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all_planted); i++) {
		const struct planted *planted = &all_planted[i];
		struct line_fixture head = {0};
		struct line_changes changes;
		struct text first = TEXT_INIT;

		line_changes_of(&changes, before, kernel_side(&head, planted));
		if (!changes.count)
			fail_msg("%s: nothing changed", planted->what);
		line_change_describe(&first, &changes.items[0]);
		if (strncmp(first.data, planted->first, strlen(planted->first)) != 0)
			fail_msg("%s: '%s', not '%s'", planted->what, first.data, planted->first);
		assert_int_equal(changes.items[0].verdict, 1);
		assert_true(changes.worse);
		text_release(&first);
		line_changes_release(&changes);
		/* and the other way round it is an improvement */
		line_changes_of(&changes, &head.side, before);
		assert_true(changes.count > 0 && changes.items[0].verdict == -1);
		assert_false(changes.worse);
		line_changes_release(&changes);
		line_fixture_release(&head);
	}
	line_fixture_release(&base);
}

/* ---- equal code ---- */

struct varied_text {
	struct text text;
	struct line_fixture *fixture;
	int64_t lines;
};

static void add_comment(struct varied_text *varied, uint64_t *random)
{
	static const char *const comments[] = {"// why", "", "\t// sum", "/* } */", "\t\t", "// }"};

	text_addf(&varied->text, "%s\n", comments[hash_below(random_next(random), 6)]);
	varied->lines++;
}

/* Adds a line of code, whose counts say which one it is. */
static void add_code_line(struct varied_text *varied, const char *line, int64_t number)
{
	text_addf(&varied->text, "%s\n", line);
	varied->lines++;
	line_fixture_line(varied->fixture, "k.cu", varied->lines)->sectors = 100 + number;
}

/* Many lines are equal, and differ by their counts. */
static const char *const repeated[] = {"\tsum += a[i];",     "}", "\t}", "\tfor (;;) {",
				       "\t__syncthreads();", "{"};

static const struct line_side *varied_side(struct line_fixture *fixture, uint64_t code,
					   uint64_t comments)
{
	struct varied_text varied = {TEXT_INIT, fixture, 0};
	const uint64_t often = hash_below(random_next(&comments), 5);

	for (int64_t i = 0; i < 60; i++) {
		const uint64_t which = hash_below(random_next(&code), 9);
		char *own = which < ARRAY_SIZE(repeated)
				    ? xstrdup(repeated[which])
				    : xasprintf("\tx%lld = f();", (long long)i);

		while (hash_below(random_next(&comments), 8) < often)
			add_comment(&varied, &comments);
		add_code_line(&varied, own, i);
		free(own);
	}
	line_fixture_text(fixture, "k.cu", varied.text.data);
	text_release(&varied.text);
	return line_fixture_end(fixture);
}

static void equal_code_never_differs(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		struct line_fixture base = {0}, head = {0};
		struct line_changes changes;

		line_changes_of(&changes, varied_side(&base, i, 2 * i),
				varied_side(&head, i, 2 * i + 1));
		if (changes.count)
			fail_msg("variation %d: %s: %s", (int)i, changes.items[0].place,
				 changes.items[0].text);
		assert_int_equal(changes.compared, 60);
		assert_int_equal(changes.unknown.count, 0);
		line_changes_release(&changes);
		line_fixture_release(&base);
		line_fixture_release(&head);
	}
}

/* ---- what is not compared ---- */

static void varying_counts_are_left_out_by_name(void **state)
{
	struct line_fixture base = {0}, head = {0};
	struct line_changes changes;

	(void)state;
	kernel_side(&base, NULL);
	kernel_side(&head, NULL);
	for (size_t i = 0; i < head.profile->instruction_count; i++) {
		struct profile_instruction *at = &head.profile->instructions[i];

		if (at->frame >= 0 && head.profile->frames[at->frame].line == 13) {
			at->executed *= 3;
			at->varies = 1;
		}
	}
	line_changes_of(&changes, line_fixture_end(&base), line_fixture_end(&head));
	assert_int_equal(changes.count, 0);
	assert_false(changes.worse);
	assert_int_equal(changes.varying.count, 1);
	assert_string_equal(changes.varying.items[0], "k.cu:13");
	line_changes_release(&changes);
	/* also if only the base varies, and if nobody counted the line twice */
	line_changes_of(&changes, &head.side, &base.side);
	assert_int_equal(changes.count, 0);
	assert_int_equal(changes.varying.count, 1);
	line_changes_release(&changes);
	for (size_t i = 0; i < head.profile->instruction_count; i++)
		if (head.profile->instructions[i].varies == 1)
			head.profile->instructions[i].varies = -1;
	line_changes_of(&changes, &base.side, line_fixture_end(&head));
	assert_int_equal(changes.count, 0);
	assert_int_equal(changes.varying.count, 1);
	line_changes_release(&changes);
	line_fixture_release(&base);
	line_fixture_release(&head);
}

static void counts_of_one_execution_are_not_compared(void **state)
{
	struct line_fixture base = {0}, head = {0};
	struct line_changes changes;

	(void)state;
	kernel_side(&base, NULL);
	kernel_side(&head, &all_planted[0]);
	for (size_t i = 0; i < head.profile->instruction_count; i++)
		head.profile->instructions[i].varies = -1;
	line_changes_of(&changes, line_fixture_end(&base), line_fixture_end(&head));
	assert_int_equal(changes.compared, 0);
	assert_non_null(strstr(changes.why_not, "of the head: they were counted once"));
	line_changes_release(&changes);
	base.profile->why_no_counts = xstrdup("the counters are locked");
	line_changes_of(&changes, line_fixture_end(&base), line_fixture_end(&head));
	assert_string_equal(changes.why_not,
			    "the instructions of the base: the counters are locked");
	line_changes_release(&changes);
	line_fixture_release(&base);
	line_fixture_release(&head);
}

/* Instructions that a compiler gives to another line are the same work. */
static void moved_work_is_not_worse(void **state)
{
	const struct planted moved = {.lines = {{8, .executed = 1000, .lanes = 32000},
						{14, .executed = 1048, .lanes = 33536}}};
	struct line_fixture base = {0}, head = {0};
	struct line_changes changes;

	(void)state;
	line_changes_of(&changes, kernel_side(&base, NULL), kernel_side(&head, &moved));
	assert_int_equal(changes.count, 2);
	assert_int_equal(changes.items[0].verdict, 1);
	assert_false(changes.worse);
	line_changes_release(&changes);
	line_fixture_release(&base);
	line_fixture_release(&head);
}

static void a_line_that_is_gone_is_one_of_the_base(void **state)
{
	struct line_fixture base = {0}, head = {0};
	struct line_changes changes;
	struct text text = TEXT_INIT;

	(void)state;
	line_changes_of(&changes, kernel_side(&base, &all_planted[9]), kernel_side(&head, NULL));
	line_change_describe(&text, &changes.items[0]);
	assert_string_equal(text.data,
			    "k.cu:11 of the base: sectors 1,024 → 0, executed 1,024 → 0");
	text_clear(&text);
	line_changes_describe_all(&text, &changes);
	assert_non_null(strstr(text.data, "all lines: sectors"));
	text_release(&text);
	line_changes_release(&changes);
	line_fixture_release(&base);
	line_fixture_release(&head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_planted_line_comes_first),
		cmocka_unit_test(equal_code_never_differs),
		cmocka_unit_test(varying_counts_are_left_out_by_name),
		cmocka_unit_test(counts_of_one_execution_are_not_compared),
		cmocka_unit_test(moved_work_is_not_worse),
		cmocka_unit_test(a_line_that_is_gone_is_one_of_the_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
