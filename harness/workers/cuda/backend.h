/* The CUDA worker's door. Internal to harness/workers/cuda. */
#ifndef HARNESS_WORKERS_CUDA_BACKEND_H
#define HARNESS_WORKERS_CUDA_BACKEND_H

/* Serves requests on the socket until it closes; returns an exit code. */
int cuda_worker(int socket_fd);

#endif
