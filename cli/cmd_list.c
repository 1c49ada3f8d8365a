/* perflab list: prints what the other verbs can be given. */
#include <stdlib.h>
#include <string.h>

#include "cli/list.h"
#include "harness/client/client.h"

#define RUNS_DEFAULT 1000 /* of a human-readable format */

static const char *const topic_words[] = {"kernels", "metrics", "sets",       "rules",
					  "devices", "runs",    "recordings", NULL};

/* What people call the things that a topic lists. */
static const struct {
	const char *word, *topic;
} topic_words_meant[] = {
	{"cases", "kernels"},    {"variants", "kernels"},    {"gpus", "devices"},
	{"counters", "metrics"}, {"events", "metrics"},      {"labels", "runs"},
	{"results", "runs"},     {"captures", "recordings"}, {"axes", "kernels --verbose"},
	{"limiters", "rules"},   {"verdicts", "rules"},
};

static const struct {
	const char *name;
	int (*list)(const struct invocation *call, const char *pattern, struct error *err);
} topics[] = {
	{"kernels", list_kernels},       {"metrics", list_metrics}, {"sets", list_sets},
	{"rules", list_rules},           {"devices", list_devices}, {"runs", list_runs},
	{"recordings", list_recordings},
};

/* The options of some topics only. */
static const struct {
	const char *option, *topics;
} options_of_topics[] = {
	{"long", "kernels"},
	{"verbose", "kernels"},
	{"replace", "kernels"},
	{"limit", "runs"},
	{"set", "metrics"},
	{"all", "metrics"},
	{"chip", "metrics|sets"},
	{"backend", "metrics|sets|devices"},
	{"db", "runs|recordings|devices"},
	{"rules", "rules"},
};

/* Refuses an option that has no effect on the topic. */
static int check_options(const struct invocation *call, const char *topic, struct error *err)
{
	const struct list_options *options = call->options;
	int rc = backend_must_be_named(options->backend, err);

	for (size_t i = 0; i < ARRAY_SIZE(options_of_topics) && !rc; i++)
		if (option_given(call, options_of_topics[i].option) &&
		    !strstr(options_of_topics[i].topics, topic))
			rc = error_set(err, PL_EUSAGE, "--%s works only with \"perflab list %s\"",
				       options_of_topics[i].option, options_of_topics[i].topics);
	return rc;
}

static int run_list(struct invocation *call, struct error *err)
{
	const char *names[ARRAY_SIZE(topics)];
	const char *topic = call->operands.items[0];
	const size_t operands = call->operands.count;
	const char *pattern = operands > 1 ? call->operands.items[operands - 1] : NULL;
	struct text near = TEXT_INIT;
	int rc = 0;

	if (operands > 2 && strcmp(topic, "kernels") != 0)
		rc = error_set(err, PL_EUSAGE, "give one pattern; %s is one too many", pattern);
	if (rc)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++) {
		if (strcmp(topics[i].name, topic) == 0) {
			rc = check_options(call, topic, err);
			return rc ? rc : topics[i].list(call, pattern, err);
		}
		names[i] = topics[i].name;
	}
	for (size_t i = 0; i < ARRAY_SIZE(topic_words_meant) && !near.length; i++)
		if (strcmp(topic_words_meant[i].word, topic) == 0)
			text_add(&near, topic_words_meant[i].topic);
	if (near.length || nearest_names(&near, topic, names, ARRAY_SIZE(names)))
		rc = error_set(err, PL_EUSAGE, "cannot list \"%s\"; did you mean %s?", topic,
			       near.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "cannot list \"%s\"; give one of: kernels, metrics, sets, rules, "
			       "devices, runs, recordings",
			       topic);
	text_release(&near);
	return rc;
}

static void list_defaults(void *context)
{
	struct list_options *options = context;

	options->backend = BACKEND_CUDA;
	options->limit = RUNS_DEFAULT;
}

static const struct option_row list_rows[] = {
	FLAG_ROW("verbose", 'v', list_options, verbose,
		 "kernels: also show the axes with their default values, whether a sweep of all "
		 "kernels runs the variant, and the metric that shows what it teaches"),
	FLAG_ROW("long", 'L', list_options, everything,
		 "kernels: also show the meaning of each axis and constraint, and the work model"),
	LIST_ROW("replace", 0, list_options, replacements, "FILE",
		 "kernels: a file whose kernel replaces that of a capture; repeatable"),
	TEXT_ROW("chip", 'c', list_options, chip, "CHIP",
		 "metrics and sets: describe this chip, such as GH100 (default: the chip of this "
		 "machine, else GH100)"),
	TEXT_ROW("rules", 0, list_options, rules, "FILE", "rules: also those of " HELP_RULES),
	TEXT_ROW("set", 's', list_options, set, "SET",
		 "metrics: list only the metrics of this set"),
	FLAG_ROW("all", 'a', list_options, all,
		 "metrics: also list every metric that CUPTI has for the chip"),
	TEXT_ROW("db", 0, list_options, db, "FILE", "runs, recordings and devices: " HELP_DB),
	TEXT_ROW("backend", 0, list_options, backend, "cuda|ptx",
		 "metrics, sets and devices: the backend to ask"),
	COUNT_ROW("limit", 'n', list_options, limit, "RUNS", 0,
		  "runs: show at most this many, the newest; 0 shows all; csv and json show all "
		  "unless this is given"),
	CHOICE_ROW("format", 'f', list_options, format, "FORMAT", table_format_words, HELP_FORMAT),
	ROW_NO_PAGER(list_options),
};

static const struct example list_examples[] = {
	{"perflab list kernels -v", "list kernels with their axes and what they teach"},
	{"perflab list kernels --long reduce/", "describe every variant of a kernel"},
	{"perflab list kernels saxpy.cu", "variants, axes and checks of your own file"},
	{"perflab list metrics dram",
	 "list metrics with \"dram\" in their name, including those of CUPTI"},
	{"perflab list sets --chip GB202", "show how many passes each set needs on another chip"},
	{"perflab list rules barrier", "when a barrier is the limiter, and what can be won"},
	{"perflab list rules --rules my.rules", "check a file of rules, and list them, too"},
	{"perflab list runs --limit 10", "list the newest stored runs"},
};

const struct command command_list = {
	.name = "list",
	.summary = "list kernels, metrics, metric sets, rules, devices, stored runs or recordings",
	.operands = "kernels|metrics|sets|rules|devices|runs|recordings [FILE ...] [PATTERN]",
	.description =
		"Lists kernels and their variants, metrics, metric sets, the rules of verdicts, "
		"devices, or the runs or the recordings of programs in the database.\n\n"
		"PATTERN selects names and may contain * and ?. Without either, it matches any "
		"part of a name. With FILEs (.cu, .cuh, .ptx, .cubin, .capture and their "
		"sidecars), `list kernels` lists their kernels instead of the built-in ones. Only "
		"the devices of this machine need a GPU.",
	OPTIONS_AND_EXAMPLES(list_options, list_rows, list_examples),
	.defaults = list_defaults,
	.operand_kind = OPERANDS_WORDS,
	.operand_words = topic_words,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_list,
};
