/* The types of the parameters of a function, from the tree of its mangled name. */
#include <string.h>

#include "base/demangle.h"
#include "base/mangled.h"

static const struct builtin_type builtin_types[] = {
	{'b', "bool", 1, false, false},
	{'c', "char", 1, false, true},
	{'a', "signed char", 1, false, true},
	{'h', "unsigned char", 1, false, false},
	{'s', "short", 2, false, true},
	{'t', "unsigned short", 2, false, false},
	{'w', "wchar_t", 4, false, true},
	{'i', "int", 4, false, true},
	{'j', "unsigned int", 4, false, false},
	{'l', "long", 8, false, true},
	{'m', "unsigned long", 8, false, false},
	{'x', "long long", 8, false, true},
	{'y', "unsigned long long", 8, false, false},
	{'f', "float", 4, true, true},
	{'d', "double", 8, true, true},
};

/* A type of the program can have no such name: they are words of the language. */
static const struct builtin_type *builtin_type_find(const struct part *part)
{
	if (!part || part->kind != PART_TEXT)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(builtin_types); i++)
		if (strlen(builtin_types[i].name) == part->length &&
		    !memcmp(builtin_types[i].name, part->text, part->length))
			return &builtin_types[i];
	return NULL;
}

static const struct part *pack_item(const struct part *list, int64_t index)
{
	for (; list && index > 0; index--)
		list = list->right;
	return list ? list->left : NULL;
}

/* A type without qualifiers. `index`: which item a pack stands for; -1: none. */
static const struct part *unqualified_type(const struct part *part, int64_t index)
{
	while (part && (part->kind == PART_QUALIFIED || (part->kind == PART_PACK && index >= 0)))
		part = part->kind == PART_QUALIFIED ? part->left : pack_item(part->left, index);
	return part;
}

/* Whether a nested name in the parameters of a template may be an alias, as T::pointer and
 * traits<T>::pointer are: it is written in terms of an argument, and stands for any type. */
static bool may_be_alias(const struct part *part, const struct part *arguments)
{
	const struct part *scope = part->kind == PART_TEMPLATE ? part->left : part;

	while (scope->kind == PART_NESTED) {
		scope = scope->left;
		if (scope->kind == PART_TEMPLATE)
			return true;
		for (const struct part *link = arguments; link; link = link->right)
			if (link->left == scope)
				return true;
	}
	return false;
}

/* The program's own type, by value. */
static bool is_class_type(const struct part *part, const struct part *arguments)
{
	switch (part->kind) {
	case PART_TEXT:
		return part->number == 1;
	case PART_NESTED:
	case PART_TEMPLATE:
		return !arguments || !may_be_alias(part, arguments);
	case PART_TAGGED:
	case PART_LAMBDA:
	case PART_UNNAMED:
		return true;
	default:
		return false;
	}
}

/* The element of an array of any dimensions, or the type itself. */
static const struct part *element_of_array(const struct part *part, int64_t index)
{
	part = unqualified_type(part, index);
	while (part && part->kind == PART_ARRAY && !part->text)
		part = unqualified_type(part->left, index);
	return part;
}

static struct mangled_parameter parameter_of_type(const struct part *part, int64_t index,
						  const struct part *arguments)
{
	struct mangled_parameter parameter = {0};

	part = unqualified_type(part, index);
	if (!part)
		return parameter;
	if (part->kind == PART_POINTER || part->kind == PART_REFERENCE || part->kind == PART_RVALUE)
		parameter.pointee = builtin_type_find(element_of_array(part->left, index));
	else
		parameter.builtin = builtin_type_find(part);
	parameter.is_class = !parameter.builtin && is_class_type(part, arguments);
	return parameter;
}

/* The template arguments of a function; NULL: it is no template, or has none. */
static const struct part *function_arguments(const struct part *name)
{
	while (name->kind == PART_NESTED || name->kind == PART_QUALIFIED)
		name = name->kind == PART_NESTED ? name->right : name->left;
	return name->kind == PART_TEMPLATE ? name->right : NULL;
}

static int parameters_of(struct mangled_parameter *out, size_t most, const struct part *function)
{
	const struct part *arguments = function_arguments(function->left);
	size_t count = 0;

	for (const struct part *link = function->right->right; link; link = link->right) {
		const bool expands = link->left->kind == PART_EXPANSION;
		const struct part *pattern = expands ? link->left->left : link->left;
		const struct part *pack = expands ? part_pack(pattern) : NULL;
		const int64_t items = pack ? part_pack_length(pack) : 1;

		if (expands && !pack)
			return -1;
		for (int64_t i = 0; i < items; i++, count++)
			if (count < most)
				out[count] =
					parameter_of_type(pattern, expands ? i : -1, arguments);
	}
	return count <= INT32_MAX ? (int)count : -1;
}

int mangled_parameters(struct mangled_parameter *out, size_t most, const char *name)
{
	struct demangler d;
	const struct part *part = demangle_read(&d, name);
	const int count = part && part->kind == PART_ENCODING ? parameters_of(out, most, part) : -1;

	demangle_release(&d);
	return count;
}
