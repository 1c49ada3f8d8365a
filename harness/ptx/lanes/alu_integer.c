#define ALU_PART "harness/ptx/program/alu_integer.def"
#define ALU_PART_NAME alu_integer
#include "harness/ptx/lanes/alu_handlers.h"
