#include <ctype.h>
#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "record/fatbin.h"

/* ---- PTX text, which may have hundreds of megabytes ---- */

#define ENTRY ".entry"
#define VERSION ".version"

static bool name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || byte == '%' ||
	       byte == '.';
}

/* Skips blanks and comments. Returns `end` if nothing else is left. */
static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end) {
		const char *stop = NULL;

		if (isspace((unsigned char)*at)) {
			at++;
			continue;
		}
		if (end - at < 2 || at[0] != '/')
			break;
		if (at[1] == '/')
			stop = memchr(at, '\n', (size_t)(end - at));
		else if (at[1] == '*')
			stop = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
		else
			break;
		if (!stop)
			return end;
		at = stop + (*stop == '\n' ? 1 : 2);
	}
	return at;
}

/* Whether what follows the name is a body. A declaration ends with ';' instead. */
static bool body_follows(const char *at, const char *end)
{
	while (at < end && *at != '{' && *at != ';') {
		const char *next = skip_blanks(at, end);

		at = next > at ? next : at + 1;
	}
	return at < end && *at == '{';
}

bool ptx_defines_entry(const char *text, size_t bytes, const char *entry)
{
	const char *end = text + bytes;
	size_t length = strlen(entry);

	for (const char *at = text; length; at += strlen(ENTRY)) {
		const char *name, *line;

		at = memmem(at, (size_t)(end - at), ENTRY, strlen(ENTRY));
		if (!at)
			break;
		name = skip_blanks(at + strlen(ENTRY), end);
		if ((size_t)(end - name) <= length || memcmp(name, entry, length) != 0 ||
		    name_byte(name[length]))
			continue;
		line = memrchr(text, '\n', (size_t)(at - text));
		line = line ? line + 1 : text;
		if (!memmem(line, (size_t)(at - line), "//", 2) && body_follows(name + length, end))
			return true;
	}
	return false;
}

bool ptx_is(const char *bytes, size_t size)
{
	const char *end = bytes + size;
	const char *at = skip_blanks(bytes, end);

	return (size_t)(end - at) >= strlen(VERSION) && !memcmp(at, VERSION, strlen(VERSION));
}

/* ---- fat binaries: a header and then entries, each with a header and a payload: PTX or machine
 * code for one architecture, perhaps compressed ---- */

#define WRAPPER_MAGIC 0x466243B1u
#define WRAPPER_LINKED 2 /* version: a list of fat binaries that were linked follows */
#define FATBIN_MAGIC 0xBA55ED50u
#define ENTRY_PTX 1
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define FLAG_ARCHITECTURE 0x100000u /* compute_90a: for this architecture only */
#define FLAG_FAMILY 0x200000u       /* compute_100f: for 10.0 and later of 10.x */

/* What nvcc writes beside a fat binary, and hands over to the runtime. */
struct fatbin_wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *linked; /* ends with NULL; only of version WRAPPER_LINKED */
};

struct fatbin_header {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes; /* of all entries */
};

struct fatbin_entry {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t bytes; /* of the payload, padded */
	uint32_t compressed_bytes;
	uint32_t options_offset;
	uint16_t minor, major; /* of the language */
	uint32_t target;
	uint32_t name_offset, name_bytes;
	uint64_t flags, unknown;
	uint64_t text_bytes; /* of the payload without compression */
};

_Static_assert(sizeof(struct fatbin_header) == 16, "the header has 16 bytes");
_Static_assert(sizeof(struct fatbin_entry) == 64, "the header of an entry has 64 bytes");

/* A PTX entry of a fat binary. */
struct ptx_part {
	struct fatbin_entry header;
	const unsigned char *payload;
	int rank;     /* the smaller, the better for the device */
	size_t index; /* order in the fat binary */
};

struct ptx_parts {
	struct ptx_part *items;
	size_t count, capacity;
};

/* Text may be shorter than any header, so the first byte decides whether the others are read. */
static bool has_magic(const void *image, uint32_t magic)
{
	return *(const unsigned char *)image == (magic & 0xff) &&
	       !memcmp(image, &magic, sizeof(magic));
}

/* The bytes of a fat binary; 0: it is none, or has more than most_bytes. */
static size_t fatbin_bytes(const void *image, size_t most_bytes)
{
	struct fatbin_header header;

	if (most_bytes < sizeof(header) || !has_magic(image, FATBIN_MAGIC))
		return 0;
	memcpy(&header, image, sizeof(header));
	if (header.header_bytes < sizeof(header) || header.header_bytes > most_bytes ||
	    header.bytes > most_bytes - header.header_bytes)
		return 0;
	return header.header_bytes + (size_t)header.bytes;
}

/* The bytes of PTX text with its zero byte; 0: it is none, or has more than most_bytes. */
static size_t text_bytes(const char *image, size_t most_bytes)
{
	size_t length;

	if (!isspace((unsigned char)*image) && *image != '/' && *image != '.')
		return 0;
	length = strnlen(image, most_bytes);
	return length < most_bytes && ptx_is(image, length) ? length + 1 : 0;
}

static const void *sized_part(const void *image, size_t most_bytes, size_t *bytes)
{
	if (!image || !most_bytes)
		return NULL;
	*bytes = fatbin_bytes(image, most_bytes);
	if (!*bytes)
		*bytes = text_bytes(image, most_bytes);
	return *bytes ? image : NULL;
}

bool fatbin_is_wrapped(const void *image)
{
	return has_magic(image, WRAPPER_MAGIC);
}

const void *fatbin_part(const void *image, size_t part, size_t most_bytes, size_t *bytes)
{
	struct fatbin_wrapper wrapper;

	*bytes = 0;
	if (!image || !fatbin_is_wrapped(image))
		return part ? NULL : sized_part(image, most_bytes, bytes);
	memcpy(&wrapper, image, sizeof(wrapper));
	if (!part)
		return sized_part(wrapper.data, most_bytes, bytes);
	if (wrapper.version != WRAPPER_LINKED || !wrapper.linked)
		return NULL;
	for (size_t i = 0; i + 1 < part; i++) {
		if (!wrapper.linked[i])
			return NULL;
	}
	return sized_part(wrapper.linked[part - 1], most_bytes, bytes);
}

static char target_feature(const struct fatbin_entry *entry)
{
	if (entry->flags & FLAG_ARCHITECTURE)
		return 'a';
	return entry->flags & FLAG_FAMILY ? 'f' : '\0';
}

static int target_rank(const struct fatbin_entry *entry, int cc)
{
	int target = entry->target < 10000 ? (int)entry->target : 10000;
	char feature = target_feature(entry);
	bool runs = target <= cc;

	if (feature == 'a')
		runs = target == cc;
	else if (feature == 'f')
		runs = runs && target / 10 == cc / 10;
	/* If two are for one architecture, the one with more features was made for this device. */
	return (runs ? 0 : 40000) + 2 * abs(cc - target) + (feature ? 0 : 1);
}

static int compare_parts(const void *a, const void *b)
{
	const struct ptx_part *left = a;
	const struct ptx_part *right = b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

/* Lists the PTX entries, the best for `cc` first. After an error the list has those before it. */
static int list_parts(struct ptx_parts *parts, const unsigned char *data, size_t bytes, int cc,
		      struct error *err)
{
	struct fatbin_header header;
	struct fatbin_entry entry;
	size_t at;
	int rc = 0;

	memcpy(&header, data, sizeof(header));
	for (at = header.header_bytes; at < bytes;) {
		size_t left = bytes - at;

		if (left >= sizeof(entry))
			memcpy(&entry, data + at, sizeof(entry));
		if (left < sizeof(entry) || entry.header_bytes < sizeof(entry) ||
		    entry.header_bytes > left || entry.bytes > left - entry.header_bytes ||
		    entry.compressed_bytes > entry.bytes) {
			rc = error_set(err, PL_EPARSE,
				       "the entry at byte %zu of the fat binary ends behind it",
				       at);
			break;
		}
		if (entry.kind == ENTRY_PTX) {
			parts->items = xgrow(parts->items, &parts->capacity, parts->count + 1,
					     sizeof(*parts->items));
			parts->items[parts->count] = (struct ptx_part){
				.header = entry,
				.payload = data + at + entry.header_bytes,
				.rank = target_rank(&entry, cc),
				.index = parts->count,
			};
			parts->count++;
		}
		at += entry.header_bytes + (size_t)entry.bytes;
	}
	if (parts->count)
		qsort(parts->items, parts->count, sizeof(*parts->items), compare_parts);
	return rc;
}

/* Returns the size of the text, or SIZE_MAX: the payload is damaged. */
static size_t decompress_part(char *text, size_t room, const struct ptx_part *part)
{
	size_t packed = part->header.compressed_bytes;
	size_t size;
	int lz4_size;

	if (part->header.flags & FLAG_ZSTD) {
		size = ZSTD_decompress(text, room, part->payload, packed);
		return ZSTD_isError(size) ? SIZE_MAX : size;
	}
	if (part->header.flags & FLAG_LZ4) {
		if (packed > INT_MAX)
			return SIZE_MAX;
		lz4_size = LZ4_decompress_safe((const char *)part->payload, text, (int)packed,
					       (int)room);
		return lz4_size < 0 ? SIZE_MAX : (size_t)lz4_size;
	}
	memcpy(text, part->payload, room);
	return room;
}

/* *out has no text if the part does not define the kernel. */
static int read_part(struct fatbin_ptx *out, const struct ptx_part *part, const char *entry,
		     struct error *err)
{
	bool packed = part->header.flags & (FLAG_ZSTD | FLAG_LZ4);
	uint64_t room = packed ? part->header.text_bytes : part->header.bytes;
	size_t size;
	char *text;

	if (room > FATBIN_PTX_LIMIT)
		return error_set(err, PL_EPARSE,
				 "the PTX for compute_%u in the fat binary claims to have %llu "
				 "bytes; perflab reads at most %zu",
				 part->header.target, (unsigned long long)room, FATBIN_PTX_LIMIT);
	text = malloc((size_t)room + 1);
	if (!text)
		return error_set(err, PL_ENOMEM, "no memory for PTX of %llu bytes",
				 (unsigned long long)room);
	size = decompress_part(text, (size_t)room, part);
	if (size == SIZE_MAX) {
		free(text);
		return error_set(err, PL_EPARSE,
				 "the PTX for compute_%u in the fat binary cannot be decompressed",
				 part->header.target);
	}
	text[size] = '\0';
	size = strlen(text); /* the text is padded with zero bytes */
	if (!ptx_defines_entry(text, size, entry)) {
		free(text);
		return 0;
	}
	*out = (struct fatbin_ptx){.text = text,
				   .bytes = size,
				   .target = (int)part->header.target,
				   .feature = target_feature(&part->header)};
	return 0;
}

static int no_ptx(const char *entry, struct error *err)
{
	return error_set(err, PL_ENOENT, "the image has no PTX of kernel %s", entry);
}

static int find_in_text(struct fatbin_ptx *out, const char *data, size_t bytes, const char *entry,
			struct error *err)
{
	size_t size = strnlen(data, bytes);

	if (size > FATBIN_PTX_LIMIT)
		return error_set(err, PL_EPARSE, "the PTX has %zu bytes; perflab reads at most %zu",
				 size, FATBIN_PTX_LIMIT);
	if (!ptx_defines_entry(data, size, entry))
		return no_ptx(entry, err);
	*out = (struct fatbin_ptx){.text = malloc(size + 1), .bytes = size};
	if (!out->text)
		return error_set(err, PL_ENOMEM, "no memory for PTX of %zu bytes", size);
	memcpy(out->text, data, size);
	out->text[size] = '\0';
	return 0;
}

int fatbin_find_ptx_in(struct fatbin_ptx *out, const void *data, size_t bytes, const char *entry,
		       int cc, struct error *err)
{
	struct ptx_parts parts = {0};
	struct error inner = {0};
	size_t own;
	int damage, rc = 0;

	*out = (struct fatbin_ptx){0};
	if (bytes && ptx_is(data, strnlen(data, bytes)))
		return find_in_text(out, data, bytes, entry, err);
	own = fatbin_bytes(data, bytes);
	if (!own)
		return no_ptx(entry, err);
	damage = list_parts(&parts, data, own, cc, &inner);
	for (size_t i = 0; i < parts.count && !out->text && rc != PL_ENOMEM; i++) {
		rc = read_part(out, &parts.items[i], entry, &inner);
		damage = rc ? rc : damage;
	}
	free(parts.items);
	if (out->text)
		return 0;
	return damage ? error_set(err, damage, "%s", inner.text) : no_ptx(entry, err);
}

int fatbin_find_ptx(struct fatbin_ptx *out, const void *image, size_t most_bytes, const char *entry,
		    int cc, struct error *err)
{
	struct error inner = {0};
	int damage = 0;
	size_t bytes;

	*out = (struct fatbin_ptx){0};
	for (size_t part = 0;; part++) {
		const void *data = fatbin_part(image, part, most_bytes, &bytes);
		int rc;

		if (!data && part)
			break;
		rc = data ? fatbin_find_ptx_in(out, data, bytes, entry, cc, &inner) : PL_ENOENT;
		if (!rc)
			return 0;
		if (rc == PL_ENOMEM)
			return error_set(err, rc, "%s", inner.text);
		if (rc == PL_EPARSE)
			damage = rc;
	}
	return damage ? error_set(err, damage, "%s", inner.text) : no_ptx(entry, err);
}
