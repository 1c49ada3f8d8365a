/*
 * Atomics on vectors in global memory, where a vector of halves is given as words of two halves;
 * and parameters in registers. See opcode_sequences.c for the names of registers.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

/* ---- vectors ---- */

/* Two words at %global become %x0 and %x1 of the instruction, and are in %r and %s behind it; with
 * `old`, the words that the instruction returns in %x4 and %x5 are. */
static void two_words_add(struct opcode_list *list, const char *mnemonic, const char *operands,
			  const char *types, bool old)
{
	bool returns = strncmp(mnemonic, "atom", 4) == 0;
	struct text body = TEXT_INIT;

	text_add(&body, "st.global.v2.b32 [%global], {%a, %b};\n"
			"mov.b32 {%h0, %h1}, %c;\nmov.b32 {%h2, %h3}, %d;\n"
			"mov.b32 {%h4, %h5}, %c;\nmov.b32 {%h6, %h7}, %d;\n");
	if (returns)
		text_addf(&body, "%s {%s}, [%%global], {%s};\n", mnemonic, operands, operands);
	else
		text_addf(&body, "%s [%%global], {%s};\n", mnemonic, operands);
	if (!old)
		text_add(&body, "ld.global.v2.b32 {%r, %s}, [%global];\n");
	else if (operands[1] == 'h')
		text_add(&body, "mov.b32 %r, {%h0, %h1};\nmov.b32 %s, {%h2, %h3};\n");
	else
		text_add(&body, "mov.b32 %r, %c;\nmov.b32 %s, %d;\n");
	opcode_sequence_add(list, xasprintf("%s%s", mnemonic, old ? ", returned" : ""), "b32 b32",
			    types, text_detach(&body));
}

/* Four words: a, b and their reverse. The words `from` and `from` + 1 are in %r and %s behind it.
 */
static void four_words_add(struct opcode_list *list, const char *mnemonic, bool halves,
			   const char *types, int from)
{
	static const char words[] = "%c, %d, %d, %c";
	static const char parts[] = "%h0, %h1, %h2, %h3, %h2, %h3, %h0, %h1";
	static const char got_parts[] = "%h4, %h5, %h6, %h7, %h0, %h1, %h2, %h3";
	bool returns = strncmp(mnemonic, "atom", 4) == 0;
	struct text body = TEXT_INIT;

	text_add(&body, "st.global.v4.b32 [%global], {%a, %b, %b, %a};\n"
			"mov.b32 {%h0, %h1}, %c;\nmov.b32 {%h2, %h3}, %d;\n");
	if (returns)
		text_addf(&body, "%s {%s}, [%%global], {%s};\n", mnemonic,
			  halves ? got_parts : "%x1, %x3, %x4, %x5", halves ? parts : words);
	else
		text_addf(&body, "%s [%%global], {%s};\n", mnemonic, halves ? parts : words);
	text_addf(&body, "ld.global.v2.b32 {%%r, %%s}, [%%global+%d];\n", from * 4);
	if (returns && halves)
		text_add(&body, "mov.b32 %x1, {%h6, %h7};\nmov.b32 %x4, {%h2, %h3};\n");
	if (returns)
		text_add(&body, "shf.l.wrap.b32 %x1, %x1, %x1, 11;\nxor.b32 %r, %r, %x1;\n"
				"shf.l.wrap.b32 %x4, %x4, %x4, 11;\nxor.b32 %s, %s, %x4;\n");
	opcode_sequence_add(list, xasprintf("%s, words %d and %d", mnemonic, from, from + 1),
			    "b32 b32", types, text_detach(&body));
}

static void float_vectors_add(struct opcode_list *list)
{
	static const char types[] = "f32 f32 f32 f32";

	two_words_add(list, "atom.global.v2.f32.add", "%c, %d", types, true);
	two_words_add(list, "atom.global.v2.f32.add", "%c, %d", types, false);
	two_words_add(list, "atom.add.v2.f32", "%c, %d", types, false);
	two_words_add(list, "red.global.add.v2.f32", "%c, %d", types, false);
	for (int from = 0; from < 4; from += 2) {
		four_words_add(list, "atom.global.v4.f32.add", false, types, from);
		four_words_add(list, "red.relaxed.gpu.global.add.v4.f32", false, types, from);
	}
}

static void half_vectors_add(struct opcode_list *list)
{
	static const char *const kinds[] = {"add", "min", "max"};
	static const char *const halves[] = {"f16", "bf16"};
	static const char eight[] = "%h0, %h1, %h2, %h3";

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (size_t k = 0; k < ARRAY_SIZE(halves); k++) {
			char *types = xasprintf("%sx2 %sx2 %sx2 %sx2", halves[k], halves[k],
						halves[k], halves[k]);
			const char *forms[][3] = {
				{"v2.%s", "%h0, %h1", ""}, {"v4.%s", eight, ""},
				{"v2.%sx2", "%c, %d", ""}, {"v8.%s", NULL, "h"},
				{"v4.%sx2", NULL, ""},
			};

			for (size_t form = 0; form < ARRAY_SIZE(forms); form++)
				for (int red = 0; red < 2; red++) {
					char *type = xasprintf(forms[form][0], halves[k]);
					char *name =
						xasprintf("%s.global.%s.noftz.%s",
							  red ? "red" : "atom", kinds[i], type);

					if (forms[form][1]) {
						two_words_add(list, name, forms[form][1], types,
							      false);
						if (!red)
							two_words_add(list, name, forms[form][1],
								      types, true);
					} else {
						four_words_add(list, name, *forms[form][2], types,
							       2 * red);
					}
					free(name);
					free(type);
				}
			free(types);
		}
}

/* ---- registers as parameters, and special registers ---- */

#define REGISTERS                                                                           \
	".func (.reg .b32 %sum, .reg .b64 %wide) added(.reg .b32 %one, .reg .b32 %other)\n" \
	"{\nadd.u32 %sum, %one, %other;\nmul.wide.u32 %wide, %one, %other;\n"               \
	"add.u32 %one, %one, 1;\nret;\n}\n"
static const struct {
	const char *name, *results, *operands, *body;
	const char *declarations;
} sequences[] = {
	{"call with registers", "u32 b64", "u32 u32",
	 "mov.b32 %x3, %a;\ncall (%r, %s), added, (%x3, %b);\nadd.u32 %r, %r, %x3;\n", REGISTERS},
	{"call with registers and constants", "u32 b64", "u32 pred",
	 "mov.b32 %r, 5;\nmov.b64 %s, 6;\n@!%b bra behind;\ncall (%r, %s), added, (%a, 77);\n"
	 "behind:\n",
	 REGISTERS},
	{"mov.v4.u32 tid", "u32 u32", "u32",
	 "mov.v4.u32 {%r, %x1, %x2, %s}, %tid;\nadd.u32 %s, %s, %x1;\nadd.u32 %s, %s, %x2;\n",
	 NULL},
	{"mov.v4.u32 ntid nctaid", "u32 u32", "u32",
	 "mov.v4.u32 {%r, %x1, %x2, %x3}, %ntid;\nmov.v4.u32 {%s, %x4, %x5, %x6}, %nctaid;\n"
	 "shl.b32 %x1, %x1, 8;\nadd.u32 %r, %r, %x1;\nshl.b32 %x4, %x4, 8;\n"
	 "add.u32 %s, %s, %x4;\nshl.b32 %x3, %x3, 16;\nadd.u32 %r, %r, %x3;\n",
	 NULL},
	{"mov.u32 aggr_smem_size", "u32 u32", "u32",
	 "mov.u32 %r, %aggr_smem_size;\nmov.u32 %s, %total_smem_size;\n", NULL},
	{"mov.u32 aggr_smem_size with a variable", "u32 u32", "u32",
	 "mov.u32 %r, %aggr_smem_size;\nmov.u32 %s, %total_smem_size;\n"
	 "st.shared.u32 [%shared], %r;\nld.shared.u32 %r, [%shared];\n",
	 NULL},
	{"mov.u64 current_graph_exec", "u64", "u32", "mov.u64 %r, %current_graph_exec;\n", NULL},
};

void opcode_vectors_add(struct opcode_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(sequences); i++)
		opcode_sequence_add(list, xstrdup(sequences[i].name), sequences[i].results,
				    sequences[i].operands, xstrdup(sequences[i].body))
			->declarations = sequences[i].declarations;
	float_vectors_add(list);
	half_vectors_add(list);
}
