/* Encodes and sends the replies of a worker. */
#include "harness/workers/worker_loop.h"

#include <math.h>

#include "harness/protocol/protocol.h"

int worker_reply_send(struct worker_reply *reply, const char *name, json_t *message)
{
	enum channel_result result;

	json_object_set_new(message, "reply", json_string(name));
	result = reply->lost ? CHANNEL_ENDED : channel_send(reply->channel, message, -1, NULL);
	json_decref(message);
	if (result == CHANNEL_OK)
		return 0;
	reply->lost = true;
	return PL_EIO;
}

int worker_reply_check(struct worker_reply *reply, const struct worker_check *check)
{
	return worker_reply_send(reply, "check", check_to_json(check));
}

int worker_reply_device(struct worker_reply *reply, int ordinal, const struct device_info *device)
{
	return worker_reply_send(
		reply, "device",
		json_pack("{s:i, s:o}", "ordinal", ordinal, "device", device_to_json(device)));
}

int worker_reply_metric(struct worker_reply *reply, const struct worker_metric *metric)
{
	return worker_reply_send(reply, "metric", metric_to_json(metric));
}

int worker_reply_phase(struct worker_reply *reply, int64_t id, enum worker_phase phase,
		       int64_t pass)
{
	return worker_reply_send(reply, "phase",
				 json_pack("{s:I, s:s, s:o}", "id", (json_int_t)id, "phase",
					   worker_phase_name(phase), "pass",
					   pass < 0 ? json_null() : json_integer(pass)));
}

int worker_reply_samples(struct worker_reply *reply, int64_t id, int round, const double *time_ns,
			 size_t count, int64_t placements, const char *unmoved)
{
	json_t *message = json_pack("{s:I, s:i, s:o}", "id", (json_int_t)id, "round", round,
				    "time_ns", samples_to_json(time_ns, count));

	if (placements)
		json_object_set_new(message, "placements", json_integer(placements));
	if (unmoved)
		json_object_set_new(message, "unmoved", json_text(unmoved));
	return worker_reply_send(reply, "samples", message);
}

int worker_reply_beside(struct worker_reply *reply, int64_t id, int round, const double *base_ns,
			size_t count, bool same_buffers)
{
	return worker_reply_send(reply, "beside",
				 json_pack("{s:I, s:i, s:o, s:b, s:n}", "id", (json_int_t)id,
					   "round", round, "base_ns",
					   samples_to_json(base_ns, count), "same_buffers",
					   (int)same_buffers, "reason"));
}

int worker_reply_alone(struct worker_reply *reply, int64_t id, int round, const char *reason)
{
	return worker_reply_send(reply, "beside",
				 json_pack("{s:I, s:i, s:n, s:n, s:o}", "id", (json_int_t)id,
					   "round", round, "base_ns", "same_buffers", "reason",
					   json_text(reason)));
}

int worker_reply_accuracy(struct worker_reply *reply, int64_t id, int round, double relative_error,
			  const char *reason)
{
	return worker_reply_send(
		reply, "accuracy",
		json_pack("{s:I, s:i, s:o, s:o}", "id", (json_int_t)id, "round", round,
			  "relative_error", json_number_or_null(relative_error), "reason",
			  isfinite(relative_error) ? json_null() : json_text(reason)));
}

int worker_reply_clocks(struct worker_reply *reply, int64_t id, int round,
			const struct counter_list *clocks)
{
	return worker_reply_send(reply, "clocks",
				 json_pack("{s:I, s:i, s:o}", "id", (json_int_t)id, "round", round,
					   "clocks", counters_to_json(clocks)));
}

int worker_reply_times(struct worker_reply *reply, int64_t id, const struct meter *meter)
{
	return worker_reply_send(
		reply, "times",
		json_pack("{s:I, s:o}", "id", (json_int_t)id, "parts", meter_to_json(meter)));
}

int worker_reply_state(struct worker_reply *reply, int64_t id, int round,
		       const struct device_state *state)
{
	json_t *message = state_to_json(state);

	json_object_set_new(message, "id", json_integer(id));
	json_object_set_new(message, "round", json_integer(round));
	return worker_reply_send(reply, "state", message);
}

int worker_reply_counters(struct worker_reply *reply, int64_t id,
			  const struct counter_list *counters)
{
	return worker_reply_send(reply, "counters",
				 json_pack("{s:I, s:o}", "id", (json_int_t)id, "counters",
					   counters_to_json(counters)));
}

int worker_reply_counters_off(struct worker_reply *reply, const char *reason, bool busy)
{
	return worker_reply_send(
		reply, "counters_off",
		json_pack("{s:o, s:b}", "reason", json_text(reason), "busy", (int)busy));
}

int worker_reply_lines(struct worker_reply *reply, int64_t id, const struct line_count_list *lines)
{
	int rc = 0;

	for (size_t i = 0; i < lines->count && !rc; i += PROTOCOL_MAX_LINE_PIECE) {
		size_t count = lines->count - i;

		if (count > PROTOCOL_MAX_LINE_PIECE)
			count = PROTOCOL_MAX_LINE_PIECE;
		rc = worker_reply_send(reply, "lines",
				       json_pack("{s:I, s:o}", "id", (json_int_t)id, "lines",
						 lines_to_json(lines, i, count)));
	}
	return rc;
}

int worker_reply_profile(struct worker_reply *reply, int64_t id, const struct profile *profile,
			 const bool *own)
{
	return worker_reply_send(reply, "profile",
				 json_pack("{s:I, s:o}", "id", (json_int_t)id, "profile",
					   profile_to_json(profile, own)));
}
