/*
 * workers: finds the program of a worker, and asks it questions that need no
 * open session. Each question starts a worker, sends one request and ends the
 * worker. Strings live until the callback returns. Errors: PL_EUNSUPPORTED
 * there is no such worker, or this machine cannot do what was asked;
 * PL_EWORKER the worker died; PL_EPROTOCOL it broke the protocol.
 */
#ifndef HARNESS_SESSION_WORKERS_H
#define HARNESS_SESSION_WORKERS_H

#include "harness/protocol/messages.h"

/* Path of the worker of a backend: $PERFLAB_WORKER_<BACKEND>, else perflab-worker-<backend> beside
 * the running program, else in $PATH. PL_EUNSUPPORTED with the remedy if there is none; PL_EUSAGE
 * if perflab does not know such a backend, either. */
int worker_find(struct text *path, const char *backend, struct error *err);
/* PL_EUSAGE: perflab does not know the backend, and there is no worker for it. */
int backend_check_name(const char *backend, struct error *err);
/* The same, for verbs that ask one backend: "auto" is PL_EUSAGE, too. */
int backend_must_be_named(const char *backend, struct error *err);

int worker_doctor(const char *backend,
		  void (*visit)(void *context, const struct worker_check *check), void *context,
		  struct error *err);
int worker_devices(const char *backend,
		   void (*visit)(void *context, int ordinal, const struct device_info *device),
		   void *context, struct error *err);
/* chip NULL: the chip of this machine, or GH100. pattern NULL: all metrics. */
int worker_metrics(const char *backend, const char *chip, const char *pattern,
		   void (*visit)(void *context, const struct worker_metric *metric), void *context,
		   struct error *err);
/* Sets *passes to the number of passes that `wanted` (from metric_request()) needs on a chip. Adds
 * the metrics that the chip lacks to *missing, as "NAME: reason". */
int worker_pass_count(const char *backend, const char *chip, const struct string_list *wanted,
		      int64_t *passes, struct string_list *missing, struct error *err);

#endif
