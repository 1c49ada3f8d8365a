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

bool report_format_parse(enum report_format *out, const char *name)
{
	for (int i = 0; i < REPORT_FORMAT_COUNT; i++) {
		if (strcmp(facts[i].name, name) == 0) {
			*out = (enum report_format)i;
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
