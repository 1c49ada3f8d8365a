/* Has code loaded again while CUPTI shows it. See reload.h. */
#include "record/reload.h"

/* Other threads of the program may load code at the same time. */
static _Thread_local bool reloading;

static void CUPTIAPI on_resource(void *images, CUpti_CallbackDomain domain, CUpti_CallbackId id,
				 const void *data)
{
	const CUpti_ResourceData *resource = data;
	const CUpti_ModuleResourceData *module;

	if (!reloading || domain != CUPTI_CB_DOMAIN_RESOURCE ||
	    id != CUPTI_CBID_RESOURCE_MODULE_LOADED)
		return;
	module = resource->resourceDescriptor;
	images_note_cubin(images, module->pCubin, module->cubinSize);
}

/* What the driver refuses now, it took from the program. So it is left out. */
static void load_again(const struct record_driver *driver, const void *image)
{
	CUlibrary library;
	CUmodule module;

	if (driver->cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0) !=
	    CUDA_SUCCESS)
		return;
	driver->cuLibraryGetModule(&module, library); /* loads the code */
	driver->cuLibraryUnload(library);
}

static int listen(CUpti_SubscriberHandle *subscriber, const struct reloader *reloader,
		  struct error *err)
{
	const struct record_cupti *cupti = &reloader->cupti;
	int rc = record_cupti_check(
		cupti, cupti->cuptiSubscribe(subscriber, on_resource, reloader->images), err,
		"subscribing to CUPTI, to see the machine code of the kernel");

	if (rc)
		return rc;
	rc = record_cupti_check(cupti,
				cupti->cuptiEnableCallback(1, *subscriber, CUPTI_CB_DOMAIN_RESOURCE,
							   CUPTI_CBID_RESOURCE_MODULE_LOADED),
				err, "listening to what the driver loads");
	if (rc)
		cupti->cuptiUnsubscribe(*subscriber);
	return rc;
}

int reload_code(struct reloader *reloader, const struct launched_function *function,
		const char *kernel, struct error *err)
{
	CUpti_SubscriberHandle subscriber;
	size_t next = 0;
	const void *image = images_reload_next(reloader->images, function->module,
					       function->library, kernel, &next);
	int rc = 0;

	if (image && !reloader->is_open)
		rc = record_cupti_open(&reloader->cupti, reloader->cupti_path, err);
	if (image && !rc) {
		reloader->is_open = true;
		rc = listen(&subscriber, reloader, err);
	}
	if (!image || rc) {
		images_reload_end(reloader->images);
		return rc;
	}
	reloading = true;
	for (; image; image = images_reload_next(reloader->images, function->module,
						 function->library, kernel, &next))
		load_again(reloader->driver, image);
	reloading = false;
	images_reload_end(reloader->images);
	reloader->cupti.cuptiUnsubscribe(subscriber);
	return 0;
}
