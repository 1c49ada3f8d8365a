/*
 * Reads and writes .npy files. Such a file is a magic number, a version, the
 * length of a header, the header (a Python dictionary) and the elements.
 */
#include "kernels/npy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NPY_MAGIC "\x93NUMPY"
enum {
	NPY_MAGIC_BYTES = 6,
	NPY_ALIGNMENT = 64,
	/* numpy's own headers have about 100 bytes. Only structured types need more. */
	NPY_HEADER_LIMIT = 65535,
};

static const char *const npy_types[ELEMENT_TYPES] = {
	[ELEMENT_F32] = "f4", [ELEMENT_F64] = "f8",  [ELEMENT_F16] = "f2", [ELEMENT_BF16] = "u2",
	[ELEMENT_I32] = "i4", [ELEMENT_TF32] = "f4", [ELEMENT_U32] = "u4", [ELEMENT_I8] = "i1",
	[ELEMENT_U8] = "u1",  [ELEMENT_I16] = "i2",  [ELEMENT_U16] = "u2", [ELEMENT_I64] = "i8",
	[ELEMENT_U64] = "u8",
};

void npy_array_release(struct npy_array *array)
{
	free(array->data);
	*array = (struct npy_array){0};
}

/* ---- the header ---- */

struct npy_header {
	const char *name; /* of the file */
	const char *at;
	bool has_type, has_order, has_shape;
	char type[4];
	int64_t length;
	struct error *err;
};

static int npy_header_fail(const struct npy_header *h, const char *cause)
{
	return error_set(h->err, PL_EPARSE,
			 "'%s': its .npy header is malformed (%s); write it again with numpy.save",
			 h->name, cause);
}

static bool npy_accept(struct npy_header *h, const char *symbol)
{
	size_t length = strlen(symbol);

	while (isspace((unsigned char)*h->at))
		h->at++;
	if (strncmp(h->at, symbol, length))
		return false;
	h->at += length;
	return true;
}

/* Reads 'text' or "text". Only short texts without escapes have a meaning here. */
static int npy_header_string(struct npy_header *h, char *out, size_t size)
{
	const char *start, *end;

	if (!npy_accept(h, "'") && !npy_accept(h, "\""))
		return npy_header_fail(h, "a text in quotes is missing");
	start = h->at;
	end = strchr(start, start[-1]);
	if (!end)
		return npy_header_fail(h, "a text has no end");
	if ((size_t)(end - start) >= size)
		return npy_header_fail(h, "an unknown long text");
	memcpy(out, start, (size_t)(end - start));
	out[end - start] = '\0';
	h->at = end + 1;
	return 0;
}

static int npy_header_type(struct npy_header *h)
{
	char text[32];
	bool one_byte;
	int rc;

	if (npy_accept(h, "["))
		return error_set(h->err, PL_EPARSE,
				 "'%s' holds records of several fields; save one field: "
				 "numpy.save(path, array['FIELD'])",
				 h->name);
	rc = npy_header_string(h, text, sizeof(text));
	if (rc)
		return rc;
	if (text[0] && text[1] && strchr("OMm", text[1]))
		return error_set(h->err, PL_EPARSE,
				 "'%s' holds elements of the type '%s', which are no numbers; "
				 "convert them with array.astype(...)",
				 h->name, text);
	one_byte = strlen(text) == 3 && text[2] == '1';
	if (text[0] == '>' && !one_byte)
		return error_set(h->err, PL_EPARSE,
				 "'%s' is big-endian ('%s'); save array.astype('<%s')", h->name,
				 text, text + 1);
	if (text[0] != '<' && !(one_byte && strchr("|>=", text[0])))
		goto unknown;
	for (int type = 0; type < ELEMENT_TYPES; type++)
		if (!strcmp(text + 1, npy_types[type])) {
			memcpy(h->type, text + 1, sizeof("f4"));
			h->has_type = true;
			return 0;
		}
unknown:
	return error_set(h->err, PL_EPARSE,
			 "'%s' has elements of the type '%s'; convert them to integers of 1 to 8 "
			 "bytes or floats of 2, 4 or 8 with array.astype(...), bfloat16 with "
			 "array.view(numpy.uint16)",
			 h->name, text);
}

static int npy_header_order(struct npy_header *h)
{
	if (npy_accept(h, "True"))
		return error_set(h->err, PL_EPARSE,
				 "'%s' is in Fortran order; save numpy.ascontiguousarray(array)",
				 h->name);
	if (!npy_accept(h, "False"))
		return npy_header_fail(h, "fortran_order is neither True nor False");
	h->has_order = true;
	return 0;
}

static int npy_header_dimension(struct npy_header *h, int64_t *out)
{
	int64_t value = 0;

	if (!isdigit((unsigned char)*h->at))
		return npy_header_fail(h, "a dimension is not a number");
	for (; isdigit((unsigned char)*h->at); h->at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *h->at - '0', &value))
			return npy_header_fail(h, "a dimension is over 2^63 - 1");
	/* Python 2 wrote long integers as "3L". */
	npy_accept(h, "L");
	*out = value;
	return 0;
}

static int npy_header_shape(struct npy_header *h)
{
	int64_t length = 1;

	if (!npy_accept(h, "("))
		return npy_header_fail(h, "the shape does not start with \"(\"");
	while (!npy_accept(h, ")")) {
		int64_t dimension = 0;
		int rc = npy_header_dimension(h, &dimension);

		if (rc)
			return rc;
		if (__builtin_mul_overflow(length, dimension, &length))
			return npy_header_fail(h, "the shape has more than 2^63 - 1 elements");
		if (!npy_accept(h, ",")) {
			if (!npy_accept(h, ")"))
				return npy_header_fail(h, "the shape does not end with \")\"");
			break;
		}
		npy_accept(h, ""); /* blanks */
	}
	h->length = length;
	h->has_shape = true;
	return 0;
}

static int npy_header_parse(struct npy_header *h)
{
	if (!npy_accept(h, "{"))
		return npy_header_fail(h, "it does not start with \"{\"");
	while (!npy_accept(h, "}")) {
		char key[32];
		int rc = npy_header_string(h, key, sizeof(key));

		if (!rc && !npy_accept(h, ":"))
			rc = npy_header_fail(h, "a key has no value");
		if (rc)
			return rc;
		if (!strcmp(key, "descr") && !h->has_type)
			rc = npy_header_type(h);
		else if (!strcmp(key, "fortran_order") && !h->has_order)
			rc = npy_header_order(h);
		else if (!strcmp(key, "shape") && !h->has_shape)
			rc = npy_header_shape(h);
		else
			rc = npy_header_fail(h, "a key is unknown or occurs twice");
		if (rc)
			return rc;
		if (!npy_accept(h, ",")) {
			if (!npy_accept(h, "}"))
				return npy_header_fail(h, "it does not end with \"}\"");
			break;
		}
	}
	npy_accept(h, ""); /* blanks */
	if (*h->at)
		return npy_header_fail(h, "bytes follow the \"}\"");
	if (!h->has_type || !h->has_order || !h->has_shape)
		return npy_header_fail(h, "descr, fortran_order or shape is missing");
	return 0;
}

/* ---- reading ---- */

static int npy_read_bytes(void *data, size_t bytes, FILE *stream, const char *name,
			  struct error *err)
{
	if (fread(data, 1, bytes, stream) == bytes)
		return 0;
	if (ferror(stream))
		return error_set(err, PL_EIO, "reading '%s': %s", name, strerror(errno));
	return error_set(err, PL_EPARSE,
			 "'%s' is shorter than its .npy header says; write it again", name);
}

/* Reads all that comes before the elements. Sets the type, the length and the bytes of *out. */
static int npy_read_header(struct npy_array *out, FILE *stream, const char *name, struct error *err)
{
	unsigned char lead[NPY_MAGIC_BYTES + 2], size[4] = {0};
	struct npy_header header = {.name = name, .err = err};
	char *text;
	size_t length;
	int rc;

	if (fread(lead, 1, sizeof(lead), stream) != sizeof(lead) ||
	    memcmp(lead, NPY_MAGIC, NPY_MAGIC_BYTES) != 0) {
		if (ferror(stream))
			return error_set(err, PL_EIO, "reading '%s': %s", name, strerror(errno));
		return error_set(err, PL_EPARSE,
				 "'%s' is not a .npy file; write it with numpy.save", name);
	}
	if (lead[6] < 1 || lead[6] > 3)
		return error_set(err, PL_EPARSE,
				 "'%s' has version %d of the .npy format; versions 1 to 3 are read",
				 name, lead[6]);
	rc = npy_read_bytes(size, lead[6] == 1 ? 2 : 4, stream, name, err);
	if (rc)
		return rc;
	length = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
	if (length > NPY_HEADER_LIMIT)
		return error_set(err, PL_EPARSE,
				 "'%s' has a .npy header of %zu bytes, which is not that of an "
				 "array of numbers; write it again with numpy.save",
				 name, length);
	text = xcalloc(length + 1, 1);
	header.at = text;
	rc = npy_read_bytes(text, length, stream, name, err);
	if (!rc && memchr(text, '\0', length))
		rc = npy_header_fail(&header, "it contains a NUL byte");
	if (!rc)
		rc = npy_header_parse(&header);
	free(text);
	if (rc)
		return rc;
	memcpy(out->type, header.type, sizeof(out->type));
	out->length = header.length;
	if (__builtin_mul_overflow((size_t)header.length, (size_t)(header.type[1] - '0'),
				   &out->bytes))
		return error_set(err, PL_EPARSE, "'%s': its shape has more than 2^64 bytes", name);
	return 0;
}

/* Reads the elements. They must be all that is left in the stream. */
static int npy_read_elements(void *data, size_t bytes, FILE *stream, const char *name,
			     struct error *err)
{
	int rc = npy_read_bytes(data, bytes, stream, name, err);

	if (!rc && getc(stream) != EOF)
		rc = error_set(err, PL_EPARSE,
			       "'%s' is longer than its .npy header says; save one array a file",
			       name);
	return rc;
}

int npy_read_stream(struct npy_array *out, FILE *stream, const char *name, size_t most_bytes,
		    struct error *err)
{
	struct npy_array array = {0};
	int rc = npy_read_header(&array, stream, name, err);

	if (rc)
		return rc;
	if (array.bytes > most_bytes)
		return error_set(err, PL_EPARSE,
				 "'%s' has %zu bytes of elements, but at most %zu are expected",
				 name, array.bytes, most_bytes);
	array.data = malloc(array.bytes ? array.bytes : 1);
	if (!array.data)
		return error_set(err, PL_ENOMEM, "no memory for %zu bytes of '%s'", array.bytes,
				 name);
	rc = npy_read_elements(array.data, array.bytes, stream, name, err);
	if (rc)
		npy_array_release(&array);
	else
		*out = array;
	return rc;
}

int npy_read(struct npy_array *out, const char *path, size_t most_bytes, struct error *err)
{
	FILE *stream;
	int rc = file_open_stream(&stream, path, err);

	if (rc)
		return rc;
	rc = npy_read_stream(out, stream, path, most_bytes, err);
	fclose(stream);
	return rc;
}

/* ---- as the content of a buffer ---- */

/* The name of a type of a file in numpy: "f4" is "float32". */
static void npy_numpy_name(char out[16], const char *type)
{
	snprintf(out, 16, "%s%d",
		 type[0] == 'f'   ? "float"
		 : type[0] == 'i' ? "int"
				  : "uint",
		 (type[1] - '0') * 8);
}

static int npy_check(const struct npy_array *array, enum element_type type, int64_t length,
		     const char *name, struct error *err)
{
	char has[16], wanted[16];

	npy_numpy_name(has, array->type);
	npy_numpy_name(wanted, npy_types[type]);
	if (strcmp(array->type, npy_types[type]) != 0)
		return error_set(err, PL_EUSAGE,
				 "'%s' has elements of the type %s, but %s is expected for %s; "
				 "save array.%s(numpy.%s)",
				 name, has, wanted, element_type_name(type),
				 type == ELEMENT_BF16 ? "view" : "astype", wanted);
	if (array->length != length)
		return error_set(err, PL_EUSAGE,
				 "'%s' has %" PRId64 " elements, but the buffer has %" PRId64
				 "; choose the axes so that they agree, or save another array",
				 name, array->length, length);
	return 0;
}

static void npy_cut_tf32(void *data, int64_t length)
{
	uint32_t *bits = data;

	for (int64_t i = 0; i < length; i++)
		bits[i] &= ~UINT32_C(0x1fff);
}

int npy_copy(void *data, enum element_type type, int64_t length, const struct npy_array *array,
	     const char *name, struct error *err)
{
	int rc = npy_check(array, type, length, name, err);

	if (rc)
		return rc;
	memcpy(data, array->data, array->bytes);
	if (type == ELEMENT_TF32)
		npy_cut_tf32(data, length);
	return 0;
}

int npy_load(void *data, enum element_type type, int64_t length, const char *path,
	     struct error *err)
{
	struct npy_array array = {0};
	FILE *stream;
	int rc = file_open_stream(&stream, path, err);

	if (rc)
		return rc;
	rc = npy_read_header(&array, stream, path, err);
	if (!rc)
		rc = npy_check(&array, type, length, path, err);
	if (!rc)
		rc = npy_read_elements(data, array.bytes, stream, path, err);
	if (!rc && type == ELEMENT_TF32)
		npy_cut_tf32(data, length);
	fclose(stream);
	return rc;
}

/* ---- writing ---- */

int npy_write_stream(FILE *stream, const char *name, enum element_type type, const void *data,
		     int64_t length, struct error *err)
{
	char header[2 * NPY_ALIGNMENT];
	const size_t lead = NPY_MAGIC_BYTES + 4;
	size_t bytes = (size_t)length * element_size_bytes(type);
	size_t used;
	bool failed;

	used = (size_t)snprintf(header, sizeof(header),
				"{'descr': '%s%s', 'fortran_order': False, 'shape': (%" PRId64
				",), }",
				element_size_bytes(type) == 1 ? "|" : "<", npy_types[type], length);
	/* Blanks and a newline, so that the elements begin at a multiple of 64 bytes. */
	while ((lead + used + 1) % NPY_ALIGNMENT)
		header[used++] = ' ';
	header[used++] = '\n';
	failed = fwrite(NPY_MAGIC "\x01", 1, NPY_MAGIC_BYTES + 2, stream) != NPY_MAGIC_BYTES + 2;
	failed = failed || putc((int)(used & 255), stream) == EOF;
	failed = failed || putc((int)(used >> 8), stream) == EOF;
	failed = failed || fwrite(header, 1, used, stream) != used;
	failed = failed || fwrite(data, 1, bytes, stream) != bytes;
	if (failed || fflush(stream))
		return error_set(err, PL_EIO, "writing '%s': %s", name, strerror(errno));
	return 0;
}

int npy_write(const char *path, enum element_type type, const void *data, int64_t length,
	      struct error *err)
{
	FILE *stream = fopen(path, "wbe");
	int rc;

	if (!stream)
		return error_set(err, PL_EIO, "creating '%s': %s", path, strerror(errno));
	rc = npy_write_stream(stream, path, type, data, length, err);
	if (fclose(stream) && !rc)
		rc = error_set(err, PL_EIO, "writing '%s': %s", path, strerror(errno));
	return rc;
}
