/* Facts of this machine and this build, and which processes live. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/process.h"
#include "harness/origin/origin.h"
#include "perflab_config.h"
#include "perflab_revision.h"

#define PROC_LIMIT (1 << 20)
#define REVISION_LIMIT 64

const char *host_build_revision(void)
{
	static const char revision[] = PERFLAB_SOURCE_REVISION;

	return revision[0] ? revision : NULL;
}

/* The git revision of the working directory, malloc'd; NULL: none. */
static char *working_revision(void)
{
	char *argv[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD", NULL};
	struct text out = TEXT_INIT;
	char *revision = NULL;

	if (process_capture(&out, REVISION_LIMIT, argv, NULL) == 0) {
		out.data[strcspn(out.data, "\n")] = '\0';
		if (*out.data)
			revision = xstrdup(out.data);
	}
	text_release(&out);
	return revision;
}

void host_facts(struct key_value_list *environment)
{
	static const char sanitizer[] = PERFLAB_SANITIZER;
	char *revision = working_revision(), *info = NULL, *line;
	struct utsname host;
	size_t length;

	if (uname(&host) == 0) {
		char *kernel = xasprintf("%s %s %s", host.sysname, host.release, host.machine);

		key_value_set(environment, "host", host.nodename);
		key_value_set(environment, "kernel", kernel);
		free(kernel);
	}
	if (!read_file(&info, &length, "/proc/cpuinfo", PROC_LIMIT, NULL)) {
		line = strstr(info, "model name");
		if (line && (line = strchr(line, ':'))) {
			line += 1 + strspn(line + 1, " \t");
			line[strcspn(line, "\n")] = '\0';
			key_value_set(environment, "processor", line);
		}
	}
	free(info);
	key_value_set(environment, "build_type", PERFLAB_BUILD_TYPE);
	if (sanitizer[0])
		key_value_set(environment, "sanitizer", sanitizer);
	if (revision && strncmp(revision, PERFLAB_SOURCE_REVISION, strlen(revision)) != 0)
		key_value_set(environment, "working_revision", revision);
	free(revision);
}

/* The start of a process in clock ticks since boot: field 22 of its stat. malloc'd; "": there is
 * no such process. */
static char *process_start(long pid)
{
	char *path = xasprintf("/proc/%ld/stat", pid);
	char *stat = NULL, *start = NULL, *field;
	size_t length;

	if (read_file(&stat, &length, path, PROC_LIMIT, NULL) == 0) {
		/* field 2, the name, may contain anything, so count from its last parenthesis */
		field = strrchr(stat, ')');
		for (int i = 2; field && i < 22; i++)
			field = strchr(field + 1, ' ');
		if (field)
			start = xstrndup(field + 1, strcspn(field + 1, " \n"));
	}
	free(stat);
	free(path);
	return start ? start : xstrdup("");
}

static char *process_mark_of(long pid)
{
	struct utsname host = {0};
	char *start = process_start(pid);
	char *mark;

	uname(&host);
	mark = xasprintf("%s %ld %s", host.nodename, pid, start);
	free(start);
	return mark;
}

char *host_process_mark(void)
{
	return process_mark_of((long)getpid());
}

bool host_process_lives(const char *mark)
{
	const char *blank = strchr(mark, ' ');
	long pid = blank ? strtol(blank + 1, NULL, 10) : 0;
	char *now;
	bool same;

	if (pid <= 0 || mark[strlen(mark) - 1] == ' ')
		return false;
	now = process_mark_of(pid);
	same = strcmp(now, mark) == 0;
	free(now);
	return same;
}

void host_correct_state(struct run *run)
{
	const char *mark = key_value_get(&run->environment, "process");
	struct utsname host = {0};
	size_t length;

	uname(&host);
	length = strlen(host.nodename);
	if (run->state != RUN_RUNNING || !mark)
		return;
	/* nothing is known about processes on other hosts */
	if (strncmp(mark, host.nodename, length) != 0 || mark[length] != ' ' ||
	    host_process_lives(mark))
		return;
	run->state = RUN_INTERRUPTED;
}
