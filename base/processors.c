/*
 * How many processors there are for this process.
 */
#include "base/base.h"

#include <sched.h>
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
