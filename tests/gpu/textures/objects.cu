/* Texture and surface objects: the contents, the array or memory below, and the descriptor. */
#include <cuda_fp16.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/textures/textures.cuh"

spec base()
{
	spec s;
	memset(&s, 0, sizeof(s));
	s.kind = "array", s.dims = 1, s.w = 5, s.format = "f32", s.channels = 1,
	s.content = "noise", s.filter = "point", s.mip_filter = "point", s.read = "element";
	s.mode[0] = s.mode[1] = s.mode[2] = "clamp";
	return s;
}

unsigned hash32(unsigned x)
{
	x ^= x >> 16, x *= 0x85ebca6bu, x ^= x >> 13, x *= 0xc2b2ae35u, x ^= x >> 16;
	return x;
}

unsigned bits_of(float x)
{
	unsigned u;
	memcpy(&u, &x, 4);
	return u;
}

float float_of(unsigned u)
{
	float x;
	memcpy(&x, &u, 4);
	return x;
}

int component_bits(const char *format)
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

std::vector<unsigned char> contents(const spec &s, size_t first, size_t texels)
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

bool good(cudaError_t code)
{
	if (code == cudaSuccess)
		return true;
	printf("refused %s\n", cudaGetErrorName(code));
	cudaGetLastError();
	return false;
}

static int at_least_1(int x)
{
	return x ? x : 1;
}

bool upload(cudaArray_t array, int w, int h, int d, const std::vector<unsigned char> &bytes,
	    bool back, std::vector<unsigned char> *out)
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

size_t spec_texels(const spec &s)
{
	return (size_t)s.w * at_least_1(s.h) * at_least_1(s.d);
}

bool make_object(const spec &s, made &m)
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

void release(made &m)
{
	if (m.array)
		cudaFreeArray(m.array);
	if (m.mipmapped)
		cudaFreeMipmappedArray(m.mipmapped);
	cudaFree(m.memory);
	m = made();
}

bool open_spec(const spec &s, made &m)
{
	print_spec(s);
	return make_object(s, m);
}
