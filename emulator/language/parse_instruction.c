/* Instructions: guard, mnemonic and operands. The parser knows no opcode. */
#include "emulator/language/parser.h"

#include <string.h>

/* The deepest nesting of operand lists. */
#define MAX_NESTING 8

static void parse_operand(struct parser *parser, size_t nesting);

/* ---- open operands, until their list is complete ---- */

static struct open_operand *open_operand(struct parser *parser, enum ptx_operand_kind kind)
{
	struct open_operand *open = parser_append(parser, &parser->open, &parser->open_count,
						  &parser->open_capacity, sizeof(*open));

	if (open)
		open->operand.kind = kind;
	return open;
}

static struct open_operand *last_operand(struct parser *parser)
{
	return parser->rc || !parser->open_count ? NULL : &parser->open[parser->open_count - 1];
}

/* Moves the open operands from `first` on into an array of the module. */
static struct ptx_operand *close_operands(struct parser *parser, size_t first, size_t *count)
{
	struct ptx_operand *operands;

	*count = 0;
	if (parser->rc || parser->open_count <= first)
		return NULL;
	operands = parser_allocate(parser, parser->open_count - first, sizeof(*operands));
	for (size_t i = first; operands && i < parser->open_count; i++, (*count)++) {
		operands[*count] = parser->open[i].operand;
		if (parser->open[i].name)
			scope_use(parser, &operands[*count].name, parser->open[i].name);
	}
	parser->open_count = first;
	return operands;
}

/* Replaces the open operands from `first` on by one operand that holds them. */
static void close_list(struct parser *parser, size_t first, enum ptx_operand_kind kind,
		       int64_t offset)
{
	size_t count = 0;
	struct ptx_operand *elements = close_operands(parser, first, &count);
	struct open_operand *list = open_operand(parser, kind);

	if (!list)
		return;
	list->operand.elements = elements;
	list->operand.element_count = count;
	list->operand.offset = offset;
}

/* ---- operands ---- */

/* Reads the offsets after a name: "+4", "-4", "+-4", one or several. */
static int64_t read_offset(struct parser *parser)
{
	uint64_t offset = 0;

	while (parser_at(parser, '+') || parser_at(parser, '-')) {
		bool minus = parser_at(parser, '-');

		parser_advance(parser);
		if (parser_accept(parser, '-'))
			minus = !minus;
		if (parser->token.kind != TOKEN_INTEGER) {
			parser_error(parser, "expected an offset");
			break;
		}
		offset = minus ? offset - parser->token.bits : offset + parser->token.bits;
		parser_advance(parser);
	}
	return (int64_t)offset;
}

static void parse_literal(struct parser *parser, bool negative)
{
	static const enum ptx_operand_kind kinds[] = {
		[TOKEN_INTEGER] = PTX_OPERAND_INTEGER,
		[TOKEN_F32] = PTX_OPERAND_F32,
		[TOKEN_F64] = PTX_OPERAND_F64,
	};
	enum token_kind kind = parser->token.kind;
	struct open_operand *open = open_operand(parser, kinds[kind]);
	uint64_t bits = parser->token.bits;

	if (!open)
		return;
	if (negative && kind == TOKEN_INTEGER)
		bits = 0 - bits;
	else if (negative)
		bits ^= UINT64_C(1) << (kind == TOKEN_F32 ? 31 : 63);
	open->operand.bits = bits;
	parser_advance(parser);
}

/* The element of a vector that a selector names; -1: none. */
static int selected_element(const struct token *selector, int elements)
{
	static const char names[2][5] = {"xyzw", "rgba"};

	for (int i = 0; i < elements && selector->length == 2; i++)
		if (selector->text[1] == names[0][i] || selector->text[1] == names[1][i])
			return i;
	return -1;
}

/* Reads a register, or a vector of registers as a list of its elements. The open operand is the
 * register. */
static void read_register(struct parser *parser, struct open_operand *open, uint32_t index,
			  bool selects)
{
	const int elements = parser->function.registers[index].elements;
	const bool whole = parser->function.registers[index].whole;
	const size_t first = parser->open_count - 1;
	struct name *name;
	int element;

	open->operand.kind = PTX_OPERAND_REGISTER;
	open->operand.index = index;
	if (whole && (selects || open->operand.negated)) {
		parser_error(parser, "a register of 128 bits can only be named as a whole");
	} else if (elements > 1 && selects) {
		element = selected_element(&parser->token, elements);
		if (element < 0)
			parser_error(parser, "a vector of %d elements has no such element",
				     elements);
		open->operand.index = index + (uint32_t)(element < 0 ? 0 : element);
		parser_advance(parser);
	} else if (elements > 1) {
		if (open->operand.negated)
			parser_error(parser, "a vector cannot be negated");
		for (int i = 1; i < elements; i++) {
			open = open_operand(parser, PTX_OPERAND_REGISTER);
			if (open)
				open->operand.index = index + (uint32_t)i;
		}
		close_list(parser, first, PTX_OPERAND_VECTOR, 0);
		open = last_operand(parser);
		if (open)
			open->operand.whole = whole;
	} else if (selects) {
		name = parser_intern(parser, parser->token.text + 1, parser->token.length - 1);
		open->operand.name = name ? name->text : NULL;
		parser_advance(parser);
	}
}

/* Reads a name, and the word after its '.' if there is one. The name of a special register includes
 * that word ("%tid.x"); for a register the word is a selector. */
static void read_name_operand(struct parser *parser, bool negated)
{
	struct token word = parser->token;
	struct name *name = parser_expect_name(parser, "an operand");
	struct open_operand *open;
	bool selects = parser->token.kind == TOKEN_DOTTED && parser->token.adjacent;

	if (!name)
		return;
	open = open_operand(parser, PTX_OPERAND_SYMBOL);
	if (!open)
		return;
	open->operand.negated = negated;
	if (name->length == 1 && name->text[0] == '_') {
		open->operand.kind = PTX_OPERAND_SINK;
	} else if (name->binding.meaning == NAME_REGISTER) {
		read_register(parser, open, name->binding.index, selects);
	} else if (word.text[0] == '%' || strcmp(name->text, "WARP_SZ") == 0) {
		open->operand.kind = PTX_OPERAND_SPECIAL;
		if (selects) {
			name = parser_intern(parser, word.text, word.length + parser->token.length);
			parser_advance(parser);
		}
		open->operand.name = name ? name->text : NULL;
	} else {
		int64_t offset = read_offset(parser);

		open->name = name;
		open->operand.name = name->text;
		open->operand.offset = offset;
	}
}

/* Reads from after '[' to ']': base, offset, and further operands. */
static void read_address_operand(struct parser *parser, size_t nesting)
{
	size_t first = parser->open_count;
	bool negative = parser_accept(parser, '-');
	int64_t offset = 0;

	if (parser->token.kind == TOKEN_INTEGER) {
		offset = (int64_t)(negative ? 0 - parser->token.bits : parser->token.bits);
		parser_advance(parser);
	} else if (!negative && parser->token.kind == TOKEN_WORD) {
		struct open_operand *base;

		read_name_operand(parser, false);
		base = last_operand(parser);
		if (base) {
			/* An offset after a symbol belongs to the address. */
			offset = base->operand.offset;
			base->operand.offset = 0;
		}
		if (base && base->operand.kind == PTX_OPERAND_REGISTER)
			offset = read_offset(parser);
		while (parser_accept(parser, ','))
			parse_operand(parser, nesting + 1);
	} else {
		parser_error(parser, "expected an address");
	}
	parser_expect(parser, ']', "an address");
	/* A hint that loads of unified memory have. */
	parser_accept_word(parser, ".unified");
	close_list(parser, first, PTX_OPERAND_ADDRESS, offset);
}

static void read_operand_list(struct parser *parser, size_t nesting, char end,
			      enum ptx_operand_kind kind)
{
	size_t first = parser->open_count;

	if (!parser_at(parser, end)) {
		do
			parse_operand(parser, nesting + 1);
		while (parser_accept(parser, ','));
	}
	parser_expect(parser, end, "a list of operands");
	close_list(parser, first, kind, 0);
}

/* d|p, and {a, b}|p of textures. */
static void parse_second_result(struct parser *parser, size_t first, size_t nesting)
{
	if (!parser_accept(parser, '|'))
		return;
	parse_operand(parser, nesting + 1);
	close_list(parser, first, PTX_OPERAND_PAIR, 0);
}

static void parse_operand(struct parser *parser, size_t nesting)
{
	size_t first = parser->open_count;

	if (nesting > MAX_NESTING) {
		parser_error(parser, "more than %d nested lists", MAX_NESTING);
	} else if (parser->token.kind == TOKEN_INTEGER || parser->token.kind == TOKEN_F32 ||
		   parser->token.kind == TOKEN_F64) {
		parse_literal(parser, false);
	} else if (parser->token.kind == TOKEN_WORD) {
		read_name_operand(parser, false);
		parse_second_result(parser, first, nesting);
	} else if (parser_accept(parser, '[')) {
		read_address_operand(parser, nesting);
	} else if (parser_accept(parser, '{')) {
		read_operand_list(parser, nesting, '}', PTX_OPERAND_VECTOR);
		parse_second_result(parser, first, nesting);
	} else if (parser_accept(parser, '(')) {
		read_operand_list(parser, nesting, ')', PTX_OPERAND_LIST);
	} else if (parser_accept(parser, '!')) {
		read_name_operand(parser, true);
	} else if (parser_accept(parser, '-')) {
		if (parser->token.kind == TOKEN_INTEGER || parser->token.kind == TOKEN_F32 ||
		    parser->token.kind == TOKEN_F64)
			parse_literal(parser, true);
		else
			read_name_operand(parser, true);
	} else {
		parser_error(parser, "expected an operand");
	}
}

/* ---- statements ---- */

/* Splits "ld.global.nc.f32" into base and modifiers. All statements with this mnemonic share the
 * result. */
static void split_mnemonic(struct parser *parser, struct name *mnemonic)
{
	const char *at = strchr(mnemonic->text, '.');
	struct name *base, *word;
	const char **modifiers;
	size_t count = 0, filled = 0;

	for (const char *dot = at; dot; dot = strchr(dot + 1, '.'))
		count++;
	base = parser_intern(parser, mnemonic->text,
			     at ? (size_t)(at - mnemonic->text) : mnemonic->length);
	modifiers = parser_allocate(parser, count, sizeof(*modifiers));
	for (; at && modifiers; filled++) {
		size_t length = strcspn(at + 1, ".");

		word = parser_intern(parser, at + 1, length);
		if (!word)
			return;
		modifiers[filled] = word->text;
		at = at[1 + length] ? at + 1 + length : NULL;
	}
	if (parser->rc)
		return;
	mnemonic->modifiers = modifiers;
	mnemonic->modifier_count = count;
	mnemonic->base = base->text;
}

/* Reads the modifiers after the first word of an instruction. ptxas takes blanks before them. */
static struct name *read_mnemonic(struct parser *parser, const struct token *word)
{
	size_t length = word->length;
	struct text text = TEXT_INIT;
	struct name *name;

	for (; parser->token.kind == TOKEN_DOTTED && parser->token.adjacent; parser_advance(parser))
		length += parser->token.length;
	if (parser->token.kind != TOKEN_DOTTED)
		return parser_intern(parser, word->text, length);
	text_add_bytes(&text, word->text, length);
	for (; parser->token.kind == TOKEN_DOTTED; parser_advance(parser))
		text_add_bytes(&text, parser->token.text, parser->token.length);
	name = parser_intern(parser, text.data, text.length);
	text_release(&text);
	return name;
}

void parse_instruction(struct parser *parser, const struct token *word,
		       struct ptx_statement *statement)
{
	struct ptx_function *function = &parser->function;
	struct name *mnemonic = read_mnemonic(parser, word);

	if (mnemonic && !mnemonic->base)
		split_mnemonic(parser, mnemonic);
	if (!parser_at(parser, ';')) {
		do
			parse_operand(parser, 0);
		while (parser_accept(parser, ','));
	}
	statement->operands = close_operands(parser, 0, &statement->operand_count);
	if (parser_at(parser, '+'))
		parser_unsupported(parser, "a sum as an operand (%r + 1)");
	parser_expect(parser, ';', "an instruction");
	if (parser->rc)
		return;
	statement->base = mnemonic->base;
	statement->modifiers = mnemonic->modifiers;
	statement->modifier_count = mnemonic->modifier_count;
	statement->mnemonic = mnemonic->text;
	statement->line = word->line;
	parser_place(parser, statement);
	parser_add(parser, &function->statements, &function->statement_count,
		   &parser->statement_capacity, statement, sizeof(*statement));
}

void parse_guarded_instruction(struct parser *parser)
{
	struct ptx_statement statement = {.guarded = true};
	struct token word;
	struct name *name;

	parser_expect(parser, '@', "a statement");
	statement.guard_negated = parser_accept(parser, '!');
	name = parser->token.kind == TOKEN_WORD
		       ? parser_intern(parser, parser->token.text, parser->token.length)
		       : NULL;
	if (!name || name->binding.meaning != NAME_REGISTER ||
	    parser->function.registers[name->binding.index].width_bits != 1) {
		parser_error(parser, "expected a predicate after '@'");
		return;
	}
	statement.guard = name->binding.index;
	parser_advance(parser);
	word = parser->token;
	if (word.kind != TOKEN_WORD) {
		parser_error(parser, "expected an instruction after its guard");
		return;
	}
	parser_advance(parser);
	parse_instruction(parser, &word, &statement);
}
