#include "preparation_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "harness/client/client.h"

static void set_data(struct launch_case *work, int64_t length, enum check_kind kind)
{
	work->buffers[0].length = length;
	work->buffers[1] = (struct case_buffer){
		.name = "y", .type = ELEMENT_F32, .length = length, .role = BUFFER_OUT};
	work->oracle[0] = '\0';
	work->check.kind = kind;
	if (kind != CHECK_EXPRESSION)
		return;
	work->check.items = xcalloc(1, sizeof(*work->check.items));
	work->check.items[0] = (struct case_check_item){1, xstrdup("2 * x"), false};
	work->check.item_count = 1;
}

void preparation_set_reference(struct launch_case *work)
{
	free(work->check.items[0].text);
	free(work->check.items);
	work->check = (struct case_check){.kind = CHECK_LAUNCHES, .launch_count = 1};
	work->check.launches = xcalloc(1, sizeof(*work->check.launches));
	work->check.launches[0] = work->launches[0];
	work->check.launches[0].entry = xstrdup("slow");
	work->check.launches[0].args = NULL;
	work->check.launches[0].arg_count = 0;
}

int preparation_set_up(void **context)
{
	struct sweep_fixture *f;
	int rc = sweep_set_up(context);

	f = *context;
	f->settings.rounds = PREPARATION_ROUNDS;
	f->settings.jobs = 5;
	for (size_t i = 0; i < CASES; i++)
		set_data(f->record.plan->cases[i].launch, ELEMENTS - FEWER_ELEMENTS * (int64_t)i,
			 CHECK_EXPRESSION);
	set_variable("PERFLAB_SHARED_MEMORY", "256Mi");
	return rc;
}

int preparation_tear_down(void **context)
{
	set_variable("PERFLAB_SHARED_MEMORY", NULL);
	set_variable("FAKE_WORKER_SCRIPT_FILE", NULL);
	return sweep_tear_down(context);
}

struct sweep_fixture *preparation_start_again(void **context)
{
	preparation_tear_down(context);
	preparation_set_up(context);
	return *context;
}

int64_t preparation_bytes(void)
{
	struct stat file;

	assert_int_equal(fstat(data_file_fd(), &file), 0);
	return (int64_t)file.st_blocks * 512;
}

size_t preparation_logged(const struct sweep_fixture *f, const char *what)
{
	size_t count = 0;
	char request[32];

	for (int round = 0; round < f->settings.rounds; round++) {
		snprintf(request, sizeof(request), "%s-%d", what, round);
		count += sweep_logged(f, request, "");
	}
	return count;
}

void preparation_assert_as_without(const struct sweep_fixture *f)
{
	for (size_t i = 0; i < CASES; i++) {
		assert_int_equal(f->record.finished[i], 1);
		assert_int_equal(f->record.status[i], TRIAL_OK);
		assert_string_equal(f->record.reason[i], "");
		assert_int_equal(f->record.rounds[i], f->settings.rounds);
	}
	assert_int_equal(preparation_logged(f, "wrong"), 0);
	assert_int_equal(sweep_logged(f, "wrong-beside", ""), 0);
	assert_int_equal(sweep_logged(f, "wrong-count", ""), 0);
	assert_int_equal(preparation_bytes(), 0); /* nothing is left in memory */
	sweep_assert_no_worker(f);
}
