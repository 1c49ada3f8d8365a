#include "record/elf.h"

#include <elf.h>
#include <string.h>

#define TEXT_PREFIX ".text."

/* A file whose section table lies within it. */
struct elf_file {
	const unsigned char *bytes;
	size_t size;
	Elf64_Ehdr header;
	const char *names; /* of sections */
	size_t name_bytes;
};

bool elf_is(const void *bytes, size_t size)
{
	return size >= sizeof(Elf64_Ehdr) && !memcmp(bytes, ELFMAG, SELFMAG) &&
	       ((const unsigned char *)bytes)[EI_CLASS] == ELFCLASS64;
}

static bool range_fits(uint64_t offset, uint64_t bytes, size_t size)
{
	return offset <= size && bytes <= size - offset;
}

static bool section_at(Elf64_Shdr *out, const struct elf_file *file, size_t index)
{
	if (index >= file->header.e_shnum)
		return false;
	memcpy(out, file->bytes + file->header.e_shoff + index * sizeof(*out), sizeof(*out));
	return out->sh_type == SHT_NOBITS || range_fits(out->sh_offset, out->sh_size, file->size);
}

static bool open_elf(struct elf_file *out, const void *bytes, size_t size)
{
	Elf64_Shdr names;

	*out = (struct elf_file){.bytes = bytes, .size = size};
	if (!elf_is(bytes, size))
		return false;
	memcpy(&out->header, bytes, sizeof(out->header));
	if (out->header.e_shentsize != sizeof(Elf64_Shdr) ||
	    !range_fits(out->header.e_shoff, (uint64_t)out->header.e_shnum * sizeof(Elf64_Shdr),
			size) ||
	    !section_at(&names, out, out->header.e_shstrndx) || names.sh_type == SHT_NOBITS)
		return false;
	out->names = (const char *)bytes + names.sh_offset;
	out->name_bytes = names.sh_size;
	return true;
}

/* NULL: the name does not end within its table. */
static const char *string_at(const char *table, size_t bytes, size_t offset)
{
	return offset < bytes && memchr(table + offset, 0, bytes - offset) ? table + offset : NULL;
}

size_t elf_size(const void *bytes, size_t most)
{
	Elf64_Ehdr header;
	uint64_t end;

	if (!elf_is(bytes, most))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	end = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
	if (header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize > end)
		end = header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize;
	if (header.e_shoff > most || end > most)
		return 0;
	for (size_t i = 0; i < header.e_shnum && header.e_shentsize == sizeof(Elf64_Shdr); i++) {
		Elf64_Shdr section;

		memcpy(&section, (const char *)bytes + header.e_shoff + i * sizeof(section),
		       sizeof(section));
		if (section.sh_type != SHT_NOBITS && section.sh_offset + section.sh_size > end)
			end = section.sh_offset + section.sh_size;
	}
	return end <= most ? (size_t)end : 0;
}

bool elf_each_kernel(const void *bytes, size_t size, bool (*each)(void *context, const char *name),
		     void *context)
{
	struct elf_file file;

	if (!open_elf(&file, bytes, size))
		return false;
	for (size_t i = 0; i < file.header.e_shnum; i++) {
		Elf64_Shdr section;
		const char *name;

		if (!section_at(&section, &file, i))
			continue;
		name = string_at(file.names, file.name_bytes, section.sh_name);
		if (name && !strncmp(name, TEXT_PREFIX, strlen(TEXT_PREFIX)) &&
		    each(context, name + strlen(TEXT_PREFIX)))
			return true;
	}
	return false;
}

static bool is_named(void *context, const char *name)
{
	return !strcmp(context, name);
}

bool elf_has_kernel(const void *bytes, size_t size, const char *kernel)
{
	return elf_each_kernel(bytes, size, is_named, (void *)(uintptr_t)kernel);
}

#define CONSTANT_SECTION ".nv.constant3"

/* Whether the symbol is a variable of the file. `names` is the table of its name. */
static bool describe_variable(struct elf_variable *out, const struct elf_file *file,
			      const Elf64_Sym *symbol, const Elf64_Shdr *names)
{
	const char *section_name;
	Elf64_Shdr section;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || !symbol->st_size ||
	    !section_at(&section, file, symbol->st_shndx))
		return false;
	section_name = string_at(file->names, file->name_bytes, section.sh_name);
	/* Variables lie in .nv.global, .nv.global.init and, if they are constant, .nv.constant3. */
	if (!section_name ||
	    (strcmp(section_name, ".nv.global") && strcmp(section_name, ".nv.global.init") &&
	     strcmp(section_name, CONSTANT_SECTION)) ||
	    !range_fits(symbol->st_value, symbol->st_size, section.sh_size))
		return false;
	*out = (struct elf_variable){
		.name = string_at((const char *)file->bytes + names->sh_offset, names->sh_size,
				  symbol->st_name),
		.bytes = symbol->st_size,
		.initial = section.sh_type == SHT_NOBITS
				   ? NULL
				   : file->bytes + section.sh_offset + symbol->st_value,
		.constant = !strcmp(section_name, CONSTANT_SECTION),
	};
	return out->name && *out->name;
}

static void each_in_table(const struct elf_file *file, const Elf64_Shdr *symbols,
			  void (*each)(void *context, const struct elf_variable *variable),
			  void *context)
{
	Elf64_Shdr names;

	if (!section_at(&names, file, symbols->sh_link) || names.sh_type == SHT_NOBITS)
		return;
	for (size_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); i++) {
		struct elf_variable variable;
		Elf64_Sym symbol;

		memcpy(&symbol, file->bytes + symbols->sh_offset + i * sizeof(symbol),
		       sizeof(symbol));
		if (describe_variable(&variable, file, &symbol, &names))
			each(context, &variable);
	}
}

void elf_each_variable(const void *bytes, size_t size,
		       void (*each)(void *context, const struct elf_variable *variable),
		       void *context)
{
	struct elf_file file;

	if (!open_elf(&file, bytes, size))
		return;
	for (size_t i = 0; i < file.header.e_shnum; i++) {
		Elf64_Shdr section;

		if (section_at(&section, &file, i) && section.sh_type == SHT_SYMTAB)
			each_in_table(&file, &section, each, context);
	}
}
