#include "support_copies.h"

#include <string.h>

#include "emulator/language/module.h"

struct copy_arguments {
	uint64_t out, in;
	_Alignas(TENSOR_MAP_ALIGN) unsigned char map[TENSOR_MAP_BYTES];
};

struct copy_parts {
	struct device_memory *memory;
	struct ptx_module *module;
	struct ptx_program *program;
	struct emulation *emulation;
	struct copy_arguments arguments;
};

static int prepare(struct copy_parts *parts, const struct copy_case *copy,
		   enum emulated_lanes lanes, struct unsupported_features *unsupported,
		   struct error *err)
{
	struct tensor_map map = copy->map;
	struct text ptx = TEXT_INIT;
	int rc;

	copy_module(&ptx, copy);
	rc = device_memory_allocate(parts->memory, (int64_t)copy->out_words * 4, "out",
				    &parts->arguments.out, err) ||
	     device_memory_allocate(parts->memory, COPY_IN_WORDS * 4, "in", &parts->arguments.in,
				    err);
	if (!rc)
		rc = ptx_module_parse(&parts->module, ptx.data, ptx.length, err);
	if (!rc)
		rc = ptx_program_decode(&parts->program, parts->module, COPY_ENTRY, unsupported,
					err);
	if (!rc)
		rc = emulation_create(&parts->emulation, parts->program, parts->memory, lanes, err);
	map.address += copy->map_of_out ? parts->arguments.out : parts->arguments.in;
	if (!rc && copy->has_map)
		rc = tensor_map_encode(parts->arguments.map, &map, err);
	if (!rc) {
		copy_fill_in(device_memory_data(parts->memory, parts->arguments.in), copy);
		copy_fill_out(device_memory_data(parts->memory, parts->arguments.out), copy);
	}
	text_release(&ptx);
	return rc;
}

static enum copy_outcome outcome_of(int rc, const struct error *err,
				    const struct finding_list *findings,
				    const struct unsupported_features *unsupported,
				    struct text *why)
{
	if (rc) {
		text_addf(why, "%s ", err->text);
		unsupported_features_text(why, unsupported);
		return rc == PL_EUNSUPPORTED ? COPY_REFUSED : COPY_STOPPED;
	}
	if (!findings->count)
		return COPY_RAN;
	finding_text(why, &findings->items[0]);
	return findings->items[0].kind == FINDING_UNSUPPORTED ? COPY_REFUSED : COPY_STOPPED;
}

enum copy_outcome copy_emulate(uint32_t *results, const struct copy_case *copy,
			       enum emulated_lanes lanes, bool checked, struct text *why)
{
	struct copy_parts parts = {.memory = device_memory_create(1 << 24)};
	struct unsupported_features unsupported = {0};
	struct finding_list findings = {0};
	struct error err = {0};
	struct emulated_launch launch = {
		.entry = COPY_ENTRY,
		.arguments = &parts.arguments,
		.argument_bytes = sizeof(parts.arguments),
		.max_instructions = 10000000,
		.checked_blocks = checked ? -1 : 0,
		.check_global = checked,
		.block = {copy->threads, 1, 1},
	};
	enum copy_outcome outcome;
	int rc;

	memcpy(launch.grid, copy->grid, sizeof(launch.grid));
	memcpy(launch.cluster, copy->cluster, sizeof(launch.cluster));
	rc = prepare(&parts, copy, lanes, &unsupported, &err);
	if (!rc)
		rc = emulation_launch(parts.emulation, &launch, &findings, &err);
	outcome = outcome_of(rc, &err, &findings, &unsupported, why);
	if (outcome == COPY_RAN)
		memcpy(results, device_memory_data(parts.memory, parts.arguments.out),
		       copy->out_words * 4);
	emulation_free(parts.emulation);
	ptx_program_free(parts.program);
	ptx_module_free(parts.module);
	device_memory_free(parts.memory);
	finding_list_release(&findings);
	unsupported_features_release(&unsupported);
	return outcome;
}
