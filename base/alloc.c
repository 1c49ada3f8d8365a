/*
 * Small allocations, which abort when memory runs out: an error path would need
 * memory too. The core dump shows where it happened.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Uses write() because stdio may allocate memory. */
static _Noreturn void alloc_abort(void)
{
	static const char message[] = "perflab: out of memory\n";

	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		abort();
	abort();
}

void *xmalloc(size_t size)
{
	return xrealloc(NULL, size);
}

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		alloc_abort();
	return memory;
}

void *xrealloc(void *pointer, size_t size)
{
	void *memory = realloc(pointer, size ? size : 1);

	if (!memory)
		alloc_abort();
	return memory;
}

void *xgrow(void *pointer, size_t *capacity, size_t needed, size_t element_size)
{
	size_t grown = *capacity < 8 ? 8 : *capacity;
	size_t size;

	if (needed <= *capacity)
		return pointer;
	while (grown < needed) {
		if (__builtin_add_overflow(grown, grown / 2, &grown))
			alloc_abort();
	}
	if (__builtin_mul_overflow(grown, element_size, &size))
		alloc_abort();
	pointer = xrealloc(pointer, size);
	*capacity = grown;
	return pointer;
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

char *xstrndup(const char *text, size_t length)
{
	size_t used = strnlen(text, length);
	char *copy = xmalloc(used + 1);

	memcpy(copy, text, used);
	copy[used] = '\0';
	return copy;
}

char *xasprintf(const char *format, ...)
{
	char *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		alloc_abort();
	return text;
}
