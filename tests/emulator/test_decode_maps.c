/* How changes of tensor maps, and their fences, are decoded, and which are refused. */
#include "support_bulk.h"
#include "support_decode.h"

#include <stdlib.h>
#include <string.h>

#define REPLACE "tensormap.replace.tile."
#define COPY "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."

static void changes_of_maps_are_decoded(void **state)
{
	static const struct {
		const char *statement, *shape;
	} accepted[] = {
		{REPLACE "global_address.shared::cta.b1024.b64 [%r1], %rd1;", "MAP_REPLACE RET"},
		{REPLACE "global_address.shared.b1024.b64 [%r1+128], %rd1;", "MAP_REPLACE RET"},
		{REPLACE "rank.global.b1024.b32 [%rd1], 1;", "MAP_REPLACE RET"},
		{REPLACE "box_dim.b1024.b32 [%rd1], 4, %r1;", "MAP_REPLACE RET"},
		{REPLACE "global_dim.global.b1024.b32 [%rd1], 0, %r1;", "MAP_REPLACE RET"},
		{REPLACE "global_stride.global.b1024.b64 [%rd1], 3, %rd2;", "MAP_REPLACE RET"},
		{REPLACE "element_stride.global.b1024.b32 [%rd1], 1, 2;", "MAP_REPLACE RET"},
		{REPLACE "elemtype.global.b1024.b32 [%rd1], 12;", "MAP_REPLACE RET"},
		{REPLACE "interleave_layout.global.b1024.b32 [%rd1], 0;", "MAP_REPLACE RET"},
		{REPLACE "interleave_layout.global.b1024.b32 [%rd1], 2;", "MAP_REPLACE RET"},
		{REPLACE "swizzle_mode.global.b1024.b32 [%rd1], 3;", "MAP_REPLACE RET"},
		{REPLACE "fill_mode.global.b1024.b32 [%rd1], 1;", "MAP_REPLACE RET"},
		{COPY "gpu.sync.aligned [%rd1], [%r1], 128;", "MAP_COPY RET"},
		{COPY "cta.sync.aligned [%rd1+128], [%rd2], 128;", "MAP_COPY RET"},
		{"fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;", "MAP_FENCE RET"},
		{"fence.proxy.tensormap::generic.acquire.cta [%rd1+64], 128;", "MAP_FENCE RET"},
		{"fence.proxy.tensormap::generic.release.sys;", "MAP_FENCE RET"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		char *body = xasprintf("%s\nret;", accepted[i].statement);
		struct decoded decoded = decode_body(body);

		/* Registers that nothing wrote are set first. */
		if (!strstr(code_shape(decoded.function), accepted[i].shape))
			fail_msg("%s: %s", accepted[i].statement, code_shape(decoded.function));
		decoded_release(&decoded);
		free(body);
	}
}

static void other_changes_are_refused(void **state)
{
	static const struct {
		const char *statement;
		int rc;
		const char *words;
	} refused[] = {
		{REPLACE "interleave_layout.global.b1024.b32 [%rd1], 3;", PL_EUNSUPPORTED,
		 "tensormap.replace.tile.interleave_layout of 3"},
		{REPLACE "elemtype.global.b1024.b32 [%rd1], 13;", PL_EUNSUPPORTED,
		 "tensormap.replace.tile.elemtype of 13"},
		{REPLACE "swizzle_mode.global.b1024.b32 [%rd1], 4;", PL_EUNSUPPORTED,
		 "tensormap.replace.tile.swizzle_mode of 4"},
		{REPLACE "fill_mode.global.b1024.b32 [%rd1], -1;", PL_EUNSUPPORTED,
		 "tensormap.replace.tile.fill_mode of 18446744073709551615"},
		{REPLACE "swizzle_atomicity.global.b1024.b32 [%rd1], 0;", PL_EUNSUPPORTED,
		 "swizzle_atomicity"},
		{"tensormap.replace.im2col.rank.global.b1024.b32 [%rd1], 1;", PL_EUNSUPPORTED,
		 "im2col"},
		{REPLACE "rank.local.b1024.b32 [%rd1], 1;", PL_EUNSUPPORTED, "local"},
		{REPLACE "rank.global.b1024.b64 [%rd1], 1;", PL_EUNSUPPORTED, "b64"},
		{REPLACE "global_address.global.b1024.b32 [%rd1], 1;", PL_EUNSUPPORTED, "b32"},
		{REPLACE "rank.global.b1024 [%rd1], 1;", PL_EUNSUPPORTED, "rank"},
		{"tensormap.replace.tile [%rd1], 1;", PL_EUNSUPPORTED, "tensormap"},
		{COPY "gpu [%rd1], [%r1], 128;", PL_EUNSUPPORTED, "cp_fenceproxy"},
		{COPY "warp.sync.aligned [%rd1], [%r1], 128;", PL_EUNSUPPORTED, "warp"},
		{"fence.proxy.tensormap::generic.acquire.warp [%rd1], 128;", PL_EUNSUPPORTED,
		 "warp"},
		{"fence.proxy.tensormap::generic.sc.gpu;", PL_EUNSUPPORTED, "sc"},
		{"fence.proxy.tensormap::generic;", PL_EUNSUPPORTED, "tensormap"},
		/* operands that do not fit */
		{REPLACE "box_dim.global.b1024.b32 [%rd1], 5, %r1;", PL_EPARSE,
		 "an immediate ordinal from 0 to 4"},
		{REPLACE "global_stride.global.b1024.b64 [%rd1], 4, %rd1;", PL_EPARSE,
		 "an immediate ordinal from 0 to 3"},
		{REPLACE "box_dim.global.b1024.b32 [%rd1], %r1, %r1;", PL_EPARSE,
		 "an immediate ordinal"},
		{REPLACE "box_dim.global.b1024.b32 [%rd1], 1;", PL_EPARSE, "operands"},
		{REPLACE "rank.global.b1024.b32 [%rd1], 0, 1;", PL_EPARSE, "operands"},
		{REPLACE "elemtype.global.b1024.b32 [%rd1], %r1;", PL_EPARSE,
		 "tensormap.replace.tile.elemtype needs an immediate value"},
		{REPLACE "rank.global.b1024.b32 [%rd1], %h1;", PL_EPARSE, "needs 32"},
		{REPLACE "rank.global.b1024.b32 %rd1, 1;", PL_EPARSE, "address"},
		{COPY "gpu.sync.aligned [%rd1], [%r1], 64;", PL_EPARSE,
		 "needs the size 128 of a tensor map"},
		{COPY "gpu.sync.aligned [%rd1], [%r1];", PL_EPARSE, "operands"},
		{"fence.proxy.tensormap::generic.acquire.gpu [%rd1], %r1;", PL_EPARSE,
		 "needs the size 128"},
		{"fence.proxy.tensormap::generic.acquire.gpu;", PL_EPARSE, "operands"},
		{"fence.proxy.tensormap::generic.release.gpu [%rd1], 128;", PL_EPARSE, "operands"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *body = xasprintf("%s\nret;", refused[i].statement);
		struct error err = {0};

		if (decode_body_fails(body, &err, NULL) != refused[i].rc ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].statement, err.text);
		free(body);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_of_maps_are_decoded),
		cmocka_unit_test(other_changes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
