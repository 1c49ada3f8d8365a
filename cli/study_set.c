/* Which studies there are, and what they need to be answered. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study.h"
#include "metrics/analysis/study.h"

#define FOLDER "share/perflab/studies"

static bool ends_in(const char *word, const char *suffix)
{
	size_t length = strlen(word), end = strlen(suffix);

	return length > end && strcmp(word + length - end, suffix) == 0;
}

/* ---- the installed ---- */

static int by_name(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Names without suffix, sorted. */
static int list_installed(struct string_list *names, struct text *folder, struct error *err)
{
	DIR *stream;
	int rc = install_path(folder, FOLDER, err);

	if (rc)
		return rc;
	stream = opendir(folder->data);
	if (!stream)
		return error_set(
			err, PL_EUNSUPPORTED,
			"cannot read %s: %s; install perflab whole: its studies lie in " FOLDER
			" beside bin/",
			folder->data, strerror(errno));
	for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
		char *name = xstrdup(entry->d_name);

		if (name[0] != '.' && ends_in(name, STUDY_SUFFIX)) {
			name[strlen(name) - strlen(STUDY_SUFFIX)] = '\0';
			string_list_add(names, name);
		}
		free(name);
	}
	closedir(stream);
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), by_name);
	return 0;
}

void study_names(struct string_list *out)
{
	struct text folder = TEXT_INIT;

	list_installed(out, &folder, NULL);
	text_release(&folder);
}

static int load_file(struct study_set *set, const char *path, struct error *err)
{
	struct study study = {0};
	struct error cause = {0};
	char *text = NULL;
	size_t length = 0;
	int rc = read_file(&text, &length, path, STUDY_MAX_BYTES, err);

	if (!rc && study_parse(&study, path, text, length, &cause))
		rc = error_set(err, PL_EUSAGE, "%s", cause.text); /* a slip in what is asked */
	free(text);
	if (rc)
		return rc;
	set->items = xgrow(set->items, &set->capacity, set->count + 1, sizeof(*set->items));
	set->items[set->count++] = study;
	return 0;
}

/* Answers are told apart by name: of two with one name nobody knew which is which. */
static int add_file(struct study_set *set, const char *path, struct error *err)
{
	size_t added = set->count;
	int rc = load_file(set, path, err);

	for (size_t i = 0; i < added && !rc; i++) {
		if (strcmp(set->items[i].name, set->items[added].name) == 0)
			rc = error_set(err, PL_EUSAGE,
				       "%s: another study that is asked for is called \"%s\", too; "
				       "rename the file, or ask for one of them",
				       path, set->items[i].name);
	}
	return rc;
}

static int unknown(const char *word, const struct string_list *names, struct error *err)
{
	struct text near = TEXT_INIT;
	int rc;

	if (nearest_names(&near, word, (const char *const *)names->items, names->count))
		rc = error_set(err, PL_EUSAGE, "no study is called \"%s\"; did you mean %s?", word,
			       near.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "no study is called \"%s\"; \"perflab study --list\" lists them",
			       word);
	text_release(&near);
	return rc;
}

/* *taken: the installed ones that the set has already, by other words. */
static int load_installed(struct study_set *set, struct string_list *taken, const char *word,
			  const struct string_list *names, const char *folder, struct error *err)
{
	bool pattern = strpbrk(word, "*?") != NULL, found = false;
	int rc = 0;

	for (size_t i = 0; i < names->count && !rc; i++) {
		const char *name = names->items[i];
		char *path;

		if (pattern ? !pattern_matches(word, name) : strcmp(word, name) != 0)
			continue;
		found = true;
		if (string_list_has(taken, name))
			continue;
		string_list_add(taken, name);
		path = xasprintf("%s/%s" STUDY_SUFFIX, folder, name);
		rc = add_file(set, path, err);
		free(path);
	}
	return rc || found ? rc : unknown(word, names, err);
}

int study_set_load(struct study_set *out, const struct string_list *words, struct error *err)
{
	struct study_set set = {0};
	struct string_list names = {0}, taken = {0};
	struct text folder = TEXT_INIT;
	int rc = 0;

	if (words->count == 0) {
		rc = list_installed(&names, &folder, err);
		if (!rc)
			rc = load_installed(&set, &taken, "*", &names, folder.data, err);
	}
	for (size_t i = 0; i < words->count && !rc; i++) {
		const char *word = words->items[i];

		if (strchr(word, '/') || ends_in(word, STUDY_SUFFIX)) {
			rc = add_file(&set, word, err);
			continue;
		}
		if (!folder.length)
			rc = list_installed(&names, &folder, err);
		if (!rc)
			rc = load_installed(&set, &taken, word, &names, folder.data, err);
	}
	string_list_release(&names);
	string_list_release(&taken);
	text_release(&folder);
	if (rc)
		study_set_release(&set);
	else
		*out = set;
	return rc;
}

void study_set_release(struct study_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		study_release(&set->items[i]);
	free(set->items);
	*set = (struct study_set){0};
}

/* ---- what they need ---- */

/* That the kernels here have it, and that it is one case where one is meant. */
static int check_case(const struct study *study, size_t index, const char *selector,
		      struct error *err)
{
	const struct study_case *of = &study->cases[index];
	struct plan_request request = {.selectors = &selector, .selector_count = 1};
	struct plan *plan = NULL;
	int rc = plan_build(&plan, &request, &device_limits_minimum, err);

	if (!rc && plan->count != 1 && !of->best)
		rc = error_set(err, PL_EUSAGE,
			       "%s chooses %zu cases: name every axis, or write \"best %s\" for "
			       "the fastest of them",
			       selector, plan->count, of->name);
	plan_free(plan);
	return error_context(err, rc, "study %s, line %d", study->name, of->line);
}

int study_set_needs(struct sweep_plan *plan, struct string_list *metrics,
		    const struct study_set *set, bool emulated, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < set->count && !rc; i++) {
		const struct study *study = &set->items[i];

		study_metrics(metrics, study, emulated);
		for (size_t j = 0; j < study->case_count && !rc; j++) {
			char *selector = study_selector(study, j, emulated);

			rc = check_case(study, j, selector, err);
			if (!rc && study_needs_case(study, j, emulated) &&
			    !string_list_has(&plan->selectors, selector))
				string_list_add(&plan->selectors, selector);
			free(selector);
		}
	}
	if (!rc && !plan->selectors.count)
		rc = error_set(err, PL_EUNSUPPORTED,
			       emulated ? "none of these studies can be answered by counts of the "
					  "emulator: they need a GPU"
					: "these studies are asked of the emulator alone: "
					  "--backend ptx");
	return rc;
}
