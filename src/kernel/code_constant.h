/* What a template's code gives names to: macros, constants and enumerators. */
#pragma once

#include "kernel/lexer.h"

/* Opens *value on the text of the code's constant of that name: behind `#define NAME`, to the
 * line's end; or behind the `=` of a constexpr or const variable or of an enumerator outside of
 * functions, with what follows it in the code. false: there is none, or there are several, of which
 * only the compiler knows the right one. */
bool gt_code_constant(gt_lexer *value, const char *code, const char *path, const char *name);
