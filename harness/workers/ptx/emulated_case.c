/* One case in emulated memory. See emulated_case.h. */
#include "harness/workers/ptx/emulated_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/tensor_map.h"
#include "emulator/texture.h"
#include "harness/workers/case_buffers.h"

/*
 * The first and the last blocks of a launch that are checked for races and
 * uninitialised reads. Checking costs more than running, and blocks usually
 * differ at the edges of the grid only.
 */
#define CHECKED_BLOCKS 256

static enum case_execution execution_of(const struct emulated_case *emulated)
{
	return emulated->reference ? EXECUTION_REFERENCE
	       : emulated->again   ? EXECUTION_AGAIN
				   : EXECUTION_FIRST;
}

/* The address in the arguments and in the contents of other memory is that of the variable, if the
 * buffer is one of a capture or a result. */
static void locate_buffer_of(struct emulated_case *emulated, size_t b)
{
	const struct case_buffer *buffer = &emulated->work->buffers[b];
	const char *variable = case_buffer_variable(buffer, execution_of(emulated));
	const bool captured = case_capture_memory(emulated->capture, b) != NULL;
	int64_t bytes;

	if (variable && (captured || case_buffer_is_result(buffer)))
		emulation_variable(emulated->emulation, variable, &emulated->passed[b], &bytes);
	if (captured)
		case_capture_place(emulated->capture, b, emulated->passed[b]);
}

/* Checks the limits of all devices, within which the number of blocks fits 63 bits, and that the
 * arguments match the entry; the case may come from another build. */
static int check_launch(const struct ptx_image *image, const struct case_launch *launch,
			struct error *err)
{
	static const int64_t most[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
	const struct ptx_function *entry = ptx_module_function(image->module, launch->entry);

	for (size_t i = 0; i < 3; i++)
		if (launch->grid[i] < 1 || launch->grid[i] > most[i])
			return error_set(err, PL_EUSAGE,
					 "%s: the grid has %" PRId64
					 " blocks along %c; 1 to %" PRId64 " are possible",
					 launch->entry, launch->grid[i], "xyz"[i], most[i]);
	if (!entry || !entry->entry)
		return error_set(err, PL_ENOENT, "%s.ptx has no entry '%s'", image->name,
				 launch->entry);
	if (entry->parameter_count != launch->arg_count)
		return error_set(err, PL_EUSAGE, "%s takes %zu arguments, but the case has %zu",
				 launch->entry, entry->parameter_count, launch->arg_count);
	for (size_t i = 0; i < launch->arg_count; i++)
		if (entry->parameters[i].bytes != (int64_t)case_arg_bytes(&launch->args[i]))
			return error_set(err, PL_EUSAGE,
					 "argument %zu of %s has %" PRId64
					 " bytes, but the case passes a %s of %zu bytes",
					 i, launch->entry, entry->parameters[i].bytes,
					 arg_kind_name(launch->args[i].kind),
					 case_arg_bytes(&launch->args[i]));
	return 0;
}

int emulated_case_open(struct emulated_case *out, struct case_runner *runner,
		       const struct launch_case *work, const struct ptx_image *image,
		       const struct ptx_program *program, struct error *err)
{
	struct emulated_case emulated = {
		.runner = runner, .work = work, .image = image, .program = program};
	int rc = 0;

	for (size_t i = 0; i < work->launch_count && rc == 0; i++)
		rc = check_launch(image, &work->launches[i], err);
	if (rc)
		return rc;
	emulated.memory = device_memory_create(runner->memory_limit_bytes);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		rc = device_memory_allocate(emulated.memory,
					    (int64_t)case_buffer_bytes(&work->buffers[b]),
					    work->buffers[b].name, &emulated.addresses[b], err);
		emulated.passed[b] = emulated.addresses[b];
	}
	if (rc == 0)
		rc = emulation_create(&emulated.emulation, program, emulated.memory, runner->lanes,
				      err);
	if (rc == 0)
		rc = case_capture_open(&emulated.capture, work, err);
	if (rc) {
		emulated_case_close(&emulated);
		return rc;
	}
	*out = emulated;
	return 0;
}

void emulated_case_close(struct emulated_case *emulated)
{
	case_capture_close(emulated->capture);
	emulation_free(emulated->emulation);
	device_memory_free(emulated->memory);
	finding_list_release(&emulated->findings);
	finding_list_release(&emulated->notes);
	*emulated = (struct emulated_case){0};
}

/* Copies the content of buffers into the module variables that they stand for. A variable of the
 * case is not always one of its reference, which may come from another file. */
static int set_symbols(struct emulated_case *emulated, struct error *err)
{
	const struct launch_case *work = emulated->work;

	for (size_t b = 0; b < work->buffer_count; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		const char *variable = case_buffer_variable(buffer, execution_of(emulated));
		uint64_t address;
		int64_t bytes;

		if (!variable)
			continue;
		if (!emulation_variable(emulated->emulation, variable, &address, &bytes)) {
			if (emulated->reference)
				continue;
			return error_set(err, PL_EUSAGE, "%s has no variable '%s'",
					 emulated->image->name, buffer->symbol);
		}
		if (bytes != (int64_t)case_buffer_bytes(buffer))
			return error_set(err, PL_EUSAGE,
					 "the variable %s has %" PRId64
					 " bytes, but the case gives %zu",
					 buffer->symbol, bytes, case_buffer_bytes(buffer));
		memcpy(device_memory_data(emulated->memory, address),
		       device_memory_data(emulated->memory, emulated->addresses[b]), (size_t)bytes);
	}
	return 0;
}

static int fill_emulated_input(const struct emulated_case *emulated, size_t b, void *data,
			       struct error *err)
{
	const struct case_runner *runner = emulated->runner;
	const struct case_buffer *buffer = &emulated->work->buffers[b];
	const size_t bytes = case_buffer_bytes(buffer);
	char *key = case_input_key(buffer, data_seed(runner->seed, emulated->mixed));
	const void *shared = shared_data_find(runner->shared, key, bytes);
	int rc = 0;

	if (shared)
		memcpy(data, shared, bytes);
	else
		rc = case_fill(data, emulated->work, b, emulated->capture, runner->seed,
			       emulated->mixed, err);
	/* the addresses in the memory of a capture are not in the key */
	if (rc == 0 && !shared && !case_capture_memory(emulated->capture, b))
		rc = shared_data_give(runner->shared, key, data, bytes);
	free(key);
	return rc;
}

int emulated_case_restore(struct emulated_case *emulated, struct error *err)
{
	const struct launch_case *work = emulated->work;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count; b++)
		locate_buffer_of(emulated, b);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		void *data = device_memory_data(emulated->memory, emulated->addresses[b]);

		if (!buffer->length)
			continue;
		if (case_buffer_is_input(buffer)) {
			rc = fill_emulated_input(emulated, b, data, err);
			device_memory_set_written(emulated->memory, emulated->addresses[b]);
		} else {
			memset(data, case_poison(buffer, execution_of(emulated)),
			       case_buffer_bytes(buffer));
			rc = device_memory_set_unwritten(emulated->memory, emulated->addresses[b],
							 err);
		}
	}
	if (!emulated->again)
		emulation_reset_variables(emulated->emulation);
	if (rc == 0)
		rc = set_symbols(emulated, err);
	emulation_counts_reset(emulated->emulation);
	device_memory_touched_reset(emulated->memory);
	finding_list_release(&emulated->findings);
	finding_list_release(&emulated->notes);
	return rc;
}

int emulated_case_check_inputs(const struct emulated_case *emulated, const char *who,
			       struct text *found, struct error *err)
{
	const struct launch_case *work = emulated->work;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		const size_t bytes = case_buffer_bytes(&work->buffers[b]);
		void *wanted;

		if (work->buffers[b].role != BUFFER_IN || !bytes)
			continue;
		wanted = malloc(bytes);
		if (!wanted)
			return error_set(err, PL_ENOMEM, "no memory to check the input '%s'",
					 work->buffers[b].name);
		rc = fill_emulated_input(emulated, b, wanted, err);
		if (rc == 0 &&
		    memcmp(wanted, device_memory_data(emulated->memory, emulated->addresses[b]),
			   bytes) != 0)
			text_addf(found, "%s%s wrote into '%s', which is an input",
				  found->length ? "; " : "", who, work->buffers[b].name);
		free(wanted);
	}
	return rc;
}

void emulated_case_results(const struct emulated_case *emulated, struct host_buffers *out)
{
	for (size_t b = 0; b < emulated->work->buffer_count; b++)
		out->data[b] = device_memory_data(emulated->memory, emulated->passed[b]);
}

void emulated_case_buffers(const struct emulated_case *emulated, struct host_buffers *out)
{
	for (size_t b = 0; b < emulated->work->buffer_count; b++)
		out->data[b] = device_memory_data(emulated->memory, emulated->addresses[b]);
}

static enum texel_type texel_type_of(enum element_type type)
{
	switch (type) {
	case ELEMENT_U8:
		return TEXEL_U8;
	case ELEMENT_I8:
		return TEXEL_I8;
	case ELEMENT_U16:
		return TEXEL_U16;
	case ELEMENT_I16:
		return TEXEL_I16;
	case ELEMENT_U32:
		return TEXEL_U32;
	case ELEMENT_I32:
		return TEXEL_I32;
	case ELEMENT_F16:
		return TEXEL_F16;
	default:
		return TEXEL_F32;
	}
}

static enum texture_geometry geometry_of(const struct case_texture *texture)
{
	if (texture->reading.cube)
		return texture->reading.layered ? GEOMETRY_ACUBE : GEOMETRY_CUBE;
	if (texture->reading.layered)
		return texture->dimensions == 2 ? GEOMETRY_A1D : GEOMETRY_A2D;
	return texture->dimensions == 1   ? GEOMETRY_1D
	       : texture->dimensions == 2 ? GEOMETRY_2D
					  : GEOMETRY_3D;
}

/* Makes the object that an argument names, and writes its handle. */
static int write_texture(unsigned char *out, const struct emulated_case *emulated,
			 const struct case_arg *arg, struct error *err)
{
	static const enum address_mode modes[] = {
		[TEXTURE_ADDRESS_CLAMP] = ADDRESS_CLAMP,
		[TEXTURE_ADDRESS_BORDER] = ADDRESS_BORDER,
		[TEXTURE_ADDRESS_WRAP] = ADDRESS_WRAP,
		[TEXTURE_ADDRESS_MIRROR] = ADDRESS_MIRROR,
	};
	const struct case_buffer *buffer = &emulated->work->buffers[arg->integer];
	const struct case_texture *from = arg->texture;
	const struct texture_reading *reading = &from->reading;
	struct emulated_texture texture = {
		.surface = reading->surface,
		.fetched = reading->fetch,
		.geometry = geometry_of(from),
		.address = emulated->passed[arg->integer],
		.width = from->sizes[0],
		.height = from->sizes[1],
		.depth = from->sizes[2],
		.type = texel_type_of(buffer->type),
		.channels = reading->channels,
		.linear = reading->linear,
		.normalised = reading->normalized,
		.as_float = reading->normalized_float,
	};
	uint64_t handle = 0;
	int rc;

	if (texture.geometry == GEOMETRY_A1D) {
		texture.height = 1;
		texture.depth = from->sizes[1];
	}
	for (size_t i = 0; i < ARRAY_SIZE(texture.modes); i++)
		texture.modes[i] = modes[reading->address[i]];
	rc = device_memory_add_texture(emulated->memory, &texture, buffer->name, &handle, err);
	memcpy(out, &handle, sizeof(handle));
	return rc;
}

static int write_tensor_map(unsigned char *out, const struct emulated_case *emulated,
			    const struct tensor_map *tensor, size_t buffer, struct error *err)
{
	struct tensor_map map = *tensor;

	map.address = emulated->passed[buffer];
	return tensor_map_encode(out, &map, err);
}

/* Writes an argument as the kernel gets it. */
static int write_argument(unsigned char *out, const struct emulated_case *emulated,
			  const struct case_arg *arg, struct error *err)
{
	int rc = 0;

	if (arg->kind == ARG_TEXTURE)
		return write_texture(out, emulated, arg, err);
	if (arg->kind == ARG_TENSOR_MAP)
		return write_tensor_map(out, emulated, arg->tensor, (size_t)arg->integer, err);
	case_arg_write(out, arg);
	for (size_t i = 0; i < case_arg_address_count(arg) && !rc; i++) {
		const struct arg_address place = case_arg_address(arg, i);
		const uint64_t address = emulated->passed[place.buffer] + place.addend;

		if (place.tensor)
			rc = write_tensor_map(out + place.offset, emulated, place.tensor,
					      place.buffer, err);
		else
			memcpy(out + place.offset, &address, sizeof(address));
	}
	return rc;
}

/* The parameter block in the layout of PTX: each parameter at a multiple of its alignment. The
 * caller frees it. */
static int make_parameter_block(unsigned char **out, size_t *length,
				const struct emulated_case *emulated,
				const struct case_launch *launch, struct error *err)
{
	const struct ptx_function *entry =
		ptx_module_function(emulated->image->module, launch->entry);
	unsigned char *block;
	size_t most = 0, offset = 0;
	int rc = 0;

	for (size_t i = 0; i < launch->arg_count; i++)
		most += case_arg_bytes(&launch->args[i]) + (size_t)entry->parameters[i].align;
	block = xcalloc(most + 1, 1);
	device_memory_release_textures(emulated->memory);
	for (size_t i = 0; i < launch->arg_count && rc == 0; i++) {
		size_t align = (size_t)entry->parameters[i].align;

		offset = (offset + align - 1) / align * align;
		rc = write_argument(block + offset, emulated, &launch->args[i], err);
		offset += case_arg_bytes(&launch->args[i]);
	}
	*length = offset;
	*out = block;
	return error_context(err, rc, "launching %s", launch->entry);
}

uint64_t emulated_case_limit(const struct emulated_case *emulated)
{
	return emulated->runner->all_blocks ? 0 : emulated->runner->whole_most;
}

int emulated_case_launch(struct emulated_case *emulated, size_t index,
			 const struct launch_part *part, struct error *err)
{
	const struct case_launch *launch = &emulated->work->launches[index];
	size_t argument_bytes = 0;
	unsigned char *arguments = NULL;
	int rc = make_parameter_block(&arguments, &argument_bytes, emulated, launch, err);
	struct emulated_launch what = {
		.entry = launch->entry,
		.shared_bytes = launch->shared_bytes,
		.sm_count = emulated->runner->chip->sm_count,
		.poison = 2 * emulated->runner->seed + emulated->again + 1,
		/* case_facts() found that the chip holds all blocks */
		.cooperative = launch->cooperative && !part->blocks,
		.arguments = arguments,
		.argument_bytes = argument_bytes,
		.max_instructions = part->instructions,
		.end_ns = emulated->runner->launch_end_ns,
		.blocks = part->blocks,
		.block_count = part->block_count,
		.checked_blocks = !part->checked ? 0
				  : part->blocks ? -1
						 : CHECKED_BLOCKS,
		.check_global = part->checks_global,
		/* a block that is only estimated runs again later */
		.print = part->checked && !part->silent ? emulated->runner->print : NULL,
		.print_context = emulated->runner->print_context,
		.notes = &emulated->notes,
	};

	memcpy(what.grid, launch->grid, sizeof(what.grid));
	memcpy(what.block, launch->block, sizeof(what.block));
	memcpy(what.cluster, launch->cluster, sizeof(what.cluster));
	if (rc == 0)
		rc = emulation_launch(emulated->emulation, &what, &emulated->findings, err);
	free(arguments);
	return rc;
}

int emulated_case_follow(struct emulated_case *emulated, bool whole,
			 int (*execute)(void *context, struct error *err), void *context,
			 struct error *err)
{
	struct finding_list findings = emulated->findings, notes = emulated->notes;
	int rc;

	if (!emulation_may_be_undefined(emulated->emulation))
		return 0;
	emulated->findings = emulated->notes = (struct finding_list){0};
	emulation_follow_undefined(emulated->emulation, whole);
	rc = execute(context, err);
	if (!emulation_end_following(emulated->emulation) && rc == 0)
		rc = error_set(
			err, PL_ENOMEM,
			"there is no memory to follow undefined values, which takes several times "
			"that of the buffers; choose a smaller size");
	emulated->late_following |= finding_list_has(&emulated->findings, FINDING_LATE);
	finding_list_move(&findings, &emulated->findings);
	finding_list_release(&emulated->notes);
	emulated->findings = findings;
	emulated->notes = notes;
	return rc;
}

bool launch_has_clusters(const struct ptx_image *image, const struct case_launch *launch)
{
	const struct ptx_function *entry = ptx_module_function(image->module, launch->entry);

	for (int i = 0; i < 3; i++)
		if (launch->cluster[i] > 1 || (entry && entry->cluster[i] > 1))
			return true;
	return false;
}

bool emulated_case_ended(const struct emulated_case *emulated)
{
	for (size_t i = 0; i < emulated->findings.count; i++)
		if (finding_ends_launch(emulated->findings.items[i].kind))
			return true;
	return false;
}

int64_t launch_blocks(const struct case_launch *launch)
{
	return launch->grid[0] * launch->grid[1] * launch->grid[2];
}
