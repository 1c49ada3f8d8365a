/* The words with which a user gave the files of a sweep: how they are written among the facts of a
 * run, and read. See request.h. */
#include "harness/request/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/sources/sources.h"
#include "metrics/shards.h"

#define WORD_KEY_BYTES 48

static const char folder_key[] = "files.folder";

/* The words of a request that describe its files. */
static const struct word_row {
	const char *key; /* of a list: without the number of the item */
	bool is_list;    /* a string_list; else a const char * */
	size_t offset;
	const char *option; /* before the word in a command line; NULL: an operand */
	size_t values;      /* the list with what follows the items and "="; 0: nothing does */
} word_rows[] = {
	{"files", true, offsetof(struct sweep_request, files), NULL, 0},
	{"files.annotation", true, offsetof(struct sweep_request, annotations), "--annotate", 0},
	{"files.compile_flag", true, offsetof(struct sweep_request, compile_flags),
	 "--compile-flag", 0},
	{"files.standard", false, offsetof(struct sweep_request, standard), "--std", 0},
	{"files.compiler", false, offsetof(struct sweep_request, compiler), "--compiler", 0},
	{"files.against", false, offsetof(struct sweep_request, against), "--against", 0},
	/* they declare the axes that lines of the command line use */
	{"files.axis", true, offsetof(struct sweep_request, axis_names), "--set",
	 offsetof(struct sweep_request, axis_values)},
};

static void word_key(char out[WORD_KEY_BYTES], const struct word_row *row, size_t index)
{
	if (row->is_list)
		snprintf(out, WORD_KEY_BYTES, "%s.%zu", row->key, index + 1);
	else
		snprintf(out, WORD_KEY_BYTES, "%s", row->key);
}

bool source_word_is_same_everywhere(const char *key)
{
	const size_t length = strlen(word_rows[0].key);

	/* not the files themselves, "files.1" */
	return strncmp(key, word_rows[0].key, length) == 0 && key[length] == '.' &&
	       !strchr("0123456789", key[length + 1]) && strcmp(key, folder_key) != 0;
}

/* malloc'd; NULL: there are no more. */
static char *word_at(const struct sweep_request *request, const struct word_row *row, size_t index)
{
	const void *member = (const char *)request + row->offset;
	const void *values = (const char *)request + row->values;
	const struct string_list *list = member;
	const char *word;

	if (!row->is_list) {
		word = *(const char *const *)member;
		return index || !word ? NULL : xstrdup(word);
	}
	if (index >= list->count)
		return NULL;
	if (!row->values)
		return xstrdup(list->items[index]);
	return xasprintf("%s=%s", list->items[index],
			 ((const struct string_list *)values)->items[index]);
}

/* Borrows a word that is no item of a list. */
static void word_put(struct sweep_request *request, const struct word_row *row, const char *word)
{
	void *member = (char *)request + row->offset;

	if (row->values)
		sweep_request_set(request, word, NULL); /* a damaged word declares nothing */
	else if (row->is_list)
		string_list_add(member, word);
	else
		*(const char **)member = word;
}

void source_words_add(struct key_value_list *facts, const struct sweep_request *request)
{
	char *folder = getcwd(NULL, 0);
	char key[WORD_KEY_BYTES];
	char *word;

	for (size_t r = 0; r < ARRAY_SIZE(word_rows); r++)
		for (size_t i = 0; (word = word_at(request, &word_rows[r], i)) != NULL; i++) {
			word_key(key, &word_rows[r], i);
			key_value_set(facts, key, word);
			free(word);
		}
	if (folder)
		key_value_set(facts, folder_key, folder);
	free(folder);
}

/* Relative paths in the words are relative to this folder. */
static int check_folder(const struct run *run, struct error *err)
{
	const char *folder = key_value_get(&run->environment, folder_key);
	char *current = getcwd(NULL, 0);
	const bool here = !folder || (current && strcmp(folder, current) == 0);
	const char *shards = key_value_get(&run->environment, SHARDS_KEY);
	struct shard_set set = {0};
	bool joined = false; /* by perflab merge, of several shards */
	int rc = 0;

	if (shards && !shard_set_parse(&set, shards, NULL)) {
		joined = shard_set_count(&set) > 1;
		shard_set_release(&set);
	}
	if (!here && joined)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld joins shards that were measured in other folders (%s): "
			       "resume each shard in its own folder and database, then merge it "
			       "again",
			       (long long)run->id, folder);
	else if (!here)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld measured files from the folder %s: go there first",
			       (long long)run->id, folder);
	free(current);
	return rc;
}

int source_words_take(struct sweep_request *out, const struct run *run, struct error *err)
{
	char key[WORD_KEY_BYTES];
	const char *word;

	for (size_t r = 0; r < ARRAY_SIZE(word_rows); r++)
		for (size_t i = 0; i == 0 || word_rows[r].is_list; i++) {
			word_key(key, &word_rows[r], i);
			word = key_value_get(&run->environment, key);
			if (!word)
				break;
			word_put(out, &word_rows[r], word);
		}
	if (source_facts_first(run) && !out->files.count)
		return error_set(err, PL_EUNSUPPORTED,
				 "run %lld measured %s and does not say with which options: start "
				 "a new run",
				 (long long)run->id, source_facts_first(run));
	return check_folder(run, err);
}

int source_words_check(const struct sweep_request *request, const struct sweep_request *of_run,
		       const struct run *run, struct error *err)
{
	char *word;
	int rc = 0;

	for (size_t r = 0; r < ARRAY_SIZE(word_rows); r++)
		for (size_t i = 0; !rc && (word = word_at(request, &word_rows[r], i)) != NULL;
		     i++) {
			const char *option = word_rows[r].option;
			char *stored = word_at(of_run, &word_rows[r], i);

			if (!stored || strcmp(word, stored) != 0)
				rc = error_set(err, PL_EUSAGE,
					       "run %lld did not begin with %s%s%s; files and "
					       "their options come from the run, so leave it out, "
					       "or start a new run",
					       (long long)run->id, option ? option : "",
					       option ? " " : "", word);
			free(stored);
			free(word);
		}
	return rc;
}

void source_words_add_arguments(struct string_list *argv, const struct sweep_request *request)
{
	char *word;

	for (size_t r = 0; r < ARRAY_SIZE(word_rows); r++)
		for (size_t i = 0; (word = word_at(request, &word_rows[r], i)) != NULL; i++) {
			if (word_rows[r].option)
				string_list_add(argv, word_rows[r].option);
			string_list_add(argv, word);
			free(word);
		}
}
