/* Compares the first list of copies.h with a GPU; tests/gpu/copies.sh records it. */
#include "support_recorded.h"

int main(void)
{
	return recorded_run_tests(copy_list_create(), "tests/golden/ptx/copies.txt.zst");
}
