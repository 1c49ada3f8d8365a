/* Keeps a spare worker between sweeps. See sweep_kept.h. */
#include "harness/session/sweep_kept.h"

#include <poll.h>
#include <stdlib.h>

void kept_leave(struct sweep_kept *kept, struct worker_process *worker)
{
	worker_end(&kept->leaving);
	kept->leaving = *worker;
	*worker = (struct worker_process){0};
}

/* A worker sends nothing unasked: whatever there is to read is its end. */
static bool spare_runs(const struct sweep_kept *kept)
{
	struct pollfd end = {.fd = kept->spare.channel.fd, .events = POLLIN};

	return kept->spare.pid && poll(&end, 1, 0) == 0;
}

static void spare_release(struct sweep_kept *kept)
{
	worker_kill(&kept->spare);
	session_info_release(&kept->spare_info);
	kept->spare_info = (struct session_info){0};
}

bool kept_take_spare(struct sweep_kept *kept, struct worker_process *worker,
		     struct session_info *info)
{
	char waited[32];

	if (!spare_runs(kept)) {
		spare_release(kept);
		return false;
	}
	*worker = kept->spare;
	*info = kept->spare_info;
	kept->spare = (struct worker_process){0};
	kept->spare_info = (struct session_info){0};
	format_duration(waited, (double)(monotonic_ns() - kept->spare_since_ns));
	key_value_set(&info->environment, "worker.waited", waited);
	return true;
}

void kept_release(struct sweep_kept *kept)
{
	spare_release(kept);
	worker_end(&kept->leaving);
	free(kept->backend);
	*kept = (struct sweep_kept){0};
}
