/* Cache hints, of which every form that ptxas takes is taken, and every other one is refused with
 * its name. */
#include <stdlib.h>
#include <string.h>

#include "support_decode.h"
#include "support_machine.h"

static void hints_are_taken(void **state)
{
	static const char *const taken[] = {
		"ld.global.L1::evict_last.u32 %r1, [%rd1];",
		"ld.L1::evict_unchanged.u32 %r1, [%rd1];",
		"ld.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
		"ld.global.L1::evict_normal.L2::cache_hint.L2::64B.u32 %r1, [%rd1], %rd2;",
		"ld.global.L2::128B.ca.u32 %r1, [%rd1];",
		"ld.global.ca.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
		"ld.volatile.global.L2::128B.u32 %r1, [%rd1];",
		"ld.acquire.gpu.global.L1::no_allocate.L2::cache_hint.L2::256B.u32 %r1, [%rd1], "
		"%rd2;",
		"ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v2.u32 {%r1, %r2}, [%rd1], "
		"%rd2;",
		"ld.global.L2::evict_last.v4.b64 {%rd3, %rd4, %rd5, %rd6}, [%rd1];",
		"ld.global.u32 %r1, [%rd1].unified;",
		"st.global.L1::no_allocate.u32 [%rd1], %r1;",
		"st.global.L1::evict_first.L2::cache_hint.v2.u32 [%rd1], {%r1, %r2}, %rd2;",
		"st.release.gpu.L2::cache_hint.u32 [%rd1], %r1, %rd2;",
		"st.global.L2::evict_first.v4.b64 [%rd1], {%rd3, %rd4, %rd5, %rd6};",
		"atom.add.L2::cache_hint.u32 %r1, [%rd1], %r2, %rd2;",
		"atom.global.L2::cache_hint.exch.b32 %r1, [%rd1], %r2, %rd2;",
		"red.global.add.noftz.L2::cache_hint.f16x2 [%rd1], %r2, %rd2;",
		"cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd1], 16, %rd2;",
		"cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd1], 16, 8, %rd2;",
		"cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd1], 16, %r2, %rd2;",
		"cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd1], 16, %p1, %rd2;",
		"cp.async.ca.shared::cta.global.L2::128B.L2::cache_hint [%r3], [%rd1], 4, %rd2;",
		"prefetch.global.L1 [%rd1];",
		"prefetch.local.L2 [%rd1];",
		"prefetch.global.L2::evict_last [%rd1];",
		"prefetch.param.tensormap [%rd1];",
		"prefetchu.L1 [%rd1];",
		"applypriority.global.L2::evict_normal [%rd1], 128;",
		"createpolicy.fractional.L2::evict_first.b64 %rd2;",
		"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd2, 0.5;",
		"createpolicy.fractional.L2::evict_normal.b64 %rd2, %f1;",
		"createpolicy.fractional.L2::evict_unchanged.b64 %rd2, 0f3F000000;",
		"createpolicy.range.global.L2::evict_last.b64 %rd2, [%rd1], 128, 256;",
		"createpolicy.range.L2::evict_last.L2::evict_first.b64 %rd2, [%rd1], %r1, %r2;",
		"createpolicy.cvt.L2.b64 %rd2, %rd1;",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
		char *body = xasprintf("%s\nret;", taken[i]);
		struct decoded decoded = decode_body(body);

		decoded_release(&decoded);
		free(body);
	}
}

static void wrong_hints_are_refused_by_name(void **state)
{
	static const struct {
		const char *statement, *words;
	} refused[] = {
		{"ld.global.L2::cache_hint.u32 %r1, [%rd1];", "2 operands instead of 3"},
		{"ld.global.u32 %r1, [%rd1], %rd2;", "3 operands instead of 2"},
		{"ld.global.L2::cache_hint.u32 %r1, [%rd1], %r2;", "%r2 has 32 bits"},
		{"ld.shared.L1::evict_last.u32 %r1, [%r3];", "no hint .L1::evict_last"},
		{"ld.local.L2::128B.u32 %r1, [%r3];", "no hint .L2::128B"},
		{"ld.param.L1::evict_first.u32 %r1, [n];", "no hint .L1::evict_first"},
		{"ld.global.L2::evict_last.u32 %r1, [%rd1];", "no hint .L2::evict_last"},
		{"ld.global.L2::evict_unchanged.v4.b64 {%rd3, %rd4, %rd5, %rd6}, [%rd1];",
		 "no hint .L2::evict_unchanged"},
		{"ld.global.L1::evict_first.L1::evict_last.u32 %r1, [%rd1];",
		 "second hint of the kind of .L1::evict_last"},
		{"ld.global.L2::64B.L2::128B.u32 %r1, [%rd1];", "second hint"},
		{"ld.global.L2::32B.u32 %r1, [%rd1];", "no hint .L2::32B"},
		{"ld.global.ca.L1::evict_last.u32 %r1, [%rd1];", "no hint .L1::evict_last"},
		{"ld.volatile.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
		 "no hint .L2::cache_hint"},
		{"ldu.global.L2::128B.u32 %r1, [%rd1];", "no hint .L2::128B"},
		{"st.global.L2::128B.u32 [%rd1], %r1;", "no hint .L2::128B"},
		{"st.global.u32 [%rd1], %r1, %rd2;", "3 operands instead of 2"},
		{"st.shared.L1::evict_last.u32 [%r3], %r1;", "no hint .L1::evict_last"},
		{"atom.global.add.u32 %r1, [%rd1], %r2, %rd2;", "4 operands instead of 3"},
		{"atom.global.cas.L2::cache_hint.b32 %r1, [%rd1], %r2, %r3, %rd2;",
		 "no hint .L2::cache_hint"},
		{"atom.shared.add.L2::cache_hint.u32 %r1, [%r3], %r2, %rd2;",
		 "no hint .L2::cache_hint"},
		{"red.global.add.L2::cache_hint.u32 [%rd1], %r2;", "2 operands instead of 3"},
		{"red.global.add.L1::evict_last.u32 [%rd1], %r2;", "no hint .L1::evict_last"},
		{"cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd1], 16;",
		 "3 operands instead of 4"},
		{"cp.async.cg.shared.global [%r3], [%rd1], 16, %rd2;", "must have 32 bits"},
		{"cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd1], 16, %rd2, %r2;",
		 "%r2 has 32 bits"},
		{"cp.async.ca.shared.global.L2::evict_last [%r3], [%rd1], 4;",
		 "no hint .L2::evict_last"},
		{"prefetch.global.L1 [%rd1], 4;", "2 operands instead of 1"},
		{"prefetch.global.L1 %rd1;", "an address in []"},
		{"discard.global.L2 [%rd1], 64;", "the size must be 128"},
		{"discard.global.L2 [%rd1];", "1 operands instead of 2"},
		{"createpolicy.fractional.L2::evict_last.b64 %rd2, 2.0;", "a fraction"},
		{"createpolicy.fractional.L2::evict_last.b64 %rd2, 0.0;", "a fraction"},
		{"createpolicy.range.L2::evict_last.b64 %rd2, [%rd1], 128;",
		 "3 operands instead of 4"},
		{"createpolicy.range.L2::evict_last.b64 %rd2, [%rd1], %rd1, 128;",
		 "the sizes of a range"},
		{"createpolicy.cvt.L2.b64 %rd2, %r1;", "%r1 has 32 bits"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *body = xasprintf("%s\nret;", refused[i].statement);
		struct error err;

		if (decode_body_fails(body, &err, NULL) != PL_EPARSE ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].statement, err.text);
		free(body);
	}
}

static void other_instructions_on_caches_are_gaps(void **state)
{
	static const char *const gaps[] = {
		"prefetch.global.L3 [%rd1];",
		"prefetch.global [%rd1];",
		"prefetch.shared.L1 [%r3];",
		"prefetch.global.L2::evict_first [%rd1];",
		"prefetchu.L2 [%rd1];",
		"applypriority.global.L2::evict_last [%rd1], 128;",
		"discard.global.L1 [%rd1], 128;",
		"createpolicy.fractional.b64 %rd2, 0.5;",
		"createpolicy.fractional.L2::evict_last.L2::evict_normal.b64 %rd2, 0.5;",
		"createpolicy.fractional.L1::evict_last.b64 %rd2, 0.5;",
		"createpolicy.fractional.L2::evict_last.b32 %r2, 0.5;",
		"createpolicy.range.shared.L2::evict_last.b64 %rd2, [%r3], 128, 256;",
		"createpolicy.cvt.L1.b64 %rd2, %rd1;",
		"createpolicy.b64;",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		char *body = xasprintf("%s\nret;", gaps[i]);
		struct text words = TEXT_INIT;
		char *name = xasprintf("%.*s", (int)strcspn(gaps[i], " ;"), gaps[i]);
		struct error err;

		if (decode_body_fails(body, &err, &words) != PL_EUNSUPPORTED ||
		    !strstr(words.data, name))
			fail_msg("%s: %s %s", gaps[i], err.text, words.data);
		text_release(&words);
		free(name);
		free(body);
	}
}

/* The policy comes last, whatever else the copy has. */
static void copies_with_a_policy_copy(void **state)
{
	static const uint32_t numbers[] = {11, 22, 33, 44};
	static const struct {
		const char *amount;
		uint32_t third;
	} copies[] = {{"16, %rd5", 33}, {"16, 8, %rd5", 0}, {"16, %p1, %rd5", 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		char *ptx = xasprintf("%s%s%s",
				      MACHINE_HEADER
				      ".visible .entry k(.param .u64 out, .param .u64 in, "
				      ".param .u32 n)\n{\n" MACHINE_REGISTERS
				      "ld.param.u64 %rd3, [out];\nld.param.u64 %rd2, [in];\n"
				      ".shared .align 16 .b8 cell[16];\nmov.u32 %r5, cell;\n"
				      "createpolicy.fractional.L2::evict_first.b64 %rd5, 1.0;\n"
				      "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n"
				      "cp.async.cg.shared.global.L2::cache_hint [%r5], [%rd2], ",
				      copies[i].amount,
				      ";\ncp.async.wait_all;\nld.shared.u32 %r6, [%r5+8];\n"
				      "st.global.L2::cache_hint.u32 [%rd3], %r6, %rd5;\nret;\n}\n");
		struct machine_result result = machine_run(&(struct machine_case){
			.ptx = ptx, .in = numbers, .in_words = ARRAY_SIZE(numbers)});

		assert_int_equal(result.findings.count, 0);
		assert_int_equal(result.out[0], copies[i].third);
		machine_release(&result);
		free(ptx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hints_are_taken),
		cmocka_unit_test(wrong_hints_are_refused_by_name),
		cmocka_unit_test(other_instructions_on_caches_are_gaps),
		cmocka_unit_test(copies_with_a_policy_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
