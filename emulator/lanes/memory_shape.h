/* memory_shape: the shapes of loads and stores that have handlers of their own: see memory.h. */
#ifndef EMULATOR_LANES_MEMORY_SHAPE_H
#define EMULATOR_LANES_MEMORY_SHAPE_H

#include "emulator/lanes/handlers.h"

/* Width and vector length of the shapes that have handlers of their own. */
#define MEMORY_SHAPE_LIST(X) X(1, 1) X(2, 1) X(4, 1) X(8, 1) X(4, 2) X(8, 2) X(4, 4)
struct memory_shape {
	unsigned width, vector;
	instruction_handler *load, *store;
};

/* NULL: the instruction has none of these shapes. */
static inline instruction_handler *memory_shape_handler(const struct memory_shape *shapes,
							size_t count, const struct instruction *at)
{
	for (size_t i = 0; i < count; i++)
		if (at->width == shapes[i].width && at->vector == shapes[i].vector)
			return at->operation == OP_STORE ? shapes[i].store : shapes[i].load;
	return NULL;
}

#endif
