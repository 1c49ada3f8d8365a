/* Calls, what a kernel says, ends by trap or assertion, and launches that are refused. */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

static struct machine_result run_found(const char *ptx, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx, .block = {threads}});
}

static struct machine_result run(const char *ptx, int64_t threads)
{
	struct machine_result result = run_found(ptx, threads);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

#define STORE "st.global.u32 [%rd3], %r4;\nret;\n"

/* ---- calls ---- */

#define FUNCTION(name, body)                                                               \
	".func (.param .b32 result) " name "(.param .b32 argument)\n{\n" MACHINE_REGISTERS \
	"ld.param.u32 %r1, [argument];\n" body "}\n"
#define CALL(name, argument, result)                                       \
	"{\n.param .b32 param0;\nst.param.b32 [param0+0], " argument ";\n" \
	".param .b32 retval0;\ncall.uni (retval0), " name ", (param0);\n"  \
	"ld.param.b32 " result ", [retval0+0];\n}\n"

#define TWICE FUNCTION("twice", "add.u32 %r2, %r1, %r1;\nst.param.b32 [result+0], %r2;\nret;\n")

static void functions_have_their_own_registers(void **state)
{
	struct machine_result result =
		run(MACHINE_HEADER TWICE MACHINE_ENTRY(CALL("twice", "%r1", "%r4") CALL(
			    "twice", "%r4",
			    "%r5") "add.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r1;\n" STORE),
		    40);

	(void)state;
	for (uint32_t t = 0; t < 40; t++)
		assert_int_equal(result.out[t], 7 * t);
	machine_release(&result);
}

/* fib(n): lanes go to different depths and return at different times. */
#define FIB                                                                                      \
	FUNCTION("fib",                                                                          \
		 "setp.lt.u32 %p1, %r1, 2;\n@%p1 bra BASE;\nsub.u32 %r2, %r1, 1;\n" CALL(        \
			 "fib", "%r2",                                                           \
			 "%r3") "sub.u32 %r2, %r1, 2;\n" CALL("fib", "%r2",                      \
							      "%r4") "add.u32 %r3, %r3, %r4;\n"  \
								     "st.param.b32 [result+0], " \
								     "%r3;\nret;\n"              \
								     "BASE:\nst.param.b32 "      \
								     "[result+0], %r1;\nret;\n")

static void functions_call_themselves(void **state)
{
	static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
	struct machine_result result =
		run(MACHINE_HEADER FIB MACHINE_ENTRY(
			    "and.b32 %r5, %r1, 7;\n" CALL("fib", "%r5", "%r4") STORE),
		    64);

	(void)state;
	for (uint32_t t = 0; t < 64; t++)
		assert_int_equal(result.out[t], fib[t % 8]);
	/* All lanes are together again. */
	assert_int_equal(result.counts.global_store_requests, 2);
	machine_release(&result);
}

static void endless_recursion_is_found(void **state)
{
	struct machine_result result =
		run_found(MACHINE_HEADER FUNCTION(
				  "deeper", CALL("deeper", "%r1",
						 "%r2") "st.param.b32 [result+0], %r2;\nret;\n")
				  MACHINE_ENTRY(CALL("deeper", "%r1", "%r4") STORE),
			  32);

	(void)state;
	assert_finding(&result, FINDING_STACK, 0, "a call at depth");
	machine_release(&result);
}

/* The depth of the argument, with an array in each frame. */
#define DEEP(array)                                                                   \
	FUNCTION("deep", array                                                        \
		 "mov.u32 %r3, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra BASE;\n"        \
		 "sub.u32 %r2, %r1, 1;\n" CALL("deep", "%r2",                         \
					       "%r3") "add.u32 %r3, %r3, 1;\nBASE:\n" \
						      "st.param.b32 [result+0], %r3;\nret;\n")
#define TO_DEPTH(array, depth)     \
	MACHINE_HEADER DEEP(array) \
		MACHINE_ENTRY("mov.u32 %r5, " depth ";\n" CALL("deep", "%r5", "%r4") STORE)

/* A GPU gives 1 KiB: 64 frames of 16 bytes, 12 of 80. */
static void recursion_has_the_stack_of_a_gpu(void **state)
{
	static const struct {
		const char *right, *wrong;
		uint32_t depth;
		const char *words;
	} cases[] = {
		{TO_DEPTH("", "63"), TO_DEPTH("", "64"), 63,
		 "a call at depth 65 of functions that call themselves, which take 1040 bytes"},
		{TO_DEPTH(".local .align 4 .b8 depot[64];\n", "11"),
		 TO_DEPTH(".local .align 4 .b8 depot[64];\n", "12"), 11,
		 "a call at depth 13 of functions that call themselves, which take 1040 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine_result result = run(cases[i].right, 32);

		assert_int_equal(result.out[0], cases[i].depth);
		machine_release(&result);
		result = run_found(cases[i].wrong, 32);
		assert_finding(&result, FINDING_STACK, 0, cases[i].words);
		machine_release(&result);
	}
}

/* Lanes call one function at one place, some of them after the others. */
static void parted_lanes_meet_inside_of_a_call(void **state)
{
	struct machine_result result =
		run(MACHINE_HEADER FUNCTION("slow", "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nLOOP:\n"
						    "add.u32 %r2, %r2, %r1;\nadd.u32 %r3, %r3, 1;\n"
						    "setp.lt.u32 %p1, %r3, %r1;\n@%p1 bra LOOP;\n"
						    "st.param.b32 [result+0], %r2;\nret;\n")
			    MACHINE_ENTRY("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra HERE;\n"
					  "add.u32 %r1, %r1, 0;\nHERE:\n" CALL("slow", "%r1", "%r4")
						  STORE),
		    32);

	(void)state;
	assert_int_equal(result.out[0], 0);
	for (uint32_t t = 1; t < 32; t++)
		assert_int_equal(result.out[t], t * t);
	assert_int_equal(result.counts.global_store_requests, 1);
	machine_release(&result);
}

static void an_exit_in_a_function_ends_the_thread(void **state)
{
	struct machine_result result =
		run(MACHINE_HEADER FUNCTION("half", "setp.lt.u32 %p1, %r1, 16;\n@%p1 exit;\n"
						    "st.param.b32 [result+0], %r1;\nret;\n")
			    MACHINE_ENTRY(CALL("half", "%r1", "%r4") "bar.sync 0;\n" STORE),
		    64);

	(void)state;
	for (uint32_t t = 0; t < 64; t++)
		assert_int_equal(result.out[t], t < 16 ? 0 : t);
	machine_release(&result);
}

#define INDIRECT_KERNEL(pick)                                                                      \
	MACHINE_HEADER TWICE FUNCTION("square", "mul.lo.u32 %r2, %r1, %r1;\n"                      \
						"st.param.b32 [result+0], %r2;\nret;\n")           \
		MACHINE_ENTRY(                                                                     \
			"mov.u64 %rd5, twice;\nmov.u64 %rd6, square;\n" pick                       \
			"{\n.param .b32 param0;\nst.param.b32 [param0+0], %r1;\n"                  \
			".param .b32 retval0;\n"                                                   \
			"proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"               \
			"call (retval0), %rd5, (param0), proto;\nld.param.b32 %r4, [retval0+0];\n" \
			"}\n" STORE)

static void calls_by_pointer_part_the_lanes(void **state)
{
	struct machine_result result =
		run(INDIRECT_KERNEL("setp.ge.u32 %p1, %r1, 10;\nselp.b64 %rd5, %rd6, %rd5, %p1;\n"),
		    32);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], t < 10 ? 2 * t : t * t);
	assert_int_equal(result.counts.global_store_requests, 1);
	machine_release(&result);
	result = run_found(
		INDIRECT_KERNEL("setp.ge.u32 %p1, %r1, 10;\nselp.b64 %rd5, 0, %rd5, %p1;\n"), 32);
	assert_finding(&result, FINDING_UNSUPPORTED, 0, "thread (10,0,0)");
	machine_release(&result);
	result = run_found(INDIRECT_KERNEL("mov.u64 %rd5, 123456;\n"), 32);
	assert_finding(&result, FINDING_UNSUPPORTED, 0, "not a function");
	machine_release(&result);
}

static void local_memory_begins_unwritten_in_each_block(void **state)
{
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = MACHINE_KERNEL(".local .align 4 .b8 mine[64];\nmov.u64 %rd5, mine;\n"
				      "and.b32 %r5, %r1, 15;\nmul.wide.u32 %rd6, %r5, 4;\n"
				      "add.s64 %rd6, %rd5, %rd6;\nld.local.u32 %r4, [%rd6];\n"
				      "add.u32 %r6, %r1, 7;\nst.local.u32 [%rd6], %r6;\n"
				      "ld.local.u32 %r6, [%rd6];\nadd.u32 %r4, %r4, %r6;\n"
				      "atom.global.add.u32 %r7, [%rd3], %r4;\nret;\n"),
		.grid = {3},
		.block = {32}});

	(void)state;
	assert_finding(&result, FINDING_UNINITIALISED_LOCAL, 0,
		       "byte 0 of the thread's local memory is read before");
	assert_int_equal(result.findings.items[0].times, 3 * 32);
	assert_int_equal(result.counts.local_load_requests, 6);
	assert_int_equal(result.counts.local_store_requests, 3);
	machine_release(&result);
}

/* ---- printf and assert ---- */

#define VPRINTF ".extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);\n"
#define TEXTS                                                      \
	".global .align 1 .b8 name[5] = {119, 97, 114, 112, 0};\n" \
	".global .align 1 .b8 unended[3] = {97, 98, 99};\n"
#define PRINT(format)                                                                 \
	"cvta.global.u64 %rd7, " format ";\nadd.u64 %rd8, %SP, 0;\n"                  \
	"{\n.param .b64 param0;\nst.param.b64 [param0], %rd7;\n.param .b64 param1;\n" \
	"st.param.b64 [param1], %rd8;\n.param .b32 retval0;\n"                        \
	"call.uni (retval0), vprintf, (param0, param1);\nld.param.b32 %r4, [retval0];\n}\n"
#define PRINT_KERNEL(format, body)                                                               \
	MACHINE_HEADER VPRINTF TEXTS                                                             \
		".global .align 1 .b8 format[] = " format ";\n" MACHINE_ENTRY(                   \
			".local .align 8 .b8 depot[64];\n.reg .b64 %SP;\n.reg .b64 %SPL;\n"      \
			"mov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\n" body PRINT("format") \
				STORE)

static void threads_print_in_their_order(void **state)
{
	/* "t %d of %s %c %5.2f %llx%%\n" */
	struct machine_result result = run(
		PRINT_KERNEL(
			"{116, 32, 37, 100, 32, 111, 102, 32, 37, 115, 32, 37, 99, 32, 37, "
			"53, 46, 50, 102, 32, 37, 108, 108, 120, 37, 37, 10, 0}",
			"st.local.u32 [%SPL], %r1;\ncvta.global.u64 %rd9, name;\n"
			"st.local.u64 [%SPL+8], %rd9;\nmov.u32 %r5, 65;\n"
			"st.local.u32 [%SPL+16], %r5;\nmov.u64 %rd10, 4612811918334230528;\n"
			"st.local.u64 [%SPL+24], %rd10;\nst.local.u64 [%SPL+32], 3735928559;\n"),
		2);

	(void)state;
	assert_string_equal(result.printed.data, "t 0 of warp A  2.50 deadbeef%\n"
						 "t 1 of warp A  2.50 deadbeef%\n");
	assert_int_equal(result.out[0], 5);
	machine_release(&result);
}

static void bad_formats_do_no_harm(void **state)
{
	static const struct {
		const char *format, *printed;
	} cases[] = {
		/* "%s|": the argument is no address */
		{"{37, 115, 124, 0}", "(null)|"},
		/* "%q %" */
		{"{37, 113, 32, 37, 0}", "%q %"},
		/* "%n|%5" */
		{"{37, 110, 124, 37, 53, 0}", "%n|%5"},
		/* "%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d" reads beyond the arguments */
		{"{37, 100, 37, 100, 37, 100, 37, 100, 37, 100, 37, 100, 37, 100, 37, 100, 37, "
		 "100, 37, 100, 37, 100, 37, 100, 37, 100, 37, 100, 37, 100, 37, 100, 37, 100, "
		 "37, 100, 0}",
		 NULL},
		/* "%-*.*x|": width and precision from the arguments, which are 0 */
		{"{37, 45, 42, 46, 42, 120, 124, 0}", "|"},
		/* "%------------3d" */
		{"{37, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 51, 100, 0}", "0  "},
		/* "%999999999999f", a great width is cut */
		{"{37, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 102, 0}", NULL},
		/* no end within the variable */
		{"{97, 98}", "ab"},
		{"{0}", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text ptx = TEXT_INIT;
		struct machine_result result;
		const char *before = PRINT_KERNEL("@", "");

		text_add_bytes(&ptx, before, (size_t)(strchr(before, '@') - before));
		text_add(&ptx, cases[i].format);
		text_add(&ptx, strchr(before, '@') + 1);
		result = run(ptx.data, 1);
		if (cases[i].printed)
			assert_string_equal(result.printed.data, cases[i].printed);
		machine_release(&result);
		text_release(&ptx);
	}
}

/* Each of 2048 threads prints 1021 bytes, with its null byte 1022, of which 1 MiB holds 1026. The
 * order of the threads is that of the blocks. */
static void the_oldest_output_is_lost(void **state)
{
	/* "%1020d\n" */
	static const char ptx[] =
		PRINT_KERNEL("{37, 49, 48, 50, 48, 100, 10, 0}",
			     "mov.u32 %r5, %ctaid.x;\nmad.lo.u32 %r5, %r5, 1024, %r1;\n"
			     "st.local.u32 [%SPL], %r5;\n");
	static const char lost[] = "... the first 1022 outputs of printf in this launch (1043462 "
				   "bytes) are lost: the last 1 MiB is kept, as on a GPU\n";
	struct machine_result result = machine_run(
		&(struct machine_case){.ptx = ptx, .grid = {2}, .block = {1024}, .launches = 2});
	const size_t kept = 1026 * 1021;
	const char *second = result.printed.data + strlen(lost) + kept;

	(void)state;
	/* each launch has a buffer of its own */
	assert_int_equal(result.printed.length, 2 * (strlen(lost) + kept));
	assert_memory_equal(result.printed.data, lost, strlen(lost));
	assert_int_equal(strtol(result.printed.data + strlen(lost), NULL, 10), 1022);
	assert_int_equal(strtol(second - 1021, NULL, 10), 2047);
	assert_memory_equal(second, lost, strlen(lost));
	machine_release(&result);
}

static void a_format_that_is_nowhere_prints_nothing(void **state)
{
	struct machine_result result =
		run(MACHINE_HEADER VPRINTF MACHINE_ENTRY(
			    "{\n.param .b64 param0;\nst.param.b64 [param0], 12345;\n"
			    ".param .b64 param1;\nst.param.b64 [param1], 0;\n.param .b32 retval0;\n"
			    "call.uni (retval0), vprintf, (param0, param1);\n"
			    "ld.param.b32 %r4, [retval0];\n}\n" STORE),
		    2);

	(void)state;
	assert_string_equal(result.printed.data, "");
	assert_int_equal(result.out[1], UINT32_MAX);
	machine_release(&result);
}

/* assert(threadIdx.x != 5) */
#define ASSERT_KERNEL                                                                             \
	MACHINE_HEADER                                                                            \
	".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, " \
	".param .b64 e);\n"                                                                       \
	".global .align 1 .b8 message[8] = {105, 32, 33, 61, 32, 53, 0, 0};\n"                    \
	".global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};\n" MACHINE_ENTRY(                   \
		"setp.ne.u32 %p1, %r1, 5;\n@%p1 bra FINE;\n"                                      \
		"cvta.global.u64 %rd7, message;\ncvta.global.u64 %rd8, file;\n"                   \
		"{\n.param .b64 param0;\nst.param.b64 [param0], %rd7;\n"                          \
		".param .b64 param1;\nst.param.b64 [param1], %rd8;\n"                             \
		".param .b32 param2;\nst.param.b32 [param2], 77;\n"                               \
		".param .b64 param3;\nst.param.b64 [param3], %rd7;\n"                             \
		".param .b64 param4;\nst.param.b64 [param4], 1;\n"                                \
		"call.uni __assertfail, (param0, param1, param2, param3, param4);\n}\n"           \
		"FINE:\nst.global.u32 [%rd3], 1;\nret;\n")

static void a_failed_assertion_is_found(void **state)
{
	struct machine_result result = run_found(ASSERT_KERNEL, 32);

	(void)state;
	assert_finding(&result, FINDING_ASSERTION, 0, "thread (5,0,0)");
	assert_finding(&result, FINDING_ASSERTION, 0, "i != 5 is false (a.cu:77)");
	machine_release(&result);
	result = run(ASSERT_KERNEL, 5);
	assert_int_equal(result.out[4], 1);
	machine_release(&result);
}

static void a_trap_is_found(void **state)
{
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = MACHINE_KERNEL("mov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p1, %r4, 2;\n"
				      "@%p1 bra END;\nsetp.eq.u32 %p2, %r1, 33;\n@%p2 trap;\n"
				      "END:\nst.global.u32 [%rd3], 1;\nret;\n"),
		.grid = {9},
		.block = {64}});

	(void)state;
	assert_finding(&result, FINDING_TRAP, 0, "block (2,0,0) thread (33,0,0)");
	/* It ends the launch. */
	assert_int_equal(result.counts.blocks_executed, 3);
	assert_int_equal(result.counts.blocks_total, 9);
	machine_release(&result);
}

static void findings_name_the_source_line(void **state)
{
	struct machine_result result =
		run_found(MACHINE_HEADER
			  ".file 1 \"/src/a.cu\"\n" MACHINE_ENTRY(".loc 1 12 5\ntrap;\nret;\n"),
			  32);
	struct text text = TEXT_INIT;

	(void)state;
	assert_int_equal(result.findings.count, 1);
	finding_text(&text, &result.findings.items[0]);
	assert_string_equal(text.data, "trap in k, block (0,0,0) thread (0,0,0), /src/a.cu:12: "
				       "the kernel executed a trap instruction");
	text_release(&text);
	machine_release(&result);
}

/* ---- launches ---- */

static void launches_that_no_device_takes_are_refused(void **state)
{
	static const char simple[] = MACHINE_KERNEL("ret;\n");
	static const char limited[] =
		MACHINE_HEADER ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 c)\n"
			       ".maxntid 64, 1, 1\n{\nret;\n}\n";
	static const char exact[] =
		MACHINE_HEADER ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 c)\n"
			       ".reqntid 64\n{\nret;\n}\n";
	static const char two[] =
		MACHINE_HEADER ".visible .entry k(.param .u64 a, .param .u32 b)\n{\nret;\n}\n";
	static const int64_t backwards[] = {1, 0}, beyond[] = {1};
	static const struct {
		struct machine_case work;
		const char *words;
	} refused[] = {
		{{.ptx = simple, .block = {1025}}, "1025 threads along x"},
		{{.ptx = simple, .block = {32, 33}}, "1056 threads"},
		{{.ptx = simple, .block = {1, 1, 65}}, "65 threads along z"},
		{{.ptx = simple, .block = {-1}}, "-1 threads"},
		{{.ptx = simple, .grid = {INT64_C(1) << 31}}, "blocks along x"},
		{{.ptx = simple, .grid = {1, 65536}}, "blocks along y"},
		{{.ptx = simple, .shared_bytes = 300000}, "300000"},
		{{.ptx = simple, .shared_bytes = -1}, "-1"},
		{{.ptx = simple, .shared_bytes = INT64_MAX}, "shared"},
		{{.ptx = limited, .block = {65}}, "compiled for 64"},
		{{.ptx = exact, .block = {65}}, "65 x 1 x 1 threads"},
		{{.ptx = exact, .block = {32}}, "compiled for exactly 64 x 1 x 1"},
		{{.ptx = exact, .block = {32, 2}}, "32 x 2 x 1 threads"},
		{{.ptx = two}, "declares 12"},
		{{.ptx = MACHINE_HEADER
		  ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{\nret;\n}\n"},
		 "declares 24"},
		{{.ptx = MACHINE_HEADER ".visible .entry other()\n{\nret;\n}\n"}, "no entry 'k'"},
		{{.ptx = simple, .grid = {2}, .blocks = backwards, .block_count = 2}, "ascending"},
		{{.ptx = simple, .blocks = beyond, .block_count = 1}, "block 1 of 1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct machine_case work = refused[i].work;
		struct error err = {0};

		work.out_words = 1;
		assert_int_equal(machine_refused(&work, &err), PL_EUSAGE);
		if (!strstr(err.text, refused[i].words))
			fail_msg("'%s' lacks '%s'", err.text, refused[i].words);
	}
	for (size_t i = 0; i < 2; i++) {
		struct machine_case work = {.ptx = i ? exact : limited, .block = {i ? 64 : 32}};
		struct machine_result result = machine_run(&work);

		assert_int_equal(result.findings.count, 0);
		machine_release(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_their_own_registers),
		cmocka_unit_test(functions_call_themselves),
		cmocka_unit_test(endless_recursion_is_found),
		cmocka_unit_test(recursion_has_the_stack_of_a_gpu),
		cmocka_unit_test(parted_lanes_meet_inside_of_a_call),
		cmocka_unit_test(an_exit_in_a_function_ends_the_thread),
		cmocka_unit_test(calls_by_pointer_part_the_lanes),
		cmocka_unit_test(local_memory_begins_unwritten_in_each_block),
		cmocka_unit_test(threads_print_in_their_order),
		cmocka_unit_test(bad_formats_do_no_harm),
		cmocka_unit_test(the_oldest_output_is_lost),
		cmocka_unit_test(a_format_that_is_nowhere_prints_nothing),
		cmocka_unit_test(a_failed_assertion_is_found),
		cmocka_unit_test(a_trap_is_found),
		cmocka_unit_test(findings_name_the_source_line),
		cmocka_unit_test(launches_that_no_device_takes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
