/* What a GPU may refuse: addresses, sizes, maps and masks that do not fit, and blocks that ended.
 */
#include "copies.h"

#include <stdlib.h>

#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
#define STORE "cp.async.bulk.global.shared::cta.bulk_group"
#define TENSOR "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"

/* One thread executes the statements, and a word of the output says that it has gone on. The two
 * blocks of a cluster stay until the end. */
static struct copy_case *add_fault(struct copy_list *list, const char *name, const char *statements,
				   int64_t blocks)
{
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	text_addf(&body,
		  "mov.u32 %%r9, 0;\nmov.u32 %%ok, 2;\nsetp.eq.and.u32 %%p, %%rank, 0, %%lead;\n"
		  "@!%%p bra PAST;\nmapa.shared::cluster.u32 %%r5, %%a, 1;\n"
		  "mapa.shared::cluster.u32 %%r6, %%bar, 1;\n%s"
		  "st.global.u32 [%%out+4], %%r9;\nPAST:\n",
		  statements);
	if (blocks > 1)
		text_add(&body, COPY_CLUSTER_SYNC);
	copy_dump(&body, "%a", 0, 30, 2);
	copy = copy_add(list, xasprintf("fault: %s", name), text_detach(&body), 32);
	copy_set_cluster(copy, blocks, 1, 1);
	copy->may_fault = true;
	return copy;
}

/* Waits in the statements of one thread. */
#define ONE_WAITS                                                                          \
	"mov.u32 %n, 0;\nAGAIN:\nmbarrier.test_wait.parity.shared.b64 %q, [%bar], 0;\n"    \
	"selp.u32 %ok, 1, 0, %q;\n@%q bra OVER;\nnanosleep.u32 500;\nadd.u32 %n, %n, 1;\n" \
	"setp.lt.u32 %q, %n, 2000;\n@%q bra AGAIN;\nOVER:\nst.global.u32 [%out], %ok;\n"
#define ONE_EXPECTS(bytes) "mbarrier.arrive.expect_tx.shared.b64 _, [%bar], " bytes ";\n"
#define GROUP_ENDS "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"

static void add_bulk_faults(struct copy_list *list)
{
	static const char *const cases[][2] = {
		{"load of 24 bytes", "mov.u32 %r7, 24;\n" ONE_EXPECTS("24") LOAD
		 " [%a], [%in], %r7, [%bar];\n" ONE_WAITS},
		{"load to byte 8",
		 ONE_EXPECTS("32") LOAD " [%a+8], [%in], 32, [%bar];\n" ONE_WAITS},
		{"load from byte 8",
		 ONE_EXPECTS("32") LOAD " [%a], [%in+8], 32, [%bar];\n" ONE_WAITS},
		{"load past shared memory", "add.u32 %r7, %a, 0x40000;\n" ONE_EXPECTS("32") LOAD
		 " [%r7], [%in], 32, [%bar];\n" ONE_WAITS},
		{"load from address 16", "mov.u64 %d1, 16;\n" ONE_EXPECTS("32") LOAD
		 " [%a], [%d1], 32, [%bar];\n" ONE_WAITS},
		{"load of 2 MiB",
		 "mov.u32 %r7, 0x200000;\n" LOAD " [%a], [%in], %r7, [%bar];\n" ONE_WAITS},
		{"load with an mbarrier at byte 4",
		 "add.u32 %r7, %bar, 4;\n" LOAD
		 " [%a], [%in], 32, [%r7];\nnanosleep.u32 100000;\n"},
		{"store to byte 8", STORE " [%out+8], [%a], 32;\n" GROUP_ENDS},
		{"store from byte 8", STORE " [%out], [%a+8], 32;\n" GROUP_ENDS},
		{"store of 24 bytes",
		 "mov.u32 %r7, 24;\n" STORE " [%out], [%a], %r7;\n" GROUP_ENDS},
		{"store to address 16",
		 "mov.u64 %d1, 16;\n" STORE " [%d1], [%a], 32;\n" GROUP_ENDS},
		{"store from past shared memory",
		 "add.u32 %r7, %a, 0x40000;\n" STORE " [%out], [%r7], 32;\n" GROUP_ENDS},
		{"reduction at byte 8", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add."
					"u32 [%out+8], [%a], 32;\n" GROUP_ENDS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		add_fault(list, cases[i][0], cases[i][1], 1);
}

static void add_tensor_faults(struct copy_list *list)
{
	static const struct {
		const char *name, *statements;
		enum tensor_type type;
	} cases[] = {
		{"box at byte 64",
		 ONE_EXPECTS("128") TENSOR " [%a+64], [%map, {0, 0}], [%bar];\n" ONE_WAITS,
		 TENSOR_U32},
		{"box at byte 16",
		 ONE_EXPECTS("128") TENSOR " [%a+16], [%map, {0, 0}], [%bar];\n" ONE_WAITS,
		 TENSOR_U32},
		{"box at byte 8",
		 ONE_EXPECTS("128") TENSOR " [%a+8], [%map, {0, 0}], [%bar];\n" ONE_WAITS,
		 TENSOR_U32},
		{"copy of 1 dimension with a map of 2",
		 ONE_EXPECTS("128") "cp.async.bulk.tensor.1d.shared::cluster.global.tile"
				    ".mbarrier::complete_tx::bytes [%a], [%map, {0}], "
				    "[%bar];\n" ONE_WAITS,
		 TENSOR_U32},
		{"copy of 3 dimensions with a map of 2",
		 ONE_EXPECTS("128") "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
				    ".mbarrier::complete_tx::bytes [%a], [%map, {0, 0, 0}], "
				    "[%bar];\n" ONE_WAITS,
		 TENSOR_U32},
		{"no map", ONE_EXPECTS("128") TENSOR " [%a], [%in, {0, 0}], [%bar];\n" ONE_WAITS,
		 TENSOR_U32},
		{"tensor reduce add i64",
		 "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
		 "[%map, {0, 0}], [%a];\n" GROUP_ENDS,
		 TENSOR_I64},
		{"tensor reduce max f32",
		 "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group "
		 "[%map, {0, 0}], [%a];\n" GROUP_ENDS,
		 TENSOR_F32},
		{"tensor reduce and f16",
		 "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.tile.bulk_group "
		 "[%map, {0, 0}], [%a];\n" GROUP_ENDS,
		 TENSOR_F16},
		{"tensor reduce inc i32",
		 "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group "
		 "[%map, {0, 0}], [%a];\n" GROUP_ENDS,
		 TENSOR_I32},
		{"tensor reduce add u8",
		 "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
		 "[%map, {0, 0}], [%a];\n" GROUP_ENDS,
		 TENSOR_U8},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct copy_case *copy = add_fault(list, cases[i].name, cases[i].statements, 1);
		const unsigned bytes = tensor_type_bytes(cases[i].type);

		copy->has_map = true;
		copy->map = (struct tensor_map){
			.type = cases[i].type,
			.rank = 2,
			.sizes = {64 / bytes, 16},
			.strides = {0, 64},
			.box = {32 / bytes, 4},
			.steps = {1, 1},
		};
	}
}

static void add_cluster_faults(struct copy_list *list)
{
	static const struct {
		const char *name, *statements;
		bool open; /* PTX leaves open what happens */
	} cases[] = {
		{"remote load past shared memory", "ld.shared::cluster.u32 %r9, [%r5+0x40000];\n",
		 false},
		{"remote store past shared memory", "st.shared::cluster.u32 [%r5+0x40000], 1;\n",
		 false},
		{"remote load 16 KiB on", "ld.shared::cluster.u32 %r9, [%r5+0x4000];\n", true},
		{"load of a rank that is not there",
		 "mapa.shared::cluster.u32 %r7, %a, 5;\nld.shared::cluster.u32 %r9, [%r7];\n",
		 false},
		{"remote load at byte 2", "ld.shared::cluster.u32 %r9, [%r5+2];\n", false},
		{"remote atomic at byte 2", "atom.shared::cluster.add.u32 %r9, [%r5+2], 1;\n",
		 false},
		{"remote load by shared::cta", "ld.shared.u32 %r9, [%r5];\n", false},
		{"remote store by shared::cta", "st.shared.u32 [%r5], 77;\n", false},
		{"own load by shared::cta of a mapped address",
		 "mapa.shared::cluster.u32 %r7, %a, 0;\nld.shared.u32 %r9, [%r7+4];\n", true},
		{"multicast to a rank that is not there",
		 "mov.u16 %h0, 6;\n" LOAD
		 ".multicast::cluster [%a], [%in], 64, [%bar], %h0;\nnanosleep.u32 100000;\n",
		 false},
		{"multicast to no rank",
		 "mov.u16 %h0, 0;\n" LOAD
		 ".multicast::cluster [%a], [%in], 64, [%bar], %h0;\nnanosleep.u32 100000;\n",
		 true},
		{"copy to a block, signal to another one",
		 ONE_EXPECTS("64") LOAD " [%r5], [%in], 64, [%bar];\n" ONE_WAITS, true},
		{"copy to the own block, signal to another one",
		 LOAD " [%a], [%in], 64, [%r6];\nnanosleep.u32 100000;\n", true},
		{"store from another block", STORE " [%out], [%r5], 32;\n" GROUP_ENDS, false},
		{"st.async past shared memory",
		 "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5+0x40000], 1, "
		 "[%r6];\nnanosleep.u32 100000;\n",
		 false},
		{"st.async at byte 2",
		 "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5+2], 1, [%r6];\n"
		 "nanosleep.u32 100000;\n",
		 false},
		{"remote arrive at byte 4",
		 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6+4];\n", false},
		{"getctarank of a generic address of global memory", "getctarank.u64 %r9, %out;\n",
		 true},
		{"arrive twice at the barrier of the cluster", "barrier.cluster.arrive;\n", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (cases[i].open)
			add_fault(list, cases[i].name, cases[i].statements, 2)->rule =
				COPY_RECORDED;
		else
			add_fault(list, cases[i].name, cases[i].statements, 2);
}

static void add_mbarrier_faults(struct copy_list *list)
{
	static const char *const cases[][2] = {
		{"mbarrier for 0 arrivals", "mbarrier.init.shared.b64 [%a], 0;\n"},
		{"mbarrier for 2^20 arrivals", "mov.u32 %r7, 0x100000;\n"
					       "mbarrier.init.shared.b64 [%a], %r7;\n"},
		{"mbarrier at byte 4", "mbarrier.init.shared.b64 [%a+4], 1;\n"},
		{"arrive with a count above the pending ones",
		 "mbarrier.arrive.shared.b64 _, [%bar+8], 5;\n"},
		{"expect 2^20 bytes", "mov.u32 %r7, 0x100000;\n"
				      "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar+8], %r7;\n"},
		{"noComplete of the last arrival",
		 "mbarrier.arrive.noComplete.shared.b64 %d1, [%bar], 1;\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		add_fault(list, cases[i][0], cases[i][1], 1)->rule = COPY_RECORDED;
}

/* Rank 1 has ended for some time when rank 0 accesses it. */
static void add_ended_blocks(struct copy_list *list)
{
	static const char *const cases[][2] = {
		{"load", "ld.shared::cluster.u32 %r9, [%r5];\n"},
		{"store", "st.shared::cluster.u32 [%r5], 1;\n"},
		{"atomic", "atom.shared::cluster.add.u32 %r9, [%r5], 1;\n"},
		{"bulk copy", LOAD " [%r5], [%in], 64, [%r6];\nnanosleep.u32 100000;\n"},
		{"arrive", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct copy_case *copy = copy_add(
			list, xasprintf("fault: %s of a block that has ended", cases[i][0]),
			xasprintf(
				"setp.ne.u32 %%p, %%rank, 0;\n@%%p exit;\n@!%%lead exit;\n"
				"mapa.shared::cluster.u32 %%r5, %%a, 1;\n"
				"mapa.shared::cluster.u32 %%r6, %%bar, 1;\nmov.u32 %%n, 0;\n"
				"SLEEP:\nnanosleep.u32 1000;\nadd.u32 %%n, %%n, 1;\n"
				"setp.lt.u32 %%p, %%n, 300;\n@%%p bra SLEEP;\nmov.u32 %%r9, 0;\n%s"
				"st.global.u32 [%%out], %%r9;\n",
				cases[i][1]),
			1);

		copy_set_cluster(copy, 2, 1, 1);
		copy->rule = COPY_RECORDED;
		copy->may_fault = true;
	}
}

void copies_add_faults(struct copy_list *list)
{
	add_cluster_faults(list);
	add_tensor_faults(list);
	add_bulk_faults(list);
	add_mbarrier_faults(list);
	add_ended_blocks(list);
}
