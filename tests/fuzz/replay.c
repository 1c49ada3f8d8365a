/*
 * Runs a libFuzzer target over a stored corpus without a fuzz engine: every file of every folder
 * named on the command line is one input. This way, tests with any compiler replay the inputs that
 * fuzzing has found.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0;
	size_t capacity = 0;

	if (!file) {
		perror(path);
		return 1;
	}
	for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
		if (size == capacity) {
			capacity = capacity ? 2 * capacity : 4096;
			data = realloc(data, capacity);
			if (!data)
				abort();
		}
		data[size++] = (uint8_t)c;
	}
	fclose(file);
	/* An allocation of the exact size lets ASan see a read past the end. */
	data = realloc(data, size ? size : 1);
	if (!data)
		abort();
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	size_t replayed = 0;

	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);

		if (!folder) {
			perror(argv[i]);
			return 1;
		}
		for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
			char path[4096];

			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			if (replay_file(path))
				return 1;
			replayed++;
		}
		closedir(folder);
	}
	if (!replayed) {
		fprintf(stderr, "no corpus: name a folder with at least one input\n");
		return 1;
	}
	printf("%zu inputs replayed\n", replayed);
	return 0;
}
