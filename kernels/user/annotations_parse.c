/* From annotations to declarations: finds the word of each line, and the scope that it is in. */
#include <ctype.h>
#include <string.h>

#include "kernels/user/annotation_words.h"

/* What the lines so far have opened. */
struct declaring {
	struct annotated_file *file;
	struct annotation_scope *scope; /* of the last variant; before the first, of the file */
};

static int scan_kernel_name(struct annotation_scan *scan, const char **out, const char *what)
{
	char *name = scan_rest(scan);
	size_t length = strlen(name);

	if (!length)
		return scan_error(scan, "the name of %s is missing", what);
	if (length >= KERNEL_NAME_BYTES)
		return scan_error(scan,
				  "the name of %s \"%.60s\" has %zu bytes; at most %d are "
				  "possible",
				  what, name, length, KERNEL_NAME_BYTES - 1);
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
	file->variants =
		pool_room(scan->pool, file->variants, file->variant_count, sizeof(*file->variants));
	file->variants[file->variant_count++] = variant;
	declaring->scope = &variant->scope;
	return 0;
}

/* scripts/make-ptx writes these lines; they describe PTX and declare nothing. */
static int word_of_ptx(struct annotation_scan *scan, struct annotation_scope *scope)
{
	(void)scope;
	scan->at += strlen(scan->at);
	return 0;
}

/* Each word has one of the functions. */
static const struct {
	const char *name;
	int (*add)(struct annotation_scan *scan, struct annotation_scope *scope);
	int (*declare)(struct annotation_scan *scan, struct declaring *declaring);
} words[] = {
	{"operation", NULL, operation_word},     {"summary", summary_word, NULL},
	{"variant", NULL, variant_word},         {"axis", axis_annotation, NULL},
	{"define", define_annotation, NULL},     {"buffer", buffer_annotation, NULL},
	{"symbol", symbol_annotation, NULL},     {"launch", launch_annotation, NULL},
	{"skip", skip_annotation, NULL},         {"verify", verify_annotation, NULL},
	{"work", work_annotation, NULL},         {"tolerance", tolerance_annotation, NULL},
	{"flags", flags_annotation, NULL},       {"standard", standard_annotation, NULL},
	{"compiler", compiler_annotation, NULL}, {"needs", needs_annotation, NULL},
	{"toolkit", word_of_ptx, NULL},          {"command", word_of_ptx, NULL},
	{"source", word_of_ptx, NULL},           {"entry", word_of_ptx, NULL},
};

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

static int parse_annotation_line(struct annotation_scan *scan, struct declaring *declaring)
{
	size_t length = strcspn(scan->at, " \t");
	const char *word = pool_copy(scan->pool, scan->at, length);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, word)) {
			scan->at += length;
			scan_blanks(scan);
			return words[i].add ? words[i].add(scan, declaring->scope)
					    : words[i].declare(scan, declaring);
		}
	return unknown_word(scan, word);
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

int annotations_parse(struct annotated_file *file, struct annotation_pool *pool,
		      const struct annotation_lines *lines, struct error *err)
{
	struct declaring declaring = {.file = file, .scope = &file->scope};
	int rc = 0;

	for (size_t i = 0; i < lines->count && !rc; i++) {
		struct annotation_scan scan = {
			.pool = pool,
			.place = lines->items[i].place,
			.folder = lines->items[i].folder,
			.at = lines->items[i].text,
			.err = err,
		};

		rc = parse_annotation_line(&scan, &declaring);
	}
	return rc ? rc : check_variant_launches(file, err);
}
