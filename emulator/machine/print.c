/*
 * printf and assert of device code. Formats and arguments come from device
 * memory and may be wrong: all reads are bounded, and an unknown conversion is
 * printed unchanged.
 */
#include "emulator/machine/control.h"
#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/undefined/undefined.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What printf writes in one launch: a ring of texts, each with a null byte at its end. As on a GPU,
 * it is kept until the launch ends, and new text takes the place of the oldest when there is too
 * much of it. A GPU has 1 MiB for the arguments of the calls; here it is 1 MiB of text.
 */
#define PRINT_FIFO_BYTES ((size_t)1 << 20)

struct print_fifo {
	char ring[PRINT_FIFO_BYTES];
	size_t begin, length;
	uint64_t lost, lost_bytes;
};

/* Removes the oldest text, and appends it to *out unless that is NULL. Returns its length. */
static size_t take_oldest(struct print_fifo *fifo, struct text *out)
{
	size_t length = 0;
	char next;

	while ((next = fifo->ring[(fifo->begin + length) % PRINT_FIFO_BYTES])) {
		if (out)
			text_add_char(out, next);
		length++;
	}
	fifo->begin = (fifo->begin + length + 1) % PRINT_FIFO_BYTES;
	fifo->length -= length + 1;
	return length;
}

static void print_fifo_add(struct print_fifo **fifo, const char *text)
{
	const size_t bytes = strlen(text) + 1;
	struct print_fifo *to = *fifo;

	if (!to)
		to = *fifo = xcalloc(1, sizeof(*to));
	while (to->length && to->length + bytes > PRINT_FIFO_BYTES) {
		to->lost_bytes += take_oldest(to, NULL);
		to->lost++;
	}
	if (bytes > PRINT_FIFO_BYTES) {
		to->lost_bytes += bytes - 1;
		to->lost++;
		return;
	}
	for (size_t i = 0; i < bytes; i++)
		to->ring[(to->begin + to->length + i) % PRINT_FIFO_BYTES] = text[i];
	to->length += bytes;
}

void print_fifo_flush(struct print_fifo *fifo, const struct emulated_launch *launch)
{
	struct text text = TEXT_INIT;

	if (!fifo)
		return;
	if (fifo->lost) {
		text_addf(&text,
			  "... the first %" PRIu64 " outputs of printf in this launch (%" PRIu64
			  " bytes) are lost: the last 1 MiB is kept, as on a GPU\n",
			  fifo->lost, fifo->lost_bytes);
		launch->print(launch->print_context, text.data);
	}
	while (fifo->length) {
		text_clear(&text);
		take_oldest(fifo, &text);
		launch->print(launch->print_context, text.data ? text.data : "");
	}
	text_release(&text);
	free(fifo);
}

#define STRING_MOST_BYTES 4096
#define FIELD_MOST 1024 /* width and precision */

/* The host bytes at a generic address of a lane; *count: bytes to the end. NULL: no memory there.
 */
static const unsigned char *bytes_at(const struct warp *warp, int lane, uint64_t address,
				     uint64_t *count)
{
	const struct launch *launch = warp->block->launch;
	const struct allocation *in;

	if (address - SHARED_WINDOW < (uint64_t)launch->shared_bytes) {
		*count = (uint64_t)launch->shared_bytes - (address - SHARED_WINDOW);
		return warp->block->shared + (address - SHARED_WINDOW);
	}
	if (address - LOCAL_WINDOW < warp->local_bytes) {
		*count = warp->local_bytes - (address - LOCAL_WINDOW);
		return warp->local + (size_t)lane * warp->local_bytes + (address - LOCAL_WINDOW);
	}
	in = device_memory_find(launch->memory, 0, address);
	if (!in)
		return NULL;
	*count = in->bytes - (address - in->address);
	return in->data + (address - in->address);
}

static bool copy_device_string(char out[STRING_MOST_BYTES], const struct warp *warp, int lane,
			       uint64_t address)
{
	uint64_t count;
	const unsigned char *bytes = bytes_at(warp, lane, address, &count);

	if (!bytes)
		return false;
	if (count > STRING_MOST_BYTES - 1)
		count = STRING_MOST_BYTES - 1;
	memcpy(out, bytes, count);
	out[count] = '\0';
	return true;
}

/* The arguments of a lane as the compiler packs them: each at a multiple of its size. */
struct arguments {
	struct warp *warp;
	const struct instruction *at;
	int lane;
	uint64_t address;
	uint32_t taken;
};

/* Bytes outside of memory read as zeroes. */
static uint64_t next_argument(struct arguments *arguments, uint64_t bytes)
{
	uint64_t value = 0, count;
	const unsigned char *at;

	arguments->address = (arguments->address + bytes - 1) / bytes * bytes;
	at = bytes_at(arguments->warp, arguments->lane, arguments->address, &count);
	if (at && count >= bytes)
		memcpy(&value, at, bytes);
	if (at && count >= bytes && arguments->warp->block->launch->follower)
		undefined_use(arguments->warp, arguments->at, arguments->lane, arguments->address,
			      (unsigned)bytes);
	arguments->address += bytes;
	arguments->taken++;
	return value;
}

/* One conversion, from "%" to its letter. */
struct conversion {
	char flags[8];
	int width, precision; /* -1: not given */
	uint64_t bytes;       /* of an integer */
	char letter;
	size_t length; /* in the format; 0: unknown conversion */
};

static int read_field_number(const char **at, struct arguments *arguments)
{
	int64_t number = 0;

	if (**at == '*') {
		(*at)++;
		number = (int32_t)next_argument(arguments, 4);
	} else {
		for (; **at >= '0' && **at <= '9'; (*at)++)
			number = number > FIELD_MOST ? number : number * 10 + (**at - '0');
	}
	return number < -FIELD_MOST ? -FIELD_MOST : number > FIELD_MOST ? FIELD_MOST : (int)number;
}

static struct conversion read_conversion(const char *format, struct arguments *arguments)
{
	struct conversion read = {.width = -1, .precision = -1, .bytes = 4};
	const char *at = format + 1;
	size_t flags = 0;

	for (; *at && strchr("-+ #0", *at); at++)
		if (flags + 2 < sizeof(read.flags))
			read.flags[flags++] = *at;
	if (*at == '*' || (*at >= '1' && *at <= '9'))
		read.width = read_field_number(&at, arguments);
	if (read.width < -1) {
		read.flags[flags++] = '-';
		read.width = -read.width;
	}
	if (*at == '.') {
		at++;
		read.precision = read_field_number(&at, arguments);
	}
	for (; *at && strchr("hlLzjt", *at); at++)
		if (*at != 'h' && *at != 'L')
			read.bytes = 8;
	if (*at && strchr("diouxXcsfFeEgGaAp%", *at)) {
		read.letter = *at;
		read.length = (size_t)(at + 1 - format);
	}
	return read;
}

static void add_string(struct text *out, const struct conversion *read, const char *format,
		       struct arguments *arguments)
{
	char string[STRING_MOST_BYTES], field[STRING_MOST_BYTES + FIELD_MOST];

	if (!copy_device_string(string, arguments->warp, arguments->lane,
				next_argument(arguments, 8)))
		strcpy(string, "(null)");
	snprintf(field, sizeof(field), format, read->width < 0 ? 0 : read->width,
		 read->precision < 0 ? STRING_MOST_BYTES : read->precision, string);
	text_add(out, field);
}

static void add_conversion(struct text *out, const struct conversion *read,
			   struct arguments *arguments)
{
	char format[24], field[2 * FIELD_MOST];
	int width = read->width < 0 ? 0 : read->width;
	uint64_t bits;
	double number;

	switch (read->letter) {
	case '%':
		text_add_char(out, '%');
		return;
	case 's':
		snprintf(format, sizeof(format), "%%%s*.*s", read->flags);
		add_string(out, read, format, arguments);
		return;
	case 'c':
		snprintf(format, sizeof(format), "%%%s*c", read->flags);
		snprintf(field, sizeof(field), format, width, (int)next_argument(arguments, 4));
		break;
	case 'p':
		snprintf(format, sizeof(format), "%%%s*p", read->flags);
		snprintf(field, sizeof(field), format, width,
			 (void *)(uintptr_t)next_argument(arguments, 8));
		break;
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		bits = next_argument(arguments, read->bytes);
		if (read->bytes == 4 && (read->letter == 'd' || read->letter == 'i'))
			bits = (uint64_t)(int64_t)(int32_t)bits;
		snprintf(format, sizeof(format), "%%%s*.*ll%c", read->flags, read->letter);
		snprintf(field, sizeof(field), format, width, read->precision,
			 (unsigned long long)bits);
		break;
	default:
		bits = next_argument(arguments, 8);
		memcpy(&number, &bits, sizeof(number));
		snprintf(format, sizeof(format), "%%%s*.*%c", read->flags, read->letter);
		snprintf(field, sizeof(field), format, width, read->precision, number);
		break;
	}
	text_add(out, field);
}

static void format_lane(struct text *out, const char *format, struct arguments *arguments)
{
	while (*format) {
		size_t plain = strcspn(format, "%");
		struct conversion read;

		text_add_bytes(out, format, plain);
		format += plain;
		if (!*format)
			return;
		read = read_conversion(format, arguments);
		if (read.length)
			add_conversion(out, &read, arguments);
		else
			text_add_char(out, '%');
		format += read.length ? read.length : 1;
	}
}

enum step run_print(struct warp *warp, const struct instruction *at)
{
	struct launch *launch = warp->block->launch;
	char format[STRING_MOST_BYTES];
	struct text text = TEXT_INIT;

	EACH_BIT(lane, warp->active) {
		struct arguments arguments = {.warp = warp,
					      .at = at,
					      .lane = lane,
					      .address = lane_value(warp, at->b, 8, lane)};
		int32_t result = -1;

		if (copy_device_string(format, warp, lane, lane_value(warp, at->a, 8, lane))) {
			text_clear(&text);
			format_lane(&text, format, &arguments);
			result = (int32_t)arguments.taken;
			if (launch->what.print)
				print_fifo_add(&launch->printed, text.data);
		}
		lane_set(warp, at->dst, 4, lane, (uint32_t)result);
	}
	text_release(&text);
	return STEP_NEXT;
}

enum step run_assertion(struct warp *warp, const struct instruction *at)
{
	int lane = __builtin_ctz(warp->active);
	char message[STRING_MOST_BYTES], file[STRING_MOST_BYTES];

	if (!at->a || !copy_device_string(message, warp, lane, lane_value(warp, at->a, 8, lane)))
		strcpy(message, "the assertion");
	if (!at->b || !copy_device_string(file, warp, lane, lane_value(warp, at->b, 8, lane)))
		strcpy(file, "?");
	return warp_finding(warp, at, lane, FINDING_ASSERTION, "%.200s is false (%.200s:%u)",
			    message, file, (unsigned)lane_value(warp, at->c, 4, lane));
}
