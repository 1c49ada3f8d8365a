#include "copies.h"

#include <stdlib.h>
#include <string.h>

/* From global memory to the first area, and from there to `out`. */
static void add_loads(struct copy_list *list)
{
	static const char *const forms[] = {
		".shared::cluster.global.mbarrier::complete_tx::bytes",
		".shared::cta.global.mbarrier::complete_tx::bytes",
		".shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint",
	};
	static const unsigned sizes[] = {0, 16, 48, 256, 1040};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct text body = TEXT_INIT;

		text_addf(&body,
			  COPY_EXPECT
			  "%u;\nmov.u32 %%r5, %u;\nadd.u64 %%d1, %%in, 32;\n@%%lead cp.async.bulk"
			  ".shared::cluster.global.mbarrier::complete_tx::bytes [%%a+16], [%%d1], "
			  "%%r5, [%%bar];\n" COPY_WAIT,
			  sizes[i], sizes[i]);
		copy_dump(&body, "%a", 0, 272, COPY_WAITED);
		copy_add(list, xasprintf("bulk load of %u bytes", sizes[i]), text_detach(&body),
			 273);
	}
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct text body = TEXT_INIT;

		if (i == 2)
			text_add(&body, "createpolicy.fractional.L2::evict_first.b64 %d1, 1.0;\n");
		text_addf(&body,
			  COPY_EXPECT
			  "64;\n@%%lead cp.async.bulk.prefetch.L2.global [%%in], 64;\n"
			  "@%%lead cp.async.bulk%s [%%a], [%%in], 64, [%%bar]%s;\n" COPY_WAIT,
			  forms[i], i == 2 ? ", %d1" : "");
		copy_dump(&body, "%a", 0, 24, COPY_WAITED);
		copy_add(list, xasprintf("bulk load form %s", forms[i]), text_detach(&body), 25);
	}
}

static void add_bulk_stores(struct copy_list *list)
{
	static const unsigned sizes[] = {0, 16, 48, 1040};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		copy_add(list, xasprintf("bulk store of %u bytes", sizes[i]),
			 xasprintf("mov.u32 %%r5, %u;\n@%%lead cp.async.bulk.global.shared::cta"
				   ".bulk_group [%%out+16], [%%a+32], %%r5;\n" COPY_COMMIT,
				   sizes[i]),
			 272)
			->area_from_in = true;
	copy_add(list, xstrdup("bulk store, wait for the read"),
		 xasprintf("@%%lead cp.async.bulk.global.shared::cta.bulk_group [%%out], [%%a], 64;"
			   "\n@%%lead cp.async.bulk.commit_group;\n"
			   "@%%lead cp.async.bulk.wait_group.read 0;\n"),
		 16);
}

/* Sends bytes from the first area of each block to the second one of the block with the next rank,
 * and signals the mbarrier there. With `to_own`, to that of its own block. */
static void add_send(struct copy_list *list, char *name, const char *copy, unsigned bytes,
		     unsigned blocks, bool to_own)
{
	struct text body = TEXT_INIT;
	struct copy_case *work;

	text_addf(&body,
		  COPY_EXPECT
		  "%u;\n" COPY_CLUSTER_SYNC
		  "add.u32 %%r5, %%rank, %d;\nrem.u32 %%r5, %%r5, %%size;\n"
		  "mapa.shared::cluster.u32 %%r6, %%b, %%r5;\n"
		  "mapa.shared::cluster.u32 %%r7, %%bar, %%r5;\n"
		  "@%%lead %s.shared::cluster.shared::cta.mbarrier::complete_tx::bytes%s "
		  "[%%r6+32], [%%a+16], %u, [%%r7];\n" COPY_WAIT COPY_CLUSTER_SYNC,
		  bytes, to_own ? 0 : 1, *copy ? "cp.reduce.async.bulk" : "cp.async.bulk", copy,
		  bytes);
	copy_dump(&body, "%b", 0, bytes / 4 + 16, COPY_WAITED);
	work = copy_add(list, name, text_detach(&body), bytes / 4 + 17);
	copy_set_cluster(work, blocks, 1, 1);
}

static void add_sends(struct copy_list *list)
{
	add_send(list, xstrdup("bulk copy within a block"), "", 64, 1, true);
	add_send(list, xstrdup("bulk copy to the own rank of 2"), "", 64, 2, true);
	add_send(list, xstrdup("bulk copy to the next rank of 2"), "", 64, 2, false);
	add_send(list, xstrdup("bulk copy to the next rank of 4"), "", 1024, 4, false);
	add_send(list, xstrdup("bulk copy to the next rank of 8"), "", 16, 8, false);
}

static void add_bulk_multicasts(struct copy_list *list)
{
	static const unsigned casts[][2] = {{2, 3}, {2, 2}, {4, 15}, {4, 5}, {4, 6}};

	for (size_t i = 0; i < ARRAY_SIZE(casts); i++) {
		const unsigned blocks = casts[i][0], mask = casts[i][1];
		struct text body = TEXT_INIT;

		text_addf(
			&body,
			COPY_EXPECT
			"64;\n" COPY_CLUSTER_SYNC
			"mov.u16 %%h0, %u;\nsetp.eq.and.u32 %%p, %%rank, 0, %%lead;\n"
			"@%%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
			".multicast::cluster [%%a+16], [%%in], 64, [%%bar], %%h0;\n"
			"mov.u32 %%ok, 2;\nshr.u32 %%r5, %u, %%rank;\nand.b32 %%r5, %%r5, 1;\n"
			"setp.eq.u32 %%p, %%r5, 0;\n@%%p bra WAITED;\n" COPY_WAIT COPY_CLUSTER_SYNC,
			mask, mask);
		copy_dump(&body, "%a", 0, 24, COPY_WAITED);
		copy_set_cluster(copy_add(list, xasprintf("bulk multicast %x of %u", mask, blocks),
					  text_detach(&body), 25),
				 blocks, 1, 1);
	}
}

struct reduction {
	const char *name, *type; /* "add.noftz.f16", "f16" */
	bool of_shared;
};
static const struct reduction bulk_cases[] = {
	{"add.u32", "u32", true},          {"add.s32", "u32", true},
	{"add.u64", "u64", true},          {"add.f32", "f32", false},
	{"add.f64", "f64", false},         {"add.noftz.f16", "f16", false},
	{"add.noftz.bf16", "bf16", false}, {"min.u32", "u32", true},
	{"min.s32", "u32", true},          {"min.u64", "u64", false},
	{"min.s64", "u64", false},         {"min.f16", "f16", false},
	{"min.bf16", "bf16", false},       {"max.u32", "u32", true},
	{"max.s32", "u32", true},          {"max.u64", "u64", false},
	{"max.s64", "u64", false},         {"max.f16", "f16", false},
	{"max.bf16", "bf16", false},       {"inc.u32", "u32", true},
	{"dec.u32", "u32", true},          {"and.b32", "u32", true},
	{"and.b64", "u64", false},         {"or.b32", "u32", true},
	{"or.b64", "u64", false},          {"xor.b32", "u32", true},
	{"xor.b64", "u64", false},
};

static unsigned bytes_of_pairs(const struct reduction *reduction)
{
	static const char *const names[] = {"f16", "bf16", "u64", "f64"};
	size_t i = 0;

	while (i < ARRAY_SIZE(names) && strcmp(names[i], reduction->type) != 0)
		i++;
	return COPY_SPECIALS * COPY_SPECIALS * (i < 2 ? 2 : i < 4 ? 8 : 4);
}

/* All pairs of special values: in global memory, and in the second area of the own block and of
 * another one. That area first gets the old values. */
static void add_bulk_reductions(struct copy_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(bulk_cases); i++) {
		const struct reduction *reduction = &bulk_cases[i];
		const unsigned bytes = bytes_of_pairs(reduction);
		struct copy_case *copy = copy_add(
			list, xasprintf("bulk reduce %s in global memory", reduction->name),
			xasprintf("@%%lead cp.reduce.async.bulk.global.shared::cta.bulk_group.%s "
				  "[%%out], [%%a], %u;\n" COPY_COMMIT,
				  reduction->name, bytes),
			bytes / 4);

		copy->area_from_in = true;
		copy->in_fill = FILL_NEW;
		copy->out_fill = FILL_OLD;
		copy->type = reduction->type;
	}
}

static void add_shared_reductions(struct copy_list *list, unsigned blocks)
{
	for (size_t i = 0; i < ARRAY_SIZE(bulk_cases); i++) {
		const struct reduction *reduction = &bulk_cases[i];
		const unsigned bytes = bytes_of_pairs(reduction);
		struct text body = TEXT_INIT;
		struct copy_case *copy;

		if (!reduction->of_shared)
			continue;
		text_addf(&body,
			  COPY_EXPECT
			  "%u;\nmov.u32 %%r5, %%thread;\nOLD:\nshl.b32 %%r6, %%r5, 2;\n"
			  "cvt.u64.u32 %%d1, %%r6;\nadd.u64 %%d1, %%d1, %%out;\n"
			  "add.u32 %%r6, %%r6, %%b;\nld.global.u32 %%r7, [%%d1];\n"
			  "st.shared.u32 [%%r6], %%r7;\nadd.u32 %%r5, %%r5, 32;\n"
			  "setp.lt.u32 %%p, %%r5, %u;\n@%%p bra OLD;\n" COPY_FENCE COPY_CLUSTER_SYNC
			  "add.u32 %%r5, %%rank, 1;\nrem.u32 %%r5, %%r5, %%size;\n"
			  "mapa.shared::cluster.u32 %%r6, %%b, %%r5;\n"
			  "mapa.shared::cluster.u32 %%r7, %%bar, %%r5;\n"
			  "@%%lead cp.reduce.async.bulk.shared::cluster.shared::cta"
			  ".mbarrier::complete_tx::bytes.%s [%%r6], [%%a], %u, [%%r7];\n" COPY_WAIT
				  COPY_CLUSTER_SYNC,
			  bytes, bytes / 4, reduction->name, bytes);
		/* The results replace the old values, and the word of the wait is one more. */
		copy_dump(&body, "%b", 0, bytes / 4, COPY_WAITED);
		copy = copy_add(list,
				xasprintf("bulk reduce %s in shared memory of %s", reduction->name,
					  blocks > 1 ? "the next rank" : "the block"),
				text_detach(&body), bytes / 4 + COPY_WAITED);
		copy_set_cluster(copy, blocks, 1, 1);
		copy->area_from_in = true;
		copy->in_fill = FILL_NEW;
		copy->out_fill = FILL_OLD;
		copy->type = reduction->type;
	}
}

void copies_add_bulk(struct copy_list *list)
{
	add_loads(list);
	add_bulk_stores(list);
	add_sends(list);
	add_bulk_multicasts(list);
	add_bulk_reductions(list);
	add_shared_reductions(list, 1);
	add_shared_reductions(list, 2);
}
