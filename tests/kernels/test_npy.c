/* .npy files: what is read and written, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/npy.h"

/* Bytes of a file that are put together by hand, as numpy writes them. */
struct file_bytes {
	unsigned char data[512];
	size_t length;
};

static struct file_bytes npy_bytes(int version, const char *header, const void *data, size_t bytes)
{
	struct file_bytes file = {.data = "\x93NUMPY"};
	size_t length = strlen(header), lead = version == 1 ? 10 : 12;

	file.data[6] = (unsigned char)version;
	file.data[8] = (unsigned char)(length & 255);
	file.data[9] = (unsigned char)(length >> 8);
	memcpy(file.data + lead, header, length);
	memcpy(file.data + lead + length, data, bytes);
	file.length = lead + length + bytes;
	return file;
}

static int read_bytes(struct npy_array *out, struct file_bytes file, size_t most_bytes,
		      struct error *err)
{
	FILE *stream = fmemopen(file.data, file.length, "rb");
	int rc;

	assert_non_null(stream);
	rc = npy_read_stream(out, stream, "in.npy", most_bytes, err);
	fclose(stream);
	return rc;
}

static void test_headers(void **state)
{
	static const struct {
		int version;
		const char *header;
		const char *type;
		int64_t length;
	} rows[] = {
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }   \n", "f4", 4},
		{2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n", "f4", 4},
		{3, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 1), }\n", "f8", 2},
		{1, "{'descr': '<f2', 'fortran_order': False, 'shape': (8,)}", "f2", 8},
		{1, "{\"shape\":(2,),\"descr\":\"<u8\",\"fortran_order\":False}", "u8", 2},
		{1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2L,), }\n", "i8", 2},
		{1, "{'descr': '|i1', 'fortran_order': False, 'shape': (16,), }\n", "i1", 16},
		{1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 4), }\n", "u1", 16},
		{1, "{'descr': '<u1', 'fortran_order': False, 'shape': (4, 4), }\n", "u1", 16},
		{1, "{'descr': '<i2', 'fortran_order': False, 'shape': (8,), }\n", "i2", 8},
		{1, "{'descr': '<u2', 'fortran_order': False, 'shape': (8,), }\n", "u2", 8},
		{1, "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }\n", "i4", 4},
		{1, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }\n", "u4", 4},
	};
	static const float values[] = {1.0f, -2.0f, 3.5f, 0.25f};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct npy_array array = {0};
		struct error err = {0};
		int rc = read_bytes(
			&array, npy_bytes(rows[i].version, rows[i].header, values, sizeof(values)),
			sizeof(values), &err);

		if (rc)
			fail_msg("%s: %s", rows[i].header, err.text);
		assert_string_equal(array.type, rows[i].type);
		assert_int_equal(array.length, rows[i].length);
		assert_int_equal(array.bytes, sizeof(values));
		assert_memory_equal(array.data, values, sizeof(values));
		npy_array_release(&array);
		assert_null(array.data);
	}
}

static void test_scalar_and_empty(void **state)
{
	struct npy_array array = {0};
	struct error err = {0};
	int64_t seven = 7;

	(void)state;
	assert_int_equal(
		read_bytes(&array,
			   npy_bytes(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }\n",
				     &seven, sizeof(seven)),
			   100, &err),
		0);
	assert_int_equal(array.length, 1);
	assert_memory_equal(array.data, &seven, sizeof(seven));
	npy_array_release(&array);
	assert_int_equal(
		read_bytes(
			&array,
			npy_bytes(1,
				  "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 0), }\n",
				  "", 0),
			0, &err),
		0);
	assert_int_equal(array.length, 0);
	npy_array_release(&array);
}

static void test_refused_headers(void **state)
{
	static const struct {
		int version;
		const char *header;
		const char *says;
	} rows[] = {
		{1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }\n",
		 "numpy.ascontiguousarray(array)"},
		{1, "{'descr': '>f4', 'fortran_order': False, 'shape': (4,), }\n",
		 "big-endian ('>f4'); save array.astype('<f4')"},
		{1, "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n", "no numbers"},
		{1, "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2,), }\n",
		 "no numbers"},
		{1, "{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }\n", "'<U4'"},
		{1, "{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }\n", "'<c8'"},
		{1, "{'descr': '|b1', 'fortran_order': False, 'shape': (16,), }\n", "'|b1'"},
		{1, "{'descr': '|V2', 'fortran_order': False, 'shape': (8,), }\n",
		 "array.view(numpy.uint16)"},
		{1, "{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }\n", "'<f16'"},
		{1, "{'descr': 'f4', 'fortran_order': False, 'shape': (4,), }\n", "'f4'"},
		{1, "{'descr': '', 'fortran_order': False, 'shape': (4,), }\n", "type ''"},
		{1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }\n",
		 "several fields"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", "longer"},
		{1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", "at most 16"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (999,), }\n",
		 "has 3996 bytes of elements, but at most 16"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }",
		 "2^64"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
		 "2^63"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
		 "2^63"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n",
		 "a dimension is not a number"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4 4), }\n", "\")\""},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': 4, }\n", "\"(\""},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,", "not a number"},
		{1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (4,), }\n", "neither True"},
		{1, "{'descr': '<f4', 'shape': (4,), }\n", "is missing"},
		{1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
		 "twice"},
		{1, "{'other': 1}", "unknown"},
		{1, "{'descr", "no end"},
		{1, "{'descr' '<f4'}", "no value"},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,) 'x'", "\"}\""},
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} x", "follow"},
		{1, "{'an endless key that has no meaning in the format': 1}", "long text"},
		{1, "", "\"{\""},
		{4, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n", "version 4"},
		{0, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n", "version 0"},
	};
	static const float values[4] = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct npy_array array = {0};
		struct error err = {0};
		int rc = read_bytes(
			&array, npy_bytes(rows[i].version, rows[i].header, values, sizeof(values)),
			sizeof(values), &err);

		if (rc != PL_EPARSE || array.data || !strstr(err.text, rows[i].says) ||
		    !strstr(err.text, "'in.npy'"))
			fail_msg("%s: code %d, \"%s\" without \"%s\"", rows[i].header, rc, err.text,
				 rows[i].says);
	}
}

/* Every file that is cut somewhere is refused, and so are other files. */
static void test_cut_files(void **state)
{
	struct file_bytes whole = npy_bytes(
		2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", "12345678", 8);
	struct file_bytes other = {.data = "P6 1 1 255 and so on", .length = 20};
	struct npy_array array = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(read_bytes(&array, whole, 8, &err), 0);
	npy_array_release(&array);
	while (--whole.length)
		assert_int_equal(read_bytes(&array, whole, 8, &err), PL_EPARSE);
	assert_int_equal(read_bytes(&array, other, 8, &err), PL_EPARSE);
	assert_non_null(strstr(err.text, "is not a .npy file"));
	/* A header of 16 MiB. */
	whole.length = 80;
	whole.data[11] = 1;
	assert_int_equal(read_bytes(&array, whole, 8, &err), PL_EPARSE);
	assert_non_null(strstr(err.text, "a .npy header of 167"));
	assert_null(array.data);
}

static void test_round_trip(void **state)
{
	char path[] = "/tmp/perflab_npy_XXXXXX";
	unsigned char data[24], back[24];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 37 + 1);
	for (int t = 0; t < ELEMENT_TYPES; t++) {
		enum element_type type = (enum element_type)t;
		int64_t length = (int64_t)(sizeof(data) / element_size_bytes(type));
		struct npy_array array = {0};
		struct error err = {0};
		struct stat info;

		if (type == ELEMENT_TF32)
			for (size_t i = 0; i < sizeof(data); i += 4)
				data[i] = data[i + 1] = 0;
		assert_int_equal(npy_write(path, type, data, length, &err), 0);
		/* The elements begin at a multiple of 64 bytes. */
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(info.st_size, 128 + sizeof(data));
		assert_int_equal(npy_load(back, type, length, path, &err), 0);
		assert_memory_equal(back, data, sizeof(data));
		assert_int_equal(npy_read(&array, path, sizeof(data), &err), 0);
		memset(back, 0, sizeof(back));
		assert_int_equal(npy_copy(back, type, length, &array, path, &err), 0);
		assert_memory_equal(back, data, sizeof(data));
		npy_array_release(&array);
		assert_int_equal(npy_read(&array, path, sizeof(data) - 1, &err), PL_EPARSE);
	}
	unlink(path);
}

/* The bytes that numpy.save writes for numpy.array([1, 2], numpy.uint16). */
static void test_written_bytes(void **state)
{
	static const char wanted[] = "\x93NUMPY\x01\0v\0{'descr': '<u2', 'fortran_order': False, "
				     "'shape': (2,), }";
	static const uint16_t values[] = {1, 2};
	char out[256] = {0};
	FILE *stream = fmemopen(out, sizeof(out), "wb");

	(void)state;
	assert_non_null(stream);
	assert_int_equal(npy_write_stream(stream, "out", ELEMENT_BF16, values, 2, NULL), 0);
	fclose(stream);
	assert_memory_equal(out, wanted, sizeof(wanted) - 1);
	for (size_t i = sizeof(wanted) - 1; i < 127; i++)
		assert_int_equal(out[i], ' ');
	assert_int_equal(out[127], '\n');
	assert_memory_equal(out + 128, values, sizeof(values));
}

static void test_fits_the_buffer(void **state)
{
	float room[4], values[] = {1.0f + 0x1p-23f, 2.0f};
	struct npy_array array = {"f4", 2, sizeof(values), values};
	struct error err = {0};

	(void)state;
	assert_int_equal(npy_copy(room, ELEMENT_F64, 2, &array, "a.npy", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "'a.npy' has elements of the type float32, but float64"));
	assert_non_null(strstr(err.text, "array.astype(numpy.float64)"));
	assert_int_equal(npy_copy(room, ELEMENT_BF16, 2, &array, "a.npy", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "array.view(numpy.uint16)"));
	assert_int_equal(npy_copy(room, ELEMENT_F32, 3, &array, "a.npy", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "has 2 elements, but the buffer has 3"));
	assert_int_equal(npy_copy(room, ELEMENT_TF32, 2, &array, "a.npy", &err), 0);
	assert_true(room[0] == 1.0f && room[1] == 2.0f);
}

static void test_paths(void **state)
{
	struct npy_array array = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(npy_read(&array, "/tmp/none/such.npy", 10, &err), PL_ENOENT);
	assert_non_null(strstr(err.text, "/tmp/none/such.npy"));
	assert_int_equal(npy_read(&array, "/tmp", 10, &err), PL_EPARSE);
	assert_int_equal(npy_write("/tmp/none/such.npy", ELEMENT_U8, "", 0, &err), PL_EIO);
	assert_int_equal(npy_write("/dev/full", ELEMENT_U8, "abc", 3, NULL), PL_EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),         cmocka_unit_test(test_scalar_and_empty),
		cmocka_unit_test(test_refused_headers), cmocka_unit_test(test_cut_files),
		cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_written_bytes),
		cmocka_unit_test(test_fits_the_buffer), cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
