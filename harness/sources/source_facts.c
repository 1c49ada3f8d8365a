/* The files of the user: how they are written among the facts of a run, and read. See sources.h. */
#include "harness/sources/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define KEY_BYTES 48

static void source_key(char out[KEY_BYTES], size_t number, const char *suffix)
{
	snprintf(out, KEY_BYTES, "source.%zu%s", number, suffix);
}

bool source_fact_is_hash(const char *key)
{
	return strncmp(key, "source.", strlen("source.")) == 0 &&
	       has_suffix(key + strlen("source"), ".hash");
}

/* NULL: there is none. */
static const char *source_path(const struct key_value_list *facts, size_t number)
{
	char key[KEY_BYTES];

	source_key(key, number, "");
	return key_value_get(facts, key);
}

/* "": not known. */
static const char *source_hash(const struct key_value_list *facts, size_t number)
{
	char key[KEY_BYTES];
	const char *hash;

	source_key(key, number, ".hash");
	hash = key_value_get(facts, key);
	return hash ? hash : "";
}

/* NULL: the file cannot be read. */
static char *hash_input(const char *path)
{
	char hash[HASH_TEXT_BYTES];

	return hash_file(hash, path) ? NULL : xstrdup(hash);
}

/* Earlier versions hashed otherwise: whether such a file has changed is not known. */
static bool is_earlier_hash(const char *stored)
{
	return *stored && strlen(stored) != HASH_TEXT_BYTES - 1;
}

void source_facts_add(struct key_value_list *facts, const struct kernel_file *files)
{
	const struct kernel *kernel = files ? kernel_file_kernel(files) : NULL;
	const char *const *paths = NULL;
	const size_t count = files ? kernel_file_inputs(files, &paths) : 0;

	for (size_t i = 0; i < count; i++) {
		char *hash = hash_input(paths[i]);
		char key[KEY_BYTES];

		source_key(key, i + 1, "");
		key_value_set(facts, key, paths[i]);
		source_key(key, i + 1, ".hash");
		if (hash)
			key_value_set(facts, key, hash);
		free(hash);
	}
	for (size_t i = 0; kernel && i < kernel->variant_count; i++) {
		const struct kernel_variant *variant = &kernel->variants[i];
		const struct kernel_tolerance *own = variant->tolerance;
		/* "source.check.saxpy/items" */
		char *key = xasprintf(SOURCE_CHECK_PREFIX "%s/%s", kernel->name, variant->name);
		struct text check = TEXT_INIT;

		kernel_check_describe(&check, kernel, variant);
		text_addf(&check, "; tolerance abs = %g, rel = %g",
			  own ? own->abs : kernel->tolerance_abs,
			  own ? own->rel : kernel->tolerance_rel);
		key_value_set(facts, key, check.data);
		text_release(&check);
		free(key);
	}
}

void source_facts_compare(struct key_value_list *out, const struct run *run)
{
	const char *path;

	for (size_t i = 1; (path = source_path(&run->environment, i)) != NULL; i++) {
		char *hash = hash_input(path);
		const char *stored = source_hash(&run->environment, i);

		key_value_set(out, path,
			      !hash                       ? "cannot be read any more"
			      : is_earlier_hash(stored)   ? "may have changed since the run, which "
							    "an earlier version of perflab made"
			      : strcmp(hash, stored) == 0 ? ""
							  : "has changed since the run");
		free(hash);
	}
}

const char *source_facts_first(const struct run *run)
{
	return source_path(&run->environment, 1);
}

int source_facts_check(const struct run *run, const struct key_value_list *facts, struct error *err)
{
	const char *before, *now;

	for (size_t i = 1;; i++) {
		before = source_path(&run->environment, i);
		now = source_path(facts, i);
		if (!before && !now)
			return 0;
		if (!before || !now || strcmp(before, now) != 0)
			break;
		if (is_earlier_hash(source_hash(&run->environment, i)))
			return error_set(err, PL_EUNSUPPORTED,
					 "run %lld was begun by an earlier version of perflab, so "
					 "whether %s has changed is not known: start a new run",
					 (long long)run->id, now);
		if (strcmp(source_hash(&run->environment, i), source_hash(facts, i)) != 0)
			return error_set(err, PL_EUNSUPPORTED,
					 "%s has changed since run %lld began: restore it, or "
					 "start a new run",
					 now, (long long)run->id);
	}
	if (now)
		return error_set(err, PL_EUNSUPPORTED,
				 "run %lld began without %s: remove it, or start a new run",
				 (long long)run->id, now);
	return error_set(err, PL_EUNSUPPORTED,
			 "run %lld began with %s, which its files no longer name: restore them, or "
			 "start a new run",
			 (long long)run->id, before);
}

int source_facts_check_unchanged(const struct key_value_list *facts, struct error *err)
{
	const char *path;

	for (size_t i = 1; (path = source_path(facts, i)) != NULL; i++) {
		char *hash = hash_input(path);
		const bool same = strcmp(hash ? hash : "", source_hash(facts, i)) == 0;

		free(hash);
		if (!same)
			return error_set(
				err, PL_EIO,
				"%s changed while it was read and compiled, so its annotations "
				"and its code could differ: measure again",
				path);
	}
	return 0;
}

bool source_folder(struct text *out)
{
	const char *given = getenv("PERFLAB_SOURCE_DIR");

	if (!given || !*given)
		return install_path(out, "share/perflab/source", NULL) == 0;
	text_clear(out);
	text_add(out, given);
	return true;
}
