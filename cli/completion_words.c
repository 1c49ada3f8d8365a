/* The words that a shell completes; see the header. */
#include "cli/completion_words.h"

#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "harness/study/study.h"
#include "kernels/kernels.h"
#include "metrics/catalogue/catalogue.h"
#include "reports/reports.h"

#define RUNS_READ 1000 /* the newest; a key press must not wait for more */

static void add_word(struct text *out, const char *word)
{
	text_addf(out, "%s%s", out->length ? " " : "", word);
}

/* ---- operands ---- */

static void add_case_words(struct text *out)
{
	size_t count;
	const struct kernel *const *kernels = kernel_all(&count);

	for (size_t i = 0; i < count; i++) {
		add_word(out, kernels[i]->name);
		for (size_t j = 0; j < kernels[i]->variant_count; j++)
			text_addf(out, " %s/%s", kernels[i]->name, kernels[i]->variants[j].name);
	}
}

void operand_words(struct text *out, const struct command_table *verbs,
		   const struct command *command)
{
	struct string_list names = {0};

	for (size_t i = 0; command->operand_words && command->operand_words[i]; i++)
		add_word(out, command->operand_words[i]);
	switch (command->operand_kind) {
	case OPERANDS_VERBS:
		for (size_t i = 0; i < verbs->count; i++)
			add_word(out, verbs->items[i]->name);
		break;
	case OPERANDS_CASES:
		add_case_words(out);
		break;
	case OPERANDS_STUDIES:
		study_names(&names);
		for (size_t i = 0; i < names.count; i++)
			add_word(out, names.items[i]);
		break;
	case OPERANDS_RUNS:
	case OPERANDS_WORDS:
	case OPERANDS_NONE:
	case OPERANDS_FREE:
		break;
	}
	string_list_release(&names);
}

bool operands_are_runs(const struct command *command)
{
	return command->operand_kind == OPERANDS_RUNS;
}

bool operands_are_files(const struct command *command)
{
	return strstr(command->operands, "FILE") != NULL;
}

/* ---- values of options ---- */

/* "auto|cuda|ptx" names all values, "I/N" and "NAME" none. */
static void add_words_of_argument(struct text *out, const char *argument)
{
	struct string_list pieces = {0};

	string_list_split(&pieces, argument, '|');
	for (size_t i = 0; i < pieces.count; i++)
		if (*pieces.items[i] &&
		    !pieces.items[i][strspn(pieces.items[i], "abcdefghijklmnopqrstuvwxyz-")])
			add_word(out, pieces.items[i]);
	string_list_release(&pieces);
}

static void add_metric_words(struct text *out)
{
	const struct metric *(*const tables[])(size_t *) = {metric_all, metric_all_emulated};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		size_t count;
		const struct metric *metrics = tables[t](&count);

		for (size_t i = 0; i < count; i++)
			add_word(out, metrics[i].name);
	}
}

/* Columns of reports; every kernel has the axes block and n. */
static void add_column_words(struct text *out)
{
	struct string_list names = {0};

	report_column_names(&names);
	for (size_t i = 0; i < names.count; i++)
		add_word(out, names.items[i]);
	add_word(out, "block");
	add_word(out, "n");
	string_list_release(&names);
}

void option_words(struct text *out, bool *list, const struct option_row *row)
{
	*list = false;
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		if (*row->choices[i])
			add_word(out, row->choices[i]);
	if (row->choices || !row->argument)
		return;
	if (strcmp(row->name, "metrics") == 0) {
		add_word(out, "none");
		for (int i = 0; i < METRIC_SET_COUNT; i++)
			add_word(out, metric_set_name((enum metric_set)i));
	} else if (strcmp(row->name, "counters") == 0) {
		add_word(out, "exact none");
	} else if (strcmp(row->argument, "COLUMN") == 0 || strcmp(row->name, "columns") == 0) {
		add_column_words(out);
	} else {
		add_words_of_argument(out, row->argument);
		return;
	}
	*list = strcmp(row->argument, "COLUMN") != 0;
	add_metric_words(out);
}

bool option_is_run(const struct option_row *row)
{
	return row->argument && strcmp(row->argument, "RUN") == 0;
}

bool option_is_path(const struct option_row *row)
{
	return row->argument &&
	       (strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "FOLDER") == 0);
}

/* ---- runs ---- */

/* bash expands the words that it is given: a label such as $(command) must not reach it. */
static bool is_plain_word(const char *label)
{
	return *label && *label != '-' &&
	       !label[strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._+:@/-")];
}

static int collect_label(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct string_list *labels = context;

	(void)tally;
	if (run->label && is_plain_word(run->label) && !string_list_has(labels, run->label))
		string_list_add(labels, run->label);
	return 0;
}

void print_run_words(FILE *out, const char *db_path)
{
	struct string_list labels = {0};
	struct db *db = NULL;

	if (!db_open(&db, db_path, DB_READ, NULL) &&
	    !db_runs_visit(db, RUNS_READ, collect_label, &labels, NULL)) {
		fputs("last\nlast-good\n", out);
		for (size_t i = 0; i < labels.count; i++)
			fprintf(out, "%s\n", labels.items[i]);
	}
	db_close(db);
	string_list_release(&labels);
}
