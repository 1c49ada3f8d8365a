/* Lanes that see each other's values: shuffles, votes, matches, reductions. */
#include "harness/ptx/lanes/handlers.h"

instruction_handler *LANES_NAME(exchange_handler)(const struct instruction *instruction)
{
	(void)instruction;
	return NULL;
}
