/*
 * Sends untrusted bytes to both ends of the protocol. As messages of a worker:
 * every decoder must refuse them with PL_EPROTOCOL, or encoding and decoding the
 * result again must give an equal result. As requests of perflab: the worker's
 * loop must answer each line with one `done`.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/protocol/channel.h"
#include "harness/protocol/protocol.h"
#include "harness/workers/shared_data.h"
#include "harness/workers/worker_loop.h"
#include "kernels/data_key.h"
#include "metrics/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The buffers of the socket must hold everything, because nobody reads in the meantime. */
#define MAX_BYTES 32768
#define MAX_LINES 64
/* The most bytes of a case whose data are made. */
#define MAX_DATA_BYTES 4096

static void check(int rc)
{
	if (rc && rc != PL_EPROTOCOL)
		abort();
}

/* `second` is `first`, decoded and encoded again. Steals both references. */
static void check_same(json_t *first, json_t *second)
{
	if (!first || !second || !json_equal(first, second))
		abort();
	json_decref(first);
	json_decref(second);
}

static void check_case(const json_t *json)
{
	struct launch_case *work = NULL;
	struct launch_case *again = NULL;
	json_t *encoded;

	if (case_from_json(&work, json, NULL))
		return;
	encoded = case_to_json(work);
	if (case_from_json(&again, encoded, NULL))
		abort();
	check_same(encoded, case_to_json(again));
	launch_case_free(work);
	launch_case_free(again);
}

static void check_session(const json_t *json)
{
	struct session_info info = {0};
	struct session_info again = {0};
	json_t *encoded;

	if (session_from_json(&info, json, NULL))
		return;
	encoded = session_to_json(&info);
	if (session_from_json(&again, encoded, NULL))
		abort();
	check_same(encoded, session_to_json(&again));
	session_info_release(&info);
	session_info_release(&again);
}

static void check_settings(const json_t *json)
{
	struct measure_settings settings = {0};
	struct measure_settings again = {0};
	json_t *encoded;

	if (settings_from_json(&settings, json, NULL))
		return;
	encoded = settings_to_json(&settings);
	if (settings_from_json(&again, encoded, NULL))
		abort();
	check_same(encoded, settings_to_json(&again));
	measure_settings_release(&settings);
	measure_settings_release(&again);
}

static void check_lines(const json_t *json)
{
	struct line_count_list lines = {0};
	struct line_count_list again = {0};
	json_t *encoded;
	int rc = lines_from_json(&lines, json, NULL);

	check(rc);
	if (rc && lines.count)
		abort();
	encoded = lines_to_json(&lines, 0, lines.count);
	if (lines_from_json(&again, encoded, NULL))
		abort();
	check_same(encoded, lines_to_json(&again, 0, again.count));
	line_count_list_release(&lines);
	line_count_list_release(&again);
}

static void check_profile(const json_t *json)
{
	struct profile *profile = NULL, *again = NULL;
	bool *own = NULL, *own_again = NULL;
	json_t *encoded;
	int rc = profile_from_json(&profile, &own, json, NULL);

	check(rc);
	if (rc)
		return;
	encoded = profile_to_json(profile, own);
	if (profile_from_json(&again, &own_again, encoded, NULL))
		abort();
	check_same(encoded, profile_to_json(again, own_again));
	profile_free(profile);
	profile_free(again);
	free(own);
	free(own_again);
}

static void check_meter(const json_t *json)
{
	struct meter meter, again;
	json_t *encoded, *message;
	int rc = meter_from_json(&meter, json, NULL);

	check(rc);
	if (rc)
		return;
	encoded = meter_to_json(&meter);
	message = json_pack("{s:O}", "parts", encoded);
	if (meter_from_json(&again, message, NULL))
		abort();
	check_same(encoded, meter_to_json(&again));
	json_decref(message);
}

static void check_ranges(const json_t *json)
{
	struct data_range *ranges = NULL, *again = NULL;
	size_t count = 0, count_again = 0;
	json_t *encoded = json_pack("{s:[]}", "data");
	int rc = ranges_from_json(&ranges, &count, json, NULL);

	check(rc);
	if (rc && (ranges || count))
		abort();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(json_object_get(encoded, "data"), range_to_json(&ranges[i]));
	if (ranges_from_json(&again, &count_again, encoded, NULL) || count_again != count ||
	    (count && memcmp(again, ranges, count * sizeof(*ranges))))
		abort();
	json_decref(encoded);
	free(ranges);
	free(again);
}

static void decode_all(const json_t *json)
{
	struct device_info device;
	struct launch_facts facts;
	struct device_state state;
	struct counter_list counters = {0};
	struct worker_check worker_check;
	struct worker_metric metric;
	double *samples = NULL;
	size_t count = 0;

	check_ranges(json);
	check_case(json);
	check_case(json_object_get(json, "case"));
	check_session(json);
	check_settings(json);
	check_settings(json_object_get(json, "settings"));
	check(device_from_json(&device, json_object_get(json, "device"), NULL));
	check(facts_from_json(&facts, json_object_get(json, "facts"), NULL));
	check(state_from_json(&state, json, NULL));
	check(counters_from_json(&counters, json_object_get(json, "counters"), NULL));
	check_lines(json_object_get(json, "lines"));
	check_profile(json_object_get(json, "profile"));
	check_meter(json);
	check(samples_from_json(&samples, &count, json_object_get(json, "time_ns"), NULL));
	check(check_from_json(&worker_check, json, NULL));
	check(metric_from_json(&metric, json, NULL));
	counter_list_release(&counters);
	free(samples);
}

/* ---- a backend that accepts every request ---- */

static int doctor(void *backend, struct worker_reply *reply, struct error *err)
{
	(void)backend;
	(void)reply;
	(void)err;
	return 0;
}

static int metrics(void *backend, const char *chip, const char *pattern, struct worker_reply *reply,
		   struct error *err)
{
	(void)backend;
	(void)err;
	return worker_reply_metric(
		reply, &(struct worker_metric){chip ? chip : "", pattern ? pattern : "", "", ""});
}

static int passes(void *backend, const char *chip, const struct string_list *wanted, int64_t *count,
		  struct string_list *missing, struct error *err)
{
	(void)backend;
	(void)chip;
	(void)missing;
	(void)err;
	*count = (int64_t)wanted->count;
	return 0;
}

static int open_session(void *backend, const struct measure_settings *settings,
			const struct open_manner *manner, struct session_info *info,
			struct error *err)
{
	(void)backend;
	(void)manner;
	(void)settings;
	(void)info;
	(void)err;
	return 0;
}

static int inspect(void *backend, const struct launch_case *work, struct launch_facts *facts,
		   enum trial_status *status, struct text *reason, struct error *err)
{
	(void)backend;
	(void)status;
	(void)reason;
	(void)err;
	facts->shared_dynamic_bytes = work->launches[0].shared_bytes;
	return 0;
}

static int measure(void *backend, int64_t id, const struct launch_case *work,
		   const struct launch_case *base, int round, struct worker_reply *reply,
		   enum trial_status *status, struct text *reason, struct error *err)
{
	const double time_ns = (double)work->launch_count;
	const double base_ns = base ? (double)base->launch_count : 0;
	int rc = 0;

	(void)backend;
	(void)status;
	(void)reason;
	(void)err;
	if (base)
		rc = worker_reply_beside(reply, id, round, &base_ns, 1, true);
	return rc ? rc : worker_reply_samples(reply, id, round, &time_ns, 1, 0, NULL);
}

static int count_all(void *backend, const struct count_item *items, size_t count,
		     const struct string_list *metrics, struct worker_reply *reply,
		     enum trial_status *status, struct text *reason, struct error *err)
{
	int rc = 0;

	(void)backend;
	(void)metrics;
	(void)err;
	for (size_t i = 0; i < count && !rc; i++)
		rc = worker_reply_phase(reply, items[i].id, WORKER_PHASE_COUNT, 0);
	*status = TRIAL_FAILED;
	text_add(reason, "enough");
	return rc;
}

static int profile_all(void *backend, const struct profile_items *items, struct worker_reply *reply,
		       struct error *err)
{
	struct profile *profile = profile_new();
	int rc = 0;

	(void)backend;
	(void)err;
	for (size_t i = 0; i < items->count && !rc; i++)
		rc = worker_reply_profile(reply, items->items[i].id, profile, NULL);
	profile_free(profile);
	return rc;
}

static struct shared_data *shared;

/* Uses what is shared, and gives what is wanted. */
static void give_inputs(const struct launch_case *work)
{
	static const unsigned char some[64];

	for (size_t b = 0; b < work->buffer_count; b++) {
		const size_t bytes = case_buffer_bytes(&work->buffers[b]);
		char *key = case_input_key(&work->buffers[b], 0);
		const unsigned char *there = shared_data_find(shared, key, bytes);

		if (there && bytes && there[0] + there[bytes - 1] < 0)
			abort();
		if (bytes <= sizeof(some))
			shared_data_give(shared, key, some, bytes);
		free(key);
	}
}

static int emulate(void *backend, int64_t id, const struct launch_case *work,
		   struct worker_reply *reply, enum trial_status *status, struct text *reason,
		   struct error *err)
{
	struct line_count_list lines = {0};
	int rc;

	(void)backend;
	(void)err;
	give_inputs(work);
	line_count_list_add(&lines, work->image, (int64_t)work->launch_count);
	rc = worker_reply_lines(reply, id, &lines);
	line_count_list_release(&lines);
	*status = TRIAL_SAMPLED;
	text_add(reason, "some");
	return rc;
}

static void close_session(void *backend)
{
	(void)backend;
}

static void share(void *backend, struct shared_data *lent)
{
	(void)backend;
	shared = lent;
}

static const struct backend_ops agreeable = {
	.share = share,
	.name = "agreeable",
	.version = "1",
	.doctor = doctor,
	.devices = doctor,
	.metrics = metrics,
	.passes = passes,
	.open = open_session,
	.inspect = inspect,
	.measure = measure,
	.count = count_all,
	.profile = profile_all,
	.emulate = emulate,
	.close = close_session,
};

/* Decodes the worker's replies like perflab, and counts `done`. */
static size_t read_answers(int fd)
{
	struct channel channel;
	enum channel_result result;
	size_t done = 0;

	channel_init(&channel, fd, NULL);
	for (;;) {
		json_t *message = NULL;
		const char *name;

		result = channel_receive(&channel, &message, -1, NULL);
		if (result != CHANNEL_OK)
			break;
		name = json_string_value(json_object_get(message, "reply"));
		done += name && !strcmp(name, "done");
		json_decref(message);
	}
	if (result != CHANNEL_ENDED)
		abort();
	channel_release(&channel);
	return done;
}

/* Workers inherit a file; here it must not be one that the fuzz engine has open. */
static void set_shared_file(void)
{
	static bool is_set;
	int file;

	if (is_set)
		return;
	is_set = true;
	file = memfd_create("shared", 0);
	if (file < 0 || dup2(file, WORKER_DATA_FD) < 0 || ftruncate(WORKER_DATA_FD, 1 << 20))
		abort();
	if (file != WORKER_DATA_FD)
		close(file);
}

/* `prepare` executes the check, which may be any command, and may read any file. */
static bool is_dangerous(const json_t *request)
{
	const char *name = json_string_value(json_object_get(request, "request"));
	struct launch_case *work = NULL;
	bool dangerous;

	if (!name || strcmp(name, "prepare") ||
	    case_from_json(&work, json_object_get(request, "case"), NULL))
		return false;
	dangerous = work->check.kind == CHECK_COMMAND || case_check_has_file(&work->check) ||
		    launch_case_buffer_bytes(work, false) > MAX_DATA_BYTES;
	for (size_t b = 0; b < work->buffer_count; b++)
		dangerous |= work->buffers[b].fill_file != NULL;
	launch_case_free(work);
	return dangerous;
}

static void serve(const uint8_t *data, size_t size, size_t lines)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		abort();
	if (send(ends[0], data, size, MSG_NOSIGNAL) != (ssize_t)size)
		abort();
	shutdown(ends[0], SHUT_WR);
	worker_main(&agreeable, ends[1]);
	if (read_answers(ends[0]) != lines)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t lines = 0;
	const uint8_t *line = data;
	bool dangerous = false;

	if (!size || size > MAX_BYTES)
		return 0;
	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	if (lines > MAX_LINES)
		return 0;
	for (size_t i = 0; i <= size; i++) {
		json_t *json;

		if (i < size && data[i] != '\n')
			continue;
		json = json_loadb((const char *)line, (size_t)(data + i - line),
				  JSON_REJECT_DUPLICATES, NULL);
		if (json)
			decode_all(json);
		dangerous |= json && is_dangerous(json);
		json_decref(json);
		line = data + i + 1;
	}
	set_shared_file();
	if (!dangerous)
		serve(data, size, lines);
	return 0;
}
