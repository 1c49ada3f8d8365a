/*
 * perflab_watch: ends a worker whose perflab is gone. perflab may be killed while a request is
 * executed, which can take as long as --timeout. The signal of its death reaches only a worker that
 * it started itself, not one behind a script, and a library may handle it; so the end of the socket
 * counts, too: worker_watch_perflab() in worker_loop.h. Internal to harness/workers.
 */
#ifndef HARNESS_WORKERS_PERFLAB_WATCH_H
#define HARNESS_WORKERS_PERFLAB_WATCH_H

#include <stdbool.h>

/* Says whether a request is being executed. Between requests the loop sees the end itself, and the
 * worker may take as long as it needs: a profiler writes its file then. */
void perflab_watch_busy(bool is_busy);

#endif
