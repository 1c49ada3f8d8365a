/* The list of families. A new family adds one word to it. */
#include <string.h>

#include "kernels/table.h"

/* In teaching order. FAMILY/FAMILY.c defines kernel_FAMILY. */
#define KERNEL_FAMILY_LIST(X) \
	X(stream)             \
	X(reduce)             \
	X(accuracy)           \
	X(warp_map)           \
	X(divergence)         \
	X(select)             \
	X(tail)               \
	X(spin)               \
	X(stencil)            \
	X(warp_ops)           \
	X(histogram)          \
	X(classify)           \
	X(atomics)            \
	X(work_queue)         \
	X(latency)            \
	X(occupancy)          \
	X(precision)          \
	X(transpose)          \
	X(matmul)             \
	X(fault)              \
	X(ceilings)           \
	X(patterns)           \
	X(planted)

#define X(family) extern const struct kernel kernel_##family;
KERNEL_FAMILY_LIST(X)
#undef X

static const struct kernel *const kernels[] = {
#define X(family) &kernel_##family,
	KERNEL_FAMILY_LIST(X)
#undef X
};

const struct kernel *const *kernel_all(size_t *count)
{
	*count = ARRAY_SIZE(kernels);
	return kernels;
}

struct kernel_set kernel_set_built_in(void)
{
	return (struct kernel_set){kernels, ARRAY_SIZE(kernels)};
}

const struct kernel *kernel_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		if (!strcmp(kernels[i]->name, name))
			return kernels[i];
	return NULL;
}

const struct kernel_variant *kernel_find_variant(const struct kernel *kernel, const char *name)
{
	for (size_t i = 0; i < kernel->variant_count; i++)
		if (!strcmp(kernel->variants[i].name, name))
			return &kernel->variants[i];
	return NULL;
}

static const struct kernel_axis *find_declared_axis(const struct kernel_axis *axes, size_t count,
						    const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(axes[i].name, name))
			return &axes[i];
	return NULL;
}

static bool is_new_axis(const struct kernel *kernel, const struct kernel_axis *axis)
{
	return !find_declared_axis(kernel->axes, kernel->axis_count, axis->name);
}

size_t variant_axis_count(const struct kernel *kernel, const struct kernel_variant *variant)
{
	size_t count = kernel->axis_count;

	for (size_t i = 0; i < variant->axis_count; i++)
		count += is_new_axis(kernel, &variant->axes[i]);
	return count;
}

const struct kernel_axis *variant_axis(const struct kernel *kernel,
				       const struct kernel_variant *variant, size_t index)
{
	if (index < kernel->axis_count) {
		const struct kernel_axis *own = find_declared_axis(
			variant->axes, variant->axis_count, kernel->axes[index].name);

		return own ? own : &kernel->axes[index];
	}
	index -= kernel->axis_count;
	for (size_t i = 0; i < variant->axis_count; i++)
		if (is_new_axis(kernel, &variant->axes[i]) && index-- == 0)
			return &variant->axes[i];
	return NULL;
}

const struct kernel_oracle *kernel_find_oracle(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		const struct kernel *kernel = kernels[i];

		if (!strcmp(kernel->oracle->name, name))
			return kernel->oracle;
		for (size_t v = 0; v < kernel->variant_count; v++) {
			const struct kernel_oracle *oracle = kernel->variants[v].oracle;

			if (oracle && !strcmp(oracle->name, name))
				return oracle;
		}
	}
	return NULL;
}
