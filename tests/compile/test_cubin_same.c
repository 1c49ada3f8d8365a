/* Which kernels of two cubins are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile_support.h"

#define KERNEL(name, body) "extern \"C\" __global__ void " name "(int *x) { " body " }\n"

/* Whether the kernel `a` of both sources is the same. */
static bool same(struct sandbox *box, const char *first, const char *second)
{
	const char *const texts[] = {first, second};
	struct compiled *compiled[2];
	struct string_list entries = {0};
	bool answer;

	string_list_add(&entries, "a");
	box->request.cubin = true;
	for (int i = 0; i < 2; i++) {
		sandbox_source(box, i ? "second.cu" : "first.cu", texts[i]);
		compiled[i] = sandbox_compile(box);
	}
	answer = cubin_entries_are_same(compiled[0]->cubin, &entries, compiled[1]->cubin, &entries);
	assert_int_equal(answer, cubin_entries_are_same(compiled[1]->cubin, &entries,
							compiled[0]->cubin, &entries));
	compiled_free(compiled[0]);
	compiled_free(compiled[1]);
	string_list_release(&entries);
	return answer;
}

static void only_what_a_kernel_does_counts(void **state)
{
	struct sandbox *box = *state;

	assert_true(same(box, KERNEL("a", "x[threadIdx.x] = 1;"),
			 "// a comment\n\n" KERNEL("a", "int value = 1; x[threadIdx.x] = value;")));
	assert_false(
		same(box, KERNEL("a", "x[threadIdx.x] = 1;"), KERNEL("a", "x[threadIdx.x] = 2;")));
}

static void other_kernels_do_not_count(void **state)
{
	struct sandbox *box = *state;

	assert_true(same(box, KERNEL("a", "x[threadIdx.x] = 1;") KERNEL("b", "x[0] = 1;"),
			 KERNEL("a", "x[threadIdx.x] = 1;") KERNEL("b", "x[1] *= x[2];")));
	assert_false(same(box, KERNEL("a", "x[threadIdx.x] = 1;") KERNEL("b", "x[0] = 1;"),
			  KERNEL("a", "x[threadIdx.x] = 2;") KERNEL("b", "x[0] = 1;")));
}

static void what_a_kernel_uses_counts(void **state)
{
	struct sandbox *box = *state;

#define TABLE(values) "__constant__ int table[2] = {" values "};\n"
#define CALLED(value) "__device__ __noinline__ int f(int x) { return x * " value " + x % 7; }\n"
	assert_false(same(box, TABLE("1, 2") KERNEL("a", "x[0] = table[threadIdx.x];"),
			  TABLE("1, 3") KERNEL("a", "x[0] = table[threadIdx.x];")));
	assert_false(same(box, CALLED("3") KERNEL("a", "x[0] = f(x[1]);"),
			  CALLED("5") KERNEL("a", "x[0] = f(x[1]);")));
}

static void damaged_files_are_not_the_same(void **state)
{
	struct sandbox *box = *state;
	struct string_list entries = {0};
	struct compiled *compiled;
	char *bytes, *path = xasprintf("%s/damaged.cubin", box->folder);
	size_t length;

	string_list_add(&entries, "a");
	box->request.cubin = true;
	sandbox_source(box, "first.cu", KERNEL("a", "x[threadIdx.x] = 1;"));
	compiled = sandbox_compile(box);
	bytes = file_text(compiled->cubin, &length);
	for (size_t cut = 0; cut < length / 2; cut += cut < 64 ? 1 : 97) {
		FILE *file = fopen(path, "wb");

		fwrite(bytes, 1, cut, file);
		fclose(file);
		assert_false(cubin_entries_are_same(compiled->cubin, &entries, path, &entries));
	}
	assert_false(cubin_entries_are_same(compiled->cubin, &entries, "/no/such/file", &entries));
	free(bytes);
	free(path);
	compiled_free(compiled);
	string_list_release(&entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SANDBOX(only_what_a_kernel_does_counts),
		IN_SANDBOX(other_kernels_do_not_count),
		IN_SANDBOX(what_a_kernel_uses_counts),
		IN_SANDBOX(damaged_files_are_not_the_same),
	};

	if (!sandbox_has_tools())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
