/* The address of a repository as part of an origin, and files that were moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/origin/origin.h"

#include <stdlib.h>
#include <sys/stat.h>

static void assert_remote(const char *url, const char *expected)
{
	struct text out = TEXT_INIT;

	assert_int_equal(source_origin_add_remote(&out, url), expected != NULL);
	assert_string_equal(out.data, expected ? expected : "");
	text_release(&out);
}

/* All ways to write an address give the same project, and none keeps a password. */
static void test_remotes(void **state)
{
	(void)state;
	assert_remote("https://github.com/a/b.git", "github.com/a/b");
	assert_remote("https://user:secret@GitHub.com/a/B", "github.com/a/B");
	assert_remote("https://user:sec@ret@github.com/a/b/", "github.com/a/b");
	assert_remote("git@github.com:a/b.git", "github.com/a/b");
	assert_remote("git@GitHub.com:A/B.git", "github.com/A/B");
	assert_remote("github.com:a/b", "github.com/a/b");
	assert_remote("ssh://git@github.com/a/b.git", "github.com/a/b");
	assert_remote("ssh://git@host:2222/a/b.git", "host:2222/a/b");
	assert_remote("git://host/a", "host/a");
	assert_remote("/srv/git/a@b.git", "/srv/git/a@b");
	assert_remote("file:///srv/git/a.git/", "/srv/git/a");
	assert_remote("../a.git", NULL);
	assert_remote("", NULL);
	assert_remote("https://", NULL);
	assert_remote("/", NULL);
}

/* /proc stands for a working tree: `version` is in it and `gone` is not. `known` has pairs. */
static void assert_followed(const char *const *known, const char *expected)
{
	struct source_origin origin = {.origin = xstrdup("host/a:new"),
				       .project = xstrdup("host/a:"),
				       .root = xstrdup("/proc"),
				       .path = xstrdup("new")};
	struct key_value_list list = {0};

	for (; *known; known += 2)
		key_value_set(&list, known[0], known[1]);
	source_origin_follow(&origin, &list);
	assert_string_equal(origin.origin, expected);
	key_value_list_release(&list);
	source_origin_release(&origin);
}

#define KNOWN(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_moved_files(void **state)
{
	(void)state;
	/* at the same place, or no longer at its place */
	assert_followed(KNOWN("host/a:new", "new"), "host/a:new");
	assert_followed(KNOWN("host/a:old", "gone"), "host/a:old");
	assert_followed(KNOWN("host/a:1", "version", "host/a:2", "gone", "host/a:3", "gone"),
			"host/a:2");
	assert_followed(KNOWN("host/a:1", "gone", "host/a:2", "new"), "host/a:2");
	assert_followed(KNOWN("host/a:new", ""), "host/a:new");
	/* another file, which is still there, has no path, or is of another project */
	assert_followed(KNOWN("host/a:old", "version"), "host/a:new");
	assert_followed(KNOWN("host/a:old", ""), "host/a:new");
	assert_followed(KNOWN("host/b:old", "gone", "/gone", ""), "host/a:new");
	/* the file that was here is elsewhere now */
	assert_followed(KNOWN("host/a:new", "version"), "host/a:new#2");
	assert_followed(KNOWN("host/a:new", "version", "host/a:new#2", "stat"), "host/a:new#3");
	assert_followed((const char *const[]){NULL}, "host/a:new");
}

/* A repository without a remote, and another one in a folder of it. */
static void test_inner_repository(void **state)
{
	char *outer, *inner, *git, *key, *moved, *own;
	struct source_origin origin = {0};
	struct key_value_list known = {0};
	struct error err;

	(void)state;
	assert_int_equal(temporary_folder_make(&outer, "perflab-origin", &err), 0);
	inner = xasprintf("%s/inner", outer);
	git = xasprintf("%s/.git", inner);
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_int_equal(mkdir(git, 0700), 0);
	key = xasprintf("%s/main.cu", inner);
	moved = xasprintf("%s/was/here/main.cu", outer);
	own = xasprintf("%s/main.cu", outer);
	origin.origin = xstrdup(own);
	origin.project = xasprintf("%s/", outer);
	origin.root = xstrdup(outer);
	origin.path = xstrdup("main.cu");
	key_value_set(&known, key, "main.cu");
	source_origin_follow(&origin, &known);
	assert_string_equal(origin.origin, own);
	key_value_set(&known, moved, "main.cu");
	source_origin_follow(&origin, &known);
	assert_string_equal(origin.origin, moved);
	key_value_list_release(&known);
	source_origin_release(&origin);
	folder_remove(outer);
	free(own);
	free(moved);
	free(key);
	free(git);
	free(inner);
	free(outer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remotes),
		cmocka_unit_test(test_moved_files),
		cmocka_unit_test(test_inner_repository),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
