/* Prints what was guessed as lines of a sidecar. */
#include <ctype.h>
#include <string.h>

#include "kernels/user/annotation_words.h"
#include "kernels/user/skeleton_parts.h"

#define SKELETON_LINE_BYTES 100
#define SKELETON_VARIANT_BYTES 48

/* ---- names and axes ---- */

/* A name of at most `limit` bytes that an operation or a variant may have. */
static void add_plain_name(struct text *out, const char *text, size_t limit)
{
	size_t begin = out->length;

	for (const char *c = text; *c && out->length - begin < limit; c++)
		if (isalnum((unsigned char)*c) || *c == '_')
			text_add_char(out, *c);
		else if (out->length > begin && out->data[out->length - 1] != '-')
			text_add_char(out, '-');
	if (out->length == begin)
		text_add(out, "kernel");
}

/* The name of a file without its folder, if it is too long for an operation. */
static void print_operation(struct text *out, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;

	if (strlen(name) < KERNEL_NAME_BYTES)
		return;
	text_add(out, "operation ");
	add_plain_name(out, name, KERNEL_NAME_BYTES - 4);
	text_add(out, "\n");
}

static void print_elements(struct text *out, unsigned dimensions)
{
	static const char *const values[] = {"2^20, 2^24 \"elements\"",
					     "2^10, 2^12 \"rows, and columns\"",
					     "2^7, 2^8 \"elements along each axis\""};

	text_addf(out, "axis n = %s # TODO: sizes that matter to you\n", values[dimensions - 1]);
}

/* The block sizes that every kernel can have. */
static void print_axes(struct text *out, const struct skeleton *skeleton, bool shared)
{
	long limit = 1024, most = 64;
	bool exact = false;

	for (size_t i = 0; i < skeleton->source.count; i++) {
		long bound = skeleton->source.items[i].most_threads;

		limit = bound && bound < limit ? bound : limit;
		exact |= bound && skeleton->source.items[i].exact_threads;
	}
	while (most * 2 <= limit)
		most *= 2;
	print_elements(out, shared && skeleton->count
				    ? dimensions_count(skeleton->kernels[0].dimensions)
				    : 1);
	if (exact || limit <= 64)
		text_addf(out, "axis block = %ld \"threads per block\"\n", limit);
	else
		text_addf(out, "axis block = 64..%ld \"threads per block\"\n", most);
}

/* ---- buffers ---- */

static void print_buffer(struct text *out, const struct skeleton_buffer *buffer, const char *role,
			 bool role_known)
{
	size_t begin = out->length;

	text_addf(out, "buffer %s: %s[%s] %s%s", buffer->name, buffer->type, buffer->length, role,
		  strcmp(role, "out") ? buffer->fill : "");
	while (out->length - begin < 40)
		text_add_char(out, ' ');
	text_addf(out, " # %s; TODO: check the %s\n", buffer->shown,
		  buffer->known && role_known ? "length"
		  : buffer->known             ? "length and the role"
		  : role_known                ? "element type and the length"
					      : "element type, the length and the role");
}

/* Buffers of one name are one buffer if every kernel agrees on it. */
static bool buffers_agree(const struct skeleton_buffer *a, const struct skeleton_buffer *b)
{
	return strcmp(a->name, b->name) != 0 ||
	       (!strcmp(a->type, b->type) && !strcmp(a->length, b->length) &&
		!strcmp(a->fill, b->fill));
}

static const struct skeleton_buffer *buffer_before(const struct skeleton *skeleton, size_t kernel,
						   const char *name)
{
	for (size_t k = 0; k < kernel; k++)
		for (size_t i = 0; i < skeleton->kernels[k].buffer_count; i++)
			if (!strcmp(skeleton->kernels[k].buffers[i].name, name))
				return &skeleton->kernels[k].buffers[i];
	return NULL;
}

/* The role that suits every kernel: what one reads and another writes is inout. *known: it is known
 * in every kernel. */
static const char *common_role(const struct skeleton *skeleton, const struct skeleton_buffer *of,
			       bool *known)
{
	const char *role = of->role;

	*known = true;
	for (size_t k = 0; k < skeleton->count; k++)
		for (size_t i = 0; i < skeleton->kernels[k].buffer_count; i++) {
			const struct skeleton_buffer *other = &skeleton->kernels[k].buffers[i];

			if (strcmp(other->name, of->name) != 0)
				continue;
			if (strcmp(other->role, role) != 0)
				role = "inout";
			*known &= other->role_known;
		}
	return role;
}

/* Whether all kernels can share the buffers, and the names of variants follow from the launches. */
static bool can_share(const struct skeleton *skeleton)
{
	size_t count = 0;

	for (size_t k = 0; k < skeleton->count; k++) {
		const struct skeleton_kernel *kernel = &skeleton->kernels[k];

		if (strlen(kernel->name) >= KERNEL_NAME_BYTES || strchr(kernel->name, '$') ||
		    kernel->obstacle ||
		    dimensions_count(kernel->dimensions) !=
			    dimensions_count(skeleton->kernels[0].dimensions))
			return false;
		for (size_t i = 0; i < kernel->buffer_count; i++) {
			const struct skeleton_buffer *before =
				buffer_before(skeleton, k, kernel->buffers[i].name);

			if (before && !buffers_agree(before, &kernel->buffers[i]))
				return false;
			count += !before;
			if (count > KERNEL_MAX_BUFFERS)
				return false;
		}
	}
	return true;
}

static void print_shared_buffers(struct text *out, const struct skeleton *skeleton)
{
	for (size_t k = 0; k < skeleton->count; k++)
		for (size_t i = 0; i < skeleton->kernels[k].buffer_count; i++) {
			const struct skeleton_buffer *buffer = &skeleton->kernels[k].buffers[i];
			bool known;
			const char *role = common_role(skeleton, buffer, &known);

			if (!buffer_before(skeleton, k, buffer->name))
				print_buffer(out, buffer, role, known);
		}
	text_add(out, "\n");
}

/* ---- launches ---- */

static void print_signature(struct text *out, const char *name, const struct source_kernel *kernel)
{
	size_t begin = out->length;

	text_addf(out, "# %s(", name);
	for (size_t i = 0; i < kernel->parameter_count; i++) {
		if (out->length - begin > SKELETON_LINE_BYTES) {
			text_add(out, ", …");
			break;
		}
		text_addf(out, "%s%.80s%s%.80s", i ? ", " : "", kernel->parameters[i].type,
			  source_name_gap(&kernel->parameters[i]), kernel->parameters[i].name);
	}
	text_addf(out, "), line %zu\n", kernel->line);
}

static void print_hints(struct text *out, const struct skeleton_kernel *kernel, const char *body)
{
	static const char *const shapes[] = {"", ": it has two dimensions",
					     ": it has three dimensions"};

	text_addf(out, "# TODO: check the grid and the block%s.\n",
		  shapes[dimensions_count(kernel->dimensions) - 1]);
	if (kernel->linear)
		text_add(out,
			 "# It numbers the blocks of two dimensions: a grid of one will do.\n");
	if (strstr(body, "this_grid"))
		text_add(out, "# TODO: it may synchronise the grid: add cooperative after the "
			      "arguments, with a grid that fits on the device.\n");
	if (guess_shared_bytes(body))
		text_add(out, "# TODO: the bytes of dynamic shared memory, after the block, are a "
			      "guess.\n");
}

static void print_remarks(struct text *out, const struct skeleton_kernel *kernel)
{
	for (size_t i = 0; i < kernel->entry->parameter_count; i++) {
		const struct skeleton_argument *argument = &kernel->arguments[i];
		const char *name = kernel->declared ? kernel->declared->parameters[i].name : "";

		if (argument->remark && *name)
			text_addf(out, "#   %.80s: %s\n", name, argument->remark);
		else if (argument->remark)
			text_addf(out, "#   argument %zu: %s\n", i + 1, argument->remark);
	}
}

/* The threads of a block, of which there are 64 or more, cover a square or a cube. */
static void print_grid_and_block(struct text *out, struct skeleton_dimensions of)
{
	const char *x = of.thread_z ? "8" : of.thread_y ? "32" : "block";
	const char *y = of.thread_z   ? "ceil_div(n, 8)"
			: of.thread_y ? "ceil_div(n, block / 32)"
				      : "n";

	if (of.block_z)
		text_addf(out, "(ceil_div(n, %s), %s, %s), ", x, y,
			  of.thread_z ? "ceil_div(n, block / 64)" : "n");
	else if (of.block_y)
		text_addf(out, "(ceil_div(n, %s), %s), ", x, y);
	else
		text_addf(out, "ceil_div(n, %s), ", x);
	text_add(out, of.thread_z   ? "(8, 8, block / 64)"
		      : of.thread_y ? "(32, block / 32)"
				    : "block");
}

static void print_launch(struct text *out, const char *word, const struct skeleton_kernel *kernel)
{
	const char *body = kernel->declared && kernel->declared->line ? kernel->declared->body : "";
	unsigned shared = body ? guess_shared_bytes(body) : 0;

	text_addf(out, "%s %s<<<", word, kernel->name);
	print_grid_and_block(out, kernel->dimensions);
	if (shared)
		text_addf(out, ", %u * block", shared);
	text_add(out, ">>>(");
	for (size_t i = 0; i < kernel->entry->parameter_count; i++)
		text_addf(out, "%s%s", i ? ", " : "", kernel->arguments[i].value);
	text_add(out, ")\n");
}

static void print_kernel_launch(struct text *out, const struct skeleton_kernel *kernel)
{
	const char *body =
		kernel->declared && kernel->declared->line ? kernel->declared->body : NULL;

	if (kernel->declared && kernel->declared->line)
		print_signature(out, kernel->entry->plain, kernel->declared);
	print_hints(out, kernel, body ? body : "");
	print_remarks(out, kernel);
	print_launch(out, "launch", kernel);
	text_add(out, "\n");
}

/* A variant with buffers of its own. */
static void print_skeleton_variant(struct text *out, const struct skeleton_kernel *kernel,
				   size_t number)
{
	if (kernel->obstacle) {
		text_addf(out, "# %s has no launch: %s.\n\n", kernel->name, kernel->obstacle);
		return;
	}
	text_add(out, "variant ");
	add_plain_name(out, kernel->entry->plain, SKELETON_VARIANT_BYTES);
	/* a launch by its name in the image tells kernels apart that have the same name */
	if (kernel->name != kernel->entry->plain || strlen(kernel->name) > SKELETON_VARIANT_BYTES ||
	    strchr(kernel->name, '$'))
		text_addf(out, "-%zu", number);
	text_add(out, "\n");
	if (dimensions_count(kernel->dimensions) > 1)
		print_elements(out, dimensions_count(kernel->dimensions));
	for (size_t i = 0; i < kernel->buffer_count; i++)
		print_buffer(out, &kernel->buffers[i], kernel->buffers[i].role,
			     kernel->buffers[i].role_known);
	print_kernel_launch(out, kernel);
}

/* ---- checks ---- */

static const struct skeleton_kernel *kernel_with_result(const struct skeleton *skeleton,
							const char **result)
{
	for (size_t k = 0; k < skeleton->count; k++)
		for (size_t i = 0; i < skeleton->kernels[k].buffer_count; i++) {
			const struct skeleton_kernel *kernel = &skeleton->kernels[k];

			*result = kernel->buffers[i].name;
			if (!kernel->obstacle && strcmp(kernel->buffers[i].role, "in") != 0)
				return kernel;
		}
	*result = "y";
	return NULL;
}

static void print_checks(struct text *out, const struct skeleton *skeleton)
{
	const char *result;
	const struct skeleton_kernel *kernel = kernel_with_result(skeleton, &result);

	text_add(out,
		 "# TODO: nothing is compared, so a sweep is unverified. When the lines are right, "
		 "replace \"verify none\" by\n"
		 "# one of these forms:\n");
	text_addf(out,
		  "#   verify %s = EXPRESSION         # of the elements of other buffers: "
		  "2 * x + y\n",
		  result);
	if (kernel)
		print_launch(out, "#   verify REFERENCE, such as", kernel);
	text_addf(out, "#   verify %s from \"%s.npy\"\n", result, result);
	text_add(out, "#   verify by ./reference.py\n"
		      "verify none\n\n"
		      "# TODO: what the operation needs, for rates and rooflines:\n"
		      "# work flop = 2 * n, read = 8 * n, write = 4 * n\n\n");
}

/* ---- templates ---- */

bool skeleton_is_open_template(const struct skeleton *skeleton,
			       const struct source_kernel *declared)
{
	if (!declared->template_head || !*declared->template_head)
		return false;
	for (size_t i = 0; i < skeleton->count; i++)
		if (skeleton->kernels[i].declared &&
		    !strcmp(skeleton->kernels[i].declared->name, declared->name))
			return false;
	return true;
}

/* "<float, 4>" for "class T, int N". */
static void print_instance(struct text *out, const char *head)
{
	const char *end = head + strlen(head);

	text_add_char(out, '<');
	for (const char *c = head; c < end;) {
		const char *comma = memchr(c, ',', (size_t)(end - c));
		const char *next = comma ? comma : end;

		text_addf(out, "%s%s", c == head ? "" : ", ",
			  source_find_word(c, next, "typename") ||
					  source_find_word(c, next, "class")
				  ? "float"
			  : source_find_word(c, next, "bool") ? "true"
							      : "4");
		c = comma ? comma + 1 : end;
	}
	text_add_char(out, '>');
}

/* Without a line of its own the launch would join the variant above it. */
static void print_template_variant(struct text *out, const struct skeleton *skeleton,
				   const struct source_kernel *kernel)
{
	size_t number = 1;

	for (const struct source_kernel *k = skeleton->source.items; k < kernel; k++)
		number += !strcmp(k->name, kernel->name) && skeleton_is_open_template(skeleton, k);
	text_add(out, "#   variant ");
	add_plain_name(out, kernel->name, SKELETON_VARIANT_BYTES);
	if (number > 1)
		text_addf(out, "-%zu", number);
	text_add(out, "\n");
}

static void print_template(struct text *out, const struct skeleton *skeleton,
			   const struct source_kernel *kernel, bool shared)
{
	print_signature(out, kernel->name, kernel);
	for (size_t i = 0; i < kernel->parameter_count; i++)
		if (guess_is_texture(&kernel->parameters[i])) {
			text_addf(out, "# has no launch: it takes a texture or surface; write one "
				       "with texture(BUFFER[W, H]) for the handle.\n\n");
			return;
		} else if (guess_is_tensor_map(&kernel->parameters[i])) {
			text_addf(out, "# has no launch: it takes a tensor map; write one with "
				       "tensormap(BUFFER[W, H], box(…)) for it.\n\n");
			return;
		}
	text_addf(out,
		  "# TODO: is a template <%.80s>, which is compiled for the instance that a launch "
		  "names. Choose one:\n",
		  kernel->template_head);
	if (!shared)
		print_template_variant(out, skeleton, kernel);
	for (size_t i = 0; i < kernel->parameter_count; i++) {
		const struct source_parameter *parameter = &kernel->parameters[i];

		if (parameter->pointer)
			text_addf(out, "#   buffer %.80s: %s[n] %s\n", parameter->name,
				  guess_element(parameter->type).name,
				  guess_role(parameter, SKELETON_ACCESS_UNKNOWN, kernel->body));
	}
	text_addf(out, "#   launch %s", kernel->name);
	print_instance(out, kernel->template_head);
	text_add(out, "<<<ceil_div(n, block), block>>>(");
	for (size_t i = 0; i < kernel->parameter_count; i++) {
		const struct source_parameter *parameter = &kernel->parameters[i];
		const char *element = guess_element(parameter->type).name;

		text_addf(out, "%s%.80s", i ? ", " : "",
			  parameter->pointer       ? parameter->name
			  : strchr("iu", *element) ? guess_integer(parameter->name, 1, "n")
						   : "1.0");
	}
	text_add(out, ")\n\n");
}

/* ---- all of it ---- */

size_t skeleton_print(struct text *out, struct skeleton *skeleton)
{
	const char *file = skeleton->request->file;
	const bool shared = can_share(skeleton);
	size_t launches = 0;

	text_addf(out,
		  "# Annotations of %s, which perflab init guessed. Correct what is marked\n"
		  "# with TODO, and remove the marks: docs/your-kernel-reference.md.\n\n",
		  file);
	print_operation(out, file);
	if (skeleton->request->standard)
		text_addf(out, "standard %s\n", skeleton->request->standard);
	if (skeleton->request->compiler)
		text_addf(out, "compiler %s\n", skeleton->request->compiler);
	skeleton_print_flags(out, &skeleton->pool, skeleton->request);
	print_axes(out, skeleton, shared);
	if (shared)
		print_shared_buffers(out, skeleton);
	else
		text_add(out, "\n");
	if (skeleton->source.variable)
		text_addf(
			out,
			"# TODO: __device__ and __constant__ variables are 0, unless a line gives "
			"them content, such as\n"
			"#   symbol %.80s: TYPE[LENGTH] uniform(0, 1)\n\n",
			skeleton->source.variable);
	print_checks(out, skeleton);
	for (size_t i = 0; i < skeleton->count; i++) {
		launches += !skeleton->kernels[i].obstacle;
		if (shared)
			print_kernel_launch(out, &skeleton->kernels[i]);
		else
			print_skeleton_variant(out, &skeleton->kernels[i], i + 1);
	}
	for (size_t i = 0; i < skeleton->source.count; i++)
		if (skeleton_is_open_template(skeleton, &skeleton->source.items[i]))
			print_template(out, skeleton, &skeleton->source.items[i], shared);
	return launches;
}
