/* Sets of shards and their text form. */
#include "metrics/shards.h"

#include <stdlib.h>
#include <string.h>

static int fail_shard_form(const char *text, struct error *err)
{
	return error_set(
		err, PL_EUSAGE,
		"'%.40s' is not a shard: expected I/N, such as 1/4, with I from 1 to N and "
		"N at most %d",
		text, SHARDS_MAX);
}

/* Reads "3" or "3-5". The numbers must be greater than *last, which it advances, and at most
 * `total`. */
static bool read_shard_range(bool *has, int64_t total, int64_t *last, char *piece)
{
	char *dash = strchr(piece, '-');
	int64_t first, end;

	if (dash)
		*dash = '\0';
	if (parse_i64(&first, piece, NULL))
		return false;
	end = first;
	if (dash && parse_i64(&end, dash + 1, NULL))
		return false;
	if (first <= *last || end < first || end > total)
		return false;
	for (int64_t i = first; i <= end; i++)
		has[i - 1] = true;
	*last = end;
	return true;
}

int shard_set_parse(struct shard_set *out, const char *text, struct error *err)
{
	const char *slash = strchr(text, '/');
	struct string_list pieces = {0};
	int64_t total = 0, last = 0;
	char *numbers;
	bool *has;
	bool good;

	if (!slash || parse_i64(&total, slash + 1, NULL) || total < 1 || total > SHARDS_MAX)
		return fail_shard_form(text, err);
	has = xcalloc((size_t)total, sizeof(*has));
	numbers = xstrndup(text, (size_t)(slash - text));
	string_list_split(&pieces, numbers, ',');
	good = true;
	for (size_t i = 0; i < pieces.count && good; i++)
		good = read_shard_range(has, total, &last, pieces.items[i]);
	string_list_release(&pieces);
	free(numbers);
	if (!good) {
		free(has);
		return fail_shard_form(text, err);
	}
	*out = (struct shard_set){.total = (size_t)total, .has = has};
	return 0;
}

void shard_set_release(struct shard_set *set)
{
	free(set->has);
	*set = (struct shard_set){0};
}

size_t shard_set_count(const struct shard_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->total; i++)
		count += set->has[i];
	return count;
}

/* Adds the numbers that are in the set, or those that are not: "1-3,5". */
static void add_shard_numbers(struct text *out, const struct shard_set *set, bool in,
			      const char *separator)
{
	const char *before = "";

	for (size_t i = 0; i < set->total; i++) {
		size_t end = i;

		if (set->has[i] != in)
			continue;
		while (end + 1 < set->total && set->has[end + 1] == in)
			end++;
		text_addf(out, "%s%zu", before, i + 1);
		if (end > i)
			text_addf(out, "-%zu", end + 1);
		before = separator;
		i = end;
	}
}

void shard_set_text(struct text *out, const struct shard_set *set)
{
	add_shard_numbers(out, set, true, ",");
	text_addf(out, "/%zu", set->total);
}

void shard_set_missing(struct text *out, const struct shard_set *set)
{
	add_shard_numbers(out, set, false, ", ");
}

bool shard_set_join(struct shard_set *set, const struct shard_set *other)
{
	if (set->total != other->total)
		return false;
	for (size_t i = 0; i < set->total; i++)
		set->has[i] |= other->has[i];
	return true;
}
