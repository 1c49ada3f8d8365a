/*
 * Debian builds the static archive of jansson for programs: its reader of files
 * mentions stdin in a way that a shared library cannot resolve. The recorder
 * reads no stream by jansson, and the stdin of the program is not its own, so an
 * empty variable stands for it inside this library.
 */
__attribute__((visibility("hidden"))) void *stdin;
