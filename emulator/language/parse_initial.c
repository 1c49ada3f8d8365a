/* Initial values of variables: lists of numbers and addresses. */
#include "emulator/language/parser.h"

#include <string.h>

/* The list being read. Its bytes grow with the values read, so that a huge declared size allocates
 * nothing. */
struct initial_list {
	struct ptx_variable *variable;
	const int64_t *dimensions;
	size_t dimension_count;
	unsigned char *bytes;
	size_t length, capacity;
	size_t relocation_capacity;
};

static void append_value(struct parser *parser, struct initial_list *list, uint64_t bits)
{
	int64_t size = list->variable->element_bytes;

	/* The upper half of a 128-bit element is zero, since PTX has no 128-bit literals. */
	for (int64_t i = 0; i < size && !parser->rc; i++) {
		unsigned char *place =
			parser_append(parser, &list->bytes, &list->length, &list->capacity, 1);

		if (place)
			*place = i < 8 ? (unsigned char)(bits >> 8 * i) : 0;
	}
}

static void append_float(struct parser *parser, struct initial_list *list, enum token_kind kind,
			 uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	double value = 0;
	float single = 0;

	if (kind == TOKEN_F32 && list->variable->element_bytes == 8) {
		memcpy(&single, &narrow, sizeof(single));
		value = (double)single;
		memcpy(&bits, &value, sizeof(value));
	} else if (kind == TOKEN_F64 && list->variable->element_bytes == 4) {
		memcpy(&value, &bits, sizeof(value));
		single = (float)value;
		memcpy(&narrow, &single, sizeof(single));
		bits = narrow;
	}
	append_value(parser, list, bits);
}

static void read_address_offset(struct parser *parser, struct ptx_relocation *out)
{
	if (parser_accept(parser, '+'))
		out->addend += parser_expect_number(parser, "an offset", INT32_MAX);
	else if (parser_accept(parser, '-'))
		out->addend -= parser_expect_number(parser, "an offset", INT32_MAX);
}

/* Reads `symbol`, `symbol+4`, `generic(symbol)+4` or `generic(symbol+4)`. */
static void read_address(struct parser *parser, struct ptx_relocation *out)
{
	bool generic = parser_accept_word(parser, "generic");
	struct name *name;

	if (generic)
		parser_expect(parser, '(', "generic");
	name = parser_expect_name(parser, "the name of a variable or function");
	out->symbol = !name                                    ? NULL
		      : name->binding.meaning == NAME_VARIABLE ? name->binding.text
							       : name->text;
	read_address_offset(parser, out);
	if (!generic)
		return;
	parser_expect(parser, ')', "the name of a variable or function");
	read_address_offset(parser, out);
}

/* Reads an address, or the part of one that a mask selects: `0xff00(symbol)`. */
static void append_address(struct parser *parser, struct initial_list *list, uint64_t mask)
{
	struct ptx_relocation address = {
		.at = (int64_t)list->length,
		.bytes = list->variable->element_bytes,
		.mask = mask,
		.line = parser->token.line,
	};
	struct ptx_relocation *place;

	if (mask == UINT64_MAX) {
		read_address(parser, &address);
	} else {
		parser_expect(parser, '(', "a mask");
		read_address(parser, &address);
		parser_expect(parser, ')', "the address that a mask selects from");
	}
	place = parser_append(parser, &list->variable->relocations,
			      &list->variable->relocation_count, &list->relocation_capacity,
			      sizeof(*place));
	if (!place)
		return;
	*place = address;
	append_value(parser, list, 0);
}

static void read_initial_element(struct parser *parser, struct initial_list *list)
{
	bool negative = parser_accept(parser, '-');
	enum token_kind kind = parser->token.kind;
	uint64_t bits = parser->token.bits;

	if (kind == TOKEN_WORD && !negative) {
		append_address(parser, list, UINT64_MAX);
		return;
	}
	if (kind != TOKEN_INTEGER && kind != TOKEN_F32 && kind != TOKEN_F64) {
		parser_error(parser, "expected a value");
		return;
	}
	parser_advance(parser);
	if (kind == TOKEN_INTEGER && !negative && bits && parser_at(parser, '('))
		append_address(parser, list, bits);
	else if (kind == TOKEN_INTEGER)
		append_value(parser, list, negative ? 0 - bits : bits);
	else
		append_float(parser, list, kind,
			     negative ? bits ^ (kind == TOKEN_F32 ? UINT64_C(1) << 31
								  : UINT64_C(1) << 63)
				      : bits);
}

/* Reads a list that is nested in `level` others. It fills the part of the variable that the
 * remaining dimensions span. */
static void read_initial_list(struct parser *parser, struct initial_list *list, size_t level)
{
	size_t begin = list->length, span = (size_t)list->variable->element_bytes;

	if (level >= list->dimension_count) {
		parser_error(parser, "more nested lists than dimensions");
		return;
	}
	while (!parser->rc && !parser_at(parser, '}')) {
		if (parser_accept(parser, '{'))
			read_initial_list(parser, list, level + 1);
		else
			read_initial_element(parser, list);
		if (!parser_accept(parser, ','))
			break;
	}
	parser_expect(parser, '}', "a list of values");
	if (level == 0)
		return;
	for (size_t i = level; i < list->dimension_count; i++) {
		if (__builtin_mul_overflow(span, (size_t)list->dimensions[i], &span))
			parser_error(parser, "a list with more than 2^63 bytes");
	}
	if (list->length - begin > span)
		parser_error(parser, "more values than the dimension has");
	while (!parser->rc && list->length - begin < span)
		append_value(parser, list, 0);
}

void parse_initial_value(struct parser *parser, struct ptx_variable *variable,
			 const int64_t *dimensions, size_t dimension_count)
{
	struct initial_list list = {
		.variable = variable,
		.dimensions = dimensions,
		.dimension_count = dimension_count,
	};

	if (parser_accept(parser, '{'))
		read_initial_list(parser, &list, 0);
	else
		read_initial_element(parser, &list);
	if (parser->rc)
		return;
	if (variable->count == 0 && dimension_count && dimensions[0] == 0) {
		variable->bytes = (int64_t)list.length;
		variable->count = variable->bytes / variable->element_bytes;
	}
	if ((int64_t)list.length > variable->bytes) {
		parser_error(parser, "more values than the variable has");
		return;
	}
	variable->initial = parser_allocate(parser, (size_t)variable->bytes, 1);
	if (variable->initial && list.length)
		memcpy(variable->initial, list.bytes, list.length);
}
