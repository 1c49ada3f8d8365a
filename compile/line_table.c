/* Reads .debug_line of a cubin and what belongs to it. */
#include "compile/line_table.h"

#include <stdlib.h>
#include <string.h>

#include "compile/line_parts.h"

#define EM_CUDA_NUMBER 190
#define TEXT_SECTION ".text."

/* The bytes that names may take, for each byte of the file: parts of it can be in several names. */
#define NAME_BYTES_PER_BYTE 8
#define NAME_BYTES_MIN 4096

/* ---- the file ---- */

static bool inside(const struct line_input *in, const Elf64_Shdr *section)
{
	return section->sh_type != SHT_NOBITS && section->sh_offset <= in->length &&
	       section->sh_size <= in->length - section->sh_offset;
}

static bool section_at(Elf64_Shdr *out, const struct line_input *in, size_t index)
{
	const uint64_t at = in->header.e_shoff;

	if (index >= in->header.e_shnum || at > in->length ||
	    (index + 1) * sizeof(*out) > in->length - at)
		return false;
	memcpy(out, in->bytes + at + index * sizeof(*out), sizeof(*out));
	return true;
}

static bool is_named(const struct line_input *in, const Elf64_Shdr *section, const char *name)
{
	const size_t bytes = strlen(name) + 1;
	const Elf64_Shdr *names = &in->section_names;

	return section->sh_name < names->sh_size && bytes <= names->sh_size - section->sh_name &&
	       !memcmp(in->bytes + names->sh_offset + section->sh_name, name, bytes);
}

/* Keeps a section that is wanted. Of several with one name it is the last one. */
static int section_take(struct line_input *in, size_t index)
{
	Elf64_Shdr section, *kept = NULL;

	if (!section_at(&section, in, index))
		return line_damaged(in, "it is cut");
	if (section.sh_type == SHT_SYMTAB)
		kept = &in->symbols;
	else if (is_named(in, &section, ".debug_line"))
		kept = &in->lines;
	else if (is_named(in, &section, ".debug_str"))
		kept = &in->strings;
	else if (is_named(in, &section, ".rela.debug_line") ||
		 is_named(in, &section, ".rel.debug_line"))
		kept = &in->places;
	if (kept && !inside(in, &section))
		return line_damaged(in, "a section is outside of the file");
	if (kept)
		*kept = section;
	return 0;
}

static int sections_take(struct line_input *in)
{
	int rc = 0;

	if (in->length < sizeof(in->header) || memcmp(in->bytes, ELFMAG, SELFMAG) != 0)
		return error_set(in->err, PL_EPARSE, "this is no cubin: it is no ELF file");
	memcpy(&in->header, in->bytes, sizeof(in->header));
	if (in->header.e_ident[EI_CLASS] != ELFCLASS64 || in->header.e_machine != EM_CUDA_NUMBER)
		return error_set(in->err, PL_EPARSE,
				 "this is no cubin: it is an ELF file of another machine");
	if (in->header.e_shentsize != sizeof(Elf64_Shdr) ||
	    !section_at(&in->section_names, in, in->header.e_shstrndx) ||
	    !inside(in, &in->section_names))
		return line_damaged(in, "it has no names of sections");
	for (size_t i = 0; !rc && i < in->header.e_shnum; i++)
		rc = section_take(in, i);
	return rc;
}

/* ---- what the addresses in the lines stand for ---- */

static bool relocation_take(struct line_relocation *out, const struct line_input *in,
			    const Elf64_Rela *from)
{
	const uint64_t index = ELF64_R_SYM(from->r_info);
	uint64_t addend = (uint64_t)from->r_addend;
	Elf64_Sym symbol;

	if (index >= in->symbols.sh_size / sizeof(symbol) || from->r_offset > in->lines.sh_size ||
	    in->lines.sh_size - from->r_offset < sizeof(addend))
		return false;
	memcpy(&symbol, in->bytes + in->symbols.sh_offset + index * sizeof(symbol), sizeof(symbol));
	if (in->places.sh_type == SHT_REL)
		memcpy(&addend, in->bytes + in->lines.sh_offset + from->r_offset, sizeof(addend));
	*out = (struct line_relocation){from->r_offset, symbol.st_value + addend, symbol.st_shndx};
	return true;
}

static int relocations_take(struct line_input *in)
{
	const size_t size = in->places.sh_type == SHT_REL ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
	const char *from = in->bytes + in->places.sh_offset;

	in->relocation_count = in->places.sh_size / size;
	in->relocations = xcalloc(in->relocation_count + 1, sizeof(*in->relocations));
	for (size_t i = 0; i < in->relocation_count; i++) {
		Elf64_Rela relocation = {0};

		memcpy(&relocation, from + i * size, size);
		if (!relocation_take(&in->relocations[i], in, &relocation))
			return line_damaged(in, "a relocation is outside of its lines");
	}
	qsort(in->relocations, in->relocation_count, sizeof(*in->relocations), line_by_place);
	return 0;
}

/* ---- the table ---- */

/* A row counts more than an end at the same offset, and of several rows the last one. */
static int by_offset(const void *a, const void *b)
{
	const struct line_row *first = a, *second = b;

	if (first->section != second->section)
		return first->section < second->section ? -1 : 1;
	if (first->offset != second->offset)
		return first->offset < second->offset ? -1 : 1;
	if ((first->frame == LINE_NONE) != (second->frame == LINE_NONE))
		return first->frame == LINE_NONE ? -1 : 1;
	return (first->order > second->order) - (first->order < second->order);
}

static int function_add(struct line_input *in, size_t first, size_t count)
{
	struct line_table *table = in->table;
	const char *name = NULL;
	Elf64_Shdr section;
	int64_t at;
	int rc;

	if (section_at(&section, in, table->rows[first].section))
		name = line_text_at(in, &in->section_names, section.sh_name);
	if (!name || strncmp(name, TEXT_SECTION, strlen(TEXT_SECTION)) != 0)
		return 0;
	rc = line_name(&at, in, "", name + strlen(TEXT_SECTION));
	if (rc)
		return rc;
	name = table->names.items[at];
	if (name_index_find(&table->function_index, name) != NO_NAME)
		return line_damaged(in, "two functions have one name");
	table->functions = xgrow(table->functions, &table->function_capacity,
				 table->function_count + 1, sizeof(*table->functions));
	table->functions[table->function_count] = (struct line_function){first, count};
	name_index_add(&table->function_index, name, table->function_count++);
	return 0;
}

static int functions_find(struct line_input *in)
{
	struct line_table *table = in->table;
	int rc = 0;

	if (table->row_count)
		qsort(table->rows, table->row_count, sizeof(*table->rows), by_offset);
	for (size_t first = 0, next = 0; !rc && first < table->row_count; first = next) {
		while (next < table->row_count &&
		       table->rows[next].section == table->rows[first].section)
			next++;
		rc = function_add(in, first, next - first);
	}
	return rc;
}

int line_table_read(struct line_table **out, const void *bytes, size_t length, struct error *err)
{
	struct line_input in = {.bytes = bytes,
				.length = length,
				.name_bytes = NAME_BYTES_MIN + NAME_BYTES_PER_BYTE * length,
				.err = err};
	int rc;

	in.table = xcalloc(1, sizeof(*in.table));
	rc = sections_take(&in);
	if (!rc)
		rc = relocations_take(&in);
	if (!rc)
		rc = line_programs_run(&in);
	if (!rc)
		rc = functions_find(&in);
	free(in.relocations);
	free(in.frames.slots);
	free(in.names.slots);
	free(in.depths);
	if (rc) {
		line_table_free(in.table);
		in.table = NULL;
	}
	*out = in.table;
	return rc;
}

void line_table_free(struct line_table *table)
{
	if (!table)
		return;
	free(table->frames);
	free(table->rows);
	free(table->functions);
	string_list_release(&table->names);
	name_index_release(&table->name_index);
	name_index_release(&table->function_index);
	free(table);
}

int64_t line_table_find(const struct line_table *table, const char *function, uint64_t offset)
{
	const size_t at = name_index_find(&table->function_index, function);
	const struct line_row *rows;
	size_t low = 0, high;

	if (at == NO_NAME)
		return LINE_NONE;
	rows = table->rows + table->functions[at].first;
	high = table->functions[at].count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (rows[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? rows[low - 1].frame : LINE_NONE;
}

size_t line_table_count(const struct line_table *table)
{
	return table->frame_count;
}

const struct source_frame *line_table_frame(const struct line_table *table, int64_t index)
{
	return &table->frames[index];
}
