/* Declarations of registers and variables, and the initial values of variables: lists of numbers
 * and addresses. */
#include "emulator/language/parser.h"

#include <string.h>

#define MAX_DIMENSIONS 8

/* ---- initial values ---- */

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

	if (mask == UINT64_MAX) {
		read_address(parser, &address);
	} else {
		parser_expect(parser, '(', "a mask");
		read_address(parser, &address);
		parser_expect(parser, ')', "the address that a mask selects from");
	}
	parser_add(parser, &list->variable->relocations, &list->variable->relocation_count,
		   &list->relocation_capacity, &address, sizeof(address));
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

/* Parses the initial value of a variable, after '='. A first dimension of 0 takes its size from
 * the number of values. */
static void parse_initial_value(struct parser *parser, struct ptx_variable *variable,
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

/* ---- types and variables ---- */

static const struct {
	const char *name;
	int width_bits;
} types[] = {
	{".b8", 8},     {".u8", 8},     {".s8", 8},     {".b16", 16},    {".u16", 16},
	{".s16", 16},   {".f16", 16},   {".bf16", 16},  {".b32", 32},    {".u32", 32},
	{".s32", 32},   {".f32", 32},   {".f16x2", 32}, {".bf16x2", 32}, {".tf32", 32},
	{".b64", 64},   {".u64", 64},   {".s64", 64},   {".f64", 64},    {".b128", 128},
	{".u128", 128}, {".s128", 128}, {".e4m3", 8},   {".e5m2", 8},    {".pred", 1},
};
static const char *const reference_types[] = {".texref", ".surfref", ".samplerref"};

static int parser_at_type_width(const struct parser *parser)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (parser_at_word(parser, types[i].name))
			return types[i].width_bits;
	}
	return 0;
}

/* Returns the type of a reference to a texture, surface or sampler that is the current token, or
 * NULL. */
static const char *parser_at_reference(const struct parser *parser)
{
	for (size_t i = 0; i < ARRAY_SIZE(reference_types); i++) {
		if (parser_at_word(parser, reference_types[i]))
			return reference_types[i];
	}
	return NULL;
}

/* Reads the words before a variable's name, which may come in any order. */
static void read_type(struct parser *parser, struct ptx_variable *out, int64_t *lanes)
{
	bool of_pointee = false; /* What follows .ptr describes the memory that a pointer points to,
				    not the parameter. */
	int64_t align = 0;
	enum ptx_space space;

	out->element_bytes = 0;
	out->reference = NULL;
	*lanes = 1;
	while (parser->token.kind == TOKEN_DOTTED) {
		int width_bits = parser_at_type_width(parser);

		if (parser_at_reference(parser)) {
			out->reference = parser_at_reference(parser);
			out->element_bytes = 8;
		} else if (width_bits == 1) {
			parser_error(parser, "a variable cannot be a predicate");
		} else if (width_bits) {
			out->element_bytes = width_bits / 8;
		} else if (parser_accept_word(parser, ".align")) {
			int64_t said = parser_expect_number(parser, "an alignment", 1 << 20);

			if (said & (said - 1) || (!said && !parser->rc))
				parser_error(parser, "an alignment must be a power of two");
			if (!of_pointee)
				align = said;
			continue;
		} else if (parser_at_word(parser, ".ptr")) {
			of_pointee = true;
		} else if (parser_at_word(parser, ".v2")) {
			*lanes = 2;
		} else if (parser_at_word(parser, ".v4")) {
			*lanes = 4;
		} else if (parser_at_word(parser, ".v8")) {
			*lanes = 8;
		} else if (parser_accept_word(parser, ".attribute")) {
			parser_skip_nested(parser, '(', ')', "the directive");
			continue;
		} else if (!of_pointee || !parser_at_space(parser, &space)) {
			parser_error(parser, "not a type for a variable");
		}
		parser_advance(parser);
	}
	if (!out->element_bytes)
		parser_error(parser, "expected a type before a variable's name");
	out->align = out->element_bytes * *lanes;
	if (align > out->align || out->element_bytes == 1)
		out->align = align > 1 ? align : out->align;
}

/* Reads a variable's name, dimensions and initial value. */
static struct name *read_declarator(struct parser *parser, struct ptx_variable *out, int64_t lanes)
{
	int64_t dimensions[MAX_DIMENSIONS] = {0};
	size_t dimension_count = 0;
	struct name *name = parser_expect_name(parser, "a variable name");

	out->count = lanes;
	out->initial = NULL;
	out->relocations = NULL;
	out->relocation_count = 0;
	if (lanes > 1)
		dimensions[dimension_count++] = lanes;
	for (size_t i = 0; parser_accept(parser, '['); i++) {
		int64_t size = 0;

		if (!parser_at(parser, ']'))
			size = parser_expect_number(parser, "a dimension", INT64_MAX);
		else if (i)
			parser_error(parser, "only the first dimension may be empty");
		parser_expect(parser, ']', "a dimension");
		if (dimension_count == MAX_DIMENSIONS)
			parser_error(parser, "more than %d dimensions", MAX_DIMENSIONS - 1);
		else
			dimensions[dimension_count++] = size;
		if (__builtin_mul_overflow(out->count, size, &out->count))
			parser_error(parser, "a variable with more than 2^63 bytes");
		if (parser->rc)
			return NULL;
	}
	/* The elements of a vector are the innermost dimension. */
	if (lanes > 1 && dimension_count > 1) {
		memmove(dimensions, dimensions + 1, (dimension_count - 1) * sizeof(*dimensions));
		dimensions[dimension_count - 1] = lanes;
	}
	if (__builtin_mul_overflow(out->count, out->element_bytes, &out->bytes))
		parser_error(parser, "a variable with more than 2^63 bytes");
	if (parser_at(parser, '=') && out->reference)
		parser_unsupported(parser, "initial values of .texref, .samplerref and .surfref "
					   "variables");
	if (parser_accept(parser, '='))
		parse_initial_value(parser, out, dimensions, dimension_count);
	return parser->rc ? NULL : name;
}

struct name *parse_variable(struct parser *parser, struct ptx_variable *out)
{
	int64_t lanes;

	read_type(parser, out, &lanes);
	return parser->rc ? NULL : read_declarator(parser, out, lanes);
}

struct name *parse_next_variable(struct parser *parser, struct ptx_variable *out)
{
	return read_declarator(parser, out, 1);
}

void parse_local_variables(struct parser *parser, enum ptx_space space)
{
	struct ptx_function *function = &parser->function;
	struct ptx_module *module = parser->module;
	struct ptx_variable variable = {.space = space};
	struct name *name = parse_variable(parser, &variable);

	while (name) {
		variable.name = scope_declare(parser, name, NAME_VARIABLE, 0);
		if (!variable.name)
			return;
		/* A .global or .const variable of a function lives as long as the module, so it
		 * becomes a variable of the module, under a name that no other has: PTX names have
		 * no point. */
		if (space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST) {
			variable.name = scope_rename(parser, name);
			parser_add(parser, &module->variables, &module->variable_count,
				   &parser->module_variable_capacity, &variable, sizeof(variable));
		} else {
			parser_add(parser, &function->variables, &function->variable_count,
				   &parser->variable_capacity, &variable, sizeof(variable));
		}
		name = parser_accept(parser, ',') ? parse_next_variable(parser, &variable) : NULL;
	}
	parser_expect(parser, ';', "a variable");
}

/* ---- registers ---- */

/* What a declaration says about each of its registers. */
struct register_type {
	int width_bits, elements;
	bool whole; /* a register of 128 bits */
	int align;  /* of a parameter in memory, in bytes */
};

static void append_register(struct parser *parser, const struct name *name,
			    const struct register_type *type)
{
	struct ptx_function *function = &parser->function;

	for (int i = 0; i < type->elements; i++) {
		const struct ptx_register element = {.name = name->text,
						     .width_bits = type->width_bits,
						     .elements = i ? 1 : type->elements,
						     .whole = type->whole};

		if (function->register_count == PTX_MAX_REGISTERS)
			parser_error(parser, "more than %d registers in a function",
				     PTX_MAX_REGISTERS);
		parser_add(parser, &function->registers, &function->register_count,
			   &parser->register_capacity, &element, sizeof(element));
	}
}

static void add_register(struct parser *parser, struct name *name, const struct register_type *type)
{
	if (name && scope_declare(parser, name, NAME_REGISTER, parser->function.register_count))
		append_register(parser, name, type);
}

/* `%r<49>` declares %r0 to %r48. */
static void add_registers(struct parser *parser, const struct name *stem,
			  const struct register_type *type)
{
	int64_t count = parser_expect_number(parser, "the number of registers", PTX_MAX_REGISTERS);
	struct text text = TEXT_INIT;

	parser_expect(parser, '>', "the number of registers");
	for (int64_t i = 0; i < count && !parser->rc; i++) {
		text_clear(&text);
		text_add_bytes(&text, stem->text, stem->length);
		text_addf(&text, "%lld", (long long)i);
		add_register(parser, parser_intern(parser, text.data, text.length), type);
	}
	text_release(&text);
}

/* Reads what stands before the names of registers. */
static struct register_type read_register_type(struct parser *parser)
{
	struct register_type type = {.elements = 1};

	if (parser_at_word(parser, ".v8"))
		parser_unsupported(parser, "vector registers of eight elements (.reg .v8)");
	if (parser_accept_word(parser, ".v2"))
		type.elements = 2;
	else if (parser_accept_word(parser, ".v4"))
		type.elements = 4;
	type.width_bits = parser_at_type_width(parser);
	if (!type.width_bits)
		parser_error(parser, "expected a type after .reg");
	if (type.elements > 1 && (type.width_bits == 1 || type.elements * type.width_bits > 128))
		parser_error(parser, "a vector has at most 128 bits, and no predicates");
	parser_advance(parser);
	type.align = type.width_bits < 8 ? 1 : type.width_bits / 8;
	if (type.width_bits == 128) { /* its halves, the lower one first */
		type.width_bits = 64;
		type.elements = 2;
		type.whole = true;
	}
	return type;
}

struct name *parse_register_parameter(struct parser *parser, struct ptx_variable *out)
{
	const struct register_type type = read_register_type(parser);
	struct name *name = parser->rc ? NULL : parser_expect_name(parser, "a parameter");

	if (!name)
		return NULL;
	out->element_bytes = type.width_bits < 8 ? 1 : type.width_bits / 8;
	out->align = type.align;
	out->count = type.elements;
	out->bytes = out->element_bytes * out->count;
	out->in_register = (uint32_t)parser->function.register_count + 1;
	if (strcmp(name->text, "_") != 0)
		add_register(parser, name, &type);
	else
		append_register(parser, name, &type);
	return parser->rc ? NULL : name;
}

void parse_registers(struct parser *parser)
{
	const struct register_type type = read_register_type(parser);

	if (parser->rc)
		return;
	do {
		struct name *name = parser_expect_name(parser, "a register name");

		if (name && parser_accept(parser, '<'))
			add_registers(parser, name, &type);
		else
			add_register(parser, name, &type);
	} while (parser_accept(parser, ','));
	parser_expect(parser, ';', "the register names");
}
