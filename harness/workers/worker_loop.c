/* Reads requests, calls the backend's operations, and sends their replies. */
#include "harness/workers/worker_loop.h"
#include "metrics/settings.h"

#include <stdlib.h>
#include <string.h>

#include "harness/protocol/channel.h"
#include "harness/protocol/protocol.h"
#include "harness/workers/expected.h"
#include "harness/workers/perflab_watch.h"
#include "harness/workers/prepare_data.h"
#include "kernels/parallel.h"

struct worker {
	const struct backend_ops *ops;
	struct channel channel;
	struct measure_settings settings;
	bool opened, readied;
};

/* The contents of the `done` reply. */
struct request_end {
	enum trial_status status;
	struct text reason;
	bool unsupported, usage;
};

/* ---- the end of a request ---- */

static int reply_done(struct worker_reply *reply, const struct request_end *end)
{
	json_t *message;

	message = json_pack("{s:s, s:o}", "status", trial_status_name(end->status), "reason",
			    end->status == TRIAL_OK ? json_null() : json_text(end->reason.data));
	if (end->unsupported)
		json_object_set_new(message, "unsupported", json_true());
	if (end->usage)
		json_object_set_new(message, "usage", json_true());
	return worker_reply_send(reply, "done", message);
}

/* Converts the return code of an operation to the status of `done`. */
static void request_end_set(struct request_end *end, int rc, const struct error *err)
{
	if (rc) {
		end->status = rc == PL_EDEVICE  ? TRIAL_DEVICE_ERROR
			      : rc == PL_ENOMEM ? TRIAL_OUT_OF_MEMORY
						: TRIAL_FAILED;
		end->unsupported = rc == PL_EUNSUPPORTED;
		end->usage = rc == PL_EUSAGE;
		text_clear(&end->reason);
		text_add(&end->reason, err->text);
	}
	if (end->status != TRIAL_OK && !end->reason.length)
		text_addf(&end->reason, "the worker gave no reason (%s)", error_code_name(rc));
}

/* ---- requests ---- */

static int request_id(int64_t *out, const json_t *request, struct error *err)
{
	return member_int64(out, request, "id", 0, INT64_MAX, err);
}

static int request_case_named(struct launch_case **out, const json_t *request, const char *name,
			      struct error *err)
{
	json_t *object;
	int rc = member_object(&object, request, name, 256, err);

	return rc ? rc : case_from_json(out, object, err);
}

static int request_case(struct launch_case **out, const json_t *request, struct error *err)
{
	return request_case_named(out, request, "case", err);
}

static int serve_hello(struct worker *worker, const json_t *request, struct worker_reply *reply,
		       struct request_end *end, struct error *err)
{
	int64_t version;
	int rc = member_int64(&version, request, "protocol", 0, INT64_MAX, err);

	(void)end;
	if (rc)
		return rc;
	/* Sent even if the versions differ, so that perflab can report which side is older. */
	rc = worker_reply_send(reply, "hello",
			       json_pack("{s:i, s:s, s:s}", "protocol", WORKER_PROTOCOL_VERSION,
					 "backend", worker->ops->name, "version",
					 worker->ops->version));
	if (!rc && version != WORKER_PROTOCOL_VERSION)
		rc = error_set(err, PL_EVERSION,
			       "this worker uses protocol %d: use perflab and the worker of one "
			       "installation",
			       WORKER_PROTOCOL_VERSION);
	return rc;
}

static int serve_doctor(struct worker *worker, const json_t *request, struct worker_reply *reply,
			struct request_end *end, struct error *err)
{
	(void)request;
	(void)end;
	return worker->ops->doctor(worker->ops->backend, reply, err);
}

static int serve_devices(struct worker *worker, const json_t *request, struct worker_reply *reply,
			 struct request_end *end, struct error *err)
{
	(void)request;
	(void)end;
	return worker->ops->devices(worker->ops->backend, reply, err);
}

static int serve_metrics(struct worker *worker, const json_t *request, struct worker_reply *reply,
			 struct request_end *end, struct error *err)
{
	const char *chip;
	const char *pattern;
	int rc = member_borrow(&chip, request, "chip", true, err);

	(void)end;
	if (!rc)
		rc = member_borrow(&pattern, request, "pattern", true, err);
	if (!rc)
		rc = worker->ops->metrics(worker->ops->backend, chip, pattern, reply, err);
	return rc;
}

static int serve_passes(struct worker *worker, const json_t *request, struct worker_reply *reply,
			struct request_end *end, struct error *err)
{
	struct string_list wanted = {0};
	struct string_list missing = {0};
	const char *chip;
	int64_t passes = 0;
	int rc = member_borrow(&chip, request, "chip", true, err);

	(void)end;
	if (!rc)
		rc = member_strings(&wanted, request, "metrics", PROTOCOL_MAX_METRICS, err);
	if (!rc)
		rc = worker->ops->passes(worker->ops->backend, chip, &wanted, &passes, &missing,
					 err);
	if (!rc)
		rc = worker_reply_send(reply, "passes",
				       json_pack("{s:I, s:o}", "passes", (json_int_t)passes,
						 "missing", json_strings(&missing)));
	string_list_release(&wanted);
	string_list_release(&missing);
	return rc;
}

static int serve_open(struct worker *worker, const json_t *request, struct worker_reply *reply,
		      struct request_end *end, struct error *err)
{
	struct session_info info = {0};
	struct open_manner manner = {.check_counters = true, .idle_ns = -1};
	json_t *object;
	int rc = 0;

	(void)end;
	if (worker->opened)
		return error_set(err, PL_EPROTOCOL, "'open' came twice");
	if (json_object_get(request, "check_counters"))
		rc = member_bool(&manner.check_counters, request, "check_counters", err);
	if (!rc && json_object_get(request, "uuid"))
		rc = member_borrow(&manner.uuid, request, "uuid", false, err);
	if (!rc && json_object_get(request, "idle_ns"))
		rc = member_int64(&manner.idle_ns, request, "idle_ns", 0, INT64_MAX, err);
	if (!rc)
		rc = member_object(&object, request, "settings", 256, err);
	/* An earlier open that failed may have left settings. */
	measure_settings_release(&worker->settings);
	if (!rc)
		rc = settings_from_json(&worker->settings, object, err);
	if (!rc)
		rc = worker->ops->open(worker->ops->backend, &worker->settings, &manner, &info,
				       err);
	parallel_limit(worker->settings.jobs);
	if (!rc) {
		worker->opened = true;
		rc = worker_reply_send(reply, "opened", session_to_json(&info));
	}
	session_info_release(&info);
	return rc;
}

static int serve_ready(struct worker *worker, const json_t *request, struct worker_reply *reply,
		       struct request_end *end, struct error *err)
{
	struct ready_manner manner = {0};
	int64_t device = 0;
	int rc = member_int64(&device, request, "device", 0, INT32_MAX, err);

	(void)reply;
	(void)end;
	if (!rc && worker->opened)
		rc = error_set(err, PL_EPROTOCOL, "'ready' came after 'open'");
	if (!rc && worker->readied)
		rc = error_set(err, PL_EPROTOCOL, "'ready' came twice");
	if (!rc)
		rc = member_bool(&manner.check_counters, request, "check_counters", err);
	if (!rc && json_object_get(request, "uuid"))
		rc = member_borrow(&manner.uuid, request, "uuid", false, err);
	manner.device = (int)device;
	worker->readied |= !rc;
	if (!rc && worker->ops->ready)
		rc = worker->ops->ready(worker->ops->backend, &manner, err);
	return rc;
}

static int require_open(const struct worker *worker, struct error *err)
{
	if (worker->opened)
		return 0;
	return error_set(err, PL_EPROTOCOL, "the request came before 'open'");
}

/* A backend either measures and counts, or emulates. */
static int require_ability(bool able, const char *request, const struct worker *worker,
			   struct error *err)
{
	if (able)
		return 0;
	return error_set(err, PL_EPROTOCOL, "backend %s cannot %s", worker->ops->name, request);
}

static int serve_wake(struct worker *worker, const json_t *request, struct worker_reply *reply,
		      struct request_end *end, struct error *err)
{
	struct key_value_list environment = {0};
	int rc = require_open(worker, err);

	(void)request;
	(void)end;
	if (!rc && worker->ops->wake)
		rc = worker->ops->wake(worker->ops->backend, &environment, err);
	if (!rc && environment.count)
		rc = worker_reply_send(
			reply, "woken",
			json_pack("{s:o}", "environment", environment_to_json(&environment)));
	key_value_list_release(&environment);
	return rc;
}

static int serve_inspect(struct worker *worker, const json_t *request, struct worker_reply *reply,
			 struct request_end *end, struct error *err)
{
	struct launch_facts facts = launch_facts_unknown;
	struct launch_case *work = NULL;
	int64_t id = 0;
	int rc = require_open(worker, err);

	if (!rc)
		rc = request_id(&id, request, err);
	if (!rc)
		rc = request_case(&work, request, err);
	if (!rc)
		rc = worker->ops->inspect(worker->ops->backend, work, &facts, &end->status,
					  &end->reason, err);
	if (!rc)
		rc = worker_reply_send(reply, "facts",
				       json_pack("{s:I, s:o}", "id", (json_int_t)id, "facts",
						 facts_to_json(&facts)));
	launch_case_free(work);
	return rc;
}

static int serve_measure(struct worker *worker, const json_t *request, struct worker_reply *reply,
			 struct request_end *end, struct error *err)
{
	struct launch_case *work = NULL, *base = NULL;
	int64_t id = 0;
	int64_t round = 0;
	int rc = require_open(worker, err);

	if (!rc)
		rc = require_ability(worker->ops->measure, "measure", worker, err);
	if (!rc)
		rc = request_id(&id, request, err);
	if (!rc)
		rc = member_int64(&round, request, "round", 0, INT32_MAX, err);
	if (!rc)
		rc = request_case(&work, request, err);
	if (!rc && json_object_get(request, "beside"))
		rc = request_case_named(&base, request, "beside", err);
	if (!rc)
		rc = worker->ops->measure(worker->ops->backend, id, work, base, (int)round, reply,
					  &end->status, &end->reason, err);
	launch_case_free(base);
	launch_case_free(work);
	return rc;
}

static int items_from_json(struct count_item *items, const json_t *array, struct error *err)
{
	const json_t *element;
	size_t i;

	json_array_foreach(array, i, element)
	{
		int rc = request_id(&items[i].id, element, err);

		if (!rc)
			rc = request_case(&items[i].work, element, err);
		if (rc)
			return error_context(err, rc, "element %zu of 'cases'", i);
	}
	return 0;
}

static int serve_count(struct worker *worker, const json_t *request, struct worker_reply *reply,
		       struct request_end *end, struct error *err)
{
	struct count_item *items = NULL;
	json_t *array = NULL;
	size_t count = 0;
	int rc = require_open(worker, err);

	if (!rc)
		rc = require_ability(worker->ops->count, "count", worker, err);
	if (!rc)
		rc = member_array(&array, request, "cases", PROTOCOL_MAX_BATCH, err);
	if (!rc) {
		count = json_array_size(array);
		items = xcalloc(count + 1, sizeof(*items));
		rc = items_from_json(items, array, err);
	}
	if (!rc && !count)
		rc = error_set(err, PL_EPROTOCOL, "'cases' is empty");
	if (!rc)
		rc = worker->ops->count(worker->ops->backend, items, count, reply, &end->status,
					&end->reason, err);
	for (size_t i = 0; i < count; i++)
		launch_case_free(items[i].work);
	free(items);
	return rc;
}

static int serve_emulate(struct worker *worker, const json_t *request, struct worker_reply *reply,
			 struct request_end *end, struct error *err)
{
	struct launch_case *work = NULL;
	int64_t id = 0;
	int rc = require_open(worker, err);

	if (!rc)
		rc = require_ability(worker->ops->emulate, "emulate", worker, err);
	if (!rc)
		rc = request_id(&id, request, err);
	if (!rc)
		rc = request_case(&work, request, err);
	if (!rc)
		rc = worker->ops->emulate(worker->ops->backend, id, work, reply, &end->status,
					  &end->reason, err);
	launch_case_free(work);
	return rc;
}

/* Works without a device, and before 'open'. */
static int serve_prepare(struct worker *worker, const json_t *request, struct worker_reply *reply,
			 struct request_end *end, struct error *err)
{
	struct measure_settings settings = {0};
	struct launch_case *work = NULL;
	struct shared_data *shared = NULL;
	json_t *object;
	int64_t threads = 0;
	int rc = member_object(&object, request, "settings", 256, err);

	(void)end;
	if (!rc)
		rc = settings_from_json(&settings, object, err);
	if (!rc)
		rc = member_int64(&threads, request, "threads", 1, INT32_MAX, err);
	if (!rc)
		rc = request_case(&work, request, err);
	if (!rc)
		rc = shared_data_open(&shared, request, reply, err);
	parallel_limit((int)threads);
	if (!rc)
		rc = prepare_data(work, settings.seed, shared,
				  case_check_end_ns(settings.timeout_ns), err);
	parallel_limit(worker->settings.jobs); /* of the session, if there is one */
	shared_data_close(shared);
	launch_case_free(work);
	measure_settings_release(&settings);
	return rc;
}

/* `shares`: the request may name shared data. */
static const struct request_row {
	const char *name;
	int (*serve)(struct worker *worker, const json_t *request, struct worker_reply *reply,
		     struct request_end *end, struct error *err);
	bool shares;
} requests[] = {
	{"hello", serve_hello, false},     {"doctor", serve_doctor, false},
	{"devices", serve_devices, false}, {"metrics", serve_metrics, false},
	{"passes", serve_passes, false},   {"open", serve_open, false},
	{"inspect", serve_inspect, false}, {"measure", serve_measure, true},
	{"count", serve_count, true},      {"emulate", serve_emulate, true},
	{"wake", serve_wake, false},       {"prepare", serve_prepare, false},
	{"ready", serve_ready, false},
};

static int serve_sharing(const struct request_row *row, struct worker *worker,
			 const json_t *request, struct worker_reply *reply, struct request_end *end,
			 struct error *err)
{
	struct shared_data *shared = NULL;
	int rc = shared_data_open(&shared, request, reply, err);

	if (rc)
		return rc;
	worker->ops->share(worker->ops->backend, shared);
	rc = row->serve(worker, request, reply, end, err);
	worker->ops->share(worker->ops->backend, NULL);
	shared_data_close(shared);
	return rc;
}

static int serve(struct worker *worker, const json_t *request, struct worker_reply *reply,
		 struct request_end *end, struct error *err)
{
	const char *name;
	int rc = member_borrow(&name, request, "request", false, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		if (strcmp(requests[i].name, name))
			continue;
		if (requests[i].shares && worker->ops->share)
			return serve_sharing(&requests[i], worker, request, reply, end, err);
		return requests[i].serve(worker, request, reply, end, err);
	}
	return error_set(err, PL_EPROTOCOL, "'%.80s' is not a request of protocol %d", name,
			 WORKER_PROTOCOL_VERSION);
}

/* Answers one line, valid or not, with `done`. Returns false if perflab has closed the socket. */
static bool answer(struct worker *worker, const json_t *request, int rc, struct error *err)
{
	struct worker_reply reply = {.channel = &worker->channel};
	struct request_end end = {.status = TRIAL_OK, .reason = TEXT_INIT};

	if (!rc)
		rc = serve(worker, request, &reply, &end, err);
	request_end_set(&end, rc, err);
	if (!reply.lost)
		reply_done(&reply, &end);
	text_release(&end.reason);
	return !reply.lost;
}

int worker_main(const struct backend_ops *ops, int fd)
{
	struct worker worker = {.ops = ops};
	enum channel_result result = CHANNEL_OK;
	bool connected = standard_streams_open();

	channel_init(&worker.channel, fd, NULL);
	while (connected) {
		struct error err = {0};
		json_t *request = NULL;

		result = channel_receive(&worker.channel, &request, -1, &err);
		if (result != CHANNEL_OK && result != CHANNEL_BAD)
			break;
		perflab_watch_busy(true);
		connected =
			answer(&worker, request, result == CHANNEL_BAD ? PL_EPROTOCOL : 0, &err);
		perflab_watch_busy(false);
		json_decref(request);
	}
	ops->close(ops->backend);
	measure_settings_release(&worker.settings);
	channel_release(&worker.channel);
	return result == CHANNEL_ENDED ? 0 : 1;
}
