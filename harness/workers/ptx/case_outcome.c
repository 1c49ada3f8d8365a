/* What the execution of a case found: the sums of its counts, its counters, its status and the
 * reason. */
#include "harness/workers/ptx/emulated_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "metrics/catalogue/catalogue.h"

void case_totals_release(struct case_totals *totals)
{
	line_count_list_release(&totals->lines);
	*totals = (struct case_totals){0};
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
#define X(field, name, unit, meaning, worse) totals->counts.field += times * from->counts.field;
	EMULATED_COUNT_LIST(X)
#undef X
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

static bool is_first_of_kind(const struct finding_list *findings, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (findings->items[i].kind == findings->items[index].kind)
			return false;
	return true;
}

/* The finding that ended a launch, or else the first one; then the first of each other kind. */
static void describe_findings(const struct emulated_case *emulated, struct text *reason)
{
	const struct finding_list *findings = &emulated->findings;
	uint64_t more = findings->count - 1 + findings->beyond;
	size_t main = 0;

	for (size_t i = findings->count; i-- > 0;)
		if (finding_ends_launch(findings->items[i].kind))
			main = i;
	finding_text(reason, &findings->items[main]);
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].kind == findings->items[main].kind ||
		    !is_first_of_kind(findings, i))
			continue;
		text_add(reason, "; also ");
		finding_text(reason, &findings->items[i]);
		more--;
	}
	if (more)
		text_addf(reason, ", and %" PRIu64 " more", more);
	if (finding_list_has(findings, FINDING_ENDLESS))
		text_add(reason, "; --blocks all removes this limit");
}

void case_outcome(const struct emulated_case *emulated, const struct case_totals *totals,
		  const struct text *mismatch, enum trial_status *status, struct text *reason)
{
	char allowed[32];

	format_duration(allowed, (double)emulated->runner->timeout_ns);
	if (emulated->findings.count) {
		/* A kernel that is only slow is no fault. */
		*status = finding_list_has(&emulated->findings, FINDING_LATE) ? TRIAL_TIMEOUT
									      : TRIAL_FAULT;
		if (*status == TRIAL_TIMEOUT)
			text_addf(reason,
				  "the kernel did not end within %s (--timeout): ", allowed);
		describe_findings(emulated, reason);
	} else if (emulated->late_following) {
		*status = TRIAL_TIMEOUT;
		text_addf(
			reason,
			"the kernel may use an undefined value, and to find out took more than "
			"%s: that run is slow; allow more with --timeout, or choose a smaller size",
			allowed);
	}
	if (mismatch->length) {
		text_addf(reason, "%s%s", reason->length ? "; " : "", mismatch->data);
		if (*status == TRIAL_OK)
			*status = TRIAL_MISMATCH;
	} else if (*status == TRIAL_OK && totals->blocks_executed < totals->blocks_total) {
		text_addf(reason,
			  "counted on %" PRId64 " of %" PRId64
			  " blocks; the result was not verified (--blocks all verifies it)",
			  totals->blocks_executed, totals->blocks_total);
		*status = TRIAL_SAMPLED;
	}
}

void case_print_notes(const struct emulated_case *emulated)
{
	struct text text = TEXT_INIT;

	for (size_t i = 0; i < emulated->notes.count; i++) {
		struct text whole = TEXT_INIT, name = TEXT_INIT;
		struct finding note = emulated->notes.items[i];

		/* the kernel's name as in the source */
		mangled_readable(&whole, note.entry);
		readable_shorten(&name, whole.data, MANGLED_MOST);
		note.entry = name.data;
		text_add(&text, "note: ");
		finding_text(&text, &note);
		text_add(&text, "\n");
		text_release(&whole);
		text_release(&name);
	}
	if (text.length && emulated->runner->print)
		emulated->runner->print(emulated->runner->print_context, text.data);
	text_release(&text);
}
