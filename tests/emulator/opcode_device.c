/*
 * Cases of conversions of narrow floats with inputs near their values, of special registers and of
 * functions that the driver provides. See opcode_sequences.c for the names of registers.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

/* ---- fp8 ---- */

static void fp8_add(struct opcode_list *list)
{
	static const char *const types[] = {"e4m3x2", "e5m2x2"};
	static const char *const relus[] = {"", ".relu"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (size_t k = 0; k < ARRAY_SIZE(relus); k++) {
			/* Thread i converts the bytes 2i and 2i + 1, so that 128 threads convert
			 * all bytes. */
			opcode_sequence_add(list,
					    xasprintf("cvt.rn%s.f16x2.%s all", relus[k], types[i]),
					    "b32", "u32 u32",
					    xasprintf("shl.b32 %%x0, %%thread, 1;\n"
						      "mad.lo.u32 %%x0, %%x0, 257, "
						      "256;\ncvt.u16.u32 %%h0, %%x0;\n"
						      "cvt.rn%s.f16x2.%s %%r, %%h0;\n",
						      relus[k], types[i]));
			opcode_sequence_add(
				list,
				xasprintf("cvt.rn.satfinite%s.%s.f32 near", relus[k], types[i]),
				"b16 b16", "near8 near8 near8 near8",
				xasprintf("cvt.rn.satfinite%s.%s.f32 %%r, %%a, %%b;\n"
					  "cvt.rn.satfinite%s.%s.f32 %%s, %%c, %%d;\n",
					  relus[k], types[i], relus[k], types[i]));
			opcode_sequence_add(
				list,
				xasprintf("cvt.rn.satfinite%s.%s.f16x2 near", relus[k], types[i]),
				"b16 b16", "near8x2 near8x2",
				xasprintf("cvt.rn.satfinite%s.%s.f16x2 %%r, %%a;\n"
					  "cvt.rn.satfinite%s.%s.f16x2 %%s, %%b;\n",
					  relus[k], types[i], relus[k], types[i]));
		}
}

/* ---- registers and functions ---- */

#define CALL_MALLOC(bytes, to)                                                          \
	"{\n.param .b64 size;\n.param .b64 address;\nst.param.b64 [size], " bytes ";\n" \
	"call.uni (address), malloc, (size);\nld.param.b64 " to ", [address];\n}\n"
#define CALL_FREE(from)                                                               \
	"{\n.param .b64 address;\nst.param.b64 [address], " from ";\ncall.uni free, " \
	"(address);\n}\n"
#define HEAP                                                               \
	".extern .func (.param .b64 address) malloc (.param .b64 size);\n" \
	".extern .func free (.param .b64 address);\n"

static const struct {
	const char *name, *results, *operands, *body;
	const char *declarations;
} sequences[] = {
	{"lop3.or.b32", "b32 pred", "b32 b32 b32 pred",
	 "lop3.or.b32 %r|%s, %a, %b, %c, 0x80, %d;\n", NULL},
	{"lop3.and.b32", "b32 pred", "b32 b32 b32 pred",
	 "lop3.and.b32 %r|%s, %a, %b, %c, 0x1b, !%d;\n", NULL},
	{"lop3.or.b32 without result", "pred", "b32 b32 b32 pred",
	 "lop3.or.b32 _|%r, %a, %b, %c, 0x60, %d;\n", NULL},
	{"min.relu.s16x2 pairs", "b32 b32", "u32 u32",
	 "min.relu.s16x2 %r, %a, %b;\nmax.relu.s16x2 %s, %a, %b;\n", NULL},

	{"mov.u32 reserved_smem_offset_begin end", "u32 u32", "u32",
	 "mov.u32 %r, %reserved_smem_offset_begin;\nmov.u32 %s, %reserved_smem_offset_end;\n",
	 NULL},
	{"mov.u32 reserved_smem_offset_cap 0", "u32 u32", "u32",
	 "mov.u32 %r, %reserved_smem_offset_cap;\nmov.u32 %s, %reserved_smem_offset_0;\n", NULL},
	{"mov.u32 reserved_smem_offset_1 and the first variable", "u32 u32", "u32",
	 "mov.u32 %r, %reserved_smem_offset_1;\ncvt.u32.u64 %s, %shared;\n", NULL},
	{"mov.b32 envreg1 envreg2", "b32 b32", "u32",
	 "mov.b32 %r, %envreg1;\nmov.b32 %s, %envreg2;\n", NULL},
	{"mov.u64 clock64 rises", "pred pred", "u32",
	 "mov.u64 %w0, %clock64;\nmov.u64 %w1, %clock64;\nsetp.gt.u64 %r, %w1, %w0;\n"
	 "bar.sync 0;\nmov.u64 %w2, %clock64;\nsetp.gt.u64 %s, %w2, %w1;\n",
	 NULL},
	{"mov.u32 clock rises", "pred pred", "u32",
	 "mov.u32 %x0, %clock;\nmov.u32 %x1, %clock;\nsub.u32 %x1, %x1, %x0;\n"
	 "setp.lt.u32 %r, %x1, 1000000;\nmov.u32 %x2, %clock_hi;\nmov.u32 %x3, %clock_hi;\n"
	 "setp.ge.u32 %s, %x3, %x2;\n",
	 NULL},
	{"mov.u64 globaltimer rises", "pred pred", "u32",
	 "mov.u64 %w0, %globaltimer;\nmov.u64 %w1, %globaltimer;\nsetp.ge.u64 %r, %w1, %w0;\n"
	 "mov.u32 %x0, %globaltimer_hi;\nmov.u32 %x1, %globaltimer_hi;\n"
	 "setp.ge.u32 %s, %x1, %x0;\n",
	 NULL},

	{"mov.u32 smid nsmid", "pred pred", "u32",
	 "mov.u32 %x0, %smid;\nmov.u32 %x1, %nsmid;\nsetp.lt.u32 %r, %x0, %x1;\n"
	 "mov.u32 %x2, %smid;\nsetp.eq.u32 %s, %x0, %x2;\n",
	 NULL},
	{"mov.u64 gridid", "pred pred", "u32",
	 "mov.u64 %w0, %gridid;\nmov.u64 %w1, %gridid;\nsetp.eq.u64 %r, %w0, %w1;\n"
	 "mov.u32 %x0, %gridid;\ncvt.u32.u64 %x1, %w0;\nsetp.eq.u32 %s, %x0, %x1;\n",
	 NULL},

	{"alloca.u64 holds values", "u32 u32", "u32 u32",
	 "mov.u64 %w0, 40;\nalloca.u64 %w1, %w0;\nalloca.u64 %w2, %w0;\n"
	 "st.local.u32 [%w1+36], %a;\nst.local.u32 [%w2], %b;\nst.local.u32 [%w2+36], %b;\n"
	 "st.local.u32 [%w1], %a;\nld.local.u32 %r, [%w1+36];\nld.local.u32 %s, [%w2];\n",
	 NULL},
	{"alloca.u64 and generic addresses", "u32 pred", "u32",
	 "mov.u64 %w0, 16;\nalloca.u64 %w1, %w0;\ncvta.local.u64 %w2, %w1;\n"
	 "st.u32 [%w2+12], %a;\nld.local.u32 %r, [%w1+12];\nisspacep.local %s, %w2;\n",
	 NULL},
	{"alloca.u64 and its alignment", "u64 u64", "u32",
	 "mov.u64 %w0, 3;\nalloca.u64 %w1, %w0;\nalloca.u64 %w2, %w0, 64;\n"
	 "alloca.u64 %w3, %w0;\nand.b64 %r, %w2, 63;\nor.b64 %s, %w1, %w3;\n"
	 "and.b64 %s, %s, 7;\n",
	 NULL},
	{"stacksave.u64 stackrestore.u64", "pred u32", "u32",
	 "mov.u64 %w0, 48;\nmov.u32 %x0, 0;\nalloca.u64 %w4, %w0;\nst.local.u32 [%w4+44], %a;\n"
	 "stacksave.u64 %w1;\nalloca.u64 %w2, %w0;\nst.local.u32 [%w2], 1;\nagain:\n"
	 "stackrestore.u64 %w1;\nalloca.u64 %w3, %w0;\nst.local.u32 [%w3+44], %x0;\n"
	 "add.u32 %x0, %x0, 1;\nsetp.lt.u32 %p0, %x0, 100;\n@%p0 bra again;\n"
	 "setp.eq.u64 %r, %w2, %w3;\nld.local.u32 %s, [%w4+44];\n",
	 NULL},

	{"malloc of 0 bytes", "pred pred", "u32",
	 CALL_MALLOC("0", "%w1") "setp.eq.u64 %r, %w1, 0;\nand.b64 %w2, %w1, 15;\n"
				 "setp.eq.u64 %s, %w2, 0;\n" CALL_FREE("%w1"),
	 HEAP},
	{"malloc and its alignment", "u32 pred", "u32",
	 "cvt.u64.u32 %w0, %thread;\nadd.u64 %w0, %w0, 1;\n" CALL_MALLOC(
		 "%w0", "%w1") "and.b64 %w2, %w1, 15;\ncvt.u32.u64 %r, %w2;\n"
			       "setp.ne.u64 %s, %w1, 0;\n" CALL_FREE("%w1"),
	 HEAP},
	{"malloc and free", "u32 pred", "u32",
	 CALL_MALLOC("24", "%w1") "st.u32 [%w1+20], %a;\nbar.sync 0;\nld.u32 %r, [%w1+20];\n"
				  "isspacep.global %s, %w1;\n" CALL_FREE("%w1"),
	 HEAP},
	{"free of null", "u32", "u32", CALL_FREE("0") "mov.u32 %r, %a;\n", HEAP},
};

void opcode_device_add(struct opcode_list *list)
{
	fp8_add(list);
	for (size_t i = 0; i < ARRAY_SIZE(sequences); i++)
		opcode_sequence_add(list, xstrdup(sequences[i].name), sequences[i].results,
				    sequences[i].operands, xstrdup(sequences[i].body))
			->declarations = sequences[i].declarations;
}
