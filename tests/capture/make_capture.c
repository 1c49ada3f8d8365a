#include "tests/capture/make_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void fill_text(char **text, const char *otherwise)
{
	if (!*text)
		*text = (char *)(uintptr_t)otherwise;
}

static void fill_numbers(struct capture_info *info)
{
	struct capture_launch *launch = &info->launch;

	for (size_t i = 0; i < 3; i++) {
		launch->grid[i] += !launch->grid[i];
		launch->block[i] += !launch->block[i];
		launch->cluster[i] += !launch->cluster[i];
	}
	info->number += !info->number;
	if (!info->cc_major)
		info->cc_major = 9;
	if (!info->driver_version)
		info->driver_version = 13000;
}

static void fill_info(struct capture_info *info, bool ptx)
{
	fill_text(&info->kernel, "kernel");
	fill_text(&info->api, "cuLaunchKernel");
	fill_text(&info->program, "./app");
	fill_text(&info->created, "2026-11-23T08:00:00Z");
	fill_text(&info->version, "0.1.0");
	fill_text(&info->device, "NVIDIA H200");
	fill_text(&info->uuid, "GPU-00000000-0000-0000-0000-000000000000");
	if (ptx)
		fill_text(&info->ptx_origin, "the fat binary of the program");
	fill_numbers(info);
}

/* The ranges in which both contents differ. */
static int write_changes(struct capture_writer *writer, size_t memory,
			 const struct made_content *content, size_t bytes, struct error *err)
{
	const char *before = content->before;
	const char *after = content->after;
	int rc = 0;

	for (size_t i = 0; i < bytes && !rc;) {
		size_t end = i;

		while (end < bytes && before[end] != after[end])
			end++;
		rc = capture_write_changed(writer, memory, i, after + i, end - i, err);
		i = end + 1;
	}
	return rc;
}

static int write_parts(struct capture_writer *writer, const struct made_capture *what,
		       struct error *err)
{
	static const char no_cubin[] = "\x7f"
				       "ELF";
	const struct capture_info *info = &what->info;
	int rc = capture_write_image(writer, CAPTURE_CUBIN, what->cubin ? what->cubin : no_cubin,
				     what->cubin ? what->cubin_bytes : sizeof(no_cubin), err);

	if (!rc && what->ptx)
		rc = capture_write_image(writer, CAPTURE_PTX, what->ptx, strlen(what->ptx), err);
	for (size_t i = 0; i < info->memory_count && !rc; i++)
		rc = capture_write_before(writer, i, what->content[i].before, info->memory[i].bytes,
					  err);
	for (size_t i = 0; i < info->memory_count && !rc; i++)
		if (info->memory[i].changed)
			rc = write_changes(writer, i, &what->content[i], info->memory[i].bytes,
					   err);
	return rc;
}

static int write_whole(const char *path, const struct made_capture *what, struct error *err)
{
	struct capture_writer *writer;
	int rc = capture_writer_open(&writer, path, err);

	if (rc)
		return rc;
	rc = write_parts(writer, what, err);
	if (rc) {
		capture_writer_abandon(writer);
		return rc;
	}
	return capture_writer_commit(writer, &what->info, err);
}

int make_capture(const char *path, const struct made_capture *what, struct error *err)
{
	struct made_capture filled = *what;
	struct capture_info *info = &filled.info;
	struct capture_memory *memory = xcalloc(info->memory_count + 1, sizeof(memory[0]));
	char *aside = xasprintf("%s.aside", path);
	struct stat there;
	int rc;

	for (size_t i = 0; i < info->memory_count; i++) {
		const struct made_content *content = &what->content[i];

		memory[i] = info->memory[i];
		memory[i].changed = content->after &&
				    memcmp(content->before, content->after, memory[i].bytes) != 0;
	}
	info->memory = memory;
	fill_info(info, what->ptx != NULL);
	/* a capture replaces no file, but a test may make one again */
	if (!stat(path, &there) && S_ISREG(there.st_mode))
		rename(path, aside);
	rc = write_whole(path, &filled, err);
	if (rc)
		rename(aside, path);
	else
		remove(aside);
	free(aside);
	free(memory);
	return rc;
}
