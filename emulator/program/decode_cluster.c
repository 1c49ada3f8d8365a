/*
 * The registers that describe clusters, for a launch without clusters: each block is a cluster of
 * its own. The emulator runs no other launch, and refuses the directives that ask for one.
 */
#include "emulator/program/decode.h"

#include <string.h>

bool decode_cluster_register(struct function_decoding *decoding, const char *name,
			     enum value_type type, const char **same, uint32_t *value)
{
	static const struct {
		const char *name;
		const char *same; /* the register that has its value; NULL: it has `bits` */
		uint32_t bits;
		bool predicate;
	} registers[] = {
		{"%clusterid.x", "%ctaid.x", 0, false},   {"%clusterid.y", "%ctaid.y", 0, false},
		{"%clusterid.z", "%ctaid.z", 0, false},   {"%nclusterid.x", "%nctaid.x", 0, false},
		{"%nclusterid.y", "%nctaid.y", 0, false}, {"%nclusterid.z", "%nctaid.z", 0, false},
		{"%cluster_ctaid.x", NULL, 0, false},     {"%cluster_ctaid.y", NULL, 0, false},
		{"%cluster_ctaid.z", NULL, 0, false},     {"%cluster_nctaid.x", NULL, 1, false},
		{"%cluster_nctaid.y", NULL, 1, false},    {"%cluster_nctaid.z", NULL, 1, false},
		{"%cluster_ctarank", NULL, 0, false},     {"%cluster_nctarank", NULL, 1, false},
		{"%is_explicit_cluster", NULL, 0, true},
	};
	const bool wide =
		type == TYPE_u64 || type == TYPE_s64 || type == TYPE_b64 || type == TYPE_f64;

	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		if (strcmp(registers[i].name, name) != 0)
			continue;
		*value = 0;
		*same = registers[i].same;
		if (registers[i].predicate != (type == TYPE_pred))
			decode_invalid(decoding, "%s is %sa predicate", name,
				       registers[i].predicate ? "" : "not ");
		else if (!*same)
			*value = value_bits(decoding, registers[i].bits, wide);
		return true;
	}
	return false;
}
