/*
 * Names that the user may have meant, and names that match a pattern. Both
 * ignore the case of ASCII letters: no two names in perflab differ only in case.
 */
#include "base/base.h"

#include <ctype.h>
#include <string.h>

/* Longer words are not typing errors. The limit also bounds the rows below. */
#define WORD_LIMIT 192
#define NAME_LIMIT (WORD_LIMIT + WORD_LIMIT / 3)
#define NEAREST_SHOWN 3

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t nearest_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Edit distance. Each insertion, deletion, substitution or swap of two adjacent
 * characters is one step. Keeps only the last three rows of the table.
 */
static size_t edit_distance(const char *word, size_t word_length, const char *name,
			    size_t name_length)
{
	size_t rows[3][NAME_LIMIT + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	size_t *freed;

	for (size_t j = 0; j <= name_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= word_length; i++) {
		freed = before;
		before = above;
		above = row;
		row = freed;
		row[0] = i;
		for (size_t j = 1; j <= name_length; j++) {
			bool same = same_letter(word[i - 1], name[j - 1]);

			row[j] = nearest_min(above[j], row[j - 1]) + 1;
			row[j] = nearest_min(row[j], above[j - 1] + !same);
			if (i > 1 && j > 1 && same_letter(word[i - 1], name[j - 2]) &&
			    same_letter(word[i - 2], name[j - 1]))
				row[j] = nearest_min(row[j], before[j - 2] + 1);
		}
	}
	return row[name_length];
}

bool nearest_names(struct text *out, const char *word, const char *const *names, size_t count)
{
	struct {
		const char *name;
		size_t distance;
	} best[NEAREST_SHOWN];
	size_t found = 0;
	size_t word_length = strnlen(word, WORD_LIMIT + 1);
	size_t limit = word_length / 3;

	if (word_length > WORD_LIMIT)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t name_length = strlen(names[i]);
		size_t distance, place;

		/* the difference of the lengths is a lower bound of the distance */
		if (name_length > word_length + limit || name_length + limit < word_length)
			continue;
		distance = edit_distance(word, word_length, names[i], name_length);
		if (distance > limit)
			continue;
		place = found < NEAREST_SHOWN ? found++ : NEAREST_SHOWN;
		for (; place > 0 && best[place - 1].distance > distance; place--) {
			if (place < NEAREST_SHOWN)
				best[place] = best[place - 1];
		}
		if (place < NEAREST_SHOWN) {
			best[place].name = names[i];
			best[place].distance = distance;
		}
	}
	for (size_t i = 0; i < found; i++) {
		if (i > 0)
			text_add(out, i + 1 == found ? " or " : ", ");
		text_add(out, best[i].name);
	}
	return found > 0;
}

/* After a mismatch it is enough to retry the last '*', one character further, so the time is at
 * most proportional to the product of the lengths. */
bool glob_matches(const char *pattern, const char *name, bool any_case)
{
	const char *after_star = NULL;
	const char *retry = NULL;

	while (*name) {
		if (*pattern == '*') {
			after_star = ++pattern;
			retry = name;
		} else if (*pattern && (*pattern == '?' || *pattern == *name ||
					(any_case && same_letter(*pattern, *name)))) {
			pattern++;
			name++;
		} else if (after_star) {
			pattern = after_star;
			name = ++retry;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

bool pattern_matches(const char *pattern, const char *name)
{
	if (strpbrk(pattern, "*?"))
		return glob_matches(pattern, name, true);
	return strcasestr(name, pattern) != NULL;
}
