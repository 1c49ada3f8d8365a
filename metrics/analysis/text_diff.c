#include "metrics/analysis/text_diff.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EDITS 1000  /* in one place */
#define MOST_DEPTH 32    /* of anchors between anchors */
#define MOST_ALIKE 10000 /* pairs of lines in one place that are compared by their words */
#define ALIKE 0.5        /* the part of its characters that an edited line keeps */
#define MOVED_LETTERS 20 /* letters and digits of a block that is known to have moved */

/* ---- lines ---- */

struct diff_line {
	char *words;   /* the code, without blanks and comments */
	size_t number; /* equal numbers are equal words */
};

struct diff_side {
	struct diff_line *lines; /* those with words */
	size_t count;
	size_t *numbers;   /* of those lines in the text, from 0 */
	size_t text_lines; /* all lines */
	char *words;       /* of all lines */
	size_t *pair;      /* the line of the other side; NO_TEXT_LINE: none */
};

/* Numbers for texts: an open hash table of the first line with each. */
struct diff_numbers {
	const char **texts; /* of each number */
	size_t *slots;      /* number + 1; 0: free */
	size_t slot_count, count;
};

static size_t text_hash(const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return (size_t)(hash ^ hash >> 29);
}

static struct diff_numbers numbers_new(size_t most)
{
	struct diff_numbers numbers = {.slot_count = 16};

	while (numbers.slot_count < 2 * most)
		numbers.slot_count *= 2;
	numbers.texts = xcalloc(most + 1, sizeof(*numbers.texts));
	numbers.slots = xcalloc(numbers.slot_count, sizeof(*numbers.slots));
	return numbers;
}

static void numbers_release(struct diff_numbers *numbers)
{
	free(numbers->texts);
	free(numbers->slots);
}

static size_t text_number(struct diff_numbers *numbers, const char *text)
{
	size_t at = text_hash(text) % numbers->slot_count;

	for (; numbers->slots[at]; at = (at + 1) % numbers->slot_count)
		if (strcmp(numbers->texts[numbers->slots[at] - 1], text) == 0)
			return numbers->slots[at] - 1;
	numbers->texts[numbers->count] = text;
	numbers->slots[at] = ++numbers->count;
	return numbers->count - 1;
}

size_t text_line_count(const char *text, size_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < bytes; i++)
		count += text[i] == '\n' || i + 1 == bytes;
	return count;
}

/* Where the reader of a text is: in a comment of several lines, or in a quotation of one. */
struct text_place {
	bool python, comment;
	char quote; /* 0: none */
};

/* The length of what begins here and is no code: a blank or a comment, or a part of one; 0: it is
 * code. */
static size_t skipped_length(struct text_place *place, const char *at, const char *stop)
{
	const size_t left = (size_t)(stop - at);
	const bool two = left > 1 && !place->python;

	if (place->comment) {
		place->comment = !(two && at[0] == '*' && at[1] == '/');
		return place->comment ? 1 : 2;
	}
	if (isspace((unsigned char)*at))
		return 1;
	if (place->quote)
		return 0;
	if (place->python ? *at == '#' : two && at[0] == '/' && at[1] == '/')
		return left;
	place->comment = two && at[0] == '/' && at[1] == '*';
	return place->comment ? 2 : 0;
}

/* A character of the code, which may begin or end a quotation. */
static void pass_code(struct text_place *place, const char *at, const char *start)
{
	if (place->quote)
		place->quote = *at == place->quote && at[-1] != '\\' ? 0 : place->quote;
	else if ((*at == '"' || *at == '\'') && (at == start || !isdigit((unsigned char)at[-1])))
		place->quote = *at;
}

/* Appends the words of a line. */
static char *take_words(char *words, struct text_place *place, const char *line, const char *stop)
{
	place->quote = 0;
	for (const char *at = line; at < stop;) {
		const size_t skipped = skipped_length(place, at, stop);

		if (!skipped) {
			pass_code(place, at, line);
			*words++ = *at;
		}
		at += skipped ? skipped : 1;
	}
	*words++ = '\0';
	return words;
}

static void side_split(struct diff_side *side, const char *text, size_t bytes, bool python)
{
	const char *end = text + bytes;
	struct text_place place = {.python = python};
	char *words;

	side->text_lines = text_line_count(text, bytes);
	side->lines = xcalloc(side->text_lines + 1, sizeof(*side->lines));
	side->numbers = xcalloc(side->text_lines + 1, sizeof(*side->numbers));
	side->pair = xcalloc(side->text_lines + 1, sizeof(*side->pair));
	side->words = words = xmalloc(bytes + side->text_lines + 1);
	for (size_t line = 0; text < end; line++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;
		char *own = words;

		words = take_words(words, &place, text, stop);
		text = stop + 1;
		if (!*own)
			continue;
		side->lines[side->count].words = own;
		side->pair[side->count] = NO_TEXT_LINE;
		side->numbers[side->count++] = line;
	}
}

static void side_release(struct diff_side *side)
{
	free(side->lines);
	free(side->words);
	free(side->pair);
	free(side->numbers);
}

/* ---- one place of both texts ---- */

/* The work of a diff. The arrays are of the numbers of lines. */
struct diff {
	struct diff_side a, b;
	size_t *in_a, *in_b; /* how often a place has a line; all 0 between calls */
	size_t *at_b;        /* where b has it */
};

/* Lines of a and of b, from the first up to the end. */
struct diff_place {
	size_t a, a_end, b, b_end;
};

static void pair_lines(struct diff *diff, size_t a, size_t b)
{
	diff->a.pair[a] = b;
	diff->b.pair[b] = a;
}

static bool lines_equal(const struct diff *diff, size_t a, size_t b)
{
	return diff->a.lines[a].number == diff->b.lines[b].number;
}

static void pair_ends(struct diff *diff, struct diff_place *place)
{
	while (place->a < place->a_end && place->b < place->b_end &&
	       lines_equal(diff, place->a, place->b))
		pair_lines(diff, place->a++, place->b++);
	while (place->a < place->a_end && place->b < place->b_end &&
	       lines_equal(diff, place->a_end - 1, place->b_end - 1))
		pair_lines(diff, --place->a_end, --place->b_end);
}

/* The lines that the place has once in each text, in the order of a: their numbers in a and b. */
static size_t find_unique(struct diff *diff, const struct diff_place *place, size_t *in_a,
			  size_t *in_b)
{
	size_t count = 0;

	for (size_t i = place->a; i < place->a_end; i++)
		diff->in_a[diff->a.lines[i].number]++;
	for (size_t i = place->b; i < place->b_end; i++) {
		diff->in_b[diff->b.lines[i].number]++;
		diff->at_b[diff->b.lines[i].number] = i;
	}
	for (size_t i = place->a; i < place->a_end; i++) {
		const size_t id = diff->a.lines[i].number;

		if (diff->in_a[id] != 1 || diff->in_b[id] != 1)
			continue;
		in_a[count] = i;
		in_b[count++] = diff->at_b[id];
	}
	for (size_t i = place->a; i < place->a_end; i++)
		diff->in_a[diff->a.lines[i].number] = 0;
	for (size_t i = place->b; i < place->b_end; i++)
		diff->in_b[diff->b.lines[i].number] = 0;
	return count;
}

/* Keeps the longest part of the lines that ascends in b, too, and returns its length. */
static size_t keep_ascending(size_t *in_a, size_t *in_b, size_t count)
{
	size_t *last = xcalloc(count + 1, sizeof(*last)); /* of the best part of each length */
	size_t *before = xcalloc(count + 1, sizeof(*before));
	size_t length = 0, at;

	for (size_t i = 0; i < count; i++) {
		size_t low = 0, high = length;

		while (low < high) {
			const size_t middle = (low + high) / 2;

			if (in_b[last[middle]] < in_b[i])
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? last[low - 1] : NO_TEXT_LINE;
		last[low] = i;
		if (low == length)
			length++;
	}
	at = length ? last[length - 1] : NO_TEXT_LINE;
	for (size_t i = length; i-- > 0; at = before[at])
		last[i] = at;
	for (size_t i = 0; i < length; i++) {
		in_a[i] = in_a[last[i]];
		in_b[i] = in_b[last[i]];
	}
	free(last);
	free(before);
	return length;
}

/* How far the edits so far reach: on diagonal k = x - y, with x lines of a and y of b. */
static int64_t furthest(const int64_t *reach, int64_t k, int64_t edits, bool *down)
{
	*down = k == -edits || (k != edits && reach[k - 1] < reach[k + 1]);
	return *down ? reach[k + 1] : reach[k - 1] + 1;
}

/* Pairs what the edit keeps that ends at (x, y). `trace` has reach after each number of edits. */
static void take_edit(struct diff *diff, const struct diff_place *place, int64_t **trace,
		      int64_t edits, int64_t x, int64_t y)
{
	for (; edits >= 0; edits--) {
		bool down = false;
		const int64_t k = x - y;
		const int64_t *reach = edits ? trace[edits - 1] + edits : NULL;
		const int64_t from = edits ? furthest(reach, k, edits, &down) : 0;

		while (x > from && y > from - k) {
			x--;
			y--;
			pair_lines(diff, place->a + (size_t)x, place->b + (size_t)y);
		}
		if (down)
			y--;
		else
			x--;
	}
}

/* Extends the edits by one more; whether they reach the end of the place. Sets (x, y) to where they
 * reach furthest. */
static bool edit_once_more(const struct diff *diff, const struct diff_place *place, int64_t *reach,
			   int64_t edits, int64_t *x_best, int64_t *y_best)
{
	const int64_t n = (int64_t)(place->a_end - place->a);
	const int64_t m = (int64_t)(place->b_end - place->b);
	bool down;

	*x_best = *y_best = 0;
	for (int64_t k = -edits; k <= edits; k += 2) {
		int64_t x = edits ? furthest(reach, k, edits, &down) : 0;

		while (x < n && x - k < m &&
		       lines_equal(diff, place->a + (size_t)x, place->b + (size_t)(x - k)))
			x++;
		reach[k] = x;
		if (x <= n && x - k <= m && x + x - k >= *x_best + *y_best) {
			*x_best = x;
			*y_best = x - k;
		}
		if (x == n && x - k == m)
			return true;
	}
	return false;
}

/* Pairs what the shortest edit of the place keeps, or the first MOST_EDITS of one that reach
 * furthest. Sets the place to what is left. */
static void pair_by_edit(struct diff *diff, struct diff_place *place)
{
	const int64_t all = (int64_t)(place->a_end - place->a + place->b_end - place->b);
	const int64_t most = all < MOST_EDITS ? all : MOST_EDITS;
	int64_t *reaches = xcalloc((size_t)(2 * most + 5), sizeof(*reaches));
	int64_t *reach = reaches + most + 2;
	int64_t **trace = xcalloc((size_t)most + 1, sizeof(*trace));
	int64_t edits, x = 0, y = 0;
	bool done = false;

	for (edits = 0; edits <= most && !done; edits++) {
		done = edit_once_more(diff, place, reach, edits, &x, &y);
		/* what the next one begins from: diagonals -edits - 1 to edits + 1 */
		trace[edits] = xcalloc((size_t)(2 * edits + 3), sizeof(**trace));
		memcpy(trace[edits], reach - edits - 1, (size_t)(2 * edits + 3) * sizeof(**trace));
	}
	take_edit(diff, place, trace, edits - 1, x, y);
	for (int64_t i = 0; i < edits; i++)
		free(trace[i]);
	free(trace);
	free(reaches);
	place->a += (size_t)x;
	place->b += (size_t)y;
}

/* Pairs the equal lines of a place in their order: those that it has once, and what is between. */
static void pair_place(struct diff *diff, struct diff_place place, int depth)
{
	const size_t most = place.a_end - place.a;
	size_t *in_a = xcalloc(most + 1, sizeof(*in_a));
	size_t *in_b = xcalloc(most + 1, sizeof(*in_b));
	size_t count = depth < MOST_DEPTH ? find_unique(diff, &place, in_a, in_b) : 0;

	count = keep_ascending(in_a, in_b, count);
	for (size_t i = 0; i < count; i++)
		pair_lines(diff, in_a[i], in_b[i]);
	for (size_t i = 0; count && i <= count; i++) {
		const struct diff_place part = {
			i ? in_a[i - 1] + 1 : place.a, i < count ? in_a[i] : place.a_end,
			i ? in_b[i - 1] + 1 : place.b, i < count ? in_b[i] : place.b_end};

		if (part.a < part.a_end && part.b < part.b_end)
			pair_place(diff, part, depth + 1);
	}
	free(in_a);
	free(in_b);
	if (count)
		return;
	pair_ends(diff, &place);
	while (place.a < place.a_end && place.b < place.b_end)
		pair_by_edit(diff, &place);
}

/* ---- between the pairs ---- */

/* The next place between two pairs of `anchors`, which ascend in both texts: the pairs of a. */
static bool next_gap(const struct diff *diff, const size_t *anchors, struct diff_place *gap)
{
	size_t a = gap->a_end, b = gap->b_end;

	while (a < diff->a.count && anchors[a] == b) {
		a++;
		b++;
	}
	*gap = (struct diff_place){a, a, b, diff->b.count};
	while (gap->a_end < diff->a.count && anchors[gap->a_end] == NO_TEXT_LINE)
		gap->a_end++;
	if (gap->a_end < diff->a.count)
		gap->b_end = anchors[gap->a_end];
	return gap->a < gap->a_end || gap->b < gap->b_end;
}

static size_t *anchors_now(const struct diff *diff)
{
	size_t *anchors = xcalloc(diff->a.count + 1, sizeof(*anchors));

	memcpy(anchors, diff->a.pair, diff->a.count * sizeof(*anchors));
	return anchors;
}

/* ---- what moved ---- */

static size_t letters_of(const struct diff_line *line)
{
	size_t letters = 0;

	for (const char *at = line->words; *at; at++)
		letters += isalnum((unsigned char)*at) != 0;
	return letters;
}

static bool may_pair(const struct diff *diff, size_t a, size_t b)
{
	return a < diff->a.count && b < diff->b.count && diff->a.pair[a] == NO_TEXT_LINE &&
	       diff->b.pair[b] == NO_TEXT_LINE && lines_equal(diff, a, b);
}

/* Pairs the block of equal lines around a line that both texts have once. */
static void pair_moved_block(struct diff *diff, size_t a, size_t b)
{
	size_t before = 0, after = 0, letters = 0;

	while (before < a && before < b && may_pair(diff, a - before - 1, b - before - 1))
		before++;
	while (may_pair(diff, a + after, b + after))
		after++;
	for (size_t i = a - before; i < a + after; i++)
		letters += letters_of(&diff->a.lines[i]);
	for (size_t i = 0; letters >= MOVED_LETTERS && i < before + after; i++)
		pair_lines(diff, a - before + i, b - before + i);
}

static void pair_moved(struct diff *diff)
{
	for (size_t i = 0; i < diff->a.count; i++)
		diff->in_a[diff->a.lines[i].number] += diff->a.pair[i] == NO_TEXT_LINE;
	for (size_t i = 0; i < diff->b.count; i++)
		if (diff->b.pair[i] == NO_TEXT_LINE) {
			diff->in_b[diff->b.lines[i].number]++;
			diff->at_b[diff->b.lines[i].number] = i;
		}
	for (size_t i = 0; i < diff->a.count; i++) {
		const size_t id = diff->a.lines[i].number;

		if (diff->in_a[id] == 1 && diff->in_b[id] == 1 && may_pair(diff, i, diff->at_b[id]))
			pair_moved_block(diff, i, diff->at_b[id]);
	}
}

/* ---- what was edited ---- */

/* The part of the characters of the longer line that both begin and end with. */
static double alike(const struct diff_line *a, const struct diff_line *b)
{
	const size_t a_length = strlen(a->words), b_length = strlen(b->words);
	const size_t shorter = a_length < b_length ? a_length : b_length;
	const size_t longer = a_length < b_length ? b_length : a_length;
	size_t first = 0, last = 0;

	while (first < shorter && a->words[first] == b->words[first])
		first++;
	while (last < shorter - first &&
	       a->words[a_length - last - 1] == b->words[b_length - last - 1])
		last++;
	return longer ? (double)(first + last) / (double)longer : 0;
}

/* Pairs lines that are alike, in their order, so that as much as possible is alike. */
static void pair_alike(struct diff *diff, const size_t *a, size_t n, const size_t *b, size_t m)
{
	/* the most of the first i lines of a and j of b */
	double *best = xcalloc((n + 1) * (m + 1), sizeof(*best));
	double *own = xcalloc((n + 1) * (m + 1), sizeof(*own));
	const size_t row = m + 1;
	size_t i = n, j = m;

	for (size_t x = 1; x <= n; x++)
		for (size_t y = 1; y <= m; y++) {
			const double same =
				alike(&diff->a.lines[a[x - 1]], &diff->b.lines[b[y - 1]]);
			double most = best[(x - 1) * row + y];

			if (best[x * row + y - 1] > most)
				most = best[x * row + y - 1];
			own[x * row + y] = same >= ALIKE ? best[(x - 1) * row + y - 1] + same : -1;
			best[x * row + y] = own[x * row + y] > most ? own[x * row + y] : most;
		}
	while (i && j) {
		if (own[i * row + j] >= best[i * row + j])
			pair_lines(diff, a[--i], b[--j]);
		else if (best[(i - 1) * row + j] >= best[i * row + j - 1])
			i--;
		else
			j--;
	}
	free(best);
	free(own);
}

/* The lines of a side from `first` up to `end` that have no pair. */
static size_t lines_left(const struct diff_side *side, size_t first, size_t end, size_t *out)
{
	size_t count = 0;

	for (size_t i = first; i < end; i++)
		if (side->pair[i] == NO_TEXT_LINE)
			out[count++] = i;
	return count;
}

static void pair_edited(struct diff *diff, const size_t *anchors)
{
	size_t *a = xcalloc(diff->a.count + 1, sizeof(*a));
	size_t *b = xcalloc(diff->b.count + 1, sizeof(*b));
	struct diff_place gap = {0};

	while (next_gap(diff, anchors, &gap)) {
		const size_t n = lines_left(&diff->a, gap.a, gap.a_end, a);
		const size_t m = lines_left(&diff->b, gap.b, gap.b_end, b);

		if (n * m > MOST_ALIKE)
			continue;
		for (size_t i = 0; n == m && i < n; i++)
			pair_lines(diff, a[i], b[i]);
		if (n != m && n && m)
			pair_alike(diff, a, n, b, m);
	}
	free(a);
	free(b);
}

/* ---- texts ---- */

static void set_numbers(struct diff *diff)
{
	const size_t lines = diff->a.count + diff->b.count;
	struct diff_numbers numbers = numbers_new(lines);
	struct diff_side *const sides[] = {&diff->a, &diff->b};

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->count; i++)
			sides[side]->lines[i].number =
				text_number(&numbers, sides[side]->lines[i].words);
	numbers_release(&numbers);
	diff->in_a = xcalloc(lines + 1, sizeof(*diff->in_a));
	diff->in_b = xcalloc(lines + 1, sizeof(*diff->in_b));
	diff->at_b = xcalloc(lines + 1, sizeof(*diff->at_b));
}

static void text_map_init(struct text_map *out, size_t count)
{
	out->count = count;
	out->to = xcalloc(count + 1, sizeof(*out->to));
	out->edited = xcalloc(count + 1, sizeof(*out->edited));
	for (size_t i = 0; i < count; i++)
		out->to[i] = NO_TEXT_LINE;
}

static void take_map(struct text_map *out, const struct diff *diff)
{
	text_map_init(out, diff->a.text_lines);
	for (size_t i = 0; i < diff->a.count; i++) {
		const size_t pair = diff->a.pair[i], line = diff->a.numbers[i];

		if (pair == NO_TEXT_LINE)
			continue;
		out->to[line] = diff->b.numbers[pair];
		out->edited[line] = !lines_equal(diff, i, pair);
	}
}

void text_map_of(struct text_map *out, const struct diff_text *a, const struct diff_text *b,
		 bool python)
{
	struct diff diff = {0};
	size_t *anchors;

	side_split(&diff.a, a->bytes, a->length, python);
	side_split(&diff.b, b->bytes, b->length, python);
	set_numbers(&diff);
	pair_place(&diff, (struct diff_place){0, diff.a.count, 0, diff.b.count}, 0);
	anchors = anchors_now(&diff);
	pair_moved(&diff);
	pair_edited(&diff, anchors);
	take_map(out, &diff);
	free(anchors);
	free(diff.in_a);
	free(diff.in_b);
	free(diff.at_b);
	side_release(&diff.a);
	side_release(&diff.b);
}

void text_map_reverse(struct text_map *out, const struct text_map *map, size_t count)
{
	text_map_init(out, count);
	for (size_t i = 0; i < map->count; i++)
		if (map->to[i] < count) {
			out->to[map->to[i]] = i;
			out->edited[map->to[i]] = map->edited[i];
		}
}

void text_map_release(struct text_map *map)
{
	free(map->to);
	free(map->edited);
	*map = (struct text_map){0};
}
