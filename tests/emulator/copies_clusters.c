#include "copies.h"

#include <stdlib.h>

/* ---- registers ---- */

static struct copy_case *add_registers(struct copy_list *list, const char *directive,
				       const int64_t grid[3], const int64_t cluster[3], bool asks)
{
	static const char *const names[] = {
		"clusterid.x",     "clusterid.y",      "clusterid.z",      "nclusterid.x",
		"nclusterid.y",    "nclusterid.z",     "cluster_ctaid.x",  "cluster_ctaid.y",
		"cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z",
		"cluster_ctarank", "cluster_nctarank",
	};
	struct text body = TEXT_INIT;
	struct copy_case *copy;
	unsigned at = 0;

	for (; at < ARRAY_SIZE(names); at++)
		text_addf(&body, "mov.u32 %%r5, %%%s;\nst.global.u32 [%%out+%u], %%r5;\n",
			  names[at], at * 4);
	text_addf(&body,
		  "mov.pred %%p, %%is_explicit_cluster;\nselp.u32 %%r5, 1, 0, %%p;\n"
		  "st.global.u32 [%%out+%u], %%r5;\n",
		  at * 4);
	copy = copy_add(list,
			xasprintf("registers of clusters of %dx%dx%d%s%s%s", (int)cluster[0],
				  (int)cluster[1], (int)cluster[2], *directive ? " " : "",
				  directive, asks ? "" : ", by the directive"),
			text_detach(&body), (at + 1) * (size_t)(grid[0] * grid[1] * grid[2]));
	copy->directive = directive;
	copy->threads = 1;
	for (int i = 0; i < 3; i++) {
		copy->grid[i] = grid[i];
		copy->cluster[i] = asks ? cluster[i] : 1;
	}
	return copy;
}

static void add_all_registers(struct copy_list *list)
{
	static const int64_t shapes[][2][3] = {
		{{4, 3, 2}, {1, 1, 1}}, {{4, 3, 2}, {2, 1, 1}}, {{8, 1, 2}, {4, 1, 1}},
		{{8, 2, 1}, {8, 1, 1}}, {{2, 4, 1}, {1, 2, 1}}, {{3, 1, 4}, {1, 1, 2}},
		{{4, 4, 1}, {2, 2, 1}}, {{4, 2, 4}, {2, 2, 2}}, {{2, 6, 2}, {1, 3, 2}},
		{{4, 4, 1}, {4, 2, 1}}, {{3, 2, 1}, {3, 1, 1}}, {{1, 5, 1}, {1, 5, 1}},
		{{4, 4, 1}, {4, 4, 1}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		add_registers(list, "", shapes[i][0], shapes[i][1], true);
	add_registers(list, ".reqnctapercluster 2, 1, 1", shapes[1][0], shapes[1][1], false);
	add_registers(list, ".reqnctapercluster 2, 1, 1", shapes[1][0], shapes[1][1], true);
	add_registers(list, ".explicitcluster .maxclusterrank 8", shapes[7][0], shapes[7][1], true);
	/* A launch that should be refused. */
	add_registers(list, ".explicitcluster", shapes[1][0], shapes[0][1], true)->may_fault = true;
	add_registers(list, ".maxclusterrank 2", shapes[2][0], shapes[2][1], true)->may_fault =
		true;
}

/* ---- addresses ---- */

static void store_word(struct text *body, unsigned *at, const char *statements)
{
	text_addf(body, "%s@%%lead st.global.u32 [%%out+%u], %%r9;\n", statements, 4 * (*at)++);
}

#define IS_EQUAL(type, one, other) \
	"setp.eq." type " %p, " one ", " other ";\nselp.u32 %r9, 1, 0, %p;\n"

static void add_addresses(struct copy_list *list, int64_t blocks)
{
	static const char *const spaces[] = {"shared::cta", "shared::cluster", "shared", "global",
					     "local"};
	struct text body = TEXT_INIT;
	unsigned at = 0;

	/* %r5, %d1: of the own block by mapa; %r6, %d2: of the rank of the round. */
	text_add(&body,
		 "mapa.shared::cluster.u32 %r5, %a, %rank;\n"
		 "cvt.u64.u32 %d4, %a;\ncvta.shared.u64 %d4, %d4;\nmapa.u64 %d1, %d4, %rank;\n");
	store_word(&body, &at, IS_EQUAL("u32", "%r5", "%a"));
	store_word(&body, &at, IS_EQUAL("u64", "%d1", "%d4"));
	store_word(&body, &at, "getctarank.shared::cluster.u32 %r9, %a;\n");
	store_word(&body, &at, "getctarank.u64 %r9, %d4;\n");
	store_word(&body, &at, "ld.shared::cluster.u32 %r9, [%a+8];\n");
	store_word(&body, &at, "ld.shared::cluster.u32 %r9, [%r5+8];\n");
	store_word(&body, &at, "ld.u32 %r9, [%d4+8];\n");
	store_word(&body, &at, "ld.u32 %r9, [%d1+8];\n");
	for (int64_t rank = 0; rank < blocks; rank++) {
		text_addf(&body,
			  "mapa.shared::cluster.u32 %%r6, %%a, %d;\nmapa.u64 %%d2, %%d4, %d;\n"
			  "add.u32 %%r7, %%a, 64;\nmapa.shared::cluster.u32 %%r7, %%r7, %d;\n"
			  "mapa.shared::cluster.u32 %%r8, %%r5, %d;\n",
			  (int)rank, (int)rank, (int)rank, (int)rank);
		store_word(&body, &at, "getctarank.shared::cluster.u32 %r9, %r6;\n");
		store_word(&body, &at, "getctarank.u64 %r9, %d2;\n");
		store_word(&body, &at, "sub.u32 %r9, %r7, %r6;\n");
		store_word(&body, &at,
			   "cvt.u64.u32 %d5, %r6;\ncvta.shared::cluster.u64 %d5, %d5;\n" IS_EQUAL(
				   "u64", "%d5", "%d2"));
		/* What was mapped can be mapped again. */
		store_word(&body, &at, IS_EQUAL("u32", "%r8", "%r6"));
		store_word(
			&body, &at,
			"cvta.to.shared::cluster.u64 %d5, %d2;\ncvt.u32.u64 %r8, %d5;\n" IS_EQUAL(
				"u32", "%r8", "%r6"));
		for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) {
			char *test = xasprintf(
				"isspacep.%s %%p, %%d2;\nselp.u32 %%r9, 1, 0, %%p;\n", spaces[i]);

			store_word(&body, &at, test);
			free(test);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) {
		char *test = xasprintf("isspacep.%s %%p, %%d4;\nselp.u32 %%r9, 1, 0, %%p;\n"
				       "isspacep.%s %%p, %%out;\n@%%p add.u32 %%r9, %%r9, 2;\n",
				       spaces[i], spaces[i]);

		store_word(&body, &at, test);
		free(test);
	}
	text_add(&body, COPY_CLUSTER_SYNC);
	copy_set_cluster(copy_add(list, xasprintf("addresses in a cluster of %d", (int)blocks),
				  text_detach(&body), at),
			 blocks, 1, 1);
}

/* What the addresses are, which PTX leaves open. */
static void add_raw_addresses(struct copy_list *list)
{
	struct text body = TEXT_INIT;
	struct copy_case *copy;
	unsigned at = 0;

	store_word(&body, &at, "mov.u32 %r9, %a;\n");
	store_word(&body, &at, "mapa.shared::cluster.u32 %r9, %a, %rank;\n");
	for (unsigned rank = 0; rank < 6; rank++) {
		char *map = xasprintf("mapa.shared::cluster.u32 %%r9, %%a, %u;\n", rank);

		store_word(&body, &at, map);
		free(map);
		map = xasprintf("mapa.shared::cluster.u32 %%r9, %%a, %u;\n"
				"getctarank.shared::cluster.u32 %%r9, %%r9;\n",
				rank);
		store_word(&body, &at, map);
		free(map);
	}
	copy = copy_add(list, xstrdup("raw addresses in a cluster of 4"), text_detach(&body), at);
	copy_set_cluster(copy, 4, 1, 1);
	copy->rule = COPY_RECORDED;
}

/* ---- accesses ---- */

/* Words of the block of the next rank, which all blocks have numbered by rank before. */
#define NEXT_RANK                                                                                \
	"shl.b32 %%r4, %%thread, 2;\nadd.u32 %%r3, %%r4, %%a;\nshl.b32 %%r5, %%rank, 8;\n"       \
	"add.u32 %%r5, %%r5, %%thread;\nmul.lo.u32 %%r5, %%r5, 0x20001;\nst.shared.u32 [%%r3], " \
	"%%r5;\n" COPY_CLUSTER_SYNC "add.u32 %%r5, %%rank, 1;\nrem.u32 %%r5, %%r5, %%size;\n"    \
	"mapa.shared::cluster.u32 %%r6, %%a, %%r5;\nmapa.shared::cluster.u32 %%r7, %%b, %%r5;\n" \
	"cvt.u64.u32 %%d1, %%r6;\ncvta.shared::cluster.u64 %%d1, %%d1;\n"                        \
	"cvt.u64.u32 %%d5, %%r4;\nadd.u64 %%d6, %%out, %%d5;\nadd.u64 %%d1, %%d1, %%d5;\n"       \
	"add.u32 %%r6, %%r6, %%r4;\nadd.u32 %%r8, %%r7, %%r4;\n"

static void add_accesses(struct copy_list *list)
{
	static const char *const loads[] = {
		"ld.shared::cluster.u32 %r9, [%r6];\n",
		"ld.u32 %r9, [%d1];\n",
		"ld.shared::cluster.u8 %r9, [%r6+1];\n",
		"ld.shared::cluster.s16 %r9, [%r6+2];\n",
		"ld.volatile.shared::cluster.u32 %r9, [%r6];\n",
		"ld.acquire.cluster.shared::cluster.u32 %r9, [%r6];\n",
		"ld.relaxed.cluster.u32 %r9, [%d1];\n",
		"and.b32 %r10, %r6, 0xfffffff0;\n"
		"ld.shared::cluster.v4.u32 {%r9, %r10, %r11, %r12}, [%r10];\n"
		"xor.b32 %r9, %r9, %r12;\n",
		"mov.b64 %d2, %d1;\nand.b64 %d2, %d2, -8;\nld.v2.u32 {%r10, %r9}, [%d2];\n",
	};
	static const char *const stores[] = {
		"st.shared::cluster.u32 [%r8], %r9;\n",
		"cvt.u64.u32 %d2, %r8;\ncvta.shared::cluster.u64 %d2, %d2;\nst.u32 [%d2], %r9;\n",
		"st.shared::cluster.u8 [%r8+3], %r9;\n",
		"st.release.cluster.shared::cluster.u32 [%r8], %r9;\n",
		"st.shared::cluster.v2.u32 [%r7+64], {%r9, 7};\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		char *body = xasprintf(
			NEXT_RANK "%sst.global.u32 [%%d6], %%r9;\n" COPY_CLUSTER_SYNC, loads[i]);

		copy_set_cluster(copy_add(list, xasprintf("remote load %zu", i), body, 32), 3, 1,
				 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(stores); i++) {
		struct text body = TEXT_INIT;

		/* Where several threads store to one place, the values are equal. */
		text_addf(&body,
			  NEXT_RANK "add.u32 %%r9, %%rank, 0xc0ffee00;\n%s" COPY_CLUSTER_SYNC,
			  stores[i]);
		copy_dump(&body, "%b", 0, 48, 0);
		copy_set_cluster(
			copy_add(list, xasprintf("remote store %zu", i), text_detach(&body), 48), 4,
			1, 1);
	}
}

/* Old value, value, and the result, of one thread of each block on the next rank; then of all. */
static void add_atomics(struct copy_list *list)
{
	static const struct {
		const char *operation, *bits, *operands;
		bool adds; /* all threads may do it at once */
	} cases[] = {
		{"add.u32", "32", "%r9", true},
		{"add.s32", "32", "%r9", true},
		{"add.u64", "64", "%d7", true},
		{"add.f32", "32", "0f3f800000", true},
		{"add.f64", "64", "0d3ff0000000000000", false},
		{"min.u32", "32", "%r9", false},
		{"max.s32", "32", "%r9", false},
		{"min.s64", "64", "%d7", false},
		{"max.u64", "64", "%d7", false},
		{"inc.u32", "32", "%r9", true},
		{"dec.u32", "32", "%r9", true},
		{"exch.b32", "32", "%r9", false},
		{"exch.b64", "64", "%d7", false},
		{"cas.b32", "32", "%r10, %r9", false},
		{"cas.b64", "64", "%d8, %d7", false},
		{"and.b32", "32", "%r9", false},
		{"or.b64", "64", "%d7", false},
		{"xor.b32", "32", "%r9", false},
		{"add.noftz.f16x2", "32", "%r9", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const bool wide = cases[i].bits[0] == '6';
		const char *result = wide ? "%d9" : "%r11";
		const char *value =
			cases[i].operation[4] == 'f' && cases[i].operands[0] == '0' ? "f" : "";
		struct text body = TEXT_INIT;

		text_addf(&body, NEXT_RANK "mov.u32 %%r9, 0x3c01;\nmov.b64 %%d7, 0x3c01;\n"
					   "ld.shared::cluster.u32 %%r10, [%%r7];\n"
					   "ld.shared::cluster.u64 %%d8, [%%r7];\n"
					   "setp.eq.u32 %%p, %%thread, 0;\n");
		text_addf(&body,
			  COPY_CLUSTER_SYNC
			  "@%%p atom.relaxed.cluster.shared::cluster.%s %s, [%%r7], %s;\n"
			  "@%%p st.global.b%s [%%out], %s;\n",
			  cases[i].operation, *value ? (wide ? "%d9" : "%f0") : result,
			  cases[i].operands, cases[i].bits,
			  *value ? (wide ? "%d9" : "%f0") : result);
		if (cases[i].adds)
			text_addf(&body, "red.relaxed.cluster.shared::cluster.%s [%%r7+64], %s;\n",
				  cases[i].operation, cases[i].operands);
		text_add(&body, COPY_CLUSTER_SYNC);
		copy_dump(&body, "%b", 0, 20, 2);
		copy_set_cluster(copy_add(list, xasprintf("remote atom.%s", cases[i].operation),
					  text_detach(&body), 22),
				 2, 1, 1);
	}
}

/* ---- barriers ---- */

static void add_barriers(struct copy_list *list)
{
	static const struct {
		const char *name, *before, *barrier;
	} cases[] = {
		{"", "", COPY_CLUSTER_SYNC},
		{", aligned", "",
		 "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;"
		 "\n"},
		{", relaxed", "",
		 "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;\n"
		 "barrier.cluster.wait;\nfence.acq_rel.cluster;\n"},
		{", half of the threads ended", "setp.ge.u32 %p, %thread, 16;\n@%p exit;\n",
		 COPY_CLUSTER_SYNC},
		{", a warp ended", "setp.ge.u32 %p, %thread, 32;\n@%p exit;\n", COPY_CLUSTER_SYNC},
		{", threads arrive and end",
		 "setp.lt.u32 %p, %thread, 32;\n@%p bra "
		 "STAY;\nbarrier.cluster.arrive;\nexit;\nSTAY:\n",
		 COPY_CLUSTER_SYNC},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* Rank 0 counts what all blocks add to its word; each round ends with a barrier. */
		char *body = xasprintf(
			"%smapa.shared::cluster.u32 %%r5, %%a, 0;\n"
			"@%%lead red.relaxed.cluster.shared::cluster.add.u32 [%%r5], 1;\n%s"
			"@%%lead ld.shared::cluster.u32 %%r6, [%%r5];\n"
			"@%%lead st.global.u32 [%%out], %%r6;\n%s"
			"@%%lead red.relaxed.cluster.shared::cluster.add.u32 [%%r5], 16;\n%s"
			"@%%lead ld.shared::cluster.u32 %%r6, [%%r5];\n"
			"@%%lead st.global.u32 [%%out+4], %%r6;\n%s",
			cases[i].before, cases[i].barrier, cases[i].barrier, cases[i].barrier,
			cases[i].barrier);
		struct copy_case *copy = copy_add(
			list, xasprintf("barrier of the cluster%s", cases[i].name), body, 2);

		copy->threads = 64;
		copy_set_cluster(copy, 4, 1, 1);
	}
	copy_set_cluster(
		copy_add(
			list, xstrdup("barrier of the cluster, a block ended"),
			xasprintf(
				"setp.eq.u32 %%p, %%rank, 1;\n@%%p exit;\n" COPY_CLUSTER_SYNC
				"mov.u32 %%r5, 1;\nst.global.u32 [%%out], %%r5;\n" COPY_CLUSTER_SYNC
				"st.global.u32 [%%out+4], %%r5;\n"),
			2),
		4, 1, 1);
}

void copies_add_clusters(struct copy_list *list)
{
	add_all_registers(list);
	add_addresses(list, 1);
	add_addresses(list, 2);
	add_addresses(list, 4);
	add_raw_addresses(list);
	add_accesses(list);
	add_atomics(list);
	add_barriers(list);
}
