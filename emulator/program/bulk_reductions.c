#include "emulator/program/bulk_reductions.h"

#include <stddef.h>
#include <string.h>

static const struct bulk_reduction reductions[] = {
	{ATOMIC_ADD, "u32", true, false, ATOMIC_ADD, TYPE_u32},
	{ATOMIC_ADD, "s32", true, false, ATOMIC_ADD, TYPE_s32},
	{ATOMIC_ADD, "u64", true, false, ATOMIC_ADD, TYPE_u64},
	{ATOMIC_ADD, "f32", false, false, ATOMIC_ADD, TYPE_f32},
	{ATOMIC_ADD, "f64", false, false, ATOMIC_ADD, TYPE_f64},
	{ATOMIC_ADD, "f16", false, true, ATOMIC_ADD_F16, TYPE_b16},
	{ATOMIC_ADD, "bf16", false, true, ATOMIC_ADD_BF16, TYPE_b16},
	{ATOMIC_MIN, "u32", true, false, ATOMIC_MIN, TYPE_u32},
	{ATOMIC_MIN, "s32", true, false, ATOMIC_MIN, TYPE_s32},
	{ATOMIC_MIN, "u64", false, false, ATOMIC_MIN, TYPE_u64},
	{ATOMIC_MIN, "s64", false, false, ATOMIC_MIN, TYPE_s64},
	{ATOMIC_MIN, "f16", false, false, ATOMIC_MIN_F16, TYPE_b16},
	{ATOMIC_MIN, "bf16", false, false, ATOMIC_MIN_BF16, TYPE_b16},
	{ATOMIC_MAX, "u32", true, false, ATOMIC_MAX, TYPE_u32},
	{ATOMIC_MAX, "s32", true, false, ATOMIC_MAX, TYPE_s32},
	{ATOMIC_MAX, "u64", false, false, ATOMIC_MAX, TYPE_u64},
	{ATOMIC_MAX, "s64", false, false, ATOMIC_MAX, TYPE_s64},
	{ATOMIC_MAX, "f16", false, false, ATOMIC_MAX_F16, TYPE_b16},
	{ATOMIC_MAX, "bf16", false, false, ATOMIC_MAX_BF16, TYPE_b16},
	{ATOMIC_INC, "u32", true, false, ATOMIC_INC, TYPE_u32},
	{ATOMIC_DEC, "u32", true, false, ATOMIC_DEC, TYPE_u32},
	{ATOMIC_AND, "b32", true, false, ATOMIC_AND, TYPE_b32},
	{ATOMIC_AND, "b64", false, false, ATOMIC_AND, TYPE_b64},
	{ATOMIC_OR, "b32", true, false, ATOMIC_OR, TYPE_b32},
	{ATOMIC_OR, "b64", false, false, ATOMIC_OR, TYPE_b64},
	{ATOMIC_XOR, "b32", true, false, ATOMIC_XOR, TYPE_b32},
	{ATOMIC_XOR, "b64", false, false, ATOMIC_XOR, TYPE_b64},
};

const struct bulk_reduction *bulk_reduction_find(enum atomic_kind asked, const char *type)
{
	for (size_t i = 0; i < sizeof(reductions) / sizeof(*reductions); i++)
		if (reductions[i].asked == asked && strcmp(reductions[i].type, type) == 0)
			return &reductions[i];
	return NULL;
}
