/* An engine's expression as text again, in a simpler form. */
#pragma once

#include "kernel/expression.h"

#include "base/text.h"

#include <stddef.h>

/* Appends the expression; slot i is called names[i]. Numbers are computed, products and sums have
 * their number once, and quotients that are rounded up are ceil_div(): (n + B - 1) / B. Where
 * `divided` is not NULL, what must divide without a rest is appended there, a "require(…)" line
 * each. false, and nothing: it is too long. */
bool gt_expression_print(gt_text *out, gt_text *divided, const gt_expression *expression,
                         const char *const *names);
