/* Hashes of contents. See hash.h. */
#include "base/hash.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sodium/crypto_generichash.h>

#include "base/base.h"

#define HASH_STEP ((size_t)1 << 18)

_Static_assert(sizeof(struct hash) == sizeof(crypto_generichash_state), "the state has its room");
_Static_assert(_Alignof(struct hash) >= _Alignof(crypto_generichash_state), "and its place");

static crypto_generichash_state *hash_state(struct hash *hash)
{
	return (crypto_generichash_state *)(void *)hash->state;
}

/* sodium_init() is not called: this hash needs neither random numbers nor memory. It would only
 * choose faster code; the portable code hashes about 1 GB/s. */
void hash_begin(struct hash *hash)
{
	crypto_generichash_init(hash_state(hash), NULL, 0, crypto_generichash_BYTES);
}

void hash_add(struct hash *hash, const void *bytes, size_t length)
{
	crypto_generichash_update(hash_state(hash), bytes, length);
}

void hash_add_piece(struct hash *hash, const void *bytes, size_t length)
{
	const uint64_t size = length;

	hash_add(hash, &size, sizeof(size));
	hash_add(hash, bytes, length);
}

void hash_end(char out[HASH_TEXT_BYTES], struct hash *hash)
{
	unsigned char digest[crypto_generichash_BYTES];

	crypto_generichash_final(hash_state(hash), digest, sizeof(digest));
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

void hash_of(char out[HASH_TEXT_BYTES], const void *bytes, size_t length)
{
	struct hash hash;

	hash_begin(&hash);
	hash_add(&hash, bytes, length);
	hash_end(out, &hash);
}

int hash_file(char out[HASH_TEXT_BYTES], const char *path)
{
	char *bytes = xmalloc(HASH_STEP);
	struct hash hash;
	ssize_t got;
	int fd, rc = file_open(&fd, path, NULL);

	if (rc) {
		free(bytes);
		return rc;
	}
	hash_begin(&hash);
	while ((got = read(fd, bytes, HASH_STEP)) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			hash_add(&hash, bytes, (size_t)got);
	if (!got)
		hash_end(out, &hash);
	close(fd);
	free(bytes);
	return got ? PL_EIO : 0;
}
