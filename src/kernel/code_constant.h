/* Finds the named constants of a template's code: macros, constants and enumerators. */
#pragma once

#include "kernel/lexer.h"

/* Opens *value on the definition of the constant `name` in the code: the text behind `#define NAME`
 * up to the line's end, or all the code behind the `=` of a constexpr or const variable or of an
 * enumerator, outside of functions. false: the code has no such constant, or several, of which only
 * the compiler knows the right one. */
bool gt_code_constant(gt_lexer *value, const char *code, const char *path, const char *name);
