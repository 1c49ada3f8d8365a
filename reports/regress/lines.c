/* What changed in the lines of the cases of two runs: below the table, in JSON and in JUnit. */
#include <stdlib.h>
#include <string.h>

#include "reports/regress/regress.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"
#include "reports/table/readable.h"

#define LINES_OF_CASE 5   /* unless --all */
#define CASES_OF_LINES 10 /* unless --all */
#define PLACES_NAMED 5    /* of lines that are not compared */

/* ---- phrases ---- */

static void describe_varying(struct text *out, const struct line_changes *changes)
{
	const struct string_list *places = &changes->varying;

	if (!places->count)
		return;
	text_add(out, "not compared: ");
	for (size_t i = 0; i < places->count && i < PLACES_NAMED; i++)
		text_addf(out, "%s%s", i ? ", " : "", places->items[i]);
	if (places->count > PLACES_NAMED)
		text_addf(out, " and %zu more", places->count - PLACES_NAMED);
	text_addf(out, ", %s counts vary", places->count == 1 ? "its" : "their");
}

/* The sentences about the lines of a case: the worst lines, then what all of them do, then what was
 * not compared. */
static void list_sentences(struct string_list *out, const struct line_changes *changes, size_t most)
{
	struct text text = TEXT_INIT;

	if (changes->why_not)
		string_list_addf(out, "not compared: %s", changes->why_not);
	for (size_t i = 0; i < changes->count && i < most; i++) {
		text_clear(&text);
		line_change_describe(&text, &changes->items[i]);
		string_list_add(out, text.data);
	}
	if (changes->count > most)
		string_list_addf(out, "and %zu more", changes->count - most);
	text_clear(&text);
	if (changes->count > 1)
		line_changes_describe_all(&text, changes);
	if (text.length)
		string_list_add(out, text.data);
	text_clear(&text);
	describe_varying(&text, changes);
	if (text.length)
		string_list_add(out, text.data);
	for (size_t i = 0; i < changes->unknown.count; i++)
		string_list_addf(out, "not compared: %s", changes->unknown.items[i]);
	text_release(&text);
}

void regress_describe_lines(struct text *out, const struct line_changes *changes)
{
	struct string_list sentences = {0};

	list_sentences(&sentences, changes, LINES_OF_CASE);
	for (size_t i = 0; i < sentences.count; i++)
		text_addf(out, "%s%s", i ? "; " : "", sentences.items[i]);
	string_list_release(&sentences);
}

/* ---- the cases ---- */

static bool has_sentences(const struct line_changes *changes)
{
	return changes->count || changes->varying.count || changes->unknown.count ||
	       changes->why_not;
}

/* 0: what fails; 1: lines that do more work; 2: other changes; 3: nothing changed. */
static int place_of_lines(const struct regress_case *item, const struct line_changes *changes)
{
	if (item->gates && (changes->count || changes->damaged))
		return 0;
	return changes->worse ? 1 : changes->count ? 2 : 3;
}

/* Calls `show` for the cases that have something to say, the worst first. Returns how many more
 * there are. */
static size_t show_cases(struct text *out, const struct regress_report *report,
			 void (*show)(struct text *, const struct regress_case *,
				      const struct string_list *, const struct report_options *),
			 const struct report_options *options)
{
	const size_t most = report->all ? SIZE_MAX : CASES_OF_LINES;
	size_t shown = 0, more = 0;

	for (int place = 0; place <= 3; place++)
		for (size_t i = 0; i < report->lines->count && i < report->regress->count; i++) {
			const struct line_changes *changes = &report->lines->items[i];
			const struct regress_case *item = &report->regress->cases[i];
			struct string_list sentences = {0};

			if (!has_sentences(changes) || place_of_lines(item, changes) != place)
				continue;
			if (shown == most) {
				more++;
				continue;
			}
			list_sentences(&sentences, changes,
				       report->all ? changes->count : LINES_OF_CASE);
			show(out, item, &sentences, options);
			string_list_release(&sentences);
			shown++;
		}
	return more;
}

static void show_as_text(struct text *out, const struct regress_case *item,
			 const struct string_list *sentences, const struct report_options *options)
{
	const size_t width = options && options->width > 0 ? (size_t)options->width : SIZE_MAX;
	struct text shown = TEXT_INIT;

	text_add(out, "  ");
	text_add_escaped(out, item->name);
	text_add_char(out, '\n');
	for (size_t i = 0; i < sentences->count; i++) {
		text_clear(&shown);
		text_add_escaped(&shown, sentences->items[i]);
		wrap_text(out, 4, "", shown.data, width);
	}
	text_release(&shown);
}

static void show_as_markdown(struct text *out, const struct regress_case *item,
			     const struct string_list *sentences,
			     const struct report_options *options)
{
	(void)options;
	text_add(out, "- ");
	escape_markdown(out, item->name);
	text_add_char(out, '\n');
	for (size_t i = 0; i < sentences->count; i++) {
		text_add(out, "  - ");
		escape_markdown(out, sentences->items[i]);
		text_add_char(out, '\n');
	}
}

void regress_lines_text(FILE *out, const struct regress_report *report,
			const struct report_options *options)
{
	struct text text = TEXT_INIT;
	size_t more = report->lines ? show_cases(&text, report, show_as_text, options) : 0;

	if (text.length)
		fprintf(out, "\n%sBy line%s\n%s", options && options->colour ? "\033[1m" : "",
			options && options->colour ? "\033[0m" : "", text.data);
	if (more)
		fprintf(out, "  and %zu more %s (--all shows every case)\n", more,
			more == 1 ? "case" : "cases");
	text_release(&text);
}

void regress_lines_markdown(FILE *out, const struct regress_report *report)
{
	struct text text = TEXT_INIT;
	size_t more = report->lines ? show_cases(&text, report, show_as_markdown, NULL) : 0;

	if (text.length)
		fprintf(out, "\n**By line**\n\n%s", text.data);
	if (more)
		fprintf(out, "- and %zu more %s (`--all` shows every case)\n", more,
			more == 1 ? "case" : "cases");
	text_release(&text);
}

/* ---- JSON ---- */

static json_t *list_json(const struct string_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, report_json_text(list->items[i]));
	return array;
}

static json_t *line_counts_json(const int64_t *counts)
{
	json_t *object = json_object();

	for (int i = 0; i < LINE_COUNT_KINDS; i++)
		json_set_integer(object, line_count_kind_name((enum line_count_kind)i), counts[i]);
	return object;
}

static json_t *line_change_json(const struct line_change *change)
{
	static const char *const verdicts[] = {"better", "changed", "worse"};
	static const char *const kinds[] = {
		[LINE_SAME] = "same", [LINE_EDITED] = "edited",   [LINE_GONE] = "gone",
		[LINE_NEW] = "new",   [LINE_UNKNOWN] = "unknown",
	};
	json_t *object = json_object();

	json_set_text(object, "place", change->place);
	json_set_text(object, "file", change->file);
	json_object_set_new(object, "line",
			    change->file ? json_integer(change->line) : json_null());
	json_set_bool(object, "of_base", change->of_base);
	json_set_text(object, "source", kinds[change->kind]);
	json_set_text(object, "verdict", verdicts[change->verdict + 1]);
	json_set_text(object, "text", change->text);
	json_object_set_new(object, "base", line_counts_json(change->base));
	json_object_set_new(object, "head", line_counts_json(change->head));
	json_set_number(object, "base_share", change->base_share);
	json_set_number(object, "head_share", change->head_share);
	return object;
}

json_t *regress_lines_json(const struct line_changes *changes)
{
	json_t *object, *array = json_array();

	if (!changes->compared && !has_sentences(changes)) {
		json_decref(array);
		return json_null();
	}
	object = json_object();
	json_set_integer(object, "compared", (int64_t)changes->compared);
	json_set_text(object, "why_not", changes->why_not);
	json_set_bool(object, "worse", changes->worse);
	json_object_set_new(object, "varying", list_json(&changes->varying));
	json_object_set_new(object, "unknown", list_json(&changes->unknown));
	json_object_set_new(object, "changes", array);
	for (size_t i = 0; i < changes->count; i++)
		json_array_append_new(array, line_change_json(&changes->items[i]));
	return object;
}
