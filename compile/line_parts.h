/* What the readers of source lines share: line_table.c, line_program.c and line_frames.c. */
#ifndef COMPILE_LINE_PARTS_H
#define COMPILE_LINE_PARTS_H

#include <elf.h>

#include "compile/line_table.h"

#define LINE_NONE (-1)

struct number_key {
	int64_t numbers[4];
};
struct number_slot {
	struct number_key key;
	int64_t at; /* LINE_NONE: free */
};
/* From four numbers to an index. */
struct number_map {
	struct number_slot *slots;
	size_t slot_count, count;
};

struct line_row {
	uint64_t offset;
	size_t section, order;
	int64_t frame; /* LINE_NONE: a sequence ends here */
};

/* The rows of a section, from `first` on. */
struct line_function {
	size_t first, count;
};

struct line_table {
	struct source_frame *frames;
	size_t frame_count, frame_capacity;
	struct line_row *rows; /* by section and offset */
	size_t row_count, row_capacity;
	struct line_function *functions;
	size_t function_count, function_capacity;
	struct string_list names; /* files and functions */
	struct name_index name_index, function_index;
};

/* A place in .debug_line that holds the address of code. */
struct line_relocation {
	uint64_t at, value;
	size_t section;
};

struct line_input {
	struct line_table *table;
	const char *bytes;
	size_t length, name_bytes; /* name_bytes: that names may still take */
	Elf64_Ehdr header;
	/* all zeroes: not there. places: of addresses in the lines */
	Elf64_Shdr section_names, strings, symbols, lines, places;
	struct line_relocation *relocations; /* by place */
	size_t relocation_count;
	struct number_map frames; /* file, line, function, caller */
	struct number_map names;  /* offset in .debug_str */
	unsigned short *depths;   /* of frames */
	size_t depth_capacity;
	struct error *err;
};

/* ---- names and frames (line_frames.c) ---- */

int line_damaged(const struct line_input *in, const char *what);
/* The text at an offset of a section of names; NULL: it does not end there. */
const char *line_text_at(const struct line_input *in, const Elf64_Shdr *section, uint64_t offset);
/* The value of a key; LINE_NONE: it is new, and the caller sets it. */
int64_t *number_map_at(struct number_map *map, const struct number_key *key);
/* The index of FOLDER/NAME, or of the name if the folder is "". PL_EPARSE: names take too much. */
int line_name(int64_t *out, struct line_input *in, const char *folder, const char *name);
/* The frame with a file, a line, a function and a caller. PL_EPARSE: it has too many callers. */
int line_frame(int64_t *out, struct line_input *in, const struct number_key *key);

/* ---- line programs (line_program.c) ---- */

/* Adds the rows of all line programs of a cubin. */
int line_programs_run(struct line_input *in);
/* Compares relocations, for a search. */
int line_by_place(const void *a, const void *b);

#endif
