#include <stdio.h>
#include <string.h>

/* Runs the tests of one file of a folder. unit_tests.h comes from CMake.
   usage: unit_FOLDER NAME   (NAME as in ctest) */

#define UNIT_TEST(name) int test_##name(void);
#include "unit_tests.h"
#undef UNIT_TEST

static const struct {
	const char *name;
	int (*run)(void);
} tests[] = {
#define UNIT_TEST(name) {#name, test_##name},
#include "unit_tests.h"
#undef UNIT_TEST
};

int main(int argc, char **argv)
{
	const size_t count = sizeof(tests) / sizeof(tests[0]);

	for (size_t i = 0; i < count && argc == 2; i++) {
		if (strcmp(tests[i].name, argv[1]) == 0)
			return tests[i].run();
	}
	fprintf(stderr, "usage: %s NAME, which is one of\n", argv[0]);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "  %s\n", tests[i].name);
	return 2;
}
