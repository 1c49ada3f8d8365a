/* Names and meanings of the statuses, verdicts and parts of a wall time. */
#include "metrics/meter.h"
#include "metrics/metrics.h"

#include <string.h>

struct word {
	const char *name, *meaning;
};

#define X(symbol, name, meaning) [symbol] = {name, meaning},
static const struct word statuses[] = {TRIAL_STATUS_LIST(X)};
static const struct word changes[] = {CHANGE_LIST(X)};
static const struct word verdicts[] = {SPEEDUP_VERDICT_LIST(X)};
static const struct word parts[] = {RUN_PART_LIST(X)};
#undef X

/* The index of the word with this name; `count`: none has it. */
static size_t word_find(const struct word *words, size_t count, const char *name)
{
	size_t at = 0;

	while (at < count && strcmp(words[at].name, name) != 0)
		at++;
	return at;
}

const char *trial_status_name(enum trial_status status)
{
	return statuses[status].name;
}

bool trial_status_parse(enum trial_status *out, const char *name)
{
	const size_t at = word_find(statuses, ARRAY_SIZE(statuses), name);

	if (at < ARRAY_SIZE(statuses))
		*out = (enum trial_status)at;
	return at < ARRAY_SIZE(statuses);
}

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

const char *change_name(enum change change)
{
	return changes[change].name;
}

const char *change_meaning(enum change change)
{
	return changes[change].meaning;
}

bool change_parse(enum change *out, const char *name)
{
	const size_t at = word_find(changes, ARRAY_SIZE(changes), name);

	if (at < ARRAY_SIZE(changes))
		*out = (enum change)at;
	return at < ARRAY_SIZE(changes);
}

const char *speedup_verdict_name(enum speedup_verdict verdict)
{
	return verdicts[verdict].name;
}

const char *speedup_verdict_meaning(enum speedup_verdict verdict)
{
	return verdicts[verdict].meaning;
}

bool speedup_verdict_parse(enum speedup_verdict *out, const char *name)
{
	const size_t at = word_find(verdicts, ARRAY_SIZE(verdicts), name);

	if (at < ARRAY_SIZE(verdicts))
		*out = (enum speedup_verdict)at;
	return at < ARRAY_SIZE(verdicts);
}

const char *run_part_name(enum run_part part)
{
	return parts[part].name;
}

const char *run_part_meaning(enum run_part part)
{
	return parts[part].meaning;
}

bool run_part_parse(enum run_part *out, const char *name)
{
	const size_t at = word_find(parts, ARRAY_SIZE(parts), name);

	if (at < ARRAY_SIZE(parts))
		*out = (enum run_part)at;
	return at < ARRAY_SIZE(parts);
}
