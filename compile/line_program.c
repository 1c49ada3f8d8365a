/*
 * Runs the line programs of a cubin: DWARF 2 to 4 with two opcodes of NVIDIA. ptxas writes version
 * 2 for all architectures.
 *
 * The opcode for an inlined call names the row of the call, counted from 1 in the current sequence,
 * and the function that was called. It holds for all rows until the next one; row 0 ends it. Names
 * are offsets in .debug_str, from a place that follows the list of files.
 */
#include <stdlib.h>
#include <string.h>

#include "compile/line_parts.h"

#define ROW_LIMIT ((size_t)1 << 22)

/* Reads on up to `end`. At the end it gives zeroes, and `cut` is set. */
struct line_cursor {
	const unsigned char *at, *end;
	bool cut;
};

static uint64_t fixed_take(struct line_cursor *cursor, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(cursor->end - cursor->at) < bytes || bytes > sizeof(value)) {
		cursor->cut = true;
		cursor->at = cursor->end;
		return 0;
	}
	memcpy(&value, cursor->at, bytes);
	cursor->at += bytes;
	return value;
}

/* A number of 7 bits a byte. `is_signed`: its last bit is repeated. */
static uint64_t leb_take(struct line_cursor *cursor, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0, byte;

	do {
		byte = (unsigned)fixed_take(cursor, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~UINT64_C(0) << shift;
	return value;
}

static const char *string_take(struct line_cursor *cursor)
{
	const unsigned char *text = cursor->at;
	const unsigned char *end = memchr(text, 0, (size_t)(cursor->end - text));

	cursor->cut |= !end;
	cursor->at = end ? end + 1 : cursor->end;
	return end ? (const char *)text : "";
}

struct line_file {
	const char *name;
	uint64_t folder;
	int64_t whole; /* the index of the name; LINE_NONE: not needed yet */
};

struct line_program {
	unsigned instruction_bytes, opcode_base, line_range;
	int line_base;
	const unsigned char *operand_counts;
	uint64_t names_at; /* in .debug_str */
	const char **folders;
	struct line_file *files;
	size_t folder_count, folder_capacity, file_count, file_capacity;
	/* The state of a sequence */
	size_t code; /* section; 0: unknown */
	uint64_t offset, file, line, call;
	int64_t function;
	int64_t *sequence; /* the frames of its rows */
	size_t sequence_count, sequence_capacity;
};

static void sequence_begin(struct line_program *program)
{
	program->code = 0;
	program->offset = program->call = 0;
	program->file = program->line = 1;
	program->function = LINE_NONE;
	program->sequence_count = 0;
}

static void file_take(struct line_program *program, struct line_cursor *cursor, const char *name)
{
	const uint64_t folder = leb_take(cursor, false);

	leb_take(cursor, false); /* when it was changed */
	leb_take(cursor, false); /* its bytes */
	program->files = xgrow(program->files, &program->file_capacity, program->file_count + 1,
			       sizeof(*program->files));
	program->files[program->file_count++] = (struct line_file){name, folder, LINE_NONE};
}

static void files_take(struct line_program *program, struct line_cursor *cursor)
{
	const char *name;

	while (*(name = string_take(cursor))) {
		program->folders = xgrow(program->folders, &program->folder_capacity,
					 program->folder_count + 1, sizeof(*program->folders));
		program->folders[program->folder_count++] = name;
	}
	while (*(name = string_take(cursor)))
		file_take(program, cursor, name);
}

/* The index of the name of the current file. A number without a file has an empty name. */
static int file_name(int64_t *out, struct line_input *in, struct line_program *program)
{
	struct line_file none = {"", 0, LINE_NONE}, *file = &none;
	const char *folder = "";
	int rc = 0;

	if (program->file && program->file <= program->file_count)
		file = &program->files[program->file - 1];
	if (file->folder && file->folder <= program->folder_count && *file->name != '/')
		folder = program->folders[file->folder - 1];
	if (file->whole == LINE_NONE)
		rc = line_name(&file->whole, in, folder, file->name);
	*out = file->whole;
	return rc;
}

/* The frame that the state stands for. */
static int frame_of_row(int64_t *out, struct line_input *in, struct line_program *program)
{
	struct number_key key = {
		{LINE_NONE, (int64_t)(program->line & INT32_MAX), program->function, LINE_NONE}};
	int rc = file_name(&key.numbers[0], in, program);

	if (program->call && program->call <= program->sequence_count)
		key.numbers[3] = program->sequence[program->call - 1];
	return rc ? rc : line_frame(out, in, &key);
}

/* Adds a row; `ends`: the end of a sequence. */
static int row_add(struct line_input *in, struct line_program *program, bool ends)
{
	struct line_table *table = in->table;
	int64_t frame = LINE_NONE;
	int rc = 0;

	if (table->row_count >= ROW_LIMIT)
		return line_damaged(in, "it has too many lines");
	if (!ends)
		rc = frame_of_row(&frame, in, program);
	if (rc)
		return rc;
	program->sequence = xgrow(program->sequence, &program->sequence_capacity,
				  program->sequence_count + 1, sizeof(*program->sequence));
	program->sequence[program->sequence_count++] = frame;
	table->rows = xgrow(table->rows, &table->row_capacity, table->row_count + 1,
			    sizeof(*table->rows));
	table->rows[table->row_count] =
		(struct line_row){program->offset, program->code, table->row_count, frame};
	table->row_count++;
	return 0;
}

/* Sets the function that following rows are in. */
static int function_set(struct line_input *in, struct line_program *program, uint64_t offset)
{
	const uint64_t at = program->names_at + offset;
	int64_t *known = number_map_at(&in->names, &(struct number_key){{(int64_t)at, 0, 0, 0}});
	const char *name;
	int rc = 0;

	if (*known == LINE_NONE) {
		name = line_text_at(in, &in->strings, at);
		rc = name ? line_name(known, in, "", name)
			  : line_damaged(in, "the name of an inlined function is outside of it");
	}
	program->function = *known;
	return rc;
}

int line_by_place(const void *a, const void *b)
{
	const struct line_relocation *first = a, *second = b;

	return (first->at > second->at) - (first->at < second->at);
}

static void address_set(const struct line_input *in, struct line_program *program,
			const struct line_cursor *operand)
{
	const struct line_relocation key = {
		.at = (uint64_t)((const char *)operand->at - in->bytes) - in->lines.sh_offset};
	const struct line_relocation *found =
		bsearch(&key, in->relocations, in->relocation_count, sizeof(key), line_by_place);

	program->code = found ? found->section : 0;
	program->offset = found ? found->value : 0;
}

enum extended_opcode {
	END_SEQUENCE = 1,
	SET_ADDRESS = 2,
	DEFINE_FILE = 3,
	INLINED_CALL = 0x90,
	SET_FUNCTION = 0x91
};

static int extended_step(struct line_input *in, struct line_program *program,
			 struct line_cursor *cursor)
{
	const uint64_t length = leb_take(cursor, false);
	struct line_cursor operand = {cursor->at, cursor->at, false};
	int rc = 0;

	if (length > (uint64_t)(cursor->end - cursor->at)) {
		cursor->cut = true;
		return 0;
	}
	operand.end = cursor->at += length;
	switch (fixed_take(&operand, length ? 1 : 0)) {
	case END_SEQUENCE:
		rc = row_add(in, program, true);
		sequence_begin(program);
		break;
	case SET_ADDRESS:
		address_set(in, program, &operand);
		break;
	case DEFINE_FILE:
		file_take(program, &operand, string_take(&operand));
		break;
	case INLINED_CALL:
		program->call = leb_take(&operand, false);
		program->function = LINE_NONE;
		if (program->call)
			rc = function_set(in, program, leb_take(&operand, false));
		else
			leb_take(&operand, false);
		break;
	case SET_FUNCTION:
		rc = function_set(in, program, leb_take(&operand, false));
		break;
	}
	cursor->cut |= operand.cut;
	return rc;
}

enum standard_opcode {
	EXTENDED = 0,
	COPY = 1,
	ADVANCE_OFFSET = 2,
	ADVANCE_LINE = 3,
	SET_FILE = 4,
	ADVANCE_AS_255 = 8,
	ADVANCE_FIXED = 9
};

static int step(struct line_input *in, struct line_program *program, struct line_cursor *cursor)
{
	const unsigned opcode = (unsigned)fixed_take(cursor, 1);
	const unsigned special =
		(opcode < program->opcode_base ? 255 : opcode) - program->opcode_base;

	if (opcode >= program->opcode_base) {
		program->offset += special / program->line_range * program->instruction_bytes;
		program->line +=
			(uint64_t)(program->line_base + (int)(special % program->line_range));
		return row_add(in, program, false);
	}
	switch (opcode) {
	case EXTENDED:
		return extended_step(in, program, cursor);
	case COPY:
		return row_add(in, program, false);
	case ADVANCE_OFFSET:
		program->offset += leb_take(cursor, false) * program->instruction_bytes;
		return 0;
	case ADVANCE_LINE:
		program->line += leb_take(cursor, true);
		return 0;
	case SET_FILE:
		program->file = leb_take(cursor, false);
		return 0;
	case ADVANCE_AS_255:
		program->offset += special / program->line_range * program->instruction_bytes;
		return 0;
	case ADVANCE_FIXED:
		program->offset += fixed_take(cursor, 2);
		return 0;
	default: /* columns, statements, blocks */
		for (unsigned i = 0; i < program->operand_counts[opcode - 1]; i++)
			leb_take(cursor, false);
		return 0;
	}
}

/* Reads the head behind its version. False: it is damaged. */
static bool head_take(struct line_program *program, struct line_cursor *cursor, size_t offset_bytes,
		      unsigned version)
{
	const uint64_t length = fixed_take(cursor, offset_bytes);
	struct line_cursor head = {cursor->at, cursor->at, false};

	if (length > (uint64_t)(cursor->end - cursor->at))
		return false;
	head.end = cursor->at += length;
	program->instruction_bytes = (unsigned)fixed_take(&head, 1);
	if (version >= 4)
		fixed_take(&head, 1); /* operations of an instruction */
	fixed_take(&head, 1);         /* whether rows are statements at first */
	program->line_base = (int8_t)fixed_take(&head, 1);
	program->line_range = (unsigned)fixed_take(&head, 1);
	program->opcode_base = (unsigned)fixed_take(&head, 1);
	program->operand_counts = head.at;
	if (!program->line_range || !program->opcode_base ||
	    (size_t)(head.end - head.at) < program->opcode_base - 1)
		return false;
	head.at += program->opcode_base - 1;
	files_take(program, &head);
	if (head.end - head.at >= 4) /* not in DWARF */
		program->names_at = fixed_take(&head, 4);
	return !head.cut;
}

static int program_run(struct line_input *in, struct line_cursor *cursor, size_t offset_bytes)
{
	struct line_program program = {0};
	const unsigned version = (unsigned)fixed_take(cursor, 2);
	int rc = 0;

	if (version < 2 || version > 4)
		return 0;
	if (!head_take(&program, cursor, offset_bytes, version))
		rc = line_damaged(in, "the head of its lines is malformed");
	sequence_begin(&program);
	while (!rc && cursor->at < cursor->end)
		rc = step(in, &program, cursor);
	if (!rc && cursor->cut)
		rc = line_damaged(in, "its lines are cut");
	free(program.folders);
	free(program.files);
	free(program.sequence);
	return rc;
}

int line_programs_run(struct line_input *in)
{
	const unsigned char *first = (const unsigned char *)in->bytes + in->lines.sh_offset;
	struct line_cursor cursor = {first, first + in->lines.sh_size, false};
	int rc = 0;

	while (!rc && cursor.at < cursor.end) {
		size_t offset_bytes = 4;
		uint64_t length = fixed_take(&cursor, 4);
		struct line_cursor unit = {NULL, NULL, false};

		if (length == UINT32_MAX) {
			offset_bytes = 8;
			length = fixed_take(&cursor, 8);
		}
		if (cursor.cut || length > (uint64_t)(cursor.end - cursor.at))
			return line_damaged(in, "its lines are cut");
		unit.at = cursor.at;
		unit.end = cursor.at += length;
		rc = program_run(in, &unit, offset_bytes);
	}
	return rc;
}
