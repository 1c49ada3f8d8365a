/*
 * Shared by the table of the ceilings and their oracles: the loops of the
 * device code as numbers, and one oracle per kind of loop. Internal to this
 * family.
 */
#ifndef KERNELS_CEILINGS_ORACLES_H
#define KERNELS_CEILINGS_ORACLES_H

#include "kernels/table.h"

/* As in ceilings.cuh and tensor.cuh. The texts are for expressions. */
#define IN_FLIGHT 4
#define IN_FLIGHT_TEXT "4"
#define CHUNK_GROUPS (IN_FLIGHT * 32)
#define WINDOW_WORDS_TEXT "4096"
#define CHAINS 8
#define CHAINS_TEXT "8"
#define CHAINS_F64 4
#define CHAINS_F64_TEXT "4"
#define STEPS 32
#define STEPS_TEXT "32"
#define PRODUCTS_TEXT "4"

/* The factor of triads. */
#define FACTOR 3.0
#define FACTOR_TEXT "3.0"
/* Chains compute v = LOW - v and v = LOW + growth - v in turn. */
#define LOW 100

extern const struct kernel_oracle oracle_read, oracle_write, oracle_copy, oracle_triad, oracle_walk,
	oracle_circle, oracle_chain, oracle_pairs, oracle_warp, oracle_warpgroup;

#endif
