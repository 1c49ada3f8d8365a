/*
 * capture: one launch of a kernel, taken out of a running program: its machine
 * code, its parameters, and the memory that it could reach, before and after.
 * docs/capture-format.md describes the file. `perflab record` writes captures,
 * and `perflab sweep` replays them.
 *
 * A capture is complete or it is none: it is written under another name and
 * renamed at the end, and the reader refuses a file without a whole index. All
 * of a capture is untrusted input. The machine code in it is executed on the
 * GPU, so opening one of unknown origin means to run an unknown program there.
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include "base/base.h"

#define CAPTURE_SUFFIX ".capture"
#define CAPTURE_VERSION 1

/* Limits of the format. The writer refuses more memory, pointers and parameter bytes, and shortens
 * texts and the list of what was lost. */
enum {
	CAPTURE_MOST_MEMORY = 4096,
	CAPTURE_MOST_POINTERS = 1 << 22, /* of all lists together */
	CAPTURE_MOST_PARAMETER_BYTES = 1 << 16,
	CAPTURE_MOST_IMAGE_BYTES = 1 << 30,
	CAPTURE_MOST_LOST = 1000,
	CAPTURE_MOST_TEXT = 1 << 18, /* bytes */
};

/* Where the program had the memory. Symbol, name. */
#define CAPTURE_MEMORY_KIND_LIST(X)                                                      \
	X(CAPTURE_DEVICE, "device")     /* of the GPU, whatever function allocated it */ \
	X(CAPTURE_MANAGED, "managed")   /* moves between host and GPU */                 \
	X(CAPTURE_HOST, "host")         /* of the host, mapped for the GPU */            \
	X(CAPTURE_VARIABLE, "variable") /* a __device__ or __constant__ variable of the image */

enum capture_memory_kind {
#define X(symbol, name) symbol,
	CAPTURE_MEMORY_KIND_LIST(X)
#undef X
};
const char *capture_memory_kind_name(enum capture_memory_kind kind);
bool capture_memory_kind_parse(enum capture_memory_kind *out, const char *name);

/* A word of 8 bytes, at a multiple of 8, that is the address of memory[memory] plus `addend`. */
struct capture_pointer {
	uint64_t offset; /* in the parameters, or in the memory that holds the word */
	size_t memory;   /* index into memory */
	uint64_t addend; /* bytes; at most the size of that memory */
};

/* Ascending by offset. */
struct capture_pointers {
	struct capture_pointer *items;
	size_t count;
};

/* Memory does not overlap, except that variables may. */
struct capture_memory {
	enum capture_memory_kind kind;
	uint64_t address; /* in the program */
	uint64_t bytes;   /* more than 0 */
	char *variable;   /* CAPTURE_VARIABLE: its name in the image; else NULL */
	bool changed;     /* the launch, or other work at the same time, changed it */
	/* In the contents before and after the launch. `after` is empty if it did not change; the
	 * writer ignores it then. */
	struct capture_pointers before, after;
};

/* Offset and size in the parameter bytes. */
struct capture_parameter {
	uint64_t offset, bytes;
};

struct capture_launch {
	int64_t grid[3], block[3], cluster[3]; /* cluster: 1, 1, 1 for none */
	int64_t shared_bytes;                  /* dynamic */
	bool cooperative;
	int64_t carveout; /* preferred share of shared memory in percent; -1: the default */
};

/*
 * All strings are UTF-8 without control characters, and not NULL unless it
 * says so. The writer replaces such characters, so a recorder may pass a
 * command line as it is.
 */
struct capture_info {
	char *kernel;   /* the name in the image, mangled */
	int64_t number; /* which launch of this kernel in its process it was, from 1 */
	char *api;      /* the function that launched it: "cuLaunchKernelEx" */
	char *program;  /* command line of the process */
	char *created;  /* UTC, ISO 8601 */
	char *version;  /* of the perflab that recorded it */
	char *device;   /* "NVIDIA H200" */
	char *uuid;     /* of the device */
	int64_t cc_major, cc_minor;
	int64_t driver_version; /* 13000 for CUDA 13.0 */
	struct capture_launch launch;
	unsigned char *parameter_data;
	size_t parameter_bytes;
	struct capture_parameter *parameters; /* ascending, no two overlap */
	size_t parameter_count;
	struct capture_pointers parameter_pointers;
	struct capture_memory *memory;
	size_t memory_count;
	/* What a replay cannot have: "parameter 2 at offset 16 looks like an address of host memory
	 * that CUDA does not know". One phrase each. */
	struct string_list lost;
	char *ptx_origin; /* where the PTX comes from: "the fat binary of the program"; NULL: there
			   * is no PTX */
};
void capture_info_release(struct capture_info *info);

/* ---- reading ---- */

enum capture_image { CAPTURE_CUBIN, CAPTURE_PTX };
enum capture_state { CAPTURE_BEFORE, CAPTURE_AFTER };

struct capture;

/*
 * Reads and checks the index, and that the parts lie in the file. Errors name
 * the path. PL_ENOENT, PL_EIO, PL_ENOMEM; PL_EPARSE: the file is no capture, or
 * is cut or damaged; PL_EVERSION: it has another version. The file stays open,
 * so a capture that is replaced later does not change for its readers. Several
 * threads may read one capture.
 */
int capture_open(struct capture **out, const char *path, struct error *err);
void capture_close(struct capture *capture); /* accepts NULL */
const struct capture_info *capture_info(const struct capture *capture);
/* Bytes of the file, and of everything in it without compression. */
uint64_t capture_file_bytes(const struct capture *capture);
uint64_t capture_raw_bytes(const struct capture *capture);

/* *data is the caller's; a zero byte follows it. PL_ENOENT: the capture has no such image (it
 * always has a cubin). PL_EPARSE: the part is damaged. PL_EIO, PL_ENOMEM. */
int capture_read_image(const struct capture *capture, enum capture_image image, char **data,
		       size_t *bytes, struct error *err);
/*
 * Fills `data`, which has room for memory[index].bytes, as the program had it:
 * pointers are those of the program. CAPTURE_AFTER of unchanged memory is as
 * before. PL_EPARSE: the part is damaged. PL_EIO, PL_ENOMEM.
 */
int capture_read_memory(const struct capture *capture, size_t index, enum capture_state state,
			void *data, struct error *err);
/*
 * Rewrites the pointers in such data for memory at other addresses: addresses[i]
 * is that of memory[i]; an address of 0 leaves the pointers to it as they are.
 */
void capture_relocate(const struct capture *capture, size_t index, enum capture_state state,
		      void *data, const uint64_t *addresses);

/*
 * ---- writing ----
 *
 * A writer works inside programs of others: it prints nothing, raises no
 * signal and has no state but its own. A library that is loaded into a program
 * has to hide the symbols that it links (record/CMakeLists.txt), because the
 * program may have other versions of Zstandard and jansson.
 */

struct capture_writer;

/* Creates the file PATH.part-PID-N, which nobody takes for a capture. PL_EIO, PL_ENOMEM. After an
 * error of a capture_write…() function, only capture_writer_abandon() may follow. Each of them
 * returns PL_EIO, PL_ENOMEM, or PL_EUSAGE for a call out of order. */
int capture_writer_open(struct capture_writer **out, const char *path, struct error *err);
int capture_write_image(struct capture_writer *writer, enum capture_image image, const void *data,
			size_t bytes, struct error *err);
/* The content before the launch, in pieces from first to last. Memory is written in the order of
 * its index, each whole before the next one, and before anything that changed. */
int capture_write_before(struct capture_writer *writer, size_t memory, const void *data,
			 size_t bytes, struct error *err);
/* The content of a range after the launch. Memory in the order of its index, ranges of one memory
 * ascending and without overlap. Each costs 16 bytes, so ranges with small gaps are best joined. */
int capture_write_changed(struct capture_writer *writer, size_t memory, uint64_t offset,
			  const void *data, size_t bytes, struct error *err);
/* Bytes of the file so far. */
uint64_t capture_writer_bytes(const struct capture_writer *writer);
/*
 * Writes the index, waits until all is on disk, and renames the file to its
 * path. Frees the writer, also after an error, after which nothing is left.
 * PL_EUSAGE: a file of this name exists and stays, or `info` does not agree with
 * what was written.
 */
int capture_writer_commit(struct capture_writer *writer, const struct capture_info *info,
			  struct error *err);
/* Removes the file. Accepts NULL. */
void capture_writer_abandon(struct capture_writer *writer);

#endif
