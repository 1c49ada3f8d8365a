/* line_fixture: a profile that a test fills, with the text of its files. */
#ifndef TESTS_METRICS_LINE_FIXTURE_H
#define TESTS_METRICS_LINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metrics/analysis/line_changes.h"

/* All zeroes is empty. */
struct line_fixture {
	struct profile *profile;
	struct line_source_list sources;
	struct line_cost_list lines;
	struct line_side side; /* from line_fixture_end() */
};

/* Adds the text of a file; NULL: it is not kept. */
void line_fixture_text(struct line_fixture *fixture, const char *file, const char *text);
/* Adds a frame. `function` NULL: it is not inlined. */
int64_t line_fixture_frame(struct line_fixture *fixture, const char *file, int64_t line,
			   const char *function, int64_t caller);
/* Adds an instruction that 1,024 warps executed, with all lanes and nothing else. */
struct profile_instruction *line_fixture_instruction(struct line_fixture *fixture, int64_t frame);
/* Both for a line that is not inlined. */
struct profile_instruction *line_fixture_line(struct line_fixture *fixture, const char *file,
					      int64_t line);
const struct line_side *line_fixture_end(struct line_fixture *fixture);
void line_fixture_release(struct line_fixture *fixture);

#endif
