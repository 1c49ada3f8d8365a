/* Formats of texels, linear memory, border colours and queries. */
#include "tests/gpu/textures/textures.cuh"

/* How a format becomes a value, and what the channels are that it lacks. */
void section_formats()
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

void section_linear_memory()
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

void section_border_and_queries()
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
