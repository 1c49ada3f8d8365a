/* Registers and accesses of 128 bits. */
#include "support_machine.h"

#include <string.h>

#define REGISTERS ".reg .b128 %q<8>;\n"
static const uint32_t input[] = {1, 2, 3, 4, 5, 6, 7, 8};

static struct machine_result run(const char *ptx, int64_t blocks, int64_t threads, size_t words)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .in = input,
						  .in_words = ARRAY_SIZE(input),
						  .grid = {blocks},
						  .block = {threads},
						  .out_words = words,
						  .checked_blocks = -1,
						  .check_global = true});
}

static struct machine_result run_clean(const char *ptx, int64_t blocks, int64_t threads,
				       size_t words)
{
	struct machine_result result = run(ptx, blocks, threads, words);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

/* Through registers, shared and local memory; the halves change places. */
static void all_bits_are_moved(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(REGISTERS ".shared .align 16 .b8 area[32];\n"
					 "mov.b128 %q0, {%rd1, %rd1};\n"
					 ".local .align 16 .b8 own[16];\n.reg .b32 %area;\n"
					 "ld.global.b128 %q0, [%rd2+16];\n"
					 "mov.b128 {%rd4, %rd5}, %q0;\n"
					 "mov.b128 %q1, {%rd5, %rd4};\n"
					 "mov.u32 %area, area;\n"
					 "st.shared.b128 [%area+16], %q1;\n"
					 "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%area+16];\n"
					 "st.local.v4.u32 [own], {%r4, %r5, %r6, %r7};\n"
					 "ld.local.b128 %q2, [own];\nmov.b128 %q3, %q2;\n"
					 "mov.b128 {_, %rd6}, %q3;\n"
					 "st.release.gpu.global.b128 [%rd1], %q3;\n"
					 "st.global.u64 [%rd1+16], %rd6;\nret;\n"),
		1, 1, 6);
	static const uint32_t wanted[] = {7, 8, 5, 6, 5, 6};

	(void)state;
	assert_memory_equal(result.out, wanted, sizeof(wanted));
	machine_release(&result);
}

/* Each thread of 64 adds 1 to a number of 128 bits, which is 2^64 - 10 at first. */
#define ADDED(space, address)                                                         \
	"ld" space ".b128 %q0, [" address "];\nRETRY:\nmov.b128 {%rd4, %rd5}, %q0;\n" \
	"add.cc.u64 %rd6, %rd4, 1;\naddc.u64 %rd7, %rd5, 0;\n"                        \
	"mov.b128 %q1, {%rd6, %rd7};\natom" space ".cas.b128 %q2, [" address          \
	"], %q0, %q1;\nmov.b128 {%rd6, %rd7}, %q2;\nsetp.ne.u64 %p1, %rd6, %rd4;\n"   \
	"setp.ne.u64 %p2, %rd7, %rd5;\nor.pred %p1, %p1, %p2;\nmov.b128 %q0, %q2;\n"  \
	"@%p1 bra RETRY;\n"
#define BEGUN(space, address)                                                        \
	"setp.eq.u32 %p3, %r1, 0;\n@%p3 mov.u64 %rd4, -10;\n@%p3 mov.u64 %rd5, 0;\n" \
	"@%p3 st" space ".v2.u64 [" address "], {%rd4, %rd5};\nbar.sync 0;\n"

static void a_sum_by_cas_carries(void **state)
{
	static const char *const texts[] = {
		MACHINE_KERNEL(REGISTERS BEGUN(".global", "%rd1")
				       ADDED(".relaxed.gpu.global", "%rd1") "ret;\n"),
		/* What the load guessed the atomic corrects, so that it is no race. */
		MACHINE_KERNEL(REGISTERS BEGUN(".global", "%rd1")
				       ADDED(".global", "%rd1") "ret;\n"),
		MACHINE_KERNEL(
			REGISTERS
			".shared .align 16 .b8 area[32];\n" BEGUN(".shared", "area+16") ADDED(
				".relaxed.cta.shared",
				"area+16") "bar.sync 0;\n@%p3 ld.shared.v2.u64 {%rd4, %rd5}, "
					   "[area+16];\n"
					   "@%p3 st.global.v2.u64 [%rd1], {%rd4, %rd5};\nret;\n"),
		MACHINE_KERNEL(
			REGISTERS
			".shared .align 16 .b8 area[32];\nmov.u64 %rd8, area;\n"
			"cvta.shared.u64 %rd8, %rd8;\n" BEGUN("", "%rd8+16") ADDED(
				".relaxed.cta",
				"%rd8+16") "bar.sync 0;\n@%p3 ld.v2.u64 {%rd4, %rd5}, [%rd8+16];\n"
					   "@%p3 st.global.v2.u64 [%rd1], {%rd4, %rd5};\nret;\n"),
	};
	static const uint32_t wanted[] = {54, 0, 1, 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct machine_result result = run_clean(texts[i], 1, 64, 4);

		assert_memory_equal(result.out, wanted, sizeof(wanted));
		machine_release(&result);
	}
}

/* Threads put their numbers, and get what was there: each of 33 values once. */
static void exchanged_values_are_whole(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(
			REGISTERS
			"add.u32 %r4, %r1, 1;\ncvt.u64.u32 %rd4, %r4;\nneg.s64 %rd5, %rd4;\n"
			"mov.b128 %q0, {%rd4, %rd5};\natom.global.exch.b128 %q0, [%rd1], %q0;\n"
			"mov.b128 {%rd4, %rd5}, %q0;\nmul.wide.u32 %rd6, %r4, 16;\n"
			"add.s64 %rd6, %rd1, %rd6;\nst.global.v2.u64 [%rd6], {%rd4, %rd5};\n"
			"ret;\n"),
		1, 32, 132);
	bool seen[33] = {false};

	(void)state;
	for (size_t i = 0; i < 33; i++) {
		const uint32_t *value = result.out + 4 * i;

		assert_in_range(value[0], 0, 32);
		assert_int_equal(value[1], 0);
		assert_int_equal(value[2], -value[0]);
		assert_int_equal(value[3], value[0] ? UINT32_MAX : 0);
		assert_false(seen[value[0]]);
		seen[value[0]] = true;
	}
	machine_release(&result);
}

/* A value that differs in one half only is not replaced; a result that nobody wants is none. */
static void a_cas_compares_both_halves(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(REGISTERS
			       "mov.u64 %rd4, 4;\nmov.u64 %rd5, 9;\nmov.u64 %rd6, 0;\n"
			       "st.global.v2.u64 [%rd1], {%rd4, %rd5};\n"
			       "mov.b128 %q0, {%rd4, %rd6};\nmov.b128 %q1, {%rd6, %rd5};\n"
			       "mov.b128 %q2, {%rd4, %rd5};\nmov.b128 %q3, {%rd5, %rd4};\n"
			       "atom.global.cas.b128 %q4, [%rd1], %q0, %q3;\n"
			       "atom.global.cas.b128 %q5, [%rd1], %q1, %q3;\n"
			       "st.global.b128 [%rd1+16], %q5;\n"
			       "atom.global.cas.b128 _, [%rd1], %q2, %q3;\nret;\n"),
		1, 1, 8);
	static const uint32_t wanted[] = {9, 0, 4, 0, 4, 0, 9, 0};

	(void)state;
	assert_memory_equal(result.out, wanted, sizeof(wanted));
	machine_release(&result);
}

static void accesses_are_aligned_to_16_bytes(void **state)
{
	static const char *const texts[] = {
		MACHINE_KERNEL(REGISTERS "ld.global.b128 %q0, [%rd2+8];\nret;\n"),
		MACHINE_KERNEL(REGISTERS "mov.b128 %q0, {%rd1, %rd1};\n"
					 "atom.global.exch.b128 %q0, [%rd1+8], %q0;\nret;\n"),
		MACHINE_KERNEL(REGISTERS ".shared .align 16 .b8 area[32];\n"
					 "atom.shared.exch.b128 %q0, [area+8], %q0;\nret;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct machine_result result = run(texts[i], 1, 1, 8);

		assert_finding(&result, FINDING_MISALIGNED, 0, "16");
		machine_release(&result);
	}
}

/* Lanes whose guard is false keep both halves. */
static void a_guard_holds_for_both_halves(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(REGISTERS
			       "cvt.u64.u32 %rd4, %r1;\nmov.b128 %q0, {%rd4, %rd4};\n"
			       "and.b32 %r4, %r1, 1;\nsetp.ne.u32 %p1, %r4, 0;\n"
			       "@%p1 ld.global.b128 %q0, [%rd2];\nmul.wide.u32 %rd5, %r1, 16;\n"
			       "add.s64 %rd5, %rd1, %rd5;\nst.global.b128 [%rd5], %q0;\nret;\n"),
		1, 32, 128);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal(result.out[4 * t + i], t % 2 ? i + 1 : i % 2 ? 0 : t);
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_bits_are_moved),
		cmocka_unit_test(a_sum_by_cas_carries),
		cmocka_unit_test(exchanged_values_are_whole),
		cmocka_unit_test(a_cas_compares_both_halves),
		cmocka_unit_test(accesses_are_aligned_to_16_bytes),
		cmocka_unit_test(a_guard_holds_for_both_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
