/*
 * Logs of rows (global_rows.h) against records of the cells: random kernels access the first words
 * of rows in runs, with strides, by columns and at one place. Before that, each block does an
 * atomic in the last word of each row, which gives the row records of its cells; or far away, so
 * that the rows have logs. Both must have the same findings, and leave the same memory. Kernels
 * that access bytes, too, split rows of words into rows of bytes, and have those from then on, also
 * in a second launch. They must find the same if all rows are split before. Then reads that both
 * would lose alike: of a full log, and of lanes whose cells are settled in part.
 */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#define WORD_KERNELS 1200
#define BYTE_KERNELS 600
#define ROW_BYTES 128
#define MEMORY_BYTES (48 * ROW_BYTES)
#define BASE_ROWS 2
#define ATOMIC_THREADS 48
#define OUT_WORDS 8192
#define FAR_BYTES 16384

#define RELEASE "bar.sync 0;\nmembar.gl;\natom.global.add.u32 %r15, [%rd1+30000], 1;\nmembar.gl;\n"

static uint32_t seed;

static unsigned random_below(unsigned count)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return (seed >> 3) % count;
}

struct layout {
	unsigned row_bytes;
	unsigned used_bytes; /* no lane accesses bytes from here on in a row, but the atomic */
};
static const struct layout words = {ROW_BYTES, 112}, bytes = {ROW_BYTES / 4, 28};

/* What a kernel does before the random accesses, which leads to other records of the same. */
struct variant {
	unsigned atomics; /* where the atomics begin */
	const char *load; /* of a place that nothing else accesses */
};
static const struct variant cells_first = {0, "ld.global.u32"};
static const struct variant logs_first = {FAR_BYTES, "ld.global.u32"};
static const struct variant split_first = {FAR_BYTES, "ld.global.u8"};

static const struct {
	unsigned bytes;
	const char *load, *store, *values[2];
} widths[] = {
	{4, "ld.global.u32 %r10", "st.global.u32", {"%r1", "%r3"}},
	{8, "ld.global.v2.u32 {%r10, %r11}", "st.global.v2.u32", {"{%r1, %r4}", "{%r3, %r3}"}},
	{16,
	 "ld.global.v4.u32 {%r10, %r11, %r12, %r13}",
	 "st.global.v4.u32",
	 {"{%r1, %r4, %r1, %r4}", "{%r3, %r3, %r3, %r3}"}},
#define WORD_WIDTHS 3
	{1, "ld.global.u8 %r10", "st.global.u8", {"%r1", "%r3"}},
	{2, "ld.global.u16 %r10", "st.global.u16", {"%r1", "%r3"}},
};

/* Leaves in %r7 an offset by lane, for accesses of so many bytes. */
static void add_pattern(struct text *out, unsigned width)
{
	static const unsigned steps[] = {1, 1, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33};

	switch (random_below(8)) {
	case 0: /* one place */
		text_add(out, "mov.u32 %r7, 0;\n");
		break;
	case 1: /* falling */
		text_addf(out, "sub.u32 %%r7, 31, %%r4;\nmul.lo.u32 %%r7, %%r7, %u;\n", width);
		break;
	case 2: /* several lanes at each place */
		text_addf(out, "shr.u32 %%r7, %%r4, %u;\nmul.lo.u32 %%r7, %%r7, %u;\n",
			  1 + random_below(4), width);
		break;
	default:
		text_addf(out, "mul.lo.u32 %%r7, %%r4, %u;\n",
			  width * steps[random_below(ARRAY_SIZE(steps))]);
	}
	/* And by block, or by warp. */
	if (random_below(4) == 0)
		text_addf(out, "mad.lo.u32 %%r7, %s, %u, %%r7;\n", random_below(2) ? "%r3" : "%r6",
			  random_below(2) ? width : ROW_BYTES);
	text_addf(out, "add.u32 %%r7, %%r7, %u;\n",
		  random_below(BASE_ROWS) * ROW_BYTES + width * random_below(8));
}

/* Leaves in %p0 which lanes take part: those of all blocks or of one, and of a part of the warp,
 * that lie in the first words of the rows. */
static void add_guard(struct text *out, const struct layout *rows, unsigned width)
{
	static const char *const parts[] = {"ne", "lt", "ge"};

	text_addf(out, "and.b32 %%r8, %%r7, %u;\nsetp.lt.u32 %%p0, %%r8, %u;\n",
		  rows->row_bytes - 1, rows->used_bytes / width * width);
	text_addf(out, "setp.lt.and.u32 %%p0, %%r7, %u, %%p0;\n", MEMORY_BYTES);
	if (random_below(3) == 0)
		text_addf(out, "setp.eq.and.u32 %%p0, %%r3, %u, %%p0;\n", random_below(4));
	if (random_below(4) == 0)
		text_addf(out, "setp.%s.and.u32 %%p0, %%r4, %u, %%p0;\n",
			  parts[random_below(ARRAY_SIZE(parts))], random_below(32));
}

static unsigned random_width(const struct layout *rows)
{
	if (rows == &bytes && random_below(2))
		return WORD_WIDTHS + random_below(ARRAY_SIZE(widths) - WORD_WIDTHS);
	return random_below(3) ? 0 : random_below(WORD_WIDTHS);
}

static void add_access(struct text *out, const struct layout *rows, const struct layout *widest,
		       unsigned one_store_in, unsigned *width)
{
	const bool stores = random_below(one_store_in) == 0;

	/* Often the places of the access before. */
	if (random_below(2) == 0) {
		*width = random_width(widest);
		add_pattern(out, widths[*width].bytes);
	}
	add_guard(out, rows, widths[*width].bytes);
	text_add(out, "cvt.u64.u32 %rd3, %r7;\nadd.s64 %rd8, %rd1, %rd3;\n");
	if (stores)
		text_addf(out, "@%%p0 %s [%%rd8], %s;\n", widths[*width].store,
			  widths[*width].values[random_below(2)]);
	else /* a load whose value nothing uses would not be reported */
		text_addf(out, "@%%p0 %s, [%%rd8];\nadd.u32 %%r20, %%r20, %%r10;\n",
			  widths[*width].load);
}

static void make_kernel(struct text *out, const struct layout *rows, uint32_t number,
			const struct variant *first)
{
	static const char *const orders[] = {"bar.sync 0;\n", "bar.sync 0;\n",
					     "bar.warp.sync 0xffffffff;\n", "membar.gl;\n",
					     /* Orders what the blocks did before. */
					     RELEASE};
	unsigned steps, one_store_in, first_bytes, width = 0;

	seed = (number + 1) * UINT32_C(2654435761);
	steps = 1 + random_below(random_below(4) ? 12 : 40);
	one_store_in = random_below(2) ? 2 : 6;
	first_bytes = rows == &bytes ? random_below(steps) : steps;
	text_add(
		out, MACHINE_HEADER
		".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
		"{\n" MACHINE_REGISTERS "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
		"mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %laneid;\nmov.u32 %r20, 0;\nmov.u32 %r7, 0;\n"
		"shr.u32 %r6, %r1, 5;\n");
	text_addf(out,
		  "mul.wide.u32 %%rd3, %%r1, %u;\nadd.s64 %%rd3, %%rd1, %%rd3;\n"
		  "setp.lt.u32 %%p1, %%r1, %u;\n",
		  rows->row_bytes, ATOMIC_THREADS);
	for (unsigned at = 0; at < MEMORY_BYTES; at += ATOMIC_THREADS * rows->row_bytes)
		text_addf(out, "@%%p1 red.global.add.u32 [%%rd3+%u], 1;\n",
			  at + first->atomics + rows->row_bytes - 4);
	text_addf(out,
		  "%s %%r10, [%%rd1+31000];\nand.b32 %%r20, %%r10, 255;\nbar.sync 0;\n"
		  "mov.u32 %%r21, %u;\n$top:\n",
		  first->load, random_below(6) ? 1 : 5);
	for (unsigned i = 0; i < steps; i++) {
		if (random_below(4) == 0)
			text_add(out, orders[random_below(ARRAY_SIZE(orders))]);
		else
			add_access(out, rows, i < first_bytes ? &words : rows, one_store_in,
				   &width);
	}
	text_add(out, "sub.u32 %r21, %r21, 1;\nsetp.ne.u32 %p1, %r21, 0;\n@%p1 bra $top;\n"
		      "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n"
		      "atom.global.add.u32 %r15, [%rd3+28000], %r20;\nret;\n}\n");
}

static struct machine_result run_kernel(const struct layout *rows, uint32_t number,
					const struct variant *first)
{
	struct text ptx = TEXT_INIT;
	struct machine_result result;

	make_kernel(&ptx, rows, number, first);
	result = machine_run(&(struct machine_case){.ptx = ptx.data,
						    .grid = {1 + number % 5},
						    .block = {number % 3 ? 64 : 128},
						    .out_words = OUT_WORDS,
						    .check_global = true,
						    .launches = number % 3 ? 1 : 2});
	text_release(&ptx);
	return result;
}

/* The results of atomics that lie elsewhere, in the places of the others. */
static void move_atomics(const struct layout *rows, uint32_t *out)
{
	for (unsigned at = rows->row_bytes; at <= MEMORY_BYTES; at += rows->row_bytes) {
		uint32_t *far = &out[(at + FAR_BYTES) / 4 - 1];

		assert_int_equal(out[at / 4 - 1], 0);
		out[at / 4 - 1] = *far;
		*far = 0;
	}
}

static void assert_same(const struct layout *rows, const struct variant *first,
			const struct machine_result *cells, uint32_t number)
{
	struct machine_result other = run_kernel(rows, number, first);

	assert_int_equal(cells->findings.count, other.findings.count);
	for (size_t i = 0; i < cells->findings.count; i++) {
		assert_same_finding(&cells->findings.items[i], &other.findings.items[i]);
		assert_string_equal(cells->findings.items[i].text, other.findings.items[i].text);
	}
	move_atomics(rows, other.out);
	assert_memory_equal(cells->out, other.out, OUT_WORDS * sizeof(*other.out));
	machine_release(&other);
}

static void assert_same_findings(const struct layout *rows, uint32_t kernels)
{
	size_t found = 0, clean = 0;

	for (uint32_t number = 0; number < kernels; number++) {
		struct machine_result cells = run_kernel(rows, number, &cells_first);

		assert_same(rows, &logs_first, &cells, number);
		if (rows == &bytes)
			assert_same(rows, &split_first, &cells, number);
		found += cells.findings.count;
		clean += cells.findings.count == 0;
		machine_release(&cells);
	}
	/* Kernels of both kinds, else the comparison says little. */
	assert_true(found > kernels / 4);
	assert_true(clean > kernels / 10);
}

static void logs_find_what_cells_find(void **state)
{
	(void)state;
	assert_same_findings(&words, WORD_KERNELS);
}

static void logs_of_bytes_find_what_cells_find(void **state)
{
	(void)state;
	assert_same_findings(&bytes, BYTE_KERNELS);
}

/* All lanes spin until a word behind the rows is 1, and let others go on. Neither orders anything,
 * because there is no fence. */
#define WAIT(label, place)                                                               \
	label ":\nld.volatile.global.u32 %r9, [%rd1+" place "];\nsetp.ne.u32 %p3, %r9, " \
	      "1;\n@%p3 bra " label ";\n"
#define SIGNAL(place) "st.volatile.global.u32 [%rd1+" place "], 1;\n"

/* Block 0 fills the log of the first row with reads of different cells. The log has no place for
 * the read of block 1, with which the later write of block 0 races. */
static void a_read_that_finds_the_log_full_races(void **state)
{
	struct text ptx = TEXT_INIT;
	struct machine_result result;

	(void)state;
	text_add(&ptx, MACHINE_HEADER
		 ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
		 "{\n" MACHINE_REGISTERS "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
		 "mov.u32 %r3, %ctaid.x;\nmov.u32 %r20, 0;\nmad.wide.u32 %rd3, %r1, 4, %rd1;\n"
		 "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra $one;\n");
	for (unsigned word = 1; word <= 17; word++)
		text_addf(&ptx, "ld.global.u32 %%r10, [%%rd3+%u];\nadd.u32 %%r20, %%r20, %%r10;\n",
			  word * 4);
	text_add(&ptx,
		 SIGNAL("8192") WAIT(
			 "$two",
			 "8196") "bar.sync 0;\nsetp.eq.u32 %p2, %r1, 5;\n"
				 "@%p2 st.global.u32 [%rd1+80], %r20;\nret;\n"
				 "$one:\n" WAIT(
					 "$zero",
					 "8192") "ld.global.u32 %r10, [%rd3+72];\n"
						 "red.global.add.u32 [%rd1+8200], %r10;\n" SIGNAL(
							 "8196") "ret;\n}\n");
	result = machine_run(&(struct machine_case){.ptx = ptx.data,
						    .grid = {2},
						    .block = {32},
						    .out_words = 4096,
						    .check_global = true,
						    .cooperative = true});
	assert_finding(&result, FINDING_GLOBAL_RACE, line_with(ptx.data, "@%p2 st.global"),
		       "thread (5,0,0) of block (0,0,0) writes byte 80 of 'out'");
	assert_non_null(strstr(result.findings.items[0].text,
			       "which thread (2,0,0) of block (1,0,0) read"));
	machine_release(&result);
	text_release(&ptx);
}

/*
 * Blocks 0 and 1 read the words 4, 8 and 9. So these are settled when lanes 0 to 2 of block 2 read
 * the words 0 and 1, 4 and 5, 8 and 9. The read of lane 2 needs no record. That of lane 1 needs one
 * in both of its words, so of word 4 the two last reads are those of blocks 1 and 2. The three
 * lanes must be remembered as if each had read alone.
 */
static void a_vector_that_is_settled_in_part_is_recorded_whole(void **state)
{
	static const char *const reads[] = {
		"setp.lt.u32 %p1, %r1, 3;\n@%p1 ld.global.v2.u32 {%r10, %r11}, [%rd4];\n",
		"setp.eq.u32 %p1, %r1, 0;\n@%p1 ld.global.v2.u32 {%r10, %r11}, [%rd4];\n"
		"setp.eq.u32 %p1, %r1, 1;\n@%p1 ld.global.v2.u32 {%r10, %r11}, [%rd4];\n"
		"setp.eq.u32 %p1, %r1, 2;\n@%p1 ld.global.v2.u32 {%r10, %r11}, [%rd4];\n",
	};
	static const struct {
		unsigned word;
		const char *rival;
	} writes[] = {{4, "which thread (1,0,0) of block (2,0,0) read"},
		      {8, "which thread (0,0,0) of block (0,0,0) read"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reads) * ARRAY_SIZE(writes); i++) {
		const size_t write = i % ARRAY_SIZE(writes);
		struct text ptx = TEXT_INIT;
		struct machine_result result;

		text_addf(&ptx,
			  "%s@%%p2 bra $three;\n@%%p3 bra $two;\nsetp.ne.u32 %%p1, %%r1, 0;\n"
			  "@%%p1 ret;\nld.global.u32 %%r12, [%%rd1+16];\n"
			  "ld.global.v2.u32 {%%r10, %%r11}, [%%rd1+32];\nadd.u32 %%r10, %%r10, "
			  "%%r12;\nbra $keep;\n$two:\n%s$keep:\nadd.u32 %%r10, %%r10, %%r11;\n"
			  "red.global.add.u32 [%%rd1+8192], %%r10;\nret;\n"
			  "$three:\nsetp.eq.u32 %%p1, %%r1, 0;\n"
			  "@%%p1 st.global.u32 [%%rd1+%u], 77;\nret;\n}\n",
			  MACHINE_HEADER
			  ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
			  "{\n" MACHINE_REGISTERS "ld.param.u64 %rd1, [out];\nmov.u32 %r1, "
			  "%tid.x;\nmov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r3, "
			  "%ctaid.x;\nmad.wide.u32 %rd4, %r1, 16, %rd1;\n"
			  "setp.eq.u32 %p2, %r3, 3;\nsetp.eq.u32 %p3, %r3, 2;\n",
			  reads[i / ARRAY_SIZE(writes)], writes[write].word * 4);
		result = machine_run(&(struct machine_case){.ptx = ptx.data,
							    .grid = {4},
							    .block = {32},
							    .out_words = 4096,
							    .check_global = true});
		assert_finding(&result, FINDING_GLOBAL_RACE, line_with(ptx.data, "@%p1 st.global"),
			       writes[write].rival);
		machine_release(&result);
		text_release(&ptx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_find_what_cells_find),
		cmocka_unit_test(logs_of_bytes_find_what_cells_find),
		cmocka_unit_test(a_read_that_finds_the_log_full_races),
		cmocka_unit_test(a_vector_that_is_settled_in_part_is_recorded_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
