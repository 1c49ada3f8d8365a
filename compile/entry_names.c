/*
 * Which kernel of an image, or other thing in it, a name means. The image has mangled names
 * (Itanium C++ ABI); a person writes "saxpy", "ns::scale" or "ns::scale<float, 4>".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "compile/compile_parts.h"

#define NAMES_SHOWN 20

void compiled_entry_release(struct compiled_entry *entry)
{
	free(entry->wanted);
	free(entry->name);
	free(entry->parameters);
	free(entry->access);
	*entry = (struct compiled_entry){0};
}

void entry_list_release(struct entry_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		compiled_entry_release(&list->items[i]);
	free(list->items);
	*list = (struct entry_list){0};
}

bool entry_is_instance(const char *wanted)
{
	return strchr(wanted, '<') != NULL;
}

int entry_wanted_check(const char *wanted, struct error *err)
{
	static const char *const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789_:$";
	size_t name = strspn(wanted, plain);
	int depth = 0;

	if (!name || isdigit((unsigned char)*wanted) || strlen(wanted) > 4096)
		goto refuse;
	name += strspn(wanted + name, " ");
	if (!wanted[name])
		return 0;
	if (wanted[name] != '<')
		goto refuse;
	/* the compiler judges the arguments; they only have to stay one expression in one line */
	for (const char *c = wanted + name; *c; c++) {
		if ((unsigned char)*c < ' ' || strchr(";{}#\"\\@`", *c) ||
		    (c[0] == '/' && c[1] == '/') || (c[0] == '/' && c[1] == '*'))
			goto refuse;
		depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
		if (depth < 0)
			goto refuse;
	}
	if (!depth && wanted[strlen(wanted) - 1] == '>')
		return 0;
refuse:
	return error_set(err, PL_EUSAGE,
			 "'%.200s' is no name of a kernel: write saxpy, ns::scale or "
			 "ns::scale<float, 4>",
			 wanted);
}

/* Whether two names in an image differ in no more than what depends on the path of the file. */
static bool is_same_but_path(const char *name, const char *wanted)
{
	struct text left = TEXT_INIT, right = TEXT_INIT;
	bool same;

	mangled_portable(&left, name);
	mangled_portable(&right, wanted);
	same = left.length && !strcmp(left.data, right.data);
	text_release(&left);
	text_release(&right);
	return same;
}

int image_name_match(const char *name, const char *wanted)
{
	struct text plain = TEXT_INIT;
	size_t length = strcspn(wanted, "<"), before;
	int match = 0;

	if (!strcmp(name, wanted) || is_same_but_path(name, wanted))
		return 3;
	while (length && wanted[length - 1] == ' ')
		length--;
	if (!strncmp(wanted, "::", 2)) {
		wanted += 2;
		length -= 2;
	}
	mangled_plain_name(&plain, name);
	if (plain.length >= length && length) {
		before = plain.length - length;
		if (!memcmp(plain.data + before, wanted, length))
			match = !before ? 2
					: before > 2 && !memcmp(plain.data + before - 2, "::", 2);
	}
	text_release(&plain);
	return match;
}

void name_choice_take(struct name_choice *choice, size_t index, const char *name,
		      const char *wanted)
{
	const int match = image_name_match(name, wanted);

	if (!match || match < choice->match)
		return;
	choice->found = match > choice->match ? 1 : choice->found + 1;
	choice->index = match > choice->match ? index : choice->index;
	choice->match = match;
}

size_t entry_find(size_t *index, const struct entry_list *list, const char *wanted)
{
	struct name_choice choice = {0};

	for (size_t i = 0; i < list->count; i++)
		name_choice_take(&choice, i, list->items[i].name, wanted);
	if (choice.found)
		*index = choice.index;
	return choice.found;
}

static void entry_describe(struct text *out, const struct compiled_entry *entry)
{
	struct text plain = TEXT_INIT;

	mangled_plain_name(&plain, entry->name);
	text_add(out, plain.data);
	if (strcmp(plain.data, entry->name) != 0)
		text_addf(out, " (%s)", entry->name);
	text_release(&plain);
}

static int entry_not_found(const struct entry_list *list, const char *wanted, size_t found,
			   const char *source, struct error *err)
{
	struct text names = TEXT_INIT;
	size_t shown = 0;
	int rc;

	for (size_t i = 0; i < list->count; i++) {
		if (found && !image_name_match(list->items[i].name, wanted))
			continue;
		if (shown++ == NAMES_SHOWN) {
			text_add(&names, ", …");
			break;
		}
		text_add(&names, shown > 1 ? ", " : "");
		entry_describe(&names, &list->items[i]);
	}
	if (found)
		rc = error_set(err, PL_EUSAGE,
			       "'%.200s' may be any of %zu kernels of '%s': write the name in "
			       "parentheses of the one that you want: %s",
			       wanted, found, source, names.data);
	else if (list->count)
		rc = error_set(err, PL_EUSAGE, "there is no kernel '%.200s' in '%s'; it has: %s",
			       wanted, source, names.data);
	else
		rc = error_set(
			err, PL_EUSAGE,
			"there is no kernel '%.200s' in '%s', and no other: a template is "
			"compiled only for the instances that are named, such as %.100s<float>",
			wanted, source, wanted);
	text_release(&names);
	return rc;
}

static struct compiled_entry entry_copy(const struct compiled_entry *from, const char *wanted)
{
	struct compiled_entry entry = *from;

	entry.wanted = xstrdup(wanted);
	entry.name = xstrdup(from->name);
	entry.parameters = xcalloc(from->parameter_count + 1, sizeof(*entry.parameters));
	if (from->parameter_count)
		memcpy(entry.parameters, from->parameters,
		       from->parameter_count * sizeof(*entry.parameters));
	return entry;
}

static void entry_list_add(struct entry_list *list, struct compiled_entry entry)
{
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = entry;
}

int entries_choose(struct entry_list *out, struct entry_list *from,
		   const struct compile_request *request, const struct string_list *lowered,
		   struct error *err)
{
	const struct string_list *wanted = &request->entries;
	size_t instance = 0;
	int rc = 0;

	*out = (struct entry_list){0};
	for (size_t i = 0; i < from->count && !wanted->count; i++)
		entry_list_add(out, entry_copy(&from->items[i], from->items[i].name));
	for (size_t i = 0; i < wanted->count && !rc; i++) {
		const bool is_instance = entry_is_instance(wanted->items[i]);
		const char *known =
			is_instance && instance < lowered->count ? lowered->items[instance] : "";
		const char *name = *known ? known : wanted->items[i];
		size_t index = 0, found = entry_find(&index, from, name);

		instance += is_instance;
		if (found == 1)
			entry_list_add(out, entry_copy(&from->items[index], wanted->items[i]));
		else
			rc = entry_not_found(from, name, found, request->source, err);
	}
	entry_list_release(from);
	if (rc)
		entry_list_release(out);
	return rc;
}
