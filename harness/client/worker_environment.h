/*
 * worker_environment: the variables that a worker inherits: all but those of `perflab record
 * --env`, which would load the recorder into the worker. Internal to client/.
 */
#ifndef HARNESS_CLIENT_WORKER_ENVIRONMENT_H
#define HARNESS_CLIENT_WORKER_ENVIRONMENT_H

#include "base/base.h"

/* Adds them to *out. A NULL follows the items, as execve() needs it. */
void worker_environment(struct string_list *out);

#endif
