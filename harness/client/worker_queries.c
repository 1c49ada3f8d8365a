/* Questions to a worker that need no open session. */
#include <string.h>

#include "harness/client/client.h"
#include "harness/protocol/protocol.h"

/* Keeps the first line that a worker prints: if it fails, why. */
static void keep_first_line(void *context, const char *line)
{
	struct text *first = context;

	if (!first->length)
		text_add(first, line);
}

/* What takes the replies to a question, all of which have one name. */
struct query {
	const char *wanted;
	int (*reply)(struct query *query, const json_t *message, struct error *err);
	union {
		void (*check)(void *context, const struct worker_check *check);
		void (*device)(void *context, int ordinal, const struct device_info *device);
		void (*metric)(void *context, const struct worker_metric *metric);
	} visit;
	void *context;
	/* of worker_pass_count() */
	bool answered;
	int64_t passes;
	struct string_list missing;
};

static int query_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct query *query = context;

	if (strcmp(name, query->wanted))
		return error_set(err, PL_EPROTOCOL, "'%.40s' came instead of '%s'", name,
				 query->wanted);
	return query->reply(query, message, err);
}

/* Starts a worker, sends the request, takes the replies, ends the worker. Takes the reference of
 * `request`. */
static int query_worker(const char *backend, json_t *request, struct query *query,
			struct error *err)
{
	struct exchange exchange = EXCHANGE_INIT(query_reply, query, WORKER_START_TIMEOUT_NS);
	struct worker_process worker = {0};
	struct text path = TEXT_INIT, printed = TEXT_INIT;
	struct worker_output output = {.line = keep_first_line, .context = &printed};
	struct error cause = {0};
	enum exchange_end end;
	int rc = worker_find(&path, backend, err);

	if (!rc)
		rc = worker_start(&worker, path.data, &output, NULL, WORKER_HELLO_TIMEOUT_NS, err);
	if (rc) {
		json_decref(request);
		goto out;
	}
	end = worker_ask(&worker, request, &exchange, &cause);
	if (end == EXCHANGE_LIED)
		rc = error_set(err, PL_EPROTOCOL, "%s broke the protocol: %s", path.data,
			       cause.text);
	else if (end != EXCHANGE_DONE)
		rc = error_set(err, PL_EWORKER, "%s: %s", path.data, cause.text);
	else if (exchange.status != TRIAL_OK)
		rc = error_set(err, exchange_refusal(&exchange), "%s", exchange.reason.data);
	if (end == EXCHANGE_DONE)
		worker_end(&worker);
	else
		worker_kill(&worker);
out:
	if (rc && err && printed.length) {
		const struct error cause_alone = *err;

		error_set(err, rc, "%s; it printed: %s", cause_alone.text, printed.data);
	}
	exchange_release(&exchange);
	text_release(&printed);
	text_release(&path);
	return rc;
}

/* ---- the questions ---- */

static int check_reply(struct query *query, const json_t *message, struct error *err)
{
	struct worker_check check;
	int rc = check_from_json(&check, message, err);

	if (!rc)
		query->visit.check(query->context, &check);
	return rc;
}

int worker_doctor(const char *backend,
		  void (*visit)(void *context, const struct worker_check *check), void *context,
		  struct error *err)
{
	struct query query = {
		.wanted = "check", .reply = check_reply, .visit.check = visit, .context = context};

	return query_worker(backend, json_pack("{s:s}", "request", "doctor"), &query, err);
}

static int device_reply(struct query *query, const json_t *message, struct error *err)
{
	struct device_info device;
	json_t *object;
	int64_t ordinal;

	if (member_int64(&ordinal, message, "ordinal", 0, PROTOCOL_MAX_DEVICES - 1, err) ||
	    member_object(&object, message, "device", 256, err) ||
	    device_from_json(&device, object, err))
		return PL_EPROTOCOL;
	query->visit.device(query->context, (int)ordinal, &device);
	return 0;
}

int worker_devices(const char *backend,
		   void (*visit)(void *context, int ordinal, const struct device_info *device),
		   void *context, struct error *err)
{
	struct query query = {.wanted = "device",
			      .reply = device_reply,
			      .visit.device = visit,
			      .context = context};

	return query_worker(backend, json_pack("{s:s}", "request", "devices"), &query, err);
}

static int metric_reply(struct query *query, const json_t *message, struct error *err)
{
	struct worker_metric metric;
	int rc = metric_from_json(&metric, message, err);

	if (!rc)
		query->visit.metric(query->context, &metric);
	return rc;
}

int worker_metrics(const char *backend, const char *chip, const char *pattern,
		   void (*visit)(void *context, const struct worker_metric *metric), void *context,
		   struct error *err)
{
	struct query query = {.wanted = "metric",
			      .reply = metric_reply,
			      .visit.metric = visit,
			      .context = context};

	return query_worker(backend,
			    json_pack("{s:s, s:o, s:o}", "request", "metrics", "chip",
				      json_text(chip), "pattern", json_text(pattern)),
			    &query, err);
}

static int passes_reply(struct query *query, const json_t *message, struct error *err)
{
	if (query->answered)
		return error_set(err, PL_EPROTOCOL, "'passes' came twice");
	if (member_int64(&query->passes, message, "passes", 0, INT32_MAX, err) ||
	    member_strings(&query->missing, message, "missing", PROTOCOL_MAX_METRICS, err))
		return PL_EPROTOCOL;
	query->answered = true;
	return 0;
}

int worker_pass_count(const char *backend, const char *chip, const struct string_list *wanted,
		      int64_t *passes, struct string_list *missing, struct error *err)
{
	struct query query = {.wanted = "passes", .reply = passes_reply};
	int rc = query_worker(backend,
			      json_pack("{s:s, s:o, s:o}", "request", "passes", "chip",
					json_text(chip), "metrics", json_strings(wanted)),
			      &query, err);

	if (!rc && !query.answered)
		rc = error_set(err, PL_EPROTOCOL, "the worker counted no passes");
	if (!rc) {
		*passes = query.passes;
		for (size_t i = 0; i < query.missing.count; i++)
			string_list_add(missing, query.missing.items[i]);
	}
	string_list_release(&query.missing);
	return rc;
}
