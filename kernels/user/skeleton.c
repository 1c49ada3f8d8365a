/* Writes the skeleton of a file's annotations. See the header. */
#include <ctype.h>
#include <string.h>

#include "kernels/user/annotation_names.h"
#include "kernels/user/annotation_words.h"
#include "kernels/user/kernel_file.h"
#include "kernels/user/skeleton_parts.h"

#define SKELETON_MAX_STRUCT_BYTES 4096
#define SKELETON_SHOWN_BYTES 160 /* of source text in a comment */

/* ---- which declaration an entry has ---- */

static bool parameters_agree(const struct skeleton_entry *entry, const struct source_kernel *kernel)
{
	if (kernel->parameter_count != entry->parameter_count)
		return false;
	for (size_t i = 0; i < entry->parameter_count; i++)
		if (kernel->parameters[i].pointer && (entry->parameters[i].bytes != 8 ||
						      entry->parameters[i].class == SKELETON_REAL))
			return false;
	return true;
}

/* What the name in the image says of the types tells overloads apart. */
static bool types_agree(const struct skeleton_entry *entry, const struct source_kernel *kernel)
{
	for (size_t i = 0; i < entry->parameter_count; i++) {
		const char *element = entry->parameters[i].element;
		const struct guessed_element guess = guess_element(kernel->parameters[i].type);

		if (element && guess.known &&
		    (guess.per_value > 1 || strcmp(element, guess.name) != 0))
			return false;
	}
	return true;
}

/* The better, the greater: a template for an instance, the same types, a definition. */
static unsigned rank_declaration(const struct skeleton_entry *entry,
				 const struct source_kernel *kernel)
{
	return 4U * (!entry->instance == !kernel->template_head) + 2U * types_agree(entry, kernel) +
	       (kernel->body != NULL);
}

/* NULL: none. */
static struct source_kernel *find_declaration(const struct skeleton_request *request,
					      const struct source_kernels *kernels,
					      const struct skeleton_entry *entry)
{
	const char *colon = strrchr(entry->plain, ':');
	const char *name = request->ptx ? entry->name : colon ? colon + 1 : entry->plain;
	struct source_kernel *found = NULL;

	for (size_t i = 0; i < kernels->count; i++) {
		struct source_kernel *kernel = &kernels->items[i];

		if (!strcmp(kernel->name, name) && parameters_agree(entry, kernel) &&
		    (!found || rank_declaration(entry, kernel) > rank_declaration(entry, found)))
			found = kernel;
	}
	return found;
}

/* ---- buffers ---- */

static bool is_reserved(const char *name)
{
	static const char *const words[] = {"n", "block", "i", "nullptr", "NULL"};
	struct annotation_names names;

	names_begin(&names, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return true;
	return names_has(&names, name);
}

static bool kernel_has_buffer(const struct skeleton_kernel *kernel, const char *name)
{
	for (size_t i = 0; i < kernel->buffer_count; i++)
		if (!strcmp(kernel->buffers[i].name, name))
			return true;
	return false;
}

/* The name of the parameter if annotations accept it. */
static const char *buffer_name(struct annotation_pool *pool, const struct skeleton_kernel *kernel,
			       const char *name, size_t index)
{
	if (!is_c_identifier(name) || strlen(name) >= AXIS_NAME_BYTES)
		name = pool_format(pool, "p%zu", index);
	if (is_reserved(name))
		name = pool_format(pool, "%s_data", name);
	for (size_t k = 1; kernel_has_buffer(kernel, name) || strlen(name) >= AXIS_NAME_BYTES; k++)
		name = pool_format(pool, "p%zu_%zu", index, k);
	return name;
}

/* The name in the image knows what T and real are, but not what a struct consists of. */
static struct guessed_element element_of(const struct skeleton_kernel *kernel, const char *type,
					 size_t index, bool ptx)
{
	const char *known = kernel->entry->parameters[index].element;
	const struct guessed_element guess =
		ptx ? guess_ptx_element(kernel->declared ? kernel->declared->body : NULL)
		    : guess_element(type);

	return known ? (struct guessed_element){known, 1, true} : guess;
}

static void add_buffer_argument(struct skeleton_kernel *kernel, struct annotation_pool *pool,
				const struct source_parameter *parameter, size_t index, bool ptx)
{
	const enum skeleton_access access = kernel->entry->parameters[index].access;
	const struct guessed_element element = element_of(kernel, parameter->type, index, ptx);
	const char *body = kernel->declared && !ptx ? kernel->declared->body : NULL;
	const char *values =
		body ? guess_length(body, parameter->name, kernel->total) : kernel->total;
	struct skeleton_buffer buffer = {
		.name = buffer_name(pool, kernel, parameter->name, index),
		.type = pool_text(pool, element.name),
		.length = element.per_value == 1 ? values
			  : strcmp(values, "1")
				  ? pool_format(pool, "%u * %s", element.per_value, values)
				  : pool_format(pool, "%u", element.per_value),
		.role = guess_role(parameter, access, body),
		.shown = pool_format(pool, "%.*s%s%s", SKELETON_SHOWN_BYTES,
				     *parameter->type ? parameter->type : "a pointer",
				     source_name_gap(parameter), parameter->name),
		.known = element.known,
		.role_known = parameter->constant || access != SKELETON_ACCESS_UNKNOWN,
	};

	buffer.fill = strcmp(buffer.role, "out") ? guess_fill(parameter, element) : "";
	pool_append(pool, kernel->buffers, kernel->buffer_count, buffer);
	kernel->arguments[index] = (struct skeleton_argument){buffer.name, NULL};
}

/* ---- scalars ---- */

static const char *zero_bytes(struct annotation_pool *pool, size_t bytes)
{
	struct text digits = TEXT_INIT;
	const char *value;

	for (size_t i = 0; i < bytes; i++)
		text_add(&digits, "00");
	value = pool_format(pool, "bytes(%s)", digits.data);
	text_release(&digits);
	return value;
}

static struct skeleton_argument bytes_argument(struct skeleton_kernel *kernel,
					       struct annotation_pool *pool,
					       const struct source_parameter *parameter,
					       size_t bytes)
{
	const struct guessed_element element = guess_element(parameter->type);

	if (bytes == 2 && element.known && !strcmp(element.name, "f16"))
		return (struct skeleton_argument){"f16(1.0)", "TODO: an arbitrary value"};
	if (bytes == 2 && element.known && !strcmp(element.name, "bf16"))
		return (struct skeleton_argument){"bf16(1.0)", "TODO: an arbitrary value"};
	if (!bytes || bytes > SKELETON_MAX_STRUCT_BYTES) {
		kernel->obstacle = pool_format(pool, "a parameter is a struct of %zu bytes", bytes);
		bytes = 1;
	}
	return (struct skeleton_argument){
		zero_bytes(pool, bytes),
		pool_format(pool,
			    "TODO: a struct of %zu bytes, all 0: write its content, two hex digits "
			    "per byte, or its members: struct(x, i32(n), f32(0.5))",
			    bytes)};
}

/* PTX does not say what its integers mean, so the first is the number of elements. */
static struct skeleton_argument skeleton_integer_argument(const struct skeleton_kernel *kernel,
							  size_t index, const char *name)
{
	const char *value =
		guess_integer(name, dimensions_count(kernel->dimensions), kernel->total);

	if (*name && !strcmp(value, "1"))
		return (struct skeleton_argument){value, "TODO: an arbitrary value"};
	if (*name)
		return (struct skeleton_argument){
			value, strcmp(value, "block")
				       ? "TODO: the name suggests a number of elements"
				       : "TODO: the name suggests the threads of a block"};
	for (size_t i = 0; i < index; i++)
		if (!strcmp(kernel->arguments[i].value, "n"))
			return (struct skeleton_argument){"1", "TODO: an arbitrary value"};
	return (struct skeleton_argument){"n",
					  "TODO: the first integer may be the number of elements"};
}

/* ---- kernels ---- */

static bool is_buffer(const struct skeleton_kernel *kernel,
		      const struct skeleton_parameter *compiled, size_t index)
{
	if (kernel->declared)
		return kernel->declared->parameters[index].pointer;
	return compiled->class == SKELETON_INTEGER && compiled->bytes == 8;
}

/* The body says it, but for what another function of the file does. That may only number the
 * threads, so the compiled code alone is no reason. */
static void guess_shape(struct skeleton_kernel *kernel, const struct skeleton *skeleton)
{
	static const char *const totals[] = {"n", "n * n", "n * n * n"};
	const char *code = skeleton->source.code;
	bool linear;

	if (kernel->declared && kernel->declared->body && code)
		kernel->dimensions = guess_dimensions(kernel->declared->body, &kernel->linear);
	if (!code || (!kernel->linear && dimensions_count(kernel->dimensions) == 1 &&
		      dimensions_count(guess_dimensions(code, &linear)) > 1))
		kernel->dimensions = kernel->entry->dimensions;
	kernel->total = totals[dimensions_count(kernel->dimensions) - 1];
}

static void guess_kernel(struct skeleton_kernel *kernel, struct annotation_pool *pool, bool ptx)
{
	static const struct source_parameter unknown = {.type = "", .name = ""};
	const struct skeleton_entry *entry = kernel->entry;

	if (entry->textures)
		kernel->obstacle = "it uses textures or surfaces, whose sizes only you know: "
				   "write a launch with texture(BUFFER[W, H]) for the handle";
	kernel->arguments =
		pool_new(pool, (entry->parameter_count + 1) * sizeof(*kernel->arguments));
	for (size_t i = 0; i < entry->parameter_count; i++) {
		const struct skeleton_parameter *compiled = &entry->parameters[i];
		const struct source_parameter *parameter =
			kernel->declared ? &kernel->declared->parameters[i] : &unknown;

		if (kernel->obstacle)
			return;
		if (kernel->buffer_count == KERNEL_MAX_BUFFERS)
			kernel->obstacle = pool_format(pool, "it has more than %d pointers",
						       KERNEL_MAX_BUFFERS);
		else if (guess_is_tensor_map(parameter))
			kernel->obstacle = "it takes a tensor map, whose sizes only you know: "
					   "write a launch with tensormap(BUFFER[W, H], box(…)) "
					   "for it";
		else if (is_buffer(kernel, compiled, i))
			add_buffer_argument(kernel, pool, parameter, i, ptx);
		else if (guess_is_texture(parameter))
			kernel->arguments[i] = (struct skeleton_argument){
				"0", "a texture or surface, which the kernel does not use"};
		else if (compiled->class == SKELETON_REAL)
			kernel->arguments[i] =
				(struct skeleton_argument){"1.0", "TODO: an arbitrary value"};
		else if (compiled->class == SKELETON_INTEGER)
			kernel->arguments[i] =
				skeleton_integer_argument(kernel, i, parameter->name);
		else
			kernel->arguments[i] =
				bytes_argument(kernel, pool, parameter, compiled->bytes);
	}
}

static bool is_only_instance(const struct skeleton_request *request,
			     const struct skeleton_entry *entry)
{
	for (size_t i = 0; i < request->entry_count; i++)
		if (&request->entries[i] != entry && request->entries[i].instance &&
		    !strcmp(request->entries[i].instance, entry->instance))
			return false;
	return true;
}

/* The name in the image tells overloads apart, and instances that C++ cannot name. */
static const char *launched_name(const struct skeleton_request *request,
				 const struct skeleton_entry *entry, bool is_template)
{
	bool shared = is_template;

	if (entry->instance && is_only_instance(request, entry))
		return entry->instance;
	for (size_t i = 0; i < request->entry_count && !shared; i++)
		shared = &request->entries[i] != entry &&
			 !strcmp(request->entries[i].plain, entry->plain);
	return shared ? entry->name : entry->plain;
}

/* Letters of any kernel, before the arguments of an instance. */
static bool is_launchable_name(const char *name)
{
	for (const char *c = name; *c && *c != '<'; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_:$", *c))
			return false;
	return *name && *name != '<' && !isdigit((unsigned char)*name) && strlen(name) <= 4096;
}

/* ANNOTATION_MAX_VARIANTS bounds the launches. */
static void collect_kernels(struct skeleton *skeleton)
{
	const struct skeleton_request *request = skeleton->request;
	size_t count = request->entry_count;

	if (count > ANNOTATION_MAX_VARIANTS)
		count = ANNOTATION_MAX_VARIANTS;
	skeleton->kernels = pool_new(&skeleton->pool, (count + 1) * sizeof(*skeleton->kernels));
	for (size_t i = 0; i < count; i++) {
		struct skeleton_kernel *kernel = &skeleton->kernels[skeleton->count];
		struct source_kernel *declared =
			find_declaration(request, &skeleton->source, &request->entries[i]);

		kernel->entry = &request->entries[i];
		kernel->declared = declared;
		kernel->name =
			launched_name(request, kernel->entry, declared && declared->template_head);
		if (!is_launchable_name(kernel->name))
			continue;
		guess_shape(kernel, skeleton);
		guess_kernel(kernel, &skeleton->pool, request->ptx);
		skeleton->count++;
	}
}

/* ---- refusals ---- */

/* Generated PTX has lines of its own, which declare nothing. */
static int check_no_launch(struct skeleton *skeleton, struct error *err)
{
	const struct skeleton_request *request = skeleton->request;
	struct annotation_lines lines = {0};
	int rc = annotation_lines_add(&lines, &skeleton->pool, request->file, "/", false,
				      request->text, request->length, err);

	for (size_t i = 0; i < lines.count && !rc; i++)
		if (!strncmp(lines.items[i].text, "launch", 6))
			rc = error_set(err, PL_EEXIST,
				       "%s:%zu: the file has annotations already; add what is "
				       "missing there: docs/your-kernel.md",
				       request->file, lines.items[i].place.line);
	return rc;
}

int skeleton_write(struct text *out, struct skeleton_counts *counts,
		   const struct skeleton_request *request, struct error *err)
{
	struct skeleton skeleton = {.request = request};
	int rc = check_no_launch(&skeleton, err);

	if (!rc) {
		(request->ptx ? ptx_kernels_read : source_kernels_read)(
			&skeleton.source, &skeleton.pool, request->text, request->length);
		collect_kernels(&skeleton);
		/* a template that the file does not instantiate is in no image */
		counts->templates = 0;
		for (size_t i = 0; i < skeleton.source.count; i++)
			counts->templates +=
				skeleton_is_open_template(&skeleton, &skeleton.source.items[i]);
		if (!skeleton.count && !counts->templates)
			rc = error_set(err, PL_ENOENT,
				       request->ptx
					       ? "%s: there is no kernel (.entry); give the PTX "
						 "that has one"
					       : "%s: there is no __global__ function in the "
						 "compiled code; write one, or give the file that "
						 "has it",
				       request->file);
	}
	if (!rc)
		counts->launches = skeleton_print(out, &skeleton);
	pool_release(&skeleton.pool);
	return rc;
}
