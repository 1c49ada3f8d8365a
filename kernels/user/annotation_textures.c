/* The arguments that are objects over a buffer: texture(BUFFER[WIDTH, HEIGHT], OPTION, …),
 * surface(…) and tensormap(BUFFER[SIZE, …], …). */
#include <string.h>

#include "kernels/user/annotation_words.h"

/* A texture whose options are being read. */
struct texture_parse {
	struct annotation_scan *scan;
	struct kernel_texture *out;
	const char *text; /* the whole argument, for messages */
	size_t addresses; /* how many were given */
};

/* BUFFER[SIZE, …]. `of`, `hint`: for messages, whose object it is and what is to be written. */
static int scan_sized_buffer(struct annotation_scan scan, const char *item, const char *text,
			     const char *of, const char *hint, const char **buffer,
			     struct annotation_list *sizes)
{
	char *inside;
	int rc;

	scan.at = item;
	rc = scan_identifier(&scan, buffer, of);
	if (rc)
		return rc;
	if (!scan_accept(&scan, "["))
		return scan_error(&scan, "%.60s: write %s: %.60s[w, h]", text, hint, *buffer);
	rc = scan_items(&scan, ']', sizes, &inside);
	return rc ? rc : scan_end(&scan);
}

static int parse_texels(struct texture_parse *parse, const char **buffer, const char *item)
{
	struct kernel_texture *out = parse->out;
	struct annotation_list sizes;
	int rc = scan_sized_buffer(*parse->scan, item, parse->text,
				   "the buffer of a texture or surface",
				   "the size after the buffer", buffer, &sizes);

	if (rc)
		return rc;
	if (!sizes.count || sizes.count > TEXTURE_DIMENSIONS)
		return scan_error(parse->scan, "%.60s: a texture has 1 to %d sizes, not %zu",
				  parse->text, TEXTURE_DIMENSIONS, sizes.count);
	out->dimensions = sizes.count;
	return scan_expand_items(parse->scan, &sizes, out->sizes);
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

/* ---- tensor maps: tensormap(BUFFER[SIZE, …], box(SIZE, …) or im2col(CHANNELS, PIXELS), OPTION, …)
 * ---- */

/* A map whose options are being read. */
struct tensor_parse {
	struct annotation_scan *scan;
	struct kernel_tensor *out;
	const char *text; /* the whole argument, for messages */
	bool boxed, cornered;
};

/* Splits "WORD(INSIDE)" behind its word into items. Returns false, with *rc, if it has another
 * form. */
static bool read_option(const struct tensor_parse *parse, const char *item, const char *word,
			struct annotation_list *out, int *rc)
{
	struct annotation_scan scan = *parse->scan;
	const size_t length = strlen(word);
	char *inside;

	scan.at = item + length;
	if (strncmp(item, word, length) != 0 || !scan_accept(&scan, "("))
		return false;
	*rc = scan_items(&scan, ')', out, &inside);
	if (!*rc)
		*rc = scan_end(&scan);
	return true;
}

/* Expands the items, which must be `wanted` expressions. */
static int take_expressions(const struct tensor_parse *parse, const char *word,
			    const struct annotation_list *items, const char **to, size_t wanted)
{
	if (items->count != wanted)
		return scan_error(parse->scan, "%.60s: %s has %zu numbers, not %zu, for %u sizes",
				  parse->text, word, wanted, items->count, parse->out->form.rank);
	return scan_expand_items(parse->scan, items, to);
}

static int parse_tensor(struct tensor_parse *parse, const char **buffer, const char *item)
{
	struct annotation_list sizes;
	int rc = scan_sized_buffer(*parse->scan, item, parse->text, "the buffer of a tensor map",
				   "the sizes after the buffer, the innermost first", buffer,
				   &sizes);

	if (rc)
		return rc;
	if (!sizes.count || sizes.count > TENSOR_MOST_RANK)
		return scan_error(parse->scan, "%.60s: a tensor map has 1 to %d sizes, not %zu",
				  parse->text, TENSOR_MOST_RANK, sizes.count);
	parse->out->form.rank = (unsigned)sizes.count;
	return scan_expand_items(parse->scan, &sizes, parse->out->sizes);
}

/* ---- options ---- */

/* The index of a word among those; -1: none. */
static int choice_among(const char *word, const char *const *choices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(choices[i], word))
			return (int)i;
	return -1;
}

static int parse_tensor_choice(struct tensor_parse *parse, const char *option, const char *word)
{
	static const char *const swizzles[] = {"none", "32", "64", "128"};
	static const char *const promotions[] = {"none", "64", "128", "256"};
	static const char *const fills[] = {"zero", "nan"};
	static const char *const interleaves[] = {"none", "16", "32"};
	static const unsigned promoted[] = {0, 64, 128, 256};
	struct tensor_map *form = &parse->out->form;
	int choice = 0;

	if (!strcmp(option, "swizzle")) {
		choice = choice_among(word, swizzles, ARRAY_SIZE(swizzles));
		form->swizzle = choice < 0 ? SWIZZLE_NONE : (enum tensor_swizzle)choice;
	} else if (!strcmp(option, "promotion")) {
		choice = choice_among(word, promotions, ARRAY_SIZE(promotions));
		form->promotion = choice < 0 ? 0 : promoted[choice];
	} else if (!strcmp(option, "fill")) {
		choice = choice_among(word, fills, ARRAY_SIZE(fills));
		form->fills_nan = choice == 1;
	} else if (!strcmp(option, "interleave")) {
		choice = choice_among(word, interleaves, ARRAY_SIZE(interleaves));
		form->interleave = choice < 0 ? 0 : 16 * (unsigned)choice;
	} else {
		parse->out->typed = true;
		choice = tensor_type_parse(&form->type, word) ? 0 : -1;
	}
	if (choice < 0)
		return scan_error(
			parse->scan,
			"%.60s: %s(%.20s) is not possible; there are swizzle(none, 32, 64 or 128), "
			"promotion(none, 64, 128 or 256), fill(zero or nan), "
			"interleave(none, 16 or 32), and type(u8, u16, u32, i32, u64, i64, f16, "
			"f32, f64, bf16, f32_ftz, tf32 or tf32_ftz)",
			parse->text, option, word);
	return 0;
}

static int require_images(const struct tensor_parse *parse, const char *word)
{
	if (parse->out->form.rank >= TENSOR_IM2COL_LEAST_RANK)
		return 0;
	return scan_error(parse->scan,
			  "%.60s: %s needs %d to %d sizes: channels, width, height and depth if "
			  "there are any, and images",
			  parse->text, word, TENSOR_IM2COL_LEAST_RANK, TENSOR_MOST_RANK);
}

/* Takes the items of im2col(CHANNELS, PIXELS). */
static int take_im2col(struct tensor_parse *parse, const struct annotation_list *items)
{
	struct kernel_tensor *out = parse->out;
	const char *numbers[2];
	int rc = require_images(parse, "im2col");

	if (!rc)
		rc = take_expressions(parse, "im2col", items, numbers, ARRAY_SIZE(numbers));
	if (rc)
		return rc;
	out->form.im2col = true;
	out->channels = numbers[0];
	out->pixels = numbers[1];
	return 0;
}

/* Takes the items of lower(WIDTH, …) and upper(WIDTH, …). */
static int take_corner(struct tensor_parse *parse, const char *word,
		       const struct annotation_list *items, const char **to)
{
	int rc = require_images(parse, word);

	parse->cornered = true;
	return rc ? rc
		  : take_expressions(parse, word, items, to,
				     tensor_map_image_rank(&parse->out->form));
}

static int parse_tensor_option(struct tensor_parse *parse, const char *item)
{
	const unsigned rank = parse->out->form.rank;
	static const char *const choices[] = {"swizzle", "promotion", "fill", "interleave", "type"};
	struct annotation_list items;
	int rc;

	if (read_option(parse, item, "box", &items, &rc)) {
		parse->boxed = true;
		return rc ? rc : take_expressions(parse, "box", &items, parse->out->box, rank);
	}
	if (read_option(parse, item, "im2col", &items, &rc))
		return rc ? rc : take_im2col(parse, &items);
	if (read_option(parse, item, "lower", &items, &rc))
		return rc ? rc : take_corner(parse, "lower", &items, parse->out->lower);
	if (read_option(parse, item, "upper", &items, &rc))
		return rc ? rc : take_corner(parse, "upper", &items, parse->out->upper);
	if (read_option(parse, item, "strides", &items, &rc))
		return rc ? rc
			  : take_expressions(parse, "strides", &items, parse->out->strides + 1,
					     rank - 1);
	if (read_option(parse, item, "steps", &items, &rc))
		return rc ? rc : take_expressions(parse, "steps", &items, parse->out->steps, rank);
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		if (!read_option(parse, item, choices[i], &items, &rc))
			continue;
		if (!rc && items.count != 1)
			rc = scan_error(parse->scan, "%.60s: %s has one word", parse->text,
					choices[i]);
		return rc ? rc : parse_tensor_choice(parse, choices[i], items.items[0]);
	}
	return scan_error(parse->scan,
			  "%.60s: \"%.60s\" is not an option of a tensor map; the options are "
			  "box(…), im2col(CHANNELS, PIXELS), lower(…), upper(…), strides(…), "
			  "steps(…), type(T), swizzle(N), fill(nan), promotion(N) and "
			  "interleave(N)",
			  parse->text, item);
}

/* A map has a box, or is of the im2col mode. */
static int check_tensor_options(const struct tensor_parse *parse)
{
	const struct tensor_map *form = &parse->out->form;

	if (parse->boxed && form->im2col)
		return scan_error(parse->scan, "%.60s: write either box(…) or im2col(…)",
				  parse->text);
	if (parse->cornered && !form->im2col)
		return scan_error(parse->scan,
				  "%.60s: lower(…) and upper(…) are for im2col(CHANNELS, PIXELS)",
				  parse->text);
	if (!parse->boxed && !form->im2col)
		return scan_error(parse->scan,
				  "%.60s: say what a copy moves: box(…) with %u sizes, or "
				  "im2col(CHANNELS, PIXELS)",
				  parse->text, form->rank);
	return 0;
}

int scan_tensor_map(struct annotation_scan *scan, struct kernel_arg *out, const char *text,
		    const char *inside)
{
	struct kernel_tensor *tensor = pool_new(scan->pool, sizeof(*tensor));
	struct tensor_parse parse = {.scan = scan, .out = tensor, .text = text};
	struct annotation_list items;
	int rc = scan_split(scan, &items, inside);

	if (!rc && !items.count)
		rc = scan_error(scan,
				"%.60s: write a buffer with the sizes of the tensor, and the box "
				"that a copy moves: tensormap(x[w, h], box(64, 8))",
				text);
	if (rc)
		return rc;
	*tensor = (struct kernel_tensor){0};
	*out = (struct kernel_arg){.kind = ARG_TENSOR_MAP, .tensor = tensor};
	rc = parse_tensor(&parse, &out->value, items.items[0]);
	for (size_t i = 1; i < items.count && !rc; i++)
		rc = parse_tensor_option(&parse, items.items[i]);
	return rc ? rc : check_tensor_options(&parse);
}
