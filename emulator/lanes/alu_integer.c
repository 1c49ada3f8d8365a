/* Handlers of integer arithmetic, bit operations and video instructions: the rows of
 * alu_integer.def. */
#include "emulator/lanes/alu_handlers.h"
#include "emulator/lanes/alu_video.h"

#include "emulator/program/alu_integer.def"

instruction_handler *LANES_NAME(alu_integer)(enum operation operation)
{
	switch ((int)operation) {
#include "emulator/lanes/alu_cases.h"

#include "emulator/program/alu_integer.def"
	default:
		return NULL;
	}
}
