#include "harness/ptx/lanes/alu_handlers.h"

#include "harness/ptx/program/alu_integer.def"

instruction_handler *LANES_NAME(alu_integer)(enum operation operation)
{
	switch ((int)operation) {
#include "harness/ptx/lanes/alu_cases.h"

#include "harness/ptx/program/alu_integer.def"
	default:
		return NULL;
	}
}
