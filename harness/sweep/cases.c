/* The state of the cases of a sweep, and what the user sees of it. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/catalogue/catalogue.h"

/* The most characters of a name in a reason. Names that a user wrote can be too long for it, too.
 */
#define SHOWN_MOST 60

/* ---- progress ---- */

void sweep_show_progress(const struct sweep *sweep, const char *phase, size_t index)
{
	struct sweep_progress progress = {
		.done = sweep->steps_done,
		.total = sweep->steps_total,
		.phase = phase,
		.current = index == NO_CASE ? NULL : &sweep->plan->cases[index],
		.elapsed_ns = monotonic_ns() - sweep->started_ns,
		.left_ns = -1,
	};

	if (!sweep->observer || !sweep->observer->progress)
		return;
	if (progress.done)
		progress.left_ns = (int64_t)((double)progress.elapsed_ns / (double)progress.done *
					     (double)(progress.total - progress.done));
	sweep->observer->progress(sweep->observer->context, &progress);
}

void sweep_tell_counters_off(struct sweep *sweep)
{
	if (!sweep->counters_reason || sweep->counters_off_shown)
		return;
	tell_observer(sweep->observer, NOTICE_WARNING, "counters are off: %s",
		      sweep->counters_reason);
	sweep->counters_off_shown = true;
}

/* ---- reasons ---- */

static bool launches_have(const struct kernel_launch *launches, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(launches[i].entry, name))
			return true;
	return false;
}

static void add_shown_name(struct text *out, const char *name, const struct kernel_variant *variant)
{
	const struct kernel_check *check = variant ? variant->check : NULL;
	const bool written = variant && strlen(name) <= SHOWN_MOST &&
			     (launches_have(variant->launches, variant->launch_count, name) ||
			      (check && launches_have(check->launches, check->launch_count, name)));
	struct text readable = TEXT_INIT;

	mangled_readable(&readable, name);
	if (written || !strcmp(readable.data, name))
		text_add(out, name);
	else
		readable_shorten(out, readable.data, SHOWN_MOST);
	text_release(&readable);
}

void shown_reason_add(struct text *out, const char *reason, const struct kernel_variant *variant)
{
	const char *whole = reason;

	while (*reason) {
		const bool mangled =
			!strncmp(reason, "_Z", 2) || !strncmp(reason, "__nv_static_", 12);
		size_t length = 0;

		while (isalnum((unsigned char)reason[length]) || reason[length] == '_' ||
		       reason[length] == '$')
			length++;
		/* "a::both (_ZN1a4bothE)": the user is to write it */
		if (mangled && !(reason > whole && reason[-1] == '(' && reason[length] == ')')) {
			char *name = xstrndup(reason, length);

			add_shown_name(out, name, variant);
			free(name);
		} else {
			length = length ? length : 1;
			text_add_bytes(out, reason, length);
		}
		reason += length;
	}
}

/* ---- states ---- */

void sweep_cases_init(struct sweep *sweep, struct plan *plan)
{
	sweep->plan = plan;
	sweep->cases = xcalloc(plan->count + 1, sizeof(*sweep->cases));
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		sweep->cases[i] = (struct case_state){
			.facts = launch_facts_unknown,
			.json = TEXT_INIT,
			.relative_error = NAN,
			.ended = planned->finished || !planned->launch,
			.failed = planned->failed || !planned->launch,
			.alone = planned->alone,
			.rounds_done = planned->rounds_done,
			/* An emulated case that has counters but no status is emulated again:
			   its counts mean nothing without the verification. */
			.counted = planned->counted && sweep->info.traits.timed,
			.early_status = TRIAL_OK,
		};
	}
}

void sweep_cases_release(struct sweep *sweep)
{
	for (size_t i = 0; sweep->cases && i < sweep->plan->count; i++) {
		text_release(&sweep->cases[i].json);
		counter_list_release(&sweep->cases[i].clocks);
		counter_list_release(&sweep->cases[i].taken);
		free(sweep->cases[i].unverified);
		free(sweep->cases[i].early_reason);
	}
	free(sweep->cases);
	sweep->cases = NULL;
}

size_t case_steps_left(const struct sweep *sweep, size_t index)
{
	const struct case_state *state = &sweep->cases[index];
	int rounds = sweep->rounds - state->rounds_done;

	if (state->ended)
		return 0;
	return (size_t)(rounds > 0 ? rounds : 0) + !state->counted;
}

int case_finish(struct sweep *sweep, size_t index, enum trial_status status, const char *reason,
		struct error *err)
{
	struct text shown = TEXT_INIT;
	int rc;

	if (reason)
		shown_reason_add(&shown, reason, sweep->plan->cases[index].descriptor_variant);
	sweep->steps_total -= case_steps_left(sweep, index);
	sweep->cases[index].ended = true;
	sweep->cases[index].failed = !trial_status_measured(status);
	text_release(&sweep->cases[index].json);
	/* the device may be lost, unless a worker that still runs has it open */
	if (sweep->info.traits.timed && !sweep->worker.pid &&
	    (status == TRIAL_CRASHED || status == TRIAL_DEVICE_ERROR || status == TRIAL_TIMEOUT))
		sweep->suspect = index;
	if (status == TRIAL_OK || status == TRIAL_SAMPLED)
		sweep->outcome.ok++;
	else if (status == TRIAL_UNVERIFIED)
		sweep->outcome.unverified++;
	else if (status == TRIAL_SKIPPED)
		sweep->outcome.skipped++;
	else
		sweep->outcome.failed++;
	rc = sweep->writer->finished(sweep->writer->context, index, status,
				     reason ? shown.data : NULL, err);
	text_release(&shown);
	if (!rc && sweep->hooks.ended)
		sweep->hooks.ended(sweep, index);
	return rc;
}

bool case_take(struct sweep *sweep, size_t index)
{
	return !sweep->hooks.take || sweep->hooks.take(sweep, index);
}

const char *case_refusal(const struct sweep *sweep, size_t index, bool measuring)
{
	return sweep->hooks.refusal ? sweep->hooks.refusal(sweep, index, measuring) : NULL;
}

void case_keep_unverified(struct case_state *state, const char *reason)
{
	free(state->unverified);
	state->unverified = xstrdup(reason);
}

int case_finish_measured(struct sweep *sweep, size_t index, struct error *err)
{
	const char *unverified = sweep->cases[index].unverified;

	return case_finish(sweep, index, unverified ? TRIAL_UNVERIFIED : TRIAL_OK, unverified, err);
}

/* ---- requests ---- */

void case_add_json(struct text *out, struct sweep *sweep, size_t index)
{
	struct text *json = &sweep->cases[index].json;

	if (!json->length) {
		struct launch_case *launch = sweep->plan->cases[index].launch;
		json_t *object;
		char *dumped;

		built_in_bind(sweep->built_in, launch);
		object = case_to_json(launch);
		dumped = json_dumps(object, JSON_COMPACT);

		text_add(json, dumped ? dumped : "null");
		free(dumped);
		json_decref(object);
	}
	text_add_bytes(out, json->data, json->length);
}

size_t case_base(const struct sweep *sweep, size_t index)
{
	const struct plan_case *base = plan_base(sweep->plan, &sweep->plan->cases[index]);
	const size_t at = base ? (size_t)(base - sweep->plan->cases) : NO_CASE;

	/* Under ncu nothing is timed. */
	if (!base || !base->launch || sweep->cases[index].alone || sweep->cases[at].failed ||
	    !strcmp(sweep->info.profiler, "ncu"))
		return NO_CASE;
	return at;
}

int reply_check_id(const json_t *message, int64_t wanted, struct error *err)
{
	int64_t id;
	int rc = member_int64(&id, message, "id", 0, INT64_MAX, err);

	if (!rc && id != wanted)
		rc = error_set(err, PL_EPROTOCOL, "a reply is about case %lld, asked was %lld",
			       (long long)id, (long long)wanted);
	return rc;
}

size_t case_add_missing(const struct sweep *sweep, struct counter_list *counters,
			const char *reason)
{
	const struct string_list *wanted = &sweep->settings->metrics;
	size_t missing = 0;

	for (size_t i = 0; i < wanted->count; i++) {
		const char *name = wanted->items[i];
		const struct metric *metric = metric_find(name);
		const char *counter =
			metric ? metric_counter_on(metric, sweep->info.device.chip) : name;
		char *source;

		if (counter_list_find(counters, name))
			continue;
		source = metric && metric->formula ? xasprintf("derived: %s", metric->formula)
						   : xstrdup(counter ? counter : "");
		counter_list_set_missing(counters, name, metric ? metric->unit : "", source,
					 reason);
		free(source);
		missing++;
	}
	return missing;
}
