/* Names and meanings of the statuses, states, verdicts and parts of a wall time. */
#include "metrics/meter.h"
#include "metrics/metrics.h"

#include <string.h>

struct word {
	const char *name, *meaning;
};

/* The index of the word with this name; `count`: none has it. */
static size_t word_find(const struct word *words, size_t count, const char *name)
{
	size_t at = 0;

	while (at < count && strcmp(words[at].name, name) != 0)
		at++;
	return at;
}

/* Defines the functions of a type whose names and meanings a list gives. */
#define X(symbol, name, meaning) [symbol] = {name, meaning},
#define NAMES(noun, list)                                                                  \
	static const struct word noun##_words[] = {list(X)};                               \
	const char *noun##_name(enum noun value)                                           \
	{                                                                                  \
		return noun##_words[value].name;                                           \
	}                                                                                  \
	bool noun##_parse(enum noun *out, const char *name)                                \
	{                                                                                  \
		const size_t at = word_find(noun##_words, ARRAY_SIZE(noun##_words), name); \
                                                                                           \
		if (at < ARRAY_SIZE(noun##_words))                                         \
			*out = (enum noun)at;                                              \
		return at < ARRAY_SIZE(noun##_words);                                      \
	}
#define MEANINGS(noun)                              \
	const char *noun##_meaning(enum noun value) \
	{                                           \
		return noun##_words[value].meaning; \
	}

NAMES(trial_status, TRIAL_STATUS_LIST)
NAMES(run_state, RUN_STATE_LIST)
NAMES(change, CHANGE_LIST)
MEANINGS(change)
NAMES(speedup_verdict, SPEEDUP_VERDICT_LIST)
MEANINGS(speedup_verdict)
NAMES(run_part, RUN_PART_LIST)
MEANINGS(run_part)

bool trial_status_measured(enum trial_status status)
{
	return status == TRIAL_OK || status == TRIAL_UNVERIFIED;
}

bool trial_status_counted(enum trial_status status)
{
	return trial_status_measured(status) || status == TRIAL_SAMPLED;
}

bool trial_status_is_failure(enum trial_status status)
{
	return !trial_status_counted(status) && status != TRIAL_SKIPPED && status != TRIAL_PENDING;
}
