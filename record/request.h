/* request: what `perflab record` wants of the recorder: the file request.json in the folder that
 * $PERFLAB_RECORD names. Internal to record/. */
#ifndef RECORD_REQUEST_H
#define RECORD_REQUEST_H

#include "base/base.h"

struct record_request {
	char *folder; /* absolute: events go there */
	bool list;    /* time every kernel, and record none */
	struct string_list patterns;
	int64_t launch; /* the launch of each kernel to record, from 1 */
	int64_t every;  /* more than 0: each launch whose number it divides, in place of `launch` */
	/* If there are any: only these kernels, by their mangled names, and of each the launch of
	 * the same index; `patterns`, `launch` and `every` have no effect. */
	struct string_list chosen;
	int64_t *chosen_launches;
	int64_t most;        /* captures in this process */
	int64_t limit_bytes; /* of the memory in one capture */
	char *output;        /* absolute path of the captures without their suffix */
	char *cupti;         /* path of libcupti; NULL: none is known */
	bool announce; /* tell on stderr what happens: nobody else reads the events meanwhile */
};

/* The caller releases *out, also after an error. PL_ENOENT, PL_EIO; PL_EPARSE. */
int record_request_read(struct record_request *out, const char *folder, struct error *err);
void record_request_release(struct record_request *request);
/* Whether a kernel with this mangled name is wanted. */
bool record_request_wants(const struct record_request *request, const char *kernel);
/* Whether this launch of a wanted kernel, counted from 1, is to be recorded. */
bool record_request_due(const struct record_request *request, const char *kernel, int64_t number);

#endif
