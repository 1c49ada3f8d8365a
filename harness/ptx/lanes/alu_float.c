#include "harness/ptx/lanes/alu_handlers.h"

#include "harness/ptx/program/alu_float.def"

instruction_handler *LANES_NAME(alu_float)(enum operation operation)
{
	switch ((int)operation) {
#include "harness/ptx/lanes/alu_cases.h"

#include "harness/ptx/program/alu_float.def"
	default:
		return NULL;
	}
}
