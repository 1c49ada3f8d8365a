#define ALU_PART "harness/ptx/program/alu_compare.def"
#define ALU_PART_NAME alu_compare
#include "harness/ptx/lanes/alu_handlers.h"
