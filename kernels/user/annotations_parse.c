/* From annotations to declarations: finds the word of each line, and the scope that it is in. */
#include <ctype.h>
#include <regex.h>
#include <string.h>

#include "kernels/user/annotation_lets.h"
#include "kernels/user/annotation_words.h"

/* The lines with words that come first, the others, and those of the file that its variants get. */
enum reading { READ_FIRST, READ_OTHERS, READ_COPIES };

/* What the lines so far have opened. */
struct declaring {
	struct annotated_file *file;
	struct annotation_scope
		*scope;     /* of the last variant of the text; before it, of the file */
	size_t variants;    /* those before this line */
	bool copies_checks; /* of the file, to its variants */
	struct annotation_lets lets;
};

static int scan_kernel_name(struct annotation_scan *scan, const char **out, const char *what)
{
	char *name = scan_rest(scan);
	int rc = *name ? scan_check_length(scan, what, name, KERNEL_NAME_BYTES)
		       : scan_error(scan, "the name of %s is missing", what);

	if (rc)
		return rc;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_.-", *c))
			return scan_error(scan,
					  "the name of %s \"%.60s\" may have only letters, digits, "
					  "\"_\", \".\" and \"-\"",
					  what, name);
	*out = name;
	return 0;
}

static int operation_word(struct annotation_scan *scan, struct declaring *declaring)
{
	struct annotated_file *file = declaring->file;

	if (file->operation)
		return scan_twice(scan, "the operation", file->operation_place);
	file->operation_place = scan->place;
	return scan_kernel_name(scan, &file->operation, "the operation");
}

static int summary_word(struct annotation_scan *scan, struct annotation_scope *scope)
{
	if (scope->summary)
		return scan_error(scan, "the summary is given twice; remove one");
	scope->summary = scan_rest(scan);
	return *scope->summary ? 0 : scan_error(scan, "a text expected after summary");
}

static int variant_word(struct annotation_scan *scan, struct declaring *declaring)
{
	struct annotated_file *file = declaring->file;
	struct annotated_variant *variant = pool_new(scan->pool, sizeof(*variant));
	int rc;

	if (!file->path)
		return scan_error(scan, "a variant can be declared only in a file");
	rc = scan_kernel_name(scan, &variant->name, "the variant");
	if (rc)
		return rc;
	if (file->variant_count == ANNOTATION_MAX_VARIANTS)
		return scan_error(scan, "more than %d variants", ANNOTATION_MAX_VARIANTS);
	variant->place = scan->place;
	pool_append(scan->pool, file->variants, file->variant_count, variant);
	return 0;
}

/* scripts/make-ptx writes these lines; they describe PTX and declare nothing. */
static int word_of_ptx(struct annotation_scan *scan, struct annotation_scope *scope)
{
	(void)scope;
	scan->at += strlen(scan->at);
	return 0;
}

#define NAME "^[A-Za-z0-9_.-]+"
#define BLANKS "[ \t]*"

/* Each word has one of the functions. */
static const struct annotation_word {
	const char *name;
	int (*add)(struct annotation_scan *scan, struct annotation_scope *scope);
	int (*declare)(struct annotation_scan *scan, struct declaring *declaring);
	bool first;         /* what the other lines need */
	bool copied;        /* a line of the file with a let of variants is one of each of them */
	const char *begins; /* an expression for what follows; NULL: prose looks the same */
} words[] = {
	{"operation", NULL, operation_word, false, false, NAME BLANKS "$"},
	{"summary", summary_word, NULL, false, false, NULL},
	{"variant", NULL, variant_word, true, false, NAME BLANKS "$"},
	{"let", let_annotation, NULL, true, false, NAME BLANKS "[=(]"},
	{"axis", axis_annotation, NULL, false, false, NAME BLANKS "="},
	{"define", define_annotation, NULL, false, false, NAME BLANKS "="},
	{"buffer", buffer_annotation, NULL, false, true, NAME BLANKS ":"},
	{"symbol", symbol_annotation, NULL, false, true, NAME BLANKS ":"},
	{"launch", launch_annotation, NULL, false, false, "<<<"},
	{"skip", skip_annotation, NULL, false, true, "^\""},
	{"verify", verify_annotation, NULL, false, true,
	 "<<<|" NAME BLANKS "(=|from \")|^(none$|by )"},
	{"compare", compare_annotation, NULL, false, false, NAME " +as "},
	{"work", work_annotation, NULL, false, true, NAME BLANKS "="},
	{"tolerance", tolerance_annotation, NULL, false, false, NAME BLANKS "="},
	{"flags", flags_annotation, NULL, false, false, "^-"},
	{"standard", standard_annotation, NULL, false, false, "^c\\+\\+"},
	{"compiler", compiler_annotation, NULL, false, false, "^nv"},
	{"needs", needs_annotation, NULL, false, false, "^sm_"},
	{"toolkit", word_of_ptx, NULL, false, false, NULL},
	{"command", word_of_ptx, NULL, false, false, NULL},
	{"source", word_of_ptx, NULL, false, false, NULL},
	{"entry", word_of_ptx, NULL, false, false, NULL},
};

static bool matches(const char *text, const char *pattern)
{
	regex_t expression;
	bool found = false;

	if (!regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB)) {
		found = !regexec(&expression, text, 0, NULL, 0);
		regfree(&expression);
	}
	return found;
}

bool begins_as_annotation(const char *text, bool colon)
{
	const size_t length = strcspn(text, " \t");

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].name) != length || memcmp(words[i].name, text, length) != 0)
			continue;
		text += length;
		text += strspn(text, " \t");
		return colon || (words[i].begins && matches(text, words[i].begins));
	}
	return false;
}

static int unknown_word(struct annotation_scan *scan, const char *word)
{
	const char *names[ARRAY_SIZE(words)];
	struct text text = TEXT_INIT;
	size_t count = 0;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].add != word_of_ptx)
			names[count++] = words[i].name;
	if (nearest_names(&text, word, names, count)) {
		rc = scan_error(scan, "unknown word \"%.60s\"; did you mean %s?", word, text.data);
	} else {
		for (size_t i = 0; i < count; i++)
			text_addf(&text, "%s%s", i ? ", " : "", names[i]);
		rc = scan_error(scan, "unknown word \"%.60s\"; an annotation begins with one of %s",
				word, text.data);
	}
	text_release(&text);
	return rc;
}

/* All checks of a file go together, so that none is left behind. */
static bool is_copied(const struct declaring *declaring, const struct annotation_word *word,
		      const char *text)
{
	if (!word->copied || declaring->scope != &declaring->file->scope)
		return false;
	return word->add == verify_annotation ? declaring->copies_checks
					      : lets_are_of_variants(declaring->file, text);
}

static bool variant_replaces(const struct annotated_variant *variant,
			     const struct annotation_scope *line)
{
	for (size_t i = 0; i < variant->own_buffers && line->buffer_count; i++)
		if (!strcmp(variant->scope.buffers[i].buffer.name, line->buffers[0].buffer.name))
			return true;
	return (line->check_count && variant->own_checks) ||
	       (line->work.place.file && variant->own_work);
}

/* Reads a line of the file as one of a variant, unless the variant replaces it. */
static int copy_to_scope(struct annotation_scan line, struct declaring *declaring,
			 const struct annotation_word *word, struct annotated_variant *variant)
{
	struct annotation_scope alone = {0}, *to = variant ? &variant->scope : declaring->scope;
	const struct annotation_scan again = line;
	int rc;

	declaring->lets.scopes[0] = variant ? to : NULL;
	line.place.expansions->lets = declaring->lets;
	rc = word->add(&line, &alone);
	line = again;
	if (!rc && !(variant && variant_replaces(variant, &alone)))
		rc = word->add(&line, to);
	declaring->lets.scopes[0] = NULL;
	return rc;
}

/* A launch outside of the variants is one without their lets, and needs the line, too. */
static int copy_to_variants(struct annotation_scan *scan, struct declaring *declaring,
			    const struct annotation_word *word)
{
	const struct annotated_file *file = declaring->file;
	int rc = file->scope.launch_count ? copy_to_scope(*scan, declaring, word, NULL) : 0;

	for (size_t v = 0; v < file->variant_count && !rc; v++) {
		scan->place.expansions = pool_new(scan->pool, sizeof(*scan->place.expansions));
		rc = copy_to_scope(*scan, declaring, word, file->variants[v]);
	}
	return rc;
}

static int parse_annotation_line(struct annotation_scan *scan, struct declaring *declaring,
				 enum reading reading)
{
	size_t length = strcspn(scan->at, " \t");
	const char *word = pool_copy(scan->pool, scan->at, length);
	bool copied;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i].name, word) != 0)
			continue;
		scan->at += length;
		scan_blanks(scan);
		copied = reading != READ_FIRST && is_copied(declaring, &words[i], scan->at);
		if (reading == READ_COPIES)
			rc = copied ? copy_to_variants(scan, declaring, &words[i]) : 0;
		else if (copied || words[i].first != (reading == READ_FIRST))
			rc = 0;
		else
			rc = words[i].add ? words[i].add(scan, declaring->scope)
					  : words[i].declare(scan, declaring);
		/* opens the variant that an earlier reading declared */
		if (!rc && words[i].declare == variant_word)
			declaring->lets.scopes[0] = declaring->scope =
				&declaring->file->variants[declaring->variants++]->scope;
		return rc;
	}
	return reading == READ_OTHERS ? unknown_word(scan, word) : 0;
}

static bool begins_file(const struct annotation_lines *lines, size_t index)
{
	return !index ||
	       strcmp(lines->items[index - 1].place.file, lines->items[index].place.file) != 0;
}

static int read_annotation_words(struct annotation_scan scan, struct declaring *declaring,
				 const struct annotation_lines *lines, enum reading reading)
{
	int rc = 0;

	declaring->variants = 0;
	for (size_t i = 0; i < lines->count && !rc; i++) {
		/* a variant ends with its file, so the lines of a sidecar begin outside of any */
		if (begins_file(lines, i)) {
			declaring->scope = &declaring->file->scope;
			declaring->lets.scopes[0] = NULL;
		}
		scan.place = lines->items[i].place;
		scan.place.expansions = pool_new(scan.pool, sizeof(*scan.place.expansions));
		scan.place.expansions->lets = declaring->lets;
		scan.folder = lines->items[i].folder;
		scan.at = lines->items[i].text;
		rc = parse_annotation_line(&scan, declaring, reading);
	}
	return rc;
}

static int check_lets(const struct annotation_scan *scan, struct declaring *declaring)
{
	const struct annotated_file *file = declaring->file;
	int rc;

	declaring->lets.scopes[0] = NULL;
	rc = lets_check_scope(scan, &file->scope);
	for (size_t i = 0; i < file->variant_count && !rc; i++) {
		declaring->lets.scopes[0] = &file->variants[i]->scope;
		rc = lets_check_scope(scan, &file->variants[i]->scope);
	}
	return rc;
}

/* What follows the word at the beginning of a line. NULL: another word begins it. */
static const char *after_word(const char *text, const char *word)
{
	const size_t length = strlen(word);

	return !strncmp(text, word, length) && (text[length] == ' ' || text[length] == '\t')
		       ? text + length
		       : NULL;
}

/* Whether a check of the file names a let of its variants. */
static bool copies_checks(const struct annotated_file *file, const struct annotation_lines *lines)
{
	bool inside = false;

	for (size_t i = 0; i < lines->count; i++) {
		const char *text = lines->items[i].text, *check = after_word(text, "verify");

		inside = !begins_file(lines, i) && inside;
		inside |= after_word(text, "variant") != NULL;
		if (!inside && check && lets_are_of_variants(file, check))
			return true;
	}
	return false;
}

static int check_variant_launches(const struct annotated_file *file, struct error *err)
{
	for (size_t i = 0; i < file->variant_count; i++)
		if (!file->variants[i]->scope.launch_count)
			return annotation_error(
				err, file->variants[i]->place,
				"the variant \"%s\" has no launch; add \"launch "
				"ENTRY<<<GRID, BLOCK>>>(ARGUMENTS)\" after this line",
				file->variants[i]->name);
	return 0;
}

/* An expression may use a let of a later line, as it may use an axis of a later line. So the lets,
 * and the variants that have them, are read first. What a variant gets of its file is read last,
 * because its own lines replace it. */
int annotations_parse(struct annotated_file *file, struct annotation_pool *pool,
		      const struct annotation_lines *lines, const struct annotation_scope *outer,
		      struct error *err)
{
	struct declaring declaring = {.file = file, .lets.scopes = {NULL, &file->scope, outer}};
	const struct annotation_scan scan = {.pool = pool, .lets = &declaring.lets, .err = err};
	int rc = read_annotation_words(scan, &declaring, lines, READ_FIRST);

	if (!rc)
		rc = check_lets(&scan, &declaring);
	declaring.copies_checks = copies_checks(file, lines);
	if (!rc)
		rc = read_annotation_words(scan, &declaring, lines, READ_OTHERS);
	for (size_t v = 0; v < file->variant_count; v++) {
		const struct annotation_scope *scope = &file->variants[v]->scope;

		file->variants[v]->own_buffers = scope->buffer_count;
		file->variants[v]->own_checks = scope->check_count;
		file->variants[v]->own_work = scope->work.place.file != NULL;
	}
	if (!rc)
		rc = read_annotation_words(scan, &declaring, lines, READ_COPIES);
	return rc ? rc : check_variant_launches(file, err);
}
