/* Symbolic integers. A value is a sum of products whose factors are symbols and operations on other
 * values. There is only one struct for equal values, so values can be compared as pointers. */
#include "draft/parts.h"

#include "base/number.h"

#include <string.h>

/* ---- equal values ---------------------------------------------------------------------------- */

enum { BUCKETS = 1 << 14 };
static draft_amount *buckets[BUCKETS];

static uint64_t hash_of(const draft_amount *v)
{
    uint64_t hash = (uint64_t)v->kind + 1;
    const uintptr_t others[] = {(uintptr_t)v->a, (uintptr_t)v->b, (uintptr_t)v->c,
                                (uintptr_t)v->symbol};
    for (unsigned i = 0; i < v->count; i++) {
        hash = hash * 31 + (uint64_t)v->terms[i].factor;
        for (unsigned k = 0; k < v->terms[i].count; k++) {
            hash = hash * 31 + (uintptr_t)v->terms[i].atoms[k];
        }
    }
    for (int i = 0; i < 4; i++) {
        hash = (hash ^ others[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash >> 40;
}

static int compare_terms(const draft_term *x, const draft_term *y)
{
    for (unsigned i = 0; i < x->count && i < y->count; i++) {
        if (x->atoms[i] != y->atoms[i]) {
            return x->atoms[i]->number < y->atoms[i]->number ? -1 : 1;
        }
    }
    return x->count == y->count ? 0 : x->count > y->count ? -1 : 1;
}

static bool is_same(const draft_amount *x, const draft_amount *y)
{
    bool same = x->kind == y->kind && x->a == y->a && x->b == y->b && x->c == y->c &&
                x->symbol == y->symbol && x->count == y->count;
    for (unsigned i = 0; same && i < x->count; i++) {
        same = x->terms[i].factor == y->terms[i].factor &&
               compare_terms(&x->terms[i], &y->terms[i]) == 0;
    }
    return same;
}

static void add_part(draft_amount *v, draft_amount *part)
{
    v->parts[v->part_count++] = part;
    v->kinds |= part->kinds;
}

static draft_amount *intern(const draft_amount *v)
{
    static int numbers;
    draft_amount **bucket = &buckets[hash_of(v) % BUCKETS], *made = *bucket;
    while (made && !is_same(made, v)) {
        made = made->next;
    }
    if (made) {
        return made;
    }
    made = draft_new(sizeof *made);
    *made = *v;
    made->number = numbers++;
    made->next = *bucket;
    *bucket = made;
    made->kinds = v->symbol               ? DRAFT_KIND(v->symbol->kind)
                  : v->kind == DRAFT_REAL ? DRAFT_KIND(DRAFT_FRACTION)
                                          : 0;
    made->terms = draft_new(v->count * sizeof *v->terms);
    made->parts = draft_new((v->count * DRAFT_ATOMS_MOST + 3) * sizeof(draft_amount *));
    for (unsigned i = 0; i < v->count; i++) {
        made->terms[i] = v->terms[i];
        for (unsigned k = 0; k < v->terms[i].count; k++) {
            add_part(made, v->terms[i].atoms[k]);
        }
    }
    draft_amount *operands[] = {v->a, v->b, v->c};
    for (int i = 0; i < 3 && operands[i]; i++) {
        add_part(made, operands[i]);
    }
    return made;
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void add_symbols(draft_symbols *out, draft_amount *v, unsigned round)
{
    if (v->symbol && v->seen != round) {
        draft_add(out, v->symbol);
    }
    for (unsigned i = 0; v->seen != round && i < v->part_count; i++) {
        add_symbols(out, v->parts[i], round);
    }
    v->seen = round;
}

draft_symbols draft_symbols_of(const draft_amount *v)
{
    static unsigned rounds;
    draft_symbols out = {0};
    add_symbols(&out, (draft_amount *)(uintptr_t)v, ++rounds);
    return out;
}

bool draft_is_symbol(const draft_amount *v, draft_symbol_kind kind)
{
    return v->symbol && v->symbol->kind == kind;
}

bool draft_has_kind(const draft_amount *v, draft_symbol_kind kind)
{
    return v->kinds & DRAFT_KIND(kind);
}

bool draft_has_symbol(const draft_amount *v, const draft_symbol *symbol)
{
    bool found = v->symbol == symbol;
    for (unsigned i = 0; !found && draft_has_kind(v, symbol->kind) && i < v->part_count; i++) {
        found = draft_has_symbol(v->parts[i], symbol);
    }
    return found;
}

draft_amount *draft_replace(draft_amount *v, draft_replace_fn *with, void *user)
{
    static unsigned round, depth; /* `round` counts the outermost calls */
    round += depth == 0;
    if (v->round == round) {
        return v->replacement;
    }
    depth++;
    draft_amount *total = v->kind == DRAFT_SUM ? draft_number(0) : with(user, v);
    if (!total) {
        total = !v->a ? v
                      : draft_make(v->kind, draft_replace(v->a, with, user),
                                   v->b ? draft_replace(v->b, with, user) : NULL,
                                   v->c ? draft_replace(v->c, with, user) : NULL);
    }
    for (unsigned i = 0; v->kind == DRAFT_SUM && i < v->count; i++) {
        draft_amount *product = draft_number(v->terms[i].factor);
        for (unsigned k = 0; k < v->terms[i].count; k++) {
            product = draft_times(product, draft_replace(v->terms[i].atoms[k], with, user));
        }
        total = draft_plus(total, product, 1);
    }
    depth--;
    v->round = round;
    v->replacement = total;
    return total;
}

static draft_amount *exact(draft_amount *a, draft_amount *b);

static draft_amount *number_of(void *user, draft_amount *v)
{
    (void)user;
    return v->kind == DRAFT_REAL /* a quotient is an integer only without a remainder */
               ? exact(draft_replace(v->a, number_of, NULL), draft_replace(v->b, number_of, NULL))
               : v->symbol && v->symbol->has_number ? draft_number(v->symbol->number) : NULL;
}

bool draft_evaluate(int64_t *out, const draft_amount *v)
{
    return draft_is_number(draft_replace((draft_amount *)(uintptr_t)v, number_of, NULL), out);
}

/* ---- sums ------------------------------------------------------------------------------------ */

enum { TERMS_MOST = 40, DEEP = 40 };

typedef struct sum {
    draft_term terms[TERMS_MOST + 1];
    unsigned count;
} sum;

static unsigned terms_count(const draft_amount *v)
{
    return v->kind == DRAFT_SUM ? v->count : 1;
}

/* Adds a term. Returns false if there are too many terms or the factor overflows. */
static bool add_term(sum *s, const draft_term *term)
{
    unsigned at = 0;
    while (at < s->count && compare_terms(&s->terms[at], term) < 0) {
        at++;
    }
    if (at < s->count && compare_terms(&s->terms[at], term) == 0) {
        int64_t *factor = &s->terms[at].factor;
        bool overflows = __builtin_add_overflow(*factor, term->factor, factor);
        if (*factor == 0) {
            s->count--;
            memmove(&s->terms[at], &s->terms[at + 1], (s->count - at) * sizeof *term);
        }
        return !overflows;
    }
    if (s->count >= TERMS_MOST || term->factor == 0) {
        return term->factor == 0;
    }
    memmove(&s->terms[at + 1], &s->terms[at], (s->count - at) * sizeof *term);
    s->terms[at] = *term;
    s->count++;
    return true;
}

static bool multiply_terms(draft_term *out, const draft_term *x, const draft_term *y)
{
    unsigned i = 0, k = 0;
    *out = (draft_term){0};
    if (x->count + y->count > DRAFT_ATOMS_MOST ||
        __builtin_mul_overflow(x->factor, y->factor, &out->factor)) {
        return false;
    }
    while (i < x->count || k < y->count) {
        bool first = k == y->count || (i < x->count && x->atoms[i]->number <= y->atoms[k]->number);
        out->atoms[out->count++] = first ? x->atoms[i++] : y->atoms[k++];
    }
    return true;
}

static draft_amount *sum_value(const sum *s)
{
    draft_amount v = {.kind = DRAFT_SUM, .count = s->count, .terms = (draft_term *)s->terms};
    if (s->count == 1 && s->terms[0].factor == 1 && s->terms[0].count == 1) {
        return s->terms[0].atoms[0];
    }
    return intern(&v);
}

/* Returns the terms of a sum. Any other value is a single term, which is stored in *own. */
static const draft_term *terms_of(draft_amount *v, draft_term *own)
{
    *own = (draft_term){1, 1, {v}};
    return v->kind == DRAFT_SUM ? v->terms : own;
}

static void add_value(sum *s, draft_amount *v, int64_t scale, bool *fits)
{
    draft_term own;
    const draft_term *terms = terms_of(v, &own);
    for (unsigned i = 0; i < terms_count(v); i++) {
        draft_term term = terms[i];
        *fits = !__builtin_mul_overflow(term.factor, scale, &term.factor) && add_term(s, &term) &&
                *fits;
    }
}

draft_amount *draft_number(int64_t number)
{
    sum s = {{{number, 0, {0}}}, number ? 1 : 0};
    return sum_value(&s);
}

bool draft_is_number(const draft_amount *v, int64_t *out)
{
    bool is = v->kind == DRAFT_SUM && (v->count == 0 || (v->count == 1 && v->terms[0].count == 0));
    if (is) {
        *out = v->count ? v->terms[0].factor : 0;
    }
    return is;
}

bool draft_is_known(const draft_amount *v)
{
    return v->kind < DRAFT_TEXT;
}

static draft_amount *new_value(draft_operator kind, const char *text, draft_spot place)
{
    draft_amount *v = draft_new(sizeof *v);
    *v = (draft_amount){.kind = kind, .text = text, .place = place};
    return v;
}

draft_amount *draft_unknown(const char *why)
{
    return new_value(DRAFT_UNKNOWN, why, (draft_spot){0});
}

draft_amount *draft_pointer(draft_spot place)
{
    return new_value(DRAFT_POINTER, NULL, place);
}

draft_amount *draft_object(draft_spot place)
{
    return new_value(DRAFT_OBJECT, NULL, place);
}

draft_amount *draft_float_text(const char *text)
{
    return new_value(DRAFT_TEXT, text, (draft_spot){0});
}

draft_amount *draft_symbol_value(draft_symbol *symbol)
{
    draft_amount v = {.kind = DRAFT_SYMBOL, .symbol = symbol};
    return intern(&v);
}

/* Returns the unknown result of an operation, or NULL if both operands are known. */
static draft_amount *not_known(draft_amount *a, draft_amount *b)
{
    a = draft_is_known(a) ? b : a;
    return draft_is_known(a)          ? NULL
           : a->kind == DRAFT_UNKNOWN ? a
                                      : draft_unknown("it is not an integer");
}

/* Returns a / b if the division has no remainder, otherwise NULL. */
static draft_amount *exact(draft_amount *a, draft_amount *b)
{
    draft_term own[2];
    const draft_term *terms = terms_of(a, &own[0]), *d = terms_of(b, &own[1]);
    sum s = {.count = 0};
    if (terms_count(b) != 1) {
        return a == b ? draft_number(1) : NULL;
    }
    for (unsigned i = 0; i < terms_count(a); i++) {
        draft_term left = {0};
        unsigned used = 0;
        if (terms[i].factor % d->factor) {
            return NULL;
        }
        left.factor = terms[i].factor / d->factor;
        for (unsigned k = 0; k < terms[i].count; k++) {
            if (used < d->count && terms[i].atoms[k] == d->atoms[used]) {
                used++;
            } else {
                left.atoms[left.count++] = terms[i].atoms[k];
            }
        }
        if (used < d->count || !add_term(&s, &left)) {
            return NULL;
        }
    }
    return sum_value(&s);
}

draft_amount *draft_plus(draft_amount *a, draft_amount *b, int64_t scale)
{
    draft_amount *none = not_known(a, b);
    sum s = {.count = 0};
    bool fits = true;
    if (none) {
        return none;
    }
    add_value(&s, a, 1, &fits);
    add_value(&s, b, scale, &fits);
    return fits ? sum_value(&s) : draft_unknown("it is too long");
}

draft_amount *draft_times(draft_amount *a, draft_amount *b)
{
    draft_amount *none = not_known(a, b);
    draft_term own[2];
    sum s = {.count = 0};
    bool fits = true;
    if (none) {
        return none;
    }
    const draft_term *x = terms_of(a, &own[0]), *y = terms_of(b, &own[1]);
    for (unsigned i = 0; fits && i < terms_count(a); i++) {
        for (unsigned k = 0; fits && k < terms_count(b); k++) {
            draft_term product;
            fits = multiply_terms(&product, &x[i], &y[k]) && add_term(&s, &product);
        }
    }
    return fits ? sum_value(&s) : draft_unknown("it is too long");
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Returns true if the value is certainly at least 1 when all sizes are at least 1. */
static bool is_positive(const draft_amount *v)
{
    int64_t number;
    return draft_is_number(v, &number) ? number >= 1
           : v->symbol                 ? !(v->kinds & DRAFT_VARYING)
           : v->kind == DRAFT_CEIL_DIV ? is_positive(v->a) && is_positive(v->b)
           : v->kind == DRAFT_MAX      ? is_positive(v->a) || is_positive(v->b)
                                       : v->kind == DRAFT_SHIFT;
}

static bool is_not_negative(const draft_amount *v);

/* Returns true if `large` has all factors of `small`, and its other factors are positive. */
static bool has_all(const draft_term *large, const draft_term *small)
{
    unsigned used = 0;
    bool others = true;
    for (unsigned k = 0; k < large->count; k++) {
        if (used < small->count && large->atoms[k] == small->atoms[used]) {
            used++;
        } else {
            others = others && is_positive(large->atoms[k]);
        }
    }
    return others && used == small->count;
}

/* Returns true if the value contains a loop's counter whose first value may be negative. */
static bool counts_from_negative(const draft_amount *v)
{
    bool found = draft_is_symbol(v, DRAFT_COUNTER) &&
                 !(v->symbol->first && is_not_negative(v->symbol->first));
    for (unsigned i = 0; !found && draft_has_kind(v, DRAFT_COUNTER) && i < v->part_count; i++) {
        found = counts_from_negative(v->parts[i]);
    }
    return found;
}

/* Returns true if a sum is certainly at least 0 when all its sizes are at least 1. This is certain
 * if each product that the sum subtracts divides a product that it adds. */
static bool is_not_negative(const draft_amount *v)
{
    int64_t left[TERMS_MOST + 1];
    for (unsigned i = 0; i < v->count; i++) {
        left[i] = v->terms[i].factor;
    }
    for (unsigned i = 0; i < v->count; i++) {
        for (unsigned k = 0; left[i] < 0 && k < v->count; k++) {
            if (left[k] > 0 && has_all(&v->terms[k], &v->terms[i])) {
                int64_t part = left[k] < -left[i] ? left[k] : -left[i];
                left[k] -= part;
                left[i] += part;
            }
        }
        if (left[i] < 0 || (v->terms[i].factor < 0 && v->kinds & DRAFT_VARYING)) {
            return false;
        }
    }
    return !counts_from_negative(v);
}

int64_t draft_constant(const draft_amount *v)
{
    int64_t number = 0;
    for (unsigned i = 0; i < v->count; i++) {
        number = v->terms[i].count ? number : v->terms[i].factor;
    }
    return number;
}

/* Divides a sum by a number and rounds up: (8 * n + 3) / 8 becomes n + 1. Returns NULL if a term
 * other than the constant is not divisible. */
static draft_amount *divide_up(draft_amount *a, int64_t by)
{
    const int64_t number = draft_constant(a);
    draft_amount *rest = draft_plus(a, draft_number(number), -1);
    draft_amount *whole = rest->kinds && by > 1 ? exact(rest, draft_number(by)) : NULL;
    return whole ? draft_plus(whole, draft_number(number / by + (number % by > 0)), 1) : NULL;
}

static draft_amount *divide(draft_amount *a, draft_amount *b)
{
    int64_t x, y = 1;
    const bool by_number = draft_is_number(b, &y);
    if (y == 0) {
        return draft_unknown("it divides by zero");
    }
    if (y == -1) {
        return draft_times(a, b);
    }
    if (by_number && draft_is_number(a, &x)) {
        return draft_number(x / y);
    }
    draft_amount *whole = a->kind == DRAFT_QUOTIENT
                              ? draft_make(DRAFT_QUOTIENT, a->a, draft_times(a->b, b), NULL)
                              : exact(a, b);
    if (whole) {
        return whole;
    }
    draft_amount *next = draft_plus(a, draft_number(1), 1); /* a / b equals (next - 1) / b */
    draft_amount *up = draft_plus(next, b, -1);             /* a / b equals (up + b - 1) / b */
    if (up->kinds && terms_count(up) < terms_count(a) && is_not_negative(up)) {
        return draft_make(DRAFT_CEIL_DIV, up, b, NULL);
    }
    if (draft_is_known(next) && terms_count(next) < terms_count(a)) {
        return draft_plus(draft_make(DRAFT_CEIL_DIV, next, b, NULL), draft_number(1), -1);
    }
    return intern(&(draft_amount){.kind = DRAFT_QUOTIENT, .a = a, .b = b});
}

/* Returns the minimum or the maximum of two values. */
static draft_amount *extreme(draft_operator kind, draft_amount *a, draft_amount *b)
{
    for (int i = 0; i < 2; i++) {
        draft_amount *large = i ? b : a, *small = i ? a : b;
        draft_amount *difference = draft_plus(large, small, -1);
        const draft_amount *rest = large;
        while (rest->kind == kind && rest->b != small && rest->a != small) {
            rest = rest->a;
        }
        if (rest->kind == kind) {
            return large;
        }
        if (draft_is_known(difference) && is_not_negative(difference)) {
            return kind == DRAFT_MIN ? small : large;
        }
    }
    return intern(&(draft_amount){.kind = kind, .a = a, .b = b});
}

static int64_t apply_operation(draft_operator kind, int64_t x, int64_t y)
{
    const int64_t results[] = {[DRAFT_REST] = y && y != -1 ? x % y : 0,
                               [DRAFT_LESS] = x < y,
                               [DRAFT_AT_MOST] = x <= y,
                               [DRAFT_EQUAL] = x == y,
                               [DRAFT_UNEQUAL] = x != y,
                               [DRAFT_BOTH] = x && y,
                               [DRAFT_ANY] = x || y,
                               [DRAFT_BITS] = x & y,
                               [DRAFT_SHIFT] = y >= 0 && y < 62 ? (int64_t)1 << y : 0,
                               [DRAFT_CEIL_DIV] = y > 0 ? x / y + (x % y > 0) : 0};
    return results[kind];
}

/* Returns condition ? a : b, as a minimum or a maximum if possible. */
static draft_amount *choose_value(draft_amount *condition, draft_amount *a, draft_amount *b)
{
    const draft_operator kind = condition->kind;
    if (kind == DRAFT_LESS || kind == DRAFT_AT_MOST) {
        if ((condition->a == a && condition->b == b) || (condition->a == b && condition->b == a)) {
            return extreme(condition->a == a ? DRAFT_MIN : DRAFT_MAX, a, b);
        }
    }
    return intern(&(draft_amount){.kind = DRAFT_COND, .a = condition, .b = a, .c = b});
}

static draft_amount *negated(draft_amount *a)
{
    int64_t number;
    switch (a->kind) {
    case DRAFT_LESS:
        return draft_make(DRAFT_AT_MOST, a->b, a->a, NULL);
    case DRAFT_AT_MOST:
        return draft_make(DRAFT_LESS, a->b, a->a, NULL);
    case DRAFT_EQUAL:
        return draft_make(DRAFT_UNEQUAL, a->a, a->b, NULL);
    case DRAFT_UNEQUAL:
        return draft_make(DRAFT_EQUAL, a->a, a->b, NULL);
    default:
        return draft_is_number(a, &number)
                   ? draft_number(!number)
                   : intern(&(draft_amount){.kind = DRAFT_NEGATION, .a = a});
    }
}

draft_amount *draft_make(draft_operator kind, draft_amount *a, draft_amount *b, draft_amount *c)
{
    int64_t x = 0, y = 0;
    draft_amount *none = not_known(a, b ? b : a), *whole = NULL;
    none = !none && c ? not_known(c, c) : none;
    if (none) {
        return none;
    }
    const bool a_number = draft_is_number(a, &x), b_number = b && draft_is_number(b, &y);
    switch (kind) {
    case DRAFT_QUOTIENT:
        return divide(a, b);
    case DRAFT_MIN:
    case DRAFT_MAX:
        return extreme(kind, a, b);
    case DRAFT_COND:
        return b == c ? b : a_number ? (x ? b : c) : choose_value(a, b, c);
    case DRAFT_NEGATION:
        return negated(a);
    case DRAFT_BOTH:
    case DRAFT_ANY:
        if (a_number != b_number) {
            draft_amount *other = a_number ? b : a;
            const bool decides = ((a_number ? x : y) != 0) == (kind == DRAFT_ANY);
            return decides ? draft_number(kind == DRAFT_ANY)
                   : other->kind >= DRAFT_LESS && other->kind <= DRAFT_NEGATION
                       ? other
                       : draft_make(DRAFT_UNEQUAL, other, draft_number(0), NULL);
        }
        break;
    case DRAFT_CEIL_DIV:
    case DRAFT_REST:
        whole = a_number ? NULL : exact(a, b);
        whole = whole && kind == DRAFT_REST ? draft_number(0) : whole;
        whole = !whole && kind == DRAFT_CEIL_DIV && b_number ? divide_up(a, y) : whole;
        break;
    default:
        break;
    }
    return whole ? whole
           : a_number && b_number && kind != DRAFT_REAL
               ? draft_number(apply_operation(kind, x, y))
               : intern(&(draft_amount){.kind = kind, .a = a, .b = b});
}

draft_amount *draft_at_most(draft_amount *a, draft_amount *b)
{
    draft_amount *more = draft_plus(a, b, -1);
    draft_term own;
    const draft_term *terms = terms_of(more, &own);
    sum sides[2] = {{.count = 0}, {.count = 0}};
    for (unsigned i = 0; draft_is_known(more) && i < terms_count(more); i++) {
        const bool is_negative = terms[i].factor < 0;
        draft_term term = terms[i];
        term.factor = is_negative ? -term.factor : term.factor;
        add_term(&sides[is_negative], &term);
    }
    draft_amount *small = sum_value(&sides[0]), *large = sum_value(&sides[1]);
    for (unsigned i = 0; i < small->part_count; i++) {
        draft_amount *part = small->parts[i];
        if (part->kind == DRAFT_CEIL_DIV && part->a == large &&
            draft_times(part, part->b) == small) {
            return draft_make(DRAFT_EQUAL, draft_make(DRAFT_REST, large, part->b, NULL),
                              draft_number(0), NULL);
        }
    }
    return draft_is_known(more) ? draft_make(DRAFT_AT_MOST, small, large, NULL) : more;
}

static draft_amount *shift(int operation, draft_amount *a, draft_amount *b)
{
    draft_amount *power = draft_make(DRAFT_SHIFT, draft_number(1), b, NULL);
    int64_t number;
    if (operation == CX_SHR && draft_evaluate(&number, a) && number < 0) {
        return draft_unknown("the program shifts a negative number");
    }
    return operation == CX_SHL ? draft_times(a, power) : draft_make(DRAFT_QUOTIENT, a, power, NULL);
}

/* Converts a floating-point number without a fraction to an integer. */
static draft_amount *whole(draft_amount *v)
{
    char *end = NULL;
    double number = v->kind == DRAFT_TEXT ? gt_strtod(v->text, &end) : 0.5;
    number = end && end == v->text ? 0.5 : number; /* a macro's name */
    return number > -1e15 && number < 1e15 && number == (double)(int64_t)number
               ? draft_number((int64_t)number)
               : v;
}

draft_amount *draft_binary(int operation, draft_amount *a, draft_amount *b, bool real)
{
    static const draft_operator kinds[] = {
        [CX_REM] = DRAFT_REST,         [CX_LT] = DRAFT_LESS,       [CX_LE] = DRAFT_AT_MOST,
        [CX_EQ] = DRAFT_EQUAL,         [CX_NE] = DRAFT_UNEQUAL,    [CX_AND] = DRAFT_BITS,
        [CX_LOGICAL_AND] = DRAFT_BOTH, [CX_LOGICAL_OR] = DRAFT_ANY};
    if (real) {
        a = whole(a);
        b = whole(b);
    }
    switch (operation) {
    case CX_MUL:
        return draft_times(a, b);
    case CX_DIV:
        if (real && a->kind == DRAFT_REAL) { /* divide (a / b) by c */
            b = draft_times(a->b, b);
            a = a->a;
        }
        return draft_make(real ? DRAFT_REAL : DRAFT_QUOTIENT, a, b, NULL);
    case CX_ADD:
        return draft_plus(a, b, 1);
    case CX_SUB:
        return draft_plus(a, b, -1);
    case CX_SHL:
    case CX_SHR:
        return shift(operation, a, b);
    case CX_GT:
        return draft_make(DRAFT_LESS, b, a, NULL);
    case CX_GE:
        return draft_make(DRAFT_AT_MOST, b, a, NULL);
    default:
        return operation < (int)(sizeof kinds / sizeof *kinds) && kinds[operation]
                   ? draft_make(kinds[operation], a, b, NULL)
                   : draft_unknown("its operator is not supported");
    }
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void add_fact(draft_facts *out, draft_amount *lhs, draft_amount *most, bool is_difference)
{
    if ((lhs->kinds & DRAFT_VARYING) && draft_is_known(lhs) && draft_is_known(most)) {
        draft_add(out, ((draft_fact){lhs, most, is_difference}));
    }
}

/* Adds the fact a <= b in three forms. Two have `a` or -b, without its constant term, on the left.
 * The third has only those terms on the left that vary among threads or iterations. */
static void add_limit(draft_facts *out, draft_amount *a, draft_amount *b)
{
    draft_amount *difference = draft_plus(a, b, -1);
    draft_amount *first = draft_number(draft_constant(a)), *last = draft_number(draft_constant(b));
    add_fact(out, draft_plus(a, first, -1), draft_plus(b, first, -1), false);
    add_fact(out, draft_plus(last, b, -1), draft_plus(last, a, -1), true);
    if (draft_is_known(difference) && (b->kinds & DRAFT_VARYING)) {
        draft_term own;
        const draft_term *terms = terms_of(difference, &own);
        sum varying = {.count = 0};
        for (unsigned i = 0; i < terms_count(difference); i++) {
            sum single = {{terms[i]}, 1};
            if (sum_value(&single)->kinds & DRAFT_VARYING) {
                add_term(&varying, &terms[i]);
            }
        }
        draft_amount *lhs = sum_value(&varying);
        add_fact(out, lhs, draft_plus(lhs, difference, -1), true);
    }
}

/* Returns true if the condition only limits an index from above, as in i < n, or is always true. */
static bool is_upper_bound(const draft_facts *facts, const draft_amount *c, bool holds)
{
    if (c->kind != DRAFT_LESS && c->kind != DRAFT_AT_MOST) {
        return false;
    }
    draft_amount *low = holds ? c->a : c->b, *high = holds ? c->b : c->a;
    int64_t least;
    return !(high->kinds & DRAFT_VARYING) ||
           (draft_is_number(draft_plus(draft_bound(high, false, facts), low, -1), &least) &&
            least >= ((c->kind == DRAFT_LESS) == holds));
}

void draft_facts_add(draft_facts *out, draft_amount *c, bool holds)
{
    draft_amount *one = draft_number(1);
    if (c->kind == DRAFT_NEGATION) {
        draft_facts_add(out, c->a, !holds);
        return;
    }
    if (c->kind == (holds ? DRAFT_BOTH : DRAFT_ANY)) {
        draft_facts_add(out, c->a, holds);
        draft_facts_add(out, c->b, holds);
        return;
    }
    const bool is_data = draft_has_kind(c, DRAFT_LOADED) || draft_has_kind(c, DRAFT_CHANGING);
    if ((c->kinds & DRAFT_VARYING) && !is_data && !is_upper_bound(out, c, holds)) {
        draft_add(out, ((draft_fact){.lhs = c}));
    }
    if (c->kind == DRAFT_LESS) {
        add_limit(out, holds ? c->a : c->b, holds ? draft_plus(c->b, one, -1) : c->a);
    } else if (c->kind == DRAFT_AT_MOST) {
        add_limit(out, holds ? c->a : c->b, holds ? c->b : draft_plus(c->a, one, -1));
    } else if (c->kind == (holds ? DRAFT_EQUAL : DRAFT_UNEQUAL)) {
        add_limit(out, c->a, c->b);
        add_limit(out, c->b, c->a);
    } else if ((c->kind == DRAFT_EQUAL || c->kind == DRAFT_UNEQUAL) &&
               !draft_has_kind(c->a, DRAFT_LOADED)) { /* draft_bound() would create a `range` */
        if (draft_bound(c->a, false, out) == c->b) {
            add_limit(out, draft_plus(c->b, one, 1), c->a);
        } else if (draft_bound(c->a, true, out) == c->b) {
            add_limit(out, c->a, draft_plus(c->b, one, -1));
        }
    }
}

/* ---- bounds ---------------------------------------------------------------------------------- */

enum { WORK_MOST = 5000 };
static unsigned bound_work; /* number of calls of bound() in the outermost draft_bound() */
static int bound_depth;

static draft_amount *bound(const draft_facts *facts, draft_amount *v, bool upper);

/* Returns the upper bound that is known for exactly this value, or NULL. */
static draft_amount *fact_about(const draft_facts *facts, draft_amount *v)
{
    draft_amount *most = NULL;
    for (size_t i = facts->count; !most && i-- > 0;) {
        const draft_fact *fact = &facts->items[i];
        draft_amount *limit = fact->lhs == v && fact->most ? bound(facts, fact->most, true) : NULL;
        most = limit && draft_is_known(limit) ? limit : NULL;
    }
    return most;
}

static draft_amount *bound_counter(const draft_facts *facts, const draft_symbol *s, bool upper)
{
    int64_t step;
    step = s->step && draft_is_number(s->step, &step) ? step : 0;
    if (!s->first) {
        return draft_unknown("it is counted by a loop that is still being read");
    }
    if (upper == (step < 0)) {
        return bound(facts, s->first, upper);
    }
    if (!upper) {
        return draft_number(0);
    }
    if (!s->end) {
        return draft_unknown("the end of a loop around it is not known");
    }
    draft_amount *end = bound(facts, s->end, true); /* the counter stays below the end */
    end = draft_plus(end, draft_number(1), -1);
    if (s->step &&
        !((end->kinds | s->step->kinds | s->first->kinds) & ~DRAFT_KIND(DRAFT_CONSTANT))) {
        end = draft_plus(end, s->first, -1);
        end = draft_times(draft_make(DRAFT_QUOTIENT, end, s->step, NULL), s->step);
        end = draft_plus(end, s->first, 1);
    }
    return end;
}

/* Returns an upper bound of a buffer's element: the largest value of a one-byte type, otherwise a
 * bound that follows from the buffer's range. */
static draft_amount *bound_loaded(draft_symbol *s)
{
    draft_buffer *buffer = s->buffer;
    if (!buffer) {
        return draft_unknown(draft_format("it depends on the contents of '%s'", s->name));
    }
    if (s->number) {
        return draft_number(s->number);
    }
    if (!buffer->range) {
        buffer->range = draft_new_symbol(DRAFT_HOST, draft_format("%s_range", buffer->name));
        buffer->range->buffer = buffer;
    }
    draft_amount *range = draft_symbol_value(buffer->range);
    return buffer->is_rising ? range : draft_plus(range, draft_number(1), -1);
}

static draft_amount *bound_symbol(const draft_facts *facts, draft_amount *v, bool upper)
{
    draft_symbol *s = v->symbol;
    switch (s->kind) {
    case DRAFT_THREAD:
    case DRAFT_BLOCK_INDEX:
        return upper ? draft_plus(s->end, draft_number(1), -1) : draft_number(0);
    case DRAFT_COUNTER:
        return bound_counter(facts, s, upper);
    case DRAFT_CHANGING:
        return upper
                   ? draft_unknown(draft_format("it depends on a value that may vary: %s", s->name))
                   : draft_number(0);
    case DRAFT_LOADED:
        return upper ? bound_loaded(s) : draft_number(0);
    default:
        return v;
    }
}

/* If the sum *v contains a multiple of `part`, subtracts it from *v and returns the factor.
 * Otherwise returns NULL. */
static draft_amount *take_out(draft_amount **v, const draft_amount *part)
{
    const draft_term *lead = part->terms;
    const bool is_sum =
        part->kind == DRAFT_SUM && (part->count > 1 ? lead->count : lead->count > 1);
    for (unsigned i = 0; is_sum && i < (*v)->count; i++) {
        draft_term single = (*v)->terms[i];
        sum first = {{single}, 1}, second = {{*lead}, 1};
        draft_amount *factor = exact(sum_value(&first), sum_value(&second));
        draft_amount *rest =
            factor ? draft_plus(*v, draft_times(factor, (draft_amount *)part), -1) : NULL;
        if (rest && draft_is_known(rest) &&
            terms_count(rest) + part->count <= terms_count(*v) + 1 && is_not_negative(factor)) {
            *v = rest;
            return factor;
        }
    }
    return NULL;
}

static draft_amount *bound_sum(const draft_facts *facts, draft_amount *v)
{
    draft_amount *total = draft_number(0);
    for (size_t i = facts->count; i-- > 0;) {
        const draft_fact *fact = &facts->items[i];
        draft_amount *rest = v, *factor = take_out(&rest, fact->lhs);
        draft_amount *limit = factor ? bound(facts, fact->most, true) : NULL;
        if (limit && draft_is_known(limit)) {
            limit = draft_plus(bound(facts, rest, true),
                               draft_times(bound(facts, factor, true), limit), 1);
            if (draft_is_known(limit)) {
                return limit;
            }
            break;
        }
    }
    for (unsigned i = 0; i < v->count; i++) {
        draft_amount *product = draft_number(v->terms[i].factor);
        for (unsigned k = 0; k < v->terms[i].count; k++) {
            product =
                draft_times(product, bound(facts, v->terms[i].atoms[k], v->terms[i].factor > 0));
        }
        total = draft_plus(total, product, 1);
    }
    return total;
}

/* Returns the bound of a value that is used only if the condition has the value `holds`. */
static draft_amount *bound_if(const draft_facts *facts, draft_amount *condition, bool holds,
                              draft_amount *v, bool upper)
{
    draft_facts own = {0};
    for (size_t i = 0; i < facts->count; i++) {
        draft_add(&own, facts->items[i]);
    }
    draft_facts_add(&own, condition, holds);
    return bound(&own, v, upper);
}

static draft_amount *bound_operation(const draft_facts *facts, draft_amount *v, bool upper)
{
    if (v->kind == DRAFT_COND) {
        return draft_make(upper ? DRAFT_MAX : DRAFT_MIN, bound_if(facts, v->a, true, v->b, upper),
                          bound_if(facts, v->a, false, v->c, upper), NULL);
    }
    bool inverts = v->kind == DRAFT_QUOTIENT || v->kind == DRAFT_CEIL_DIV;
    draft_amount *x = bound(facts, v->a, upper), *one = draft_number(1);
    draft_amount *y = v->b ? bound(facts, v->b, upper != inverts) : NULL;
    int64_t mask;
    switch (v->kind) {
    case DRAFT_REST:
        return upper ? draft_plus(y, one, -1) : draft_number(0);
    case DRAFT_BITS:
        return !upper ? draft_number(0) : draft_is_number(v->b, &mask) && mask >= 0 ? v->b : x;
    case DRAFT_MIN: /* one bound is enough: min(x, y) is at most x and at most y */
        x = upper && !draft_is_known(x) ? y : x;
        y = upper && !draft_is_known(y) ? x : y;
        return draft_make(v->kind, x, y, NULL);
    case DRAFT_MAX:
    case DRAFT_QUOTIENT:
    case DRAFT_CEIL_DIV:
    case DRAFT_SHIFT:
    case DRAFT_REAL:
        return draft_make(v->kind, x, y, NULL);
    default: /* a truth value is 0 or 1; computing x and y has created `range` symbols */
        return draft_number(upper ? 1 : 0);
    }
}

static draft_amount *bound(const draft_facts *facts, draft_amount *v, bool upper)
{
    draft_amount *minus = draft_number(-1), *out;
    if (!draft_is_known(v) || bound_depth == DEEP || ++bound_work > WORK_MOST) {
        return draft_is_known(v) ? draft_unknown("it is nested too deep") : v;
    }
    bound_depth++;
    if (!upper && v->kind == DRAFT_SUM) {
        out = draft_times(bound_sum(facts, draft_times(v, minus)), minus);
    } else {
        draft_amount *fact = fact_about(facts, upper ? v : draft_times(v, minus));
        out = fact                   ? (upper ? fact : draft_times(fact, minus))
              : v->symbol            ? bound_symbol(facts, v, upper)
              : v->kind == DRAFT_SUM ? bound_sum(facts, v)
                                     : bound_operation(facts, v, upper);
    }
    bound_depth--;
    return out;
}

draft_amount *draft_bound(draft_amount *v, bool upper, const draft_facts *facts)
{
    bound_work = bound_depth ? bound_work : 0;
    return bound(facts, v, upper);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The text of an operation, its precedence, and the precedence that its operands need. */
static const struct form {
    const char *before, *between, *after;
    int own, left, right;
} forms[] = {[DRAFT_QUOTIENT] = {"", " / ", "", 11, 11, 12},
             [DRAFT_REST] = {"", " % ", "", 11, 11, 12},
             [DRAFT_CEIL_DIV] = {"ceil_div(", ", ", ")", 13, 0, 0},
             [DRAFT_MIN] = {"min(", ", ", ")", 13, 0, 0},
             [DRAFT_MAX] = {"max(", ", ", ")", 13, 0, 0},
             [DRAFT_COND] = {"", " ? ", "", 0, 2, 1},
             [DRAFT_LESS] = {"", " < ", "", 8, 8, 9},
             [DRAFT_AT_MOST] = {"", " <= ", "", 8, 8, 9},
             [DRAFT_EQUAL] = {"", " == ", "", 7, 7, 8},
             [DRAFT_UNEQUAL] = {"", " != ", "", 7, 7, 8},
             [DRAFT_BOTH] = {"", " && ", "", 3, 3, 4},
             [DRAFT_ANY] = {"", " || ", "", 2, 2, 3},
             [DRAFT_NEGATION] = {"!", "", "", 13, 12, 0},
             [DRAFT_BITS] = {"", " & ", "", 6, 6, 7},
             [DRAFT_SHIFT] = {"", " << ", "", 9, 9, 10},
             [DRAFT_REAL] = {"1.0 * ", " / ", "", 11, 12, 12}};

static const char *text_of(const draft_amount *v, int level);

static const char *term_text(const draft_term *term, int64_t factor)
{
    const char *text = factor != 1 || !term->count ? draft_format("%lld", (long long)factor) : "";
    for (unsigned i = 0; i < 2 * term->count; i++) { /* quotients last, as in c * (a / b) */
        const draft_amount *atom = term->atoms[i % term->count];
        const bool is_first = !*text,
                   divides = atom->kind == DRAFT_QUOTIENT || atom->kind == DRAFT_REST;
        if (divides == (i >= term->count)) {
            text = draft_format("%s%s%s", text, is_first ? "" : " * ",
                                text_of(atom, divides || !is_first ? 12 : 11));
        }
    }
    return text;
}

static const char *sum_text(const draft_amount *v)
{
    const char *text = v->count ? "" : "0";
    for (unsigned i = 0; i < 2 * v->count; i++) { /* subtracted terms last */
        const draft_term *term = &v->terms[i % v->count];
        const bool is_negative = i >= v->count;
        if ((term->factor < 0) == is_negative) {
            const char *sign = is_negative ? (*text ? " - " : "-") : *text ? " + " : "";
            text = draft_format("%s%s%s", text, sign,
                                term_text(term, is_negative ? -term->factor : term->factor));
        }
    }
    return text;
}

static const char *text_of(const draft_amount *v, int level)
{
    const struct form *f = &forms[v->a ? v->kind : DRAFT_SUM];
    int own = f->own;
    const char *text;
    if (v->kind == DRAFT_SUM) {
        own = v->count == 1 && v->terms[0].factor < 0 ? 10
              : v->count > 1                          ? 10
              : v->count && v->terms[0].count         ? 11
                                                      : 13;
        text = sum_text(v);
    } else if (!v->a) {
        return v->symbol ? v->symbol->name : v->kind == DRAFT_TEXT ? v->text : "1";
    } else {
        text = draft_format("%s%s%s%s%s%s%s", f->before, text_of(v->a, f->left), f->between,
                            v->b ? text_of(v->b, f->right) : "", v->c ? " : " : "",
                            v->c ? text_of(v->c, 1) : "", f->after);
    }
    return level > own ? draft_format("(%s)", text) : text;
}

const char *draft_print_value(const draft_amount *v)
{
    return text_of(v, 0);
}
