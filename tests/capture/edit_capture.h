/* edit_capture: takes a capture apart and puts it together again with an edited index and right
 * hashes, as somebody would who wants to harm its reader. */
#ifndef TESTS_CAPTURE_EDIT_CAPTURE_H
#define TESTS_CAPTURE_EDIT_CAPTURE_H

#include <jansson.h>

#include "base/base.h"

/* All zeroes is empty. The file but its index and footer, and the index. */
struct edited_capture {
	char *data;
	size_t parts_bytes;
	json_t *index;
};

/* These abort on errors. */
void edit_open(struct edited_capture *out, const char *path);
void edit_save(const struct edited_capture *capture, const char *path);
void edit_close(struct edited_capture *capture);
/* Replaces a member: edit_set(&capture, "memory/0/address", "-1"). The value is JSON, or NULL to
 * remove the member. */
void edit_set(struct edited_capture *capture, const char *member, const char *value);
/* The JSON of a member, malloc'd. */
char *edit_get(const struct edited_capture *capture, const char *member);

void write_bytes(const char *path, const void *data, size_t bytes);

#endif
