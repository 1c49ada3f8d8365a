/* Hashes of contents. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "compile/compile_parts.h"

#define HASH_FILE_LIMIT ((size_t)1 << 30)

void hash_bytes(char out[33], const void *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, length));
	for (size_t i = 0; i < sizeof(canonical.digest); i++) {
		out[2 * i] = digits[canonical.digest[i] >> 4];
		out[2 * i + 1] = digits[canonical.digest[i] & 15];
	}
	out[32] = '\0';
}

/* The images of a capture. Its data may have gigabytes, and is not compiled. */
static int hash_capture(char out[33], const char *path)
{
	struct capture *capture = NULL;
	struct text both = TEXT_INIT;
	int rc = capture_open(&capture, path, NULL);

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
		text_addf(&both, "%d %zu ", image, bytes);
		text_add_bytes(&both, data, bytes);
		free(data);
	}
	if (!rc)
		hash_bytes(out, both.data, both.length);
	capture_close(capture);
	text_release(&both);
	return rc ? EIO : 0;
}

int hash_file(char out[33], const char *path)
{
	struct stat status;
	size_t length;
	char *bytes;

	/* a pipe would block, and a device has no end */
	if (stat(path, &status))
		return errno;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	if (has_suffix(path, CAPTURE_SUFFIX))
		return hash_capture(out, path);
	if (read_file(&bytes, &length, path, HASH_FILE_LIMIT, NULL))
		return EIO;
	hash_bytes(out, bytes, length);
	free(bytes);
	return 0;
}
