/* The names of limiters and rules. */
#include "metrics/analysis/verdict.h"
#include "metrics/analysis/verdict_rules.h"

static const struct {
	const char *name, *meaning, *modelled;
} bounds[BOUND_COUNT] = {
#define X(symbol, bound_name, bound_meaning) \
	[symbol] = {bound_name, bound_meaning, bound_name " (model)"},
	BOUND_LIST(X)
#undef X
};

const char *bound_name(enum bound bound)
{
	return bounds[bound].name;
}

const char *bound_meaning(enum bound bound)
{
	return bounds[bound].meaning;
}

const char *verdict_limiter_name(const struct verdict *verdict)
{
	return verdict->from_model ? bounds[verdict->bound].modelled : bounds[verdict->bound].name;
}

bool verdict_rule_at(struct verdict_rule *out, size_t index)
{
	const bool limits = index < LIMITER_RULE_COUNT;
	const struct rule *rule;

	if (index >= LIMITER_RULE_COUNT + NOTE_COUNT)
		return false;
	rule = limits ? &limiter_rules[index] : &note_rules[index - LIMITER_RULE_COUNT];
	*out = rule->words;
	out->saves = rule->saved ? rule->saved : "";
	out->limiter = limits ? bound_name(rule->bound) : NULL;
	return true;
}
