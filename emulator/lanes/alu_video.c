/* Handlers of video instructions: the rows of alu_video.def. */
#include "emulator/lanes/alu_video.h"

#include "emulator/lanes/alu_handlers.h"

#include "emulator/program/alu_video.def"

instruction_handler *LANES_NAME(alu_video)(enum operation operation)
{
	switch ((int)operation) {
#include "emulator/lanes/alu_cases.h"

#include "emulator/program/alu_video.def"
	default:
		return NULL;
	}
}
