/* The table of known backends. */
#include "harness/session/backends.h"

#include <string.h>

static const char *const device_options[] = {"min-samples",  "max-time", "precision",
					     "cache",        "rounds",   "device",
					     "counter-dump", "ceilings", NULL};
static const char *const emulator_options[] = {"chip", "blocks", "jobs", NULL};

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

int backend_must_be_named(const char *backend, struct error *err)
{
	return strcmp(backend, BACKEND_AUTO)
		       ? 0
		       : error_set(err, PL_EUSAGE,
				   "--backend auto: this verb chooses no backend; name one, such "
				   "as " BACKEND_CUDA " or " BACKEND_PTX);
}
