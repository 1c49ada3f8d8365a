/* How a variant is verified, in the words of its user. */
#include "kernels/kernels.h"

static void describe_check_launches(struct text *out, const struct kernel_check *check,
				    size_t begin)
{
	for (size_t i = 0; i < check->launch_count; i++)
		text_addf(out, "%skernel %s", out->length > begin ? "; " : "",
			  check->launches[i].entry);
	if (check->source)
		text_addf(out, " from %s", check->source->path);
}

static void describe_check_items(struct text *out, const struct kernel_check *check, size_t begin)
{
	for (size_t i = 0; i < check->item_count; i++) {
		const struct kernel_check_item *item = &check->items[i];

		text_addf(out, "%s%s %s %s", out->length > begin ? "; " : "", item->buffer,
			  check->kind == CHECK_FILE || item->is_file ? "from" : "=",
			  item->written ? item->written : item->text);
	}
}

void kernel_check_describe(struct text *out, const struct kernel *kernel,
			   const struct kernel_variant *variant)
{
	const struct kernel_oracle *oracle = variant->oracle ? variant->oracle : kernel->oracle;
	const struct kernel_check *check = variant->check;
	const size_t begin = out->length;

	if (!check || check->kind == CHECK_ORACLE) {
		text_addf(out, "CPU oracle %s", oracle ? oracle->name : "");
		return;
	}
	if (check->kind == CHECK_NONE)
		text_add(out, "none");
	else if (check->kind == CHECK_COMMAND)
		text_addf(out, "by %s", check->command);
	describe_check_items(out, check, begin);
	describe_check_launches(out, check, begin);
}
