/* Chooses the backend of a sweep: the one that was named, or the first that opens a device. */
#include <string.h>

#include "harness/client/client.h"
#include "harness/request/request.h"

/* Adds the options of a list that the user set: "--cache, --rounds". */
static void add_given_options(struct text *out, const char *const *names,
			      const struct sweep_request *request)
{
	for (; *names; names++)
		if (string_list_has(&request->given, *names))
			text_addf(out, "%s--%s", out->length ? ", " : "", *names);
}

/* A named backend contradicts options that it does not use. */
static int check_named_backend(const char *backend, const struct sweep_request *request,
			       struct error *err)
{
	const struct backend_traits traits = backend_traits_of(backend);
	struct text given = TEXT_INIT;
	int rc = 0;

	add_given_options(&given, backend_unused_options(&traits), request);
	if (given.length && traits.emulated)
		rc = error_set(err, PL_EUSAGE,
			       "--backend %s runs on no device and measures no time: it does not "
			       "use %s",
			       backend, given.data);
	else if (given.length)
		rc = error_set(err, PL_EUSAGE,
			       "--backend %s does not use %s: see --backend " BACKEND_PTX, backend,
			       given.data);
	text_release(&given);
	return rc;
}

int backend_choose(struct backend_choice *choice, const struct sweep_request *request,
		   struct error *err)
{
	struct string_list wanted = {0};

	choice->automatic = strcmp(request->backend, BACKEND_AUTO) == 0;
	if (!choice->automatic) {
		choice->names[choice->count++] = request->backend;
		return check_named_backend(request->backend, request, err);
	}
	/* what no device can give decides the choice */
	add_given_options(&choice->why, backend_find(BACKEND_PTX)->options, request);
	if (!choice->why.length && request_metrics(&wanted, &request->metrics, false, NULL) &&
	    !request_metrics(&wanted, &request->metrics, true, NULL))
		text_add(&choice->why, "--metrics");
	string_list_release(&wanted);
	if (choice->why.length)
		text_add(&choice->why, " asks for it");
	else
		choice->names[choice->count++] = BACKEND_CUDA;
	if (!request->decide) /* an emulator has no times to decide by */
		choice->names[choice->count++] = BACKEND_PTX;
	return 0;
}

bool backend_choice_lacks(struct backend_choice *choice, size_t index, int rc,
			  const struct error *cause)
{
	if (rc != PL_EUNSUPPORTED && rc != PL_EWORKER && rc != PL_EDEVICE)
		return false;
	/* A broken backend is a better reason than a missing one. */
	if (!choice->code || choice->code == PL_EUNSUPPORTED)
		choice->code = rc;
	if (index)
		text_add(&choice->why, "; and no emulator: ");
	else
		text_clear(&choice->why);
	text_add(&choice->why, cause->text);
	return true;
}

int backend_choice_fail(const struct backend_choice *choice, struct error *err)
{
	return error_set(err, choice->code, "%s%s", choice->count > 1 ? "no GPU: " : "",
			 choice->why.data);
}

int backend_choice_find(const struct backend_choice *choice, struct error *err)
{
	struct backend_choice sought = *choice;
	struct text path = TEXT_INIT;
	bool found = false;
	int rc = 0;

	sought.why = (struct text)TEXT_INIT;
	for (size_t i = 0; i < sought.count && !found && !rc; i++) {
		struct error cause = {0};

		rc = worker_find(&path, sought.names[i], &cause);
		found = rc == 0;
		if (rc && backend_choice_lacks(&sought, i, rc, &cause))
			rc = 0;
		else if (rc)
			error_set(err, rc, "%s", cause.text);
	}
	if (!found && !rc)
		rc = backend_choice_fail(&sought, err);
	text_release(&sought.why);
	text_release(&path);
	return rc;
}

void backend_choice_announce(struct backend_choice *choice, size_t index,
			     const struct sweep_request *request,
			     const struct sweep_observer *observer)
{
	const struct backend_traits traits = backend_traits_of(choice->names[index]);
	struct text path = TEXT_INIT, unused = TEXT_INIT;

	if (choice->automatic && traits.emulated &&
	    worker_find(&path, choice->names[index], NULL) == 0) {
		tell_observer(observer, NOTICE_WARNING,
			      "backend %s (%s%s): results and counts of PTX, no times",
			      choice->names[index], index ? "no GPU: " : "", choice->why.data);
		add_given_options(&unused, backend_unused_options(&traits), request);
		if (unused.length)
			tell_observer(observer, NOTICE_WARNING, "backend %s does not use %s",
				      choice->names[index], unused.data);
		choice->announced = true;
	}
	text_release(&path);
	text_release(&unused);
}
