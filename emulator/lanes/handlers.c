#include "emulator/lanes/handlers.h"

#define LANES_TABLE(set)                                                                \
	{                                                                               \
		.name = #set, .alu = alu_handler_##set, .memory = memory_handler_##set, \
		.atomic = atomic_handler_##set, .exchange = exchange_handler_##set      \
	}

const struct handlers handlers_portable = LANES_TABLE(portable);

#ifdef LANES_WITH_AVX2
static const struct handlers handlers_avx2 = LANES_TABLE(avx2);

const struct handlers *handlers_avx2_if_there(void)
{
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    __builtin_cpu_supports("bmi2"))
		return &handlers_avx2;
	return NULL;
}
#else
const struct handlers *handlers_avx2_if_there(void)
{
	return NULL;
}
#endif
