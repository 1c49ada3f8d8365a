/* A temporary folder with files, and kernels that are read from it. */
#include "tests/kernels/user/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int folder_setup(void **state)
{
	struct folder *folder = xcalloc(1, sizeof(*folder));

	strcpy(folder->path, "/tmp/perflab-test-XXXXXX");
	*state = folder;
	return mkdtemp(folder->path) ? 0 : -1;
}

int folder_teardown(void **state)
{
	struct folder *folder = *state;
	char *command = xasprintf("rm -rf '%s'", folder->path);
	int rc = system(command);

	kernel_file_free(folder->file);
	free(command);
	free(folder);
	return rc;
}

void folder_write_bytes(struct folder *folder, const char *name, const void *data, size_t length)
{
	char *path = xasprintf("%s/%s", folder->path, name);
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	free(path);
}

void folder_write(struct folder *folder, const char *name, const char *text)
{
	folder_write_bytes(folder, name, text, strlen(text));
}

int folder_read(struct folder *folder, const struct kernel_file_options *options,
		const char *const *names)
{
	char *before = getcwd(NULL, 0);
	size_t count = 0;
	int rc;

	while (names[count])
		count++;
	kernel_file_free(folder->file);
	folder->file = NULL;
	folder->err = (struct error){0};
	assert_non_null(before);
	assert_int_equal(chdir(folder->path), 0);
	rc = kernel_files_read(&folder->file, names, count, options, &folder->err);
	assert_int_equal(chdir(before), 0);
	free(before);
	assert_int_equal(rc, folder->err.code);
	assert_true(rc ? !folder->file : folder->file != NULL);
	return rc;
}

const struct kernel *folder_kernel(struct folder *folder, const char *const *names)
{
	if (folder_read(folder, NULL, names))
		fail_msg("%s", folder->err.text);
	return kernel_file_kernel(folder->file);
}

void folder_refused(struct folder *folder, const char *const *names, int code, const char *part,
		    const char *other)
{
	int rc = folder_read(folder, NULL, names);

	if (rc != code || !strstr(folder->err.text, part) ||
	    (other && !strstr(folder->err.text, other)))
		fail_msg("expected %s, \"%s\" and \"%s\"; got %s, \"%s\"", error_code_name(code),
			 part, other ? other : "", error_code_name(rc), folder->err.text);
}
