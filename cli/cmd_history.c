/* perflab history: a case over all its runs, and when it changed. */
#include <stdlib.h>
#include <string.h>

#include "cli/shared.h"
#include "db/db.h"
#include "metrics/analysis/history.h"

#define RUNS_FOR_PEOPLE 30
/* "GPU-606b7d42": devices of one name are told apart by it, and --device takes it. */
#define UUID_SHOWN 12

struct history_options {
	const char *db, *device, *backend;
	int format;
	int64_t limit;
};

/* A case of the database, with texts of its own. */
struct found_case {
	struct known_case item;
	char *name; /* "reduce/shuffle/block=256,n=16777216" */
};

struct found_cases {
	const struct invocation *call;
	struct found_case *items; /* those that the words mean, on any device */
	size_t count, capacity;
	struct string_list others; /* names that they do not mean, each once */
	bool emulated;             /* what they mean was emulated, and never timed */
	bool elsewhere; /* what they mean is there, but not as --device and --backend say */
};

/* ---- what is meant ---- */

static bool is_glob(const char *word)
{
	return strpbrk(word, "*?") != NULL;
}

/* The whole name, its first parts, or a pattern of the whole. */
static bool means(const char *word, const char *name)
{
	size_t length = strlen(word);

	if (is_glob(word))
		return pattern_matches(word, name);
	return strncmp(word, name, length) == 0 && (!name[length] || name[length] == '/');
}

/* A number is never part of a name: "2" is not every H200. */
static bool device_fits(const char *wanted, const struct known_case *item)
{
	int64_t id;

	if (!wanted)
		return true;
	if (parse_i64(&id, wanted, NULL) == 0)
		return id == item->device_id;
	if (pattern_matches(wanted, item->device))
		return true;
	return *item->uuid && strncmp(wanted, item->uuid, strlen(wanted)) == 0 &&
	       strlen(wanted) >= 4;
}

static struct known_case case_copy(const struct known_case *item)
{
	struct known_case copy = *item;

	copy.device = xstrdup(item->device);
	copy.uuid = xstrdup(item->uuid);
	copy.backend = xstrdup(item->backend);
	copy.kernel = xstrdup(item->kernel);
	copy.variant = xstrdup(item->variant);
	copy.config = xstrdup(item->config);
	return copy;
}

static int visit_case(void *context, const struct known_case *item)
{
	struct found_cases *found = context;
	const struct history_options *options = found->call->options;
	char *name = xasprintf("%s/%s/%s", item->kernel, item->variant, item->config);
	bool meant = means(found->call->operands.items[0], name);

	if (!meant) {
		if (!found->others.count ||
		    strcmp(found->others.items[found->others.count - 1], name) != 0)
			string_list_add(&found->others, name);
	} else if (!device_fits(options->device, item) ||
		   (options->backend && strcmp(options->backend, item->backend) != 0)) {
		found->elsewhere = true;
	} else if (!item->timed) {
		found->emulated = true;
	} else {
		found->items = xgrow(found->items, &found->capacity, found->count + 1,
				     sizeof(*found->items));
		found->items[found->count++] = (struct found_case){case_copy(item), name};
		return 0;
	}
	free(name);
	return 0;
}

static void found_release(struct found_cases *found)
{
	for (size_t i = 0; i < found->count; i++) {
		struct known_case *item = &found->items[i].item;

		free((char *)item->device);
		free((char *)item->uuid);
		free((char *)item->backend);
		free((char *)item->kernel);
		free((char *)item->variant);
		free((char *)item->config);
		free(found->items[i].name);
	}
	free(found->items);
	string_list_release(&found->others);
}

/* Cases of as many parts as the word has, so that "reduce/shufle" is near "reduce/shuffle". */
static void near_names(struct text *near, const struct found_cases *found, const char *word)
{
	struct string_list heads = {0};
	size_t parts = 1;

	for (const char *c = word; *c; c++)
		parts += *c == '/';
	for (size_t i = 0; i < found->others.count; i++) {
		const char *end = found->others.items[i];
		char *head;

		for (size_t j = 0; j < parts && end; j++)
			end = strchr(end + (j > 0), '/');
		head = end ? xstrndup(found->others.items[i],
				      (size_t)(end - found->others.items[i]))
			   : xstrdup(found->others.items[i]);
		if (!heads.count || strcmp(heads.items[heads.count - 1], head) != 0)
			string_list_add(&heads, head);
		free(head);
	}
	nearest_names(near, word, (const char *const *)heads.items, heads.count);
	string_list_release(&heads);
}

/* "stream/copy" and "reduce/shuffle/block=64" are the beginnings of names, and want a "*". */
static void near_beginning(struct text *near, const struct found_cases *found, const char *word)
{
	bool begins = false;

	for (size_t i = 0; i < found->others.count && !begins; i++)
		begins = *word && strncmp(found->others.items[i], word, strlen(word)) == 0;
	if (begins)
		text_addf(near, "'%.80s*'", word);
}

static int fail_unknown(const struct found_cases *found, const char *path, struct error *err)
{
	const char *word = found->call->operands.items[0];
	struct text near = TEXT_INIT;
	int rc;

	if (found->elsewhere)
		return error_set(err, PL_EUSAGE,
				 "'%.80s' is in %s, but not on that --device and --backend: "
				 "`perflab list devices` shows what there is",
				 word, path);
	if (found->emulated)
		return error_set(err, PL_EUSAGE,
				 "'%.80s' was only ever emulated, which has no time: the view "
				 "`emulated` has its counts (`perflab query emulated`)",
				 word);
	near_beginning(&near, found, word);
	if (!near.length)
		near_names(&near, found, word);
	if (near.length)
		rc = error_set(err, PL_EUSAGE, "no case '%.80s' in %s; did you mean %s?", word,
			       path, near.data);
	else if (found->others.count)
		rc = error_set(err, PL_EUSAGE,
			       "no case '%.80s' in %s: give KERNEL/VARIANT/CONFIG, such as %s",
			       word, path, found->others.items[0]);
	else
		rc = error_set(err, PL_ENOENT,
			       "%s holds no case that ended well yet: `perflab sweep` makes some",
			       path);
	text_release(&near);
	return rc;
}

static bool is_of_series(const struct known_case *item, const struct known_case *chosen)
{
	return item->device_id == chosen->device_id && strcmp(item->backend, chosen->backend) == 0;
}

/*
 * Devices never stand in one series: of those that have the cases, the one of
 * the newest run is meant, and the others are named.
 */
static const struct known_case *choose_device(const struct found_cases *found)
{
	const struct known_case *chosen = &found->items[0].item;
	struct string_list others = {0};
	struct text line = TEXT_INIT;

	for (size_t i = 1; i < found->count; i++) {
		if (found->items[i].item.newest_ns > chosen->newest_ns)
			chosen = &found->items[i].item;
	}
	for (size_t i = 0; i < found->count; i++) {
		const struct known_case *item = &found->items[i].item;
		char *other;

		if (is_of_series(item, chosen))
			continue;
		other = xasprintf("%lld (%s%s%.*s, %s)", (long long)item->device_id, item->device,
				  *item->uuid ? " " : "", UUID_SHOWN, item->uuid, item->backend);
		if (!string_list_has(&others, other)) {
			string_list_add(&others, other);
			text_addf(&line, "%s%s", line.length ? ", " : "", other);
		}
		free(other);
	}
	if (others.count)
		say("this is %s%s%.*s; --device chooses another: %s", chosen->device,
		    *chosen->uuid ? " " : "", UUID_SHOWN, chosen->uuid, line.data);
	string_list_release(&others);
	text_release(&line);
	return chosen;
}

/* ---- the verb ---- */

/* Change points are of all runs, however few are shown. */
static int load(struct history *out, struct db *db, const struct known_case *item,
		struct error *err)
{
	int rc = db_history_load(db, item, out, err);

	if (rc)
		return rc;
	if (!out->count)
		return error_set(err, PL_ECORRUPT, "%s/%s/%s is damaged: no run of it is there",
				 item->kernel, item->variant, item->config);
	history_find_changes(out);
	return 0;
}

static int print_histories(const struct invocation *call, struct db *db,
			   const struct found_cases *found, struct error *err)
{
	const struct history_options *options = call->options;
	const enum report_format format = (enum report_format)options->format;
	const struct known_case *chosen = choose_device(found);
	const struct report_options look = {.colour = call->terminal.out_colour,
					    .width = call->terminal.out_width,
					    .ascii = call->terminal.out_ascii};
	bool human = report_format_has(format, HUMAN_READABLE);
	size_t rows = human || option_given(call, "limit") ? (size_t)options->limit : 0;
	struct history *histories = xcalloc(found->count, sizeof(*histories));
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < found->count; i++) {
		if (is_of_series(&found->items[i].item, chosen))
			rc = load(&histories[count++], db, &found->items[i].item, err);
	}
	if (!rc)
		rc = report_history(stdout, histories, count, format, rows, &look, err);
	for (size_t i = 0; i < count; i++)
		history_release(&histories[i]);
	free(histories);
	return rc;
}

static int run_history(struct invocation *call, struct error *err)
{
	const struct history_options *options = call->options;
	const char *path = options->db ? options->db : db_default_path();
	struct found_cases found = {.call = call};
	struct db *db = NULL;
	int rc = db_open(&db, path, DB_READ, err);

	if (!rc)
		rc = db_cases_visit(db, visit_case, &found, err);
	if (!rc)
		rc = found.count ? print_histories(call, db, &found, err)
				 : fail_unknown(&found, path, err);
	found_release(&found);
	db_close(db);
	return rc;
}

static void history_defaults(void *context)
{
	struct history_options *options = context;

	options->limit = RUNS_FOR_PEOPLE;
}

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, offsetof(struct history_options, db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"device", 0, OPTION_TEXT, offsetof(struct history_options, device), "DEVICE",
	 "the device: its id as `perflab list devices` has it, the first characters of its uuid, "
	 "or its name, "
	 "also in part (default: that of the newest run of the case)",
	 NULL, 0},
	{"backend", 0, OPTION_TEXT, offsetof(struct history_options, backend), "NAME",
	 "what executed it (default: as the newest run of the case)", NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct history_options, format), "FORMAT",
	 "the format", history_format_words, 0},
	{"limit", 'n', OPTION_COUNT, offsetof(struct history_options, limit), "RUNS",
	 "show at most so many runs, the newest; 0 is all, as csv and json have it unless given; "
	 "change points are of all runs whatever is shown",
	 NULL, 0},
};

static const struct example examples[] = {
	{"perflab history reduce/shuffle/block=256,n=16777216", "one case over all its runs"},
	{"perflab history \"reduce/shuffle/block=256*\"", "the same, if that is all it matches"},
	{"perflab history reduce/shuffle --format json", "every configuration of a variant"},
	{"perflab history stream/copy_scalar --device H100 --format md", "on another device"},
};

const struct command command_history = {
	.name = "history",
	.summary = "show a case over all its runs, and when it changed",
	.operands = "CASE",
	.description =
		"Shows how long a case took in each run, oldest first, and its change points: "
		"when it became slower or faster, by how much, and between which runs and source "
		"revisions. docs/methodology.md says how they are found; of equal runs fewer than "
		"one history in a hundred has one.\n\n"
		"CASE is KERNEL/VARIANT/CONFIG as `perflab report` has it. KERNEL/VARIANT or "
		"KERNEL alone, or a pattern with * and ?, means every case that it matches, each "
		"shown by itself. A run in which the case failed has its reason in its place.\n\n"
		"A history is of one device, one backend and one --cache; others are named, and "
		"never mixed in. json has \"format\": 1, csv one row a run; times are in "
		"nanoseconds, and \"step\" is the ratio to the run before, less 1.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct history_options),
	.defaults = history_defaults,
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = 1,
	.run = run_history,
};
