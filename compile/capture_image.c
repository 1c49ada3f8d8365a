/* Takes machine code or PTX out of a capture. */
#include <stdlib.h>

#include "capture/capture.h"
#include "compile/compile_parts.h"

static int capture_has_no_ptx(const struct compile_request *request, int machine_code,
			      struct error *err)
{
	if (request->cubin)
		return error_set(err, PL_EUNSUPPORTED,
				 "'%s' holds machine code for sm_%d and no PTX; it runs on such a "
				 "GPU only",
				 request->source, machine_code);
	return error_set(err, PL_EUNSUPPORTED,
			 "'%s' holds machine code for sm_%d and no PTX, which the emulator needs; "
			 "it runs on such a GPU only",
			 request->source, machine_code);
}

/* The recorded device executed the code, so its own architecture stands for one that is not known.
 */
static int arch_of_code(const struct capture *capture, const char *cubin, size_t bytes)
{
	const struct capture_info *info = capture_info(capture);
	const int arch = cubin_arch(cubin, bytes);

	return arch ? arch : (int)(10 * info->cc_major + info->cc_minor);
}

/* The image that the request needs: the machine code if the device executes it, else the PTX. */
static int choose_image(const struct capture *capture, const struct compile_request *request,
			enum capture_image *chosen, char **data, size_t *bytes, struct error *err)
{
	const int wanted = compile_arch_number(request->arch);
	struct error cause = {0};
	int machine_code, rc = capture_read_image(capture, CAPTURE_CUBIN, data, bytes, err);

	if (rc)
		return rc;
	*chosen = CAPTURE_CUBIN;
	machine_code = arch_of_code(capture, *data, *bytes);
	if (request->cubin && cubin_arch_runs_on(machine_code, wanted))
		return 0;
	free(*data);
	*chosen = CAPTURE_PTX;
	rc = capture_read_image(capture, CAPTURE_PTX, data, bytes, &cause);
	if (rc == PL_ENOENT)
		return capture_has_no_ptx(request, machine_code, err);
	return rc ? error_set(err, rc, "%s", cause.text) : 0;
}

int translate_capture(struct translation *out, const struct compile_request *request,
		      enum capture_image *chosen, struct error *err)
{
	struct capture *capture = NULL;
	char *data = NULL;
	size_t bytes = 0;
	int rc = capture_open(&capture, request->source, err);

	string_list_add(&out->read, request->source);
	if (!rc)
		rc = choose_image(capture, request, chosen, &data, &bytes, err);
	if (!rc) {
		rc = work_file_write(out, *chosen == CAPTURE_CUBIN ? "image.cubin" : "image.ptx",
				     data, bytes, err);
		free(data);
	}
	capture_close(capture);
	return rc;
}
