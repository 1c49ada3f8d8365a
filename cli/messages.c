/*
 * Messages on stderr, what the terminal can show, and the check that stdout
 * took everything.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"

/* More of one message is left out: it came from a file or a worker. */
#define SAY_MOST_BYTES ((size_t)16 << 10)

static void say_visible(const char *text)
{
	struct text line = TEXT_INIT;

	text_add_escaped(&line, text);
	if (line.length > SAY_MOST_BYTES) {
		size_t end = SAY_MOST_BYTES;

		while (end && ((unsigned char)line.data[end] & 0xc0) == 0x80)
			end--;
		fprintf(stderr, "perflab: %.*s... (%zu bytes left out)\n", (int)end, line.data,
			line.length - end);
	} else {
		fprintf(stderr, "perflab: %s\n", line.data);
	}
	text_release(&line);
}

void say(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		abort(); /* no memory */
	va_end(args);
	say_visible(text);
	free(text);
}

void say_lines(const char *text)
{
	struct string_list lines = {0};

	string_list_split(&lines, text, '\n');
	for (size_t i = 0; i < lines.count; i++)
		if (*lines.items[i])
			say_visible(lines.items[i]);
	string_list_release(&lines);
}

static int terminal_width(int descriptor)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t width;

	if (!isatty(descriptor))
		return 0;
	if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	if (columns && parse_i64(&width, columns, NULL) == 0 && width > 0 && width < 10000)
		return (int)width;
	return 80;
}

/* Whether the locale of the environment uses UTF-8. The program never calls setlocale(), so that
 * its output is the same in every locale. */
static bool locale_has_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

void terminal_look(struct terminal *terminal)
{
	const char *kind = getenv("TERM");
	const char *no_colour = getenv("NO_COLOR");
	bool dumb = !kind || !*kind || strcmp(kind, "dumb") == 0;

	terminal->out_width = terminal_width(STDOUT_FILENO);
	terminal->err_width = terminal_width(STDERR_FILENO);
	terminal->out_colour = terminal->out_width > 0 && !dumb && !(no_colour && *no_colour);
	terminal->out_ascii = terminal->out_width > 0 && !locale_has_utf8();
	terminal->err_rewrites = terminal->err_width > 0 && !dumb;
}

int stdout_printed(struct error *err)
{
	/* errno is still that of the failed write, because a verb that only prints sets no other */
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return error_set(err, PL_EIO, "cannot write to standard output: %s", strerror(errno));
}

int stdout_check(struct error *err)
{
	bool failed = ferror(stdout) != 0;
	int cause;

	errno = 0;
	failed |= fflush(stdout) != 0;
	cause = errno;
	/* only close() reports a full disk on a network mount; EBADF means that stdout was closed
	 * from the start, which is fine if nothing was written */
	if (fclose(stdout) != 0 && errno != EBADF) {
		failed = true;
		cause = errno;
	}
	if (!failed)
		return 0;
	return error_set(err, PL_EIO, "cannot write to standard output: %s",
			 cause ? strerror(cause) : "an earlier write failed");
}
