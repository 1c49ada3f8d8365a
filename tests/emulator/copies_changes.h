/*
 * copies_changes: what the cases of changed tensor maps share. A body copies the map of the launch
 * to the second area, where one thread changes it, and the warp copies that to `maps` in global
 * memory, from where loads use it. These strings are no formats of printf.
 */
#ifndef TESTS_EMULATOR_COPIES_CHANGES_H
#define TESTS_EMULATOR_COPIES_CHANGES_H

#include "copies.h"

#define REPLACE "tensormap.replace.tile."
#define IN_AREA ".shared::cta.b1024.b32 [%b], "
#define IN_AREA_WIDE ".shared::cta.b1024.b64 [%b], "
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%d8], 128;\n"
/* %d8 becomes the generic address of the map. */
#define COPY_OUT                                                                                 \
	"mov.u64 %d8, maps;\nbar.sync 0;\n"                                                      \
	"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned" \
	" [%d8], [%b], 128;\n"
#define CHANGED_MAPS ".global .align 128 .b8 maps[256];\n"
#define CHANGED_TARGET "sm_90a"

/* Adds instructions by which thread 0 copies the parameter with the map to an address. */
void changes_add_copied_map(struct text *body, const char *to);
/* Every line, up to a newline, is executed by thread 0. */
void changes_add_by_lead(struct text *body, const char *lines);

#endif
