/*
 * Instructions between lanes while some lanes do not take part: they exited, branched past the
 * instruction, have a false guard, or name another mask. PTX leaves many of these results
 * undefined; the golden file holds what the hardware gives.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

/* '@' stands for the guard, "MASK" for the member mask. %x7 is the lane. */
static const struct {
	const char *name, *results, *operands, *body;
	bool shuffle;
} exchanges[] = {
	{"shfl.sync.up.b32", "b32 pred", "b32 lane", "@shfl.sync.up.b32 %r|%s, %a, %b, 0, MASK;\n",
	 true},
	{"shfl.sync.down.b32", "b32 pred", "b32 lane",
	 "@shfl.sync.down.b32 %r|%s, %a, %b, 31, MASK;\n", true},
	{"shfl.sync.bfly.b32", "b32 pred", "b32 lane",
	 "@shfl.sync.bfly.b32 %r|%s, %a, %b, 31, MASK;\n", true},
	{"shfl.sync.idx.b32", "b32 pred", "b32 lane",
	 "@shfl.sync.idx.b32 %r|%s, %a, %b, 31, MASK;\n", true},
	{"vote.sync.all.pred", "pred", "pred", "@vote.sync.all.pred %r, %a, MASK;\n", false},
	{"vote.sync.any.pred", "pred", "pred", "@vote.sync.any.pred %r, %a, MASK;\n", false},
	{"vote.sync.uni.pred", "pred", "pred", "@vote.sync.uni.pred %r, %a, MASK;\n", false},
	{"vote.sync.ballot.b32", "b32", "pred", "@vote.sync.ballot.b32 %r, %a, MASK;\n", false},
	{"match.any.sync.b32", "b32", "small", "@match.any.sync.b32 %r, %a, MASK;\n", false},
	{"match.any.sync.b64", "b32", "small64", "@match.any.sync.b64 %r, %a, MASK;\n", false},
	{"match.all.sync.b32", "b32 pred", "small",
	 "mov.u32 %x5, %nctaid.z;\n@match.all.sync.b32 %r|%s, %x5, MASK;\n", false},
	{"redux.sync.add.u32", "u32", "u32", "@redux.sync.add.u32 %r, %a, MASK;\n", false},
	{"redux.sync.min.s32", "s32", "s32", "@redux.sync.min.s32 %r, %a, MASK;\n", false},
	{"redux.sync.max.u32", "u32", "u32", "@redux.sync.max.u32 %r, %a, MASK;\n", false},
	{"redux.sync.and.b32", "b32", "b32",
	 "or.b32 %a, %a, 12;\n@redux.sync.and.b32 %r, %a, MASK;\n", false},
	{"redux.sync.or.b32", "b32", "small", "@redux.sync.or.b32 %r, %a, MASK;\n", false},
	{"redux.sync.xor.b32", "b32", "b32", "@redux.sync.xor.b32 %r, %a, MASK;\n", false},
	{"elect.sync", "b32 pred", "u32", "@elect.sync %r|%s, MASK;\n", false},
	{"activemask.b32", "b32", "u32", "@activemask.b32 %r;\n", false},
	{"bar.warp.sync", "b32", "u32",
	 "st.shared.u32 [%shared], %a;\n@bar.warp.sync MASK;\nld.shared.u32 %r, [%shared];\n",
	 false},
};

static const struct {
	const char *name, *choose; /* sets %p3 in the absent lanes */
	const char *present, *absent;
} halves[] = {
	{"lanes above 19", "setp.ge.u32 %p3, %x7, 20;\n", "0x000fffff", "0xfff00000"},
	{"odd lanes", "and.b32 %x6, %x7, 1;\nsetp.ne.u32 %p3, %x6, 0;\n", "0x55555555",
	 "0xaaaaaaaa"},
	{"lanes below 12", "setp.lt.u32 %p3, %x7, 12;\n", "0xfffff000", "0x00000fff"},
};

enum way { WAY_EXITED, WAY_SKIPPED, WAY_OFF, WAY_COUNT };
static const char *const ways[] = {"exited", "skip it", "have a false guard"};

/* Writes the body of an exchange with a guard (NULL: none) and a mask. */
static void add_exchange(struct text *out, const char *body, const char *guard, const char *mask)
{
	for (const char *at = body; *at; at++)
		if (*at == '@')
			text_add(out, guard ? guard : "");
		else if (strncmp(at, "MASK", 4) == 0)
			text_add(out, mask), at += 3;
		else
			text_add_char(out, *at);
}

static void add_begin(struct text *out, const char *results)
{
	text_add(out, "mov.u32 %x7, %laneid;\n");
	text_add(out, strncmp(results, "pred", 4) == 0 ? "setp.ne.u32 %r, %x7, %x7;\n"
						       : "mov.b32 %r, 119;\n");
	if (strstr(results, " pred"))
		text_add(out, "setp.ne.u32 %s, %x7, %x7;\n");
}

/* A mask that the compiler does not know. */
static const char *add_mask(struct text *out, const char *mask, bool in_register)
{
	if (!in_register)
		return mask;
	text_addf(out,
		  "mov.u32 %%x4, %%nctaid.y;\nsub.u32 %%x4, %%x4, 1;\nor.b32 %%x4, %%x4, %s;\n",
		  mask);
	return "%x4";
}

#define ABSENT_LANES (UINT32_C(1) << FINDING_ABSENT_LANES)
#define ABSENT_SOURCE (UINT32_C(1) << FINDING_ABSENT_SOURCE)

/* Whether some lane of a shuffle reads an absent one. Only these two never do. */
static bool reads_absent(size_t exchange, size_t half)
{
	const char *name = exchanges[exchange].name;

	return exchanges[exchange].shuffle && !(strstr(name, ".up.") && half == 0) &&
	       !(strstr(name, ".down.") && half == 2);
}

static void absent_add(struct opcode_list *list, size_t exchange, size_t half, enum way way,
		       bool full, bool in_register)
{
	struct text body = TEXT_INIT;
	struct opcode_case *added;
	const char *mask;

	add_begin(&body, exchanges[exchange].results);
	text_add(&body, halves[half].choose);
	mask = add_mask(&body, full ? "0xffffffff" : halves[half].present, in_register);
	text_add(&body, way == WAY_EXITED    ? "@%p3 exit;\n"
			: way == WAY_SKIPPED ? "@%p3 bra behind;\n"
					     : "");
	add_exchange(&body, exchanges[exchange].body, way == WAY_OFF ? "@!%p3 " : NULL, mask);
	text_add(&body, way == WAY_SKIPPED ? "behind:\n" : "");
	added = opcode_sequence_add(
		list,
		xasprintf("%s, %s %s, %s mask%s", exchanges[exchange].name, halves[half].name,
			  ways[way], full ? "full" : "own", in_register ? " in a register" : ""),
		exchanges[exchange].results, exchanges[exchange].operands, text_detach(&body));
	added->findings = (full && way != WAY_EXITED ? ABSENT_LANES : 0) |
			  (reads_absent(exchange, half) ? ABSENT_SOURCE : 0);
}

/* All lanes execute it, but the mask omits some of them, or all. */
static void omitted_add(struct opcode_list *list, size_t exchange, bool all, bool in_register)
{
	struct text body = TEXT_INIT;
	struct opcode_case *added;
	const char *mask;

	add_begin(&body, exchanges[exchange].results);
	mask = add_mask(&body, all ? "0" : "0x000fffff", in_register);
	add_exchange(&body, exchanges[exchange].body, NULL, mask);
	added = opcode_sequence_add(list,
				    xasprintf("%s, %s%s", exchanges[exchange].name,
					      all ? "mask 0" : "mask without lanes above 19",
					      in_register ? " in a register" : ""),
				    exchanges[exchange].results, exchanges[exchange].operands,
				    text_detach(&body));
	added->findings = ABSENT_LANES | (exchanges[exchange].shuffle ? ABSENT_SOURCE : 0);
}

/* Two masks in two branches, or at one instruction: lanes read from the other group. */
static void groups_add(struct opcode_list *list, size_t exchange, size_t half)
{
	struct text branches = TEXT_INIT, one = TEXT_INIT;
	const char *body = exchanges[exchange].body;
	struct opcode_case *added;

	add_begin(&branches, exchanges[exchange].results);
	text_addf(&branches, "%s@%%p3 bra other;\n", halves[half].choose);
	add_exchange(&branches, body, NULL, halves[half].present);
	text_add(&branches, "bra behind;\nother:\n");
	add_exchange(&branches, body, NULL, halves[half].absent);
	text_add(&branches, "behind:\n");
	added = opcode_sequence_add(
		list,
		xasprintf("%s, %s in another branch", exchanges[exchange].name, halves[half].name),
		exchanges[exchange].results, exchanges[exchange].operands, text_detach(&branches));
	added->findings = exchanges[exchange].shuffle ? ABSENT_SOURCE : 0;
	add_begin(&one, exchanges[exchange].results);
	text_addf(&one, "%sselp.b32 %%x4, %s, %s, %%p3;\n", halves[half].choose,
		  halves[half].absent, halves[half].present);
	add_exchange(&one, body, NULL, "%x4");
	added = opcode_sequence_add(
		list,
		xasprintf("%s, %s with another mask", exchanges[exchange].name, halves[half].name),
		exchanges[exchange].results, exchanges[exchange].operands, text_detach(&one));
	added->findings = exchanges[exchange].shuffle ? ABSENT_SOURCE : 0;
}

/* Clamps and segments of any value. */
static void limits_add(struct opcode_list *list)
{
	static const char *const kinds[] = {"up", "down", "bfly", "idx"};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		opcode_sequence_add(
			list, xasprintf("shfl.sync.%s.b32 any limits", kinds[i]), "b32 pred",
			"b32 lane b32",
			xasprintf("shfl.sync.%s.b32 %%r|%%s, %%a, %%b, %%c, 0xffffffff;\n",
				  kinds[i]));
		opcode_sequence_add(
			list, xasprintf("shfl.sync.%s.b32 any lane and limits", kinds[i]),
			"b32 pred", "b32 b32 lane",
			xasprintf("shl.b32 %%x0, %%c, 8;\nxor.b32 %%x0, %%x0, %%c;\n"
				  "shfl.sync.%s.b32 %%r|%%s, %%a, %%b, %%x0, 0xffffffff;\n",
				  kinds[i]));
	}
}

#define EXITED "mov.u32 %x7, %laneid;\nsetp.ge.u32 %p3, %x7, 20;\n@%p3 exit;\n"
#define OTHER "mov.u32 %x7, %laneid;\nsetp.ge.u32 %p3, %x7, 20;\n@%p3 bra other;\n"
#define WARP_EXITED "mov.u32 %x7, %tid.x;\nsetp.ge.u32 %p3, %x7, 32;\n@%p3 exit;\n"
static const struct {
	const char *name, *results, *operands, *body;
} barriers[] = {
	{"bar.sync, lanes above 19 exited", "u32", "u32", EXITED "bar.sync 0;\nmov.b32 %r, %a;\n"},
	{"barrier.sync, lanes above 19 exited", "u32", "u32",
	 EXITED "barrier.sync 0;\nmov.b32 %r, %a;\n"},
	{"bar.sync 64, lanes above 19 exited", "u32", "u32",
	 EXITED "bar.sync 1, 64;\nmov.b32 %r, %a;\n"},
	{"bar.red.popc.u32, lanes above 19 exited", "u32", "pred",
	 EXITED "bar.red.popc.u32 %r, 0, %a;\n"},
	{"bar.red.and.pred, lanes above 19 exited", "pred", "u32",
	 EXITED "setp.lt.u32 %p0, %x7, 20;\nbar.red.and.pred %r, 0, %p0;\n"},
	{"bar.red.or.pred, lanes above 19 exited", "pred", "u32",
	 EXITED "setp.ge.u32 %p0, %x7, 20;\nbar.red.or.pred %r, 0, %p0;\n"},
	{"barrier.red.popc.u32, lanes above 19 exited", "u32", "pred",
	 EXITED "barrier.red.popc.u32 %r, 0, %a;\n"},
	{"bar.sync, a warp exited", "u32", "u32", WARP_EXITED "bar.sync 0;\nmov.b32 %r, %a;\n"},
	{"bar.sync 32, a warp exited", "u32", "u32",
	 WARP_EXITED "bar.sync 1, 32;\nmov.b32 %r, %a;\n"},
	{"bar.red.popc.u32, a warp exited", "u32", "pred",
	 WARP_EXITED "bar.red.popc.u32 %r, 0, %a;\n"},
	{"bar.red.and.pred, a warp exited", "pred", "u32",
	 WARP_EXITED "setp.lt.u32 %p0, %x7, 32;\nbar.red.and.pred %r, 0, %p0;\n"},
	{"bar.red.or.pred, a warp exited", "pred", "pred",
	 WARP_EXITED "bar.red.or.pred %r, 0, %a;\n"},
	{"barrier.sync in two branches", "u32", "u32",
	 OTHER "barrier.sync 0;\nmov.b32 %r, %a;\nbra behind;\nother:\nbarrier.sync 0;\n"
	       "not.b32 %r, %a;\nbehind:\n"},
	{"barrier.sync, lanes above 19 skip it", "u32", "u32",
	 "mov.u32 %x7, %laneid;\nmov.b32 %r, 1;\nsetp.ge.u32 %p3, %x7, 20;\n"
	 "@%p3 bra behind;\nbarrier.sync 0;\nmov.b32 %r, %a;\nbehind:\n"},
	{"bar.sync, a warp skips it", "u32", "u32",
	 "mov.u32 %x7, %tid.x;\nmov.b32 %r, 1;\nsetp.ge.u32 %p3, %x7, 32;\n"
	 "@%p3 bra behind;\nbar.sync 0;\nmov.b32 %r, %a;\nbehind:\n"},
	{"bar.sync twice, a warp once", "u32", "u32",
	 "mov.u32 %x7, %tid.x;\nmov.b32 %r, 1;\nbar.sync 0;\nsetp.ge.u32 %p3, %x7, 32;\n"
	 "@%p3 bra behind;\nbar.sync 0;\nmov.b32 %r, %a;\nbehind:\n"},
	{"vote.sync.ballot.b32 in two branches, full mask", "b32", "pred",
	 OTHER "vote.sync.ballot.b32 %r, %a, 0xffffffff;\nadd.u32 %r, %r, 1;\nbra behind;\n"
	       "other:\nvote.sync.ballot.b32 %r, %a, 0xffffffff;\nadd.u32 %r, %r, 2;\nbehind:\n"},
	{"shfl.sync.bfly.b32 in two branches, full mask", "b32", "b32",
	 OTHER "shfl.sync.bfly.b32 %r, %a, 31, 31, 0xffffffff;\nadd.u32 %r, %r, 1;\nbra behind;\n"
	       "other:\nshfl.sync.bfly.b32 %r, %a, 31, 31, 0xffffffff;\nadd.u32 %r, %r, 2;\n"
	       "behind:\n"},
};

/* One or two of each kind are tried with masks that name lanes which do not come, or omit some. */
static bool is_tried_with_all(const char *name)
{
	static const char *const names[] = {
		"shfl.sync.idx.b32",  "shfl.sync.down.b32", "vote.sync.ballot.b32", "elect.sync",
		"match.any.sync.b32", "redux.sync.add.u32", "bar.warp.sync"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

void opcode_lanes_add(struct opcode_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(exchanges); i++)
		for (size_t half = 0; half < (exchanges[i].shuffle ? 3 : 1); half++) {
			for (int which = 0; which < 4; which++)
				absent_add(list, i, half, WAY_EXITED, which & 1, which & 2);
			for (enum way way = WAY_SKIPPED; way < WAY_COUNT; way++)
				for (int in_register = 0; in_register < 2; in_register++)
					absent_add(list, i, half, way, false, in_register);
			if (strstr(exchanges[i].body, "MASK"))
				groups_add(list, i, half);
		}
	for (size_t i = 0; i < ARRAY_SIZE(exchanges); i++)
		for (int which = 0; which < 4 && is_tried_with_all(exchanges[i].name); which++) {
			absent_add(list, i, 0, which & 1 ? WAY_OFF : WAY_SKIPPED, true, which & 2);
			omitted_add(list, i, which & 1, which & 2);
		}
	limits_add(list);
	for (size_t i = 0; i < ARRAY_SIZE(barriers); i++)
		opcode_sequence_add(list, xstrdup(barriers[i].name), barriers[i].results,
				    barriers[i].operands, xstrdup(barriers[i].body));
}
