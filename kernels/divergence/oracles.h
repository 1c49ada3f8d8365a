/*
 * Shared by the table of the divergence family and its oracles: the steps of
 * the device code as numbers, and one oracle for each rule by which elements
 * choose a body. Internal to this family.
 */
#ifndef KERNELS_DIVERGENCE_ORACLES_H
#define KERNELS_DIVERGENCE_ORACLES_H

#include "kernels/table.h"

/* As in divergence.cuh. */
#define STEPS_SHORT 3
#define STEPS_LONG 256
#define STEPS_SWITCH 64
#define STEPS_WAITING_LOG2 8 /* waiting.cu takes 256 steps */
/* As in common.cuh. */
#define STEPS_EDGE 32
#define STEPS_COMMON 192

extern const struct kernel_oracle oracle_divergence_thread_parity_short,
	oracle_divergence_thread_parity_long, oracle_divergence_warp_parity_short,
	oracle_divergence_warp_parity_long, oracle_divergence_block_parity_short,
	oracle_divergence_block_parity_long, oracle_divergence_switch_lane,
	oracle_divergence_switch_warp, oracle_divergence_no_else, oracle_divergence_no_else_warp,
	oracle_divergence_common;
/* Numbers by parity: 100 for even and 200 for odd threads or warps. */
extern const struct kernel_oracle oracle_divergence_by_thread, oracle_divergence_by_warp;
/* Where chains of 256 places end. */
extern const struct kernel_oracle oracle_divergence_waiting;

#endif
