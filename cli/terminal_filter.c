/*
 * The last look at what goes to a terminal on standard output. Writers escape what they take from
 * files; this makes sure of it, for formats that a terminal does not usually get, such as JSON,
 * too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

#define CHARACTER_BYTES_MOST 4
#define COLOUR_BYTES_MOST 32

/* Bytes that wait for the rest of a character or of a colour. */
struct filter {
	char waiting[COLOUR_BYTES_MOST + 1];
	size_t count;
};

static bool write_all(const char *bytes, size_t length)
{
	while (length) {
		ssize_t wrote = write(STDOUT_FILENO, bytes, length);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return false;
		bytes += wrote;
		length -= (size_t)wrote;
	}
	return true;
}

/* Whether bytes begin with a colour as perflab writes it, ESC [ 0-9 ; m: 1 yes, 0 no, -1 more bytes
 * must show it. *length is its length. */
static int is_colour(const char *bytes, size_t count, size_t *length)
{
	static const char begin[] = "\033[";

	for (size_t i = 0; i < count && i < COLOUR_BYTES_MOST; i++) {
		*length = i + 1;
		if (i < 2 ? bytes[i] != begin[i] : !bytes[i] || !strchr("0123456789;m", bytes[i]))
			return 0;
		if (bytes[i] == 'm')
			return 1;
	}
	return count < COLOUR_BYTES_MOST ? -1 : 0;
}

/* Whether the bytes may be the beginning of a longer UTF-8 character. */
static bool is_begun(const char *bytes, size_t count)
{
	const unsigned char first = (unsigned char)bytes[0];
	const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;

	if (count >= length)
		return false;
	for (size_t i = 1; i < count; i++)
		if (((unsigned char)bytes[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Adds what is complete of the text, which ends with NUL; returns its length. */
static size_t add_complete(struct text *out, const char *text, size_t count, bool at_end)
{
	size_t done = 0;

	while (done < count) {
		const char *next = text + done;
		char character[CHARACTER_BYTES_MOST + 1] = {0};
		uint32_t point;
		size_t length = 1;
		int colour = *next == '\033' ? is_colour(next, count - done, &length) : 0;

		if (!at_end && (colour < 0 || is_begun(next, count - done)))
			break;
		if (colour <= 0)
			length = *next ? utf8_next(next, &point) : 0;
		length = length ? length : 1;
		if (colour > 0 || *next == '\n' || *next == '\t') {
			text_add_bytes(out, next, length);
		} else if (!*next) {
			text_add(out, "\\x00");
		} else {
			memcpy(character, next, length);
			text_add_escaped(out, character);
		}
		done += length;
	}
	return done;
}

static bool pass(struct filter *filter, const char *bytes, size_t count, bool at_end)
{
	struct text all = TEXT_INIT, shown = TEXT_INIT;
	size_t done;
	bool wrote;

	text_add_bytes(&all, filter->waiting, filter->count);
	text_add_bytes(&all, bytes, count);
	done = add_complete(&shown, all.data, all.length, at_end);
	filter->count = all.length - done;
	memcpy(filter->waiting, all.data + done, filter->count);
	wrote = write_all(shown.data, shown.length);
	text_release(&shown);
	text_release(&all);
	return wrote;
}

static ssize_t filter_write(void *context, const char *bytes, size_t count)
{
	return pass(context, bytes, count, false) ? (ssize_t)count : 0;
}

static int filter_close(void *context)
{
	const bool passed = pass(context, "", 0, true);

	free(context);
	return passed ? 0 : EOF;
}

void terminal_filter_begin(const struct terminal *terminal)
{
	static const cookie_io_functions_t functions = {.write = filter_write,
							.close = filter_close};
	struct filter *filter;
	FILE *stream;

	if (terminal->out_width == 0)
		return;
	filter = xcalloc(1, sizeof(*filter));
	stream = fopencookie(filter, "w", functions);
	if (!stream) {
		free(filter);
		return;
	}
	setvbuf(stream, NULL, _IOLBF, BUFSIZ);
	stdout = stream;
}
