#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

/* ---- modules ---- */

void matrix_registers_add(struct text *out, char letter, unsigned first, unsigned count)
{
	text_add(out, "{");
	for (unsigned i = 0; i < count; i++)
		text_addf(out, "%s%%%c%u", i ? ", " : "", letter, first + i);
	text_add(out, "}");
}

void matrix_module(struct text *out, const struct matrix_case *matrix)
{
	unsigned bytes = matrix->bits / 8, threads = matrix_threads(matrix);

	text_addf(
		out,
		".version 8.7\n.target %s\n.address_size 64\n"
		".visible .entry " MATRIX_ENTRY "(.param .u64 p_out, .param .u64 p_in)\n{\n"
		"\t.reg .b64 %%out, %%in, %%offset;\n\t.reg .b32 %%lane, %%block, %%word, %%tile, "
		"%%at;\n\t.reg .pred %%p;\n\t.shared .align %s;\n",
		matrix->group.n ? "sm_90a" : "sm_90",
		matrix->group.n ? "1024 .b8 memory[24576]" : "128 .b8 memory[4096]");
	text_addf(out, "\t.reg .b%u %%a<%u>, %%d<%u>;\n", matrix->bits, matrix->in_count + 1,
		  matrix->out_count + 1);
	text_add(out, "\tld.param.u64 %out, [p_out];\n\tld.param.u64 %in, [p_in];\n"
		      "\tmov.u32 %lane, %tid.x;\n\tmov.u32 %block, %ctaid.x;\n"
		      "\tmov.u32 %tile, memory;\n");
	text_addf(out, "\tmad.lo.u32 %%word, %%block, %u, %%lane;\n", matrix->in_count * threads);
	text_addf(out, "\tmul.wide.u32 %%offset, %%word, %u;\n\tadd.u64 %%in, %%in, %%offset;\n",
		  bytes);
	text_addf(out, "\tmad.lo.u32 %%word, %%block, %u, %%lane;\n", matrix->out_count * threads);
	text_addf(out, "\tmul.wide.u32 %%offset, %%word, %u;\n\tadd.u64 %%out, %%out, %%offset;\n",
		  bytes);
	for (unsigned i = 0; i < matrix->in_count; i++)
		text_addf(out, "\tld.global.b%u %%a%u, [%%in+%u];\n", matrix->bits, i,
			  i * threads * bytes);
	text_add(out, matrix->body);
	for (unsigned i = 0; i < matrix->out_count; i++)
		text_addf(out, "\tst.global.b%u [%%out+%u], %%d%u;\n", matrix->bits,
			  i * threads * bytes, i);
	text_add(out, "\tret;\n}\n");
}

unsigned matrix_threads(const struct matrix_case *matrix)
{
	return matrix->group.n ? GROUP_THREADS : MATRIX_LANES;
}

size_t matrix_blocks(const struct matrix_case *matrix)
{
	return (size_t)matrix->profiles * MATRIX_SETS;
}

size_t matrix_in_bytes(const struct matrix_case *matrix)
{
	return matrix_blocks(matrix) * matrix->in_count * matrix_threads(matrix) *
	       (matrix->bits / 8);
}

size_t matrix_out_bytes(const struct matrix_case *matrix)
{
	return matrix_blocks(matrix) * matrix->out_count * matrix_threads(matrix) *
	       (matrix->bits / 8);
}

void matrix_inputs(void *in, const struct matrix_case *matrix)
{
	unsigned char *to = in;
	uint64_t place = 0;

	for (size_t block = 0; block < matrix_blocks(matrix); block++) {
		unsigned profile = (unsigned)(block / MATRIX_SETS);

		for (unsigned operand = 0; operand < MATRIX_OPERANDS; operand++) {
			size_t count =
				(size_t)matrix->operands[operand].count * matrix_threads(matrix);

			for (size_t i = 0; i < count; i++, to += matrix->bits / 8) {
				uint64_t value = matrix_value(matrix, operand, profile, place++);

				memcpy(to, &value, matrix->bits / 8);
			}
		}
	}
}

/* ---- golden lines ---- */

static uint64_t hash(uint64_t state, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		state = (state ^ bytes[i]) * UINT64_C(0x100000001b3);
	return state;
}
#define HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t matrix_digest(const struct matrix_case *matrix)
{
	size_t in_bytes = matrix_in_bytes(matrix);
	struct text module = TEXT_INIT;
	void *in = xcalloc(in_bytes + 1, 1);
	uint64_t digest;

	matrix_module(&module, matrix);
	matrix_inputs(in, matrix);
	digest = hash(hash(HASH_START, module.data, module.length), in, in_bytes);
	text_release(&module);
	free(in);
	return digest;
}

void matrix_line(struct text *out, const struct matrix_case *matrix, const void *results)
{
	text_addf(out, "%016" PRIx64 "\t", matrix_digest(matrix));
	matrix_results_line(out, matrix, results);
}

void matrix_results_line(struct text *out, const struct matrix_case *matrix, const void *results)
{
	const unsigned char *bytes = results;
	size_t of_profile = matrix_out_bytes(matrix) / matrix->profiles;
	size_t width = matrix->bits / 8, of_register = matrix_threads(matrix) * width;

	for (unsigned i = 0; i < matrix->profiles; i++)
		text_addf(out, "%s%016" PRIx64, i ? " " : "",
			  hash(HASH_START, bytes + i * of_profile, of_profile));
	for (unsigned i = 0; i < matrix->profiles; i++) {
		text_add(out, i ? " " : "\t");
		for (size_t k = 0; k < (size_t)matrix->out_count * MATRIX_LANES; k++) {
			size_t at = k / MATRIX_LANES * of_register + k % MATRIX_LANES * width;
			uint64_t value = 0;

			memcpy(&value, bytes + i * of_profile + at, width);
			text_addf(out, "%0*" PRIx64, (int)width * 2, value);
		}
	}
}

/* ---- cases ---- */

struct matrix_case *matrix_add(struct matrix_list *list, char *name, char *body, unsigned out_count,
			       unsigned bits)
{
	struct matrix_case *matrix;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	matrix = &list->items[list->count++];
	*matrix = (struct matrix_case){.name = name,
				       .body = body,
				       .bits = bits,
				       .out_count = out_count,
				       .profiles = MATRIX_INTEGER_PROFILES};
	return matrix;
}

void matrix_operands_set(struct matrix_case *matrix, const struct matrix_operand *operands)
{
	for (int i = 0; i < MATRIX_OPERANDS; i++) {
		matrix->operands[i] = operands[i];
		matrix->in_count += operands[i].count;
		if (operands[i].element > ELEMENT_S32)
			matrix->profiles = PROFILE_COUNT;
	}
}

struct product {
	const char *mnemonic;
	unsigned a, b, c, d; /* registers */
	enum matrix_element of_a, of_b, of_c;
};

static void product_add(struct matrix_list *list, const struct product *product)
{
	bool is_double = product->of_a == ELEMENT_F64;
	struct text body = TEXT_INIT;

	text_addf(&body, "\t%s ", product->mnemonic);
	matrix_registers_add(&body, 'd', 0, product->d);
	text_add(&body, ", ");
	matrix_registers_add(&body, 'a', 0, product->a);
	text_add(&body, ", ");
	matrix_registers_add(&body, 'a', product->a, product->b);
	text_add(&body, ", ");
	matrix_registers_add(&body, 'a', product->a + product->b, product->c);
	text_add(&body, ";\n");
	matrix_operands_set(matrix_add(list, xstrdup(product->mnemonic), text_detach(&body),
				       product->d, is_double ? 64 : 32),
			    (struct matrix_operand[]){{product->a, product->of_a},
						      {product->b, product->of_b},
						      {product->c, product->of_c}});
}

#define F16 ELEMENT_F16, ELEMENT_F16
#define BF16 ELEMENT_BF16, ELEMENT_BF16
#define TF32 ELEMENT_TF32, ELEMENT_TF32
#define INTEGERS ELEMENT_BITS, ELEMENT_BITS, ELEMENT_S32
#define DOUBLES ELEMENT_F64, ELEMENT_F64, ELEMENT_F64
static const struct product products[] = {
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, 4, F16, ELEMENT_F32},
	{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, 2, F16, ELEMENT_F16},
	{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 4, F16, ELEMENT_F32},
	{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 2, F16, ELEMENT_F16},
	{"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, 4, BF16, ELEMENT_F32},
	{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 4, BF16, ELEMENT_F32},
	{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, 4, TF32, ELEMENT_F32},
	{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 4, TF32, ELEMENT_F32},
	{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, 2, DOUBLES},
	{"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, 4, DOUBLES},
	{"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, 4, DOUBLES},
	{"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, 4, DOUBLES},
	{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1, 1, 2, 2, INTEGERS},
	{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 1, 1, 2, 2, INTEGERS},
	{"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 2, 1, 4, 4, INTEGERS},
	{"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 4, 4, INTEGERS},
	{"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, 4, INTEGERS},
	{"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, 4, INTEGERS},
};

/* Products of 8- and 4-bit integers of either sign. */
static void integer_products_add(struct matrix_list *list)
{
	static const struct {
		const char *shape;
		unsigned bits, a, b, c;
	} shapes[] = {
		{"m8n8k16", 8, 1, 1, 2}, {"m16n8k16", 8, 2, 1, 4}, {"m16n8k32", 8, 4, 2, 4},
		{"m8n8k32", 4, 1, 1, 2}, {"m16n8k32", 4, 2, 1, 4}, {"m16n8k64", 4, 4, 2, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (int kind = 0; kind < 8; kind++) {
			char *name = xasprintf("mma.sync.aligned.%s.row.col%s.s32.%c%u.%c%u.s32",
					       shapes[i].shape, kind & 4 ? ".satfinite" : "",
					       kind & 2 ? 'u' : 's', shapes[i].bits,
					       kind & 1 ? 'u' : 's', shapes[i].bits);

			product_add(list, &(struct product){name, shapes[i].a, shapes[i].b,
							    shapes[i].c, shapes[i].c, INTEGERS});
			free(name);
		}
	}
}

static void byte_float_products_add(struct matrix_list *list)
{
	static const char *const names[] = {"e4m3", "e5m2"};
	static const enum matrix_element elements[] = {ELEMENT_E4M3, ELEMENT_E5M2};

	for (int kind = 0; kind < 16; kind++) {
		int a = kind >> 1 & 1, b = kind & 1;
		bool is_half = kind & 4, is_short = kind & 8;
		unsigned short_by = is_short ? 2 : 1, sums = is_half ? 2 : 4;
		char *name = xasprintf("mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s",
				       is_short ? 16 : 32, is_half ? "f16" : "f32", names[a],
				       names[b], is_half ? "f16" : "f32");

		product_add(list, &(struct product){name, 4 / short_by, 2 / short_by, sums, sums,
						    elements[a], elements[b],
						    is_half ? ELEMENT_F16 : ELEMENT_F32});
		free(name);
	}
}

/* The shape of Volta, with every layout and type of its sums. */
static void quad_products_add(struct matrix_list *list)
{
	static const char *const layouts[] = {"row", "col"};

	for (int kind = 0; kind < 12; kind++) {
		int sums = kind >> 2; /* f16 to f16, f16 to f32, f32 to f32 */
		char *name = xasprintf("mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s",
				       layouts[kind >> 1 & 1], layouts[kind & 1],
				       sums ? "f32" : "f16", sums == 2 ? "f32" : "f16");

		product_add(list, &(struct product){name, 2, 2, sums == 2 ? 8 : 4, sums ? 8 : 4,
						    F16, sums == 2 ? ELEMENT_F32 : ELEMENT_F16});
		free(name);
	}
}

/* Copies %a0 to %a3 to shared memory, 512 bytes. */
static void memory_fill(struct text *body, unsigned words)
{
	text_add(body, "\tshl.b32 %at, %lane, 2;\n\tadd.u32 %at, %at, %tile;\n");
	for (unsigned i = 0; i < words; i++)
		text_addf(body, "\tst.shared.b32 [%%at+%u], %%a%u;\n", i * 128, i);
	text_add(body, "\tbar.warp.sync 0xffffffff;\n");
}

/* Each lane names a row of 16 bytes: 7 * lane + 3, modulo 32. */
static void rows_address(struct text *body)
{
	text_add(body, "\tmad.lo.u32 %at, %lane, 7, 3;\n\tand.b32 %at, %at, 31;\n"
		       "\tshl.b32 %at, %at, 4;\n\tadd.u32 %at, %at, %tile;\n");
}

static void row_copies_add(struct matrix_list *list)
{
	for (int kind = 0; kind < 6; kind++) {
		unsigned count = 1U << kind / 2;
		const char *transposed = kind & 1 ? ".trans" : "";
		struct text body = TEXT_INIT;
		char *name;

		memory_fill(&body, 4);
		rows_address(&body);
		name = xasprintf("ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16", count, transposed);
		text_addf(&body, "\t%s ", name);
		matrix_registers_add(&body, 'd', 0, count);
		text_add(&body, ", [%at];\n");
		matrix_operands_set(matrix_add(list, name, text_detach(&body), count, 32),
				    (struct matrix_operand[]){{4, ELEMENT_BITS}, {0}, {0}});

		/* Memory that is not stored to keeps the words that came first. */
		body = (struct text)TEXT_INIT;
		memory_fill(&body, 4);
		rows_address(&body);
		name = xasprintf("stmatrix.sync.aligned.m8n8.x%u%s.shared.b16", count, transposed);
		text_addf(&body, "\t%s [%%at], ", name);
		matrix_registers_add(&body, 'a', 4, count);
		text_add(&body, ";\n\tbar.warp.sync 0xffffffff;\n\tshl.b32 %at, %lane, 2;\n"
				"\tadd.u32 %at, %at, %tile;\n");
		for (unsigned i = 0; i < 4; i++)
			text_addf(&body, "\tld.shared.b32 %%d%u, [%%at+%u];\n", i, i * 128);
		matrix_operands_set(
			matrix_add(list, name, text_detach(&body), 4, 32),
			(struct matrix_operand[]){{4, ELEMENT_BITS}, {count, ELEMENT_BITS}, {0}});
	}
	matrix_operands_set(
		matrix_add(list, xstrdup("movmatrix.sync.aligned.m8n8.trans.b16"),
			   xstrdup("\tmovmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;\n"), 1, 32),
		(struct matrix_operand[]){{1, ELEMENT_BITS}, {0}, {0}});
}

/* ldmatrix reads the addresses of the first lanes only; those of the others are not valid. */
static void unused_addresses_add(struct matrix_list *list)
{
	for (unsigned count = 1; count <= 2; count++) {
		struct text body = TEXT_INIT;

		memory_fill(&body, 4);
		rows_address(&body);
		text_addf(&body,
			  "\tsetp.ge.u32 %%p, %%lane, %u;\n\t@%%p mov.u32 %%at, 0xfffffff1;\n"
			  "\tldmatrix.sync.aligned.m8n8.x%u.shared.b16 ",
			  count * 8, count);
		matrix_registers_add(&body, 'd', 0, count);
		text_add(&body, ", [%at];\n");
		matrix_operands_set(
			matrix_add(list,
				   xasprintf("ldmatrix.sync.aligned.m8n8.x%u.shared.b16 unused",
					     count),
				   text_detach(&body), count, 32),
			(struct matrix_operand[]){{4, ELEMENT_BITS}, {0}, {0}});
	}
}

struct matrix_list matrix_list_create(void)
{
	struct matrix_list list = {0};

	row_copies_add(&list);
	for (size_t i = 0; i < ARRAY_SIZE(products); i++)
		product_add(&list, &products[i]);
	integer_products_add(&list);
	byte_float_products_add(&list);
	quad_products_add(&list);
	matrix_wmma_add(&list);
	unused_addresses_add(&list);
	matrix_wgmma_add(&list);
	return list;
}

void matrix_list_release(struct matrix_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].body);
	}
	free(list->items);
	*list = (struct matrix_list){0};
}
