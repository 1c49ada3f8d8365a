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

/* Starts a worker, sends the request, takes the replies, ends the worker. Takes the reference of
 * `request`. */
static int query_worker(const char *backend, json_t *request,
			int (*reply)(void *context, const char *name, const json_t *message,
				     struct error *err),
			void *context, struct error *err)
{
	struct exchange exchange = EXCHANGE_INIT(reply, context, WORKER_START_TIMEOUT_NS);
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

static int unexpected_reply(const char *name, const char *wanted, struct error *err)
{
	return error_set(err, PL_EPROTOCOL, "'%.40s' came instead of '%s'", name, wanted);
}

/* ---- doctor ---- */

struct doctor_query {
	void (*visit)(void *context, const struct worker_check *check);
	void *context;
};

static int doctor_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	const struct doctor_query *doctor = context;
	struct worker_check check;
	int rc = strcmp(name, "check") ? unexpected_reply(name, "check", err)
				       : check_from_json(&check, message, err);

	if (!rc)
		doctor->visit(doctor->context, &check);
	return rc;
}

int worker_doctor(const char *backend,
		  void (*visit)(void *context, const struct worker_check *check), void *context,
		  struct error *err)
{
	struct doctor_query doctor = {visit, context};

	return query_worker(backend, json_pack("{s:s}", "request", "doctor"), doctor_reply, &doctor,
			    err);
}

/* ---- devices ---- */

struct devices_query {
	void (*visit)(void *context, int ordinal, const struct device_info *device);
	void *context;
};

static int devices_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	const struct devices_query *devices = context;
	struct device_info device;
	json_t *object = NULL;
	int64_t ordinal = 0;
	int rc;

	rc = strcmp(name, "device") ? unexpected_reply(name, "device", err) : 0;
	if (!rc)
		rc = member_int64(&ordinal, message, "ordinal", 0, PROTOCOL_MAX_DEVICES - 1, err);
	if (!rc)
		rc = member_object(&object, message, "device", 256, err);
	if (!rc)
		rc = device_from_json(&device, object, err);
	if (!rc)
		devices->visit(devices->context, (int)ordinal, &device);
	return rc;
}

int worker_devices(const char *backend,
		   void (*visit)(void *context, int ordinal, const struct device_info *device),
		   void *context, struct error *err)
{
	struct devices_query devices = {visit, context};

	return query_worker(backend, json_pack("{s:s}", "request", "devices"), devices_reply,
			    &devices, err);
}

/* ---- metrics ---- */

struct metrics_query {
	void (*visit)(void *context, const struct worker_metric *metric);
	void *context;
};

static int metrics_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	const struct metrics_query *metrics = context;
	struct worker_metric metric;
	int rc = strcmp(name, "metric") ? unexpected_reply(name, "metric", err)
					: metric_from_json(&metric, message, err);

	if (!rc)
		metrics->visit(metrics->context, &metric);
	return rc;
}

int worker_metrics(const char *backend, const char *chip, const char *pattern,
		   void (*visit)(void *context, const struct worker_metric *metric), void *context,
		   struct error *err)
{
	struct metrics_query metrics = {visit, context};

	return query_worker(backend,
			    json_pack("{s:s, s:o, s:o}", "request", "metrics", "chip",
				      json_text(chip), "pattern", json_text(pattern)),
			    metrics_reply, &metrics, err);
}

/* ---- passes ---- */

struct passes_query {
	bool answered;
	int64_t passes;
	struct string_list missing;
};

static int passes_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct passes_query *passes = context;
	int rc = strcmp(name, "passes") ? unexpected_reply(name, "passes", err) : 0;

	if (!rc && passes->answered)
		rc = error_set(err, PL_EPROTOCOL, "'passes' came twice");
	if (!rc)
		rc = member_int64(&passes->passes, message, "passes", 0, INT32_MAX, err);
	if (!rc)
		rc = member_strings(&passes->missing, message, "missing", PROTOCOL_MAX_METRICS,
				    err);
	passes->answered = !rc;
	return rc;
}

int worker_pass_count(const char *backend, const char *chip, const struct string_list *wanted,
		      int64_t *passes, struct string_list *missing, struct error *err)
{
	struct passes_query answer = {0};
	int rc = query_worker(backend,
			      json_pack("{s:s, s:o, s:o}", "request", "passes", "chip",
					json_text(chip), "metrics", json_strings(wanted)),
			      passes_reply, &answer, err);

	if (!rc && !answer.answered)
		rc = error_set(err, PL_EPROTOCOL, "the worker counted no passes");
	if (!rc) {
		*passes = answer.passes;
		for (size_t i = 0; i < answer.missing.count; i++)
			string_list_add(missing, answer.missing.items[i]);
	}
	string_list_release(&answer.missing);
	return rc;
}
