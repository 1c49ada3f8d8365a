/*
 * textures_probe: records what texture and surface instructions return on this GPU. It writes a
 * text file for tests/golden/ptx/textures.txt:
 *
 *   texture KIND DIMS W H D LEVELS FORMAT CHANNELS CONTENT FILTER MIPFILTER MODE0 MODE1 MODE2 \
 *           COORDINATES READ BORDER
 *   surface KIND DIMS W H D FORMAT CHANNELS CONTENT
 *   run INSTRUCTION in=WORDS out=WORDS
 *   WORD… = WORD…                 words are 32-bit patterns in hexadecimal
 *   store INSTRUCTION in=WORDS
 *   WORD… = OFFSET:BYTE…          the bytes that a store changed, without padding
 *   refused REASON                CUDA does not make this object
 *
 * build: nvcc -arch=sm_90 -diag-suppress 550,177 -o textures_probe textures_probe.cu
 * usage: textures_probe > FILE
 */
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <map>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <unistd.h>
#include <vector>

#define IN 8
#define OUT 4

typedef unsigned long long object;

/* ---- instructions: a module of PTX for each, which the driver compiles ---- */

static bool has(const std::string &name, const char *word)
{
	size_t at = name.find(word), end = at + strlen(word);
	return at != std::string::npos && (end == name.size() || name[end] == '.');
}
static int place_words(const std::string &name)
{
	return has(name, ".1d")                        ? 1
	       : has(name, ".2d") || has(name, ".a1d") ? 2
	       : has(name, ".acube")                   ? 4
						       : 3;
}
static std::string place_of(const std::string &name)
{
	int words = place_words(name);
	std::string out = "[%t, {";
	for (int i = 0; i < (words == 3 ? 4 : words); i++)
		out += (i ? ", %a" : "%a") + std::to_string(i < words ? i : words - 1);
	return out + "}]";
}
/* Operands are in %a0 to %a7, results go to %q0 to %q3. */
static std::string instruction_of(const std::string &name)
{
	int words = place_words(name);
	bool narrow = has(name, ".b8") || has(name, ".b16"), wide = has(name, ".b64");
	std::string place = place_of(name), a = "%a";

	if (name.compare(0, 9, "txq.level") == 0)
		return name + " %q0, [%t], %a0;\n";
	if (name.compare(0, 3, "txq") == 0 || name.compare(0, 3, "suq") == 0)
		return name + " %q0, [%t];\n";
	if (name.compare(0, 4, "suld") == 0)
		return name +
		       (narrow             ? " %h0, "
			: wide             ? " %d0, "
			: has(name, ".v4") ? " {%q0, %q1, %q2, %q3}, "
					   : " %q0, ") +
		       place + ";\n" +
		       (narrow ? "cvt.u32.u16 %q0, %h0;\n"
			: wide ? "mov.b64 {%q0, %q1}, %d0;\n"
			       : "");
	if (name.compare(0, 2, "su") == 0) {
		std::string value = narrow ? "%h0" : a + std::to_string(words);
		if (has(name, ".v4"))
			value = "{%a" + std::to_string(words) + ", %a" + std::to_string(words + 1) +
				", %a" + std::to_string(words + 2) + ", %a" +
				std::to_string(words + 3) + "}";
		return (narrow ? "cvt.u16.u32 %h0, %a" + std::to_string(words) + ";\n" : "") +
		       name + " " + place + ", " + value + ";\n";
	}
	std::string out =
		name + (has(name, ".v2") ? " {%q0, %q1}, " : " {%q0, %q1, %q2, %q3}, ") + place;
	if (has(name, ".level"))
		out += ", %a" + std::to_string(words);
	for (int k = 0; k < 2 && has(name, ".grad"); k++) {
		out += ", {";
		for (int i = 0; i < words; i++)
			out += (i ? ", %a" : "%a") + std::to_string(words * (k + 1) + i);
		out += "}";
	}
	return out + ";\n";
}
static std::string module_of(const std::string &name)
{
	std::string out =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 object, .param .u64 in, .param .u64 out, .param "
		".u32 n)\n"
		"{\n.reg .pred %p;\n.reg .b32 %a<8>, %q<4>, %i, %b, %s, %n;\n.reg .b16 %h<2>;\n"
		".reg .b64 %t, %in, %out, %d<2>;\n"
		"ld.param.u64 %t, [object];\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
		"ld.param.u32 %n, [n];\nmov.u32 %i, %tid.x;\nmov.u32 %b, %ctaid.x;\n"
		"mov.u32 %s, %ntid.x;\nmad.lo.u32 %i, %b, %s, %i;\nsetp.ge.u32 %p, %i, %n;\n"
		"@%p ret;\ncvta.to.global.u64 %in, %in;\ncvta.to.global.u64 %out, %out;\n"
		"mad.wide.u32 %in, %i, 32, %in;\nmad.wide.u32 %out, %i, 16, %out;\n"
		"mov.u32 %q0, 0;\nmov.u32 %q1, 0;\nmov.u32 %q2, 0;\nmov.u32 %q3, 0;\n";
	for (int i = 0; i < 8; i++)
		out += "ld.global.u32 %a" + std::to_string(i) + ", [%in+" + std::to_string(4 * i) +
		       "];\n";
	out += instruction_of(name);
	for (int i = 0; i < 4; i++)
		out += "st.global.u32 [%out+" + std::to_string(4 * i) + "], %q" +
		       std::to_string(i) + ";\n";
	return out + "ret;\n}\n";
}

#define MODES(X) X(zero) X(clamp)

static CUresult (*load_module)(CUmodule *, const void *, unsigned, CUjit_option *, void **);
static CUresult (*get_function)(CUfunction *, CUmodule, const char *);
static CUresult (*launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
				 unsigned, unsigned, CUstream, void **, void **);

/* NULL: the driver does not compile it, and a line says so. */
static CUfunction function_of(const char *name)
{
	static std::map<std::string, CUfunction> all;
	static char said[4096];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {said, (void *)sizeof(said)};
	CUmodule module = 0;
	CUfunction function = 0;

	if (all.count(name))
		return all[name];
	if (!load_module) {
		void *driver = dlopen("libcuda.so.1", RTLD_NOW);
		if (!driver) {
			printf("# no libcuda.so.1\n");
			exit(1);
		}
		load_module = (decltype(load_module))dlsym(driver, "cuModuleLoadDataEx");
		get_function = (decltype(get_function))dlsym(driver, "cuModuleGetFunction");
		launch_kernel = (decltype(launch_kernel))dlsym(driver, "cuLaunchKernel");
	}
	said[0] = 0;
	CUresult code = load_module(&module, module_of(name).c_str(), 2, options, values);
	if (code == CUDA_SUCCESS)
		code = get_function(&function, module, "k");
	if (code != CUDA_SUCCESS) {
		for (char *c = said; *c; c++)
			if (*c == '\n')
				*c = ' ';
		printf("# %s is not compiled: %d %.300s\n", name, (int)code, said);
		function = 0;
	}
	return all[name] = function;
}

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

static spec base()
{
	spec s;
	memset(&s, 0, sizeof(s));
	s.kind = "array", s.dims = 1, s.w = 5, s.format = "f32", s.channels = 1,
	s.content = "noise", s.filter = "point", s.mip_filter = "point", s.read = "element";
	s.mode[0] = s.mode[1] = s.mode[2] = "clamp";
	return s;
}

static unsigned hash32(unsigned x)
{
	x ^= x >> 16, x *= 0x85ebca6bu, x ^= x >> 13, x *= 0xc2b2ae35u, x ^= x >> 16;
	return x;
}
static unsigned bits_of(float x)
{
	unsigned u;
	memcpy(&u, &x, 4);
	return u;
}
static float float_of(unsigned u)
{
	float x;
	memcpy(&x, &u, 4);
	return x;
}
static int component_bits(const char *format)
{
	return atoi(format + 1);
}
/* The bits of component c of texel i. */
static unsigned component(const char *format, const char *content, unsigned i, unsigned c)
{
	static const unsigned special[8] = {0x00000000, 0x3f800000, 0x7f800000, 0x3f800000,
					    0x7fc01234, 0x80000000, 0x00000123, 0x7f7fffff};
	unsigned h = hash32(i * 4 + c + 1);

	if (strcmp(content, "index") == 0)
		h = i * 4 + c;
	if (format[0] != 'f')
		return h;
	if (component_bits(format) == 16) {
		__half x = __float2half((float)((int)(h & 2047) - 1024) / 64);
		unsigned short u;
		memcpy(&u, &x, 2);
		return u;
	}
	if (strcmp(content, "step") == 0)
		return i & 1 ? 0x3f800000 : 0;
	if (strcmp(content, "special") == 0)
		return special[(i + c) & 7];
	if (strcmp(content, "index") == 0)
		return bits_of((float)h);
	return bits_of(ldexpf((float)((int)(h >> 8) - (1 << 23)), -20));
}
static std::vector<unsigned char> contents(const spec &s, size_t first, size_t texels)
{
	int bytes = component_bits(s.format) / 8;
	std::vector<unsigned char> out(texels * s.channels * bytes);
	for (size_t i = 0; i < texels; i++)
		for (int c = 0; c < s.channels; c++) {
			unsigned v = component(s.format, s.content, (unsigned)(first + i), c);
			memcpy(&out[(i * s.channels + c) * bytes], &v, bytes);
		}
	return out;
}

static bool good(cudaError_t code)
{
	if (code == cudaSuccess)
		return true;
	printf("refused %s\n", cudaGetErrorName(code));
	cudaGetLastError();
	return false;
}

struct made {
	cudaArray_t array = 0;
	cudaMipmappedArray_t mipmapped = 0;
	void *memory = 0;
	object handle = 0;
};
static int at_least_1(int x)
{
	return x ? x : 1;
}
static bool upload(cudaArray_t array, int w, int h, int d, const std::vector<unsigned char> &bytes,
		   bool back = false, std::vector<unsigned char> *out = 0)
{
	cudaMemcpy3DParms copy;
	size_t row = bytes.size() / (at_least_1(h) * at_least_1(d));
	cudaPitchedPtr host = make_cudaPitchedPtr(back ? out->data() : (void *)bytes.data(), row, w,
						  at_least_1(h));
	memset(&copy, 0, sizeof(copy));
	if (back)
		copy.dstPtr = host, copy.srcArray = array;
	else
		copy.srcPtr = host, copy.dstArray = array;
	copy.extent = make_cudaExtent(w, at_least_1(h), at_least_1(d));
	copy.kind = back ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
	return good(cudaMemcpy3D(&copy));
}
static cudaTextureAddressMode mode_of(const char *name)
{
	return *name == 'w'   ? cudaAddressModeWrap
	       : *name == 'm' ? cudaAddressModeMirror
	       : *name == 'b' ? cudaAddressModeBorder
			      : cudaAddressModeClamp;
}
static size_t spec_texels(const spec &s)
{
	return (size_t)s.w * at_least_1(s.h) * at_least_1(s.d);
}

static bool make_object(const spec &s, made &m)
{
	int n = component_bits(s.format), c = s.channels;
	cudaChannelFormatDesc channel =
		cudaCreateChannelDesc(n, c > 1 ? n : 0, c > 2 ? n : 0, c > 3 ? n : 0,
				      s.format[0] == 'f'   ? cudaChannelFormatKindFloat
				      : s.format[0] == 'u' ? cudaChannelFormatKindUnsigned
							   : cudaChannelFormatKindSigned);
	std::vector<unsigned char> bytes = contents(s, 0, spec_texels(s));
	cudaResourceDesc resource;
	cudaTextureDesc texture;
	unsigned flags = s.gather ? cudaArrayTextureGather : 0;

	if (s.surface)
		flags |= cudaArraySurfaceLoadStore;
	memset(&resource, 0, sizeof(resource));
	memset(&texture, 0, sizeof(texture));
	resource.resType = cudaResourceTypeArray;
	if (strcmp(s.kind, "linear") == 0) {
		if (!good(cudaMalloc(&m.memory, bytes.size())) ||
		    !good(cudaMemcpy(m.memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice)))
			return false;
		resource.resType = cudaResourceTypeLinear;
		resource.res.linear.devPtr = m.memory;
		resource.res.linear.desc = channel;
		resource.res.linear.sizeInBytes = bytes.size();
	} else if (strcmp(s.kind, "pitch") == 0) {
		size_t pitch, row = bytes.size() / s.h;
		if (!good(cudaMallocPitch(&m.memory, &pitch, row, s.h)) ||
		    !good(cudaMemcpy2D(m.memory, pitch, bytes.data(), row, row, s.h,
				       cudaMemcpyHostToDevice)))
			return false;
		resource.resType = cudaResourceTypePitch2D;
		resource.res.pitch2D.devPtr = m.memory;
		resource.res.pitch2D.desc = channel;
		resource.res.pitch2D.width = s.w;
		resource.res.pitch2D.height = s.h;
		resource.res.pitch2D.pitchInBytes = pitch;
	} else if (strcmp(s.kind, "mipmapped") == 0) {
		if (!good(cudaMallocMipmappedArray(&m.mipmapped, &channel,
						   make_cudaExtent(s.w, s.h, s.d), s.levels,
						   flags)))
			return false;
		for (int level = 0; level < s.levels; level++) {
			cudaArray_t array;
			spec small = s;
			small.w = at_least_1(s.w >> level);
			small.h = s.h ? at_least_1(s.h >> level) : 0;
			small.d = s.d ? at_least_1(s.d >> level) : 0;
			if (!good(cudaGetMipmappedArrayLevel(&array, m.mipmapped, level)) ||
			    !upload(array, small.w, small.h, small.d,
				    contents(s, 1000 * level, spec_texels(small))))
				return false;
		}
		resource.resType = cudaResourceTypeMipmappedArray;
		resource.res.mipmap.mipmap = m.mipmapped;
	} else {
		if (strcmp(s.kind, "layered") == 0)
			flags |= cudaArrayLayered;
		if (strncmp(s.kind, "cube", 4) == 0)
			flags |= cudaArrayCubemap;
		if (strcmp(s.kind, "cubelayered") == 0)
			flags |= cudaArrayLayered;
		if (!good(cudaMalloc3DArray(&m.array, &channel, make_cudaExtent(s.w, s.h, s.d),
					    flags)) ||
		    !upload(m.array, s.w, s.h, s.d, bytes))
			return false;
		resource.res.array.array = m.array;
	}
	if (s.surface) {
		cudaSurfaceObject_t surface;
		if (!good(cudaCreateSurfaceObject(&surface, &resource)))
			return false;
		m.handle = surface;
		return true;
	}
	for (int i = 0; i < 3; i++)
		texture.addressMode[i] = mode_of(s.mode[i]);
	texture.filterMode = *s.filter == 'l' ? cudaFilterModeLinear : cudaFilterModePoint;
	texture.readMode = *s.read == 'n' ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
	texture.normalizedCoords = s.normalised;
	texture.mipmapFilterMode =
		*s.mip_filter == 'l' ? cudaFilterModeLinear : cudaFilterModePoint;
	texture.maxMipmapLevelClamp = s.levels ? (float)(s.levels - 1) : 0;
	if (s.border)
		for (int i = 0; i < 4; i++)
			texture.borderColor[i] = 0.25f * (float)(i + 1);
	cudaTextureObject_t object_made;
	if (!good(cudaCreateTextureObject(&object_made, &resource, &texture, 0)))
		return false;
	m.handle = object_made;
	return true;
}

static void print_spec(const spec &s)
{
	if (s.surface)
		printf("surface %s %d %d %d %d %s %d %s\n", s.kind, s.dims, s.w, s.h, s.d, s.format,
		       s.channels, s.content);
	else
		printf("texture %s %d %d %d %d %d %s %d %s %s %s %s %s %s %s %s %s\n", s.kind,
		       s.dims, s.w, s.h, s.d, s.levels, s.format, s.channels, s.content, s.filter,
		       s.mip_filter, s.mode[0], s.mode[1], s.mode[2],
		       s.normalised ? "normalised" : "texels", s.read,
		       s.border ? "colour" : "zero");
}

typedef std::vector<unsigned> rows; /* IN words each */
static void row_add(rows &list, unsigned a, unsigned b = 0, unsigned c = 0, unsigned d = 0,
		    unsigned e = 0, unsigned f = 0)
{
	unsigned all[IN] = {a, b, c, d, e, f, 0, 0};
	list.insert(list.end(), all, all + IN);
}
static void row_f(rows &list, float a, float b = 0, float c = 0, float d = 0, float e = 0,
		  float f = 0)
{
	row_add(list, bits_of(a), bits_of(b), bits_of(c), bits_of(d), bits_of(e), bits_of(f));
}

static bool execute(const char *name, object handle, const rows &in, std::vector<unsigned> &out)
{
	unsigned n = (unsigned)(in.size() / IN);
	unsigned *a, *b;
	CUfunction function = function_of(name);

	if (!function)
		return false;
	out.assign((size_t)n * OUT, 0xdeadbeef);
	if (!good(cudaMalloc(&a, in.size() * 4)) || !good(cudaMalloc(&b, out.size() * 4)))
		return false;
	cudaMemcpy(a, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
	cudaMemset(b, 0xee, out.size() * 4);
	void *arguments[] = {&handle, &a, &b, &n};
	CUresult launched =
		launch_kernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, 0, arguments, 0);
	cudaError_t code = cudaDeviceSynchronize();
	if (code == cudaSuccess)
		code = cudaMemcpy(out.data(), b, out.size() * 4, cudaMemcpyDeviceToHost);
	cudaFree(a), cudaFree(b);
	if (launched != CUDA_SUCCESS || code != cudaSuccess) {
		printf("# error %s: %d %s\n", name, (int)launched, cudaGetErrorName(code));
		exit(1); /* the context may be lost */
	}
	return true;
}
static void run(const made &m, const char *name, int in_words, int out_words, const rows &in)
{
	std::vector<unsigned> out;

	if (!m.handle || !execute(name, m.handle, in, out))
		return;
	printf("run %s in=%d out=%d\n", name, in_words, out_words);
	for (size_t i = 0; i < in.size() / IN; i++) {
		for (int j = 0; j < in_words; j++)
			printf("%08x ", in[i * IN + j]);
		printf("=");
		for (int j = 0; j < out_words; j++)
			printf(" %08x", out[i * OUT + j]);
		printf("\n");
	}
}
/* Each row is a store to a fresh surface. */
static void store(const spec &s, const made &m, const char *name, int in_words, const rows &in)
{
	std::vector<unsigned char> before = contents(s, 0, spec_texels(s)), after = before;

	if (!m.handle || !function_of(name))
		return;
	printf("store %s in=%d\n", name, in_words);
	for (size_t i = 0; i < in.size() / IN; i++) {
		rows one(in.begin() + i * IN, in.begin() + (i + 1) * IN);
		std::vector<unsigned> out;
		if (!upload(m.array, s.w, s.h, s.d, before) || !execute(name, m.handle, one, out) ||
		    !upload(m.array, s.w, s.h, s.d, before, true, &after))
			return;
		for (int j = 0; j < in_words; j++)
			printf("%08x ", one[j]);
		printf("=");
		for (size_t j = 0; j < before.size(); j++)
			if (before[j] != after[j])
				printf(" %zx:%02x", j, after[j]);
		printf("\n");
	}
}
static void release(made &m)
{
	if (m.array)
		cudaFreeArray(m.array);
	if (m.mipmapped)
		cudaFreeMipmappedArray(m.mipmapped);
	cudaFree(m.memory);
	m = made();
}
static bool open_spec(const spec &s, made &m)
{
	print_spec(s);
	return make_object(s, m);
}

static unsigned seed = 1;
static unsigned next_random()
{
	seed = seed * 1664525u + 1013904223u;
	return hash32(seed);
}
static float random_between(float low, float high)
{
	return low + (high - low) * (float)(next_random() >> 8) / 16777216.0f;
}

static const char *const modes[] = {"clamp", "wrap", "mirror", "border"};
static float step_ulp(float x, int ulps)
{
	unsigned u = bits_of(x);
	return float_of(u + (unsigned)ulps);
}

static std::vector<float> edges(int w, bool normalised)
{
	float n = (float)w, inf = INFINITY;
	float list[] = {0,
			-0.0f,
			0.25f,
			0.5f,
			0.75f,
			step_ulp(1, -1),
			1,
			step_ulp(1, 1),
			1.5f,
			n - 1,
			n - 0.5f,
			step_ulp(n, -1),
			n,
			step_ulp(n, 1),
			n + 0.25f,
			n + 0.5f,
			n + 1,
			n + 1.5f,
			-1e-40f,
			1e-40f,
			-1e-30f,
			-1e-6f,
			-1.0f / 1024,
			-1.0f / 512,
			-1.0f / 256,
			-0.25f,
			-0.5f,
			step_ulp(-0.5f, 1),
			-0.75f,
			-1,
			-1.25f,
			-1.5f,
			-n,
			-n - 0.5f,
			-n - 1,
			-2 * n - 0.75f,
			2 * n - 0.5f,
			2 * n,
			2 * n + 0.25f,
			3 * n + 0.75f,
			10 * n + 0.6f,
			1000 * n + 1.6f,
			65535.5f,
			1e5f,
			1e6f + 0.5f,
			8388608.0f,
			16777216.0f,
			1e8f,
			2147483520.0f,
			2147483648.0f,
			-2147483648.0f,
			4294967296.0f,
			1e12f,
			-1e12f,
			1e20f,
			3e38f,
			-3e38f,
			inf,
			-inf,
			NAN,
			-NAN};
	std::vector<float> out;
	for (float x : list)
		out.push_back(normalised && fabsf(x) > 1e-20f ? x / n : x);
	return out;
}

static void section_edges_1d()
{
	for (int normalised = 0; normalised < 2; normalised++)
		for (int filter = 0; filter < 2; filter++)
			for (const char *mode : modes) {
				spec s = base();
				made m;
				rows list;
				s.filter = filter ? "linear" : "point";
				s.normalised = normalised;
				s.mode[0] = mode;
				for (float x : edges(s.w, normalised))
					row_f(list, x);
				if (open_spec(s, m))
					run(m, "tex.1d.v4.f32.f32", 1, 1, list);
				list.clear();
				for (int x : {0, 1, 4, 5, 6, 9, 10, 11, -1, -2, -5, -6, -7, 1000,
					      65536, 16777217, 0x7fffffff, (int)0x80000000})
					row_add(list, (unsigned)x);
				run(m, "tex.1d.v4.f32.s32", 1, 1, list);
				release(m);
			}
}

static void section_2d()
{
	static const char *const pairs[][2] = {{"clamp", "clamp"},   {"wrap", "wrap"},
					       {"mirror", "mirror"}, {"border", "border"},
					       {"wrap", "clamp"},    {"border", "mirror"}};
	static const float xs[] = {-1.25f, -0.3f, 0, 0.5f, 2.71f, 4.9f, 5.3f, 8.2f};
	static const float ys[] = {-0.6f, 0.1f, 1.5f, 2.0f, 3.4f};

	for (const char *kind : {"array", "pitch"})
		for (int normalised = 0; normalised < 2; normalised++)
			for (int filter = 0; filter < 2; filter++)
				for (auto &pair : pairs) {
					spec s = base();
					made m;
					rows list;
					bool pitch = *kind == 'p';
					if (pitch && (pair[0] != modes[0] && *pair[0] != 'b'))
						continue;
					s.kind = kind, s.dims = 2, s.h = 3;
					s.filter = filter ? "linear" : "point";
					s.normalised = normalised;
					s.mode[0] = pair[0], s.mode[1] = pair[1];
					for (float x : xs)
						for (float y : ys)
							row_f(list, normalised ? x / 5 : x,
							      normalised ? y / 3 : y);
					if (open_spec(s, m))
						run(m, "tex.2d.v4.f32.f32", 2, 1, list);
					list.clear();
					for (int x : {-1, 0, 3, 5})
						for (int y : {-1, 0, 2, 3})
							row_add(list, (unsigned)x, (unsigned)y);
					run(m, "tex.2d.v4.f32.s32", 2, 1, list);
					release(m);
				}
}

static void section_3d()
{
	for (int normalised = 0; normalised < 2; normalised++)
		for (int filter = 0; filter < 2; filter++)
			for (const char *mode : modes) {
				spec s = base();
				made m;
				rows list;
				s.dims = 3, s.h = 3, s.d = 4;
				s.filter = filter ? "linear" : "point";
				s.normalised = normalised;
				s.mode[0] = s.mode[1] = s.mode[2] = mode;
				for (int i = 0; i < 40; i++) {
					float x = random_between(-2, 7), y = random_between(-2, 5),
					      z = random_between(-2, 6);
					row_f(list, normalised ? x / 5 : x, normalised ? y / 3 : y,
					      normalised ? z / 4 : z);
				}
				if (open_spec(s, m))
					run(m, "tex.3d.v4.f32.f32", 3, 1, list);
				list.clear();
				for (int z = -1; z < 6; z++)
					row_add(list, (unsigned)(z + 1), (unsigned)(z % 4),
						(unsigned)z);
				run(m, "tex.3d.v4.f32.s32", 3, 1, list);
				release(m);
			}
}

/* Which weight a coordinate gives: texels are 0 and 1. */
static void section_weights()
{
	spec s = base();
	made m;
	rows list;

	s.w = 4096, s.content = "step", s.filter = "linear";
	if (open_spec(s, m)) {
		for (int i = 0; i <= 1024; i++)
			row_f(list, 0.5f + (float)i / 1024);
		for (int i = 1; i < 512; i += 14) {
			row_f(list, step_ulp(0.5f + (float)i / 512, -1));
			row_f(list, step_ulp(0.5f + (float)i / 512, 1));
		}
		for (float at : {2.5f, 10.5f, 100.5f, 1000.5f, 4000.5f})
			for (int i = 0; i < 40; i++)
				row_f(list, at + (float)i / 512 / (i % 2 ? 2 : 1));
		for (int i = 0; i < 100; i++)
			row_f(list, random_between(0, 4096));
		run(m, "tex.1d.v4.f32.f32", 1, 1, list);
	}
	release(m);
	for (int w : {3, 5, 7, 13, 64, 100, 1000, 4096, 16384})
		for (const char *mode : {"clamp", "wrap", "mirror"}) {
			s.w = w, s.normalised = true, s.mode[0] = mode;
			list.clear();
			for (int i = 0; i < 100; i++)
				row_f(list, random_between(*mode == 'c' ? 0.0f : -2.0f,
							   *mode == 'c' ? 1.0f : 3.0f));
			for (int i = 0; i < 30; i++) /* near a tie between two weights */
				row_f(list,
				      step_ulp((0.5f + (float)(next_random() % (w * 256u)) / 256 +
						1.0f / 512) /
						       (float)w,
					       i % 3 - 1));
			if (open_spec(s, m))
				run(m, "tex.1d.v4.f32.f32", 1, 1, list);
			release(m);
		}
}

/* Which texel a coordinate gives, near the edges of texels. */
static void section_texels()
{
	for (int w : {3, 5, 7, 100, 1000, 4096, 16384, 65536})
		for (int normalised = 0; normalised < 2; normalised++)
			for (const char *mode : {"clamp", "wrap", "mirror"}) {
				spec s = base();
				made m;
				rows list;
				s.w = w, s.format = "u32", s.content = "index";
				s.mode[0] = mode, s.normalised = normalised;
				if (!normalised && *mode != 'c')
					continue;
				for (int i = 0; i < 16; i++) {
					int edge = (int)(next_random() % (unsigned)w);
					float x = (float)edge;
					if (*mode != 'c')
						x += (float)((int)(next_random() % 5) - 2) *
						     (float)w;
					if (normalised)
						x /= (float)w;
					for (int ulps = -2; ulps <= 2; ulps++)
						row_f(list, step_ulp(x, ulps));
					x = ((float)edge + (i & 1 ? 1.0f / 512 : -1.0f / 512)) /
					    (normalised ? (float)w : 1.0f);
					row_f(list, x);
				}
				if (open_spec(s, m))
					run(m, "tex.1d.v4.u32.f32", 1, 1, list);
				release(m);
			}
}

/* How the filter multiplies and adds. */
static void section_arithmetic()
{
	struct {
		const char *format, *read, *content;
		int channels;
	} const all[] = {{"f32", "element", "noise", 1},    {"f32", "element", "special", 1},
			 {"f32", "element", "noise", 4},    {"f16", "element", "noise", 1},
			 {"u8", "normalised", "noise", 1},  {"s8", "normalised", "noise", 1},
			 {"u16", "normalised", "noise", 1}, {"s16", "normalised", "noise", 1},
			 {"u8", "normalised", "noise", 4},  {"u8", "normalised", "noise", 2}};
	for (auto &one : all)
		for (int dims = 1; dims <= 3; dims++) {
			spec s = base();
			made m;
			rows list;
			s.dims = dims, s.w = 8, s.h = dims > 1 ? 4 : 0, s.d = dims > 2 ? 4 : 0;
			s.format = one.format, s.read = one.read, s.content = one.content;
			s.channels = one.channels, s.filter = "linear";
			for (int i = 0; i < (one.channels > 1 ? 16 : 90); i++)
				row_f(list, random_between(0, 8), random_between(0, 4),
				      random_between(0, 4));
			if (!open_spec(s, m))
				continue;
			int out = one.channels == 1 ? 1 : 4;
			if (dims == 1)
				run(m, "tex.1d.v4.f32.f32", 1, out, list);
			else if (dims == 2)
				run(m, "tex.2d.v4.f32.f32", 2, out, list);
			else
				run(m, "tex.3d.v4.f32.f32", 3, out, list);
			if (dims == 2)
				run(m, "tex.2d.v2.f16x2.f32", 2, 2, list);
			release(m);
		}
}

/* How a format becomes a value, and what the channels are that it lacks. */
static void section_formats()
{
	static const char *const formats[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
	for (const char *format : formats)
		for (int channels : {1, 2, 4})
			for (const char *read : {"element", "normalised"}) {
				spec s = base();
				made m;
				rows list;
				bool normalised = *read == 'n';
				int bits = component_bits(format);
				if (normalised && (bits == 32 || *format == 'f'))
					continue;
				s.format = format, s.channels = channels, s.read = read;
				s.w = 256, s.h = 1, s.dims = 2;
				s.content = bits == 8 ? "index" : "noise";
				int n = channels == 1 ? 64 : 6;
				for (int i = 0; i < n; i++)
					row_add(list, (unsigned)i, 0);
				if (!open_spec(s, m))
					continue;
				run(m, "tex.2d.v4.f32.s32", 2, 4, list);
				list.resize(4 * IN);
				run(m, "tex.2d.v4.u32.s32", 2, 4, list);
				run(m, "tex.2d.v4.s32.s32", 2, 4, list);
				if (channels == 1)
					run(m, "tex.2d.v2.f16x2.f32", 2, 2, list);
				release(m);
			}
	/* Every value of 8 bits is in one of the channels. */
	for (const char *format : {"u8", "s8"}) {
		spec s = base();
		made m;
		rows list;
		s.format = format, s.channels = 4, s.read = "normalised", s.w = 64,
		s.content = "index";
		for (int i = 0; i < 64; i++)
			row_add(list, (unsigned)i);
		if (open_spec(s, m))
			run(m, "tex.1d.v4.f32.s32", 1, 4, list);
		release(m);
	}
}

static void section_linear_memory()
{
	struct {
		const char *format, *read;
		int channels;
	} const all[] = {{"f32", "element", 1},
			 {"u32", "element", 2},
			 {"u8", "normalised", 1},
			 {"s32", "element", 4},
			 {"u8", "element", 4}};
	for (auto &one : all) {
		spec s = base();
		made m;
		rows list;
		s.kind = "linear", s.w = 20, s.format = one.format, s.read = one.read,
		s.channels = one.channels;
		for (int x : {0, 1, 19, 20, 21, 31, 32, 33, 127, 128, 129, 1000, -1, -2, 0x7fffffff,
			      (int)0x80000000, 1 << 27, 1 << 28, (1 << 28) + 1})
			row_add(list, (unsigned)x);
		if (open_spec(s, m)) {
			if (*one.format == 'f' || *one.read == 'n')
				run(m, "tex.1d.v4.f32.s32", 1, 4, list);
			else
				run(m, "tex.1d.v4.u32.s32", 1, 4, list);
			list.clear();
			for (float x : {0.0f, 0.9f, 1.5f, 19.9f, 20.0f, -0.5f, -1.0f})
				row_f(list, x);
			if (*one.format == 'f')
				run(m, "tex.1d.v4.f32.f32", 1, 4, list);
		}
		release(m);
	}
}

static void section_layers()
{
	for (int filter = 0; filter < 2; filter++) {
		spec s = base();
		made m;
		rows list;
		s.kind = "layered", s.d = 3, s.filter = filter ? "linear" : "point";
		for (unsigned layer : {0u, 1u, 2u, 3u, 100u, 0xffffffffu, 0x80000000u})
			for (float x : {-0.3f, 0.7f, 3.9f, 5.5f})
				row_add(list, layer, bits_of(x));
		if (open_spec(s, m))
			run(m, "tex.a1d.v4.f32.f32", 2, 1, list);
		list.clear();
		for (unsigned layer : {0u, 2u, 3u})
			for (unsigned x : {0u, 4u, 5u, 0xffffffffu})
				row_add(list, layer, x);
		run(m, "tex.a1d.v4.f32.s32", 2, 1, list);
		run(m, "txq.width.b32", 0, 1, rows(IN));
		run(m, "txq.height.b32", 0, 1, rows(IN));
		run(m, "txq.depth.b32", 0, 1, rows(IN));
		run(m, "txq.array_size.b32", 0, 1, rows(IN));
		release(m);
		s.dims = 2, s.h = 4;
		list.clear();
		for (unsigned layer : {0u, 1u, 2u, 3u, 100u, 0xffffffffu})
			for (float x : {-0.3f, 0.7f, 3.9f})
				for (float y : {0.2f, 2.6f, 4.4f})
					row_add(list, layer, bits_of(x), bits_of(y));
		if (open_spec(s, m))
			run(m, "tex.a2d.v4.f32.f32", 3, 1, list);
		list.clear();
		for (unsigned layer : {0u, 2u, 3u})
			for (unsigned x : {0u, 4u, 5u})
				row_add(list, layer, x, 3);
		run(m, "tex.a2d.v4.f32.s32", 3, 1, list);
		run(m, "txq.width.b32", 0, 1, rows(IN));
		run(m, "txq.height.b32", 0, 1, rows(IN));
		run(m, "txq.depth.b32", 0, 1, rows(IN));
		run(m, "txq.array_size.b32", 0, 1, rows(IN));
		release(m);
	}
}

static void section_cubes()
{
	for (int filter = 0; filter < 2; filter++)
		for (const char *kind : {"cube", "cubelayered"}) {
			spec s = base();
			made m;
			rows list;
			bool layered = kind[4] != 0;
			s.kind = kind, s.dims = 2, s.w = s.h = 4, s.d = layered ? 12 : 6;
			s.normalised = true, s.filter = filter ? "linear" : "point";
			for (int i = 0; i < (layered ? 30 : 120); i++) {
				float v[3] = {random_between(-1, 1), random_between(-1, 1),
					      random_between(-1, 1)};
				float scale = i % 7 == 0 ? 1000.0f : i % 11 == 0 ? 1e-6f : 1.0f;
				if (i % 3 == 0)
					v[i / 3 % 3] = v[i / 3 % 3] < 0 ? -1.0f : 1.0f;
				if (layered)
					row_add(list, (unsigned)(i % 4), bits_of(v[0]),
						bits_of(v[1]), bits_of(v[2]));
				else
					row_f(list, v[0] * scale, v[1] * scale, v[2] * scale);
			}
			if (!layered)
				for (int i = 0; i < 27; i++)
					row_f(list, (float)(i % 3 - 1), (float)(i / 3 % 3 - 1),
					      (float)(i / 9 - 1));
			if (!layered) {
				row_f(list, NAN, 1, 0), row_f(list, INFINITY, 1, 0);
				row_f(list, 0, NAN, 0.5f), row_f(list, -INFINITY, INFINITY, 0);
			}
			if (!open_spec(s, m))
				continue;
			if (layered)
				run(m, "tex.acube.v4.f32.f32", 4, 1, list);
			else
				run(m, "tex.cube.v4.f32.f32", 3, 1, list);
			release(m);
		}
}

static void section_levels()
{
	for (const char *mip : {"point", "linear"})
		for (const char *filter : {"point", "linear"}) {
			spec s = base();
			made m;
			rows list;
			s.kind = "mipmapped", s.dims = 2, s.w = 8, s.h = 8, s.levels = 4;
			s.normalised = true, s.filter = filter, s.mip_filter = mip;
			for (int i = -8; i <= 40; i++)
				row_f(list, 0.3f, 0.55f, (float)i / 8);
			for (float l :
			     {0.49f, 0.499f, 0.5f, 0.501f, 1.4999f, 1.5001f, 1.0f / 256, 1.0f / 512,
			      3.0f / 512, 255.0f / 256, 511.0f / 512, 1e30f, -1e30f, INFINITY, NAN})
				row_f(list, 0.3f, 0.55f, l);
			for (int i = 0; i < 30; i++)
				row_f(list, random_between(0, 1), random_between(0, 1),
				      random_between(0, 3));
			if (open_spec(s, m))
				run(m, "tex.level.2d.v4.f32.f32", 3, 1, list);
			list.clear();
			for (int i = 0; i < 30; i++)
				row_f(list, random_between(0, 1), random_between(0, 1));
			run(m, "tex.2d.v4.f32.f32", 2, 1, list);
			list.clear();
			for (int i = 0; i < 40; i++) { /* a footprint of 2^l texels along x */
				float d = exp2f((float)i / 8 - 1) / 8;
				row_f(list, 0.3f, 0.55f, d, 0, 0, d);
			}
			for (int i = 0; i < 20; i++)
				row_f(list, 0.3f, 0.55f, random_between(-0.4f, 0.4f),
				      random_between(-0.4f, 0.4f), random_between(-0.4f, 0.4f),
				      random_between(-0.4f, 0.4f));
			run(m, "tex.grad.2d.v4.f32.f32", 6, 1, list);
			list.clear();
			for (int l : {0, 1, 2, 3, 4})
				row_add(list, (unsigned)l);
			run(m, "txq.level.width.b32", 1, 1, list);
			run(m, "txq.num_mipmap_levels.b32", 0, 1, rows(IN));
			release(m);
		}
	/* One level: a level and gradients change nothing, or do they? */
	for (int dims = 1; dims <= 3; dims++) {
		spec s = base();
		made m;
		rows list;
		s.dims = dims, s.w = 5, s.h = dims > 1 ? 3 : 0, s.d = dims > 2 ? 4 : 0,
		s.filter = "linear";
		if (!open_spec(s, m))
			continue;
		for (float l : {0.0f, 0.5f, 1.0f, 3.0f, -1.0f})
			if (dims == 1)
				row_f(list, 1.7f, l);
			else if (dims == 2)
				row_f(list, 1.7f, 0.9f, l);
			else
				row_f(list, 1.7f, 0.9f, 2.2f, l);
		if (dims == 1)
			run(m, "tex.level.1d.v4.f32.f32", 2, 1, list);
		else if (dims == 2)
			run(m, "tex.level.2d.v4.f32.f32", 3, 1, list);
		else
			run(m, "tex.level.3d.v4.f32.f32", 4, 1, list);
		list.clear();
		for (float g : {0.0f, 0.5f, 2.0f, 10.0f})
			row_f(list, 1.7f, dims == 1 ? g : 0.9f, g, g, g, g);
		if (dims == 1)
			run(m, "tex.grad.1d.v4.f32.f32", 3, 1, list);
		else if (dims == 2)
			run(m, "tex.grad.2d.v4.f32.f32", 6, 1, list);
		release(m);
	}
}

static void section_gather()
{
	for (const char *filter : {"point", "linear"})
		for (int normalised = 0; normalised < 2; normalised++)
			for (const char *mode : modes) {
				spec s = base();
				made m;
				rows list;
				s.dims = 2, s.w = 5, s.h = 3, s.channels = 4, s.gather = true;
				s.filter = filter, s.normalised = normalised;
				s.mode[0] = s.mode[1] = mode;
				for (float x :
				     {-0.7f, 0.0f, 0.5f, 1.4990f, 1.4999f, 1.5f, 2.2f, 4.6f, 5.9f})
					for (float y : {-0.2f, 0.5f, 1.9f, 2.7f})
						row_f(list, normalised ? x / 5 : x,
						      normalised ? y / 3 : y);
				if (!open_spec(s, m))
					continue;
				run(m, "tld4.r.2d.v4.f32.f32", 2, 4, list);
				list.resize(6 * IN);
				run(m, "tld4.g.2d.v4.f32.f32", 2, 4, list);
				run(m, "tld4.b.2d.v4.f32.f32", 2, 4, list);
				run(m, "tld4.a.2d.v4.f32.f32", 2, 4, list);
				release(m);
			}
	spec s = base();
	made m;
	rows list;
	s.dims = 2, s.w = 5, s.h = 3, s.format = "u8", s.read = "normalised", s.gather = true;
	for (int i = 0; i < 20; i++)
		row_f(list, random_between(0, 5), random_between(0, 3));
	if (open_spec(s, m))
		run(m, "tld4.r.2d.v4.f32.f32", 2, 4, list);
	release(m);
	s.format = "u32", s.read = "element";
	if (open_spec(s, m))
		run(m, "tld4.r.2d.v4.u32.f32", 2, 4, list);
	release(m);
}

static void section_border_and_queries()
{
	for (const char *format : {"f32", "u8"})
		for (const char *filter : {"point", "linear"}) {
			spec s = base();
			made m;
			rows list;
			s.dims = 2, s.h = 3, s.channels = 4, s.border = true, s.filter = filter;
			s.format = format, s.read = *format == 'u' ? "normalised" : "element";
			s.mode[0] = s.mode[1] = "border";
			for (float x : {-1.0f, -0.1f, 0.3f, 2.0f, 4.9f, 5.2f})
				for (float y : {-1.0f, 0.2f, 1.0f, 3.3f})
					row_f(list, x, y);
			if (open_spec(s, m))
				run(m, "tex.2d.v4.f32.f32", 2, 4, list);
			release(m);
		}
	for (const char *kind : {"array", "pitch", "linear"})
		for (int dims = 1; dims <= 3; dims++) {
			spec s = base();
			made m;
			rows one(IN);
			if ((*kind == 'p' && dims != 2) || (*kind == 'l' && dims != 1))
				continue;
			s.kind = kind, s.dims = dims, s.h = dims > 1 ? 3 : 0,
			s.d = dims > 2 ? 4 : 0;
			s.format = "u16", s.channels = 2, s.mode[0] = "border";
			if (!open_spec(s, m))
				continue;
			run(m, "txq.width.b32", 0, 1, one);
			run(m, "txq.height.b32", 0, 1, one);
			run(m, "txq.depth.b32", 0, 1, one);
			run(m, "txq.array_size.b32", 0, 1, one);
			run(m, "txq.num_mipmap_levels.b32", 0, 1, one);
			run(m, "txq.num_samples.b32", 0, 1, one);
			run(m, "txq.channel_data_type.b32", 0, 1, one);
			run(m, "txq.channel_order.b32", 0, 1, one);
			run(m, "txq.normalized_coords.b32", 0, 1, one);
			run(m, "txq.filter_mode.b32", 0, 1, one);
			run(m, "txq.addr_mode_0.b32", 0, 1, one);
			release(m);
		}
}

static void section_surfaces()
{
	static const unsigned xs[] = {0,  4, 16, 20,         24,         76,         80,
				      84, 2, 1,  0xffffffff, 0xfffffffc, 0x80000000, 0x7ffffffc};
	static const unsigned ys[] = {0, 2, 3, 0xffffffff};
	struct {
		const char *format;
		int channels;
	} const all[] = {{"u32", 1}, {"u8", 1}, {"u16", 1}, {"u32", 2}, {"f32", 4}, {"u8", 4}};
	for (auto &one : all) {
		spec s = base();
		made m;
		rows list;
		int bytes = component_bits(one.format) / 8 * one.channels;
		s.surface = true, s.dims = 2, s.h = 3, s.format = one.format,
		s.channels = one.channels;
		for (unsigned x : xs) /* a misaligned x ends the launch */
			for (unsigned y : ys)
				if ((y == 0 || x < 24) && x % bytes == 0)
					row_add(list, x, y);
		if (!open_spec(s, m))
			continue;
#define X(m_)                                                      \
	if (bytes == 1)                                            \
		run(m, "suld.b.2d.b8." #m_, 2, 1, list);           \
	else if (bytes == 2)                                       \
		run(m, "suld.b.2d.b16." #m_, 2, 1, list);          \
	else if (bytes == 4)                                       \
		run(m, "suld.b.2d.b32." #m_, 2, 1, list);          \
	else if (bytes == 8)                                       \
		run(m, "suld.b.2d.b64." #m_, 2, 2, list);          \
	else                                                       \
		run(m, "suld.b.2d.v4.b32." #m_, 2, 4, list);       \
	if (bytes == 4) { /* other widths than the texel's */      \
		rows few;                                          \
		for (unsigned x : {0u, 8u, 16u, 24u, 0xfffffff8u}) \
			row_add(few, x, 0);                        \
                                                                   \
		run(m, "suld.b.2d.b8." #m_, 2, 1, few);            \
		run(m, "suld.b.2d.b64." #m_, 2, 2, few);           \
	}
		MODES(X)
#undef X
		if (one.channels == 1 && bytes == 4) {
			run(m, "suq.width.b32", 0, 1, rows(IN));
			run(m, "suq.height.b32", 0, 1, rows(IN));
			run(m, "suq.depth.b32", 0, 1, rows(IN));
			run(m, "suq.array_size.b32", 0, 1, rows(IN));
			run(m, "suq.channel_data_type.b32", 0, 1, rows(IN));
			run(m, "suq.channel_order.b32", 0, 1, rows(IN));
			run(m, "suq.memory_layout.b32", 0, 1, rows(IN));
		}
		list.clear();
		for (unsigned x : {0u, 4u, 16u, 20u, 32u, 64u, 76u, 80u, 0xfffffffcu, 0xfffffff0u})
			if (x % bytes == 0)
				for (unsigned y : {0u, 3u, 0xffffffffu})
					row_add(list, x, y, 0x12345678, 0x9abcdef0, 0x0fedcba9,
						0x87654321);
#define X(m_)                                                    \
	if (bytes == 1)                                          \
		store(s, m, "sust.b.2d.b8." #m_, 3, list);       \
	else if (bytes == 2)                                     \
		store(s, m, "sust.b.2d.b16." #m_, 3, list);      \
	else if (bytes == 4)                                     \
		store(s, m, "sust.b.2d.b32." #m_, 3, list);      \
	else if (bytes == 16)                                    \
		store(s, m, "sust.b.2d.v4.b32." #m_, 6, list);   \
	if (bytes == 4 && one.channels == 1) {                   \
		store(s, m, "sured.b.2d.add.u32." #m_, 3, list); \
		store(s, m, "sured.b.2d.min.s32." #m_, 3, list); \
		store(s, m, "sured.b.2d.and.b32." #m_, 3, list); \
	}
		MODES(X)
#undef X
		list.clear(); /* formatted: x counts texels */
		for (unsigned x : {0u, 4u, 5u, 0xffffffffu})
			for (unsigned y : {0u, 3u})
				row_add(list, x, y, 0x12345678, 0x9abcdef0, 0x3f000000, 0x87654321);
		store(s, m, "sust.p.2d.v4.b32.zero", 6, list);
		store(s, m, "sust.p.2d.v4.b32.clamp", 6, list);
		if (bytes == 4 && one.channels == 1)
			store(s, m, "sured.p.2d.add.b32.zero", 3, list);
		release(m);
	}
	for (int dims = 1; dims <= 3; dims++)
		for (const char *kind : {"array", "layered"}) {
			spec s = base();
			made m;
			rows list;
			bool layered = *kind == 'l';
			if (layered && dims == 3)
				continue;
			s.surface = true, s.kind = kind, s.dims = dims, s.format = "u32";
			s.h = dims > 1 ? 3 : 0, s.d = dims > 2 || layered ? 4 : 0;
			if (!open_spec(s, m))
				continue;
			for (unsigned x : {0u, 16u, 20u, 0xfffffffcu})
				for (unsigned y : {0u, 2u, 3u, 4u, 0xffffffffu})
					if (dims == 1 && !layered)
						row_add(list, x, 0x12345678);
					else if (dims == 1)
						row_add(list, y, x, 0x12345678);
					else
						for (unsigned z : {1u, 3u, 4u, 0xffffffffu})
							if (layered)
								row_add(list, z, x, y, 0x12345678);
							else
								row_add(list, x, y, z, 0x12345678);
#define X(m_)                                                \
	if (dims == 1 && !layered) {                         \
		run(m, "suld.b.1d.b32." #m_, 1, 1, list);    \
		store(s, m, "sust.b.1d.b32." #m_, 2, list);  \
	} else if (dims == 1) {                              \
		run(m, "suld.b.a1d.b32." #m_, 2, 1, list);   \
		store(s, m, "sust.b.a1d.b32." #m_, 3, list); \
	} else if (dims == 2 && layered) {                   \
		run(m, "suld.b.a2d.b32." #m_, 3, 1, list);   \
		store(s, m, "sust.b.a2d.b32." #m_, 4, list); \
	} else if (dims == 3) {                              \
		run(m, "suld.b.3d.b32." #m_, 3, 1, list);    \
		store(s, m, "sust.b.3d.b32." #m_, 4, list);  \
	}
			MODES(X)
#undef X
			release(m);
		}
}

/* What .trap does ends the context, so each case has a process of its own. */
static int trap_main(int number)
{
	static const unsigned all[][2] = {{0, 0}, {16, 2}, {20, 0},
					  {0, 3}, {2, 0},  {0xfffffffc, 0}};
	spec s = base();
	made m;
	rows list;
	unsigned *a, *b;

	s.surface = true, s.dims = 2, s.h = 3, s.format = "u32";
	if (!make_object(s, m))
		return 0;
	row_add(list, all[number / 2][0], all[number / 2][1], 0x12345678);
	cudaMalloc(&a, IN * 4), cudaMalloc(&b, OUT * 4);
	cudaMemcpy(a, list.data(), IN * 4, cudaMemcpyHostToDevice);
	unsigned one = 1;
	void *arguments[] = {&m.handle, &a, &b, &one};
	CUfunction function = function_of(number % 2 ? "sust.b.2d.b32.trap" : "suld.b.2d.b32.trap");
	if (!function)
		return 1;
	CUresult launched = launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0);
	if (launched != CUDA_SUCCESS)
		printf("# launch %d\n", (int)launched);
	printf("trap %s %08x %08x = %s\n", number % 2 ? "sust.b.2d.b32.trap" : "suld.b.2d.b32.trap",
	       list[0], list[1], cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}

static void (*const sections[])() = {
	section_edges_1d, section_2d,
	section_3d,       section_weights,
	section_texels,   section_arithmetic,
	section_formats,  section_linear_memory,
	section_layers,   section_cubes,
	section_levels,   section_gather,
	section_surfaces, section_border_and_queries,
};

/* Each section has a process of its own, so that a fault costs one section. */
static bool again(const char *self, const char *what, int number)
{
	std::string line = "'" + std::string(self) + "' " + what + " " + std::to_string(number);
	int status = system(line.c_str());
	if (status)
		printf("# %s %d ended with %d\n", what, number, status), fflush(stdout);
	return status >= 0;
}

int main(int argc, char **argv)
{
	cudaDeviceProp properties;
	int version = 0;

	setvbuf(stdout, 0, _IOFBF, 1 << 20);
	if (argc == 3 && strcmp(argv[1], "ptx") == 0)
		return fputs(module_of(argv[2]).c_str(), stdout) < 0;
	if (argc == 3 && strcmp(argv[1], "trap") == 0)
		return trap_main(atoi(argv[2]));
	if (argc == 3) {
		sections[atoi(argv[2])]();
		return 0;
	}
	if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
		fprintf(stderr, "textures_probe: no GPU\n");
		return 77;
	}
	cudaDriverGetVersion(&version);
	printf("# %s, driver of CUDA %d.%d\n", properties.name, version / 1000,
	       version % 1000 / 10);
	fflush(stdout);
	for (int i = 0; i < (int)(sizeof(sections) / sizeof(sections[0])); i++)
		again(argv[0], "section", i);
	for (int i = 0; i < 12; i++)
		again(argv[0], "trap", i);
	return 0;
}
