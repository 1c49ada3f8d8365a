/* The axes that tell the cases of a kernel apart; see the header. */
#include <string.h>

#include "reports/derived/derived.h"

static bool axis_varies(const struct run_kernels *kernels, size_t at, const char *name)
{
	const struct run *run = kernels->run;
	const struct named_value *first =
		at < run->trial_count ? trial_axis(&run->trials[at], name) : NULL;

	for (; at < run->trial_count; at = kernels->next[at]) {
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

void kernel_axes(struct string_list *varying, struct text *constant,
		 const struct run_kernels *kernels, const char *kernel)
{
	const struct run *run = kernels->run;
	struct string_list names = {0};
	size_t first = run_kernels_first(kernels, kernel);

	for (size_t i = first; i < run->trial_count; i = kernels->next[i])
		add_names(&names, &run->trials[i]);
	for (size_t i = 0; i < names.count; i++) {
		if (axis_varies(kernels, first, names.items[i]))
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
