/* The files of an earlier revision beside those of now: what is read, and what need not be
 * measured. */
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "compile/compile.h"
#include "harness/client/client.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/against.h"

/* ---- the revision ---- */

/* Captures have no revisions, and a sidecar belongs to its file. */
static bool has_revisions(const char *path)
{
	return !has_suffix(path, CAPTURE_SUFFIX) && !has_suffix(path, KERNEL_FILE_SIDECAR_SUFFIX);
}

static int check_request(const struct sweep_request *request, struct error *err)
{
	if (request->base_variant)
		return error_set(err, PL_EUSAGE,
				 "--baseline and --against both say what the base variant is: "
				 "leave one of them out");
	if (request->compare)
		return error_set(err, PL_EUSAGE,
				 "--compare and --against both say what --decide compares with: "
				 "leave one of them out");
	return 0;
}

int against_open(struct against *out, const struct sweep_request *request,
		 const struct kernel_file *now, const volatile int *stop, struct error *err)
{
	struct kernel_file_revision revision;
	struct string_list files = {0};
	struct text cache = TEXT_INIT;
	int rc;

	if (!request->against)
		return 0;
	rc = check_request(request, err);
	for (size_t i = 0; i < request->files.count; i++)
		if (has_revisions(request->files.items[i]))
			string_list_add(&files, request->files.items[i]);
	if (!rc && !files.count)
		rc = error_set(err, PL_EUSAGE,
			       "--against compares versions of a file, and a capture alone has "
			       "none: give the file that replaces its kernel, too");
	if (!rc)
		rc = compile_cache_revisions(&cache, err);
	if (!rc)
		rc = revision_open(&out->revision, request->against,
				   (const char *const *)files.items, files.count, cache.data, stop,
				   err);
	if (!rc) {
		revision = (struct kernel_file_revision){out->revision.root, out->revision.tree,
							 out->revision.mark,
							 kernel_file_kernel(now)->name};
		rc = error_context(err, request_read_files(&out->files, request, &revision, err),
				   "--against %s", request->against);
		out->base_variant = xasprintf("@%s", out->revision.mark);
	}
	string_list_release(&files);
	text_release(&cache);
	return rc;
}

struct user_kernels against_kernels(const struct against *against, const struct kernel_file *now)
{
	return (struct user_kernels){now, against->files, against->base_variant};
}

void against_close(struct against *against)
{
	kernel_file_free(against->files);
	revision_close(&against->revision);
	free(against->base_variant);
	*against = (struct against){0};
}

void against_tell(const struct revision *revision, const struct sweep_observer *observer)
{
	tell_observer(observer, NOTICE_REMARK, "compared with %s, commit %s, in the same run",
		      revision->word, revision->mark);
	for (size_t i = 0; i < revision->other_submodules.count; i++)
		tell_observer(observer, NOTICE_WARNING,
			      "the submodule %s has another commit in %s than in the working tree: "
			      "both sides use that of the working tree",
			      revision->other_submodules.items[i], revision->word);
}

/* ---- what has not changed ---- */

static void list_entries(struct string_list *out, const struct launch_case *launch)
{
	for (size_t i = 0; i < launch->launch_count; i++)
		if (!string_list_has(out, launch->launches[i].entry))
			string_list_add(out, launch->launches[i].entry);
}

/* A kernel is compared in a cubin. What is emulated, or compiled by the driver, is compared as a
 * whole. */
static bool have_same_code(const struct sweep *sweep, const struct revision *revision, size_t index,
			   size_t base)
{
	const struct launch_case *launch = sweep->plan->cases[index].launch;
	const struct launch_case *of_base = sweep->plan->cases[base].launch;
	const struct launch_facts *a = &sweep->cases[index].facts, *b = &sweep->cases[base].facts;
	struct string_list entries = {0}, entries_of_base = {0};
	bool same = a->registers_per_thread == b->registers_per_thread &&
		    a->shared_static_bytes == b->shared_static_bytes &&
		    a->local_bytes_per_thread == b->local_bytes_per_thread &&
		    !strcmp(a->code_kind, b->code_kind);

	if (same && has_suffix(launch->image, ".cubin")) {
		list_entries(&entries, launch);
		list_entries(&entries_of_base, of_base);
		same = cubin_entries_are_same(
			&(struct cubin_kernels){launch->image, &entries, revision->root},
			&(struct cubin_kernels){of_base->image, &entries_of_base, revision->tree});
	} else if (same) {
		same = a->code_hash[0] && !strcmp(a->code_hash, b->code_hash);
	}
	string_list_release(&entries);
	string_list_release(&entries_of_base);
	return same;
}

/* But for the name of the variant. */
static bool have_same_launch(const struct launch_case *launch, const struct launch_case *of_base)
{
	struct launch_case renamed = *of_base;
	char hash[HASH_TEXT_BYTES], hash_of_base[HASH_TEXT_BYTES];

	memcpy(renamed.variant, launch->variant, sizeof(renamed.variant));
	launch_hash(hash, launch);
	launch_hash(hash_of_base, &renamed);
	return !strcmp(hash, hash_of_base);
}

static bool case_is_same(const struct sweep *sweep, const struct revision *revision, size_t index,
			 size_t base)
{
	const struct plan_case *cases = sweep->plan->cases;
	const struct case_state *states = sweep->cases;

	return cases[index].launch && cases[base].launch && states[index].inspected &&
	       states[base].inspected && !states[index].ended && !states[base].ended &&
	       have_same_launch(cases[index].launch, cases[base].launch) &&
	       have_same_code(sweep, revision, index, base);
}

static void skip(struct sweep *sweep, size_t index, const char *reason)
{
	struct case_state *state = &sweep->cases[index];

	plan_skip(sweep->plan, index, reason);
	state->ended = true;
	text_release(&state->json);
}

void against_skip(struct sweep *sweep, const struct revision *revision)
{
	const struct plan *plan = sweep->plan;
	/* of each case: it is the same as its base case; it is the base of a case that is measured,
	 * or of any */
	bool *same = xcalloc(plan->count + 1, sizeof(*same));
	bool *needed = xcalloc(plan->count + 1, sizeof(*needed));
	bool *is_base = xcalloc(plan->count + 1, sizeof(*is_base));
	char *equal = xasprintf(AGAINST_SAME_REASON "%s", revision->mark);
	char *alone = xasprintf(AGAINST_GONE_REASON "%s", revision->mark);

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		if (!plan_base(plan, planned))
			continue;
		same[i] = case_is_same(sweep, revision, i, planned->base);
		is_base[planned->base] = true;
		needed[planned->base] |= !same[i] && planned->launch;
	}
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		const bool of_then =
			is_base_variant(plan->base_variant, planned->kernel, planned->variant);

		if (!planned->launch || sweep->cases[i].ended)
			continue;
		if (same[i])
			skip(sweep, i, equal);
		else if (planned->descriptor_variant->source &&
			 !has_revisions(planned->descriptor_variant->source->path))
			skip(sweep, i, "a recorded launch has no other version");
		else if (of_then && !needed[i])
			skip(sweep, i, is_base[i] ? equal : alone);
	}
	free(same);
	free(needed);
	free(is_base);
	free(equal);
	free(alone);
}
