/* decode_matrix: what the decoders of mma and wmma share. Internal to program/. */
#ifndef EMULATOR_PROGRAM_DECODE_MATRIX_H
#define EMULATOR_PROGRAM_DECODE_MATRIX_H

#include "emulator/program/decode.h"

unsigned matrix_type_bits(uint8_t type);
/* What the modifiers of mma, wmma and wgmma say. */
struct matrix_words {
	unsigned m, n, k;
	uint8_t types[4];
	size_t type_count;
	bool columns[2];
	size_t layout_count;
	bool sync, aligned, saturates, combines, ands, counts;
	/* `of_wmma`: there is one of the following, which only wmma has. */
	bool of_wmma, rounds;
	uint8_t rounding;
	char which; /* of a load or store: a, b, c, d */
	enum ptx_space space;
};
/* Reads the modifiers from number `first` on. Returns false if one is unknown or comes too often.
 */
bool read_matrix_words(struct matrix_words *words, const struct ptx_statement *at, size_t first);
/* Whether PTX has a product of this shape and these types. */
bool matrix_product_exists(const struct program_product *product);

/* The values of `count` registers of an operand that hold elements of a type, as sources or as
 * destinations. */
void matrix_values(struct function_decoding *decoding, const struct ptx_operand *operand,
		   unsigned count, uint8_t type, bool writes, uint32_t *values);
/* Appends a product. Only one of the products of a statement counts as an instruction. */
void emit_product(struct function_decoding *decoding, const struct program_product *product,
		  bool counted);

/*
 * A fragment of wmma consists of lines: rows of A and of the sums, columns of B. Lane l has
 * elements of line l / 4 of each tile of 8 lines. Along a line, l % 4 selects a word of `per_word`
 * elements in each chunk of 4 words. The sums of m8n32k16 are the exception: their lines are
 * columns, since that product is computed as m32n8k16 of the transposed matrices.
 */
struct wmma_fragment {
	uint8_t bits;      /* of an element */
	uint8_t per_word;  /* neighbouring elements along a line that a lane has */
	uint8_t registers; /* that hold them: 1, or 2 for sums of 32 and 64 bits */
	uint8_t units;     /* words that a lane has */
	uint8_t total;     /* registers of the operand; the units repeat in them */
	uint8_t chunks;    /* of a line */
	bool tiles_last;   /* the order of the units is that of B */
	bool is_factor;    /* A or B */
	bool contiguous;   /* a line is contiguous in memory */
};

/* Emits the loads or stores of a fragment. `stride` holds the elements between lines in memory. */
void wmma_emit_transfer(struct function_decoding *decoding, const struct decoded_address *base,
			uint32_t stride, const struct wmma_fragment *fragment,
			const uint32_t *values, bool store);

#endif
