/*
 * Asynchronous copies from global to shared memory, and the instructions that wait for them. The
 * source is the thread's own operands: a is at [%in], b follows it.
 */
#include "tests/emulator/opcodes.h"

/* The destination's bytes before a copy: all ones but the last bit. */
#define BEFORE "mov.b64 %w1, -2;\nst.shared.v2.b64 [%shared], {%w1, %w1};\n"
#define AFTER "ld.shared.v2.b64 {%r, %s}, [%shared];\n"
#define TWO "b64 b64"
/* Uses a register that is 0 to 40. */
#define BELOW(end) "rem.u32 %x0, %c, " #end ";\n"
/* Uses the bytes of another thread: its number differs in the bits of x. */
#define AFTER_OF(x)                                                                    \
	"mov.u32 %x0, %tid.x;\nxor.b32 %x0, %x0, " x ";\nmul.wide.u32 %w0, %x0, 16;\n" \
	"mov.u64 %w1, scratch;\nadd.u64 %w1, %w1, %w0;\nld.shared.v2.b64 {%r, %s}, [%w1];\n"

static const struct {
	const char *name, *operands, *body;
} cases[] = {
	{"cp.async.ca.shared.global 4", "u64 u64",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 4;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared.global 8", "u64 u64",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 8;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared.global 16", "u64 u64",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 16;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.cg.shared.global 16", "u64 u64",
	 BEFORE "cp.async.cg.shared.global [%shared], [%in], 16;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared.global 4 of some", "u64 u64 lane",
	 BEFORE BELOW(5) "cp.async.ca.shared.global [%shared], [%in], 4, %x0;\n"
			 "cp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared.global 8 of some", "u64 u64 lane",
	 BEFORE BELOW(9) "cp.async.ca.shared.global [%shared], [%in], 8, %x0;\n"
			 "cp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared.global 16 of some", "u64 u64 lane",
	 BEFORE BELOW(17) "cp.async.ca.shared.global [%shared], [%in], 16, %x0;\n"
			  "cp.async.wait_all;\n" AFTER},
	{"cp.async.cg.shared.global 16 of some", "u64 u64 lane",
	 BEFORE BELOW(17) "cp.async.cg.shared.global [%shared], [%in], 16, %x0;\n"
			  "cp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared.global 16 of 8", "u64 u64",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 16, 8;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared.global 8 ignored", "u64 u64 pred",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 8, %c;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.cg.shared.global 16 ignored", "u64 u64 pred",
	 BEFORE "cp.async.cg.shared.global [%shared], [%in], 16, %c;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared::cta.global.L2::128B", "u64 u64",
	 BEFORE "cvt.u32.u64 %x0, %shared;\ncp.async.ca.shared::cta.global.L2::128B [%x0+8], "
		"[%in+4], 4;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.ca.shared.global guarded", "u64 u64 pred",
	 BEFORE "@%c cp.async.ca.shared.global [%shared], [%in], 16;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.wait_group 0", "u64 u64",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 8;\ncp.async.commit_group;\n"
		"cp.async.ca.shared.global [%shared+8], [%in+8], 8;\ncp.async.commit_group;\n"
		"cp.async.wait_group 0;\n" AFTER},
	{"cp.async.wait_group 1", "u64 u64",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 8;\ncp.async.commit_group;\n"
		"cp.async.ca.shared.global [%shared+8], [%in+8], 8;\ncp.async.commit_group;\n"
		"cp.async.wait_group 1;\nld.shared.b64 %r, [%shared];\ncp.async.wait_group 0;\n"
		"ld.shared.b64 %s, [%shared+8];\n"},
	{"cp.async.commit_group of none", "u64 u64",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 16;\ncp.async.commit_group;\n"
		"cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 2;\n" AFTER},
	{"cp.async.wait_all with groups", "u64 u64",
	 BEFORE "cp.async.ca.shared.global [%shared], [%in], 8;\ncp.async.commit_group;\n"
		"cp.async.ca.shared.global [%shared+8], [%in+8], 8;\ncp.async.wait_all;\n" AFTER},
	{"cp.async.wait_all and a barrier", "u64 u64",
	 "cp.async.ca.shared.global [%shared], [%in], 16;\ncp.async.wait_all;\nbar.sync "
	 "0;\n" AFTER_OF("45")},
};

void opcode_copies_add(struct opcode_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		opcode_sequence_add(list, xstrdup(cases[i].name), TWO, cases[i].operands,
				    xstrdup(cases[i].body));
}
