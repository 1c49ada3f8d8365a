#include <fcntl.h>
#include <stdio.h>

#include "harness/workers/cuda/backend.h"
#include "harness/workers/worker_loop.h"

int main(void)
{
	if (fcntl(WORKER_SOCKET_FD, F_GETFD) < 0) {
		fprintf(stderr, "perflab-worker-cuda is started by perflab over a socket; "
				"run `perflab sweep` instead\n");
		return 2;
	}
	worker_watch_perflab(WORKER_SOCKET_FD);
	return cuda_worker(WORKER_SOCKET_FD);
}
