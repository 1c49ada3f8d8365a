#define ALU_PART "harness/ptx/program/alu_bits.def"
#define ALU_PART_NAME alu_bits
#include "harness/ptx/lanes/alu_handlers.h"
