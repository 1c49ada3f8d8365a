/* stddef.h for NVRTC, which knows size_t, ptrdiff_t, wchar_t and NULL itself. No offsetof: NVRTC
 * has nothing that gives a constant. */
