/*
 * conformance_support: requests to the worker that is tested, and its replies.
 */
#ifndef TESTS_HARNESS_CONFORMANCE_SUPPORT_H
#define TESTS_HARNESS_CONFORMANCE_SUPPORT_H

#include "support.h"

#include "harness/client/client.h"
#include "harness/protocol/protocol.h"

#define ANSWER_TIMEOUT_NS (INT64_C(60) * 1000000000)

extern const char *worker_path; /* set by main() */

struct answers {
	struct worker_process worker;
	json_t *replies; /* to the last request, without `done` */
	char status[32];
	bool has_reason, unsupported, usage;
};

/* Each test has a worker of its own. */
int conformance_set_up(void **context);
int conformance_tear_down(void **context);

/* Sends a line unchanged and reads the replies up to `done`. */
void ask(struct answers *a, const char *line);
/* Sends a message, which it frees, and reads the replies up to `done`. */
void ask_json(struct answers *a, json_t *request);
size_t replies_of(const struct answers *a, const char *name);
/* Sends a line and expects `failed`, and no other reply. */
void assert_refused(struct answers *a, const char *line);
/* The worker still answers. */
void assert_serves(struct answers *a);

/* The tests of a worker that has opened its device, or that says why it has none. */
void test_a_case_on_the_device(void **context);
/* test_a_case_on_the_device() after `ready`. */
void test_a_case_on_a_ready_device(void **context);

#endif
