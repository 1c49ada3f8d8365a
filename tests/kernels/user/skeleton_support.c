/* What the tests of first annotations share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "skeleton_support.h"

struct text written;
struct skeleton_counts counts;

int write_skeleton(const char *text, bool ptx, const struct skeleton_entry *entries, size_t count,
		   struct error *err)
{
	const struct skeleton_request request = {.file = "a.cu",
						 .ptx = ptx,
						 .text = text,
						 .length = strlen(text),
						 .entries = entries,
						 .entry_count = count};

	text_release(&written);
	return skeleton_write(&written, &counts, &request, err);
}

int release_written(void **state)
{
	(void)state;
	text_release(&written);
	return 0;
}

/* A kernel `k` with these parameters. */
void write_one(const char *text, const struct skeleton_parameter *parameters, size_t count)
{
	const struct skeleton_entry entry = {"k", "k", NULL, parameters, count, .textures = false};
	struct error err = {0};

	if (write_skeleton(text, false, &entry, 1, &err))
		fail_msg("%s", err.text);
}

void expect_text(const char *part)
{
	if (!strstr(written.data, part))
		fail_msg("no \"%s\" in:\n%s", part, written.data);
}

void expect_no_text(const char *part)
{
	if (strstr(written.data, part))
		fail_msg("\"%s\" in:\n%s", part, written.data);
}
