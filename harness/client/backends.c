/* The table of known backends, and the programs of their workers. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/client/client.h"

static const char *const device_options[] = {
	"min-samples", "max-time",     "precision",     "cache",  "rounds",  "placements",
	"device",      "counter-dump", "ceilings",      "decide", "compare", "decide-time",
	"lines",       "no-source",    "take-counters", NULL};
static const char *const emulator_options[] = {"chip", "blocks", NULL};

static const struct backend known_backends[] = {
	{
		.name = BACKEND_CUDA,
		.traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
		.has_ceilings = true,
		.needs_toolkit = true,
		.build_remedy = "build perflab where the toolkit is installed (cmake says what it "
				"misses)",
		.options = device_options,
	},
	{
		.name = BACKEND_PTX,
		.traits = {.emulated = true, .warp_size = 32},
		.needs_all_checks = true,
		.build_remedy = "build perflab's target all",
		.options = emulator_options,
	},
};

const struct backend *backend_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_backends); i++)
		if (!strcmp(known_backends[i].name, name))
			return &known_backends[i];
	return NULL;
}

struct backend_traits backend_traits_of(const char *name)
{
	const struct backend *backend = backend_find(name);

	return backend ? backend->traits : (struct backend_traits){.timed = true};
}

const char *const *backend_unused_options(const struct backend_traits *traits)
{
	static const char *const none[] = {NULL};

	for (size_t i = 0; i < ARRAY_SIZE(known_backends); i++)
		if (known_backends[i].traits.emulated != traits->emulated)
			return known_backends[i].options;
	return none;
}

/* Words that people use for a backend. */
static const struct {
	const char *word, *backend;
} backend_words[] = {
	{"gpu", BACKEND_CUDA},      {"nvidia", BACKEND_CUDA},   {"device", BACKEND_CUDA},
	{"hardware", BACKEND_CUDA}, {"cpu", BACKEND_PTX},       {"emu", BACKEND_PTX},
	{"emulate", BACKEND_PTX},   {"emulated", BACKEND_PTX},  {"emulator", BACKEND_PTX},
	{"sim", BACKEND_PTX},       {"simulator", BACKEND_PTX},
};

int backend_unknown(const char *name, struct error *err)
{
	const char *names[ARRAY_SIZE(known_backends) + 1] = {BACKEND_AUTO};
	struct text near = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(known_backends); i++)
		names[i + 1] = known_backends[i].name;
	for (size_t i = 0; i < ARRAY_SIZE(backend_words) && !near.length; i++)
		if (strcasecmp(backend_words[i].word, name) == 0)
			text_add(&near, backend_words[i].backend);
	if (!near.length)
		nearest_names(&near, name, names, ARRAY_SIZE(names));
	rc = error_set(err, PL_EUSAGE, "'%.80s' is no backend: there are cuda and ptx%s%s%s", name,
		       near.length ? "; did you mean " : "", near.data, near.length ? "?" : "");
	text_release(&near);
	return rc;
}

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
		return backend_unknown(backend, err);
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
			rc = known ? error_set(err, PL_EUNSUPPORTED,
					       "there is no %s beside perflab or in $PATH: %s, or "
					       "name the program in $%s",
					       program, known->build_remedy, variable)
				   : backend_unknown(backend, err);
		free(relative);
	}
	if (!rc) {
		text_clear(path);
		text_add(path, found.data);
	}
	text_release(&found);
	return rc;
}

int backend_check_name(const char *backend, struct error *err)
{
	struct text path = TEXT_INIT;
	int rc = strcmp(backend, BACKEND_AUTO) ? worker_find(&path, backend, err) : 0;

	text_release(&path);
	return rc == PL_EUSAGE ? rc : 0;
}

int backend_must_be_named(const char *backend, struct error *err)
{
	if (strcmp(backend, BACKEND_AUTO) == 0)
		return error_set(err, PL_EUSAGE,
				 "--backend auto: this verb chooses no backend; name one, such "
				 "as " BACKEND_CUDA " or " BACKEND_PTX);
	return backend_check_name(backend, err);
}
