/*
 * What a fake worker replies about cases: deterministic samples, counters, profiles and emulated
 * counts, and lies about them on demand (fake_script.h).
 */
#ifndef TESTS_HARNESS_FAKE_RESULTS_H
#define TESTS_HARNESS_FAKE_RESULTS_H

#include "harness/workers/worker_loop.h"

#define FAKE_CHIP "GH100"

struct fake {
	const struct measure_settings *settings;
};

/* FNV-1a: the same number for the same name, everywhere. */
uint64_t fake_hash(const char *name, const char *salt);

/* Members of struct backend_ops, with a struct fake. */
int fake_measure(void *backend, int64_t id, const struct launch_case *work,
		 const struct launch_case *base_work, int round, struct worker_reply *reply,
		 enum trial_status *status, struct text *reason, struct error *err);
int fake_count(void *backend, const struct count_item *items, size_t count,
	       const struct string_list *metrics, struct worker_reply *reply,
	       enum trial_status *status, struct text *reason, struct error *err);
int fake_profile(void *backend, const struct profile_items *items, struct worker_reply *reply,
		 struct error *err);
int fake_emulate(void *backend, int64_t id, const struct launch_case *work,
		 struct worker_reply *reply, enum trial_status *status, struct text *reason,
		 struct error *err);

#endif
