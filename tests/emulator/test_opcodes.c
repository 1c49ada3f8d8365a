/*
 * Runs every opcode in the emulator, with each set of lanes, and compares with the results of a GPU
 * for the same PTX and inputs: tests/golden/ptx/opcodes.txt.zst, which tests/gpu/opcodes.sh writes.
 */
#include "support_golden.h"
#include "tests/emulator/opcodes.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/emulator.h"
#include "emulator/lanes/handlers.h"
#include "emulator/language/module.h"
#include "emulator/program/program.h"

#define GOLDEN "tests/golden/ptx/opcodes.txt.zst"

struct fixture {
	struct opcode_list opcodes;
	struct golden golden;
};

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	fixture->opcodes = opcode_list_create();
	*state = fixture;
	golden_read(&fixture->golden, GOLDEN);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	opcode_list_release(&fixture->opcodes);
	golden_release(&fixture->golden);
	free(fixture);
	return 0;
}

static void skip_without_golden(const struct fixture *fixture)
{
	if (fixture->golden.line_count)
		return;
	print_message("skipped: no %s; tests/gpu/opcodes.sh --write makes it on a GPU\n", GOLDEN);
	skip();
}

/* ---- running ---- */

static uint32_t found_kinds(const struct finding_list *findings)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < findings->count; i++)
		kinds |= UINT32_C(1) << findings->items[i].kind;
	return kinds;
}

/* Launches once more if there may be undefined values; the results are what a user would read. */
static int follow_undefined(struct emulation *emulation, const struct emulated_launch *launch,
			    uint64_t out, struct finding_list *findings, struct error *err)
{
	struct finding_list followed = {0};
	int rc;

	if (!emulation_may_be_undefined(emulation))
		return 0;
	emulation_follow_undefined(emulation, true);
	rc = emulation_launch(emulation, launch, &followed, err);
	emulation_use_buffer(emulation, out, true, &followed);
	emulation_end_following(emulation);
	finding_list_move(findings, &followed);
	return rc;
}

/* Runs a case. Returns false with the reason if it cannot run, or if its findings are not those
 * that it must have. */
static bool emulate(uint64_t *results, const struct opcode_case *opcode, enum emulated_lanes lanes,
		    struct text *why)
{
	size_t threads = opcode_thread_count(opcode);
	size_t in_bytes = threads * OPCODE_OPERANDS * sizeof(uint64_t);
	size_t out_bytes = threads * OPCODE_RESULTS * sizeof(uint64_t);
	struct device_memory *memory = device_memory_create(1 << 24);
	struct emulation *emulation = NULL;
	struct ptx_program *program = NULL;
	struct ptx_module *module = NULL;
	struct finding_list findings = {0};
	struct unsupported_features unsupported = {0};
	struct text ptx = TEXT_INIT;
	struct error err = {0};
	uint64_t arguments[3];
	struct emulated_launch launch = {
		.entry = OPCODE_ENTRY,
		.grid = {(int64_t)threads / OPCODE_BLOCK, 1, 1},
		.block = {OPCODE_BLOCK, 1, 1},
		.arguments = arguments,
		.argument_bytes = sizeof(arguments),
		.max_instructions = 1000000,
	};
	bool ran = false;
	int rc;

	opcode_module(&ptx, opcode);
	rc = device_memory_allocate(memory, (int64_t)out_bytes, "out", &arguments[0], &err) ||
	     device_memory_allocate(memory, (int64_t)in_bytes, "in", &arguments[1], &err) ||
	     device_memory_allocate(memory, (int64_t)threads * 16, "memory", &arguments[2], &err) ||
	     ptx_module_parse(&module, ptx.data, ptx.length, &err) ||
	     ptx_program_decode(&program, module, OPCODE_ENTRY, &unsupported, &err) ||
	     emulation_create(&emulation, program, memory, lanes, &err);
	if (!rc) {
		opcode_inputs(device_memory_data(memory, arguments[1]), opcode);
		rc = emulation_launch(emulation, &launch, &findings, &err);
	}
	if (!rc) {
		memcpy(results, device_memory_data(memory, arguments[0]), out_bytes);
		rc = follow_undefined(emulation, &launch, arguments[0], &findings, &err);
	}
	if (rc) {
		text_add(why, err.text);
		unsupported_features_text(why, &unsupported);
	} else if (found_kinds(&findings) != opcode->findings) {
		text_add(why, findings.count ? "" : "a finding is missing");
		for (size_t i = 0; i < findings.count; i++)
			finding_text(why, &findings.items[i]);
	} else {
		ran = true;
	}
	emulation_free(emulation);
	ptx_program_free(program);
	ptx_module_free(module);
	device_memory_free(memory);
	finding_list_release(&findings);
	unsupported_features_release(&unsupported);
	text_release(&ptx);
	return ran;
}

/* ---- comparing ---- */

/* Describes the first few differences: "add.f32: thread 3 (00000000 7fc12345): 7fc12345, a GPU
 * gives 7fffffff". */
static void tell_differences(const struct opcode_case *opcode, const char *wanted, const char *got)
{
	size_t threads = opcode_thread_count(opcode);
	uint64_t *cells = xcalloc(threads * OPCODE_OPERANDS, sizeof(*cells));
	int digits = opcode->result_bits[0] < 16 ? 4 : opcode->result_bits[0] / 4;
	int told = 0;

	opcode_inputs(cells, opcode);
	for (size_t i = 0; i < threads && told < 4; i++) {
		const uint64_t *operands = &cells[i * OPCODE_OPERANDS];
		size_t at = i * (size_t)digits;

		if (opcode->result_bits[0] == 1) {
			if ((strchr("0123456789abcdef", got[i / 4]) -
			     strchr("0123456789abcdef", wanted[i / 4])) == 0)
				continue;
			print_error("%s: threads %zu to %zu (first: %" PRIx64 " %" PRIx64
				    " %" PRIx64 "): %c, a GPU gives %c\n",
				    opcode->name, i, i + 3, operands[0], operands[1], operands[2],
				    got[i / 4], wanted[i / 4]);
			i += 3;
			told++;
		} else if (memcmp(got + at, wanted + at, (size_t)digits) != 0) {
			print_error("%s: thread %zu (%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64
				    "): %.*s, a GPU gives %.*s\n",
				    opcode->name, i, operands[0], operands[1], operands[2],
				    operands[3], digits, got + at, digits, wanted + at);
			told++;
		}
	}
	if (!told)
		print_error("%s: the second result differs\n", opcode->name);
	free(cells);
}

/* ---- tests ---- */

static void test_every_opcode_has_a_golden_line(void **state)
{
	const struct fixture *fixture = *state;
	size_t missing = 0;

	skip_without_golden(fixture);
	for (size_t i = 0; i < fixture->opcodes.count; i++) {
		const struct opcode_case *opcode = &fixture->opcodes.items[i];
		const char *golden = golden_line(&fixture->golden, opcode->name);
		char digest[20];

		snprintf(digest, sizeof(digest), "%016" PRIx64 "\t", opcode_digest(opcode));
		if (!golden)
			print_error("%s has no line in %s\n", opcode->name, GOLDEN);
		else if (strncmp(golden, digest, 17) != 0)
			print_error("%s: its line in %s is of other inputs\n", opcode->name,
				    GOLDEN);
		else if (strncmp(golden + 17, "unsupported: ", 13) == 0)
			print_error("%s: %s\n", opcode->name, golden + 17);
		else
			continue;
		missing++;
	}
	assert_int_equal(missing, 0);
	assert_int_equal(fixture->golden.line_count, fixture->opcodes.count);
}

static void test_no_two_opcodes_share_a_name(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < fixture->opcodes.count; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(fixture->opcodes.items[i].name,
						fixture->opcodes.items[k].name);
}

/* "ex2.approx.f32: 21 of 128 results differ, at most 1 ulp (because …)" */
static void tell_approximation(const struct opcode_case *opcode,
			       const struct opcode_comparison *comparison)
{
	print_message("%s: %zu of %zu results differ", opcode->name, comparison->different,
		      comparison->count);
	if (comparison->ulps > 0)
		print_message(", at most %g ulp (%g allowed)", comparison->ulps, opcode->ulps);
	if (comparison->distance > 0)
		print_message(", at most 2^%.2f (2^%g allowed)", log2(comparison->distance),
			      log2(opcode->distance));
	print_message(": %s\n", opcode->why);
}

static void compare_all(const struct fixture *fixture, enum emulated_lanes lanes)
{
	size_t wrong = 0, compared = 0, equal = 0, count = 0;

	for (size_t i = 0; i < fixture->opcodes.count; i++) {
		const struct opcode_case *opcode = &fixture->opcodes.items[i];
		uint64_t *results =
			xcalloc(opcode_thread_count(opcode) * OPCODE_RESULTS, sizeof(*results));
		const char *golden = golden_line(&fixture->golden, opcode->name);
		struct opcode_comparison comparison = {0};
		struct text got = TEXT_INIT;
		struct text why = TEXT_INIT;

		if (!emulate(results, opcode, lanes, &why)) {
			print_error("%s does not run: %s\n", opcode->name, why.data);
			wrong++;
		} else if (golden) {
			opcode_results(&got, opcode, results);
			comparison = opcode_compare(opcode, golden + 17, got.data);
			compared++;
			equal += comparison.different == 0;
			count += comparison.count;
			if (comparison.wrong) {
				tell_differences(opcode, golden + 17, got.data);
				wrong++;
			} else if (comparison.different) {
				tell_approximation(opcode, &comparison);
			}
		}
		text_release(&got);
		text_release(&why);
		free(results);
	}
	print_message("%zu of %zu opcodes are equal to the bit in all results; %zu results\n",
		      equal, compared, count);
	assert_int_equal(wrong, 0);
}

static void test_portable_lanes_give_what_a_gpu_gives(void **state)
{
	skip_without_golden(*state);
	compare_all(*state, LANES_PORTABLE);
}

static void test_avx2_lanes_give_what_a_gpu_gives(void **state)
{
	skip_without_golden(*state);
	if (!handlers_avx2_or_null()) {
		print_message("skipped: no AVX2 and FMA here\n");
		skip();
	}
	compare_all(*state, LANES_AVX2);
}

/* One thread's result, repeated for all threads, so that the strings have the right length. */
static struct opcode_comparison compared(const struct opcode_case *opcode, const char *wanted,
					 const char *got)
{
	struct text left = TEXT_INIT, right = TEXT_INIT;
	struct opcode_comparison comparison;

	for (size_t i = 0; i < opcode_thread_count(opcode); i++) {
		text_add(&left, wanted);
		text_add(&right, got);
	}
	comparison = opcode_compare(opcode, left.data, right.data);
	text_release(&left);
	text_release(&right);
	return comparison;
}

static void test_a_wrong_result_is_seen(void **state)
{
	const struct opcode_case exact = {.result_bits = {32}, .float_bits = 32};
	const struct opcode_case near = {.result_bits = {32}, .ulps = 2, .float_bits = 32};
	const struct opcode_case far = {.result_bits = {32}, .distance = 0x1p-20, .float_bits = 32};
	const struct opcode_case integer = {.result_bits = {32}, .ulps = 2};
	const struct opcode_case pair = {
		.result_bits = {32}, .ulps = 1, .float_bits = 16, .pairs = true};

	(void)state;
	assert_int_equal(compared(&exact, "3f800000", "3f800000").wrong, 0);
	assert_int_equal(compared(&exact, "3f800000", "3f800001").wrong, 64);
	assert_int_equal(compared(&integer, "00000001", "00000002").wrong, 64);
	assert_int_equal(compared(&near, "3f800000", "3f800002").wrong, 0);
	assert_int_equal(compared(&near, "3f800000", "3f800002").different, 64);
	assert_true(compared(&near, "3f800000", "3f800002").ulps == 2);
	assert_int_equal(compared(&near, "3f800000", "3f800003").wrong, 64);
	assert_int_equal(compared(&near, "7fffffff", "7fffffff").wrong, 0);
	assert_int_equal(compared(&near, "7fffffff", "3f800000").wrong, 64);
	assert_int_equal(compared(&near, "3f800000", "7f800000").wrong, 64);
	assert_int_equal(compared(&near, "00000000", "80000000").wrong, 0); /* -0 is near 0. */
	assert_int_equal(compared(&far, "00000000", "35800000").wrong, 0);
	assert_true(compared(&far, "00000000", "35800000").distance == 0x1p-20);
	assert_int_equal(compared(&far, "00000000", "35800001").wrong, 64);
	assert_int_equal(compared(&pair, "3c013c00", "3c003c01").wrong, 0);
	assert_int_equal(compared(&pair, "3c013c00", "3c013c02").wrong, 64);
	assert_int_equal(compared(&pair, "3c033c00", "3c013c00").wrong, 64);
	assert_int_equal(opcode_compare(&exact, "3f800000", "3f80000").wrong, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_opcode_has_a_golden_line),
		cmocka_unit_test(test_no_two_opcodes_share_a_name),
		cmocka_unit_test(test_portable_lanes_give_what_a_gpu_gives),
		cmocka_unit_test(test_avx2_lanes_give_what_a_gpu_gives),
		cmocka_unit_test(test_a_wrong_result_is_seen),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
