/* Compares the third list of copies.h with a GPU; tests/gpu/copies.sh --edges records it. */
#include "support_recorded.h"

int main(void)
{
	return recorded_run_tests(copy_edges_list_create(),
				  "tests/golden/ptx/copies_edges.txt.zst");
}
