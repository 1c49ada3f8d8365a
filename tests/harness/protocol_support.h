/* JSON as it stands in examples and as it comes over the wire, for the tests of the protocol. */
#ifndef TESTS_HARNESS_PROTOCOL_SUPPORT_H
#define TESTS_HARNESS_PROTOCOL_SUPPORT_H

#include "harness/protocol/protocol.h"

/* The text must be JSON. The caller releases it. */
json_t *parse(const char *text);
/* With ' for ", so that a table of examples can be read. */
json_t *parse_quoted(const char *text);
/* Over the wire: what the peer would decode. Releases what it is given. */
json_t *transmit(json_t *json);
/* The member at `path`, "buffers/0/length", becomes the value of a text. */
void replace(json_t *json, const char *path, const char *value);

#endif
