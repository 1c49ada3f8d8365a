/* A folder with sources and a cache of its own for each test. */
#ifndef TESTS_COMPILE_COMPILE_SUPPORT_H
#define TESTS_COMPILE_COMPILE_SUPPORT_H

#include "compile/compile.h"

#define SAXPY_SOURCE                                                                     \
	"extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y)\n" \
	"{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }\n"

struct sandbox {
	char *folder;
	char *cache;
	struct compile_request request; /* of source(): sm_90, this cache, PTX only */
};

/* Whether this machine has all compilers; says which are looked for if not. */
bool sandbox_has_tools(void);
int sandbox_make(void **state);
int sandbox_remove(void **state);
#define IN_SANDBOX(test) cmocka_unit_test_setup_teardown(test, sandbox_make, sandbox_remove)
/* Writes a file of the sandbox and returns its absolute path, which the sandbox owns no more. */
char *sandbox_write(struct sandbox *box, const char *name, const char *text);
/* Writes a source and makes it the source of the request. */
void sandbox_source(struct sandbox *box, const char *name, const char *text);
void sandbox_want(struct sandbox *box, const char *entry);
void sandbox_flag(struct sandbox *box, const char *flag);
/* Compiles and fails the test with the messages if that fails. The caller frees the result. */
struct compiled *sandbox_compile(struct sandbox *box);
/* Compiles and expects this tool, and whether the image comes from the cache. */
void sandbox_expect(struct sandbox *box, const char *tool, bool from_cache);
/* Compiles, expects the error `code` and that its text contains `part`. `messages` may be NULL. */
void sandbox_refused(struct sandbox *box, int code, const char *part, struct text *messages);
void remove_folder(const char *path);
char *file_text(const char *path, size_t *length);

#endif
