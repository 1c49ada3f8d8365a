/* Addresses in the initial values of variables: all of them are given, or the entry is refused. */
#include "support_decode.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* ---- what nvcc writes ---- */

static unsigned add_one(unsigned x)
{
	return x + 1;
}
static unsigned times_three(unsigned x)
{
	return x * 3;
}
static unsigned flip(unsigned x)
{
	return x ^ 0x55;
}

static unsigned virtual_functions(unsigned i, unsigned n)
{
	return 3 * i * (i & 1 ? i : n);
}

static unsigned function_tables(unsigned i, unsigned n)
{
	static unsigned (*const table[])(unsigned) = {add_one, times_three, flip};

	return table[(i + n) % 3](i) * 1000 + table[(i + n + 2) % 3](i);
}

static unsigned pointer_table(unsigned i, unsigned n)
{
	static const unsigned begins[] = {1, 3, 6};

	return begins[(i + n) % 3] + i % 3;
}

static unsigned name_table(unsigned i, unsigned n)
{
	static const char *const names[] = {"zero", "one", "two"};
	unsigned sum = 0;

	for (const char *at = names[(i + n) % 3]; *at; at++)
		sum = sum * 31 + (unsigned char)*at;
	return sum;
}

static unsigned mixed_rows(unsigned i, unsigned n)
{
	return (i + n) % 2 ? 2 + flip(i) + 2 + 9 : 1 + times_three(i) + 4 + 7;
}

static void tables_that_nvcc_writes_are_followed(void **state)
{
	static const struct {
		const char *entry;
		unsigned (*wanted)(unsigned i, unsigned n);
	} entries[] = {
		{"virtual_functions", virtual_functions},
		{"function_tables", function_tables},
		{"pointer_table", pointer_table},
		{"name_table", name_table},
		{"mixed_rows", mixed_rows},
	};
	struct error err = {0};
	size_t length;
	char *ptx;

	(void)state;
	assert_int_equal(
		read_file(&ptx, &length, "tests/emulator/programs/addresses_90.ptx", 1 << 20, &err),
		0);
	for (size_t k = 0; k < ARRAY_SIZE(entries); k++)
		for (unsigned n = 0; n < 3; n++) {
			struct machine_case work = {
				.ptx = ptx, .entry = entries[k].entry, .n = n, .block = {40}};
			struct machine_result result = machine_run(&work);

			assert_int_equal(result.findings.count, 0);
			for (unsigned i = 0; i < 40; i++)
				if (result.out[i] != entries[k].wanted(i, n))
					fail_msg("%s, n %u, thread %u: %u instead of %u",
						 entries[k].entry, n, i, result.out[i],
						 entries[k].wanted(i, n));
			machine_release(&result);
		}
	free(ptx);
}

/* ---- the forms of PTX ---- */

/* Eight 8-byte cells, one per thread: %rd5 is the cell, %rd6 the address of `data`. */
#define CELL                                                                            \
	"mul.wide.u32 %rd4, %r1, 8;\nmov.u64 %rd5, cells;\nadd.u64 %rd5, %rd5, %rd4;\n" \
	"ld.global.u64 %rd5, [%rd5];\nmov.u64 %rd6, data;\n"
#define DATA ".global .align 4 .u32 data[4] = {11, 22, 33, 44};\n"

static struct machine_result run_cells(const char *cells, const char *body)
{
	char *ptx = xasprintf("%s%s%s%s%s}\n", MACHINE_HEADER, DATA, cells,
			      ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "
			      "n)\n{\n" MACHINE_REGISTERS
			      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
			      "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n",
			      body);
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = ptx, .block = {4}});

	assert_int_equal(result.findings.count, 0);
	free(ptx);
	return result;
}

static void offsets_of_an_address_may_have_any_form(void **state)
{
	static const uint32_t wanted[] = {0, 8, 4, (uint32_t)-4};
	struct machine_result result =
		run_cells(".global .u64 cells[4] = {data, data+8, generic(data)+4, "
			  "generic(data-4)};\n",
			  CELL "sub.u64 %rd5, %rd5, %rd6;\nst.global.u32 [%rd3], %rd5;\nret;\n");

	(void)state;
	assert_memory_equal(result.out, wanted, sizeof(wanted));
	machine_release(&result);
}

/* Bytes of the address of data+4, in the first cell, and of its lower half in the second. */
static void masks_select_parts_of_an_address(void **state)
{
	static const uint32_t wanted[] = {4, 4, 0, 1};
	struct machine_result result = run_cells(
		".global .align 8 .u8 cells[32] = {0xff(data+4), 0xff00(data+4), "
		"0xff0000(data+4),\n"
		"0xff000000(generic(data)+4), 0xff00000000(data+4), 0xff0000000000(data+4),\n"
		"0xff000000000000(data+4), 0xff00000000000000(data+4),\n"
		"0xff(generic(data+4)), 0xff00(data+4), 0xff0000(data+4), 0xff000000(data+4),\n"
		"0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};\n",
		CELL "setp.eq.u32 %p1, %r1, 0;\n@%p1 sub.u64 %rd5, %rd5, %rd6;\n"
		     "setp.eq.u32 %p1, %r1, 1;\nand.b64 %rd6, %rd6, 0xffffffff;\n"
		     "@%p1 sub.u64 %rd5, %rd5, %rd6;\nst.global.u32 [%rd3], %rd5;\nret;\n");

	(void)state;
	assert_memory_equal(result.out, wanted, sizeof(wanted));
	machine_release(&result);
}

static void constants_may_point_to_variables_that_follow(void **state)
{
	struct machine_result result = run_cells(
		".const .u64 cells[4] = {behind, data, behind, data};\n"
		".global .u32 behind = 77;\n",
		"mul.wide.u32 %rd4, %r1, 8;\nmov.u64 %rd5, cells;\nadd.u64 %rd5, %rd5, %rd4;\n"
		"ld.const.u64 %rd5, [%rd5];\nld.global.u32 %r4, [%rd5];\n"
		"st.global.u32 [%rd3], %r4;\nret;\n");

	(void)state;
	assert_int_equal(result.out[0], 77);
	assert_int_equal(result.out[1], 11);
	machine_release(&result);
}

/* Variables of two functions with one name; each points to its own, and keeps what is stored. */
static void variables_of_functions_are_kept_apart(void **state)
{
	static const uint32_t wanted[] = {1110, 1111, 1112, 1113};
	struct machine_result result = run_cells(
		".func (.param .b32 result) f()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
		".const .u32 value[2] = {5, 100};\n.const .u64 where = value;\n"
		"ld.const.u64 %rd1, [where];\nld.const.u32 %r1, [%rd1+4];\n"
		"st.param.b32 [result], %r1;\nret;\n}\n",
		".global .u32 value[2] = {7, 1000};\n.global .u64 where = value;\n"
		".global .u32 count = 10;\n"
		"mov.u64 %rd6, where;\nld.global.u64 %rd5, [%rd6];\nld.global.u32 %r4, [%rd5+4];\n"
		"{\n.param .b32 given;\ncall.uni (given), f;\nld.param.b32 %r5, [given];\n}\n"
		"atom.global.add.u32 %r6, [count], 1;\nadd.u32 %r4, %r4, %r5;\n"
		"add.u32 %r4, %r4, %r6;\nst.global.u32 [%rd3], %r4;\nret;\n");

	(void)state;
	assert_memory_equal(result.out, wanted, sizeof(wanted));
	machine_release(&result);
}

/* ---- what is refused ---- */

static void addresses_that_nobody_knows_are_refused(void **state)
{
	static const struct {
		const char *module, *words;
	} cases[] = {
		{".extern .func f();\n.global .u64 t[1] = {f};\n", "address of function f (line 5"},
		{".global .u64 t[1] = {k};\n", "address of function k (line 4"},
		{".global .u64 t[1] = {nobody};\n", "address of unknown nobody (line 4"},
		{".extern .global .u32 far;\n.global .u64 t[1] = {far};\n",
		 "address of variable far (line 5"},
		{".shared .u32 near;\n.global .u64 t[1] = {near};\n",
		 "address of variable near (line 5"},
		{".global .u32 x;\n.global .u32 t[1] = {x};\n",
		 "a part of the address of x (line 5"},
		{".global .u32 x;\n.global .u8 t[1] = {0xfff(x)};\n",
		 "a part of the address of x (line 5"},
		/* through another variable */
		{".global .u64 u[1] = {nobody};\n.global .u64 t[1] = {u};\n",
		 "address of unknown nobody (line 4"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *user = xasprintf("%s%s.visible .entry k()\n{\n.reg .b64 %%rd<2>;\n"
				       "mov.u64 %%rd1, t;\nret;\n}\n",
				       PTX_HEADER, cases[i].module);
		char *other = xasprintf("%s%s.visible .entry k()\n{\nret;\n}\n", PTX_HEADER,
					cases[i].module);
		struct text words = TEXT_INIT;
		struct error err = {0};
		struct decoded decoded;

		assert_int_equal(decode_module_fails(user, "k", &err, &words), PL_EUNSUPPORTED);
		if (!strstr(words.data, cases[i].words))
			fail_msg("%s, not %s", words.data, cases[i].words);
		/* An entry that does not use the table runs. */
		decoded = decode_module(other, "k");
		decoded_release(&decoded);
		text_release(&words);
		free(user);
		free(other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_that_nvcc_writes_are_followed),
		cmocka_unit_test(offsets_of_an_address_may_have_any_form),
		cmocka_unit_test(masks_select_parts_of_an_address),
		cmocka_unit_test(constants_may_point_to_variables_that_follow),
		cmocka_unit_test(variables_of_functions_are_kept_apart),
		cmocka_unit_test(addresses_that_nobody_knows_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
