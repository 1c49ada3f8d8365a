#include "tests/metrics/study_support.h"
#include "metrics/analysis/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static int parse(struct study *out, const char *text, struct error *err)
{
	return study_parse(out, "folder/name.study", text, strlen(text), err);
}

void must_parse(struct study *out, const char *text)
{
	struct error err = {0};

	if (parse(out, text, &err))
		fail_msg("%s", err.text);
}

void must_refuse(const char *text, const char *words)
{
	struct study study = {0};
	struct error err = {0};

	assert_int_equal(parse(&study, text, &err), PL_EPARSE);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
	assert_null(study.name);
}
