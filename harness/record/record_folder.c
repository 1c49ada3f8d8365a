/* Writes and reads the files that perflab and the recorder exchange. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "harness/protocol/protocol.h"
#include "harness/record/record_steps.h"

#define REQUEST_FILE "request.json"
#define RECORDING_FILE "recording.json"
#define FILE_MOST ((size_t)1 << 20)
#define EVENTS_MOST ((size_t)1 << 28) /* bytes of one process */
#define EVENTS_SUFFIX ".events"

/* ---- writing ---- */

static int write_json(const char *folder, const char *name, const json_t *json, struct error *err)
{
	char *path = xasprintf("%s/%s", folder, name);
	int rc = json_dump_file(json, path, JSON_INDENT(1));

	if (rc)
		rc = error_set(err, PL_EIO, "cannot write %s: %s", path, strerror(errno));
	free(path);
	return rc;
}

int record_write_request(const struct attachment *attachment, const struct record_request *request,
			 const struct recording *recording, bool announce,
			 const struct chosen_launch *chosen, size_t chosen_count, struct error *err)
{
	const struct string_list none = {0};
	struct text cupti = TEXT_INIT;
	json_t *json = json_object(), *kept = json_object(), *array = json_array();
	int rc;

	json_object_set_new(json, "mode", json_text(request->lists ? "list" : "record"));
	json_object_set_new(json, "patterns",
			    json_strings(request->patterns ? request->patterns : &none));
	json_object_set_new(json, "launch", json_integer(request->launch));
	json_object_set_new(json, "every", json_integer(request->every));
	json_object_set_new(json, "most", json_integer(request->most));
	json_object_set_new(json, "limit_bytes", json_integer(request->limit_bytes));
	json_object_set_new(json, "output", json_text(attachment->prefix));
	json_object_set_new(json, "cupti", json_text(cupti_find(&cupti) ? cupti.data : NULL));
	json_object_set_new(json, "announce", json_boolean(announce));
	for (size_t i = 0; i < chosen_count; i++) {
		json_t *item = json_object();

		json_object_set_new(item, "kernel", json_text(chosen[i].name));
		json_object_set_new(item, "launch", json_integer(chosen[i].launch));
		json_array_append_new(array, item);
	}
	if (chosen)
		json_object_set(json, "chosen", array);
	json_object_set_new(kept, "uid", json_text(recording->uid));
	json_object_set_new(kept, "started_ns", json_integer(recording->started_ns));
	json_object_set_new(kept, "label", json_text(recording->label));
	rc = write_json(attachment->folder, RECORDING_FILE, kept, err);
	if (!rc)
		rc = write_json(attachment->folder, REQUEST_FILE, json, err);
	json_decref(array);
	json_decref(kept);
	json_decref(json);
	text_release(&cupti);
	return rc;
}

/* ---- reading the request ---- */

static int read_json(json_t **out, const char *folder, const char *name, struct error *err)
{
	char *path = xasprintf("%s/%s", folder, name), *bytes = NULL;
	json_error_t problem;
	size_t length;
	int rc = read_file(&bytes, &length, path, FILE_MOST, err);

	if (!rc) {
		*out = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &problem);
		if (!json_is_object(*out))
			rc = error_set(err, PL_EPARSE, "%s line %d: %s", path,
				       *out ? 1 : problem.line, *out ? "no object" : problem.text);
	}
	if (rc) {
		json_decref(*out);
		*out = NULL;
	}
	free(bytes);
	free(path);
	return rc;
}

static int take_recording(struct recording *recording, const json_t *json, struct error *err)
{
	const char *label = NULL;
	int rc = member_string(recording->uid, sizeof(recording->uid), json, "uid", err);

	if (!rc && strspn(recording->uid, "0123456789abcdef") != sizeof(recording->uid) - 1)
		rc = error_set(err, PL_EPARSE, "uid is not 32 hex digits");
	if (!rc)
		rc = member_int64(&recording->started_ns, json, "started_ns", 0, INT64_MAX, err);
	if (!rc)
		rc = member_borrow(&label, json, "label", true, err);
	if (!rc && label)
		recording->label = xstrdup(label);
	return rc;
}

static int take_mode(struct recording *recording, char **prefix, const json_t *json,
		     struct error *err)
{
	const char *mode = NULL, *output = NULL;
	int rc = member_borrow(&mode, json, "mode", false, err);

	if (!rc)
		rc = member_borrow(&output, json, "output", true, err);
	if (!rc && strcmp(mode, "list") != 0 && strcmp(mode, "record") != 0)
		rc = error_set(err, PL_EPARSE, "mode is neither list nor record");
	if (rc)
		return rc;
	recording->lists = strcmp(mode, "list") == 0;
	*prefix = output ? xstrdup(output) : NULL;
	return 0;
}

int record_folder_read(struct recording *recording, char **prefix, const char *folder,
		       struct error *err)
{
	json_t *request = NULL, *kept = NULL;
	int rc = read_json(&request, folder, REQUEST_FILE, err);

	*prefix = NULL;
	if (!rc)
		rc = read_json(&kept, folder, RECORDING_FILE, err);
	if (!rc)
		rc = error_context(err, take_recording(recording, kept, err), "%s/" RECORDING_FILE,
				   folder);
	if (!rc)
		rc = error_context(err, take_mode(recording, prefix, request, err),
				   "%s/" REQUEST_FILE, folder);
	json_decref(request);
	json_decref(kept);
	return rc == PL_EPROTOCOL ? error_set(err, PL_EPARSE, "%s", err ? err->text : "") : rc;
}

/* ---- events ---- */

/* The number in "123.events"; 0: another name. */
static int64_t events_pid(const char *name)
{
	const size_t digits = strspn(name, "0123456789");
	int64_t pid = 0;

	if (!digits || digits > 10 || strcmp(name + digits, EVENTS_SUFFIX) != 0)
		return 0;
	for (size_t i = 0; i < digits; i++)
		pid = pid * 10 + (name[i] - '0');
	return pid;
}

static void read_events(struct recording_log *log, int fd, struct log_process *process)
{
	char bytes[16384];
	ssize_t got;

	while (process->offset < EVENTS_MOST &&
	       (got = pread(fd, bytes, sizeof(bytes), (off_t)process->offset)) > 0) {
		recording_log_take(log, process, bytes, (size_t)got);
		process->offset += (size_t)got;
	}
}

void record_folder_poll(struct recording_log *log, const char *folder)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;

	/* a process is known from its file on, so that the first message already says which one it
	 * is */
	for (int pass = 0; directory && pass < 2; pass++) {
		rewinddir(directory);
		while ((entry = readdir(directory))) {
			const int64_t pid = events_pid(entry->d_name);
			const int fd = pid ? openat(dirfd(directory), entry->d_name,
						    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
					   : -1;
			struct log_process *process = NULL;
			struct stat status;

			/* only a plain file is read: the folder belongs to a foreign program */
			if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode))
				process = recording_log_process(log, pid);
			if (process && pass)
				read_events(log, fd, process);
			if (fd >= 0)
				close(fd);
		}
	}
	if (directory)
		closedir(directory);
}

/* ---- parts of captures ---- */

bool record_process_lives(int64_t pid)
{
	char *path, *text = NULL;
	const char *state;
	size_t length;
	bool lives = true;

	if (pid <= 0 || pid > INT32_MAX || (kill((pid_t)pid, 0) != 0 && errno != EPERM))
		return false;
	path = xasprintf("/proc/%lld/stat", (long long)pid);
	/* a zombie has ended, and only waits for its parent */
	if (!read_file(&text, &length, path, FILE_MOST, NULL)) {
		state = strrchr(text, ')');
		lives = !state || strncmp(state, ") Z", 3) != 0;
	}
	free(text);
	free(path);
	return lives;
}

/* The process that writes "PREFIX-2.capture.part-123-0"; 0: another name. */
static int64_t part_pid(const char *name, const char *prefix)
{
	static const char middle[] = CAPTURE_SUFFIX ".part-";
	const char *at = name + strlen(prefix);
	int64_t pid = 0;

	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return 0;
	if (*at == '-')
		at += 1 + strspn(at + 1, "0123456789");
	if (strncmp(at, middle, strlen(middle)) != 0)
		return 0;
	for (at += strlen(middle); isdigit((unsigned char)*at) && pid < INT32_MAX; at++)
		pid = pid * 10 + (*at - '0');
	return *at == '-' ? pid : 0;
}

void record_remove_parts(const struct recording_log *log, const char *prefix)
{
	const char *slash = prefix ? strrchr(prefix, '/') : NULL;
	char *folder = slash ? xstrndup(prefix, (size_t)(slash - prefix) + 1) : NULL;
	DIR *directory = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		const int64_t pid = part_pid(entry->d_name, slash + 1);
		char *line;

		if (!pid || !recording_log_find(log, pid) || record_process_lives(pid) ||
		    unlinkat(dirfd(directory), entry->d_name, 0))
			continue;
		line = xasprintf("removed %s%s: its process ended before the capture was complete",
				 folder, entry->d_name);
		if (log->notice)
			log->notice(log->context, line);
		free(line);
	}
	if (directory)
		closedir(directory);
	free(folder);
}
