#include "harness/ptx/lanes/alu_handlers.h"

#include "harness/ptx/program/alu_bits.def"

instruction_handler *LANES_NAME(alu_bits)(enum operation operation)
{
	switch ((int)operation) {
#include "harness/ptx/lanes/alu_cases.h"

#include "harness/ptx/program/alu_bits.def"
	default:
		return NULL;
	}
}
