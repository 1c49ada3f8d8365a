/* The files of the user among the facts of a run. See source_facts.h. */
#include "harness/session/source_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A compiler reads no larger source. */
#define SOURCE_MOST_BYTES ((size_t)256 << 20)

static void add_source_path(struct string_list *paths, const struct kernel_source *source)
{
	if (source && !string_list_has(paths, source->path))
		string_list_add(paths, source->path);
}

static void list_sources(struct string_list *paths, const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct kernel_variant *variant = plan->cases[i].descriptor_variant;

		add_source_path(paths, variant->source);
		if (variant->check)
			add_source_path(paths, variant->check->source);
	}
}

/* NULL: the file cannot be read. */
static char *hash_file(const char *path)
{
	char *text = NULL, *hash;
	size_t length = 0;

	if (read_file(&text, &length, path, SOURCE_MOST_BYTES, NULL))
		return NULL;
	hash = xasprintf("%016" PRIx64, (uint64_t)XXH3_64bits(text, length));
	free(text);
	return hash;
}

void source_facts_add(struct key_value_list *environment, const struct plan *plan)
{
	struct string_list paths = {0};

	list_sources(&paths, plan);
	for (size_t i = 0; i < paths.count; i++) {
		char *key = xasprintf("source.%zu", i + 1);
		char *hash_key = xasprintf("source.%zu.hash", i + 1);
		char *hash = hash_file(paths.items[i]);

		key_value_set(environment, key, paths.items[i]);
		if (hash)
			key_value_set(environment, hash_key, hash);
		free(hash);
		free(hash_key);
		free(key);
	}
	string_list_release(&paths);
}

const char *source_facts_first(const struct run *run)
{
	return key_value_get(&run->environment, "source.1");
}

int source_facts_check(const struct run *run, const struct plan *plan, struct error *err)
{
	const char *const first = source_facts_first(run);
	struct key_value_list now = {0};
	int rc = 0;

	source_facts_add(&now, plan);
	if (first && !now.count)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld measured kernels of %s: name the file again, perflab "
			       "sweep %s --resume %lld",
			       (long long)run->id, first, first, (long long)run->id);
	for (size_t i = 0; i < now.count && !rc; i++) {
		const char *stored = key_value_get(&run->environment, now.items[i].key);

		if (!stored || strcmp(stored, now.items[i].value) != 0)
			rc = error_set(err, PL_EUNSUPPORTED,
				       "run %lld was begun with %s = %s, which is %s now: start a "
				       "new run",
				       (long long)run->id, now.items[i].key,
				       stored ? stored : "nothing", now.items[i].value);
	}
	key_value_list_release(&now);
	return rc;
}
