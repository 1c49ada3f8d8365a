/* Names for parts of expressions: what they expand to, where they hold, and their mistakes. */
#include "tests/kernels/user/folder.h"

#include <stdlib.h>
#include <string.h>

#define HEAD                        \
	"axis n = 64\n"             \
	"axis w = 8\n"              \
	"buffer x: f32[3 * n] in\n" \
	"buffer y: f32[n] out\n"    \
	"launch k<<<1, 1>>>(x, y)\n"

/* Reads `lines` as the sidecar of a source without annotations. */
static const struct kernel *kernel_of(struct folder *folder, const char *lines)
{
	folder_write(folder, "k.cu", "");
	folder_write(folder, "k.cu.perflab", lines);
	return folder_kernel(folder, FILES("k.cu"));
}

static void refused(struct folder *folder, const char *lines, const char *part, const char *other)
{
	folder_write(folder, "k.cu", "");
	folder_write(folder, "k.cu.perflab", lines);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, part, other);
}

/* `lets`, then "verify y = EXPRESSION": what the expression expands to. */
static void test_expansions(void **state)
{
	static const struct {
		const char *lets, *expression, *expanded;
	} rows[] = {
		{"let a = 3", "a + 1", "3 + 1"},
		{"let a = -3", "a", "-3"},
		{"let a = -3", "2 - a", "2 - (-3)"},
		{"let a = 1.5e-3", "a * 2", "(1.5e-3) * 2"},
		{"let a = w + 1", "a * 2", "(w + 1) * 2"},
		{"let a = w + 1", "sqrt(a)", "sqrt(w + 1)"},
		{"let a = w + 1", "x[ a ]", "x[ w + 1 ]"},
		{"let a = w + 1", "pow(2, a) + pow(a, 2)", "pow(2, w + 1) + pow(w + 1, 2)"},
		{"let a = x[i] \n let b = sqrt(w)", "-a * b", "-x[i] * sqrt(w)"},
		{"let a = (w) * (n)", "2 % a", "2 % ((w) * (n))"},
		{"let a = w", "sum(aa, 0, 2, aa + x[a])", "sum(aa, 0, 2, aa + x[w])"},
		{"let e5 = w", "1e5 + e5 + .5", "1e5 + w + .5"},
		{"let a = b + 1\nlet b = c * 2\nlet c = w - 1", "a", "((w - 1) * 2) + 1"},
		{"let f(v) = v * v", "f(x[i])", "x[i] * x[i]"},
		{"let f(v) = v * v", "1 + f(x[i] + 1)", "1 + ((x[i] + 1) * (x[i] + 1))"},
		{"let f(v) = v * v", "f( f (w) )", "(w * w) * (w * w)"},
		{"let f(a, b) = a - b", "f(w, f(n, 1))", "w - (n - 1)"},
		{"let f(a, b) = a - b", "f(min(w, n), x[i])", "min(w, n) - x[i]"},
		/* A name of an argument is not a parameter, even if it is called as one. */
		{"let f(a, w) = a - w", "f(w, n)", "w - n"},
		{"let f(a) = g(a, 1)\nlet g(w, a) = w / a", "f(n)", "n / 1"},
		{"let at(i) = x[3 * i]", "at(i + 1)", "x[3 * (i + 1)]"},
		/* What is not an argument means what it means at the use. */
		{"let d = x[3 * i] - x[3 * k]", "sum(k, 0, n, d * d)",
		 "sum(k, 0, n, (x[3 * i] - x[3 * k]) * (x[3 * i] - x[3 * k]))"},
		/* An index of a let is its own: it is no name of an argument, and nests. */
		{"let f(v) = sum(w, 0, v, x[w] * v)", "f(w)", "sum(w__1, 0, w, x[w__1] * w)"},
		{"let m = max(k, 0, k, x[k])", "sum(k, 0, n, m)",
		 "sum(k, 0, n, max(k__1, 0, k, x[k__1]))"},
		{"let f(v) = sum(w, 0, 3, v)", "f(f(x[w]))",
		 "sum(w__2, 0, 3, sum(w__1, 0, 3, x[w]))"},
		{"let s = sum(k, 0, w, d)\nlet d = x[k] + w", "s", "sum(k__1, 0, w, x[k__1] + w)"},
		{"let f(k) = sum(k, 0, w, x[k])", "f(j)", "sum(j, 0, w, x[j])"},
		{"let mean(v) = sum(v) / n", "mean(x * 2) + i", "(sum(x * 2) / n) + i"},
		{"let m = min(n, w)", "m + 1", "min(n, w) + 1"},
		{"let unused = w / 0", "x[i]", "x[i]"},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		char *lines =
			xasprintf(HEAD "%s\nverify y = %s\n", rows[r].lets, rows[r].expression);
		const struct kernel_check_item *item =
			&kernel_of(*state, lines)->variants[0].check->items[0];

		if (strcmp(item->text, rows[r].expanded) != 0)
			fail_msg("%s: \"%s\" became \"%s\", expected \"%s\"", rows[r].lets,
				 rows[r].expression, item->text, rows[r].expanded);
		assert_string_equal(item->written, rows[r].expression);
		free(lines);
	}
}

/* Every kind of expression has its lets expanded. A number stays one, so that an argument can be
 * floating point. */
static void test_all_words(void **state)
{
	const struct kernel *kernel = kernel_of(
		*state, "let len = n - 1\n"
			"let half = 0.5\n"
			"let ff = 7\n"
			"let keep = w\n"
			"axis n = 64\n"
			"axis w = 8\n"
			"buffer x: f32[2 * len] in bits(keep)\n"
			"buffer y: f32[len] out\n"
			"symbol s: f32[keep] = keep * half + random(0, len)\n"
			"buffer z: i32[n] in integers(-keep, len)\n"
			"buffer u: f32[n] in uniform(0, half)\n"
			"skip \"len\" if len > 3 || w\n"
			"skip \"keep\" unless keep\n"
			"launch len<<<(len, 1, keep), len / keep, 4 * len>>>(len, half, -half, "
			"f32(half), i32(len), x, bytes(ff), y, "
			"struct(x, struct(i32(len), bytes(ff)), f32(half))) repeat keep "
			"cluster(keep, 1, 2)\n"
			"work flop = 2 * len, read = len, write = 1\n"
			"verify ref<<<keep, 1>>>(y, keep)\n");
	const struct kernel_variant *variant = &kernel->variants[0];
	const struct kernel_launch *launch = &variant->launches[0];
	const struct kernel_arg *fields;
	static const struct kernel_arg args[] = {
		{.kind = ARG_INTEGER, .value = "n - 1"}, {.kind = ARG_REAL, .value = "0.5"},
		{.kind = ARG_REAL, .value = "-0.5"},     {.kind = ARG_F32, .value = "0.5"},
		{.kind = ARG_I32, .value = "n - 1"},     {.kind = ARG_BUFFER, .value = "x"},
		{.kind = ARG_BYTES, .value = "ff"},      {.kind = ARG_BUFFER, .value = "y"},
	};

	assert_string_equal(kernel->buffers[0].length, "2 * (n - 1)");
	assert_string_equal(kernel->buffers[0].fill_bits, "w");
	assert_string_equal(kernel->buffers[1].length, "n - 1");
	assert_string_equal(kernel->buffers[2].length, "w");
	assert_string_equal(kernel->buffers[2].fill_expression, "w * 0.5 + random(0, n - 1)");
	assert_string_equal(kernel->buffers[3].fill_numbers[0], "-w");
	assert_string_equal(kernel->buffers[3].fill_numbers[1], "n - 1");
	assert_true(!kernel->buffers[4].fill_numbers[1] && kernel->buffers[4].fill_high == 0.5);
	assert_string_equal(kernel->constraints[0].reason, "len");
	assert_string_equal(kernel->constraints[0].holds, "!((n - 1) > 3 || w)");
	assert_string_equal(kernel->constraints[1].holds, "w");
	assert_string_equal(launch->entry, "len");
	assert_string_equal(launch->grid[0], "n - 1");
	assert_string_equal(launch->grid[2], "w");
	assert_string_equal(launch->block[0], "(n - 1) / w");
	assert_string_equal(launch->shared_bytes, "4 * (n - 1)");
	assert_string_equal(launch->repeat, "w");
	assert_string_equal(launch->cluster[0], "w");
	assert_int_equal(launch->arg_count, ARRAY_SIZE(args) + 1);
	fields = launch->args[ARRAY_SIZE(args)].fields;
	assert_string_equal(fields[1].fields[0].value, "n - 1");
	assert_string_equal(fields[1].fields[1].value, "ff");
	assert_string_equal(fields[2].value, "0.5");
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		assert_int_equal(launch->args[i].kind, args[i].kind);
		assert_string_equal(launch->args[i].value, args[i].value);
	}
	assert_string_equal(kernel->work.flop, "2 * (n - 1)");
	assert_string_equal(kernel->work.bytes_read, "n - 1");
	assert_string_equal(variant->check->launches[0].grid[0], "w");
	assert_string_equal(variant->check->launches[0].args[1].value, "w");
}

/* Those of a variant hold in its lines; those of the file everywhere, and they see the variant's.
 */
static void test_scopes(void **state)
{
	const struct kernel *kernel = kernel_of(*state, "axis n = 64\n"
							"buffer y: f32[n] out\n"
							"verify none\n"
							"let grid = ceil_div(n, tile)\n"
							"variant small\n"
							"launch k<<<grid, 1>>>(y)\n"
							"let tile = 8\n"
							"variant large\n"
							"let tile = 2 * n\n"
							"launch k<<<grid, tile>>>(y)\n");

	assert_string_equal(kernel->variants[0].launches[0].grid[0], "ceil_div(n, 8)");
	assert_string_equal(kernel->variants[1].launches[0].grid[0], "ceil_div(n, 2 * n)");
	assert_string_equal(kernel->variants[1].launches[0].block[0], "2 * n");
}

/* A line of the file with a let that its variants have is one of each variant, unless that replaces
 * it. */
static void test_lines_with_lets_of_variants(void **state)
{
	const struct kernel *kernel = kernel_of(*state, "axis n = 64\n"
							"let outputs = n / stride\n"
							"buffer x: f32[n] in\n"
							"buffer y: f32[outputs] out\n"
							"buffer z: f32[n] out\n"
							"work read = 4 * outputs\n"
							"skip \"odd\" if n % stride\n"
							"verify y = x[i * stride]\n"
							"verify z = 1\n"
							"variant two\n"
							"launch k<<<outputs, 1>>>(x, y, z)\n"
							"let stride = 2\n"
							"variant own\n"
							"buffer y: f32[3] inout\n"
							"let stride = 4\n"
							"work read = 1\n"
							"verify y = 0\n"
							"verify z = 0\n"
							"launch k<<<1, 1>>>(x, y, z)\n");
	const struct kernel_variant *two = &kernel->variants[0], *own = &kernel->variants[1];

	assert_string_equal(two->buffers[2].name, "y");
	assert_string_equal(two->buffers[2].length, "n / 2");
	assert_string_equal(two->work->bytes_read, "4 * (n / 2)");
	assert_string_equal(two->constraints[0].holds, "!(n % 2)");
	assert_int_equal(two->check->item_count, 2);
	assert_string_equal(two->check->items[0].text, "x[i * 2]");
	assert_string_equal(own->buffers[2].length, "3");
	assert_string_equal(own->work->bytes_read, "1");
	assert_string_equal(own->constraints[0].holds, "!(n % 4)");
	assert_int_equal(own->check->item_count, 2);
	assert_string_equal(own->check->items[0].text, "0");
}

/* A variant without the let, and a launch that is none of a variant, cannot use the line. */
static void test_lines_without_lets_of_variants(void **state)
{
	refused(*state,
		"buffer y: f32[len] out\nverify none\n"
		"variant a\nlet len = 4\nlaunch k<<<1, 1>>>(y)\n"
		"variant b\nlaunch k<<<1, 1>>>(y)\n",
		"k.cu.perflab:1: ", "no axis or device limit is named \"len\"");
	refused(*state,
		"buffer y: f32[len] out\nverify none\n"
		"launch k<<<1, 1>>>(y)\n"
		"variant a\nlet len = 4\nlaunch k<<<1, 1>>>(y)\n",
		"k.cu.perflab:1: ", "no axis or device limit is named \"len\"");
	refused(*state,
		"buffer y: f32[len] out\nbuffer y: f32[len] out\nverify none\n"
		"variant a\nlet len = 4\nlaunch k<<<1, 1>>>(y)\n",
		"k.cu.perflab:2: ", "\"y\" is declared twice");
	refused(*state,
		"buffer y: f32[len +] out\nverify none\n"
		"variant a\nlet len = 4\nlaunch k<<<1, 1>>>(y)\n",
		"k.cu.perflab:1: ", "the length of the buffer: expression \"4 +\"");
}

/* Another file uses those of the first, or replaces them in its own lines. */
static void test_several_files(void **state)
{
	struct folder *folder = *state;
	static const char *const lines[] = {"launch q<<<tile * n, grid>>>(y)", "verify y = tile"};
	const struct kernel_file_options options = {.lines = lines,
						    .line_count = ARRAY_SIZE(lines)};
	const struct kernel *kernel;

	folder_write(folder, "a.cu",
		     "// perflab: axis n = 64\n"
		     "// perflab: buffer y: f32[n] out\n"
		     "// perflab: let tile = 8\n"
		     "// perflab: let grid = n / tile\n"
		     "// perflab: verify y = tile\n"
		     "// perflab: launch k<<<grid, 1>>>(y)\n");
	folder_write(folder, "b.cu",
		     "// perflab: let tile = 16\n"
		     "// perflab: launch k<<<grid, tile>>>(y)\n");
	kernel = folder_kernel(folder, FILES("a.cu", "b.cu"));
	assert_string_equal(kernel->variants[0].launches[0].grid[0], "n / 8");
	assert_string_equal(kernel->variants[1].launches[0].grid[0], "n / 16");
	assert_string_equal(kernel->variants[1].launches[0].block[0], "16");
	/* Two versions of one file can have the same lets. */
	assert_int_equal(folder_read(folder, NULL, FILES("b.cu", "a.cu")), PL_EPARSE);
	folder_write(folder, "c.cu",
		     "// perflab: let tile = 8\n"
		     "// perflab: launch k<<<tile, 1>>>(y)\n");
	folder_kernel(folder, FILES("a.cu", "c.cu"));

	if (folder_read(folder, &options, FILES("a.cu")))
		fail_msg("%s", folder->err.text);
	kernel = kernel_file_kernel(folder->file);
	assert_string_equal(kernel->variants[1].launches[0].grid[0], "8 * n");
	assert_string_equal(kernel->variants[1].launches[0].block[0], "n / 8");
	assert_string_equal(kernel->variants[0].check->items[0].text, "8");
}

static void test_given_lets(void **state)
{
	struct folder *folder = *state;
	static const char *const lines[] = {"let half = n / 2", "verify y = half"};
	static const char *const replacing[] = {"let tile = 16"};
	struct kernel_file_options options = {.lines = lines, .line_count = ARRAY_SIZE(lines)};

	folder_write(folder, "a.cu",
		     "// perflab: axis n = 64\n"
		     "// perflab: buffer y: f32[n] out\n"
		     "// perflab: verify none\n"
		     "// perflab: variant v\n"
		     "// perflab: let tile = 8\n"
		     "// perflab: launch k<<<tile, 1>>>(y)\n");
	assert_int_equal(folder_read(folder, &options, FILES("a.cu")), 0);
	assert_string_equal(kernel_file_kernel(folder->file)->variants[0].check->items[0].text,
			    "n / 2");
	options.lines = replacing;
	options.line_count = 1;
	assert_int_equal(folder_read(folder, &options, FILES("a.cu")), PL_EUSAGE);
	assert_non_null(strstr(folder->err.text, "--annotate: the let \"tile\" has the name of the "
						 "let of a.cu:5, which it cannot replace"));
}

/* The lines follow HEAD and a check, so the first of them is line 7. */
static void test_bad_lets(void **state)
{
	static const struct {
		const char *lines, *part, *other;
	} rows[] = {
		{"let", ":7: the name of the let expected", NULL},
		{"let 2a = 1", "the name of the let expected", NULL},
		{"let a", "\"=\" and an expression expected after \"let a\"", NULL},
		{"let a =", "an expression expected", NULL},
		{"let a == 1", "one \"=\"", NULL},
		{"let a = (1", "a bracket does not match", NULL},
		{"let a = 1)", "a bracket does not match", NULL},
		{"let a = x[1", "a bracket does not match", NULL},
		{"let a = 1, 2", "without a comma", NULL},
		{"let a = \"1\"", "no quotes", NULL},
		{"let a() = 1", "has no parameter; write \"let a = …\"", NULL},
		{"let a(v = 1", "\")\" is missing", NULL},
		{"let a(v,) = 1", "an empty item", NULL},
		{"let a(2) = 1", "\"2\" is not the name of a parameter", NULL},
		{"let a(v, v) = 1", "two parameters of \"a\" are named \"v\"", NULL},
		{"let a(min) = 1", "\"min\" is a function", NULL},
		{"let a(b,c,d,e,f,g,h,j,l) = 1", "more than 8 parameters", NULL},
		{"let a23456789012345678901234567890123 = 1", "at most 31", NULL},
		{"let a = 1\nlet a = 2",
		 ":8: the let \"a\" is declared twice, first at k.cu.perflab:7", NULL},
		{"let a = 1\nvariant v\nlaunch k<<<1, 1>>>(x, y)\nlet a = 2",
		 ":10: the let \"a\" is declared twice", "k.cu.perflab:7"},
		{"let w = 1", ":7: the let \"w\" has the name of the axis of k.cu.perflab:2", NULL},
		{"let x = 1", "the let \"x\" has the name of the buffer of k.cu.perflab:3", NULL},
		{"let m = 1\nvariant v\nlaunch k<<<1, 1>>>(x, y)\naxis m = 1",
		 ":7: the let \"m\" has the name of the axis", "k.cu.perflab:10"},
		{"variant v\nlaunch k<<<1, 1>>>(x, y)\nlet x = 1", ":9: the let \"x\" has", NULL},
		{"let sqrt = 1", "\"sqrt\" is a function", NULL},
		{"let ceil_div(a, b) = a", "\"ceil_div\" is a function", NULL},
		{"let sum = 1", "\"sum\" is a function", NULL},
		{"let i = 1", "\"i\" is the index", NULL},
		{"let sm_count = 1", "a limit of the device", NULL},
		{"let f32(v) = v", "the type of an argument", NULL},
		{"let nullptr = 1", "a word of launches", NULL},
		{"let a = 2 * a", ":7: the let \"a\" of k.cu.perflab:7 uses itself", NULL},
		{"let a = b\nlet b = c\nlet c = a",
		 ":9: the let \"a\" of k.cu.perflab:7 uses itself", "through \"c\""},
		{"let f(v) = g(v)\nlet g(v) = f(f(v))", "uses itself", NULL},
		{"let f(v) = v\nlet a = f(1, 2)",
		 ":8: \"f\" takes 1 argument, not 2 (k.cu.perflab:7)", NULL},
		{"let f(v, u) = v\nwork flop = f(n)", ":8: \"f\" takes 2 arguments, not 1", NULL},
		{"let f(v) = v\nwork flop = f + 1", "\"f\" takes 1 argument, not 0", NULL},
		{"let f(v) = v\nwork flop = f()", "argument 1 of \"f\" is empty", NULL},
		{"let f(v) = v\nwork flop = f(1", "\")\" is missing", NULL},
		{"let a = 1\nwork flop = a(2)", "\"a\" takes 0 arguments, not 1", NULL},
		{"let k = 1\nlet a = sum(k, 0, 3, k)", ":8: the index \"k\" of a sum",
		 "is the let of k.cu.perflab:7, too; rename"},
		{"let ow = zz\nlaunch q<<<1, 1>>>(n, ow)", ":8: argument 2, \"zz\", is neither",
		 "(in the let \"ow\" of k.cu.perflab:7)"},
		{"let pitch = n\nwork flop = 2 * pich", "no axis or device limit is named \"pich\"",
		 "did you mean pitch?"},
		{"let pitch = n\nlaunch q<<<1, 1>>>(pich)", "argument 1, \"pich\"",
		 "did you mean pitch?"},
		/* A mistake in an expansion names the let; one beside it does not. */
		{"let ow = strid + 1\nwork flop = 2 * ow",
		 ":8: flop: no axis or device limit is named \"strid\"",
		 " (in the let \"ow\" of k.cu.perflab:7)"},
		{"let ow = i +\nbuffer z: f32[n] in = 2 * ow", "fill expression \"2 * (i +)\"",
		 "(in the let \"ow\" of k.cu.perflab:7)"},
		{"let random(v) = 1", "\"random\" is a function", NULL},
		{"let ow = n *\nwork flop = 2 * ow + 1", "character 9: a number, a name",
		 "(in the let \"ow\" of k.cu.perflab:7)"},
		{"let f(v) = n + v\nlet g(v) = f(v +) * 2\nwork flop = g(n)",
		 "(in the let \"g\" of", ":8)"},
		{"let ow = zz\nlaunch q<<<1, 1>>>(i32(2 * ow))", ":8: argument 1: no axis",
		 "(in the let \"ow\" of k.cu.perflab:7)"},
		{"let f(v) = n + v\nlaunch q<<<f(n), 1>>>(i32(f(z)))", ":8: argument 1: no axis",
		 "VALUES\""},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		char *lines = xasprintf(HEAD "verify none\n%s\n", rows[r].lines);

		refused(*state, lines, rows[r].part, rows[r].other);
		free(lines);
	}
}

/* The part of a message that names a let is absent if the line itself is wrong. */
static void test_origin_of_line(void **state)
{
	struct folder *folder = *state;

	refused(folder, HEAD "let f(v) = n + v\nverify y = f(zz)\n", "no buffer, axis", NULL);
	assert_null(strstr(folder->err.text, "in the let"));
	refused(folder, HEAD "let f(v) = zz + v\nverify y = f(n)\n", "no buffer, axis",
		" (in the let \"f\" of k.cu.perflab:6)");
}

/* Neither the text nor the time grows without bound. */
static void test_lets_are_bounded(void **state)
{
	static const struct {
		const char *next; /* a let for each level, which uses the one below */
		int levels, uses;
		const char *part; /* NULL: accepted */
	} rows[] = {
		{"let a%d = a%d + 1\n", 40, 1, NULL},
		{"let a%d = a%d * a%d\n", 40, 1, "expand to too much text"},
		/* The text is short, but not the work. */
		{"let a%d = f(a%d, a%d)\n", 40, 1, "expand to too much text"},
		{"let a%d = a%d * a%d\n", 10, 1, NULL},
		{"let a%d = a%d * a%d\n", 10, 1000, "expand to over 16 MiB"},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct text lines = TEXT_INIT;

		text_add(&lines, HEAD "verify none\nlet a0 = n + w\nvariant v\n"
				      "launch k<<<1, 1>>>(x, y)\nlet f(u, v) = u\n");
		for (int level = 1; level < rows[r].levels; level++)
			text_addf(&lines, rows[r].next, level, level - 1, level - 1);
		for (int use = 0; use < rows[r].uses; use++)
			text_addf(&lines, "skip \"r\" if a%d\n", rows[r].levels - 1);
		if (rows[r].part)
			refused(*state, lines.data, rows[r].part, NULL);
		else
			kernel_of(*state, lines.data);
		text_release(&lines);
	}
}

static void test_long_expansion(void **state)
{
	struct text lines = TEXT_INIT;

	text_add(&lines, HEAD "verify none\nlet a = n");
	for (int i = 0; i < 5000; i++)
		text_add(&lines, " + n");
	text_add(&lines, "\nwork flop = a * a * a * a");
	refused(*state, lines.data, "\"a * a * a * a\" has over 65536 bytes", ":8: ");
	lines.length -= 4;
	lines.data[lines.length] = '\0';
	kernel_of(*state, lines.data);
	text_clear(&lines);
	text_add(&lines, HEAD "verify none\nlet f(v) = v\nwork flop = ");
	for (int i = 0; i < 100; i++)
		text_add(&lines, "f(");
	text_add_char(&lines, 'n');
	for (int i = 0; i < 100; i++)
		text_add_char(&lines, ')');
	refused(*state, lines.data, "nested over 64 deep", ":8: ");
	text_clear(&lines);
	text_add(&lines, HEAD "verify none\n");
	for (int i = 0; i <= 512; i++)
		text_addf(&lines, "let a%d = 1\n", i);
	refused(*state, lines.data, "more than 512 lets", ":519: ");
	text_release(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_expansions, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_all_words, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_scopes, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_lines_with_lets_of_variants, folder_setup,
						folder_teardown),
		cmocka_unit_test_setup_teardown(test_lines_without_lets_of_variants, folder_setup,
						folder_teardown),
		cmocka_unit_test_setup_teardown(test_several_files, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_given_lets, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_bad_lets, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_origin_of_line, folder_setup, folder_teardown),
		cmocka_unit_test_setup_teardown(test_lets_are_bounded, folder_setup,
						folder_teardown),
		cmocka_unit_test_setup_teardown(test_long_expansion, folder_setup, folder_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
