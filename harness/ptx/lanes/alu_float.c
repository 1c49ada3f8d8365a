#define ALU_PART "harness/ptx/program/alu_float.def"
#define ALU_PART_NAME alu_float
#include "harness/ptx/lanes/alu_handlers.h"
