/*
 * preparers: the workers that make data of cases for others. They open no
 * device. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_DATA_PREPARERS_H
#define HARNESS_SWEEP_DATA_PREPARERS_H

#include "harness/sweep/sweep_state.h"

struct preparers;

/* What comes of a job. */
struct preparers_events {
	void *context;
	/* The content with this key has been written. PL_EPROTOCOL: nobody asked for it. */
	int (*filled)(void *context, size_t job, const char *key, struct error *err);
	/* The job has ended, well or not. Another one can be given. */
	void (*ended)(void *context, size_t job);
};

/* Starts none yet. `threads`: how many all of them may use together. */
struct preparers *preparers_new(struct sweep *sweep, int threads,
				const struct preparers_events *events);
void preparers_free(struct preparers *preparers);
/* Whether a job can be given now. Never again after too many deaths. */
bool preparers_have_room(const struct preparers *preparers);
/* Whether a job is in flight. */
bool preparers_are_busy(const struct preparers *preparers);
/* Whether all of them died too often, or none can be started. */
bool preparers_are_lost(const struct preparers *preparers);
/* Gives a job to an idle worker, which is started if need be. `data`: the member `data` of the
 * request. If it cannot be given, `ended` is called before this returns. */
void preparers_give(struct preparers *preparers, size_t job, size_t case_index, const char *data);
/* Takes the replies that are there. */
void preparers_serve(struct preparers *preparers);
/* Ready for reading when there are replies. */
int preparers_fd(const struct preparers *preparers);

#endif
