/*
 * backends: the table of backends that perflab knows before any worker runs:
 * their names, traits and options. A worker reports its own traits when it
 * opens; the table serves earlier decisions. A backend with another name
 * (perflab-worker-NAME) is not in the table and is treated as timed.
 */
#ifndef HARNESS_SESSION_BACKENDS_H
#define HARNESS_SESSION_BACKENDS_H

#include "metrics/metrics.h"

/* Values of --backend. BACKEND_AUTO means BACKEND_CUDA if it opens a device, else BACKEND_PTX. */
#define BACKEND_AUTO "auto"
#define BACKEND_CUDA "cuda"
#define BACKEND_PTX "ptx"

struct backend {
	const char *name;
	struct backend_traits traits;
	bool has_ceilings;          /* a sweep measures the ceilings of its device first */
	bool needs_toolkit;         /* its worker is built only if the CUDA toolkit is found */
	bool needs_all_checks;      /* `perflab doctor` expects every check of its worker to pass */
	const char *build_remedy;   /* what to do if its worker is missing */
	const char *const *options; /* options of `sweep` that only backends of its kind use;
				     * NULL-terminated */
};

/* NULL: not in the table. */
const struct backend *backend_find(const char *name);
/* The traits in the table. An unknown backend is timed and not emulated. */
struct backend_traits backend_traits_of(const char *name);
/* The options that a backend with these traits does not use: those of the other kind. */
const char *const *backend_unused_options(const struct backend_traits *traits);
/* Returns PL_EUSAGE. The message lists the backends and suggests the one that was meant. */
int backend_unknown(const char *name, struct error *err);

#endif
