/* Loads studies, and finds what they need to be answered. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/study/study.h"

#define FOLDER "share/perflab/studies"

/* ---- installed studies ---- */

static int compare_study_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Lists the names of the installed studies without suffix, sorted. */
static int list_installed_studies(struct string_list *names, struct text *folder, struct error *err)
{
	DIR *stream;
	int rc = install_path(folder, FOLDER, err);

	if (rc)
		return rc;
	stream = opendir(folder->data);
	if (!stream)
		return error_set(
			err, PL_EUNSUPPORTED,
			"cannot read %s: %s; install all of perflab: its studies are in " FOLDER
			" beside bin/",
			folder->data, strerror(errno));
	for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
		char *name = xstrdup(entry->d_name);

		if (name[0] != '.' && has_suffix(name, STUDY_SUFFIX)) {
			name[strlen(name) - strlen(STUDY_SUFFIX)] = '\0';
			string_list_add(names, name);
		}
		free(name);
	}
	closedir(stream);
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), compare_study_names);
	return 0;
}

void study_names(struct string_list *out)
{
	struct text folder = TEXT_INIT;

	list_installed_studies(out, &folder, NULL);
	text_release(&folder);
}

/* Answers are identified by name, so two studies of one name are refused. */
static int add_study_file(struct study_set *set, const char *path, struct error *err)
{
	struct study study = {0};
	struct error cause = {0};
	char *text = NULL;
	size_t length = 0, added = set->count;
	int rc = read_file(&text, &length, path, STUDY_MAX_BYTES, err);

	if (!rc && study_parse(&study, path, text, length, &cause))
		rc = error_set(err, PL_EUSAGE, "%s", cause.text); /* an error of the user */
	free(text);
	if (rc)
		return rc;
	set->items = xgrow(set->items, &set->capacity, added + 1, sizeof(*set->items));
	set->items[set->count++] = study;
	for (size_t i = 0; i < added && !rc; i++) {
		if (strcmp(set->items[i].name, set->items[added].name) == 0)
			rc = error_set(err, PL_EUSAGE,
				       "%s: another of these studies is also called \"%s\"; "
				       "rename the file, or choose one of them",
				       path, set->items[i].name);
	}
	return rc;
}

/* *taken: installed studies that the set already has, from earlier words. */
static int load_installed_studies(struct study_set *set, struct string_list *taken,
				  const char *word, const struct string_list *names,
				  const char *folder, struct error *err)
{
	bool pattern = strpbrk(word, "*?") != NULL, found = false;
	struct text near = TEXT_INIT;
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
		rc = add_study_file(set, path, err);
		free(path);
	}
	if (rc || found)
		return rc;
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

int study_set_load(struct study_set *out, const struct string_list *words, struct error *err)
{
	struct study_set set = {0};
	struct string_list names = {0}, taken = {0};
	struct text folder = TEXT_INIT;
	int rc = 0;

	if (words->count == 0) {
		rc = list_installed_studies(&names, &folder, err);
		if (!rc)
			rc = load_installed_studies(&set, &taken, "*", &names, folder.data, err);
	}
	for (size_t i = 0; i < words->count && !rc; i++) {
		const char *word = words->items[i];

		if (strchr(word, '/') || has_suffix(word, STUDY_SUFFIX)) {
			rc = add_study_file(&set, word, err);
			continue;
		}
		if (!folder.length)
			rc = list_installed_studies(&names, &folder, err);
		if (!rc)
			rc = load_installed_studies(&set, &taken, word, &names, folder.data, err);
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

/* Checks that the kernels here have the case, and that the selector matches one case unless the
 * study asks for the best of several. */
static int check_study_case(const struct study *study, size_t index, const char *selector,
			    struct error *err)
{
	const struct study_case *of = &study->cases[index];
	struct plan_request request = {.selectors = &selector, .selector_count = 1};
	struct plan *plan = NULL;
	int rc = plan_choose(&plan, &request, err);

	if (!rc && plan->count != 1 && !of->best)
		rc = error_set(err, PL_EUSAGE,
			       "%s chooses %zu cases: name every axis, or write \"best %s\" for "
			       "the fastest of them",
			       selector, plan->count, of->name);
	plan_free(plan);
	return error_context(err, rc, "study %s, line %d", study->name, of->line);
}

/* Says what answers the studies, none of which this backend can answer. */
static int nothing_to_measure(const struct study_set *set, bool emulated, struct error *err)
{
	struct text names = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < set->count; i++)
		text_addf(&names, " %s", set->items[i].name);
	if (emulated)
		rc = error_set(
			err, PL_EUNSUPPORTED,
			"counts of the emulator answer none of these studies: they need "
			"times or counters of a GPU; on a machine with a GPU: perflab study%s",
			names.data);
	else
		rc = error_set(err, PL_EUNSUPPORTED,
			       "only the emulator can answer these studies: perflab study%s "
			       "--backend ptx",
			       names.data);
	text_release(&names);
	return rc;
}

int study_set_needs(struct sweep_request *request, const struct study_set *set, bool emulated,
		    struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < set->count && !rc; i++) {
		const struct study *study = &set->items[i];

		study_metrics(&request->metrics, study, emulated);
		for (size_t j = 0; j < study->case_count && !rc; j++) {
			char *selector;

			if (!study_needs_case(study, j, emulated))
				continue;
			selector = study_selector(study, j, emulated);
			rc = check_study_case(study, j, selector, err);
			if (!rc && !string_list_has(&request->selectors, selector))
				string_list_add(&request->selectors, selector);
			free(selector);
		}
	}
	if (!rc && !request->selectors.count)
		rc = nothing_to_measure(set, emulated, err);
	return rc;
}
