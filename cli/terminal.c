/* What goes to the terminal: messages on stderr, the filter and the pager of stdout, and the check
 * that stdout took everything. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "cli/command.h"

/* More of one message is left out: it came from a file or a worker. */
#define SAY_MOST_BYTES ((size_t)16 << 10)
#define CHARACTER_BYTES_MOST 4
#define COLOUR_BYTES_MOST 32
#define DEFAULT_PAGER "less"

/* ---- messages ---- */

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
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
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

/* ---- what the terminal can show ---- */

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

/* ---- the filter ---- */

/* The last look at what goes to a terminal on standard output. Writers escape what they take from
 * files; this makes sure of it, for formats that a terminal does not usually get, such as JSON,
 * too.
 */

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

/* ---- the pager ---- */

/* Signal handlers have no context argument, so these are static. */
static volatile pid_t running; /* 0: no pager runs */
static int reading_end;        /* of the pipe to the pager */
static int null_device;        /* /dev/null */
static int own_messages = -1;  /* stderr before the pager; -1: it does not go there */

/* A pager that still reads would fight with the shell for the terminal. */
static void await_pager(int signal_number)
{
	pid_t pager = running;

	running = 0;
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (pager > 0 && waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/*
 * The user has left the pager, perhaps before it has read everything. perflab then goes on without
 * a reader, so that it ends with the exit code of its result. While it holds the reading end, no
 * write fails: one that waits is restarted by SA_RESTART, and then writes to /dev/null. A program
 * that the pager left behind may still read.
 */
static void leave_pager(int signal_number)
{
	const int error = errno;
	struct pollfd writing = {.fd = STDOUT_FILENO};
	pid_t pager = running;

	(void)signal_number;
	if (pager > 0 && waitpid(pager, NULL, WNOHANG) == pager) {
		running = 0;
		close(reading_end);
		if (poll(&writing, 1, 0) > 0 && (writing.revents & POLLERR)) {
			dup2(null_device, STDOUT_FILENO);
			if (own_messages >= 0)
				dup2(own_messages, STDERR_FILENO);
		}
	}
	errno = error;
}

static bool is_executable_in(const char *folder, size_t length, const char *program)
{
	char *path = xasprintf("%.*s%s%s", (int)length, folder, length ? "/" : "", program);
	bool found = access(path, X_OK) == 0;

	free(path);
	return found;
}

/* Whether the first word of a command of the shell is a program. What is no plain word is left to
 * the shell. */
static bool pager_exists(const char *command)
{
	size_t length = strcspn(command, " \t");
	char *program = xstrndup(command, length);
	const char *path = getenv("PATH");
	bool found = strpbrk(program, "\"'$`\\=(){};&|<>*?~") || strchr(program, '/');

	while (!found && path && *path) {
		size_t folder = strcspn(path, ":");

		found = is_executable_in(path, folder, program);
		path += folder + (path[folder] == ':');
	}
	free(program);
	return found;
}

/* NULL: there is none. */
static const char *pager_command(void)
{
	const char *command = getenv("PERFLAB_PAGER");
	const char *kind = getenv("TERM");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = DEFAULT_PAGER;
	/* a terminal that cannot move its cursor has no use for one */
	if (!*command || strcmp(command, "cat") == 0 || !kind || strcmp(kind, "dumb") == 0)
		return NULL;
	return pager_exists(command) ? command : NULL;
}

/* Returns false if the pager cannot be started. */
static bool spawn_pager(const char *command, int input)
{
	char *const argv[] = {"sh", "-c", (char *)command, NULL};
	struct string_list variables = {0};
	char **environment;
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int failed;

	/* options for less and lv, unless the user has set them: quit if all fits on one screen,
	 * show colours, leave the text on the screen */
	if (!getenv("LESS"))
		string_list_add(&variables, "LESS=FRX");
	if (!getenv("LV"))
		string_list_add(&variables, "LV=-c");
	environment = environment_with(&variables);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	failed = posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	string_list_release(&variables);
	if (!failed)
		running = pid;
	return !failed;
}

static bool wants_pager(const struct invocation *call)
{
	bool offers = false;

	for (size_t i = 0; i < call->command->option_count; i++)
		offers |= strcmp(call->command->options[i].name, "no-pager") == 0;
	return offers && call->terminal.out_width > 0 && !option_given(call, "no-pager") &&
	       !option_given(call, "output");
}

/* From here on, output goes to the pager, until it or perflab ends. */
static void write_to_pager(const struct invocation *call, int writing_end)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};

	fflush(stdout);
	if (call->terminal.err_width > 0)
		own_messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	dup2(writing_end, STDOUT_FILENO);
	if (own_messages >= 0)
		dup2(writing_end, STDERR_FILENO);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], await_pager);
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = leave_pager, .sa_flags = SA_RESTART},
		  NULL);
	raise(SIGCHLD); /* it may have ended already */
}

void pager_start(const struct invocation *call)
{
	const char *command = wants_pager(call) ? pager_command() : NULL;
	int ends[2];

	if (!command || pipe2(ends, O_CLOEXEC) != 0)
		return;
	null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null_device >= 0 && spawn_pager(command, ends[0])) {
		reading_end = ends[0];
		write_to_pager(call, ends[1]);
	} else {
		close(ends[0]);
	}
	close(ends[1]);
}

void pager_finish(void)
{
	pid_t pager;

	signal(SIGCHLD, SIG_DFL);
	pager = running;
	if (pager <= 0)
		return;
	/* Ctrl-C belongs to the pager now */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	running = 0;
	/* the pager ends when no copy of its pipe is open; closing the stream stdout may leave one
	 */
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
