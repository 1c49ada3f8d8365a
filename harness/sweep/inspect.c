/* Inspects the cases of a plan on the device: registers, occupancy, code hash, and whether they can
 * run at all. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "harness/sweep/sweep_parts.h"

/* ---- what is known already ---- */

struct inspection_entry {
	char *key; /* a hash */
	struct inspection answer;
};

void inspections_release(struct inspections *inspections)
{
	for (size_t i = 0; i < inspections->count; i++) {
		free(inspections->entries[i].key);
		free(inspections->entries[i].answer.reason);
	}
	free(inspections->entries);
	name_index_release(&inspections->by_key);
	text_release(&inspections->key);
	*inspections = (struct inspections)INSPECTIONS_INIT;
}

/* ---- the key ---- */

static void add_number_to_key(struct text *key, int64_t number)
{
	text_add_bytes(key, (const char *)&number, sizeof(number));
}

static void add_triple_to_key(struct text *key, const int64_t triple[3])
{
	for (int i = 0; i < 3; i++)
		add_number_to_key(key, triple[i]);
}

/* The facts of a case are those of this launch. */
static size_t largest_of(const struct launch_case *work)
{
	int64_t most = -1;
	size_t largest = 0;

	for (size_t i = 0; i < work->launch_count; i++) {
		const struct case_launch *launch = &work->launches[i];
		int64_t threads = 1;

		/* saturates: the numbers may come from a file of the user */
		for (int k = 0; k < 3; k++)
			if (__builtin_mul_overflow(threads, launch->grid[k], &threads) ||
			    __builtin_mul_overflow(threads, launch->block[k], &threads)) {
				threads = INT64_MAX;
				break;
			}
		if (threads > most) {
			most = threads;
			largest = i;
		}
	}
	return largest;
}

/* Writes all that a worker that inspects by launch may look at. */
static void inspection_key(struct text *key, const struct launch_case *work)
{
	bool from_capture = false;

	text_clear(key);
	for (size_t i = 0; i < work->buffer_count; i++)
		from_capture |= work->buffers[i].fill == FILL_CAPTURE;
	if (launch_case_library(work)) /* its scratch memory depends on the arguments */
		return;
	text_add_bytes(key, work->image, strlen(work->image) + 1);
	add_number_to_key(key, work->is_replacement);
	add_number_to_key(key, work->check.kind);
	add_number_to_key(key, from_capture);
	add_number_to_key(key, (int64_t)largest_of(work));
	for (size_t i = 0; i < work->launch_count; i++) {
		const struct case_launch *launch = &work->launches[i];

		text_add_bytes(key, launch->entry, strlen(launch->entry) + 1);
		add_triple_to_key(key, launch->block);
		add_triple_to_key(key, launch->cluster);
		add_number_to_key(key, launch->shared_bytes);
		add_number_to_key(key, launch->has_carveout ? launch->carveout : -1);
		add_number_to_key(key, launch->cooperative);
		if (launch->cooperative) /* all its blocks must be resident */
			add_triple_to_key(key, launch->grid);
	}
}

/* ---- the table ---- */

const struct inspection *inspections_find(struct inspections *inspections,
					  const struct launch_case *work)
{
	char key[HASH_TEXT_BYTES];
	size_t found;

	inspection_key(&inspections->key, work);
	if (!inspections->key.length)
		return NULL;
	hash_of(key, inspections->key.data, inspections->key.length);
	found = name_index_find(&inspections->by_key, key);
	return found == NO_NAME ? NULL : &inspections->entries[found].answer;
}

void inspections_add(struct inspections *inspections, const struct inspection *answer)
{
	struct inspection_entry *entry;
	char key[HASH_TEXT_BYTES];

	if (!inspections->key.length ||
	    (!trial_status_measured(answer->status) && answer->status != TRIAL_SKIPPED))
		return;
	hash_of(key, inspections->key.data, inspections->key.length);
	inspections->entries = xgrow(inspections->entries, &inspections->capacity,
				     inspections->count + 1, sizeof(*inspections->entries));
	entry = &inspections->entries[inspections->count];
	*entry = (struct inspection_entry){xstrdup(key), *answer};
	entry->answer.reason = answer->reason ? xstrdup(answer->reason) : NULL;
	name_index_add(&inspections->by_key, entry->key, inspections->count++);
}

/* ---- inspecting ---- */

struct inspect_answer {
	int64_t id;
	struct inspection *inspection;
};

static int inspect_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct inspect_answer *answer = context;
	json_t *facts = NULL;
	int rc = 0;

	if (strcmp(name, "facts") || answer->inspection->has_facts)
		return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'inspect'", name);
	rc = reply_check_id(message, answer->id, err);
	if (!rc)
		rc = member_object(&facts, message, "facts", 256, err);
	if (!rc)
		rc = facts_from_json(&answer->inspection->facts, facts, err);
	answer->inspection->has_facts = !rc;
	return rc;
}

static void skip_inspected(struct sweep *sweep, size_t index, const char *reason)
{
	struct text shown = TEXT_INIT;

	shown_reason_add(&shown, reason, sweep->plan->cases[index].descriptor_variant);
	plan_skip(sweep->plan, index, shown.data);
	text_release(&shown);
	sweep->cases[index].ended = true;
	text_release(&sweep->cases[index].json);
}

/* Asks the worker. The caller frees the reason. */
static int ask_inspection(struct inspection *out, struct sweep *sweep, size_t index,
			  struct error *err)
{
	struct inspect_answer answer = {.id = (int64_t)index, .inspection = out};
	struct exchange exchange =
		EXCHANGE_INIT(inspect_reply, &answer, sweep->settings->timeout_ns);
	struct text request = TEXT_INIT, reason = TEXT_INIT;
	struct error cause = {0};
	enum exchange_end end;
	int rc = sweep_open_worker(sweep, &sweep->worker, err);

	if (rc)
		return rc;
	case_request(&request, sweep, "inspect", index, -1, NO_CASE);
	end = worker_ask_line(&sweep->worker, &request, &exchange, &cause);
	text_release(&request);
	if (end == EXCHANGE_DONE && trial_status_measured(exchange.status) && !out->has_facts) {
		end = EXCHANGE_LIED;
		error_set(&cause, PL_EPROTOCOL, "it inspected the case and gave no facts");
	}
	rc = exchange_settle(&sweep->worker, end, &exchange, "inspection", &cause, &out->status,
			     &reason, err);
	exchange_release(&exchange);
	if (!rc && out->status != TRIAL_OK)
		out->reason = text_detach(&reason);
	text_release(&reason);
	return rc;
}

static void take_inspection(struct sweep *sweep, size_t index, const struct inspection *answer)
{
	struct case_state *state = &sweep->cases[index];

	state->inspected = answer->has_facts;
	state->facts = answer->facts;
	if (answer->status == TRIAL_SKIPPED) {
		/* The plan keeps the reason; a case that never runs stores no facts. */
		state->inspected = false;
		skip_inspected(sweep, index, answer->reason);
	} else if (answer->status == TRIAL_UNVERIFIED) {
		case_keep_unverified(state, answer->reason);
	} else if (answer->status != TRIAL_OK) {
		state->early_status = answer->status;
		state->early_reason = xstrdup(answer->reason);
	}
}

/* Asks the worker, unless it gave the answer for a case that it cannot tell from this one. */
static int inspect_case(struct sweep *sweep, size_t index, struct inspections *known,
			struct error *err)
{
	struct inspection answer = {.status = TRIAL_OK, .facts = launch_facts_unknown};
	const struct inspection *found = NULL;
	int rc;

	if (sweep->info.inspects_by_launch)
		found = inspections_find(known, sweep->plan->cases[index].launch);
	if (found) {
		take_inspection(sweep, index, found);
		return 0;
	}
	rc = ask_inspection(&answer, sweep, index, err);
	if (!rc)
		take_inspection(sweep, index, &answer);
	if (!rc && sweep->info.inspects_by_launch)
		inspections_add(known, &answer);
	free(answer.reason);
	return rc;
}

int sweep_inspect(struct sweep *sweep, struct plan *plan, struct error *err)
{
	struct inspections known = INSPECTIONS_INIT;
	struct device_limits limits;
	int rc = 0;

	device_limits_of(&limits, &sweep->info.device);
	sweep_cases_init(sweep, plan);
	/* ncu replays each kernel as often as it needs: more rounds would only repeat that */
	if (sweep->info.traits.timed)
		sweep->rounds = strcmp(sweep->info.profiler, "ncu") ? sweep->settings->rounds : 1;
	for (size_t i = 0; i < plan->count && !rc; i++) {
		const struct plan_case *planned = &plan->cases[i];

		/* a case of a preview that needed no compilation is not resolved yet */
		if (sweep->preview && !planned->descriptor_variant->source) {
			rc = plan_resolve_case(plan, i, &limits, err);
			sweep->cases[i].ended = planned->finished || !planned->launch;
			sweep->cases[i].failed = planned->failed || !planned->launch;
		}
		if (rc || sweep->cases[i].ended)
			continue;
		if (plan->cases[i].failure) {
			sweep->cases[i].early_status = TRIAL_FAILED;
			sweep->cases[i].early_reason = xstrdup(plan->cases[i].failure);
			continue;
		}
		rc = inspect_case(sweep, i, &known, err);
		if (sweep->preview && !sweep->compares) {
			/* whether it can run, its skip reason says, too */
			launch_case_free(plan->cases[i].launch);
			plan->cases[i].launch = NULL;
			text_release(&sweep->cases[i].json);
		}
	}
	inspections_release(&known);
	return rc;
}

size_t sweep_skip_failed(struct sweep *sweep)
{
	size_t failed = 0;

	for (size_t i = 0; i < sweep->plan->count; i++) {
		struct case_state *state = &sweep->cases[i];
		char *reason;

		if (state->early_status == TRIAL_OK)
			continue;
		reason = xasprintf("%s: %s", trial_status_name(state->early_status),
				   state->early_reason);
		skip_inspected(sweep, i, reason);
		sweep->plan->cases[i].failed = true;
		free(reason);
		failed++;
	}
	return failed;
}
