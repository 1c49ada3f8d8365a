/* Compares the kernels of two cubins, section by section. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

#define CUBIN_MOST_BYTES ((size_t)1 << 30)
#define CONSTANTS_OF_ENTRY ".nv.constant0."

/* The sections of a cubin that decide what a kernel does. */
struct cubin_code {
	char *bytes;
	size_t length;
	Elf64_Ehdr header;
	const Elf64_Shdr *sections;
	const char *names;
	size_t names_length;
};

static const char *name_of(const struct cubin_code *code, const Elf64_Shdr *section)
{
	return section->sh_name < code->names_length ? code->names + section->sh_name : "";
}

static bool is_inside(const struct cubin_code *code, const Elf64_Shdr *section)
{
	return section->sh_type == SHT_NOBITS ||
	       (section->sh_offset <= code->length &&
		section->sh_size <= code->length - section->sh_offset);
}

static bool code_read(struct cubin_code *code, const char *path)
{
	const Elf64_Shdr *names;

	if (read_file(&code->bytes, &code->length, path, CUBIN_MOST_BYTES, NULL) ||
	    !cubin_arch(code->bytes, code->length))
		return false;
	memcpy(&code->header, code->bytes, sizeof(code->header));
	if (code->header.e_shoff % _Alignof(Elf64_Shdr) || code->header.e_shoff > code->length ||
	    code->header.e_shnum > (code->length - code->header.e_shoff) / sizeof(Elf64_Shdr))
		return false;
	code->sections = (const void *)(code->bytes + code->header.e_shoff);
	for (size_t i = 0; i < code->header.e_shnum; i++)
		if (!is_inside(code, &code->sections[i]))
			return false;
	if (code->header.e_shstrndx >= code->header.e_shnum)
		return false;
	names = &code->sections[code->header.e_shstrndx];
	code->names = code->bytes + names->sh_offset;
	code->names_length = names->sh_size;
	return code->names_length && !code->names[code->names_length - 1];
}

/* The entry whose section this is, as the part of its name; NULL: it is of none. */
static const char *entry_of(const struct cubin_code *code, const char *section)
{
	const size_t length = strlen(section);

	for (size_t i = 0; i < code->header.e_shnum; i++) {
		const char *name = name_of(code, &code->sections[i]);
		const char *entry = name + strlen(CONSTANTS_OF_ENTRY);

		if (strncmp(name, CONSTANTS_OF_ENTRY, strlen(CONSTANTS_OF_ENTRY)) != 0)
			continue;
		if (length > strlen(entry) + 1 && section[length - strlen(entry) - 1] == '.' &&
		    !strcmp(section + length - strlen(entry), entry))
			return section + length - strlen(entry);
	}
	return NULL;
}

/* Sections about names, lines and all kernels together. */
static bool says_nothing(const char *name)
{
	static const char *const begins[] = {".debug",      ".nv_debug",     ".rel.debug",
					     ".rela.debug", ".rel.nv_debug", ".rela.nv_debug",
					     ".note"};
	static const char *const names[] = {
		"",         ".symtab",       ".strtab",      ".shstrtab", ".symtab_shndx",
		".nv.info", ".nv.callgraph", ".nv.prototype"};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static size_t place_in(const struct string_list *list, const char *name)
{
	size_t place = 0;

	while (place < list->count && strcmp(list->items[place], name) != 0)
		place++;
	return place;
}

/* The next section from *index on that counts. *entry: the place of its entry; SIZE_MAX: it is of
 * none. *kind: the length of the name without the entry. NULL: there are no more. */
static const Elf64_Shdr *next_section(const struct cubin_code *code, size_t *index,
				      const struct string_list *entries, size_t *entry,
				      size_t *kind)
{
	while (*index < code->header.e_shnum) {
		const Elf64_Shdr *section = &code->sections[(*index)++];
		const char *name = name_of(code, section), *of = entry_of(code, name);

		if (says_nothing(name))
			continue;
		*entry = of ? place_in(entries, of) : SIZE_MAX;
		*kind = of ? (size_t)(of - name) : strlen(name);
		if (*entry != entries->count)
			return section;
	}
	return NULL;
}

static bool sections_are_same(const struct cubin_code *a, const Elf64_Shdr *in_a,
			      const struct cubin_code *b, const Elf64_Shdr *in_b)
{
	return in_a->sh_type == in_b->sh_type && in_a->sh_flags == in_b->sh_flags &&
	       in_a->sh_size == in_b->sh_size && in_a->sh_addralign == in_b->sh_addralign &&
	       (in_a->sh_type == SHT_NOBITS ||
		!memcmp(a->bytes + in_a->sh_offset, b->bytes + in_b->sh_offset, in_a->sh_size));
}

static bool codes_are_same(const struct cubin_code *a, const struct string_list *entries,
			   const struct cubin_code *b, const struct string_list *other_entries)
{
	size_t at_a = 0, at_b = 0;

	for (;;) {
		size_t entry_a, entry_b, kind_a, kind_b;
		const Elf64_Shdr *in_a = next_section(a, &at_a, entries, &entry_a, &kind_a);
		const Elf64_Shdr *in_b = next_section(b, &at_b, other_entries, &entry_b, &kind_b);

		if (!in_a || !in_b)
			return !in_a && !in_b;
		if (entry_a != entry_b || kind_a != kind_b ||
		    strncmp(name_of(a, in_a), name_of(b, in_b), kind_a) != 0 ||
		    !sections_are_same(a, in_a, b, in_b))
			return false;
	}
}

bool cubin_entries_are_same(const char *path, const struct string_list *entries, const char *other,
			    const struct string_list *other_entries)
{
	struct cubin_code a = {0}, b = {0};
	const bool same = entries->count == other_entries->count && code_read(&a, path) &&
			  code_read(&b, other) && a.header.e_flags == b.header.e_flags &&
			  codes_are_same(&a, entries, &b, other_entries);

	free(a.bytes);
	free(b.bytes);
	return same;
}
