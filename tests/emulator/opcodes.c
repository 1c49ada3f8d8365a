#include "tests/emulator/opcodes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/program/operations.h"

/* ---- the list ---- */

struct opcode_case *opcode_add(struct opcode_list *list, char *name, char *body)
{
	struct opcode_case *added;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	added = &list->items[list->count++];
	*added = (struct opcode_case){.name = name, .body = body};
	return added;
}

void opcode_list_release(struct opcode_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].body);
	}
	free(list->items);
	*list = (struct opcode_list){0};
}

struct opcode_operand opcode_operand_of(const char *type)
{
	static const struct {
		const char *name;
		struct opcode_operand operand;
	} types[] = {
		{"pred", {1, false, INPUT_INTEGER}},     {"u8", {8, false, INPUT_INTEGER}},
		{"s8", {8, true, INPUT_INTEGER}},        {"b16", {16, false, INPUT_INTEGER}},
		{"u16", {16, false, INPUT_INTEGER}},     {"s16", {16, true, INPUT_INTEGER}},
		{"b32", {32, false, INPUT_INTEGER}},     {"u32", {32, false, INPUT_INTEGER}},
		{"s32", {32, true, INPUT_INTEGER}},      {"b64", {64, false, INPUT_INTEGER}},
		{"u64", {64, false, INPUT_INTEGER}},     {"s64", {64, true, INPUT_INTEGER}},
		{"f16", {16, false, INPUT_F16}},         {"bf16", {16, false, INPUT_BF16}},
		{"f16x2", {32, false, INPUT_F16}},       {"bf16x2", {32, false, INPUT_BF16}},
		{"f32", {32, false, INPUT_F32}},         {"f64", {64, false, INPUT_F64}},
		{"amount", {32, false, INPUT_AMOUNT}},   {"small", {32, false, INPUT_SMALL}},
		{"small64", {64, false, INPUT_SMALL}},   {"lane", {32, false, INPUT_LANE}},
		{"offset", {32, true, INPUT_OFFSET}},    {"nan64", {64, false, INPUT_NAN_F64}},
		{"tiny16", {16, false, INPUT_TINY_F16}}, {"tiny32", {32, false, INPUT_TINY_F32}},
		{"tiny64", {64, false, INPUT_TINY_F64}}, {"near8", {32, false, INPUT_NEAR_FP8}},
		{"near8x2", {32, true, INPUT_NEAR_FP8}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].name, type) == 0)
			return types[i].operand;
	abort(); /* An error in a table. */
}

/* ---- rows of alu.def ---- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static struct opcode_operand row_operand(const struct alu_row *row, int index)
{
	static const char *const names[] = {
#define X(name, c_type, width) #name,
		VALUE_TYPE_LIST(X)
#undef X
	};
	static const char *const shifting[] = {"shl.", "shr.", "shf.",  "bfe.",
					       "bfi.", "bmsk", "szext", "fns"};
	struct opcode_operand operand = opcode_operand_of(names[row->types[index]]);
	const char *mnemonic = row->mnemonic;
	const char *last = strrchr(mnemonic, '.');
	bool halves = operand.bits == 16 || operand.bits == 32;

	if (row->types[index] == TYPE_f32)
		operand.input = INPUT_F32;
	else if (row->types[index] == TYPE_f64)
		operand.input = INPUT_F64;
	else if (halves && (!strcmp(last, ".f16") || !strcmp(last, ".f16x2")))
		operand.input = INPUT_F16;
	else if (halves && (!strcmp(last, ".bf16") || !strcmp(last, ".bf16x2")))
		operand.input = INPUT_BF16;
	for (size_t i = 0; i < ARRAY_SIZE(shifting); i++)
		if (index > 1 && begins(mnemonic, shifting[i]) &&
		    !(begins(mnemonic, "bfi") && index == 2) &&
		    !(begins(mnemonic, "shf") && index == 2))
			operand.input = INPUT_AMOUNT;
	if (begins(mnemonic, "bmsk"))
		operand.input = INPUT_AMOUNT;
	return operand;
}

/* Returns the type of a mnemonic's result: the second last type of cvt and set, else the last. */
static void find_result_type(struct opcode_case *opcode, const char *mnemonic)
{
	static const struct {
		const char *name;
		uint8_t bits;
	} types[] = {{"f16", 16},    {"f16x2", 16}, {"bf16", 17},
		     {"bf16x2", 17}, {"f32", 32},   {"f64", 64}};
	struct string_list parts = {0};
	const char *type;

	string_list_split(&parts, mnemonic, '.');
	type = parts.items[parts.count - 1];
	if (begins(mnemonic, "cvt.") || begins(mnemonic, "set."))
		type = parts.items[parts.count - 2];
	for (size_t i = 0; i < ARRAY_SIZE(types) && opcode->result_bits[0] != 1; i++)
		if (strcmp(types[i].name, type) == 0) {
			opcode->float_bits = types[i].bits;
			opcode->pairs = strchr(type, 'x') != NULL;
		}
	string_list_release(&parts);
}

void opcode_row_add(struct opcode_list *list, const struct alu_row *row, const char *mnemonic)
{
	static const unsigned lookup_tables[] = {0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1b, 0x00, 0xff};
	struct opcode_operand result = row_operand(row, 0);
	bool table = begins(row->mnemonic, "lop3");

	for (size_t i = 0; i < (table ? ARRAY_SIZE(lookup_tables) : 1); i++) {
		struct text body = TEXT_INIT;
		struct opcode_case *added;
		char *name;

		text_addf(&body, "%s %%r", mnemonic);
		for (int k = 0; k < row->operands - (table ? 1 : 0); k++)
			text_addf(&body, ", %%%c", 'a' + k);
		if (table)
			text_addf(&body, ", %u", lookup_tables[i]);
		text_add(&body, ";\n");
		name = table ? xasprintf("%s 0x%02x", mnemonic, lookup_tables[i])
			     : xstrdup(mnemonic);
		added = opcode_add(list, name, text_detach(&body));
		added->operand_count = (size_t)(row->operands - (table ? 1 : 0));
		for (int k = 0; k < row->operands; k++)
			added->operands[k] = row_operand(row, k + 1);
		added->result_bits[0] = result.bits;
		find_result_type(added, row->mnemonic);
		opcode_tolerance(added);
	}
}

/* Their results are addresses. Sequences check what is the same on every device. */
static bool names_addresses(const char *mnemonic)
{
	return begins(mnemonic, "cvta.") || begins(mnemonic, "isspacep.");
}

struct opcode_list opcode_list_create(void)
{
	struct opcode_list list = {0};

	for (enum operation i = 0; i < OPERATION_COUNT; i++) {
		const struct alu_row *row = alu_row_of(i);

		if (row && *row->mnemonic && !names_addresses(row->mnemonic))
			opcode_row_add(&list, row, row->mnemonic);
	}
	opcode_sequences_add(&list);
	opcode_memory_add(&list);
	opcode_forms_add(&list);
	opcode_copies_add(&list);
	opcode_carries_add(&list);
	opcode_lanes_add(&list);
	opcode_video_add(&list);
	opcode_device_add(&list);
	opcode_b128_add(&list);
	opcode_vectors_add(&list);
	return list;
}

/* ---- modules ---- */

/* ptxas takes 8-bit integers from and to bf16 in 8-bit registers only; elsewhere they may be wider.
 */
static bool has_narrow_registers(const struct opcode_case *opcode)
{
	return begins(opcode->name, "cvt.") && strstr(opcode->name, ".bf16") &&
	       (strstr(opcode->name, ".u8") || strstr(opcode->name, ".s8"));
}

/* Registers have untyped bits, so that the instruction alone determines the type. */
static unsigned register_bits(const struct opcode_case *opcode, unsigned bits)
{
	return bits < 16 && !has_narrow_registers(opcode) ? 16 : bits;
}

static void declare(struct text *out, const struct opcode_case *opcode, char name, unsigned bits)
{
	if (bits == 1)
		text_addf(out, ".reg .pred %%%c;\n", name);
	else
		text_addf(out, ".reg .b%u %%%c;\n", register_bits(opcode, bits), name);
}

/* The PTX version that a case needs. Most need 8.0. */
static const char *ptx_version(const struct opcode_case *opcode)
{
	static const char *const words[][2] = {
		{"satfinite", "8.1"},  {"lop3.or", "8.2"},         {"lop3.and", "8.2"},
		{".f32.add {", "8.1"}, {".noftz.v", "8.1"},        {"add.v2.f32", "8.1"},
		{"add.v4.f32", "8.1"}, {"%aggr_smem_size", "8.1"}, {"b128", "8.4"}};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(opcode->body, words[i][0]))
			return words[i][1];
	return "8.0";
}

void opcode_module(struct text *out, const struct opcode_case *opcode)
{
	text_addf(out, ".version %s\n.target sm_90\n.address_size 64\n", ptx_version(opcode));
	text_add(out, opcode->declarations ? opcode->declarations : "");
	text_add(out, ".visible .entry " OPCODE_ENTRY "(.param .u64 out, .param .u64 in, "
		      ".param .u64 memory)\n{\n");
	for (size_t k = 0; k < opcode->operand_count; k++)
		declare(out, opcode, (char)('a' + k), opcode->operands[k].bits);
	for (size_t k = 0; k < OPCODE_RESULTS; k++)
		if (opcode->result_bits[k])
			declare(out, opcode, (char)('r' + k), opcode->result_bits[k]);
	text_add(out, ".reg .pred %p<4>;\n.reg .b16 %h<8>;\n.reg .b32 %x<8>;\n.reg .b64 %w<8>;\n"
		      ".reg .b64 %in, %out, %global, %shared, %local;\n.reg .b32 %thread;\n");
	if (strstr(opcode->body, "%shared"))
		text_addf(out, ".shared .align 16 .b8 scratch[%d];\n", OPCODE_BLOCK * 16);
	if (strstr(opcode->body, "%local"))
		text_add(out, ".local .align 16 .b8 frame[16];\n");
	text_add(out, "mov.u32 %x0, %ctaid.x;\nmov.u32 %x1, %ntid.x;\nmov.u32 %x2, %tid.x;\n"
		      "mad.lo.u32 %thread, %x0, %x1, %x2;\n"
		      "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
		      "mul.wide.u32 %w0, %thread, 32;\nadd.u64 %in, %in, %w0;\n"
		      "mul.wide.u32 %w0, %thread, 16;\nadd.u64 %out, %out, %w0;\n");
	if (strstr(opcode->body, "%global"))
		text_add(out, "ld.param.u64 %global, [memory];\nadd.u64 %global, %global, %w0;\n");
	if (strstr(opcode->body, "%shared"))
		text_add(out, "mul.wide.u32 %w0, %x2, 16;\nmov.u64 %shared, scratch;\n"
			      "add.u64 %shared, %shared, %w0;\n");
	if (strstr(opcode->body, "%local"))
		text_add(out, "mov.u64 %local, frame;\n");
	for (size_t k = 0; k < opcode->operand_count; k++)
		if (opcode->operands[k].bits == 1)
			text_addf(out,
				  "ld.global.b32 %%x0, [%%in+%zu];\nsetp.ne.b32 %%%c, %%x0, 0;\n",
				  k * 8, 'a' + (char)k);
		else
			text_addf(out, "ld.global.b%u %%%c, [%%in+%zu];\n",
				  register_bits(opcode, opcode->operands[k].bits), 'a' + (char)k,
				  k * 8);
	text_add(out, opcode->body);
	for (size_t k = 0; k < OPCODE_RESULTS; k++)
		if (opcode->result_bits[k] == 1)
			text_addf(out,
				  "selp.b32 %%x0, 1, 0, %%%c;\nst.global.b32 [%%out+%zu], %%x0;\n",
				  'r' + (char)k, k * 8);
		else if (opcode->result_bits[k])
			text_addf(out, "st.global.b%u [%%out+%zu], %%%c;\n",
				  register_bits(opcode, opcode->result_bits[k]), k * 8,
				  'r' + (char)k);
	text_add(out, "ret;\n}\n");
}

/* ---- inputs and results ---- */

size_t opcode_thread_count(const struct opcode_case *opcode)
{
	static const size_t counts[OPCODE_OPERANDS + 1] = {64, 128, 128, 256, 128};

	return counts[opcode->operand_count];
}

/* All combinations of the first few values come first, then random pairs of values. */
void opcode_inputs(uint64_t *cells, const struct opcode_case *opcode)
{
	static const size_t combined[OPCODE_OPERANDS + 1] = {1, 1000, 10, 6, 3};
	size_t base = combined[opcode->operand_count];
	size_t threads = opcode_thread_count(opcode);
	size_t combinations = 1;

	for (size_t k = 0; k < opcode->operand_count; k++)
		combinations *= base;
	memset(cells, 0, threads * OPCODE_OPERANDS * sizeof(*cells));
	for (size_t i = 0; i < threads; i++) {
		size_t digits = i;

		for (size_t k = 0; k < opcode->operand_count; k++) {
			const struct opcode_operand *operand = &opcode->operands[k];
			size_t edges = opcode_edge_count(operand);
			uint64_t random = opcode_mix(i * OPCODE_OPERANDS + k);
			size_t index = random >> 8;

			if (edges && i < combinations)
				index = digits % base;
			else if (edges && random % 2)
				index = index % edges;
			else
				index = edges + index % 100000;
			digits /= base;
			cells[i * OPCODE_OPERANDS + k] = opcode_value(operand, index);
		}
	}
}

static uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < count; i++)
		digest = (digest ^ at[i]) * 0x100000001b3;
	return digest;
}

uint64_t opcode_digest(const struct opcode_case *opcode)
{
	size_t count = opcode_thread_count(opcode) * OPCODE_OPERANDS;
	uint64_t *cells = xcalloc(count, sizeof(*cells));
	struct text module = TEXT_INIT;
	uint64_t digest;

	opcode_module(&module, opcode);
	opcode_inputs(cells, opcode);
	digest = digest_bytes(0xcbf29ce484222325, module.data, module.length);
	digest = digest_bytes(digest, cells, count * sizeof(*cells));
	text_release(&module);
	free(cells);
	return digest;
}

void opcode_results(struct text *out, const struct opcode_case *opcode, const uint64_t *cells)
{
	size_t threads = opcode_thread_count(opcode);

	for (size_t k = 0; k < OPCODE_RESULTS; k++) {
		unsigned bits = opcode->result_bits[k];
		int digits = (int)register_bits(opcode, bits) / 4;

		for (size_t i = 0; bits > 1 && i < threads; i++)
			text_addf(out, "%0*" PRIx64, digits, cells[i * OPCODE_RESULTS + k]);
		for (size_t i = 0; bits == 1 && i < threads; i += 4) {
			unsigned digit = 0;

			for (size_t j = 0; j < 4; j++)
				digit |= (cells[(i + j) * OPCODE_RESULTS + k] ? 1u : 0u) << j;
			text_addf(out, "%x", digit);
		}
	}
}
