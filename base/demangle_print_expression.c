/* Writes lists, literals and expressions of a name. */
#include "base/demangle_print_expression.h"

#include <string.h>

void demangled_text(struct printer *p, const char *text)
{
	text_add(p->out, text);
}

static const struct part *list_item(const struct part *list, int64_t index)
{
	while (list && index--)
		list = list->right;
	return list ? list->left : NULL;
}

const struct part *demangled_resolve(const struct printer *p, const struct part *part)
{
	while (part && part->kind == PART_PACK && p->index >= 0) {
		const struct part *item = list_item(part->left, p->index);

		if (!item)
			break;
		part = item;
	}
	return part;
}

void demangled_list(struct printer *p, const struct part *list)
{
	bool first = true;

	for (; list && !p->failed; list = list->right) {
		const size_t before = p->out->length;
		size_t start;

		if (!first)
			demangled_text(p, ", ");
		start = p->out->length;
		p->part(p, list->left);
		if (p->out->length == start) { /* an empty pack */
			p->out->length = before;
			p->out->data[before] = '\0';
		} else {
			first = false;
		}
	}
}

static void print_operand(struct printer *p, const struct part *part)
{
	const struct part *shown = demangled_resolve(p, part);
	const bool simple = shown->kind == PART_TEXT || shown->kind == PART_NESTED ||
			    shown->kind == PART_PARAMETER || shown->kind == PART_BRACES;

	demangled_text(p, simple ? "" : "(");
	p->part(p, shown);
	demangled_text(p, simple ? "" : ")");
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
		demangled_text(p, *part->text == '1' ? "true" : "false");
		return;
	}
	demangled_text(p, "(");
	p->part(p, type);
	text_addf(p->out, ")%s", sign);
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

	demangled_text(p, greater ? "(" : "");
	print_operand(p, part->left);
	text_add_bytes(p->out, part->text, part->length);
	print_operand(p, part->right);
	demangled_text(p, greater ? ")" : "");
}

static void print_unary(struct printer *p, const struct part *part)
{
	const struct part *operand = part->left;

	text_add_bytes(p->out, part->text, part->length);
	if (!strncmp(part->text, "operator", 8))
		p->part(p, operand);
	else if (part->length == 1 && *part->text == '&' && operand->kind == PART_ENCODING)
		p->part(p, operand->left);
	else
		print_operand(p, operand);
}

static void print_pack_size(struct printer *p, const struct part *part)
{
	if (part->left->kind == PART_PACK)
		text_addf(p->out, "%lld", (long long)part_pack_length(part->left));
	else {
		demangled_text(p, "sizeof...(");
		p->part(p, part->left);
		demangled_text(p, ")");
	}
}

void demangled_expression(struct printer *p, const struct part *part)
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
		demangled_text(p, "(");
		demangled_list(p, part->right);
		demangled_text(p, ")");
		break;
	case PART_CAST:
		demangled_text(p, "(");
		p->part(p, part->left);
		demangled_text(p, ")");
		print_operand(p, part->right);
		break;
	case PART_BRACES:
		if (part->left)
			p->part(p, part->left);
		demangled_text(p, "{");
		demangled_list(p, part->right);
		demangled_text(p, "}");
		break;
	case PART_CONDITION:
		print_operand(p, part->left);
		demangled_text(p, "?");
		print_operand(p, part->right->left);
		demangled_text(p, " : ");
		print_operand(p, part->right->right);
		break;
	default:
		print_pack_size(p, part);
		break;
	}
}
