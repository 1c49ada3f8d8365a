/*
 * The parts of textures_golden. A section describes objects (struct spec), makes each on the GPU,
 * and runs instructions on rows of operands; everything is printed as it happens. main.cu describes
 * the format.
 */
#ifndef TESTS_GPU_TEXTURES_TEXTURES_CUH
#define TESTS_GPU_TEXTURES_TEXTURES_CUH

#include <cuda.h>
#include <cuda_runtime.h>
#include <stddef.h>
#include <string>
#include <vector>

#define IN 8  /* words of operands of an instruction */
#define OUT 4 /* words of results */

typedef unsigned long long object; /* the handle of a texture or a surface */

/* ---- instructions.cu ---- */

/*
 * A module with the kernel k(object, in, out, n). Thread i of n executes the instruction `name` on
 * the IN words at in + i * IN and stores OUT words at out + i * OUT.
 */
std::string module_of(const std::string &name);

/* ---- objects.cu ---- */

struct spec {
	const char *kind; /* array linear pitch layered cube cubelayered mipmapped */
	int dims, w, h, d, levels;
	const char *format;
	int channels;
	const char *content;
	const char *filter, *mip_filter, *mode[3];
	bool normalised;
	const char *read;
	bool border; /* a colour, not zeroes */
	bool gather, surface;
};

struct made {
	cudaArray_t array = 0;
	cudaMipmappedArray_t mipmapped = 0;
	void *memory = 0;
	object handle = 0;
};

/* Five texels of f32, read by point and clamped. */
spec base();
int component_bits(const char *format);
size_t spec_texels(const spec &s);
/* The bytes of an object, from texel `first` of the content on, without padding. */
std::vector<unsigned char> contents(const spec &s, size_t first, size_t texels);

/* False prints "refused REASON". release() frees also what a refused object had made. */
bool good(cudaError_t code);
bool make_object(const spec &s, made &m);
bool open_spec(const spec &s, made &m); /* prints the specification first */
void release(made &m);
/* Copies bytes to an array, or from it into *out if `back`. */
bool upload(cudaArray_t array, int w, int h, int d, const std::vector<unsigned char> &bytes,
	    bool back = false, std::vector<unsigned char> *out = 0);

unsigned hash32(unsigned x);
unsigned bits_of(float x);
float float_of(unsigned u);

/* ---- runs.cu ---- */

typedef std::vector<unsigned> rows; /* IN words each */
void row_add(rows &list, unsigned a, unsigned b = 0, unsigned c = 0, unsigned d = 0, unsigned e = 0,
	     unsigned f = 0);
void row_f(rows &list, float a, float b = 0, float c = 0, float d = 0, float e = 0, float f = 0);

/* NULL: the driver does not compile it, and a line says so. */
CUfunction function_of(const char *name);
/* cuLaunchKernel of the driver, once function_of() has returned. */
extern CUresult (*launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
				 unsigned, unsigned, CUstream, void **, void **);

/* Both do nothing on an object that was refused, and exit if the launch fails. */
void run(const made &m, const char *name, int in_words, int out_words, const rows &in);
/* Each row is a store to a fresh surface. */
void store(const spec &s, const made &m, const char *name, int in_words, const rows &in);

/* ---- coordinates.cu ---- */

extern const char *const modes[4]; /* the address modes */
unsigned next_random();
float random_between(float low, float high);
/* The float that is `ulps` bit patterns after x. */
float step_ulp(float x, int ulps);
/* Coordinates at and near the borders of w texels, huge ones, infinities and NaN. */
std::vector<float> edges(int w, bool normalised);

/* ---- sections_*.cu ---- */

void section_edges_1d();
void section_2d();
void section_3d();
void section_weights();
void section_texels();
void section_arithmetic();
void section_formats();
void section_linear_memory();
void section_border_and_queries();
void section_layers();
void section_cubes();
void section_levels();
void section_gather();
void section_surfaces();
void section_formatted_stores();
int trap_main(int number); /* the exit code of the process */

#endif
