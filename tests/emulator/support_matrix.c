#include "support_matrix.h"

#include <string.h>

#include "emulator/language/module.h"
#include "emulator/program/program.h"

bool matrix_emulate(void *results, const struct matrix_case *matrix, enum emulated_lanes lanes,
		    int64_t checked_blocks, struct text *why)
{
	struct device_memory *memory = device_memory_create(1 << 27);
	struct emulation *emulation = NULL;
	struct ptx_program *program = NULL;
	struct ptx_module *module = NULL;
	struct finding_list findings = {0};
	struct unsupported_features unsupported = {0};
	struct text ptx = TEXT_INIT;
	struct error err = {0};
	uint64_t arguments[2];
	struct emulated_launch launch = {
		.entry = MATRIX_ENTRY,
		.grid = {(int64_t)matrix_blocks(matrix), 1, 1},
		.block = {matrix_threads(matrix), 1, 1},
		.arguments = arguments,
		.argument_bytes = sizeof(arguments),
		.max_instructions = 10000000,
		.checked_blocks = checked_blocks,
	};
	bool ran = false;
	int rc;

	matrix_module(&ptx, matrix);
	rc = device_memory_allocate(memory, (int64_t)matrix_out_bytes(matrix), "out", &arguments[0],
				    &err) ||
	     device_memory_allocate(memory, (int64_t)matrix_in_bytes(matrix), "in", &arguments[1],
				    &err) ||
	     ptx_module_parse(&module, ptx.data, ptx.length, &err) ||
	     ptx_program_decode(&program, module, MATRIX_ENTRY, &unsupported, &err) ||
	     emulation_create(&emulation, program, memory, lanes, &err);
	if (!rc) {
		matrix_inputs(device_memory_data(memory, arguments[1]), matrix);
		rc = emulation_launch(emulation, &launch, &findings, &err);
	}
	if (rc) {
		text_add(why, err.text);
	} else if (findings.count) {
		finding_text(why, &findings.items[0]);
	} else {
		memcpy(results, device_memory_data(memory, arguments[0]), matrix_out_bytes(matrix));
		ran = true;
	}
	emulation_free(emulation);
	ptx_program_free(program);
	ptx_module_free(module);
	device_memory_free(memory);
	finding_list_release(&findings);
	unsupported_features_release(&unsupported);
	text_release(&ptx);
	return ran;
}
