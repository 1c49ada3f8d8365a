/* Interleaved layouts in im2col mode: the dimensions of an image come first, then the slices of the
 * channels, then the images. */
#include <stdlib.h>
#include <string.h>

#include "copies_slices.h"

void copies_add_slice_images(struct copy_list *list)
{
	static const char *const places[][2] = {
		{"0, 0, 0", "0"},
		{"1, 0, 0", "0"},
		{"0, 1, 0", "0"},
		{"0, 0, 1", "0"},
		{"0, 0, 0", "1"},
		{"0, 0, 0, 0", "0, 0"},
		{"1, 0, 0, 0", "0, 0"},
		{"0, 1, 0, 0", "0, 0"},
		{"0, 0, 1, 0", "0, 0"},
		{"0, 0, 0, 1", "0, 0"},
		{"0, 0, 0, 0", "1, 0"},
		{"0, 0, 0, 0", "0, 1"},
		{"0, 0, 0, 0, 0", "0, 0, 0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const unsigned rank = (unsigned)(strlen(places[i][1]) + 2) / 3 + 2;
		struct tensor_map map = slices_of(16, TENSOR_F16, rank);

		map.im2col = true;
		map.channels = 16;
		map.pixels = 20;
		slices_load_pixels(list,
				   xasprintf("slices 16 f16 %ud im2col at %s offsets %s", rank,
					     places[i][0], places[i][1]),
				   &map, 16, places[i][0], places[i][1]);
	}
}
