/* Reads requests, calls the backend's operations, and sends their replies. */
#include "harness/workers/worker_loop.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/protocol/protocol.h"
#include "harness/workers/expected.h"
#include "harness/workers/shared_data.h"
#include "kernels/parallel.h"

/* ---- the end of perflab ---- */

/* perflab closes the socket as soon as it has the last reply of a request, which is then about to
 * end. */
#define ABOUT_TO_END_MS 500
/* For the end by SIGTERM, in which a program of the user is ended: see check_command_run(). */
#define END_MOST_MS 1000

/* A request is being executed. Between requests the loop sees the end itself, and the worker may
 * take as long as it needs: a profiler writes its file then. */
static atomic_bool busy;

static void *watch_run(void *context)
{
	struct pollfd end = {.fd = (int)(intptr_t)context, .events = POLLRDHUP};

	while (!(end.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) &&
	       (poll(&end, 1, -1) >= 0 || errno == EINTR))
		;
	for (int ms = 0; ms < ABOUT_TO_END_MS; ms++) {
		if (!atomic_load(&busy))
			return NULL;
		poll(NULL, 0, 1);
	}
	kill(getpid(), SIGTERM);
	poll(NULL, 0, END_MOST_MS);
	kill(getpid(), SIGKILL);
	return NULL;
}

void worker_watch_perflab(int fd)
{
	pthread_t thread;
	sigset_t all, before;

	/* signals are for the thread that executes */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, watch_run, (void *)(intptr_t)fd) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- requests ---- */

struct worker {
	const struct backend_ops *ops;
	struct channel channel;
	struct measure_settings settings;
	bool opened, readied;
};

/* A request that is executed, and what `done` says of it. */
struct request {
	struct worker *worker;
	const struct backend_ops *ops; /* of the worker */
	const json_t *json;
	struct worker_reply reply;
	enum trial_status status;
	struct text reason;
};

static int request_case(struct launch_case **out, const json_t *json, const char *name,
			struct error *err)
{
	json_t *object;
	int rc = member_object(&object, json, name, 256, err);

	return rc ? rc : case_from_json(out, object, err);
}

/* The members of a request about one case. */
static int id_and_case(int64_t *id, struct launch_case **work, const json_t *json,
		       struct error *err)
{
	int rc = member_int64(id, json, "id", 0, INT64_MAX, err);

	return rc ? rc : request_case(work, json, "case", err);
}

static int serve_hello(struct request *request, struct error *err)
{
	int64_t version;
	int rc = member_int64(&version, request->json, "protocol", 0, INT64_MAX, err);

	if (rc)
		return rc;
	/* Sent even if the versions differ, so that perflab can report which side is older. */
	rc = worker_reply_send(&request->reply, "hello",
			       json_pack("{s:i, s:s, s:s}", "protocol", WORKER_PROTOCOL_VERSION,
					 "backend", request->ops->name, "version",
					 request->ops->version));
	if (!rc && version != WORKER_PROTOCOL_VERSION)
		rc = error_set(err, PL_EVERSION,
			       "this worker uses protocol %d: use perflab and the worker of one "
			       "installation",
			       WORKER_PROTOCOL_VERSION);
	return rc;
}

static int serve_doctor(struct request *request, struct error *err)
{
	return request->ops->doctor(request->ops->backend, &request->reply, err);
}

static int serve_devices(struct request *request, struct error *err)
{
	return request->ops->devices(request->ops->backend, &request->reply, err);
}

static int serve_metrics(struct request *request, struct error *err)
{
	const char *chip, *pattern;

	if (member_borrow(&chip, request->json, "chip", true, err) ||
	    member_borrow(&pattern, request->json, "pattern", true, err))
		return PL_EPROTOCOL;
	return request->ops->metrics(request->ops->backend, chip, pattern, &request->reply, err);
}

static int serve_passes(struct request *request, struct error *err)
{
	struct string_list wanted = {0}, missing = {0};
	const char *chip;
	int64_t passes = 0;
	int rc = member_borrow(&chip, request->json, "chip", true, err);

	if (!rc)
		rc = member_strings(&wanted, request->json, "metrics", PROTOCOL_MAX_METRICS, err);
	if (!rc)
		rc = request->ops->passes(request->ops->backend, chip, &wanted, &passes, &missing,
					  err);
	if (!rc)
		rc = worker_reply_send(&request->reply, "passes",
				       json_pack("{s:I, s:o}", "passes", (json_int_t)passes,
						 "missing", json_strings(&missing)));
	string_list_release(&wanted);
	string_list_release(&missing);
	return rc;
}

static int serve_open(struct request *request, struct error *err)
{
	struct worker *worker = request->worker;
	const json_t *json = request->json;
	struct session_info info = {0};
	struct open_manner manner = {.check_counters = true, .idle_ns = -1};
	json_t *object;
	int rc;

	if (worker->opened)
		return error_set(err, PL_EPROTOCOL, "'open' came twice");
	/* An earlier open that failed may have left settings. */
	measure_settings_release(&worker->settings);
	if ((json_object_get(json, "check_counters") &&
	     member_bool(&manner.check_counters, json, "check_counters", err)) ||
	    (json_object_get(json, "uuid") &&
	     member_borrow(&manner.uuid, json, "uuid", false, err)) ||
	    (json_object_get(json, "idle_ns") &&
	     member_int64(&manner.idle_ns, json, "idle_ns", 0, INT64_MAX, err)) ||
	    member_object(&object, json, "settings", 256, err))
		return PL_EPROTOCOL;
	rc = settings_from_json(&worker->settings, object, err);
	if (!rc)
		rc = request->ops->open(request->ops->backend, &worker->settings, &manner, &info,
					err);
	parallel_limit(worker->settings.jobs);
	if (!rc) {
		worker->opened = true;
		rc = worker_reply_send(&request->reply, "opened", session_to_json(&info));
	}
	session_info_release(&info);
	return rc;
}

static int serve_ready(struct request *request, struct error *err)
{
	struct worker *worker = request->worker;
	const json_t *json = request->json;
	struct ready_manner manner = {0};
	int64_t device;

	if (member_int64(&device, json, "device", 0, INT32_MAX, err))
		return PL_EPROTOCOL;
	if (worker->opened)
		return error_set(err, PL_EPROTOCOL, "'ready' came after 'open'");
	if (worker->readied)
		return error_set(err, PL_EPROTOCOL, "'ready' came twice");
	if (member_bool(&manner.check_counters, json, "check_counters", err) ||
	    (json_object_get(json, "uuid") &&
	     member_borrow(&manner.uuid, json, "uuid", false, err)))
		return PL_EPROTOCOL;
	manner.device = (int)device;
	worker->readied = true;
	return request->ops->ready ? request->ops->ready(request->ops->backend, &manner, err) : 0;
}

static int serve_wake(struct request *request, struct error *err)
{
	struct key_value_list environment = {0};
	int rc = 0;

	if (request->ops->wake)
		rc = request->ops->wake(request->ops->backend, &environment, err);
	if (!rc && environment.count)
		rc = worker_reply_send(
			&request->reply, "woken",
			json_pack("{s:o}", "environment", environment_to_json(&environment)));
	key_value_list_release(&environment);
	return rc;
}

static int serve_inspect(struct request *request, struct error *err)
{
	struct launch_facts facts = launch_facts_unknown;
	struct launch_case *work = NULL;
	int64_t id = 0;
	int rc = id_and_case(&id, &work, request->json, err);

	if (!rc)
		rc = request->ops->inspect(request->ops->backend, work, &facts, &request->status,
					   &request->reason, err);
	if (!rc)
		rc = worker_reply_send(&request->reply, "facts",
				       json_pack("{s:I, s:o}", "id", (json_int_t)id, "facts",
						 facts_to_json(&facts)));
	launch_case_free(work);
	return rc;
}

/* A backend either measures and counts, or emulates. */
static int cannot(const struct request *request, const char *what, struct error *err)
{
	return error_set(err, PL_EPROTOCOL, "backend %s cannot %s", request->ops->name, what);
}

static int serve_measure(struct request *request, struct error *err)
{
	struct launch_case *work = NULL, *base = NULL;
	int64_t id, round;
	int rc;

	if (!request->ops->measure)
		return cannot(request, "measure", err);
	if (member_int64(&round, request->json, "round", 0, INT32_MAX, err))
		return PL_EPROTOCOL;
	rc = id_and_case(&id, &work, request->json, err);
	if (!rc && json_object_get(request->json, "beside"))
		rc = request_case(&base, request->json, "beside", err);
	if (!rc)
		rc = request->ops->measure(request->ops->backend, id, work, base, (int)round,
					   &request->reply, &request->status, &request->reason,
					   err);
	launch_case_free(base);
	launch_case_free(work);
	return rc;
}

static int serve_count(struct request *request, struct error *err)
{
	const bool own_metrics = json_object_get(request->json, "metrics") != NULL;
	struct string_list metrics = {0};
	struct count_item *items;
	json_t *array;
	size_t count;
	int rc = 0;

	if (!request->ops->count)
		return cannot(request, "count", err);
	if (member_array(&array, request->json, "cases", PROTOCOL_MAX_BATCH, err))
		return PL_EPROTOCOL;
	count = json_array_size(array);
	if (!count)
		return error_set(err, PL_EPROTOCOL, "'cases' is empty");
	items = xcalloc(count, sizeof(*items));
	for (size_t i = 0; i < count && !rc; i++) {
		rc = id_and_case(&items[i].id, &items[i].work, json_array_get(array, i), err);
		error_context(err, rc, "element %zu of 'cases'", i);
	}
	if (!rc && own_metrics)
		rc = member_strings(&metrics, request->json, "metrics", PROTOCOL_MAX_METRICS, err);
	if (!rc)
		rc = request->ops->count(request->ops->backend, items, count,
					 own_metrics ? &metrics : NULL, &request->reply,
					 &request->status, &request->reason, err);
	string_list_release(&metrics);
	for (size_t i = 0; i < count; i++)
		launch_case_free(items[i].work);
	free(items);
	return rc;
}

static int serve_profile(struct request *request, struct error *err)
{
	struct profile_items asked = {0};
	json_t *array;
	int rc;

	if (!request->ops->profile)
		return cannot(request, "profile", err);
	rc = member_int64(&asked.budget_ns, request->json, "budget_ns", 0, INT64_MAX, err);
	if (!rc)
		rc = member_array(&array, request->json, "cases", PROTOCOL_MAX_BATCH, err);
	if (rc)
		return rc;
	asked.count = json_array_size(array);
	asked.items = xcalloc(asked.count + 1, sizeof(*asked.items));
	for (size_t i = 0; i < asked.count && !rc; i++) {
		struct profile_item *item = &asked.items[i];
		const json_t *json = json_array_get(array, i);

		rc = id_and_case(&item->id, &item->work, json, err);
		if (!rc)
			rc = member_real(&item->time_ns, json, "time_ns", err);
		error_context(err, rc, "element %zu of 'cases'", i);
	}
	if (!rc)
		rc = request->ops->profile(request->ops->backend, &asked, &request->reply, err);
	for (size_t i = 0; i < asked.count; i++)
		launch_case_free(asked.items[i].work);
	free(asked.items);
	return rc;
}

static int serve_emulate(struct request *request, struct error *err)
{
	struct launch_case *work = NULL;
	int64_t id;
	int rc;

	if (!request->ops->emulate)
		return cannot(request, "emulate", err);
	rc = id_and_case(&id, &work, request->json, err);
	if (!rc)
		rc = request->ops->emulate(request->ops->backend, id, work, &request->reply,
					   &request->status, &request->reason, err);
	launch_case_free(work);
	return rc;
}

/* Works without a device, and before 'open'. */
static int serve_prepare(struct request *request, struct error *err)
{
	const json_t *json = request->json;
	struct measure_settings settings = {0};
	struct launch_case *work = NULL;
	struct shared_data *shared = NULL;
	json_t *object;
	int64_t threads = 0;
	int rc = member_object(&object, json, "settings", 256, err);

	if (!rc)
		rc = settings_from_json(&settings, object, err);
	if (!rc)
		rc = member_int64(&threads, json, "threads", 1, INT32_MAX, err);
	if (!rc)
		rc = request_case(&work, json, "case", err);
	if (!rc)
		rc = shared_data_open(&shared, json, &request->reply, err);
	parallel_limit((int)threads);
	if (!rc)
		rc = prepare_data(work, settings.seed, shared,
				  case_check_end_ns(settings.timeout_ns), err);
	parallel_limit(request->worker->settings.jobs); /* of the session, if there is one */
	shared_data_close(shared);
	launch_case_free(work);
	measure_settings_release(&settings);
	return rc;
}

static const struct request_row {
	const char *name;
	int (*serve)(struct request *request, struct error *err);
	bool needs_open;
	bool shares; /* the request may name shared data */
} requests[] = {
	{"hello", serve_hello, false, false},     {"doctor", serve_doctor, false, false},
	{"devices", serve_devices, false, false}, {"metrics", serve_metrics, false, false},
	{"passes", serve_passes, false, false},   {"open", serve_open, false, false},
	{"inspect", serve_inspect, true, false},  {"measure", serve_measure, true, true},
	{"count", serve_count, true, true},       {"profile", serve_profile, true, true},
	{"emulate", serve_emulate, true, true},   {"wake", serve_wake, true, false},
	{"prepare", serve_prepare, false, false}, {"ready", serve_ready, false, false},
};

static int serve_row(const struct request_row *row, struct request *request, struct error *err)
{
	const struct backend_ops *ops = request->ops;
	struct shared_data *shared = NULL;
	int rc;

	if (row->needs_open && !request->worker->opened)
		return error_set(err, PL_EPROTOCOL, "the request came before 'open'");
	if (!row->shares || !ops->share)
		return row->serve(request, err);
	rc = shared_data_open(&shared, request->json, &request->reply, err);
	if (rc)
		return rc;
	ops->share(ops->backend, shared);
	rc = row->serve(request, err);
	ops->share(ops->backend, NULL);
	shared_data_close(shared);
	return rc;
}

static int serve(struct request *request, struct error *err)
{
	const char *name;
	int rc = member_borrow(&name, request->json, "request", false, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		if (strcmp(requests[i].name, name) == 0)
			return serve_row(&requests[i], request, err);
	return error_set(err, PL_EPROTOCOL, "'%.80s' is not a request of protocol %d", name,
			 WORKER_PROTOCOL_VERSION);
}

/* `rc`: the return code of the operation. */
static void reply_done(struct request *request, int rc, const struct error *err)
{
	json_t *message;

	if (rc) {
		request->status = rc == PL_EDEVICE  ? TRIAL_DEVICE_ERROR
				  : rc == PL_ENOMEM ? TRIAL_OUT_OF_MEMORY
						    : TRIAL_FAILED;
		text_clear(&request->reason);
		text_add(&request->reason, err->text);
	}
	if (request->status != TRIAL_OK && !request->reason.length)
		text_addf(&request->reason, "the worker gave no reason (%s)", error_code_name(rc));
	message = json_pack("{s:s, s:o}", "status", trial_status_name(request->status), "reason",
			    request->status == TRIAL_OK ? json_null()
							: json_text(request->reason.data));
	if (rc == PL_EUNSUPPORTED)
		json_object_set_new(message, "unsupported", json_true());
	if (rc == PL_EUSAGE)
		json_object_set_new(message, "usage", json_true());
	worker_reply_send(&request->reply, "done", message);
}

/* Answers one line, valid or not, with `done`. Returns false if perflab has closed the socket. */
static bool answer(struct worker *worker, const json_t *json, int rc, struct error *err)
{
	struct request request = {
		.worker = worker,
		.ops = worker->ops,
		.json = json,
		.reply = {.channel = &worker->channel},
		.status = TRIAL_OK,
		.reason = TEXT_INIT,
	};

	if (!rc)
		rc = serve(&request, err);
	if (!request.reply.lost)
		reply_done(&request, rc, err);
	text_release(&request.reason);
	return !request.reply.lost;
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
		atomic_store(&busy, true);
		connected =
			answer(&worker, request, result == CHANNEL_BAD ? PL_EPROTOCOL : 0, &err);
		atomic_store(&busy, false);
		json_decref(request);
	}
	ops->close(ops->backend);
	measure_settings_release(&worker.settings);
	channel_release(&worker.channel);
	return result == CHANNEL_ENDED ? 0 : 1;
}
