/* mbarriers of other blocks, counts of bytes, st.async and red.async. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

/* ---- remote operations ---- */

/* %r7: the mbarrier for 4 arrivals of rank 0, which waits at it. */
#define OF_RANK_0                                                               \
	"add.u32 %%bar, %%bar, 24;\nmapa.shared::cluster.u32 %%r7, %%bar, 0;\n" \
	"cvt.u64.u32 %%d7, %%r7;\ncvta.shared::cluster.u64 %%d7, %%d7;\n"
#define RANK_0_WAITS                                                                  \
	"mov.u32 %%ok, 2;\nsetp.ne.u32 %%p, %%rank, 0;\n@%%p bra WAITED;\n" COPY_WAIT \
		COPY_CLUSTER_SYNC

static void add_remote(struct copy_list *list)
{
	static const struct {
		const char *name, *statements;
		int64_t blocks;
	} cases[] = {
		{"arrive", "@%lead mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];\n",
		 4},
		{"arrive, generic", "@%lead mbarrier.arrive.release.cluster.b64 _, [%d7];\n", 4},
		{"arrive, relaxed",
		 "@%lead mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r7];\n", 4},
		{"arrive of 3 of 4", "@%lead mbarrier.arrive.shared::cluster.b64 _, [%r7];\n", 3},
		{"arrive with a count of 2",
		 "@%lead mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7], 2;\n", 2},
		{"arrive_drop",
		 "@%lead mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r7];\n", 4},
		{"expect_tx and complete_tx",
		 "@%lead mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r7], 64;\n"
		 "@%lead mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];\n"
		 "@%lead mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r7], 64;\n",
		 4},
		{"expect_tx without complete_tx",
		 "@%lead mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r7], 64;\n"
		 "@%lead mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];\n",
		 4},
		{"complete_tx before expect_tx",
		 "@%lead mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r7], 48;\n"
		 "@%lead mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r7], "
		 "48;\n",
		 4},
		{"arrive.expect_tx",
		 "@%lead mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r7], "
		 "32;\n"
		 "@%lead mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r7], 32;\n",
		 4},
		{"arrive.expect_tx with too many bytes",
		 "@%lead mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r7], "
		 "32;\n"
		 "@%lead mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r7], 48;\n",
		 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		copy_set_cluster(
			copy_add(list, xasprintf("remote mbarrier %s", cases[i].name),
				 xasprintf(OF_RANK_0 "%s" RANK_0_WAITS, cases[i].statements), 1),
			cases[i].blocks, 1, 1);
}

/* ---- counts of bytes ---- */

static void add_counts(struct copy_list *list)
{
	static const struct {
		const char *name;
		unsigned expected;
		const char *announced;
		unsigned sizes[2];
		bool first; /* the copies begin before the bytes are announced */
	} cases[] = {
		{"of two copies", 96, "", {64, 32}, false},
		{"too few announced", 32, "", {64, 0}, false},
		{"too many announced", 128, "", {64, 32}, false},
		{"announced last", 96, "", {64, 32}, true},
		{"announced in parts",
		 32,
		 "@%lead mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 64;\n",
		 {64, 32},
		 false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text body = TEXT_INIT, copies = TEXT_INIT;

		for (int k = 0; k < 2; k++)
			if (cases[i].sizes[k])
				text_addf(&copies,
					  "@%%lead cp.async.bulk.shared::cluster.global.mbarrier"
					  "::complete_tx::bytes [%%a+%d], [%%in], %u, [%%bar];\n",
					  k * 256, cases[i].sizes[k]);
		text_addf(&body, "%s%s" COPY_EXPECT "%u;\n%s" COPY_WAIT, cases[i].announced,
			  cases[i].first ? copies.data : "", cases[i].expected,
			  cases[i].first ? "" : copies.data);
		text_release(&copies);
		/* A part of the bytes can complete the phase. */
		copy_add(list, xasprintf("bytes %s", cases[i].name), text_detach(&body), 1)->rule =
			cases[i].expected < cases[i].sizes[0] && !*cases[i].announced
				? COPY_RECORDED
				: COPY_EQUAL;
	}
}

/* ---- states ---- */

/* The results of tests of both parities and of tokens, over three phases of an mbarrier for 2. */
static void add_states(struct copy_list *list)
{
	struct text body = TEXT_INIT;
	unsigned at = 0;

	text_add(&body, "@!%lead bra END;\n");
	for (unsigned step = 0; step < 6; step++) {
		text_addf(&body, "mbarrier.arrive.shared.b64 %%d%u, [%%bar+8];\n", 1 + step);
		text_addf(&body,
			  "mbarrier.pending_count.b64 %%r5, %%d%u;\nst.global.u32 [%%out+%u], "
			  "%%r5;\n",
			  1 + step, 4 * at++);
		for (unsigned parity = 0; parity < 2; parity++)
			text_addf(&body,
				  "mbarrier.test_wait.parity.shared.b64 %%p, [%%bar+8], %u;\n"
				  "selp.u32 %%r5, 1, 0, %%p;\nst.global.u32 [%%out+%u], %%r5;\n",
				  parity, 4 * at++);
		text_addf(&body,
			  "mbarrier.test_wait.shared.b64 %%p, [%%bar+8], %%d%u;\n"
			  "selp.u32 %%r5, 1, 0, %%p;\nst.global.u32 [%%out+%u], %%r5;\n",
			  1 + step, 4 * at++);
	}
	text_add(&body, "END:\n");
	copy_add(list, xstrdup("mbarrier phases"), text_detach(&body), at);
	text_add(&body, "@!%lead bra END;\n");
	at = 0;
	for (unsigned step = 0; step < 4; step++) {
		static const char *const steps[] = {
			"mbarrier.arrive_drop.shared.b64 %d1, [%bar+24];\n",
			"mbarrier.arrive.noComplete.shared.b64 %d1, [%bar+24], 1;\n",
			"mbarrier.arrive.shared.b64 %d1, [%bar+24], 2;\n",
			"mbarrier.arrive.shared.b64 %d1, [%bar+24], 3;\n",
		};

		text_addf(&body,
			  "%smbarrier.pending_count.b64 %%r5, %%d1;\nst.global.u32 [%%out+%u], "
			  "%%r5;\nmbarrier.test_wait.parity.shared.b64 %%p, [%%bar+24], 0;\n"
			  "selp.u32 %%r5, 1, 0, %%p;\nst.global.u32 [%%out+%u], %%r5;\n",
			  steps[step], 8 * step, 8 * step + 4);
		at += 2;
	}
	text_add(&body, "END:\n");
	copy_add(list, xstrdup("mbarrier drops and counts"), text_detach(&body), at);
	copy_add(list, xstrdup("mbarrier words"),
		 xasprintf("@%%lead ld.shared.v2.u32 {%%r5, %%r6}, [%%bar];\n"
			   "@%%lead st.global.u32 [%%out], %%r5;\n"
			   "@%%lead st.global.u32 [%%out+4], %%r6;\n"
			   "@%%lead mbarrier.arrive.expect_tx.shared.b64 %%d1, [%%bar+24], 80;\n"
			   "@%%lead mov.b64 {%%r7, %%r8}, %%d1;\n"
			   "@%%lead ld.shared.v2.u32 {%%r5, %%r6}, [%%bar+24];\n"
			   "@%%lead st.global.u32 [%%out+8], %%r5;\n"
			   "@%%lead st.global.u32 [%%out+12], %%r6;\n"
			   "@%%lead st.global.u32 [%%out+16], %%r7;\n"
			   "@%%lead st.global.u32 [%%out+20], %%r8;\n"),
		 6)
		->rule = COPY_RECORDED;
}

/* ---- st.async and red.async ---- */

static void add_async_stores(struct copy_list *list)
{
	static const struct {
		const char *type, *values;
		unsigned bytes;
	} cases[] = {
		{"b32", "%r9", 4},
		{"u32", "%r9", 4},
		{"s32", "%r9", 4},
		{"f32", "%f1", 4},
		{"b64", "%d7", 8},
		{"u64", "%d7", 8},
		{"s64", "%d7", 8},
		{"f64", "%d7", 8},
		{"v2.b32", "{%r9, %r10}", 8},
		{"v2.u32", "{%r9, %r10}", 8},
		{"v4.b32", "{%r9, %r10, %r9, %thread}", 16},
		{"v4.f32", "{%f1, %f1, %f1, %f1}", 16},
		{"v2.b64", "{%d7, %d7}", 16},
		{"v2.s64", "{%d7, %d7}", 16},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text body = TEXT_INIT;
		const unsigned bytes = cases[i].bytes;

		text_addf(
			&body,
			COPY_EXPECT
			"%u;\n" COPY_CLUSTER_SYNC
			"shl.b32 %%r9, %%rank, 16;\nadd.u32 %%r9, %%r9, %%thread;\n"
			"not.b32 %%r10, %%r9;\nmov.b64 %%d7, {%%r9, %%r10};\nmov.b32 %%f1, %%r9;\n"
			"add.u32 %%r5, %%rank, 1;\nrem.u32 %%r5, %%r5, %%size;\n"
			"mapa.shared::cluster.u32 %%r6, %%b, %%r5;\n"
			"mapa.shared::cluster.u32 %%r7, %%bar, %%r5;\n"
			"mad.lo.u32 %%r6, %%thread, %u, %%r6;\n"
			"st.async.shared::cluster.mbarrier::complete_tx::bytes.%s [%%r6], %s, "
			"[%%r7];\n" COPY_WAIT COPY_CLUSTER_SYNC,
			bytes * 32, bytes, cases[i].type, cases[i].values);
		copy_dump(&body, "%b", 0, 8 * bytes + 4, COPY_WAITED);
		copy_set_cluster(copy_add(list, xasprintf("st.async %s", cases[i].type),
					  text_detach(&body), 8 * bytes + 5),
				 2, 1, 1);
	}
}

/* Each of 256 threads combines a pair of special values in the block of the next rank. */
static void add_async_reductions(struct copy_list *list)
{
	static const char *const cases[][2] = {
		{"add.u32", "u32"}, {"add.s32", "u32"}, {"add.u64", "u64"}, {"min.u32", "u32"},
		{"min.s32", "u32"}, {"max.u32", "u32"}, {"max.s32", "u32"}, {"inc.u32", "u32"},
		{"dec.u32", "u32"}, {"and.b32", "u32"}, {"or.b32", "u32"},  {"xor.b32", "u32"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const bool wide = strcmp(cases[i][1], "u64") == 0;
		const unsigned bytes = wide ? 8 : 4;
		struct text body = TEXT_INIT;
		struct copy_case *copy;

		text_addf(&body,
			  COPY_EXPECT
			  "%u;\nmov.u32 %%r5, %%thread;\nOLD:\nshl.b32 %%r6, %%r5, 2;\n"
			  "cvt.u64.u32 %%d1, %%r6;\nadd.u64 %%d1, %%d1, %%out;\n"
			  "add.u32 %%r6, %%r6, %%b;\nld.global.u32 %%r7, [%%d1];\n"
			  "st.shared.u32 [%%r6], %%r7;\nadd.u32 %%r5, %%r5, 256;\n"
			  "setp.lt.u32 %%p, %%r5, %u;\n@%%p bra OLD;\n" COPY_FENCE COPY_CLUSTER_SYNC
			  "mad.lo.u32 %%r8, %%thread, %u, %%a;\n"
			  "ld.shared.b%u %s, [%%r8];\n"
			  "add.u32 %%r5, %%rank, 1;\nrem.u32 %%r5, %%r5, %%size;\n"
			  "mapa.shared::cluster.u32 %%r6, %%b, %%r5;\n"
			  "mapa.shared::cluster.u32 %%r7, %%bar, %%r5;\n"
			  "mad.lo.u32 %%r6, %%thread, %u, %%r6;\n"
			  "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
			  ".%s [%%r6], %s, [%%r7];\n" COPY_WAIT COPY_CLUSTER_SYNC,
			  bytes * 256, bytes * 64, bytes, bytes * 8, wide ? "%d7" : "%r9", bytes,
			  cases[i][0], wide ? "%d7" : "%r9");
		copy_dump(&body, "%b", 0, 64 * bytes, COPY_WAITED);
		copy = copy_add(list, xasprintf("red.async %s", cases[i][0]), text_detach(&body),
				64 * bytes + COPY_WAITED);
		copy_set_cluster(copy, 2, 1, 1);
		copy->threads = 256;
		copy->area_from_in = true;
		copy->in_fill = FILL_NEW;
		copy->out_fill = FILL_OLD;
		copy->type = cases[i][1];
	}
}

void copies_add_signals(struct copy_list *list)
{
	add_remote(list);
	add_counts(list);
	add_states(list);
	add_async_stores(list);
	add_async_reductions(list);
}
