/* Opens a worker in advance. See sweep_kept.h. */
#include "harness/session/backends.h"
#include "harness/session/session_parts.h"
#include "harness/session/sweep_kept.h"

void kept_prepare(struct sweep_kept *kept, const struct sweep_request *request,
		  const volatile int *stop)
{
	struct measure_settings settings = {0};
	struct backend_traits traits;

	worker_end(&kept->leaving);
	if (!kept->backend || kept->spare.pid)
		return;
	traits = backend_traits_of(kept->backend);
	if (!request_settings(&settings, request, &traits, NULL)) {
		struct sweep sweep = SWEEP_INIT(&settings, NULL, stop);

		if (!sweep_open(&sweep, kept->backend, NULL)) {
			worker_pipe_set_output(sweep.worker.printed, NULL);
			kept->spare = sweep.worker;
			kept->spare_info = sweep.info;
			kept->spare_since_ns = monotonic_ns();
			sweep.worker = (struct worker_process){0};
			sweep.info = (struct session_info){0};
		}
		sweep_close(&sweep, 0);
	}
	measure_settings_release(&settings);
}
