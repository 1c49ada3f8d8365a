/* What compile/ reads: PTX, the messages of ptxas, records of the cache, make rules. Needs no
 * compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"
#include "compile_support.h"

#define PTX_START ".version 9.0\n.target sm_90\n.address_size 64\n"

/* ---- PTX ---- */

static void ptx_parameters(void **state)
{
	static const struct compiled_parameter expected[] = {
		{PARAMETER_INTEGER, 4, 4}, {PARAMETER_REAL, 4, 4},    {PARAMETER_INTEGER, 8, 8},
		{PARAMETER_BYTES, 24, 4},  {PARAMETER_INTEGER, 1, 1}, {PARAMETER_BYTES, 4, 4},
		{PARAMETER_BYTES, 4, 16},  {PARAMETER_REAL, 8, 8}};
	struct entry_list list;

	(void)state;
	assert_int_equal(
		ptx_entries_read(
			&list,
			PTX_START
			"/* .entry hidden( */ // .entry hidden2(\n"
			".visible .entry declared(\n.param .u32 declared_param_0\n)\n;\n"
			".func helper(.param .b32 x) { .entry; { } }\n"
			".visible .entry k$1(.param .u32 a, .param .f32 b,\n"
			" .param .u64 .ptr .global .align 1 c, .param .align 4 .b8 d[24],\n"
			" .param .s8 e, .param .b32 f, .param .align 16 .b8 g[4], .param .f64 h)\n"
			".maxntid 256, 1, 1\n.minnctapersm 2\n{ .loc 1 2 3\n { } ret; }\n"
			".file 1 \"a.entry(\\\"}{\"\n"
			".weak .entry none()\n{ ret; }\n.entry bare { ret; }\n",
			NULL),
		0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0].name, "k$1");
	assert_int_equal(list.items[0].parameter_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(list.items[0].parameters[i].class, expected[i].class);
		assert_int_equal(list.items[0].parameters[i].bytes, expected[i].bytes);
		assert_int_equal(list.items[0].parameters[i].align, expected[i].align);
	}
	assert_string_equal(list.items[1].name, "none");
	assert_int_equal(list.items[1].parameter_count, 0);
	assert_string_equal(list.items[2].name, "bare");
	entry_list_release(&list);
}

static void ptx_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "no PTX"},
		{"int main() { return 0; }", "no PTX"},
		{PTX_START ".entry", "a name"},
		{PTX_START ".entry 9k()\n{}", "line 4"},
		{PTX_START ".entry k(", ".param"},
		{PTX_START ".entry k(.param .u32 a", "','"},
		{PTX_START ".entry k(.param .u32 a,)", ".param"},
		{PTX_START ".entry k(.param .u33 a){}", "the type of a parameter"},
		{PTX_START ".entry k(.param .align 3 .b8 a[4]){}", "power of two"},
		{PTX_START ".entry k(.param .align 0 .b8 a[4]){}", "power of two"},
		{PTX_START ".entry k(.param .b8 a[-1]){}", "a number"},
		{PTX_START ".entry k(.param .b8 a[99999999999999999999]){}", "a number"},
		{PTX_START ".entry k(.param .b8 a[2000000]){}", "elements"},
		{PTX_START ".entry k(.param .b8 a[4){}", "']'"},
		{PTX_START ".entry k(.param .u32 a)", "ends in the header"},
		{PTX_START ".entry k() { ret;", "ends in the body"},
		{PTX_START ".entry k() { ret; /* }", "ends in the body"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct entry_list list;
		struct error err = {0};

		assert_int_equal(ptx_entries_read(&list, cases[i].text, &err), PL_EPARSE);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(list.count, 0);
	}
}

/* Few bytes, for which ptxas takes gigabytes or minutes. */
static void ptx_out_of_bounds(void **state)
{
	static const struct {
		const char *text, *says; /* NULL: it is accepted */
	} cases[] = {
		{".entry k() {\n.reg .b32 %r<2000000000>; ret; }", "line 5: 2000000000 names"},
		{".entry k() { .reg .v4 .b32 %r < 0x7fffffff >; ret; }", "2147483647 names"},
		{".global .u32 x<99999999999999999999999>;", "names in a declaration"},
		{".global .align 1073741824 .b8 x[4];", "1073741824 bytes of alignment"},
		{".entry k(.param .align 16777216 .b8 x[4]) {}", "alignment"},
		{".const .b8 x[4294967296];", "4294967296 elements in constant memory"},
		{".global .b8 x[4000000000] = {1};", "initial values"},
		{".global .f64 x[65536][65536] = {1};", "initial values"},
		{".global .f64 x[4294967296][4294967296][2] = {1};", "initial values"},
		{".entry k() { .reg .b32 %r<70000>; ret; }", NULL},
		{".global .align 128 .b8 x[4294967296]; .global .u32 y = 1;", NULL},
		{".const .align 4 .b8 x[65536] = {1, 2}; .const .f32 y[2];", NULL},
		{".pragma \"<2000000000>\"; // <2000000000>", NULL},
		{".entry k() { .reg .b32 %r<", NULL},
		{".align", NULL},
		{".const .b8 x[", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf(PTX_START "%s", cases[i].text);
		struct error err = {0};

		assert_int_equal(ptx_bounds_check(text, &err), cases[i].says ? PL_EPARSE : 0);
		if (cases[i].says && !strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].text, err.text);
		free(text);
	}
}

/* Only what stands outside of bodies, parameters and initial values is a variable. */
static void ptx_variables(void **state)
{
	static const char *const expected[] = {"plain",  "_ZN2ns5tableE", "managed",
					       "filled", "wide",          "last"};
	struct string_list names = {0};

	(void)state;
	ptx_variables_read(
		&names, PTX_START
		".const .align 4 .b8 plain[16];\n"
		"// .const .b8 comment[1];\n"
		".visible .const .align 8 .b8 _ZN2ns5tableE[32];\n"
		".global .attribute(.managed) .align 4 .u32 managed;\n"
		".global .align 1 .b8 $str[3] = {104, 105, 0};\n"
		".global .u64 filled[2] = {generic(plain), 3};\n"
		".extern .global .align 16 .v4 .f32 wide[];\n"
		".func helper(.param .u64 .ptr .global .align 1 pointer);\n"
		".visible .entry k(.param .u64 .ptr .const .align 1 parameter)\n"
		"{ .global .b8 inner[1]; ld.global.u32 %r1, [x]; { .const .b8 in[1]; } }\n"
		".global .b8 last;\n.const");
	for (size_t i = 0; i < names.count && i < ARRAY_SIZE(expected); i++)
		assert_string_equal(names.items[i], expected[i]);
	assert_int_equal(names.count, ARRAY_SIZE(expected));
	string_list_release(&names);
}

/* ---- names ---- */

static void variables_by_their_names(void **state)
{
	static char *names[] = {
		"plain",          "_ZN2cv4cuda5crotsE",
		"_ZN1a4bothE",    "_ZN1b4bothE",
		"_ZN1a5tableIfE", "_ZN34_INTERNAL_f21ae98e_6_sym_cu__Z1kPf2cv6hiddenE",
		"_ZN1c5plainE"};
	static const struct {
		const char *wanted;
		const char *name; /* NULL: refused with these words */
		const char *says;
	} cases[] = {
		{"plain", "plain", NULL},
		{"c::plain", "_ZN1c5plainE", NULL},
		{"crots", "_ZN2cv4cuda5crotsE", NULL},
		{"cuda::crots", "_ZN2cv4cuda5crotsE", NULL},
		{"cv::cuda::crots", "_ZN2cv4cuda5crotsE", NULL},
		{"_ZN2cv4cuda5crotsE", "_ZN2cv4cuda5crotsE", NULL},
		{"a::both", "_ZN1a4bothE", NULL},
		{"table", "_ZN1a5tableIfE", NULL},
		{"hidden", "_ZN34_INTERNAL_f21ae98e_6_sym_cu__Z1kPf2cv6hiddenE", NULL},
		{"_ZN10_INTERNAL_2cv6hiddenE", "_ZN34_INTERNAL_f21ae98e_6_sym_cu__Z1kPf2cv6hiddenE",
		 NULL},
		{"cv::hidden", "_ZN34_INTERNAL_f21ae98e_6_sym_cu__Z1kPf2cv6hiddenE", NULL},
		{"both", NULL, "may be any of 2 variables"},
		{"both", NULL, "a::both (_ZN1a4bothE), b::both (_ZN1b4bothE)"},
		{"rots", NULL, "there is no variable 'rots' in the image; it has: plain, cv::cuda"},
		{"b::crots", NULL, "there is no variable"},
	};
	const struct compiled compiled = {.variables = {names, ARRAY_SIZE(names), 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *name = NULL;
		struct error err = {0};
		int rc = compiled_variable_find(&name, &compiled, cases[i].wanted, &err);

		if (cases[i].name && rc)
			fail_msg("%s: %s", cases[i].wanted, err.text);
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
		else if (!strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].wanted, err.text);
	}
}

static void names_in_an_image(void **state)
{
	static const struct {
		const char *wanted;
		size_t found, first;
	} cases[] = {
		{"saxpy", 1, 0},
		{"::saxpy", 1, 0},
		{"k", 1, 1},
		{"ns::k", 2, 2},
		{"inner::k", 1, 4},
		{"ns::inner::k", 1, 4},
		{"st", 1, 5},
		{"hidden", 1, 6},
		{"s::k", 0, 0},
		{"_Z1kPi", 1, 1},
		{"ns::k<float, 4>", 2, 2},
		{"inner::k <int>", 1, 4},
		{"axpy", 0, 0},
		{"damaged", 0, 0},
		/* of the same file in another folder, or by another compiler */
		{"_ZN33_GLOBAL__N__99999999_4_g_cu_saxpy6hiddenEPi", 1, 6},
		{"_ZN12_GLOBAL__N_16hiddenEPi", 1, 6},
		{"_ZN12_GLOBAL__N_16hiddenEPf", 0, 0},
	};
	static char *const names[] = {"saxpy",
				      "_Z1kPi",
				      "_ZN2ns1kIfLi4EEEvPT_",
				      "_ZN2ns1kIdLi4EEEvPT_",
				      "_ZN2ns5inner1kEv",
				      "_ZL2stPi",
				      "_ZN33_GLOBAL__N__be12552b_4_g_cu_saxpy6hiddenEPi",
				      "_ZN99damaged",
				      "_Z",
				      "_ZN"};
	struct compiled_entry entries[ARRAY_SIZE(names)] = {0};
	struct entry_list list = {entries, ARRAY_SIZE(names), 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		entries[i].name = names[i];
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t first = 0;

		if (entry_find(&first, &list, cases[i].wanted) != cases[i].found ||
		    first != cases[i].first)
			fail_msg("%s: first is %zu", cases[i].wanted, first);
	}
}

static void names_refused(void **state)
{
	static const char *const good[] = {"saxpy", "ns::k", "k<float, (2 > 1) ? 3 : 4>", "k<&f>",
					   "k <a::b<c>, true>"};
	static const char *const bad[] = {"",         "9k",        "k()",      "k<float>; int x",
					  "k<float",  "k\n<int>",  "k<\n#if>", "k<\"a\">",
					  "k<int>{}", "k)<int>",   "k<)(>",    "&k<int>",
					  "k<a//b>",  "k<a/*b*/>", "k<\\>",    "k k"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(entry_wanted_check(good[i], NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = {0};

		if (entry_wanted_check(bad[i], &err) != PL_EUSAGE || !strstr(err.text, "write"))
			fail_msg("'%s' is taken", bad[i]);
	}
}

/* ---- what compilers and the cache write ---- */

static void resources_of_entries(void **state)
{
	static const char said[] =
		"ptxas info    : 24 bytes gmem\n"
		"ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
		"ptxas info    : Function properties for _Z1kPf\n"
		"    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
		"ptxas info    : Used 24 registers, used 1 barriers, 128 bytes smem\n"
		"ptxas info    : Compile time = 35.569 ms\n"
		"ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
		"ptxas info    : Function properties for helper\n"
		"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
		"ptxas info    : Used 40 registers, used 0 barriers, 96 bytes cumulative stack "
		"size\n"
		"ptxas info    : Compiling entry function 'cut";
	struct text out = TEXT_INIT;

	(void)state;
	for (int specific = 0; specific < 2; specific++) {
		entry_resources_read(&out, said, specific ? "sm_90a" : "sm_90");
		assert_string_equal(
			out.data,
			"// perflab: entry _Z1kPf sm_90 registers 24 shared 128 local 16\n"
			"// perflab: entry plain sm_90 registers 40 shared 0 local 96\n");
		text_clear(&out);
	}
	entry_resources_read(&out, "registers registers\n bytes smem", "sm_90");
	assert_string_equal(out.data, "");
	text_release(&out);
}

static void records(void **state)
{
	struct cache_record record = {.tool = xstrdup("nvcc"), .messages = xstrdup("a\nend b\n")};
	struct cache_record read;
	struct text text = TEXT_INIT;
	char hash[HASH_TEXT_BYTES];

	(void)state;
	hash_of(hash, "x", 1);
	memcpy(record.ptx_hash, hash, sizeof(hash));
	string_list_add(&record.lowered, "_Z1kv");
	string_list_add(&record.lowered, "");
	cache_record_file(&record, "/a b/c", hash);
	cache_record_file(&record, "/absent", "");
	cache_record_write(&text, &record);
	assert_int_equal(cache_record_read(&read, text.data, NULL), 0);
	assert_string_equal(read.tool, "nvcc");
	assert_string_equal(read.messages, "a\nend b\n");
	assert_string_equal(read.ptx_hash, hash);
	assert_string_equal(read.cubin_hash, "");
	assert_int_equal(read.lowered.count, 2);
	assert_int_equal(read.file_count, 2);
	assert_string_equal(read.files[0].path, "/a b/c");
	assert_string_equal(read.files[1].hash, "");
	cache_record_release(&read);
	/* every changed or missing byte is noticed */
	for (size_t i = 0; i < text.length; i++) {
		text.data[i] ^= 1;
		assert_int_equal(cache_record_read(&read, text.data, NULL), PL_ECORRUPT);
		text.data[i] ^= 1;
	}
	for (size_t i = text.length; i-- > 0;) {
		text.data[i] = '\0';
		assert_int_equal(cache_record_read(&read, text.data, NULL), PL_ECORRUPT);
	}
	text_release(&text);
	cache_record_release(&record);
}

static void make_rules(void **state)
{
	struct string_list files = {0};

	(void)state;
	make_rule_read(&files, "image.ptx : /a/b.cu \\\n    /a\\ b/c.h \\\n /d$$e/\\#f.h\n");
	assert_int_equal(files.count, 3);
	assert_string_equal(files.items[1], "/a b/c.h");
	assert_string_equal(files.items[2], "/d$e/#f.h");
	string_list_release(&files);
	make_rule_read(&files, "no rule");
	assert_int_equal(files.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ptx_parameters),
		cmocka_unit_test(ptx_refused),
		cmocka_unit_test(ptx_out_of_bounds),
		cmocka_unit_test(ptx_variables),
		cmocka_unit_test(variables_by_their_names),
		cmocka_unit_test(names_in_an_image),
		cmocka_unit_test(names_refused),
		cmocka_unit_test(resources_of_entries),
		cmocka_unit_test(records),
		cmocka_unit_test(make_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
