/*
 * finished_reads: which reads of memory are over before a later write of the same warp, because of
 * what happens to their values. Internal to emulator/.
 *
 * Instructions on matrices (mma, stmatrix, ldmatrix, movmatrix, wmma) take the registers of all
 * lanes of a warp. None begins before all of these registers have their values. So a read is over
 * before such an instruction that takes its value, or a value that was computed from it, and before
 * all that follows. A plain store of a value says nothing about the reads of other lanes.
 */
#ifndef EMULATOR_PROGRAM_FINISHED_READS_H
#define EMULATOR_PROGRAM_FINISHED_READS_H

#include "emulator/program/program.h"

/* Remembers answers. */
struct finished_reads;
void finished_reads_free(struct finished_reads *reads); /* NULL is allowed */
/* Whether a lane that executed the instruction `read` of a function, and has come to the
 * instruction `now`, went through such an instruction, whichever way it took. `executes`: it
 * executes that one now, and not later. *reads: NULL before the first question. */
bool read_is_finished(struct finished_reads **reads, const struct program_function *function,
		      uint32_t read, uint32_t now, bool executes);

#endif
