/* Reasons of workers in the words of their users. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/sweep/sweep_parts.h"

static const struct kernel_launch written = {.entry = "_Z5saxpyifPKfPf"};
static const struct kernel_variant by_mangled_name = {.launches = &written, .launch_count = 1},
				   by_name = {.launches = NULL};

static void assert_shown(const char *reason, const struct kernel_variant *variant,
			 const char *expected)
{
	struct text out = TEXT_INIT;

	shown_reason_add(&out, reason, variant);
	assert_string_equal(out.data, expected);
	text_release(&out);
}

static void names_become_those_of_the_source(void **state)
{
	(void)state;
	assert_shown("out of bounds in _Z5saxpyifPKfPf, block (0,0,0)", &by_name,
		     "out of bounds in saxpy, block (0,0,0)");
	assert_shown("_ZN2ns5scaleIfLi4EEEvPT_: a; _Z1kPf", &by_name, "ns::scale<float, 4>: a; k");
	assert_shown("_ZN40_GLOBAL__N__c621182a_8_names_cu_d12b5c375afillIsEEvPT_S1_ waits", NULL,
		     "(anonymous namespace)::afill<short> waits");
	assert_shown("_Z5applyI3MapIS0_IS0_IS0_IS0_I23a_functor_of_long_namesEEEEEEvT_ fails",
		     &by_name,
		     "apply<Map<Map<Map<Map<Map<a_functor_of_long_names> > > > > > fails");
	assert_shown("_Z1kI1AI1BI1CI23a_functor_of_long_name123a_functor_of_long_name2EEEEvv x",
		     &by_name, "k<A<B<C<…> > > > x");
}

static void other_text_stays(void **state)
{
	(void)state;
	assert_shown("", &by_name, "");
	assert_shown("the block has 1.5 threads; my_Zone", &by_name,
		     "the block has 1.5 threads; my_Zone");
	assert_shown("_Znonsense and _Z", &by_name, "_Znonsense and _Z");
	assert_shown("write a::both (_ZN1a4bothE)", &by_name, "write a::both (_ZN1a4bothE)");
	/* as the user wrote it */
	assert_shown("in _Z5saxpyifPKfPf", &by_mangled_name, "in _Z5saxpyifPKfPf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_those_of_the_source),
		cmocka_unit_test(other_text_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
