#include "harness/workers/shared_data.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/protocol/protocol.h"

struct shared_data {
	struct worker_reply *reply;
	struct data_range *ranges;
	void **mapped; /* of each range; NULL: not mapped */
	size_t count;
};

int shared_data_open(struct shared_data **out, const json_t *request, struct worker_reply *reply,
		     struct error *err)
{
	struct shared_data shared = {.reply = reply};
	int rc = ranges_from_json(&shared.ranges, &shared.count, request, err);

	if (rc)
		return rc;
	shared.mapped = xcalloc(shared.count + 1, sizeof(*shared.mapped));
	*out = xcalloc(1, sizeof(**out));
	**out = shared;
	return 0;
}

void shared_data_close(struct shared_data *shared)
{
	if (!shared)
		return;
	for (size_t i = 0; i < shared->count; i++)
		if (shared->mapped[i])
			munmap(shared->mapped[i], (size_t)shared->ranges[i].bytes);
	free(shared->mapped);
	free(shared->ranges);
	free(shared);
}

static struct data_range *find_range(const struct shared_data *shared, const char *key)
{
	char hash[HASH_TEXT_BYTES];

	if (!shared || !shared->count)
		return NULL;
	hash_of(hash, key, strlen(key));
	for (size_t i = 0; i < shared->count; i++)
		if (!strcmp(shared->ranges[i].key, hash))
			return &shared->ranges[i];
	return NULL;
}

static bool file_has_range(const struct data_range *range)
{
	struct stat file;

	return !fstat(WORKER_DATA_FD, &file) && file.st_size - range->bytes >= range->offset;
}

static void *find_mapped(struct shared_data *shared, const char *key, size_t bytes, bool to_fill)
{
	struct data_range *range = find_range(shared, key);
	void **mapped;

	if (!range || range->fill != to_fill || range->bytes != (int64_t)bytes)
		return NULL;
	mapped = &shared->mapped[range - shared->ranges];
	/* a read beyond the end of the file would kill this process */
	if (*mapped || !file_has_range(range))
		return *mapped;
	/* for reading only: a kernel may write anywhere in the memory of its process */
	*mapped = mmap(NULL, bytes, to_fill ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
		       WORKER_DATA_FD, (off_t)range->offset);
	if (*mapped == MAP_FAILED)
		*mapped = NULL;
	return *mapped;
}

const void *shared_data_find(struct shared_data *shared, const char *key, size_t bytes)
{
	return find_mapped(shared, key, bytes, false);
}

void *shared_data_target(struct shared_data *shared, const char *key, size_t bytes)
{
	return find_mapped(shared, key, bytes, true);
}

bool shared_data_is_wanted(const struct shared_data *shared, const char *key)
{
	const struct data_range *range = find_range(shared, key);

	return range && range->fill;
}

static bool write_range(const char *data, size_t bytes, off_t offset)
{
	while (bytes) {
		ssize_t written = pwrite(WORKER_DATA_FD, data, bytes, offset);

		if (written <= 0)
			return false;
		data += written;
		bytes -= (size_t)written;
		offset += written;
	}
	return true;
}

static int announce(struct shared_data *shared, struct data_range *range)
{
	range->fill = false;
	return worker_reply_send(shared->reply, "filled", json_pack("{s:s}", "key", range->key));
}

int shared_data_announce(struct shared_data *shared, const char *key)
{
	struct data_range *range = find_range(shared, key);

	return range && range->fill ? announce(shared, range) : 0;
}

int shared_data_give(struct shared_data *shared, const char *key, const void *data, size_t bytes)
{
	struct data_range *range = find_range(shared, key);

	if (!range || !range->fill || range->bytes != (int64_t)bytes || !file_has_range(range) ||
	    !write_range(data, bytes, (off_t)range->offset))
		return 0;
	return announce(shared, range);
}
