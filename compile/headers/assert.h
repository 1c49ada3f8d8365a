/*
 * assert.h for NVRTC, without a guard: each inclusion reads NDEBUG again. NVRTC's own assert reads
 * it before the first line of the source.
 */
#undef assert
#ifdef NDEBUG
#define assert(expression) (static_cast<void>(0))
#else
#define assert(expression)                                                             \
	(static_cast<bool>(expression) ? void(0)                                       \
				       : __assertfail(#expression, __FILE__, __LINE__, \
						      __PRETTY_FUNCTION__, sizeof(char)))
#endif
