/* Finds the cases that a user names and loads their histories. */
#include "harness/runs/runs.h"

#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/history.h"

struct case_search {
	const struct case_query *query;
	struct found_cases *found;
	struct string_list others; /* names that the word does not match, each once */
	bool neither;              /* a case matches, but it has neither times nor counters */
	bool elsewhere;            /* a case matches, but not on this device and backend */
};

/* ---- matching ---- */

/* A number is an id, never a part of a name: "2" does not mean every H200. */
static bool device_matches(const char *wanted, const struct known_case *item)
{
	int64_t id;

	if (!wanted)
		return true;
	if (parse_i64(&id, wanted, NULL) == 0)
		return id == item->device_id;
	if (pattern_matches(wanted, item->device))
		return true;
	return *item->uuid && strncmp(wanted, item->uuid, strlen(wanted)) == 0 &&
	       strlen(wanted) >= 4;
}

static int visit_known_case(void *context, const struct known_case *item)
{
	struct case_search *search = context;
	const struct case_query *query = search->query;
	struct found_cases *found = search->found;
	char *name = xasprintf("%s/%s/%s", item->kernel, item->variant, item->config);
	const size_t length = strlen(query->word);
	struct found_case *own;
	/* the word is a pattern that matches all of the name, or the whole name, or its first parts
	 */
	const bool matches = strpbrk(query->word, "*?")
				     ? pattern_matches(query->word, name)
				     : strncmp(query->word, name, length) == 0 &&
					       (!name[length] || name[length] == '/');

	if (!matches) {
		if (!search->others.count ||
		    strcmp(search->others.items[search->others.count - 1], name) != 0)
			string_list_add(&search->others, name);
	} else if (!device_matches(query->device, item) ||
		   (query->backend && strcmp(query->backend, item->backend) != 0)) {
		search->elsewhere = true;
	} else if (!item->timed && !item->emulated) {
		search->neither = true;
	} else {
		found->items = xgrow(found->items, &found->capacity, found->count + 1,
				     sizeof(*found->items));
		own = &found->items[found->count++];
		*own = (struct found_case){*item, name};
		own->item.device = xstrdup(item->device);
		own->item.uuid = xstrdup(item->uuid);
		own->item.backend = xstrdup(item->backend);
		own->item.kernel = xstrdup(item->kernel);
		own->item.variant = xstrdup(item->variant);
		own->item.config = xstrdup(item->config);
		own->item.origin = xstrdup(item->origin);
		return 0;
	}
	free(name);
	return 0;
}

/* ---- the error when no case matches ---- */

/* Compares only as many parts of each name as the word has, so that "reduce/shufle" is near
 * "reduce/shuffle". */
static void suggest_nearest(struct text *near, const struct string_list *names, const char *word)
{
	struct string_list heads = {0};
	size_t parts = 1;

	for (const char *c = word; *c; c++)
		parts += *c == '/';
	for (size_t i = 0; i < names->count; i++) {
		const char *end = names->items[i];
		char *head;

		for (size_t j = 0; j < parts && end; j++)
			end = strchr(end + (j > 0), '/');
		head = end ? xstrndup(names->items[i], (size_t)(end - names->items[i]))
			   : xstrdup(names->items[i]);
		if (!heads.count || strcmp(heads.items[heads.count - 1], head) != 0)
			string_list_add(&heads, head);
		free(head);
	}
	nearest_names(near, word, (const char *const *)heads.items, heads.count);
	string_list_release(&heads);
}

static int no_case_matches(const struct case_search *search, struct error *err)
{
	const char *word = search->query->word, *path = search->query->db_path;
	struct text near = TEXT_INIT;
	int rc;

	if (search->elsewhere)
		return error_set(err, PL_EUSAGE,
				 "'%.80s' is in %s, but not on that --device and --backend; "
				 "`perflab list devices` lists the devices",
				 word, path);
	if (search->neither)
		return error_set(err, PL_EUSAGE, "'%.80s' has no times in %s", word, path);
	/* WORD* if the word is the beginning of a name, such as "reduce/shuffle/block=64" */
	for (size_t i = 0; i < search->others.count && *word && !near.length; i++)
		if (strncmp(search->others.items[i], word, strlen(word)) == 0)
			text_addf(&near, "'%.80s*'", word);
	if (!near.length)
		suggest_nearest(&near, &search->others, word);
	if (near.length)
		rc = error_set(err, PL_EUSAGE, "no case '%.80s' in %s; did you mean %s?", word,
			       path, near.data);
	else if (search->others.count)
		rc = error_set(err, PL_EUSAGE,
			       "no case '%.80s' in %s; give KERNEL/VARIANT/CONFIG, such as %s",
			       word, path, search->others.items[0]);
	else
		rc = error_set(err, PL_ENOENT,
			       "%s holds no successful case yet; `perflab sweep` measures some",
			       path);
	text_release(&near);
	return rc;
}

/* ---- the public functions ---- */

int cases_find(struct found_cases *out, struct db *db, const struct case_query *query,
	       struct error *err)
{
	struct case_search search = {.query = query, .found = out};
	int rc = db_cases_visit(db, visit_known_case, &search, err);

	if (!rc && !out->count)
		rc = no_case_matches(&search, err);
	string_list_release(&search.others);
	return rc;
}

void found_cases_release(struct found_cases *found)
{
	for (size_t i = 0; i < found->count; i++) {
		struct known_case *item = &found->items[i].item;

		free((char *)item->device);
		free((char *)item->uuid);
		free((char *)item->backend);
		free((char *)item->kernel);
		free((char *)item->variant);
		free((char *)item->config);
		free((char *)item->origin);
		free(found->items[i].name);
	}
	free(found->items);
	*found = (struct found_cases){0};
}

bool cases_same_series(const struct known_case *a, const struct known_case *b)
{
	return a->device_id == b->device_id && strcmp(a->backend, b->backend) == 0;
}

const struct known_case *cases_newest(const struct found_cases *found)
{
	const struct known_case *newest = &found->items[0].item;

	for (size_t i = 1; i < found->count; i++) {
		const struct known_case *item = &found->items[i].item;

		if (item->timed != newest->timed ? item->timed
						 : item->newest_ns > newest->newest_ns)
			newest = item;
	}
	return newest;
}

int cases_load_histories(struct history **out, size_t *count, struct db *db,
			 const struct found_cases *found, const struct known_case *series,
			 struct error *err)
{
	int rc = 0;

	*out = xcalloc(found->count + 1, sizeof(**out));
	*count = 0;
	for (size_t i = 0; !rc && i < found->count; i++) {
		const struct known_case *item = &found->items[i].item;
		struct history *history = &(*out)[*count];

		if (!cases_same_series(item, series))
			continue;
		++*count;
		rc = db_history_load(db, item, history, err);
		if (!rc && !history->count)
			rc = error_set(err, PL_ECORRUPT,
				       "the database is damaged: it lists %s/%s/%s, but has no run "
				       "of it",
				       item->kernel, item->variant, item->config);
		if (!rc)
			history_find_changes(history);
	}
	return rc;
}
