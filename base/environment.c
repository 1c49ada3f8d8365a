/* The environment of a program that is started. See process.h. */
#include <string.h>
#include <unistd.h>

#include "base/process.h"

extern char **environ;

static bool names_same(const char *one, const char *other)
{
	size_t length = strcspn(one, "=");

	return !strncmp(one, other, length) && other[length] == '=';
}

static bool is_replaced(const char *variable, const struct string_list *by)
{
	for (size_t i = 0; by && i < by->count; i++) {
		if (names_same(by->items[i], variable))
			return true;
	}
	return false;
}

char **environment_with(const struct string_list *variables)
{
	size_t count = 0, used = 0, more = variables ? variables->count : 0;
	char **all;

	while (environ && environ[count])
		count++;
	all = xcalloc(count + more + 1, sizeof(*all));
	for (size_t i = 0; i < more; i++)
		all[used++] = variables->items[i];
	for (size_t i = 0; i < count; i++) {
		if (!is_replaced(environ[i], variables))
			all[used++] = environ[i];
	}
	return all;
}
