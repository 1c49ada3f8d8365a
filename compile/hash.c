/* Hashes of the files that a compiler reads. */
#include <stdlib.h>

#include "compile/compile_parts.h"

/* The images of a capture. Its data may have gigabytes, and is not compiled. */
static int hash_images(char out[HASH_TEXT_BYTES], const char *path)
{
	struct capture *capture = NULL;
	struct hash hash;
	int rc = capture_open(&capture, path, NULL);

	hash_begin(&hash);

	for (int image = CAPTURE_CUBIN; image <= CAPTURE_PTX && !rc; image++) {
		char *data;
		size_t bytes;

		rc = capture_read_image(capture, (enum capture_image)image, &data, &bytes, NULL);
		if (rc == PL_ENOENT) {
			rc = 0;
			continue;
		}
		if (rc)
			break;
		hash_add_piece(&hash, &image, sizeof(image));
		hash_add_piece(&hash, data, bytes);
		free(data);
	}
	if (!rc)
		hash_end(out, &hash);
	capture_close(capture);
	return rc;
}

int hash_read_file(char out[HASH_TEXT_BYTES], const char *path)
{
	return has_suffix(path, CAPTURE_SUFFIX) ? hash_images(out, path) : hash_file(out, path);
}
