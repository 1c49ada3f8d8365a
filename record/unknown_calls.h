/* unknown_calls: remembers that the program uses a function of the driver in a form that is newer
 * than the recorder, which then must not touch it. Internal to record/. */
#ifndef RECORD_UNKNOWN_CALLS_H
#define RECORD_UNKNOWN_CALLS_H

/* The first call in the process is kept. cuda_version: for which cuGetProcAddress() was asked; 0:
 * the symbol was searched for. */
void unknown_call_note(const char *name, int cuda_version);
/* What to tell the user; NULL: there was no such call. Never changes after that. */
const char *unknown_call_noted(void);

#endif
