/*
 * worker: the entry point of perflab-worker-ptx, the worker that executes cases
 * on the emulator.
 */
#ifndef HARNESS_WORKERS_PTX_WORKER_H
#define HARNESS_WORKERS_PTX_WORKER_H

/* Serves the worker protocol on a socket. Returns an exit code. */
int ptx_worker(int socket_fd);

#endif
