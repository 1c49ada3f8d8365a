#include "base/base.h"
#include "base/mangled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void empty_text_is_a_string(void **state)
{
	struct text text = TEXT_INIT;
	char *detached;

	(void)state;
	assert_string_equal(text.data, "");
	text_clear(&text);
	text_add(&text, "");
	text_addf(&text, "%s", "");
	assert_string_equal(text.data, "");
	detached = text_detach(&text);
	assert_string_equal(detached, "");
	free(detached);
	text_release(&text);
	text_release(&text);
}

static void text_grows(void **state)
{
	struct text text = TEXT_INIT;

	(void)state;
	text_add(&text, "ab");
	text_add_char(&text, 'c');
	text_addf(&text, "-%d-", 42);
	text_add_bytes(&text, "\0z", 2);
	assert_int_equal(text.length, 9);
	assert_memory_equal(text.data, "abc-42-\0z", 10);
	text_clear(&text);
	assert_int_equal(text.length, 0);
	assert_string_equal(text.data, "");
	for (int i = 0; i < 10000; i++)
		text_addf(&text, "%04d", i);
	assert_int_equal(text.length, 40000);
	assert_string_equal(text.data + 39996, "9999");
	assert_memory_equal(text.data + 4 * 1234, "1234", 4);
	text_release(&text);
	assert_string_equal(text.data, "");
	assert_int_equal(text.length, 0);
}

static void detached_text_is_the_callers(void **state)
{
	struct text text = TEXT_INIT;
	char *detached;

	(void)state;
	text_add(&text, "mine");
	detached = text_detach(&text);
	text_add(&text, "other");
	assert_string_equal(detached, "mine");
	assert_string_equal(text.data, "other");
	free(detached);
	text_release(&text);
}

static void lists_own_their_strings(void **state)
{
	struct string_list list = {0};
	char word[] = "one";

	(void)state;
	assert_false(string_list_has(&list, "one"));
	string_list_add(&list, word);
	word[0] = 'X';
	assert_true(string_list_has(&list, "one"));
	assert_false(string_list_has(&list, "on"));
	for (int i = 0; i < 100; i++)
		string_list_add(&list, "more");
	assert_int_equal(list.count, 101);
	string_list_release(&list);
	assert_int_equal(list.count, 0);
	assert_null(list.items);
	string_list_release(&list);
}

static void split_keeps_empty_pieces(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		const char *pieces[4];
	} rows[] = {
		{"", 1, {""}},
		{"a", 1, {"a"}},
		{"a,b", 2, {"a", "b"}},
		{",", 2, {"", ""}},
		{"a,,b", 3, {"a", "", "b"}},
		{"a,b,", 3, {"a", "b", ""}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct string_list list = {0};

		string_list_split(&list, rows[i].text, ',');
		assert_int_equal(list.count, rows[i].count);
		for (size_t j = 0; j < list.count; j++)
			assert_string_equal(list.items[j], rows[i].pieces[j]);
		string_list_release(&list);
	}
}

static void split_at_no_separator_is_one_piece(void **state)
{
	struct string_list list = {0};

	(void)state;
	string_list_split(&list, "ab", '\0');
	assert_int_equal(list.count, 1);
	assert_string_equal(list.items[0], "ab");
	string_list_release(&list);
}

static void grow_keeps_what_is_there(void **state)
{
	size_t capacity = 0;
	uint32_t *numbers = NULL;
	size_t moves = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		size_t before = capacity;

		numbers = xgrow(numbers, &capacity, i + 1, sizeof(*numbers));
		moves += capacity != before;
		assert_true(capacity >= i + 1);
		numbers[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], i);
	assert_true(capacity < 2000);
	assert_true(moves < 20);
	free(numbers);
}

static void copies_are_terminated(void **state)
{
	char *text = xstrndup("abcdef", 3);
	char *whole = xstrndup("ab", 100);
	char *printed = xasprintf("%s=%d", "n", 5);
	char *zeroes = xcalloc(3, 2);

	(void)state;
	assert_string_equal(text, "abc");
	assert_string_equal(whole, "ab");
	assert_string_equal(printed, "n=5");
	assert_memory_equal(zeroes, "\0\0\0\0\0", 6);
	free(text);
	free(whole);
	free(printed);
	free(zeroes);
}

static void allocations_of_nothing_are_pointers(void **state)
{
	void *none = xmalloc(0);
	void *zeroes = xcalloc(0, 8);

	(void)state;
	assert_non_null(none);
	assert_non_null(zeroes);
	free(none);
	free(zeroes);
}

/* "i" an int, "*f" a pointer to float, "class", "-" another type; "?" the name is not read. */
static void mangled_names_have_parameters(void **state)
{
	static const char *const names[][2] = {
		{"_Z5saxpyifPKfPf", "i f *f *f"},
		{"_Z4nonev", ""},
		{"_Z1kbPaVPViS_", "b *a *i *a"},
		{"_ZN2ns5scaleIfLi4EEEvPKT_x", "*f x"},
		{"_Z1kIiEvT_j", "i j"},
		/* as nvcc writes them */
		{"_Z4fillIsEvPT_S0_", "*s s"},
		{"_Z4fillIbEvPT_S0_", "*b b"},
		{"_Z4fillI6float4EvPT_S1_", "- class"},
		{"_Z4fillI6__halfEvPT_S1_", "- class"},
		{"_Z4fillIPfEvPT_S1_", "- *f"},
		{"_Z4fillIPKfEvPT_S2_", "- *f"},
		{"_Z5twiceIdEvPKT_PS0_S0_", "*d *d d"},
		{"_Z3mixIfmLi4EEvPT_PKT0_S0_S2_i3VecIS0_XT1_EEPKS1_", "*f *m f m i class -"},
		{"_Z4packIJEEvDpT_", ""},
		{"_Z4packIJidPfPsEEvDpT_", "i d *f *s"},
		{"_Z5packpIJidEEviDpPT_", "i *i *d"},
		{"_Z5packvIJidEEvDp3VecIT_Li2EE", "class class"},
		{"_Z7nontypeIlLl3EEvPT_", "*l"},
		{"_Z3arrIfEvPA16_T_PA4_A4_KS0_", "*f *f"},
		{"_Z2ttI3VecsEvT_IT0_Li3EES2_PS2_", "class s *s"},
		{"_Z5applyIZ4mainEUlfE_EvPfT_", "*f class"},
		{"_Z3volIiEvPVT_PVKS0_PPS0_", "*i *i -"},
		{"_Z4exprILi3EEvPAplT_Li1E_f3VecIfXmlT_Li2EEE", "*f class"},
		{"_ZN2ns3nskIdEEvPT_S1_NS_1PENS_1QIS1_EEPKS5_", "*d d class class -"},
		{"_ZN2ns3twoINS_1PEsEEvPT_PT0_S2_S4_PKS2_PKS4_", "- *s class s - *s"},
		{"_ZN40_GLOBAL__N__c621182a_8_names_cu_d12b5c375afillIsEEvPT_S1_", "*s s"},
		{"__nv_static_23__15cf2119_5_st_cu__Z1fv__Z5sfillIsEvPT_S0_", "*s s"},
		{"__nv_static_23__15cf2119_5_st_cu__Z1fv_Z1ki", "?"},
		{"__nv_static_99999999999__Z1ki", "?"},
		{"__nv_static_", "?"},
		{"_Z6plain2PKfS0_PdPKd1E2OpPS5_6__halfP6float4PSB_",
		 "?"}, /* there is no part SB_ */
		{"_Z6plain2PKfS0_PdPKd1E2OpPS5_S6_", "*f *f *d *d class class - -"},
		/* what an alias stands for is not in the name */
		{"_Z3depIfEvN6TraitsIT_E7pointerENS2_5valueE", "- -"},
		{"_Z4dep2I2OpEvNT_5valueES1_", "- class"},
		{"_Z4condIfEvPT_DTplcvS0__ELd3ff0000000000000EE", "*f -"},
		{"_ZL1kPKcS0_St6vectorIfSaIfEE", "*c *c class"},
		{"_ZN2cv4cuda6deviceL1kILb1EN3dev4PairIiEEEEvNS1_7PtrStepIfEEid", "class i d"},
		{"_Z1k6float2P6__halfm", "class - m"},
		{"_Z1kILin3EJifEEvPPf", "-"},
		{"_Z1kDF16_", "-"},
		{"_Z1kM1afi", "- i"},
		{"_Z1kPFviE", "-"},
		{"_Z1kDpi", "?"},
		{"_Z1kT_", "?"},
		{"_Z1kS_", "?"},
		{"_Z1kIiEvT0_", "?"},
		{"_Z5table", "?"},
		{"_Z", "?"},
		{"_Z1", "?"},
		{"_Z9k", "?"},
		{"_Z1kI", "?"},
		{"_Z1kIf", "?"},
		{"_Z1kS", "?"},
		{"_Z1kP", "?"},
		{"_Z1kPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPi", "-"},
		{"saxpy", "?"},
		{"", "?"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct mangled_parameter parameters[8];
		const int count =
			mangled_parameters(parameters, ARRAY_SIZE(parameters), names[i][0]);
		struct text found = TEXT_INIT;

		if (count < 0)
			text_add(&found, "?");
		for (int p = 0; p < count; p++) {
			const struct mangled_parameter *one = &parameters[p];
			const char letter = one->builtin   ? one->builtin->letter
					    : one->pointee ? one->pointee->letter
							   : '-';

			text_addf(&found, "%s", p ? " " : "");
			if (one->is_class)
				text_add(&found, "class");
			else
				text_addf(&found, "%s%c", one->pointee ? "*" : "", letter);
		}
		assert_string_equal(found.data, names[i][1]);
		text_release(&found);
	}
	assert_int_equal(mangled_parameters(NULL, 0, "_Z1kiii"), 3);
}

static void names_without_the_path_of_the_file(void **state)
{
	static const char *const names[][2] = {
		{"saxpy", "saxpy"},
		{"_ZN2ns5scaleIfEEvPT_", "_ZN2ns5scaleIfEEvPT_"},
		{"_ZN12_GLOBAL__N_15scaleEv", "_ZN12_GLOBAL__N_15scaleEv"},
		{"_ZN40_GLOBAL__N__c621182a_8_names_cu_d12b5c375afillIsEEvPT_S1_",
		 "_ZN12_GLOBAL__N_15afillIsEEvPT_S1_"},
		{"_Z5applyIN40_GLOBAL__N__c621182a_8_names_cu_d12b5c372OpEEvT_",
		 "_Z5applyIN12_GLOBAL__N_12OpEEvT_"},
		{"_ZN34_INTERNAL_f21ae98e_6_sym_cu__Z1kPf2cv6hiddenE",
		 "_ZN10_INTERNAL_2cv6hiddenE"},
		{"__nv_static_23__15cf2119_5_st_cu__Z1fv__Z6plainsPfd", "_Z6plainsPfd"},
		{"_ZN99_GLOBAL__N__c621", "_ZN99_GLOBAL__N__c621"},
		{"_ZN99999999999999999999999_GLOBAL__N_", "_ZN99999999999999999999999_GLOBAL__N_"},
		{"", ""},
	};
	struct text portable = TEXT_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		mangled_portable(&portable, names[i][0]);
		assert_string_equal(portable.length ? portable.data : "", names[i][1]);
	}
	text_release(&portable);
}

static void mangled_names_become_readable(void **state)
{
	static const char *const names[][2] = {
		{"saxpy", "saxpy"},
		{"_Z5saxpyiPf", "saxpy"},
		{"_ZN2ns5scaleIfEEvPT_", "ns::scale"},
		{"_ZN12_GLOBAL__N_15scaleEv", "scale"},
		{"_ZL5scalev", "scale"},
		{"_ZN2cv4cuda5crotsE", "cv::cuda::crots"},
		{"_ZN2cv5tableIfEE", "cv::table"},
		{"_ZN34_INTERNAL_f21ae98e_6_sym_cu__Z1kPf2cv6hiddenE", "cv::hidden"},
		{"_ZN34_INTERNAL_f21ae98e_6_sym_cu__Z1kPfE",
		 "_ZN34_INTERNAL_f21ae98e_6_sym_cu__Z1kPfE"},
		{"__nv_static_23__15cf2119_5_st_cu__Z1fv__Z6plainsPfd", "plains"},
		{"_Z99short", "_Z99short"},
		{"_Z", "_Z"},
		{"_ZN", "_ZN"},
	};
	struct text plain = TEXT_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		mangled_plain_name(&plain, names[i][0]);
		assert_string_equal(plain.data, names[i][1]);
	}
	text_release(&plain);
}

static void parts_of_texts(void **state)
{
	(void)state;
	assert_true(has_suffix("saxpy.cu", ".cu"));
	assert_false(has_suffix(".cu", ".cu"));
	assert_false(has_suffix("saxpy.cu", ".cuh"));
	assert_false(has_suffix("", ".cu"));

	assert_true(has_whole_word("2 * n", "n"));
	assert_true(has_whole_word("n", "n"));
	assert_true(has_whole_word("nn+n", "n"));
	assert_false(has_whole_word("nn + n2 + n_", "n"));
	assert_false(has_whole_word("", "n"));
	assert_false(has_whole_word("ceil_div(m, 2)", "div"));
}

static void untrusted_text_is_visible(void **state)
{
	static const struct {
		const char *raw, *shown;
	} texts[] = {
		{"", ""},
		{"plain 12 % \\", "plain 12 % \\"},
		{"gr\xc3\xb6\xc3\x9f"
		 "e \xe2\x80\xa6 \xf0\x9f\x98\x80",
		 "gr\xc3\xb6\xc3\x9f"
		 "e \xe2\x80\xa6 \xf0\x9f\x98\x80"},
		{"a\nb\tc\rd\x7f", "a\\nb\\tc\\x0dd\\x7f"},
		{"\x1b[31m\x07", "\\x1b[31m\\x07"},
		{"\xc2\x9b"
		 "2J",
		 "\\xc2\\x9b2J"}, /* C1: CSI */
		{"\xe2\x80\xae"
		 "abc",
		 "\\xe2\\x80\\xaeabc"},                                /* right to left */
		{"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},                   /* isolate */
		{"\xef\xbb\xbf", "\\xef\\xbb\\xbf"},                   /* invisible */
		{"\u00ad\u3164", "\\xc2\\xad\\xe3\\x85\\xa4"},         /* also these */
		{"\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"},          /* a tag */
		{"\xff\xc3", "\\xff\\xc3"},                            /* not UTF-8 */
		{"\xc0\x80\xed\xa0\x80", "\\xc0\\x80\\xed\\xa0\\x80"}, /* too long; a surrogate */
	};
	struct text out = TEXT_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		text_clear(&out);
		text_add_escaped(&out, texts[i].raw);
		assert_string_equal(out.data, texts[i].shown);
	}
	text_release(&out);
}

/* The end of the last line may be missing. */
static void lines_have_no_ends(void **state)
{
	char text[] = "a\tb \t\r\n\n  c", none[] = "";
	size_t count;
	char **lines = text_split_lines(text, &count);

	(void)state;
	assert_int_equal(count, 3);
	assert_string_equal(lines[0], "a b");
	assert_string_equal(lines[1], "");
	assert_string_equal(lines[2], "  c");
	free(lines);
	assert_null(text_split_lines(none, &count));
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_texts),
		cmocka_unit_test(untrusted_text_is_visible),
		cmocka_unit_test(empty_text_is_a_string),
		cmocka_unit_test(text_grows),
		cmocka_unit_test(detached_text_is_the_callers),
		cmocka_unit_test(lists_own_their_strings),
		cmocka_unit_test(split_keeps_empty_pieces),
		cmocka_unit_test(split_at_no_separator_is_one_piece),
		cmocka_unit_test(lines_have_no_ends),
		cmocka_unit_test(grow_keeps_what_is_there),
		cmocka_unit_test(copies_are_terminated),
		cmocka_unit_test(names_without_the_path_of_the_file),
		cmocka_unit_test(mangled_names_become_readable),
		cmocka_unit_test(mangled_names_have_parameters),
		cmocka_unit_test(allocations_of_nothing_are_pointers),
	};

	return cmocka_run_group_tests_name("base_text", tests, NULL, NULL);
}
