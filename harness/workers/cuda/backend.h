/* backend: the entry point of the CUDA worker, for main.c. */
#ifndef HARNESS_WORKERS_CUDA_BACKEND_H
#define HARNESS_WORKERS_CUDA_BACKEND_H

/* Serves requests until perflab closes the socket. Returns an exit code. */
int cuda_worker(int socket_fd);

#endif
