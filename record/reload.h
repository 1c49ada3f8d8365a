/*
 * reload: the machine code of a kernel whose load CUPTI has not shown, because
 * the recorder listens by hooks. What the program loaded is loaded once more,
 * for this moment, and CUPTI shows the code that the driver takes from it: the
 * same as before, unless the program gave options to the compiler. Internal to
 * record/.
 */
#ifndef RECORD_RELOAD_H
#define RECORD_RELOAD_H

#include "record/cupti.h"
#include "record/driver.h"
#include "record/images.h"
#include "record/launches.h"

struct reloader {
	const struct record_driver *driver;
	struct images *images;     /* gets the code */
	const char *cupti_path;    /* as in record_cupti_open() */
	struct record_cupti cupti; /* opened when it is needed */
	bool is_open;
};

/* PL_EUNSUPPORTED: CUPTI is missing or taken. Returns 0 also if the code is known, or was not
 * found. */
int reload_code(struct reloader *reloader, const struct launched_function *function,
		const char *kernel, struct error *err);

#endif
