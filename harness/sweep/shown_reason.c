/* Names of kernels in reasons. See the header. */
#include "harness/sweep/shown_reason.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"

/* The most characters of a name in a reason. Names that a user wrote can be too long for it, too.
 */
#define SHOWN_MOST 60

static bool launches_have(const struct kernel_launch *launches, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(launches[i].entry, name))
			return true;
	return false;
}

static bool is_written(const struct kernel_variant *variant, const char *name)
{
	return strlen(name) <= SHOWN_MOST && variant &&
	       (launches_have(variant->launches, variant->launch_count, name) ||
		(variant->check &&
		 launches_have(variant->check->launches, variant->check->launch_count, name)));
}

static void add_shown_name(struct text *out, const char *name, const struct kernel_variant *variant)
{
	struct text readable = TEXT_INIT;

	mangled_readable(&readable, name);
	if (is_written(variant, name) || !strcmp(readable.data, name))
		text_add(out, name);
	else
		readable_shorten(out, readable.data, SHOWN_MOST);
	text_release(&readable);
}

static bool begins_mangled(const char *word)
{
	return !strncmp(word, "_Z", 2) || !strncmp(word, "__nv_static_", 12);
}

/* "a::both (_ZN1a4bothE)": the user is to write it. */
static bool is_offered(const char *whole, const char *name, size_t length)
{
	return name > whole && name[-1] == '(' && name[length] == ')';
}

void shown_reason_add(struct text *out, const char *reason, const struct kernel_variant *variant)
{
	const char *whole = reason;

	while (*reason) {
		size_t length = 0;

		while (isalnum((unsigned char)reason[length]) || reason[length] == '_' ||
		       reason[length] == '$')
			length++;
		if (length && begins_mangled(reason) && !is_offered(whole, reason, length)) {
			char *name = xstrndup(reason, length);

			add_shown_name(out, name, variant);
			free(name);
		} else {
			length = length ? length : 1;
			text_add_bytes(out, reason, length);
		}
		reason += length;
	}
}
