/* Stores many elements at a time: one switch over the types for all of them. */
#include <string.h>

#include "kernels/element.h"
#include "kernels/element_bits.h"

static void store_f32(float *out, const double *values)
{
	for (int i = 0; i < ELEMENT_TILE; i++)
		out[i] = float_towards_zero(values[i]);
}

static void store_tf32(float *out, const double *values)
{
	for (int i = 0; i < ELEMENT_TILE; i++)
		out[i] = float_of(bits_of(float_towards_zero(values[i])) & ~UINT32_C(0x1fff));
}

static void store_f16(uint16_t *out, const double *values)
{
	for (int i = 0; i < ELEMENT_TILE; i++)
		out[i] = half_towards_zero(float_towards_zero(values[i]));
}

static void store_bf16(uint16_t *out, const double *values)
{
	for (int i = 0; i < ELEMENT_TILE; i++)
		out[i] = (uint16_t)(bits_of(float_towards_zero(values[i])) >> 16);
}

void element_store_tile(enum element_type type, void *data, int64_t first, const double *values)
{
	switch (type) {
	case ELEMENT_F32:
		store_f32((float *)data + first, values);
		break;
	case ELEMENT_F64:
		memcpy((double *)data + first, values, ELEMENT_TILE * sizeof(*values));
		break;
	case ELEMENT_F16:
		store_f16((uint16_t *)data + first, values);
		break;
	case ELEMENT_BF16:
		store_bf16((uint16_t *)data + first, values);
		break;
	case ELEMENT_TF32:
		store_tf32((float *)data + first, values);
		break;
	default:
		for (int i = 0; i < ELEMENT_TILE; i++)
			element_store(type, data, first + i, values[i]);
	}
}

static void store_u8(uint8_t *out, const uint64_t *values)
{
	for (int i = 0; i < ELEMENT_TILE; i++)
		out[i] = (uint8_t)values[i];
}

static void store_u16(uint16_t *out, const uint64_t *values)
{
	for (int i = 0; i < ELEMENT_TILE; i++)
		out[i] = (uint16_t)values[i];
}

static void store_u32(uint32_t *out, const uint64_t *values)
{
	for (int i = 0; i < ELEMENT_TILE; i++)
		out[i] = (uint32_t)values[i];
}

void element_store_integer_tile(enum element_type type, void *data, int64_t first,
				const uint64_t *values)
{
	switch (element_size_bytes(type)) {
	case 1:
		store_u8((uint8_t *)data + first, values);
		break;
	case 2:
		store_u16((uint16_t *)data + first, values);
		break;
	case 4:
		store_u32((uint32_t *)data + first, values);
		break;
	default:
		memcpy((uint64_t *)data + first, values, ELEMENT_TILE * sizeof(*values));
	}
}
