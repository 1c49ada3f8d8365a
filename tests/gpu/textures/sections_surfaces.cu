/* Surfaces: loads, stores and reductions, inside and outside, and what .trap does. */
#include <stdio.h>

#include "tests/gpu/textures/textures.cuh"

/* The clamp modes of an instruction; .trap has a process of its own. */
#define MODES(X) X(zero) X(clamp)

void section_surfaces()
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

/* What a formatted store makes of values that the texels cannot hold. */
void section_formatted_stores()
{
	for (const char *format : {"u8", "i8", "u16", "i16", "i32", "f16"}) {
		spec s = base();
		made m;
		rows list;
		s.surface = true, s.dims = 2, s.h = 3, s.format = format;
		if (!open_spec(s, m))
			continue;
		for (unsigned value :
		     {0u,          5u,          0x7fu,       0x80u,       0xffu,       0x100u,
		      0x7fffu,     0x8000u,     0xffffu,     0x10000u,    0x7fffffffu, 0x80000000u,
		      0xfffffff0u, 0xffff8000u, 0xffff7fffu, 0x3f800000u, 0x3f801000u, 0x33000001u,
		      0x477ff000u, 0x47800000u, 0xff800000u, 0x7fc00001u})
			row_add(list, 1, 1, value);
		store(s, m, "sust.p.2d.b32.zero", 3, list);
		release(m);
	}
}

/* What .trap does ends the context, so each case has a process of its own. */
int trap_main(int number)
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
