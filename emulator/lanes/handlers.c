/* The sets of handlers, and whether this processor can run them. */
#include "emulator/lanes/handlers.h"

#define LANES_TABLE(set)                                                                \
	{                                                                               \
		.name = #set, .alu = alu_handler_##set, .memory = memory_handler_##set, \
		.atomic = atomic_handler_##set, .exchange = exchange_handler_##set,     \
		.matrix = matrix_handler_##set, .warpgroup = warpgroup_handler_##set,   \
		.chain = chain_handler_##set                                            \
	}

const struct handlers handlers_portable = LANES_TABLE(portable);

const struct handlers *handlers_avx2_or_null(void)
{
#ifdef LANES_WITH_AVX2
	static const struct handlers handlers_avx2 = LANES_TABLE(avx2);

	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    __builtin_cpu_supports("bmi2"))
		return &handlers_avx2;
#endif
	return NULL;
}
