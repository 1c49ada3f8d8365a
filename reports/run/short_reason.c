/* Shortens reasons, so that those that differ only in details are one; see run.h. */
#include <stdlib.h>
#include <string.h>

#include "reports/run/run.h"

/* An emulator lists features as "opcode mma.sync.aligned.m16n8k8 (file.cu:8, 2 times), …". */
static const char lacks[] = "that the emulator lacks: ";
static const char opcode[] = "opcode ";

/* The bytes of an opcode without its shape and types: "mma.sync". */
static size_t opcode_family(const char *name, size_t length)
{
	const char *dot = memchr(name, '.', length);

	if (dot)
		dot = memchr(dot + 1, '.', length - (size_t)(dot + 1 - name));
	return dot ? (size_t)(dot - name) : length;
}

/* Where the feature at `at` ends. A comma in parentheses does not end it. */
static const char *feature_end(const char *at)
{
	size_t depth = 0;

	for (; *at; at++) {
		depth += *at == '(';
		depth -= *at == ')' && depth > 0;
		if (!depth && strncmp(at, ", ", 2) == 0)
			break;
	}
	return at;
}

static char *short_feature(const char *feature, size_t length)
{
	const char *place = memmem(feature, length, " (", 2);
	const size_t begin = sizeof(opcode) - 1;

	if (place)
		length = (size_t)(place - feature);
	if (length > begin && strncmp(feature, opcode, begin) == 0)
		length = begin + opcode_family(feature + begin, length - begin);
	return xstrndup(feature, length);
}

/* "opcode ldmatrix.sync, mma.sync" */
char *reason_shorten(const char *reason)
{
	const char *at = strstr(reason, lacks);
	struct string_list features = {0};
	struct text out = TEXT_INIT;
	bool after_opcode = false;

	if (!at)
		return xstrdup(reason);
	at += strlen(lacks);
	text_add_bytes(&out, reason, (size_t)(at - reason));
	while (*at) {
		const char *end = feature_end(at);
		char *feature = short_feature(at, (size_t)(end - at));

		if (!string_list_has(&features, feature)) {
			const bool is_opcode = strncmp(feature, opcode, sizeof(opcode) - 1) == 0;

			text_addf(&out, "%s%s", features.count ? ", " : "",
				  feature + (is_opcode && after_opcode ? sizeof(opcode) - 1 : 0));
			after_opcode = is_opcode;
			string_list_add(&features, feature);
		}
		free(feature);
		at = *end ? end + 2 : end;
	}
	string_list_release(&features);
	return text_detach(&out);
}
