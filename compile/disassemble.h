/*
 * disassemble: the text of machine code, by nvdisasm of the CUDA Toolkit. It is looked for as nvcc
 * is: $PERFLAB_CUDA_ROOT, $PATH, $CUDA_HOME, /usr/local/cuda.
 */
#ifndef COMPILE_DISASSEMBLE_H
#define COMPILE_DISASSEMBLE_H

#include "base/base.h"

struct disassembly;
/* Disassembles a cubin. PL_EIO: there is no nvdisasm, or it fails, or takes over 30 s; PL_EPARSE:
 * it prints something else. */
int disassemble(struct disassembly **out, const void *bytes, size_t length, struct error *err);
/* The text of the instruction at an offset in a function, without the semicolon; NULL: there is
 * none. */
const char *disassembly_at(const struct disassembly *text, const char *function, uint64_t pc);
void disassembly_free(struct disassembly *text); /* may be NULL */

#endif
