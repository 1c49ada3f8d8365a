/*
 * hash: names contents where equal names stand for equal contents: sources, images, machine code,
 * data. Nobody can make two contents with one hash, not even who wrote both: BLAKE2b of 32 bytes.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>

/* 64 hexadecimal digits and the end of the string. */
#define HASH_TEXT_BYTES 65

/* The hash of pieces that follow each other: only all of them together have a name. */
struct hash {
	_Alignas(64) unsigned char state[384]; /* of libsodium */
};
void hash_begin(struct hash *hash);
void hash_add(struct hash *hash, const void *bytes, size_t length);
/* Adds the length, too, so that different pieces never give the same bytes. */
void hash_add_piece(struct hash *hash, const void *bytes, size_t length);
void hash_end(char out[HASH_TEXT_BYTES], struct hash *hash);

void hash_of(char out[HASH_TEXT_BYTES], const void *bytes, size_t length);
/* Hashes the content of a regular file of any size. Returns 0, or what file_open() returns, or
 * PL_EIO. */
int hash_file(char out[HASH_TEXT_BYTES], const char *path);

#endif
