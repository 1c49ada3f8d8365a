/*
 * Expands the lets of an expression. Text is copied character by character;
 * only names, their arguments and the indices of reductions are looked at.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "kernels/check_expression.h"
#include "kernels/user/annotation_lets.h"

/* Arguments, bodies and reductions within one another. Both languages allow no more brackets. */
#define LET_DEPTH 64

struct expanding {
	const struct annotation_scan *scan;
	size_t written; /* also what is written only to be copied; bounds the time */
	int depth;
	int indices; /* of reductions that were renamed */
	bool any;    /* a let was used */
};

/* An index of a reduction within a let, which gets a name that no argument can have. */
struct index_name {
	const char *name;
	size_t length;
	int number;
	const struct index_name *outer;
};

/* The text that is read: the line, or the body of a let. */
struct let_frame {
	const struct annotation_let *let; /* NULL: the line */
	const struct let_text *arguments; /* of its parameters */
	const struct index_name *indices; /* from the innermost */
	const struct let_frame *user;     /* which uses this let */
};

struct let_call {
	const char *begin[LET_PARAMETERS], *end[LET_PARAMETERS];
	size_t count;
	const char *after; /* the closing bracket; NULL: there is none */
};

static int expand_part(struct expanding *e, const struct let_frame *frame, const char *begin,
		       const char *end, struct let_text *out);

#define let_error(e, frame, ...)                                                                \
	annotation_error((e)->scan->err, (frame)->let ? (frame)->let->place : (e)->scan->place, \
			 __VA_ARGS__)

/* ---- writing ---- */

/* Every step of the expansion is paid here, so its time is bounded, too. */
static int pay_bytes(struct expanding *e, const struct let_frame *frame, size_t length)
{
	size_t *total = &e->scan->lets->written_bytes;

	e->written += length;
	*total += length;
	if (e->written > LET_WORK_BYTES)
		return let_error(e, frame,
				 "the lets of this line expand to too much text; use fewer in one "
				 "another");
	if (*total > LET_FILE_BYTES)
		return let_error(e, frame,
				 "the lets of the file expand to over %d MiB of text; use fewer in "
				 "one another",
				 LET_FILE_BYTES >> 20);
	return 0;
}

static int write_bytes(struct expanding *e, const struct let_frame *frame, struct let_text *out,
		       const char *bytes, size_t length, const struct annotation_let *let)
{
	int rc = pay_bytes(e, frame, length);

	if (rc || !length)
		return rc;
	let_text_add(out, bytes, length, let);
	return 0;
}

static int write_segments(struct expanding *e, const struct let_frame *frame, struct let_text *out,
			  const struct let_text *from)
{
	size_t begin = 0;
	int rc = 0;

	for (size_t i = 0; i < from->count && !rc; i++) {
		rc = write_bytes(e, frame, out, from->text.data + begin,
				 from->segments[i].end - begin, from->segments[i].let);
		begin = from->segments[i].end;
	}
	return rc;
}

static bool is_let_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A name or a number; or a call, an element or brackets. */
static bool is_one_operand(const char *text)
{
	int depth = 0;

	while (is_of_name(*text) || *text == '.')
		text++;
	if (*text != '(' && *text != '[')
		return !*text;
	do {
		depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
		text++;
	} while (*text && depth);
	return !*text;
}

/* Whether operators could tear the text apart: it is more than one operand, and what stands before
 * it or after it is no bracket, comma or end. */
static bool needs_brackets(const struct let_text *out, const struct let_text *piece,
			   const char *after, const char *end)
{
	size_t before = out->text.length;

	if (is_one_operand(piece->text.data))
		return false;
	while (before && is_let_blank(out->text.data[before - 1]))
		before--;
	while (after < end && is_let_blank(*after))
		after++;
	return (before && !strchr("([,", out->text.data[before - 1])) ||
	       (after < end && !strchr(")],", *after));
}

/* Writes a let or an argument. `after`: what follows in the text that is read. A mistake at the end
 * of the piece shows at the bracket, so that has the piece's origin. */
static int write_piece(struct expanding *e, const struct let_frame *frame, struct let_text *out,
		       const struct let_text *piece, const char *after, const char *end)
{
	bool brackets = needs_brackets(out, piece, after, end);
	int rc = brackets ? write_bytes(e, frame, out, "(", 1, piece->segments[0].let) : 0;

	if (!rc)
		rc = write_segments(e, frame, out, piece);
	return rc || !brackets
		       ? rc
		       : write_bytes(e, frame, out, ")", 1, piece->segments[piece->count - 1].let);
}

/* ---- calls ---- */

/* Finds the arguments. False: no bracket follows. */
static bool find_arguments(struct let_call *call, const char *at, const char *end)
{
	int depth = 0;
	const char *begin;

	*call = (struct let_call){0};
	while (at < end && is_let_blank(*at))
		at++;
	if (at == end || *at != '(')
		return false;
	begin = at + 1;
	for (; at < end; at++) {
		depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
		if (depth && !(depth == 1 && *at == ','))
			continue;
		if (call->count < LET_PARAMETERS) {
			call->begin[call->count] = begin;
			call->end[call->count] = at;
		}
		call->count++;
		begin = at + 1;
		if (!depth) {
			call->after = at;
			break;
		}
	}
	return true;
}

static void trim_part(const char **begin, const char **end)
{
	while (*begin < *end && is_let_blank(**begin))
		++*begin;
	while (*begin < *end && is_let_blank((*end)[-1]))
		--*end;
}

static int check_let_use(const struct expanding *e, const struct let_frame *frame,
			 const struct annotation_let *let, const struct let_call *call, bool called)
{
	struct annotation_pool *pool = e->scan->pool;

	for (const struct let_frame *user = frame; user; user = user->user)
		if (user->let == let)
			return let_error(e, frame, "the let \"%s\" of %s uses itself%s%s%s",
					 let->name, annotation_place_text(pool, let->place),
					 frame->let == let ? "" : ", through \"",
					 frame->let == let ? "" : frame->let->name,
					 frame->let == let ? "" : "\"");
	if (called && !call->after)
		return let_error(e, frame, "\")\" is missing after the arguments of \"%s\"",
				 let->name);
	if (call->count != let->parameter_count)
		return let_error(e, frame, "\"%s\" takes %zu argument%s, not %zu (%s)", let->name,
				 let->parameter_count, let->parameter_count == 1 ? "" : "s",
				 call->count, annotation_place_text(pool, let->place));
	return 0;
}

static int expand_arguments(struct expanding *e, const struct let_frame *frame,
			    const struct annotation_let *let, struct let_call *call,
			    struct let_text *out)
{
	int rc = 0;

	for (size_t i = 0; i < call->count && !rc; i++) {
		trim_part(&call->begin[i], &call->end[i]);
		rc = call->begin[i] == call->end[i]
			     ? let_error(e, frame, "argument %zu of \"%s\" is empty", i + 1,
					 let->name)
			     : expand_part(e, frame, call->begin[i], call->end[i], &out[i]);
	}
	return rc;
}

/* Writes a let whose name ends at *at, and moves *at behind its arguments. */
static int expand_let(struct expanding *e, const struct let_frame *frame,
		      const struct annotation_let *let, const char **at, const char *end,
		      struct let_text *out)
{
	struct let_text arguments[LET_PARAMETERS] = {0}, body = {0};
	const struct let_frame inside = {let, arguments, frame->indices, frame};
	struct let_call call;
	bool called = find_arguments(&call, *at, end);
	int rc = check_let_use(e, frame, let, &call, called);

	e->any = true;
	if (!rc)
		rc = expand_arguments(e, frame, let, &call, arguments);
	if (!rc)
		rc = expand_part(e, &inside, let->body, let->body + strlen(let->body), &body);
	if (!rc && called)
		*at = call.after + 1;
	if (!rc)
		rc = write_piece(e, frame, out, &body, *at, end);
	for (size_t i = 0; i < LET_PARAMETERS; i++)
		let_text_release(&arguments[i]);
	let_text_release(&body);
	return rc;
}

/* ---- reductions ---- */

static bool is_parameter(const struct let_frame *frame, const char *name, size_t length,
			 size_t *index)
{
	for (size_t i = 0; frame->let && i < frame->let->parameter_count; i++)
		if (strlen(frame->let->parameters[i]) == length &&
		    !memcmp(frame->let->parameters[i], name, length)) {
			*index = i;
			return true;
		}
	return false;
}

static int write_index_name(struct expanding *e, const struct let_frame *frame,
			    struct let_text *out, const struct index_name *index)
{
	char number[16];
	int rc = write_bytes(e, frame, out, index->name, index->length, frame->let);

	snprintf(number, sizeof(number), "__%d", index->number);
	return rc ? rc : write_bytes(e, frame, out, number, strlen(number), frame->let);
}

/* NAME, FROM, TO, BODY: only BODY knows NAME. */
static int expand_reduction(struct expanding *e, const struct let_frame *frame,
			    const struct let_call *call, struct let_text *out)
{
	struct index_name index = {call->begin[0], 0, 0, frame->indices};
	struct let_frame inside = *frame;
	const char *name_end = call->end[0];
	int rc;

	trim_part(&index.name, &name_end);
	index.length = (size_t)(name_end - index.name);
	index.number = ++e->indices;
	inside.indices = &index;
	rc = write_bytes(e, frame, out, "(", 1, frame->let);
	if (!rc)
		rc = write_index_name(e, frame, out, &index);
	for (int i = 1; i < 4 && !rc; i++) {
		rc = write_bytes(e, frame, out, ",", 1, frame->let);
		if (!rc)
			rc = expand_part(e, i == 3 ? &inside : frame, call->begin[i], call->end[i],
					 out);
	}
	return rc ? rc : write_bytes(e, frame, out, ")", 1, frame->let);
}

/* Whether the call is a reduction over a range whose index is a plain name. */
static bool names_an_index(const struct let_frame *frame, const struct let_call *call)
{
	const char *begin = call->begin[0], *end = call->end[0];
	size_t parameter;

	if (call->count != 4 || !call->after)
		return false;
	trim_part(&begin, &end);
	for (const char *c = begin; c < end; c++)
		if (!is_of_name(*c))
			return false;
	return begin < end && !isdigit((unsigned char)*begin) &&
	       !is_parameter(frame, begin, (size_t)(end - begin), &parameter);
}

static int check_index_name(const struct expanding *e, const struct let_frame *frame,
			    const struct let_call *call)
{
	const char *begin = call->begin[0], *end = call->end[0];
	const struct annotation_let *let;

	trim_part(&begin, &end);
	let = lets_find(e->scan->lets, begin, (size_t)(end - begin));
	if (!let)
		return 0;
	return let_error(e, frame,
			 "the index \"%s\" of a sum, minimum or maximum is the let of %s, too; "
			 "rename one of them",
			 let->name, annotation_place_text(e->scan->pool, let->place));
}

/* Writes the arguments of a function whose name ends at *at, if they need more than copying. */
static int expand_call(struct expanding *e, const struct let_frame *frame, const char **at,
		       const char *end, struct let_text *out)
{
	struct let_call call;
	int rc;

	if (!find_arguments(&call, *at, end))
		return 0;
	/* The arguments are read once more. */
	rc = pay_bytes(e, frame, (size_t)((call.after ? call.after : end) - *at));
	if (rc || !names_an_index(frame, &call))
		return rc;
	rc = check_index_name(e, frame, &call);
	if (rc || !frame->let)
		return rc;
	*at = call.after + 1;
	return expand_reduction(e, frame, &call, out);
}

/* ---- text ---- */

static int expand_name(struct expanding *e, const struct let_frame *frame, const char **at,
		       const char *end, struct let_text *out)
{
	const char *name = *at;
	const struct annotation_let *let;
	struct let_call call;
	size_t length, parameter;
	int rc;

	while (*at < end && is_of_name(**at))
		++*at;
	length = (size_t)(*at - name);
	if (is_parameter(frame, name, length, &parameter))
		return write_piece(e, frame, out, &frame->arguments[parameter], *at, end);
	for (const struct index_name *index = frame->indices; index; index = index->outer)
		if (index->length == length && !memcmp(index->name, name, length))
			return write_index_name(e, frame, out, index);
	let = lets_find(e->scan->lets, name, length);
	if (let)
		return expand_let(e, frame, let, at, end, out);
	rc = write_bytes(e, frame, out, name, length, frame->let);
	/* the hex digits of bytes(…) only look like names */
	if (!rc && length == 5 && !memcmp(name, "bytes", 5) && find_arguments(&call, *at, end)) {
		const char *begin = *at, *close = memchr(begin, ')', (size_t)(end - begin));

		*at = close ? close : end;
		return write_bytes(e, frame, out, begin, (size_t)(*at - begin), frame->let);
	}
	if (rc || !check_expression_is_reduction(name, length))
		return rc;
	return expand_call(e, frame, at, end, out);
}

static int expand_part(struct expanding *e, const struct let_frame *frame, const char *begin,
		       const char *end, struct let_text *out)
{
	int rc = 0;

	if (++e->depth > LET_DEPTH)
		rc = let_error(e, frame, "lets and reductions are nested over %d deep", LET_DEPTH);
	if (!out->text.data)
		out->text = (struct text)TEXT_INIT;
	for (const char *c = begin; c < end && !rc;) {
		const char *start = c;

		if (isalpha((unsigned char)*c) || *c == '_') {
			rc = expand_name(e, frame, &c, end, out);
			continue;
		}
		/* A number keeps its letters: 1e5. */
		do
			c++;
		while (c < end && (isdigit((unsigned char)*start) || *start == '.') &&
		       (is_of_name(*c) || *c == '.'));
		rc = write_bytes(e, frame, out, start, (size_t)(c - start), frame->let);
	}
	e->depth--;
	return rc;
}

/* ---- lines ---- */

int scan_expand(const struct annotation_scan *scan, const char **expression)
{
	struct expanding e = {.scan = scan};
	const struct let_frame line = {0};
	struct let_text out = {0};
	bool any = false;
	int rc;

	for (size_t i = 0; scan->lets && i < ARRAY_SIZE(scan->lets->scopes); i++)
		any |= scan->lets->scopes[i] && scan->lets->scopes[i]->let_count;
	if (!any)
		return 0;
	rc = expand_part(&e, &line, *expression, *expression + strlen(*expression), &out);
	if (!rc && e.any && out.text.length > LET_EXPANDED_BYTES)
		rc = scan_error(scan, "with its lets, the expression \"%.60s\" has over %d bytes",
				*expression, LET_EXPANDED_BYTES);
	if (!rc && e.any)
		*expression = let_text_keep(scan, &out);
	let_text_release(&out);
	return rc;
}

int scan_expand_items(const struct annotation_scan *scan, const struct annotation_list *items,
		      const char **out)
{
	int rc = 0;

	for (size_t i = 0; i < items->count && !rc; i++) {
		out[i] = items->items[i];
		rc = scan_expand(scan, &out[i]);
	}
	return rc;
}

int lets_check_scope(const struct annotation_scan *scan, const struct annotation_scope *scope)
{
	int rc = 0;

	for (size_t i = 0; i < scope->let_count && !rc; i++) {
		const struct annotation_let *let = &scope->lets[i];
		struct annotation_scan at_let = *scan;
		struct expanding e = {.scan = &at_let};
		struct let_text arguments[LET_PARAMETERS] = {0}, out = {0};
		const struct let_frame frame = {.let = let, .arguments = arguments};

		at_let.place = let->place;
		for (size_t p = 0; p < let->parameter_count && !rc; p++) {
			arguments[p].text = (struct text)TEXT_INIT;
			rc = write_bytes(&e, &frame, &arguments[p], let->parameters[p],
					 strlen(let->parameters[p]), let);
		}
		if (!rc)
			rc = expand_part(&e, &frame, let->body, let->body + strlen(let->body),
					 &out);
		for (size_t p = 0; p < LET_PARAMETERS; p++)
			let_text_release(&arguments[p]);
		let_text_release(&out);
	}
	return rc;
}
