/*
 * Video instructions (vadd, vmad, vset4 and so on). Each becomes an operation of alu_integer.def,
 * whose control word holds the modifiers and the selectors of parts ("%r1.b0", "%r2.h32").
 */
#include "emulator/program/decode.h"

#include <string.h>

static const struct video_name {
	const char *base;
	enum video_operation operation;
	int parts; /* of a register: 1, 2 or 4 */
} video_names[] = {
	{"vadd", VIDEO_ADD, 1},          {"vsub", VIDEO_SUB, 1},
	{"vabsdiff", VIDEO_ABSDIFF, 1},  {"vmin", VIDEO_MIN, 1},
	{"vmax", VIDEO_MAX, 1},          {"vshl", VIDEO_SHL, 1},
	{"vshr", VIDEO_SHR, 1},          {"vmad", VIDEO_MAD, 1},
	{"vset", VIDEO_SET, 1},          {"vadd2", VIDEO_ADD, 2},
	{"vsub2", VIDEO_SUB, 2},         {"vavrg2", VIDEO_AVRG, 2},
	{"vabsdiff2", VIDEO_ABSDIFF, 2}, {"vmin2", VIDEO_MIN, 2},
	{"vmax2", VIDEO_MAX, 2},         {"vset2", VIDEO_SET, 2},
	{"vadd4", VIDEO_ADD, 4},         {"vsub4", VIDEO_SUB, 4},
	{"vavrg4", VIDEO_AVRG, 4},       {"vabsdiff4", VIDEO_ABSDIFF, 4},
	{"vmin4", VIDEO_MIN, 4},         {"vmax4", VIDEO_MAX, 4},
	{"vset4", VIDEO_SET, 4},
};

static const char *const second_names[] = {
	[SECOND_NONE] = "", [SECOND_ADD] = "add", [SECOND_MIN] = "min", [SECOND_MAX] = "max"};
static const char *const compare_names[] = {
	[COMPARE_EQ] = "eq", [COMPARE_NE] = "ne", [COMPARE_LT] = "lt",
	[COMPARE_LE] = "le", [COMPARE_GT] = "gt", [COMPARE_GE] = "ge"};
static const char *const part_names[] = {
	[PART_ALL] = "",  [PART_B0] = "b0", [PART_B1] = "b1", [PART_B2] = "b2",
	[PART_B3] = "b3", [PART_H0] = "h0", [PART_H1] = "h1"};

/* How many modifiers of each sort an instruction has. */
struct video_words {
	int types, modes, compares, scales, seconds;
};

/* Adds what one modifier says to the control word, and counts it. Returns false if the instruction
 * has no such modifier. */
static bool video_modifier(uint64_t *control, const struct video_name *name, const char *word,
			   struct video_words *words)
{
	bool shifts = name->operation == VIDEO_SHL || name->operation == VIDEO_SHR;
	bool sets = name->operation == VIDEO_SET;
	bool multiplies = name->operation == VIDEO_MAD;
	size_t second = WORD_INDEX(second_names, word);
	size_t compare = WORD_INDEX(compare_names, word);

	if (strcmp(word, "u32") == 0 || strcmp(word, "s32") == 0) {
		static const int fields[] = {VIDEO_SIGNED_RESULT_AT, VIDEO_SIGNED_A_AT,
					     VIDEO_SIGNED_B_AT};
		/* vset has no type of the result, which is 0 or 1. */
		int type = words->types++ + (sets ? 1 : 0);

		if (type < 3 && *word == 's')
			*control |= UINT64_C(1) << fields[type];
		return type < 3;
	}
	if (strcmp(word, "sat") == 0 && !sets) {
		*control |= VIDEO_PUT(SATURATES, 1);
	} else if (shifts && (strcmp(word, "wrap") == 0 || strcmp(word, "clamp") == 0)) {
		words->modes++;
		*control |= VIDEO_PUT(WRAPS, *word == 'w');
	} else if (multiplies && strcmp(word, "po") == 0) {
		*control |= VIDEO_PUT(PLUS_ONE, 1);
	} else if (multiplies && (strcmp(word, "shr7") == 0 || strcmp(word, "shr15") == 0)) {
		words->scales++;
		*control |= VIDEO_PUT(SHIFT, strcmp(word, "shr7") == 0 ? 7 : 15);
	} else if (sets && compare < ARRAY_SIZE(compare_names)) {
		words->compares++;
		*control |= VIDEO_PUT(COMPARE, compare);
	} else if (!multiplies && second && second < ARRAY_SIZE(second_names) &&
		   (name->parts == 1 || second == SECOND_ADD)) {
		words->seconds++;
		*control |= VIDEO_PUT(SECOND, second);
	} else {
		return false;
	}
	return true;
}

/* What is wrong with the modifiers together; NULL if nothing is. */
static const char *modifiers_fault(const struct video_name *name, const struct video_words *words,
				   uint64_t control)
{
	bool shifts = name->operation == VIDEO_SHL || name->operation == VIDEO_SHR;
	bool sets = name->operation == VIDEO_SET;

	if (words->types != (sets ? 2 : 3))
		return "a type is missing";
	if (shifts && words->modes != 1)
		return "expected either .clamp or .wrap";
	if (shifts && VIDEO_GET(control, SIGNED_B))
		return "the amount of a shift must be .u32";
	if (sets && words->compares != 1)
		return "expected one comparison";
	if (words->seconds > 1)
		return "more than one secondary operation";
	if (words->scales > 1)
		return ".shr7 and .shr15 exclude each other";
	if (name->parts > 1 && VIDEO_GET(control, SATURATES) && VIDEO_GET(control, SECOND))
		return ".sat and .add exclude each other";
	return NULL;
}

/* The selector of an operand without its dot; "" if there is none. */
static const char *operand_selector(const struct ptx_operand *operand)
{
	return operand->kind == PTX_OPERAND_REGISTER && operand->name ? operand->name : "";
}

static uint64_t part_number(struct function_decoding *decoding, const struct ptx_operand *operand)
{
	size_t part = WORD_INDEX(part_names, operand_selector(operand));

	if (part == ARRAY_SIZE(part_names)) {
		decode_invalid(decoding, "unknown selector .%.20s", operand_selector(operand));
		return PART_ALL;
	}
	return part;
}

/* Reads ".h32" or ".b7654": the numbers of parts, the highest first. Returns them 3 bits each. */
static uint64_t read_part_list(struct function_decoding *decoding,
			       const struct ptx_operand *operand, int parts, unsigned first)
{
	const char *word = operand_selector(operand);
	uint64_t out = 0;

	if (*word && (*word != (parts == 2 ? 'h' : 'b') || strlen(word) != (size_t)parts + 1))
		return decode_invalid(decoding, "unknown selector .%.20s", word);
	for (int i = 0; i < parts; i++) {
		unsigned number = *word ? (unsigned)(word[parts - i] - '0') : first + (unsigned)i;

		if (number >= 2 * (unsigned)parts)
			decode_invalid(decoding, "unknown selector .%.20s", word);
		out |= (uint64_t)(number & 7) << 3 * i;
	}
	return out;
}

/* Reads ".h10" or ".b31": a bit for each part of the result that is written. */
static uint64_t read_part_mask(struct function_decoding *decoding,
			       const struct ptx_operand *operand, int parts)
{
	const char *word = operand_selector(operand);
	uint64_t out = 0;

	if (!*word)
		return (UINT64_C(1) << parts) - 1;
	if (*word != (parts == 2 ? 'h' : 'b') || !word[1])
		decode_invalid(decoding, "unknown selector .%.20s", word);
	for (const char *at = word + 1; *at; at++) {
		unsigned number = (unsigned)(*at - '0');

		if (number >= (unsigned)parts)
			decode_invalid(decoding, "unknown selector .%.20s", word);
		else
			out |= UINT64_C(1) << number;
	}
	return out;
}

/* What is wrong with signs and selectors of operands; NULL if nothing is. */
static const char *operands_fault(const struct ptx_statement *at, const struct video_name *name,
				  uint64_t control)
{
	const struct ptx_operand *operands = at->operands;
	bool product = operands[1].negated != operands[2].negated;
	bool third = at->operand_count == 4 && operands[3].negated;
	bool negates = operands[1].negated || operands[2].negated || third;

	if (negates && name->operation != VIDEO_MAD)
		return "only vmad can negate its operands";
	if (negates && VIDEO_GET(control, PLUS_ONE))
		return ".po excludes the negation of operands";
	if (product && third)
		return "the negation of a or b excludes that of c";
	if (*operand_selector(&operands[0]) && name->operation == VIDEO_MAD)
		return "the result of vmad takes no selector";
	if (*operand_selector(&operands[0]) && name->parts == 1 && VIDEO_GET(control, SECOND))
		return "a selector of the result excludes a secondary operation";
	if (at->operand_count == 4 && *operand_selector(&operands[3]))
		return "the last operand takes no selector";
	return NULL;
}

static bool decode_video(struct function_decoding *decoding)
{
	static const enum operation operations[] = {0, ALU_VIDEO_SCALAR, ALU_VIDEO_PAIRS, 0,
						    ALU_VIDEO_BYTES};
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	const struct video_name *name = video_names + WORD_INDEX(video_names, at->base);
	uint32_t sources[3] = {0}, dst;
	struct video_words words = {0};
	uint64_t control;
	const char *fault;
	bool needs_third;

	if (name == video_names + ARRAY_SIZE(video_names))
		return true;
	control = VIDEO_PUT(OPERATION, name->operation);
	for (size_t i = 0; i < at->modifier_count; i++) {
		if (!video_modifier(&control, name, at->modifiers[i], &words))
			return true;
	}
	/* The secondary operation of vset takes c for a number of a's type. */
	if (name->operation == VIDEO_SET)
		control |= VIDEO_PUT(SIGNED_RESULT, VIDEO_GET(control, SIGNED_A));
	fault = modifiers_fault(name, &words, control);
	if (!fault && !require_operands(decoding, 3, 4))
		return false;
	fault = fault ? fault : operands_fault(at, name, control);
	if (fault)
		return decode_invalid(decoding, "%s", fault);
	if (name->parts == 1) {
		control |= VIDEO_PUT(PART_OF_RESULT, part_number(decoding, &operands[0])) |
			   VIDEO_PUT(PART_OF_A, part_number(decoding, &operands[1])) |
			   VIDEO_PUT(PART_OF_B, part_number(decoding, &operands[2]));
	} else {
		control |=
			VIDEO_PUT(MASK, read_part_mask(decoding, &operands[0], name->parts)) |
			VIDEO_PUT(FROM_A, read_part_list(decoding, &operands[1], name->parts, 0)) |
			VIDEO_PUT(FROM_B, read_part_list(decoding, &operands[2], name->parts,
							 (unsigned)name->parts));
	}
	control |= VIDEO_PUT(NEGATES_PRODUCT, operands[1].negated != operands[2].negated);
	needs_third = name->parts > 1 || name->operation == VIDEO_MAD ||
		      VIDEO_GET(control, SECOND) || VIDEO_GET(control, PART_OF_RESULT);
	if (needs_third != (at->operand_count == 4))
		return decode_invalid(decoding, "expected %d operands", needs_third ? 4 : 3);
	if (needs_third)
		control |= VIDEO_PUT(NEGATES_C, operands[3].negated);
	for (size_t i = 0; i + 1 < at->operand_count; i++) {
		struct ptx_operand plain = operands[i + 1];

		plain.negated = false; /* the control word has the sign */
		sources[i] = decode_source(decoding, &plain, TYPE_b32);
	}
	if (!needs_third)
		sources[2] = value_bits(decoding, 0, false);
	dst = decode_destination(decoding, &operands[0], TYPE_b32);
	emit_result(decoding, operations[name->parts], dst, sources[0], sources[1], sources[2])->d =
		value_bits(decoding, control, true);
	emit_extensions(decoding);
	return false;
}

const struct statement_form video_forms[] = {
	{"", decode_video, 0},
	{0},
};
