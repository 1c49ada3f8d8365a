/*
 * make_capture: writes a demo capture (see make_demo.h), for shell tests.
 * usage: make_capture [--list] OUT.capture FILE.ptx [FILE.cubin]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/capture/make_demo.h"

#define MOST_IMAGE_BYTES ((size_t)1 << 24)

int main(int argc, char **argv)
{
	const bool lists = argc > 1 && !strcmp(argv[1], "--list");
	char **files = argv + 1 + lists;
	const int count = argc - 1 - lists;
	struct demo_images images = {0};
	struct error err = {0};
	char *ptx = NULL, *cubin = NULL;
	size_t ptx_bytes;
	int rc;

	if (count < 2 || count > 3) {
		fprintf(stderr, "usage: make_capture [--list] OUT.capture FILE.ptx [FILE.cubin]\n");
		return 2;
	}
	rc = read_file(&ptx, &ptx_bytes, files[1], MOST_IMAGE_BYTES, &err);
	if (!rc && count == 3)
		rc = read_file(&cubin, &images.cubin_bytes, files[2], MOST_IMAGE_BYTES, &err);
	images.ptx = ptx;
	images.cubin = cubin;
	if (!rc)
		rc = lists ? make_demo_lists(files[0], &images, &err)
			   : make_demo_saxpy(files[0], &images, &err);
	if (rc)
		fprintf(stderr, "make_capture: %s\n", err.text);
	free(ptx);
	free(cubin);
	return rc ? 1 : 0;
}
