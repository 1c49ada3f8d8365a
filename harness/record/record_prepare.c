/* What a recording needs before the program runs. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/process.h"
#include "capture/capture.h"
#include "harness/record/record_steps.h"
#include "perflab_config.h"

#define DEFAULT_NAME "perflab"
#define DEFAULT_NAME_MOST 64
/* File systems take 255 bytes; "-12345678.capture.part-12345678-12345678" follows. */
#define CAPTURE_NAME_MOST 200

/* ---- the libraries ---- */

/* A variable that names a library. */
static int check_library(const char *variable, const char *path, struct error *err)
{
	struct stat status;

	if (stat(path, &status))
		return error_set(err, PL_EUNSUPPORTED, "$%s names '%s', which does not exist",
				 variable, path);
	if (!S_ISREG(status.st_mode))
		return error_set(err, PL_EUNSUPPORTED, "$%s names '%s', which is no file", variable,
				 path);
	if (access(path, R_OK))
		return error_set(err, PL_EUNSUPPORTED, "$%s names '%s', which cannot be read: %s",
				 variable, path, strerror(errno));
	return 0;
}

int recorder_find(struct text *path, struct error *err)
{
	static const char *const places[] = {"lib/" RECORDER_NAME, "lib/perflab/" RECORDER_NAME,
					     "lib64/" RECORDER_NAME};
	const char *forced = getenv("PERFLAB_RECORDER");
	char absolute[PATH_MAX];

	if (forced && *forced) {
		int rc = check_library("PERFLAB_RECORDER", forced, err);

		if (rc)
			return rc;
		if (!realpath(forced, absolute))
			return error_set(err, PL_EIO, "$PERFLAB_RECORDER: %s: %s", forced,
					 strerror(errno));
		text_clear(path);
		text_add(path, absolute);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!install_path(path, places[i], NULL) && access(path->data, R_OK) == 0)
			return 0;
	text_clear(path);
	return error_set(err, PL_EUNSUPPORTED,
			 "there is no " RECORDER_NAME " in the installation of perflab: build "
			 "perflab where the CUDA toolkit is, or name the library in "
			 "$PERFLAB_RECORDER");
}

bool cupti_find(struct text *path)
{
	static const char *const places[] = {"extras/CUPTI/lib64", "lib64", "lib",
					     "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
	static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};
	const char *const toolkits[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
					"/opt/cuda"};
	const char *forced = getenv("PERFLAB_CUPTI");

	if (forced && *forced) {
		text_clear(path);
		text_add(path, forced);
		return true;
	}
	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		for (size_t t = 0; t < ARRAY_SIZE(toolkits); t++)
			for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
				if (!toolkits[t] || *toolkits[t] != '/')
					continue;
				text_clear(path);
				text_addf(path, "%s/%s/%s", toolkits[t], places[p], names[n]);
				if (access(path->data, R_OK) == 0)
					return true;
			}
	text_clear(path);
	return false;
}

int cupti_check(struct error *err)
{
	const char *forced = getenv("PERFLAB_CUPTI");

	return forced && *forced ? check_library("PERFLAB_CUPTI", forced, err) : 0;
}

/* ---- the request ---- */

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

int record_captures_prefix(char **out, const struct record_request *request, struct error *err)
{
	char *name = request->output ? xstrdup(request->output)
		     : request->lists || !request->patterns->count
			     ? xstrdup(DEFAULT_NAME)
			     : name_of_pattern(request->patterns->items[0]);
	char *slash = strrchr(name, '/'), folder[PATH_MAX];
	const char *last = slash ? slash + 1 : name;
	bool is_name = true;
	int rc = 0;

	*out = NULL;
	if (has_suffix(name, CAPTURE_SUFFIX))
		name[strlen(name) - strlen(CAPTURE_SUFFIX)] = '\0';
	for (const char *at = name; *at; at++)
		is_name &= (unsigned char)*at >= ' ' && *at != 0x7f;
	if (!is_name || !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0 ||
	    strlen(last) > CAPTURE_NAME_MOST) {
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
			*out = xasprintf("%s/%s", strcmp(folder, "/") ? folder : "", last);
	}
	free(name);
	return rc;
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
	struct text command = TEXT_INIT;
	struct utsname host;

	recording->started_ns = wall_time_ns();
	recording->label = request->label ? xstrdup(request->label) : NULL;
	recording->version = xstrdup(PERFLAB_VERSION);
	for (size_t i = 0; request->command && i < request->command->count; i++) {
		if (i)
			text_add_char(&command, ' ');
		shell_word(&command, request->command->items[i]);
	}
	if (request->command)
		recording->command = text_detach(&command);
	if (uname(&host) == 0)
		recording->host = xstrdup(host.nodename);
	return uid_make(recording->uid, err);
}
