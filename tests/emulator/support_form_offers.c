/* Every form of PTX, offered to the decoder. */
#include "support_forms.h"

#include <stdlib.h>
#include <string.h>

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

	form_keys_add(accepted, NULL, ptx);
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

static void offer_vector_atomics(struct string_list *accepted)
{
	static const char *const kinds[] = {"add", "min", "max", "exch", "inc"};
	struct text statement = TEXT_INIT;

	for (size_t type = 0; type < ARRAY_SIZE(types); type++)
		for (size_t kind = 0; kind < 2 * ARRAY_SIZE(kinds); kind++)
			for (int vector = 2; vector <= 8; vector *= 2)
				for (int red = 0; red < 2; red++) {
					text_clear(&statement);
					text_addf(&statement, "%s.global.%s%s.v%d.%s ",
						  red ? "red" : "atom", kinds[kind / 2],
						  kind % 2 ? ".noftz" : "", vector, types[type]);
					for (int list = red; list < 2; list++) {
						text_add(&statement, list ? "[%rd8], {" : "{");
						for (int i = 0; i < vector; i++) {
							text_add(&statement, i ? ", " : "");
							add_register(&statement, types[type],
								     list ? i : 8 - i);
						}
						text_add(&statement, list ? "};\n" : "}, ");
					}
					if (!red) { /* The result is used. */
						text_addf(&statement, "st.global.%s [%%rd7], ",
							  types[type]);
						add_register(&statement, types[type], 8);
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
	static const char *const without_c = ".sat .wrap .clamp .sat.wrap .sat.clamp";
	static const char *const with_c =
		".add .min .max .sat.add .sat.min .sat.max .wrap.add .wrap.min .wrap.max "
		".clamp.add .clamp.min .clamp.max .sat.clamp.add .sat.wrap.min .sat.clamp.max";
	static const char *const parts[] = {"vadd2",  "vsub2",     "vavrg2", "vabsdiff2",
					    "vmin2",  "vmax2",     "vadd4",  "vsub4",
					    "vavrg4", "vabsdiff4", "vmin4",  "vmax4"};

	for (size_t i = 0; i < ARRAY_SIZE(scalar); i++) {
		char *two = xasprintf("%s.s32.s32.u32%%s %%%%r1, %%%%r2, %%%%r3;", scalar[i]);
		char *three =
			xasprintf("%s.s32.s32.u32%%s %%%%r1, %%%%r2, %%%%r3, %%%%r4;", scalar[i]);

		offer_words(accepted, two, without_c);
		offer_words(accepted, three, with_c);
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

void form_keys_add_accepted(struct string_list *keys)
{
	offer_accesses(keys);
	offer_atomics(keys);
	offer_vector_atomics(keys);
	offer_comparisons(keys);
	offer_video(keys);
	offer_the_rest(keys);
}
