/* folder: a temporary folder with files, and kernels that are read from it. */
#ifndef TESTS_KERNELS_USER_FOLDER_H
#define TESTS_KERNELS_USER_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/user/kernel_file.h"

struct folder {
	char path[64];
	struct kernel_file *file; /* of the last read; freed with the folder */
	struct error err;
};
int folder_setup(void **state);    /* *state is a struct folder */
int folder_teardown(void **state); /* removes the folder */
void folder_write(struct folder *folder, const char *name, const char *text);
void folder_write_bytes(struct folder *folder, const char *name, const void *data, size_t length);

/* Reads files of the folder, which is the current folder meanwhile. The list ends with NULL. */
int folder_read(struct folder *folder, const struct kernel_file_options *options,
		const char *const *names);
/* Reads, and fails the test with the error's text. */
const struct kernel *folder_kernel(struct folder *folder, const char *const *names);
/* Reads, and asserts that the error has this code and contains these texts (NULL: none). */
void folder_refused(struct folder *folder, const char *const *names, int code, const char *part,
		    const char *other);

#define FILES(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
