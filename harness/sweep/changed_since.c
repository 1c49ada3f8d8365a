/* Which cases are as they were in an earlier run, and need not be measured: by their machine code,
 * launches, data and checks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "harness/client/client.h"
#include "harness/judge/judge.h"
#include "harness/sweep/sweep_parts.h"

/* Unchanged cases that are measured all the same. */
#define SENTINELS 3
/* Lines about what has changed. */
#define LINES_MOST 10

/* ---- the run ---- */

static int since_check_request(const struct sweep_request *request, struct error *err)
{
	const char *const other = request->against ? "--against"
				  : request->shard ? "--shard"
						   : NULL;

	if (!other)
		return 0;
	return error_set(err, PL_EUSAGE,
			 "--changed-since and %s both choose what is measured: leave one of them "
			 "out",
			 other);
}

static bool has_code(const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++)
		if (run->trials[i].facts.code_hash[0] && run->trials[i].launch_hash[0])
			return true;
	return false;
}

int changed_since_load(struct run *out, const struct sweep_request *request, struct db **db,
		       struct error *err)
{
	int64_t id = 0;
	int rc;

	if (!request->changed_since)
		return 0;
	rc = since_check_request(request, err);
	if (!rc && !*db && database_is_new(request->db_path))
		rc = error_set(err, PL_EUSAGE,
			       "it names a run of the database, and %s does not exist yet",
			       request->db_path);
	else if (!rc && !*db)
		rc = db_open(db, request->db_path, DB_READ, err);
	if (!rc)
		rc = db_run_resolve(*db, request->changed_since, &id, err);
	if (!rc)
		rc = run_load_measured(*db, id, true, out, err);
	if (!rc && !has_code(out))
		rc = error_set(
			err, PL_EUSAGE,
			"run %lld has no hashes of machine code, as imported runs have none: "
			"measure every case once, without --changed-since",
			(long long)id);
	return error_context(err, rc, "--changed-since %s", request->changed_since);
}

/* ---- whether the runs can be compared ---- */

/* This sweep as far as it is known before a case is measured. Only the environment is owned. */
static struct run describe_head(const struct sweep *sweep, const struct run_task *task)
{
	const struct session_info *info = &sweep->info;
	struct run head = {.backend = (char *)task->backend,
			   .origin = task->since->origin,
			   .traits = info->traits,
			   .has_settings = true,
			   .settings = *task->settings,
			   .seed = task->settings->seed,
			   .device = info->device};

	key_value_add_all(&head.environment, &info->environment);
	if (info->profiler[0])
		key_value_set(&head.environment, "profiler", info->profiler);
	return head;
}

static int since_check_environment(const struct sweep *sweep, const struct run_task *task,
				   struct error *err)
{
	const struct run *since = task->since;
	struct run head = describe_head(sweep, task);
	struct regress_differences differences = {0};
	struct text named = TEXT_INIT;
	int rc = 0;

	regress_differ(&differences, since, &head);
	for (size_t i = 0; i < differences.count; i++) {
		const struct regress_difference *item = &differences.items[i];

		if (item->refuses || item->never)
			text_addf(&named, "%s%s (%s, now %s)", named.length ? ", " : "", item->what,
				  item->base, item->head);
	}
	if (since->seed != head.seed)
		text_addf(&named, "%sseed of inputs (%llu, now %llu)", named.length ? ", " : "",
			  (unsigned long long)since->seed, (unsigned long long)head.seed);
	if (named.length)
		rc = error_set(err, PL_EUSAGE,
			       "--changed-since: run %lld differs from this sweep in more than the "
			       "code: %s; every case would have to be measured, so leave "
			       "--changed-since out",
			       (long long)since->id, named.data);
	text_release(&named);
	regress_differences_release(&differences);
	key_value_list_release(&head.environment);
	return rc;
}

/* ---- what has changed ---- */

static void add_resource_change(struct text *out, const char *what, int64_t then, int64_t now)
{
	if (then != now)
		text_addf(out, "%s%s from %lld to %lld", out->length ? ", " : "", what,
			  (long long)then, (long long)now);
}

/* Which of the stored facts differ; empty: none. */
static void add_resources(struct text *out, const struct launch_facts *then,
			  const struct launch_facts *now)
{
	add_resource_change(out, "registers", then->registers_per_thread,
			    now->registers_per_thread);
	add_resource_change(out, "bytes of static shared memory", then->shared_static_bytes,
			    now->shared_static_bytes);
	add_resource_change(out, "bytes of local memory", then->local_bytes_per_thread,
			    now->local_bytes_per_thread);
}

/* malloc'd; NULL: nothing. */
static char *code_change(const struct launch_facts *then, const struct launch_facts *now)
{
	const bool same_hash = now->code_hash[0] && !strcmp(then->code_hash, now->code_hash);
	struct text resources = TEXT_INIT;
	char *change = NULL;

	add_resources(&resources, then, now);
	if (!then->code_hash[0] || !now->code_hash[0])
		change = xstrdup("its machine code is not known");
	else if (strcmp(then->code_kind, now->code_kind) != 0)
		change = xasprintf("machine code is %s, and was %s", now->code_kind,
				   then->code_kind);
	else if (!same_hash && resources.length)
		change = xasprintf("machine code differs: %s", resources.data);
	else if (!same_hash && now->instructions_hash[0] &&
		 !strcmp(then->instructions_hash, now->instructions_hash))
		change = xstrdup("its instructions are the same: constants, initial values of "
				 "variables, or what they refer to differ");
	else if (!same_hash)
		change = xstrdup("machine code differs, with the same registers, shared and local "
				 "memory");
	else if (resources.length)
		change = xasprintf("machine code is the same, but not its resources: %s",
				   resources.data);
	text_release(&resources);
	return change;
}

static bool differs(const char *then, const char *now)
{
	return (then != NULL) != (now != NULL) || (then && strcmp(then, now) != 0);
}

/* "source.3" -> its hash among the facts; NULL: none. */
static const char *hash_of_fact(const struct key_value_list *facts, const char *key)
{
	char *hash_key = xasprintf("%s.hash", key);
	const char *hash = key_value_get(facts, hash_key);

	free(hash_key);
	return hash;
}

/* The stored hash of a file; NULL: none. */
static const char *hash_of_path(const struct key_value_list *facts, const char *path)
{
	for (size_t i = 0; i < facts->count; i++)
		if (!strncmp(facts->items[i].key, "source.", strlen("source.")) &&
		    !strcmp(facts->items[i].value, path))
			return hash_of_fact(facts, facts->items[i].key);
	return NULL;
}

static bool file_has_changed(const struct run_task *task, const char *path)
{
	const char *then = hash_of_path(&task->since->environment, path);
	const char *now = hash_of_path(task->sources, path);

	return !then || !now || strcmp(then, now) != 0;
}

/* The launch hash has only the names of files. malloc'd; NULL: nothing. */
static char *data_change(const struct run_task *task, const struct launch_case *launch)
{
	for (size_t i = 0; i < launch->buffer_count; i++) {
		const struct case_buffer *buffer = &launch->buffers[i];

		if (buffer->fill_file && file_has_changed(task, buffer->fill_file))
			return xasprintf("the file %s has changed", buffer->fill_file);
		for (size_t k = 0; buffer->fill == FILL_CAPTURE && k < task->request->files.count;
		     k++) {
			const char *file = task->request->files.items[k];
			char *path = has_suffix(file, CAPTURE_SUFFIX) ? realpath(file, NULL) : NULL;
			const bool changed = path && file_has_changed(task, path);

			free(path);
			if (changed)
				return xasprintf("the capture %s has changed", file);
		}
	}
	for (size_t i = 0; i < launch->check.item_count; i++)
		if (case_check_item_is_file(&launch->check, i) &&
		    file_has_changed(task, launch->check.items[i].text))
			return xasprintf("the file %s has changed", launch->check.items[i].text);
	return NULL;
}

static bool check_has_changed(const struct run_task *task, const struct plan_case *planned)
{
	char *key = xasprintf(SOURCE_CHECK_PREFIX "%s/%s", planned->kernel, planned->variant);
	const bool changed = differs(key_value_get(&task->since->environment, key),
				     key_value_get(task->sources, key));

	free(key);
	return changed;
}

/* NULL: none. */
static const char *metric_that_is_new(const struct run_task *task)
{
	for (size_t i = 0; i < task->settings->metrics.count; i++)
		if (!string_list_has(&task->since->settings.metrics,
				     task->settings->metrics.items[i]))
			return task->settings->metrics.items[i];
	return NULL;
}

/* Why the case has to be measured, malloc'd; NULL: it is as it was. */
static char *case_change(const struct sweep *sweep, const struct run_task *task, size_t index,
			 const struct trial *then)
{
	const struct plan_case *planned = &sweep->plan->cases[index];
	const char *metric = metric_that_is_new(task);
	char hash[HASH_TEXT_BYTES], *change;

	if (!then)
		return xasprintf("not in run %lld", (long long)task->since->id);
	if (!trial_status_counted(then->status) && !trial_is_unchanged(then))
		return xasprintf("not measured in run %lld: %s", (long long)task->since->id,
				 trial_status_name(then->status));
	change = code_change(&then->facts, &sweep->cases[index].facts);
	if (change)
		return change;
	launch_hash(hash, planned->launch);
	if (strcmp(hash, then->launch_hash) != 0)
		return xstrdup("another grid, other arguments or other buffers");
	if (check_has_changed(task, planned))
		return xstrdup("another check");
	change = data_change(task, planned->launch);
	if (!change && metric)
		change = xasprintf("%s was not counted then", metric);
	return change;
}

/* ---- sentinels ---- */

struct candidate {
	size_t index;
	double scatter; /* the variance of the logarithms of its rounds in the run */
};

static int by_scatter(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->scatter != b->scatter)
		return a->scatter > b->scatter ? 1 : -1;
	return a->index < b->index ? -1 : 1;
}

/* An emulated case, whose counts do not scatter, has 0; one with too few rounds comes last. */
static double scatter_of(const struct trial *trial, bool timed)
{
	struct scatter_seen seen;

	if (trial_scatter(&seen, trial))
		return seen.variance;
	return timed ? INFINITY : 0;
}

/* Marks the sentinels in the plan, of different kernels first. Returns their number. */
static size_t choose_sentinels(struct plan *plan, struct candidate *found, size_t count)
{
	size_t chosen = 0;

	qsort(found, count, sizeof(*found), by_scatter);
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < count && chosen < SENTINELS; i++) {
			struct plan_case *planned = &plan->cases[found[i].index];
			bool suits = !planned->sentinel;

			for (size_t k = 0; k < count && suits; k++) {
				const struct plan_case *other = &plan->cases[found[k].index];

				suits = !other->sentinel || pass == 2 ||
					(pass == 1 ? !plan_same_variant(planned, other)
						   : strcmp(planned->kernel, other->kernel) != 0);
			}
			planned->sentinel |= suits;
			chosen += suits;
		}
	return chosen;
}

/* ---- what the user sees of it ---- */

/* One line for each variant and change, with the number of cases. */
static void tell_changes(const struct sweep *sweep, char *const *changes)
{
	const struct plan *plan = sweep->plan;
	struct key_value_list lines = {0};
	size_t *counts = xcalloc(plan->count + 1, sizeof(*counts));

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		char *line;
		size_t at = 0;

		if (!changes[i])
			continue;
		line = xasprintf("%s/%s: %s", planned->kernel, planned->variant, changes[i]);
		while (at < lines.count && strcmp(lines.items[at].key, line) != 0)
			at++;
		if (at == lines.count)
			key_value_set(&lines, line, "");
		counts[at]++;
		free(line);
	}
	for (size_t i = 0; i < lines.count && i < LINES_MOST; i++)
		tell_observer(sweep->observer, NOTICE_REMARK, "%s (%zu case%s)", lines.items[i].key,
			      counts[i], counts[i] == 1 ? "" : "s");
	if (lines.count > LINES_MOST)
		tell_observer(sweep->observer, NOTICE_REMARK, "and %zu more variants or changes",
			      lines.count - LINES_MOST);
	key_value_list_release(&lines);
	free(counts);
}

/* A user who edited a file asks why nothing is measured. */
static void tell_texts(const struct sweep *sweep, const struct run_task *task)
{
	const struct key_value_list *now = task->sources;
	size_t lines = 0;

	for (size_t i = 0; i < now->count && lines < LINES_MOST; i++) {
		const char *path = now->items[i].value;
		const char *then = hash_of_path(&task->since->environment, path);
		const char *hash = strncmp(now->items[i].key, "source.", strlen("source."))
					   ? NULL
					   : hash_of_fact(now, now->items[i].key);

		/* hashes of earlier versions have another length */
		if (!then || !hash || strlen(then) != strlen(hash) || !strcmp(then, hash))
			continue;
		lines++;
		tell_observer(sweep->observer, NOTICE_REMARK,
			      "%s has changed, but not the machine code, launch, data or check of "
			      "any case",
			      path);
	}
}

/* `unknown`: cases with a result then that cannot be inspected now. */
static void tell_sum(const struct sweep *sweep, const struct run *since, size_t changed,
		     size_t unchanged, size_t unknown, size_t sentinels)
{
	struct text names = TEXT_INIT;

	for (size_t i = 0; i < sweep->plan->count; i++) {
		const struct plan_case *planned = &sweep->plan->cases[i];

		if (planned->sentinel)
			text_addf(&names, "%s%s/%s/%s", names.length ? ", " : "", planned->kernel,
				  planned->variant, planned->config);
	}
	if (changed || unknown)
		tell_observer(sweep->observer, NOTICE_REMARK,
			      "%zu of %zu case%s changed since run %lld", changed,
			      changed + unchanged, changed + unchanged == 1 ? " has" : "s have",
			      (long long)since->id);
	else
		tell_observer(sweep->observer, NOTICE_REMARK, "nothing has changed since run %lld",
			      (long long)since->id);
	if (sentinels)
		tell_observer(sweep->observer, NOTICE_REMARK,
			      "measured although unchanged, to show the state of the session: %s",
			      names.data);
	text_release(&names);
}

void changed_since_add_facts(struct key_value_list *facts, const struct run *since,
			     const struct plan *plan)
{
	size_t sentinels = 0;

	key_value_set(facts, CHANGED_SINCE_KEY, since->uid);
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		char *key, *name;

		if (!planned->sentinel)
			continue;
		key = xasprintf(SENTINEL_PREFIX "%zu", ++sentinels);
		name = xasprintf("%s/%s/%s", planned->kernel, planned->variant, planned->config);
		key_value_set(facts, key, name);
		free(key);
		free(name);
	}
}

/* ---- leaving out ---- */

static void skip_unchanged(struct sweep *sweep, size_t index, const struct run *since)
{
	struct plan_case *planned = &sweep->plan->cases[index];
	char *reason = xasprintf(UNCHANGED_REASON "%lld", (long long)since->id);

	launch_hash(planned->unchanged_launch, planned->launch);
	plan_skip(sweep->plan, index, reason);
	sweep->cases[index].ended = true;
	text_release(&sweep->cases[index].json);
	free(reason);
}

/* A case is measured beside its base case, so a change of that one changes its speed-up. */
static void add_changes_of_bases(const struct plan *plan, char **changes, const bool *known)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *base = plan_base(plan, &plan->cases[i]);

		if (base && known[i] && !changes[i] && changes[plan->cases[i].base])
			changes[i] = xasprintf("its base case %s/%s changed", base->kernel,
					       base->variant);
	}
}

/* Skips what has no change, and is neither a sentinel nor the base case of what is measured. */
static void skip_what_is_unchanged(struct sweep *sweep, const struct run *since,
				   char *const *changes, const bool *known)
{
	const struct plan *plan = sweep->plan;
	bool *needed = xcalloc(plan->count + 1, sizeof(*needed));

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		if (plan_base(plan, planned) && planned->launch &&
		    (!known[i] || changes[i] || planned->sentinel))
			needed[planned->base] = true;
	}
	for (size_t i = 0; i < plan->count; i++)
		if (known[i] && !changes[i] && !plan->cases[i].sentinel && !needed[i])
			skip_unchanged(sweep, i, since);
	free(needed);
}

int changed_since_skip(struct sweep *sweep, const struct run_task *task, struct error *err)
{
	struct plan *plan = sweep->plan;
	/* of each case: it was inspected; what has changed, NULL: nothing */
	bool *known = xcalloc(plan->count + 1, sizeof(*known));
	char **changes = xcalloc(plan->count + 1, sizeof(*changes));
	struct candidate *found = xcalloc(plan->count + 1, sizeof(*found));
	size_t count = 0, changed = 0, unchanged = 0, unknown = 0, sentinels;
	int rc = since_check_environment(sweep, task, err);

	for (size_t i = 0; i < plan->count && !rc; i++) {
		const struct case_state *state = &sweep->cases[i];

		known[i] = plan->cases[i].launch && state->inspected && !state->ended &&
			   state->early_status == TRIAL_OK;
		if (known[i])
			changes[i] = case_change(sweep, task, i,
						 plan_case_trial(&plan->cases[i], task->since, i));
	}
	if (!rc)
		add_changes_of_bases(plan, changes, known);
	for (size_t i = 0; i < plan->count && !rc; i++) {
		const struct trial *then = plan_case_trial(&plan->cases[i], task->since, i);

		changed += known[i] && changes[i];
		unchanged += known[i] && !changes[i];
		unknown += !known[i] && then &&
			   (trial_status_counted(then->status) || trial_is_unchanged(then));
		if (known[i] && !changes[i] && then && trial_status_counted(then->status))
			found[count++] =
				(struct candidate){i, scatter_of(then, task->since->traits.timed)};
	}
	if (!rc) {
		sentinels = choose_sentinels(plan, found, count);
		skip_what_is_unchanged(sweep, task->since, changes, known);
		tell_sum(sweep, task->since, changed, unchanged, unknown, sentinels);
		tell_changes(sweep, changes);
		if (!changed && !unknown)
			tell_texts(sweep, task);
	}
	for (size_t i = 0; i < plan->count; i++)
		free(changes[i]);
	free(changes);
	free(known);
	free(found);
	return rc;
}
