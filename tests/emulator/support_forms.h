/*
 * support_forms: the forms of PTX that the decoder accepts. The key of a form says what it does in
 * the machine: "ATOMIC shared add f32".
 */
#ifndef TESTS_EMULATOR_SUPPORT_FORMS_H
#define TESTS_EMULATOR_SUPPORT_FORMS_H

#include "support_decode.h"

/* By enum operation, without the rows of alu.def: "OP_LOAD". */
extern const char *const control_operation_names[];
extern const size_t control_operation_count;

/*
 * Adds the keys of a module, except those of rows of alu.def, and sets operations[OPERATION] of
 * each instruction; `operations` may be NULL. Returns false if the decoder does not accept the
 * text.
 */
bool form_keys_add(struct string_list *keys, bool *operations, const char *ptx);
/* Offers every form of PTX that is no row of alu.def to the decoder, and adds the keys of those
 * that it accepts. */
void form_keys_add_accepted(struct string_list *keys);

#endif
