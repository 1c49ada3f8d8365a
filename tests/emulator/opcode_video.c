/*
 * Video instructions. There is a case for each operation, combination of types and saturation, and
 * for scalar ones also for each secondary operation. The selectors change from case to case, so
 * that all of them occur with each operation. See opcode_sequences.c for the names of registers.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

static const char *const signs[] = {"u32", "s32"};
#define OPERANDS "u32 u32 u32 amount"
#define THREE_WORDS "u32 u32 u32" /* more edges in combination than with four operands */

/* Adds a case with two results. Takes over the mnemonics and the operands after the result. */
static void video_add(struct opcode_list *list, char *first, char *first_operands, char *second,
		      char *second_operands)
{
	opcode_sequence_add(list,
			    xasprintf("%s%s, %s%s", first, first_operands, second, second_operands),
			    "u32 u32", OPERANDS,
			    xasprintf("mov.b32 %%r, 0;\nmov.b32 %%s, 0;\n%s %%r%s;\n%s %%s%s;\n",
				      first, first_operands, second, second_operands));
	free(first);
	free(first_operands);
	free(second);
	free(second_operands);
}

/* ---- scalar ---- */

/* Adds a case with one result, since in many of these forms a GPU departs from the manual. Takes
 * over the mnemonic and the operands after the result. */
static void form_add(struct opcode_list *list, const char *types, char *mnemonic, char *operands)
{
	opcode_sequence_add(list, xasprintf("%s%s", mnemonic, operands), "u32", types,
			    xasprintf("mov.b32 %%r, 0;\n%s %%r%s;\n", mnemonic, operands));
	free(mnemonic);
	free(operands);
}

static const char *const parts[] = {"", ".b0", ".h1", ".b3", ".h0", ".b2", ".b1"};
#define PARTS ARRAY_SIZE(parts)

/* Adds an operation with all secondary operations, and with parts of the result. `amounts` are the
 * types of operands of which b is mostly a number of bits up to 64. `form` selects the parts. */
static void scalar_add(struct opcode_list *list, const char *operation, const char *amounts,
		       size_t form)
{
	static const char *const seconds[] = {"", ".add", ".min", ".max"};
	static const char *const bytes[] = {".b0", ".b1", ".b2", ".b3"};
	static const char *const halves[] = {".h0", ".h1"};
	const char *second = seconds[form * 5 / 4 % 4];
	const char *a = parts[form % PARTS], *b = parts[(form + 3) * 3 / 2 % PARTS];

	form_add(list, amounts, xasprintf("%s", operation), xasprintf(", %%a, %%b"));
	for (size_t i = 1; i < ARRAY_SIZE(seconds); i++)
		form_add(list, amounts, xasprintf("%s%s", operation, seconds[i]),
			 xasprintf(", %%a, %%b, %%c"));
	for (size_t i = 0; i < 2; i++) {
		a = parts[(form + 2 * i) % PARTS], b = parts[(form + 3 + i) * 3 / 2 % PARTS];
		form_add(list, amounts, xasprintf("%s", operation),
			 xasprintf("%s, %%a%s, %%b%s, %%c", bytes[(form + i) % 4], a, b));
		form_add(list, amounts, xasprintf("%s", operation),
			 xasprintf("%s, %%a%s, %%b%s, %%c", halves[(form + i) % 2], b, a));
	}
	a = parts[1 + form % 6], b = parts[1 + form * 5 / 3 % 6];
	form_add(list, THREE_WORDS, xasprintf("%s%s", operation, second),
		 xasprintf(", %%a%s, %%b%s%s", a, b, *second ? ", %c" : ""));
	form_add(list, THREE_WORDS, xasprintf("%s", operation),
		 xasprintf("%s, %%a, %%b, %%c", form % 3 ? bytes[form % 4] : halves[form % 2]));
}

static void arithmetic_add(struct opcode_list *list)
{
	static const char *const names[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
	size_t form = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t types = 0; types < 16; types++) {
			char *operation = xasprintf("%s.%s.%s.%s%s", names[i], signs[types & 1],
						    signs[types >> 1 & 1], signs[types >> 2 & 1],
						    types >> 3 ? ".sat" : "");

			scalar_add(list, operation, THREE_WORDS, form++);
			free(operation);
		}
}

static void shifts_add(struct opcode_list *list)
{
	static const char *const names[] = {"vshl", "vshr"};
	size_t form = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t types = 0; types < 16; types++) {
			char *operation =
				xasprintf("%s.%s.%s.u32%s.%s", names[i], signs[types & 1],
					  signs[types >> 1 & 1], types >> 2 & 1 ? ".sat" : "",
					  types >> 3 ? "wrap" : "clamp");

			scalar_add(list, operation, "u32 amount u32", form++);
			free(operation);
		}
}

static void comparisons_add(struct opcode_list *list)
{
	static const char *const words[] = {"eq", "ne", "lt", "le", "gt", "ge"};
	size_t form = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (size_t types = 0; types < 4; types++) {
			char *operation = xasprintf("vset.%s.%s.%s", signs[types & 1],
						    signs[types >> 1], words[i]);

			scalar_add(list, operation, THREE_WORDS, form++);
			free(operation);
		}
}

/* Constants have the type of their operand, and no selector. */
static void constants_add(struct opcode_list *list)
{
	static const char *const cases[][2] = {
		{"vadd.s32.u32.s32.sat", ", %a.h1, -5"},
		{"vadd.u32.u32.u32.add", ", 300, %b.b1, 77"},
		{"vadd.s32.u32.u32.max", ", 300, %b, -77"},
		{"vsub.s32.s32.u32.min", ", -200, %b.b3, -7"},
		{"vsub.u32.u32.u32.sat", ".h1, %a, 0xfffffff0, 9"},
		{"vsub.u32.u32.u32", ".b2, %a, 0xfffffff0, 0x12345678"},
		{"vshl.s32.s32.u32.sat.clamp", ", %a, 3"},
		{"vshr.s32.s32.u32.wrap", ".b2, %a, 37, %c"},
		{"vset.s32.u32.lt", ", %a.b0, 90"},
		{"vset.s32.s32.ge.add", ", -1, %b.h0, -1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		form_add(list, THREE_WORDS, xasprintf("%s", cases[i][0]),
			 xasprintf("%s", cases[i][1]));
}

static void multiplications_add(struct opcode_list *list)
{
	static const char *const scales[] = {"", ".shr7", ".shr15"};
	size_t form = 0;

	for (size_t types = 0; types < 24; types++, form++) {
		const char *a = parts[1 + form % 6], *b = parts[1 + form * 5 % 6];
		const char *a_type = signs[types & 1], *b_type = signs[types >> 1 & 1];
		const char *d_type = signs[types % 4 != 0];
		const char *sat = types >> 2 & 1 ? ".sat" : "";
		const char *scale = scales[types / 8];
		bool negated = types % 4 == 3;

		video_add(list, xasprintf("vmad.%s.%s.%s%s%s", d_type, a_type, b_type, sat, scale),
			  xasprintf(", %s%%a%s, %%b%s, %s%%c", negated && form % 8 > 3 ? "-" : "",
				    a, b, negated && form % 8 < 4 ? "-" : ""),
			  xasprintf("vmad.%s.%s.%s.po%s%s", d_type, a_type, b_type, sat, scale),
			  xasprintf(", %%a%s, %%b%s, %%c", b, a));
	}
}

/* Words instead of parts, and each result type with each sign of the product. */
static void word_multiplications_add(struct opcode_list *list)
{
	static const char *const scales[] = {"", ".shr7", ".shr15"};
	static const char *const negations[][3] = {
		{"", "", ""}, {"-", "", ""}, {"", "-", ""}, {"-", "-", ""}, {"", "", "-"}};
	size_t form = 0;

	for (size_t types = 0; types < 8; types++) {
		char *type = xasprintf("vmad.%s.%s.%s", signs[types & 1], signs[types >> 1 & 1],
				       signs[types >> 2]);

		for (size_t i = 0; i < ARRAY_SIZE(negations); i++, form++) {
			const char *const *sign = negations[i];
			const char *a = parts[form % 3], *b = parts[form / 2 % 2 * 4];

			form_add(list, THREE_WORDS, xasprintf("%s%s", type, scales[form % 3]),
				 xasprintf(", %s%%a, %s%%b, %s%%c", sign[0], sign[1], sign[2]));
			form_add(list, THREE_WORDS, xasprintf("%s%s", type, scales[(form + 1) % 3]),
				 xasprintf(", %s%%a%s, %s%%b%s, %s%%c", sign[0], a, sign[1], b,
					   sign[2]));
			form_add(list, THREE_WORDS, xasprintf("%s.sat%s", type, scales[form % 3]),
				 xasprintf(", %s%%a%s, %s%%b%s, %s%%c", sign[0], a, sign[1], b,
					   sign[2]));
			form_add(list, THREE_WORDS,
				 xasprintf("%s.sat%s", type, scales[(form + 2) % 3]),
				 xasprintf(", %s%%a.h0, %s%%b.h1, %s%%c", sign[0], sign[1],
					   sign[2]));
		}
		form_add(list, THREE_WORDS, xasprintf("%s.po.shr7", type), xstrdup(", %a, %b, %c"));
		form_add(list, THREE_WORDS, xasprintf("%s.po.sat", type),
			 xstrdup(", %a, %b.b1, %c"));
		free(type);
	}
}

/* ---- pairs and bytes ---- */

static const char *const pair_masks[] = {"", ".h0", ".h1", ".h10"};
static const char *const pair_selectors[] = {"", ".h10", ".h32", ".h01", ".h20", ".h33", ".h12"};
static const char *const byte_masks[] = {"",     ".b0",   ".b1",   ".b10",  ".b2",  ".b20",
					 ".b21", ".b210", ".b3",   ".b30",  ".b31", ".b310",
					 ".b32", ".b320", ".b321", ".b3210"};
static const char *const byte_selectors[] = {"",       ".b3210", ".b7654", ".b0123",
					     ".b5173", ".b4444", ".b0246"};

static char *parts_operands(size_t form, bool bytes)
{
	const char *const *selectors = bytes ? byte_selectors : pair_selectors;

	return xasprintf("%s, %%a%s, %%b%s, %%c",
			 bytes ? byte_masks[form % ARRAY_SIZE(byte_masks)]
			       : pair_masks[form % ARRAY_SIZE(pair_masks)],
			 selectors[form % ARRAY_SIZE(byte_selectors)],
			 selectors[form * 3 % ARRAY_SIZE(byte_selectors)]);
}

static void parts_add(struct opcode_list *list)
{
	static const char *const names[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
	static const char *const words[] = {"eq", "ne", "lt", "le", "gt", "ge"};
	static const char *const ends[] = {"", ".sat", ".add"};
	size_t form = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t types = 0; types < 24; types++, form++) {
			char *type =
				xasprintf("%s.%s.%s%s", signs[types & 1], signs[types >> 1 & 1],
					  signs[types >> 2 & 1], ends[types / 8]);

			video_add(list, xasprintf("%s2.%s", names[i], type),
				  parts_operands(form, false), xasprintf("%s4.%s", names[i], type),
				  parts_operands(form, true));
			free(type);
		}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (size_t types = 0; types < 8; types++, form++) {
			char *type =
				xasprintf("%s.%s.%s%s", signs[types & 1], signs[types >> 1 & 1],
					  words[i], types / 4 ? ".add" : "");

			video_add(list, xasprintf("vset2.%s", type), parts_operands(form, false),
				  xasprintf("vset4.%s", type), parts_operands(form, true));
			free(type);
		}
}

void opcode_video_add(struct opcode_list *list)
{
	arithmetic_add(list);
	shifts_add(list);
	comparisons_add(list);
	constants_add(list);
	multiplications_add(list);
	word_multiplications_add(list);
	parts_add(list);
}
