/* Opens the shared libraries of the CUDA toolkit at run time. Internal to harness/workers/cuda. */
#ifndef HARNESS_WORKERS_CUDA_TOOLKIT_LIBRARY_H
#define HARNESS_WORKERS_CUDA_TOOLKIT_LIBRARY_H

/*
 * Opens library `name` of the CUDA toolkit. Searches the loader's path,
 * $CUDA_HOME, $CUDA_PATH and the usual folders of toolkits, first with the
 * suffix of the toolkit's major version and then without. If `dependency` is
 * not NULL, it is opened first, from the same folder, and stays open. Returns
 * NULL if the library is not found.
 */
void *toolkit_library_open(const char *name, const char *dependency);
/* Returns the address of a function, to be copied into a function pointer, or NULL. */
void *toolkit_library_symbol(void *library, const char *name);

#endif
