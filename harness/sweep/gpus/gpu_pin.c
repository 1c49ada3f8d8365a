#include "harness/sweep/gpus/gpu_part.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCI_FOLDER "/sys/bus/pci/devices"
#define PCI_FOLDER_VARIABLE "PERFLAB_PCI_FOLDER"
#define LIST_LIMIT 65536
/* The length of a bus id "0000:1b:00.0". A driver may give its domain eight digits. */
#define BUS_ID_LENGTH 12

/* The bus id as Linux names it. false: it is none. */
static bool read_bus_id(char out[BUS_ID_LENGTH + 1], const char *text)
{
	static const char form[] = "hhhh:hh:hh.h";
	const size_t length = text ? strlen(text) : 0;

	if (length < BUS_ID_LENGTH)
		return false;
	text += length - BUS_ID_LENGTH;
	for (size_t i = 0; i <= BUS_ID_LENGTH; i++) {
		if (form[i] == 'h' ? !isxdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
		out[i] = (char)tolower((unsigned char)text[i]);
	}
	return true;
}

/* Reads "0-15,32-47" and a line end. false: it is something else. */
static bool read_processors(cpu_set_t *out, const char *list)
{
	CPU_ZERO(out);
	while (isdigit((unsigned char)*list)) {
		char *end;
		const unsigned long first = strtoul(list, &end, 10);
		unsigned long last = first;

		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last >= CPU_SETSIZE || first > last)
			return false;
		for (unsigned long i = first; i <= last; i++)
			CPU_SET(i, out);
		list = *end == ',' ? end + 1 : end;
	}
	return (*list == '\n' || *list == '\0') && CPU_COUNT(out);
}

/* The processors of the device that this process may use. NULL, or why there are none, malloc'd. */
static char *find_processors(cpu_set_t *out, char **list, const char *bus_id)
{
	const char *folder = getenv(PCI_FOLDER_VARIABLE);
	char linux_id[BUS_ID_LENGTH + 1], *path, *why = NULL;
	struct error cause = {0};
	cpu_set_t allowed;
	size_t length;

	if (!read_bus_id(linux_id, bus_id))
		return xstrdup("its PCI bus id is not known");
	path = xasprintf("%s/%s/local_cpulist", folder && *folder ? folder : PCI_FOLDER, linux_id);
	if (read_file(list, &length, path, LIST_LIMIT, &cause)) {
		why = xstrdup(cause.text);
	} else if (!read_processors(out, *list)) {
		why = xasprintf("%s is no list of processors", path);
	} else if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		why = xasprintf("the processors of this process: %s", strerror(errno));
	} else {
		CPU_AND(out, out, &allowed);
		if (!CPU_COUNT(out))
			why = xasprintf("this process may use none of the processors %s",
					strtok(*list, "\n"));
	}
	free(path);
	return why;
}

/* The threads that a worker has by now; later ones inherit it. */
static void pin_threads(pid_t worker, const cpu_set_t *processors)
{
	char path[64];
	DIR *folder;
	const struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)worker);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			sched_setaffinity((pid_t)atoi(entry->d_name), sizeof(*processors),
					  processors);
	if (folder)
		closedir(folder);
}

void gpu_pin(struct key_value_list *environment, pid_t worker)
{
	cpu_set_t processors;
	char *list = NULL, *why;

	why = find_processors(&processors, &list, key_value_get(environment, "gpu.pci_bus_id"));
	if (!why && sched_setaffinity(0, sizeof(processors), &processors))
		why = xasprintf("the system refuses it: %s", strerror(errno));
	if (why) {
		char *fact = xasprintf("not pinned: %s", why);

		key_value_set(environment, GPUS_PROCESSORS_KEY, fact);
		free(fact);
	} else {
		pin_threads(worker, &processors);
		list[strcspn(list, "\n")] = '\0';
		key_value_set(environment, GPUS_PROCESSORS_KEY, list);
	}
	free(why);
	free(list);
}
