/*
 * perflab-nvrtc: compiles one CUDA file with NVRTC. perflab starts it, so that perflab itself loads
 * no CUDA library and a crash of the compiler ends only this process.
 *
 *   perflab-nvrtc --find                 prints the path of the library that the loader finds
 *   perflab-nvrtc LIBRARY SOURCE FOLDER [NAME…] -- [OPTION…]
 *
 * The second form writes image.ptx, image.cubin (if the architecture is an sm_), names (the name in
 * the image of each NAME, one a line) and files ("+path" read, "-path" tried and not there) into
 * FOLDER, and what the compiler says to stdout. Exit codes: 0 compiled, 1 the file does not
 * compile, 4 the library cannot be used.
 */
#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/nvrtc_files.h"

#define EXIT_UNUSABLE 4
#define NVRTC_ERROR_INVALID_OPTION 5

/* nvrtc.h, as far as it is used here: this program builds without the toolkit. */
typedef struct _nvrtcProgram *nvrtc_program;
struct nvrtc {
	int (*create)(nvrtc_program *, const char *, const char *, int, const char *const *,
		      const char *const *);
	int (*destroy)(nvrtc_program *);
	int (*compile)(nvrtc_program, int, const char *const *);
	int (*name_add)(nvrtc_program, const char *);
	int (*name_lowered)(nvrtc_program, const char *, const char **);
	int (*log_size)(nvrtc_program, size_t *);
	int (*log)(nvrtc_program, char *);
	int (*ptx_size)(nvrtc_program, size_t *);
	int (*ptx)(nvrtc_program, char *);
	int (*cubin_size)(nvrtc_program, size_t *);
	int (*cubin)(nvrtc_program, char *);
	const char *(*error_name)(int);
};

static int print_loader_library(void)
{
	static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
					    "libnvrtc.so.11.2"};
	struct link_map *map;
	void *library = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
		library = dlopen(names[i], RTLD_NOW);
	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map))
		return EXIT_UNUSABLE;
	printf("%s\n", map->l_name);
	return 0;
}

/* NVRTC opens its built-in headers by name only. Loaded first, they are found in its own folder. */
static void load_builtins(const char *library)
{
	const char *end = strrchr(library, '/');
	char pattern[4096];
	glob_t found = {0};

	if (!end)
		return;
	snprintf(pattern, sizeof(pattern), "%.*s/libnvrtc-builtins.so.*", (int)(end - library),
		 library);
	if (!glob(pattern, 0, NULL, &found))
		(void)dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_GLOBAL);
	globfree(&found);
}

static int load_nvrtc(struct nvrtc *nvrtc, const char *path)
{
	const struct {
		const char *name;
		void *function;
	} functions[] = {{"nvrtcCreateProgram", &nvrtc->create},
			 {"nvrtcDestroyProgram", &nvrtc->destroy},
			 {"nvrtcCompileProgram", &nvrtc->compile},
			 {"nvrtcAddNameExpression", &nvrtc->name_add},
			 {"nvrtcGetLoweredName", &nvrtc->name_lowered},
			 {"nvrtcGetProgramLogSize", &nvrtc->log_size},
			 {"nvrtcGetProgramLog", &nvrtc->log},
			 {"nvrtcGetPTXSize", &nvrtc->ptx_size},
			 {"nvrtcGetPTX", &nvrtc->ptx},
			 {"nvrtcGetCUBINSize", &nvrtc->cubin_size},
			 {"nvrtcGetCUBIN", &nvrtc->cubin},
			 {"nvrtcGetErrorString", &nvrtc->error_name}};
	void *library;

	load_builtins(path);
	library = dlopen(path, RTLD_NOW);
	if (!library) {
		printf("%s\n", dlerror());
		return EXIT_UNUSABLE;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library, functions[i].name);

		if (!found) {
			printf("%s has no %s: CUDA 11.1 or newer is needed\n", path,
			       functions[i].name);
			return EXIT_UNUSABLE;
		}
		/* POSIX lets a function pointer be stored as an object pointer, C does not */
		memcpy(functions[i].function, &found, sizeof(found));
	}
	return 0;
}

static int write_bytes(const char *folder, const char *name, const void *bytes, size_t length)
{
	char path[4096];
	FILE *file;
	size_t wrote;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	wrote = file ? fwrite(bytes, 1, length, file) : 0;
	if (file && !fclose(file) && wrote == length)
		return 0;
	printf("cannot write %s\n", path);
	return EXIT_UNUSABLE;
}

static int write_image(const char *folder, const char *name, nvrtc_program program,
		       int (*size_of)(nvrtc_program, size_t *),
		       int (*bytes_of)(nvrtc_program, char *), size_t terminator)
{
	size_t size = 0;
	char *bytes;
	int rc = 0;

	if (size_of(program, &size) || size <= terminator)
		return 0; /* a virtual architecture has no cubin */
	bytes = malloc(size);
	if (!bytes || bytes_of(program, bytes)) {
		printf("NVRTC does not return %s\n", name);
		rc = EXIT_UNUSABLE;
	}
	if (!rc)
		rc = write_bytes(folder, name, bytes, size - terminator);
	free(bytes);
	return rc;
}

static int write_names(const char *folder, const struct nvrtc *nvrtc, nvrtc_program program,
		       char **names, int count)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	int rc;

	if (!file)
		return EXIT_UNUSABLE;
	for (int i = 0; i < count; i++) {
		const char *lowered = "";

		if (nvrtc->name_lowered(program, names[i], &lowered))
			lowered = "";
		fprintf(file, "%s\n", lowered);
	}
	if (fclose(file))
		return EXIT_UNUSABLE;
	rc = write_bytes(folder, "names", text, length);
	free(text);
	return rc;
}

static void print_log(const struct nvrtc *nvrtc, nvrtc_program program)
{
	size_t size = 0;
	char *log;

	if (nvrtc->log_size(program, &size) || size <= 1)
		return;
	log = malloc(size);
	if (log && !nvrtc->log(program, log))
		fwrite(log, 1, size - 1, stdout);
	free(log);
}

/* What the command line asks for. */
struct nvrtc_request {
	const char *source, *folder;
	char **names;
	int name_count;
	char **options;
	int option_count;
};

/*
 * Creates and compiles a program. Returns the code of NVRTC. Without a seed NVRTC makes names in
 * unnamed namespaces of the number of the process, and the code would differ every time.
 */
static int compile_program(nvrtc_program *program, const struct nvrtc *nvrtc,
			   const struct nvrtc_request *request, bool seeded)
{
	const char **options = malloc(sizeof(*options) * (size_t)(request->option_count + 1));
	char text[4200];
	int count = 0, rc;

	if (!options)
		return 1; /* NVRTC_ERROR_OUT_OF_MEMORY */
	if (seeded)
		options[count++] = "--frandom-seed=perflab";
	for (int i = 0; i < request->option_count; i++)
		options[count++] = request->options[i];
	/* NVRTC reads the source itself, as it reads headers, so that it is in the list of files */
	snprintf(text, sizeof(text), "#include \"%s\"\n", request->source);
	rc = nvrtc->create(program, text, "image.cu", 0, NULL, NULL);
	for (int i = 0; i < request->name_count && !rc; i++)
		rc = nvrtc->name_add(*program, request->names[i]);
	if (!rc)
		rc = nvrtc->compile(*program, count, options);
	free(options);
	return rc;
}

static int compile_file(const struct nvrtc *nvrtc, const struct nvrtc_request *request)
{
	nvrtc_program program = NULL;
	const char *record;
	size_t length;
	int rc;

	nvrtc_files_begin();
	rc = compile_program(&program, nvrtc, request, true);
	if (rc == NVRTC_ERROR_INVALID_OPTION) {
		/* before CUDA 12 there is no seed */
		nvrtc->destroy(&program);
		rc = compile_program(&program, nvrtc, request, false);
	}
	record = nvrtc_files_end(&length);
	if (program)
		print_log(nvrtc, program);
	if (write_bytes(request->folder, "files", record, length))
		return EXIT_UNUSABLE;
	if (rc) {
		printf("NVRTC: %s\n", nvrtc->error_name(rc));
		return 1;
	}
	rc = write_names(request->folder, nvrtc, program, request->names, request->name_count);
	if (!rc)
		rc = write_image(request->folder, "image.ptx", program, nvrtc->ptx_size, nvrtc->ptx,
				 1);
	if (!rc)
		rc = write_image(request->folder, "image.cubin", program, nvrtc->cubin_size,
				 nvrtc->cubin, 0);
	nvrtc->destroy(&program);
	return rc;
}

int main(int argc, char **argv)
{
	struct nvrtc_request request;
	struct nvrtc nvrtc = {0};
	int names = 0, rc;

	if (argc == 2 && !strcmp(argv[1], "--find"))
		return print_loader_library();
	while (argc > 4 + names && strcmp(argv[4 + names], "--") != 0)
		names++;
	if (argc <= 4 + names || strlen(argv[2]) > 4096) {
		printf("perflab starts this program: perflab-nvrtc LIBRARY SOURCE FOLDER [NAME…] "
		       "-- [OPTION…]\n");
		return EXIT_UNUSABLE;
	}
	request = (struct nvrtc_request){.source = argv[2],
					 .folder = argv[3],
					 .names = argv + 4,
					 .name_count = names,
					 .options = argv + 5 + names,
					 .option_count = argc - 5 - names};
	/* On a machine with a driver, NVRTC has a cache of its own in the home folder. The image
	 * must depend on the recorded files only, and files of that cache are none of the user's. A
	 * version that does not know the first variable leaves its files in the folder of this
	 * compilation. */
	setenv("CUDA_CACHE_DISABLE", "1", 1);
	setenv("CUDA_CACHE_PATH", request.folder, 1);
	rc = load_nvrtc(&nvrtc, argv[1]);
	return rc ? rc : compile_file(&nvrtc, &request);
}
