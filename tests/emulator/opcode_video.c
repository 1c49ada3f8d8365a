/*
 * Video instructions. There is a case for each operation, combination of types and saturation. The
 * selectors and secondary operations change from case to case, so that all of them occur with each
 * operation. See opcode_sequences.c for the names of registers.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

static const char *const signs[] = {"u32", "s32"};
#define OPERANDS "u32 u32 u32 amount"

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

static const char *const parts[] = {"", ".b0", ".h1", ".b3", ".h0", ".b2", ".b1"};
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
	multiplications_add(list);
	parts_add(list);
}
