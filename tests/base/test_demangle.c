/* Readable names of functions. demangled.txt holds what compilers and NVIDIA's libraries call their
 * kernels, and what c++filt prints for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mangled.h"

static void assert_readable(const char *name, const char *expected)
{
	struct text readable = TEXT_INIT;

	mangled_readable(&readable, name);
	assert_string_equal(readable.data, expected);
	text_release(&readable);
}

static void names_are_as_cxxfilt_prints_them(void **state)
{
	struct string_list lines = {0};
	char *text = NULL;
	size_t length;

	(void)state;
	assert_int_equal(read_file(&text, &length, DEMANGLED, 1 << 20, NULL), 0);
	string_list_split(&lines, text, '\n');
	assert_true(lines.count > 120);
	for (size_t i = 0; i + 1 < lines.count; i += 2)
		assert_readable(lines.items[i], lines.items[i + 1]);
	string_list_release(&lines);
	free(text);
}

/* The address of a function is shown by its name, without its type. */
static void addresses_of_functions_are_short(void **state)
{
	(void)state;
	assert_readable("_Z13gen_sequencedI5StatefXadL_Z7uniformIS0_EfPT_EEEvS3_PT0_",
			"void gen_sequenced<State, float, &uniform<State> >(State*, float*)");
}

static void what_cannot_be_read_stays(void **state)
{
	static const char *const names[] = {
		"",
		"saxpy",
		"triton_poi_fused_add_0",
		"_Z",
		"_ZN",
		"_Z99short",
		"_Z5saxpyiPf_",
		"_Z5saxpyT_",
		"_Z5saxpyS0_",
		"_ZN2at6nativeILi4EE",
		"_Z1fIXadL_Z1gvEEvv",
		"_ZTI5saxpy",
		"_Z3fooIiEv9999999999999999999a",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_readable(names[i], names[i]);
}

/* A name can repeat parts, so a short one can mean a text of any length. */
static void hostile_names_end(void **state)
{
	struct text name = TEXT_INIT, readable = TEXT_INIT;

	(void)state;
	text_add(&name, "_Z1fI1AS_S_E"); /* each pair holds the one before it twice */
	for (int i = 0; i < 30; i++) {
		text_add(&name, "N1BI");
		text_add(&name, "S0_S0_E");
		text_add(&name, "E");
	}
	mangled_readable(&readable, name.data);
	assert_true(readable.length < 3u << 20);
	text_clear(&name);
	text_add(&name, "_Z1f");
	for (int i = 0; i < 60000; i++)
		text_add(&name, "P");
	text_add(&name, "i");
	mangled_readable(&readable, name.data);
	assert_string_equal(readable.data, name.data);
	text_release(&name);
	text_release(&readable);
}

static void assert_shortened(const char *readable, size_t most, const char *expected)
{
	struct text out = TEXT_INIT;

	text_add(&out, "> ");
	readable_shorten(&out, readable, most);
	assert_string_equal(out.data + 2, expected);
	text_release(&out);
}

static void long_names_are_shortened_step_by_step(void **state)
{
	static const char name[] = "void at::native::reduce<512, at::Op<float, at::Sum<float> > >"
				   "(at::Op<float, at::Sum<float> >)";

	(void)state;
	assert_shortened(name, 100, "at::native::reduce<512, at::Op<float, at::Sum<float> > >");
	assert_shortened(name, 52, "at::native::reduce<512, at::Op<float, at::Sum<…> > >");
	assert_shortened(name, 40, "at::native::reduce<512, at::Op<…> >");
	assert_shortened(name, 22, "at::native::reduce<…>");
	assert_shortened(name, 12, "reduce<…>");
	assert_shortened(name, 6, "reduc…");
	assert_shortened("void k<>()", 2, "k…");
	assert_shortened("saxpy", 80, "saxpy");
	assert_shortened("", 80, "");
	assert_shortened("void f<int (*)(int)>(int (*)(int)) [clone .part.0]", 80,
			 "f<int (*)(int)>");
	assert_shortened("void f<&(g())>()", 80, "f<&(g())>");
	assert_shortened("void (anonymous namespace)::k(float*)", 80, "(anonymous namespace)::k");
	assert_shortened("void (anonymous namespace)::k(float*)", 5, "k");
	assert_shortened("A::operator()(int) const", 80, "A::operator()");
	assert_shortened("A<int>::operator<< <int>(int)", 23, "A<…>::operator<< <…>");
	assert_shortened("void k<f(int&)::{lambda()#2}::operator()() const::{lambda(float)#1}>"
			 "(float)",
			 10, "k<…>");
}

static void patterns_select_names(void **state)
{
	static const char add[] = "_ZN2at6native3addIfEEvT_";
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{"native::add", add, true},
		{"6native3add", add, true},
		{"native", add, true},
		{"Native", add, false},
		{"add<float>", add, true},
		{"add<double>", add, false},
		{"void at::*(float)", add, true},
		{"at::*", add, false},
		{"*add*", add, true},
		{"_ZN2at*", add, true},
		{"?axpy", "saxpy", true},
		{"?saxpy", "saxpy", false},
		{"s*y", "saxpy", true},
		{"s*p", "saxpy", false},
		{"a*b*c", "aXbXbXc", true},
		{"k[3]", "k3", false},
		{"k[3]*", "k[3]x", true},
		{"*", "", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (mangled_matches(cases[i].pattern, cases[i].name) != cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_as_cxxfilt_prints_them),
		cmocka_unit_test(addresses_of_functions_are_short),
		cmocka_unit_test(what_cannot_be_read_stays),
		cmocka_unit_test(hostile_names_end),
		cmocka_unit_test(long_names_are_shortened_step_by_step),
		cmocka_unit_test(patterns_select_names),
	};

	return cmocka_run_group_tests_name("base_demangle", tests, NULL, NULL);
}
