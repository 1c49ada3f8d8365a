/* Which kernels of two cubins are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile_support.h"

#define KERNEL(name, body) "extern \"C\" __global__ void " name "(int *x) { " body " }\n"

static bool are_same(const char *first, const char *second, const struct string_list *entries)
{
	return cubin_entries_are_same(&(struct cubin_kernels){first, entries, NULL},
				      &(struct cubin_kernels){second, entries, NULL});
}

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
	answer = are_same(compiled[0]->cubin, compiled[1]->cubin, &entries);
	assert_int_equal(answer, are_same(compiled[1]->cubin, compiled[0]->cubin, &entries));
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
	/* symbols of another kernel move those of this one */
#define PRINTS "#include <cstdio>\n" KERNEL("a", "printf(\"%d\", x[1]);")
	assert_true(same(box, PRINTS KERNEL("b", "x[0] = 1;"),
			 PRINTS KERNEL("b", "__shared__ int y[9]; y[x[1]] = 1; __syncthreads(); "
					    "x[0] = y[x[2]] + (int)((long)x[3] * 77 % x[4]);")));
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

static void what_is_called_through_a_pointer_counts(void **state)
{
	struct sandbox *box = *state;

#define POINTERS(value)                                               \
	"__device__ int f(int x) { return x * " value " + x % 7; }\n" \
	"__device__ int g(int x) { return x / 5; }\n"                 \
	"typedef int (*function)(int);\n"                             \
	"__device__ function table[2] = {f, g};\n" KERNEL("a", "x[0] = table[x[1]](x[2]);")
	assert_true(same(box, POINTERS("3"), "// a comment\n" POINTERS("3")));
	assert_false(same(box, POINTERS("3"), POINTERS("5")));
}

/* Compiles NAME/a.cu. *folder is malloc'd. */
static struct compiled *compile_in(struct sandbox *box, const char *name, const char *text,
				   char **folder)
{
	char *file = xasprintf("%s/a.cu", name);

	*folder = xasprintf("%s/%s", box->folder, name);
	assert_int_equal(mkdir(*folder, 0700), 0);
	sandbox_source(box, file, text);
	free(file);
	return sandbox_compile(box);
}

static void the_folder_of_the_sources_does_not_count(void **state)
{
#define ASSERTS(condition) \
	"#include <cassert>\n" KERNEL("a", "assert(" condition "); x[threadIdx.x] = 3;")
	static const char *const texts[] = {ASSERTS("x[1] > 1"), ASSERTS("x[1] > 1"),
					    ASSERTS("x[1]>  1")};
	static const char *const names[] = {"now", "the.revision", "other"};
	struct sandbox *box = *state;
	struct string_list entries = {0};
	struct compiled *compiled[3];
	struct cubin_kernels kernels[3];
	char *folders[3];

	string_list_add(&entries, "a");
	box->request.cubin = true;
	for (int i = 0; i < 3; i++) {
		compiled[i] = compile_in(box, names[i], texts[i], &folders[i]);
		kernels[i] = (struct cubin_kernels){compiled[i]->cubin, &entries, folders[i]};
	}
	assert_true(cubin_entries_are_same(&kernels[0], &kernels[1]));
	assert_false(cubin_entries_are_same(&kernels[0], &kernels[2])); /* its text */
	kernels[1].root = NULL;
	assert_false(cubin_entries_are_same(&kernels[0], &kernels[1]));
	for (int i = 0; i < 3; i++) {
		compiled_free(compiled[i]);
		free(folders[i]);
	}
	string_list_release(&entries);
}

static void flags_count_in_the_code_that_they_make(void **state)
{
	struct sandbox *box = *state;
	const char *const source = KERNEL("a", "x[0] = (int)(1.5f / (float)x[1]);\n"
					       "#ifdef TWICE\nx[0] *= 2;\n#endif\n");
	struct string_list entries = {0};
	struct compiled *compiled[3];
	const char *const flags[] = {NULL, "-use_fast_math", "-DTWICE"};

	string_list_add(&entries, "a");
	box->request.cubin = true;
	sandbox_source(box, "first.cu", source);
	for (int i = 0; i < 3; i++) {
		if (flags[i])
			sandbox_flag(box, flags[i]);
		compiled[i] = sandbox_compile(box);
	}
	for (int i = 0; i < 2; i++)
		assert_false(are_same(compiled[i]->cubin, compiled[i + 1]->cubin, &entries));
	for (int i = 0; i < 3; i++)
		compiled_free(compiled[i]);
	string_list_release(&entries);
}

/* The host writes to variables by their names, and the code has only their places. */
static void names_of_variables_count(void **state)
{
	struct sandbox *box = *state;

#define TWO(first, second)                                          \
	"__constant__ int " first " = 1;\n__constant__ int " second \
	" = 1;\n" KERNEL("a", "x[0] = " first " + 2 * " second ";")
	assert_true(same(box, TWO("p", "q"), TWO("p", "q")));
	assert_false(same(box, TWO("p", "q"), TWO("q", "p")));
#define TABLES(functions)                                     \
	"__device__ int f(int x) { return x * 3 + x % 7; }\n" \
	"__device__ int g(int x) { return x / 5; }\n"         \
	"typedef int (*function)(int);\n"                     \
	"__device__ function table[2] = {" functions          \
	"};\n" KERNEL("a", "x[0] = table[x[1]](x[2]);")
	assert_false(same(box, TABLES("f, g"), TABLES("g, f")));
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
		assert_false(are_same(compiled->cubin, path, &entries));
	}
	assert_false(are_same(compiled->cubin, "/no/such/file", &entries));
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
		IN_SANDBOX(what_is_called_through_a_pointer_counts),
		IN_SANDBOX(the_folder_of_the_sources_does_not_count),
		IN_SANDBOX(flags_count_in_the_code_that_they_make),
		IN_SANDBOX(names_of_variables_count),
		IN_SANDBOX(damaged_files_are_not_the_same),
	};

	if (!sandbox_has_tools())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
