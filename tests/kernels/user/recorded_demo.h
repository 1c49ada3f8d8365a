/* recorded_demo: a capture with a parameter of each kind and memory of each kind. */
#ifndef TESTS_KERNELS_USER_RECORDED_DEMO_H
#define TESTS_KERNELS_USER_RECORDED_DEMO_H

#include "tests/capture/make_capture.h"
#include "tests/kernels/user/folder.h"

#define MEMORY_BYTES 4096

/* Memory: m0, which changes, m1, which does not, and the variable m2. The parameters are those of
 * k(int, const float *, float *, double, a struct with an address at its offset 8). */
struct recorded {
	int32_t n, pad;
	uint64_t x, y;
	double scale;
	struct {
		int32_t rows, columns;
		uint64_t table;
		int32_t last;
	} __attribute__((packed)) lists;
};

struct demo {
	struct recorded data;
	struct capture_parameter parameters[5];
	struct capture_pointer pointers[3];
	struct capture_memory memory[3];
	struct made_content content[3];
	unsigned char before[MEMORY_BYTES], after[MEMORY_BYTES];
	struct made_capture what;
};
void demo_fill(struct demo *demo);
void write_demo(struct folder *folder, const struct demo *demo, const char *name);
/* demo.capture as it is filled. */
void write_plain(struct folder *folder);

/* The case of a variant. Axes that are not given have the first of their values. */
struct launch_case *recorded_resolve(const struct kernel *kernel, const char *name,
				     const struct axis_value *given, size_t count);
/* NULL: the case has no buffer of that name. */
const struct case_buffer *recorded_buffer(const struct launch_case *work, const char *name);

#endif
