/* string.h for NVRTC, which knows memcpy and memset itself */
