/* Several files as variants, sidecars, and the lines of the command line. */
#include "tests/kernels/user/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SAXPY                                        \
	"// perflab: axis n = 2^20\n"                \
	"// perflab: buffer y: f32[n] inout\n"       \
	"// perflab: work write = n\n"               \
	"// perflab: flags -DFIRST\n"                \
	"// perflab: launch saxpy<<<n, 1>>>(n, y)\n" \
	"// perflab: verify y = 2\n"

static const struct kernel_variant *variant_of(const struct kernel *kernel, const char *name)
{
	const struct kernel_variant *variant = kernel_find_variant(kernel, name);

	if (!variant)
		fail_msg("there is no variant \"%s\"", name);
	return variant;
}

/* An unannotated version of a kernel needs nothing but its file. */
static void test_file_without_annotations(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;
	char *path = xasprintf("%s/new.cu", folder->path);

	folder_write(folder, "old.cu", SAXPY);
	folder_write(folder, "new.cu", "__global__ void saxpy(int n, float *y);\n");
	kernel = folder_kernel(folder, FILES("old.cu", "new.cu"));
	assert_string_equal(kernel->name, "old");
	assert_int_equal(kernel->variant_count, 2);
	assert_string_equal(kernel->variants[0].name, "old");
	assert_string_equal(kernel->variants[1].name, "new");
	assert_string_equal(kernel->variants[1].launches[0].entry, "saxpy");
	assert_string_equal(kernel->variants[1].source->path, path);
	assert_string_equal(kernel->variants[1].source->flags[0], "-DFIRST");
	assert_int_equal(kernel->variants[1].check->kind, CHECK_EXPRESSION);
	/* the order does not matter */
	kernel = folder_kernel(folder, FILES("new.cu", "old.cu"));
	assert_string_equal(kernel->name, "new");
	assert_string_equal(kernel->variants[0].name, "new");
	assert_string_equal(kernel->variants[0].source->path, path);
	assert_string_equal(kernel->variants[1].name, "old");
	assert_int_equal(kernel->axis_count, 1);
	free(path);
}

/* An annotated copy shares what is equal, so that both use the same buffers. */
static void test_annotated_copy(void **state)
{
	struct folder *folder = *state;
	const struct kernel_variant *copy;

	folder_write(folder, "old.cu", SAXPY);
	folder_write(folder, "new.cu", SAXPY "// perflab: needs sm_80\n");
	copy = variant_of(folder_kernel(folder, FILES("old.cu", "new.cu")), "new");
	assert_int_equal(copy->axis_count, 0);
	assert_null(copy->buffers);
	assert_null(copy->work);
	assert_null(copy->tolerance);
	/* what the new file needs does not hold for the old one */
	assert_int_equal(copy->constraint_count, 1);
	copy = variant_of(kernel_file_kernel(folder->file), "old");
	assert_int_equal(copy->constraint_count, 0);
}

static void test_own_declarations(void **state)
{
	struct folder *folder = *state;
	const struct kernel_variant *variant;

	folder_write(folder, "old.cu", SAXPY);
	folder_write(folder, "new.cu",
		     "// perflab: axis n = 2^10\n"
		     "// perflab: define ITEMS = 1, 2\n"
		     "// perflab: buffer part: f16[ITEMS] out\n"
		     "// perflab: work write = 2 * n\n"
		     "// perflab: skip \"small\" unless n > 4\n"
		     "// perflab: flags -DSECOND\n"
		     "// perflab: launch other<<<n, 1>>>(y, part)\n"
		     "// perflab: verify none\n");
	variant = variant_of(folder_kernel(folder, FILES("old.cu", "new.cu")), "new");
	assert_int_equal(variant->axis_count, 2);
	assert_string_equal(variant->axes[0].values, "2^10");
	assert_string_equal(variant->axes[1].name, "ITEMS");
	assert_int_equal(variant->buffer_count, 2);
	assert_string_equal(variant->buffers[0].name, "y");
	assert_string_equal(variant->buffers[1].name, "part");
	assert_string_equal(variant->work->bytes_written, "2 * n");
	assert_true(variant->tolerance->rel == 1e-2);
	assert_int_equal(variant->constraint_count, 1);
	assert_int_equal(variant->source->flag_count, 1);
	assert_string_equal(variant->source->flags[0], "-DSECOND");
	assert_int_equal(variant->check->kind, CHECK_NONE);
	/* the old file has none of this */
	variant = variant_of(kernel_file_kernel(folder->file), "old");
	assert_int_equal(variant->axis_count + variant->buffer_count + variant->constraint_count,
			 0);
	assert_int_equal(variant->check->kind, CHECK_EXPRESSION);
}

static void test_several_launches(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;

	folder_write(folder, "k.cu", SAXPY "// perflab: launch ns::b<float, 4><<<n, 1>>>(y)\n");
	kernel = folder_kernel(folder, FILES("k.cu"));
	assert_int_equal(kernel->variant_count, 2);
	assert_string_equal(kernel->variants[0].name, "saxpy");
	assert_string_equal(kernel->variants[1].name, "ns-b-float-4");
	assert_string_equal(kernel->variants[1].launches[0].entry, "ns::b<float, 4>");
	folder_write(folder, "l.cu", "");
	kernel = folder_kernel(folder, FILES("k.cu", "l.cu"));
	assert_int_equal(kernel->variant_count, 4);
	variant_of(kernel, "k.saxpy");
	variant_of(kernel, "l.ns-b-float-4");
}

static void test_lines_of_a_variant(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;
	const struct kernel_variant *variant;

	folder_write(folder, "k.cu",
		     SAXPY "// perflab: variant b\n"
			   "// perflab: axis ways = 1..8\n"
			   "// perflab: flags -DB\n"
			   "// perflab: launch one<<<ways, 1>>>(y)\n"
			   "// perflab: launch two<<<ways, 1>>>(y)\n"
			   "// perflab: skip \"odd\" if ways % 2\n"
			   "// perflab: verify none\n");
	kernel = folder_kernel(folder, FILES("k.cu"));
	assert_int_equal(kernel->axis_count, 1);
	variant = variant_of(kernel, "b");
	assert_int_equal(variant->launch_count, 2);
	assert_int_equal(variant->axis_count, 1);
	assert_string_equal(variant->axes[0].name, "ways");
	assert_int_equal(variant->constraint_count, 1);
	assert_int_equal(variant->source->flag_count, 2);
	assert_string_equal(variant->source->flags[1], "-DB");
	assert_int_equal(variant->check->kind, CHECK_NONE);
	variant = variant_of(kernel, "saxpy");
	assert_int_equal(variant->axis_count + variant->constraint_count, 0);
	assert_int_equal(variant->source->flag_count, 1);
}

static void test_sidecar(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;

	folder_write_bytes(folder, "k.cubin", "\177ELF\0\1\2", 7);
	folder_write(folder, "k.cubin.perflab",
		     "\xef\xbb\xbf# the whole line\n"
		     "\n"
		     "  axis n = 2^20   # the end of a line\r\n"
		     "// perflab: buffer y: f32[n] out\n"
		     "summary a \"# b\" c\n"
		     "launch k<<<n, \\\n"
		     "  128>>>(y)\n"
		     "verify none");
	kernel = folder_kernel(folder, FILES("k.cubin"));
	assert_string_equal(kernel->name, "k");
	assert_string_equal(kernel->axes[0].values, "2^20");
	assert_string_equal(kernel->summary, "a \"# b\" c");
	assert_string_equal(kernel->variants[0].launches[0].block[0], "128");
	folder_write(folder, "other.perflab",
		     "buffer z: i32[8] out\nlaunch z<<<1, 1>>>(z)\nverify none\n");
	kernel = folder_kernel(folder, FILES("k.cubin", "other.perflab"));
	assert_string_equal(kernel->variants[0].name, "z");
	assert_int_equal(kernel->axis_count, 0);
}

/* What a sidecar adds holds for every variant of its source, and for the variants of its own. */
static void test_sidecar_of_a_file_with_variants(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;

	folder_write(folder, "k.cu",
		     "// perflab: buffer y: f32[8] out\n"
		     "// perflab: verify y = two\n"
		     "// perflab: variant a\n"
		     "// perflab: launch k<<<1, 8>>>(y)\n"
		     "// perflab: variant b\n"
		     "// perflab: launch k<<<1, 8>>>(y)\n");
	folder_write(folder, "k.cu.perflab",
		     "tolerance rel = 0.25\n"
		     "work write = 32\n"
		     "axis ways = 1, 2\n"
		     "let two = 2\n"
		     "variant c\n"
		     "launch k<<<ways, 8>>>(y)\n"
		     "tolerance rel = 0.5\n");
	kernel = folder_kernel(folder, FILES("k.cu"));
	assert_int_equal(kernel->variant_count, 3);
	assert_true(kernel->tolerance_rel == 0.25);
	assert_string_equal(kernel->work.bytes_written, "32");
	assert_int_equal(kernel->axis_count, 1);
	for (size_t i = 0; i < 2; i++) {
		assert_null(kernel->variants[i].tolerance);
		assert_null(kernel->variants[i].work);
		assert_int_equal(kernel->variants[i].axis_count, 0);
	}
	assert_true(variant_of(kernel, "c")->tolerance->rel == 0.5);
}

#define TWO_VARIANTS                          \
	"// perflab: buffer y: f32[8] out\n"  \
	"// perflab: verify y = 2\n"          \
	"// perflab: variant plain\n"         \
	"// perflab: launch k<<<1, 8>>>(y)\n" \
	"// perflab: variant wide\n"          \
	"// perflab: launch k<<<1, 4>>>(y)\n"

static void make_folder(const struct folder *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder->path, name);

	assert_int_equal(mkdir(path, 0700), 0);
	free(path);
}

static void assert_variants(const struct kernel *kernel, const char *const *names)
{
	for (size_t i = 0; i < kernel->variant_count; i++) {
		assert_non_null(names[i]);
		assert_string_equal(kernel->variants[i].name, names[i]);
	}
	assert_null(names[kernel->variant_count]);
}

/* An old version of a file has variants of the same names, and may have the same name itself. */
static void test_variants_of_two_versions(void **state)
{
	struct folder *folder = *state;
	const struct kernel *kernel;

	folder_write(folder, "old.cu", TWO_VARIANTS);
	folder_write(folder, "k.cu",
		     TWO_VARIANTS "// perflab: variant fast\n"
				  "// perflab: launch k<<<1, 2>>>(y)\n");
	kernel = folder_kernel(folder, FILES("old.cu", "k.cu"));
	assert_string_equal(kernel->name, "old");
	assert_variants(kernel, FILES("old.plain", "old.wide", "k.plain", "k.wide", "fast"));
	make_folder(folder, "d");
	make_folder(folder, "e");
	folder_write(folder, "d/k.cu", TWO_VARIANTS);
	folder_write(folder, "e/k.cu", TWO_VARIANTS);
	kernel = folder_kernel(folder, FILES("d/k.cu", "e/k.cu"));
	assert_string_equal(kernel->name, "k");
	assert_variants(kernel, FILES("d-k.plain", "d-k.wide", "e-k.plain", "e-k.wide"));
	/* nothing but the suffix differs */
	folder_write(folder, "k.ptx", TWO_VARIANTS);
	folder_write(folder, "k.cu", TWO_VARIANTS);
	assert_variants(folder_kernel(folder, FILES("k.cu", "k.ptx")),
			FILES("k.cu.plain", "k.cu.wide", "k.ptx.plain", "k.ptx.wide"));
}

/* Files with one launch have the names of their files. */
static void test_launches_of_two_versions(void **state)
{
	struct folder *folder = *state;

	make_folder(folder, "old");
	make_folder(folder, "new");
	folder_write(folder, "old/k.cu", SAXPY);
	folder_write(folder, "new/k.cu", SAXPY);
	folder_write(folder, "other.cu", SAXPY);
	assert_variants(folder_kernel(folder, FILES("old/k.cu", "new/k.cu", "other.cu")),
			FILES("old-k", "new-k", "other"));
}

/* The PTX that perflab generates has lines of its own. */
static void test_lines_of_generated_ptx(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "k.ptx",
		     "// perflab: toolkit 13.0.88\n"
		     "// perflab: command nvcc -ptx -arch=compute_90 k.cu\n"
		     "// perflab: source kernels/k.cu 29d2e264\n"
		     "// perflab: entry k sm_90 registers 12 shared 0 local 0\n"
		     "// perflab: needs sm_90a\n"
		     "// perflab: buffer y: f32[8] out\n"
		     "// perflab: launch k<<<1, 8>>>(y)\n"
		     "// perflab: verify none\n"
		     ".version 8.0\n");
	assert_string_equal(folder_kernel(folder, FILES("k.ptx"))->variants[0].constraints[0].holds,
			    "compute_capability == 90");
}

static void test_only_the_command_line(void **state)
{
	struct folder *folder = *state;
	static const char *const lines[] = {"launch k<<<n, 1>>>(y)", "axis n = 1..8",
					    "buffer y: f32[n] out", "verify none"};
	static const char *const flags[] = {"-O3"};
	const struct kernel_file_options options = {.lines = lines,
						    .line_count = ARRAY_SIZE(lines),
						    .flags = flags,
						    .flag_count = 1,
						    .standard = "c++17",
						    .compiler = "nvrtc"};
	const struct kernel *kernel;

	folder_write(folder, "a.cu", "");
	folder_write(folder, "b.cu", "");
	if (folder_read(folder, &options, FILES("a.cu", "b.cu")))
		fail_msg("%s", folder->err.text);
	kernel = kernel_file_kernel(folder->file);
	assert_int_equal(kernel->variant_count, 2);
	assert_string_equal(kernel->variants[1].name, "b");
	assert_string_equal(kernel->variants[1].launches[0].entry, "k");
	assert_string_equal(kernel->variants[1].source->flags[0], "-O3");
	assert_string_equal(kernel->variants[1].source->standard, "c++17");
	assert_string_equal(kernel->variants[1].source->compiler, "nvrtc");
}

/* --block-sizes and --size with --launch need no line "axis block = …". */
static void test_values_declare_axes_of_a_launch(void **state)
{
	struct folder *folder = *state;
	static const char *const names[] = {"block", "n", "unused"};
	static const char *values[] = {"64..1024", "2^20", "3"};
	static const char *const lines[] = {"launch k<<<n / block, block>>>(x)",
					    "buffer x: f32[n] out", "verify none"};
	struct kernel_file_options options = {.lines = lines,
					      .line_count = ARRAY_SIZE(lines),
					      .axis_names = names,
					      .axis_values = values,
					      .axis_count = ARRAY_SIZE(names)};
	const struct kernel *kernel;

	folder_write(folder, "k.cu", "");
	if (folder_read(folder, &options, FILES("k.cu")))
		fail_msg("%s", folder->err.text);
	kernel = kernel_file_kernel(folder->file);
	assert_int_equal(kernel->axis_count, 2);
	assert_string_equal(kernel->axes[0].name, "block");
	assert_string_equal(kernel->axes[0].values, "64..1024");
	assert_string_equal(kernel->axes[1].values, "2^20");
	/* What a file declares stays as it is, and the plan sets its values. */
	folder_write(folder, "k.cu",
		     "// perflab: define block = 1, 2 \"threads\"\n// perflab: axis n = 5\n");
	if (folder_read(folder, &options, FILES("k.cu")))
		fail_msg("%s", folder->err.text);
	kernel = kernel_file_kernel(folder->file);
	assert_int_equal(kernel->axis_count, 2);
	assert_string_equal(kernel->axes[0].values, "1, 2");
	assert_true(kernel->axes[0].define);
	/* Without a launch on the command line, a wrong name is still an error of the plan. */
	options.lines = &lines[1];
	options.line_count = 2;
	folder_write(folder, "k.cu", "// perflab: axis n = 5\n// perflab: launch k<<<1, 1>>>(x)\n");
	if (folder_read(folder, &options, FILES("k.cu")))
		fail_msg("%s", folder->err.text);
	assert_int_equal(kernel_file_kernel(folder->file)->axis_count, 1);
	/* The values are checked like those of a line. */
	options.lines = lines;
	options.line_count = ARRAY_SIZE(lines);
	values[0] = "many";
	folder_write(folder, "k.cu", "");
	assert_int_equal(folder_read(folder, &options, FILES("k.cu")), PL_EUSAGE);
	assert_non_null(
		strstr(folder->err.text, "--block-sizes: \"many\" is not a list of values"));
	values[0] = "64..1024";
}

/* A path on the command line is one from the current folder, wherever the source stands. */
static void test_command_line_folders(void **state)
{
	struct folder *folder = *state;
	static const char *const lines[] = {"launch k<<<1, 1>>>(y)", "buffer y: f32[1] out",
					    "verify none"};
	static const char *const flags[] = {
		"-Ihere", "--include-path=here", "-isystem", "here", "-I/there", "-DI=here"};
	const struct kernel_file_options options = {.lines = lines,
						    .line_count = ARRAY_SIZE(lines),
						    .flags = flags,
						    .flag_count = ARRAY_SIZE(flags)};
	const char *const *found;
	char expected[128];

	folder_write(folder, "a.cu", "");
	if (folder_read(folder, &options, FILES("a.cu")))
		fail_msg("%s", folder->err.text);
	found = kernel_file_kernel(folder->file)->variants[0].source->flags;
	snprintf(expected, sizeof(expected), "-I%s/here", folder->path);
	assert_string_equal(found[0], expected);
	snprintf(expected, sizeof(expected), "--include-path=%s/here", folder->path);
	assert_string_equal(found[1], expected);
	assert_string_equal(found[2], "-isystem");
	snprintf(expected, sizeof(expected), "%s/here", folder->path);
	assert_string_equal(found[3], expected);
	assert_string_equal(found[4], "-I/there");
	assert_string_equal(found[5], "-DI=here");
}

/* A run keeps the hashes of these files, so that samples of different code never mix. */
static void test_inputs(void **state)
{
	static const char *const names[] = {"a.cu", "a.cu.perflab", "b.cu",
					    "r.cu", "x.npy",        "y.npy"};
	struct folder *folder = *state;
	const char *const *paths;

	folder_write(folder, "r.cu", "");
	folder_write(folder, "x.npy", "");
	folder_write(folder, "y.npy", "");
	folder_write(folder, "a.cu",
		     "// perflab: launch k<<<1, 1>>>(x, y)\n"
		     "// perflab: buffer x: f32[8] in file \"x.npy\"\n"
		     "// perflab: buffer y: f32[8] out\n");
	folder_write(folder, "a.cu.perflab", "verify y from \"y.npy\"\n");
	folder_write(folder, "b.cu",
		     "// perflab: launch k<<<1, 1>>>(x, y)\n"
		     "// perflab: verify r<<<1, 1>>>(x, y) from \"r.cu\"\n");
	folder_kernel(folder, FILES("a.cu", "b.cu"));
	assert_int_equal(kernel_file_inputs(folder->file, &paths), ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t j = 0;
		char *path = xasprintf("%s/%s", folder->path, names[i]);

		while (j < ARRAY_SIZE(names) && strcmp(paths[j], path) != 0)
			j++;
		if (j == ARRAY_SIZE(names))
			fail_msg("%s is not among the inputs", path);
		free(path);
	}
	assert_string_equal(strrchr(paths[0], '/'), "/a.cu");
}

static void test_command_line_replaces(void **state)
{
	struct folder *folder = *state;
	static const char *const lines[] = {"axis n = 7", "verify none", "work write = 1",
					    "tolerance abs = 3, rel = 4",
					    "buffer y: f64[n] inout index"};
	const struct kernel_file_options options = {
		.lines = lines, .line_count = ARRAY_SIZE(lines), .standard = "c++14"};
	const struct kernel *kernel;

	folder_write(folder, "k.cu",
		     SAXPY "// perflab: variant b\n// perflab: standard c++20\n"
			   "// perflab: launch b<<<1, 1>>>(y)\n// perflab: verify y = 3\n");
	if (folder_read(folder, &options, FILES("k.cu")))
		fail_msg("%s", folder->err.text);
	kernel = kernel_file_kernel(folder->file);
	assert_int_equal(kernel->axis_count, 1);
	assert_string_equal(kernel->axes[0].values, "7");
	assert_int_equal(kernel->buffer_count, 1);
	assert_int_equal(kernel->buffers[0].type, ELEMENT_F64);
	assert_string_equal(kernel->work.bytes_written, "1");
	assert_true(kernel->tolerance_abs == 3 && kernel->tolerance_rel == 4);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(kernel->variants[i].check->kind, CHECK_NONE);
		assert_string_equal(kernel->variants[i].source->standard, "c++14");
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_file_without_annotations),
		TEST(test_annotated_copy),
		TEST(test_own_declarations),
		TEST(test_several_launches),
		TEST(test_lines_of_a_variant),
		TEST(test_sidecar),
		TEST(test_sidecar_of_a_file_with_variants),
		TEST(test_variants_of_two_versions),
		TEST(test_launches_of_two_versions),
		TEST(test_lines_of_generated_ptx),
		TEST(test_only_the_command_line),
		TEST(test_values_declare_axes_of_a_launch),
		TEST(test_command_line_folders),
		TEST(test_command_line_replaces),
		TEST(test_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
