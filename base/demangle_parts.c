/* Makes the parts of a mangled name, and reads its words. */
#include "base/demangle.h"

#include <ctype.h>
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

struct part *part_if_read(struct demangler *d, enum part_kind kind, const struct part *left,
			  const struct part *right)
{
	return left ? part_new(d, kind, left, right) : NULL;
}

/* The text need not end with NUL. */
static struct part *part_with_bytes(struct demangler *d, enum part_kind kind, const char *text,
				    size_t length, const struct part *left)
{
	struct part *part = part_new(d, kind, left, NULL);

	if (part) {
		part->text = text;
		part->length = length;
	}
	return part;
}

struct part *part_with_text(struct demangler *d, enum part_kind kind, const char *text,
			    const struct part *left)
{
	return left ? part_with_bytes(d, kind, text, strlen(text), left) : NULL;
}

struct part *part_text(struct demangler *d, const char *text)
{
	return part_with_bytes(d, PART_TEXT, text, strlen(text), NULL);
}

const struct part *part_digits(struct demangler *d)
{
	const char *start = d->at;
	int64_t unused;

	if (!demangle_number(d, &unused))
		return NULL;
	return part_with_bytes(d, PART_TEXT, start, (size_t)(d->at - start), NULL);
}

struct part *part_numbered(struct demangler *d, enum part_kind kind, const struct part *left)
{
	struct part *part;
	int64_t number;

	if (!demangle_sequence(d, 10, &number))
		return NULL;
	part = part_new(d, kind, left, NULL);
	if (part)
		part->number = number + 1;
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

const struct part *part_item(const struct part *list, int64_t index)
{
	for (; list && index > 0; index--)
		list = list->right;
	return list ? list->left : NULL;
}

int64_t part_pack_length(const struct part *pack)
{
	int64_t count = 0;

	for (const struct part *link = pack->left; link; link = link->right)
		count++;
	return count;
}

const struct part *part_last_component(const struct part *name)
{
	while (name->kind == PART_NESTED || name->kind == PART_QUALIFIED)
		name = name->kind == PART_NESTED ? name->right : name->left;
	return name;
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
		part = part_with_bytes(d, PART_TEXT, d->at, (size_t)length, NULL);
		if (part)
			part->number = 1;
	}
	d->at += length;
	return part;
}

static const struct part *template_argument(const struct demangler *d, int64_t index)
{
	return index < (int64_t)d->argument_count ? d->arguments[index] : NULL;
}

const struct part *demangle_template_parameter(struct demangler *d)
{
	int64_t index;

	if (!demangle_take(d, "T"))
		return NULL;
	if (d->lambda)
		return part_numbered(d, PART_AUTO, NULL);
	return demangle_sequence(d, 10, &index) ? template_argument(d, index) : NULL;
}

const struct part *demangle_substitution(struct demangler *d)
{
	static const struct {
		char letter;
		const char *text;
	} abbreviations[] = {
		{'a', "std::allocator"}, {'b', "std::basic_string"}, {'s', "std::string"},
		{'i', "std::istream"},   {'o', "std::ostream"},      {'d', "std::iostream"},
	};
	int64_t index;

	for (size_t i = 0; i < ARRAY_SIZE(abbreviations); i++)
		if (*d->at == abbreviations[i].letter) {
			d->at++;
			return part_text(d, abbreviations[i].text);
		}
	if (!demangle_sequence(d, 36, &index) || index >= (int64_t)d->substitution_count)
		return NULL;
	/* an earlier "T_" means what it means here, not what it meant in a lambda */
	if (d->substitutions[index]->kind == PART_AUTO && !d->lambda)
		return template_argument(d, d->substitutions[index]->number - 1);
	return d->substitutions[index];
}

const char *demangle_operator(const char *at, int *operands)
{
	static const struct {
		const char *letters, *text;
		int operands;
	} rows[] = {
		{"nw", "new", 0},      {"na", "new[]", 0}, {"dl", "delete", 0},
		{"da", "delete[]", 0}, {"ps", "+", 1},     {"ng", "-", 1},
		{"ad", "&", 1},        {"de", "*", 1},     {"co", "~", 1},
		{"pl", "+", 2},        {"mi", "-", 2},     {"ml", "*", 2},
		{"dv", "/", 2},        {"rm", "%", 2},     {"an", "&", 2},
		{"or", "|", 2},        {"eo", "^", 2},     {"aS", "=", 2},
		{"pL", "+=", 2},       {"mI", "-=", 2},    {"mL", "*=", 2},
		{"dV", "/=", 2},       {"rM", "%=", 2},    {"aN", "&=", 2},
		{"oR", "|=", 2},       {"eO", "^=", 2},    {"ls", "<<", 2},
		{"rs", ">>", 2},       {"lS", "<<=", 2},   {"rS", ">>=", 2},
		{"eq", "==", 2},       {"ne", "!=", 2},    {"lt", "<", 2},
		{"gt", ">", 2},        {"le", "<=", 2},    {"ge", ">=", 2},
		{"ss", "<=>", 2},      {"nt", "!", 1},     {"aa", "&&", 2},
		{"oo", "||", 2},       {"pp", "++", 1},    {"mm", "--", 1},
		{"cm", ",", 2},        {"pm", "->*", 2},   {"pt", "->", 2},
		{"cl", "()", 0},       {"ix", "[]", 0},    {"qu", "?", 0},
		{"aw", "co_await", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strncmp(at, rows[i].letters, 2)) {
			*operands = rows[i].operands;
			return rows[i].text;
		}
	return NULL;
}
