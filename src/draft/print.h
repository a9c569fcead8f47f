/* Prints sums (sum.h) and the engine's expressions as text. */
#pragma once

#include "draft/sum.h"

#include "kernel/expression.h"

#include "base/text.h"

#include <stddef.h>

/* How tightly a printed text binds, by the precedence of its outermost C operator. */
enum { GT_PRINT_LOOSE = 1, GT_PRINT_SUM = 9, GT_PRINT_PRODUCT = 10, GT_PRINT_TIGHT = 12 };

/* Appends the text that a symbol stands for, in brackets if the text binds less tightly than
 * `around`, the precedence of the operator around it. */
typedef void (*gt_symbol_fn)(void *user, gt_text *out, uint16_t symbol, int around);

/* Appends a sum such as `h * w + 2`, with the terms of the highest degree first. A sum with a
 * fraction is rounded up. */
void gt_sum_append(gt_text *out, const gt_sum *p, gt_symbol_fn name, void *user);

/* Appends the expression in a simpler form; slot i is called names[i]. Constants are folded, and a
 * quotient that is rounded up, such as (n + B - 1) / B, becomes ceil_div(n, B). If `divided` is not
 * NULL, a "require(…)" line is appended to it for each division that must leave no remainder.
 * false: the expression is too long, and nothing is appended. */
bool gt_expression_print(gt_text *out, gt_text *divided, const gt_expression *expression,
                         const char *const *names);
