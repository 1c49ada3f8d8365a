#define ALU_PART "harness/ptx/program/alu_half.def"
#define ALU_PART_NAME alu_half
#include "harness/ptx/lanes/alu_handlers.h"
