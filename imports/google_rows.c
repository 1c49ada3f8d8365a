/* Rows of Google Benchmark: measurements and aggregates, also of versions before 1.5. */
#include "imports/import_builder.h"

#include <stdlib.h>
#include <string.h>

void google_names_collect(struct name_index *names, const json_t *rows)
{
	json_t *row;
	size_t index;

	json_array_foreach(rows, index, row)
	{
		const char *name = json_member_text(row, "name");

		if (name && name_index_find(names, name) == NO_NAME)
			name_index_add(names, name, index);
	}
}

static bool has_row(const struct name_index *names, const char *base, size_t length,
		    const char *suffix)
{
	char *name = xasprintf("%.*s%s", (int)length, base, suffix);
	bool found = name_index_find(names, name) != NO_NAME;

	free(name);
	return found;
}

/* Every version writes these two beside whatever else it computes. */
static bool has_aggregates(const struct name_index *names, const char *base, size_t length)
{
	return has_row(names, base, length, "_mean") && has_row(names, base, length, "_stddev");
}

/* Whether a name ends with words about repeating, which end the name of every benchmark that has
 * them: then whatever follows names an aggregate, such as one that the program defines. */
static bool ends_with_repeats(const char *name, size_t length)
{
	static const char word[] = "/repeats:";
	size_t digits = length;

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	return digits < length && digits >= sizeof(word) - 1 &&
	       strncmp(name + digits - (sizeof(word) - 1), word, sizeof(word) - 1) == 0;
}

const char *google_aggregate_of(size_t *base_length, const json_t *row,
				const struct name_index *names)
{
	static const char *const words[] = {"mean", "median", "stddev", "cv", "min", "max"};
	const char *type = json_member_text(row, "run_type"), *word;
	bool known = false;
	const char *name = json_member_text(row, "run_name");

	if (!name)
		name = json_member_text(row, "name");
	*base_length = name ? strlen(name) : 0;
	if (type) {
		word = json_member_text(row, "aggregate_name");
		return strcmp(type, "aggregate") ? NULL : word ? word : "";
	}
	word = name ? strrchr(name, '_') : NULL;
	if (!word)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		known |= strcmp(word + 1, words[i]) == 0;
	/* the fit of the complexity, and its error, have no time */
	if (!json_object_get(row, "cpu_coefficient") && !json_object_get(row, "rms") &&
	    !ends_with_repeats(name, (size_t)(word - name)) &&
	    !(known && has_aggregates(names, name, (size_t)(word - name))))
		return NULL;
	*base_length = (size_t)(word - name);
	return word + 1;
}

bool google_repeats(const char *name, const struct name_index *names)
{
	return strstr(name, "/repeats:") || has_aggregates(names, name, strlen(name));
}
