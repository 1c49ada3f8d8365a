/* Cases of wmma: each fragment that is loaded and stored, and each product. */
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

static const char *const layouts[] = {"row", "col"};

struct shape {
	const char *name;
	unsigned m, n, k;
};
static const struct shape long_shapes[] = {
	{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16}};

/* The types of the factors, and their shapes. */
struct factors {
	const char *type;
	enum matrix_element element;
	unsigned bits;
	const struct shape *shapes;
	size_t shape_count;
	unsigned of_a[3], of_b[3]; /* registers, for each shape */
};
static const struct shape tf32_shape[] = {{"m16n16k8", 16, 16, 8}};
static const struct shape f64_shape[] = {{"m8n8k4", 8, 8, 4}};
static const struct shape nibble_shape[] = {{"m8n8k32", 8, 8, 32}};
static const struct shape bit_shape[] = {{"m8n8k128", 8, 8, 128}};
static const struct factors factors[] = {
	{"f16", ELEMENT_F16, 16, long_shapes, 3, {8, 8, 8}, {8, 8, 8}},
	{"bf16", ELEMENT_BF16, 16, long_shapes, 3, {4, 8, 2}, {4, 2, 8}},
	{"tf32", ELEMENT_TF32, 32, tf32_shape, 1, {4}, {4}},
	{"s8", ELEMENT_BITS, 8, long_shapes, 3, {2, 4, 1}, {2, 1, 4}},
	{"u8", ELEMENT_BITS, 8, long_shapes, 3, {2, 4, 1}, {2, 1, 4}},
	{"s4", ELEMENT_BITS, 4, nibble_shape, 1, {1}, {1}},
	{"u4", ELEMENT_BITS, 4, nibble_shape, 1, {1}, {1}},
	{"b1", ELEMENT_BITS, 1, bit_shape, 1, {1}, {1}},
	{"f64", ELEMENT_F64, 64, f64_shape, 1, {1}, {1}},
};

static void list_registers(struct text *out, char letter, unsigned first, unsigned count)
{
	text_add(out, "{");
	for (unsigned i = 0; i < count; i++)
		text_addf(out, "%s%%%c%u", i ? ", " : "", letter, first + i);
	text_add(out, "}");
}

static void operand_set(struct matrix_case *matrix, int which, unsigned count,
			enum matrix_element element)
{
	matrix->operands[which] = (struct matrix_operand){count, element};
	matrix->in_count += count;
	if (element > ELEMENT_S32)
		matrix->profiles = PROFILE_COUNT;
}

/* Words of shared memory per lane that hold the matrix with rows or columns of `stride` elements.
 */
static unsigned memory_words(unsigned lines, unsigned stride, unsigned bits, unsigned width)
{
	return (lines * stride * bits + 32 * width - 1) / (32 * width);
}

/* Copies the first operand to shared memory. */
static void fill(struct text *body, unsigned words, unsigned width)
{
	text_addf(body, "\tshl.b32 %%at, %%lane, %u;\n\tadd.u32 %%at, %%at, %%tile;\n",
		  width == 64 ? 3 : 2);
	for (unsigned i = 0; i < words; i++)
		text_addf(body, "\tst.shared.b%u [%%at+%u], %%a%u;\n", width, i * 4 * width, i);
	text_add(body, "\tbar.warp.sync 0xffffffff;\n");
}

struct fragment {
	char which; /* a, b, c, d */
	const char *type;
	unsigned bits, registers;
	unsigned rows, columns;
};

/* Loads a fragment, or stores one over other words. `padding` elements lie between lines. */
static void transfer_add(struct matrix_list *list, const struct shape *shape,
			 const struct fragment *fragment, int layout, unsigned padding)
{
	bool is_store = fragment->which == 'd';
	unsigned width = fragment->bits == 64 ? 64 : 32;
	unsigned stride = (layout ? fragment->rows : fragment->columns) + padding;
	unsigned words = memory_words(layout ? fragment->columns : fragment->rows, stride,
				      fragment->bits, width);
	struct text body = TEXT_INIT;
	struct matrix_case *matrix;
	char *mnemonic =
		xasprintf("wmma.%s.%c.sync.aligned.%s.%s.shared.%s", is_store ? "store" : "load",
			  fragment->which, layouts[layout], shape->name, fragment->type);

	fill(&body, words, width);
	text_addf(&body, "\t%s ", mnemonic);
	if (is_store)
		text_add(&body, "[%tile], ");
	list_registers(&body, is_store ? 'a' : 'd', is_store ? words : 0, fragment->registers);
	text_addf(&body, "%s, %u;\n", is_store ? "" : ", [%tile]", stride);
	if (is_store) {
		text_addf(&body,
			  "\tbar.warp.sync 0xffffffff;\n\tshl.b32 %%at, %%lane, %u;\n"
			  "\tadd.u32 %%at, %%at, %%tile;\n",
			  width == 64 ? 3 : 2);
		for (unsigned i = 0; i < words; i++)
			text_addf(&body, "\tld.shared.b%u %%d%u, [%%at+%u];\n", width, i,
				  i * 4 * width);
	}
	matrix = matrix_add(list, xasprintf("%s stride %u", mnemonic, stride), text_detach(&body),
			    is_store ? words : fragment->registers, width);
	operand_set(matrix, 0, words, ELEMENT_BITS);
	if (is_store)
		operand_set(matrix, 1, fragment->registers, ELEMENT_BITS);
	free(mnemonic);
}

static void fragment_add(struct matrix_list *list, const struct shape *shape,
			 const struct fragment *fragment, bool any_layout)
{
	bool is_b = fragment->which == 'b';

	for (int layout = 0; layout < 2; layout++) {
		if (!any_layout && layout != is_b)
			continue;
		transfer_add(list, shape, fragment, layout, 0);
		transfer_add(list, shape, fragment, layout,
			     fragment->bits < 16    ? 128 / fragment->bits
			     : fragment->bits == 64 ? 2
						    : 8);
	}
}

static void sums_add(struct matrix_list *list, const struct shape *shape, const char *type,
		     unsigned registers)
{
	unsigned bits = strcmp(type, "f16") == 0 ? 16 : strcmp(type, "f64") == 0 ? 64 : 32;
	struct fragment fragment = {'c', type, bits, registers, shape->m, shape->n};

	fragment_add(list, shape, &fragment, true);
	fragment.which = 'd';
	fragment_add(list, shape, &fragment, true);
}

static void product_of(struct matrix_list *list, char *mnemonic, const struct factors *from,
		       size_t shape, const unsigned sums[2], const enum matrix_element of_sum)
{
	unsigned a = from->of_a[shape], b = from->of_b[shape];
	struct text body = TEXT_INIT;
	struct matrix_case *matrix;

	text_addf(&body, "\t%s ", mnemonic);
	list_registers(&body, 'd', 0, sums[1]);
	text_add(&body, ", ");
	list_registers(&body, 'a', 0, a);
	text_add(&body, ", ");
	list_registers(&body, 'a', a, b);
	text_add(&body, ", ");
	list_registers(&body, 'a', a + b, sums[0]);
	text_add(&body, ";\n");
	matrix =
		matrix_add(list, mnemonic, text_detach(&body), sums[1], from->bits == 64 ? 64 : 32);
	operand_set(matrix, 0, a, from->element);
	operand_set(matrix, 1, b, from->element);
	operand_set(matrix, 2, sums[0], of_sum);
}

static void half_products(struct matrix_list *list, const struct factors *from, size_t shape,
			  const char *layout_a, const char *layout_b)
{
	for (int kind = 0; kind < 4; kind++) {
		bool to_half = kind & 1, from_half = kind & 2;

		product_of(list,
			   xasprintf("wmma.mma.sync.aligned.%s.%s.%s.%s.%s", layout_a, layout_b,
				     from->shapes[shape].name, to_half ? "f16" : "f32",
				     from_half ? "f16" : "f32"),
			   from, shape, (unsigned[]){from_half ? 4 : 8, to_half ? 4 : 8},
			   from_half ? ELEMENT_F16 : ELEMENT_F32);
	}
}

static void products_of(struct matrix_list *list, const struct factors *from, size_t shape)
{
	const char *name = from->shapes[shape].name;
	unsigned eight[2] = {8, 8}, two[2] = {2, 2};

	for (int layout = 0; layout < 4; layout++) {
		const char *a = layouts[layout >> 1], *b = layouts[layout & 1];

		if (from->bits < 8 && layout != 1)
			continue;
		if (from->element == ELEMENT_F16) {
			half_products(list, from, shape, a, b);
		} else if (from->bits == 1) {
			product_of(list,
				   xasprintf("wmma.mma.xor.popc.sync.aligned.%s.%s.%s."
					     "s32.b1.b1.s32",
					     a, b, name),
				   from, shape, two, ELEMENT_S32);
			product_of(list,
				   xasprintf("wmma.mma.and.popc.sync.aligned.%s.%s.%s."
					     "s32.b1.b1.s32",
					     a, b, name),
				   from, shape, two, ELEMENT_S32);
		} else if (from->element == ELEMENT_BITS) {
			for (int saturates = 0; saturates < 2; saturates++)
				product_of(list,
					   xasprintf("wmma.mma.sync.aligned.%s.%s.%s.s32.%s.%s.s32"
						     "%s",
						     a, b, name, from->type, from->type,
						     saturates ? ".satfinite" : ""),
					   from, shape, from->bits == 8 ? eight : two, ELEMENT_S32);
		} else if (from->element == ELEMENT_F64) {
			static const char *const roundings[] = {"", ".rn", ".rz", ".rm", ".rp"};

			for (int i = 0; i < 5; i++)
				product_of(list,
					   xasprintf("wmma.mma.sync.aligned.%s.%s.%s%s."
						     "f64.f64.f64.f64",
						     a, b, name, roundings[i]),
					   from, shape, two, ELEMENT_F64);
		} else {
			product_of(list,
				   xasprintf("wmma.mma.sync.aligned.%s.%s.%s.f32.%s.%s.f32", a, b,
					     name, from->type, from->type),
				   from, shape, eight, ELEMENT_F32);
		}
	}
}

void matrix_wmma_add(struct matrix_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(factors); i++) {
		const struct factors *from = &factors[i];

		for (size_t s = 0; s < from->shape_count; s++) {
			const struct shape *shape = &from->shapes[s];
			struct fragment a = {'a',           from->type, from->bits,
					     from->of_a[s], shape->m,   shape->k};
			struct fragment b = {'b',           from->type, from->bits,
					     from->of_b[s], shape->k,   shape->n};

			fragment_add(list, shape, &a, from->bits >= 8);
			fragment_add(list, shape, &b, from->bits >= 8);
			products_of(list, from, s);
		}
	}
	for (size_t s = 0; s < 3; s++) {
		sums_add(list, &long_shapes[s], "f16", 4);
		sums_add(list, &long_shapes[s], "f32", 8);
		sums_add(list, &long_shapes[s], "s32", 8);
	}
	sums_add(list, tf32_shape, "f32", 8);
	sums_add(list, nibble_shape, "s32", 2);
	sums_add(list, bit_shape, "s32", 2);
	sums_add(list, f64_shape, "f64", 2);
}
