/*
 * Forms that the decoder composes of several rows, aliases of rows, and rows with more inputs of a
 * kind that their own cases have few of. See opcode_sequences.c for the names of registers.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

static bool has_name(const struct opcode_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return true;
	return false;
}

static void aliases_add(struct opcode_list *list)
{
	static const struct {
		const char *mnemonic, *as;
	} aliases[] = {
#define ALIAS(mnemonic, as) {mnemonic, as},
#include "emulator/program/alu_aliases.def"
#undef ALIAS
	};

	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (strncmp(aliases[i].mnemonic, "cvta", 4) != 0 &&
		    !has_name(list, aliases[i].mnemonic))
			opcode_row_add(list, alu_row_of(alu_find(aliases[i].as)),
				       aliases[i].mnemonic);
}

/* ---- comparisons ---- */

static void comparisons_add(struct opcode_list *list)
{
	static const char *const types[] = {"b16", "u16", "s16", "b32", "u32", "s32", "f32",
					    "b64", "u64", "s64", "f64", "f16", "bf16"};
	static const char *const results[] = {"u32", "s32", "f32", "f16", "bf16", "u16", "s16"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const char *type = types[i];
		bool half = strstr(type, "f16") != NULL;
		char *operands = xasprintf("%s %s", type, type);
		char *mnemonic =
			xasprintf("setp.%s.%s", type[0] == 'b' && !half ? "eq" : "lt", type);

		if (!half)
			opcode_sequence_add(list, xasprintf("%s p|q", mnemonic), "pred pred",
					    operands,
					    xasprintf("%s %%r|%%s, %%a, %%b;\n", mnemonic));
		free(mnemonic);
		for (size_t k = 0; k < ARRAY_SIZE(results); k++) {
			const char *result = results[k];

			mnemonic = xasprintf("set.%s.%s.%s", type[0] == 'b' && !half ? "ne" : "le",
					     result, type);
			/* Only comparisons of halves give 16-bit integers; only the others give
			 * f32; bf16 does not give f16. */
			if (!has_name(list, mnemonic) &&
			    (strstr("u16 s16", result) ? half
						       : strcmp(result, "f32") != 0 || !half) &&
			    !(strcmp(result, "f16") == 0 && strcmp(type, "bf16") == 0))
				opcode_sequence_add(list, xstrdup(mnemonic), result, operands,
						    xasprintf("%s %%r, %%a, %%b;\n", mnemonic));
			free(mnemonic);
		}
		free(operands);
	}
	opcode_sequence_add(list, xstrdup("set.lt.or.f32.f32"), "f32", "f32 f32 pred",
			    xstrdup("set.lt.or.f32.f32 %r, %a, %b, %c;\n"));
	opcode_sequence_add(list, xstrdup("set.ge.xor.s32.u64"), "u32", "u64 u64 pred",
			    xstrdup("set.ge.xor.s32.u64 %r, %a, %b, !%c;\n"));
}

/* ---- carries ---- */

static void carries_add(struct opcode_list *list)
{
	/* T: the type, W: 32 or 64 bits. */
	static const struct {
		const char *name, *body;
	} chains[] = {
		{"addc.cc.T in a chain",
		 "add.cc.T %r, %a, %b;\naddc.cc.T %s, %c, %d;\naddc.T %W0, 0, 0;\n"
		 "xor.bW %s, %s, %W0;\n"},
		{"subc.cc.T in a chain",
		 "sub.cc.T %r, %a, %b;\nsubc.cc.T %s, %c, %d;\nsubc.T %W0, 0, 0;\n"
		 "xor.bW %s, %s, %W0;\n"},
		{"madc.lo.T in a chain",
		 "mad.lo.cc.T %r, %a, %b, %c;\nmadc.lo.T %s, %c, %d, %a;\n"},
		{"madc.hi.T in a chain",
		 "mad.hi.cc.T %r, %a, %b, %c;\nmadc.hi.T %s, %c, %d, %a;\n"},
		{"madc.lo.cc.T in a chain",
		 "mad.lo.cc.T %W0, %a, %b, %c;\nmadc.lo.cc.T %r, %a, %d, %b;\n"
		 "addc.T %s, %W0, 0;\n"},
		{"madc.hi.cc.T in a chain",
		 "mad.lo.cc.T %W0, %a, %b, %c;\nmadc.hi.cc.T %r, %a, %b, %d;\n"
		 "addc.T %s, %W0, 0;\n"},
	};
	static const char *const types[] = {"u32", "s32", "u64", "s64"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (size_t k = 0; k < ARRAY_SIZE(chains); k++) {
			const char *type = types[i], *bits = type + 1;
			struct text name = TEXT_INIT, body = TEXT_INIT;
			char *results = xasprintf("%s %s", type, type);
			char *operands = xasprintf("%s %s", results, results);

			for (const char *at = chains[k].name; *at; at++)
				if (*at == 'T')
					text_add(&name, type);
				else
					text_add_char(&name, *at);
			for (const char *at = chains[k].body; *at; at++)
				if (*at == 'T')
					text_add(&body, type);
				else if (*at == 'W')
					text_add(&body, at[-1] == 'b'        ? bits
							: strcmp(bits, "32") ? "w"
									     : "x");
				else
					text_add_char(&body, *at);
			opcode_sequence_add(list, text_detach(&name), results, operands,
					    text_detach(&body));
			free(operands);
			free(results);
		}
}

/* ---- rows with other inputs ---- */

static void inputs_add(struct opcode_list *list)
{
	static const struct {
		const char *name, *results, *operands, *mnemonic;
	} rows[] = {
		{"add.rn.f64 NaNs", "f64", "nan64 nan64", "add.rn.f64"},
		{"add.rz.f64 NaNs", "f64", "nan64 nan64", "add.rz.f64"},
		{"sub.rn.f64 NaNs", "f64", "nan64 nan64", "sub.rn.f64"},
		{"mul.rn.f64 NaNs", "f64", "nan64 nan64", "mul.rn.f64"},
		{"div.rn.f64 NaNs", "f64", "nan64 nan64", "div.rn.f64"},
		{"div.rz.f64 NaNs", "f64", "nan64 nan64", "div.rz.f64"},
		{"min.f64 NaNs", "f64", "nan64 nan64", "min.f64"},
		{"max.f64 NaNs", "f64", "nan64 nan64", "max.f64"},
		{"fma.rn.f64 NaNs", "f64", "nan64 nan64 nan64", "fma.rn.f64"},
		{"fma.rm.f64 NaNs", "f64", "nan64 nan64 nan64", "fma.rm.f64"},
		{"fns.b32 offsets", "b32", "b32 lane offset", "fns.b32"},
		{"mul.rn.f32 tiny", "f32", "tiny32 tiny32", "mul.rn.f32"},
		{"mul.rp.f32 tiny", "f32", "tiny32 tiny32", "mul.rp.f32"},
		{"mul.rn.ftz.f32 tiny", "f32", "tiny32 tiny32", "mul.rn.ftz.f32"},
		{"mul.rz.ftz.f32 tiny", "f32", "tiny32 tiny32", "mul.rz.ftz.f32"},
		{"mul.rm.ftz.f32 tiny", "f32", "tiny32 tiny32", "mul.rm.ftz.f32"},
		{"mul.rp.ftz.f32 tiny", "f32", "tiny32 tiny32", "mul.rp.ftz.f32"},
		{"mul.rn.ftz.sat.f32 tiny", "f32", "tiny32 tiny32", "mul.rn.ftz.sat.f32"},
		{"div.rn.ftz.f32 tiny", "f32", "tiny32 tiny32", "div.rn.ftz.f32"},
		{"div.rp.ftz.f32 tiny", "f32", "tiny32 tiny32", "div.rp.ftz.f32"},
		{"fma.rn.f32 tiny", "f32", "tiny32 tiny32 f32", "fma.rn.f32"},
		{"fma.rn.ftz.f32 tiny", "f32", "tiny32 tiny32 f32", "fma.rn.ftz.f32"},
		{"fma.rz.ftz.f32 tiny", "f32", "tiny32 tiny32 f32", "fma.rz.ftz.f32"},
		{"fma.rm.ftz.f32 tiny", "f32", "tiny32 tiny32 f32", "fma.rm.ftz.f32"},
		{"fma.rp.ftz.f32 tiny", "f32", "tiny32 tiny32 f32", "fma.rp.ftz.f32"},
		{"cvt.rn.f32.f64 tiny", "f32", "tiny64", "cvt.rn.f32.f64"},
		{"cvt.rn.ftz.f32.f64 tiny", "f32", "tiny64", "cvt.rn.ftz.f32.f64"},
		{"cvt.rm.ftz.f32.f64 tiny", "f32", "tiny64", "cvt.rm.ftz.f32.f64"},
		{"cvt.rp.ftz.f32.f64 tiny", "f32", "tiny64", "cvt.rp.ftz.f32.f64"},
		{"mul.rn.f16 tiny", "f16", "tiny16 tiny16", "mul.rn.f16"},
		{"mul.rn.ftz.f16 tiny", "f16", "tiny16 tiny16", "mul.rn.ftz.f16"},
		{"fma.rn.f16 tiny", "f16", "tiny16 tiny16 f16", "fma.rn.f16"},
		{"fma.rn.ftz.f16 tiny", "f16", "tiny16 tiny16 f16", "fma.rn.ftz.f16"},
	};
	static const char *const spaces[] = {"global", "shared"};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t operands = (strlen(rows[i].operands) > 6) + 1;

		operands += strchr(rows[i].operands, ' ') != strrchr(rows[i].operands, ' ');
		opcode_sequence_add(list, xstrdup(rows[i].name), rows[i].results, rows[i].operands,
				    xasprintf("%s %%r, %%a%s%s;\n", rows[i].mnemonic,
					      operands > 1 ? ", %b" : "",
					      operands > 2 ? ", %c" : ""));
	}
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++)
		opcode_sequence_add(
			list, xasprintf("atom.%s.add.f64 NaNs", spaces[i]), "b64", "nan64 nan64",
			xasprintf("st.%s.b64 [%%%s], %%a;\natom.%s.add.f64 %%w0, [%%%s], %%b;\n"
				  "ld.%s.b64 %%r, [%%%s];\n",
				  spaces[i], spaces[i], spaces[i], spaces[i], spaces[i],
				  spaces[i]));
}

/* ---- several threads, exits, addresses, special registers ---- */

/* Uses the word of another thread in shared memory: its number differs in the bits of x. */
#define STORE "st.shared.u32 [%shared], %a;\n"
#define LOAD_OF(x)                                                                     \
	"mov.u32 %x0, %tid.x;\nxor.b32 %x0, %x0, " x ";\nmul.wide.u32 %w0, %x0, 16;\n" \
	"mov.u64 %w1, scratch;\nadd.u64 %w1, %w1, %w0;\nld.shared.u32 %r, [%w1];\n"
/* Uses a barrier of its own for each warp, in %x1. */
#define OWN_BARRIER "mov.u32 %x1, %tid.x;\nshr.u32 %x1, %x1, 5;\nadd.u32 %x1, %x1, 1;\n"
/* The first warp arrives; the second waits and reads. */
#define ARRIVING(arrive, sync)                                                       \
	STORE "mov.u32 %x0, %tid.x;\nmov.u32 %r, 0;\nsetp.lt.u32 %p0, %x0, 32;\n"    \
	      "@%p0 bra first;\n" sync " 1, 64;\n" LOAD_OF("32") "bra.uni behind;\n" \
								 "first:\n" arrive   \
								 " 1, 64;\nbehind:\n"
#define BYTES ".reg .b8 %q<4>;\n"

static const struct {
	const char *name, *results, *operands, *body;
} sequences[] = {
	{"bar.warp.sync", "u32", "u32", STORE "bar.warp.sync -1;\n" LOAD_OF("9")},
	{"bar.sync", "u32", "u32", STORE "bar.sync 0;\n" LOAD_OF("45")},
	{"barrier.sync.aligned", "u32", "u32", STORE "barrier.sync.aligned 3;\n" LOAD_OF("45")},
	{"bar.sync of a warp", "u32", "u32", STORE OWN_BARRIER "bar.sync %x1, 32;\n" LOAD_OF("17")},
	{"barrier.sync of a warp", "u32", "u32",
	 STORE OWN_BARRIER "barrier.sync %x1, 32;\n" LOAD_OF("17")},
	{"bar.arrive", "u32", "u32", ARRIVING("bar.arrive", "bar.sync")},
	{"barrier.arrive", "u32", "u32", ARRIVING("barrier.arrive", "barrier.sync")},
	{"barrier.arrive.aligned", "u32", "u32",
	 ARRIVING("barrier.arrive.aligned", "barrier.sync.aligned")},
	{"barrier.red.popc.u32", "u32", "pred", "barrier.red.popc.u32 %r, 0, %a;\n"},
	{"barrier.red.popc.aligned.u32", "u32", "pred",
	 "barrier.red.popc.aligned.u32 %r, 0, !%a;\n"},
	{"barrier.red.and.pred", "pred", "pred", "barrier.red.and.pred %r, 0, %a;\n"},
	{"barrier.red.or.pred", "pred", "pred", "barrier.red.or.pred %r, 0, %a;\n"},
	{"bar.red.and.pred true", "pred", "u32",
	 "setp.le.u32 %p0, %a, %a;\nbar.red.and.pred %r, 0, %p0;\n"},
	{"bar.red.or.pred false", "pred", "u32",
	 "setp.lt.u32 %p0, %a, %a;\nbar.red.or.pred %r, 0, %p0;\n"},
	{"bar.red.popc.u32 of a warp", "u32", "pred",
	 OWN_BARRIER "bar.red.popc.u32 %r, %x1, 32, %a;\n"},
	{"barrier.red.popc.u32 of a warp", "u32", "pred",
	 OWN_BARRIER "barrier.red.popc.u32 %r, %x1, 32, %a;\n"},
	{"bar.red.and.pred of a warp", "pred", "lane",
	 OWN_BARRIER "setp.ne.u32 %p0, %a, 7;\nbar.red.and.pred %r, %x1, 32, %p0;\n"},
	{"barrier.red.and.pred of a warp", "pred", "lane",
	 OWN_BARRIER "setp.ne.u32 %p0, %a, 8;\nbarrier.red.and.pred %r, %x1, 32, %p0;\n"},
	{"bar.red.or.pred of a warp", "pred", "lane",
	 OWN_BARRIER "setp.eq.u32 %p0, %a, 3;\nbar.red.or.pred %r, %x1, 32, %p0;\n"},
	{"barrier.red.or.pred of a warp", "pred", "lane",
	 OWN_BARRIER "setp.eq.u32 %p0, %a, 5;\nbarrier.red.or.pred %r, %x1, 32, %p0;\n"},
	{"membar.gl", "u32", "u32", STORE "membar.gl;\nbar.sync 0;\n" LOAD_OF("33")},
	{"fence.acq_rel.gpu", "u32", "u32",
	 STORE "fence.acq_rel.gpu;\nbar.sync 0;\n" LOAD_OF("33")},
	{"nanosleep.u32", "u32", "u32", "nanosleep.u32 20;\nnot.b32 %r, %a;\n"},
	{"prefetch.global.L2", "u32", "u64",
	 "prefetch.global.L2 [%in];\nld.global.u32 %r, [%in];\n"},
	{"shfl.sync.up.b32 one result", "b32", "b32", "shfl.sync.up.b32 %r, %a, 3, 0, -1;\n"},
	{"shfl.sync.down.b32 one result", "b32", "b32", "shfl.sync.down.b32 %r, %a, 5, 31, -1;\n"},
	{"match.all.sync.b32 one result", "b32", "small", "match.all.sync.b32 %r, %a, -1;\n"},
	{"match.all.sync.b32 alike, one result", "b32", "small",
	 "shr.u32 %x0, %thread, 5;\nmatch.all.sync.b32 %r, %x0, -1;\n"},
	{"match.all.sync.b64 one result", "b32", "small64",
	 "shr.u64 %w0, %a, 7;\nmatch.all.sync.b64 %r, %w0, -1;\n"},
	{"exit", "u32", "u32",
	 "mov.u32 %r, %a;\nmov.u32 %x7, %laneid;\nsetp.lt.u32 %p3, %x7, 20;\n@%p3 exit;\n"},
	{"ret", "u32", "pred", "mov.u32 %r, 77;\n@%a ret;\n"},
	{"bra.uni", "u32", "u32", "mov.u32 %r, 1;\nbra.uni behind;\nmov.u32 %r, %a;\nbehind:\n"},

	{"cvta.global.u64", "u32", "u32",
	 "cvta.global.u64 %w0, %global;\nst.global.u32 [%global], %a;\nld.u32 %r, [%w0];\n"},
	{"cvta.shared::cta.u64", "u32", "u32",
	 "cvta.shared::cta.u64 %w0, %shared;\nst.shared.u32 [%shared], %a;\nld.u32 %r, [%w0];\n"},
	{"cvta.to.shared::cta.u64", "u32", "u32",
	 "cvta.shared.u64 %w0, %shared;\nst.u32 [%w0], %a;\ncvta.to.shared::cta.u64 %w1, %w0;\n"
	 "ld.shared.u32 %r, [%w1];\n"},
	{"cvta.param.u64", "pred", "u32",
	 "mov.b64 %w0, memory;\ncvta.param.u64 %w1, %w0;\nld.u64 %w2, [%w1];\n"
	 "ld.param.u64 %w3, [memory];\nsetp.eq.u64 %r, %w2, %w3;\n"},
	{"cvta.to.param.u64", "pred", "u32",
	 "mov.b64 %w0, memory;\ncvta.param.u64 %w1, %w0;\ncvta.to.param.u64 %w1, %w1;\n"
	 "ld.param.u64 %w2, [%w1];\nld.param.u64 %w3, [memory];\nsetp.eq.u64 %r, %w2, %w3;\n"},
	{"isspacep.shared::cta", "pred pred", "u32",
	 "cvta.shared.u64 %w0, %shared;\nisspacep.shared::cta %r, %w0;\n"
	 "isspacep.shared::cta %s, %global;\n"},
	{"isspacep.shared::cluster", "pred pred", "u32",
	 "cvta.shared.u64 %w0, %shared;\nisspacep.shared::cluster %r, %w0;\n"
	 "isspacep.shared::cluster %s, %global;\n"},

	{"mov.u32 ntid.y ntid.z", "u32 u32", "u32", "mov.u32 %r, %ntid.y;\nmov.u32 %s, %ntid.z;\n"},
	{"mov.u32 tid.z ctaid.y", "u32 u32", "u32", "mov.u32 %r, %tid.z;\nmov.u32 %s, %ctaid.y;\n"},
	{"mov.u32 ctaid.z nctaid.y", "u32 u32", "u32",
	 "mov.u32 %r, %ctaid.z;\nmov.u32 %s, %nctaid.y;\n"},
	{"mov.u32 nctaid.z dynamic_smem_size", "u32 u32", "u32",
	 "mov.u32 %r, %nctaid.z;\nmov.u32 %s, %dynamic_smem_size;\n"},
	{"mov.u32 total_smem_size", "u32 u32", "u32",
	 STORE "ld.shared.u32 %s, [%shared];\nmov.u32 %r, %total_smem_size;\n"},

	{"mov.b16 pack b8", "b16", "u32 u32",
	 BYTES "cvt.u8.u32 %q0, %a;\ncvt.u8.u32 %q1, %b;\nmov.b16 %r, {%q0, %q1};\n"},
	{"mov.b32 pack b8", "b32", "u32 u32 u32 u32",
	 BYTES "cvt.u8.u32 %q0, %a;\ncvt.u8.u32 %q1, %b;\ncvt.u8.u32 %q2, %c;\n"
	       "cvt.u8.u32 %q3, %d;\nmov.b32 %r, {%q0, %q1, %q2, %q3};\n"},
	{"mov.b16 unpack b8", "b32 b32", "b16",
	 BYTES "mov.b16 {%q0, %q1}, %a;\ncvt.u32.u8 %r, %q0;\ncvt.u32.u8 %s, %q1;\n"},
	{"mov.b32 unpack b8 low", "b32 b32", "b32",
	 BYTES "mov.b32 {%q0, %q1, %q2, %q3}, %a;\ncvt.u32.u8 %r, %q0;\ncvt.u32.u8 %s, %q1;\n"},
	{"mov.b32 unpack b8 high", "b32 b32", "b32",
	 BYTES "mov.b32 {%q0, %q1, %q2, %q3}, %a;\ncvt.u32.u8 %r, %q2;\ncvt.u32.u8 %s, %q3;\n"},
};

void opcode_forms_add(struct opcode_list *list)
{
	aliases_add(list);
	comparisons_add(list);
	carries_add(list);
	inputs_add(list);
	for (size_t i = 0; i < ARRAY_SIZE(sequences); i++)
		opcode_sequence_add(list, xstrdup(sequences[i].name), sequences[i].results,
				    sequences[i].operands, xstrdup(sequences[i].body));
}
