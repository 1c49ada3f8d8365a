/* protocol_support: parses, transmits and edits JSON, for the tests of the protocol. */
#ifndef TESTS_HARNESS_PROTOCOL_SUPPORT_H
#define TESTS_HARNESS_PROTOCOL_SUPPORT_H

#include "harness/protocol/protocol.h"

/* The text must be JSON. The caller releases it. */
json_t *parse(const char *text);
/* parse() of a text with ' instead of ", so that tables of examples are readable. */
json_t *parse_quoted(const char *text);
/* Encodes and decodes a value, as sending it would. Releases `json`. */
json_t *transmit(json_t *json);
/* Replaces the member at `path`, such as "buffers/0/length", by the parsed `value`. */
void replace(json_t *json, const char *path, const char *value);

#endif
