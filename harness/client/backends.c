/* The table of known backends. */
#include "harness/client/client.h"

#include <string.h>

static const char *const device_options[] = {
	"min-samples",  "max-time", "precision", "cache",   "rounds",      "placements", "device",
	"counter-dump", "ceilings", "decide",    "compare", "decide-time", NULL};
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
