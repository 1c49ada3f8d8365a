/* The CUDA worker's door. Internal to harness/cuda. */
#ifndef HARNESS_CUDA_BACKEND_H
#define HARNESS_CUDA_BACKEND_H

/* Serves requests on the socket until it closes; returns an exit code. */
int cuda_worker(int socket_fd);

#endif
