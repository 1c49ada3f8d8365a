/* The hash of a cubin's machine code. */
#include "harness/workers/cuda/image.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns whether [offset, offset + size) is within a file of `length` bytes. */
static bool inside(uint64_t offset, uint64_t size, size_t length)
{
	return offset <= length && size <= length - offset;
}

static bool section_at(const char *bytes, size_t length, const Elf64_Ehdr *header, size_t index,
		       Elf64_Shdr *out)
{
	uint64_t offset = header->e_shoff + (uint64_t)index * sizeof(*out);

	if (header->e_shoff > length || !inside(offset, sizeof(*out), length))
		return false;
	memcpy(out, bytes + offset, sizeof(*out));
	return true;
}

int cubin_hash(char out[HASH_TEXT_BYTES], const char *bytes, size_t length, struct error *err)
{
	struct hash hash;
	Elf64_Ehdr header;
	Elf64_Shdr names;
	size_t hashed = 0;

	if (length < sizeof(header) || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    bytes[EI_CLASS] != ELFCLASS64)
		return error_set(err, PL_EPARSE, "not a cubin: no 64-bit ELF header");
	memcpy(&header, bytes, sizeof(header));
	if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
	    !section_at(bytes, length, &header, header.e_shstrndx, &names) ||
	    !inside(names.sh_offset, names.sh_size, length))
		return error_set(err, PL_EPARSE,
				 "damaged cubin: its section table is outside of the file");
	hash_begin(&hash);
	for (size_t i = 0; i < header.e_shnum; i++) {
		Elf64_Shdr section;
		const char *name;
		size_t name_length;

		if (!section_at(bytes, length, &header, i, &section) ||
		    section.sh_name >= names.sh_size)
			return error_set(err, PL_EPARSE,
					 "damaged cubin: section %zu is outside of the file", i);
		name = bytes + names.sh_offset + section.sh_name;
		name_length = strnlen(name, names.sh_size - section.sh_name);
		if (name_length < 6 || memcmp(name, ".text.", 6) != 0)
			continue;
		if (!inside(section.sh_offset, section.sh_size, length))
			return error_set(
				err, PL_EPARSE,
				"damaged cubin: the code of section %zu is outside of the file", i);
		hash_add_piece(&hash, name, name_length);
		hash_add_piece(&hash, bytes + section.sh_offset, section.sh_size);
		hashed++;
	}
	if (!hashed)
		return error_set(err, PL_EPARSE, "the cubin has no machine code");
	hash_end(out, &hash);
	return 0;
}
