/* Sums of the counts of a case, and its counters. See case_totals.h. */
#include <stdlib.h>
#include <string.h>

#include "harness/workers/ptx/case_totals.h"
#include "metrics/catalogue/catalogue.h"

void case_totals_release(struct case_totals *totals)
{
	line_count_list_release(&totals->lines);
	*totals = (struct case_totals){0};
}

static void counts_add(struct emulated_counts *to, const struct emulated_counts *from,
		       uint64_t times)
{
#define X(field, name, unit, meaning, worse) to->field += times * from->field;
	EMULATED_COUNT_LIST(X)
#undef X
}

static int line_order(const struct line_count *a, const struct line_count *b)
{
	int by_file = !a->file || !b->file ? (a->file != NULL) - (b->file != NULL)
					   : strcmp(a->file, b->file);

	return by_file ? by_file : (a->line > b->line) - (a->line < b->line);
}

static void line_add(struct line_count *to, const struct line_count *from, int64_t times)
{
	to->instructions += times * from->instructions;
	to->lanes += times * from->lanes;
	to->branches += times * from->branches;
	to->divergent += times * from->divergent;
	to->requests += times * from->requests;
	to->sectors += times * from->sectors;
	to->shared_requests += times * from->shared_requests;
	to->wavefronts += times * from->wavefronts;
	to->conflicts += times * from->conflicts;
}

/* Both lists are ascending without duplicates, and so is the result. */
static void lines_add(struct line_count_list *to, const struct line_count_list *from, int64_t times)
{
	struct line_count_list sum = {0};
	size_t a = 0;
	size_t b = 0;

	while (a < to->count || b < from->count) {
		int order = a == to->count     ? 1
			    : b == from->count ? -1
					       : line_order(&to->items[a], &from->items[b]);
		const struct line_count *first = order <= 0 ? &to->items[a] : &from->items[b];
		struct line_count *line = line_count_list_add(&sum, first->file, first->line);

		if (order <= 0)
			line_add(line, &to->items[a++], 1);
		if (order >= 0)
			line_add(line, &from->items[b++], times);
	}
	line_count_list_release(to);
	*to = sum;
}

void case_totals_take(struct case_totals *totals, struct emulation *emulation)
{
	struct case_totals taken = {0};

	emulation_counts(emulation, &taken.counts);
	emulation_lines(emulation, &taken.lines);
	emulation_counts_reset(emulation);
	case_totals_add(totals, &taken, 1);
	case_totals_release(&taken);
}

void case_totals_add(struct case_totals *totals, const struct case_totals *from, uint64_t times)
{
	counts_add(&totals->counts, &from->counts, times);
	lines_add(&totals->lines, &from->lines, (int64_t)times);
	totals->blocks_executed += from->blocks_executed;
	totals->blocks_total += from->blocks_total;
}

void case_counters(struct counter_list *out, const struct case_totals *totals,
		   const struct launch_facts *facts)
{
	const char *untouched =
		totals->has_touched
			? NULL
			: "only some blocks ran; the bytes that the others touch are unknown";
	const struct case_accuracy *accuracy = &totals->accuracy;
	const char *inaccurate = !totals->has_touched
					 ? "only some blocks ran; the result was not verified"
				 : accuracy->relative_error >= 0 ? NULL
				 : accuracy->reason              ? accuracy->reason
								 : "no result was compared";
	bool has_occupancy = facts->theoretical_occupancy_pct >= 0; /* not NAN */
	const struct emulated_value values[] = {
#define X(field, name, unit, meaning, worse) {name, (double)totals->counts.field, NULL},
		EMULATED_COUNT_LIST(X)
#undef X
			{"ptx_compulsory_read_bytes", (double)totals->touched.read, untouched},
		{"ptx_compulsory_written_bytes", (double)totals->touched.written, untouched},
		{"ptx_relative_error", inaccurate ? 0 : accuracy->relative_error, inaccurate},
		{"ptx_theoretical_occupancy_pct",
		 has_occupancy ? facts->theoretical_occupancy_pct : 0,
		 has_occupancy ? NULL
			       : "the PTX does not say how many registers ptxas allocates: there "
				 "was no ptxas, or it refuses this PTX"},
	};

	metric_emulated_counters(out, values, ARRAY_SIZE(values), totals->blocks_executed,
				 totals->blocks_total);
}
