/*
 * Reads the kernels and the variables of a cubin, an ELF file. Each kernel has a section
 * .nv.info.NAME with one record for each parameter. The format is not documented by NVIDIA; it is
 * that of CUDA 8 to 13.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

#define EM_CUDA_NUMBER 190
#define ABI_OF_CUDA_12 7
#define ABI_OF_CUDA_13 8
#define ENTRY_SECTION ".text."
#define INFO_SECTION ".nv.info."
#define GLOBAL_SECTION ".nv.global" /* and .nv.global.init */
#define CONSTANT_SECTION ".nv.constant3"
#define INFO_FORMAT_VALUES 4 /* a size of 2 bytes and that many bytes follow */
#define INFO_PARAMETER 0x17  /* one parameter of a kernel */

struct cubin_view {
	const unsigned char *bytes;
	size_t length;
	Elf64_Ehdr header;
	const char *names;
	size_t names_length;
};

/* Returns `count` bytes at an offset, or NULL if they are not in the file. */
static const void *view_at(const struct cubin_view *view, uint64_t offset, uint64_t count)
{
	if (offset > view->length || count > view->length - offset)
		return NULL;
	return view->bytes + offset;
}

static int cubin_damaged(struct error *err)
{
	return error_set(err, PL_EPARSE, "the cubin is cut or damaged");
}

static bool section_at(Elf64_Shdr *out, const struct cubin_view *view, size_t index)
{
	uint64_t offset = view->header.e_shoff;
	const void *at;

	if (index >= view->header.e_shnum || offset > view->length)
		return false;
	at = view_at(view, offset + index * sizeof(*out), sizeof(*out));
	if (at)
		memcpy(out, at, sizeof(*out));
	return at != NULL;
}

static const char *section_name(const struct cubin_view *view, const Elf64_Shdr *section)
{
	if (section->sh_name >= view->names_length)
		return "";
	return view->names + section->sh_name;
}

static int view_open(struct cubin_view *view, const void *bytes, size_t length, struct error *err)
{
	Elf64_Shdr names;
	const void *at;

	*view = (struct cubin_view){.bytes = bytes, .length = length};
	if (length < sizeof(view->header) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return error_set(err, PL_EPARSE, "this is no cubin: it is no ELF file");
	memcpy(&view->header, bytes, sizeof(view->header));
	if (view->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    view->header.e_machine != EM_CUDA_NUMBER ||
	    view->header.e_shentsize != sizeof(Elf64_Shdr))
		return error_set(err, PL_EPARSE,
				 "this is no cubin: it is an ELF file of another "
				 "machine");
	if (!section_at(&names, view, view->header.e_shstrndx))
		return cubin_damaged(err);
	at = view_at(view, names.sh_offset, names.sh_size);
	if (!at || !names.sh_size || ((const char *)at)[names.sh_size - 1])
		return cubin_damaged(err);
	view->names = at;
	view->names_length = (size_t)names.sh_size;
	return 0;
}

static uint16_t half_at(const unsigned char *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t word_at(const unsigned char *at)
{
	return half_at(at) | (uint32_t)half_at(at + 2) << 16;
}

/* Takes a record: index, ordinal and offset of a parameter, then its size in the upper 14 bits. */
static bool parameter_take(struct compiled_entry *entry, const unsigned char *value, size_t length)
{
	size_t ordinal, capacity = 0;
	struct compiled_parameter *parameters;
	uint32_t bytes;

	if (length < 12)
		return false;
	ordinal = half_at(value + 4);
	bytes = word_at(value + 8) >> 18;
	if (ordinal >= 4096)
		return false;
	if (ordinal >= entry->parameter_count) {
		parameters = xgrow(entry->parameters, &capacity, ordinal + 1, sizeof(*parameters));
		memset(parameters + entry->parameter_count, 0,
		       (ordinal + 1 - entry->parameter_count) * sizeof(*parameters));
		entry->parameters = parameters;
		entry->parameter_count = ordinal + 1;
	}
	entry->parameters[ordinal] = (struct compiled_parameter){PARAMETER_BYTES, bytes, 1};
	return true;
}

static int parameters_take(struct compiled_entry *entry, const unsigned char *at, size_t length,
			   struct error *err)
{
	for (size_t used = 0; used + 4 <= length;) {
		size_t size = half_at(at + used + 2);
		unsigned char format = at[used], attribute = at[used + 1];

		if (format != INFO_FORMAT_VALUES) {
			used += 4;
			continue;
		}
		if (size > length - used - 4)
			return cubin_damaged(err);
		if (attribute == INFO_PARAMETER && !parameter_take(entry, at + used + 4, size))
			return error_set(err, PL_EPARSE, "the cubin has a malformed parameter");
		used += 4 + size;
	}
	return 0;
}

/* Reads the parameters of the kernel `name`. A kernel without that section has none. */
static int entry_info_read(struct compiled_entry *entry, const struct cubin_view *view,
			   struct error *err)
{
	for (size_t i = 0; i < view->header.e_shnum; i++) {
		Elf64_Shdr section;
		const char *name;
		const void *at;

		if (!section_at(&section, view, i))
			break;
		name = section_name(view, &section);
		if (strncmp(name, INFO_SECTION, strlen(INFO_SECTION)) != 0 ||
		    strcmp(name + strlen(INFO_SECTION), entry->name) != 0)
			continue;
		at = view_at(view, section.sh_offset, section.sh_size);
		if (!at)
			return cubin_damaged(err);
		return parameters_take(entry, at, (size_t)section.sh_size, err);
	}
	return 0;
}

int cubin_arch(const void *bytes, size_t length)
{
	struct cubin_view view;

	if (view_open(&view, bytes, length, NULL))
		return 0;
	switch (view.header.e_ident[EI_ABIVERSION]) {
	case ABI_OF_CUDA_12:
		return (int)(view.header.e_flags & 0xff);
	case ABI_OF_CUDA_13:
		return (int)(view.header.e_flags >> 8 & 0xff);
	default:
		return 0;
	}
}

/* A device executes the machine code of its own major version, up to its minor version. */
bool cubin_arch_runs_on(int arch, int wanted)
{
	return !arch || (arch / 10 == wanted / 10 && arch <= wanted);
}

int cubin_entries_read(struct entry_list *out, const void *bytes, size_t length, struct error *err)
{
	struct entry_list list = {0};
	struct cubin_view view;
	int rc = view_open(&view, bytes, length, err);

	*out = list;
	for (size_t i = 0; !rc && i < view.header.e_shnum; i++) {
		Elf64_Shdr section;
		struct compiled_entry entry = {0};
		const char *name;

		if (!section_at(&section, &view, i)) {
			rc = cubin_damaged(err);
			break;
		}
		name = section_name(&view, &section);
		if (strncmp(name, ENTRY_SECTION, strlen(ENTRY_SECTION)) != 0)
			continue;
		entry.name = xstrdup(name + strlen(ENTRY_SECTION));
		rc = entry_info_read(&entry, &view, err);
		list.items = xgrow(list.items, &list.capacity, list.count + 1, sizeof(*list.items));
		list.items[list.count++] = entry;
	}
	if (rc)
		entry_list_release(&list);
	else
		*out = list;
	return rc;
}

/* ---- variables ---- */

static bool is_variable_section(const struct cubin_view *view, size_t index)
{
	Elf64_Shdr section;

	return section_at(&section, view, index) &&
	       (!strncmp(section_name(view, &section), GLOBAL_SECTION, strlen(GLOBAL_SECTION)) ||
		!strcmp(section_name(view, &section), CONSTANT_SECTION));
}

/* The name at an offset of a section of names; NULL if it does not end there. */
static const char *name_at(const struct cubin_view *view, const Elf64_Shdr *names, uint64_t offset)
{
	const char *at = view_at(view, names->sh_offset, names->sh_size);

	if (!at || offset >= names->sh_size || !memchr(at + offset, 0, names->sh_size - offset))
		return NULL;
	return at + offset;
}

static int symbols_read(struct string_list *out, const struct cubin_view *view,
			const Elf64_Shdr *section, struct error *err)
{
	const unsigned char *symbols = view_at(view, section->sh_offset, section->sh_size);
	Elf64_Shdr names;

	if (!symbols || !section_at(&names, view, section->sh_link))
		return cubin_damaged(err);
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		const char *name;

		memcpy(&symbol, symbols + at, sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT ||
		    !is_variable_section(view, symbol.st_shndx))
			continue;
		name = name_at(view, &names, symbol.st_name);
		if (!name)
			return error_set(err, PL_EPARSE, "the cubin has a malformed symbol");
		string_list_add(out, name);
	}
	return 0;
}

int cubin_variables_read(struct string_list *out, const void *bytes, size_t length,
			 struct error *err)
{
	struct cubin_view view;
	int rc = view_open(&view, bytes, length, err);

	for (size_t i = 0; !rc && i < view.header.e_shnum; i++) {
		Elf64_Shdr section;

		if (!section_at(&section, &view, i))
			rc = cubin_damaged(err);
		else if (section.sh_type == SHT_SYMTAB)
			rc = symbols_read(out, &view, &section, err);
	}
	return rc;
}
