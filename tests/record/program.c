/*
 * program SCENE: a CUDA program for tests of the recorder. It runs on the driver
 * of fake_cuda.h, and prints what its kernels computed.
 */
#include "tests/record/program.h"

#include <stdio.h>
#include <string.h>

static const struct scene {
	const char *name;
	void (*play)(void);
	bool with_context;
} scenes[] = {
#define X(name, with_context) {#name, scene_##name, with_context},
	SCENE_LIST(X)
#undef X
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		if (!strcmp(scenes[i].name, name)) {
			if (scenes[i].with_context) {
				program_begin();
				program_load_image();
			}
			scenes[i].play();
			return 0;
		}
	}
	fprintf(stderr, "no scene %s\n", name);
	return 96;
}
