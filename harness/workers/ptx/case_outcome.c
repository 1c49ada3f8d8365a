#include "harness/workers/ptx/case_outcome.h"

#include <inttypes.h>

#include "base/mangled.h"

static bool is_first_of_kind(const struct finding_list *findings, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (findings->items[i].kind == findings->items[index].kind)
			return false;
	return true;
}

/* The finding that ended a launch, or else the first one; then the first of each other kind. */
static void describe_findings(const struct emulated_case *emulated, struct text *reason)
{
	const struct finding_list *findings = &emulated->findings;
	uint64_t more = findings->count - 1 + findings->beyond;
	size_t main = 0;

	for (size_t i = findings->count; i-- > 0;)
		if (finding_ends_launch(findings->items[i].kind))
			main = i;
	finding_text(reason, &findings->items[main]);
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].kind == findings->items[main].kind ||
		    !is_first_of_kind(findings, i))
			continue;
		text_add(reason, "; also ");
		finding_text(reason, &findings->items[i]);
		more--;
	}
	if (more)
		text_addf(reason, ", and %" PRIu64 " more", more);
	if (finding_list_has(findings, FINDING_ENDLESS))
		text_add(reason, "; --blocks all removes this limit");
}

static void add_time_limit(const struct case_runner *runner, struct text *reason)
{
	char allowed[32];

	format_duration(allowed, (double)runner->timeout_ns);
	text_addf(reason, "the kernel did not end within %s (--timeout): ", allowed);
}

static void add_late_following(const struct case_runner *runner, struct text *reason)
{
	char allowed[32];

	format_duration(allowed, (double)runner->timeout_ns);
	text_addf(reason,
		  "the kernel may use an undefined value, and to find out took more than %s: that "
		  "run is slow; allow more with --timeout, or choose a smaller size",
		  allowed);
}

void case_outcome(const struct emulated_case *emulated, const struct case_totals *totals,
		  const struct text *mismatch, enum trial_status *status, struct text *reason)
{
	if (emulated->findings.count) {
		/* A kernel that is only slow is no fault. */
		*status = finding_list_has(&emulated->findings, FINDING_LATE) ? TRIAL_TIMEOUT
									      : TRIAL_FAULT;
		if (*status == TRIAL_TIMEOUT)
			add_time_limit(emulated->runner, reason);
		describe_findings(emulated, reason);
	} else if (emulated->late_following) {
		*status = TRIAL_TIMEOUT;
		add_late_following(emulated->runner, reason);
	}
	if (mismatch->length) {
		text_addf(reason, "%s%s", reason->length ? "; " : "", mismatch->data);
		if (*status == TRIAL_OK)
			*status = TRIAL_MISMATCH;
	} else if (*status == TRIAL_OK && totals->blocks_executed < totals->blocks_total) {
		text_addf(reason,
			  "counted on %" PRId64 " of %" PRId64
			  " blocks; the result was not verified (--blocks all verifies it)",
			  totals->blocks_executed, totals->blocks_total);
		*status = TRIAL_SAMPLED;
	}
}

/* The text of a note with the kernel's name as in the source. */
static void add_finding_note(struct text *out, const struct finding *note)
{
	struct text whole = TEXT_INIT, name = TEXT_INIT;
	struct finding readable = *note;

	mangled_readable(&whole, note->entry);
	readable_shorten(&name, whole.data, MANGLED_MOST);
	readable.entry = name.data;
	text_add(out, "note: ");
	finding_text(out, &readable);
	text_add(out, "\n");
	text_release(&whole);
	text_release(&name);
}

void case_print_notes(const struct emulated_case *emulated)
{
	struct text text = TEXT_INIT;

	for (size_t i = 0; i < emulated->notes.count; i++)
		add_finding_note(&text, &emulated->notes.items[i]);
	if (text.length && emulated->runner->print)
		emulated->runner->print(emulated->runner->print_context, text.data);
	text_release(&text);
}
