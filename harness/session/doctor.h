/*
 * doctor: checks what this build and this machine can do, and decides whether
 * a sweep can run.
 */
#ifndef HARNESS_SESSION_DOCTOR_H
#define HARNESS_SESSION_DOCTOR_H

#include "harness/protocol/messages.h"

struct doctor_request {
	const char *backend; /* a name, or BACKEND_AUTO: all backends and the report formats */
	/* Why this build cannot write the page of a report; NULL: it can. The caller asks reports/,
	 * which the session may not include. */
	const char *page_why_not;
};
/*
 * Visits every check, in the order in which a user reads them; the last one is
 * "sweep". Its strings live until `visit` returns; the remedy of a check that
 * passed is "". Starts the workers. A problem is a check, never an error.
 * Returns whether a sweep can run.
 */
bool doctor_examine(const struct doctor_request *request,
		    void (*visit)(void *context, const struct worker_check *check), void *context);

#endif
