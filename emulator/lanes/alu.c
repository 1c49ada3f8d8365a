/* Finds the handler of an arithmetic instruction among the parts of alu.def. */
#include "emulator/lanes/handlers.h"

instruction_handler *LANES_NAME(alu_handler)(const struct instruction *instruction)
{
	static instruction_handler *(*const parts[])(enum operation) = {
		LANES_NAME(alu_integer), LANES_NAME(alu_compare), LANES_NAME(alu_float),
		LANES_NAME(alu_convert), LANES_NAME(alu_narrow),
	};
	instruction_handler *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !found; i++)
		found = parts[i](instruction->operation);
	return found;
}
