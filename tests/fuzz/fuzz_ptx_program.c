/*
 * Fuzz target: any bytes as a kernel. Every input gives a valid program of branches, barriers,
 * shuffles, atomics, calls and arithmetic, with four bytes per instruction. Random text seldom
 * parses; this target reaches the code where lanes diverge, wait, reconverge and end.
 */
#include <stddef.h>
#include <stdint.h>

#include "emulator/program/operations.h"
#include "ptx_launch.h"

#define MOST_STEPS 48
enum {
#define X(symbol, meaning) +1
	FIRST_ARITHMETIC = 0 CONTROL_OPERATION_LIST(X)
#undef X
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Each '?' stands for the number of a register (of a label after L), each '$' for a number. They
 * are taken from the instruction's bytes in order. Addresses stay in bounds, except in templates
 * that are wrong on purpose.
 */
static const char *const templates[] = {
	"@%p? bra L?;",
	"@!%p? bra L?;",
	"bra L?;",
	"brx.idx %r?, table;",
	"and.b32 %r7, %r?, 3; brx.idx %r7, table;",
	"@%p? exit;",
	"exit;",
	"ret;",
	"@%p? ret;",
	"@%p? trap;",
	"bar.sync 0;",
	"@%p? bar.sync 0;",
	"bar.sync 1, 64;",
	"bar.sync %r?;",
	"barrier.sync 0;",
	"barrier.sync 2, 32;",
	"bar.arrive 1, 64;",
	"barrier.arrive 3, 96;",
	"bar.red.popc.u32 %r?, 0, %p?;",
	"bar.red.and.pred %p?, 0, %p?;",
	"barrier.red.or.pred %p?, 4, %p?;",
	"bar.warp.sync $;",
	"bar.warp.sync %r?;",
	"activemask.b32 %r?;",
	"shfl.sync.idx.b32 %r?|%p?, %r?, %r?, 31, $;",
	"shfl.sync.bfly.b32 %r?, %r?, $, 31, -1;",
	"shfl.sync.up.b32 %r?|%p?, %r?, $, 0, %r?;",
	"@%p? shfl.sync.down.b32 %r?, %r?, $, 7199, -1;",
	"vote.sync.ballot.b32 %r?, %p?, $;",
	"vote.sync.uni.pred %p?, !%p?, -1;",
	"@%p? vote.sync.any.pred %p?, %p?, %r?;",
	"match.any.sync.b32 %r?, %r?, $;",
	"match.all.sync.b64 %r?|%p?, %rd?, -1;",
	"redux.sync.add.u32 %r?, %r?, $;",
	"redux.sync.min.s32 %r?, %r?, %r?;",
	"elect.sync %r?|%p?, $;",
	"setp.lt.u32 %p?, %r?, $;",
	"setp.eq.s32 %p?, %r?, %r?;",
	"setp.gt.and.f32 %p?|%p?, %r?, %r?, %p?;",
	"mov.u32 %r?, $;",
	"mov.u32 %r?, %tid.x;",
	"mov.u32 %r?, %laneid;",
	"mov.u32 %r?, %lanemask_lt;",
	"mov.b64 {%r?, %r?}, %rd?;",
	"mov.b64 %rd?, {%r?, %r?};",
	"and.b32 %r7, %r?, 252; ld.shared.u32 %r?, [%r7];",
	"and.b32 %r7, %r?, 252; st.shared.u32 [%r7], %r?;",
	"and.b32 %r7, %r?, 255; st.shared.u8 [%r7], %r?;",
	"and.b32 %r7, %r?, 240; ld.volatile.shared.v4.u32 {%r?, %r?, %r?, %r?}, [%r7];",
	"and.b32 %r7, %r?, 252; atom.shared.add.u32 %r?, [%r7], %r?;",
	"and.b32 %r7, %r?, 252; atom.shared.cas.b32 %r?, [%r7], %r?, %r?;",
	"and.b32 %r7, %r?, 248; red.shared.max.u64 [%r7], %rd?;",
	"and.b32 %r7, %r?, 60; add.u32 %r7, %r7, %r6; st.local.u32 [%r7], %r?;",
	"and.b32 %r7, %r?, 60; add.u32 %r7, %r7, %r6; ld.local.u32 %r?, [%r7];",
	"and.b32 %r7, %r?, 1020; cvt.u64.u32 %rd7, %r7; add.s64 %rd7, %rd7, %rd6; "
	"ld.global.u32 %r?, [%rd7];",
	"and.b32 %r7, %r?, 1020; cvt.u64.u32 %rd7, %r7; add.s64 %rd7, %rd7, %rd6; "
	"st.global.u32 [%rd7], %r?;",
	"and.b32 %r7, %r?, 1022; cvt.u64.u32 %rd7, %r7; add.s64 %rd7, %rd7, %rd6; "
	"ld.relaxed.gpu.global.s16 %r?, [%rd7];",
	"and.b32 %r7, %r?, 1020; cvt.u64.u32 %rd7, %r7; add.s64 %rd7, %rd7, %rd6; "
	"atom.global.inc.u32 %r?, [%rd7], %r?;",
	"and.b32 %r7, %r?, 1020; cvt.u64.u32 %rd7, %r7; add.s64 %rd7, %rd7, %rd6; "
	"red.global.add.f32 [%rd7], %r?;",
	"and.b32 %r7, %r?, 252; cvt.u64.u32 %rd7, %r7; cvta.shared.u64 %rd7, %rd7; "
	"st.u32 [%rd7], %r?;",
	"cvt.u64.u32 %rd7, %r6; cvta.local.u64 %rd7, %rd7; ld.u64 %rd?, [%rd7+8];",
	"ld.global.u32 %r?, [%rd?+$];",
	"st.shared.u16 [%r?+$], %r?;",
	"ld.u8 %r?, [%rd?];",
	"{ .param .b32 a; .param .b32 z; st.param.b32 [a], %r?; call (z), deeper, (a); "
	"ld.param.b32 %r?, [z]; }",
	"@%p? call step;",
	"mov.u64 %rd7, step; call %rd7, (), proto;",
	"call %rd?, (), proto;",
	"nanosleep.u32 20; membar.gl; fence.acq_rel.gpu;",
	"and.b32 %r7, %r?, 252; cp.async.ca.shared.global [%r7], [%rd6], 4;",
	"@%p? cp.async.cg.shared.global [tile+16], [%rd6+32], 16, %p?;",
	"and.b32 %r7, %r?, 240; cp.async.ca.shared.global [%r7], [%rd6], 16, %r?;",
	"cp.async.ca.shared.global [%r?+$], [%rd?], 8, %p?;",
	"@%p? cp.async.commit_group;",
	"cp.async.wait_group ?;",
	"cp.async.wait_all;",
};

static const char head[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".func (.param .b32 z) deeper(.param .b32 a);\n"
	".func step()\n{\n.reg .pred %p;\n.reg .b32 %r<3>;\nmov.u32 %r1, %laneid;\n"
	"and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p, %r2, 0;\n@%p ret;\nactivemask.b32 %r1;\n"
	"bar.warp.sync %r1;\nret;\n}\n"
	".func (.param .b32 z) deeper(.param .b32 a)\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\n"
	"ld.param.b32 %r1, [a];\nand.b32 %r1, %r1, 7;\nmov.u32 %r2, 0;\n"
	"setp.eq.u32 %p, %r1, 0;\n@%p bra OUT;\nsub.u32 %r1, %r1, 1;\n"
	"{ .param .b32 b; .param .b32 y; st.param.b32 [b], %r1; call (y), deeper, (b); "
	"ld.param.b32 %r2, [y]; }\nadd.u32 %r2, %r2, 3;\nOUT:\nst.param.b32 [z], %r2;\nret;\n}\n"
	".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
	".shared .align 16 .b8 tile[256];\n.local .align 16 .b8 own[64];\n"
	".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
	"proto: .callprototype ()_ ();\n"
	"ld.param.u64 %rd6, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %laneid;\n"
	"mov.u32 %r6, own;\nmov.u32 %r5, -1;\nmov.u32 %r2, 0x3f800000;\nmov.b64 %rd5, {%r5, %r0};\n"
	"setp.lt.u32 %p1, %r1, 16;\nand.b32 %r4, %r1, 1;\nsetp.eq.u32 %p2, %r4, 0;\n"
	"setp.eq.u32 %p3, %r0, %r0;\ncvt.u16.u32 %h1, %r1;\ncvt.u64.u32 %rd1, %r1;\n";

static const uint32_t numbers[] = {
	0,      1,          2,          3,          4,          5,          7,         8,   15,
	16,     17,         31,         32,         33,         63,         64,        255, 256,
	0xffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0x7fffffff, 0x80000000, 0xffffffff};

/* The bytes of an instruction, each used for one of its operands. */
struct bytes {
	const uint8_t *data;
	size_t size, at;
};

static unsigned next_byte(struct bytes *bytes)
{
	return bytes->at < bytes->size ? bytes->data[bytes->at++] : 0;
}

static void add_template(struct text *out, const char *words, struct bytes *bytes, size_t steps)
{
	for (; *words; words++) {
		if (*words == '?')
			text_addf(out, "%u",
				  next_byte(bytes) % (words[-1] == 'L' ? (unsigned)steps : 6));
		else if (*words == '$')
			text_addf(out, "%u", numbers[next_byte(bytes) % ARRAY_SIZE(numbers)]);
		else
			text_add_char(out, *words);
	}
	text_add_char(out, '\n');
}

static const char *register_stem(uint8_t type)
{
	static const int widths[] = {
#define X(name, c_type, width) [TYPE_##name] = width,
		VALUE_TYPE_LIST(X)
#undef X
	};
	int width = widths[type];

	return width == 1 ? "%p" : width <= 16 ? "%h" : width == 32 ? "%r" : "%rd";
}

static void add_arithmetic(struct text *out, struct bytes *bytes)
{
	unsigned number = next_byte(bytes);
	const struct alu_row *row;
	size_t rows = OPERATION_COUNT - FIRST_ARITHMETIC;

	number |= next_byte(bytes) << 8;
	row = alu_row_of((enum operation)(FIRST_ARITHMETIC + number % rows));
	if (!row || !row->mnemonic[0])
		return;
	text_add(out, row->mnemonic);
	for (int i = 0; i <= row->operands; i++)
		text_addf(out, "%s %s%u", i ? "," : "", register_stem(row->types[i]),
			  next_byte(bytes) % 6);
	text_add(out, ";\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {.data = data, .size = size};
	struct text text = TEXT_INIT;
	size_t steps = size / 4 < MOST_STEPS ? size / 4 + 1 : MOST_STEPS;

	text_add(&text, head);
	text_addf(&text, "table: .branchtargets L0, L%zu, L%zu, L%zu;\n", steps / 2, steps - 1,
		  steps / 3);
	for (size_t i = 0; i < steps; i++) {
		unsigned which = next_byte(&bytes);

		text_addf(&text, "L%zu:\n", i);
		if (which < 2 * ARRAY_SIZE(templates))
			add_template(&text, templates[which % ARRAY_SIZE(templates)], &bytes,
				     steps);
		else
			add_arithmetic(&text, &bytes);
	}
	text_add(&text, "st.global.u32 [%rd6], %r0;\nret;\n}\n");
	ptx_launch_text(text.data, text.length);
	text_release(&text);
	return 0;
}
