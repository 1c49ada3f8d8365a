#include "harness/ptx/lanes/alu_handlers.h"

#include "harness/ptx/program/alu_compare.def"

instruction_handler *LANES_NAME(alu_compare)(enum operation operation)
{
	switch ((int)operation) {
#include "harness/ptx/lanes/alu_cases.h"

#include "harness/ptx/program/alu_compare.def"
	default:
		return NULL;
	}
}
