/* Bad annotations and bad files: each error names the place, the cause and the remedy. */
#include "tests/kernels/user/folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Line 5 is wrong; the lines before it are right. */
#define GOOD                                 \
	"// perflab: axis n = 2^20\n"        \
	"// perflab: buffer x: f32[n] in\n"  \
	"// perflab: buffer y: f32[n] out\n" \
	"// perflab: launch k<<<n, 1>>>(n, x, y)\n"

static void test_bad_lines(void **state)
{
	struct folder *folder = *state;
	static const struct {
		const char *line, *part;
	} cases[] = {
		{"axs a = 1", "unknown word \"axs\"; did you mean axis?"},
		{"buffers z: f32[1] in", "did you mean buffer?"},
		{"samples 12", "unknown word \"samples\"; an annotation begins with one of"},
		{"axis n = 1", "the axis \"n\" is declared twice, first at k.cu:1"},
		{"define n = 1", "the axis \"n\" is declared twice"},
		{"axis 2n = 1", "the name of the axis expected"},
		{"axis m", "\"=\" and values expected"},
		{"axis m =", "not a list of values"},
		{"axis m = 1 // one", "\"1 // one\" is not a list of values"},
		{"axis m = 1 \"one", "the closing quote of the meaning"},
		{"axis m = 1 \"one\" 2", "should end before \"2\""},
		{"axis sm_count = 1", "a limit of the device"},
		{"axis i = 1", "the index of a repeated launch"},
		{"axis a23456789012345678901234567890123 = 1", "at most 31 are possible"},
		{"buffer x: f32[1] in", "\"x\" is declared twice, first at k.cu:2"},
		{"buffer n: f32[1] in", "\"n\" is an axis too"},
		{"buffer z f32[1] in", "\":\" and a type expected"},
		{"buffer z: float[1] in", "unknown type \"float\" of \"z\"; a type is one of f32"},
		{"buffer z: f32 in", "has no length; write \"z: f32[n]\""},
		{"buffer z: f32[] in", "the length of the buffer \"z\" is empty"},
		{"buffer z: f32[n in", "\"]\" is missing"},
		{"buffer z: f32[m] in", "no axis or device limit is named \"m\""},
		{"buffer z: f32[n +] in", "the length of the buffer: expression \"n +\""},
		{"buffer z: f32[x] in", "\"x\" is a buffer"},
		{"buffer z: f32[n]", "has no role; add in, out, inout or scratch"},
		{"buffer z: f32[n] input", "\"input\" is not a role"},
		{"buffer z: f32[n] per_call", "is not a role"},
		{"buffer z: f32[n] out index", "takes no fill"},
		{"buffer z: f32[n] in unifrm(0, 1)", "did you mean uniform?"},
		{"buffer z: f32[n] in zeroes", "a fill is uniform(a, b), normal"},
		{"buffer z: f32[n] in uniform(0)", "uniform takes 2 numbers"},
		{"buffer z: f32[n] in uniform(0, a)",
		 "uniform(…) of the buffer: no axis or device limit is named \"a\""},
		{"buffer z: f32[n] in uniform(0, x)", "\"x\" is a buffer"},
		{"buffer z: f32[n] in uniform(0, 1.5 * )", "a number, a name or \"(\" expected"},
		{"buffer z: f32[n] in uniform(0, (n)", "\")\" is missing"},
		{"buffer z: f32[n] in uniform(0, n))", "should end before \")\""},
		{"buffer z: f32[n] in uniform(0,)", "an empty item"},
		{"buffer z: f16[n] in uniform(0, 65505)", "f16 holds -65504 to 65504"},
		{"buffer z: f32[n] in uniform(1, 1)", "needs a < b"},
		{"buffer z: i32[n] in uniform(0, 1)",
		 "uniform(0, 1), which is 0 in every element of type i32, because b is left out; "
		 "write integers(a, b)"},
		{"buffer z: u64[n] in uniform(7, 7.5)", "which is 7 in every element"},
		{"buffer z: f32[n] in normal(0, 0)", "standard deviation above 0"},
		{"buffer z: f16[n] in integers(0, 2049)",
		 "integers(0, 2049), but f16 holds the integers from -2048 to 2048 exactly"},
		{"buffer z: f32[n] in integers(0.5, 1)", "whole numbers"},
		{"buffer z: i32[n] in integers(0.5, 1)", "whole numbers"},
		{"buffer z: i32[n] in integers(2, 1)", "a <= b"},
		{"buffer z: u8[n] in integers(0, 256)", "but u8 holds the integers 0 to 255"},
		{"buffer z: u8[n] in constant(-1)", "\"z\" is constant(-1), but u8 holds"},
		{"buffer z: bf16[n] in constant(4e38)", "but bf16 holds -3.38953e+38 to"},
		{"buffer z: i64[n] in constant(9223372036854775807 / 1)", "from -2^53 to 2^53"},
		{"buffer z: i32[n] in =", "\"z\" has no expression after \"=\""},
		{"buffer z: i32[n] in = 8 * j", "no axis, limit of the device or index"},
		{"buffer z: i32[n] in = x", "a fill cannot read buffers"},
		{"buffer z: i32[n] in = x[i]", "a fill cannot read buffers"},
		{"buffer z: i32[n] in = i bits(8)", "an operator or the end expected"},
		{"buffer z: i32[n] in == i", "a number, a name or \"(\" expected"},
		{"buffer z: i32[n] in = random(0)", "a second argument is missing"},
		{"buffer z: i32[n] in = random(0.5, 1)", "random(a, b) takes integers"},
		{"buffer z: i32[n] in = sum(k, 0, i, random(0, 1))", "cannot stand in a sum"},
		{"buffer z: i32[n] out = i", "takes no fill"},
		{"symbol z: i32[n] = i +", "a number, a name"},
		{"buffer z: u8[n] in index 3", "should end before \"3\""},
		{"buffer z: u8[n] in file x.npy", "in double quotes"},
		{"buffer z: u8[n] in file \"none.npy\"", "none.npy does not exist"},
		{"buffer z: u8[n] in file \".\"", "is not a regular file"},
		{"buffer z: f32[n] in bits", "a number of bits expected"},
		{"buffer z: f32[n] in bits()", "has no number; write bits(8)"},
		{"buffer z: f32[n] in bits(8", "\")\" is missing"},
		{"buffer z: f32[n] in bits(8) 3", "should end before \"3\""},
		{"buffer z: f32[n] in bits(8) uniform(0, 1)", "should end before"},
		{"buffer z: f32[n] in bits(25)", "type f32 has 0 to 24 significant bits"},
		{"buffer z: f16[n] in bits(0 - 1)", "type f16 has 0 to 11 significant bits"},
		{"buffer z: i32[n] in bits(32)", "type i32 has 0 to 31 significant bits"},
		{"buffer z: f32[n] in bits(m)", "no axis or device limit is named \"m\""},
		{"buffer z: f32[n] in bits(n +)", "expression \"n +\""},
		{"buffer z: f32[n] in constant(1) bits(8)", "is not random"},
		{"buffer z: f32[n] in index bits(8)", "is not random"},
		{"buffer z: f32[n] out bits(8)", "takes no fill"},
		{"symbol z: f32[n] out", "unknown fill \"out\""},
		{"symbol mask<float>: f32[n]", "\"mask<float>: f32[n]\": write the symbol without"},
		{"symbol lab::mask<1>: f32[n]",
		 "\"lab::mask<1>: f32[n]\": write the symbol without"},
		{"symbol lab::: f32[n]", "the name of the symbol expected"},
		{"symbol ::mask: f32[n]", "the name of the symbol expected"},
		{"symbol 1: f32[n]", "the name of the symbol expected"},
		{"symbol abcdefghijklmnopqrstuvwxyz_01234: f32[n]",
		 "the name of the symbol \"abcdefghijklmnopqrstuvwxyz_01234\" has 32 bytes"},
		{"symbol lab::x: f32[n]", "the symbol \"x\" is declared twice, first at k.cu:2"},
		{"launch", "a launch has the form ENTRY<<<GRID, BLOCK>>>(ARGUMENTS)"},
		{"launch k(n)", "a launch has the form"},
		{"launch 1k<<<1, 1>>>()", "is not the name of a kernel"},
		{"launch k<float<<<1, 1>>>()", "is not the name of a kernel"},
		{"launch k<<<1, 1>>()", "\">>>\" is missing"},
		{"launch a<<<1>>>()", "needs the grid and the block"},
		{"launch a<<<1, 2, 3, 4>>>()", "needs the grid and the block"},
		{"launch a<<<(1, 2, 3, 4), 1>>>()", "one to three numbers"},
		{"launch a<<<bock, 1>>>()", "the grid: no axis or device limit is named \"bock\""},
		{"launch a<<<1, sm_cuont>>>()", "did you mean sm_count?"},
		{"launch a<<<1, i>>>()", "add \"repeat COUNT\""},
		{"launch a<<<1, 1>>>", "the arguments of \"a\""},
		{"launch a<<<1, 1>>>(x", "\")\" is missing"},
		{"launch a<<<1, 1>>>(,)", "an empty item"},
		{"launch a<<<1, 1>>>(x, z)", "argument 2, \"z\", is neither a buffer nor an axis"},
		{"launch a<<<1, 1>>>(x * 4)", "argument 1: \"x\" is a buffer"},
		{"launch a<<<1, 1>>>(n n)", "argument 1: expression \"n n\""},
		{"launch a<<<1, 1>>>(99999999999999999999)", "over 2^63 - 1"},
		{"launch a<<<1, 1>>>(1e999)", "not a finite decimal number"},
		{"launch a<<<1, 1>>>(i32(1.5))", "an integer expected"},
		{"launch a<<<1, 1>>>(u64())", "has no value"},
		{"launch a<<<1, 1>>>(bytes(0))", "has 1 hex digits; write two per byte"},
		{"launch a<<<1, 1>>>(bytes(0g))", "\"g\" is not a hex digit"},
		{"launch a<<<1, 1>>>(struct())", "the argument struct() has no value"},
		{"launch a<<<1, 1>>>(struct(align(8)))", "struct(align(8)) has no field"},
		{"launch a<<<1, 1>>>(struct(x, ))", "an empty item"},
		{"launch a<<<1, 1>>>(struct(x)", "\")\" is missing"},
		{"launch a<<<1, 1>>>(struct(x) + 1)", "argument 1: "},
		{"launch a<<<1, 1>>>(n, struct(x, n))", "argument 2, field 2, \"n\", has no type"},
		{"launch a<<<1, 1>>>(struct(x, struct(2 * n)))",
		 "argument 1, field 2, field 1, \"2 * n\", has no type; write i32(2 * n)"},
		{"launch a<<<1, 1>>>(struct(x, z))",
		 "argument 1, field 2, \"z\", is neither a buffer nor an axis"},
		{"launch a<<<1, 1>>>(struct(x, i32(x)))", "argument 1, field 2: \"x\" is a buffer"},
		{"launch a<<<1, 1>>>(struct(x, i32(i)))", "add \"repeat COUNT\""},
		{"launch a<<<1, 1>>>(struct(x, 1.5))", "needs a type: f32(1.5) or f64(1.5)"},
		{"launch a<<<1, 1>>>(struct(x, i32()))", "the argument i32() has no value"},
		{"launch a<<<1, 1>>>(struct(x, bytes(123)))", "has 3 hex digits"},
		{"launch a<<<1, 1>>>(struct(x, align(8)))", "before the first field"},
		{"launch a<<<1, 1>>>(struct(align(24), x))", "a power of two, at most 128"},
		{"launch a<<<1, 1>>>(struct(align(256), x))", "a power of two, at most 128"},
		{"launch a<<<1, 1>>>(struct(align(), x))", "a power of two, at most 128"},
		{"launch a<<<1, 1>>>(struct(x, pad()))", "a number of bytes from 1"},
		{"launch a<<<1, 1>>>(struct(x, pad(0)))", "a number of bytes from 1"},
		{"launch a<<<1, 1>>>(struct(x, pad(n)))", "a number of bytes from 1"},
		{"launch a<<<1, 1>>>(struct(x, pad(32765)))", "pad(32765): more than 32764 bytes"},
		{"launch a<<<1, 1>>>(struct(pad(32764), struct(pad(1))))",
		 "pad(1): more than 32764 bytes"},
		{"launch a<<<1, 1>>>(struct(pad(32760), x))", "is a struct of 32768 bytes"},
		{"launch a<<<1, 1>>>(struct(pad(99999999999999999999)))",
		 "a number of bytes from 1"},
		{"launch a<<<1, 1>>>(pad(4))", "argument 1: "},
		{"launch a<<<1, 1>>>(align(4))", "argument 1: "},
		{"launch a<<<1, 1>>>() repeat", "repeat needs a number"},
		{"launch a<<<1, 1>>>() repeat i", "\"i\" is the index"},
		{"launch a<<<1, 1>>>() cluster", "cluster(X, Y, Z) expected"},
		{"launch a<<<1, 1>>>() cluster(1, 1, 1, 1)", "one to three numbers"},
		{"launch a<<<1, 1>>>() fast", "should end before \"fast\""},
		{"launch k<<<n, 1>>>(n, x, y)",
		 "two variants are named \"k\", the other at k.cu:4"},
		/* wrong in every case */
		{"launch z<<<1, -64>>>(y)", "the block is -64; it must be at least 1"},
		{"launch z<<<(1, 0), 1>>>(y)", "the grid is 0; it must be at least 1"},
		{"launch z<<<1, 1, 0 - 4>>>(y)", "the shared memory is -4; it must be at least 0"},
		{"launch z<<<1, 1>>>(y) repeat 0 - 1", "the number after repeat is -1"},
		{"launch z<<<1, 1>>>(u8(3000))", "argument 1 is 3000; it must be at most 255"},
		{"launch z<<<1, 1>>>(struct(y, i8(-129)))",
		 "argument 1, field 2 is -129; it must be at least -128"},
		{"launch z<<<1, 1>>>(7 / (2 - 2))", "argument 1: expression \"7 / (2 - 2)\""},
		{"buffer z: f32[8 - 9] in",
		 "the length of the buffer is -1; it must be at least 1"},
		{"work flop = n, read = 3 - 4", "read is -1; it must be at least 0"},
		{"skip small unless n > 1", "the reason expected in double quotes"},
		{"skip \"small\" n > 1", "\"unless\" or \"if\""},
		{"skip \"small\" unless", "an expression expected"},
		{"skip \"small\" if n) || (1", "does not match"},
		{"skip \"small\" unless n) || (1", "the condition: expression"},
		{"skip \"small\" unless m > 1", "the condition: no axis"},
		{"skip \"\" if n", "the reason is empty"},
		{"verify", "is not a check"},
		{"verify z = 1", "no buffer is named \"z\""},
		{"verify x = 1", "\"x\" has the role in, and only results"},
		{"verify y = x +", "character"},
		{"verify y = w[i]", "w"},
		{"verify y = x + y", "character 5: \"y\" has the role out and nothing in it before "
				     "the launch"},
		{"verify y = sum(k, 0, n, y[k])", "give it the role inout if the kernel reads it"},
		{"verify y = random(0, 1)", "random() belongs to the fill of a buffer"},
		{"verify y =", "an expression expected"},
		{"verify y from \"y.npy\"", "y.npy does not exist"},
		{"verify by", "a command expected"},
		{"verify none now", "is not a check"},
		{"verify r<<<1, 1>>>(x, y) from \"r.cu\"", "r.cu does not exist"},
		{"verify r<<<m, 1>>>(x, y)", "no axis or device limit is named \"m\""},
		{"work", "write flop = EXPRESSION"},
		{"work flops = 1", "unknown part of the work \"flops\""},
		{"work flop = m", "flop: no axis"},
		{"work flop = 1, precision = half",
		 "unknown precision \"half\"; write one of f64, f32, f16, "},
		{"work precision = f16, precision = f16", "precision is given twice"},
		{"work precision = 2 * n", "unknown precision \"2 * n\""},
		{"work flop = 1, flop = 2", "flop is given twice"},
		{"work flop", "KEY = VALUE expected"},
		{"work flop =", "has no value"},
		{"tolerance abs = -1", "a number of at least 0"},
		{"tolerance ab = 1", "unknown part of the tolerance"},
		{"flags", "flags of the compiler expected"},
		{"flags -D\"a", "does not close"},
		{"standard 20", "is not a standard; write c++17"},
		{"compiler gcc", "it is nvcc or nvrtc"},
		{"needs sm_x", "is not an architecture"},
		{"variant", "the name of the variant is missing"},
		{"variant a b", "may have only letters"},
		{"variant a/b", "may have only letters"},
		{"variant b", "the variant \"b\" has no launch"},
		{"operation saxpy:2", "may have only letters"},
		{"axis m = 1 \\", "the annotation ends in a backslash, but the next line"},
		{"summary a\001b", "control character (byte 0x01)"},
		{"summary a\xff", "is not UTF-8"},
		{"summary \xed\xa0\x80", "is not UTF-8"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool check = strncmp(cases[i].line, "verify", 6) == 0;
		char *text = xasprintf(GOOD "// perflab: %s\n\n%s", cases[i].line,
				       check ? "" : "// perflab: verify none\n");

		folder_write(folder, "k.cu", text);
		folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:5: ", cases[i].part);
		free(text);
	}
}

static void test_checks_that_miss_something(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "k.cu", GOOD);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:4: ", "\"verify none\"");
	folder_write(folder, "k.cu",
		     GOOD "// perflab: buffer z: f32[n] inout\n// perflab: verify y = 1\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE,
		       "k.cu:6: ", "the result \"z\" has no check");
	folder_write(folder, "k.cu", GOOD "// perflab: verify none\n// perflab: verify y = 1\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE,
		       "k.cu:6: ", "\"none\" goes with no other check, and k.cu:5 is one");
	folder_write(folder, "k.cu",
		     GOOD "// perflab: verify by ./a\n// perflab: verify k<<<1, 2>>>(x, y)\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE,
		       "k.cu:6: ", "launches or a command compute the results, not both");
	folder_write(folder, "k.cu", GOOD "// perflab: verify y = 2\n// perflab: verify y = 1\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE,
		       "k.cu:6: ", "the check of \"y\" is declared twice, first at k.cu:5");
	folder_write(folder, "k.cu",
		     "// perflab: buffer t: f32[1] scratch\n" GOOD "// perflab: verify y = t[0]\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:6: ", "\"t\" has the role scratch");
	folder_write(folder, "k.cu",
		     "// perflab: buffer x: f32[8] in\n"
		     "// perflab: launch k<<<1, 1>>>(x)\n"
		     "// perflab: verify r<<<1, 1>>>(x)\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:3: ", "nothing can be verified");
}

static void test_no_launch(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "k.cu", "__global__ void k();\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:1: ", "\"perflab init k.cu\"");
	folder_write(folder, "k.cu", "");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:1: ", "\"perflab init k.cu\"");
	folder_write_bytes(folder, "k.cu", "\n\xff\xfe ELF\1\2\3", 9);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:1: ", "\"perflab init k.cu\"");
	/* which perflab init does not read */
	folder_write_bytes(folder, "k.cubin",
			   "\x7f"
			   "ELF",
			   4);
	folder_refused(folder, FILES("k.cubin"), PL_EPARSE,
		       "k.cubin:1: ", "write the annotations in k.cubin.perflab");
}

static void test_bytes_that_are_no_text(void **state)
{
	struct folder *folder = *state;
	static const char text[] = "\nsummary b\0c\n";

	folder_write_bytes(folder, "k.cu", text, sizeof(text) - 1);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:2: ", "a NUL byte");
	folder_write(folder, "good.ptx", "");
	folder_write_bytes(folder, "good.ptx.perflab", text, sizeof(text) - 1);
	folder_refused(folder, FILES("good.ptx"), PL_EPARSE, "good.ptx.perflab:2: ", "a NUL byte");
}

static void test_long_lines(void **state)
{
	struct folder *folder = *state;
	const size_t length = 1 << 20;
	char *line = xmalloc(length + 1);
	char *text;

	memset(line, 'a', length);
	line[length] = '\0';
	text = xasprintf("%s\n// perflab: operation %s\n", line, line);
	folder_write(folder, "k.cu", text);
	free(text);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:2: ", "has over 131072 bytes");
	/* long code does not matter */
	text = xasprintf("// %s\n" GOOD "// perflab: verify none\n", line);
	folder_write(folder, "k.cu", text);
	free(text);
	assert_int_equal(folder_kernel(folder, FILES("k.cu"))->variant_count, 1);
	/* brackets do not nest in the reader's stack */
	memset(line, '(', 60000);
	line[60000] = '\0';
	text = xasprintf(GOOD "// perflab: verify none\n// perflab: skip \"x\" if %s\n", line);
	folder_write(folder, "k.cu", text);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:6: ", "the condition");
	free(text);
	free(line);
}

/* The lines may come from the first file, which is a .cu. */
static void test_defines_of_compiled_files(void **state)
{
	static const char *const names[] = {"k.ptx", "k.cubin"};
	struct folder *folder = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *sidecar = xasprintf("%s.perflab", names[i]);
		char *says = xasprintf("%s is compiled already; write \"axis D = …\"", names[i]);

		folder_write(folder, names[i], "");
		folder_write(folder, sidecar,
			     "define D = 1, 2\nbuffer y: f32[4] out\nlaunch k<<<1, 1>>>(y)\n"
			     "verify none\n");
		folder_refused(folder, (const char *const[]){names[i], NULL}, PL_EPARSE, says,
			       ".perflab:1: ");
		free(sidecar);
		free(says);
	}
	folder_write(folder, "k.cu", GOOD "// perflab: verify none\n// perflab: define D = 1\n");
	folder_write(folder, "z.ptx", "");
	folder_refused(folder, FILES("k.cu", "z.ptx"), PL_EPARSE,
		       "k.cu:6: ", "z.ptx is compiled already");
}

static void test_too_many(void **state)
{
	struct folder *folder = *state;
	struct text text = TEXT_INIT;

	for (int i = 0; i <= KERNEL_MAX_CASE_AXES; i++)
		text_addf(&text, "// perflab: axis a%d = 1\n", i);
	folder_write(folder, "k.cu", text.data);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:17: ", "more than 16 axes");
	text_clear(&text);
	text_add(&text, GOOD "// perflab: verify none\n// perflab: variant b\n");
	for (int i = 1; i <= KERNEL_MAX_CASE_AXES; i++)
		text_addf(&text, "// perflab: axis a%d = 1\n", i);
	text_add(&text, "// perflab: launch b<<<1, 1>>>(y)\n");
	folder_write(folder, "k.cu", text.data);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:22: ", "more than 16 axes");
	text_clear(&text);
	for (int i = 0; i <= KERNEL_MAX_BUFFERS; i++)
		text_addf(&text, "// perflab: buffer b%d: f32[1] in\n", i);
	folder_write(folder, "k.cu", text.data);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:257: ", "more than 256 buffers");
	text_release(&text);
}

static void test_long_names(void **state)
{
	struct folder *folder = *state;
	static const char name[] =
		"a234567890123456789012345678901234567890123456789012345678901234";
	char *text = xasprintf("// perflab: operation %s\n", name);
	char *file = xasprintf("%s.cu", name);

	folder_write(folder, "k.cu", text);
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:1: ", "has 64 bytes; at most 63");
	free(text);
	folder_write(folder, file, "// perflab: launch k<<<1, 1>>>()\n// perflab: verify none\n");
	folder_refused(folder, FILES(file), PL_EPARSE, ".cu:1: ", "add \"operation NAME\"");
	free(file);
}

static void test_paths(void **state)
{
	struct folder *folder = *state;
	char *path = xasprintf("%s/d.cu", folder->path);

	folder_write(folder, "k.cu", GOOD "// perflab: verify none\n");
	folder_write(folder, "k.cpp", "");
	folder_write(folder, "o.perflab", "");
	assert_int_equal(mkdir(path, 0700), 0);
	folder_refused(folder, FILES("none.cu"), PL_ENOENT, "none.cu: ", "does not exist");
	folder_refused(folder, FILES("d.cu"), PL_EUSAGE, "d.cu: ", "not a regular file");
	folder_refused(folder, FILES("k.cpp"), PL_EUSAGE,
		       "k.cpp: ", ".cu, .cuh, .ptx, .cubin or .capture");
	folder_refused(folder, FILES("o.perflab"), PL_EUSAGE, "o.perflab: ", "the source first");
	folder_refused(folder, FILES("k.cu", "none.perflab"), PL_ENOENT, "none.perflab: ", NULL);
	folder_refused(folder, FILES("k.cu", "o.perflab", "o.perflab"), PL_EUSAGE,
		       "has a sidecar already", NULL);
	folder_refused(folder, FILES("k.cu", "./k.cu"), PL_EUSAGE, "the file is given twice", NULL);
	assert_int_equal(folder_read(folder, NULL, (const char *const[]){NULL}), PL_EUSAGE);
	free(path);
}

static void test_files_that_disagree(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "a.cu",
		     "// perflab: operation one\n" GOOD "// perflab: verify none\n");
	folder_write(folder, "b.cu", "// perflab: operation two\n");
	folder_refused(folder, FILES("a.cu", "b.cu"), PL_EPARSE,
		       "b.cu:1: ", "the operation is \"two\", but that of a.cu is \"one\"");
	folder_write(folder, "b.cu",
		     GOOD "// perflab: variant a\n"
			  "// perflab: launch z<<<1, 1>>>(y)\n");
	folder_refused(folder, FILES("a.cu", "b.cu"), PL_EPARSE, "b.cu:5: ",
		       "two variants are named \"a\", the other at a.cu:5; give one of "
		       "them another name with \"variant NAME\"");
}

static void test_bad_options(void **state)
{
	struct folder *folder = *state;
	static const struct {
		const char *line, *part;
		int code;
	} cases[] = {
		{"launch z<<<1>>>(y)", "--launch: <<<1>>> needs the grid", PL_EUSAGE},
		{"launch z<<<m, 1>>>(y)", "--launch: the grid: no axis", PL_EUSAGE},
		{"axs n = 1", "--annotate: unknown word \"axs\"; did you mean axis?", PL_EUSAGE},
		{"variant b", "--annotate: a variant can be declared only in a file", PL_EUSAGE},
		{"axis n = 1\naxis m = 2", "--annotate: a line break", PL_EUSAGE},
		{"launch k<<<1, 1>>>()", "--launch: two variants are named \"k\"", PL_EUSAGE},
	};

	folder_write(folder, "k.cu", GOOD "// perflab: verify none\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct kernel_file_options options = {.lines = &cases[i].line,
							    .line_count = 1};

		assert_int_equal(folder_read(folder, &options, FILES("k.cu")), cases[i].code);
		if (strncmp(folder->err.text, cases[i].part, strlen(cases[i].part)) != 0)
			fail_msg("\"%s\": %s", cases[i].line, folder->err.text);
	}
}

static void test_bad_compiler_options(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "k.cu", GOOD "// perflab: verify none\n");
	assert_int_equal(
		folder_read(folder, &(struct kernel_file_options){.standard = "20"}, FILES("k.cu")),
		PL_EUSAGE);
	assert_ptr_equal(strstr(folder->err.text, "--std: \"20\" is not a standard"),
			 folder->err.text);
	assert_int_equal(folder_read(folder, &(struct kernel_file_options){.compiler = "gcc"},
				     FILES("k.cu")),
			 PL_EUSAGE);
	assert_ptr_equal(strstr(folder->err.text, "--compiler: unknown compiler \"gcc\""),
			 folder->err.text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_bad_lines),   TEST(test_checks_that_miss_something),
		TEST(test_no_launch),   TEST(test_bytes_that_are_no_text),
		TEST(test_long_lines),  TEST(test_defines_of_compiled_files),
		TEST(test_too_many),    TEST(test_long_names),
		TEST(test_paths),       TEST(test_files_that_disagree),
		TEST(test_bad_options), TEST(test_bad_compiler_options),

	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
