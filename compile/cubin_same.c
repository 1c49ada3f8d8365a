/*
 * Compares kernels of two cubins, section by section. Code and data refer to variables and
 * functions through relocations, which name symbols; so symbols are compared by what they stand
 * for, and neither by their places in the file nor by the addresses that they would get.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

#define CUBIN_MOST_BYTES ((size_t)1 << 30)
#define CONSTANTS_OF_ENTRY ".nv.constant0."
#define FACTS_OF_ENTRY ".nv.info."
#define INITIAL_VALUES ".nv.global.init"

/* The sections of a cubin that decide what a kernel does. */
struct cubin_code {
	char *bytes;
	size_t length;
	Elf64_Ehdr header;
	const Elf64_Shdr *sections;
	const Elf64_Shdr *names, *symbols, *symbol_names;
	const struct cubin_kernels *of;
};

static const char *text_at(const struct cubin_code *code, const Elf64_Shdr *texts, size_t at)
{
	return at < texts->sh_size ? code->bytes + texts->sh_offset + at : "";
}

static const char *name_of(const struct cubin_code *code, const Elf64_Shdr *section)
{
	return text_at(code, code->names, section->sh_name);
}

static bool is_inside(const struct cubin_code *code, const Elf64_Shdr *section)
{
	return section->sh_type == SHT_NOBITS ||
	       (section->sh_offset <= code->length &&
		section->sh_size <= code->length - section->sh_offset);
}

/* Texts with a NUL at the end. NULL: there is no such section. */
static const Elf64_Shdr *texts_read(const struct cubin_code *code, size_t index)
{
	const Elf64_Shdr *texts = &code->sections[index];

	if (index >= code->header.e_shnum || texts->sh_type != SHT_STRTAB || !texts->sh_size ||
	    code->bytes[texts->sh_offset + texts->sh_size - 1])
		return NULL;
	return texts;
}

static bool code_read(struct cubin_code *code, const struct cubin_kernels *of)
{
	code->of = of;
	if (read_file(&code->bytes, &code->length, of->path, CUBIN_MOST_BYTES, NULL) ||
	    !cubin_arch(code->bytes, code->length))
		return false;
	memcpy(&code->header, code->bytes, sizeof(code->header));
	if (code->header.e_shoff % _Alignof(Elf64_Shdr) || code->header.e_shoff > code->length ||
	    code->header.e_shnum > (code->length - code->header.e_shoff) / sizeof(Elf64_Shdr))
		return false;
	code->sections = (const void *)(code->bytes + code->header.e_shoff);
	for (size_t i = 0; i < code->header.e_shnum; i++) {
		if (!is_inside(code, &code->sections[i]))
			return false;
		if (code->sections[i].sh_type == SHT_SYMTAB)
			code->symbols = &code->sections[i];
	}
	code->names = texts_read(code, code->header.e_shstrndx);
	code->symbol_names = code->symbols ? texts_read(code, code->symbols->sh_link) : NULL;
	return code->names && code->symbol_names;
}

/* ---- which sections are compared ---- */

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

/* The name of a section in parts: ".text." and the place of the entry; SIZE_MAX: it is of none. */
struct section_name {
	const char *kind;
	size_t kind_length, entry;
};

static struct section_name section_name_of(const struct cubin_code *code, const Elf64_Shdr *section)
{
	const char *name = name_of(code, section), *of = entry_of(code, name);

	return (struct section_name){name, of ? (size_t)(of - name) : strlen(name),
				     of ? place_in(code->of->entries, of) : SIZE_MAX};
}

static bool names_correspond(const struct cubin_code *a, const Elf64_Shdr *in_a,
			     const struct cubin_code *b, const Elf64_Shdr *in_b)
{
	const struct section_name first = section_name_of(a, in_a),
				  second = section_name_of(b, in_b);

	return first.entry == second.entry && first.kind_length == second.kind_length &&
	       !memcmp(first.kind, second.kind, first.kind_length);
}

/* The next section from *index on that counts; NULL: there are no more. */
static const Elf64_Shdr *next_section(const struct cubin_code *code, size_t *index)
{
	while (*index < code->header.e_shnum) {
		const Elf64_Shdr *section = &code->sections[(*index)++];

		if (!says_nothing(name_of(code, section)) &&
		    section_name_of(code, section).entry != code->of->entries->count)
			return section;
	}
	return NULL;
}

/* ---- symbols ---- */

static bool symbol_at(Elf64_Sym *out, const struct cubin_code *code, size_t index)
{
	if (index >= code->symbols->sh_size / sizeof(*out))
		return false;
	memcpy(out, code->bytes + code->symbols->sh_offset + index * sizeof(*out), sizeof(*out));
	return true;
}

/* The section of a symbol; NULL: none. */
static const Elf64_Shdr *section_of(const struct cubin_code *code, const Elf64_Sym *symbol)
{
	return symbol->st_shndx && symbol->st_shndx < code->header.e_shnum
		       ? &code->sections[symbol->st_shndx]
		       : NULL;
}

/* Skips the eight digits in which the compiler hashes the path or the text of a file, in names of
 * what is known in that file alone. Returns whether they are there. */
static bool skip_hash(const char *name, size_t *at)
{
	static const char *const marks[] = {"_INTERNAL_", "_GLOBAL__N__", "_cu_"};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const size_t length = strlen(marks[i]);

		if (*at >= length && !memcmp(name + *at - length, marks[i], length) &&
		    strspn(name + *at, "0123456789abcdef") >= 8) {
			*at += 8;
			return true;
		}
	}
	return false;
}

static bool names_are_same(const char *a, const char *b)
{
	size_t at = 0;

	while (a[at] == b[at]) {
		size_t after = at;

		if (!a[at])
			return true;
		at++;
		after = at;
		if (skip_hash(a, &after) && skip_hash(b, &at))
			at = after;
	}
	return false;
}

/* "$str$1", "__unnamed_2": texts of the code, which are numbered through all kernels of a file. */
static bool has_no_name(const char *name)
{
	return !strncmp(name, "$str", 4) || !strncmp(name, "__unnamed_", 10);
}

/* What a variable holds at first. */
struct initial_value {
	const char *bytes;
	size_t length;
};

/* The folder of the sources, with which the text of a path begins, is left out. False: the file is
 * damaged. */
static bool value_of(struct initial_value *out, const struct cubin_code *code,
		     const Elf64_Sym *symbol)
{
	const Elf64_Shdr *values = section_of(code, symbol);
	const char *root = code->of->root;
	const size_t length = root ? strlen(root) : 0;

	if (values->sh_type == SHT_NOBITS || symbol->st_value > values->sh_size ||
	    symbol->st_size > values->sh_size - symbol->st_value)
		return false;
	*out = (struct initial_value){code->bytes + values->sh_offset + symbol->st_value,
				      symbol->st_size};
	if (length && out->length > length && !memcmp(out->bytes, root, length) &&
	    out->bytes[length] == '/') {
		out->bytes += length;
		out->length -= length;
	}
	return true;
}

static bool values_are_same(const struct cubin_code *a, const Elf64_Sym *in_a,
			    const struct cubin_code *b, const Elf64_Sym *in_b)
{
	struct initial_value first, second;

	return value_of(&first, a, in_a) && value_of(&second, b, in_b) &&
	       first.length == second.length && !memcmp(first.bytes, second.bytes, first.length);
}

static bool is_entry(const struct cubin_code *code, const char *name, size_t *place)
{
	*place = place_in(code->of->entries, name);
	return *place < code->of->entries->count;
}

static bool symbols_are_same(const struct cubin_code *a, const Elf64_Sym *in_a,
			     const struct cubin_code *b, const Elf64_Sym *in_b)
{
	const char *name_a = text_at(a, a->symbol_names, in_a->st_name);
	const char *name_b = text_at(b, b->symbol_names, in_b->st_name);
	const Elf64_Shdr *of_a = section_of(a, in_a), *of_b = section_of(b, in_b);
	size_t place_a, place_b;

	if (ELF64_ST_TYPE(in_a->st_info) != ELF64_ST_TYPE(in_b->st_info) || !of_a != !of_b)
		return false;
	if (is_entry(a, name_a, &place_a) || is_entry(b, name_b, &place_b))
		return is_entry(a, name_a, &place_a) && is_entry(b, name_b, &place_b) &&
		       place_a == place_b;
	if (!has_no_name(name_a) || !has_no_name(name_b))
		return names_are_same(name_a, name_b) &&
		       (!of_a || names_correspond(a, of_a, b, of_b));
	return of_a && values_are_same(a, in_a, b, in_b);
}

/* ---- sections ---- */

static bool have_same_bytes(const struct cubin_code *a, const Elf64_Shdr *in_a,
			    const struct cubin_code *b, const Elf64_Shdr *in_b)
{
	return in_a->sh_size == in_b->sh_size &&
	       (in_a->sh_type == SHT_NOBITS ||
		!memcmp(a->bytes + in_a->sh_offset, b->bytes + in_b->sh_offset, in_a->sh_size));
}

static bool relocations_are_same(const struct cubin_code *a, const Elf64_Shdr *in_a,
				 const struct cubin_code *b, const Elf64_Shdr *in_b)
{
	const size_t size = in_a->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);

	if (in_a->sh_size != in_b->sh_size || in_a->sh_size % size)
		return false;
	for (size_t at = 0; at < in_a->sh_size; at += size) {
		Elf64_Rela first = {0}, second = {0};
		Elf64_Sym of_first, of_second;

		memcpy(&first, a->bytes + in_a->sh_offset + at, size);
		memcpy(&second, b->bytes + in_b->sh_offset + at, size);
		if (first.r_offset != second.r_offset || first.r_addend != second.r_addend ||
		    ELF64_R_TYPE(first.r_info) != ELF64_R_TYPE(second.r_info) ||
		    !symbol_at(&of_first, a, ELF64_R_SYM(first.r_info)) ||
		    !symbol_at(&of_second, b, ELF64_R_SYM(second.r_info)) ||
		    !symbols_are_same(a, &of_first, b, &of_second))
			return false;
	}
	return true;
}

/* The facts of a kernel (.nv.info.ENTRY) are records: a format, an attribute and 16 bits, which for
 * this format are the length of the value that follows. */
#define INFO_HEAD_BYTES 4
#define INFO_HAS_VALUE 4
#define INFO_EXTERNS 15         /* symbols */
#define INFO_PARAMETERS_BANK 10 /* the symbol of a section, then where the parameters are in it */

static bool symbol_words_are_same(const struct cubin_code *a, const char *in_a,
				  const struct cubin_code *b, const char *in_b)
{
	uint32_t first, second;
	Elf64_Sym of_first, of_second;

	memcpy(&first, in_a, sizeof(first));
	memcpy(&second, in_b, sizeof(second));
	return symbol_at(&of_first, a, first) && symbol_at(&of_second, b, second) &&
	       symbols_are_same(a, &of_first, b, &of_second);
}

static bool facts_are_same(const struct cubin_code *a, const Elf64_Shdr *in_a,
			   const struct cubin_code *b, const Elf64_Shdr *in_b)
{
	const char *first = a->bytes + in_a->sh_offset, *second = b->bytes + in_b->sh_offset;
	size_t at = 0, end = 0, symbols_end = 0;

	if (in_a->sh_size != in_b->sh_size || in_a->sh_size % sizeof(uint32_t))
		return false;
	for (; at < in_a->sh_size; at += sizeof(uint32_t)) {
		const bool is_head = at >= end;
		uint16_t length;

		if (at < symbols_end) {
			if (!symbol_words_are_same(a, first + at, b, second + at))
				return false;
			continue;
		}
		if (memcmp(first + at, second + at, sizeof(uint32_t)) != 0)
			return false;
		if (!is_head)
			continue;
		memcpy(&length, first + at + 2, sizeof(length));
		if (first[at] != INFO_HAS_VALUE)
			length = 0;
		if (length % sizeof(uint32_t))
			return false;
		end = at + INFO_HEAD_BYTES + length;
		symbols_end = first[at + 1] == INFO_EXTERNS           ? end
			      : first[at + 1] == INFO_PARAMETERS_BANK ? at + 2 * INFO_HEAD_BYTES
								      : 0;
		symbols_end = symbols_end < end ? symbols_end : end;
	}
	return true;
}

/* The next variable of a section, from the symbol *index on. False: there are no more. */
static bool next_variable(Elf64_Sym *out, const struct cubin_code *code, size_t *index,
			  const Elf64_Shdr *section)
{
	while (symbol_at(out, code, (*index)++))
		if (ELF64_ST_TYPE(out->st_info) == STT_OBJECT && section_of(code, out) == section)
			return true;
	return false;
}

/* Whether the variables of a section are the same, in the same order. The host finds them by their
 * names, so names count even if all bytes are equal. `placed`: their offsets count, too. */
static bool variables_are_same(const struct cubin_code *a, const Elf64_Shdr *in_a,
			       const struct cubin_code *b, const Elf64_Shdr *in_b, bool placed)
{
	size_t at_a = 0, at_b = 0;

	for (;;) {
		Elf64_Sym first, second;
		const bool more = next_variable(&first, a, &at_a, in_a);

		if (more != next_variable(&second, b, &at_b, in_b))
			return false;
		if (!more)
			return true;
		if (!symbols_are_same(a, &first, b, &second) ||
		    (placed ? first.st_value != second.st_value || first.st_size != second.st_size
			    : !values_are_same(a, &first, b, &second)))
			return false;
	}
}

/* Whether each byte outside of all variables is 0, as between them. */
static bool variables_are_all(const struct cubin_code *code, const Elf64_Shdr *section)
{
	char *rest = xcalloc(section->sh_size + 1, 1);
	bool all = true;
	Elf64_Sym symbol;

	memcpy(rest, code->bytes + section->sh_offset, section->sh_size);
	for (size_t at = 0; next_variable(&symbol, code, &at, section);)
		memset(rest + symbol.st_value, 0, symbol.st_size);
	for (size_t i = 0; i < section->sh_size; i++)
		all &= !rest[i];
	free(rest);
	return all;
}

static bool sections_are_same(const struct cubin_code *a, const Elf64_Shdr *in_a,
			      const struct cubin_code *b, const Elf64_Shdr *in_b)
{
	/* the texts of paths have other lengths in other folders */
	const bool placed =
		in_a->sh_type == SHT_NOBITS || strcmp(name_of(a, in_a), INITIAL_VALUES) != 0;

	if (in_a->sh_type != in_b->sh_type || in_a->sh_flags != in_b->sh_flags ||
	    in_a->sh_addralign != in_b->sh_addralign)
		return false;
	if (in_a->sh_type == SHT_RELA || in_a->sh_type == SHT_REL)
		return relocations_are_same(a, in_a, b, in_b);
	if (in_a->sh_type != SHT_NOBITS &&
	    !strncmp(name_of(a, in_a), FACTS_OF_ENTRY, strlen(FACTS_OF_ENTRY)))
		return facts_are_same(a, in_a, b, in_b);
	return variables_are_same(a, in_a, b, in_b, placed) &&
	       (placed ? have_same_bytes(a, in_a, b, in_b)
		       : variables_are_all(a, in_a) && variables_are_all(b, in_b));
}

static bool codes_are_same(const struct cubin_code *a, const struct cubin_code *b)
{
	size_t at_a = 0, at_b = 0;

	for (;;) {
		const Elf64_Shdr *in_a = next_section(a, &at_a), *in_b = next_section(b, &at_b);

		if (!in_a || !in_b)
			return !in_a && !in_b;
		if (!names_correspond(a, in_a, b, in_b) || !sections_are_same(a, in_a, b, in_b))
			return false;
	}
}

bool cubin_entries_are_same(const struct cubin_kernels *first, const struct cubin_kernels *second)
{
	struct cubin_code a = {0}, b = {0};
	const bool same = first->entries->count == second->entries->count && code_read(&a, first) &&
			  code_read(&b, second) && a.header.e_flags == b.header.e_flags &&
			  codes_are_same(&a, &b);

	free(a.bytes);
	free(b.bytes);
	return same;
}
