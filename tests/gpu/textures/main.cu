/*
 * textures_golden: records what texture and surface instructions return on this GPU. It prints
 * the text of tests/golden/ptx/textures.txt.zst:
 *
 *   texture KIND DIMS W H D LEVELS FORMAT CHANNELS CONTENT FILTER MIPFILTER MODE0 MODE1 MODE2 \
 *           COORDINATES READ BORDER
 *   surface KIND DIMS W H D FORMAT CHANNELS CONTENT
 *   run INSTRUCTION in=WORDS out=WORDS
 *   WORD… = WORD…                 words are 32-bit patterns in hexadecimal
 *   store INSTRUCTION in=WORDS
 *   WORD… = OFFSET:BYTE…          the bytes that a store changed, without padding
 *   refused REASON                CUDA does not make this object
 *   trap INSTRUCTION WORD WORD = ERROR   what an access with .trap returns
 *   # TEXT                        the GPU and driver; then parts that ended early, and instructions
 *                                 that the driver does not compile
 *
 * It needs a driver; the CUDA runtime is linked into it. Without a GPU it exits with 77.
 *
 * usage: textures_golden > FILE
 *        textures_golden ptx INSTRUCTION   prints the module of PTX for an instruction
 *        textures_golden section|trap N    runs one part; the program calls itself so
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

#include "tests/gpu/textures/textures.cuh"

static void (*const sections[])() = {
	section_edges_1d,
	section_2d,
	section_3d,
	section_weights,
	section_texels,
	section_arithmetic,
	section_formats,
	section_linear_memory,
	section_layers,
	section_cubes,
	section_levels,
	section_gather,
	section_surfaces,
	section_border_and_queries,
	section_formatted_stores,
};

/* Each section has a process of its own, so that a fault costs one section. */
static bool again(const char *self, const char *what, int number)
{
	std::string line = "'" + std::string(self) + "' " + what + " " + std::to_string(number);
	int status = system(line.c_str());
	if (status)
		printf("# %s %d ended with %d\n", what, number, status), fflush(stdout);
	return status >= 0;
}

int main(int argc, char **argv)
{
	cudaDeviceProp properties;
	int version = 0;

	setvbuf(stdout, 0, _IOFBF, 1 << 20);
	if (argc == 3 && strcmp(argv[1], "ptx") == 0)
		return fputs(module_of(argv[2]).c_str(), stdout) < 0;
	if (argc == 3 && strcmp(argv[1], "trap") == 0)
		return trap_main(atoi(argv[2]));
	if (argc == 3) {
		sections[atoi(argv[2])]();
		return 0;
	}
	if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
		fprintf(stderr, "textures_golden: no GPU\n");
		return 77;
	}
	cudaDriverGetVersion(&version);
	printf("# %s, driver of CUDA %d.%d\n", properties.name, version / 1000,
	       version % 1000 / 10);
	fflush(stdout);
	for (int i = 0; i < (int)(sizeof(sections) / sizeof(sections[0])); i++)
		again(argv[0], "section", i);
	for (int i = 0; i < 12; i++)
		again(argv[0], "trap", i);
	return 0;
}
