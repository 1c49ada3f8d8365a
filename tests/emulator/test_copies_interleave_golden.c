/* Compares the fourth list of copies.h with a GPU; tests/gpu/copies.sh --interleave records it. */
#include "support_recorded.h"

int main(void)
{
	return recorded_run_tests(copy_interleave_list_create(),
				  "tests/golden/ptx/copies_interleave.txt.zst");
}
