/* Sums of products of names. */
#include "draft/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gt_sum gt_sum_number(double value)
{
    gt_sum out = {.known = true};
    if (value < 0 || value > 0) {
        out.terms[out.count++] = (gt_product){.coefficient = value};
    }
    return out;
}

gt_sum gt_sum_symbol(int symbol)
{
    gt_sum out = gt_sum_number(1);
    out.terms[0].count = 1;
    out.terms[0].powers[0] = (gt_power){(uint16_t)symbol, 1};
    return out;
}

gt_sum gt_sum_term(const gt_sum *sum, uint32_t index)
{
    return (gt_sum){.known = true, .count = 1, .terms = {sum->terms[index]}};
}

static bool same_powers(const gt_product *a, const gt_product *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; i < a->count && same; i++) {
        same = a->powers[i].symbol == b->powers[i].symbol &&
               a->powers[i].exponent == b->powers[i].exponent;
    }
    return same;
}

static void add_term(gt_sum *sum, const gt_product *term)
{
    uint32_t i = 0;
    while (i < sum->count && !same_powers(&sum->terms[i], term)) {
        i++;
    }
    if (i == GT_TERM_MAX) {
        sum->known = false;
    } else if (i == sum->count) {
        sum->terms[sum->count++] = *term;
    } else {
        double *own = &sum->terms[i].coefficient;
        *own += term->coefficient;
        if (!(*own < 0 || *own > 0)) {
            sum->count--;
            memmove(&sum->terms[i], &sum->terms[i + 1], (sum->count - i) * sizeof *sum->terms);
        }
    }
}

gt_sum gt_sum_add(gt_sum a, gt_sum b, double scale)
{
    a.known &= b.known;
    for (uint32_t i = 0; i < b.count && a.known; i++) {
        b.terms[i].coefficient *= scale;
        add_term(&a, &b.terms[i]);
    }
    return a.known ? a : (gt_sum){0};
}

gt_sum gt_sum_named(gt_sum sum)
{
    for (uint32_t i = sum.count; i > 0; i--) {
        if (sum.terms[i - 1].count == 0) {
            sum.terms[i - 1] = sum.terms[--sum.count];
        }
    }
    return sum;
}

gt_sum gt_sum_plus(gt_sum a, double number)
{
    return gt_sum_add(a, gt_sum_number(number), 1);
}

/* Multiplies by symbol^exponent; false: too many symbols. */
static bool multiply_power(gt_product *term, gt_power power)
{
    uint32_t at = 0;
    while (at < term->count && term->powers[at].symbol < power.symbol) {
        at++;
    }
    gt_power *place = &term->powers[at];
    if (at < term->count && place->symbol == power.symbol) {
        place->exponent = (int16_t)(place->exponent + power.exponent);
        if (place->exponent == 0) {
            term->count--;
            memmove(place, place + 1, (term->count - at) * sizeof *place);
        }
        return true;
    }
    if (term->count == GT_POWER_MAX) {
        return false;
    }
    memmove(place + 1, place, (term->count - at) * sizeof *place);
    *place = power;
    term->count++;
    return true;
}

/* out * b^sign, with sign 1 or -1; false: it has too many symbols. */
static bool multiply_terms(gt_product *out, const gt_product *b, int sign)
{
    out->coefficient =
        sign > 0 ? out->coefficient * b->coefficient : out->coefficient / b->coefficient;
    bool fits = true;
    for (uint32_t i = 0; i < b->count && fits; i++) {
        gt_power power = {b->powers[i].symbol, (int16_t)(sign * b->powers[i].exponent)};
        fits = abs(power.exponent) <= 64 && multiply_power(out, power);
    }
    return fits;
}

static gt_sum combine(const gt_sum *a, const gt_sum *b, int sign)
{
    gt_sum out = {.known = a->known && b->known};
    for (uint32_t i = 0; i < a->count && out.known; i++) {
        for (uint32_t k = 0; k < b->count && out.known; k++) {
            gt_product term = a->terms[i];
            if (!multiply_terms(&term, &b->terms[k], sign)) {
                return (gt_sum){0};
            }
            add_term(&out, &term);
        }
    }
    return out.known ? out : (gt_sum){0};
}

gt_sum gt_sum_multiply(gt_sum a, gt_sum b)
{
    return combine(&a, &b, 1);
}

gt_sum gt_sum_divide(gt_sum a, gt_sum b)
{
    return b.known && b.count == 1 ? combine(&a, &b, -1) : (gt_sum){0};
}

static int exponent_of(const gt_product *term, int symbol)
{
    for (uint32_t i = 0; i < term->count; i++) {
        if (term->powers[i].symbol == symbol) {
            return term->powers[i].exponent;
        }
    }
    return 0;
}

gt_sum gt_sum_replace(gt_sum sum, int symbol, gt_sum value)
{
    gt_sum out = {.known = sum.known};
    for (uint32_t i = 0; i < sum.count && out.known; i++) {
        int exponent = exponent_of(&sum.terms[i], symbol);
        gt_sum part = gt_sum_term(&sum, i);
        if (exponent != 0) {
            (void)multiply_power(&part.terms[0], (gt_power){(uint16_t)symbol, (int16_t)-exponent});
        }
        for (int times = abs(exponent); times > 0; times--) {
            part = exponent > 0 ? gt_sum_multiply(part, value) : gt_sum_divide(part, value);
        }
        out = gt_sum_add(out, part, 1);
    }
    return out;
}

gt_sum gt_sum_factor(gt_sum sum, int symbol)
{
    gt_sum out = {.known = sum.known};
    for (uint32_t i = 0; i < sum.count; i++) {
        if (exponent_of(&sum.terms[i], symbol) == 1) {
            (void)multiply_power(&sum.terms[i], (gt_power){(uint16_t)symbol, -1});
            add_term(&out, &sum.terms[i]);
        }
    }
    return out;
}

bool gt_sum_has(const gt_sum *sum, int symbol)
{
    bool has = false;
    for (uint32_t i = 0; i < sum->count && !has; i++) {
        has = exponent_of(&sum->terms[i], symbol) != 0;
    }
    return has;
}

bool gt_sum_is_number(const gt_sum *sum, double *out)
{
    bool is = sum->known && sum->count <= 1 && (sum->count == 0 || sum->terms[0].count == 0);
    if (is) {
        *out = sum->count ? sum->terms[0].coefficient : 0;
    }
    return is;
}

bool gt_sum_is_symbol(const gt_sum *sum, int *out)
{
    const gt_product *term = &sum->terms[0];
    bool is = sum->known && sum->count == 1 && term->count == 1 && term->powers[0].exponent == 1 &&
              !(term->coefficient < 1 || term->coefficient > 1);
    if (is) {
        *out = term->powers[0].symbol;
    }
    return is;
}

bool gt_sum_equal(const gt_sum *a, const gt_sum *b)
{
    gt_sum difference = gt_sum_add(*a, *b, -1);
    return difference.known && difference.count == 0;
}

bool gt_sum_is_whole(const gt_sum *sum)
{
    gt_powers at = {0};
    bool is_whole = sum->known;
    for (const gt_power *power; (power = gt_sum_next(sum, &at));) {
        is_whole &= power->exponent > 0;
    }
    for (uint32_t i = 0; i < sum->count; i++) {
        is_whole &= fmod(sum->terms[i].coefficient, 1) == 0;
    }
    return is_whole;
}

const gt_power *gt_sum_next(const gt_sum *sum, gt_powers *place)
{
    while (sum->known && place->term < sum->count) {
        const gt_product *term = &sum->terms[place->term];
        if (place->at < term->count) {
            return &term->powers[place->at++];
        }
        *place = (gt_powers){place->term + 1, 0};
    }
    return NULL;
}

double gt_sum_value(const gt_sum *sum, double (*value)(const void *user, int symbol),
                    const void *user)
{
    double all = 0;
    for (uint32_t i = 0; i < sum->count && sum->known; i++) {
        const gt_product *term = &sum->terms[i];
        double product = term->coefficient;
        for (uint32_t k = 0; k < term->count; k++) {
            product *= pow(value(user, term->powers[k].symbol), term->powers[k].exponent);
        }
        all += product;
    }
    return all;
}

int gt_product_degree(const gt_product *product)
{
    int degree = 0;
    for (uint32_t i = 0; i < product->count; i++) {
        degree += product->powers[i].exponent;
    }
    return degree;
}
