/* stdlib.h for NVRTC, which knows malloc, free and NULL itself */
