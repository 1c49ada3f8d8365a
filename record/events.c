#include "record/events.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *events_path;
static bool announced;

void events_init(const char *folder, bool announce)
{
	events_path = xasprintf("%s/%d.events", folder, (int)getpid());
	announced = announce;
}

json_t *event_json(const char *text)
{
	json_t *json = json_string(text);
	char *ascii;

	if (json)
		return json;
	ascii = xstrdup(text);
	for (char *c = ascii; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	json = json_string(ascii);
	free(ascii);
	return json;
}

static const char *text_of(const json_t *members, const char *name)
{
	const char *text = json_string_value(json_object_get(members, name));

	return text ? text : "";
}

/* For programs that were started by `perflab record --env`. */
static void announce(const char *name, const json_t *members)
{
	struct text line = TEXT_INIT;
	char size[32];

	format_bytes(size, (double)json_integer_value(json_object_get(members, "bytes")));
	if (!strcmp(name, "begun"))
		text_addf(&line, "perflab: recording launch %" JSON_INTEGER_FORMAT " of %s: %s\n",
			  json_integer_value(json_object_get(members, "launch")),
			  text_of(members, "kernel"), size);
	else if (!strcmp(name, "captured"))
		text_addf(&line, "perflab: wrote %s\n", text_of(members, "path"));
	else if (!strcmp(name, "failed") || !strcmp(name, "refused"))
		text_addf(&line, "perflab: nothing recorded: %s\n", text_of(members, "why"));
	else if (!strcmp(name, "note"))
		text_addf(&line, "perflab: %s\n", text_of(members, "why"));
	if (line.length && write(STDERR_FILENO, line.data, line.length) < 0) {
		/* the program has closed its stderr */
	}
	text_release(&line);
}

void events_send(const char *name, json_t *members)
{
	char *text;
	struct text line = TEXT_INIT;

	json_object_set_new(members, "event", json_string(name));
	text = json_dumps(members, JSON_COMPACT);
	if (text) {
		const int fd = open(events_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		text_addf(&line, "%s\n", text);
		if (fd >= 0 && write(fd, line.data, line.length) != (ssize_t)line.length) {
			/* the disk is full: perflab finds a line that does not end */
		}
		if (fd >= 0)
			close(fd);
		free(text);
	}
	if (announced)
		announce(name, members);
	json_decref(members);
	text_release(&line);
}
