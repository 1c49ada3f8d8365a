/* Compares the fifth list of copies.h with a GPU; tests/gpu/copies.sh --layouts records it. */
#include "support_recorded.h"

int main(void)
{
	return recorded_run_tests(copy_layouts_list_create(),
				  "tests/golden/ptx/copies_layouts.txt.zst");
}
