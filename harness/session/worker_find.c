/* Finds the program of a worker. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/session/backends.h"
#include "harness/session/workers.h"

static bool is_worker_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static bool find_worker_in_path(struct text *path, const char *program)
{
	struct string_list folders = {0};
	const char *variable = getenv("PATH");
	bool found = false;

	if (!variable)
		return false;
	string_list_split(&folders, variable, ':');
	for (size_t i = 0; i < folders.count && !found; i++) {
		if (!*folders.items[i])
			continue;
		text_clear(path);
		text_addf(path, "%s/%s", folders.items[i], program);
		found = is_worker_program(path->data);
	}
	string_list_release(&folders);
	return found;
}

int worker_find(struct text *path, const char *backend, struct error *err)
{
	const struct backend *known = backend_find(backend);
	char variable[64];
	char program[64];
	struct text found = TEXT_INIT;
	const char *forced;
	int rc = 0;

	if (!*backend || strlen(backend) > 32 ||
	    backend[strspn(backend, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return error_set(err, PL_EUSAGE, "'%.80s' is no backend: there are cuda and ptx",
				 backend);
	snprintf(program, sizeof(program), "perflab-worker-%s", backend);
	snprintf(variable, sizeof(variable), "PERFLAB_WORKER_%s", backend);
	for (char *c = variable; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	forced = getenv(variable);
	if (forced && *forced) {
		text_add(&found, forced);
		if (!is_worker_program(forced))
			rc = error_set(err, PL_EUNSUPPORTED,
				       "$%s names '%s', which is not an executable program",
				       variable, forced);
	} else {
		char *relative = xasprintf("bin/%s", program);

		if ((install_path(&found, relative, NULL) || !is_worker_program(found.data)) &&
		    !find_worker_in_path(&found, program))
			rc = error_set(err, PL_EUNSUPPORTED,
				       "there is no %s beside perflab or in $PATH: %s, or name the "
				       "program in $%s",
				       program,
				       known ? known->build_remedy : "build perflab's target all",
				       variable);
		free(relative);
	}
	if (!rc) {
		text_clear(path);
		text_add(path, found.data);
	}
	text_release(&found);
	return rc;
}
