/*
 * The tables of a run that say why a number is missing: failures, and everything else that the run
 * lacks, grouped by reason.
 */
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/speedup.h"
#include "reports/derived/derived.h"
#include "reports/run/run.h"
#include "reports/table/table.h"

/* ---- short reasons ---- */

/* An emulator lists features as "opcode mma.sync.aligned.m16n8k8 (file.cu:8, 2 times), …". */
static const char lacks[] = "that the emulator lacks: ";
static const char opcode[] = "opcode ";

/* The bytes of an opcode without its shape and types: "mma.sync". */
static size_t opcode_family(const char *name, size_t length)
{
	const char *dot = memchr(name, '.', length);

	if (dot)
		dot = memchr(dot + 1, '.', length - (size_t)(dot + 1 - name));
	return dot ? (size_t)(dot - name) : length;
}

/* Where the feature at `at` ends. A comma in parentheses does not end it. */
static const char *feature_end(const char *at)
{
	size_t depth = 0;

	for (; *at; at++) {
		depth += *at == '(';
		depth -= *at == ')' && depth > 0;
		if (!depth && strncmp(at, ", ", 2) == 0)
			break;
	}
	return at;
}

static char *short_feature(const char *feature, size_t length)
{
	const char *place = memmem(feature, length, " (", 2);
	const size_t begin = sizeof(opcode) - 1;

	if (place)
		length = (size_t)(place - feature);
	if (length > begin && strncmp(feature, opcode, begin) == 0)
		length = begin + opcode_family(feature + begin, length - begin);
	return xstrndup(feature, length);
}

/* The reason without the places and types of what an emulator lacks, such as "opcode ldmatrix.sync,
 * mma.sync"; malloc'd. */
static char *reason_shorten(const char *reason)
{
	const char *at = strstr(reason, lacks);
	struct string_list features = {0};
	struct text out = TEXT_INIT;
	bool after_opcode = false;

	if (!at)
		return xstrdup(reason);
	at += strlen(lacks);
	text_add_bytes(&out, reason, (size_t)(at - reason));
	while (*at) {
		const char *end = feature_end(at);
		char *feature = short_feature(at, (size_t)(end - at));

		if (!string_list_has(&features, feature)) {
			const bool is_opcode = strncmp(feature, opcode, sizeof(opcode) - 1) == 0;

			text_addf(&out, "%s%s", features.count ? ", " : "",
				  feature + (is_opcode && after_opcode ? sizeof(opcode) - 1 : 0));
			after_opcode = is_opcode;
			string_list_add(&features, feature);
		}
		free(feature);
		at = *end ? end + 2 : end;
	}
	string_list_release(&features);
	return text_detach(&out);
}

/* ---- the tables ---- */

#define NAMED_AT_MOST 3

/* Things (cases, metrics) that share one reason. */
struct reason {
	char *text;   /* owned */
	size_t place; /* of the reason, by first appearance */
	size_t cases;
	const struct trial *last; /* the last trial counted, so that each counts once */
	struct string_list things;
};

struct reasons {
	struct reason *items;
	size_t count, capacity;
	bool in_short;
};

/* Takes ownership of the text. */
static struct reason *reasons_find(struct reasons *reasons, char *text)
{
	for (size_t i = 0; i < reasons->count; i++) {
		if (strcmp(reasons->items[i].text, text) == 0) {
			free(text);
			return &reasons->items[i];
		}
	}
	reasons->items = xgrow(reasons->items, &reasons->capacity, reasons->count + 1,
			       sizeof(*reasons->items));
	reasons->items[reasons->count] = (struct reason){.text = text, .place = reasons->count};
	return &reasons->items[reasons->count++];
}

static void reasons_add(struct reasons *reasons, const char *text, const struct trial *trial,
			const char *thing)
{
	struct reason *reason =
		reasons_find(reasons, reasons->in_short ? reason_shorten(text) : xstrdup(text));

	if (reason->last != trial)
		reason->cases++;
	reason->last = trial;
	if (!string_list_has(&reason->things, thing))
		string_list_add(&reason->things, thing);
}

static int by_cases(const void *left, const void *right)
{
	const struct reason *a = left, *b = right;

	if (a->cases != b->cases)
		return a->cases > b->cases ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

/* Adds a row for each reason, those of the most cases first, and releases the reasons. */
static void reasons_move(struct table **table, const char *what, struct reasons *reasons)
{
	static const struct table_column columns[] = {
		{.name = "missing"},
		{.name = "cases", .numeric = true},
		{.name = "which", .drop = 1},
		{.name = "reason"},
	};

	if (reasons->count && !*table)
		*table = table_new(columns, ARRAY_SIZE(columns));
	if (reasons->count > 1)
		qsort(reasons->items, reasons->count, sizeof(*reasons->items), by_cases);
	for (size_t i = 0; i < reasons->count; i++) {
		struct reason *reason = &reasons->items[i];
		size_t named = reason->things.count;
		struct row row = {0};
		struct text *things;

		if (named > NAMED_AT_MOST)
			named = NAMED_AT_MOST - 1;
		row_add(&row, what);
		row_addf(&row, "%zu", reason->cases);
		things = row_cell(&row);
		for (size_t j = 0; j < named; j++)
			text_addf(things, "%s%s", j ? ", " : "", reason->things.items[j]);
		if (named < reason->things.count)
			text_addf(things, " and %zu more", reason->things.count - named);
		row_add(&row, reason->text);
		row_end(&row, *table, ROW_PLAIN);
		string_list_release(&reason->things);
		free(reason->text);
	}
	free(reasons->items);
	*reasons = (struct reasons){.in_short = reasons->in_short};
}

/* Failed cases that share a status and a cause, such as a file that does not compile. */
struct failure {
	const struct trial *first;
	size_t cases;
};

struct failures {
	struct failure *items;
	size_t count, capacity;
};

static void failures_add(struct failures *failures, const struct trial *trial)
{
	for (size_t i = 0; i < failures->count; i++) {
		if (trial_failures_agree(failures->items[i].first, trial)) {
			failures->items[i].cases++;
			return;
		}
	}
	failures->items = xgrow(failures->items, &failures->capacity, failures->count + 1,
				sizeof(*failures->items));
	failures->items[failures->count++] = (struct failure){trial, 1};
}

static int by_number_of_cases(const void *left, const void *right)
{
	const struct failure *a = left, *b = right;

	if (a->cases != b->cases)
		return a->cases > b->cases ? -1 : 1;
	return a->first < b->first ? -1 : 1;
}

struct table *run_table_failures(const struct run *run)
{
	static const struct table_column columns[] = {{.name = "cases", .numeric = true},
						      {.name = "first"},
						      {.name = "status"},
						      {.name = "reason"}};
	struct failures failures = {0};
	struct table *table;

	for (size_t i = 0; i < run->trial_count; i++)
		if (trial_status_is_failure(run->trials[i].status))
			failures_add(&failures, &run->trials[i]);
	table = failures.count ? table_new(columns, ARRAY_SIZE(columns)) : NULL;
	if (failures.count > 1)
		qsort(failures.items, failures.count, sizeof(*failures.items), by_number_of_cases);
	for (size_t i = 0; i < failures.count; i++) {
		const struct trial *first = failures.items[i].first;
		struct row row = {0};
		char *name = trial_case_name(first);

		row_addf(&row, "%zu", failures.items[i].cases);
		row_add(&row, name);
		row_add(&row, trial_status_name(first->status));
		row_add(&row, first->reason);
		row_end(&row, table, ROW_BAD);
		free(name);
	}
	free(failures.items);
	return table;
}

static void collect_status(struct reasons *reasons, const struct run *run, enum trial_status status)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		char *name;

		if (trial->status != status)
			continue;
		name = trial_case_name(trial);
		reasons_add(reasons, trial->reason ? trial->reason : "no reason is stored", trial,
			    name);
		free(name);
	}
}

static void collect_speedups(struct reasons *reasons, const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		const struct trial_speedup *speedup = &trial->speedup;
		char *name;

		if (!speedup->base_variant || speedup->verdict != SPEEDUP_NOT_MEASURED)
			continue;
		name = trial_case_name(trial);
		reasons_add(reasons, speedup_refusal_text(speedup), trial, name);
		free(name);
	}
}

static void collect_counters(struct reasons *reasons, const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		for (size_t j = 0; j < trial->counters.count; j++) {
			const struct counter_value *counter = &trial->counters.items[j];

			if (!counter->has_value)
				reasons_add(reasons, counter->reason, trial, counter->metric);
		}
	}
}

struct table *run_table_gaps(const struct run *run, bool in_short)
{
	static const enum trial_status statuses[] = {TRIAL_UNVERIFIED, TRIAL_SAMPLED,
						     TRIAL_SKIPPED};
	struct reasons reasons = {.in_short = in_short};
	struct table *table = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		collect_status(&reasons, run, statuses[i]);
		reasons_move(&table, trial_status_name(statuses[i]), &reasons);
	}
	collect_speedups(&reasons, run);
	reasons_move(&table, "no speed-up", &reasons);
	collect_counters(&reasons, run);
	reasons_move(&table, "not counted", &reasons);
	return table;
}
