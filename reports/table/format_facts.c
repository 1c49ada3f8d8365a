/* What is known of each format without its writer: names, subjects, traits, words for --format. */
#include <string.h>

#include "reports/reports.h"

static const struct {
	const char *name, *meaning;
	unsigned subjects, traits;
} facts[REPORT_FORMAT_COUNT] = {
#define X(symbol, name, subjects, traits, writer, meaning) {name, meaning, subjects, traits},
	REPORT_FORMAT_LIST(X)
#undef X
};

#define WORD(subject, name, subjects) ((subjects) & (subject) ? (name) : "")

const char *const table_format_words[] = {
#define X(symbol, name, subjects, traits, writer, meaning) WORD(OF_TABLE, name, subjects),
	REPORT_FORMAT_LIST(X)
#undef X
		NULL,
};

const char *const sweep_format_words[] = {
#define X(symbol, name, subjects, traits, writer, meaning) \
	WORD(OF_TABLE | OF_REGRESS, name, subjects),
	REPORT_FORMAT_LIST(X)
#undef X
		NULL,
};

const char *const run_format_words[] = {
#define X(symbol, name, subjects, traits, writer, meaning) WORD(OF_RUN, name, subjects),
	REPORT_FORMAT_LIST(X)
#undef X
		NULL,
};

const char *const regress_format_words[] = {
#define X(symbol, name, subjects, traits, writer, meaning) WORD(OF_REGRESS, name, subjects),
	REPORT_FORMAT_LIST(X)
#undef X
		NULL,
};

const char *const history_format_words[] = {
#define X(symbol, name, subjects, traits, writer, meaning) WORD(OF_HISTORY, name, subjects),
	REPORT_FORMAT_LIST(X)
#undef X
		NULL,
};

const char *const study_format_words[] = {
#define X(symbol, name, subjects, traits, writer, meaning) WORD(OF_STUDY, name, subjects),
	REPORT_FORMAT_LIST(X)
#undef X
		NULL,
};

/* The ending of a file is the name of its format, or one of these. */
static const struct {
	const char *ending;
	enum report_format format;
} other_endings[] = {
	{"txt", REPORT_TEXT},
	{"markdown", REPORT_MARKDOWN},
	{"htm", REPORT_HTML},
	{"xml", REPORT_JUNIT},
};

const char *report_file_ending(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return dot && dot > name && dot[1] ? dot + 1 : NULL;
}

bool report_format_of_file(enum report_format *out, const char *path)
{
	const char *ending = report_file_ending(path);

	for (int i = 0; i < REPORT_FORMAT_COUNT && ending; i++) {
		if (strcasecmp(facts[i].name, ending) == 0) {
			*out = (enum report_format)i;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(other_endings) && ending; i++) {
		if (strcasecmp(other_endings[i].ending, ending) == 0) {
			*out = other_endings[i].format;
			return true;
		}
	}
	return false;
}

const char *report_format_name(enum report_format format)
{
	return facts[format].name;
}

const char *report_format_meaning(enum report_format format)
{
	return facts[format].meaning;
}

bool report_format_applies(enum report_format format, enum report_subject subject)
{
	return (facts[format].subjects & subject) != 0;
}

bool report_format_has(enum report_format format, unsigned traits)
{
	return (facts[format].traits & traits) != 0;
}
