/* Check expressions: random(a, b), which gives inputs random integers. */
#include "base/random.h"
#include "kernels/check_expression_tree.h"

int tree_random(union tree_value *out, const union tree_value *last,
		const struct tree_binding *binding, const struct tree_block *block,
		const struct tree_node *node)
{
	const uint64_t key = random_at(binding->random_key, node->which);

	for (int lane = 0; lane < block->lanes; lane++) {
		const uint64_t first = (uint64_t)out[lane].integer;
		const uint64_t width = (uint64_t)last[lane].integer - first + 1;
		const uint64_t hash = random_at(key, (uint64_t)block->slots[0][lane]);

		if (out[lane].integer > last[lane].integer)
			return lane;
		out[lane].integer = (int64_t)(first + hash_below(hash, width));
	}
	return -1;
}
