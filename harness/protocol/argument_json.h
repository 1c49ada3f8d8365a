/* argument_json: an argument of a launch as JSON. Internal to harness/protocol; protocol.h has the
 * rules. */
#ifndef HARNESS_PROTOCOL_ARGUMENT_JSON_H
#define HARNESS_PROTOCOL_ARGUMENT_JSON_H

#include <jansson.h>

#include "kernels/kernels.h"

json_t *arg_to_json(const struct case_arg *arg);
/* An address must lie in its buffer or be its end. *out is zero before; the caller releases it,
 * also after an error. */
int arg_from_json(struct case_arg *out, const json_t *json, const struct case_buffer *buffers,
		  size_t buffer_count, struct error *err);

#endif
