/*
 * Who may hold the counters of a device while CUPTI is refused them. The driver does not say it, so
 * these are the processes on the device and the profilers and monitors that run on this machine, as
 * far as /proc shows them.
 */
#include "harness/workers/worker_loop.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDERS_SHOWN 6
#define NAME_LENGTH 32

#define KERNEL_NAME_LENGTH 15 /* the kernel cuts the names of programs */

/* Programs that read counters of a device on which they need not compute. */
static const char *const readers[] = {"nv-hostengine",  "dcgm-exporter", "dcgmi",
				      "dcgmproftester", "ncu",           "nsys",
				      "nsys-launcher"};

struct holders {
	struct text list;
	size_t count;
};

/* The first line, or string, of a file of a process. false: there is none that can be read. */
static bool read_of_process(char *out, size_t size, pid_t pid, const char *what)
{
	char path[48];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	file = fopen(path, "r");
	read = file && fgets(out, (int)size, file);
	if (file)
		fclose(file);
	if (read)
		out[strcspn(out, "\n")] = '\0';
	return read;
}

/* false: there is no such process, or it is not to be seen from here. */
static bool name_of_process(char out[NAME_LENGTH], pid_t pid)
{
	char command[4096];
	const char *name, *slash;

	if (!read_of_process(out, NAME_LENGTH, pid, "comm"))
		return false;
	/* the command has the whole name of a program, but also what else a process calls itself */
	if (strlen(out) < KERNEL_NAME_LENGTH ||
	    !read_of_process(command, sizeof(command), pid, "cmdline"))
		return true;
	slash = strrchr(command, '/');
	name = slash ? slash + 1 : command;
	if (strncmp(name, out, KERNEL_NAME_LENGTH) == 0)
		snprintf(out, NAME_LENGTH, "%.*s", NAME_LENGTH - 1, name);
	return true;
}

static void add_holder(struct holders *holders, pid_t pid, const char *name)
{
	if (holders->count++ < HOLDERS_SHOWN)
		text_addf(&holders->list, "%s%s (process %d)", holders->count > 1 ? ", " : "", name,
			  (int)pid);
}

static bool reads_counters(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (strncmp(name, readers[i], KERNEL_NAME_LENGTH) == 0)
			return true;
	return false;
}

static bool is_listed(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

void counter_holders_add(struct text *out, const pid_t *on_device, size_t count)
{
	struct holders holders = {.list = TEXT_INIT};
	char name[NAME_LENGTH];
	const struct dirent *entry;
	DIR *folder = opendir("/proc");

	while (folder && (entry = readdir(folder))) {
		const pid_t pid =
			isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (pid && !is_listed(on_device, count, pid) && name_of_process(name, pid) &&
		    reads_counters(name))
			add_holder(&holders, pid, name);
	}
	if (folder)
		closedir(folder);
	for (size_t i = 0; i < count; i++)
		add_holder(&holders, on_device[i],
			   name_of_process(name, on_device[i]) ? name : "a process elsewhere");
	if (!holders.count)
		text_add(out, "; no process that could is to be seen from here: it may be outside "
			      "of this container");
	else if (holders.count > HOLDERS_SHOWN)
		text_addf(out, "; it may be %s or %zu others", holders.list.data,
			  holders.count - HOLDERS_SHOWN);
	else
		text_addf(out, "; it may be %s", holders.list.data);
	text_release(&holders.list);
}
