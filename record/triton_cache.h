/* triton_cache: the PTX that Triton keeps beside the machine code which it has compiled. Internal
 * to record/. */
#ifndef RECORD_TRITON_CACHE_H
#define RECORD_TRITON_CACHE_H

#include "base/base.h"

/* Appends the folder of the cache that a process with this environment uses: $TRITON_CACHE_DIR,
 * $TRITON_HOME/.triton/cache or $HOME/.triton/cache. False: the environment names none. */
bool triton_cache_folder(struct text *out);

/*
 * Finds KERNEL.cubin with exactly these bytes in a folder of the cache, and reads the KERNEL.ptx
 * beside it. Names of files are cut after 150 bytes, as Triton cuts them. *ptx is the caller's; a
 * zero byte follows it. PL_ENOENT: no such cubin within the first 65536 folders, or no PTX beside
 * it. PL_EIO, PL_EPARSE, PL_ENOMEM.
 */
int triton_cache_find(char **ptx, size_t *ptx_bytes, const char *folder, const char *kernel,
		      const void *cubin, size_t cubin_bytes, struct error *err);

#endif
