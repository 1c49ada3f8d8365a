/* Writes the parts of a name as C++ does. A type surrounds what it declares, so each is written in
 * two halves: "int (*" and ") [3]". */
#include "base/demangle.h"

#include <string.h>

#define PRINT_DEPTH_MOST 512
#define STEPS_MOST 4000000

struct printer {
	struct text *out;
	int depth;
	int64_t steps;
	int64_t index; /* of the item of a pack that an expansion is at; -1: not in one */
	bool failed;
};

static void print_text(struct printer *p, const char *text)
{
	text_add(p->out, text);
}

static void print_part(struct printer *p, const struct part *part);
static void print_first(struct printer *p, const struct part *part);
static void print_second(struct printer *p, const struct part *part);

/* A name can repeat parts, so that a short one has a text without end. */
static bool print_enter(struct printer *p)
{
	if (++p->depth > PRINT_DEPTH_MOST || ++p->steps > STEPS_MOST ||
	    p->out->length > DEMANGLED_MOST)
		p->failed = true;
	return !p->failed;
}

/* ---- lists and packs ---- */

static void print_between(struct printer *p, const char *before, const struct part *part,
			  const char *after)
{
	print_text(p, before);
	print_part(p, part);
	print_text(p, after);
}

/* What a pack stands for at this place of an expansion; another part is itself. */
static const struct part *resolve_pack(const struct printer *p, const struct part *part)
{
	while (part && part->kind == PART_PACK && p->index >= 0) {
		const struct part *item = part_item(part->left, p->index);

		if (!item)
			break;
		part = item;
	}
	return part;
}

/* Items with ", " between them. */
static void print_list(struct printer *p, const struct part *list)
{
	bool first = true;

	for (; list && !p->failed; list = list->right) {
		const size_t before = p->out->length;
		size_t start;

		if (!first)
			print_text(p, ", ");
		start = p->out->length;
		print_part(p, list->left);
		if (p->out->length == start) { /* an empty pack */
			p->out->length = before;
			p->out->data[before] = '\0';
		} else {
			first = false;
		}
	}
}

static void print_list_between(struct printer *p, const char *before, const struct part *list,
			       const char *after)
{
	print_text(p, before);
	print_list(p, list);
	print_text(p, after);
}

static void print_expansion(struct printer *p, const struct part *part)
{
	const int64_t outer = p->index;
	const struct part *pack = part_pack(part->left);
	const int64_t count = pack ? part_pack_length(pack) : 0;

	if (!pack) {
		print_part(p, part->left);
		print_text(p, "...");
		return;
	}
	for (int64_t i = 0; i < count && !p->failed; i++) {
		if (i)
			print_text(p, ", ");
		p->index = i;
		print_part(p, part->left);
	}
	p->index = outer;
}

/* ---- names ---- */

static void print_template_name(struct printer *p, const struct part *part)
{
	const int64_t outer = p->index;

	print_part(p, part->left);
	if (p->out->length && p->out->data[p->out->length - 1] == '<')
		print_text(p, " "); /* "operator< <int>" */
	print_text(p, "<");
	print_list(p, part->right);
	p->index = outer;
	if (p->out->data[p->out->length - 1] == '>')
		print_text(p, " ");
	print_text(p, ">");
}

static void print_encoding(struct printer *p, const struct part *part)
{
	const struct part *type = part->right;

	if (type->left) {
		print_first(p, type->left);
		if (p->out->length && p->out->data[p->out->length - 1] != ' ')
			print_text(p, " ");
	}
	print_part(p, part->left);
	print_list_between(p, "(", type->right, ")");
	if (type->left)
		print_second(p, type->left);
	text_add_bytes(p->out, type->text ? type->text : "", type->length);
}

/* ---- types ---- */

static const struct part *without_qualifiers(const struct part *part)
{
	while (part && part->kind == PART_QUALIFIED)
		part = part->left;
	return part;
}

static bool is_function(const struct part *part)
{
	part = without_qualifiers(part);
	return part && part->kind == PART_FUNCTION;
}

static bool is_array(const struct part *part)
{
	part = without_qualifiers(part);
	return part && part->kind == PART_ARRAY && !part->text;
}

/* "&" of "&&" is "&". */
static const char *indirection_mark(const struct printer *p, const struct part **part)
{
	const struct part *target = resolve_pack(p, (*part)->left);
	bool lvalue = (*part)->kind == PART_REFERENCE;

	if ((*part)->kind == PART_POINTER) {
		*part = target;
		return "*";
	}
	while (target && (target->kind == PART_REFERENCE || target->kind == PART_RVALUE)) {
		lvalue |= target->kind == PART_REFERENCE;
		target = resolve_pack(p, target->left);
	}
	*part = target;
	return lvalue ? "&" : "&&";
}

static const char *opening_bracket(const struct part *target)
{
	return is_array(target) ? " (" : is_function(target) ? "(" : "";
}

static void print_qualifier(struct printer *p, const struct part *part)
{
	if (part->number)
		print_text(p, " ");
	text_add_bytes(p->out, part->text, part->length);
}

static void print_first_half(struct printer *p, const struct part *part)
{
	const char *mark;

	switch (part->kind) {
	case PART_POINTER:
	case PART_REFERENCE:
	case PART_RVALUE:
		mark = indirection_mark(p, &part);
		print_first(p, part);
		print_text(p, opening_bracket(part));
		print_text(p, mark);
		break;
	case PART_MEMBER_POINTER:
		print_first(p, part->right);
		mark = opening_bracket(part->right);
		print_between(p, *mark ? mark : " ", part->left, "::*");
		break;
	case PART_QUALIFIED:
		print_first(p, part->left);
		if (!is_function(part->left) && !is_array(part->left))
			print_qualifier(p, part);
		break;
	case PART_FUNCTION:
		if (part->left) {
			print_first(p, part->left);
			print_text(p, " ");
		}
		break;
	default: /* PART_ARRAY */
		print_first(p, part->left);
		if (part->text) {
			print_text(p, part->text);
			print_between(p, "(", part->right, ")");
		}
		break;
	}
}

static void print_second_half(struct printer *p, const struct part *part)
{
	switch (part->kind) {
	case PART_POINTER:
	case PART_REFERENCE:
	case PART_RVALUE:
		(void)indirection_mark(p, &part);
		print_text(p, *opening_bracket(part) ? ")" : "");
		print_second(p, part);
		break;
	case PART_MEMBER_POINTER:
		print_text(p, *opening_bracket(part->right) ? ")" : "");
		print_second(p, part->right);
		break;
	case PART_QUALIFIED:
		print_second(p, part->left);
		if (is_function(part->left))
			print_qualifier(p, part);
		break;
	case PART_FUNCTION:
		print_list_between(p, "(", part->right, ")");
		text_add_bytes(p->out, part->text ? part->text : "", part->length);
		if (part->left)
			print_second(p, part->left);
		break;
	default: /* PART_ARRAY */
		if (!part->text) {
			print_text(p, p->out->length && p->out->data[p->out->length - 1] == ']'
					      ? "["
					      : " [");
			if (part->right)
				print_part(p, part->right);
			print_text(p, "]");
		}
		print_second(p, part->left);
		break;
	}
}

static bool has_halves(const struct part *part)
{
	return part->kind >= PART_FUNCTION && part->kind <= PART_QUALIFIED;
}

static void print_first(struct printer *p, const struct part *part)
{
	part = resolve_pack(p, part);
	if (!print_enter(p))
		return;
	if (has_halves(part))
		print_first_half(p, part);
	else
		print_part(p, part);
	p->depth--;
}

static void print_second(struct printer *p, const struct part *part)
{
	part = resolve_pack(p, part);
	if (!print_enter(p))
		return;
	if (has_halves(part))
		print_second_half(p, part);
	p->depth--;
}

/* ---- expressions ---- */

static void print_operand(struct printer *p, const struct part *part)
{
	const struct part *shown = resolve_pack(p, part);
	const bool simple = shown->kind == PART_TEXT || shown->kind == PART_NESTED ||
			    shown->kind == PART_PARAMETER || shown->kind == PART_BRACES;

	print_text(p, simple ? "" : "(");
	print_part(p, shown);
	print_text(p, simple ? "" : ")");
}

static void print_literal(struct printer *p, const struct part *part)
{
	static const char *const suffixes[][2] = {
		{"int", ""},         {"unsigned int", "u"},
		{"long", "l"},       {"unsigned long", "ul"},
		{"long long", "ll"}, {"unsigned long long", "ull"},
	};
	const char *sign = part->number ? "-" : "";
	const struct part *type = part->left;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && type->kind == PART_TEXT; i++)
		if (!strcmp(type->text, suffixes[i][0])) {
			text_addf(p->out, "%s%.*s%s", sign, (int)part->length, part->text,
				  suffixes[i][1]);
			return;
		}
	if (type->kind == PART_TEXT && !strcmp(type->text, "bool") && part->length == 1) {
		print_text(p, *part->text == '1' ? "true" : "false");
		return;
	}
	print_between(p, "(", type, ")");
	print_text(p, sign);
	if (type->kind == PART_TEXT &&
	    (!strcmp(type->text, "float") || !strcmp(type->text, "double")))
		text_addf(p->out, "[%.*s]", (int)part->length, part->text);
	else
		text_add_bytes(p->out, part->text, part->length);
}

/* ">" would end the list of template arguments. */
static void print_binary(struct printer *p, const struct part *part)
{
	const bool greater = part->length == 1 && *part->text == '>';

	print_text(p, greater ? "(" : "");
	print_operand(p, part->left);
	text_add_bytes(p->out, part->text, part->length);
	print_operand(p, part->right);
	print_text(p, greater ? ")" : "");
}

static void print_unary(struct printer *p, const struct part *part)
{
	const struct part *operand = part->left;

	text_add_bytes(p->out, part->text, part->length);
	if (!strncmp(part->text, "operator", 8))
		print_part(p, operand);
	else if (part->length == 1 && *part->text == '&' && operand->kind == PART_ENCODING)
		print_part(p, operand->left);
	else
		print_operand(p, operand);
}

/* ---- any part ---- */

/* Writes what is around the number of a part, and the number. */
static void print_number(struct printer *p, const char *before, const struct part *part,
			 const char *after)
{
	text_addf(p->out, "%s%lld%s", before, (long long)part->number, after);
}

static void print_expression(struct printer *p, const struct part *part)
{
	switch (part->kind) {
	case PART_LITERAL:
		print_literal(p, part);
		break;
	case PART_UNARY:
		print_unary(p, part);
		break;
	case PART_BINARY:
		print_binary(p, part);
		break;
	case PART_CALL:
		print_operand(p, part->left);
		print_list_between(p, "(", part->right, ")");
		break;
	case PART_CAST:
		print_between(p, "(", part->left, ")");
		print_operand(p, part->right);
		break;
	case PART_BRACES:
		if (part->left)
			print_part(p, part->left);
		print_list_between(p, "{", part->right, "}");
		break;
	case PART_CONDITION:
		print_operand(p, part->left);
		print_text(p, "?");
		print_operand(p, part->right->left);
		print_text(p, " : ");
		print_operand(p, part->right->right);
		break;
	default: /* PART_PACK_SIZE */
		if (part->left->kind == PART_PACK)
			text_addf(p->out, "%lld", (long long)part_pack_length(part->left));
		else
			print_between(p, "sizeof...(", part->left, ")");
		break;
	}
}

static void print_any(struct printer *p, const struct part *part)
{
	switch (part->kind) {
	case PART_TEXT:
		text_add_bytes(p->out, part->text, part->length);
		break;
	case PART_NESTED:
		print_between(p, "", part->left, "::");
		print_part(p, part->right);
		break;
	case PART_TEMPLATE:
		print_template_name(p, part);
		break;
	case PART_TAGGED:
		print_part(p, part->left);
		text_addf(p->out, "[abi:%.*s]", (int)part->length, part->text);
		break;
	case PART_CONSTRUCTOR:
		print_part(p, part->left);
		break;
	case PART_DESTRUCTOR:
		print_between(p, "~", part->left, "");
		break;
	case PART_CONVERSION:
		print_between(p, "operator ", part->left, "");
		break;
	case PART_LIST:
		print_list(p, part);
		break;
	case PART_PACK:
		print_list(p, part->left);
		break;
	case PART_EXPANSION:
		print_expansion(p, part);
		break;
	case PART_LAMBDA:
		print_list_between(p, "{lambda(", part->left, "");
		print_number(p, ")#", part, "}");
		break;
	case PART_UNNAMED:
		print_number(p, "{unnamed type#", part, "}");
		break;
	case PART_DEFAULT:
		print_number(p, "{default arg#", part, "}");
		break;
	case PART_AUTO:
		print_number(p, "auto:", part, "");
		break;
	case PART_PARAMETER:
		print_number(p, "{parm#", part, "}");
		break;
	case PART_ENCODING:
		print_encoding(p, part);
		break;
	case PART_WRAPPED:
		text_add_bytes(p->out, part->text, part->length);
		print_between(p, "", part->left, ")");
		break;
	default:
		print_expression(p, part);
		break;
	}
}

static void print_part(struct printer *p, const struct part *part)
{
	part = resolve_pack(p, part);
	if (!print_enter(p))
		return;
	if (has_halves(part)) {
		print_first_half(p, part);
		print_second_half(p, part);
	} else {
		print_any(p, part);
	}
	p->depth--;
}

bool demangle_print(struct text *out, const struct part *part)
{
	struct printer printer = {.out = out, .index = -1};

	print_part(&printer, part);
	return !printer.failed;
}
