#include "harness/ptx/lanes/alu_handlers.h"

#include "harness/ptx/program/alu_convert.def"

instruction_handler *LANES_NAME(alu_convert)(enum operation operation)
{
	switch ((int)operation) {
#include "harness/ptx/lanes/alu_cases.h"

#include "harness/ptx/program/alu_convert.def"
	default:
		return NULL;
	}
}
