/* Chooses columns by name and reads them; see the header. */
#include "reports/selection/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/table/readable.h"

#define COUNTER_DROP 20 /* counters without a column of the table are dropped first */

/* Other words for columns and axes. */
static const struct {
	const char *word, *name;
} column_words[] = {
	{"name", "case"},
	{"time", "median"},
	{"duration", "median"},
	{"bandwidth", "dram_bandwidth"},
	{"ci", "interval"},
	{"regs", "registers"},
	{"error", "reason"},
	{"size", "n"},
	{"block_size", "block"},
	{"block-size", "block"},
	{"threads_per_block", "block"},
};

void report_column_names(struct string_list *out)
{
	for (const struct column *column = column_table; column->name; column++) {
		if (!string_list_has(out, column->name))
			string_list_add(out, column->name);
	}
}

/* ---- choosing ---- */

static void add_chosen(struct chosen_columns *out, struct chosen_column chosen)
{
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count++] = chosen;
}

/* Names for a message: of the table, then of axes and counters. Borrowed from the table and
 * `owned`. */
static size_t all_names(const char ***out, struct string_list *owned, const struct run *run)
{
	size_t columns = 0, count = 0;

	while (column_table[columns].name)
		columns++;
	run_axis_names(owned, run);
	run_counter_names(owned, run);
	*out = xcalloc(columns + owned->count + 1, sizeof(const char *));
	for (size_t i = 0; i < columns; i++) {
		if (column_applies(&column_table[i], run))
			(*out)[count++] = column_table[i].name;
	}
	for (size_t i = 0; i < owned->count; i++)
		(*out)[count++] = owned->items[i];
	return count;
}

/* Whether only runs of the other kind, measured or emulated, have the column. */
static bool is_of_other_kind(const struct run *run, const char *name)
{
	const unsigned kind = run->traits.emulated ? OF_EMULATED : OF_MEASURED;

	for (size_t i = 0; i < ARRAY_SIZE(column_words); i++) {
		if (strcasecmp(column_words[i].word, name) == 0)
			name = column_words[i].name;
	}
	for (const struct column *column = column_table; column->name; column++) {
		if (!(column->kinds & kind) &&
		    (strcmp(column->name, name) == 0 || strcmp(column->machine, name) == 0))
			return true;
	}
	return false;
}

/* Whether only sweeps on several GPUs have the column. */
static bool is_of_several_gpus(const struct run *run, const char *name)
{
	if (run->gpus)
		return false;
	for (const struct column *column = column_table; column->name; column++) {
		if (strcmp(column->name, name) == 0 && !column_applies(column, run))
			return true;
	}
	return false;
}

static int unknown_column(const struct run *run, const char *name, struct error *err)
{
	struct string_list owned = {0};
	struct text near = TEXT_INIT;
	const char **names;
	const size_t count = all_names(&names, &owned, run);
	char whose[32] = "this sweep";
	int rc;

	if (run->id)
		snprintf(whose, sizeof(whose), "run %lld", (long long)run->id);
	if (is_of_other_kind(run, name)) {
		rc = error_set(err, PL_EUSAGE,
			       run->traits.emulated
				       ? "%s has no column \"%s\": it was emulated, which "
					 "gives counts and no times; try lost or finding"
				       : "%s has no column \"%s\": only emulated runs have it",
			       whose, name);
	} else if (is_of_several_gpus(run, name)) {
		rc = error_set(
			err, PL_EUSAGE,
			key_value_get(&run->environment, GPUS_GROUP_KEY)
				? "%s has no column \"%s\": it is of one GPU; --group shows "
				  "all GPUs of its sweep"
				: "%s has no column \"%s\": only sweeps on several GPUs have "
				  "it",
			whose, name);
	} else if (!*name) {
		rc = error_set(err, PL_EUSAGE,
			       "the name of a column is missing; give names such as %s, "
			       "separated by commas",
			       run->traits.emulated ? "lost,finding,block" : "median,roof,block");
	} else if (nearest_names(&near, name, names, count)) {
		rc = error_set(err, PL_EUSAGE, "%s has no column \"%s\"; did you mean %s?", whose,
			       name, near.data);
	} else {
		for (const struct column *column = column_table; column->name; column++) {
			if (column_applies(column, run))
				text_addf(&near, "%s%s", near.length ? ", " : "", column->name);
		}
		rc = error_set(err, PL_EUSAGE,
			       "%s has no column \"%s\"; there are %s, and every axis and "
			       "counter of the run",
			       whose, name, near.data);
	}
	text_release(&near);
	string_list_release(&owned);
	free(names);
	return rc;
}

static bool counter_is_known(const struct run *run, const char *name)
{
	struct string_list names = {0};
	bool known;

	run_counter_names(&names, run);
	known = string_list_has(&names, name);
	string_list_release(&names);
	return known;
}

/* Returns false if the run has no such column. */
static bool add_named(struct chosen_columns *out, const struct run *run, const char *name)
{
	static const char csv_axis[] = "axis_";
	const char *axis =
		strncmp(name, csv_axis, strlen(csv_axis)) == 0 ? name + strlen(csv_axis) : name;

	for (const struct column *column = column_table; column->name; column++) {
		if (column_applies(column, run) &&
		    (strcmp(column->name, name) == 0 || strcmp(column->machine, name) == 0)) {
			add_chosen(out, (struct chosen_column){.column = column});
			return true;
		}
	}
	for (size_t i = 0; i < run->trial_count; i++) {
		if (trial_axis(&run->trials[i], axis)) {
			add_chosen(out, (struct chosen_column){.axis = xstrdup(axis)});
			return true;
		}
	}
	if (!counter_is_known(run, name))
		return false;
	add_chosen(out, (struct chosen_column){.counter = xstrdup(name)});
	return true;
}

/* The head of a column in a table, or another word for it. */
static bool add_by_word(struct chosen_columns *out, const struct run *run, const char *word)
{
	for (const struct column *column = column_table; column->name; column++) {
		if (column_applies(column, run) &&
		    (strcasecmp(column->head, word) == 0 || strcasecmp(column->name, word) == 0))
			return add_named(out, run, column->name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(column_words); i++) {
		if (strcasecmp(column_words[i].word, word) == 0 &&
		    add_named(out, run, column_words[i].name))
			return true;
	}
	return false;
}

int columns_add(struct chosen_columns *out, const struct run *run, const char *name,
		struct error *err)
{
	return add_named(out, run, name) || add_by_word(out, run, name)
		       ? 0
		       : unknown_column(run, name, err);
}

int columns_parse(struct chosen_columns *out, const struct run *run, const char *list,
		  struct error *err)
{
	struct string_list names = {0};
	int rc = 0;

	string_list_split(&names, list, ',');
	for (size_t i = 0; i < names.count && !rc; i++) {
		char *name = names.items[i] + strspn(names.items[i], " ");
		size_t length = strlen(name);

		while (length > 0 && name[length - 1] == ' ')
			name[--length] = '\0';
		rc = columns_add(out, run, name, err);
	}
	string_list_release(&names);
	return rc;
}

static bool counter_has_column(const struct run *run, const char *metric)
{
	for (const struct column *column = column_table; column->name; column++) {
		if (column_applies(column, run) && column->usual && column->metric &&
		    strcmp(column->metric, metric) == 0)
			return true;
	}
	return false;
}

void columns_add_usual(struct chosen_columns *out, const struct run *run, bool every_counter)
{
	struct string_list counters = {0};

	for (const struct column *column = column_table; column->name; column++) {
		if (column_applies(column, run) && column->usual)
			add_chosen(out, (struct chosen_column){.column = column});
	}
	if (every_counter)
		run_counter_names(&counters, run);
	for (size_t i = 0; i < counters.count; i++) {
		if (!counter_has_column(run, counters.items[i]))
			add_chosen(out,
				   (struct chosen_column){.counter = xstrdup(counters.items[i])});
	}
	string_list_release(&counters);
}

void columns_release(struct chosen_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		free(columns->items[i].axis);
		free(columns->items[i].counter);
	}
	free(columns->items);
	*columns = (struct chosen_columns){0};
}

/* ---- reading ---- */

bool chosen_is(const struct chosen_column *chosen, const char *name)
{
	return chosen->column && strcmp(chosen->column->name, name) == 0;
}

bool chosen_names_case(const struct chosen_column *chosen)
{
	return chosen->column && chosen->column->names_case;
}

const char *chosen_name(const struct chosen_column *chosen)
{
	return chosen->column ? chosen->column->machine
	       : chosen->axis ? chosen->axis
			      : chosen->counter;
}

bool chosen_is_numeric(const struct chosen_column *chosen)
{
	return !chosen->column || !chosen->column->word;
}

static const struct counter_value *counter_of(const struct chosen_column *chosen,
					      const struct case_facts *facts)
{
	const char *metric = chosen->column ? chosen->column->metric : chosen->counter;
	const struct counter_value *counter =
		metric ? counter_list_find(&facts->trial->counters, metric) : NULL;

	return counter && counter->has_value ? counter : NULL;
}

double chosen_number(const struct chosen_column *chosen, const struct case_facts *facts)
{
	const struct named_value *axis =
		chosen->axis ? trial_axis(facts->trial, chosen->axis) : NULL;
	const struct counter_value *counter = counter_of(chosen, facts);

	if (chosen->axis)
		return axis ? (double)axis->value : NAN;
	if (chosen->column && chosen->column->number)
		return chosen->column->number(facts);
	return counter ? counter->value : NAN;
}

const char *chosen_word(const struct chosen_column *chosen, const struct case_facts *facts)
{
	return chosen->column && chosen->column->word ? chosen->column->word(facts) : NULL;
}

void chosen_show(struct text *out, const struct chosen_column *chosen,
		 const struct case_facts *facts)
{
	const struct counter_value *counter = counter_of(chosen, facts);
	const struct column *column = chosen->column;
	const char *word = chosen_word(chosen, facts);
	double number = chosen_number(chosen, facts);

	if (word)
		text_add(out, word);
	else if (column && column->show && (isfinite(number) || column->in_words))
		column->show(out, facts);
	else if (!isfinite(number))
		return;
	else if (counter && !column)
		format_value(out, number, counter->unit);
	else if (counter)
		format_number(out, number, counter->unit);
	else if (column && column->unit && strcmp(column->unit, "percent") != 0)
		format_value(out, number, column->unit);
	else
		format_number(out, number, column && column->unit ? column->unit : "");
}

struct table_column chosen_table_column(const struct chosen_column *chosen)
{
	const struct column *column = chosen->column;

	return (struct table_column){
		.name = column ? column->name : chosen_name(chosen),
		.numeric = chosen_is_numeric(chosen) && !(column && column->in_words),
		.head = column ? column->head : chosen->counter,
		.drop = column         ? column->drop
			: chosen->axis ? 0
				       : COUNTER_DROP,
	};
}
