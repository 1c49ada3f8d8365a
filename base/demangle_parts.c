/* Makes the parts of a mangled name, and reads its words. */
#include "base/demangle_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 192

struct part *part_new(struct demangler *d, enum part_kind kind, const struct part *left,
		      const struct part *right)
{
	struct part *part;

	if (d->part_count == d->part_capacity)
		return NULL;
	part = &d->parts[d->part_count++];
	*part = (struct part){.kind = kind, .left = left, .right = right};
	return part;
}

struct part *part_text(struct demangler *d, const char *text)
{
	struct part *part = part_new(d, PART_TEXT, NULL, NULL);

	if (part) {
		part->text = text;
		part->length = strlen(text);
	}
	return part;
}

const struct part *part_remember(struct demangler *d, const struct part *part)
{
	if (!part)
		return NULL;
	d->substitutions = xgrow(d->substitutions, &d->substitution_capacity,
				 d->substitution_count + 1, sizeof(*d->substitutions));
	d->substitutions[d->substitution_count++] = part;
	return part;
}

bool part_append(struct demangler *d, const struct part **list, struct part **tail,
		 const struct part *item)
{
	struct part *link = item ? part_new(d, PART_LIST, item, NULL) : NULL;

	if (!link)
		return false;
	if (*tail)
		(*tail)->right = link;
	else
		*list = link;
	*tail = link;
	return true;
}

/* `budget`: how many parts may be looked at. */
static const struct part *find_pack(const struct part *part, int *budget)
{
	const struct part *found;

	if (!part || --*budget < 0)
		return NULL;
	if (part->kind == PART_PACK)
		return part;
	if (part->kind == PART_TEXT || part->kind == PART_EXPANSION)
		return NULL;
	found = find_pack(part->left, budget);
	return found ? found : find_pack(part->right, budget);
}

const struct part *part_pack(const struct part *pattern)
{
	int budget = 10000;

	return find_pack(pattern, &budget);
}

int64_t part_pack_length(const struct part *pack)
{
	int64_t count = 0;

	for (const struct part *link = pack->left; link; link = link->right)
		count++;
	return count;
}

bool demangle_take(struct demangler *d, const char *word)
{
	const size_t length = strlen(word);

	if (strncmp(d->at, word, length) != 0)
		return false;
	d->at += length;
	return true;
}

bool demangle_number(struct demangler *d, int64_t *out)
{
	int64_t value = 0;

	if (!isdigit((unsigned char)*d->at))
		return false;
	while (isdigit((unsigned char)*d->at)) {
		value = value * 10 + (*d->at++ - '0');
		if (value > INT32_MAX)
			return false;
	}
	*out = value;
	return true;
}

static int sequence_digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
}

bool demangle_sequence(struct demangler *d, int base, int64_t *out)
{
	int64_t value = 0;
	const char *start = d->at;

	for (; sequence_digit(*d->at) >= 0; d->at++) {
		if (sequence_digit(*d->at) >= base || value > INT32_MAX)
			return false;
		value = value * base + sequence_digit(*d->at);
	}
	*out = d->at == start ? 0 : value + 1;
	return demangle_take(d, "_");
}

bool demangle_enter(struct demangler *d)
{
	return ++d->depth <= DEPTH_MOST;
}

void demangle_leave(struct demangler *d)
{
	d->depth--;
}

/* An unnamed namespace is called "_GLOBAL__N_1", with more behind it from nvcc. */
static bool is_unnamed_namespace(const char *name, size_t length)
{
	return length >= 10 && !strncmp(name, "_GLOBAL_", 8) && strchr("_.$", name[8]) &&
	       name[9] == 'N';
}

const struct part *demangle_source_name(struct demangler *d)
{
	struct part *part;
	int64_t length;

	if (!demangle_number(d, &length) || !length ||
	    strnlen(d->at, (size_t)length) < (size_t)length)
		return NULL;
	if (is_unnamed_namespace(d->at, (size_t)length)) {
		part = part_text(d, "(anonymous namespace)");
	} else {
		part = part_text(d, "");
		if (part) {
			part->text = d->at;
			part->length = (size_t)length;
			part->number = 1;
		}
	}
	d->at += length;
	return part;
}

const struct part *demangle_template_argument(const struct demangler *d, int64_t index)
{
	return index < (int64_t)d->argument_count ? d->arguments[index] : NULL;
}

const struct part *demangle_template_parameter(struct demangler *d)
{
	struct part *part;
	int64_t index;

	if (!demangle_take(d, "T") || !demangle_sequence(d, 10, &index))
		return NULL;
	if (!d->lambda)
		return demangle_template_argument(d, index);
	part = part_new(d, PART_AUTO, NULL, NULL);
	if (part)
		part->number = index + 1;
	return part;
}
