/* The arguments texture(BUFFER[WIDTH, HEIGHT], OPTION, …) and surface(…). */
#include <string.h>

#include "kernels/user/annotation_words.h"

/* A texture whose options are being read. */
struct texture_parse {
	struct annotation_scan *scan;
	struct kernel_texture *out;
	const char *text; /* the whole argument, for messages */
	size_t addresses; /* how many were given */
};

/* BUFFER[WIDTH, HEIGHT] */
static int parse_texels(struct texture_parse *parse, const char **buffer, const char *item)
{
	struct annotation_scan scan = *parse->scan;
	struct kernel_texture *out = parse->out;
	struct annotation_list sizes;
	char *inside;
	int rc;

	scan.at = item;
	rc = scan_identifier(&scan, buffer, "the buffer of a texture or surface");
	if (rc)
		return rc;
	if (!scan_accept(&scan, "["))
		return scan_error(&scan, "%.60s: write the size after the buffer: %.60s[w, h]",
				  parse->text, *buffer);
	rc = scan_until(&scan, ']', &inside);
	if (!rc)
		rc = scan_split(&scan, &sizes, inside);
	if (!rc)
		rc = scan_end(&scan);
	if (rc)
		return rc;
	if (!sizes.count || sizes.count > TEXTURE_DIMENSIONS)
		return scan_error(&scan, "%.60s: a texture has 1 to %d sizes, not %zu", parse->text,
				  TEXTURE_DIMENSIONS, sizes.count);
	out->dimensions = sizes.count;
	for (size_t i = 0; i < sizes.count && !rc; i++) {
		out->sizes[i] = sizes.items[i];
		rc = scan_expand(&scan, &out->sizes[i]);
	}
	return rc;
}

static int parse_channels(struct texture_parse *parse, const char *item)
{
	static const char *const numbers[] = {"channels(1)", "channels(2)", "channels(4)"};
	static const int channels[] = {1, 2, 4};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(numbers[i], item)) {
			parse->out->reading.channels = channels[i];
			return 0;
		}
	return scan_error(parse->scan, "%.60s: a texel has channels(1), channels(2) or channels(4)",
			  parse->text);
}

static int parse_texture_option(struct texture_parse *parse, const char *item)
{
	struct texture_reading *reading = &parse->out->reading;
	const struct {
		const char *name;
		bool *flag; /* NULL: it is what holds without it */
		bool of_surfaces;
	} flags[] = {
		{"layered", &reading->layered, true},
		{"cube", &reading->cube, false},
		{"fetch", &reading->fetch, false},
		{"linear", &reading->linear, false},
		{"point", NULL, false},
		{"normalized", &reading->normalized, false},
		{"normalized_float", &reading->normalized_float, false},
	};
	enum texture_address address;

	if (!strncmp(item, "channels", strlen("channels")))
		return parse_channels(parse, item);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (strcmp(flags[i].name, item) != 0)
			continue;
		if (reading->surface && !flags[i].of_surfaces)
			return scan_error(parse->scan, "%.60s: a surface has no \"%s\"",
					  parse->text, item);
		if (flags[i].flag)
			*flags[i].flag = true;
		return 0;
	}
	if (reading->surface || !texture_address_parse(&address, item))
		return scan_error(
			parse->scan,
			"%.60s: \"%.60s\" is not an option of a %s; the options are %s",
			parse->text, item, reading->surface ? "surface" : "texture",
			reading->surface
				? "channels(N) and layered"
				: "linear, clamp, border, wrap, mirror, normalized, "
				  "normalized_float, channels(N), layered, cube and fetch");
	if (parse->addresses == TEXTURE_DIMENSIONS)
		return scan_error(parse->scan, "%.60s: more than %d address modes", parse->text,
				  TEXTURE_DIMENSIONS);
	reading->address[parse->addresses++] = address;
	return 0;
}

/* One address mode holds for all coordinates. */
static int complete_addresses(struct texture_parse *parse)
{
	struct texture_reading *reading = &parse->out->reading;
	const size_t wanted = parse->out->dimensions - (reading->layered || reading->cube);

	if (parse->addresses == 1)
		for (size_t i = 1; i < TEXTURE_DIMENSIONS; i++)
			reading->address[i] = reading->address[0];
	if (parse->addresses > 1 && parse->addresses != wanted)
		return scan_error(parse->scan,
				  "%.60s: %zu address modes for %zu coordinates; give one for all, "
				  "or one each",
				  parse->text, parse->addresses, wanted);
	return 0;
}

static int check_texture(struct texture_parse *parse)
{
	const struct texture_reading *reading = &parse->out->reading;
	const size_t dimensions = parse->out->dimensions;

	if (reading->cube && dimensions != 3)
		return scan_error(parse->scan,
				  "%.60s: a cube has three sizes: its width twice, and 6 faces",
				  parse->text);
	if (reading->cube && !reading->normalized)
		return scan_error(parse->scan,
				  "%.60s: the coordinates of a cube are directions; add normalized",
				  parse->text);
	if (reading->layered && !reading->cube && dimensions == 1)
		return scan_error(parse->scan,
				  "%.60s: the last size of a layered texture counts its layers; "
				  "give two or three",
				  parse->text);
	if (reading->fetch &&
	    (dimensions != 1 || reading->linear || reading->normalized || reading->layered))
		return scan_error(parse->scan,
				  "%.60s: fetch is for plain memory, which has one size and is "
				  "neither filtered nor normalized",
				  parse->text);
	return 0;
}

int scan_texture(struct annotation_scan *scan, struct kernel_arg *out, const char *text,
		 const char *inside, bool surface)
{
	struct kernel_texture *texture = pool_new(scan->pool, sizeof(*texture));
	struct texture_parse parse = {scan, texture, text, 0};
	struct annotation_list items;
	int rc = scan_split(scan, &items, inside);

	if (!rc && !items.count)
		rc = scan_error(scan, "%.60s: write a buffer and its size in texels: %s(x[w, h])",
				text, surface ? "surface" : "texture");
	if (rc)
		return rc;
	*out = (struct kernel_arg){.kind = ARG_TEXTURE, .texture = texture};
	texture->reading = (struct texture_reading){.surface = surface, .channels = 1};
	rc = parse_texels(&parse, &out->value, items.items[0]);
	for (size_t i = 1; i < items.count && !rc; i++)
		rc = parse_texture_option(&parse, items.items[i]);
	if (!rc)
		rc = complete_addresses(&parse);
	return rc ? rc : check_texture(&parse);
}
