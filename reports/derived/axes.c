/* The axes that tell the cases of a kernel apart; see the header. */
#include <string.h>

#include "reports/derived/derived.h"

/* The first case of the kernel at or after `from`; run->trial_count: none. */
static size_t next_case(const struct run *run, const char *kernel, size_t from)
{
	while (from < run->trial_count && strcmp(run->trials[from].kernel, kernel) != 0)
		from++;
	return from;
}

static bool axis_varies(const struct run *run, const char *kernel, const char *name)
{
	size_t at = next_case(run, kernel, 0);
	const struct named_value *first =
		at < run->trial_count ? trial_axis(&run->trials[at], name) : NULL;

	for (; at < run->trial_count; at = next_case(run, kernel, at + 1)) {
		const struct named_value *axis = trial_axis(&run->trials[at], name);

		if (!axis != !first || (axis && axis->value != first->value))
			return true;
	}
	return false;
}

static void add_names(struct string_list *names, const struct trial *trial)
{
	for (size_t i = 0; i < trial->axis_count; i++) {
		if (!string_list_has(names, trial->axes[i].name))
			string_list_add(names, trial->axes[i].name);
	}
}

void kernel_axes(struct string_list *varying, struct text *constant, const struct run *run,
		 const char *kernel)
{
	struct string_list names = {0};
	size_t first = next_case(run, kernel, 0);

	for (size_t i = first; i < run->trial_count; i = next_case(run, kernel, i + 1))
		add_names(&names, &run->trials[i]);
	for (size_t i = 0; i < names.count; i++) {
		if (axis_varies(run, kernel, names.items[i]))
			string_list_add(varying, names.items[i]);
		else if (constant)
			text_addf(
				constant, "%s%s=%lld", constant->length ? ", " : "", names.items[i],
				(long long)trial_axis(&run->trials[first], names.items[i])->value);
	}
	string_list_release(&names);
}

void trial_axes_text(struct text *out, const struct trial *trial, const struct string_list *names)
{
	size_t begin = out->length;

	for (size_t i = 0; i < names->count; i++) {
		const struct named_value *axis = trial_axis(trial, names->items[i]);

		if (axis)
			text_addf(out, "%s%s=%lld", out->length > begin ? "," : "", axis->name,
				  (long long)axis->value);
	}
}
