/*
 * Recordings of programs: what is stored comes back, and SQL finds it.
 */
#include "context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t store(struct context *context, const char *label, int64_t later_ns, const char *uid)
{
	struct recording recording = fixture_recording();
	int64_t id;

	free(recording.label);
	recording.label = xstrdup(label);
	recording.started_ns += later_ns;
	snprintf(recording.uid, sizeof(recording.uid), "%s", uid);
	assert_ok(context, db_recording_store(context->db, &recording, &context->err));
	id = recording.id;
	recording_release(&recording);
	return id;
}

static void assert_same_kernel(const struct recorded_kernel *a, const struct recorded_kernel *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->readable, b->readable);
	assert_string_equal(a->device, b->device);
	assert_string_equal(a->uuid, b->uuid);
	assert_memory_equal(a->grid, b->grid, sizeof(a->grid));
	assert_memory_equal(a->block, b->block, sizeof(a->block));
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->shared_bytes, b->shared_bytes);
	assert_int_equal(a->registers, b->registers);
	assert_int_equal(a->launches, b->launches);
	assert_int_equal(a->graph_launches, b->graph_launches);
	assert_int_equal(a->total_ns, b->total_ns);
	assert_int_equal(a->median_ns, b->median_ns);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
}

static void test_what_is_stored_comes_back(void **state)
{
	struct context *context = *state;
	struct recording expected = fixture_recording(), loaded;

	assert_ok(context, db_recording_store(context->db, &expected, &context->err));
	assert_int_equal(strlen(expected.uid), 32);
	assert_ok(context, db_recording_load(context->db, expected.id, &loaded, &context->err));
	assert_string_equal(loaded.uid, expected.uid);
	assert_true(loaded.lists);
	assert_string_equal(loaded.command, expected.command);
	assert_string_equal(loaded.label, "step");
	assert_string_equal(loaded.host, "bench-01");
	assert_string_equal(loaded.version, "0.1.0");
	assert_int_equal(loaded.started_ns, expected.started_ns);
	assert_int_equal(loaded.wall_ns, 4000000000);
	assert_int_equal(loaded.bare_wall_ns, 3900000000);
	assert_int_equal(loaded.exit_code, 0);
	assert_int_equal(loaded.process_count, 1);
	assert_string_equal(loaded.processes[0].program, "./train --steps 3");
	assert_null(loaded.processes[0].why_not);
	assert_int_equal(loaded.processes[0].launches, 12);
	assert_int_equal(loaded.processes[0].dropped, 1);
	assert_int_equal(loaded.processes[0].own_ns, 70000);
	assert_int_equal(loaded.processes[0].wall_ns, 3500000000);
	assert_int_equal(loaded.kernel_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_same_kernel(&loaded.kernels[i], &expected.kernels[i]);
	assert_int_equal(loaded.capture_count, 1);
	assert_string_equal(loaded.captures[0].path, "/tmp/softmax.capture");
	assert_string_equal(loaded.captures[0].lost, "a texture");
	assert_int_equal(loaded.captures[0].launch, 3);
	assert_true(loaded.captures[0].seconds == 0.125);
	recording_release(&loaded);
	recording_release(&expected);
}

static void test_what_is_not_known_is_null(void **state)
{
	struct context *context = *state;
	struct recording recording, loaded;

	recording_init(&recording);
	recording.command = xstrdup("./app");
	recording_process(&recording, 3);
	recording_add_kernel(&recording, 3)->name = xstrdup("saxpy");
	recording.kernels[0].readable = xstrdup("saxpy");
	assert_ok(context, db_recording_store(context->db, &recording, &context->err));
	assert_int_equal(
		context_query(context,
			      "SELECT count(*) FROM recorded_kernel WHERE grid_x IS NULL"
			      " AND block_z IS NULL AND shared_bytes IS NULL AND registers IS NULL"
			      " AND total_ns IS NULL AND median_ns IS NULL AND device IS NULL"),
		1);
	assert_int_equal(context_query(context, "SELECT mode = 'record' AND wall_ns IS NULL"
						" AND exit_code IS NULL FROM recording"),
			 1);
	assert_ok(context, db_recording_load(context->db, recording.id, &loaded, &context->err));
	assert_false(loaded.lists);
	assert_int_equal(loaded.wall_ns, -1);
	assert_int_equal(loaded.kernels[0].grid[0], -1);
	assert_int_equal(loaded.kernels[0].median_ns, -1);
	assert_int_equal(loaded.processes[0].own_ns, -1);
	recording_release(&loaded);
	recording_release(&recording);
}

static void test_the_same_recording_is_replaced(void **state)
{
	struct context *context = *state;
	const char *uid = "0123456789abcdef0123456789abcdef";

	store(context, "first", 0, uid);
	store(context, "second", 0, uid);
	assert_int_equal(context_query(context, "SELECT count(*) FROM recording"), 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM recorded_kernel"), 3);
	assert_int_equal(context_query(context, "SELECT label = 'second' FROM recording"), 1);
}

static void test_references_are_resolved(void **state)
{
	struct context *context = *state;
	const int64_t old = store(context, "step", 0, "aaaa0000000000000000000000000000"),
		      newest = store(context, "step", 9, "aaaa1111111111111111111111111111"),
		      middle = store(context, "other", 5, "bbbb1111111111111111111111111111");
	const struct {
		const char *reference;
		int64_t id;
	} good[] = {{"last", newest},
		    {"step", newest},
		    {"other", middle},
		    {"aaaa0", old},
		    {"bbbb", middle}};
	static const char *const bad[] = {"aaaa", "none", "bbb", "77", ""};
	int64_t id = 0;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_ok(context,
			  db_recording_resolve(context->db, good[i].reference, &id, &context->err));
		assert_int_equal(id, good[i].id);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(db_recording_resolve(context->db, bad[i], &id, &context->err),
				 PL_EUSAGE);
}

struct visited {
	size_t count;
	char labels[64];
};

static int visit(void *context, const struct recording *recording, int64_t kernels)
{
	struct visited *visited = context;

	visited->count++;
	strncat(visited->labels, recording->label, 8);
	assert_int_equal(kernels, 2);
	assert_int_equal(recording->capture_count, 1);
	return visited->count == 2;
}

static void test_recordings_are_visited_newest_first(void **state)
{
	struct context *context = *state;
	struct visited visited = {0};

	store(context, "a", 0, "");
	store(context, "b", 9, "");
	store(context, "c", 5, "");
	assert_ok(context, db_recordings_visit(context->db, visit, &visited, &context->err));
	assert_string_equal(visited.labels, "bc");
}

static void test_the_view_adds_shapes_up(void **state)
{
	struct context *context = *state;

	store(context, "step", 0, "");
	assert_int_equal(context_query(context, "SELECT count(*) FROM program_kernels"), 2);
	assert_int_equal(context_query(context,
				       "SELECT shapes = 2 AND total_ns = 3000 AND launches = 8"
				       " AND graph_launches = 1 AND abs(share - 0.5) < 1e-9"
				       " AND median_ns IS NULL AND min_ns = 200 AND max_ns = 800"
				       " FROM program_kernels WHERE name = '_Z7softmaxPf'"),
			 1);
	assert_int_equal(context_query(context, "SELECT median_ns FROM program_kernels"
						" WHERE name = 'saxpy'"),
			 750);
}

/* Processes and shapes are rows of their own only if they are asked for. */
static void test_rows_are_summarised(void **state)
{
	struct recording recording = fixture_recording();
	struct recorded_kernel *rows;

	(void)state;
	assert_int_equal(recording_summarise(&rows, &recording, false), 2);
	assert_string_equal(rows[0].name,
			    "_Z7softmaxPf"); /* the names decide between equal times */
	assert_int_equal(rows[0].total_ns, 3000);
	assert_int_equal(rows[0].launches, 8);
	assert_int_equal(rows[0].grid[0], -1);
	assert_int_equal(rows[0].block[0], 32);
	assert_int_equal(rows[0].median_ns, -1);
	assert_int_equal(rows[0].min_ns, 200);
	assert_int_equal(rows[0].max_ns, 800);
	assert_int_equal(rows[1].median_ns, 750);
	free(rows);
	assert_int_equal(recording_summarise(&rows, &recording, true), 3);
	assert_int_equal(rows[0].total_ns, 3000);
	assert_int_equal(rows[0].grid[0], 3);
	free(rows);
	assert_int_equal(recording_gpu_ns(&recording), 6000);
	assert_int_equal(recording_launches(&recording), 12);
	assert_int_equal(recording_dropped(&recording), 1);
	recording_release(&recording);
	assert_int_equal(recording_gpu_ns(&recording), -1);
	assert_int_equal(recording_summarise(&rows, &recording, false), 0);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define OPEN(name) cmocka_unit_test_setup_teardown(name, context_setup_open, context_teardown)
		OPEN(test_what_is_stored_comes_back),
		OPEN(test_what_is_not_known_is_null),
		OPEN(test_the_same_recording_is_replaced),
		OPEN(test_references_are_resolved),
		OPEN(test_recordings_are_visited_newest_first),
		OPEN(test_the_view_adds_shapes_up),
		cmocka_unit_test(test_rows_are_summarised),
#undef OPEN
	};

	return cmocka_run_group_tests_name("db_recordings", tests, NULL, NULL);
}
