/* What the recorder tells, and what it cannot tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/record/record_steps.h"

struct heard {
	struct recording_log log;
	struct text lines;
};

static void hear(void *context, const char *line)
{
	text_addf(context, "%s\n", line);
}

static int heard_setup(void **state)
{
	struct heard *heard = xcalloc(1, sizeof(*heard));

	heard->lines = (struct text)TEXT_INIT;
	recording_log_init(&heard->log, true, hear, &heard->lines);
	*state = heard;
	return 0;
}

static int heard_teardown(void **state)
{
	struct heard *heard = *state;

	recording_log_release(&heard->log);
	text_release(&heard->lines);
	free(heard);
	return 0;
}

static void tell(struct heard *heard, int64_t pid, const char *lines)
{
	recording_log_take(&heard->log, recording_log_process(&heard->log, pid), lines,
			   strlen(lines));
}

#define KERNEL(name, more)                                                                   \
	"{\"event\":\"kernel\",\"kernel\":\"" name "\",\"grid\":[4,2,1],\"block\":[32,1,1]," \
	"\"shared_bytes\":64,\"registers\":20,\"launches\":3,\"graph_launches\":1,"          \
	"\"total_ns\":900,\"median_ns\":300,\"min_ns\":200,\"max_ns\":400" more "}\n"

static void kernels_get_the_device_of_their_process(void **state)
{
	struct heard *heard = *state;
	const struct recording *recording = &heard->log.recording;

	tell(heard, 1, KERNEL("saxpy", ",\"device\":0"));
	tell(heard, 2, KERNEL("saxpy", ",\"device\":0"));
	tell(heard, 2, KERNEL("_Z4copyPf", ",\"device\":1"));
	tell(heard, 1, "{\"event\":\"device\",\"ordinal\":0,\"name\":\"A\",\"uuid\":\"GPU-a\"}\n");
	tell(heard, 2, "{\"event\":\"device\",\"ordinal\":0,\"name\":\"B\",\"uuid\":\"GPU-b\"}\n");
	recording_log_finish(&heard->log);
	assert_int_equal(heard->log.unread, 0);
	assert_int_equal(recording->kernel_count, 3);
	assert_string_equal(recording->kernels[0].uuid, "GPU-a");
	assert_string_equal(recording->kernels[1].device, "B");
	assert_null(recording->kernels[2].device);
	assert_string_equal(recording->kernels[2].readable, "copy(float*)");
	assert_int_equal(recording->kernels[0].grid[1], 2);
	assert_int_equal(recording->kernels[0].graph_launches, 1);
	assert_int_equal(recording->kernels[0].max_ns, 400);
}

/* A file is read while it grows. */
static void lines_come_in_pieces(void **state)
{
	struct heard *heard = *state;

	tell(heard, 7, "{\"event\":\"attached\",\"pid\":7,");
	assert_int_equal(heard->log.recording.process_count, 0);
	tell(heard, 7, "\"program\":\"./app\"}\n\n{\"event\":\"ex");
	assert_string_equal(heard->log.recording.processes[0].program, "./app");
	tell(heard, 7,
	     "it\",\"launches\":5,\"dropped\":2,\"own_ns\":10,\"wall_ns\":20}\n{\"event\"");
	assert_int_equal(heard->log.recording.processes[0].dropped, 2);
	assert_int_equal(heard->log.unread, 0);
	recording_log_finish(&heard->log);
	assert_int_equal(heard->log.unread, 1);
	assert_string_equal(heard->log.first_unread, "process 7: the last line has no end");
}

static void bad_lines_are_counted_and_leave_nothing(void **state)
{
	static const char *const lines[] = {
		"nothing",
		"[]",
		"{}",
		"{\"event\":\"kernel\"}",
		KERNEL("", ",\"device\":0"),
		KERNEL("k", ",\"device\":-1"),
		KERNEL("k", ",\"device\":\"one\""),
		KERNEL("k", ",\"device\":0,\"launches\":4"),
		"{\"event\":\"captured\",\"path\":\"/x\",\"kernel\":\"k\",\"launch\":1,\"bytes\":1,"
		"\"file_bytes\":1,\"seconds\":0.1,\"lost\":[1]}",
		"{\"event\":\"captured\",\"path\":\"/"
		"x\",\"kernel\":\"k\",\"launch\":1e99,\"bytes\":1,"
		"\"file_bytes\":1,\"seconds\":0.1}",
		"{\"event\":\"device\",\"ordinal\":0,\"name\":\"A\",\"uuid\":5}",
		"{\"event\":\"slowest\",\"kernel\":\"k\",\"launch\":1.5,\"ns\":1}",
		"{\"event\":\"exit\",\"launches\":1}",
		"{\"event\":\"refused\",\"why\":\"\"}",
		"{\"event\":\"attached\",\"program\":\"\\u0000\"}",
		"{\"event\":\"seen\",\"kernel\":\"\xff\",\"launches\":1,\"graph_launches\":0}",
	};
	struct heard *heard = *state;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		tell(heard, 1, lines[i]);
		tell(heard, 1, "\n");
		if (heard->log.unread != i + 1)
			fail_msg("it was read: %s", lines[i]);
	}
	assert_int_equal(heard->log.recording.kernel_count, 0);
	assert_int_equal(heard->log.recording.capture_count, 0);
	assert_int_equal(heard->log.device_count + heard->log.slowest_count, 0);
	assert_string_equal(heard->lines.data, "");
	/* a line that follows is read */
	tell(heard, 1, KERNEL("k", ",\"device\":0"));
	assert_int_equal(heard->log.recording.kernel_count, 1);
}

static void rows_are_bounded(void **state)
{
	struct heard *heard = *state;

	for (size_t i = 0; i < RECORDING_ROWS_MOST + 5; i++)
		tell(heard, 1, KERNEL("k", ",\"device\":0"));
	assert_int_equal(heard->log.recording.kernel_count, RECORDING_ROWS_MOST);
	assert_int_equal(heard->log.unread, 5);
	assert_non_null(strstr(heard->log.first_unread, "too many kernels"));
}

static void texts_are_safe_for_a_terminal(void **state)
{
	struct heard *heard = *state;

	tell(heard, 1,
	     "{\"event\":\"captured\",\"path\":\"a\\u001b[2J\\u0085\\u202eb\\nc\",\"kernel\":\"k\","
	     "\"launch\":1,\"bytes\":1,\"file_bytes\":1,\"seconds\":0.5,\"lost\":[\"d\\te\"]}\n");
	assert_string_equal(heard->log.recording.captures[0].path, "a?[2J??b?c");
	assert_string_equal(heard->log.recording.captures[0].lost, "d?e");
	assert_string_equal(
		heard->lines.data,
		"wrote a?[2J??b?c: 1 B in 500 ms\na?[2J??b?c may lack something: d?e\n");
}

static void a_note_is_shown_once_for_all_processes(void **state)
{
	struct heard *heard = *state;

	tell(heard, 1, "{\"event\":\"note\",\"why\":\"it is \\u001bnew\"}\n");
	tell(heard, 2, "{\"event\":\"note\",\"why\":\"it is \\u001bnew\"}\n");
	tell(heard, 2, "{\"event\":\"note\",\"why\":\"\"}\n{\"event\":\"note\"}\n");
	assert_string_equal(heard->lines.data, "it is ?new\n");
	assert_int_equal(heard->log.unread, 2);
}

static void the_slowest_launches_are_chosen(void **state)
{
	struct heard *heard = *state;
	struct string_list patterns = {0};
	struct record_request request = {.patterns = &patterns, .most = 2};
	struct chosen_launch *chosen;

	string_list_add(&patterns, "soft*");
	string_list_add(&patterns, "axpy");
	tell(heard, 1, "{\"event\":\"slowest\",\"kernel\":\"softmax\",\"launch\":4,\"ns\":50}\n");
	tell(heard, 2, "{\"event\":\"slowest\",\"kernel\":\"softmax\",\"launch\":9,\"ns\":70}\n");
	tell(heard, 1, "{\"event\":\"slowest\",\"kernel\":\"softplus\",\"launch\":1,\"ns\":10}\n");
	tell(heard, 1, "{\"event\":\"slowest\",\"kernel\":\"saxpy\",\"launch\":2,\"ns\":60}\n");
	tell(heard, 1, "{\"event\":\"slowest\",\"kernel\":\"copy\",\"launch\":2,\"ns\":90}\n");
	assert_int_equal(record_choose_slowest(&chosen, &heard->log, &request), 2);
	assert_string_equal(chosen[0].name, "softmax");
	assert_int_equal(chosen[0].launch, 9);
	assert_string_equal(chosen[1].name, "saxpy");
	free(chosen);
	string_list_release(&patterns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define HEARD(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)
		HEARD(kernels_get_the_device_of_their_process),
		HEARD(lines_come_in_pieces),
		HEARD(bad_lines_are_counted_and_leave_nothing),
		HEARD(rows_are_bounded),
		HEARD(texts_are_safe_for_a_terminal),
		HEARD(a_note_is_shown_once_for_all_processes),
		HEARD(the_slowest_launches_are_chosen),
#undef HEARD
	};

	return cmocka_run_group_tests_name("recording_log", tests, NULL, NULL);
}
