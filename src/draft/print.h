/* Sums, and an engine's expression, as text. */
#pragma once

#include "draft/sum.h"

#include "kernel/expression.h"

#include "base/text.h"

#include <stddef.h>

/* How tightly what is written binds: the precedence of C's operators. */
enum { GT_PRINT_LOOSE = 1, GT_PRINT_SUM = 9, GT_PRINT_PRODUCT = 10, GT_PRINT_TIGHT = 12 };

/* Appends what a symbol stands for, in brackets where what is around it binds tighter. */
typedef void (*gt_symbol_fn)(void *user, gt_text *out, uint16_t symbol, int around);

/* Appends the sum, `h * w + 2`, terms of the highest degree first; a fraction is rounded up. */
void gt_sum_append(gt_text *out, const gt_sum *p, gt_symbol_fn name, void *user);

/* Appends the expression in a simpler form; slot i is called names[i]. Numbers are computed,
 * products and sums have their number once, and quotients that are rounded up are ceil_div():
 * (n + B - 1) / B. Where `divided` is not NULL, what must divide without a rest is appended there,
 * a "require(…)" line each. false, and nothing: it is too long. */
bool gt_expression_print(gt_text *out, gt_text *divided, const gt_expression *expression,
                         const char *const *names);
