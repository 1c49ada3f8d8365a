#include "harness/ptx/lanes/alu_handlers.h"

#include "harness/ptx/program/alu_half.def"

instruction_handler *LANES_NAME(alu_half)(enum operation operation)
{
	switch ((int)operation) {
#include "harness/ptx/lanes/alu_cases.h"

#include "harness/ptx/program/alu_half.def"
	default:
		return NULL;
	}
}
