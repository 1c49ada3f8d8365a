#include "tests/reports/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define GOLDEN_FOLDER "tests/golden/reports/"
#define GOLDEN_LIMIT (1 << 20)

char *golden_render(const struct run *run, enum report_format format,
		    const struct report_options *options, size_t *length)
{
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, length);
	struct error err = {0};

	assert_non_null(stream);
	assert_int_equal(report_run(stream, run, format, options, &err), 0);
	fclose(stream);
	return bytes;
}

void golden_compare(const char *name, const char *bytes, size_t length)
{
	char *path = xasprintf(GOLDEN_FOLDER "%s", name);
	size_t golden_length;
	struct error err = {0};
	char *golden;

	if (getenv("PERFLAB_GOLDEN_UPDATE")) {
		FILE *file = fopen(path, "wb");

		assert_non_null(file);
		assert_int_equal(fwrite(bytes, 1, length, file), length);
		assert_int_equal(fclose(file), 0);
	}
	if (read_file(&golden, &golden_length, path, GOLDEN_LIMIT, &err))
		fail_msg("%s", err.text);
	assert_string_equal(bytes, golden);
	free(golden);
	free(path);
}
