/* perflab-worker-ptx: serves the worker protocol on the socket that perflab passes to it. */
#include <fcntl.h>
#include <stdio.h>

#include "harness/workers/ptx/worker.h"
#include "harness/workers/worker_loop.h"

int main(void)
{
	if (fcntl(WORKER_SOCKET_FD, F_GETFD) < 0) {
		fprintf(stderr, "perflab-worker-ptx is started by perflab, over a socket; "
				"run `perflab sweep --backend ptx` instead\n");
		return 2;
	}
	worker_watch_perflab(WORKER_SOCKET_FD);
	return ptx_worker(WORKER_SOCKET_FD);
}
