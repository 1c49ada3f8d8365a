/*
 * The faults of a fake worker.
 *
 * FAKE_WORKER_SCRIPT is "ACTION[:CASE];…". CASE is the beginning of a case's
 * name ("reduce/shuffle", "reduce/shuffle/block=64"); without one the action
 * is for every case. The table `actions` has what can go wrong with a case;
 * other actions are looked for where they happen.
 * FAKE_WORKER_SCRIPT_FILE names a file with more of it, without a line end. It is read again for
 * each action, so a test can change what workers do that already run. FAKE_WORKER_LOG names a file
 * that gets a line a request: "PID REQUEST CASE". FAKE_WORKER_STATE names a file that does not
 * exist yet: the actions whose names end in _once happen when they can create it.
 */
#ifndef TESTS_HARNESS_FAKE_SCRIPT_H
#define TESTS_HARNESS_FAKE_SCRIPT_H

#include "harness/workers/worker_loop.h"

/* Whether the script has the action, for this case; name NULL: for every case. */
bool scripted(const char *action, const char *name);
/* Whether nobody has asked before, in any worker of this test. */
bool first_time(void);
/* A line in the log. */
void note(const char *request, const char *name);
/* "reduce/shuffle/block=64,n=1024"; malloc'd. */
char *case_name(const struct launch_case *work);
/* Raw, past the worker's loop. */
void say(const char *bytes);

/* gpu_dies_REQUEST:K, as in gpu_dies_measure-1:0 or gpu_dies_count:1: the GPU of this number dies
 * for good at this request; gpu_dies_count_phase:1: once its first case is being counted. Its
 * worker crashes, and no worker opens it again. With gpu_dies_last it first waits until the file
 * $FAKE_WORKER_STATE.go exists. */
void gpu_may_die(int device, const char *request);
bool gpu_is_dead(int device);
/* Scripted for a case as takes_gpu and takes_gpu_in_count: it dies when it measures or counts it.
 */
void gpu_die(int device);

void hang(void);
void crash(void);
void killed(void);
/* Scripted as meet_three: waits until three workers have a case, by the log. */
void meet(const char *name);
/* Scripted as await_ready: waits until another worker gets ready, but not for ever. */
void await_ready(const char *name);
/* Goes wrong as scripted for this case: by a deed, by words, by an error or by a status. */
int misbehave(const char *name, enum trial_status *status, struct text *reason, struct error *err);

#endif
