/* Saves of files, in all the ways in which editors and tools save. */
#include "harness/watch/file_watch.h"
#include "support.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char folder[64];
	struct file_watch *watch;
	struct string_list saved;
};

static char *path_of(struct fixture *fixture, const char *name)
{
	return xasprintf("%s/%s", fixture->folder, name);
}

static void write_to(struct fixture *fixture, const char *name, const char *text)
{
	char *path = path_of(fixture, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	free(path);
}

/* Watches these files of the folder, up to NULL. */
static void watch_these(struct fixture *fixture, const struct timespec *since,
			const char *const *names)
{
	struct string_list paths = {0};
	struct error err = {0};

	for (; *names; names++) {
		char *path = path_of(fixture, *names);

		string_list_add(&paths, path);
		free(path);
	}
	if (file_watch_set(fixture->watch, &paths, since, &err))
		fail_msg("%s", err.text);
	string_list_release(&paths);
}
#define WATCH(...) watch_these(fixture, NULL, (const char *const[]){__VA_ARGS__, NULL})

static int files_set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	strcpy(fixture->folder, "/tmp/perflab-watch-XXXXXX");
	*state = fixture;
	if (!mkdtemp(fixture->folder) || file_watch_open(&fixture->watch, NULL))
		return -1;
	write_to(fixture, "a.cu", "a");
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static int files_tear_down(void **state)
{
	struct fixture *fixture = *state;

	file_watch_close(fixture->watch);
	string_list_release(&fixture->saved);
	nftw(fixture->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(fixture);
	return 0;
}

/* Exactly this file is reported, once. */
static void assert_saved(struct fixture *fixture, const char *name)
{
	char *path = path_of(fixture, name);
	struct error err = {0};

	string_list_release(&fixture->saved);
	if (file_watch_wait(fixture->watch, NULL, &fixture->saved, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fixture->saved.count, 1);
	assert_string_equal(fixture->saved.items[0], path);
	free(path);
}

static void assert_quiet(struct fixture *fixture)
{
	assert_false(file_watch_pending(fixture->watch));
}

static void moved(struct fixture *fixture, const char *from, const char *to)
{
	char *before = path_of(fixture, from), *after = path_of(fixture, to);

	assert_int_equal(rename(before, after), 0);
	free(before);
	free(after);
}

/* ---- tests ---- */

static void saves_in_place_and_by_renaming(void **state)
{
	struct fixture *fixture = *state;

	WATCH("a.cu");
	assert_quiet(fixture);
	write_to(fixture, "a.cu", "b");
	assert_saved(fixture, "a.cu");
	write_to(fixture, "a.cu.new", "c");
	assert_quiet(fixture);
	moved(fixture, "a.cu.new", "a.cu");
	assert_saved(fixture, "a.cu");
	/* as vim does: the old file becomes a backup, a new one is written, the backup goes */
	moved(fixture, "a.cu", "a.cu~");
	write_to(fixture, "a.cu", "d");
	assert_saved(fixture, "a.cu");
	assert_quiet(fixture);
}

static void other_files_do_not_count(void **state)
{
	struct fixture *fixture = *state;

	WATCH("a.cu", "later.h");
	write_to(fixture, "b.cu", "b");
	write_to(fixture, "a.c", "b");
	assert_quiet(fixture);
	/* a file that was not there yet */
	write_to(fixture, "later.h", "h");
	assert_saved(fixture, "later.h");
	/* no longer watched */
	WATCH("a.cu");
	write_to(fixture, "later.h", "h");
	assert_quiet(fixture);
}

static void unfinished_writes_wait(void **state)
{
	struct fixture *fixture = *state;
	char *path = path_of(fixture, "new.cu");
	int fd;

	WATCH("new.cu");
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_quiet(fixture);
	close(fd);
	assert_saved(fixture, "new.cu");
	free(path);
}

static void links_and_folders_count(void **state)
{
	struct fixture *fixture = *state;
	char *target = path_of(fixture, "a.cu"), *name = path_of(fixture, "b.cu");

	WATCH("b.cu");
	assert_int_equal(symlink(target, name), 0);
	assert_saved(fixture, "b.cu");
	/* from now on, a save of the file behind the link counts, too */
	WATCH("b.cu");
	write_to(fixture, "a.cu", "b");
	assert_saved(fixture, "a.cu");
	assert_int_equal(unlink(name), 0);
	assert_saved(fixture, "b.cu");
	assert_int_equal(link(target, name), 0);
	assert_saved(fixture, "b.cu");
	assert_int_equal(unlink(name), 0);
	assert_int_equal(mkdir(name, 0700), 0);
	assert_saved(fixture, "b.cu");
	free(target);
	free(name);
}

static void folders_come_and_go(void **state)
{
	struct fixture *fixture = *state;
	char *folder = path_of(fixture, "include");

	WATCH("include/x.h");
	assert_quiet(fixture);
	assert_int_equal(mkdir(folder, 0700), 0);
	write_to(fixture, "include/x.h", "1");
	assert_saved(fixture, "include/x.h");
	moved(fixture, "include", "away");
	assert_saved(fixture, "include/x.h");
	write_to(fixture, "away/x.h", "2");
	assert_quiet(fixture);
	moved(fixture, "away", "include");
	assert_saved(fixture, "include/x.h");
	write_to(fixture, "include/x.h", "3");
	assert_saved(fixture, "include/x.h");
	free(folder);
}

/* A header that is saved between its compilation and the first watch of it. */
static void changes_before_the_watch_count(void **state)
{
	struct fixture *fixture = *state;
	const struct timespec long_ago = {.tv_sec = 1000};
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += 3600;
	watch_these(fixture, &now, (const char *const[]){"a.cu", NULL});
	assert_quiet(fixture);
	write_to(fixture, "x.h", "x");
	watch_these(fixture, &long_ago, (const char *const[]){"a.cu", "x.h", NULL});
	assert_saved(fixture, "x.h"); /* a.cu was watched before */
}

static void several_files_are_one_save(void **state)
{
	struct fixture *fixture = *state;

	WATCH("a.cu", "b.cu", "/proc/self/stat");
	write_to(fixture, "a.cu", "1");
	write_to(fixture, "b.cu", "1");
	write_to(fixture, "a.cu", "2");
	assert_int_equal(file_watch_wait(fixture->watch, NULL, &fixture->saved, NULL), 0);
	assert_int_equal(fixture->saved.count, 2);
	assert_quiet(fixture);
}

static void waiting_can_be_stopped(void **state)
{
	struct fixture *fixture = *state;
	const volatile int stop = 1;
	struct error err = {0};

	WATCH("a.cu");
	assert_int_equal(file_watch_wait(fixture->watch, &stop, &fixture->saved, &err),
			 PL_EINTERRUPTED);
	assert_int_equal(fixture->saved.count, 0);
}

static void strange_paths_are_harmless(void **state)
{
	struct fixture *fixture = *state;
	char *name = xcalloc(1, 300);

	memset(name, 'x', 299); /* longer than a name may be */
	WATCH("", ".", "..", "a.cu/b.h", "no/such/folder/x.h", "a\nb.h", name);
	write_to(fixture, "a\nb.h", "x");
	assert_saved(fixture, "a\nb.h");
	free(name);
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, files_set_up, files_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(saves_in_place_and_by_renaming),
		FILE_TEST(other_files_do_not_count),
		FILE_TEST(unfinished_writes_wait),
		FILE_TEST(links_and_folders_count),
		FILE_TEST(folders_come_and_go),
		FILE_TEST(changes_before_the_watch_count),
		FILE_TEST(several_files_are_one_save),
		FILE_TEST(waiting_can_be_stopped),
		FILE_TEST(strange_paths_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
