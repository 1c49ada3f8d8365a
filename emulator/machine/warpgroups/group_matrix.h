/*
 * group_matrix: operands of wgmma in shared memory. A descriptor gives the
 * place and the layout of a matrix. Internal to emulator/.
 *
 * The matrix consists of lines of 32 bytes along k: rows of A, columns of B. It
 * is read in units of 16 bytes. A unit is half a line, and eight lines follow
 * one another at a distance of 16 bytes or of a row of the swizzle pattern. Of a
 * turned matrix, a unit has eight neighbouring lines of one k instead.
 *
 * After "Asynchronous Warpgroup Level Matrix Shared Memory Layout" of the PTX
 * manual and the canonical layouts of CUTLASS; not compared with a GPU.
 */
#ifndef EMULATOR_MACHINE_WARPGROUPS_GROUP_MATRIX_H
#define EMULATOR_MACHINE_WARPGROUPS_GROUP_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#define GROUP_UNIT_BYTES 16
#define GROUP_LINE_UNITS 2 /* of a line of k */
#define GROUP_TURNED_K 16  /* of a turned matrix, which has elements of 16 bits */

struct group_matrix {
	uint32_t begin, leading, stride; /* bytes */
	uint32_t row_bytes;              /* of the swizzle pattern: 32, 64, 128; 16: none */
	uint32_t base; /* number of the row, modulo 8, in which the pattern begins */
	bool turned;
};

/* Bits that no field of a descriptor has. */
#define GROUP_DESCRIPTOR_UNUSED UINT64_C(0x3ff1c000c000c000)

static inline struct group_matrix group_matrix_of(uint64_t descriptor, bool turned)
{
	static const uint8_t row_bytes[] = {16, 128, 64, 32};

	return (struct group_matrix){
		.begin = (uint32_t)(descriptor & 0x3fff) << 4,
		.leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
		.stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
		.base = (uint32_t)(descriptor >> 49 & 7),
		.row_bytes = row_bytes[descriptor >> 62],
		.turned = turned,
	};
}

/*
 * The offset of a unit in shared memory. Units are numbered line by line, and
 * those of a turned matrix by eight lines, then k.
 */
static inline uint32_t group_matrix_offset(const struct group_matrix *matrix, unsigned unit)
{
	const uint32_t row_bytes = matrix->row_bytes, row_units = row_bytes / GROUP_UNIT_BYTES;
	uint32_t offset = matrix->begin, row;

	if (matrix->turned) {
		uint32_t eight = unit / GROUP_TURNED_K, k = unit % GROUP_TURNED_K;

		offset += k % 8 * row_bytes;
		if (row_units == 1)
			offset += eight * matrix->stride + k / 8 * matrix->leading;
		else
			offset += eight / row_units * matrix->leading +
				  eight % row_units * GROUP_UNIT_BYTES + k / 8 * matrix->stride;
	} else {
		uint32_t line = unit / GROUP_LINE_UNITS, half = unit % GROUP_LINE_UNITS;

		offset += line / 8 * matrix->stride + line % 8 * row_bytes +
			  half * (row_units == 1 ? matrix->leading : GROUP_UNIT_BYTES);
	}
	/* Swizzling exchanges the units of a row by the number of the row: rows of 128 bytes by
	 * eight rows, of 64 bytes by the eight rows of two, of 32 bytes by those of four. */
	row = (offset >> 7) - matrix->base;
	return offset ^ (row & (row_units - 1)) * GROUP_UNIT_BYTES;
}

#endif
