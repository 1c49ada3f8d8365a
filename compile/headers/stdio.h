/* stdio.h for NVRTC, which knows printf itself */
