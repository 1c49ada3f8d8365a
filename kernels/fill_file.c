/* Fills inputs from files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/fill.h"
#include "kernels/npy.h"

/* Reads the bytes of the elements. The file must hold no others. */
static int fill_raw(void *data, const struct case_buffer *buffer, struct error *err)
{
	size_t bytes = (size_t)buffer->length * element_size_bytes(buffer->type);
	FILE *stream;
	size_t got;
	bool more;
	int rc = file_open_stream(&stream, buffer->fill_file, err);

	if (rc)
		return rc;
	got = fread(data, 1, bytes, stream);
	more = got == bytes && getc(stream) != EOF;
	if (ferror(stream))
		rc = error_set(err, PL_EIO, "reading '%s': %s", buffer->fill_file, strerror(errno));
	else if (got < bytes || more)
		rc = error_set(err, PL_EUSAGE,
			       "'%s' has %s bytes than the %zu of %" PRId64
			       " elements of %s; give a raw file of that size, or a .npy file",
			       buffer->fill_file, more ? "more" : "fewer", bytes, buffer->length,
			       element_type_name(buffer->type));
	fclose(stream);
	return rc;
}

int fill_from_file(void *data, const struct case_buffer *buffer, struct error *err)
{
	const char *suffix = strrchr(buffer->fill_file, '.');
	int rc = suffix && !strcmp(suffix, ".npy")
			 ? npy_load(data, buffer->type, buffer->length, buffer->fill_file, err)
			 : fill_raw(data, buffer, err);

	return error_context(err, rc, "buffer %s", buffer->name);
}
