/* Compares the second list of copies.h with a GPU; tests/gpu/copies.sh --more records it. */
#include "support_recorded.h"

int main(void)
{
	return recorded_run_tests(copy_more_list_create(), "tests/golden/ptx/copies_more.txt.zst");
}
