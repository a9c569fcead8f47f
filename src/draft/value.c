/* Symbolic integers: sums of products, whose factors are symbols and operations on other values.
 * Equal values share one struct, so values are compared by their pointers. */
#include "draft/parts.h"

#include "base/number.h"

#include <string.h>

/* ---- one struct for equal values ------------------------------------------------------------- */

static GT_ARRAY(draft_amount *) all;
static draft_amount **table;
static size_t table_size;

static uint64_t mix(uint64_t hash, uint64_t more)
{
    return (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
}

static uint64_t hash_of(const draft_amount *v)
{
    uint64_t hash = (uint64_t)v->kind + 1;
    for (unsigned i = 0; i < v->count; i++) {
        hash = mix(hash, (uint64_t)v->terms[i].factor);
        for (unsigned k = 0; k < v->terms[i].count; k++) {
            hash = mix(hash, (uint64_t)v->terms[i].atoms[k]->number);
        }
    }
    hash = mix(mix(mix(hash, (uintptr_t)v->a), (uintptr_t)v->b), (uintptr_t)v->c);
    return mix(hash, (uintptr_t)v->symbol);
}

static bool is_same(const draft_amount *x, const draft_amount *y)
{
    if (x->kind != y->kind || x->a != y->a || x->b != y->b || x->c != y->c ||
        x->symbol != y->symbol || x->count != y->count) {
        return false;
    }
    for (unsigned i = 0; i < x->count; i++) {
        const draft_term *s = &x->terms[i], *t = &y->terms[i];
        if (s->factor != t->factor || s->count != t->count ||
            memcmp(s->atoms, t->atoms, s->count * sizeof *s->atoms) != 0) {
            return false;
        }
    }
    return true;
}

static void enter(draft_amount *v)
{
    size_t at = hash_of(v) & (table_size - 1);
    while (table[at]) {
        at = (at + 1) & (table_size - 1);
    }
    table[at] = v;
}

static void grow(void)
{
    table_size = table_size ? 2 * table_size : 4096;
    table = draft_new(table_size * sizeof *table);
    for (size_t i = 0; i < all.count; i++) {
        enter(all.items[i]);
    }
}

static void note_kinds(draft_amount *v)
{
    for (unsigned i = 0; i < v->count; i++) {
        for (unsigned k = 0; k < v->terms[i].count; k++) {
            v->kinds |= v->terms[i].atoms[k]->kinds;
        }
    }
    v->kinds |= (v->a ? v->a->kinds : 0) | (v->b ? v->b->kinds : 0) | (v->c ? v->c->kinds : 0);
    if (v->symbol) {
        v->kinds = DRAFT_KIND(v->symbol->kind);
    }
}

static draft_amount *intern(const draft_amount *v)
{
    if (2 * (all.count + 1) > table_size) {
        grow();
    }
    for (size_t at = hash_of(v) & (table_size - 1); table[at]; at = (at + 1) & (table_size - 1)) {
        if (is_same(table[at], v)) {
            return table[at];
        }
    }
    draft_amount *made = draft_new(sizeof *made);
    *made = *v;
    made->number = (int)all.count;
    note_kinds(made);
    if (v->count) {
        made->terms = draft_new(v->count * sizeof *v->terms);
        memcpy(made->terms, v->terms, v->count * sizeof *v->terms);
    }
    draft_add(&all, made);
    enter(made);
    return made;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static int compare_terms(const draft_term *x, const draft_term *y)
{
    for (unsigned i = 0; i < x->count && i < y->count; i++) {
        if (x->atoms[i] != y->atoms[i]) {
            return x->atoms[i]->number < y->atoms[i]->number ? -1 : 1;
        }
    }
    return x->count == y->count ? 0 : x->count > y->count ? -1 : 1;
}

/* Adds a term; false if the sum is too long. */
static bool add_term(draft_sum *s, const draft_term *term)
{
    unsigned at = 0;
    while (at < s->count && compare_terms(&s->terms[at], term) < 0) {
        at++;
    }
    if (at < s->count && compare_terms(&s->terms[at], term) == 0) {
        s->terms[at].factor += term->factor;
        if (s->terms[at].factor == 0) {
            s->count--;
            memmove(&s->terms[at], &s->terms[at + 1], (s->count - at) * sizeof *term);
        }
        return true;
    }
    if (s->count >= DRAFT_TERMS_MOST || term->factor == 0) {
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

draft_amount *draft_sum_value(const draft_sum *s)
{
    draft_amount v = {.kind = DRAFT_SUM, .count = s->count, .terms = (draft_term *)s->terms};
    if (s->count == 1 && s->terms[0].factor == 1 && s->terms[0].count == 1) {
        return s->terms[0].atoms[0];
    }
    return intern(&v);
}

/* Returns the terms of a value. A value that is not a sum is one term, which is stored in *own. */
static const draft_term *terms_of(draft_amount *v, draft_term *own)
{
    *own = (draft_term){1, 1, {v}};
    return v->kind == DRAFT_SUM ? v->terms : own;
}

static void add_value(draft_sum *s, draft_amount *v, int64_t scale, bool *fits)
{
    draft_term own;
    const draft_term *terms = terms_of(v, &own);
    for (unsigned i = 0; i < draft_terms_of(v); i++) {
        draft_term term = terms[i];
        *fits = !__builtin_mul_overflow(term.factor, scale, &term.factor) && add_term(s, &term) &&
                *fits;
    }
}

draft_amount *draft_number(int64_t number)
{
    draft_sum s = {{{number, 0, {0}}}, number ? 1 : 0};
    return draft_sum_value(&s);
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
    return v->kind != DRAFT_UNKNOWN && v->kind != DRAFT_POINTER && v->kind != DRAFT_OBJECT;
}

draft_amount *draft_unknown(const char *format, ...)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    draft_amount *v = draft_new(sizeof *v);
    va_list args;
    va_start(args, format);
    gt_text_vprintf(&text, format, args);
    va_end(args);
    *v = (draft_amount){.kind = DRAFT_UNKNOWN, .text = draft_format("%s", gt_text_string(&text))};
    return v;
}

draft_amount *draft_pointer(draft_spot place)
{
    draft_amount *v = draft_new(sizeof *v);
    *v = (draft_amount){.kind = DRAFT_POINTER, .place = place};
    return v;
}

draft_amount *draft_object(draft_spot place)
{
    draft_amount *v = draft_pointer(place);
    v->kind = DRAFT_OBJECT;
    return v;
}

draft_amount *draft_float_text(const char *text)
{
    draft_amount *v = draft_new(sizeof *v);
    *v = (draft_amount){.kind = DRAFT_TEXT, .text = text, .number = -1};
    return v;
}

draft_amount *draft_symbol_value(draft_symbol *symbol)
{
    draft_amount v = {.kind = DRAFT_SYMBOL, .symbol = symbol};
    return intern(&v);
}

/* Returns the one of two values that is unknown; NULL if both are known. */
static draft_amount *not_known(draft_amount *a, draft_amount *b)
{
    return !draft_is_known(a) || a->kind == DRAFT_TEXT
               ? (a->kind == DRAFT_UNKNOWN ? a : draft_unknown("it is not an integer"))
           : !draft_is_known(b) || b->kind == DRAFT_TEXT
               ? (b->kind == DRAFT_UNKNOWN ? b : draft_unknown("it is not an integer"))
               : NULL;
}

/* Joins terms: a / b * b + a % b becomes a, and a / b + (a % b != 0) becomes a / b rounded up. */
static bool join_rests(draft_sum *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        draft_amount *rest = s->terms[i].count ? s->terms[i].atoms[s->terms[i].count - 1] : NULL;
        for (unsigned k = 0; k < s->terms[i].count; k++) {
            rest = s->terms[i].atoms[k]->kind == DRAFT_REST ? s->terms[i].atoms[k] : rest;
        }
        if (!rest || (rest->kind != DRAFT_REST && rest->kind != DRAFT_UNEQUAL)) {
            continue;
        }
        bool up = rest->kind == DRAFT_UNEQUAL;
        draft_amount *whole = up ? rest->a->kind == DRAFT_REST ? rest->a : NULL : rest;
        if (!whole) {
            continue;
        }
        draft_amount *quotient = draft_make(DRAFT_QUOTIENT, whole->a, whole->b, NULL);
        draft_amount *product = up ? quotient : draft_times(quotient, whole->b);
        draft_amount *joined = up ? draft_make(DRAFT_CEIL_DIV, whole->a, whole->b, NULL) : whole->a;
        draft_term other = {.factor = s->terms[i].factor};
        for (unsigned k = 0, left = 0; k < s->terms[i].count; k++) {
            if (s->terms[i].atoms[k] != rest || left++) {
                other.atoms[other.count++] = s->terms[i].atoms[k];
            }
        }
        draft_sum factor_sum = {{other}, 1};
        draft_amount *factor = draft_sum_value(&factor_sum);
        draft_amount *away = draft_times(product, factor);
        draft_term needed = {1, 1, {away}};
        needed = away->kind == DRAFT_SUM && away->count == 1 ? away->terms[0] : needed;
        for (unsigned k = 0; k < s->count; k++) {
            if (k != i && s->terms[k].factor == needed.factor &&
                compare_terms(&s->terms[k], &needed) == 0) {
                bool fits = true;
                draft_term gone = s->terms[i];
                gone.factor = -gone.factor;
                needed.factor = -needed.factor;
                add_term(s, &gone);
                add_term(s, &needed);
                add_value(s, draft_times(joined, factor), 1, &fits);
                return fits;
            }
        }
    }
    return false;
}

draft_amount *draft_plus(draft_amount *a, draft_amount *b, int64_t scale)
{
    draft_amount *none = not_known(a, b);
    draft_sum s = {.count = 0};
    bool fits = true;
    if (none) {
        return none;
    }
    add_value(&s, a, 1, &fits);
    add_value(&s, b, scale, &fits);
    if (fits) {
        join_rests(&s);
    }
    return fits ? draft_sum_value(&s) : draft_unknown("it is too long");
}

draft_amount *draft_times(draft_amount *a, draft_amount *b)
{
    draft_amount *none = not_known(a, b);
    draft_term own[2];
    draft_sum s = {.count = 0};
    bool fits = true;
    if (none) {
        return none;
    }
    const draft_term *x = terms_of(a, &own[0]), *y = terms_of(b, &own[1]);
    for (unsigned i = 0; fits && i < draft_terms_of(a); i++) {
        for (unsigned k = 0; fits && k < draft_terms_of(b); k++) {
            draft_term product;
            fits = multiply_terms(&product, &x[i], &y[k]) && add_term(&s, &product);
        }
    }
    return fits ? draft_sum_value(&s) : draft_unknown("it is too long");
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Returns true if one product is a multiple of the other. */
static bool has_all(const draft_term *large, const draft_term *small)
{
    unsigned used = 0;
    for (unsigned k = 0; k < large->count && used < small->count; k++) {
        used += large->atoms[k] == small->atoms[used];
    }
    return used == small->count;
}

bool draft_is_not_negative(const draft_amount *v)
{
    int64_t left[DRAFT_TERMS_MOST + 1];
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
        if (left[i] < 0) {
            return false;
        }
    }
    return true;
}

draft_amount *draft_exact(draft_amount *a, draft_amount *b)
{
    draft_term own[2];
    const draft_term *terms = terms_of(a, &own[0]), *d = terms_of(b, &own[1]);
    draft_sum s = {.count = 0};
    if (draft_terms_of(b) != 1) {
        return a == b ? draft_number(1) : NULL;
    }
    for (unsigned i = 0; i < draft_terms_of(a); i++) {
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
    return draft_sum_value(&s);
}

unsigned draft_terms_of(const draft_amount *v)
{
    return v->kind == DRAFT_SUM ? v->count : 1;
}

/* Divides each term by a number, and the constant with a remainder: (8 * n + 3) / 8 is n, or n + 1
 * if rounded up. Returns NULL if another term leaves a remainder. */
static draft_amount *divide_parts(draft_amount *a, int64_t by, bool up)
{
    draft_sum rest = {.count = 0};
    int64_t number = 0;
    if (a->kind != DRAFT_SUM || by < 2) {
        return NULL;
    }
    for (unsigned i = 0; i < a->count; i++) {
        if (a->terms[i].count) {
            add_term(&rest, &a->terms[i]);
        } else {
            number = a->terms[i].factor;
        }
    }
    draft_amount *whole = rest.count ? draft_exact(draft_sum_value(&rest), draft_number(by)) : NULL;
    int64_t quotient = number / by, left = number % by;
    if (!whole || (!up && number < 0)) {
        return NULL;
    }
    return draft_plus(whole, draft_number(quotient + (up && left > 0)), 1);
}

static draft_amount *divide(draft_amount *a, draft_amount *b)
{
    int64_t x, y;
    draft_amount *whole;
    if (draft_is_number(b, &y) && y == 0) {
        return draft_unknown("it divides by zero");
    }
    if (draft_is_number(a, &x) && draft_is_number(b, &y)) {
        return draft_number(x / y);
    }
    if ((whole = draft_exact(a, b)) != NULL) {
        return whole;
    }
    if (draft_is_number(b, &y) && (whole = divide_parts(a, y, false)) != NULL) {
        return whole;
    }
    draft_amount *up = draft_plus(draft_plus(a, b, -1), draft_number(1), 1); /* (up + b - 1) / b */
    if (draft_is_known(up) && !draft_is_number(up, &x) && draft_terms_of(up) < draft_terms_of(a) &&
        draft_is_not_negative(up)) {
        return draft_make(DRAFT_CEIL_DIV, up, b, NULL);
    }
    draft_amount *next = draft_plus(a, draft_number(1), 1); /* (next - 1) / b */
    if (draft_is_known(next) && draft_terms_of(next) < draft_terms_of(a)) {
        return draft_plus(draft_make(DRAFT_CEIL_DIV, next, b, NULL), draft_number(1), -1);
    }
    if (a->kind == DRAFT_QUOTIENT) {
        return draft_make(DRAFT_QUOTIENT, a->a, draft_times(a->b, b), NULL);
    }
    draft_amount v = {.kind = DRAFT_QUOTIENT, .a = a, .b = b};
    return intern(&v);
}

static draft_amount *extreme(draft_operator kind, draft_amount *a, draft_amount *b)
{
    draft_amount *difference = draft_plus(a, b, -1);
    if (draft_is_known(difference) && draft_is_not_negative(difference)) {
        return kind == DRAFT_MIN ? b : a;
    }
    difference = draft_plus(b, a, -1);
    if (draft_is_known(difference) && draft_is_not_negative(difference)) {
        return kind == DRAFT_MIN ? a : b;
    }
    draft_amount v = {.kind = kind, .a = a, .b = b};
    return intern(&v);
}

int64_t draft_apply(draft_operator kind, int64_t x, int64_t y)
{
    switch (kind) {
    case DRAFT_REST:
        return y ? x % y : 0;
    case DRAFT_LESS:
        return x < y;
    case DRAFT_AT_MOST:
        return x <= y;
    case DRAFT_EQUAL:
        return x == y;
    case DRAFT_UNEQUAL:
        return x != y;
    case DRAFT_BOTH:
        return x && y;
    case DRAFT_ANY:
        return x || y;
    case DRAFT_BITS:
        return x & y;
    case DRAFT_OR_BITS:
        return x | y;
    case DRAFT_SHIFT:
        return y >= 0 && y < 62 ? (int64_t)1 << y : 0;
    case DRAFT_CEIL_DIV:
        return y ? (x + y - 1) / y : 0;
    case DRAFT_MIN:
        return x < y ? x : y;
    case DRAFT_MAX:
        return x > y ? x : y;
    default:
        return y ? x / y : 0;
    }
}

/* Returns c ? a : b, as a maximum or minimum if it is one. */
static draft_amount *choose(draft_amount *condition, draft_amount *a, draft_amount *b)
{
    int64_t x, y;
    if (a == b) {
        return a;
    }
    if (draft_is_number(condition, &x)) {
        return x ? a : b;
    }
    if (condition->kind == DRAFT_LESS || condition->kind == DRAFT_AT_MOST) {
        if (condition->a == a && condition->b == b) {
            return extreme(DRAFT_MIN, a, b);
        }
        if (condition->a == b && condition->b == a) {
            return extreme(DRAFT_MAX, a, b);
        }
    }
    draft_amount *rest = condition->kind == DRAFT_REST ? condition
                         : condition->kind == DRAFT_EQUAL || condition->kind == DRAFT_UNEQUAL
                             ? condition->a
                             : NULL;
    if (rest && rest->kind == DRAFT_REST) { /* a % b ? a / b + 1 : a / b */
        bool equal = condition->kind == DRAFT_EQUAL;
        draft_amount *up = equal ? b : a, *down = equal ? a : b;
        if (down == draft_make(DRAFT_QUOTIENT, rest->a, rest->b, NULL) &&
            up == draft_plus(down, draft_number(1), 1)) {
            return draft_make(DRAFT_CEIL_DIV, rest->a, rest->b, NULL);
        }
    }
    bool is_number = draft_is_number(a, &x) && draft_is_number(b, &y);
    if (is_number && x == 1 && y == 0 && condition->kind >= DRAFT_LESS &&
        condition->kind <= DRAFT_ANY) {
        return condition;
    }
    if (is_number && x == 0 && y == 1 && condition->kind == DRAFT_EQUAL) {
        return draft_make(DRAFT_UNEQUAL, condition->a, condition->b, NULL);
    }
    if (is_number && x == 1 && y == 0 && condition->kind == DRAFT_REST) {
        return draft_make(DRAFT_UNEQUAL, condition, draft_number(0), NULL);
    }
    draft_amount v = {.kind = DRAFT_COND, .a = condition, .b = a, .c = b};
    return intern(&v);
}

draft_amount *draft_make(draft_operator kind, draft_amount *a, draft_amount *b, draft_amount *c)
{
    int64_t x, y;
    draft_amount *none = not_known(a, b ? b : a);
    none = !none && c ? not_known(c, c) : none;
    if (none) {
        return none;
    }
    if (kind == DRAFT_QUOTIENT) {
        return divide(a, b);
    }
    if (kind == DRAFT_MIN || kind == DRAFT_MAX) {
        return extreme(kind, a, b);
    }
    if (kind == DRAFT_COND) {
        return choose(a, b, c);
    }
    if (kind == DRAFT_CEIL_DIV && !draft_is_number(a, &x) && draft_exact(a, b)) {
        return draft_exact(a, b);
    }
    if (kind == DRAFT_CEIL_DIV && draft_is_number(b, &y) && divide_parts(a, y, true)) {
        return divide_parts(a, y, true);
    }
    if (kind == DRAFT_REST && draft_exact(a, b) && !draft_is_number(a, &x)) {
        return draft_number(0);
    }
    if (kind == DRAFT_NEGATION && draft_is_number(a, &x)) {
        return draft_number(!x);
    }
    if (b && kind != DRAFT_REAL && draft_is_number(a, &x) && draft_is_number(b, &y)) {
        return draft_number(draft_apply(kind, x, y));
    }
    draft_amount v = {.kind = kind, .a = a, .b = b, .c = c};
    return intern(&v);
}

static draft_amount *shift(int operation, draft_amount *a, draft_amount *b)
{
    draft_amount *power = draft_make(DRAFT_SHIFT, draft_number(1), b, NULL);
    return operation == CX_SHL ? draft_times(a, power) : draft_make(DRAFT_QUOTIENT, a, power, NULL);
}

/* Returns a floating number without a fraction as an integer. */
static draft_amount *whole(draft_amount *v)
{
    double number = v->kind == DRAFT_TEXT ? gt_strtod(v->text, NULL) : 0.5;
    return number > -1e15 && number < 1e15 && number == (double)(int64_t)number
               ? draft_number((int64_t)number)
               : v;
}

draft_amount *draft_binary(int operation, draft_amount *a, draft_amount *b, bool real)
{
    static const draft_operator kinds[] = {
        [CX_REM] = DRAFT_REST,   [CX_LT] = DRAFT_LESS,          [CX_LE] = DRAFT_AT_MOST,
        [CX_EQ] = DRAFT_EQUAL,   [CX_NE] = DRAFT_UNEQUAL,       [CX_AND] = DRAFT_BITS,
        [CX_OR] = DRAFT_OR_BITS, [CX_LOGICAL_AND] = DRAFT_BOTH, [CX_LOGICAL_OR] = DRAFT_ANY};
    if (real) {
        a = whole(a);
        b = whole(b);
    }
    switch (operation) {
    case CX_MUL:
        return draft_times(a, b);
    case CX_DIV:
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
    case CX_XOR:
        return draft_unknown("it uses '^'");
    default:
        return operation < (int)(sizeof kinds / sizeof *kinds) && kinds[operation]
                   ? draft_make(kinds[operation], a, b, NULL)
                   : draft_unknown("its operator is not supported");
    }
}
