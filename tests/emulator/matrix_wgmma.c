/*
 * Cases of wgmma: each combination of types, and each layout of the operands. The threads copy the
 * words of A and B to shared memory, or keep those of A in registers, and the registers of D begin
 * with the third operand.
 */
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

#define ROWS 64
#define LINE_BYTES 32 /* of k */

static unsigned sum_registers(const struct group_form *form)
{
	return form->of_sum == ELEMENT_F16 ? form->n / 4 : form->n / 2;
}

static unsigned words_of_bytes(unsigned bytes)
{
	return (bytes + GROUP_THREADS * 4 - 1) / (GROUP_THREADS * 4);
}

/* Chooses offsets for which the matrix is as small as possible, and returns its bytes. */
static unsigned lay_out(unsigned *leading, unsigned *stride, unsigned row_bytes, bool turned,
			unsigned lines)
{
	unsigned row_lines = row_bytes / 2, across = (lines + row_lines - 1) / row_lines;

	if (!turned) {
		/* The two halves of all lines lie apart, or side by side in a row. */
		*leading = row_bytes == 16 ? lines * 16 : 16;
		*stride = row_bytes * 8;
		return row_bytes == 16 ? lines * LINE_BYTES : lines * row_bytes;
	}
	/* Eight k of a row of the pattern are contiguous, then the next eight of it. */
	*(row_bytes == 16 ? leading : stride) = row_bytes * 8;
	*(row_bytes == 16 ? stride : leading) = row_bytes * 16;
	return across * row_bytes * 16;
}

/* %x and %y become the descriptors. */
static void descriptor_add(struct text *body, char name, unsigned begin, unsigned leading,
			   unsigned stride, const struct group_form *form)
{
	static const uint64_t modes[] = {[1] = 0, [2] = 3, [4] = 2, [8] = 1};

	text_addf(body,
		  "\tadd.u32 %%at, %%tile, %u;\n\tshr.u32 %%at, %%at, 4;\n"
		  "\tcvt.u64.u32 %%%c, %%at;\n\tor.b64 %%%c, %%%c, %llu;\n",
		  begin + form->base * 128, name, name, name,
		  (unsigned long long)((uint64_t)leading >> 4 << 16 | (uint64_t)stride >> 4 << 32 |
				       (uint64_t)form->base << 49 |
				       modes[form->row_bytes / 16] << 62));
}

static void store_words(struct text *body, unsigned first, unsigned count, unsigned begin)
{
	for (unsigned i = 0; i < count; i++)
		text_addf(body, "\tst.shared.b32 [%%at+%u], %%a%u;\n",
			  begin + i * GROUP_THREADS * 4, first + i);
}

static void case_add(struct matrix_list *list, const char *types, struct group_form form)
{
	unsigned sums = sum_registers(&form), a_words, b_words;
	bool turns = form.bits == 16;
	struct text body = TEXT_INIT, name = TEXT_INIT;
	struct matrix_case *matrix;

	a_words = words_of_bytes(
		lay_out(&form.leading_a, &form.stride_a, form.row_bytes, form.a_turned, ROWS) +
		form.base * 128);
	b_words = words_of_bytes(
		lay_out(&form.leading_b, &form.stride_b, form.row_bytes, form.b_turned, form.n) +
		form.base * 128);
	if (form.a_in_registers)
		a_words = 4;
	text_add(&body, "\t.reg .b64 %x, %y;\n\tshl.b32 %at, %lane, 2;\n"
			"\tadd.u32 %at, %at, %tile;\n");
	if (!form.a_in_registers)
		store_words(&body, 0, a_words, GROUP_A);
	store_words(&body, a_words, b_words, GROUP_B);
	text_add(&body, "\tfence.proxy.async.shared::cta;\n\tbar.sync 0;\n");
	descriptor_add(&body, 'x', GROUP_A, form.leading_a, form.stride_a, &form);
	descriptor_add(&body, 'y', GROUP_B, form.leading_b, form.stride_b, &form);
	for (unsigned i = 0; i < sums; i++)
		text_addf(&body, "\tmov.b32 %%d%u, %%a%u;\n", i, a_words + b_words + i);
	text_add(&body, "\twgmma.fence.sync.aligned;\n");
	text_addf(&name, "wgmma.mma_async.sync.aligned.m64n%uk%u%s.%s", form.n, form.k,
		  form.saturates ? ".satfinite" : "", types);
	text_addf(&body, "\t%s ", name.data);
	matrix_registers_add(&body, 'd', 0, sums);
	text_add(&body, ", ");
	if (form.a_in_registers)
		matrix_registers_add(&body, 'a', 0, 4);
	else
		text_add(&body, "%x");
	text_addf(&body, ", %%y, %d", form.adds);
	if (form.of_sum != ELEMENT_S32)
		text_addf(&body, ", %d, %d", form.negates_a ? -1 : 1, form.negates_b ? -1 : 1);
	if (turns && !form.a_in_registers)
		text_addf(&body, ", %d", form.a_turned);
	if (turns)
		text_addf(&body, ", %d", form.b_turned);
	text_add(&body, ";\n\twgmma.commit_group.sync.aligned;\n"
			"\twgmma.wait_group.sync.aligned 0;\n");
	text_addf(&name, " %s, rows of %u%s%s%s%s%s%s",
		  form.a_in_registers ? "registers" : "shared", form.row_bytes,
		  form.a_turned ? ", A turned" : "", form.b_turned ? ", B turned" : "",
		  form.negates_a ? ", -A" : "", form.negates_b ? ", -B" : "",
		  form.base ? ", base" : "", form.adds ? "" : ", no D");
	matrix = matrix_add(list, text_detach(&name), text_detach(&body), sums, 32);
	matrix->group = form;
	matrix_operands_set(matrix, (struct matrix_operand[]){{a_words, form.of_a},
							      {b_words, form.of_b},
							      {sums, form.of_sum}});
}

/* Every combination of types, with A in registers and in shared memory. */
static void types_add(struct matrix_list *list)
{
	static const struct {
		const char *types;
		unsigned k, bits;
		enum matrix_element of_a, of_b, of_sum;
		bool signed_a, signed_b;
	} rows[] = {
#define SUMS_OF(a, b, of_a, of_b, k, bits)                                \
	{"f32." a "." b, k, bits, of_a, of_b, ELEMENT_F32, false, false}, \
		{"f16." a "." b, k, bits, of_a, of_b, ELEMENT_F16, false, false}
		SUMS_OF("f16", "f16", ELEMENT_F16, ELEMENT_F16, 16, 16),
		SUMS_OF("e4m3", "e4m3", ELEMENT_E4M3, ELEMENT_E4M3, 32, 8),
		SUMS_OF("e4m3", "e5m2", ELEMENT_E4M3, ELEMENT_E5M2, 32, 8),
		SUMS_OF("e5m2", "e4m3", ELEMENT_E5M2, ELEMENT_E4M3, 32, 8),
		SUMS_OF("e5m2", "e5m2", ELEMENT_E5M2, ELEMENT_E5M2, 32, 8),
#undef SUMS_OF
		{"f32.bf16.bf16", 16, 16, ELEMENT_BF16, ELEMENT_BF16, ELEMENT_F32, false, false},
		{"f32.tf32.tf32", 8, 32, ELEMENT_TF32, ELEMENT_TF32, ELEMENT_F32, false, false},
#define INTEGERS(a, b)                                                                 \
	{"s32." #a "8." #b "8", 32,           8,           ELEMENT_BITS, ELEMENT_BITS, \
	 ELEMENT_S32,           #a[0] == 's', #b[0] == 's'}
		INTEGERS(s, s),
		INTEGERS(s, u),
		INTEGERS(u, s),
		INTEGERS(u, u),
#undef INTEGERS
		{"s32.b1.b1.and.popc", 256, 1, ELEMENT_BITS, ELEMENT_BITS, ELEMENT_S32, false,
		 false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct group_form form = {
			.n = 16,
			.k = rows[i].k,
			.of_a = rows[i].of_a,
			.of_b = rows[i].of_b,
			.of_sum = rows[i].of_sum,
			.bits = rows[i].bits,
			.signed_a = rows[i].signed_a,
			.signed_b = rows[i].signed_b,
			.row_bytes = 16,
			.adds = true,
		};

		case_add(list, rows[i].types, form);
		form.a_in_registers = true;
		case_add(list, rows[i].types, form);
		form.row_bytes = 128;
		form.adds = false;
		form.a_in_registers = false;
		form.negates_b = form.of_sum != ELEMENT_S32;
		case_add(list, rows[i].types, form);
		form.adds = true;
		form.saturates = form.of_sum == ELEMENT_S32 && form.bits == 8;
		if (form.saturates)
			case_add(list, rows[i].types, form);
	}
}

/* Every layout of halves, and other numbers of columns. */
static void layouts_add(struct matrix_list *list)
{
	static const uint16_t columns[] = {8, 24, 64, 256};
	struct group_form form = {
		.n = 16,
		.k = 16,
		.of_a = ELEMENT_F16,
		.of_b = ELEMENT_F16,
		.of_sum = ELEMENT_F32,
		.bits = 16,
		.adds = true,
	};

	for (form.row_bytes = 16; form.row_bytes <= 128; form.row_bytes *= 2) {
		for (int kind = 0; kind < 8; kind++) {
			form.a_turned = kind & 1;
			form.b_turned = kind >> 1 & 1;
			form.negates_a = kind >> 2 & 1;
			/* The first is a case of types_add(). */
			if (kind || form.row_bytes > 16)
				case_add(list, "f32.f16.f16", form);
		}
	}
	form.negates_a = false;
	form.base = 3;
	for (form.row_bytes = 32; form.row_bytes <= 128; form.row_bytes *= 2)
		case_add(list, "f32.f16.f16", form);
	form.base = 0;
	form.a_turned = form.b_turned = false;
	form.row_bytes = 32;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		form.n = columns[i];
		form.of_sum = ELEMENT_F16;
		form.a_in_registers = i % 2;
		form.b_turned = i == 2;
		case_add(list, "f16.f16.f16", form);
	}
}

void matrix_wgmma_add(struct matrix_list *list)
{
	types_add(list);
	layouts_add(list);
}
