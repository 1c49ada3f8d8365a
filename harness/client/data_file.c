#include "harness/client/client.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* A multiple of every page size. */
#define RANGE_ALIGNMENT (INT64_C(64) << 10)
#define LIMIT_VARIABLE "PERFLAB_SHARED_MEMORY"

/* One for the process, see data_file_renew(): a worker may outlive the sweep that started it. */
static struct {
	int fd; /* valid if `tried`; -1: there is none */
	bool tried;
	int64_t end;
} file;

int data_file_fd(void)
{
	if (!file.tried)
		file.fd = memfd_create("perflab-data", MFD_CLOEXEC);
	file.tried = true;
	return file.fd;
}

void data_file_renew(void)
{
	if (file.tried && file.fd >= 0)
		close(file.fd);
	file.tried = false;
	file.end = 0;
}

int64_t data_file_range_bytes(int64_t bytes)
{
	return (bytes + RANGE_ALIGNMENT - 1) / RANGE_ALIGNMENT * RANGE_ALIGNMENT;
}

bool data_file_take(int64_t *offset, int64_t bytes)
{
	struct rlimit most;
	int64_t end;

	if (data_file_fd() < 0 || bytes > INT64_MAX / 4 || file.end > INT64_MAX / 4)
		return false;
	end = file.end + data_file_range_bytes(bytes);
	/* growing beyond this limit would end the process */
	if (getrlimit(RLIMIT_FSIZE, &most) ||
	    (most.rlim_cur != RLIM_INFINITY && (rlim_t)end > most.rlim_cur))
		return false;
	if (ftruncate(file.fd, (off_t)end))
		return false;
	*offset = file.end;
	file.end = end;
	return true;
}

void data_file_drop(int64_t offset, int64_t bytes)
{
	/* a failure costs memory until the process ends */
	(void)!fallocate(file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			 (off_t)data_file_range_bytes(bytes));
}

int data_file_limit(int64_t *out, struct error *err)
{
	const char *wanted = getenv(LIMIT_VARIABLE);

	if (!wanted || !*wanted) {
		*out = available_memory_bytes() / 4;
		return 0;
	}
	return error_context(err, parse_size(out, wanted, err), LIMIT_VARIABLE);
}
