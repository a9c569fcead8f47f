/* Index arithmetic on names: sums of products, such as row * w + col. Exponents may be negative, so
 * that K / TILE * TILE is K. Values; nothing is allocated. */
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

/* A sum of different products; no terms: 0. What is too long, or no such sum, is not known, and
 * then nothing that is made of it is; {0} is not known. */
typedef struct gt_sum {
    bool known;
    uint32_t count;
    gt_product terms[GT_TERM_MAX];
} gt_sum;

gt_sum gt_sum_number(double value);
gt_sum gt_sum_symbol(uint16_t symbol);
/* One term of it alone. */
gt_sum gt_sum_term(const gt_sum *sum, uint32_t index);
/* a + scale * b. */
gt_sum gt_sum_add(gt_sum a, gt_sum b, double scale);
/* a + number. */
gt_sum gt_sum_plus(gt_sum a, double number);
gt_sum gt_sum_multiply(gt_sum a, gt_sum b);
/* Not known where b has not exactly one term: a fraction is no such sum. */
gt_sum gt_sum_divide(gt_sum a, gt_sum b);
/* `value` in the place of the symbol. */
gt_sum gt_sum_replace(gt_sum sum, uint16_t symbol, gt_sum value);
/* What stands in front of the first power of the symbol, without terms that have it otherwise. */
gt_sum gt_sum_factor(gt_sum sum, uint16_t symbol);
bool gt_sum_has(const gt_sum *sum, uint16_t symbol);
bool gt_sum_is_number(const gt_sum *sum, double *out);
/* Whether it is one symbol alone. */
bool gt_sum_is_symbol(const gt_sum *sum, uint16_t *out);
bool gt_sum_equal(const gt_sum *a, const gt_sum *b);
/* Whether it has no fraction: no exponent below 0, and whole coefficients. */
bool gt_sum_is_whole(const gt_sum *sum);
/* The next of all its powers, from {0, 0} on; NULL: there is none left, or it is not known. */
typedef struct gt_powers {
    uint32_t term, at;
} gt_powers;
const gt_power *gt_sum_next(const gt_sum *sum, gt_powers *place);
/* What it comes to where symbols have these values. */
double gt_sum_value(const gt_sum *sum, double (*value)(const void *user, uint16_t symbol),
                    const void *user);
/* The exponents, added. */
int gt_product_degree(const gt_product *product);
