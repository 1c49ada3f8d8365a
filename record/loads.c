/* Follows what the program loads and unloads. See loads.h. */
#include "record/loads.h"

#include <stdlib.h>

#include "record/fatbin.h"

#define FILE_MOST_BYTES ((size_t)256 << 20)

/* Whether the driver and the recorder may read the code until the library is unloaded. What nvcc
 * has wrapped is a part of the program. */
static bool code_stays(const cuLibraryLoadData_params *given)
{
	for (unsigned i = 0; i < given->numLibraryOptions; i++)
		if (given->libraryOptions[i] == CU_LIBRARY_BINARY_IS_PRESERVED)
			return true;
	return fatbin_is_wrapped(given->code);
}

/* What a file held when the driver had read it. */
static void note_file(struct images *images, const struct image_owner *owner, const char *path)
{
	char *bytes = NULL;
	size_t size = 0;
	struct error none = {0};

	if (!read_file(&bytes, &size, path, FILE_MOST_BYTES, &none))
		images_note_load(images, owner, bytes, false);
	free(bytes);
}

/* The parameters of all functions that load a module, or a library, begin in the same way. Only
 * after the call: before it there is no handle. */
static void note_load(struct images *images, enum call_role role, const CUpti_CallbackData *data,
		      CUcontext context)
{
	const CUresult *result = data->functionReturnValue;
	const cuModuleLoadData_params *module = data->functionParams;
	const cuLibraryLoadData_params *library = data->functionParams;
	const cuModuleLoad_params *module_file = data->functionParams;
	const cuLibraryLoadFromFile_params *library_file = data->functionParams;
	/* A library is loaded into every context that needs it. */
	const bool of_context = role == CALL_MODULE_IMAGE || role == CALL_MODULE_FILE;
	struct image_owner owner = {.context = of_context ? context : NULL};

	if (!result || *result != CUDA_SUCCESS)
		return;
	if (of_context)
		owner.handle = *module->module;
	else
		owner.handle = *library->library;
	if (role == CALL_LIBRARY_IMAGE)
		images_note_load(images, &owner, library->code, code_stays(library));
	else if (role == CALL_MODULE_IMAGE)
		images_note_load(images, &owner, module->image, false);
	else
		note_file(images, &owner, of_context ? module_file->fname : library_file->fileName);
}

/* The handle that the call is about to unload: its only parameter. */
static const void *unloaded_handle(const CUpti_CallbackData *data)
{
	return ((const cuModuleUnload_params *)data->functionParams)->hmod;
}

void load_call_note(struct images *images, CUpti_CallbackId id, const CUpti_CallbackData *data,
		    CUcontext context)
{
	const enum call_role role = call_role_of(id);

	if (data->callbackSite == CUPTI_API_EXIT && call_loads_code(role))
		note_load(images, role, data, context);
	else if (data->callbackSite == CUPTI_API_ENTER && role == CALL_UNLOAD)
		/* before the call: after it, another thread may have got the handle again */
		images_forget_load(images, unloaded_handle(data));
}
