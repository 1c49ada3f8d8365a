/*
 * replay_again: replays a capture a second time, after the first gave another
 * result than the program did, to say why. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_REPLAY_AGAIN_H
#define HARNESS_WORKERS_CUDA_REPLAY_AGAIN_H

#include "harness/workers/cuda/operation.h"

/*
 * Completes the mismatch that operation_verify() has just found, if the case is a
 * replay. Two replays that agree tell that something is missing. Two that differ
 * tell that the kernel is not deterministic, and perhaps how a comparison allows
 * for it. If there is no memory for a second replay, nothing is said about it.
 */
int replay_again(struct operation *operation, struct text *mismatch, struct error *err);

#endif
