/* The page's data about the GPUs of a sweep on several of them. */
#include <stdlib.h>

#include "reports/gpus/gpus.h"
#include "reports/page/page.h"

void page_gpus(struct page_json *json, const struct report_options *options)
{
	json_t *gpus = options->gpus ? gpus_json(options->gpus) : NULL;
	char *shown;

	if (gpus && options->roofs_of)
		json_object_set_new(gpus, "roofs_of",
				    json_integer(options->roofs_of->settings.device));
	shown = gpus ? json_dumps(gpus, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	page_member_text(json, "gpus", shown);
	free(shown);
	json_decref(gpus);
}
