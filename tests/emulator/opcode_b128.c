/* Cases of 128 bits, of which a register holds all. See opcode_sequences.c for the names of
 * registers. */
#include <stdlib.h>

#include "tests/emulator/opcodes.h"

#define WHOLE ".reg .b128 %v<4>;\n"
#define PUT(space, address) "st" space ".v2.b64 [" address "], {%a, %b};\n"
#define GET(space, address) "ld" space ".v2.b64 {%r, %s}, [" address "];\n"
/* What is there is a, b; the register %v0, too, in two cases of three. */
#define COMPARED                                                                              \
	"rem.u32 %x3, %thread, 3;\nsetp.eq.u32 %p0, %x3, 1;\nmov.b64 %w1, %b;\n@%p0 not.b64 " \
	"%w1, %w1;\nmov.b128 %v0, {%a, %w1};\nmov.b128 %v1, {%c, %d};\n"

static const struct {
	const char *name, *operands, *body;
} cases[] = {
	{"mov.b128 of halves", "b64 b64",
	 WHOLE "mov.b128 %v0, {%b, %a};\nmov.b128 %v1, %v0;\nmov.b128 {%r, %s}, %v1;\n"},
	{"mov.b128 of one half", "b64 b64",
	 WHOLE "mov.b128 %v0, {%a, %b};\nmov.b64 %r, %a;\nmov.b128 {_, %s}, %v0;\n"},
	{"ld.global.b128", "b64 b64",
	 WHOLE PUT(".global", "%global") "ld.global.b128 %v0, [%global];\n"
					 "mov.b128 {%r, %s}, %v0;\n"},
	{"ld.acquire.gpu.b128", "b64 b64",
	 WHOLE PUT(".global", "%global") "ld.acquire.gpu.b128 %v0, [%global];\n"
					 "mov.b128 {%r, %s}, %v0;\n"},
	{"ld.shared.b128", "b64 b64",
	 WHOLE PUT(".shared", "%shared") "ld.shared.b128 %v0, [%shared];\n"
					 "mov.b128 {%r, %s}, %v0;\n"},
	{"ld.local.b128", "b64 b64",
	 WHOLE PUT(".local", "%local") "ld.local.b128 %v0, [%local];\nmov.b128 {%r, %s}, %v0;\n"},
	{"st.global.b128", "b64 b64",
	 WHOLE
	 "mov.b128 %v0, {%a, %b};\nst.global.b128 [%global], %v0;\n" GET(".global", "%global")},
	{"st.release.sys.b128", "b64 b64",
	 WHOLE "mov.b128 %v0, {%a, %b};\nst.release.sys.b128 [%global], %v0;\n" GET(".global",
										    "%global")},
	{"st.shared.b128", "b64 b64",
	 WHOLE
	 "mov.b128 %v0, {%a, %b};\nst.shared.b128 [%shared], %v0;\n" GET(".shared", "%shared")},
	{"st.local.b128", "b64 b64",
	 WHOLE "mov.b128 %v0, {%a, %b};\nst.local.b128 [%local], %v0;\n" GET(".local", "%local")},
	{"atom.global.exch.b128, the old value", "b64 b64 b64 b64",
	 WHOLE PUT(".global", "%global") COMPARED
	 "atom.global.exch.b128 %v2, [%global], %v1;\nmov.b128 {%r, %s}, %v2;\n"},
	{"atom.global.exch.b128, the new value", "b64 b64 b64 b64",
	 WHOLE PUT(".global", "%global") COMPARED
	 "atom.global.exch.b128 _, [%global], %v1;\n" GET(".global", "%global")},
	{"atom.global.cas.b128, the old value", "b64 b64 b64 b64",
	 WHOLE PUT(".global", "%global") COMPARED
	 "atom.global.cas.b128 %v2, [%global], %v0, %v1;\nmov.b128 {%r, %s}, %v2;\n"},
	{"atom.global.cas.b128, the new value", "b64 b64 b64 b64",
	 WHOLE PUT(".global", "%global") COMPARED
	 "atom.global.cas.b128 %v2, [%global], %v0, %v1;\n" GET(".global", "%global")},
	{"atom.acq_rel.gpu.cas.b128, the new value", "b64 b64 b64 b64",
	 WHOLE PUT(".global", "%global") COMPARED
	 "atom.acq_rel.gpu.cas.b128 %v2, [%global], %v0, %v1;\n" GET(".global", "%global")},
	{"atom.shared.exch.b128, the old value", "b64 b64 b64 b64",
	 WHOLE PUT(".shared", "%shared") COMPARED
	 "atom.shared.exch.b128 %v2, [%shared], %v1;\nmov.b128 {%r, %s}, %v2;\n"},
	{"atom.shared.exch.b128, the new value", "b64 b64 b64 b64",
	 WHOLE PUT(".shared", "%shared") COMPARED
	 "atom.shared.exch.b128 %v2, [%shared], %v1;\n" GET(".shared", "%shared")},
	{"atom.shared.cas.b128, the old value", "b64 b64 b64 b64",
	 WHOLE PUT(".shared", "%shared") COMPARED
	 "atom.shared.cas.b128 %v2, [%shared], %v0, %v1;\nmov.b128 {%r, %s}, %v2;\n"},
	{"atom.shared.cas.b128, the new value", "b64 b64 b64 b64",
	 WHOLE PUT(".shared", "%shared") COMPARED
	 "atom.shared.cas.b128 %v2, [%shared], %v0, %v1;\n" GET(".shared", "%shared")},
};

void opcode_b128_add(struct opcode_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		opcode_sequence_add(list, xstrdup(cases[i].name), "b64 b64", cases[i].operands,
				    xstrdup(cases[i].body));
}
