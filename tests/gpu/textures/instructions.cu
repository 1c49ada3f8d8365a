/*
 * The PTX of a kernel that executes one instruction on textures or surfaces: a row of operands for
 * each thread, and a row of results.
 */
#include <string.h>

#include "tests/gpu/textures/textures.cuh"

static bool has(const std::string &name, const char *word)
{
	size_t at = name.find(word), end = at + strlen(word);
	return at != std::string::npos && (end == name.size() || name[end] == '.');
}

static int place_words(const std::string &name)
{
	return has(name, ".1d")                        ? 1
	       : has(name, ".2d") || has(name, ".a1d") ? 2
	       : has(name, ".acube")                   ? 4
						       : 3;
}

static std::string place_of(const std::string &name)
{
	int words = place_words(name);
	std::string out = "[%t, {";
	for (int i = 0; i < (words == 3 ? 4 : words); i++)
		out += (i ? ", %a" : "%a") + std::to_string(i < words ? i : words - 1);
	return out + "}]";
}

/* Operands are in %a0 to %a7, results go to %q0 to %q3. */
static std::string instruction_of(const std::string &name)
{
	int words = place_words(name);
	bool narrow = has(name, ".b8") || has(name, ".b16"), wide = has(name, ".b64");
	std::string place = place_of(name), a = "%a";

	if (name.compare(0, 9, "txq.level") == 0)
		return name + " %q0, [%t], %a0;\n";
	if (name.compare(0, 3, "txq") == 0 || name.compare(0, 3, "suq") == 0)
		return name + " %q0, [%t];\n";
	if (name.compare(0, 4, "suld") == 0)
		return name +
		       (narrow             ? " %h0, "
			: wide             ? " %d0, "
			: has(name, ".v4") ? " {%q0, %q1, %q2, %q3}, "
					   : " %q0, ") +
		       place + ";\n" +
		       (narrow ? "cvt.u32.u16 %q0, %h0;\n"
			: wide ? "mov.b64 {%q0, %q1}, %d0;\n"
			       : "");
	if (name.compare(0, 2, "su") == 0) {
		std::string value = narrow ? "%h0" : a + std::to_string(words);
		if (has(name, ".v4"))
			value = "{%a" + std::to_string(words) + ", %a" + std::to_string(words + 1) +
				", %a" + std::to_string(words + 2) + ", %a" +
				std::to_string(words + 3) + "}";
		return (narrow ? "cvt.u16.u32 %h0, %a" + std::to_string(words) + ";\n" : "") +
		       name + " " + place + ", " + value + ";\n";
	}
	std::string out =
		name + (has(name, ".v2") ? " {%q0, %q1}, " : " {%q0, %q1, %q2, %q3}, ") + place;
	if (has(name, ".level"))
		out += ", %a" + std::to_string(words);
	for (int k = 0; k < 2 && has(name, ".grad"); k++) {
		out += ", {";
		for (int i = 0; i < words; i++)
			out += (i ? ", %a" : "%a") + std::to_string(words * (k + 1) + i);
		out += "}";
	}
	return out + ";\n";
}

std::string module_of(const std::string &name)
{
	std::string out =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 object, .param .u64 in, .param .u64 out, .param "
		".u32 n)\n"
		"{\n.reg .pred %p;\n.reg .b32 %a<8>, %q<4>, %i, %b, %s, %n;\n.reg .b16 %h<2>;\n"
		".reg .b64 %t, %in, %out, %d<2>;\n"
		"ld.param.u64 %t, [object];\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
		"ld.param.u32 %n, [n];\nmov.u32 %i, %tid.x;\nmov.u32 %b, %ctaid.x;\n"
		"mov.u32 %s, %ntid.x;\nmad.lo.u32 %i, %b, %s, %i;\nsetp.ge.u32 %p, %i, %n;\n"
		"@%p ret;\ncvta.to.global.u64 %in, %in;\ncvta.to.global.u64 %out, %out;\n"
		"mad.wide.u32 %in, %i, 32, %in;\nmad.wide.u32 %out, %i, 16, %out;\n"
		"mov.u32 %q0, 0;\nmov.u32 %q1, 0;\nmov.u32 %q2, 0;\nmov.u32 %q3, 0;\n";
	for (int i = 0; i < 8; i++)
		out += "ld.global.u32 %a" + std::to_string(i) + ", [%in+" + std::to_string(4 * i) +
		       "];\n";
	out += instruction_of(name);
	for (int i = 0; i < 4; i++)
		out += "st.global.u32 [%out+" + std::to_string(4 * i) + "], %q" +
		       std::to_string(i) + ";\n";
	return out + "ret;\n}\n";
}
