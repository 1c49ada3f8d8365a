/* Layers, cubes, levels of mipmaps, and gathers. */
#include <math.h>

#include "tests/gpu/textures/textures.cuh"

void section_layers()
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

void section_cubes()
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

void section_levels()
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

void section_gather()
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
