/* Prepares a recording, before the program runs. */
#include "harness/record/record_prepare.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/process.h"
#include "capture/capture.h"
#include "perflab_config.h"

#define DEFAULT_NAME "perflab"
#define DEFAULT_NAME_MOST 64
/* File systems take 255 bytes; "-12345678.capture.part-12345678-12345678" follows. */
#define CAPTURE_NAME_MOST 200

int record_refuse_other_tool(struct error *err)
{
	const char *tool = getenv(RECORD_INJECTION), *folder = getenv(RECORD_FOLDER_VARIABLE);

	if (!tool || !*tool)
		return 0;
	if (folder && *folder)
		return error_set(err, PL_EUNSUPPORTED,
				 "the recorder is attached already, by the variables of \"perflab "
				 "record --env\": run \"unset " RECORD_INJECTION
				 " " RECORD_FOLDER_VARIABLE " " RECORD_PRELOAD "\" first");
	return error_set(err, PL_EUNSUPPORTED,
			 RECORD_INJECTION
			 " is set to %s: another tool is attached, and CUPTI serves only "
			 "one; run perflab without it",
			 tool);
}

/* "at::native::*softmax*" becomes "at_native_softmax". */
static char *name_of_pattern(const char *pattern)
{
	struct text name = TEXT_INIT;
	bool gap = false;

	for (; *pattern && name.length < DEFAULT_NAME_MOST; pattern++) {
		const bool plain = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "0123456789_",
					  *pattern) != NULL;

		if (plain && gap && name.length)
			text_add_char(&name, '_');
		if (plain)
			text_add_char(&name, *pattern);
		gap = !plain;
	}
	if (!name.length)
		text_add(&name, DEFAULT_NAME);
	return text_detach(&name);
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/* A folder is none. */
static bool is_capture_name(const char *name)
{
	return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strlen(name) <= CAPTURE_NAME_MOST;
}

int record_captures_prefix(char **out, const struct record_request *request, struct error *err)
{
	char *name = request->output ? xstrdup(request->output)
		     : request->lists || !request->patterns->count
			     ? xstrdup(DEFAULT_NAME)
			     : name_of_pattern(request->patterns->items[0]);
	char *slash = strrchr(name, '/'), folder[PATH_MAX];
	int rc = 0;

	*out = NULL;
	if (has_suffix(name, CAPTURE_SUFFIX))
		name[strlen(name) - strlen(CAPTURE_SUFFIX)] = '\0';
	if (!is_capture_name(slash ? slash + 1 : name) || !is_printable(name)) {
		rc = error_set(err, PL_EUSAGE,
			       "'%.80s' is no name for a capture: -o takes a path without "
			       ".capture, such as softmax or runs/softmax, whose name has at most "
			       "%d bytes",
			       request->output ? request->output : name, CAPTURE_NAME_MOST);
	} else {
		if (slash)
			*slash = '\0';
		if (!realpath(!slash          ? "."
			      : slash == name ? "/"
					      : name,
			      folder) ||
		    access(folder, W_OK))
			rc = error_set(err, PL_EIO, "cannot write captures in %s: %s",
				       slash ? name : ".", strerror(errno));
		else
			*out = xasprintf("%s/%s", strcmp(folder, "/") ? folder : "",
					 slash ? slash + 1 : name);
	}
	free(name);
	return rc;
}

static char *command_text(const struct string_list *command)
{
	struct text text = TEXT_INIT;

	for (size_t i = 0; i < command->count; i++) {
		if (i)
			text_add_char(&text, ' ');
		shell_word(&text, command->items[i]);
	}
	return text_detach(&text);
}

char *record_preload(const struct record_request *request, const char *recorder)
{
	const char *others = getenv(RECORD_PRELOAD);

	if (request->lists || request->no_preload || strpbrk(recorder, " :"))
		return NULL;
	return others && *others ? xasprintf("%s:%s", recorder, others) : xstrdup(recorder);
}

int record_describe(struct recording *recording, const struct record_request *request,
		    struct error *err)
{
	struct utsname host;

	recording->started_ns = wall_time_ns();
	recording->label = request->label ? xstrdup(request->label) : NULL;
	recording->version = xstrdup(PERFLAB_VERSION);
	if (request->command)
		recording->command = command_text(request->command);
	if (uname(&host) == 0)
		recording->host = xstrdup(host.nodename);
	return uid_make(recording->uid, err);
}

int record_write_request(const struct attachment *attachment, const struct record_request *request,
			 const struct recording *recording, bool announce,
			 const struct chosen_launch *chosen, size_t chosen_count, struct error *err)
{
	struct text cupti = TEXT_INIT;
	const struct folder_request folder = {
		.request = request,
		.prefix = attachment->prefix,
		.cupti = cupti_find(&cupti) ? cupti.data : NULL,
		.announce = announce,
		.chosen = chosen,
		.chosen_count = chosen_count,
	};
	int rc = record_folder_write(attachment->folder, &folder, recording, err);

	text_release(&cupti);
	return rc;
}
