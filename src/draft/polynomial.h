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

/* A product; the powers are sorted by their symbols. */
typedef struct gt_monomial {
    double coefficient;
    uint32_t count;
    gt_power powers[GT_POWER_MAX];
} gt_monomial;

/* A sum of different products; no terms: 0. What is too long, or no such sum, is not known, and
 * then nothing that is made of it is. */
typedef struct gt_polynomial {
    bool known;
    uint32_t count;
    gt_monomial terms[GT_TERM_MAX];
} gt_polynomial;

gt_polynomial gt_polynomial_unknown(void);
gt_polynomial gt_polynomial_number(double value);
gt_polynomial gt_polynomial_symbol(uint16_t symbol);
/* a + scale * b. */
gt_polynomial gt_polynomial_add(const gt_polynomial *a, const gt_polynomial *b, double scale);
gt_polynomial gt_polynomial_multiply(const gt_polynomial *a, const gt_polynomial *b);
/* Not known where b has not exactly one term: a fraction is no such sum. */
gt_polynomial gt_polynomial_divide(const gt_polynomial *a, const gt_polynomial *b);
/* `p` with `value` in the place of the symbol. */
gt_polynomial gt_polynomial_replace(const gt_polynomial *p, uint16_t symbol,
                                    const gt_polynomial *value);
/* What stands in front of the first power of the symbol, without terms that have it otherwise. */
gt_polynomial gt_polynomial_factor(const gt_polynomial *p, uint16_t symbol);
bool gt_polynomial_has(const gt_polynomial *p, uint16_t symbol);
bool gt_polynomial_is_number(const gt_polynomial *p, double *out);
/* Whether it is one symbol alone. */
bool gt_polynomial_is_symbol(const gt_polynomial *p, uint16_t *out);
bool gt_polynomial_equal(const gt_polynomial *a, const gt_polynomial *b);
/* The next of all its powers, from {0, 0} on; NULL: there is none left, or p is not known. */
typedef struct gt_powers {
    uint32_t term, at;
} gt_powers;
const gt_power *gt_polynomial_next(const gt_polynomial *p, gt_powers *place);
/* What it comes to where symbols have these values. */
double gt_polynomial_value(const gt_polynomial *p,
                           double (*value)(const void *user, uint16_t symbol), const void *user);
/* Whether it has no fraction: no exponent below 0, and whole coefficients. */
bool gt_polynomial_is_whole(const gt_polynomial *p);
/* The term's exponents, summed. */
int gt_monomial_degree(const gt_monomial *term);
