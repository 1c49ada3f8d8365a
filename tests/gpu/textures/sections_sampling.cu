/* Coordinates and filters: which texels a coordinate gives, and with which weights. */
#include "tests/gpu/textures/textures.cuh"

void section_edges_1d()
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

void section_2d()
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
					if (pitch && (*pair[0] != 'c' && *pair[0] != 'b'))
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

void section_3d()
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
void section_weights()
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
void section_texels()
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
void section_arithmetic()
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
