#define ALU_PART "harness/ptx/program/alu_convert.def"
#define ALU_PART_NAME alu_convert
#include "harness/ptx/lanes/alu_handlers.h"
