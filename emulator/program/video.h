/*
 * video: how a video instruction (vadd, vmad, vset4 and so on) is encoded. The rows of
 * alu_video.def take a control word as their last operand, which holds everything that the
 * modifiers say. decode_video.c writes it, lanes/alu_video.h reads it. Internal to emulator/.
 */
#ifndef EMULATOR_PROGRAM_VIDEO_H
#define EMULATOR_PROGRAM_VIDEO_H

#include <stdint.h>

enum video_operation {
	VIDEO_ADD,
	VIDEO_SUB,
	VIDEO_ABSDIFF,
	VIDEO_MIN,
	VIDEO_MAX,
	VIDEO_SHL,
	VIDEO_SHR,
	VIDEO_MAD,
	VIDEO_SET,
	VIDEO_AVRG,
};
/* What happens with the result and operand c. */
enum video_second { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };
/* The part of a register that a scalar instruction reads or writes. */
enum video_part { PART_ALL, PART_B0, PART_B1, PART_B2, PART_B3, PART_H0, PART_H1 };
enum video_compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

/* Fields of the control word: the lowest bit and the mask of the value. */
#define VIDEO_FIELD_LIST(X)                                                                  \
	X(OPERATION, 0, 15)    /* enum video_operation */                                    \
	X(SIGNED_RESULT, 4, 1) /* .s32 */                                                    \
	X(SIGNED_A, 5, 1)                                                                    \
	X(SIGNED_B, 6, 1)                                                                    \
	X(SATURATES, 7, 1)                                                                   \
	X(SECOND, 8, 3)     /* enum video_second */                                          \
	X(COMPARE, 10, 7)   /* enum video_compare */                                         \
	X(PART_OF_A, 13, 7) /* enum video_part; scalar instructions, as the next five */     \
	X(PART_OF_B, 16, 7)                                                                  \
	X(PART_OF_RESULT, 19, 7)                                                             \
	X(WRAPS, 22, 1)  /* a shift by b modulo 32, else by at most 32 */                    \
	X(SHIFT, 23, 15) /* vmad: 0, 7 or 15 */                                              \
	X(NEGATES_PRODUCT, 27, 1)                                                            \
	X(NEGATES_C, 28, 1)                                                                  \
	X(PLUS_ONE, 29, 1)  /* vmad.po */                                                    \
	X(MASK, 30, 15)     /* SIMD: a bit for each part of the result that is written */    \
	X(FROM_A, 34, 4095) /* SIMD: 3 bits for each part: its number in a and b together */ \
	X(FROM_B, 46, 4095)

enum video_field {
#define X(name, shift, mask) VIDEO_##name##_AT = shift,
	VIDEO_FIELD_LIST(X)
#undef X
};
enum video_mask {
#define X(name, shift, mask) VIDEO_##name##_MASK = mask,
	VIDEO_FIELD_LIST(X)
#undef X
};
#define VIDEO_GET(control, name) \
	((uint32_t)((control) >> VIDEO_##name##_AT) & (uint32_t)VIDEO_##name##_MASK)
#define VIDEO_PUT(name, value) ((uint64_t)(value) << VIDEO_##name##_AT)

#endif
