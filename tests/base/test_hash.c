/* Contents that somebody made to look alike have different hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/hash.h"

/* https://www.rfc-editor.org/rfc/rfc7693, with the length of b2sum -l 256 */
static void test_known(void **state)
{
	char hash[HASH_TEXT_BYTES];

	(void)state;
	hash_of(hash, "abc", 3);
	assert_string_equal(hash,
			    "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
	hash_of(hash, "", 0);
	assert_string_equal(hash,
			    "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

static void test_pieces(void **state)
{
	char whole[HASH_TEXT_BYTES], parts[HASH_TEXT_BYTES], shifted[HASH_TEXT_BYTES];
	struct hash hash;

	(void)state;
	hash_of(whole, "abcdef", 6);
	hash_begin(&hash);
	hash_add(&hash, "abc", 3);
	hash_add(&hash, "def", 3);
	hash_end(parts, &hash);
	assert_string_equal(parts, whole);
	hash_begin(&hash);
	hash_add_piece(&hash, "abc", 3);
	hash_add_piece(&hash, "def", 3);
	hash_end(parts, &hash);
	hash_begin(&hash);
	hash_add_piece(&hash, "ab", 2);
	hash_add_piece(&hash, "cdef", 4);
	hash_end(shifted, &hash);
	assert_string_not_equal(parts, shifted);
}

/* Both have the same XXH3-128, and other hashes of the same kind. */
static void test_files(void **state)
{
	char right[HASH_TEXT_BYTES], wrong[HASH_TEXT_BYTES], bytes[HASH_TEXT_BYTES], *text;
	size_t length;

	(void)state;
	assert_int_equal(hash_file(right, SAME_XXH3 "/right.cu"), 0);
	assert_int_equal(hash_file(wrong, SAME_XXH3 "/wrong.cu"), 0);
	assert_string_not_equal(right, wrong);
	assert_int_equal(read_file(&text, &length, SAME_XXH3 "/right.cu", 1 << 20, NULL), 0);
	hash_of(bytes, text, length);
	assert_string_equal(bytes, right);
	free(text);
	assert_int_equal(hash_file(right, SAME_XXH3 "/none.cu"), PL_ENOENT);
	assert_int_equal(hash_file(right, "/dev/zero"), PL_EPARSE);
	assert_int_equal(hash_file(right, SAME_XXH3), PL_EPARSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
