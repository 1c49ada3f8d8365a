/* Follows what the program loads and unloads. See loads.h. */
#include "record/loads.h"

#include <stdlib.h>

#include "record/fatbin.h"

#define FILE_MOST_BYTES ((size_t)256 << 20)

/* Asked at every launch. */
static const bool load_callbacks[CUPTI_DRIVER_TRACE_CBID_SIZE] = {
	[CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData] = true,
	[CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile] = true,
	[CUPTI_DRIVER_TRACE_CBID_cuModuleLoad] = true,
	[CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData] = true,
	[CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx] = true,
	[CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary] = true,
	[CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload] = true,
	[CUPTI_DRIVER_TRACE_CBID_cuModuleUnload] = true,
};

bool is_load_callback(CUpti_CallbackId id)
{
	return id < ARRAY_SIZE(load_callbacks) && load_callbacks[id];
}

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
static void note_file(struct images *images, const void *handle, const char *path)
{
	char *bytes = NULL;
	size_t size = 0;
	struct error none = {0};

	if (!read_file(&bytes, &size, path, FILE_MOST_BYTES, &none))
		images_note_load(images, handle, bytes, false);
	free(bytes);
}

/* Only after the call: before it there is no handle. */
static void note_load(struct images *images, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const CUresult *result = data->functionReturnValue;

	if (!result || *result != CUDA_SUCCESS)
		return;
	if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData) {
		const cuLibraryLoadData_params *given = data->functionParams;

		images_note_load(images, *given->library, given->code, code_stays(given));
	} else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData) {
		const cuModuleLoadData_params *given = data->functionParams;

		images_note_load(images, *given->module, given->image, false);
	} else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx) {
		const cuModuleLoadDataEx_params *given = data->functionParams;

		images_note_load(images, *given->module, given->image, false);
	} else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary) {
		const cuModuleLoadFatBinary_params *given = data->functionParams;

		images_note_load(images, *given->module, given->fatCubin, false);
	} else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoad) {
		const cuModuleLoad_params *given = data->functionParams;

		note_file(images, *given->module, given->fname);
	} else if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile) {
		const cuLibraryLoadFromFile_params *given = data->functionParams;

		note_file(images, *given->library, given->fileName);
	}
}

/* The handle that the callback is about to unload; NULL: it unloads nothing. */
static const void *unloaded_handle(CUpti_CallbackId id, const void *parameters)
{
	if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload)
		return ((const cuLibraryUnload_params *)parameters)->library;
	if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleUnload)
		return ((const cuModuleUnload_params *)parameters)->hmod;
	return NULL;
}

void load_call_note(struct images *images, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const void *unloaded = unloaded_handle(id, data->functionParams);

	if (data->callbackSite == CUPTI_API_EXIT)
		note_load(images, id, data);
	else if (unloaded)
		/* before the call: after it, another thread may have got the handle again */
		images_forget_load(images, unloaded);
}
