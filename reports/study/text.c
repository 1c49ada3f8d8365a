/* Answers to studies as text: for each what was claimed beside what was found, or, of many, only
 * the answers. And the cells and phrases that Markdown has, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/study/study.h"
#include "reports/table/escape.h"

/* ---- cells ---- */

/* Four digits: enough to show a difference of 0.25 %. */
static const char *value_cell(struct text *out, const struct study_part *part,
			      const struct study_part_answer *answer)
{
	text_clear(out);
	if (isnan(answer->value))
		return NULL;
	text_addf(out, "%.4g", answer->value);
	if (part->unit)
		text_addf(out, " %s", part->unit);
	return out->data;
}

static const char *interval_cell(struct text *out, const struct study_part_answer *answer)
{
	text_clear(out);
	if (isnan(answer->value))
		return NULL;
	if (isnan(answer->low))
		text_add(out, answer->basis == STUDY_BY_CALCULATION ? "calculated"
			      : answer->basis == STUDY_BY_TIMES     ? "none"
			      : answer->exact                       ? "exact"
								    : "counted once");
	else
		text_addf(out, "%.4g to %.4g", answer->low, answer->high);
	return out->data;
}

static const char *claimed_cell(struct text *out, const struct study_part *part)
{
	text_clear(out);
	if (!part->claimed)
		return "";
	text_add(out, part->claimed);
	if (part->unit)
		text_addf(out, " %s", part->unit);
	return out->data;
}

/* The answer. An emulated one says, too, what it is based on: no time, and perhaps nothing that was
 * counted. */
static const char *answer_cell(struct text *out, const struct study_part *part,
			       const struct study_part_answer *answer, bool emulated)
{
	text_clear(out);
	text_addf(out, "%s%s", part->aside ? "not decisive: " : "",
		  study_verdict_name(answer->verdict));
	if (answer->why)
		text_addf(out, ": %s", answer->why);
	else if (emulated && !study_verdict_needs_another(answer->verdict))
		text_addf(out, ", by %s", study_basis_name(answer->basis));
	return out->data;
}

#define CELLS 4

void study_part_row(struct table *table, const struct study_report *of, size_t part_index,
		    bool with_study)
{
	const struct study_part *part = &of->study->parts[part_index];
	const struct study_part_answer *answer = &of->answer->parts[part_index];
	struct text cells[CELLS] = {TEXT_INIT, TEXT_INIT, TEXT_INIT, TEXT_INIT};
	struct text name = TEXT_INIT;
	const char *row[8];
	size_t count = 0;

	if (with_study) {
		text_addf(&name, "%s: %s", of->study->name,
			  study_verdict_name(of->answer->verdict));
		row[count++] = part_index ? "" : name.data;
		row[count++] = part_index ? "" : of->study->made_on;
	}
	row[count++] = part->title;
	row[count++] = claimed_cell(&cells[0], part);
	row[count++] = value_cell(&cells[1], part, answer);
	row[count++] = interval_cell(&cells[2], answer);
	row[count++] = part->expect.text;
	row[count++] = answer_cell(&cells[3], part, answer, of->emulated);
	table_row(table, row);
	for (size_t i = 0; i < CELLS; i++)
		text_release(&cells[i]);
	text_release(&name);
}

/* ---- phrases ---- */

void study_what_to_type(struct text *out, enum study_verdict verdict, const char *study)
{
	if (verdict == STUDY_NEEDS_EMULATOR)
		text_addf(out, "perflab study %s --backend ptx", study);
	else
		text_addf(out, "on a machine with a GPU: perflab study %s", study);
}

void study_summary(struct text *out, const struct study_report *reports, size_t count)
{
	size_t of[STUDY_NEEDS_EMULATOR + 1] = {0};
	int64_t run = 0;

	for (size_t i = 0; i < count; i++) {
		of[reports[i].answer->verdict]++;
		run = reports[i].run_id ? reports[i].run_id : run;
	}
	text_addf(out, "%zu of %zu hold, %zu %s not, %zu inconclusive", of[STUDY_HOLDS], count,
		  of[STUDY_FAILS], of[STUDY_FAILS] == 1 ? "does" : "do", of[STUDY_OPEN]);
	for (int verdict = STUDY_OPEN + 1; verdict <= STUDY_NEEDS_EMULATOR; verdict++) {
		const char *needs =
			study_verdict_name((enum study_verdict)verdict) + strlen("needs");

		if (of[verdict])
			text_addf(out, ", %zu %s%s", of[verdict],
				  of[verdict] == 1 ? "needs" : "need", needs);
	}
	for (size_t i = 0; i < count; i++) {
		const struct study_report *report = &reports[i];

		if (!report->run_id || report->run_id != run)
			continue;
		text_addf(out, "; %s on %s", report->emulated ? "emulated" : "measured",
			  report->device);
		if (report->driver[0])
			text_addf(out, ", driver %s", report->driver);
		text_addf(out, ", run %lld", (long long)report->run_id);
		break;
	}
}

/* ---- text ---- */

#define WIDTH 96 /* unless a terminal gives its own */
#define INDENT 11
#define IN_FULL_MOST 5 /* studies as text; of more only the answers are shown */

/* "; 1 of 2 claims holds here". Had one not held, that would be the answer of the study. */
static void add_claims_decided(struct text *out, const struct study_report *of)
{
	if (study_verdict_needs_another(of->answer->verdict))
		text_addf(out, "; %zu of %zu claims %s here", of->answer->decided,
			  of->answer->deciding, of->answer->decided == 1 ? "holds" : "hold");
}

/* The study whose answer another backend has to give; NULL: there is none. */
static const struct study_report *first_unanswered(const struct study_report *reports, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (study_verdict_needs_another(reports[i].answer->verdict))
			return &reports[i];
	return NULL;
}

/* Prints "  claim    words …", wrapped below the first word. */
static void print_study_text(FILE *out, const char *label, const char *words, int width)
{
	struct text safe = TEXT_INIT;
	const char *at;
	size_t column = INDENT;

	text_add_escaped(&safe, words);
	fprintf(out, "  %-*s", INDENT - 2, label);
	for (at = safe.data; *at;) {
		size_t length = strcspn(at, " ");
		char *word = xstrndup(at, length);
		size_t wide = utf8_length(word);

		if (column > INDENT && column + 1 + wide > (size_t)width) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		} else if (column > INDENT) {
			fputc(' ', out);
			column++;
		}
		fputs(word, out);
		free(word);
		column += wide;
		at += length + strspn(at + length, " ");
	}
	fputc('\n', out);
	text_release(&safe);
}

static void print_study(FILE *out, const struct study_report *of,
			const struct report_options *options)
{
	static const struct table_column columns[] = {COLUMNS_OF_A_PART};
	const struct study *study = of->study;
	int width = options->width > 40 ? options->width : WIDTH;
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	struct text line = TEXT_INIT, safe = TEXT_INIT;

	text_addf(&line, "%s: %s", study->name, study_verdict_name(of->answer->verdict));
	if (of->answer->why)
		text_addf(&line, " (%s)", of->answer->why);
	add_claims_decided(&line, of);
	text_add_escaped(&safe, line.data);
	fprintf(out, "%s\n", safe.data);
	print_study_text(out, "title", study->title, width);
	print_study_text(out, "claim", study->claim, width);
	text_clear(&line);
	text_addf(&line, "%s; on: %s", study->source, study->made_on);
	print_study_text(out, "source", line.data, width);
	print_study_text(out, "look at", study->look_at, width);
	if (study_verdict_needs_another(of->answer->verdict)) {
		text_clear(&line);
		study_what_to_type(&line, of->answer->verdict, study->name);
		print_study_text(out, "to do", line.data, width);
	}
	fputc('\n', out);
	for (size_t i = 0; i < study->part_count; i++)
		study_part_row(table, of, i, false);
	table_write_text(out, table, options);
	table_free(table);
	text_release(&line);
	text_release(&safe);
}

/* What the claims with the verdict of the study are based on, as bits of enum study_basis. */
static unsigned int bases_of(const struct study_report *of)
{
	unsigned int bases = 0;

	for (size_t i = 0; i < of->study->part_count; i++)
		if (!of->study->parts[i].aside &&
		    of->answer->parts[i].verdict == of->answer->verdict)
			bases |= 1U << of->answer->parts[i].basis;
	return bases;
}

/* "by counters and results: " */
static void add_bases(struct text *out, unsigned int bases)
{
	const char *before = "by";

	for (int basis = STUDY_BY_TIMES; basis <= STUDY_BY_CALCULATION; basis++) {
		if (!(bases & 1U << basis))
			continue;
		text_addf(out, "%s %s", before, study_basis_name((enum study_basis)basis));
		before = " and";
	}
	text_add(out, ": ");
}

/* Adds the studies with the verdict by name, of those with these bases, or 0 for all. */
static size_t add_study_names(struct text *out, const struct study_report *reports, size_t count,
			      enum study_verdict verdict, unsigned int bases)
{
	size_t added = 0;

	for (size_t i = 0; i < count; i++)
		if (reports[i].answer->verdict == verdict &&
		    (!bases || (reports[i].emulated && bases_of(&reports[i]) == bases)))
			text_addf(out, "%s%s", added++ ? ", " : "", reports[i].study->name);
	return added;
}

/* The studies that hold, by name; the table has the others. Of emulated answers, which have no
 * times, also those that do not hold, and what each is based on. */
static void print_decided(FILE *out, const struct study_report *reports, size_t count,
			  enum study_verdict verdict, const struct report_options *options)
{
	const char *label = verdict == STUDY_HOLDS ? "hold" : "do not";
	const int width = options->width > 40 ? options->width : WIDTH;
	const unsigned int all = 1U << (STUDY_BY_CALCULATION + 1);
	struct text names = TEXT_INIT, line = TEXT_INIT;

	if (count && !reports[0].emulated) {
		if (verdict == STUDY_HOLDS && add_study_names(&names, reports, count, verdict, 0))
			print_study_text(out, label, names.data, width);
	}
	for (unsigned int bases = 1; bases < all; bases++) {
		text_clear(&names);
		if (!add_study_names(&names, reports, count, verdict, bases))
			continue;
		text_clear(&line);
		add_bases(&line, bases);
		text_add(&line, names.data);
		print_study_text(out, label, line.data, width);
		label = "";
	}
	text_release(&line);
	text_release(&names);
}

static void add_overview_row(struct table *table, const struct study_report *of, bool with_claims)
{
	char *claims = xasprintf("%zu of %zu", of->answer->decided, of->answer->deciding);
	const char *row[4];
	size_t count = 0;

	row[count++] = of->study->name;
	row[count++] = study_verdict_name(of->answer->verdict);
	if (with_claims)
		row[count++] = claims;
	row[count++] = of->study->title;
	table_row(table, row);
	free(claims);
}

/* The answers in one table: all of them, or those that do not hold, by their answers. If another
 * backend has to give some answers, a column says how many claims of each study are decided. */
static void print_overview(FILE *out, const struct study_report *reports, size_t count, bool all,
			   const struct report_options *options)
{
	static const struct table_column columns[] = {
		{.name = "study"}, {.name = "answer"}, {.name = "title"}};
	static const struct table_column with_claims[] = {
		{.name = "study"}, {.name = "answer"}, {.name = "decided"}, {.name = "title"}};
	const bool unanswered = first_unanswered(reports, count) != NULL;
	struct table *table = unanswered ? table_new(with_claims, ARRAY_SIZE(with_claims))
					 : table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < count && all; i++)
		add_overview_row(table, &reports[i], unanswered);
	for (int verdict = STUDY_FAILS; verdict <= STUDY_NEEDS_EMULATOR && !all; verdict++)
		for (size_t i = 0; i < count; i++)
			if (reports[i].answer->verdict == (enum study_verdict)verdict)
				add_overview_row(table, &reports[i], unanswered);
	table->cut_last = !all; /* one line a study; `perflab study NAME` has the whole title */
	table_write_text(out, table, options);
	table_free(table);
	fputc('\n', out);
}

void study_text(FILE *out, const struct study_report *reports, size_t count,
		const struct report_options *options)
{
	struct text line = TEXT_INIT, safe = TEXT_INIT;

	const bool in_full = count <= IN_FULL_MOST;

	for (size_t i = 0; i < count && in_full; i++) {
		print_study(out, &reports[i], options);
		fputc('\n', out);
	}
	if (!in_full) {
		print_decided(out, reports, count, STUDY_HOLDS, options);
		print_decided(out, reports, count, STUDY_FAILS, options);
		fputc('\n', out);
	}
	if (count > 1)
		print_overview(out, reports, count, in_full, options);
	study_summary(&line, reports, count);
	text_add_escaped(&safe, line.data);
	fprintf(out, "%s\n", safe.data);
	if (!in_full) {
		const struct study_report *unanswered = first_unanswered(reports, count);

		if (unanswered) {
			text_clear(&line);
			study_what_to_type(&line, unanswered->answer->verdict, "NAME");
			print_study_text(out, "to do", line.data,
					 options->width > 40 ? options->width : WIDTH);
		}
		fputs("perflab study NAME shows the claims of one; --format md shows all in full\n",
		      out);
	}
	text_release(&line);
	text_release(&safe);
}
