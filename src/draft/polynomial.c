/* Sums of products of names. */
#include "draft/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gt_polynomial gt_polynomial_unknown(void)
{
    return (gt_polynomial){.known = false};
}

gt_polynomial gt_polynomial_number(double value)
{
    gt_polynomial out = {.known = true};
    if (value < 0 || value > 0) {
        out.terms[out.count++] = (gt_monomial){.coefficient = value};
    }
    return out;
}

gt_polynomial gt_polynomial_symbol(uint16_t symbol)
{
    gt_polynomial out = gt_polynomial_number(1);
    out.terms[0].count = 1;
    out.terms[0].powers[0] = (gt_power){symbol, 1};
    return out;
}

static bool same_powers(const gt_monomial *a, const gt_monomial *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->powers[i].symbol != b->powers[i].symbol ||
            a->powers[i].exponent != b->powers[i].exponent) {
            return false;
        }
    }
    return true;
}

static void drop_term(gt_polynomial *p, uint32_t index)
{
    p->count--;
    memmove(&p->terms[index], &p->terms[index + 1], (p->count - index) * sizeof *p->terms);
}

static void add_term(gt_polynomial *p, const gt_monomial *term)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (same_powers(&p->terms[i], term)) {
            double sum = p->terms[i].coefficient + term->coefficient;
            p->terms[i].coefficient = sum;
            if (!(sum < 0 || sum > 0)) {
                drop_term(p, i);
            }
            return;
        }
    }
    if (p->count == GT_TERM_MAX) {
        p->known = false;
        return;
    }
    p->terms[p->count++] = *term;
}

gt_polynomial gt_polynomial_add(const gt_polynomial *a, const gt_polynomial *b, double scale)
{
    gt_polynomial out = *a;
    out.known = a->known && b->known;
    for (uint32_t i = 0; i < b->count && out.known; i++) {
        gt_monomial term = b->terms[i];
        term.coefficient *= scale;
        add_term(&out, &term);
    }
    return out.known ? out : gt_polynomial_unknown();
}

/* Multiplies by symbol^exponent; false: too many symbols. */
static bool multiply_power(gt_monomial *term, gt_power power)
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

/* a * b^sign, with sign 1 or -1. */
static bool multiply_terms(gt_monomial *out, const gt_monomial *a, const gt_monomial *b, int sign)
{
    *out = *a;
    out->coefficient = sign > 0 ? a->coefficient * b->coefficient : a->coefficient / b->coefficient;
    for (uint32_t i = 0; i < b->count; i++) {
        gt_power power = b->powers[i];
        power.exponent = (int16_t)(sign * power.exponent);
        if (abs(power.exponent) > 64 || !multiply_power(out, power)) {
            return false;
        }
    }
    return true;
}

static gt_polynomial combine(const gt_polynomial *a, const gt_polynomial *b, int sign)
{
    gt_polynomial out = {.known = a->known && b->known};
    for (uint32_t i = 0; i < a->count && out.known; i++) {
        for (uint32_t k = 0; k < b->count && out.known; k++) {
            gt_monomial term;
            if (!multiply_terms(&term, &a->terms[i], &b->terms[k], sign)) {
                return gt_polynomial_unknown();
            }
            add_term(&out, &term);
        }
    }
    return out.known ? out : gt_polynomial_unknown();
}

gt_polynomial gt_polynomial_multiply(const gt_polynomial *a, const gt_polynomial *b)
{
    return combine(a, b, 1);
}

gt_polynomial gt_polynomial_divide(const gt_polynomial *a, const gt_polynomial *b)
{
    return b->known && b->count == 1 ? combine(a, b, -1) : gt_polynomial_unknown();
}

static int exponent_of(const gt_monomial *term, uint16_t symbol)
{
    for (uint32_t i = 0; i < term->count; i++) {
        if (term->powers[i].symbol == symbol) {
            return term->powers[i].exponent;
        }
    }
    return 0;
}

gt_polynomial gt_polynomial_replace(const gt_polynomial *p, uint16_t symbol,
                                    const gt_polynomial *value)
{
    gt_polynomial out = {.known = p->known};
    for (uint32_t i = 0; i < p->count && out.known; i++) {
        int exponent = exponent_of(&p->terms[i], symbol);
        gt_polynomial part = {.known = true, .count = 1, .terms = {p->terms[i]}};
        if (exponent != 0) {
            (void)multiply_power(&part.terms[0], (gt_power){symbol, (int16_t)-exponent});
        }
        for (; exponent > 0; exponent--) {
            part = gt_polynomial_multiply(&part, value);
        }
        for (; exponent < 0; exponent++) {
            part = gt_polynomial_divide(&part, value);
        }
        out = gt_polynomial_add(&out, &part, 1);
    }
    return out;
}

gt_polynomial gt_polynomial_factor(const gt_polynomial *p, uint16_t symbol)
{
    gt_polynomial out = {.known = p->known};
    for (uint32_t i = 0; i < p->count; i++) {
        if (exponent_of(&p->terms[i], symbol) == 1) {
            gt_monomial term = p->terms[i];
            (void)multiply_power(&term, (gt_power){symbol, -1});
            add_term(&out, &term);
        }
    }
    return out;
}

bool gt_polynomial_has(const gt_polynomial *p, uint16_t symbol)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (exponent_of(&p->terms[i], symbol) != 0) {
            return true;
        }
    }
    return false;
}

bool gt_polynomial_is_number(const gt_polynomial *p, double *out)
{
    if (!p->known || p->count > 1 || (p->count == 1 && p->terms[0].count > 0)) {
        return false;
    }
    *out = p->count ? p->terms[0].coefficient : 0;
    return true;
}

bool gt_polynomial_is_symbol(const gt_polynomial *p, uint16_t *out)
{
    const gt_monomial *term = &p->terms[0];
    bool is = p->known && p->count == 1 && term->count == 1 && term->powers[0].exponent == 1 &&
              !(term->coefficient < 1 || term->coefficient > 1);
    if (is) {
        *out = term->powers[0].symbol;
    }
    return is;
}

bool gt_polynomial_equal(const gt_polynomial *a, const gt_polynomial *b)
{
    gt_polynomial difference = gt_polynomial_add(a, b, -1);
    return difference.known && difference.count == 0;
}

int gt_monomial_degree(const gt_monomial *term)
{
    int degree = 0;
    for (uint32_t i = 0; i < term->count; i++) {
        degree += term->powers[i].exponent;
    }
    return degree;
}

const gt_power *gt_polynomial_next(const gt_polynomial *p, gt_powers *place)
{
    while (p->known && place->term < p->count) {
        const gt_monomial *term = &p->terms[place->term];
        if (place->at < term->count) {
            return &term->powers[place->at++];
        }
        *place = (gt_powers){place->term + 1, 0};
    }
    return NULL;
}

double gt_polynomial_value(const gt_polynomial *p,
                           double (*value)(const void *user, uint16_t symbol), const void *user)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->count && p->known; i++) {
        double product = p->terms[i].coefficient;
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            product *=
                pow(value(user, p->terms[i].powers[k].symbol), p->terms[i].powers[k].exponent);
        }
        sum += product;
    }
    return sum;
}

bool gt_polynomial_is_whole(const gt_polynomial *p)
{
    gt_powers at = {0};
    bool is_whole = p->known;
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        is_whole &= power->exponent > 0;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        is_whole &= fmod(p->terms[i].coefficient, 1) == 0;
    }
    return is_whole;
}
