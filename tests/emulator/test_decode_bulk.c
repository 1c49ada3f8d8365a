/* How statements with bulk and tensor copies are decoded, and which are refused. */
#include "support_bulk.h"
#include "support_decode.h"

#include <stdlib.h>
#include <string.h>

#define LOAD_BOX(rank) \
	"cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define LOAD_IMAGE(rank) \
	"cp.async.bulk.tensor." rank ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
#define STORE_IMAGE(reduce, rank, operation)                                   \
	"cp." reduce "async.bulk.tensor." rank ".global.shared::cta" operation \
	".im2col_no_offs.bulk_group"
#define STORE_BOX(rank) "cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group"

struct accepted {
	const char *statement, *shape;
};

static void assert_accepted(const struct accepted *accepted, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *body = xasprintf("%s\nret;", accepted[i].statement);
		struct decoded decoded = decode_body(body);

		/* Registers that nothing wrote are set first. */
		if (!strstr(code_shape(decoded.function), accepted[i].shape))
			fail_msg("%s: %s", accepted[i].statement, code_shape(decoded.function));
		decoded_release(&decoded);
		free(body);
	}
}

struct refused {
	const char *statement;
	int rc;
	const char *words;
};

static void assert_refused(const struct refused *refused, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *body = xasprintf("%s\nret;", refused[i].statement);
		struct error err = {0};

		if (decode_body_fails(body, &err, NULL) != refused[i].rc ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].statement, err.text);
		free(body);
	}
}

static void bulk_copies_are_decoded(void **state)
{
	static const struct accepted accepted[] = {
		{LOAD " [%r1], [%rd1], 64, [%r2];", "BULK_COPY RET"},
		{LOAD ".L2::cache_hint [%r1+16], [%rd1], %r3, [%r2], %rd2;", "BULK_COPY RET"},
		{LOAD ".multicast::cluster.L2::cache_hint [%r1], [%rd1], 64, [%r2], %h1, %rd2;",
		 "BULK_COPY RET"},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%rd2], "
		 "[%rd1+-16], "
		 "64, [%rd3];",
		 "BULK_COPY RET"},
		{WITHIN " [%r1], [%r2], 64, [%r3];", "BULK_COPY RET"},
		{STORE_GROUP " [%rd1], [%r1], 64;", "BULK_COPY RET"},
		{STORE_GROUP ".L2::cache_hint [%rd1], [%r1], 64, %rd2;", "BULK_COPY RET"},
		{STORE_GROUP ".cp_mask [%rd1], [%r1], 64, %h1;", "BULK_COPY RET"},
		{STORE_GROUP ".L2::cache_hint.cp_mask [%rd1], [%r1], 64, %rd2, %h1;",
		 "BULK_COPY RET"},
		{"cp.async.bulk.prefetch.L2.global [%rd1], 64;", "NOTHING RET"},
		{"cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], %r1, %rd2;",
		 "NOTHING RET"},
		{"cp.async.bulk.commit_group;", "BULK_COMMIT RET"},
		{"cp.async.bulk.wait_group 0;", "BULK_WAIT RET"},
		{"cp.async.bulk.wait_group.read 7;", "BULK_WAIT RET"},
		{REDUCE ".add.f32 [%rd1], [%r1], 64;", "BULK_REDUCE RET"},
		{REDUCE ".add.noftz.bf16 [%rd1], [%r1], 64;", "BULK_REDUCE RET"},
		{REDUCE ".L2::cache_hint.max.s64 [%rd1], [%r1], 64, %rd2;", "BULK_REDUCE RET"},
		{REDUCE_SHARED ".xor.b32 [%r1], [%r2], 64, [%r3];", "BULK_REDUCE RET"},
	};

	(void)state;
	assert_accepted(accepted, ARRAY_SIZE(accepted));
}

static void other_bulk_copies_are_refused(void **state)
{
	static const struct refused refused[] = {
		{WITHIN ".multicast::cluster [%r1], [%r2], 64, [%r2], %h1;", PL_EUNSUPPORTED,
		 "multicast::cluster"},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster "
		 "[%r1], [%rd1], 64, [%r2], %h1;",
		 PL_EUNSUPPORTED, "multicast::cluster"},
		{LOAD ".bulk_group [%r1], [%rd1], 64, [%r2];", PL_EUNSUPPORTED, "bulk_group"},
		{LOAD ".cp_mask [%r1], [%rd1], 64, [%r2], %h1;", PL_EUNSUPPORTED, "cp_mask"},
		{LOAD ".add.u32 [%r1], [%rd1], 64, [%r2];", PL_EUNSUPPORTED, "add.u32"},
		{"cp.async.bulk.global.shared::cluster.bulk_group [%rd1], [%r1], 64;",
		 PL_EUNSUPPORTED, "global.shared::cluster"},
		{"cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r1], "
		 "64, [%r2];",
		 PL_EUNSUPPORTED, "shared::cta.shared::cta"},
		{"cp.async.bulk.global.global.bulk_group [%rd1], [%rd1], 64;", PL_EUNSUPPORTED,
		 "global.global"},
		{"cp.async.bulk.wait_all;", PL_EUNSUPPORTED, "wait_all"},
		{"cp.async.bulk.prefetch.L1.global [%rd1], 64;", PL_EUNSUPPORTED, "L1"},
		{REDUCE ".add.f16 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "add.f16"},
		{REDUCE ".add.noftz.f32 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "noftz.f32"},
		{REDUCE ".exch.b32 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "exch"},
		{REDUCE ".and.u32 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "and.u32"},
		{REDUCE ".inc.u64 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "inc.u64"},
		{REDUCE " [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "cp.reduce"},
		{REDUCE_SHARED ".add.f32 [%r1], [%r2], 64, [%r3];", PL_EUNSUPPORTED, "add.f32"},
		{REDUCE_SHARED ".and.b64 [%r1], [%r2], 64, [%r3];", PL_EUNSUPPORTED, "and.b64"},
		/* operands that do not fit */
		{LOAD " [%r1], [%rd1], 64;", PL_EPARSE, "operands"},
		{LOAD " [%r1], [%rd1], 64, [%r2], %rd2;", PL_EPARSE, "operands"},
		{LOAD " [%r1], [%r1], 64, [%r2];", PL_EPARSE, "32-bit register"},
		{LOAD " [%r1], [%rd1], 64, %r2;", PL_EPARSE, "address in []"},
		{LOAD " [%r1], [p], 64, [%r2];", PL_EPARSE, "a param variable"},
		{STORE_GROUP " [%rd1], [%r1], 64, [%r2];", PL_EPARSE, "operands"},
		{STORE_GROUP ".cp_mask [%rd1], [%r1], 64, %p1;", PL_EPARSE, "16"},
		{"cp.async.bulk.commit_group 0;", PL_EPARSE, "operands"},
		{"cp.async.bulk.wait_group %r1;", PL_EPARSE, "a number of groups"},
		{"cp.async.bulk.wait_group.read -1;", PL_EPARSE, "a number of groups"},
	};

	(void)state;
	assert_refused(refused, ARRAY_SIZE(refused));
}

static void tensor_copies_are_decoded(void **state)
{
	static const struct accepted accepted[] = {
		{LOAD_BOX("1d") " [%r1], [%rd1, {%r2}], [%r3];", "BULK_COPY RET"},
		{LOAD_BOX("5d") " [%r1], [%rd1, {%r2, 0, -1, %r2, 4}], [%r3];", "BULK_COPY RET"},
		{"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes"
		 ".L2::cache_hint [%r1], [%rd1, {%r2, %r3}], [%r3], %rd2;",
		 "BULK_COPY RET"},
		{LOAD_BOX("1d") ".multicast::cluster.L2::cache_hint [%r1], [%rd1, {%r2}], [%r3], "
				"%h1, "
				"%rd2;",
		 "BULK_COPY RET"},
		{STORE_BOX("3d") " [%rd1, {%r2, %r3, 0}], [%r1];", "BULK_COPY RET"},
		{"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint "
		 "[%rd1, {%r2, %r3}], [%r1], %rd2;",
		 "BULK_COPY RET"},
		{"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
		 "[%rd1, {%r2, %r3}], [%r1];",
		 "BULK_REDUCE RET"},
		{"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r2, %r3}];",
		 "NOTHING RET"},
		{"prefetch.tensormap [%rd1];", "NOTHING RET"},
		{"prefetch.param.tensormap [%rd1];", "NOTHING RET"},
		{LOAD_IMAGE("3d") " [%r1], [%rd1, {%r2, 0, 1}], [%r3], {%h1};", "BULK_COPY RET"},
		{LOAD_IMAGE("5d") ".multicast::cluster.L2::cache_hint [%r1], "
				  "[%rd1, {%r2, 0, 1, 2, 3}], [%r3], {%h1, 2, 3}, %h2, %rd2;",
		 "BULK_COPY RET"},
		{STORE_IMAGE("", "4d", "") " [%rd1, {%r2, 0, 1, 2}], [%r1];", "BULK_COPY RET"},
		{STORE_IMAGE("reduce.", "3d", ".min") " [%rd1, {%r2, 0, 1}], [%r1];",
		 "BULK_REDUCE RET"},
		{"cp.async.bulk.prefetch.tensor.3d.L2.global.im2col.L2::cache_hint "
		 "[%rd1, {%r2, 0, 1}], {%h1}, %rd2;",
		 "NOTHING RET"},
	};

	(void)state;
	assert_accepted(accepted, ARRAY_SIZE(accepted));
}

static void other_tensor_copies_are_refused(void **state)
{
	static const struct refused refused[] = {
		{"cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::"
		 "bytes [%r1], [%rd1, {%r2, %r2, %r2}], [%r3], {%h1, %h2};",
		 PL_EUNSUPPORTED, "im2col::w"},
		{LOAD_IMAGE("2d") " [%r1], [%rd1, {%r2, %r2}], [%r3], {%h1};", PL_EUNSUPPORTED,
		 "im2col"},
		{LOAD_BOX("3d") ".im2col [%r1], [%rd1, {%r2, %r2, %r2}], [%r3], {%h1};",
		 PL_EUNSUPPORTED, "im2col"},
		{"cp.async.bulk.tensor.3d.shared::cluster.global.im2col_no_offs"
		 ".mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r2, %r2}], [%r3];",
		 PL_EUNSUPPORTED, "im2col_no_offs"},
		{"cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group "
		 "[%rd1, {%r2, %r2, %r2}], [%r1];",
		 PL_EUNSUPPORTED, "im2col"},
		{"cp.async.bulk.prefetch.tensor.3d.L2.global.im2col_no_offs [%rd1, {%r2, %r2, "
		 "%r2}];",
		 PL_EUNSUPPORTED, "im2col_no_offs"},
		{"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_"
		 "tx"
		 "::bytes [%r1], [%rd1, {%r2, %r2, %r2, %r2, %r2}], [%r3];",
		 PL_EUNSUPPORTED, "tile::gather4"},
		{"cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
		 ".multicast::cluster [%r1], [%rd1, {%r2, %r2}], [%r3], %h1;",
		 PL_EUNSUPPORTED, "multicast::cluster"},
		{LOAD_BOX("6d") " [%r1], [%rd1, {%r2}], [%r3];", PL_EUNSUPPORTED, "6d"},
		{"cp.async.bulk.tensor.2d.shared::cluster.shared::cta.tile.bulk_group "
		 "[%r1, {%r2, %r2}], [%r3];",
		 PL_EUNSUPPORTED, "shared::cluster.shared::cta"},
		{"cp.async.bulk.tensor.2d.global.shared::cta.mbarrier::complete_tx::bytes "
		 "[%rd1, {%r2, %r2}], [%r3];",
		 PL_EUNSUPPORTED, "mbarrier"},
		{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.exch.bulk_group [%rd1, {%r2}], "
		 "[%r3];",
		 PL_EUNSUPPORTED, "exch"},
		{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r2}], "
		 "[%r3];",
		 PL_EUNSUPPORTED, "cp.reduce"},
		{STORE_BOX("1d") ".add [%rd1, {%r2}], [%r3];", PL_EUNSUPPORTED, "add"},
		/* operands that do not fit */
		{LOAD_BOX("2d") " [%r1], [%rd1, {%r2}], [%r3];", PL_EPARSE, "with 2 coordinates"},
		{LOAD_BOX("2d") " [%r1], [%rd1], [%r3];", PL_EPARSE, "with 2 coordinates"},
		{LOAD_BOX("2d") " [%r1], [%rd1, %r2, %r2], [%r3];", PL_EPARSE,
		 "with 2 coordinates"},
		{LOAD_BOX("1d") " [%r1], [%rd1, {%h1}], [%r3];", PL_EPARSE, "needs 32"},
		{LOAD_BOX("1d") " [%r1], [%r1, {%r2}], [%r3];", PL_EPARSE, "32-bit register"},
		{LOAD_BOX("1d") " [%r1], [p, {%r2}], [%r3];", PL_EPARSE, "must be a register"},
		{LOAD_BOX("1d") " [%r1], [%rd1, {%r2}];", PL_EPARSE, "operands"},
		{LOAD_IMAGE("4d") " [%r1], [%rd1, {%r2, 0, 1, 2}], [%r3], {%h1};", PL_EPARSE,
		 "an im2col load of 4 dimensions needs {…} with 2 offsets"},
		{LOAD_IMAGE("3d") " [%r1], [%rd1, {%r2, 0, 1}], [%r3], %h1;", PL_EPARSE,
		 "with 1 offsets"},
		{LOAD_IMAGE("3d") " [%r1], [%rd1, {%r2, 0, 1}], [%r3];", PL_EPARSE, "operands"},
		{STORE_BOX("1d") " [%rd1, {%r2}], [%r1], [%r3];", PL_EPARSE, "operands"},
	};

	(void)state;
	assert_refused(refused, ARRAY_SIZE(refused));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bulk_copies_are_decoded),
		cmocka_unit_test(other_bulk_copies_are_refused),
		cmocka_unit_test(tensor_copies_are_decoded),
		cmocka_unit_test(other_tensor_copies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
