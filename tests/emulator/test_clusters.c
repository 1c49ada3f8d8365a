/* Launches without clusters: what the registers say, and what is refused by name. */
#include "support_decode.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* Each block is a cluster of its own, so both have the same number. */
static void a_block_is_a_cluster_of_its_own(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		"setmaxnreg.inc.sync.aligned.u32 64;\ngriddepcontrol.wait;\n"
		"mov.u32 %r4, %clusterid.x;\nmov.u32 %r5, %nclusterid.x;\n"
		"mov.u32 %r6, %cluster_ctaid.x;\nmov.u32 %r7, %cluster_nctaid.y;\n"
		"mov.u32 %r8, %cluster_ctarank;\nmov.u32 %r9, %cluster_nctarank;\n"
		"mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r10, 1, 0, %p1;\n"
		"mov.u32 %r11, %ctaid.x;\nmul.wide.u32 %rd5, %r11, 28;\nadd.s64 %rd5, %rd1, %rd5;\n"
		"st.global.u32 [%rd5], %r4;\nst.global.u32 [%rd5+4], %r5;\n"
		"st.global.u32 [%rd5+8], %r6;\nst.global.u32 [%rd5+12], %r7;\n"
		"st.global.u32 [%rd5+16], %r8;\nst.global.u32 [%rd5+20], %r9;\n"
		"st.global.u32 [%rd5+24], %r10;\nret;\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = ptx, .grid = {3}, .out_words = 21});

	(void)state;
	for (uint32_t block = 0; block < 3; block++) {
		const uint32_t expected[] = {block, 3, 0, 1, 0, 1, 0};

		assert_memory_equal(result.out + (size_t)7 * block, expected, sizeof(expected));
	}
	machine_release(&result);
}

static void the_wrong_type_is_refused(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(decode_body_fails("mov.u32 %r1, %is_explicit_cluster;\nret;", &err, NULL),
			 PL_EPARSE);
	assert_non_null(strstr(err.text, "%is_explicit_cluster is a predicate"));
	assert_int_equal(decode_body_fails("mov.pred %p1, %cluster_ctarank;\nret;", &err, NULL),
			 PL_EPARSE);
	assert_non_null(strstr(err.text, "%cluster_ctarank is not a predicate"));
}

static void clusters_are_refused_by_name(void **state)
{
	static const char *const refused[] = {
		"barrier.cluster.arrive.aligned;",
		"barrier.cluster.wait.aligned;",
		"mapa.shared::cluster.u32 %r1, %r2, 0;",
		"getctarank.shared::cluster.u32 %r1, %r2;",
		"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];",
	};
	static const char *const directives[] = {".explicitcluster", ".reqnctapercluster 2, 1, 1"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *body = xasprintf("%s\nret;", refused[i]);
		char *name = xstrndup(refused[i], strcspn(refused[i], " ;"));
		struct error err;

		if (decode_body_fails(body, &err, NULL) != PL_EUNSUPPORTED ||
		    !strstr(err.text, name))
			fail_msg("%s: %s", refused[i], err.text);
		free(name);
		free(body);
	}
	for (size_t i = 0; i < ARRAY_SIZE(directives); i++) {
		char *text = xasprintf(PTX_HEADER ".visible .entry k()\n%s\n{\nret;\n}\n",
				       directives[i]);
		char *name = xstrndup(directives[i], strcspn(directives[i], " "));
		struct error err;

		if (decode_module_fails(text, NULL, &err, NULL) != PL_EUNSUPPORTED ||
		    !strstr(err.text, name))
			fail_msg("%s: %s", directives[i], err.text);
		free(name);
		free(text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_is_a_cluster_of_its_own),
		cmocka_unit_test(the_wrong_type_is_refused),
		cmocka_unit_test(clusters_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
