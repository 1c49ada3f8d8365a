/*
 * A run of ceilings, and of a kernel below them. Unless it is slower: DRAM 5
 * TB/s by a copy and 4 by reading, L2 8, shared memory 32, f32 64 TFLOP/s, half
 * on tensor cores 640; triad: 1 us, 2000 bytes of DRAM, 4000 operations.
 */
#ifndef TESTS_DB_CEILINGS_FIXTURE_H
#define TESTS_DB_CEILINGS_FIXTURE_H

#include "fixture.h"

struct roofs {
	const char *label;
	const char *process; /* the session */
	const char *uuid;    /* of the device; NULL: the fixture's */
	const char *only;    /* variants that begin so are ok, others failed; NULL: all */
	int64_t started_ns;
	double slower; /* all times are multiplied by it */
};
int roofs_store(struct db *db, const struct roofs *roofs, int64_t *run_id, struct error *err);

#endif
