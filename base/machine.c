/* What the system grants this process: processors, memory, random identifiers. */
#include "base/base.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int usable_processors(void)
{
	cpu_set_t set;
	long online;

	if (!sched_getaffinity(0, sizeof(set), &set))
		return CPU_COUNT(&set);
	online = sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t holds */
	return online > 0 ? (int)online : 1;
}

/* The number in a file of one line. -1: there is none, or no limit ("max"). */
static int64_t number_in(const char *path)
{
	char *text = NULL;
	int64_t number;
	size_t length;

	if (read_file(&text, &length, path, 64, NULL))
		return -1;
	text[strcspn(text, "\n")] = '\0';
	if (parse_i64(&number, text, NULL))
		number = -1;
	free(text);
	return number;
}

int64_t machine_memory_bytes(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	const int64_t bytes = pages > 0 && page_bytes > 0 ? (int64_t)pages * page_bytes : 0;
	const int64_t most = number_in("/sys/fs/cgroup/memory.max");

	return most > 0 && most < bytes ? most : bytes;
}

/* The number after a word in a file, in bytes; 0: there is none. */
static int64_t counted_in(const char *path, const char *word, int64_t unit_bytes)
{
	char *text = NULL, *found;
	int64_t number = 0;
	size_t length;

	if (read_file(&text, &length, path, 1 << 16, NULL))
		return 0;
	found = strstr(text, word);
	if (found)
		number = strtoll(found + strlen(word), NULL, 10);
	free(text);
	return number > 0 ? number * unit_bytes : 0;
}

int64_t available_memory_bytes(void)
{
	const int64_t most = machine_memory_bytes();
	const int64_t machine = counted_in("/proc/meminfo", "MemAvailable:", 1024);
	const int64_t limit = number_in("/sys/fs/cgroup/memory.max");
	const int64_t used = number_in("/sys/fs/cgroup/memory.current");
	/* the container gives back the files that it only caches */
	const int64_t held = used - counted_in("/sys/fs/cgroup/memory.stat", "inactive_file ", 1);
	int64_t bytes = machine > 0 && machine < most ? machine : most;

	if (limit > 0 && used > 0 && limit - held < bytes)
		bytes = limit > held ? limit - held : 0;
	return bytes;
}

int uid_make(char out[33], struct error *err)
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return error_set(err, PL_EIO, "no random bytes for a uid: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}
