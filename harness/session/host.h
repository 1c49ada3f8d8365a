/*
 * host: facts about this machine and this build that every run stores, and
 * checks whether the process of a run is alive.
 */
#ifndef HARNESS_SESSION_HOST_H
#define HARNESS_SESSION_HOST_H

#include "metrics/metrics.h"

/* Adds host name, operating system, processor, build, and the git revision of the working directory
 * if it differs from that of the build. */
void host_facts(struct key_value_list *environment);
/* The git revision that perflab and its kernels were built from: a full commit, with "-dirty" if
 * tracked files were changed. NULL: not built from a git tree. */
const char *host_build_revision(void);
/* The fact that holds it in runs of a user's files. */
#define PERFLAB_REVISION_KEY "perflab_revision"
/* "HOST PID START": identifies this process, so that another process can check whether it is alive.
 * malloc'd. */
char *host_process_mark(void);
/* Whether the process with this mark runs on this host. */
bool host_process_lives(const char *mark);
/* Sets the state of a run to "interrupted" if the database says "running" and its process on this
 * host is gone. */
void host_correct_state(struct run *run);

#endif
