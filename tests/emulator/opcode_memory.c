/*
 * Loads and stores of every shape, also from constant memory and function parameters, and the calls
 * that these need. See opcode_sequences.c for the plain ones and the names of registers.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

/* Values in memory. Narrow values go to 32-bit registers here, so that sign extension is
 * visible. */
static const struct shape {
	const char *type;
	int bytes, vector;
} shapes[] = {
	{"u8", 1, 1}, {"s8", 1, 1}, {"u16", 2, 1}, {"s16", 2, 1}, {"b32", 4, 1}, {"b64", 8, 1},
	{"u8", 1, 2}, {"s8", 1, 2}, {"u16", 2, 2}, {"s16", 2, 2}, {"b32", 4, 2}, {"b64", 8, 2},
	{"u8", 1, 4}, {"s8", 1, 4}, {"u16", 2, 4}, {"s16", 2, 4}, {"b32", 4, 4},
};

/* ".v4.u8" */
static void add_type(struct text *out, const struct shape *shape)
{
	if (shape->vector > 1)
		text_addf(out, ".v%d", shape->vector);
	text_addf(out, ".%s", shape->type);
}

/* "{%x0, %x1}", or 64-bit registers; `named`: with these letters instead. */
static void add_registers(struct text *out, const struct shape *shape, const char *named)
{
	text_add(out, shape->vector > 1 ? "{" : "");
	for (int i = 0; i < shape->vector; i++) {
		text_add(out, i ? ", " : "");
		if (named)
			text_addf(out, "%%%c", named[i]);
		else
			text_addf(out, "%%%c%d", shape->bytes == 8 ? 'w' : 'x', i);
	}
	text_add(out, shape->vector > 1 ? "}" : "");
}

/* Moves the filled registers to %r, and to %s if there are more than one. */
static void add_results(struct text *out, const struct shape *shape)
{
	const char *from = shape->bytes == 8 ? "mov.b64 %%%c, %%w%d;\n" : "mov.b32 %%%c, %%x%d;\n";

	/* Combines four registers in pairs, one of each rotated, so that every bit is visible. */
	for (int i = 0; shape->vector == 4 && i < 4; i += 2)
		text_addf(out,
			  "shf.l.wrap.b32 %%x%d, %%x%d, %%x%d, 11;\nxor.b32 %%x%d, %%x%d, "
			  "%%x%d;\n",
			  i + 1, i + 1, i + 1, i, i, i + 1);
	text_addf(out, from, 'r', 0);
	if (shape->vector > 1)
		text_addf(out, from, 's', shape->vector / 2);
}

static const char *results_of(const struct shape *shape)
{
	if (shape->bytes == 8)
		return shape->vector > 1 ? "b64 b64" : "b64";
	return shape->vector > 1 ? "b32 b32" : "b32";
}

static const char *operands_of(const struct shape *shape)
{
	static const char *const narrow[] = {"", "b32", "b32 b32", "", "b32 b32 b32 b32"};
	static const char *const wide[] = {"", "b64", "b64 b64"};

	return shape->bytes == 8 ? wide[shape->vector] : narrow[shape->vector];
}

static void vector_add(struct opcode_list *list, const char *space, const char *at,
		       const struct shape *shape)
{
	int offset = 16 - shape->bytes * shape->vector;
	struct text load = TEXT_INIT, store = TEXT_INIT, type = TEXT_INIT;

	add_type(&type, shape);
	text_addf(&load, "st%s.v2.b64 [%s], {%%a, %%b};\nld%s%s ", space, at, space, type.data);
	add_registers(&load, shape, NULL);
	text_addf(&load, ", [%s+%d];\n", at, offset);
	add_results(&load, shape);
	opcode_sequence_add(list, xasprintf("ld%s%s, all of it", space, type.data),
			    results_of(shape), "u64 u64", text_detach(&load));
	if (shape->type[0] != 's') {
		text_addf(&store, "st%s.v2.b64 [%s], {-2, -3};\nst%s%s [%s+%d], ", space, at, space,
			  type.data, at, offset);
		add_registers(&store, shape, "abcd");
		text_addf(&store, ";\nld%s.v2.b64 {%%r, %%s}, [%s];\n", space, at);
		opcode_sequence_add(list, xasprintf("st%s%s, all of it", space, type.data),
				    "b64 b64", operands_of(shape), text_detach(&store));
	}
	text_release(&type);
}

static void vectors_add(struct opcode_list *list, const char *space)
{
	const char *at = strcmp(space, ".shared") == 0  ? "%shared"
			 : strcmp(space, ".local") == 0 ? "%local"
							: "%global";

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (shapes[i].vector > 1)
			vector_add(list, space, at, &shapes[i]);
}

#define TABLE                                                                              \
	".const .align 16 .b8 table[32] = {129, 2, 67, 244, 5, 182, 71, 8, 9, 250, 11, "   \
	"140, 13, 78, 255, 128, 17, 127, 19, 20, 213, 22, 151, 24, 25, 226, 27, 28, 157, " \
	"30, 31, 192};\n"
/* %w3 points to one of the two halves of the table. */
#define INTO_TABLE                                                           \
	"and.b32 %x4, %a, 16;\nmov.u64 %w3, table;\ncvt.u64.u32 %w2, %x4;\n" \
	"add.u64 %w3, %w3, %w2;\n"

static void constants_add(struct opcode_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct shape *shape = &shapes[i];
		struct text body = TEXT_INIT, type = TEXT_INIT;

		add_type(&type, shape);
		text_add(&body, INTO_TABLE);
		text_addf(&body, "ld.const%s ", type.data);
		add_registers(&body, shape, NULL);
		text_addf(&body, ", [%%w3+%d];\n", 16 - shape->bytes * shape->vector);
		add_results(&body, shape);
		opcode_sequence_add(list, xasprintf("ld.const%s", type.data), results_of(shape),
				    "u32", text_detach(&body))
			->declarations = TABLE;
		text_release(&type);
	}
	opcode_sequence_add(list, xstrdup("cvta.const.u64"), "b32", "u32",
			    xstrdup(INTO_TABLE "cvta.const.u64 %w0, %w3;\nld.u32 %r, [%w0+8];\n"))
		->declarations = TABLE;
	opcode_sequence_add(list, xstrdup("cvta.to.const.u64"), "b32", "u32",
			    xstrdup(INTO_TABLE "cvta.const.u64 %w0, %w3;\ncvta.to.const.u64 %w1, "
					       "%w0;\nld.const.u32 %r, [%w1+4];\n"))
		->declarations = TABLE;
}

/* ---- calls ---- */

#define FUNCTION(name, type, statements)                                                        \
	".func (.param ." type " back) " name "(.param ." type " to)\n{\n.reg ." type           \
	" %v<4>;\nld.param." type " %v0, [to];\n" statements "st.param." type " [back], %v1;\n" \
	"ret;\n}\n"

/* One function per shape returns its argument in reverse order. All declarations live as long as
 * the process. */
static const char *turning_function(const struct shape *shape)
{
	static struct string_list made;
	struct text out = TEXT_INIT, type = TEXT_INIT;
	char letter = shape->bytes == 8 ? 'w' : 'x';

	add_type(&type, shape);
	text_addf(&out,
		  ".func (.param .align 16 .b8 back[16]) turned(.param .align 16 .b8 to[16])\n{\n"
		  ".reg .b32 %%x<4>;\n.reg .b64 %%w<4>;\nld.param%s ",
		  type.data);
	add_registers(&out, shape, NULL);
	text_addf(&out, ", [to];\nst.param%s [back], ", type.data);
	text_add(&out, shape->vector > 1 ? "{" : "");
	for (int i = shape->vector - 1; i >= 0; i--)
		text_addf(&out, "%%%c%d%s", letter, i, i ? ", " : "");
	text_addf(&out, "%s;\nret;\n}\n", shape->vector > 1 ? "}" : "");
	string_list_add(&made, out.data);
	text_release(&out);
	text_release(&type);
	return made.items[made.count - 1];
}

static void calls_add(struct opcode_list *list)
{
	static const char prototyped[] = FUNCTION("more", "b32", "add.u32 %v1, %v0, 1000;\n")
		FUNCTION("less", "b32", "sub.u32 %v1, %v0, 7;\nxor.b32 %v1, %v1, -1;\n");
	static const char itself[] =
		".func (.param .b32 back) summed(.param .b32 to)\n{\n.reg .b32 %v<4>;\n"
		".reg .pred %q;\nld.param.b32 %v0, [to];\nmov.b32 %v1, 0;\n"
		"setp.eq.u32 %q, %v0, 0;\n@%q bra done;\nsub.u32 %v2, %v0, 1;\n{\n"
		".param .b32 argument;\n.param .b32 got;\nst.param.b32 [argument], %v2;\n"
		"call.uni (got), summed, (argument);\nld.param.b32 %v1, [got];\n}\n"
		"add.u32 %v1, %v1, %v0;\ndone:\nst.param.b32 [back], %v1;\nret;\n}\n";

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct shape *shape = &shapes[i];
		struct text body = TEXT_INIT, type = TEXT_INIT;

		add_type(&type, shape);
		text_addf(&body,
			  "{\n.param .align 16 .b8 argument[16];\n"
			  ".param .align 16 .b8 got[16];\nst.param%s [argument], ",
			  type.data);
		add_registers(&body, shape, "abcd");
		text_addf(&body, ";\ncall.uni (got), turned, (argument);\nld.param%s ", type.data);
		add_registers(&body, shape, NULL);
		text_add(&body, ", [got];\n}\n");
		add_results(&body, shape);
		opcode_sequence_add(list,
				    xasprintf("call ld.param%s st.param%s", type.data, type.data),
				    results_of(shape), operands_of(shape), text_detach(&body))
			->declarations = turning_function(shape);
		text_release(&type);
	}
	opcode_sequence_add(list, xstrdup("call some lanes"), "b32", "u32 pred",
			    xstrdup("mov.b32 %r, %a;\n@!%b bra behind;\n{\n.param .b32 argument;\n"
				    ".param .b32 got;\nst.param.b32 [argument], %a;\n"
				    "call (got), less, (argument);\nld.param.b32 %r, [got];\n}\n"
				    "behind:\n"))
		->declarations = prototyped;
	opcode_sequence_add(list, xstrdup("call by address"), "b32", "u32 pred",
			    xstrdup("mov.u64 %w0, more;\nmov.u64 %w1, less;\n"
				    "selp.b64 %w2, %w0, %w1, %b;\n{\n.param .b32 argument;\n"
				    ".param .b32 got;\nst.param.b32 [argument], %a;\n"
				    "taking: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
				    "call (got), %w2, (argument), taking;\n"
				    "ld.param.b32 %r, [got];\n}\n"))
		->declarations = prototyped;
	opcode_sequence_add(list, xstrdup("call of itself"), "b32", "lane",
			    xstrdup("{\n.param .b32 argument;\n.param .b32 got;\n"
				    "st.param.b32 [argument], %a;\n"
				    "call.uni (got), summed, (argument);\nld.param.b32 %r, [got];\n"
				    "}\n"))
		->declarations = itself;
}

/* ---- hints, which change nothing ---- */

static void hints_add(struct opcode_list *list)
{
	static const char *const loads[] = {
		"weak.global",        "global.ca",          "global.cg",
		"global.cs",          "global.lu",          "global.cv",
		"relaxed.cta.global", "relaxed.gpu.global", "acquire.sys.global",
		"volatile.global",    "shared::cta",        "global.L1::no_allocate",
		"global.L2::128B",
	};
	static const char *const stores[] = {
		"weak.global",
		"global.wb",
		"global.cg",
		"global.cs",
		"global.wt",
		"relaxed.cta.global",
		"relaxed.gpu.global",
		"release.sys.global",
		"volatile.global",
		"shared::cta",
		"global.L1::no_allocate",
	};
	static const char *const atomics[] = {"relaxed.cta.global", "acquire.gpu.global",
					      "release.sys.global", "acq_rel.gpu.global",
					      "relaxed.cta.shared::cta"};

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		const char *at = strstr(loads[i], "shared") ? "%shared" : "%global";

		opcode_sequence_add(list, xasprintf("ld.%s.u32", loads[i]), "b32", "u32",
				    xasprintf("st.u32 [%%global], %%a;\nst.shared.u32 [%%shared], "
					      "%%a;\nld.%s.u32 %%r, [%s];\n",
					      loads[i], at));
	}
	for (size_t i = 0; i < ARRAY_SIZE(stores); i++) {
		bool shared = strstr(stores[i], "shared") != NULL;

		opcode_sequence_add(list, xasprintf("st.%s.u32", stores[i]), "b32", "u32",
				    xasprintf("st.%s.u32 [%s], %%a;\nld.%s.u32 %%r, [%s];\n",
					      stores[i], shared ? "%shared" : "%global",
					      shared ? "shared" : "global",
					      shared ? "%shared" : "%global"));
	}
	for (size_t i = 0; i < ARRAY_SIZE(atomics); i++) {
		const char *at = strstr(atomics[i], "shared") ? "%shared" : "%global";

		opcode_sequence_add(
			list, xasprintf("atom.%s.max.s32", atomics[i]), "b32 b32", "s32 s32",
			xasprintf("st.global.b32 [%%global], %%a;\nst.shared.b32 [%%shared], %%a;\n"
				  "atom.%s.max.s32 %%r, [%s], %%b;\natom.%s.max.s32 %%s, [%s], "
				  "%%b;\n",
				  atomics[i], at, atomics[i], at));
	}
	opcode_sequence_add(list, xstrdup("ldu.global.u32"), "b32", "u64",
			    xstrdup("ldu.global.u32 %r, [%in+4];\n"));
	opcode_sequence_add(list, xstrdup("ldu.global.v2.u32"), "b32 b32", "u64",
			    xstrdup("ldu.global.v2.u32 {%r, %s}, [%in];\n"));
	opcode_sequence_add(list, xstrdup("ld.global.nc.L1::evict_last.u32"), "b32", "u64",
			    xstrdup("ld.global.nc.L1::evict_last.u32 %r, [%in+4];\n"));
}

void opcode_memory_add(struct opcode_list *list)
{
	static const char *const spaces[] = {"", ".global", ".shared", ".local"};

	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++)
		vectors_add(list, spaces[i]);
	constants_add(list);
	calls_add(list);
	hints_add(list);
}
