/*
 * Everything that the decoder accepts has a golden line, or is listed here with the reason why not.
 * Rows of alu.def and aliases have a line with their own name. For the rest, the tests offer PTX of
 * every form to the decoder. What an accepted form does in the machine (its key: "ATOMIC shared add
 * f32") must be among the keys of the recorded modules. Instructions on matrices are recorded apart
 * (matrices.h).
 */
#include "support_decode.h"
#include "tests/emulator/matrices.h"
#include "tests/emulator/opcodes.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

static const char *const operation_names[] = {
#define X(symbol, meaning) #symbol,
	CONTROL_OPERATION_LIST(X)
#undef X
};
static const char *const type_names[] = {
#define X(name, c_type, width) #name,
	VALUE_TYPE_LIST(X)
#undef X
};
static const char *const atomic_names[] = {
	[ATOMIC_ADD] = "add",   [ATOMIC_MIN] = "min",         [ATOMIC_MAX] = "max",
	[ATOMIC_AND] = "and",   [ATOMIC_OR] = "or",           [ATOMIC_XOR] = "xor",
	[ATOMIC_EXCH] = "exch", [ATOMIC_CAS] = "cas",         [ATOMIC_INC] = "inc",
	[ATOMIC_DEC] = "dec",   [ATOMIC_ADD_F16] = "add f16", [ATOMIC_ADD_BF16] = "add bf16",
};

static void instruction_key(struct text *out, const struct instruction *at)
{
	const char *space = ptx_space_name((enum ptx_space)at->space);
	const char *second = at->dst2 ? " and a predicate" : "";

	text_add(out, operation_names[at->operation] + strlen("OP_"));
	switch (at->operation) {
	case OP_LOAD:
		text_addf(out, " %s %s%d x%d", space,
			  at->width > 2                  ? "b"
			  : at->extension == EXTEND_SIGN ? "s"
							 : "u",
			  at->width * 8, at->vector);
		break;
	case OP_STORE:
		text_addf(out, " %s b%d x%d", space, at->width * 8, at->vector);
		break;
	case OP_ATOMIC:
		text_addf(out, " %s %s %s%s", space, atomic_names[at->kind], type_names[at->type],
			  at->dst ? "" : ", no result");
		break;
	case OP_REDUX:
		text_addf(out, " %s %s", atomic_names[at->kind], type_names[at->type]);
		break;
	case OP_SHUFFLE:
	case OP_MATCH:
		text_addf(out, " %d %s%s", at->kind, type_names[at->type], second);
		break;
	case OP_COPY:
		/* A copy that ignores its source behaves the same at any size. */
		if (at->d)
			text_add(out, " ignored");
		else
			text_addf(out, " %d bytes%s%s", at->width * at->vector,
				  at->kind == COPY_PAST_L1 ? " past L1" : "",
				  at->c ? ", some" : "");
		break;
	case OP_COPY_WAIT:
		text_add(out, at->offset < 0 ? " all" : " group");
		break;
	case OP_VOTE:
		text_addf(out, " %d", at->kind);
		break;
	case OP_ELECT:
		text_add(out, second);
		break;
	case OP_BARRIER:
	case OP_BARRIER_REDUCE:
	case OP_BARRIER_ARRIVE:
		text_addf(out, " %d%s%s", at->kind, at->sync_aligned ? " aligned" : "",
			  at->b ? " of some threads" : "");
		break;
	default:
		break;
	}
}

static bool has_modifier(const struct ptx_statement *at, const char *word)
{
	for (size_t i = 0; i < at->modifier_count; i++)
		if (strcmp(at->modifiers[i], word) == 0)
			return true;
	return false;
}

/* Adds what a video instruction does, without its types and selectors. */
static void video_key(struct text *out, const struct ptx_statement *at)
{
	if (at->base[0] != 'v' || strcmp(at->base, "vote") == 0)
		return;
	text_add(out, at->base);
	for (size_t i = 0; i < at->modifier_count; i++)
		if (strcmp(at->modifiers[i], "u32") != 0 && strcmp(at->modifiers[i], "s32") != 0)
			text_addf(out, " %s", at->modifiers[i]);
}

/* Adds the form of a statement that the decoder composes of several rows; nothing for others. */
static void statement_key(struct text *out, const struct ptx_statement *at)
{
	static const char *const whole[] = {"add", "addc", "sub", "subc", "mad", "madc"};
	static const char *const words[] = {"and", "or", "xor"};
	bool sets = strcmp(at->base, "set") == 0;
	bool two = at->operand_count && at->operands[0].kind == PTX_OPERAND_PAIR;

	if (strncmp(at->base, "cvta", 4) == 0 || strcmp(at->base, "isspacep") == 0)
		text_add(out, at->mnemonic);
	video_key(out, at);
	if (strcmp(at->base, "lop3") == 0 && at->modifier_count > 1)
		text_add(out, at->mnemonic);
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		if (strcmp(at->base, whole[i]) == 0 &&
		    (has_modifier(at, "cc") || at->base[strlen(at->base) - 1] == 'c'))
			text_add(out, at->mnemonic);
	if (!sets && strcmp(at->base, "setp") != 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (has_modifier(at, words[i]))
			text_addf(out, "%s %s", at->base, words[i]);
	if (out->length || (!sets && !two) || at->modifier_count < 2)
		return;
	text_addf(out, "%s", at->base);
	if (sets)
		text_addf(out, " %s of", at->modifiers[at->modifier_count - 2]);
	text_addf(out, " %s%s", at->modifiers[at->modifier_count - 1], two ? " p|q" : "");
}

static void key_add(struct string_list *keys, struct text *key)
{
	if (key->length && !string_list_has(keys, key->data))
		string_list_add(keys, key->data);
	text_clear(key);
}

/* Returns false if the decoder does not accept the text. */
static bool keys_of(struct string_list *keys, bool *operations, const char *ptx)
{
	struct ptx_module *module = NULL;
	struct ptx_program *program = NULL;
	struct unsupported_features unsupported = {0};
	struct error err = {0};
	struct text key = TEXT_INIT;

	if (ptx_module_parse(&module, ptx, strlen(ptx), &err) == 0 &&
	    ptx_program_decode(&program, module, NULL, &unsupported, &err) == 0)
		for (size_t i = 0; i < program->function_count; i++) {
			const struct program_function *function = &program->functions[i];

			for (size_t j = 0; j < function->source->statement_count; j++) {
				statement_key(&key, &function->source->statements[j]);
				key_add(keys, &key);
			}
			for (size_t j = 0; j < function->code_count; j++) {
				const struct instruction *at = &function->code[j];

				if (operations)
					operations[at->operation] = true;
				if (alu_row_of((enum operation)at->operation))
					continue;
				instruction_key(&key, at);
				key_add(keys, &key);
			}
		}
	unsupported_features_release(&unsupported);
	text_release(&key);
	ptx_program_free(program);
	if (module)
		ptx_module_free(module);
	return program != NULL;
}

/* ---- all forms ---- */

static const char *const spaces[] = {"", ".global", ".shared", ".local", ".const", ".param"};
static const char *const types[] = {"b8",     "u8",    "s8",    "b16",    "u16",  "s16",
				    "f16",    "bf16",  "b32",   "u32",    "s32",  "f32",
				    "b64",    "u64",   "s64",   "f64",    "b128", "f16x2",
				    "bf16x2", "u16x2", "s16x2", "e4m3x2", "tf32"};

/* A register of the type; `index` distinguishes it from others. */
static void add_register(struct text *out, const char *type, int index)
{
	const char *digits = type + strcspn(type, "0123456789");
	int bits = atoi(digits) * (strstr(type, "x2") ? 2 : 1);

	text_addf(out, "%%%s%d", bits == 64 ? "rd" : bits == 32 ? "r" : "h", index);
}

static void offer(struct string_list *accepted, const char *statement)
{
	char *ptx = xasprintf(
		PTX_HEADER ".const .b64 table[4];\n.visible .entry k(.param .u64 p)\n{\n"
			   ".reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<9>;\n"
			   ".reg .b64 %%rd<9>;\n.param .align 16 .b8 arguments[32];\n%s\nret;\n}\n",
		statement);

	keys_of(accepted, NULL, ptx);
	free(ptx);
}

static void offer_accesses(struct string_list *accepted)
{
	struct text statement = TEXT_INIT;

	for (size_t space = 0; space < ARRAY_SIZE(spaces); space++)
		for (size_t type = 0; type < ARRAY_SIZE(types); type++)
			for (int vector = 1; vector <= 8; vector *= 2)
				for (int store = 0; store < 2; store++) {
					const char *address = strcmp(spaces[space], ".param") == 0
								      ? "[arguments]"
								      : "[%rd8]";

					text_clear(&statement);
					text_addf(&statement, "%s%s", store ? "st" : "ld",
						  spaces[space]);
					if (vector > 1)
						text_addf(&statement, ".v%d", vector);
					text_addf(&statement, ".%s ", types[type]);
					if (store)
						text_addf(&statement, "%s, ", address);
					text_add(&statement, vector > 1 ? "{" : "");
					for (int i = 0; i < vector; i++) {
						text_add(&statement, i ? ", " : "");
						add_register(&statement, types[type], i);
					}
					text_add(&statement, vector > 1 ? "}" : "");
					if (!store)
						text_addf(&statement, ", %s", address);
					text_add(&statement, ";");
					offer(accepted, statement.data);
				}
	text_release(&statement);
}

static void offer_atomics(struct string_list *accepted)
{
	static const char *const kinds[] = {"add",  "min", "max", "and", "or",        "xor",
					    "exch", "cas", "inc", "dec", "add.noftz", "min.noftz"};
	struct text statement = TEXT_INIT;

	for (size_t space = 0; space < ARRAY_SIZE(spaces); space++)
		for (size_t type = 0; type < ARRAY_SIZE(types); type++)
			for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++)
				for (int red = 0; red < 2; red++) {
					text_clear(&statement);
					text_addf(&statement, "%s%s.%s.%s ", red ? "red" : "atom",
						  spaces[space], kinds[kind], types[type]);
					if (!red) {
						add_register(&statement, types[type], 1);
						text_add(&statement, ", ");
					}
					text_add(&statement, "[%rd8], ");
					add_register(&statement, types[type], 2);
					if (strcmp(kinds[kind], "cas") == 0) {
						text_add(&statement, ", ");
						add_register(&statement, types[type], 3);
					}
					text_add(&statement, ";\n");
					if (!red) { /* The result is used. */
						text_add(&statement, "st.global.");
						text_addf(&statement, "%s [%%rd7], ", types[type]);
						add_register(&statement, types[type], 1);
						text_add(&statement, ";");
					}
					offer(accepted, statement.data);
				}
	text_release(&statement);
}

static void offer_comparisons(struct string_list *accepted)
{
	static const char *const words[] = {"", ".and", ".or", ".xor"};
	static const char *const results[] = {"%p1", "%p1|%p2"};
	struct text statement = TEXT_INIT;

	for (size_t word = 0; word < ARRAY_SIZE(words); word++)
		for (size_t type = 0; type < ARRAY_SIZE(types); type++) {
			for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
				text_clear(&statement);
				text_addf(&statement, "setp.eq%s.%s %s, ", words[word], types[type],
					  results[i]);
				add_register(&statement, types[type], 1);
				text_add(&statement, ", ");
				add_register(&statement, types[type], 2);
				text_addf(&statement, "%s;", word ? ", %p3" : "");
				offer(accepted, statement.data);
			}
			for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
				text_clear(&statement);
				text_addf(&statement, "set.eq%s.%s.%s ", words[word], types[i],
					  types[type]);
				add_register(&statement, types[i], 1);
				text_add(&statement, ", ");
				add_register(&statement, types[type], 1);
				text_add(&statement, ", ");
				add_register(&statement, types[type], 2);
				text_addf(&statement, "%s;", word ? ", %p3" : "");
				offer(accepted, statement.data);
			}
		}
	text_release(&statement);
}

/* Offers every form of one shape: `format` with the words. */
static void offer_words(struct string_list *accepted, const char *format, const char *words)
{
	struct string_list list = {0};

	string_list_split(&list, words, ' ');
	for (size_t i = 0; i < list.count; i++) {
		char *statement = xasprintf(format, list.items[i]);

		offer(accepted, statement);
		free(statement);
	}
	string_list_release(&list);
}

static void offer_video(struct string_list *accepted)
{
	static const char *const scalar[] = {"vadd", "vsub", "vabsdiff", "vmin",
					     "vmax", "vshl", "vshr"};
	static const char *const parts[] = {"vadd2",  "vsub2",     "vavrg2", "vabsdiff2",
					    "vmin2",  "vmax2",     "vadd4",  "vsub4",
					    "vavrg4", "vabsdiff4", "vmin4",  "vmax4"};

	for (size_t i = 0; i < ARRAY_SIZE(scalar); i++) {
		char *two = xasprintf("%s.s32.s32.u32%%s %%%%r1, %%%%r2, %%%%r3;", scalar[i]);
		char *three =
			xasprintf("%s.s32.s32.u32%%s %%%%r1, %%%%r2, %%%%r3, %%%%r4;", scalar[i]);

		offer_words(accepted, two, ".wrap .sat .sat.clamp");
		offer_words(accepted, three, ".add .min .sat.max .wrap.add .sat.clamp.add");
		free(two);
		free(three);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char *format =
			xasprintf("%s.s32.s32.u32.%%s %%%%r1, %%%%r2, %%%%r3, %%%%r4;", parts[i]);

		offer_words(accepted, format, "sat add min");
		free(format);
	}
	offer_words(accepted, "vmad.s32.s32.u32.%s %%r1, %%r2.b0, %%r3.h1, %%r4;",
		    "sat po shr7 shr15 po.sat po.sat.shr7 sat.shr15 po.shr7 add");
	offer_words(accepted, "vset.s32.u32.%s %%r1, %%r2, %%r3;", "eq ne lt le gt ge");
	offer_words(accepted, "vset.s32.u32.%s %%r1, %%r2, %%r3, %%r4;", "eq.add ne.min lt.max");
	offer_words(accepted, "vset2.s32.u32.%s %%r1, %%r2, %%r3, %%r4;",
		    "eq ne lt le gt ge eq.add ne.add lt.add ge.sat");
	offer_words(accepted, "vset4.s32.u32.%s %%r1, %%r2, %%r3, %%r4;",
		    "eq ne lt le gt ge eq.add ne.add lt.add ge.min");
}

static void offer_the_rest(struct string_list *accepted)
{
	static const char *const chains[] = {"add.cc", "addc", "addc.cc",
					     "sub.cc", "subc", "subc.cc"};
	static const char *const products[] = {"mad.lo.cc",  "mad.hi.cc", "madc.lo",
					       "madc.lo.cc", "madc.hi",   "madc.hi.cc"};

	for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
		char *narrow = xasprintf("%s.%%s %%%%r1, %%%%r2, %%%%r3;", chains[i]);
		char *wide = xasprintf("%s.%%s %%%%rd1, %%%%rd2, %%%%rd3;", chains[i]);

		offer_words(accepted, narrow, "u32 s32");
		offer_words(accepted, wide, "u64 s64");
		free(narrow);
		free(wide);
	}
	for (size_t i = 0; i < ARRAY_SIZE(products); i++) {
		char *narrow = xasprintf("%s.%%s %%%%r1, %%%%r2, %%%%r3, %%%%r4;", products[i]);
		char *wide = xasprintf("%s.%%s %%%%rd1, %%%%rd2, %%%%rd3, %%%%rd4;", products[i]);

		offer_words(accepted, narrow, "u32 s32");
		offer_words(accepted, wide, "u64 s64");
		free(narrow);
		free(wide);
	}
	offer_words(
		accepted, "cvta.%s.u64 %%rd1, %%rd2;",
		"shared local global const param shared::cta shared::cluster to.shared to.local "
		"to.global to.const to.param to.shared::cta");
	offer_words(accepted, "isspacep.%s %%p1, %%rd2;",
		    "shared local global const param shared::cta shared::cluster param::entry");
	offer_words(accepted, "shfl.sync.%s.b32 %%r1, %%r2, %%r3, %%r4, -1;", "up down bfly idx");
	offer_words(accepted, "shfl.sync.%s.b32 %%r1|%%p1, %%r2, %%r3, %%r4, -1;",
		    "up down bfly idx");
	offer_words(accepted, "vote.sync.%s.pred %%p1, %%p2, -1;", "all any uni none");
	offer_words(accepted, "vote.sync.%s.b32 %%r1, %%p2, -1;", "ballot");
	offer_words(accepted, "match.%s.sync.b32 %%r1, %%r2, -1;", "any all");
	offer_words(accepted, "match.%s.sync.b32 %%r1|%%p1, %%r2, -1;", "all");
	offer_words(accepted, "match.%s.sync.b64 %%r1, %%rd2, -1;", "any all");
	offer_words(accepted, "match.%s.sync.b64 %%r1|%%p1, %%rd2, -1;", "all");
	offer_words(
		accepted, "redux.sync.%s %%r1, %%r2, -1;",
		"add.u32 add.s32 min.u32 min.s32 max.u32 max.s32 and.b32 or.b32 xor.b32 add.f32 "
		"min.f32 max.f32");
	offer_words(accepted, "%s %%r1;", "activemask.b32");
	offer_words(accepted, "%s %%r1|%%p1, -1;", "elect.sync");
	offer_words(accepted, "%s 1;",
		    "bar.sync barrier.sync barrier.sync.aligned bar.warp.sync nanosleep.u32");
	offer_words(accepted, "%s 1, 64;",
		    "bar.sync barrier.sync barrier.sync.aligned bar.arrive barrier.arrive "
		    "barrier.arrive.aligned");
	offer_words(accepted, "%s %%r1, 1, %%p1;",
		    "bar.red.popc.u32 barrier.red.popc.u32 barrier.red.popc.aligned.u32");
	offer_words(accepted, "%s %%p2, 1, %%p1;",
		    "bar.red.and.pred bar.red.or.pred barrier.red.and.pred barrier.red.or.pred");
	offer_words(accepted, "%s %%r1, 1, 64, %%p1;", "bar.red.popc.u32 barrier.red.popc.u32");
	offer_words(accepted, "%s %%p2, 1, 64, %%p1;",
		    "bar.red.and.pred bar.red.or.pred barrier.red.and.pred barrier.red.or.pred");
	offer_words(accepted, "cp.async.ca.shared.global [%%r1], [%%rd1], %s;",
		    "1 2 4 8 16 32 4,%r2 8,%r2 16,%r2 4,%p1 8,%p1 16,%p1");
	offer_words(accepted, "cp.async.cg.shared.global [%%r1], [%%rd1], %s;",
		    "4 8 16 16,%r2 16,%p1");
	offer_words(accepted, "cp.async.%s;", "commit_group wait_all wait_group\t0");
	offer_words(accepted, "lop3.%s.b32 %%r1|%%p1, %%r2, %%r3, %%r4, 0x1b, %%p2;", "or and xor");
	offer_words(accepted, "mov.u32 %%r1, %%%s;",
		    "clock clock_hi globaltimer_lo globaltimer_hi envreg1 smid");
	offer_words(accepted, "mov.u64 %%rd1, %%%s;", "clock64 globaltimer");
	offer_words(accepted, "%s;", "membar.cta membar.gl fence.sc.gpu fence.acq_rel.sys exit");
}

/* ---- the tests ---- */

struct fixture {
	struct opcode_list opcodes;
	struct string_list keys; /* of the modules that are recorded or still to be recorded */
	bool operations[OPERATION_COUNT];
};

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct matrix_list matrices;

	fixture->opcodes = opcode_list_create();
	for (size_t i = 0; i < fixture->opcodes.count; i++) {
		struct text ptx = TEXT_INIT;

		opcode_module(&ptx, &fixture->opcodes.items[i]);
		if (!keys_of(&fixture->keys, fixture->operations, ptx.data))
			print_error("%s is not decoded\n", fixture->opcodes.items[i].name);
		text_release(&ptx);
	}
	matrices = matrix_list_create();
	for (size_t i = 0; i < matrices.count; i++) {
		struct text ptx = TEXT_INIT;

		matrix_module(&ptx, &matrices.items[i]);
		if (!keys_of(&fixture->keys, fixture->operations, ptx.data))
			print_error("%s is not decoded\n", matrices.items[i].name);
		text_release(&ptx);
	}
	matrix_list_release(&matrices);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	opcode_list_release(&fixture->opcodes);
	string_list_release(&fixture->keys);
	free(fixture);
	return 0;
}

/* A line with that name, or with that name and a lookup table. */
static bool has_line(const struct fixture *fixture, const char *mnemonic)
{
	size_t length = strlen(mnemonic);

	for (size_t i = 0; i < fixture->opcodes.count; i++) {
		const char *name = fixture->opcodes.items[i].name;

		if (strncmp(name, mnemonic, length) == 0 &&
		    (!name[length] || strncmp(name + length, " 0x", 3) == 0))
			return true;
	}
	return false;
}

static void test_every_row_has_a_line(void **state)
{
	const struct fixture *fixture = *state;
	size_t missing = 0;

	for (enum operation i = 0; i < OPERATION_COUNT; i++) {
		const struct alu_row *row = alu_row_of(i);
		bool address = row && (strncmp(row->mnemonic, "cvta", 4) == 0 ||
				       strncmp(row->mnemonic, "isspacep", 8) == 0);

		if (!row)
			continue;
		/* Auxiliary rows and addresses have no line of their own; other lines execute
		 * them. */
		if (!*row->mnemonic || address ? fixture->operations[i]
					       : has_line(fixture, row->mnemonic))
			continue;
		print_error("%s (%s) has no line\n", row->symbol, row->mnemonic);
		missing++;
	}
	assert_int_equal(missing, 0);
}

static void test_every_operation_is_in_a_line(void **state)
{
	/* They have no result to record (see test_machine_calls, test_machine), or need an object,
	 * and have a golden file of their own (test_textures). */
	static const enum operation excused[] = {
		OP_TRAP,          OP_PRINT,        OP_ASSERT_FAIL,   OP_TEXTURE,
		OP_TEXTURE_QUERY, OP_SURFACE_LOAD, OP_SURFACE_STORE, OP_SURFACE_REDUCE};
	const struct fixture *fixture = *state;
	size_t missing = 0;

	for (size_t i = 0; i < ARRAY_SIZE(operation_names); i++) {
		bool is_excused = false;

		for (size_t k = 0; k < ARRAY_SIZE(excused); k++)
			is_excused = is_excused || excused[k] == (enum operation)i;
		if (fixture->operations[i] != is_excused)
			continue;
		print_error("%s: %s\n", operation_names[i],
			    is_excused ? "is in a line now" : "no line has it");
		missing++;
	}
	assert_int_equal(missing, 0);
}

static void test_every_special_register_is_in_a_line(void **state)
{
	static const char *const names[] = {
#define X(symbol, name) name,
		SPECIAL_REGISTER_LIST(X)
#undef X
	};
	const struct fixture *fixture = *state;
	size_t missing = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool found = false;

		/* A GPU gives another slot in each run. */
		if (strcmp(names[i], "%warpid") == 0 || strcmp(names[i], "%nwarpid") == 0)
			continue;
		for (size_t k = 0; k < fixture->opcodes.count && !found; k++)
			found = strstr(fixture->opcodes.items[k].body, names[i]) != NULL;
		if (!found)
			print_error("%s is in no line\n", names[i]);
		missing += !found;
	}
	assert_int_equal(missing, 0);
}

static void test_every_alias_has_a_line(void **state)
{
	static const char *const mnemonics[] = {
#define ALIAS(mnemonic, as) mnemonic,
#include "emulator/program/alu_aliases.def"
#undef ALIAS
	};
	size_t missing = 0;

	for (size_t i = 0; i < ARRAY_SIZE(mnemonics); i++) {
		if (strncmp(mnemonics[i], "cvta", 4) == 0 || has_line(*state, mnemonics[i]))
			continue;
		print_error("%s has no line\n", mnemonics[i]);
		missing++;
	}
	assert_int_equal(missing, 0);
}

/* 256-bit accesses need sm_100; an H200 cannot record them. */
static bool is_wider_than_an_h200(const char *key)
{
	size_t length = strlen(key);

	return length > 7 && (strcmp(key + length - 7, " b32 x8") == 0 ||
			      strcmp(key + length - 7, " b64 x4") == 0);
}

static void test_every_other_form_has_a_line(void **state)
{
	const struct fixture *fixture = *state;
	struct string_list accepted = {0};
	size_t missing = 0;

	offer_accesses(&accepted);
	offer_atomics(&accepted);
	offer_comparisons(&accepted);
	offer_video(&accepted);
	offer_the_rest(&accepted);
	for (size_t i = 0; i < accepted.count; i++) {
		if (is_wider_than_an_h200(accepted.items[i]) ||
		    string_list_has(&fixture->keys, accepted.items[i]))
			continue;
		print_error("%s: no line has it\n", accepted.items[i]);
		missing++;
	}
	string_list_release(&accepted);
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_has_a_line),
		cmocka_unit_test(test_every_alias_has_a_line),
		cmocka_unit_test(test_every_operation_is_in_a_line),
		cmocka_unit_test(test_every_special_register_is_in_a_line),
		cmocka_unit_test(test_every_other_form_has_a_line),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
