/* The word `let`, the names that a let may have, and text that lets were expanded into. */
#include "kernels/user/annotation_lets.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/check_expression.h"
#include "kernels/user/annotation_words.h"

/* ---- names ---- */

/* What the name means in expressions already; NULL: nothing. */
static const char *meaning_of_name(const char *name)
{
	static const char *const words[] = {"nullptr", "NULL", "dim3", "pad", "align", "packed"};
	enum arg_kind kind;

	if (check_expression_has_function(name, strlen(name)))
		return "a function";
	if (!strcmp(name, "i"))
		return "the index of elements and of repeated launches";
	if (arg_kind_parse(&kind, name))
		return "the type of an argument";
	if (is_device_limit(name))
		return "a limit of the device";
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return "a word of launches";
	return NULL;
}

static const struct annotation_let *find_in_scope(const struct annotation_scope *scope,
						  const char *name, size_t length)
{
	for (size_t i = 0; i < scope->let_count; i++)
		if (strlen(scope->lets[i].name) == length &&
		    !memcmp(scope->lets[i].name, name, length))
			return &scope->lets[i];
	return NULL;
}

const struct annotation_let *lets_find(const struct annotation_lets *lets, const char *name,
				       size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(lets->scopes); i++) {
		const struct annotation_let *let =
			lets->scopes[i] ? find_in_scope(lets->scopes[i], name, length) : NULL;

		if (let)
			return let;
	}
	return NULL;
}

/* `seen` has the lets of the file that were looked at, so that each is once. */
static bool names_let_of_variant(const struct annotated_file *file, const char *text, bool *seen)
{
	for (size_t length; *text; text += length ? length : 1) {
		const struct annotation_let *let;

		length = 0;
		while (isalnum((unsigned char)text[length]) || text[length] == '_')
			length++;
		let = length ? find_in_scope(&file->scope, text, length) : NULL;
		for (size_t v = 0; !let && length && v < file->variant_count; v++)
			if (find_in_scope(&file->variants[v]->scope, text, length))
				return true;
		if (!let || seen[let - file->scope.lets])
			continue;
		seen[let - file->scope.lets] = true;
		if (names_let_of_variant(file, let->body, seen))
			return true;
	}
	return false;
}

bool lets_are_of_variants(const struct annotated_file *file, const char *text)
{
	bool seen[LETS_PER_SCOPE] = {false};

	return names_let_of_variant(file, text, seen);
}

void lets_add_names(const char **names, size_t *count, struct annotation_place place)
{
	if (!place.expansions)
		return;
	for (size_t s = 0; s < ARRAY_SIZE(place.expansions->lets.scopes); s++) {
		const struct annotation_scope *scope = place.expansions->lets.scopes[s];

		for (size_t i = 0; scope && i < scope->let_count; i++)
			names[(*count)++] = scope->lets[i].name;
	}
}

/* ---- the word ---- */

static int check_let_name(const struct annotation_scan *scan, const struct annotation_scope *scope,
			  const char *name)
{
	const char *meaning = meaning_of_name(name);
	/*
	 * A variant cannot replace a let of its file: other lets of the file, and the buffers
	 * outside of the variant, would keep the old meaning or change it, and which of the two
	 * would be a guess. A file can replace one of the first file: so two versions of a file can
	 * be swept together.
	 */
	const struct annotation_lets of_file = {
		.scopes = {scan->lets->scopes[0], scan->lets->scopes[1]}};
	const struct annotation_let *first = lets_find(&of_file, name, strlen(name));
	int rc =
		meaning ? scan_error(scan, "\"%s\" is %s; give the let another name", name, meaning)
			: scan_check_length(scan, "the let", name, AXIS_NAME_BYTES);

	if (rc)
		return rc;
	if (first)
		return scan_error(scan, "the let \"%s\" is declared twice, first at %s; remove one",
				  name, annotation_place_text(scan->pool, first->place));
	if (scope->let_count == LETS_PER_SCOPE)
		return scan_error(scan, "more than %d lets", LETS_PER_SCOPE);
	return 0;
}

static int add_parameter(struct annotation_scan *scan, struct annotation_let *let, const char *name)
{
	const char *meaning = meaning_of_name(name);

	if (!is_c_identifier(name))
		return scan_error(scan,
				  "\"%.60s\" is not the name of a parameter of \"%s\" (letters, "
				  "digits and _, no digit first)",
				  name, let->name);
	/* `i` is no function, and as a parameter it is the argument. */
	if (meaning && strcmp(name, "i") != 0)
		return scan_error(scan, "\"%s\" is %s; give the parameter another name", name,
				  meaning);
	for (size_t i = 0; i < let->parameter_count; i++)
		if (!strcmp(let->parameters[i], name))
			return scan_error(scan, "two parameters of \"%s\" are named \"%s\"",
					  let->name, name);
	if (let->parameter_count == LET_PARAMETERS)
		return scan_error(scan, "\"%s\" has more than %d parameters", let->name,
				  LET_PARAMETERS);
	let->parameters[let->parameter_count++] = name;
	return 0;
}

static int scan_parameters(struct annotation_scan *scan, struct annotation_let *let)
{
	struct annotation_list list;
	char *inside;
	int rc;

	if (!scan_accept(scan, "("))
		return 0;
	rc = scan_items(scan, ')', &list, &inside);
	if (!rc && !list.count)
		rc = scan_error(scan, "\"%s()\" has no parameter; write \"let %s = …\"", let->name,
				let->name);
	if (rc)
		return rc;
	let->parameters = pool_new(scan->pool, LET_PARAMETERS * sizeof(*let->parameters));
	for (size_t i = 0; i < list.count && !rc; i++)
		rc = add_parameter(scan, let, list.items[i]);
	return rc;
}

/* A body must be one expression wherever it is put. */
static const char *fault_of_body(const char *body)
{
	int round = 0, square = 0;

	if (!*body)
		return "an expression expected after \"=\"";
	if (*body == '=')
		return "one \"=\" and an expression expected";
	for (const char *c = body; *c; c++) {
		round += (*c == '(') - (*c == ')');
		square += (*c == '[') - (*c == ']');
		if (round < 0 || square < 0)
			break;
		if (*c == '"')
			return "an expression has no quotes";
		if (*c == ',' && !round && !square)
			return "a let is one expression, without a comma outside of brackets";
	}
	return round || square ? "a bracket does not match" : NULL;
}

int let_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct annotation_let let = {.place = scan->place};
	const char *fault;
	int rc = scan_identifier(scan, &let.name, "the let");

	if (!rc)
		rc = check_let_name(scan, scope, let.name);
	if (!rc)
		rc = scan_parameters(scan, &let);
	if (rc)
		return rc;
	if (!scan_accept(scan, "="))
		return scan_error(scan, "\"=\" and an expression expected after \"let %s\"",
				  let.name);
	let.body = scan_rest(scan);
	fault = fault_of_body(let.body);
	if (fault)
		return scan_error(scan, "let %s = %.60s: %s", let.name, let.body, fault);
	pool_append(scan->pool, scope->lets, scope->let_count, let);
	return 0;
}

/* ---- names of axes and buffers ---- */

struct let_names {
	struct annotation_pool *pool;
	const struct annotated_file *files;
	size_t count;
	const struct annotated_file *given;
	struct error *err;
};

static int check_let_against_scope(const struct let_names *names, const struct annotation_let *let,
				   const struct annotation_scope *scope)
{
	const struct annotation_let *same = find_in_scope(scope, let->name, strlen(let->name));
	const struct annotation_place *other = NULL;
	const char *what = "axis";

	for (size_t i = 0; i < scope->axis_count && !other; i++)
		if (!strcmp(scope->axes[i].axis.name, let->name))
			other = &scope->axes[i].place;
	for (size_t i = 0; i < scope->buffer_count && !other; i++)
		if (!strcmp(scope->buffers[i].buffer.name, let->name)) {
			other = &scope->buffers[i].place;
			what = "buffer";
		}
	if (other)
		return annotation_error(
			names->err, let->place,
			"the let \"%s\" has the name of the %s of %s; rename one of them",
			let->name, what, annotation_place_text(names->pool, *other));
	/* One of the command line is not seen by the lines of files. */
	if (same && same != let && !let->place.line)
		return annotation_error(
			names->err, let->place,
			"the let \"%s\" has the name of the let of %s, which it cannot "
			"replace; give it another name",
			let->name, annotation_place_text(names->pool, same->place));
	return 0;
}

/* `own`: the variant that has the let; NULL: its file, whose lets hold in all variants and perhaps
 * in other files. */
static int check_let_against_files(const struct let_names *names, const struct annotation_let *let,
				   const struct annotation_scope *own)
{
	int rc = check_let_against_scope(names, let, &names->given->scope);

	if (!rc && own)
		rc = check_let_against_scope(names, let, own);
	for (size_t f = 0; f < names->count && !rc; f++) {
		const struct annotated_file *file = &names->files[f];

		rc = check_let_against_scope(names, let, &file->scope);
		for (size_t v = 0; v < file->variant_count && !rc && !own; v++)
			rc = check_let_against_scope(names, let, &file->variants[v]->scope);
	}
	return rc;
}

static int check_file_lets(const struct let_names *names, const struct annotated_file *file)
{
	int rc = 0;

	for (size_t i = 0; i < file->scope.let_count && !rc; i++)
		rc = check_let_against_files(names, &file->scope.lets[i], NULL);
	for (size_t v = 0; v < file->variant_count && !rc; v++) {
		const struct annotation_scope *scope = &file->variants[v]->scope;

		for (size_t i = 0; i < scope->let_count && !rc; i++)
			rc = check_let_against_files(names, &scope->lets[i], scope);
	}
	return rc;
}

int lets_check_names(struct annotation_pool *pool, const struct annotated_file *files, size_t count,
		     const struct annotated_file *given, struct error *err)
{
	const struct let_names names = {pool, files, count, given, err};
	int rc = check_file_lets(&names, given);

	for (size_t f = 0; f < count && !rc; f++)
		rc = check_file_lets(&names, &files[f]);
	return rc;
}

/* ---- text that lets were expanded into ---- */

struct let_expansion {
	const struct let_expansion *next;
	const char *text;
	const struct let_segment *segments;
	size_t count;
};

void let_text_add(struct let_text *out, const char *bytes, size_t length,
		  const struct annotation_let *let)
{
	text_add_bytes(&out->text, bytes, length);
	if (!out->count || out->segments[out->count - 1].let != let) {
		out->segments = xgrow(out->segments, &out->capacity, out->count + 1,
				      sizeof(*out->segments));
		out->segments[out->count++].let = let;
	}
	out->segments[out->count - 1].end = out->text.length;
}

void let_text_release(struct let_text *text)
{
	text_release(&text->text);
	free(text->segments);
}

const char *let_text_keep(const struct annotation_scan *scan, const struct let_text *from)
{
	struct let_expansion *expansion = pool_new(scan->pool, sizeof(*expansion));
	size_t bytes = from->count * sizeof(*from->segments);
	struct let_segment *segments = pool_new(scan->pool, bytes);

	memcpy(segments, from->segments, bytes);
	*expansion = (struct let_expansion){
		.next = scan->place.expansions->first,
		.text = pool_copy(scan->pool, from->text.data, from->text.length),
		.segments = segments,
		.count = from->count,
	};
	scan->place.expansions->first = expansion;
	return expansion->text;
}

void lets_add_origin(struct text *out, struct annotation_place place, const char *expression,
		     size_t character)
{
	const struct let_expansion *found = place.expansions ? place.expansions->first : NULL;
	const char *part = NULL;
	const struct annotation_let *let = NULL;

	/* The expression can be a part of what was expanded: that of i32(…). */
	while (found && !(part = strstr(found->text, expression)))
		found = found->next;
	if (!found || !character)
		return;
	character += (size_t)(part - found->text);
	for (size_t i = 0; i < found->count; i++) {
		let = found->segments[i].let;
		if (found->segments[i].end >= character)
			break;
	}
	if (let && let->place.line)
		text_addf(out, " (in the let \"%s\" of %s:%zu)", let->name, let->place.file,
			  let->place.line);
	else if (let)
		text_addf(out, " (in the let \"%s\" of %s)", let->name, let->place.file);
}
