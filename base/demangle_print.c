/* Writes the parts of a name as C++ does. A type surrounds what it declares, so each is written in
 * two halves: "int (*" and ") [3]". */
#include "base/demangle_print.h"

#include <string.h>

#include "base/demangle_print_expression.h"

#define PRINT_DEPTH_MOST 512
#define STEPS_MOST 4000000

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

static void print_expansion(struct printer *p, const struct part *part)
{
	const int64_t outer = p->index;
	const struct part *pack = part_pack(part->left);
	const int64_t count = pack ? part_pack_length(pack) : 0;

	if (!pack) {
		print_part(p, part->left);
		demangled_text(p, "...");
		return;
	}
	for (int64_t i = 0; i < count && !p->failed; i++) {
		if (i)
			demangled_text(p, ", ");
		p->index = i;
		print_part(p, part->left);
	}
	p->index = outer;
}

static void print_pack(struct printer *p, const struct part *part)
{
	const struct part *item = demangled_resolve(p, part);

	if (item != part)
		print_part(p, item);
	else
		demangled_list(p, part->left);
}

/* ---- names ---- */

static void print_template_name(struct printer *p, const struct part *part)
{
	const int64_t outer = p->index;

	print_part(p, part->left);
	if (p->out->length && p->out->data[p->out->length - 1] == '<')
		demangled_text(p, " "); /* "operator< <int>" */
	demangled_text(p, "<");
	demangled_list(p, part->right);
	p->index = outer;
	if (p->out->data[p->out->length - 1] == '>')
		demangled_text(p, " ");
	demangled_text(p, ">");
}

static void print_numbered(struct printer *p, const struct part *part)
{
	switch (part->kind) {
	case PART_LAMBDA:
		demangled_text(p, "{lambda(");
		demangled_list(p, part->left);
		text_addf(p->out, ")#%lld}", (long long)part->number);
		break;
	case PART_UNNAMED:
		text_addf(p->out, "{unnamed type#%lld}", (long long)part->number);
		break;
	case PART_DEFAULT:
		text_addf(p->out, "{default arg#%lld}", (long long)part->number);
		break;
	case PART_AUTO:
		text_addf(p->out, "auto:%lld", (long long)part->number);
		break;
	default:
		text_addf(p->out, "{parm#%lld}", (long long)part->number);
		break;
	}
}

static void print_name(struct printer *p, const struct part *part)
{
	switch (part->kind) {
	case PART_NESTED:
		print_part(p, part->left);
		demangled_text(p, "::");
		print_part(p, part->right);
		break;
	case PART_TAGGED:
		print_part(p, part->left);
		text_addf(p->out, "[abi:%.*s]", (int)part->length, part->text);
		break;
	case PART_CONSTRUCTOR:
		print_part(p, part->left);
		break;
	case PART_DESTRUCTOR:
		demangled_text(p, "~");
		print_part(p, part->left);
		break;
	default:
		demangled_text(p, "operator ");
		print_part(p, part->left);
		break;
	}
}

static void print_encoding(struct printer *p, const struct part *part)
{
	const struct part *type = part->right;

	if (type->left) {
		print_first(p, type->left);
		if (p->out->length && p->out->data[p->out->length - 1] != ' ')
			demangled_text(p, " ");
	}
	print_part(p, part->left);
	demangled_text(p, "(");
	demangled_list(p, type->right);
	demangled_text(p, ")");
	if (type->left)
		print_second(p, type->left);
	text_add_bytes(p->out, type->text ? type->text : "", type->length);
}

/* ---- types ---- */

static bool is_function(const struct part *part)
{
	while (part && part->kind == PART_QUALIFIED)
		part = part->left;
	return part && part->kind == PART_FUNCTION;
}

static bool is_array(const struct part *part)
{
	while (part && part->kind == PART_QUALIFIED)
		part = part->left;
	return part && part->kind == PART_ARRAY && !part->text;
}

/* "&" of "&&" is "&". */
static const char *indirection_mark(const struct printer *p, const struct part **part)
{
	const struct part *target = demangled_resolve(p, (*part)->left);
	bool lvalue = (*part)->kind == PART_REFERENCE;

	if ((*part)->kind == PART_POINTER) {
		*part = target;
		return "*";
	}
	while (target && (target->kind == PART_REFERENCE || target->kind == PART_RVALUE)) {
		lvalue |= target->kind == PART_REFERENCE;
		target = demangled_resolve(p, target->left);
	}
	*part = target;
	return lvalue ? "&" : "&&";
}

static void open_bracket(struct printer *p, const struct part *target)
{
	if (is_array(target))
		demangled_text(p, " (");
	else if (is_function(target))
		demangled_text(p, "(");
}

static void print_indirect_first(struct printer *p, const struct part *part)
{
	const char *mark = indirection_mark(p, &part);

	print_first(p, part);
	open_bracket(p, part);
	demangled_text(p, mark);
}

static void print_indirect_second(struct printer *p, const struct part *part)
{
	(void)indirection_mark(p, &part);
	if (is_array(part) || is_function(part))
		demangled_text(p, ")");
	print_second(p, part);
}

static void print_qualifier(struct printer *p, const struct part *part)
{
	if (part->number)
		demangled_text(p, " ");
	text_add_bytes(p->out, part->text, part->length);
}

static void print_first_half(struct printer *p, const struct part *part)
{
	switch (part->kind) {
	case PART_POINTER:
	case PART_REFERENCE:
	case PART_RVALUE:
		print_indirect_first(p, part);
		break;
	case PART_MEMBER_POINTER:
		print_first(p, part->right);
		if (is_function(part->right))
			demangled_text(p, "(");
		else
			open_bracket(p, part->right),
				demangled_text(p, is_array(part->right) ? "" : " ");
		print_part(p, part->left);
		demangled_text(p, "::*");
		break;
	case PART_QUALIFIED:
		print_first(p, part->left);
		if (!is_function(part->left) && !is_array(part->left))
			print_qualifier(p, part);
		break;
	case PART_FUNCTION:
		if (part->left) {
			print_first(p, part->left);
			demangled_text(p, " ");
		}
		break;
	default: /* PART_ARRAY */
		print_first(p, part->left);
		if (part->text) {
			text_addf(p->out, "%s(", part->text);
			print_part(p, part->right);
			demangled_text(p, ")");
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
		print_indirect_second(p, part);
		break;
	case PART_MEMBER_POINTER:
		if (is_function(part->right) || is_array(part->right))
			demangled_text(p, ")");
		print_second(p, part->right);
		break;
	case PART_QUALIFIED:
		print_second(p, part->left);
		if (is_function(part->left))
			print_qualifier(p, part);
		break;
	case PART_FUNCTION:
		demangled_text(p, "(");
		demangled_list(p, part->right);
		demangled_text(p, ")");
		text_add_bytes(p->out, part->text ? part->text : "", part->length);
		if (part->left)
			print_second(p, part->left);
		break;
	default: /* PART_ARRAY */
		if (!part->text) {
			demangled_text(p, p->out->length && p->out->data[p->out->length - 1] == ']'
						  ? "["
						  : " [");
			if (part->right)
				print_part(p, part->right);
			demangled_text(p, "]");
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
	part = demangled_resolve(p, part);
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
	part = demangled_resolve(p, part);
	if (!print_enter(p))
		return;
	if (has_halves(part))
		print_second_half(p, part);
	p->depth--;
}

/* ---- any part ---- */

static void print_any(struct printer *p, const struct part *part)
{
	switch (part->kind) {
	case PART_TEXT:
		text_add_bytes(p->out, part->text, part->length);
		break;
	case PART_TEMPLATE:
		print_template_name(p, part);
		break;
	case PART_LIST:
		demangled_list(p, part);
		break;
	case PART_PACK:
		print_pack(p, part);
		break;
	case PART_EXPANSION:
		print_expansion(p, part);
		break;
	case PART_LAMBDA:
	case PART_UNNAMED:
	case PART_DEFAULT:
	case PART_AUTO:
	case PART_PARAMETER:
		print_numbered(p, part);
		break;
	case PART_ENCODING:
		print_encoding(p, part);
		break;
	case PART_WRAPPED:
		text_add_bytes(p->out, part->text, part->length);
		print_part(p, part->left);
		demangled_text(p, ")");
		break;
	case PART_NESTED:
	case PART_TAGGED:
	case PART_CONSTRUCTOR:
	case PART_DESTRUCTOR:
	case PART_CONVERSION:
		print_name(p, part);
		break;
	default:
		demangled_expression(p, part);
		break;
	}
}

static void print_part(struct printer *p, const struct part *part)
{
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
	struct printer printer = {.out = out, .index = -1, .part = print_part};

	print_part(&printer, part);
	return !printer.failed;
}
