/* Index arithmetic on symbols: sums of products, such as row * w + col. Exponents may be negative,
 * so that K / TILE * TILE is K. Sums are plain values (sum.c), which are printed as text, like the
 * engine's expressions (print.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { GT_POWER_MAX = 6, GT_TERM_MAX = 16 };

typedef struct gt_power {
    uint16_t symbol;
    int16_t exponent; /* not 0 */
} gt_power;

/* The powers are sorted by their symbols. */
typedef struct gt_product {
    double coefficient;
    uint32_t count;
    gt_power powers[GT_POWER_MAX];
} gt_product;

/* A sum of different products; a known sum without terms is 0. A value that is too long, or is no
 * sum of products, is not known, and neither is any sum computed from it. {0} is not known. */
typedef struct gt_sum {
    bool known;
    uint32_t count;
    gt_product terms[GT_TERM_MAX];
} gt_sum;

gt_sum gt_sum_number(double value);
gt_sum gt_sum_symbol(int symbol);
/* The sum that consists of the term `index` of `sum` alone. */
gt_sum gt_sum_term(const gt_sum *sum, uint32_t index);
/* a + scale * b. */
gt_sum gt_sum_add(gt_sum a, gt_sum b, double scale);
/* a + number. */
gt_sum gt_sum_plus(gt_sum a, double number);
/* The sum without the term that is a number. */
gt_sum gt_sum_named(gt_sum sum);
gt_sum gt_sum_multiply(gt_sum a, gt_sum b);
/* a / b; not known unless b has exactly one term. */
gt_sum gt_sum_divide(gt_sum a, gt_sum b);
/* The sum with `value` in the place of the symbol. */
gt_sum gt_sum_replace(gt_sum sum, int symbol, gt_sum value);
/* The factor of the symbol's first power; terms with another power of it, or without it, are left
 * out. */
gt_sum gt_sum_factor(gt_sum sum, int symbol);
bool gt_sum_has(const gt_sum *sum, int symbol);
bool gt_sum_is_number(const gt_sum *sum, double *out);
/* Whether the sum is one symbol alone, which *out then is. */
bool gt_sum_is_symbol(const gt_sum *sum, int *out);
bool gt_sum_equal(const gt_sum *a, const gt_sum *b);
/* Whether the sum has no fraction: no exponent is below 0, and all coefficients are whole. */
bool gt_sum_is_whole(const gt_sum *sum);
/* A place in a walk over all powers of a sum; the walk begins at {0, 0}. */
typedef struct gt_powers {
    uint32_t term, at;
} gt_powers;
/* The power at *place, which moves on to the next; NULL: no power is left, or the sum is not known.
 */
const gt_power *gt_sum_next(const gt_sum *sum, gt_powers *place);
/* The number that the sum comes to when `value` gives the symbols' values. */
double gt_sum_value(const gt_sum *sum, double (*value)(const void *user, int symbol),
                    const void *user);
/* The total of the exponents. */
int gt_product_degree(const gt_product *product);
