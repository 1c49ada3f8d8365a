/*
 * The carry flag: each instruction that sets it, followed by each that reads it. PTX describes only
 * chains of one kind; the hardware has one flag for all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

static void add_typed(struct text *out, const char *from, const char *type, const char *flag)
{
	const char *bits = strstr(type, "64") ? "64" : "32";

	for (const char *at = from; *at; at++)
		if (*at == 'T')
			text_add(out, type);
		else if (*at == 'W')
			text_add(out, at[-1] == 'b' ? bits : strcmp(bits, "32") ? "w" : "x");
		else if (*at == 'F')
			text_add(out, flag);
		else
			text_add_char(out, *at);
}

/* Each instruction that sets the flag, before each one that reads it. */
void opcode_carries_add(struct opcode_list *list)
{
	static const struct {
		const char *name, *body;
	} setters[] = {
		{"add.cc", "add.cc.T %r, %a, %b;\n"},
		{"sub.cc", "sub.cc.T %r, %a, %b;\n"},
		{"mad.lo.cc", "mad.lo.cc.T %r, %a, %b, %d;\n"},
		{"mad.hi.cc", "mad.hi.cc.T %r, %a, %b, %d;\n"},
		{"add.cc addc.cc", "add.cc.T %W0, %c, %d;\naddc.cc.T %r, %a, %b;\n"},
		{"add.cc subc.cc", "add.cc.T %W0, %c, %d;\nsubc.cc.T %r, %a, %b;\n"},
		{"sub.cc addc.cc", "sub.cc.T %W0, %c, %d;\naddc.cc.T %r, %a, %b;\n"},
		{"sub.cc subc.cc", "sub.cc.T %W0, %c, %d;\nsubc.cc.T %r, %a, %b;\n"},
		{"add.cc madc.lo.cc", "add.cc.T %W0, %c, %d;\nmadc.lo.cc.T %r, %a, %b, %d;\n"},
		{"add.cc madc.hi.cc", "add.cc.T %W0, %c, %d;\nmadc.hi.cc.T %r, %a, %b, %d;\n"},
		{"sub.cc madc.lo.cc", "sub.cc.T %W0, %c, %d;\nmadc.lo.cc.T %r, %a, %b, %d;\n"},
		{"sub.cc madc.hi.cc", "sub.cc.T %W0, %c, %d;\nmadc.hi.cc.T %r, %a, %b, %d;\n"},
		{"guarded add.cc", "add.cc.T %W0, %c, %d;\nsetp.lt.T %p0, %a, %c;\nmov.bW %r, %b;\n"
				   "@%p0 add.cc.T %r, %a, %b;\n"},
		{"add.cc, mul", "add.cc.T %r, %a, %b;\nmul.lo.T %r, %r, %d;\nadd.T %r, %r, %b;\n"},
	};
	static const struct {
		const char *name, *body;
	} readers[] = {
		{"addc", "addc.T %s, %c, %d;\n"},
		{"subc", "subc.T %s, %c, %d;\n"},
		{"madc.lo", "madc.lo.T %s, %c, %d, %a;\n"},
		{"madc.hi", "madc.hi.T %s, %c, %d, %a;\n"},
	};
	static const char *const types[] = {"u32", "s64"};

	for (size_t t = 0; t < ARRAY_SIZE(types); t++)
		for (size_t i = 0; i < ARRAY_SIZE(setters); i++)
			for (size_t k = 0; k < ARRAY_SIZE(readers); k++) {
				struct text body = TEXT_INIT;
				char *four = xasprintf("%s %s %s %s", types[t], types[t], types[t],
						       types[t]);

				add_typed(&body, setters[i].body, types[t], "");
				add_typed(&body, readers[k].body, types[t], "");
				char *two = xasprintf("%s %s", types[t], types[t]);

				opcode_sequence_add(list,
						    xasprintf("%s to %s.%s", setters[i].name,
							      readers[k].name, types[t]),
						    two, four, text_detach(&body));
				free(two);
				free(four);
			}
	opcode_sequence_add(list, xstrdup("add.cc.u32 to addc.u64"), "u32 u64", "u32 u32 u64 u64",
			    xstrdup("add.cc.u32 %r, %a, %b;\naddc.u64 %s, %c, %d;\n"));
	opcode_sequence_add(list, xstrdup("add.cc.u64 to addc.u32"), "u64 u32", "u64 u64 u32 u32",
			    xstrdup("add.cc.u64 %r, %a, %b;\naddc.u32 %s, %c, %d;\n"));
	opcode_sequence_add(list, xstrdup("sub.cc.u64 to subc.u32"), "u64 u32", "u64 u64 u32 u32",
			    xstrdup("sub.cc.u64 %r, %a, %b;\nsubc.u32 %s, %c, %d;\n"));
}
