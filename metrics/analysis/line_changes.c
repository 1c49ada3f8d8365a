#include "metrics/analysis/line_changes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 32

const char *line_count_kind_name(enum line_count_kind kind)
{
	static const char *const names[] = {
#define X(name) #name,
		LINE_COUNT_LIST(X)
#undef X
	};

	return names[kind];
}

/* ---- cost ---- */

/* Lanes that idle while an instruction is executed. */
static double idle_lanes(const int64_t *counts)
{
	return LANES * (double)counts[LINE_COUNT_executed] - (double)counts[LINE_COUNT_lanes];
}

/*
 * The parts of a cost, in cycles of an SM: it issues four instructions in a cycle, its L1 moves a
 * wavefront of shared memory in one, and a sector takes about one from L2 or DRAM. An instruction
 * of which half the lanes idle wastes half of itself.
 */
enum cost_part {
	COST_SECTORS,
	COST_WAVEFRONTS,
	COST_LOCAL,
	COST_EXECUTED,
	COST_IDLE,
	COST_DIVERGENT,
	COST_PARTS
};

static void costs_of(double out[COST_PARTS], const int64_t *counts)
{
	out[COST_SECTORS] = (double)counts[LINE_COUNT_sectors];
	out[COST_WAVEFRONTS] = (double)counts[LINE_COUNT_wavefronts];
	out[COST_LOCAL] = (double)counts[LINE_COUNT_local_sectors];
	out[COST_EXECUTED] = 0.25 * (double)counts[LINE_COUNT_executed];
	out[COST_IDLE] = 0.25 / LANES * idle_lanes(counts);
	out[COST_DIVERGENT] = (double)counts[LINE_COUNT_divergent];
}

static void added_costs(double out[COST_PARTS], const int64_t *base, const int64_t *head)
{
	double before[COST_PARTS];

	costs_of(before, base);
	costs_of(out, head);
	for (int part = 0; part < COST_PARTS; part++)
		out[part] -= before[part];
}

/* ---- words ---- */

static void add_thousands(struct text *out, int64_t value)
{
	char digits[24];
	const int length = snprintf(digits, sizeof(digits), "%lld", (long long)value);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
			text_add_char(out, ',');
		text_add_char(out, digits[i]);
	}
}

static void add_ratios(struct text *out, double base, double head)
{
	char before[32], after[32];
	int digits = 3;

	/* as many digits as show the difference */
	do {
		snprintf(before, sizeof(before), "%.*g", digits, base);
		snprintf(after, sizeof(after), "%.*g", digits, head);
	} while (strcmp(before, after) == 0 && digits++ < 15);
	text_addf(out, "%s → %s", before, after);
}

static void add_counts(struct text *out, const char *words, int64_t base, int64_t head)
{
	text_addf(out, "%s ", words);
	add_thousands(out, base);
	text_add(out, " → ");
	add_thousands(out, head);
}

/* "sectors per request 4 → 16" if that changed, else "sectors 4,096 → 8,192". */
static void add_per_request(struct text *out, const char *words, const struct line_change *change,
			    enum line_count_kind count, enum line_count_kind requests)
{
	const double base = (double)change->base[count] / (double)change->base[requests];
	const double head = (double)change->head[count] / (double)change->head[requests];

	/* a ratio that moved against the sum is no evidence */
	if (!isfinite(base) || !isfinite(head) || base == head ||
	    (base < head) != (change->base[count] < change->head[count])) {
		add_counts(out, words, change->base[count], change->head[count]);
		return;
	}
	text_addf(out, "%s per request ", words);
	add_ratios(out, base, head);
}

static void add_cost_part(struct text *out, const struct line_change *change, enum cost_part part)
{
	const int64_t *base = change->base, *head = change->head;

	switch (part) {
	case COST_SECTORS:
		add_per_request(out, "sectors", change, LINE_COUNT_sectors, LINE_COUNT_requests);
		break;
	case COST_WAVEFRONTS:
		add_per_request(out, "wavefronts", change, LINE_COUNT_wavefronts,
				LINE_COUNT_shared_requests);
		break;
	case COST_LOCAL:
		add_counts(out, "local sectors", base[LINE_COUNT_local_sectors],
			   head[LINE_COUNT_local_sectors]);
		if (head[LINE_COUNT_local_sectors] > base[LINE_COUNT_local_sectors])
			text_add(out, " (spills)");
		break;
	case COST_EXECUTED:
		add_counts(out, "executed", base[LINE_COUNT_executed], head[LINE_COUNT_executed]);
		break;
	case COST_IDLE:
		text_add(out, "lanes per instruction ");
		add_ratios(out, (double)base[LINE_COUNT_lanes] / (double)base[LINE_COUNT_executed],
			   (double)head[LINE_COUNT_lanes] / (double)head[LINE_COUNT_executed]);
		break;
	default:
		add_counts(out, "divergent branches", base[LINE_COUNT_divergent],
			   head[LINE_COUNT_divergent]);
		break;
	}
}

/* Whether a part of the cost has words of its own. */
static bool part_is_said(const struct line_change *change, const double *added, enum cost_part part)
{
	const int64_t *base = change->base, *head = change->head;

	if (part != COST_IDLE)
		return added[part] != 0;
	return base[LINE_COUNT_executed] > 0 && head[LINE_COUNT_executed] > 0 &&
	       (double)base[LINE_COUNT_lanes] * (double)head[LINE_COUNT_executed] !=
		       (double)head[LINE_COUNT_lanes] * (double)base[LINE_COUNT_executed];
}

static void add_count_words(struct text *out, const struct line_change *change)
{
	static const struct {
		enum line_count_kind kind;
		const char *words;
	} others[] = {{LINE_COUNT_requests, "requests"},
		      {LINE_COUNT_shared_requests, "shared requests"},
		      {LINE_COUNT_branches, "branches"}};
	double added[COST_PARTS];
	bool said[COST_PARTS] = {false};
	size_t first = out->length;

	added_costs(added, change->base, change->head);
	/* the part that changes the cost most comes first */
	for (int count = 0; count < COST_PARTS; count++) {
		int most = -1;

		for (int part = 0; part < COST_PARTS; part++)
			if (!said[part] && part_is_said(change, added, (enum cost_part)part) &&
			    (most < 0 || fabs(added[part]) > fabs(added[most])))
				most = part;
		if (most < 0)
			break;
		said[most] = true;
		text_add(out, out->length > first ? ", " : "");
		add_cost_part(out, change, (enum cost_part)most);
	}
	for (size_t i = 0; out->length == first && i < ARRAY_SIZE(others); i++)
		if (change->base[others[i].kind] != change->head[others[i].kind])
			add_counts(out, others[i].words, change->base[others[i].kind],
				   change->head[others[i].kind]);
}

static void add_share_words(struct text *out, const struct line_change *change)
{
	char before[16], after[16];

	if (!isfinite(change->base_share) || !isfinite(change->head_share))
		return;
	snprintf(before, sizeof(before), "%.0f", 100 * change->base_share);
	snprintf(after, sizeof(after), "%.0f", 100 * change->head_share);
	if (strcmp(before, after) != 0)
		text_addf(out, "; its share of the stalls %s → %s %%", before, after);
}

void line_change_describe(struct text *out, const struct line_change *change)
{
	text_addf(out, "%s%s: %s", change->place, change->of_base ? " of the base" : "",
		  change->text);
}

void line_changes_describe_all(struct text *out, const struct line_changes *changes)
{
	struct line_change all = {.base_share = NAN, .head_share = NAN};
	struct text words = TEXT_INIT;

	memcpy(all.base, changes->base, sizeof(all.base));
	memcpy(all.head, changes->head, sizeof(all.head));
	add_count_words(&words, &all);
	if (words.length)
		text_addf(out, "all lines: %s", words.data);
	text_release(&words);
}

/* ---- lines ---- */

static const struct line_cost *cost_at(const struct line_side *side, size_t line)
{
	return line == NO_LINE ? NULL : &side->lines->items[line];
}

/* A line that was not executed has no counts. */
static void take_counts(int64_t *out, const struct line_cost *line)
{
	if (!line)
		return;
#define X(name) out[LINE_COUNT_##name] = line->sums.name < 0 ? 0 : line->sums.name;
	LINE_COUNT_LIST(X)
#undef X
}

static double share_at(const struct line_side *side, const struct line_cost *line)
{
	return side->profile->samples <= 0 ? NAN : line ? line->share : 0;
}

static void set_place(struct line_change *change, const struct line_side *side,
		      const struct line_cost *line)
{
	struct text place = TEXT_INIT;

	line_place_add(&place, side->profile, line->frame);
	change->place = text_detach(&place);
	if (line->frame < 0)
		return;
	change->file = xstrdup(side->profile->frames[line->frame].file);
	change->line = side->profile->frames[line->frame].line;
}

/* Lines whose counts vary, and those of unknown texts, are only named. */
static bool match_is_compared(struct line_changes *out, const struct line_match *match,
			      const struct line_side *base, const struct line_side *head)
{
	const struct line_cost *before = cost_at(base, match->a), *after = cost_at(head, match->b);
	struct text place = TEXT_INIT;

	if (match->kind == LINE_UNKNOWN)
		return false;
	if ((!before || before->sums.varies == 0) && (!after || after->sums.varies == 0))
		return true;
	line_place_add(&place, after ? head->profile : base->profile,
		       after ? after->frame : before->frame);
	if (!string_list_has(&out->varying, place.data))
		string_list_add(&out->varying, place.data);
	text_release(&place);
	return false;
}

static void compare_line(struct line_changes *out, const struct line_match *match,
			 const struct line_side *base, const struct line_side *head)
{
	const struct line_cost *before = cost_at(base, match->a), *after = cost_at(head, match->b);
	struct line_change change = {.kind = match->kind, .of_base = !after};
	double added[COST_PARTS];
	struct text words = TEXT_INIT;

	take_counts(change.base, before);
	take_counts(change.head, after);
	for (int i = 0; i < LINE_COUNT_KINDS; i++) {
		line_sum_add(&out->base[i], change.base[i]);
		line_sum_add(&out->head[i], change.head[i]);
	}
	out->compared++;
	if (memcmp(change.base, change.head, sizeof(change.base)) == 0)
		return;
	set_place(&change, after ? head : base, after ? after : before);
	change.base_share = share_at(base, before);
	change.head_share = share_at(head, after);
	added_costs(added, change.base, change.head);
	for (int part = 0; part < COST_PARTS; part++)
		change.cost += added[part];
	change.verdict = (change.cost > 0) - (change.cost < 0);
	add_count_words(&words, &change);
	add_share_words(&words, &change);
	change.text = text_detach(&words);
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count++] = change;
}

/* ---- the worst first ---- */

/* The part of the added cost from which an edited line is named before others. */
#define LEAST_OF_EDITED 0.01

/* A change, and what places it. */
struct ranked_change {
	struct line_change change;
	bool edited;
	double score;
	size_t at;
};

/* The cost that lines with fewer lanes add: a branch that diverges makes them run more often. */
static double cost_of_divergence(const struct line_changes *changes)
{
	double cost = 0;

	for (size_t i = 0; i < changes->count; i++) {
		const struct line_change *change = &changes->items[i];
		const int64_t *base = change->base, *head = change->head;

		if ((double)head[LINE_COUNT_lanes] * (double)base[LINE_COUNT_executed] <
		    (double)base[LINE_COUNT_lanes] * (double)head[LINE_COUNT_executed])
			cost += fmax(change->cost, 0);
	}
	return cost;
}

static bool diverges_more(const struct line_change *change)
{
	return change->head[LINE_COUNT_divergent] > change->base[LINE_COUNT_divergent];
}

static int ranked_compare(const void *left, const void *right)
{
	const struct ranked_change *a = left, *b = right;
	const double share_a = a->change.head_share - a->change.base_share;
	const double share_b = b->change.head_share - b->change.base_share;

	if (a->change.verdict != b->change.verdict) /* worse, better, neither */
		return a->change.verdict == 1 || b->change.verdict == 0 ? -1 : 1;
	if (a->edited != b->edited)
		return a->edited ? -1 : 1;
	if (fabs(a->score) != fabs(b->score))
		return fabs(a->score) > fabs(b->score) ? -1 : 1;
	if (isfinite(share_a) && isfinite(share_b) && share_a != share_b)
		return share_a > share_b ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

static void rank_changes(struct line_changes *changes)
{
	struct ranked_change *ranked = xcalloc(changes->count + 1, sizeof(*ranked));
	const double of_divergence = cost_of_divergence(changes);
	double added = 0;

	for (size_t i = 0; i < changes->count; i++)
		added += fmax(changes->items[i].cost, 0);
	for (size_t i = 0; i < changes->count; i++) {
		const struct line_change *change = &changes->items[i];
		struct ranked_change *own = &ranked[i];

		*own = (struct ranked_change){.change = *change, .score = change->cost, .at = i};
		if (diverges_more(change))
			own->score += of_divergence;
		own->edited = change->verdict > 0 && change->kind != LINE_SAME &&
			      own->score >= LEAST_OF_EDITED * added;
	}
	qsort(ranked, changes->count, sizeof(*ranked), ranked_compare);
	for (size_t i = 0; i < changes->count; i++)
		changes->items[i] = ranked[i].change;
	free(ranked);
}

/* ---- cases ---- */

/* Why the counts of a profile are compared with nothing; NULL: they are. */
static const char *why_no_counts(const struct profile *profile)
{
	bool twice = false;

	if (profile->why_no_counts)
		return profile->why_no_counts;
	for (size_t i = 0; i < profile->instruction_count; i++)
		twice |= profile->instructions[i].varies >= 0;
	return twice ? NULL
		     : "they were counted once, so nothing shows whether their counts repeat";
}

void line_changes_refuse(struct line_changes *out, char *why)
{
	*out = (struct line_changes){.why_not = why};
}

void line_changes_of(struct line_changes *out, const struct line_side *base,
		     const struct line_side *head)
{
	const char *of_base = why_no_counts(base->profile), *of_head = why_no_counts(head->profile);
	struct line_match_list matches;
	double added[COST_PARTS];

	if (of_base || of_head) {
		line_changes_refuse(out, xasprintf("the instructions of the %s: %s",
						   of_base ? "base" : "head",
						   of_base ? of_base : of_head));
		return;
	}
	*out = (struct line_changes){0};
	line_match_profiles(&matches, base, head);
	for (size_t i = 0; i < matches.count; i++)
		if (match_is_compared(out, &matches.items[i], base, head))
			compare_line(out, &matches.items[i], base, head);
	out->unknown = matches.unknown;
	matches.unknown = (struct string_list){0};
	line_match_list_release(&matches);
	added_costs(added, out->base, out->head);
	for (int part = 0; part < COST_PARTS; part++)
		out->worse |= added[part] > 0;
	rank_changes(out);
}

void line_changes_release(struct line_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		free(changes->items[i].place);
		free(changes->items[i].file);
		free(changes->items[i].text);
	}
	free(changes->items);
	free(changes->why_not);
	string_list_release(&changes->varying);
	string_list_release(&changes->unknown);
	*changes = (struct line_changes){0};
}

void line_changes_list_release(struct line_changes_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		line_changes_release(&list->items[i]);
	free(list->items);
	*list = (struct line_changes_list){0};
}
