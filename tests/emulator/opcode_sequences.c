/*
 * Cases that are not rows of alu.def: short sequences from operands to results. %p, %h, %x and %w
 * are registers for temporaries (predicates, 16, 32, 64 bits). %global, %shared and %local address
 * 16 bytes that belong to the thread.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

struct sequence {
	const char *name;
	const char *results;  /* "u32 pred" */
	const char *operands; /* "s32 s32 pred" */
	const char *body;
};

#define FULL "0xffffffff"
/* Lanes 0 to 19 of each warp execute what follows; the others have 0. */
#define SOME_BEGIN                                                           \
	"mov.u32 %x7, %laneid;\nmov.b32 %r, 0;\nsetp.ge.u32 %p3, %x7, 20;\n" \
	"@%p3 bra behind;\n"
#define SOME_END "behind:\n"
#define SOME "0x000fffff"

static const struct sequence sequences[] = {
	/* comparisons combined with a third predicate */
	{"setp.lt.and.s32 two results", "pred pred", "s32 s32 pred",
	 "setp.lt.and.s32 %r|%s, %a, %b, %c;\n"},
	{"setp.ge.or.u32 two results", "pred pred", "u32 u32 pred",
	 "setp.ge.or.u32 %r|%s, %a, %b, %c;\n"},
	{"setp.eq.xor.b64 two results", "pred pred", "u64 u64 pred",
	 "setp.eq.xor.b64 %r|%s, %a, %b, %c;\n"},
	{"setp.lt.and.f32 negated", "pred pred", "f32 f32 pred",
	 "setp.lt.and.f32 %r|%s, %a, %b, !%c;\n"},
	{"setp.ltu.or.f32", "pred", "f32 f32 pred", "setp.ltu.or.f32 %r, %a, %b, %c;\n"},
	{"setp.gt.xor.f64 two results", "pred pred", "f64 f64 pred",
	 "setp.gt.xor.f64 %r|%s, %a, %b, %c;\n"},
	{"setp.lt.f32 two results", "pred pred", "f32 f32", "setp.lt.f32 %r|%s, %a, %b;\n"},
	{"setp.eq.f16x2", "pred pred", "f16x2 f16x2", "setp.eq.f16x2 %r|%s, %a, %b;\n"},
	{"setp.ltu.f16x2", "pred pred", "f16x2 f16x2", "setp.ltu.f16x2 %r|%s, %a, %b;\n"},
	{"setp.gt.bf16x2", "pred pred", "bf16x2 bf16x2", "setp.gt.bf16x2 %r|%s, %a, %b;\n"},
	{"set.lt.and.u32.s32", "u32", "s32 s32 pred", "set.lt.and.u32.s32 %r, %a, %b, %c;\n"},
	{"selp.f32", "f32", "f32 f32 pred", "selp.f32 %r, %a, %b, %c;\n"},
	{"add.s32 guarded", "u32", "u32 u32 pred", "mov.u32 %r, %a;\n@%c add.s32 %r, %a, %b;\n"},
	{"add.s32 guarded, negated", "u32", "u32 u32 pred",
	 "mov.u32 %r, %a;\n@!%c add.s32 %r, %a, %b;\n"},

	/* packing */
	{"mov.b64 pack b32", "b64", "b32 b32", "mov.b64 %r, {%a, %b};\n"},
	{"mov.b64 pack b16", "b64", "b16 b16 b16 b16", "mov.b64 %r, {%a, %b, %c, %d};\n"},
	{"mov.b32 pack b16", "b32", "b16 b16", "mov.b32 %r, {%a, %b};\n"},
	{"mov.b64 unpack b32", "b32 b32", "b64", "mov.b64 {%r, %s}, %a;\n"},
	{"mov.b32 unpack b16", "b16 b16", "b32", "mov.b32 {%r, %s}, %a;\n"},
	{"mov.b64 unpack b16 low", "b16 b16", "b64", "mov.b64 {%r, %s, %h0, %h1}, %a;\n"},
	{"mov.b64 unpack b16 high", "b16 b16", "b64", "mov.b64 {%h0, %h1, %r, %s}, %a;\n"},
	{"mov.b32 swap", "b32", "b32", "mov.b32 {%h0, %h1}, %a;\nmov.b32 %r, {%h1, %h0};\n"},

	/* carry chains */
	{"add.cc.u32 addc.u32", "u32 u32", "u32 u32 u32 u32",
	 "add.cc.u32 %r, %a, %b;\naddc.u32 %s, %c, %d;\n"},
	{"add.cc.s32 addc.cc.s32", "u32 u32", "u32 u32 u32 u32",
	 "add.cc.s32 %r, %a, %b;\naddc.cc.s32 %x0, %c, %d;\naddc.s32 %s, 0, 0;\n"},
	{"addc.cc.u32 in place", "u32 u32", "u32 u32 u32 u32",
	 "add.cc.u32 %a, %a, %b;\naddc.cc.u32 %c, %c, %d;\naddc.u32 %s, 0, 0;\n"
	 "mov.u32 %r, %c;\n"},
	{"sub.cc.u32 subc.u32", "u32 u32", "u32 u32 u32 u32",
	 "sub.cc.u32 %r, %a, %b;\nsubc.u32 %s, %c, %d;\n"},
	{"sub.cc.u32 subc.cc.u32", "u32 u32", "u32 u32 u32 u32",
	 "sub.cc.u32 %r, %a, %b;\nsubc.cc.u32 %x0, %c, %d;\nsubc.u32 %s, 0, 0;\n"},
	{"add.cc.u64 addc.cc.u64", "u64 u64", "u64 u64 u64 u64",
	 "add.cc.u64 %w0, %a, %b;\naddc.cc.u64 %r, %c, %d;\naddc.u64 %s, %w0, 0;\n"},
	{"sub.cc.u64 subc.cc.u64", "u64 u64", "u64 u64 u64 u64",
	 "sub.cc.u64 %w0, %a, %b;\nsubc.cc.u64 %r, %c, %d;\nsubc.u64 %s, %w0, 0;\n"},
	{"mad.lo.cc.u32 madc.hi.u32", "u32 u32", "u32 u32 u32 u32",
	 "mad.lo.cc.u32 %r, %a, %b, %c;\nmadc.hi.u32 %s, %a, %b, %d;\n"},
	{"mad.hi.cc.u32 madc.lo.cc.u32", "u32 u32", "u32 u32 u32 u32",
	 "mad.hi.cc.u32 %x0, %a, %b, %c;\nmadc.lo.cc.u32 %r, %a, %d, %b;\naddc.u32 %s, 0, 0;\n"},
	{"mad.lo.cc.u64 madc.hi.cc.u64", "u64 u64", "u64 u64 u64 u64",
	 "mad.lo.cc.u64 %w0, %a, %b, %c;\nmadc.hi.cc.u64 %r, %a, %b, %d;\naddc.u64 %s, %w0, 0;\n"},

	/* addresses */
	{"cvta.shared.u64 isspacep.shared", "pred pred", "u32",
	 "cvta.shared.u64 %w0, %shared;\nisspacep.shared %r, %w0;\nisspacep.global %s, %w0;\n"},
	{"cvta.local.u64 isspacep.local", "pred pred", "u32",
	 "cvta.local.u64 %w0, %local;\nisspacep.local %r, %w0;\nisspacep.shared %s, %w0;\n"},
	{"isspacep.global", "pred pred", "u32",
	 "isspacep.global %r, %global;\nisspacep.local %s, %global;\n"},
	{"cvta.to.shared.u64", "u32", "u32",
	 "cvta.shared.u64 %w0, %shared;\nst.u32 [%w0], %a;\ncvta.to.shared.u64 %w1, %w0;\n"
	 "ld.shared.u32 %r, [%w1];\n"},
	{"cvta.to.local.u64", "u32", "u32",
	 "cvta.local.u64 %w0, %local;\nst.u32 [%w0+4], %a;\ncvta.to.local.u64 %w1, %w0;\n"
	 "ld.local.u32 %r, [%w1+4];\n"},
	{"cvta.to.global.u64", "u32", "u32",
	 "cvta.to.global.u64 %w0, %global;\nst.global.u32 [%w0], %a;\nld.u32 %r, [%global];\n"},

	/* special registers */
	{"mov.u32 laneid", "u32 u32", "u32", "mov.u32 %r, %laneid;\nmov.u32 %s, WARP_SZ;\n"},
	{"mov.u32 lanemask_eq lanemask_lt", "u32 u32", "u32",
	 "mov.u32 %r, %lanemask_eq;\nmov.u32 %s, %lanemask_lt;\n"},
	{"mov.u32 lanemask_le lanemask_gt", "u32 u32", "u32",
	 "mov.u32 %r, %lanemask_le;\nmov.u32 %s, %lanemask_gt;\n"},
	{"mov.u32 lanemask_ge tid", "u32 u32", "u32",
	 "mov.u32 %r, %lanemask_ge;\nmov.u32 %s, %tid.x;\n"},
	{"mov.u32 ctaid ntid", "u32 u32", "u32", "mov.u32 %r, %ctaid.x;\nmov.u32 %s, %ntid.x;\n"},
	{"mov.u32 nctaid tid.y", "u32 u32", "u32", "mov.u32 %r, %nctaid.x;\nmov.u32 %s, %tid.y;\n"},

	/* between the lanes of a warp */
	{"vote.sync.all.pred", "pred", "pred", "vote.sync.all.pred %r, %a, " FULL ";\n"},
	{"vote.sync.any.pred", "pred", "pred", "vote.sync.any.pred %r, %a, " FULL ";\n"},
	{"vote.sync.uni.pred", "pred", "pred", "vote.sync.uni.pred %r, %a, " FULL ";\n"},
	{"vote.sync.ballot.b32", "b32", "pred", "vote.sync.ballot.b32 %r, %a, " FULL ";\n"},
	{"vote.sync.all.pred true", "pred", "u32",
	 "setp.le.u32 %p0, %a, %a;\nvote.sync.all.pred %r, %p0, " FULL ";\n"},
	{"vote.sync.any.pred negated", "pred", "u32",
	 "setp.le.u32 %p0, %a, %a;\nvote.sync.any.pred %r, !%p0, " FULL ";\n"},
	{"vote.sync.uni.pred false", "pred", "u32",
	 "setp.lt.u32 %p0, %a, %a;\nvote.sync.uni.pred %r, %p0, " FULL ";\n"},
	{"vote.sync.ballot.b32 some lanes", "b32", "pred",
	 SOME_BEGIN "vote.sync.ballot.b32 %r, %a, " SOME ";\n" SOME_END},
	{"shfl.sync.up.b32", "b32 pred", "b32 lane",
	 "shfl.sync.up.b32 %r|%s, %a, %b, 0, " FULL ";\n"},
	{"shfl.sync.down.b32", "b32 pred", "b32 lane",
	 "shfl.sync.down.b32 %r|%s, %a, %b, 31, " FULL ";\n"},
	{"shfl.sync.bfly.b32", "b32 pred", "b32 lane",
	 "shfl.sync.bfly.b32 %r|%s, %a, %b, 31, " FULL ";\n"},
	{"shfl.sync.idx.b32", "b32 pred", "b32 lane",
	 "shfl.sync.idx.b32 %r|%s, %a, %b, 31, " FULL ";\n"},
	{"shfl.sync.up.b32 width 8", "b32 pred", "b32 lane",
	 "shfl.sync.up.b32 %r|%s, %a, %b, 0x1800, " FULL ";\n"},
	{"shfl.sync.down.b32 width 16", "b32 pred", "b32 lane",
	 "shfl.sync.down.b32 %r|%s, %a, %b, 0x101f, " FULL ";\n"},
	{"shfl.sync.bfly.b32 width 4", "b32 pred", "b32 lane",
	 "shfl.sync.bfly.b32 %r|%s, %a, %b, 0x1c1f, " FULL ";\n"},
	{"shfl.sync.idx.b32 width 8", "b32 pred", "b32 lane",
	 "shfl.sync.idx.b32 %r|%s, %a, %b, 0x181f, " FULL ";\n"},
	{"shfl.sync.idx.b32 clamped", "b32 pred", "b32 lane",
	 "shfl.sync.idx.b32 %r|%s, %a, %b, 10, " FULL ";\n"},
	{"shfl.sync.down.b32 clamped", "b32 pred", "b32 lane",
	 "shfl.sync.down.b32 %r|%s, %a, %b, 0x0817, " FULL ";\n"},
	{"shfl.sync.bfly.b32 one result", "b32", "b32",
	 "shfl.sync.bfly.b32 %r, %a, 16, 31, " FULL ";\n"},
	{"shfl.sync.idx.b32 some lanes", "b32", "b32 lane",
	 SOME_BEGIN "rem.u32 %x0, %b, 20;\nshfl.sync.idx.b32 %r, %a, %x0, 31, " SOME
		    ";\n" SOME_END},
	{"match.any.sync.b32", "b32", "small", "match.any.sync.b32 %r, %a, " FULL ";\n"},
	{"match.any.sync.b64", "b32", "small64", "match.any.sync.b64 %r, %a, " FULL ";\n"},
	{"match.any.sync.b32 some lanes", "b32", "small",
	 SOME_BEGIN "match.any.sync.b32 %r, %a, " SOME ";\n" SOME_END},
	{"match.all.sync.b32", "b32 pred", "small", "match.all.sync.b32 %r|%s, %a, " FULL ";\n"},
	{"match.all.sync.b32 alike", "b32 pred", "small",
	 "shr.u32 %x0, %thread, 5;\nmatch.all.sync.b32 %r|%s, %x0, " FULL ";\n"},
	{"match.all.sync.b64", "b32 pred", "small64", "match.all.sync.b64 %r|%s, %a, " FULL ";\n"},
	{"match.all.sync.b64 alike", "b32 pred", "small",
	 "mov.u64 %w0, %in;\nmov.u64 %w0, 77;\nmatch.all.sync.b64 %r|%s, %w0, " FULL ";\n"},
	{"redux.sync.add.u32", "u32", "u32", "redux.sync.add.u32 %r, %a, " FULL ";\n"},
	{"redux.sync.min.u32", "u32", "u32", "redux.sync.min.u32 %r, %a, " FULL ";\n"},
	{"redux.sync.max.u32", "u32", "u32", "redux.sync.max.u32 %r, %a, " FULL ";\n"},
	{"redux.sync.add.s32", "s32", "s32", "redux.sync.add.s32 %r, %a, " FULL ";\n"},
	{"redux.sync.min.s32", "s32", "s32", "redux.sync.min.s32 %r, %a, " FULL ";\n"},
	{"redux.sync.max.s32", "s32", "s32", "redux.sync.max.s32 %r, %a, " FULL ";\n"},
	{"redux.sync.and.b32", "b32", "b32",
	 "or.b32 %a, %a, 12;\nredux.sync.and.b32 %r, %a, " FULL ";\n"},
	{"redux.sync.or.b32", "b32", "small", "redux.sync.or.b32 %r, %a, " FULL ";\n"},
	{"redux.sync.xor.b32", "b32", "b32", "redux.sync.xor.b32 %r, %a, " FULL ";\n"},
	{"redux.sync.add.u32 some lanes", "u32", "u32",
	 SOME_BEGIN "redux.sync.add.u32 %r, %a, " SOME ";\n" SOME_END},
	{"activemask.b32", "b32", "u32", "activemask.b32 %r;\n"},
	{"elect.sync", "b32 pred", "u32", "elect.sync %r|%s, " FULL ";\n"},

	/* between the threads of a block */
	{"bar.red.popc.u32", "u32", "pred", "bar.red.popc.u32 %r, 0, %a;\n"},
	{"bar.red.and.pred", "pred", "pred", "bar.red.and.pred %r, 0, %a;\n"},
	{"bar.red.or.pred", "pred", "pred", "bar.red.or.pred %r, 0, !%a;\n"},
	{"barrier.sync", "u32", "u32",
	 "st.shared.u32 [%shared], %a;\nbarrier.sync 0;\nmov.u32 %x0, %tid.x;\n"
	 "xor.b32 %x0, %x0, 33;\nmul.lo.u32 %x0, %x0, 16;\ncvt.u64.u32 %w0, %x0;\n"
	 "mov.u64 %w1, scratch;\nadd.u64 %w1, %w1, %w0;\nld.shared.u32 %r, [%w1];\n"},

	/* control flow */
	{"bra", "u32", "u32",
	 "mov.u32 %r, 0;\nmov.u32 %x0, %laneid;\nagain:\nadd.u32 %r, %r, %a;\nsub.u32 %x0, %x0, "
	 "1;\nsetp.gt.s32 %p0, %x0, 0;\n@%p0 bra again;\n"},
	{"brx.idx", "u32", "small",
	 "places: .branchtargets place0, place1, place2, place3;\nbrx.idx %a, places;\n"
	 "place0: mov.u32 %r, 10;\nbra.uni behind;\nplace1: mov.u32 %r, 11;\nbra.uni behind;\n"
	 "place2: mov.u32 %r, 12;\nbra.uni behind;\nplace3: mov.u32 %r, 13;\nbehind:\n"},
};

static void apply_types(struct opcode_case *opcode, const char *results, const char *operands)
{
	struct string_list words = {0};

	string_list_split(&words, results, ' ');
	for (size_t k = 0; k < words.count; k++)
		opcode->result_bits[k] = opcode_operand_of(words.items[k]).bits;
	string_list_release(&words);
	string_list_split(&words, operands, ' ');
	opcode->operand_count = words.count;
	for (size_t k = 0; k < words.count; k++)
		opcode->operands[k] = opcode_operand_of(words.items[k]);
	string_list_release(&words);
}

struct opcode_case *opcode_sequence_add(struct opcode_list *list, char *name, const char *results,
					const char *operands, char *body)
{
	struct opcode_case *added = opcode_add(list, name, body);

	apply_types(added, results, operands);
	return added;
}

/* ---- loads and stores ---- */

static const char *const spaces[] = {"global", "shared", "local", ""};

static const char *address_of(const char *space)
{
	if (strcmp(space, "shared") == 0)
		return "%shared";
	return strcmp(space, "local") == 0 ? "%local" : "%global";
}

/* Bytes of a 64-bit value, of each width, into registers of the same or a larger width. */
static void loads_add(struct opcode_list *list, const char *space)
{
	static const struct {
		const char *type, *result;
		int offset;
	} loads[] = {
		{"u8", "b16", 1},  {"s8", "b16", 2},  {"b8", "b16", 7},  {"u8", "b32", 3},
		{"s8", "b32", 5},  {"u8", "b64", 6},  {"s8", "b64", 0},  {"u16", "b16", 2},
		{"s16", "b16", 4}, {"b16", "b16", 6}, {"u16", "b32", 0}, {"s16", "b32", 2},
		{"s16", "b64", 6}, {"u32", "b32", 4}, {"s32", "b32", 0}, {"b32", "b32", 4},
		{"f32", "b32", 0}, {"u32", "b64", 4}, {"s32", "b64", 0}, {"u64", "b64", 0},
		{"s64", "b64", 0}, {"b64", "b64", 0}, {"f64", "b64", 0},
	};
	const char *address = address_of(space);
	const char *point = *space ? "." : "";

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		opcode_sequence_add(
			list,
			xasprintf("ld%s%s.%s to %s", point, space, loads[i].type, loads[i].result),
			loads[i].result, "u64",
			xasprintf("st%s%s.b64 [%s], %%a;\nld%s%s.%s %%r, [%s+%d];\n", point, space,
				  address, point, space, loads[i].type, address, loads[i].offset));
}

static void stores_add(struct opcode_list *list, const char *space)
{
	static const struct {
		const char *type, *source;
		int offset;
	} stores[] = {
		{"u8", "b16", 1},  {"s8", "b32", 3},  {"b8", "b64", 7},  {"u16", "b16", 6},
		{"b16", "b32", 2}, {"s16", "b64", 4}, {"u32", "b32", 4}, {"f32", "b32", 0},
		{"b32", "b64", 4}, {"u64", "b64", 0}, {"f64", "b64", 0},
	};
	const char *address = address_of(space);
	const char *point = *space ? "." : "";

	for (size_t i = 0; i < ARRAY_SIZE(stores); i++)
		opcode_sequence_add(
			list,
			xasprintf("st%s%s.%s from %s", point, space, stores[i].type,
				  stores[i].source),
			"b64", stores[i].source,
			xasprintf("st%s%s.b64 [%s], -2;\nst%s%s.%s [%s+%d], %%a;\nld%s%s.b64 %%r, "
				  "[%s];\n",
				  point, space, address, point, space, stores[i].type, address,
				  stores[i].offset, point, space, address));
}

static void vectors_add(struct opcode_list *list, const char *space)
{
	const char *at = address_of(space);
	const char *point = *space ? "." : "";

	opcode_sequence_add(
		list, xasprintf("ld%s%s.v2.b32", point, space), "b32 b32", "u64",
		xasprintf("st%s%s.b64 [%s+8], %%a;\nld%s%s.v2.b32 {%%r, %%s}, [%s+8];\n", point,
			  space, at, point, space, at));
	opcode_sequence_add(
		list, xasprintf("ld%s%s.v4.f32", point, space), "b32 b32", "u64 u64",
		xasprintf("st%s%s.v2.b64 [%s], {%%a, %%b};\nld%s%s.v4.f32 {%%x0, %%r, %%s, "
			  "%%x1}, [%s];\n",
			  point, space, at, point, space, at));
	opcode_sequence_add(list, xasprintf("ld%s%s.v4.u8", point, space), "b16 b16", "u64",
			    xasprintf("st%s%s.b64 [%s], %%a;\nld%s%s.v4.u8 {%%h0, %%r, %%h1, %%s}, "
				      "[%s+4];\n",
				      point, space, at, point, space, at));
	opcode_sequence_add(list, xasprintf("ld%s%s.v2.s16", point, space), "b32 b32", "u64",
			    xasprintf("st%s%s.b64 [%s], %%a;\nld%s%s.v2.s16 {%%r, %%s}, [%s+4];\n",
				      point, space, at, point, space, at));
	opcode_sequence_add(
		list, xasprintf("st%s%s.v4.b16", point, space), "b64", "b16 b16 b16 b16",
		xasprintf("st%s%s.v4.b16 [%s], {%%a, %%b, %%c, %%d};\nld%s%s.b64 %%r, [%s];\n",
			  point, space, at, point, space, at));
	opcode_sequence_add(
		list, xasprintf("st%s%s.v4.b32", point, space), "b64 b64", "b32 b32 b32 b32",
		xasprintf("st%s%s.v4.b32 [%s], {%%a, %%b, %%c, %%d};\nld%s%s.v2.b64 {%%r, "
			  "%%s}, [%s];\n",
			  point, space, at, point, space, at));
	opcode_sequence_add(list, xasprintf("st%s%s.v2.b64", point, space), "b64 b64", "b64 b64",
			    xasprintf("st%s%s.v2.b64 [%s], {%%a, %%b};\nld%s%s.b64 %%r, [%s];\n"
				      "ld%s%s.b64 %%s, [%s+8];\n",
				      point, space, at, point, space, at, point, space, at));
	opcode_sequence_add(list, xasprintf("st%s%s.v2.u8", point, space), "b64", "b16 b16",
			    xasprintf("st%s%s.b64 [%s], -1;\nst%s%s.v2.u8 [%s+2], {%%a, %%b};\n"
				      "ld%s%s.b64 %%r, [%s];\n",
				      point, space, at, point, space, at, point, space, at));
}

/* ---- atomics ---- */

/* The value before and after the atomic. `operands`: a is the value in memory, then b and c. */
static void atomic_add(struct opcode_list *list, const char *space, const char *opcode,
		       const char *type, const char *operands, unsigned bits, const char *suffix)
{
	const char *at = address_of(space);
	const char *point = *space ? "." : "";
	const char *width = bits == 16 ? "b16" : bits == 32 ? "b32" : "b64";
	char *results = xasprintf("%s %s", width, width);
	bool three = strstr(opcode, "cas") != NULL;

	opcode_sequence_add(list, xasprintf("atom%s%s.%s%s.%s", point, space, opcode, suffix, type),
			    results, operands,
			    xasprintf("st%s%s.%s [%s], %%a;\natom%s%s.%s%s.%s %%r, [%s], %%b%s;\n"
				      "ld%s%s.%s %%s, [%s];\n",
				      point, space, width, at, point, space, opcode, suffix, type,
				      at, three ? ", %c" : "", point, space, width, at));
	free(results);
	if (three || strcmp(opcode, "exch") == 0)
		return;
	opcode_sequence_add(
		list, xasprintf("red%s%s.%s%s.%s", point, space, opcode, suffix, type), width,
		operands,
		xasprintf("st%s%s.%s [%s], %%a;\nred%s%s.%s%s.%s [%s], %%b;\nld%s%s.%s %%r, "
			  "[%s];\n",
			  point, space, width, at, point, space, opcode, suffix, type, at, point,
			  space, width, at));
}

static void atomics_add(struct opcode_list *list, const char *space)
{
	static const struct {
		const char *opcode, *type, *operands;
		unsigned bits;
		const char *suffix;
	} atomics[] = {
		{"add", "u32", "u32 u32", 32, ""},
		{"add", "s32", "s32 s32", 32, ""},
		{"add", "u64", "u64 u64", 64, ""},
		{"add", "f32", "f32 f32", 32, ""},
		{"add", "f64", "f64 f64", 64, ""},
		{"add.noftz", "f16", "f16 f16", 16, ""},
		{"add.noftz", "f16x2", "f16x2 f16x2", 32, ""},
		{"add.noftz", "bf16", "bf16 bf16", 16, ""},
		{"add.noftz", "bf16x2", "bf16x2 bf16x2", 32, ""},
		{"min", "u32", "u32 u32", 32, ""},
		{"min", "s32", "s32 s32", 32, ""},
		{"min", "u64", "u64 u64", 64, ""},
		{"min", "s64", "s64 s64", 64, ""},
		{"max", "u32", "u32 u32", 32, ""},
		{"max", "s32", "s32 s32", 32, ""},
		{"max", "u64", "u64 u64", 64, ""},
		{"max", "s64", "s64 s64", 64, ""},
		{"and", "b32", "b32 b32", 32, ""},
		{"and", "b64", "b64 b64", 64, ""},
		{"or", "b32", "b32 b32", 32, ""},
		{"or", "b64", "b64 b64", 64, ""},
		{"xor", "b32", "b32 b32", 32, ""},
		{"xor", "b64", "b64 b64", 64, ""},
		{"exch", "b32", "b32 b32", 32, ""},
		{"exch", "b64", "b64 b64", 64, ""},
		{"cas", "b16", "b16 b16 b16", 16, ""},
		{"cas", "b32", "b32 b32 b32", 32, ""},
		{"cas", "b64", "b64 b64 b64", 64, ""},
		{"inc", "u32", "u32 u32", 32, ""},
		{"dec", "u32", "u32 u32", 32, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(atomics); i++)
		atomic_add(list, space, atomics[i].opcode, atomics[i].type, atomics[i].operands,
			   atomics[i].bits, atomics[i].suffix);
}

/* All threads of the block use one word. Its final value does not depend on their order. */
static void contended_add(struct opcode_list *list)
{
	static const char *const opcodes[] = {"add.u32", "add.s32", "min.u32", "min.s32",
					      "max.u32", "max.s32", "or.b32",  "xor.b32",
					      "and.b32", "inc.u32"};

	for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
		opcode_sequence_add(list, xasprintf("atom.shared.%s contended", opcodes[i]), "b32",
				    "u32",
				    xasprintf("st.shared.u32 [%%shared], 12345;\nbar.sync 0;\n"
					      "atom.shared.%s %%x0, [scratch], %s;\nbar.sync 0;\n"
					      "ld.shared.u32 %%r, [scratch];\n",
					      opcodes[i], i == 9 ? "12360" : "%a"));
}

void opcode_sequences_add(struct opcode_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(sequences); i++)
		opcode_sequence_add(list, xstrdup(sequences[i].name), sequences[i].results,
				    sequences[i].operands, xstrdup(sequences[i].body));
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) {
		loads_add(list, spaces[i]);
		stores_add(list, spaces[i]);
		vectors_add(list, spaces[i]);
		if (strcmp(spaces[i], "local") != 0)
			atomics_add(list, spaces[i]);
	}
	contended_add(list);
	opcode_sequence_add(list, xstrdup("ld.global.nc.f32"), "b32", "u64",
			    xstrdup("ld.global.nc.f32 %r, [%in+4];\n"));
	opcode_sequence_add(list, xstrdup("ld.global.nc.v2.u32"), "b32 b32", "u64",
			    xstrdup("ld.global.nc.v2.u32 {%r, %s}, [%in];\n"));
	opcode_sequence_add(
		list, xstrdup("ld.volatile.shared.u32"), "b32", "u32",
		xstrdup("st.volatile.shared.u32 [%shared], %a;\nld.volatile.shared.u32 %r, "
			"[%shared];\n"));
	opcode_sequence_add(
		list, xstrdup("ld.acquire.gpu.global.u32"), "b32", "u32",
		xstrdup("st.release.gpu.global.u32 [%global], %a;\nld.acquire.gpu.global.u32 "
			"%r, [%global];\n"));
	opcode_sequence_add(
		list, xstrdup("atom.acq_rel.gpu.global.cas.b32"), "b32 b32", "b32 b32 b32",
		xstrdup("st.global.b32 [%global], %a;\natom.acq_rel.gpu.global.cas.b32 %r, "
			"[%global], %b, %c;\nld.global.b32 %s, [%global];\n"));
}
